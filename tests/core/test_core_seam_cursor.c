/* SPDX-License-Identifier: Apache-2.0 */
/* The cursor seam: a stalled warp's instructions run ahead into spare rows, and nobody sees it. */
#include "shell/core/seam/cursor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/seam/warp.h"
#include "tests/core/exchange.h"
#include "tests/core/plan.h"

enum { WARPS = 64 };

/* On a stall for memory a cursor starts behind the stalled instruction; each register that it
 * writes gets a spare row. It ends where it must, or when the warp wakes. */
typedef struct ahead {
    wr_cursor cursor;
    uint32_t next_row, issued;
    uint32_t first[32]; /* lanes of the first row that it has written, when the warp woke */
    uint32_t first_row;
    bool on;
} ahead;
static ahead run_ahead[WARPS];
static uint32_t total, waits, ends, seen_rows;
static const kit_kernel *source;

/* Spare rows for what the instruction at the cursor writes. */
static void map_destination(wr_sm *sm, uint32_t warp, ahead *a)
{
    for (size_t i = 0; i < source->k.insn_count; i++) {
        const wr_insn *insn = &source->k.insns[i];
        if (insn->pc != a->cursor.pc || insn->dst == RZ || insn->dst_regs == 0) {
            continue;
        }
        uint32_t spare = wr_sm_first_spare_row(sm, warp) + a->next_row;
        if (spare + insn->dst_regs <= WR_ISA_MAX_REGS && a->cursor.row[insn->dst] == insn->dst) {
            for (uint32_t r = 0; r < insn->dst_regs; r++) {
                a->cursor.row[insn->dst + r] = (uint8_t)(spare + r);
            }
            a->next_row += insn->dst_regs;
        }
    }
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    ahead *a = &run_ahead[warp];
    (void)self;
    if (why != WR_WAIT_MEMORY) {
        return;
    }
    *a = (ahead){.on = true, .cursor = wr_sm_cursor(sm, warp)};
    a->cursor.pc += 8; /* behind the stalled one, which has one word */
    a->first_row = wr_sm_first_spare_row(sm, warp);
    wr_sm_use_spare_slots(sm, 0, true);
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    ahead *a = &run_ahead[warp];
    (void)self;
    if (a->issued != 0) {
        memcpy(a->first, wr_sm_row(sm, warp, a->first_row), sizeof a->first);
        seen_rows++;
    }
    a->on = false;
    a->issued = 0;
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    (void)self;
    for (uint64_t left = wr_sm_scheduler_warps(sm, scheduler); left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        ahead *a = &run_ahead[warp];
        if (!a->on) {
            continue;
        }
        map_destination(sm, warp, a);
        switch (wr_sm_cursor_issue(sm, warp, &a->cursor, WR_ISA_RZ)) {
        case WR_CURSOR_ISSUED:
            a->issued++;
            total++;
            return WR_SPARE_CURSOR;
        case WR_CURSOR_WAITS:
            waits++;
            break;
        case WR_CURSOR_ENDS:
            ends++;
            a->on = false;
            break;
        }
    }
    return WR_SPARE_FREE;
}

static const wr_system_hooks hooks = {
    .warp_stalled = on_stalled, .warp_woken = on_woken, .spare_slot = on_spare_slot};

/* out = (load + thread) with arithmetic behind the stall that does not need the load. */
static void test_runs_ahead(void **state)
{
    (void)state;
    for (uint32_t with = 0; with < 2; with++) {
        plan_new(1);
        memset(run_ahead, 0, sizeof run_ahead);
        total = waits = ends = seen_rows = 0;
        if (with != 0) {
            wr_gpu_attach(plan.gpu, &hooks);
        }
        step *s = plan_add(0, "ahead", 12, 1, 64);
        source = &s->kernel;
        plan_prologue(&s->kernel);
        kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 4, 3, 0, RZ)); /* stalls */
        kit_add(&s->kernel, kit_op(WR_OP_MUL, WR_U32, 5, 0, 0, RZ)); /* runs ahead */
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 6, 5, 2, RZ)); /* likewise, needs it */
        kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 7, 4, 6, RZ)); /* needs the load */
        plan_store_and_exit(&s->kernel, 7);
        plan_run_all();
        for (uint32_t t = 0; t < 64; t++) {
            assert_int_equal(plan_out(s, t), t + t * t + t);
        }
        assert_int_equal(kit_stat(plan.gpu, "sm.issued"), 2 * 13);
    }
    assert_true(total >= 4 && waits > 0); /* two of each warp at least, the second waited */
    assert_int_equal(kit_stat(plan.gpu, "sched.cursor"), total);
    assert_int_equal(seen_rows, 2);
    for (uint32_t w = 0; w < 2; w++) {
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint32_t t = w * 32 + lane;
            assert_int_equal(run_ahead[w].first[lane], t * t);
        }
    }
}

