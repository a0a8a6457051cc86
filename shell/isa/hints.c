/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions may run ahead of a wait for memory; see hints.h. First, for each instruction,
 * the registers that loads under way may still owe it; then from each stall point along its way. */
#include "shell/isa/hints.h"

#include "shell/isa/uses.h"

#include <stdlib.h>
#include <string.h>

enum {
    REACH = 256,      /* instructions that 9 bits of offset say in either direction */
    LONGEST_WAY = 512 /* instructions that are looked at behind a stall point */
};

#define NOWHERE UINT32_MAX

typedef struct maker {
    const wr_kernel *kernel;
    const wr_hint_rules *rules;
    wr_hints *out;
    uint64_t *owed; /* by instruction, when it is reached */
    uint8_t *taken; /* it is a stall point, or in a chain */
} maker;

/* What has been met behind a stall point. */
typedef struct way {
    uint64_t late, late_preds;       /* their values are not there */
    uint64_t read, read_preds;       /* something left out reads them */
    uint64_t written, written_preds; /* or writes them */
    uint64_t moved;                  /* the chain has put its result into a spare one */
    uint32_t base, spare;            /* the stall point; the next spare register */
    bool no_loads;
} way;

typedef struct member {
    uint32_t at;
    uint8_t code, to; /* destination as it is, and where the result goes */
    bool backward;    /* of a branch: the taken side goes on */
} member;

static bool reaches_l1(const wr_insn *i)
{
    return i->space == WR_SPACE_GLOBAL || i->space == WR_SPACE_GENERIC ||
           i->space == WR_SPACE_LOCAL;
}

/* Its result takes long. */
static bool is_long(const wr_insn *i)
{
    return (i->op == WR_OP_LD || i->op == WR_OP_ATOM) && reaches_l1(i);
}

static uint32_t target_of(const wr_kernel *k, const wr_insn *i)
{
    const uint32_t word = i->target / 8;
    return word < k->word_count ? k->insn_at[word] : NOWHERE;
}

/* Registers that are owed behind it. A warp that gets past an instruction has what that needs. */
static uint64_t owed_behind(const wr_insn *i, uint64_t owed)
{
    owed &= ~(wr_insn_reads(i) | wr_insn_writes(i));
    return is_long(i) ? owed | wr_insn_writes(i) : owed;
}

static bool falls_through(const wr_insn *i)
{
    return !((i->op == WR_OP_BRA || i->op == WR_OP_EXIT || i->op == WR_OP_TRAP) &&
             i->guard == WR_ISA_PT);
}

static void find_owed(const maker *m)
{
    const wr_kernel *k = m->kernel;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t at = 0; at < k->insn_count; at++) {
            const wr_insn *i = &k->insns[at];
            const uint64_t behind = owed_behind(i, m->owed[at]);
            const uint32_t target = i->op == WR_OP_BRA ? target_of(k, i) : NOWHERE;
            if (falls_through(i) && at + 1 < k->insn_count && (behind & ~m->owed[at + 1]) != 0) {
                m->owed[at + 1] |= behind;
                changed = true;
            }
            if (target != NOWHERE && (behind & ~m->owed[target]) != 0) {
                m->owed[target] |= behind;
                changed = true;
            }
        }
    }
}

static bool is_stall_point(const maker *m, uint32_t at)
{
    const wr_insn *i = &m->kernel->insns[at];
    return i->op != WR_OP_EXIT && ((wr_insn_reads(i) | wr_insn_writes(i)) & m->owed[at]) != 0;
}

static void leave_out(way *w, const wr_insn *i)
{
    const bool is_access = i->op == WR_OP_ST || i->op == WR_OP_ATOM || i->op == WR_OP_RED;
    w->late |= wr_insn_writes(i);
    w->written |= wr_insn_writes(i);
    w->read |= wr_insn_reads(i) | (i->guard != WR_ISA_PT ? wr_insn_writes(i) : 0);
    w->late_preds |= wr_insn_writes_preds(i);
    w->written_preds |= wr_insn_writes_preds(i);
    w->read_preds |= wr_insn_reads_preds(i) | (i->guard != WR_ISA_PT ? wr_insn_writes_preds(i) : 0);
    w->no_loads |= is_access || i->op == WR_OP_MEMBAR || i->op == WR_OP_BAR ||
                   i->op == WR_OP_BAR_PP || i->is_volatile;
}

/* What is late has been written by something left out, so a result that is late in lanes that a
 * guard leaves out is not taken in place either. */
static bool comes_late(const way *w, const wr_insn *i)
{
    return (wr_insn_reads(i) & w->late) != 0 || (wr_insn_reads_preds(i) & w->late_preds) != 0;
}

/* A source of several registers is read where it is. */
static bool is_apart(const way *w, const wr_insn *i)
{
    for (uint32_t k = 0; k < 3; k++) {
        if (i->src_regs[k] > 1 && (wr_regs_set(i->src[k], i->src_regs[k]) & w->moved) != 0) {
            return false;
        }
    }
    return true;
}

