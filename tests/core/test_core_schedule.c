/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduler policies against orders worked out by hand, then on the machine: dual issue, units
 * that are private or shared, and the L1's ways to treat stores and sectors.
 */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/ptx/diag.h"

static kit_kernel kk;

#define W(n) (UINT64_C(1) << (n))

static wr_sm_config small(wr_sched_policy policy, uint32_t schedulers, uint32_t warps)
{
    wr_sm_config c = kit_config().sm;
    c.policy = policy;
    c.schedulers = schedulers;
    c.max_warps = warps;
    return c;
}

/* Who issues when these are the candidates, in turn. */
typedef struct turn {
    uint64_t candidates;
    uint32_t warp;
} turn;

static void take_turns(wr_schedule *s, uint32_t scheduler, const turn *turns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t warp = wr_schedule_choose(s, scheduler, turns[i].candidates);
        if (warp != turns[i].warp) {
            fail_msg("turn %zu: warp %u, not %u", i, warp, turns[i].warp);
        }
    }
}
#define TURNS(s, k, ...)                                                                           \
    take_turns(s, k, (const turn[]){__VA_ARGS__},                                                  \
               sizeof((const turn[]){__VA_ARGS__}) / sizeof(turn))

static void test_lrr(void **state)
{
    (void)state;
    wr_schedule s;
    wr_sm_config c = small(WR_SCHED_LRR, 2, 8);
    wr_schedule_init(&s, &c);
    assert_int_equal(s.mask[0], W(0) | W(2) | W(4) | W(6));
    assert_int_equal(s.mask[1], W(1) | W(3) | W(5) | W(7));
    uint64_t all = s.mask[1];
    TURNS(&s, 1, {all, 1}, {all, 3}, {W(1) | W(7), 7}, {all, 1}, {W(1), 1}, {W(5) | W(7), 5});
    TURNS(&s, 0, {W(4), 4}, {W(0) | W(2), 0}); /* a turn of its own */
    c = small(WR_SCHED_LRR, 1, 64);            /* the last slot of all */
    wr_schedule_init(&s, &c);
    TURNS(&s, 0, {W(63) | W(5), 5}, {W(63) | W(5), 63}, {W(63) | W(5), 5});
}

static void test_gto(void **state)
{
    (void)state;
    wr_schedule s;
    wr_sm_config c = small(WR_SCHED_GTO, 1, 64);
    wr_schedule_init(&s, &c);
    wr_schedule_place(&s, W(0) | W(1) | W(2));
    wr_schedule_place(&s, W(3) | W(4) | W(63));
    uint64_t all = W(0) | W(1) | W(2) | W(3) | W(4) | W(63);
    TURNS(&s, 0, {all, 0}, {all, 0}, {all & ~W(0), 1}, {all, 1}, {W(4) | W(63), 4}, {all, 4},
          {W(0) | W(63), 0});
    /* slots 0 and 1 get another TB: its warps are the youngest now, the lower one first */
    wr_schedule_place(&s, W(0) | W(1));
    TURNS(&s, 0, {W(1) | W(63), 63}, {W(1) | W(2), 2}, {W(0) | W(1), 0}, {W(1) | W(3), 3});
    assert_int_equal(s.older[0] & all, W(2) | W(3) | W(4) | W(63));
    assert_int_equal(s.older[1] & all, W(0) | W(2) | W(3) | W(4) | W(63));
    /* the warp in slot 0 is said to be older than two others: 2 3 4 0 63 1 */
    wr_schedule_age(&s, 0, W(63) | W(1));
    TURNS(&s, 0, {W(0) | W(63), 0}, {W(4) | W(63), 4}, {W(0) | W(1), 0}, {W(1) | W(63), 63});
    assert_int_equal(s.older[0] & all, W(2) | W(3) | W(4));
    assert_int_equal(s.older[63] & all, W(0) | W(2) | W(3) | W(4));
    assert_int_equal(s.older[4] & all, W(2) | W(3));
    wr_schedule_age(&s, 0, 0); /* and then the youngest */
    TURNS(&s, 0, {W(2) | W(3), 2}, {W(0) | W(1), 1}, {W(0) | W(63), 63});
    assert_int_equal(s.older[63] & all, W(2) | W(3) | W(4));
}

