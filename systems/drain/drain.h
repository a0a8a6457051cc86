/* SPDX-License-Identifier: Apache-2.0 */
/* System `drain`: SMs drained for a new launch; see drain.c. */
#ifndef WR_SYSTEMS_DRAIN_DRAIN_H
#define WR_SYSTEMS_DRAIN_DRAIN_H

#include "systems/frame/system.h"

extern const wr_system_type wr_drain_type;

#endif
