/* SPDX-License-Identifier: Apache-2.0 */
/* What registers hold in the lanes of a warp, block by block of a kernel's machine code, in two
 * views of which lanes count:
 *
 *   needed   lanes that will read the register. What is left in lanes that have ended, or wait
 *            where the register is dead, is no matter.
 *   all      all 32 lanes of the register file, as hardware compares them that knows no more
 *            (reg_compressor): lanes that sit out a branch, have ended, or never were, keep what
 *            they had, so what is written meanwhile is random until it is written anew with all
 *            lanes together.
 */
#ifndef WR_SHELL_COMPILER_SPREAD_H
#define WR_SHELL_COMPILER_SPREAD_H

#include "shell/compiler/flow.h"
#include "shell/compiler/lanes.h"

typedef enum wr_spread_view { WR_SPREAD_NEEDED, WR_SPREAD_ALL, WR_SPREAD_VIEWS } wr_spread_view;

typedef struct wr_spread {
    wr_lanes_shape shape;
    wr_flow *flow;
    wr_lanes_state *in[WR_SPREAD_VIEWS]; /* by block */
    bool *apart;                         /* by block: not all lanes execute it */
    bool *parts;                         /* by block: lanes may part at its end */
    /* By block: registers that lanes need which wait elsewhere, and those of them that are written
     * meanwhile, which in view `needed` are random though `in` does not say so. */
    uint64_t *waiting, *torn;
    uint64_t *sideways; /* by block: registers that a load before it, on another path, may write */
} wr_spread;

/* `before`: registers live before each instruction (draw.h). In the flow's pool. */
wr_spread *wr_spread_new(wr_flow *flow, const uint32_t block[3], const uint64_t *before);

#endif