static void test_two_level(void **state)
{
    (void)state;
    wr_schedule s;
    wr_sm_config c = small(WR_SCHED_TWO_LEVEL, 2, 16);
    c.fetch_group = 3; /* of scheduler 0: {0 2 4} {6 8 10} {12 14} */
    wr_schedule_init(&s, &c);
    uint64_t all = s.mask[0];
    TURNS(&s, 0, {all, 0}, {all, 2}, {all, 4}, {all, 0}, /* stays in the group */
          {all & ~W(2), 4}, {W(8) | W(14), 8},           /* the next group with a warp */
          {all, 10}, {all, 6},                           /* does not go back */
          {W(0) | W(14), 14},                            /* further, not back */
          {all, 12}, {W(0) | W(2) | W(8), 0},            /* round; behind 4, its last one, is 0 */
          {W(8), 8}, {all, 10});
}

static void test_warp_limit(void **state)
{
    (void)state;
    wr_schedule s;
    wr_sm_config c = small(WR_SCHED_GTO, 2, 8);
    wr_schedule_init(&s, &c);
    assert_int_equal(wr_schedule_limit(&s, 0xff), 0xff); /* none */
    c.warp_limit = 3;
    wr_schedule_init(&s, &c);
    wr_schedule_place(&s, 0x0f);
    wr_schedule_place(&s, 0xf0);
    /* two of scheduler 0, one of scheduler 1 (ceil and floor of the half) */
    assert_int_equal(wr_schedule_limit(&s, 0xff), W(0) | W(2) | W(1));
    assert_int_equal(wr_schedule_limit(&s, 0xff & ~W(2)), W(0) | W(4) | W(1)); /* 2 waits */
    assert_int_equal(wr_schedule_limit(&s, 0xff & ~W(1)), W(0) | W(2) | W(3));
    wr_schedule_place(&s, 0x0f); /* the first TB has gone, another has come */
    assert_int_equal(wr_schedule_limit(&s, 0xff), W(4) | W(6) | W(5));
    c.warp_limit = 1; /* scheduler 1 has no share: its warps run when the others wait */
    wr_schedule_init(&s, &c);
    assert_int_equal(wr_schedule_limit(&s, 0xff), W(0));
    assert_int_equal(wr_schedule_limit(&s, W(1) | W(3)), W(1));
    assert_int_equal(wr_schedule_limit(&s, 0), 0);
}

/* A random mask with one bit of 2 to the n set. */
static uint64_t sparse(uint64_t *seed, unsigned n)
{
    uint64_t mask = UINT64_MAX;
    for (unsigned i = 0; i < n; i++) {
        mask &= kit_random(seed);
    }
    return mask;
}

