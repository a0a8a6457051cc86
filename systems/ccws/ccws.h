/* SPDX-License-Identifier: Apache-2.0 */
/* System `ccws`: loads of warps held where others lose locality in the L1; see ccws.c. */
#ifndef WR_SYSTEMS_CCWS_CCWS_H
#define WR_SYSTEMS_CCWS_CCWS_H

#include "systems/frame/system.h"

extern const wr_system_type wr_ccws_type;

#endif
