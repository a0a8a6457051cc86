/* SPDX-License-Identifier: Apache-2.0 */
/* Context engines over fake SMs, under a policy that saves and restores at random: single TBs and
 * whole SMs, several engines at once, back on any SM. What memory holds is compared with the naive
 * format, what comes back with what was there, and TBs that nobody touched stay as they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "systems/context/engine.h"
#include "tests/systems/bench.h"

typedef struct rig {
    bench b;
    wr_system_hooks hooks;
    wr_context_area areas[WR_MAX_STREAMS];
    wr_context_engine engine[FAKE_SMS];
    wr_saved_tb away[BENCH_TBS];
    uint32_t away_count;
    uint32_t saves_left; /* requests that the policy has left */
    uint32_t saved, restored, finished, moved, waited;
    uint32_t came_from[BENCH_TBS]; /* SM on which a TB was saved */
    bool again;                    /* save a TB that is back in the same cycle */
    uint32_t agains;
    bool damaged;
} rig;

static uint32_t slots_free(const rig *r, uint32_t sm)
{
    uint32_t used = r->engine[sm].in_count;

    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        used += r->b.gpu->sm[sm].tb[t].valid;
    }
    uint32_t room = FAKE_WARPS / r->b.warps;

    room = room < FAKE_TBS ? room : FAKE_TBS;
    return used < room ? room - used : 0;
}

static uint64_t random_tbs(rig *r)
{
    switch (wr_rng_below(&r->b.rng, 4)) {
    case 0:
        return WR_ALL_TBS;
    case 1:
        return wr_rng_u64(&r->b.rng);
    default:
        return UINT64_C(1) << wr_rng_below(&r->b.rng, FAKE_TBS);
    }
}

static void save(rig *r, uint32_t id, uint64_t tbs)
{
    wr_context_engine *engine = &r->engine[id];
    wr_sm *sm = &r->b.gpu->sm[id];
    uint64_t got = wr_context_engine_save(engine, sm, tbs);

    assert_int_equal(got & ~tbs, 0);
    assert_int_equal(got & bench_coming(sm), 0);
    assert_int_equal(sm->stop & ~engine->open, 0);
    assert_int_equal(wr_context_engine_save(engine, sm, tbs), 0); /* they are asked for already */
}

/* Sends a TB that is away to an SM; where there is room, unless it may wait. */
static void restore(rig *r, bool may_wait)
{
    uint32_t i = wr_rng_below(&r->b.rng, r->away_count);
    uint32_t id = wr_rng_below(&r->b.rng, r->b.gpu->cfg.sms);

    if (slots_free(r, id) == 0) {
        if (!may_wait) {
            return;
        }
        r->waited++;
    }
    assert_true(wr_context_engine_restore(&r->engine[id], &r->b.gpu->sm[id], &r->away[i]));
    r->away[i] = r->away[--r->away_count];
}

/* An SM that is full, with a TB that waits for a place, gives one of its own away. */
static void make_room(rig *r)
{
    for (uint32_t id = 0; id < r->b.gpu->cfg.sms; id++) {
        if (r->engine[id].state == WR_CONTEXT_PLACE && slots_free(r, id) == 0) {
            save(r, id, UINT64_C(1) << wr_rng_below(&r->b.rng, FAKE_TBS));
        }
    }
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    rig *r = self;

    if (r->saves_left != 0 && wr_rng_chance(&r->b.rng, 2)) {
        r->saves_left--;
        save(r, wr_rng_below(&r->b.rng, gpu->cfg.sms), random_tbs(r));
    }
    if (r->away_count != 0 && wr_rng_chance(&r->b.rng, 3)) {
        restore(r, r->saves_left != 0);
    }
    if (r->saves_left == 0) {
        make_room(r);
    }
}

/* TBs of the SM, but this one and those that are on their way in, are as they were. */
static void check_others(rig *r, const wr_sm *sm, uint32_t linear)
{
    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        const wr_tb_info *tb = &sm->tb[t];

        if (tb->valid && tb->linear != linear && !sm->warp[tb->warp_base].placed &&
            !bench_compare_tb(&r->b, &r->b.tb[tb->linear], false)) {
            fail_msg("seed %llu: TB %u of SM %u changed while another was moved",
                     (unsigned long long)r->b.seed, tb->linear, sm->id);
        }
    }
}