/* Against the plain definition, at random. */
static void test_random_orders(void **state)
{
    (void)state;
    uint64_t seed = kit_seed();
    for (unsigned round = 0; round < 200; round++) {
        wr_schedule s;
        wr_sm_config c = small(round % 2 == 0 ? WR_SCHED_GTO : WR_SCHED_LRR,
                               1 + (uint32_t)kit_random(&seed) % 4, 64);
        c.warp_limit = (uint32_t)kit_random(&seed) % (round % 3 == 0 ? 4 : 65);
        wr_schedule_init(&s, &c);
        uint32_t age[64], last[4] = {63, 63, 63, 63}, now = 64;
        bool any[4] = {false};
        for (uint32_t w = 0; w < 64; w++) {
            age[w] = w;
        }
        for (unsigned step = 0; step < 200; step++) {
            if (kit_random(&seed) % 8 == 0) {
                uint64_t placed = sparse(&seed, 2);
                wr_schedule_place(&s, placed);
                for (uint32_t w = 0; w < 64; w++) {
                    age[w] = (placed >> w & 1) != 0 ? now++ : age[w];
                }
            }
            uint64_t awake = sparse(&seed, step % 4 == 0 ? 4 : 1);
            uint64_t within = wr_schedule_limit(&s, awake);
            bool share = c.warp_limit == 0; /* somebody awake has one */
            for (uint32_t k = 0; k < c.schedulers; k++) {
                share |= k < c.warp_limit && (awake & s.mask[k]) != 0;
            }
            uint32_t eldest = 64;
            for (uint32_t w = 0; w < 64; w++) {
                bool older = eldest == 64 || age[w] < age[eldest];
                eldest = (awake >> w & 1) != 0 && older ? w : eldest;
            }
            for (uint32_t w = 0; w < 64; w++) {
                uint32_t k = w % c.schedulers;
                uint32_t before = 0;
                uint32_t quota = (c.warp_limit + c.schedulers - 1 - k) / c.schedulers;
                for (uint32_t v = k; v < 64; v += c.schedulers) {
                    before += (awake >> v & 1) != 0 && age[v] < age[w];
                }
                bool in = (awake >> w & 1) != 0 && (c.warp_limit == 0 || before < quota);
                assert_int_equal(within >> w & 1, share ? in : w == eldest);
            }
            uint32_t k = (uint32_t)kit_random(&seed) % c.schedulers;
            uint64_t candidates = awake & kit_random(&seed) & s.mask[k];
            if (candidates == 0) {
                continue;
            }
            uint32_t want = 64;
            for (uint32_t i = 1; i <= 64; i++) { /* behind the last one, round */
                uint32_t w = (last[k] + i) % 64;
                bool better =
                    c.policy == WR_SCHED_GTO ? want == 64 || age[w] < age[want] : want == 64;
                want = (candidates >> w & 1) != 0 && better ? w : want;
            }
            if (c.policy == WR_SCHED_GTO && any[k] && (candidates >> last[k] & 1) != 0) {
                want = last[k];
            }
            uint32_t warp = wr_schedule_choose(&s, k, candidates);
            if (any[k] || c.policy == WR_SCHED_LRR) {
                assert_int_equal(warp, want);
            }
            last[k] = warp;
            any[k] = true;
        }
    }
}

/* Cycles and dual issues of one TB that runs kk. */
static uint64_t run(const wr_gpu_config *cfg, uint32_t block, uint64_t *dual)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    assert_non_null(gpu);
    wr_launch l = kit_launch(&kk, 1, block, NULL);
    kit_run(gpu, &l);
    uint64_t cycles = kit_run(gpu, &l); /* its code is cached */
    kit_check_conservation(gpu);
    if (dual != NULL) {
        *dual = kit_stat(gpu, "sm.dual_issued") / 2;
    }
    wr_gpu_free(gpu);
    return cycles;
}

/* n pairs of instructions to registers of their own; what the second of a pair is, says `with`. */
enum { SAME_UNIT, OTHER_UNIT, DEPENDENT };
static void pairs(unsigned n, int with)
{
    kit_begin(&kk, "pairs", 60);
    for (unsigned i = 0; i < n; i++) {
        unsigned d = 4 + 2 * (i % 24);
        kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, d, 0, 0, RZ));
        wr_op op = with == SAME_UNIT ? WR_OP_ADD : WR_OP_EX2;
        wr_type type = with == SAME_UNIT ? WR_U32 : WR_F32;
        kit_add(&kk,
                kit_op(op, type, d + 1, with == DEPENDENT ? d : 1, op == WR_OP_ADD ? 1 : RZ, RZ));
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
}

static void test_dual_issue(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    uint64_t dual;
    cfg.timing.sfu.interval = 1;
    pairs(24, OTHER_UNIT);
    run(&cfg, 32, &dual);
    assert_int_equal(dual, 0); /* issue width 1 */
    cfg.sm.issue_width = 2;
    run(&cfg, 32, &dual);
    assert_int_equal(dual, 24);
    uint64_t apart = run(&cfg, 32, NULL);
    pairs(12, OTHER_UNIT);
    /* a pair a fetch: fetch, two cycles to the buffer, both issue */
    assert_int_equal(apart - run(&cfg, 32, NULL), 12 * (cfg.sm.fetch_latency + 1));
    pairs(24, SAME_UNIT);
    run(&cfg, 32, &dual);
    assert_int_equal(dual, 0);
    pairs(24, DEPENDENT);
    run(&cfg, 32, &dual);
    assert_int_equal(dual, 0);
}