/* The kernel of all kinds of instruction: output, instructions and accounts as without. */
static void look(void *arg, wr_gpu *gpu)
{
    (void)arg;
    assert_int_equal(kit_stat(gpu, "sched.cursor"), total);
    assert_true(total > 1000 && ends > 1000);
}

static void test_nobody_sees(void **state)
{
    static kit_kernel kk;
    (void)state;
    memset(run_ahead, 0, sizeof run_ahead);
    total = waits = ends = seen_rows = 0;
    exchange_build(&kk, (uint32_t)WR_MEM_BASE);
    source = &kk;
    exchange_run(&(exchange_how){.hooks = &hooks, .look = look, .sms = 1});
}

/* One warp's cursor, instruction by instruction: when each issues and what it leaves in its rows.
 */
enum { LOG = 16, FIRST_ROW = 12, MASKED = 12, ROWS = 7 };
static struct {
    bool on;
    wr_cursor cursor;
    uint64_t at[LOG]; /* cycle of each instruction that issued */
    uint64_t own[2];  /* of the two that depend, by the warp itself, later */
    uint64_t setp_at; /* of the warp's own */
    uint32_t issued, ended_pc, waited_last;
    bool ended, masked_writes;
    uint32_t after; /* calls when nobody uses spare slots */
    uint32_t rows[ROWS][32];
} one;

static void one_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    (void)self;
    (void)lanes;
    const wr_insn *i = source->k.insns + sm->warps[warp].next;
    for (uint32_t k = 0; k < 2; k++) {
        one.own[k] =
            i->op == WR_OP_SETP && i->pd == 1 && i->ps == (k == 0 ? PT : 1) ? sm->now : one.own[k];
    }
    one.setp_at = i->op == WR_OP_SETP && i->pd == 2 ? sm->now : one.setp_at;
}

static void one_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    static const uint8_t rows[][2] = {{5, 12},  {6, 13}, {8, 14}, {9, 15},
                                      {10, 16}, {7, 17}, {4, 18}};
    (void)self;
    if (why != WR_WAIT_MEMORY || one.ended || one.on) {
        return;
    }
    one.on = true;
    one.cursor = wr_sm_cursor(sm, warp);
    assert_int_equal(one.cursor.lanes, UINT32_MAX);
    one.cursor.lanes &= ~(1u << 31);
    one.cursor.pc += 8; /* behind the stalled one */
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        one.cursor.row[rows[i][0]] = rows[i][1];
    }
    assert_int_equal(wr_sm_first_spare_row(sm, warp), FIRST_ROW);
    wr_sm_use_spare_slots(sm, 3, true);
    wr_sm_use_spare_slots(sm, 5, true); /* of two owners one is enough */
    wr_sm_use_spare_slots(sm, 5, false);
}

/* Behind the kernel, inside an instruction, and where the rows of a pair do not lie together. */
static void must_end(wr_sm *sm, wr_cursor c)
{
    c.pc = (uint32_t)source->k.word_count * 8;
    assert_int_equal(wr_sm_cursor_issue(sm, 0, &c, WR_ISA_RZ), WR_CURSOR_ENDS);
    c.pc = UINT32_MAX & ~7u;
    assert_int_equal(wr_sm_cursor_issue(sm, 0, &c, WR_ISA_RZ), WR_CURSOR_ENDS);
    for (size_t i = 0; i < source->k.insn_count; i++) {
        const wr_insn *insn = &source->k.insns[i];
        if (insn->size == 16) {
            c.pc = insn->pc + 8;
            assert_int_equal(wr_sm_cursor_issue(sm, 0, &c, WR_ISA_RZ), WR_CURSOR_ENDS);
        }
        if (insn->dst == 8 && insn->dst_regs == 2) {
            c.pc = insn->pc;
            c.row[9] = 30;
            assert_int_equal(wr_sm_cursor_issue(sm, 0, &c, WR_ISA_RZ), WR_CURSOR_ENDS);
        }
    }
}