static void handle(rig *r, wr_sm *sm, const wr_context_event *event)
{
    uint32_t linear = event->tb.info.linear;
    bench_tb *tb = &r->b.tb[linear];

    if (event->what == WR_CONTEXT_FINISHED) {
        assert_false(tb->lives);
        r->finished++;
    } else if (event->what == WR_CONTEXT_SAVED) {
        for (uint32_t i = 0; i < r->away_count; i++) {
            assert_int_not_equal(r->away[i].entry, event->tb.entry);
        }
        r->came_from[linear] = sm->id;
        r->away[r->away_count++] = event->tb;
        r->saved++;
    } else {
        assert_int_equal(tb->slot, event->slot);
        assert_int_equal(tb->sm, sm->id);
        if (!bench_compare_tb(&r->b, tb, true)) {
            fail_msg("seed %llu: TB %u came back different on SM %u", (unsigned long long)r->b.seed,
                     linear, sm->id);
        }
        r->moved += r->came_from[linear] != sm->id;
        r->restored++;
        if (r->again && r->agains < 50) {
            r->agains++;
            assert_int_equal(
                wr_context_engine_save(&r->engine[sm->id], sm, UINT64_C(1) << event->slot),
                UINT64_C(1) << event->slot);
        } else {
            bench_scramble_tb(&r->b, tb);
        }
    }
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    rig *r = self;
    wr_context_engine *engine = &r->engine[sm->id];

    if (wr_context_engine_idle(engine) || engine->state == WR_CONTEXT_FAILED) {
        return;
    }
    wr_context_engine_step(engine, sm);
    if (engine->state == WR_CONTEXT_FAILED && !r->b.gpu->aborted[0]) {
        wr_gpu_abort(r->b.gpu, engine->message);
    }
    bench_follow(&r->b);
    for (uint32_t i = 0; i < engine->event_count; i++) {
        check_others(r, sm, engine->event[i].tb.info.linear);
        handle(r, sm, &engine->event[i]);
    }
}

static rig *open_kind(uint64_t seed, uint32_t sms, wr_backend backend, wr_context_kind kind,
                      uint32_t entries)
{
    rig *r = calloc(1, sizeof *r);
    char err[512];

    assert_non_null(r);
    bench_open_bare(&r->b, seed, sms, kind);
    r->b.gpu->entries = entries;
    assert_true(wr_context_area_prepare(&r->areas[0], r->b.gpu, &r->b.launch, kind, entries));
    for (uint32_t i = 0; i < sms; i++) {
        if (!wr_context_engine_open(&r->engine[i], &r->b.gpu->cfg, &(wr_behind){.backend = backend},
                                    i % WR_MAX_OWNERS, r->areas, kind, 1, err, sizeof err)) {
            fail_msg("%s", err);
        }
    }
    r->hooks = (wr_system_hooks){.self = r, .gpu_cycle = on_gpu_cycle, .sm_cycle = on_sm_cycle};
    r->b.gpu->hooks = &r->hooks;
    return r;
}

static rig *open_rig(uint64_t seed, uint32_t sms, wr_backend backend, uint32_t entries)
{
    return open_kind(seed, sms, backend, WR_CONTEXT_BY_WARP, entries);
}

static void close_rig(rig *r)
{
    for (uint32_t i = 0; i < r->b.gpu->cfg.sms; i++) {
        wr_context_engine_close(&r->engine[i]);
    }
    bench_close(&r->b);
    free(r);
}

/* All engines are idle, and nothing is away. */
static bool quiet(const rig *r)
{
    bool idle = r->away_count == 0;

    for (uint32_t i = 0; i < r->b.gpu->cfg.sms; i++) {
        idle &= wr_context_engine_idle(&r->engine[i]);
        assert_true(r->b.gpu->sm[i].attend == !wr_context_engine_idle(&r->engine[i]));
    }
    return idle;
}

/* Runs until the policy has no request left and all is back. */
static void run(rig *r, uint64_t limit)
{
    for (uint64_t i = 0; r->saves_left != 0 || !quiet(r); i++) {
        if (i == limit) {
            fail_msg("seed %llu: not quiet after %llu cycles", (unsigned long long)r->b.seed,
                     (unsigned long long)limit);
        }
        fake_cycle(r->b.gpu);
        if (r->b.gpu->aborted[0]) {
            return;
        }
    }
}