/* Cycles that 32 more of an instruction take in each of `warps` warps. */
static uint64_t throughput(const wr_gpu_config *cfg, wr_op op, wr_type type, uint32_t warps)
{
    uint64_t cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        kit_begin(&kk, "throughput", 30);
        for (unsigned i = 0; i < 32 + 32 * k; i++) {
            unsigned c = op == WR_OP_MAD || op == WR_OP_FMA ? 0 : RZ;
            unsigned b = op == WR_OP_EX2 ? RZ : 0;
            kit_add(&kk, kit_op(op, type, 2 + 2 * (i % 12), 0, b, c));
        }
        kit_add(&kk, kit_plain(WR_OP_EXIT));
        kit_build(&kk);
        cycles[k] = run(cfg, 32 * warps, NULL);
    }
    return cycles[1] - cycles[0];
}

/* A machine on which nothing but units bounds the issue. */
static wr_gpu_config wide(void)
{
    wr_gpu_config cfg = kit_config();
    cfg.sm.schedulers = 4;
    cfg.sm.fetch_width = 8;
    cfg.sm.rf_banks = 32;
    cfg.icache.bytes = 65536;
    return cfg;
}

/* Cycles of two independent multiplications, fetched together, and one sum. */
static uint64_t both_of(const wr_gpu_config *cfg)
{
    kit_begin(&kk, "both", 6);
    kit_add(&kk, kit_op(WR_OP_MUL, WR_F32, 2, 0, 0, RZ));
    kit_add(&kk, kit_op(WR_OP_MUL, WR_F32, 3, 1, 1, RZ));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 4, 2, 3, RZ));
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    return run(cfg, 32, NULL);
}

static void test_unit_pools(void **state)
{
    (void)state;
    wr_gpu_config cfg = wide();
    wr_diag diag = {0};
    const uint64_t n = 16 * 32; /* warp instructions */
    /* two shared units: two a cycle, whoever issues */
    cfg.units.sp.collectors = 16;
    assert_in_range(throughput(&cfg, WR_OP_ADD, WR_U32, 16), n / 2 - 4, n / 2 + 4);
    /* one private unit a scheduler: four a cycle, but for bank conflicts */
    cfg.units.sp.count = 1;
    cfg.units.sp.owner = WR_UNITS_PRIVATE;
    cfg.units.sp.collectors = 8;
    assert_in_range(throughput(&cfg, WR_OP_ADD, WR_U32, 16), n / 4, n / 4 + n / 16);
    /* warps of one scheduler alone have one unit: slots 0, 4, ... of 16 are busy the longest */
    cfg.sm.schedulers = 1;
    assert_in_range(throughput(&cfg, WR_OP_ADD, WR_U32, 16), n - 4, n + 4);
    cfg.sm.schedulers = 4;
    /* private and two shared of 8 lanes, as Gong's SPUs: 4 + 2 / 4 a cycle */
    cfg.units.sp2 = (wr_unit_config){.count = 2, .lanes = 8, .collectors = 8};
    cfg.timing.fp32.mul.unit = WR_ON_SP2;
    assert_in_range(throughput(&cfg, WR_OP_MUL, WR_F32, 16), n * 4 / 2 - 8, n * 4 / 2 + 8);
    /* what may execute on either takes the private unit, unless that is busy */
    cfg.timing.fp32.mul.unit = WR_ON_SP_SP2;
    cfg.units.sp.lanes = 4;
    uint64_t two = both_of(&cfg);
    cfg.timing.fp32.mul.unit = WR_ON_SP;
    assert_true(both_of(&cfg) >= two + 6); /* the second waits for the one unit's 8 cycles */
    cfg.timing.fp32.mul.unit = WR_ON_SP_SP2;
    cfg.units.sp.lanes = 8; /* six units of a quarter: n * 4 / 6 */
    assert_in_range(throughput(&cfg, WR_OP_MUL, WR_F32, 16), n * 4 / 6, n * 4 / 6 + n / 8);
    /* a unit that the SM has none of */
    cfg.timing.integer.mad.unit = WR_ON_IMU;
    assert_false(wr_config_check(&cfg, &diag));
    assert_non_null(strstr(diag.message, "timing.integer.mad"));
    cfg.units.imu = (wr_unit_config){.count = 1, .lanes = 32, .collectors = 4};
    assert_true(wr_config_check(&cfg, &diag));
    assert_in_range(throughput(&cfg, WR_OP_MAD, WR_U32, 16), n - 4, n + 4);
}

