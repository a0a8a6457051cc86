/* SPDX-License-Identifier: Apache-2.0 */
/* System `smk`: several kernels in one SM (SMK 5); see state.h. */
#ifndef WR_SYSTEMS_SMK_SMK_H
#define WR_SYSTEMS_SMK_SMK_H

#include "systems/frame/system.h"

extern const wr_system_type wr_smk_type;

#endif
