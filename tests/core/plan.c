/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of launches in streams; see plan.h. */
#include "tests/core/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"

plan_state plan;

void plan_new(uint32_t sms)
{
    wr_gpu_config cfg = kit_config();
    cfg.sms = sms;
    plan_new_of(&cfg);
}

void plan_new_of(const wr_gpu_config *cfg)
{
    plan.cfg = *cfg;
    wr_gpu_free(plan.gpu);
    plan.gpu = wr_gpu_create(&plan.cfg);
    assert_non_null(plan.gpu);
    plan.out_base = wr_gpu_alloc(plan.gpu, OUT_WORDS * 4, 256);
    plan.count = 0;
    plan.done_left = UINT32_MAX;
}

int plan_teardown(void **state)
{
    (void)state;
    wr_gpu_free(plan.gpu);
    plan.gpu = NULL;
    return 0;
}

void plan_prologue(kit_kernel *k)
{
    kit_add(k, kit_s2r(0, WR_SREG_CTAID_X));
    kit_add(k, kit_s2r(1, WR_SREG_NTID_X));
    kit_add(k, kit_s2r(2, WR_SREG_TID_X));
    kit_add(k, kit_op(WR_OP_MAD, WR_U32, 0, 0, 1, 2));
    kit_add(k, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 2));
    kit_add(k, kit_param(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, 0));
}

void plan_spin(kit_kernel *k)
{
    kit_add(k, kit_op(WR_OP_MOV, WR_B32, 3, RZ, RZ, RZ));
    size_t head = kit_add(k, kit_imm(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 1));
    kit_add(k, kit_param(kit_setp(WR_CMP_LT, WR_U32, 0, 3, RZ), 1, 4));
    kit_add(k, kit_guard(kit_bra(head, head + 3), 0, false));
}

void plan_store_and_exit(kit_kernel *k, unsigned reg)
{
    kit_add(k, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, reg, 1, 0));
    kit_add(k, kit_plain(WR_OP_EXIT));
    kit_build(k);
}

step *plan_add(uint32_t stream, const char *name, uint32_t regs, uint32_t grid, uint32_t block)
{
    assert_true(plan.count < MOST);
    step *s = &plan.steps[plan.count];
    memset(s, 0, sizeof *s);
    s->stream = stream;
    kit_begin(&s->kernel, name, regs);
    s->kernel.k.param_bytes = sizeof s->params;
    s->launch = kit_launch(&s->kernel, grid, block, (const void *)&s->params);
    s->params.out = (uint32_t)(plan.out_base + plan.count * (OUT_WORDS / MOST) * 4);
    s->params.trips = 20;
    plan.count++;
    return s;
}

step *plan_worker(uint32_t stream, uint32_t regs, uint32_t grid, uint32_t block)
{
    step *s = plan_add(stream, "worker", regs, grid, block);
    plan_prologue(&s->kernel);
    plan_spin(&s->kernel);
    kit_add(&s->kernel, kit_param(kit_op(WR_OP_ADD, WR_U32, 3, 3, RZ, RZ), 1, 8));
    plan_store_and_exit(&s->kernel, 3);
    s->params.add = 1000 * (uint32_t)plan.count;
    return s;
}

step *plan_teller(uint32_t stream, wr_sreg sreg, uint32_t grid)
{
    step *s = plan_add(stream, "teller", 8, grid, 64);
    plan_prologue(&s->kernel);
    plan_spin(&s->kernel);
    kit_add(&s->kernel, kit_s2r(3, sreg));
    plan_store_and_exit(&s->kernel, 3);
    return s;
}

uint32_t plan_out(const step *s, uint32_t thread)
{
    uint32_t v;
    assert_true(wr_gpu_read(plan.gpu, s->params.out + 4 * (uint64_t)thread, &v, 4));
    return v;
}