/* A unit of fewer lanes gives its result when the last part is through. */
static void test_lanes_add_latency(void **state)
{
    (void)state;
    uint64_t cycles[2][2];
    for (unsigned narrow = 0; narrow < 2; narrow++) {
        for (unsigned k = 0; k < 2; k++) {
            wr_gpu_config cfg = kit_config();
            cfg.units.sp.lanes = narrow != 0 ? 8 : 32;
            kit_begin(&kk, "chain", 4);
            for (unsigned i = 0; i < 10 + 20 * k; i++) {
                kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 2, 2, 2, RZ));
            }
            kit_add(&kk, kit_plain(WR_OP_EXIT));
            kit_build(&kk);
            cycles[narrow][k] = run(&cfg, 32, NULL);
        }
    }
    assert_int_equal(cycles[1][1] - cycles[1][0], cycles[0][1] - cycles[0][0] + 20 * 3);
}

/* Policies end with the same memory; limits as well, with barriers between the warps. */
static void test_barriers_under_a_limit(void **state)
{
    (void)state;
    for (uint32_t limit = 1; limit <= 8; limit++) {
        for (int policy = WR_SCHED_LRR; policy <= WR_SCHED_TWO_LEVEL; policy++) {
            wr_gpu_config cfg = kit_config();
            cfg.sm.warp_limit = limit;
            cfg.sm.policy = (wr_sched_policy)policy;
            cfg.sm.fetch_group = 2;
            kit_begin(&kk, "barriers", 4);
            for (unsigned i = 0; i < 6; i++) {
                kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 2, 2, 2, RZ));
                kit_add(&kk, kit_plain(WR_OP_BAR_PP));
            }
            kit_add(&kk, kit_plain(WR_OP_EXIT));
            kit_build(&kk);
            run(&cfg, 32 * 12, NULL);
        }
    }
}

/* The L1: one warp stores a line, loads it, stores half a sector, loads it again. */
static void l1_case(const wr_gpu_config *cfg, uint64_t hits, uint64_t misses, uint64_t written,
                    uint64_t reply_bytes)
{
    wr_gpu *gpu = wr_gpu_create(cfg);
    uint64_t base = wr_gpu_alloc(gpu, 1 << 20, 4096);
    uint32_t params[1] = {(uint32_t)base};
    kit_begin(&kk, "l1", 12);
    kk.k.param_bytes = sizeof params;
    kit_add(&kk, kit_s2r(0, WR_SREG_LANEID));
    kit_add(&kk, kit_imm(kit_op(WR_OP_SHL, WR_B32, 1, 0, RZ, RZ), 1, 2));
    kit_add(&kk, kit_param(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, 0));
    kit_add(&kk, kit_imm(kit_setp(WR_CMP_LT, WR_U32, 0, 0, RZ), 1, 4)); /* P0: 16 B */
    kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 0, 1, 0));
    kit_add(&kk, kit_plain(WR_OP_MEMBAR));
    kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 2, 1, 0));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 3, 2, 2, RZ));
    /* another line: half a sector stored, then that lane's part loaded */
    kit_add(&kk, kit_guard(kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 0, 1, 512), 0, false));
    kit_add(&kk, kit_plain(WR_OP_MEMBAR));
    kit_add(&kk, kit_guard(kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, 512), 0, false));
    kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 5, 4, 4, RZ));
    /* lines of the same set until both have gone */
    for (uint32_t i = 1; i <= 5; i++) {
        for (uint32_t k = 0; k < 2; k++) {
            kit_add(&kk, kit_guard(kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 6, 1,
                                           i * 4096 + k * 512),
                                   0, false));
            kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 7, 6, 6, RZ));
        }
    }
    kit_add(&kk, kit_plain(WR_OP_EXIT));
    kit_build(&kk);
    wr_launch l = kit_launch(&kk, 1, 32, (const uint8_t *)params);
    kit_run(gpu, &l);
    assert_int_equal(kit_stat(gpu, "l1.hits"), hits);
    assert_int_equal(kit_stat(gpu, "l1.misses"), misses);
    assert_int_equal(kit_stat(gpu, "l1.write_backs"), written);
    assert_int_equal(kit_stat(gpu, "noc.requests"), kit_stat(gpu, "fetch.misses") + reply_bytes);
    kit_check_conservation(gpu);
    wr_gpu_free(gpu);
}

