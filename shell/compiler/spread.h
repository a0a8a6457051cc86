/* SPDX-License-Identifier: Apache-2.0 */
/* What registers hold in the lanes of a warp, block by block of a kernel's machine code, in both
 * views of which lanes count (held.h). What is written while lanes that count are elsewhere is
 * random until it is written anew with all of them together.
 */
#ifndef WR_SHELL_COMPILER_SPREAD_H
#define WR_SHELL_COMPILER_SPREAD_H

#include "shell/compiler/flow.h"
#include "shell/compiler/held.h"

typedef struct wr_spread {
    wr_held_shape shape;
    wr_flow *flow;
    wr_held_state *in[WR_HELD_VIEWS]; /* by block */
    bool *apart;                      /* by block: not all lanes execute it */
    bool *parts;                      /* by block: lanes may part at its end */
    /* By block: registers that lanes need which wait elsewhere, and those of them that are written
     * meanwhile, which in view `needed` are random though `in` does not say so. */
    uint64_t *waiting, *torn;
    uint64_t *sideways; /* by block: registers that a load before it, on another path, may write */
} wr_spread;

/* `before`: registers live before each instruction (draw.h). In the flow's pool. */
wr_spread *wr_spread_new(wr_flow *flow, const uint32_t block[3], const uint64_t *before);

#endif
