/* SPDX-License-Identifier: Apache-2.0 */
/* See points_oracle.h. */
#include "points_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const wr_insn *wr_points_at(const wr_kernel *k, uint32_t pc)
{
    assert_true(pc / 8 < k->word_count);
    assert_true(k->insn_at[pc / 8] != UINT32_MAX);
    return &k->insns[k->insn_at[pc / 8]];
}

static unsigned successors(const wr_insn *i, uint32_t next[2])
{
    unsigned count = 0;

    if ((i->op == WR_OP_EXIT || i->op == WR_OP_TRAP) && i->guard == WR_ISA_PT) {
        return 0;
    }
    if (i->op != WR_OP_BRA || i->guard != WR_ISA_PT) {
        next[count++] = i->pc + i->size;
    }
    if (i->op == WR_OP_BRA) {
        next[count++] = i->target;
    }
    return count;
}

static bool reads(const wr_insn *i, unsigned reg)
{
    for (unsigned k = 0; k < i->nsrc; k++) {
        if (reg >= i->src[k] && reg < (unsigned)i->src[k] + i->src_regs[k]) {
            return true;
        }
    }
    return false;
}

static bool is_live(const wr_kernel *k, uint32_t pc, unsigned reg, bool *seen)
{
    const wr_insn *i = wr_points_at(k, pc);
    uint32_t next[2];
    unsigned count;

    if (seen[pc / 8]) {
        return false;
    }
    seen[pc / 8] = true;
    if (reads(i, reg)) {
        return true;
    }
    if (reg >= i->dst && reg < (unsigned)i->dst + i->dst_regs && i->guard == WR_ISA_PT) {
        return false;
    }
    count = successors(i, next);
    for (unsigned s = 0; s < count; s++) {
        if (is_live(k, next[s], reg, seen)) {
            return true;
        }
    }
    return false;
}

uint64_t wr_points_live_at(const wr_kernel *k, uint32_t pc)
{
    bool *seen = malloc(k->word_count);
    uint64_t live = 0;

    assert_non_null(seen);
    for (unsigned reg = 0; pc != UINT32_MAX && reg < k->regs; reg++) {
        memset(seen, 0, k->word_count);
        if (is_live(k, pc, reg, seen)) {
            live |= UINT64_C(1) << (reg < 53 ? reg : 53);
        }
    }
    free(seen);
    return live;
}

/* A lane on its way: where it is, and where it stops to wait for others. */
typedef struct lane {
    uint32_t pc, stop;
} lane;

/* Marks the words at which lanes may be that parted at the branch and have not met the others,
 * followed by the machine's rule: a branch on the way gives a lane another place to stop until it
 * comes there; where it never does it goes on, through the first one too. */
static void mark_parted(const wr_kernel *k, const wr_insn *from, bool *inside)
{
    size_t words = k->word_count, depth = 0;
    bool *seen = calloc((words + 1) * words, 1);
    lane *stack = malloc((words + 1) * words * sizeof *stack);
    uint32_t next[2];

    assert_non_null(seen);
    assert_non_null(stack);
    memset(inside, 0, words);
    assert_int_equal(successors(from, next), 2);
    for (unsigned s = 0; s < 2; s++) {
        stack[depth++] = (lane){next[s], from->reconv};
    }
    while (depth > 0) {
        lane at = stack[--depth];
        size_t row = at.stop / 8 < words ? at.stop / 8 : words;
        const wr_insn *i;
        unsigned count;

        if (at.pc == at.stop || seen[row * words + at.pc / 8]) {
            continue;
        }
        seen[row * words + at.pc / 8] = true;
        inside[at.pc / 8] = true;
        i = wr_points_at(k, at.pc);
        count = successors(i, next);
        for (unsigned s = 0; s < count; s++) {
            stack[depth++] = (lane){next[s], at.stop};
            if (i->op == WR_OP_BRA && count == 2 && !i->uniform) {
                stack[depth++] = (lane){next[s], i->reconv};
            }
            assert_true(depth < (words + 1) * words);
        }
    }
    free(seen);
    free(stack);
}

/* What lanes need that wait while others are at each of the points: at the other side of a branch
 * from which lanes come there, or at its join. */
static void add_diverged(const wr_kernel *k, uint64_t *live)
{
    bool *inside = malloc(k->word_count);

    assert_non_null(inside);
    for (size_t b = 0; b < k->insn_count; b++) {
        const wr_insn *i = &k->insns[b];
        uint32_t next[2];
        uint64_t waiting;

        if (i->op != WR_OP_BRA || i->guard == WR_ISA_PT || i->uniform) {
            continue;
        }
        assert_int_equal(successors(i, next), 2);
        waiting = wr_points_live_at(k, next[0]) | wr_points_live_at(k, next[1]) |
                  wr_points_live_at(k, i->reconv);
        mark_parted(k, i, inside);
        for (size_t p = 0; p < k->pp_count; p++) {
            live[p] |= inside[k->pps[p].pc / 8] ? waiting : 0;
        }
    }
    free(inside);
}

