/* SPDX-License-Identifier: Apache-2.0 */
/* System `mascar`: see mascar.c. */
#ifndef WR_SYSTEMS_MASCAR_MASCAR_H
#define WR_SYSTEMS_MASCAR_MASCAR_H

#include "systems/frame/system.h"

extern const wr_system_type wr_mascar_type;

#endif
