/* SPDX-License-Identifier: Apache-2.0 */
/* A warp slot of an SM, but for what schedulers test in every cycle: that is masks over slots
 * (sm.h).
 *
 * What issue, scoreboard and front end look at fills one line of the cache of the machine that
 * simulates, the predicates and the lowest entries of the stack the next one: whoever touches a
 * warp touches two lines of it.
 */
#ifndef WR_SHELL_CORE_SM_WARP_H
#define WR_SHELL_CORE_SM_WARP_H

#include "shell/core/exec/exec.h"
#include "shell/core/seam/context.h"

typedef struct wr_warp {
    _Alignas(WR_CACHE_LINE) uint64_t pending_regs;
    uint64_t need_regs;
    uint64_t pending_data; /* of pending_regs: from the LSU */
    const wr_uop *code;    /* uop 0 of its program */
    uint32_t *rows;        /* its register 0, in the SM's */
    uint32_t next;
    uint32_t depth;
    uint32_t first; /* uop at the head of its instruction buffer */
    uint8_t count;  /* uops in that */
    uint8_t pending_preds, need_preds;
    uint8_t pool;     /* the only pool_mask in which it may be */
    uint8_t tb;       /* TB slot */
    uint8_t index;    /* number in its TB */
    uint8_t id;       /* identity: the slot's number, unless its first warp is away */
    uint8_t waits_at; /* barrier, of a warp that waits at one */
    uint32_t preds[8];
    wr_simt_entry stack[WR_SIMT_DEPTH];
} wr_warp;

static inline const wr_uop *wr_warp_next(const wr_warp *w)
{
    return &w->code[w->next];
}

#endif
