/* SPDX-License-Identifier: Apache-2.0 */
/* System `owl`: see owl.c. */
#ifndef WR_SYSTEMS_OWL_OWL_H
#define WR_SYSTEMS_OWL_OWL_H

#include "systems/frame/system.h"

extern const wr_system_type wr_owl_type;

#endif
