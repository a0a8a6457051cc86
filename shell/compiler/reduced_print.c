/* SPDX-License-Identifier: Apache-2.0 */
/* Switch points for people. Behind a register stands how it is stored: `w` a load is on its way,
 * `u` uniform, `s` strided, `r` random; a second letter is for view `needed`, where it differs. */
#include <inttypes.h>

#include "shell/compiler/reduced.h"

static char letter(const wr_switch_point *p, wr_held_view view, unsigned reg)
{
    static const char letters[] = {
        [WR_HELD_UNSEEN] = '-',  [WR_HELD_WARP] = 'u',   [WR_HELD_GROUP] = 'u',
        [WR_HELD_STRIDED] = 's', [WR_HELD_RANDOM] = 'r',
    };

    return (p->awaited >> reg & 1) != 0 ? 'w' : letters[p->kind[view][reg]];
}

static void print_point(FILE *out, const wr_kernel *k, const wr_switch_point *p)
{
    char place[WR_SOURCE_TEXT];

    wr_source_text(k->sources, p->line, place, sizeof place);
    (void)fprintf(out,
                  "  %05" PRIx32 "  %-13s %-4s live %2d of %" PRIu32 ", reduced to %" PRIu32
                  " B, needed %" PRIu32 " B:",
                  p->pc, place, p->is_bar ? "bar" : "load", __builtin_popcountll(p->slots), k->regs,
                  p->bytes[WR_HELD_ALL], p->bytes[WR_HELD_NEEDED]);
    for (unsigned reg = 0; reg < k->regs; reg++) {
        char all = letter(p, WR_HELD_ALL, reg), needed = letter(p, WR_HELD_NEEDED, reg);

        if ((p->slots >> reg & 1) == 0) {
            continue;
        }
        (void)fprintf(out, " R%u%c", reg, all);
        if (needed != all) {
            (void)fprintf(out, "/%c", needed);
        }
    }
    (void)fputs(p->slots == 0 ? " none\n" : "\n", out);
}

static void print_view(FILE *out, const wr_reduced *r, wr_held_view view, const char *name)
{
    uint32_t lines = r->lines[view], all = r->full_bytes / WR_REDUCED_LINE;

    (void)fprintf(out, "    %-13s at most %" PRIu32 " B: %" PRIu32 " line%s, %.1f %% of %" PRIu32,
                  name, r->bytes[view], lines, lines == 1 ? "" : "s", 100.0 * lines / all, all);
    if (r->bytes[view] > 0) {
        (void)fprintf(out, ", decided at %05" PRIx32, r->points[r->decides[view]].pc);
    }
    (void)fputc('\n', out);
}

void wr_reduced_print(FILE *out, const wr_kernel *kernel, const wr_reduced *r)
{
    (void)fprintf(out,
                  "  switch points   %zu, block %" PRIu32 " x %" PRIu32 " x %" PRIu32
                  ", groups of %" PRIu32 " lanes\n",
                  r->count, r->block[0], r->block[1], r->block[2], r->group);
    if (r->count == 0) {
        return;
    }
    (void)fprintf(out, "    live          at most %" PRIu32 " B of %" PRIu32 " B a warp\n",
                  r->live_bytes, r->full_bytes);
    print_view(out, r, WR_HELD_ALL, "reduced");
    print_view(out, r, WR_HELD_NEEDED, "needed lanes");
    for (size_t i = 0; i < r->count; i++) {
        print_point(out, kernel, &r->points[i]);
    }
}