static void moves(wr_backend backend, wr_context_kind kind, uint32_t seeds, uint32_t requests)
{
    uint64_t seed = bench_seed(17);
    uint32_t saved = 0;
    uint32_t moved = 0;
    uint32_t finished = 0;
    uint32_t waited = 0;
    uint64_t wholes = 0;

    for (uint32_t i = 0; i < seeds; i++) {
        rig *r = open_kind(seed + i, FAKE_SMS, backend, kind, FAKE_SMS * FAKE_TBS);

        bench_fill(&r->b);
        r->saves_left = requests;
        r->again = i % 4 == 3;
        run(r, 300000);
        if (r->b.gpu->aborted[0]) {
            fail_msg("seed %llu: %s", (unsigned long long)r->b.seed, r->b.gpu->aborted);
        }
        assert_int_equal(r->areas[0].taken, 0);
        assert_int_equal(r->saved, r->restored);
        assert_int_equal(r->b.gpu->evictions, r->saved);
        assert_int_equal(r->b.checked_saves, r->saved);
        for (uint32_t s = 0; s < FAKE_SMS; s++) {
            assert_true(r->b.gpu->sm[s].most_in_a_cycle <= 1);
            assert_int_equal(r->b.gpu->sm[s].stop, 0);
            check_others(r, &r->b.gpu->sm[s], UINT32_MAX);
        }
        saved += r->saved;
        moved += r->moved;
        finished += r->finished;
        waited += r->waited;
        wholes += r->b.expect_wholes;
        close_rig(r);
    }
    print_message("%s, %s: %u TBs saved and restored, %u of them on another SM, %u had to wait; %u "
                  "finished before they were saved; %llu saved as a whole\n",
                  wr_context_kind_names[kind], wr_backend_name(backend), saved, moved, waited,
                  finished, (unsigned long long)wholes);
    assert_true(kind == WR_CONTEXT_BY_TB ? wholes > saved / 8 && wholes < saved : wholes == 0);
    assert_true(moved > saved / 3 && (seeds < 40 || (finished > 0 && waited > 0)));
}

static void each_kind(wr_backend backend, uint32_t seeds, uint32_t requests)
{
    for (uint32_t kind = 0; kind < WR_CONTEXT_KINDS; kind++) {
        moves(backend, (wr_context_kind)kind, seeds, requests);
    }
}

static void test_model(void **state)
{
    (void)state;
    each_kind(WR_BACKEND_MODEL, 40, 60);
}

static void test_blocks(void **state)
{
    (void)state;
    each_kind(WR_BACKEND_LOCKSTEP, 4, 60);
    each_kind(WR_BACKEND_RTL, 4, 60);
}

/* Two warps a TB and slow memory, so that what is meant to happen meanwhile can. */
static rig *slow_rig(uint64_t *seed, uint32_t entries)
{
    for (;; ++*seed) {
        rig *r = open_rig(*seed, 2, WR_BACKEND_MODEL, entries);

        if (r->b.warps == 2 && r->b.shared_bytes > 1000) {
            r->b.gpu->refuse = 80;
            r->b.gpu->delay = 30;
            r->b.gpu->stop_delay = 0;
            return r;
        }
        close_rig(r);
    }
}

/* Puts one more TB on an SM, which stops `after` cycles after it is told to. */
static uint32_t add_tb(rig *r, uint32_t sm, uint32_t after)
{
    bench *b = &r->b;
    bench_tb *tb = &b->tb[b->tbs];
    uint32_t slot = fake_place(&b->gpu->sm[sm], &b->launch, b->tbs, b->regs, b->shared_bytes);

    assert_int_not_equal(slot, UINT32_MAX);
    *tb = (bench_tb){.lives = true, .sm = sm, .slot = slot};
    for (uint32_t w = 0; w < b->warps; w++) {
        b->gpu->sm[sm].warp[b->gpu->sm[sm].tb[slot].warp_base + w].delay = after;
    }
    b->tbs++;
    bench_scramble_tb(b, tb);
    return slot;
}

/* Cycles that the blocks are clocked for a TB where nothing waits but for the register file's port:
 * a warp of n registers is saved in c (n - 1) + 6 cycles, or one more where its last register
 * fills a segment and begins another; one without in 2. */