void wr_points_check_vectors(const wr_kernel *k)
{
    uint64_t *live = calloc(k->pp_count + 1, sizeof *live);

    assert_non_null(live);
    for (size_t i = 0; i < k->pp_count; i++) {
        live[i] = wr_points_live_at(k, k->pps[i].pc);
    }
    for (size_t i = 0; i < k->pp_count; i++) {
        const wr_pp *pp = &k->pps[i];

        assert_int_equal(pp->live, live[i]);
        assert_int_equal(wr_points_at(k, pp->pc)->live, pp->live);
    }
    add_diverged(k, live);
    for (size_t i = 0; i < k->pp_count; i++) {
        if (!k->pps[i].is_bar) {
            assert_int_equal(k->pps[i].live_div, live[i]);
        }
    }
    free(live);
}

/* Words from which `goal` is reached, or that are reached from it (`back` false), without
 * `without`. */
static void mark_reached(const wr_kernel *k, uint32_t from, uint32_t without, bool *seen)
{
    uint32_t *stack = malloc((2 * k->word_count + 2) * sizeof *stack), next[2];
    size_t depth = 0;

    assert_non_null(stack);
    memset(seen, 0, k->word_count);
    stack[depth++] = from;
    while (depth > 0) {
        uint32_t pc = stack[--depth];
        unsigned count;

        if (pc == without || seen[pc / 8]) {
            continue;
        }
        seen[pc / 8] = true;
        count = successors(wr_points_at(k, pc), next);
        for (unsigned s = 0; s < count; s++) {
            stack[depth++] = next[s];
        }
    }
    free(stack);
}

/* Bodies of natural loops by the words of their backward edges' targets; for each innermost one
 * what holds there: a barrier, or exactly one pp, which every way round passes. */
unsigned wr_points_check_loops(const wr_kernel *k)
{
    size_t n = k->word_count;
    bool *body = calloc(n * n, 1), *is_head = calloc(n, 1), *seen = malloc(n);
    unsigned loops = 0;

    assert_non_null(body);
    assert_non_null(is_head);
    assert_non_null(seen);
    for (size_t b = 0; b < k->insn_count; b++) {
        const wr_insn *i = &k->insns[b];
        uint32_t head = i->target;

        if (i->op != WR_OP_BRA) {
            continue;
        }
        mark_reached(k, 0, head, seen);
        if (i->pc != head && seen[i->pc / 8]) {
            continue; /* reached without the head: no natural loop */
        }
        mark_reached(k, 0, UINT32_MAX, seen);
        if (!seen[i->pc / 8]) {
            continue;
        }
        is_head[head / 8] = true;
        body[head / 8 * n + head / 8] = true;
        for (size_t w = 0; w < k->insn_count; w++) { /* reaches the latch without the head */
            mark_reached(k, k->insns[w].pc, head, seen);
            if (k->insns[w].pc == head || seen[i->pc / 8] || i->pc == head) {
                body[head / 8 * n + k->insns[w].pc / 8] |=
                    k->insns[w].pc == head || seen[i->pc / 8];
            }
        }
    }
    for (size_t h = 0; h < n; h++) {
        bool inner = is_head[h], waits = false;
        unsigned points = 0;
        uint32_t place = 0;

        for (size_t o = 0; o < n && inner; o++) {
            inner = o == h || !is_head[o] || !body[h * n + o];
        }
        if (!inner) {
            continue;
        }
        for (size_t i = 0; i < k->pp_count; i++) {
            if (!body[h * n + k->pps[i].pc / 8]) {
                continue;
            }
            waits = waits || k->pps[i].is_bar;
            points += !k->pps[i].is_bar;
            place = k->pps[i].pc;
        }
        for (size_t i = 0; i < k->insn_count; i++) {
            waits = waits || (k->insns[i].op == WR_OP_BAR && body[h * n + k->insns[i].pc / 8]);
        }
        loops++;
        if (waits) {
            continue;
        }
        assert_int_equal(points, 1);
        /* Without it there is no way round. */
        for (size_t i = 0; i < k->insn_count; i++) {
            const wr_insn *from = &k->insns[i];

            if (from->op != WR_OP_BRA || from->target / 8 != h || !body[h * n + from->pc / 8]) {
                continue;
            }
            mark_reached(k, from->target, place, seen);
            assert_false(seen[from->pc / 8]);
        }
    }
    free(body);
    free(is_head);
    free(seen);
    return loops;
}
