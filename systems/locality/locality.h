/* SPDX-License-Identifier: Apache-2.0 */
/* System `locality`: warps that share data issue together; see state.h. */
#ifndef WR_SYSTEMS_LOCALITY_LOCALITY_H
#define WR_SYSTEMS_LOCALITY_LOCALITY_H

#include "systems/frame/system.h"

extern const wr_system_type wr_locality_type;

#endif
