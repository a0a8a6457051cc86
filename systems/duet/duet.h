/* SPDX-License-Identifier: Apache-2.0 */
/* GPUDuet: more TBs on an SM than it has room to run (Lin-D 3.6; docs/duet.md). */
#ifndef WR_SYSTEMS_DUET_DUET_H
#define WR_SYSTEMS_DUET_DUET_H

#include "systems/frame/system.h"

extern const wr_system_type wr_duet_type;

#endif
