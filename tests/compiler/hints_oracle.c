/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of hints; see hints_oracle.h. For each load one walk says where its value may still
 * be on its way; then each chain is played with names for values, ahead and in order. */
#include "tests/compiler/hints_oracle.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 64, LONGEST = 600, MEMBERS = 16 };

typedef struct values {
    uint64_t row[ROWS], pred[8], memory;
} values;

typedef struct link {
    size_t at;
    uint32_t word;
} link;

static uint64_t name(uint64_t a, uint64_t b)
{
    uint64_t x = (a + UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) ^ b;
    x = (x ^ x >> 29) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 32;
}

static bool touches(const wr_insn *i, unsigned reg)
{
    bool found = i->dst != WR_ISA_RZ && reg >= i->dst && reg < (unsigned)i->dst + i->dst_regs;
    for (unsigned k = 0; k < 3; k++) {
        found = found || (i->src[k] != WR_ISA_RZ && reg >= i->src[k] &&
                          reg < (unsigned)i->src[k] + i->src_regs[k]);
    }
    return found;
}

static bool loads_long(const wr_insn *i)
{
    return (i->op == WR_OP_LD || i->op == WR_OP_ATOM) &&
           (i->space == WR_SPACE_GLOBAL || i->space == WR_SPACE_LOCAL ||
            i->space == WR_SPACE_GENERIC);
}

/* The register may be on its way where instruction `at` is reached from this load. */
static void walk(const wr_kernel *k, size_t at, unsigned reg, bool *seen, uint64_t *owed)
{
    while (at < k->insn_count && !seen[at]) {
        const wr_insn *i = &k->insns[at];
        seen[at] = true;
        owed[at] |= UINT64_C(1) << reg;
        if (touches(i, reg)) {
            return;
        }
        if (i->op == WR_OP_BRA) {
            const size_t word = i->target / 8;
            if (word < k->word_count && k->insn_at[word] != UINT32_MAX) {
                walk(k, k->insn_at[word], reg, seen, owed);
            }
        }
        if (i->guard == WR_ISA_PT &&
            (i->op == WR_OP_BRA || i->op == WR_OP_EXIT || i->op == WR_OP_TRAP)) {
            return;
        }
        at++;
    }
}

static void find_owed(const wr_kernel *k, uint64_t *owed)
{
    bool *seen = malloc(k->insn_count + 1);
    for (size_t l = 0; l < k->insn_count; l++) {
        const wr_insn *i = &k->insns[l];
        for (unsigned r = 0; loads_long(i) && i->dst != WR_ISA_RZ && r < i->dst_regs; r++) {
            memset(seen, 0, k->insn_count + 1);
            walk(k, l + 1, i->dst + r, seen, owed);
        }
    }
    free(seen);
}

static uint64_t value_of(const values *v, uint8_t reg)
{
    return reg == WR_ISA_RZ ? 0 : v->row[reg];
}

/* What the instruction makes of these sources; its results in out, by place: registers, pd, pd2. */
static void make(const values *v, const wr_insn *i, size_t at, const uint8_t src[3],
                 const uint8_t *old, uint64_t out[6])
{
    uint64_t n = name(at, i->op);
    for (unsigned s = 0; s < 3; s++) {
        n = name(n, i->src_regs[s] == 0 ? 0 : value_of(v, src[s]));
        for (unsigned r = 1; r < i->src_regs[s]; r++) {
            n = name(n, value_of(v, (uint8_t)(src[s] + r)));
        }
    }
    n = name(n, i->ps == WR_ISA_PT ? 0 : v->pred[i->ps]);
    n = name(n, i->ps2 == WR_ISA_PT ? 0 : v->pred[i->ps2]);
    const bool constant = i->space == WR_SPACE_CONST || i->space == WR_SPACE_PARAM;
    n = name(n, i->unit == WR_UNIT_MEM && !(i->op == WR_OP_LD && constant) ? v->memory : 0);
    for (unsigned r = 0; r < 6; r++) {
        out[r] = name(n, r);
    }
    if (i->guard != WR_ISA_PT) { /* lanes that it leaves out keep what they had */
        const uint64_t g = name(v->pred[i->guard], i->guard_neg);
        for (unsigned r = 0; r < i->dst_regs; r++) {
            out[r] = name(name(g, out[r]), value_of(v, (uint8_t)(*old + r)));
        }
        out[4] = name(name(g, out[4]), i->pd == WR_ISA_PT ? 0 : v->pred[i->pd]);
        out[5] = name(name(g, out[5]), i->pd2 == WR_ISA_PT ? 0 : v->pred[i->pd2]);
    }
}

static void store_preds(values *v, const wr_insn *i, const uint64_t out[6])
{
    if (i->pd != WR_ISA_PT) {
        v->pred[i->pd] = out[4];
    }
    if (i->pd2 != WR_ISA_PT) {
        v->pred[i->pd2] = out[5];
    }
}

