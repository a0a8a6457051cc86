/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel for people: summary, disassembly, preemption points, idempotence. */
#include <inttypes.h>
#include <stdlib.h>

#include "files/memory.h"
#include "shell/compiler/compiler.h"
#include "shell/compiler/draw.h"
#include "shell/isa/idempotence.h"

const char *wr_tb_sharing_text(wr_tb_sharing hint)
{
    static const char *const texts[WR_TB_SHARINGS] = {
        [WR_TB_SHARES_NONE] = "nothing that blocks share is known",
        [WR_TB_SHARES_LINES] = "blocks share multiple lines",
        [WR_TB_SHARES_BORDERS] = "blocks share lines at their borders",
        [WR_TB_SHARES_SOME] = "blocks share some data",
    };

    return texts[hint < WR_TB_SHARINGS ? hint : WR_TB_SHARES_NONE];
}

static void print_summary(FILE *out, const wr_kernel *k)
{
    (void)fprintf(out, "kernel %s\n", k->name);
    (void)fprintf(out, "  registers       %" PRIu32 " a thread\n", k->regs);
    (void)fprintf(out, "  live            at most %" PRIu32 " at a preemption point\n",
                  k->max_live);
    (void)fprintf(out, "  spilled         %" PRIu32 " B a thread\n", k->spill_bytes);
    (void)fprintf(out, "  local memory    %" PRIu32 " B a thread", k->local_bytes);
    if (k->stack_bytes != 0) {
        (void)fprintf(out, ", %" PRIu32 " B of it the stack of recursive calls", k->stack_bytes);
    }
    (void)fputc('\n', out);
    (void)fprintf(out, "  shared memory   %" PRIu32 " B%s\n", k->shared_bytes,
                  k->extern_shared ? " and what the launch adds" : "");
    (void)fprintf(out, "  parameters      %zu, %" PRIu32 " B\n", k->param_count, k->param_bytes);
    (void)fprintf(out, "  code            %zu instructions, %zu B\n", k->insn_count,
                  8 * k->word_count);
    (void)fprintf(out, "  preemption      %zu points\n", k->pp_count);
    (void)fprintf(out, "  locality hint   %u: %s\n", k->hint,
                  wr_tb_sharing_text((wr_tb_sharing)k->hint));
}

static void print_set(FILE *out, uint64_t live)
{
    if (live == 0) {
        (void)fputs(" none", out);
    }
    for (unsigned i = 0; i < 54; i++) {
        if ((live >> i & 1) != 0) {
            (void)fprintf(out, i == 53 ? " R53+" : " R%u", i);
        }
    }
}

static void print_points(FILE *out, const wr_kernel *k)
{
    char place[WR_SOURCE_TEXT];

    for (size_t i = 0; i < k->pp_count; i++) {
        const wr_pp *pp = &k->pps[i];

        wr_source_text(k->sources, pp->line, place, sizeof place);
        (void)fprintf(out, "  %05" PRIx32 "  %-13s %-6s %s live %2" PRIu32 " of %" PRIu32 ":",
                      pp->pc, place, pp->is_bar ? "bar.pp" : "pp", pp->in_loop ? "loop" : "    ",
                      pp->live_count, k->regs);
        print_set(out, pp->live);
        if (!pp->is_bar) {
            (void)fprintf(out, "; diverged %" PRIu32 ":", pp->live_div_count);
            print_set(out, pp->live_div);
        }
        (void)fputc('\n', out);
    }
}

/* What the compiler alone can say; two pointers to one buffer are for the launch to see. */
static void print_harms(FILE *out, const wr_kernel *k)
{
    wr_harm *harms = calloc(k->insn_count + 1, sizeof *harms);
    size_t count = harms != NULL ? wr_idempotence_apart(k, harms) : SIZE_MAX;
    char text[280], place[WR_SOURCE_TEXT];

    if (count == SIZE_MAX) {
        wr_out_of_memory();
    }
    if (count == 0) {
        (void)fprintf(out, "  idempotent      yes, where each pointer is to a buffer of its own\n");
    } else {
        (void)fprintf(out, "  idempotent      no, for %zu instruction%s\n", count,
                      count == 1 ? "" : "s");
    }
    for (size_t i = 0; i < k->insn_count; i++) {
        if (harms[i].kind != WR_HARM_NONE) {
            (void)wr_harm_print(k, i, &harms[i], text, sizeof text);
            wr_source_text(k->sources, k->lines[i], place, sizeof place);
            (void)fprintf(out, "  %05" PRIx32 "  %-13s %s\n", k->insns[i].pc, place, text);
        }
    }
    free(harms);
}

/* Tens and ones of the register numbers over their columns. */
static void print_ruler(FILE *out, const wr_kernel *k)
{
    (void)fprintf(out, "\n  %-5s  %-8s", "", "");
    for (uint32_t r = 0; r < k->regs; r++) {
        (void)fputc(r % 10 == 0 ? (int)('0' + r / 10) : ' ', out);
    }
    (void)fprintf(out, "\n  %-5s  live    ", "pc");
    for (uint32_t r = 0; r < k->regs; r++) {
        (void)fputc((int)('0' + r % 10), out);
    }
    (void)fputs("\n", out);
}

/* What a register column looks like is in draw.c. Words are on the line of their own text, the
 * vectors of preemption points with the points. */
static void print_code(FILE *out, const wr_kernel *k)
{
    uint64_t *before = calloc(k->insn_count, sizeof *before);
    char columns[WR_ISA_MAX_REGS + 1], text[512];

    if (before == NULL) {
        wr_out_of_memory();
    }
    wr_draw_live(k, before);
    print_ruler(out, k);
    for (size_t i = 0; i < k->insn_count; i++) {
        const wr_insn *insn = &k->insns[i];

        if (insn->op == WR_OP_PP || insn->op == WR_OP_BAR_PP) {
            (void)snprintf(text, sizeof text, insn->op == WR_OP_PP ? "pp" : "bar.pp");
        } else {
            wr_isa_print(insn, text, sizeof text);
        }
        wr_draw_line(k, before, i, columns);
        (void)fprintf(out, "  %05" PRIx32 "  %4d    %-*s  %-44s %016" PRIx64, insn->pc,
                      __builtin_popcountll(before[i]), (int)k->regs, columns, text,
                      k->words[insn->pc / 8]);
        if (insn->size == 16) {
            (void)fprintf(out, " %016" PRIx64, k->words[insn->pc / 8 + 1]);
        }
        (void)fputc('\n', out);
    }
    free(before);
}

void wr_kernel_print(FILE *out, const wr_kernel *kernel, unsigned flags)
{
    if ((flags & WR_PRINT_SUMMARY) != 0) {
        print_summary(out, kernel);
    }
    if ((flags & WR_PRINT_POINTS) != 0) {
        print_points(out, kernel);
    }
    if ((flags & WR_PRINT_HARMS) != 0) {
        print_harms(out, kernel);
    }
    if ((flags & WR_PRINT_DISASM) != 0) {
        print_code(out, kernel);
    }
}
