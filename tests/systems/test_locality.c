/* SPDX-License-Identifier: Apache-2.0 */
/* System locality on the real shell, beside the naive oracle of its block: each scheduler's warps
 * are told to an oracle of its own as they come and go, and in every cycle the warp that issues is
 * the one that the oracle grants of those that could. And which TBs an SM gets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "systems/frame/chain.h"
#include "systems/locality/state.h"
#include "tests/oracle/locality_grouper_oracle.h"
#include "tests/systems/jobs.h"
#include "tests/systems/rows.h"

enum { SMS = 3, MOST_NEWS = 512 };

typedef struct news {
    bool comes, config;
    unsigned slot, x, y, warp, hint, groups;
} news;

/* A scheduler, as the test sees it. */
typedef struct seen {
    wr_oracle_grouper oracle;
    news queue[MOST_NEWS]; /* what the block has not been told yet */
    unsigned count;
    wr_oracle_grouper_in in; /* of this cycle */
    uint64_t candidates;
    bool asked;
    uint32_t issued; /* first warp to issue in this cycle; UINT32_MAX: none */
} seen;

typedef struct watch {
    wr_system_hooks hooks;
    wr_gpu *gpu;
    uint32_t sms, schedulers;
    wr_tb_sharing hint; /* of all launches; WR_TB_SHARINGS: the launch's */
    uint32_t groups;    /* 0: warps of a TB on a scheduler */
    seen of[SMS][WR_CONFIG_MAX_SCHEDULERS];
    uint64_t told[SMS], done[SMS];
    uint64_t grants, switches, waits;
    uint64_t left; /* warps that left in front of their end */
    uint64_t part, tbs, last[SMS], placed, runs;
    wr_locality_spread spread;
} watch;
static watch w;

static void say(uint32_t sm, uint32_t scheduler, news n)
{
    seen *s = &w.of[sm][scheduler];

    assert_true(s->count < MOST_NEWS);
    s->queue[s->count++] = n;
}

/* First those that went, then those that came, by warp slot. */
static void look_at_warps(uint32_t id)
{
    wr_sm *sm = wr_gpu_sm(w.gpu, id);
    const uint64_t live = wr_sm_live_warps(sm);

    for (uint32_t k = 0; k < 64; k++) {
        if ((w.told[id] >> k & 1) != 0 && ((live >> k & 1) == 0 || (w.done[id] >> k & 1) != 0)) {
            say(id, k % w.schedulers, (news){.slot = k / w.schedulers});
            w.told[id] &= ~(UINT64_C(1) << k);
        }
    }
    for (uint32_t k = 0; k < 64; k++) {
        if ((live >> k & 1) != 0 && (w.told[id] >> k & 1) == 0) {
            const wr_warp_info warp = wr_sm_warp(sm, k);
            const wr_tb_info tb = wr_sm_tb(sm, warp.tb_slot);

            say(id, k % w.schedulers,
                (news){.comes = true,
                       .slot = k / w.schedulers,
                       .x = tb.ctaid[0] % 256,
                       .y = tb.ctaid[1] % 256,
                       .warp = warp.index});
            w.told[id] |= UINT64_C(1) << k;
        }
    }
    w.done[id] = 0;
}

static void on_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    const wr_tb_sharing hint = w.hint == WR_TB_SHARINGS ? (wr_tb_sharing)launch->hint : w.hint;
    const uint32_t warps = (launch->block[0] * launch->block[1] * launch->block[2] + 31) / 32;
    const uint32_t groups = w.groups ? w.groups : (warps + w.schedulers - 1) / w.schedulers;

    (void)self;
    (void)stream;
    w.gpu = gpu;
    w.tbs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    w.part = wr_gpu_occupancy(wr_gpu_configuration(gpu), launch).tbs;
    for (uint32_t i = 0; i < w.sms; i++) {
        look_at_warps(i);
        w.last[i] = UINT64_MAX;
        for (uint32_t s = 0; s < w.schedulers; s++) {
            say(i, s, (news){.config = true, .hint = hint, .groups = groups});
        }
    }
    w.placed = 0;
}

static void on_placed(void *self, wr_sm *sm, uint32_t slot)
{
    const uint32_t id = wr_sm_id(sm);
    const uint64_t tb = wr_sm_tb(sm, slot).linear;

    (void)self;
    if (w.spread == WR_LOCALITY_CHUNK) {
        assert_true(w.last[id] == UINT64_MAX ? tb == w.tbs * id / w.sms : w.last[id] == tb - 1);
        assert_true(tb < w.tbs * (id + 1) / w.sms);
    } else if (w.spread == WR_LOCALITY_WAVE) {
        assert_true(tb % w.part == 0 || w.last[id] == tb - 1);
    } else {
        assert_int_equal(tb, w.placed);
    }
    w.runs += w.last[id] == tb - 1;
    w.last[id] = tb;
    w.placed++;
}

