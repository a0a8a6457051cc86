/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of different priority and their watcher; see rivals.h. */
#include "tests/systems/rivals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/compiler/text.h"
#include "tests/core/kit.h"

enum { REUSED = 768 }; /* words that only RIVALS_REUSES loads, behind its own */

rivals rivals_now;

/* The TB's number is read twice: for the value at the start, for the address behind the loop. */
static wr_module *compile(rivals_kind kind)
{
    static const char atomic[] = "atom.global.add.u32 %r20, [%r1], 1;\n";
    static const char product[] = "setp.ge.u32 %p1, %r2, 32;\n"
                                  "@%p1 mad.lo.u32 %r9, %r2, %r3, %r9;\n@%p1 bra M;\n";
    static const char place[] = "mov.u32 %r12, %nctaid.x;\nmov.u32 %r13, %ntid.x;\n"
                                "mul.lo.u32 %r12, %r12, %r13;\nsub.u32 %r12, %r12, 1;\n"
                                "mov.u32 %r14, %ctaid.x;\nmad.lo.u32 %r14, %r14, %r13, %r2;\n";
    static const char read[] =
        "mul.lo.u32 %r13, %r14, 37;\nmad.lo.u32 %r13, %r8, 101, %r13;\nand.b32 %r13, %r13, %r12;\n"
        "shl.b32 %r13, %r13, 2;\nadd.u32 %r13, %r1, %r13;\n"
        "ld.volatile.global.u32 %r15, [%r13+4];\n";
    static const char reuse[] = "and.b32 %r13, %r8, 3;\nmad.lo.u32 %r13, %r13, 256, %r14;\n"
                                "shl.b32 %r13, %r13, 2;\n"
                                "add.u32 %r13, %r1, %r13;\nld.global.u32 %r15, [%r13+4];\n"
                                "shr.u32 %r15, %r15, 31;\nadd.u32 %r9, %r9, %r15;\n";
    char body[2048];
    wr_compile_options options = {.max_regs = 63, .pp_interval = 10};

    (void)snprintf(body, sizeof body,
                   "%smov.u32 %%r9, %%ctaid.x;\nmov.u32 %%r8, 0;\n%s%s"
                   "L:\n%sadd.u32 %%r9, %%r9, %%r2;\nadd.u32 %%r8, %%r8, 1;\n"
                   "setp.lt.u32 %%p1, %%r8, %%r3;\n@%%p1 bra L;\nM:\n%s"
                   "mov.u32 %%r4, %%ctaid.x;\nmov.u32 %%r5, %%ntid.x;\n"
                   "mad.lo.u32 %%r6, %%r4, %%r5, %%r2;\nshl.b32 %%r6, %%r6, 2;\n"
                   "add.u32 %%r7, %%r1, %%r6;\nst.global.u32 [%%r7+4], %%r9;\n",
                   kind == RIVALS_SPOILT ? atomic : "", kind == RIVALS_UNEVEN ? product : "",
                   kind == RIVALS_READS || kind == RIVALS_REUSES ? place : "",
                   kind == RIVALS_READS    ? read
                   : kind == RIVALS_REUSES ? reuse
                                           : "",
                   kind == RIVALS_SPOILT_LATE ? atomic : "");
    return wr_test_compile(body, 32, &options);
}

static const wr_launch *next(void *self, uint32_t stream)
{
    rival *r = &rivals_now.rival[stream];
    bool was = r->asked;

    (void)self;
    r->asked = true;
    return was ? NULL : &r->launch;
}

static bool done(void *self, uint32_t stream, const wr_launch_result *result)
{
    (void)self;
    rivals_now.rival[stream].result = *result;
    return true;
}

static bool is_absent(const wr_tb_info *tb)
{
    const wr_preemption *p = rivals_now.p;
    uint32_t times = 0;

    for (uint32_t i = 0; p && i < p->absent_count; i++) {
        const wr_tb_info *a = &p->absent[i].tb.info;

        times += a->stream == tb->stream && a->linear == tb->linear;
    }
    assert_true(times <= 1);
    return times == 1;
}