static const wr_launch *next(void *self, uint32_t stream)
{
    (void)self;
    for (size_t i = 0; i < plan.count; i++) {
        step *s = &plan.steps[i];
        assert_true(s->stream != stream || !s->asked || s->done); /* asked when it is its turn */
        if (s->stream == stream && !s->asked) {
            s->asked = true;
            return &s->launch;
        }
    }
    return NULL;
}

static bool done(void *self, uint32_t stream, const wr_launch_result *result)
{
    (void)self;
    for (size_t i = 0; i < plan.count; i++) {
        if (plan.steps[i].stream == stream && plan.steps[i].asked && !plan.steps[i].done) {
            plan.steps[i].done = true;
            plan.steps[i].result = *result;
            return plan.done_left-- > 1;
        }
    }
    fail_msg("a launch of stream %u is done that nobody asked for", stream);
    return false;
}

wr_run_result plan_run(uint64_t limit)
{
    wr_streams streams = {.next = next, .done = done};
    for (size_t i = 0; i < plan.count; i++) {
        streams.count =
            plan.steps[i].stream >= streams.count ? plan.steps[i].stream + 1 : streams.count;
        plan.steps[i].asked = plan.steps[i].done = false;
    }
    return wr_gpu_run_streams(plan.gpu, &streams, limit, NULL, NULL);
}

static void add_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    uint64_t *sums = arg;
    while (*sums != UINT64_MAX) { /* a pair each: what they are, what the GPU has */
        sums += 2;
    }
    assert_true(strlen(doc) > 0);
    sums[0] = value;
    sums[1] = kit_stat(plan.gpu, name);
}

/* Each counter of launches is the GPU's over all of them; what is nobody's is told apart. */
static void check_counters(void)
{
    enum { ROOM = 64 };
    uint64_t sums[2 * ROOM];
    wr_launch_stats all = {0};
    memset(sums, 0xff, sizeof sums);
    for (size_t i = 0; i < plan.count; i++) {
        wr_launch_stats_add(&all, &plan.steps[i].result.stats);
    }
    for (uint32_t i = 0; i < plan.cfg.l2.banks; i++) {
        wr_stream_traffic none =
            wr_memsys_traffic(plan.gpu->memsys, i, WR_NO_STREAM, plan.gpu->cycle);
        all.l2_accesses += none.accesses;
        all.l2_hits += none.hits;
        all.l2_misses += none.misses;
    }
    wr_launch_counters(&all, add_counter, sums);
    assert_true(sums[0] != UINT64_MAX);
    for (size_t i = 0; sums[2 * i] != UINT64_MAX; i++) {
        assert_int_equal(sums[2 * i], sums[2 * i + 1]);
    }
}

uint64_t plan_run_all(void)
{
    uint64_t issued = 0;
    uint64_t lanes = 0;
    uint64_t tbs = 0;
    wr_run_result r = plan_run(LIMIT);
    if (r.status != WR_RUN_DONE) {
        fail_msg("%s", r.message);
    }
    for (size_t i = 0; i < plan.count; i++) {
        const wr_launch_result *l = &plan.steps[i].result;
        assert_true(plan.steps[i].done);
        assert_true(l->begun <= l->placed && l->placed < l->ended);
        assert_int_equal(l->tbs, plan.steps[i].launch.grid[0]);
        issued += l->issued;
        lanes += l->thread_insns;
        tbs += l->tbs;
    }
    assert_int_equal(issued, kit_stat(plan.gpu, "sm.issued"));
    assert_int_equal(lanes, kit_stat(plan.gpu, "sm.thread_insns"));
    assert_int_equal(tbs, kit_stat(plan.gpu, "sm.tbs_done"));
    check_counters();
    kit_check_conservation(plan.gpu);
    return r.cycles;
}

void plan_check_worker(const step *s)
{
    for (uint32_t t = 0; t < s->launch.grid[0] * s->launch.block[0]; t++) {
        assert_int_equal(plan_out(s, t), s->params.trips + s->params.add);
    }
}