static void check_port(uint64_t seed, uint32_t bytes_per_cycle)
{
    rig *r = open_rig(seed, 1, WR_BACKEND_MODEL, 4);
    wr_gpu *gpu = r->b.gpu;
    uint32_t c = 128 / bytes_per_cycle;
    uint64_t least = 0;
    uint64_t allocated = 0;

    wr_context_engine_close(&r->engine[0]);
    gpu->refuse = 0;
    gpu->delay = 0;
    gpu->stop_delay = 0;
    gpu->cfg.context.rf_bytes_per_cycle = bytes_per_cycle;
    assert_true(wr_context_engine_open(&r->engine[0], &gpu->cfg,
                                       &(wr_behind){.backend = WR_BACKEND_MODEL}, 0, r->areas,
                                       WR_CONTEXT_BY_WARP, 1, (char[64]){0}, 64));
    (void)add_tb(r, 0, 0);
    for (uint32_t w = 0; w < r->b.warps; w++) {
        uint32_t n = (uint32_t)__builtin_popcountll(r->b.tb[0].warp[w].live);

        least += n != 0 ? c * (n - 1) + 6 : 2;
        allocated += c * r->b.regs;
    }
    save(r, 0, 1u << r->b.tb[0].slot);
    while (r->restored == 0) {
        fake_cycle(gpu);
    }
    uint64_t saving = wr_port_get_stats(r->engine[0].port[0]).cycles;
    uint64_t restoring = wr_port_get_stats(r->engine[0].port[1]).cycles;

    assert_in_range(saving, least, least + r->b.warps);
    assert_true(restoring + c > allocated); /* the last register's port is not waited for */
    close_rig(r);
}

static void test_register_port(void **state)
{
    uint64_t seed = bench_seed(6);

    (void)state;
    for (uint32_t i = 0; i < 30; i++) {
        check_port(seed + i, 128u >> i % 3);
    }
}

/* One TB goes, the others of the SM are not stopped for a cycle. */
static void test_others_run_on(void **state)
{
    uint64_t seed = bench_seed(1);
    rig *r = slow_rig(&seed, 8);
    wr_sm *sm = &r->b.gpu->sm[0];

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        (void)add_tb(r, 0, 0);
    }
    uint32_t slot = r->b.tb[2].slot;

    save(r, 0, UINT64_C(1) << slot);
    while (r->restored == 0) {
        for (uint32_t w = 0; w < FAKE_WARPS; w++) {
            const wr_tb_info *tb = &sm->tb[sm->warp[w].tb_slot];

            assert_true(!sm->warp[w].valid || !sm->warp[w].stopped || tb->linear == 2);
        }
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->saved, 1);
    assert_int_equal(r->engine[0].record.sums.tbs, 1);
    assert_int_equal(r->engine[0].record.latency,
                     r->engine[0].record.drain + r->engine[0].record.spill);
    close_rig(r);
}

/* A TB finishes while the engine is busy with another, and the dispatcher fills its slot: the new
 * TB is neither saved nor kept. */
static void test_finished_slot_is_filled(void **state)
{
    uint64_t seed = bench_seed(2);
    rig *r = slow_rig(&seed, 8);
    wr_sm *sm = &r->b.gpu->sm[0];

    (void)state;
    uint32_t first = add_tb(r, 0, 0);
    uint32_t second = add_tb(r, 0, 20);
    uint32_t third = add_tb(r, 0, 0);

    for (uint32_t w = 0; w < 2; w++) {
        sm->warp[sm->tb[second].warp_base + w].finishes = true;
    }
    r->saves_left = 1; /* the policy keeps still: see restore */
    save(r, 0, UINT64_C(1) << first | UINT64_C(1) << second);
    while (sm->tb[second].valid) {
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->finished, 0);         /* the engine has not seen it yet */
    for (uint32_t t = 0; t < FAKE_TBS; t++) { /* only its slot is free */
        sm->tb[t].valid |= t != second;
    }
    assert_int_equal(add_tb(r, 0, 0), second);
    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        sm->tb[t].valid = t == first || t == second || t == third;
    }
    (void)wr_context_engine_save(&r->engine[0], sm, UINT64_C(1) << third);
    while (r->saved < 2) {
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->finished, 1);
    assert_true(sm->tb[second].valid && sm->tb[second].linear == 3);
    assert_int_equal(sm->stop, 0);
    for (uint32_t w = 0; w < 2; w++) {
        assert_false(sm->warp[sm->tb[second].warp_base + w].stopped);
    }
    close_rig(r);
}

