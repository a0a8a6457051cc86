/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WR_SYSTEMS_PREEXECUTION_PREEXECUTION_H
#define WR_SYSTEMS_PREEXECUTION_PREEXECUTION_H

#include "systems/frame/system.h"

extern const wr_system_type wr_preexecution_type;

#endif
