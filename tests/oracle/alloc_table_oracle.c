/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/alloc_table_oracle.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

/* The table as an operation sees it while it thinks ahead. */
typedef struct view {
    const wr_oracle_alloc *t;
    wr_oracle_run entry[WR_ORACLE_ALLOC_ENTRIES];
    bool gone[WR_ORACLE_ALLOC_ENTRIES];
} view;

void wr_oracle_alloc_reset(wr_oracle_alloc *t)
{
    const wr_oracle_alloc fresh = {.entries = t->entries,
                                   .units = t->units,
                                   .kernel_bits = t->kernel_bits,
                                   .tb_bits = t->tb_bits};
    *t = fresh;
}

bool wr_oracle_alloc_idle(const wr_oracle_alloc *t)
{
    return t->at == t->steps;
}

unsigned wr_oracle_alloc_used(const wr_oracle_alloc *t)
{
    unsigned used = 0;
    for (unsigned i = 0; i < t->entries; i++) {
        used += t->entry[i].size != 0;
    }
    return used;
}

wr_oracle_reply wr_oracle_alloc_output(const wr_oracle_alloc *t)
{
    const wr_oracle_reply none = {0};
    return wr_oracle_alloc_idle(t) ? none : t->script[t->at].reply;
}

/* Every unit of the memory, one by one: is it taken? */
static bool unit_taken(const view *v, unsigned unit, unsigned *end)
{
    for (unsigned i = 0; i < v->t->entries; i++) {
        const wr_oracle_run *e = &v->entry[i];
        if (e->size != 0 && !v->gone[i] && unit >= e->start && unit < e->start + e->size) {
            *end = e->start + e->size;
            return true;
        }
    }
    return false;
}

/* Whether [at, at + size) is blocked; next: the highest end of those that block it. */
static bool blocked(const view *v, unsigned at, unsigned size, unsigned *next)
{
    bool any = false;
    *next = at;
    for (unsigned unit = at; unit < at + size; unit++) {
        unsigned end;
        if (unit_taken(v, unit, &end)) {
            any = true;
            *next = end > *next ? end : *next;
        }
    }
    return any;
}

static int find(const wr_oracle_run *entry, unsigned entries, unsigned kernel, unsigned tb)
{
    for (unsigned i = 0; i < entries; i++) {
        if (entry[i].size != 0 && entry[i].kernel == kernel && entry[i].tb == tb) {
            return (int)i;
        }
    }
    return -1;
}

static int first_free(const wr_oracle_run *entry, unsigned entries)
{
    for (unsigned i = 0; i < entries; i++) {
        if (entry[i].size == 0) {
            return (int)i;
        }
    }
    return -1;
}

static void add(wr_oracle_alloc *t, const wr_oracle_alloc_step *step)
{
    assert(t->steps < WR_ORACLE_ALLOC_STEPS);
    t->script[t->steps++] = *step;
}

/* So many cycles without a reply; at their end an entry may change. */
static void add_silence(wr_oracle_alloc *t, unsigned cycles, int change,
                        const wr_oracle_run *becomes)
{
    wr_oracle_alloc_step step = {.cycles = cycles, .change = change};
    if (change >= 0) {
        step.becomes = *becomes;
    }
    if (cycles > 0) {
        add(t, &step);
    }
}

static void add_reply(wr_oracle_alloc *t, unsigned kind, bool ok, unsigned tb,
                      const wr_oracle_run *run, int change, const wr_oracle_run *becomes)
{
    wr_oracle_alloc_step step = {.change = change};
    step.reply = (wr_oracle_reply){.valid = true, .kind = kind, .ok = ok, .tb = tb};
    if (run != NULL) {
        step.reply.start = run->start;
        step.reply.size = run->size;
    }
    if (change >= 0) {
        step.becomes = *becomes;
    }
    add(t, &step);
}

static void add_done(wr_oracle_alloc *t, bool ok, unsigned tb, const wr_oracle_run *run)
{
    add_reply(t, WR_ORACLE_REPLY_DONE, ok, tb, run, -1, NULL);
}

static void script_alloc(wr_oracle_alloc *t, view *v, const wr_oracle_alloc_op *op)
{
    int entry = first_free(v->entry, t->entries);
    if (entry < 0) {
        add_done(t, false, op->tb, NULL);
        return;
    }
    unsigned at = 0;
    unsigned tried = 1;
    unsigned next;
    while (at + op->size <= t->units && blocked(v, at, op->size, &next)) {
        at = next;
        tried++;
    }
    if (at + op->size > t->units) {
        add_silence(t, tried, -1, NULL);
        add_done(t, false, op->tb, NULL);
        return;
    }
    const wr_oracle_run run = {.start = at, .size = op->size, .kernel = op->kernel, .tb = op->tb};
    add_silence(t, tried, entry, &run);
    add_done(t, true, op->tb, &run);
}

