/* SPDX-License-Identifier: Apache-2.0 */
/* System `spart`: spatial partitioning of the SMs; see spart.c. */
#ifndef WR_SYSTEMS_SPART_SPART_H
#define WR_SYSTEMS_SPART_SPART_H

#include "systems/frame/system.h"

extern const wr_system_type wr_spart_type;

#endif