static bool is_plain(const wr_insn *i)
{
    switch (i->op) {
    case WR_OP_NOP:
    case WR_OP_S2R:
    case WR_OP_SHFL:
    case WR_OP_VOTE:
    case WR_OP_MATCH:
    case WR_OP_REDUX:
    case WR_OP_WARPSYNC:
        return false;
    case WR_OP_LD:
        return !i->is_volatile;
    default:
        return i->unit != WR_UNIT_NONE && i->unit != WR_UNIT_MEM;
    }
}

/* The instruction joins the chain, and how; false: it is left out. */
static bool joins(const way *w, uint32_t limit, const wr_insn *i, member *out)
{
    const bool one_result = (i->dst_regs == 1) != (wr_insn_writes_preds(i) != 0);
    const bool is_load = i->op == WR_OP_LD;
    if (!is_plain(i) || comes_late(w, i) || !is_apart(w, i) || i->dst_regs > 1 || !one_result ||
        i->pd2 != WR_ISA_PT ||
        (is_load && w->no_loads && i->space != WR_SPACE_CONST && i->space != WR_SPACE_PARAM)) {
        return false;
    }
    if (i->dst_regs == 0) {
        out->code = out->to = (uint8_t)(WR_HINT_SPECIAL + i->pd);
        return (wr_insn_writes_preds(i) & (w->read_preds | w->written_preds)) == 0;
    }
    out->code = out->to = i->dst;
    if ((wr_insn_writes(i) & (w->read | w->written)) != 0) {
        out->to = (uint8_t)w->spare;
        return i->guard == WR_ISA_PT && w->spare < limit;
    }
    return true;
}

/* The way goes on behind a branch in the chain; NOWHERE: not in this one. */
static uint32_t behind_branch(const maker *m, const way *w, uint32_t at, member *out)
{
    const wr_insn *i = &m->kernel->insns[at];
    const uint32_t target = target_of(m->kernel, i);
    if (comes_late(w, i) || target == NOWHERE) {
        return NOWHERE;
    }
    out->backward = i->guard == WR_ISA_PT || target <= at;
    return out->backward ? target : at + 1;
}

static bool ends_way(const maker *m, const wr_insn *i)
{
    switch (i->op) {
    case WR_OP_PP:
    case WR_OP_EXIT:
    case WR_OP_TRAP:
    case WR_OP_PRINTF:
    case WR_OP_MALLOC:
    case WR_OP_FREE:
    case WR_OP_ASSERT:
        return true;
    case WR_OP_BAR_PP:
        return !m->rules->across_barriers;
    default:
        return false;
    }
}

static uint32_t field(int64_t value, uint32_t at, uint32_t width)
{
    return ((uint32_t)value & ((1u << width) - 1u)) << at;
}

/* Writes the words of a chain; what has nothing behind it ends it. */
static void write_chain(const maker *m, uint32_t base, const member *list, uint32_t count)
{
    uint32_t *words = m->out->words;
    words[base] = WR_HINT_VALID | WR_HINT_STALL | field((int64_t)list[0].at - base, 9, 9);
    for (uint32_t n = 0; n < count; n++) {
        const wr_insn *i = &m->kernel->insns[list[n].at];
        const int64_t next = n + 1 < count ? (int64_t)list[n + 1].at - base : 0;
        uint32_t word = WR_HINT_VALID;
        if (i->op == WR_OP_BRA) {
            word |= i->guard == WR_ISA_PT ? (uint32_t)WR_HINT_DIRECT : 0;
            word |= field(next, list[n].backward ? 0 : 11, 11);
            m->out->branches++;
        } else {
            word |= field(next, 9, 9) | list[n].to;
            word |= list[n].to != list[n].code ? (uint32_t)WR_HINT_RENAME : 0;
            m->out->renamed += list[n].to != list[n].code;
            m->out->loads += is_long(i);
        }
        words[list[n].at] = word;
        m->taken[list[n].at] = 1;
    }
    m->out->chains++;
    m->out->members += count;
}

static bool in_reach(uint32_t base, uint32_t at)
{
    const int64_t distance = (int64_t)at - base;
    return distance >= -REACH && distance < REACH && distance != 0;
}

static bool holds(const member *list, uint32_t count, uint32_t at)
{
    for (uint32_t n = 0; n < count; n++) {
        if (list[n].at == at) {
            return true;
        }
    }
    return false;
}