/* Whether count TBs fit once those that are gone have left; adds the cycles that it takes. */
static bool trial(const view *v, const wr_oracle_alloc_op *op, unsigned *cycles)
{
    unsigned room = 0; /* entries */
    for (unsigned i = 0; i < v->t->entries; i++) {
        room += v->entry[i].size == 0 || v->gone[i];
    }
    unsigned at = 0;
    unsigned placed = 0;
    while (placed < op->count) {
        unsigned next;
        ++*cycles;
        if (room < op->count || at + op->size > v->t->units) {
            return false;
        }
        if (blocked(v, at, op->size, &next)) {
            at = next;
        } else {
            placed++;
            at += op->size;
        }
    }
    return true;
}

/* The TB of the old kernel with the lowest number that is (not) gone. */
static int lowest(const view *v, unsigned old, bool gone)
{
    int best = -1;
    for (unsigned i = 0; i < v->t->entries; i++) {
        const wr_oracle_run *e = &v->entry[i];
        if (e->size != 0 && e->kernel == old && v->gone[i] == gone &&
            (best < 0 || e->tb < v->entry[best].tb)) {
            best = (int)i;
        }
    }
    return best;
}

static void script_places(wr_oracle_alloc *t, view *v, const wr_oracle_alloc_op *op)
{
    unsigned at = 0;
    for (unsigned n = 0; n < op->count; n++) {
        unsigned next;
        unsigned silent = 0;
        while (blocked(v, at, op->size, &next)) {
            at = next;
            silent++;
        }
        add_silence(t, silent, -1, NULL);
        const wr_oracle_run run = {.start = at,
                                   .size = op->size,
                                   .kernel = op->kernel,
                                   .tb = (op->tb + n) % (1U << t->tb_bits)};
        int entry = first_free(v->entry, t->entries);
        assert(entry >= 0 && at + op->size <= t->units);
        v->entry[entry] = run;
        add_reply(t, WR_ORACLE_REPLY_PLACE, true, run.tb, &run, entry, &run);
        at += op->size;
    }
    add_done(t, true, op->tb, NULL);
}

static void script_plan(wr_oracle_alloc *t, view *v, const wr_oracle_alloc_op *op)
{
    unsigned cycles = 0;
    while (!trial(v, op, &cycles)) {
        int victim = lowest(v, op->old, false);
        cycles++;
        if (victim < 0) {
            add_silence(t, cycles, -1, NULL);
            add_done(t, false, op->tb, NULL);
            return;
        }
        v->gone[victim] = true;
    }
    add_silence(t, cycles, -1, NULL);
    int leaver = lowest(v, op->old, true);
    while (leaver >= 0) {
        const wr_oracle_run nobody = {0};
        const wr_oracle_run run = v->entry[leaver];
        add_reply(t, WR_ORACLE_REPLY_LEAVE, true, run.tb, &run, leaver, &nobody);
        v->entry[leaver] = nobody;
        v->gone[leaver] = false;
        leaver = lowest(v, op->old, true);
    }
    script_places(t, v, op);
}

static bool is_fault(const wr_oracle_alloc *t, const wr_oracle_alloc_op *op)
{
    bool known = find(t->entry, t->entries, op->kernel, op->tb) >= 0;
    bool bad_size = op->size == 0 || op->size > t->units;
    switch (op->op) {
    case WR_ORACLE_OP_FREE:
        return !known;
    case WR_ORACLE_OP_ALLOC:
        return known || bad_size;
    case WR_ORACLE_OP_PLAN:
        if (bad_size || op->count == 0 || op->count > t->entries || op->old == op->kernel) {
            return true;
        }
        for (unsigned n = 0; n < op->count; n++) {
            if (find(t->entry, t->entries, op->kernel, (op->tb + n) % (1U << t->tb_bits)) >= 0) {
                return true;
            }
        }
        return false;
    default:
        return false;
    }
}

static void write_script(wr_oracle_alloc *t, wr_oracle_alloc_op op)
{
    view v = {.t = t};
    op.kernel %= 1U << t->kernel_bits;
    op.old %= 1U << t->kernel_bits;
    op.tb %= 1U << t->tb_bits;
    memcpy(v.entry, t->entry, sizeof v.entry);
    t->steps = 0;
    t->at = 0;
    t->spent = 0;
    if (is_fault(t, &op)) {
        t->fault = true;
        add_done(t, false, op.tb, NULL);
        return;
    }
    if (op.op == WR_ORACLE_OP_ALLOC) {
        script_alloc(t, &v, &op);
        return;
    }
    if (op.op == WR_ORACLE_OP_PLAN) {
        script_plan(t, &v, &op);
        return;
    }
    int entry = find(t->entry, t->entries, op.kernel, op.tb);
    add_done(t, entry >= 0, op.tb, entry >= 0 ? &t->entry[entry] : NULL);
    if (op.op == WR_ORACLE_OP_FREE) {
        t->entry[entry].size = 0;
    }
}

void wr_oracle_alloc_clock(wr_oracle_alloc *t, const wr_oracle_alloc_op *op, bool reply_ready)
{
    if (wr_oracle_alloc_idle(t)) {
        if (op != NULL) {
            write_script(t, *op);
        }
        return;
    }
    const wr_oracle_alloc_step *step = &t->script[t->at];
    t->spent++;
    if (step->reply.valid ? reply_ready : t->spent == step->cycles) {
        if (step->change >= 0) {
            t->entry[step->change] = step->becomes;
        }
        t->at++;
        t->spent = 0;
    }
}