static uint32_t on_choose(void *self, wr_sm *sm, uint32_t scheduler, uint64_t candidates)
{
    seen *s = &w.of[wr_sm_id(sm)][scheduler];

    (void)self;
    assert_false(s->asked);
    s->asked = true;
    s->candidates = candidates;
    return UINT32_MAX;
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    seen *s = &w.of[wr_sm_id(sm)][warp % w.schedulers];

    (void)self;
    (void)lanes;
    assert_true(s->asked);
    assert_true(s->issued == UINT32_MAX || s->issued == warp); /* its second instruction */
    s->issued = warp;
}

static void on_done(void *self, wr_sm *sm, uint32_t warp)
{
    (void)self;
    w.done[wr_sm_id(sm)] |= UINT64_C(1) << warp;
}

static void on_left(void *self, wr_sm *sm, uint64_t warps)
{
    (void)self;
    w.left += (uint64_t)__builtin_popcountll(warps & ~w.done[wr_sm_id(sm)] & w.told[wr_sm_id(sm)]);
    w.done[wr_sm_id(sm)] |= warps;
}

/* What the block is told in the next cycle: one of each kind, in their order, never of one slot at
 * once; a hint by itself. */
static void feed(seen *s)
{
    unsigned used = 0;

    for (; used < s->count && used < 2; used++) {
        const news *n = &s->queue[used];

        if (used == 1 && (n->config || s->queue[0].config || n->comes == s->queue[0].comes ||
                          n->slot == s->queue[0].slot)) {
            break;
        }
        if (n->config) {
            s->in.cfg = true;
            s->in.hint = n->hint;
            s->in.groups = n->groups;
        } else if (n->comes) {
            s->in.launch = true;
            s->in.launch_slot = n->slot;
            s->in.block_x = n->x;
            s->in.block_y = n->y;
            s->in.warp = n->warp;
        } else {
            s->in.finish = true;
            s->in.finish_slot = n->slot;
        }
    }
    s->count -= used;
    memmove(s->queue, s->queue + used, s->count * sizeof s->queue[0]);
}

static void look_at_scheduler(uint32_t id, uint32_t scheduler)
{
    seen *s = &w.of[id][scheduler];

    if (s->asked) {
        for (uint32_t k = 0; k < 64; k++) {
            s->in.ready[k / w.schedulers] |= (s->candidates >> k & 1) != 0;
        }
        const wr_oracle_grant grant = wr_oracle_grouper_grant(&s->oracle, s->in.ready);
        const uint32_t want = grant.valid ? grant.slot * w.schedulers + scheduler : UINT32_MAX;

        if (s->issued != want) {
            fail_msg("SM %u, scheduler %u, cycle %lu: warp %d issues, not %d", id, scheduler,
                     wr_gpu_cycle(w.gpu), (int)s->issued, (int)want);
        }
        s->in.issue = grant.valid;
        w.grants += grant.valid;
        w.switches += grant.valid && grant.other_group;
        w.waits += !grant.valid;
    }
    wr_oracle_grouper_clock(&s->oracle, &s->in);
    memset(&s->in, 0, sizeof s->in);
    s->asked = false;
    s->issued = UINT32_MAX;
}

static void on_cycle(void *self, wr_gpu *gpu)
{
    (void)self;
    (void)gpu;
    for (uint32_t i = 0; i < w.sms; i++) {
        look_at_warps(i);
        for (uint32_t s = 0; s < w.schedulers; s++) {
            look_at_scheduler(i, s);
            feed(&w.of[i][s]);
        }
    }
}

static uint64_t every_cycle(void *self, uint64_t now)
{
    (void)self;
    return now + 1;
}

typedef struct rows_seen {
    uint64_t grants, switches, waits, hinted;
} rows_seen;

static void note_row(void *arg, const wr_row *row)
{
    rows_seen *r = arg;

    r->grants = strcmp(row->name, "grants") == 0 ? row->count : r->grants;
    r->switches = strcmp(row->name, "switches") == 0 ? row->count : r->switches;
    r->waits = strcmp(row->name, "waits") == 0 ? row->count : r->waits;
    r->hinted += strncmp(row->name, "launches.", 9) == 0 && strcmp(row->name, "launches.none") != 0
                     ? row->count
                     : 0;
}

