/* SPDX-License-Identifier: Apache-2.0 */
/* Where SMs, CPU cores and L2 banks stand on the mesh.
 *
 * Nodes are numbered along the rows, from 0. noc.mesh.memory_nodes lists those of the memory
 * channels in the channels' order; the L2 banks of a channel stand at its node. What is left, in
 * ascending order, goes alternately to SMs (noc.mesh.sms_per_node of them) and to CPU cores (one a
 * node); when one kind has all it needs, the other goes on with every node. SMs keep their nodes
 * where there are no CPU cores, as long as every second one is enough.
 */
#ifndef WR_SHELL_CONFIG_PLACEMENT_H
#define WR_SHELL_CONFIG_PLACEMENT_H

#include "shell/config/config.h"

#define WR_PLACEMENT_PORTS 64
#define WR_PLACEMENT_LOCAL 4 /* terminals of a kind at a node */

typedef struct wr_placement {
    uint8_t core[WR_PLACEMENT_PORTS]; /* node of a port: SMs, then CPU cores */
    uint8_t bank[WR_PLACEMENT_PORTS]; /* of an L2 bank */
} wr_placement;

/* Why the configuration's mesh does not suit it; NULL: it does. */
const char *wr_placement_init(wr_placement *p, const wr_gpu_config *cfg);

#endif
