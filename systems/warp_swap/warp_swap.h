/* SPDX-License-Identifier: Apache-2.0 */
/* System `warp_swap`: see warp_swap.c. */
#ifndef WR_SYSTEMS_WARP_SWAP_WARP_SWAP_H
#define WR_SYSTEMS_WARP_SWAP_WARP_SWAP_H

#include "systems/frame/system.h"

extern const wr_system_type wr_warp_swap_type;

#endif
