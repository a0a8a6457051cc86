/* SPDX-License-Identifier: Apache-2.0 */
/* System `swl`: static warp limit; see swl.c. */
#ifndef WR_SYSTEMS_SWL_SWL_H
#define WR_SYSTEMS_SWL_SWL_H

#include "systems/frame/system.h"

extern const wr_system_type wr_swl_type;

#endif