static void test_l1_stores_and_sectors(void **state)
{
    (void)state;
    wr_gpu_config cfg = kit_config();
    cfg.l1.index = WR_SET_LINEAR; /* 32 sets of 4 */
    /* through: 2 stores and 12 loads go out */
    l1_case(&cfg, 0, 12, 0, 14);
    cfg.l1.sectored = 1;
    l1_case(&cfg, 0, 12, 0, 14);
    /* back: the load of the whole line hits, that of the half sector fetches; two lines leave */
    cfg.l1.write = WR_L1_BACK;
    l1_case(&cfg, 1, 11, 2, 13);
    cfg.l1.sectored = 0;
    l1_case(&cfg, 1, 11, 2, 13);
    /* global memory goes past it */
    cfg.l1.globals = 0;
    l1_case(&cfg, 0, 0, 0, 14);
}

/* Bytes that come back: a sector where one is read, the line where the L1 has no sectors. */
static void test_sectors_save_bytes(void **state)
{
    (void)state;
    uint64_t flits[2];
    for (uint32_t sectored = 0; sectored < 2; sectored++) {
        wr_gpu_config cfg = kit_config();
        cfg.l1.sectored = sectored;
        wr_gpu *gpu = wr_gpu_create(&cfg);
        uint64_t base = wr_gpu_alloc(gpu, 4096, 4096);
        kit_begin(&kk, "sectors", 8);
        kit_add(&kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 0, RZ, RZ, RZ), 0, (uint32_t)base));
        /* sectors 0 and 2; both again while they come; sector 0 when it is there */
        for (uint32_t i = 0; i < 4; i++) {
            kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 1 + i, 0, i % 2 * 64));
        }
        for (uint32_t i = 0; i < 4; i++) {
            kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 5, 1 + i, 1 + i, RZ));
        }
        kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 1, 0, 0));
        kit_add(&kk, kit_plain(WR_OP_EXIT));
        kit_build(&kk);
        wr_launch l = kit_launch(&kk, 1, 1, NULL);
        kit_run(gpu, &l);
        flits[sectored] = kit_stat(gpu, "noc.reply_flits") - 5 * kit_stat(gpu, "fetch.misses");
        assert_int_equal(kit_stat(gpu, "l1.misses"), 1 + sectored);
        assert_int_equal(kit_stat(gpu, "l1.merges"), 3 - sectored);
        assert_int_equal(kit_stat(gpu, "l1.hits"), 1);
        kit_check_conservation(gpu);
        wr_gpu_free(gpu);
    }
    assert_int_equal(flits[0], 5);     /* 128 B and a header */
    assert_int_equal(flits[1], 2 * 2); /* twice 32 B and a header */
}