static wr_spare one_spare(void *self, wr_sm *sm, uint32_t scheduler)
{
    (void)self;
    one.after += one.ended ? 1 : 0;
    if (!one.on || scheduler != 0) {
        return WR_SPARE_FREE;
    }
    switch (wr_sm_cursor_issue(sm, 0, &one.cursor, WR_ISA_RZ)) {
    case WR_CURSOR_ISSUED:
        one.at[one.issued++] = sm->now;
        assert_int_equal(sm->warps[0].pending_preds & ~(1u << 2),
                         0); /* its own are not the warp's */
        one.masked_writes |= one.issued == MASKED + 1 && (sm->warps[0].pending_regs >> 18 & 1) != 0;
        return WR_SPARE_CURSOR;
    case WR_CURSOR_WAITS:
        break;
    case WR_CURSOR_ENDS:
        one.ended_pc = one.cursor.pc;
        one.ended = true;
        one.on = false;
        for (uint32_t r = 0; r < ROWS; r++) {
            memcpy(one.rows[r], wr_sm_row(sm, 0, FIRST_ROW + r), sizeof one.rows[r]);
        }
        must_end(sm, one.cursor);
        wr_sm_use_spare_slots(sm, 3, false);
        break;
    }
    return WR_SPARE_FREE;
}

static wr_insn cursor_setp(wr_cmp cmp, unsigned pd, unsigned reg, uint32_t imm)
{
    return kit_imm(kit_setp(cmp, WR_U32, pd, reg, RZ), 1, imm);
}

/* Latency of the unit by which a predicate is set. */
static uint64_t latency_of(const wr_insn *insn)
{
    wr_uop u;
    assert_true(wr_program_uop(&plan.cfg, insn, NULL, &u));
    return u.latency;
}

static void test_one_cursor(void **state)
{
    static const wr_system_hooks one_hooks = {
        .warp_issued = one_issued, .warp_stalled = one_stalled, .spare_slot = one_spare};
    (void)state;
    for (uint32_t dual = 0; dual < 2; dual++) {
        memset(&one, 0, sizeof one);
        plan_new(1);
        wr_gpu_free(plan.gpu);
        plan.cfg.sm.issue_width = 1 + dual; /* of two slots a cycle the cursor takes one */
        plan.cfg.timing.fp64.max.latency = plan.cfg.timing.fp64.add.latency = 100;
        plan.gpu = wr_gpu_create(&plan.cfg);
        plan.out_base = wr_gpu_alloc(plan.gpu, OUT_WORDS * 4, 256);
        wr_gpu_attach(plan.gpu, &one_hooks);
        step *s = plan_add(0, "one", FIRST_ROW, 1, 32);
        kit_kernel *k = &s->kernel;
        source = k;
        kit_add(k, kit_plain(WR_OP_NOP)); /* the two that depend are in one line of the cache */
        kit_add(k, kit_plain(WR_OP_NOP));
        plan_prologue(k);
        kit_add(k, kit_imm(kit_op(WR_OP_MOV, WR_B32, 11, RZ, RZ, RZ), 0, 30));
        kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
        kit_add(k, cursor_setp(WR_CMP_LT, 2, 0, 20));
        kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 3, 0, RZ)); /* stalls */
        size_t first =
            kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 5, 0, 0, RZ), 2, false)); /* 0 */
        kit_add(k, cursor_setp(WR_CMP_GE, 1, 0, 5));                                 /* 1 */
        wr_insn both = kit_setp(WR_CMP_LT, WR_U32, 1, 0, 11);
        both.boolop = WR_BOOL_AND;
        both.ps = 1;      /* reads what it writes */
        kit_add(k, both); /* 2 */
        kit_add(k, kit_guard(kit_op(WR_OP_MOV, WR_B32, 6, 5, RZ, RZ), 1, false)); /* 3 */
        kit_add(k, kit_op(WR_OP_ADD, WR_U64, 8, 0, 0, RZ));                       /* 4: a pair */
        kit_add(k, kit_op(WR_OP_ADD, WR_U32, 10, 8, 5, RZ));                      /* 5 */
        wr_insn slow = kit_setp(WR_CMP_GE, WR_F64, 3, 0, 0);
        kit_add(k, slow);                                                        /* 6 */
        kit_add(k, cursor_setp(WR_CMP_GE, 4, 0, 9));                             /* 7 */
        kit_add(k, kit_guard(kit_op(WR_OP_MAD, WR_U32, 7, 5, 5, 10), 3, false)); /* 8 */
        kit_add(k, kit_op(WR_OP_ADD, WR_U32, RZ, 5, 6, RZ));                     /* 9 */
        kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 5, 5, 5, RZ), 2, true));  /* 10 */
        wr_insn logic = kit_op(WR_OP_XOR, WR_PRED, RZ, RZ, RZ, RZ);
        logic.pd = 5;
        logic.ps = 2;
        logic.ps2 = 2;
        kit_add(k, logic);                                                       /* 11: none */
        kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 4, 0, 0, RZ), 5, false)); /* 12: masked */
        size_t last = kit_add(k, kit_op(WR_OP_ADD, WR_U32, 11, 10, 5, RZ)); /* no row for R11 */
        kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 4, 11, RZ));
        plan_store_and_exit(k, 4);
        plan_run_all();
        assert_true(one.ended);
        assert_int_equal(one.issued, last - first);
        assert_int_equal(one.ended_pc, k->k.insns[last].pc);
        assert_int_equal(kit_stat(plan.gpu, "sched.cursor"), one.issued);
        assert_false(one.masked_writes);
        assert_int_equal(one.after, 0);
        uint64_t set = latency_of(&k->k.insns[first + 1]);
        assert_true(one.at[0] >= one.setp_at + set);
        assert_true(one.at[2] >= one.at[1] + set);
        assert_int_equal(one.at[2] - one.at[1], one.own[1] - one.own[0]);
        assert_true(one.at[3] >= one.at[2] + set);
        assert_true(one.at[8] >= one.at[6] + latency_of(&k->k.insns[first + 6]));
        assert_true(one.at[7] <
                    one.at[6] + latency_of(&k->k.insns[first + 6])); /* it does not read it */
        for (uint32_t t = 0; t < 32; t++) {
            bool p1 = t >= 5 && t < 30;
            if (t < 20) {
                assert_int_equal(one.rows[0][t], 2 * t);
            } else { /* twice what was there */
                assert_int_equal(one.rows[0][t] % 2, 0);
            }
            if (p1 && t < 20) {
                assert_int_equal(one.rows[1][t], 2 * t);
            }
            assert_true(t < 31 ? one.rows[2][t] == 2 * t : one.rows[2][t] != 2 * t);
            if (t < 20) {
                assert_int_equal(one.rows[4][t], 4 * t);
                assert_int_equal(one.rows[5][t], 4 * t * t + 4 * t);
            }
        }
    }
}

