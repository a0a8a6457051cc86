/* SPDX-License-Identifier: Apache-2.0 */
/* Live ranges beside the code: a column a register.
 *
 *     v  written here, needed later       ^  read here for the last time
 *     x  read for the last time and written again
 *     +  read here, needed later          |  needed later, not touched
 *     o  written here, needed by nobody   .  some lanes may write it (a guard): the rest keep it
 *
 * Liveness is worked out from the machine code alone, by its branches; a dead register's column
 * is blank. So what is drawn is what the code does and not what the allocator meant.
 */
#include "shell/compiler/draw.h"

#include <string.h>

static uint64_t mask_of(uint8_t reg, uint8_t regs)
{
    return reg == WR_ISA_RZ || regs == 0 ? 0 : ((UINT64_C(1) << regs) - 1) << reg;
}

static uint64_t reads(const wr_insn *insn)
{
    uint64_t set = 0;

    for (unsigned i = 0; i < 3; i++) {
        set |= mask_of(insn->src[i], insn->src_regs[i]);
    }
    return set;
}

static uint64_t writes(const wr_insn *insn)
{
    return mask_of(insn->dst, insn->dst_regs);
}

static bool goes_on(const wr_insn *insn)
{
    bool ends = insn->op == WR_OP_EXIT || insn->op == WR_OP_TRAP || insn->op == WR_OP_BRA;

    return !ends || insn->guard != WR_ISA_PT;
}

static uint64_t behind(const wr_kernel *k, const uint64_t *before, size_t i)
{
    const wr_insn *insn = &k->insns[i];
    uint64_t live = goes_on(insn) && i + 1 < k->insn_count ? before[i + 1] : 0;

    if (insn->op == WR_OP_BRA && insn->target / 8 < k->word_count) {
        live |= before[k->insn_at[insn->target / 8]];
    }
    return live;
}

void wr_draw_live(const wr_kernel *kernel, uint64_t *before)
{
    bool changed = true;

    memset(before, 0, kernel->insn_count * sizeof *before);
    while (changed) {
        changed = false;
        for (size_t i = kernel->insn_count; i-- > 0;) {
            const wr_insn *insn = &kernel->insns[i];
            uint64_t live = behind(kernel, before, i);

            if (insn->guard == WR_ISA_PT) {
                live &= ~writes(insn);
            }
            live |= reads(insn);
            changed = changed || live != before[i];
            before[i] = live;
        }
    }
}

void wr_draw_line(const wr_kernel *kernel, const uint64_t *before, size_t i, char *columns)
{
    const wr_insn *insn = &kernel->insns[i];
    uint64_t after = behind(kernel, before, i), in = reads(insn), out = writes(insn);
    uint32_t n = kernel->regs;

    for (uint32_t r = 0; r < n; r++) {
        bool is_read = (in >> r & 1) != 0, is_written = (out >> r & 1) != 0;
        bool live = (after >> r & 1) != 0;
        bool dies = is_read && (!live || (is_written && insn->guard == WR_ISA_PT));

        if (is_written && !live) {
            columns[r] = 'o';
        } else if (is_written && dies) {
            columns[r] = 'x';
        } else if (is_written) {
            columns[r] = insn->guard == WR_ISA_PT ? 'v' : '.';
        } else if (is_read) {
            columns[r] = live ? '+' : '^';
        } else {
            columns[r] = live ? '|' : ' ';
        }
    }
    while (n > 0 && columns[n - 1] == ' ') {
        n--;
    }
    columns[n] = '\0';
}
