/* SPDX-License-Identifier: Apache-2.0 */
/* System `virtual_thread`: see virtual_thread.c. */
#ifndef WR_SYSTEMS_VIRTUAL_THREAD_VIRTUAL_THREAD_H
#define WR_SYSTEMS_VIRTUAL_THREAD_VIRTUAL_THREAD_H

#include "systems/frame/system.h"

extern const wr_system_type wr_virtual_thread_type;

#endif
