/* SPDX-License-Identifier: Apache-2.0 */
/* System `miss_limit`: miss stations that send so many requests in a window; see miss_limit.c. */
#ifndef WR_SYSTEMS_MISS_LIMIT_MISS_LIMIT_H
#define WR_SYSTEMS_MISS_LIMIT_MISS_LIMIT_H

#include "systems/frame/system.h"

extern const wr_system_type wr_miss_limit_type;

#endif