static void see_tb(const wr_tb_info *tb)
{
    rival *r = &rivals_now.rival[tb->stream];

    assert_true(tb->linear < RIVALS_TBS);
    assert_ptr_equal(tb->launch, &r->launch);
    if (tb->issued < r->issued[tb->linear]) {
        r->losses[tb->linear]++;
        assert_true(r->losses[tb->linear] <= WR_PREEMPT_FLUSHES);
    }
    r->issued[tb->linear] = tb->issued;
}

static void see_absent(void)
{
    const wr_preemption *p = rivals_now.p;
    uint32_t streams = 0;

    for (uint32_t i = 0; i < p->absent_count; i++) {
        assert_true(is_absent(&p->absent[i].tb.info));
        assert_true(p->absent[i].tb.tag <= WR_PREEMPT_FLUSHES);
        streams |= 1u << p->absent[i].tb.info.stream;
    }
    uint32_t count = (uint32_t)__builtin_popcount(streams);

    rivals_now.most_streams = count > rivals_now.most_streams ? count : rivals_now.most_streams;
}

static void on_cycle(void *self, wr_gpu *gpu)
{
    const wr_preemption *p = rivals_now.p;
    bool seen[RIVALS_MOST][RIVALS_TBS] = {0};
    uint32_t leaving = 0;

    (void)self;
    for (uint32_t id = 0; id < wr_gpu_sm_count(gpu); id++) {
        for (uint32_t slot = 0; slot < wr_sm_tb_slots(wr_gpu_sm(gpu, id)); slot++) {
            wr_tb_info tb = wr_sm_tb(wr_gpu_sm(gpu, id), slot);

            if (tb.valid) {
                see_tb(&tb);
                assert_false(seen[tb.stream][tb.linear]);
                assert_false(is_absent(&tb));
                seen[tb.stream][tb.linear] = true;
            }
        }
        leaving += p && p->units[id].leaving && !p->units[id].by_signal;
    }
    if (p) {
        see_absent();
    }
    rivals_now.most_leaving = leaving > rivals_now.most_leaving ? leaving : rivals_now.most_leaving;
    if (rivals_now.look) {
        rivals_now.look();
    }
}

static uint64_t every_cycle(void *self, uint64_t now)
{
    (void)self;
    return rivals_now.look ? now + 1 : UINT64_MAX;
}

static void on_placed(void *self, wr_sm *sm, uint32_t slot)
{
    const wr_preemption *p = rivals_now.p;
    wr_tb_info tb = wr_sm_tb(sm, slot);
    uint32_t waits = 0;

    (void)self;
    if (!p) {
        return;
    }
    assert_false(wr_preempt_waits(p, &waits) && waits > tb.launch->priority);
    for (uint32_t i = 0; i < p->absent_count; i++) {
        const wr_absent *a = &p->absent[i];

        assert_true(a->home != UINT32_MAX || a->tb.info.launch->priority < tb.launch->priority);
    }
}

static void on_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    (void)self;
    (void)sm;
    (void)slot;
    if (rivals_now.rival[stream].first_end == 0) {
        rivals_now.rival[stream].first_end = wr_gpu_cycle(rivals_now.gpu);
    }
}

static void close_all(void)
{
    for (uint32_t i = 0; i < rivals_now.count; i++) {
        wr_module_free(rivals_now.rival[i].module);
    }
    wr_gpu_free(rivals_now.gpu);
    wr_system_group_close(rivals_now.systems);
    memset(&rivals_now, 0, sizeof rivals_now);
}

int rivals_teardown(void **state)
{
    (void)state;
    close_all();
    return 0;
}

void rivals_open(const char *spec, uint32_t sms)
{
    rivals_open_tuned(spec, sms, NULL);
}

