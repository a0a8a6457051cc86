/* SPDX-License-Identifier: Apache-2.0 */
/* How launches of several streams share the SMs.
 *
 * Its options are in the table of sharing.c; `warpref run --system sharing` is its user.
 */
#ifndef WR_SYSTEMS_SHARING_SHARING_H
#define WR_SYSTEMS_SHARING_SHARING_H

#include "systems/frame/system.h"

extern const wr_system_type wr_sharing_type;

#endif
