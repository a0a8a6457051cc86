/* SPDX-License-Identifier: Apache-2.0 */
/* System `duplicates`: MSHR entries for lines that several SMs fetch; see duplicates.c. */
#ifndef WR_SYSTEMS_DUPLICATES_DUPLICATES_H
#define WR_SYSTEMS_DUPLICATES_DUPLICATES_H

#include "systems/frame/system.h"

extern const wr_system_type wr_duplicates_type;

#endif