void rivals_open_tuned(const char *spec, uint32_t sms, void (*tune)(wr_gpu_config *cfg))
{
    rivals *r = &rivals_now;
    const wr_system_hooks *tables[2];
    uint32_t count = 0;
    char err[512];

    close_all();
    r->cfg = kit_config();
    r->cfg.sms = sms;
    if (tune) {
        tune(&r->cfg);
    }
    r->gpu = wr_gpu_create(&r->cfg);
    assert_non_null(r->gpu);
    r->watcher = (wr_system_hooks){.gpu_cycle = on_cycle,
                                   .next_cycle = every_cycle,
                                   .tb_placed = on_placed,
                                   .tb_done = on_done};
    if (spec) {
        r->systems = wr_system_group_open(&spec, 1, NULL, &r->cfg, err, sizeof err);
        if (!r->systems) {
            fail_msg("%s", err);
        }
        tables[count++] = wr_system_group_hooks(r->systems);
        r->system = tables[0]->self; /* a lone system's table is used as it is */
        r->p = strncmp(spec, "preemption", strlen("preemption")) == 0 ? r->system : NULL;
    }
    tables[count++] = &r->watcher;
    wr_gpu_attach(r->gpu, wr_chain_join(&r->chain, tables, count));
}

void rivals_listen(void (*issued)(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes))
{
    rivals *r = &rivals_now;
    const wr_system_hooks *tables[2] = {wr_system_group_hooks(r->systems), &r->watcher};

    r->watcher.warp_issued = issued;
    wr_gpu_attach(r->gpu, wr_chain_join(&r->chain, tables, 2));
}

rival *rivals_add(rivals_kind kind, uint32_t grid, uint32_t block, uint32_t n, uint32_t priority,
                  uint64_t at)
{
    rival *r = &rivals_now.rival[rivals_now.count];

    assert_true(rivals_now.count < RIVALS_MOST && grid <= RIVALS_TBS);
    rivals_now.count++;
    r->spoils = kind == RIVALS_SPOILT || kind == RIVALS_SPOILT_LATE;
    r->module = compile(kind);
    r->params.out = (uint32_t)wr_gpu_alloc(
        rivals_now.gpu, (uint64_t)(grid * block + 1 + (kind == RIVALS_REUSES ? REUSED : 0)) * 4,
        256);
    r->params.n = n;
    r->launch = (wr_launch){.kernel = &r->module->kernels[0],
                            .grid = {grid, 1, 1},
                            .block = {block, 1, 1},
                            .params = (const uint8_t *)&r->params,
                            .priority = priority,
                            .not_before = at};
    return r;
}

static uint32_t word(const rival *r, uint32_t i)
{
    uint32_t value;

    assert_true(wr_gpu_read(rivals_now.gpu, r->params.out + 4 * (uint64_t)i, &value, 4));
    return value;
}

static void check_output(const rival *r)
{
    uint32_t block = r->launch.block[0];

    assert_int_equal(word(r, 0), r->spoils ? r->launch.grid[0] * block : 0);
    for (uint32_t c = 0; c < r->launch.grid[0]; c++) {
        for (uint32_t t = 0; t < block; t++) {
            assert_int_equal(word(r, 1 + c * block + t), r->params.n * t + c);
        }
    }
}

wr_run_result rivals_try(void)
{
    wr_streams streams = {.next = next, .done = done, .count = rivals_now.count};

    return wr_gpu_run_streams(rivals_now.gpu, &streams, 5000000, NULL, NULL);
}

uint64_t rivals_run(void)
{
    wr_run_result result = rivals_try();

    if (result.status != WR_RUN_DONE) {
        fail_msg("%s", result.message);
    }
    for (uint32_t i = 0; i < rivals_now.count; i++) {
        const rival *r = &rivals_now.rival[i];

        check_output(r);
        assert_int_equal(r->result.tbs, r->launch.grid[0]);
        rivals_now.issued += r->result.issued;
    }
    kit_check_conservation(rivals_now.gpu);
    if (rivals_now.p) {
        assert_int_equal(rivals_now.p->absent_count, 0);
        assert_int_equal(rivals_now.p->busy, 0);
    }
    return result.cycles;
}
