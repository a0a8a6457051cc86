/* SPDX-License-Identifier: Apache-2.0 */
/* System `run_ahead`: see run_ahead.c. */
#ifndef WR_SYSTEMS_RUN_AHEAD_RUN_AHEAD_H
#define WR_SYSTEMS_RUN_AHEAD_RUN_AHEAD_H

#include "systems/frame/system.h"

extern const wr_system_type wr_run_ahead_type;

#endif