static bool changes_memory(const wr_insn *i)
{
    return i->op == WR_OP_ST || i->op == WR_OP_ATOM || i->op == WR_OP_RED ||
           i->op == WR_OP_MEMBAR || i->op == WR_OP_BAR || i->op == WR_OP_BAR_PP ||
           (i->op == WR_OP_LD && i->is_volatile);
}

static void in_order(values *v, const wr_insn *i, size_t at)
{
    uint64_t out[6];
    make(v, i, at, i->src, &i->dst, out);
    for (unsigned r = 0; r < i->dst_regs && i->dst != WR_ISA_RZ; r++) {
        v->row[i->dst + r] = out[r];
    }
    store_preds(v, i, out);
    if (changes_memory(i)) {
        v->memory = name(v->memory, out[3]);
    }
}

static int32_t bits(uint32_t word, unsigned at, unsigned width)
{
    const int32_t value = (int32_t)(word >> at & ((1u << width) - 1));
    return value >= 1 << (width - 1) ? value - (1 << width) : value;
}

/* The distance from the stall point at which the chain goes on; 0: it ends. */
static int32_t next_of(const wr_insn *i, uint32_t word, bool *taken)
{
    if (i->op != WR_OP_BRA) {
        return bits(word, 9, 9);
    }
    *taken = bits(word, 0, 11) != 0;
    return *taken ? bits(word, 0, 11) : bits(word, 11, 11);
}

static uint8_t destination(const wr_insn *i)
{
    return i->dst_regs != 0 ? i->dst : (uint8_t)(WR_HINT_SPECIAL + i->pd);
}

/* Executes the members in their order; where their results are. */
static const char *play_ahead(const wr_kernel *k, const link *list, unsigned count,
                              unsigned registers, values *v, uint64_t *guards)
{
    uint8_t row_of[ROWS];
    uint64_t used = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        row_of[r] = (uint8_t)r;
    }
    for (unsigned n = 0; n < count; n++) {
        const wr_insn *i = &k->insns[list[n].at];
        const uint8_t to = (uint8_t)(list[n].word & 0xff);
        uint8_t src[3];
        uint64_t out[6];
        guards[n] = i->guard == WR_ISA_PT ? 0 : v->pred[i->guard];
        if (i->op == WR_OP_BRA) {
            continue;
        }
        for (unsigned s = 0; s < 3; s++) {
            src[s] = i->src_regs[s] == 1 ? row_of[i->src[s]] : i->src[s];
        }
        if (i->dst_regs == 0) {
            if (i->pd == WR_ISA_PT || to != destination(i) ||
                (list[n].word & WR_HINT_RENAME) != 0) {
                return "a predicate's code is wrong";
            }
            make(v, i, list[n].at, src, &i->dst, out);
            store_preds(v, i, out);
            continue;
        }
        if (i->dst_regs != 1 || i->pd != WR_ISA_PT || i->pd2 != WR_ISA_PT) {
            return "more than one result";
        }
        const bool renamed = (list[n].word & WR_HINT_RENAME) != 0;
        if (renamed ? to < k->regs || to >= registers || (used >> to & 1) != 0 : to != i->dst) {
            return "a register is not there, or taken";
        }
        make(v, i, list[n].at, src, &to, out);
        used |= renamed ? UINT64_C(1) << to : 0;
        v->row[to] = out[0];
        row_of[i->dst] = to;
    }
    return NULL;
}

/* The code from the stall point to the last member, in order; `members` are passed over. */
static const char *play(const wr_kernel *k, size_t base, const link *list, unsigned count,
                        bool passes, const uint64_t *guards, values *v)
{
    size_t at = base;
    unsigned n = 0;
    for (unsigned steps = 0; n < count; steps++) {
        const wr_insn *i = &k->insns[at];
        const bool is_member = list[n].at == at && at != base;
        bool taken = false;
        if (steps > LONGEST || at >= k->insn_count) {
            return "a member is not on the way";
        }
        if (i->op == WR_OP_EXIT || i->op == WR_OP_PP || i->op == WR_OP_TRAP ||
            (i->op == WR_OP_BRA && !is_member)) {
            return "the way passes an exit, a point or a branch";
        }
        if (!is_member) {
            in_order(v, i, at++);
            continue;
        }
        if (i->op == WR_OP_BRA) {
            if (passes && i->guard != WR_ISA_PT && v->pred[i->guard] != guards[n]) {
                return "a branch is decided otherwise in its turn";
            }
            (void)next_of(i, list[n].word, &taken);
        } else if (!passes) {
            in_order(v, i, at);
        } else if ((list[n].word & WR_HINT_RENAME) != 0) {
            v->row[i->dst] = v->row[list[n].word & 0xff];
        }
        n++;
        at = taken ? k->insn_at[i->target / 8] : at + 1;
    }
    return NULL;
}

