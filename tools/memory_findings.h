/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref run --check-memory` has found, for people and as JSON. */
#ifndef WR_TOOLS_MEMORY_FINDINGS_H
#define WR_TOOLS_MEMORY_FINDINGS_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/core/gpu.h"

/* A line each; nothing where there are none. */
void wr_memory_findings_print(const wr_gpu *gpu, FILE *out);
/* How many, as a part of the report. */
void wr_memory_findings_report(const wr_gpu *gpu, FILE *out);
void wr_memory_findings_json(const wr_gpu *gpu, cJSON *root);

#endif