static wr_gpu_config machine(const char *name, uint32_t schedulers)
{
    wr_gpu_config cfg = jobs_config(name);

    cfg.sms = SMS;
    cfg.sm.schedulers = schedulers != 0 ? schedulers : cfg.sm.schedulers;
    return cfg;
}

static uint64_t run_watched(const char *file, const wr_gpu_config *cfg, const char *spec,
                            const char *beside, wr_tb_sharing hint, uint32_t groups,
                            wr_locality_spread spread)
{
    const char *const specs[] = {spec, beside};
    char err[256];
    wr_chain chain;
    rows_seen rows = {0};
    wr_job job;
    wr_system_group *systems =
        wr_system_group_open(specs, beside ? 2 : 1, NULL, cfg, err, sizeof err);

    if (systems == NULL) {
        fail_msg("%s", err);
    }
    memset(&w, 0, sizeof w);
    w.sms = SMS;
    w.schedulers = cfg->sm.schedulers;
    w.hint = hint;
    w.groups = groups;
    w.spread = spread;
    for (uint32_t i = 0; i < SMS * w.schedulers; i++) {
        seen *s = &w.of[i / w.schedulers][i % w.schedulers];

        s->issued = UINT32_MAX;
        wr_oracle_grouper_reset(&s->oracle, (cfg->sm.max_warps + w.schedulers - 1) / w.schedulers,
                                8);
    }
    w.hooks = (wr_system_hooks){.launch_begin = on_begin,
                                .tb_placed = on_placed,
                                .choose_warp = on_choose,
                                .warp_issued = on_issued,
                                .warp_done = on_done,
                                .warps_left = on_left,
                                .gpu_cycle = on_cycle,
                                .next_cycle = every_cycle};
    const wr_system_hooks *tables[2] = {&w.hooks, wr_system_group_hooks(systems)};
    jobs_load(&job, file, 0);
    const job_outcome o = jobs_run(&job, cfg, wr_chain_join(&chain, tables, 2));

    assert_int_equal(o.result.status, WR_RUN_DONE);
    assert_true(o.right);
    each_row(systems, note_row, &rows);
    assert_int_equal(rows.grants, w.grants);
    assert_int_equal(rows.switches, w.switches);
    assert_int_equal(rows.waits, w.waits);
    assert_true(rows.hinted != 0);
    print_message("%s, %u schedulers, %s: %lu cycles, %lu grants, %lu to another group, %lu slots "
                  "lost\n",
                  file, w.schedulers, spec, o.result.cycles, w.grants, w.switches, w.waits);
    assert_true(w.grants > 1000 && w.switches > 100);
    wr_job_free(&job);
    wr_system_group_close(systems);
    return o.result.cycles;
}

