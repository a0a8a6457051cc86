/* SPDX-License-Identifier: Apache-2.0 */
/* Registers and predicates of an instruction as sets, a bit each; RZ and PT are in none. */
#ifndef WR_SHELL_ISA_USES_H
#define WR_SHELL_ISA_USES_H

#include "shell/isa/isa.h"

static inline uint64_t wr_regs_set(uint8_t first, uint8_t count)
{
    return first == WR_ISA_RZ || count == 0 ? 0 : ((UINT64_C(1) << count) - 1) << first;
}

static inline uint32_t wr_pred_set(uint8_t pred)
{
    return pred == WR_ISA_PT ? 0 : 1u << pred;
}

static inline uint64_t wr_insn_reads(const wr_insn *i)
{
    uint64_t set = 0;
    for (uint32_t k = 0; k < 3; k++) {
        set |= wr_regs_set(i->src[k], i->src_regs[k]);
    }
    return set;
}

static inline uint64_t wr_insn_writes(const wr_insn *i)
{
    return wr_regs_set(i->dst, i->dst_regs);
}

static inline uint32_t wr_insn_reads_preds(const wr_insn *i)
{
    return wr_pred_set(i->guard) | wr_pred_set(i->ps) | wr_pred_set(i->ps2);
}

static inline uint32_t wr_insn_writes_preds(const wr_insn *i)
{
    return wr_pred_set(i->pd) | wr_pred_set(i->pd2);
}

/* What its results come from: under a guard also what was there, which lanes left out keep. */
static inline bool wr_insn_needs(const wr_insn *i, uint64_t regs, uint32_t preds)
{
    const bool kept = i->guard != WR_ISA_PT;
    return ((wr_insn_reads(i) | (kept ? wr_insn_writes(i) : 0)) & regs) != 0 ||
           ((wr_insn_reads_preds(i) | (kept ? wr_insn_writes_preds(i) : 0)) & preds) != 0;
}

#endif
