/* SPDX-License-Identifier: Apache-2.0 */
/* System `monitor`: utilisation of the five resources, window by window; see monitor.c. */
#ifndef WR_SYSTEMS_MONITOR_MONITOR_H
#define WR_SYSTEMS_MONITOR_MONITOR_H

#include "systems/frame/system.h"

extern const wr_system_type wr_monitor_type;

#endif
