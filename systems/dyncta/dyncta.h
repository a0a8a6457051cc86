/* SPDX-License-Identifier: Apache-2.0 */
/* System `dyncta`: thread blocks of an SM paused by its latency tolerance; see dyncta.c. */
#ifndef WR_SYSTEMS_DYNCTA_DYNCTA_H
#define WR_SYSTEMS_DYNCTA_DYNCTA_H

#include "systems/frame/system.h"

extern const wr_system_type wr_dyncta_type;

#endif