static void follow(const maker *m, uint32_t base)
{
    const wr_kernel *k = m->kernel;
    const uint32_t most = m->rules->entries;
    member list[16];
    uint32_t count = 0;
    uint32_t useful = 0; /* members up to the last one that is no branch */
    way w = {.late = m->owed[base], .base = base, .spare = k->regs};
    leave_out(&w, &k->insns[base]);
    uint32_t at = base + 1;
    for (uint32_t n = 0; n < LONGEST_WAY && count < most && at < k->insn_count; n++) {
        const wr_insn *i = &k->insns[at];
        member it = {.at = at};
        if (m->taken[at] || holds(list, count, at) || ends_way(m, i) || !in_reach(base, at)) {
            break;
        }
        if (i->op == WR_OP_BRA) {
            at = behind_branch(m, &w, at, &it);
            if (at == NOWHERE) {
                break;
            }
            w.read_preds |= wr_insn_reads_preds(i); /* it is executed again in its turn */
            list[count++] = it;
            continue;
        }
        if (joins(&w, m->rules->registers, i, &it)) {
            w.late &= ~wr_insn_writes(i);
            w.late_preds &= ~wr_insn_writes_preds(i);
            w.moved |= it.to != it.code ? wr_insn_writes(i) : 0;
            w.spare += it.to != it.code;
            list[count++] = it;
            useful = count;
        } else {
            leave_out(&w, i);
        }
        at++;
    }
    if (useful != 0) {
        write_chain(m, base, list, useful);
        m->out->registers = w.spare > m->out->registers ? w.spare : m->out->registers;
    }
}

bool wr_hints_make(const wr_kernel *kernel, const wr_hint_rules *rules, wr_hints *out)
{
    const size_t count = kernel->insn_count;
    wr_hint_rules held = *rules;
    held.entries = held.entries < 16 ? held.entries : 16;
    held.registers = held.registers < WR_ISA_MAX_REGS ? held.registers : WR_ISA_MAX_REGS;
    maker m = {.kernel = kernel,
               .rules = &held,
               .out = out,
               .owed = calloc(count + 1, sizeof *m.owed),
               .taken = calloc(count + 1, 1)};
    *out = (wr_hints){.words = calloc(count + 1, sizeof *out->words), .registers = kernel->regs};
    const bool ok = m.owed != NULL && m.taken != NULL && out->words != NULL;
    if (ok) {
        find_owed(&m);
        for (uint32_t at = 0; at < count; at++) {
            m.taken[at] = is_stall_point(&m, at);
            out->stall_points += m.taken[at];
        }
        for (uint32_t at = 0; at < count; at++) {
            if (is_stall_point(&m, at)) {
                follow(&m, at);
            }
        }
    } else {
        free(out->words);
        out->words = NULL;
    }
    free(m.owed);
    free(m.taken);
    return ok;
}

uint32_t wr_hints_next(const wr_kernel *k, const wr_hints *hints, uint32_t base, uint32_t at)
{
    const uint32_t word = hints->words[at];
    const bool branch = k->insns[at].op == WR_OP_BRA && at != base;
    const uint32_t taken = word & 0x7ff;
    const uint32_t raw = !branch ? word >> 9 & 0x1ff : taken != 0 ? taken : word >> 11 & 0x7ff;
    const int32_t half = branch ? 1024 : 256;
    const int32_t distance = (int32_t)raw >= half ? (int32_t)raw - 2 * half : (int32_t)raw;
    const uint32_t next = base + (uint32_t)distance;
    return distance == 0 || next >= k->insn_count ? WR_HINTS_END : next;
}

bool wr_hints_begins(const wr_kernel *k, const wr_hints *hints, uint32_t at)
{
    return (hints->words[at] & WR_HINT_STALL) != 0 && k->insns[at].op != WR_OP_BRA;
}

uint32_t wr_hints_renamed(const wr_kernel *k, const wr_hints *hints, uint32_t at)
{
    const uint32_t word = hints->words[at];
    const bool renamed = k->insns[at].op != WR_OP_BRA && (word & WR_HINT_RENAME) != 0;
    return renamed ? word & 0xff : WR_ISA_RZ;
}

static void print_member(FILE *out, const wr_kernel *k, const wr_hints *hints, uint32_t base,
                         uint32_t at)
{
    const uint32_t next = wr_hints_next(k, hints, base, at);
    const uint32_t to = at != base ? wr_hints_renamed(k, hints, at) : WR_ISA_RZ;
    char text[160];
    char behind[16] = "end";
    char renamed[16] = "";
    if (next != WR_HINTS_END) {
        (void)snprintf(behind, sizeof behind, "%04x", k->insns[next].pc);
    }
    if (to != WR_ISA_RZ) {
        (void)snprintf(renamed, sizeof renamed, " to R%u", to);
    }
    (void)wr_isa_print(&k->insns[at], text, sizeof text);
    (void)fprintf(out, "  %s %04x  %06x -> %-4s  %s%s\n", at == base ? "stall" : "     ",
                  k->insns[at].pc, hints->words[at], behind, text, renamed);
}

void wr_hints_print(FILE *out, const wr_kernel *kernel, const wr_hints *hints)
{
    (void)fprintf(out,
                  "hints: %u stall points, %u of them with a chain; %u instructions in chains, %u "
                  "branches and %u loads among them, %u renamed; %u registers\n",
                  hints->stall_points, hints->chains, hints->members, hints->branches, hints->loads,
                  hints->renamed, hints->registers);
    for (uint32_t base = 0; base < kernel->insn_count; base++) {
        uint32_t at = wr_hints_begins(kernel, hints, base) ? base : WR_HINTS_END;
        for (; at != WR_HINTS_END; at = wr_hints_next(kernel, hints, base, at)) {
            print_member(out, kernel, hints, base, at);
        }
    }
}
