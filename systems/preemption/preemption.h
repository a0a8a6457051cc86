/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption system of Lin-P: signals, context save and context restore on each SM.
 *
 * Its options are in the table of preemption.c; `warpref run --system preemption` is its user.
 */
#ifndef WR_SYSTEMS_PREEMPTION_PREEMPTION_H
#define WR_SYSTEMS_PREEMPTION_PREEMPTION_H

#include "systems/frame/system.h"

extern const wr_system_type wr_preemption_type;

#endif
