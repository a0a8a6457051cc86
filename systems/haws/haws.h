/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_SYSTEMS_HAWS_HAWS_H
#define WR_SYSTEMS_HAWS_HAWS_H

#include "systems/frame/system.h"

extern const wr_system_type wr_haws_type;

#endif
