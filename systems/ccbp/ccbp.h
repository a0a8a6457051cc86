/* SPDX-License-Identifier: Apache-2.0 */
/* System `ccbp`: CTAs and bandwidth of kernels that share SMs (Lin-D 4.5); see state.h. */
#ifndef WR_SYSTEMS_CCBP_CCBP_H
#define WR_SYSTEMS_CCBP_CCBP_H

#include "systems/frame/system.h"

extern const wr_system_type wr_ccbp_type;

#endif
