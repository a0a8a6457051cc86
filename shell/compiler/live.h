/* Liveness of cells (words of virtual registers, and predicates): the sets at block borders,
 * and a walk that gives the set at every instruction.
 *
 * This is liveness of one thread, which is what allocation needs under SIMT too: the lanes of
 * a warp own separate copies of every register, and a write changes the lanes that are active.
 * A register that is reused on one side of a branch keeps, in the lanes that wait for the other
 * side, what they had. So two values may share a register exactly where they may in a scalar
 * machine. (What a *warp* must save is another matter: see points.c.)
 */
#ifndef WR_SHELL_COMPILER_LIVE_H
#define WR_SHELL_COMPILER_LIVE_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"

typedef struct wr_live {
    uint32_t cells, row; /* 64-bit words a set */
    uint64_t *in, *out;  /* row words a block */
} wr_live;

wr_live *wr_live_build(wr_ir *ir, const wr_cfg *cfg);

static inline bool wr_set_has(const uint64_t *set, uint32_t i)
{
    return (set[i / 64] >> i % 64 & 1) != 0;
}

static inline void wr_set_add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= UINT64_C(1) << i % 64;
}

static inline void wr_set_drop(uint64_t *set, uint32_t i)
{
    set[i / 64] &= ~(UINT64_C(1) << i % 64);
}

/* Steps a set from behind an instruction to before it. */
void wr_live_step(const wr_ir *ir, const wr_ir_insn *insn, uint64_t *set);

#endif