/* Results in new rows: operands are read where they were, lanes that are left out come along. */
static struct {
    bool on, ended;
    wr_cursor cursor;
    uint32_t issued, waits, rows[ROWS][32];
} renamed;

static void rename_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    (void)self;
    if (why == WR_WAIT_MEMORY && !renamed.ended) {
        renamed.on = true;
        renamed.cursor = wr_sm_cursor(sm, warp);
        renamed.cursor.pc += 8;
        wr_sm_use_spare_slots(sm, 0, true);
    }
}

static wr_spare rename_spare(void *self, wr_sm *sm, uint32_t scheduler)
{
    static const uint8_t to[] = {12, 13, WR_ISA_RZ, 14, 16, 17, 62};
    wr_cursor *c = &renamed.cursor;
    (void)self;
    if (!renamed.on || scheduler != 0) {
        return WR_SPARE_FREE;
    }
    wr_cursor_result result = wr_sm_cursor_issue(sm, 0, c, to[renamed.issued]);
    if (result == WR_CURSOR_ISSUED) {
        renamed.issued++;
        return WR_SPARE_CURSOR;
    }
    renamed.waits += renamed.issued == 5 ? 1 : 0;
    if (result == WR_CURSOR_ENDS) { /* two rows from 62 on */
        assert_true(c->row[4] == 13 && c->row[8] == 14 && c->row[9] == 15 && c->row[5] == 16);
        for (uint32_t r = 0; r < ROWS; r++) {
            memcpy(renamed.rows[r], wr_sm_row(sm, 0, FIRST_ROW + r), sizeof renamed.rows[r]);
        }
        renamed.ended = true;
        renamed.on = false;
        wr_sm_use_spare_slots(sm, 0, false);
    }
    return WR_SPARE_FREE;
}