/* Stores by one warp to lines of their own: with one entry each waits for the one before. */
static void test_store_buffer(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (uint32_t bounded = 0; bounded < 2; bounded++) {
        wr_gpu_config cfg = kit_config();
        cfg.l1.store_buffer = bounded;
        wr_gpu *gpu = wr_gpu_create(&cfg);
        uint64_t base = wr_gpu_alloc(gpu, 1 << 16, 4096);
        kit_begin(&kk, "stores", 4);
        kit_add(&kk, kit_imm(kit_op(WR_OP_MOV, WR_B32, 0, RZ, RZ, RZ), 0, (uint32_t)base));
        for (uint32_t i = 0; i < 20; i++) {
            kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 1, 0, i * 256));
        }
        kit_add(&kk, kit_plain(WR_OP_MEMBAR));
        kit_add(&kk, kit_plain(WR_OP_EXIT));
        kit_build(&kk);
        wr_launch l = kit_launch(&kk, 1, 1, NULL);
        kit_run(gpu, &l);
        cycles[bounded] = kit_run(gpu, &l);
        kit_check_conservation(gpu);
        wr_gpu_free(gpu);
    }
    /* 19 waits of at least the way there and back */
    const wr_gpu_config cfg = kit_config();
    uint64_t trip = cfg.l1.hit_latency + 2 * cfg.noc.latency + cfg.l2.latency;
    assert_true(cycles[1] > cycles[0] + 18 * trip);
}

/* Skipping idle cycles changes nothing under the new policies, units and L1s. */
static void test_skipping(void **state)
{
    (void)state;
    for (unsigned variant = 0; variant < 6; variant++) {
        uint64_t cycles[2];
        for (unsigned no_skip = 0; no_skip < 2; no_skip++) {
            wr_gpu_config cfg = kit_config();
            cfg.sms = 2;
            cfg.sm.warp_limit = variant == 0 ? 4 : 0;
            cfg.sm.policy = variant == 1 ? WR_SCHED_TWO_LEVEL : WR_SCHED_GTO;
            cfg.sm.issue_width = 1 + (variant == 2);
            cfg.l1.write = variant == 3 ? WR_L1_BACK : WR_L1_THROUGH;
            cfg.l1.sectored = variant == 4;
            cfg.l1.store_buffer = variant == 5 ? 2 : 0;
            cfg.l1.bytes = 4096;
            wr_gpu *gpu = wr_gpu_create(&cfg);
            gpu->no_skip = no_skip != 0;
            uint64_t base = wr_gpu_alloc(gpu, 1 << 20, 4096);
            kit_begin(&kk, "mixed", 12);
            kit_add(&kk, kit_s2r(0, WR_SREG_TID_X));
            kit_add(&kk, kit_imm(kit_op(WR_OP_MUL, WR_U32, 1, 0, RZ, RZ), 1, 36));
            kit_add(&kk, kit_imm(kit_op(WR_OP_ADD, WR_U32, 1, 1, RZ, RZ), 1, (uint32_t)base));
            for (uint32_t i = 0; i < 8; i++) {
                kit_add(&kk, kit_mem(WR_OP_LD, WR_U32, WR_SPACE_GLOBAL, 1, 2, 1, i * 8192));
                kit_add(&kk, kit_op(WR_OP_EX2, WR_F32, 3, 0, RZ, RZ));
                kit_add(&kk, kit_op(WR_OP_ADD, WR_U32, 4, 2, 3, RZ));
                kit_add(&kk, kit_mem(WR_OP_ST, WR_U32, WR_SPACE_GLOBAL, 1, 4, 1, i * 8192 + 4));
                kit_add(&kk, kit_plain(i % 2 == 0 ? WR_OP_BAR_PP : WR_OP_MEMBAR));
            }
            kit_add(&kk, kit_plain(WR_OP_EXIT));
            kit_build(&kk);
            wr_launch l = kit_launch(&kk, 6, 256, NULL);
            cycles[no_skip] = kit_run(gpu, &l);
            kit_check_conservation(gpu);
            wr_gpu_free(gpu);
        }
        assert_int_equal(cycles[0], cycles[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lrr),
        cmocka_unit_test(test_gto),
        cmocka_unit_test(test_two_level),
        cmocka_unit_test(test_warp_limit),
        cmocka_unit_test(test_random_orders),
        cmocka_unit_test(test_dual_issue),
        cmocka_unit_test(test_unit_pools),
        cmocka_unit_test(test_lanes_add_latency),
        cmocka_unit_test(test_barriers_under_a_limit),
        cmocka_unit_test(test_l1_stores_and_sectors),
        cmocka_unit_test(test_sectors_save_bytes),
        cmocka_unit_test(test_store_buffer),
        cmocka_unit_test(test_skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
