/* Liveness of cells (words of virtual registers, and predicates): at block
 * borders, and a walk that gives the set at every instruction.
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
    const wr_ir *ir;
    uint32_t cells, row; /* row: 64-bit words of a set */
    uint32_t **in;       /* by block: the cells live at its start, in order */
    uint32_t *in_count;
} wr_live;

/* What comes out lies in `pool`; it holds while the program is not changed. */
wr_live *wr_live_build(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool);

/* The cells live at the start or behind the end of a block, as a set of live->row words. */
void wr_live_in(const wr_live *live, uint32_t block, uint64_t *set);
void wr_live_out(const wr_live *live, uint32_t block, uint64_t *set);

bool wr_live_has_in(const wr_live *live, uint32_t block, uint32_t cell);
bool wr_live_has_out(const wr_live *live, uint32_t block, uint32_t cell);

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