static void test_renames(void **state)
{
    static const wr_system_hooks rename_hooks = {.warp_stalled = rename_stalled,
                                                 .spare_slot = rename_spare};
    (void)state;
    memset(&renamed, 0, sizeof renamed);
    plan_new(1);
    wr_gpu_attach(plan.gpu, &rename_hooks);
    step *s = plan_add(0, "renames", FIRST_ROW, 1, 32);
    kit_kernel *k = &s->kernel;
    plan_prologue(k);
    kit_add(k, kit_imm(kit_op(WR_OP_ADD, WR_U32, 4, 0, RZ, RZ), 1, 100));
    kit_add(k, kit_op(WR_OP_ADD, WR_U64, 8, 0, 0, RZ)); /* R9 is not 0 */
    kit_add(k, kit_imm(kit_op(WR_OP_MOV, WR_B32, 9, RZ, RZ, RZ), 0, 7));
    kit_add(k, cursor_setp(WR_CMP_LT, 2, 0, 20));
    kit_add(k, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));                      /* stalls */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 4, 4, RZ));                      /* 12: 2x */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 4, 4, 4, RZ), 2, false)); /* 13: 4x or 2x */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 4, 4, 0, RZ), 2, false)); /* in place */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U64, 8, 8, 8, RZ), 2, true));  /* 14, 15 */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 5, 9, 4, RZ));                      /* 16 */
    kit_add(k, kit_guard(kit_op(WR_OP_ADD, WR_U32, 3, 0, 0, RZ), 2, false)); /* 17, but not yet */
    kit_add(k, kit_op(WR_OP_ADD, WR_U64, 6, 0, 0, RZ));                      /* no room */
    kit_add(k, kit_op(WR_OP_ADD, WR_U32, 4, 4, 3, RZ));
    plan_store_and_exit(k, 4);
    plan_run_all();
    assert_true(renamed.ended);
    assert_int_equal(renamed.issued, 6);
    assert_true(renamed.waits > 50); /* for what the lanes left out bring along */
    for (uint32_t t = 0; t < 32; t++) {
        uint32_t x = t + 100;
        uint32_t r4 = t < 20 ? 4 * x + t : 2 * x;
        assert_int_equal(plan_out(s, t), r4 + (t < 20 ? 2 * t : t)); /* the load gives 0 */
        assert_int_equal(renamed.rows[0][t], 2 * x);
        assert_int_equal(renamed.rows[1][t], r4);
        assert_int_equal(renamed.rows[2][t], t < 20 ? 2 * t : 4 * t);
        assert_int_equal(renamed.rows[3][t], t < 20 ? 7 : 14);
        assert_int_equal(renamed.rows[4][t], renamed.rows[3][t] + r4);
    }
}

/* Asked for while the SM sleeps, spare slots are there in the next cycle. */
static struct {
    uint64_t issued, since, asked_at, calls_at;
} late;

static void late_cycle(void *self, wr_gpu *gpu)
{
    wr_sm *sm = wr_gpu_sm(gpu, 0);
    uint64_t now = wr_gpu_cycle(gpu);
    (void)self;
    if (wr_stats_issued(&sm->stats) != late.issued) {
        late.issued = wr_stats_issued(&sm->stats);
        late.since = now;
    } else if (late.asked_at == 0 && late.issued != 0 && now == late.since + 60) {
        wr_sm_use_spare_slots(sm, 0, true);
        late.asked_at = now;
    }
}

static uint64_t late_next(void *self, uint64_t now)
{
    (void)self;
    return late.calls_at == 0 ? now + 1 : UINT64_MAX;
}

static wr_spare late_spare(void *self, wr_sm *sm, uint32_t scheduler)
{
    (void)self;
    (void)scheduler;
    late.calls_at = late.calls_at == 0 ? sm->now : late.calls_at;
    wr_sm_use_spare_slots(sm, 0, false);
    return WR_SPARE_FREE;
}

static void test_spare_at_once(void **state)
{
    static const wr_system_hooks late_hooks = {
        .gpu_cycle = late_cycle, .next_cycle = late_next, .spare_slot = late_spare};
    (void)state;
    memset(&late, 0, sizeof late);
    plan_new(1);
    wr_gpu_attach(plan.gpu, &late_hooks);
    step *s = plan_add(0, "waits", 8, 1, 32);
    plan_prologue(&s->kernel);
    kit_add(&s->kernel, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 3, 1, 0));
    kit_add(&s->kernel, kit_op(WR_OP_ADD, WR_U32, 3, 3, 0, RZ));
    plan_store_and_exit(&s->kernel, 3);
    plan_run_all();
    assert_true(late.asked_at != 0);
    assert_int_equal(late.calls_at, late.asked_at + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_runs_ahead, plan_teardown),
                                       cmocka_unit_test_teardown(test_one_cursor, plan_teardown),
                                       cmocka_unit_test_teardown(test_renames, plan_teardown),
                                       cmocka_unit_test_teardown(test_spare_at_once, plan_teardown),
                                       cmocka_unit_test(test_nobody_sees)};
    return cmocka_run_group_tests_name("cursor seam", tests, NULL, NULL);
}
