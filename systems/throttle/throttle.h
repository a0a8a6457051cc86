/* SPDX-License-Identifier: Apache-2.0 */
/* System `throttle`: warps that the SMs may run, by congestion and stalls; see throttle.c. */
#ifndef WR_SYSTEMS_THROTTLE_THROTTLE_H
#define WR_SYSTEMS_THROTTLE_THROTTLE_H

#include "systems/frame/system.h"

extern const wr_system_type wr_throttle_type;

#endif