static const char *check_chain(const wr_kernel *k, size_t base, const link *list, unsigned count,
                               unsigned registers, uint64_t owed)
{
    values alone;
    uint64_t guards[MEMBERS];
    for (unsigned r = 0; r < ROWS; r++) {
        alone.row[r] = name(1, r);
    }
    for (unsigned p = 0; p < 8; p++) {
        alone.pred[p] = name(2, p);
    }
    alone.memory = name(3, 0);
    values ahead = alone;
    const char *why = play_ahead(k, list, count, registers, &ahead, guards);
    for (unsigned r = 0; r < ROWS; r++) { /* then the loads come */
        if ((owed >> r & 1) != 0) {
            alone.row[r] = ahead.row[r] = name(4, r);
        }
    }
    why = why == NULL ? play(k, base, list, count, false, guards, &alone) : why;
    why = why == NULL ? play(k, base, list, count, true, guards, &ahead) : why;
    if (why == NULL && (memcmp(alone.row, ahead.row, k->regs * sizeof alone.row[0]) != 0 ||
                        memcmp(alone.pred, ahead.pred, 7 * sizeof alone.pred[0]) != 0 ||
                        alone.memory != ahead.memory)) {
        why = "it leaves other values";
    }
    return why;
}

/* Bits that mean nothing are 0, and a branch goes on at one side. */
static bool is_plain(const wr_insn *i, uint32_t word, bool stalls)
{
    if (stalls) {
        return (word & 0x3c01ff) == 0;
    }
    if (i->op != WR_OP_BRA) {
        return (word >> 18 & 0x1f) == 0;
    }
    const bool direct = (word & WR_HINT_DIRECT) != 0;
    return direct == (i->guard == WR_ISA_PT) && (direct ? word >> 11 & 0x7ff : 0) == 0 &&
           ((word & 0x7ff) == 0 || (word >> 11 & 0x7ff) == 0);
}

/* Follows the chain; how many members it has, 0: it is broken off. */
static unsigned follow(const wr_kernel *k, const uint32_t *words, size_t base, unsigned most,
                       uint8_t *used, link list[MEMBERS])
{
    unsigned count = 0;
    int32_t next = is_plain(&k->insns[base], words[base], true) ? bits(words[base], 9, 9) : 0;
    while (next != 0) {
        const int64_t at = (int64_t)base + next;
        bool taken;
        if (at < 0 || (size_t)at >= k->insn_count || count == most ||
            (words[at] & WR_HINT_VALID) == 0 || used[at] ||
            !is_plain(&k->insns[at], words[at], false)) {
            return 0;
        }
        used[at] = 1;
        list[count++] = (link){(size_t)at, words[at]};
        next = next_of(&k->insns[at], words[at], &taken);
    }
    return count;
}

const char *wr_oracle_hints(const wr_kernel *k, const uint32_t *words, unsigned most,
                            unsigned registers, wr_oracle_hints_sum *sum, size_t *where)
{
    uint64_t *owed = calloc(k->insn_count + 1, sizeof *owed);
    uint8_t *used = calloc(k->insn_count + 1, 1);
    const char *why = NULL;
    find_owed(k, owed);
    for (size_t at = 0; at < k->insn_count && why == NULL; at++) {
        const wr_insn *i = &k->insns[at];
        bool stalls = false;
        *where = at;
        for (unsigned r = 0; r < WR_ISA_MAX_REGS; r++) {
            stalls = stalls || ((owed[at] >> r & 1) != 0 && touches(i, r));
        }
        stalls = stalls && i->op != WR_OP_EXIT;
        sum->stall_points += stalls;
        const bool marked = i->op != WR_OP_BRA && (words[at] & WR_HINT_VALID) != 0 &&
                            (words[at] & WR_HINT_STALL) != 0;
        if (!marked) {
            why = stalls && words[at] != 0 ? "a stall point has another word" : NULL;
            continue;
        }
        link list[MEMBERS];
        const unsigned count = follow(k, words, at, most, used, list);
        why = !stalls      ? "it marks an instruction that does not stall"
              : count == 0 ? "a chain is broken off, or too long"
                           : check_chain(k, at, list, count, registers, owed[at]);
        sum->chains++;
        sum->members += count;
        for (unsigned n = 0; n < count; n++) {
            const wr_insn *m = &k->insns[list[n].at];
            sum->branches += m->op == WR_OP_BRA;
            sum->renamed += m->op != WR_OP_BRA && (list[n].word & WR_HINT_RENAME) != 0;
            sum->loads += loads_long(m);
        }
    }
    for (size_t at = 0; at < k->insn_count && why == NULL; at++) {
        const bool stall = k->insns[at].op != WR_OP_BRA && (words[at] & WR_HINT_STALL) != 0;
        if (words[at] != 0 && !used[at] && !stall) {
            *where = at;
            why = "a word is in no chain";
        }
    }
    free(owed);
    free(used);
    return why;
}
