/* SPDX-License-Identifier: Apache-2.0 */
/* What warps that wait for memory could run ahead in slots that stay free: the independent
 * arithmetic behind the stall, executed and thrown away: what there is to gain for Gong 5.1. Seam:
 * cursor.
 *
 * A cursor goes on behind the instruction that waits. What needs a register or predicate that is
 * late (of the waiting instruction, of a load, of what was itself left out) is left out and makes
 * its own results late; so is every access to memory. It ends with its reach, in front of an
 * instruction that may change the path, when spare rows run out, and when the warp goes on.
 */
#include "systems/run_ahead/run_ahead.h"

#include "shell/core/seam/cursor.h"
#include "shell/core/seam/identity.h"
#include "shell/isa/uses.h"

#include <stdlib.h>

enum { OPT_REACH, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_REACH] = {.name = "reach",
                   .kind = WR_OPTION_NUMBER,
                   .max = 10000,
                   .preset = "32",
                   .unit = "instructions",
                   .doc = "behind a stall, at most; 0 = none"},
};

/* Of a warp slot. */
typedef struct ahead {
    const wr_kernel *kernel;
    wr_cursor cursor;
    uint64_t late_regs;
    uint32_t late_preds, left, row; /* left of its reach; the next spare row */
    bool found;                     /* something ran ahead of this stall */
} ahead;

typedef struct sm_state {
    uint64_t on; /* slots whose cursor may go on */
    uint64_t stalls, useful, instructions;
    ahead warp[WR_CONFIG_MAX_WARPS];
} sm_state;

typedef struct run_ahead {
    wr_system base;
    wr_owner owner;
    uint32_t reach, sms;
    sm_state *sm;
} run_ahead;

static void leave_out(ahead *a, const wr_insn *insn)
{
    a->late_regs |= wr_insn_writes(insn);
    a->late_preds |= wr_insn_writes_preds(insn);
    a->cursor.pc += insn->size;
}

static bool is_late(const ahead *a, const wr_insn *insn)
{
    return insn->unit == WR_UNIT_MEM || wr_insn_needs(insn, a->late_regs, a->late_preds);
}

/* The instruction at the cursor; NULL: the kernel ends there. */
static const wr_insn *insn_at(const ahead *a)
{
    uint32_t word = a->cursor.pc / 8;

    return word < a->kernel->word_count ? &a->kernel->insns[a->kernel->insn_at[word]] : NULL;
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    const run_ahead *r = self;
    sm_state *s = &r->sm[wr_sm_id(sm)];
    ahead *a = &s->warp[warp];

    if (why != WR_WAIT_MEMORY) {
        return;
    }
    *a = (ahead){.kernel = wr_sm_tb(sm, wr_sm_warp(sm, warp).tb_slot).launch->kernel,
                 .cursor = wr_sm_cursor(sm, warp),
                 .late_regs = wr_sm_warp_pending(sm, wr_sm_warp_id(sm, warp)),
                 .left = r->reach,
                 .row = wr_sm_first_spare_row(sm, warp)};
    leave_out(a, insn_at(a)); /* the one that waits */
    s->stalls++;
    s->on |= UINT64_C(1) << warp;
    wr_sm_use_spare_slots(sm, r->owner, true);
}

static void stop(const run_ahead *r, wr_sm *sm, uint32_t warp)
{
    sm_state *s = &r->sm[wr_sm_id(sm)];

    if ((s->on >> warp & 1) != 0) {
        s->on &= ~(UINT64_C(1) << warp);
        wr_sm_use_spare_slots(sm, r->owner, s->on != 0);
    }
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    stop(self, sm, warp);
}

/* The next instruction that does not need what is late; NULL: it ends here. */
static const wr_insn *next_insn(ahead *a)
{
    for (; a->left != 0; a->left--) {
        const wr_insn *insn = insn_at(a);

        if (!insn || insn->unit == WR_UNIT_NONE) {
            return NULL;
        }
        if (!is_late(a, insn)) {
            return a->row + insn->dst_regs <= WR_ISA_MAX_REGS ? insn : NULL;
        }
        leave_out(a, insn);
    }
    return NULL;
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    const run_ahead *r = self;
    sm_state *s = &r->sm[wr_sm_id(sm)];

    for (uint64_t left = s->on & wr_sm_scheduler_warps(sm, scheduler); left; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        ahead *a = &s->warp[warp];
        const wr_insn *insn = next_insn(a);
        wr_cursor_result result =
            insn ? wr_sm_cursor_issue(sm, warp, &a->cursor, a->row) : WR_CURSOR_ENDS;

        if (result == WR_CURSOR_ENDS) {
            stop(r, sm, warp);
        } else if (result == WR_CURSOR_ISSUED) {
            a->late_regs &= ~wr_insn_writes(insn);
            a->late_preds &= ~wr_insn_writes_preds(insn);
            a->row += insn->dst_regs;
            a->left--;
            s->useful += !a->found;
            a->found = true;
            s->instructions++;
            return WR_SPARE_CURSOR;
        }
    }
    return WR_SPARE_FREE;
}

static void destroy(wr_system *system)
{
    free(((run_ahead *)system)->sm);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    run_ahead *r = wr_system_alloc(sizeof *r, err, err_size);

    if (!r) {
        return NULL;
    }
    r->owner = setup->owner;
    r->reach = (uint32_t)setup->values[OPT_REACH].number;
    r->sms = setup->cfg->sms;
    r->sm = wr_system_alloc(sizeof *r->sm * r->sms, err, err_size);
    if (!r->sm) {
        free(r);
        return NULL;
    }
    if (r->reach != 0) {
        r->base.hooks = (wr_system_hooks){.self = r,
                                          .warp_stalled = on_stalled,
                                          .warp_woken = on_woken,
                                          .spare_slot = on_spare_slot};
    }
    return &r->base;
}

static void report(const wr_system *system, wr_report *rows)
{
    const run_ahead *r = (const run_ahead *)system;
    uint64_t stalls = 0;
    uint64_t useful = 0;
    uint64_t instructions = 0;

    for (uint32_t i = 0; i < r->sms; i++) {
        stalls += r->sm[i].stalls;
        useful += r->sm[i].useful;
        instructions += r->sm[i].instructions;
    }
    wr_report_section(rows, "", "Run ahead of waits for memory");
    (void)wr_report_count(rows, "stalls", "waits", stalls, "");
    (void)wr_report_count(rows, "useful", "of them with something to run ahead", useful, "");
    (void)wr_report_count(rows, "instructions", "instructions", instructions, "");
    (void)wr_report_real(rows, "mean", "a wait",
                         (double)instructions / (double)(stalls ? stalls : 1), "instructions");
}

const wr_system_type wr_run_ahead_type = {
    .name = "run_ahead",
    .summary = "counts what warps that wait for memory could run ahead in free slots",
    .paper = "Gong 5.1",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .destroy = destroy,
    .report = report,
};
