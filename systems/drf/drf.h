/* SPDX-License-Identifier: Apache-2.0 */
/* System `drf`: an SM parted by dominant resource fairness; see drf.c. */
#ifndef WR_SYSTEMS_DRF_DRF_H
#define WR_SYSTEMS_DRF_DRF_H

#include "systems/frame/system.h"

extern const wr_system_type wr_drf_type;

#endif
