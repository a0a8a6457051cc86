/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a kernel's text, in JSON: "line" of the PTX, and "source", such as "saxpy.cu:12",
 * where the PTX says of what it was made.
 */
#ifndef WR_TOOLS_SOURCE_JSON_H
#define WR_TOOLS_SOURCE_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "shell/isa/kernel.h"

void wr_source_json(cJSON *item, const wr_kernel *kernel, uint32_t line);

#endif