/* A TB of which a warp is away is saved when that is back. */
static void test_warp_away(void **state)
{
    uint64_t seed = bench_seed(5);
    rig *r = slow_rig(&seed, 8);
    wr_sm *sm = &r->b.gpu->sm[0];
    uint32_t slot = add_tb(r, 0, 0);

    (void)state;
    sm->away[slot] = 2;
    save(r, 0, UINT64_C(1) << slot);
    for (uint32_t i = 0; i < 3000; i++) {
        fake_cycle(r->b.gpu);
    }
    assert_true(r->saved == 0 && sm->tb[slot].valid);
    assert_true(r->engine[0].tb[slot].saved == 1); /* the other warp's registers */
    assert_in_range(r->engine[0].record.drain, 2000, 3000);
    assert_in_range(r->engine[0].record.stop, 2900, 3000);
    sm->away[slot] = 0;
    while (r->restored == 0) {
        fake_cycle(r->b.gpu);
    }
    assert_int_equal(r->saved, 1);
    close_rig(r);
}

/* More TBs away than the control block has entries. */
static void test_no_entry_left(void **state)
{
    uint64_t seed = bench_seed(4);
    rig *r = slow_rig(&seed, 2);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        (void)add_tb(r, 0, 0);
    }
    save(r, 0, WR_ALL_TBS);
    r->hooks.gpu_cycle = NULL;
    for (uint32_t i = 0; i < 100000 && !r->b.gpu->aborted[0]; i++) {
        fake_cycle(r->b.gpu);
    }
    assert_non_null(strstr(r->b.gpu->aborted, "context engine of SM 0: all 2 entries of the "
                                              "context control block are taken by saved TBs"));
    close_rig(r);
}

static void break_pointer(bench *b, const bench_tb *tb)
{
    fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb])[6] ^= 0x55;
}

/* Registers that would end one segment behind the context area. */
static uint64_t beyond_the_area;

static void lead_outside(bench *b, const bench_tb *tb)
{
    wr_context_put64(fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb]), beyond_the_area);
}

/* Memory that is damaged while the TB is away gives a message of the SM that reads it. */
static void damaged_elsewhere(void (*tamper)(bench *, const bench_tb *))
{
    uint64_t seed = bench_seed(5);
    rig *r = slow_rig(&seed, 2);
    wr_gpu *gpu = r->b.gpu;
    const wr_context_area *area = &r->areas[0];

    beyond_the_area = area->base + area->bytes - area->regs_bytes + WR_CTX_SEGMENT;
    (void)add_tb(r, 0, 0);
    r->b.tamper = tamper;
    r->hooks.gpu_cycle = NULL;
    save(r, 0, WR_ALL_TBS);
    while (r->saved == 0) {
        fake_cycle(gpu);
    }
    assert_true(wr_context_engine_restore(&r->engine[1], &gpu->sm[1], &r->away[0]));
    for (uint32_t i = 0; i < 10000 && !gpu->aborted[0]; i++) {
        fake_cycle(gpu);
    }
    assert_non_null(strstr(gpu->aborted, "context engine of SM 1: context of TB 0 in simulated "
                                         "memory is damaged: a pointer of its control block"));
    close_rig(r);
}

static void test_damaged_elsewhere(void **state)
{
    (void)state;
    damaged_elsewhere(break_pointer);
    damaged_elsewhere(lead_outside);
}

/* The machine has not the sizes of the format. */
static void test_other_machine(void **state)
{
    wr_gpu *gpu = fake_create(1, 1);
    wr_context_engine *engine = malloc(sizeof *engine);
    char err[256] = "";

    (void)state;
    assert_non_null(engine);
    gpu->cfg.context.pad_bytes = 64;
    assert_false(wr_context_engine_open(engine, &gpu->cfg,
                                        &(wr_behind){.backend = WR_BACKEND_MODEL}, 0, NULL,
                                        WR_CONTEXT_BY_WARP, 1, err, sizeof err));
    assert_non_null(strstr(err, "context.pad_bytes 32"));
    wr_context_engine_close(engine);
    free(engine);
    fake_destroy(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_register_port),
        cmocka_unit_test(test_others_run_on),
        cmocka_unit_test(test_finished_slot_is_filled),
        cmocka_unit_test(test_warp_away),
        cmocka_unit_test(test_no_entry_left),
        cmocka_unit_test(test_damaged_elsewhere),
        cmocka_unit_test(test_other_machine),
        cmocka_unit_test(test_blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