static void test_grants(void **state)
{
    static const struct {
        const char *file, *machine, *spec;
        uint32_t schedulers, groups;
        wr_tb_sharing hint;
        wr_locality_spread spread;
        const char *beside;
    } rows[] = {
        {"kernels/gemm.yaml", "k20x", "locality", 0, 0, WR_TB_SHARINGS, WR_LOCALITY_CHUNK, NULL},
        {"kernels/gemm.yaml", "k20x", "locality:hint=borders,tbs=wave", 0, 0, WR_TB_SHARES_BORDERS,
         WR_LOCALITY_WAVE, NULL},
        {"kernels/jacobi.yaml", "k20x", "locality:tbs=order", 1, 0, WR_TB_SHARINGS,
         WR_LOCALITY_ORDER, NULL},
        {"kernels/jacobi.yaml", "gtx480", "locality:tbs=wave", 0, 0, WR_TB_SHARINGS,
         WR_LOCALITY_WAVE, NULL},
        {"kernels/histo.yaml", "k20x", "locality:hint=some", 0, 0, WR_TB_SHARES_SOME,
         WR_LOCALITY_CHUNK, NULL},
        {"kernels/matrixmul.yaml", "gtx980", "locality:hint=some,groups=7", 0, 7, WR_TB_SHARES_SOME,
         WR_LOCALITY_CHUNK, NULL},
        {"kernels/srad_reduce.yaml", "k20x", "locality:hint=some,groups=3", 1, 3, WR_TB_SHARES_SOME,
         WR_LOCALITY_CHUNK, NULL},
        {"kernels/mm2.yaml", "k20x", "locality", 0, 0, WR_TB_SHARINGS, WR_LOCALITY_CHUNK, NULL},
        {"kernels/gemm.yaml", "gtx480", "locality", 0, 0, WR_TB_SHARINGS, WR_LOCALITY_CHUNK,
         "preemption:period=300"},
        {"kernels/jacobi.yaml", "maxwell", "locality:tbs=wave", 0, 0, WR_TB_SHARINGS,
         WR_LOCALITY_WAVE, "preemption:period=200,scheme=flush"},
        {"kernels/matrixmul.yaml", "gtx480", "locality:tbs=order", 0, 0, WR_TB_SHARINGS,
         WR_LOCALITY_ORDER, "preemption:in_place=1,period=300"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = machine(rows[i].machine, rows[i].schedulers);

        (void)run_watched(rows[i].file, &cfg, rows[i].spec, rows[i].beside, rows[i].hint,
                          rows[i].groups, rows[i].spread);
        assert_true(rows[i].beside != NULL ? w.left > 50 : w.left == 0);
        assert_true(rows[i].spread == WR_LOCALITY_ORDER || w.runs * 2 > w.placed);
    }
}

/* TBs alone: the same parts, warps by the configuration's scheduler. */
static void test_tbs_alone(void **state)
{
    static const char *const specs[] = {"locality:warps=0", "locality:warps=0,tbs=order"};
    const wr_gpu_config cfg = machine("k20x", 0);
    uint64_t cycles[2];
    wr_job job;

    (void)state;
    jobs_load(&job, "kernels/gemm.yaml", 0);
    const job_outcome bare = jobs_run(&job, &cfg, NULL);

    for (uint32_t i = 0; i < 2; i++) {
        rows_seen rows = {0};
        const job_outcome o = jobs_run_under(&job, &cfg, specs[i], note_row, &rows);

        assert_true(o.right);
        assert_int_equal(rows.grants, 0);
        assert_int_equal(rows.hinted, 1);
        cycles[i] = o.result.cycles;
    }
    assert_int_not_equal(cycles[0], bare.result.cycles);
    assert_int_equal(cycles[1], bare.result.cycles);
    wr_job_free(&job);
}

/* Hint 0, the launch's or the option's: the cycles of the machine without the system. */
static void test_off(void **state)
{
    static const struct {
        const char *file, *machine, *spec;
    } rows[] = {
        {"kernels/vecadd.yaml", "k20x", "locality"}, /* the compiler knows of nothing shared */
        {"kernels/scan.yaml", "gtx480", "locality"},
        {"kernels/gemm.yaml", "k20x", "locality:hint=none"},
        {"kernels/gemm.yaml", "gtx980", "locality:hint=none,tbs=wave"},
        {"tests/library/together.yaml", "k20x", "locality:hint=none"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const wr_gpu_config cfg = machine(rows[i].machine, 0);
        rows_seen seen_rows = {0};
        wr_job job;

        jobs_load(&job, rows[i].file, 0);
        const job_outcome bare = jobs_run(&job, &cfg, NULL);
        const job_outcome o = jobs_run_under(&job, &cfg, rows[i].spec, note_row, &seen_rows);

        assert_int_equal(o.result.status, WR_RUN_DONE);
        assert_int_equal(o.result.cycles, bare.result.cycles);
        assert_memory_equal(o.hash, bare.hash, sizeof o.hash);
        assert_int_equal(seen_rows.hinted + seen_rows.grants + seen_rows.waits, 0);
        wr_job_free(&job);
    }
}

/* One hint at a time. */
static void test_alone(void **state)
{
    static const char *spec = "locality:hint=some";
    const wr_gpu_config cfg = machine("k20x", 0);
    const wr_job_options options = {.max_cycles = 1000000};
    wr_run_result result;
    wr_diag diag = {0};
    char err[256];
    wr_job job;

    (void)state;
    jobs_load(&job, "tests/library/together.yaml", 0);
    wr_system_group *systems = wr_system_group_open(&spec, 1, NULL, &cfg, err, sizeof err);
    wr_gpu *gpu = wr_gpu_create(&cfg);

    assert_true(systems != NULL && gpu != NULL);
    wr_gpu_attach(gpu, wr_system_group_hooks(systems));
    assert_false(wr_job_run(&job, gpu, &options, &result, &diag));
    assert_non_null(strstr(diag.message, "one hint at a time"));
    wr_gpu_free(gpu);
    wr_system_group_close(systems);
    wr_job_free(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grants),
        cmocka_unit_test(test_tbs_alone),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
