/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles in which nobody asks anything of a block: [time] of its description is true, and skip and
 * quiet of the free-running ones are what that many ticks are. With WARPREF_BLOCK of this block
 * alone. */
#include "dpi/gen/warp_quota_port.h"
#include "testbench/rng.h"
#include "testbench/stim.h"
#include "tests/contract/seed.h"
#include "tests/long.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#undef skip /* of a test; a member here */
#include <stdlib.h>
#include <string.h>

enum {
    STATES = 60,        /* looked at for each configuration in the long form (tests/long.h) */
    FEW_STATES = 8,     /* in the short one */
    IDLE_STATES = 600,  /* and for what goes on in idle cycles, which may be rare */
    STEPS = 24000,      /* about half of that many cycles of stimulus in all */
    EPISODES = 4,       /* from reset, each a quarter of the states */
    ENDLESS = 200000,   /* idle ticks, far more than any block's finite work takes */
    LONG_SKIP = 300000, /* the longest that is held against ticks */
};

/* A block's model on its way through reachable states. */
typedef struct walk {
    const wr_block_desc *block;
    const void *cfg;
    const wr_stim *stim;
    wr_rng rng;
    void *model, *stim_state;
    void *a, *b; /* states to try things on */
    uint64_t cycle;
    int state, states;
    _Alignas(8) uint8_t driven[WR_MAX_PINS_BYTES]; /* by the stimulus in the last cycle */
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} walk;

static void start(walk *w, const wr_block_desc *block, const wr_config_desc *config, uint64_t seed)
{
    memset(w, 0, sizeof(*w));
    w->block = block;
    w->cfg = config->value;
    w->stim = wr_stim_find(block->name);
    w->model = calloc(1, block->state_size);
    w->a = calloc(1, block->state_size);
    w->b = calloc(1, block->state_size);
    w->stim_state = calloc(1, w->stim->state_size);
    w->states = wr_test_long() ? STATES : FEW_STATES;
    wr_rng_seed(&w->rng, seed);
    assert_int_equal(block->init(w->model, w->cfg), WR_OK);
}

static void end(walk *w)
{
    free(w->model);
    free(w->a);
    free(w->b);
    free(w->stim_state);
}

static void drive(walk *w, uint64_t cycle)
{
    memset(w->driven, 0, w->block->in_size);
    w->stim->next(w->stim_state, cycle, w->out, w->driven);
}

/* Goes on to another state, by the stimulus; false after the last. */
static bool next_state(walk *w)
{
    if (w->state == w->states) {
        return false;
    }
    if (w->state % (w->states / EPISODES) == 0) {
        w->block->reset(w->model);
        memset(w->stim_state, 0, w->stim->state_size);
        w->stim->init(w->stim_state, w->cfg, w->rng.state + (uint64_t)w->state, true);
        memset(w->out, 0, sizeof(w->out));
        w->cycle = 0;
    }
    for (uint32_t n = 1 + wr_rng_below(&w->rng, (uint32_t)(STEPS / w->states)); n > 0; n--) {
        drive(w, w->cycle++);
        w->block->eval(w->model, w->driven, w->out);
        w->block->tick(w->model, w->driven);
    }
    w->state++;
    return true;
}

/* Puts one of the kinds of inputs to be held into w->in. */
enum { IDLE, AS_DRIVEN, PARTLY, ANY, KINDS };

static void hold(walk *w, int kind)
{
    uint32_t words[WR_MAX_WORDS];

    memcpy(w->in, w->driven, w->block->in_size);
    if (kind == IDLE) {
        memset(w->in, 0, w->block->in_size);
    } else if (kind == PARTLY) { /* every other pin is idle */
        for (const wr_pin_desc *p = w->block->pins; p < w->block->pins + w->block->ins_count; p++) {
            if (wr_rng_chance(&w->rng, 50)) {
                memset(w->in + p->offset, 0, (size_t)p->elem_bytes * wr_pin_count(p, w->cfg));
            }
        }
    } else if (kind == ANY) {
        const uint32_t bits = wr_block_bits(w->block, WR_IN, w->cfg);
        for (uint32_t i = 0; i < WR_MAX_WORDS; i++) {
            words[i] = wr_rng_u32(&w->rng);
            words[i] &= wr_rng_u32(&w->rng); /* a quarter of the bits */
        }
        words[bits / 32] &= (1u << bits % 32) - 1; /* bits past the last pin are 0 */
        wr_unpack(w->block, WR_IN, w->cfg, words, w->in);
    }
}

static void copy(const walk *w, void *to)
{
    memcpy(to, w->model, w->block->state_size);
}

/* Runs f for every block that has it, or every free-running one, in each configuration. */
static void for_all(bool only_free_running, void (*f)(walk *w))
{
    const uint64_t seed = wr_test_seed();
    const char *only = getenv("WARPREF_BLOCK");
    size_t count;
    size_t done = 0;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < blocks[i]->configs_count; c++) {
            walk w;
            if ((only_free_running && !blocks[i]->free_running) ||
                (only != NULL && strcmp(only, blocks[i]->name) != 0)) {
                continue;
            }
            start(&w, blocks[i], &blocks[i]->configs[c], seed + c);
            f(&w);
            end(&w);
            done++;
        }
    }
    assert_true(done >= (only != NULL ? 3 : 12));
}

/* Idle ticks from the state in w->a until one changes neither state nor outputs, or ENDLESS. */
static uint32_t ticks_until_it_holds(walk *w)
{
    static const _Alignas(8) uint8_t idle[WR_MAX_PINS_BYTES];
    const wr_block_desc *b = w->block;
    _Alignas(8) uint8_t before[WR_MAX_PINS_BYTES] = {0};
    _Alignas(8) uint8_t after[WR_MAX_PINS_BYTES] = {0};
    uint32_t n = 0;

    for (; n < ENDLESS; n++) {
        memcpy(w->b, w->a, b->state_size);
        b->eval(w->a, idle, before);
        b->tick(w->a, idle);
        b->eval(w->a, idle, after);
        if (memcmp(w->a, w->b, b->state_size) == 0) {
            assert_memory_equal(before, after, b->out_size);
            break;
        }
    }
    return n;
}

static void check_idle(walk *w)
{
    const wr_block_desc *b = w->block;
    uint32_t went_on = 0;
    uint32_t for_ever = 0;

    w->states = IDLE_STATES;
    while (next_state(w) && for_ever == 0) {
        copy(w, w->a);
        const uint32_t n = ticks_until_it_holds(w);
        went_on += n > 0;
        for_ever += n == ENDLESS;
    }
    if ((for_ever > 0) != b->free_running || (went_on > 0) != (b->idle != NULL)) {
        fail_msg("%s: %s; its [time] says '%s'%s", b->name,
                 for_ever > 0  ? "goes on for ever"
                 : went_on > 0 ? "goes on for some cycles"
                               : "holds in every idle cycle",
                 b->idle != NULL ? b->idle : "", b->free_running ? ", free-running" : "");
    }
}

static void idle_cycles_are_as_described(void **state)
{
    (void)state;
    for_all(false, check_idle);
}

/* Cycles of a window, epoch or interval, or of a walk over the TBs. */
static uint64_t period_of(const walk *w)
{
    static const char *const names[] = {"Window", "Epoch", "Interval", "Tbs"};

    for (size_t i = 0; i < w->block->params_count; i++) {
        for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
            if (strcmp(w->block->params[i].name, names[n]) == 0) {
                return ((const uint32_t *)w->cfg)[i];
            }
        }
    }
    fail_msg("%s: no parameter gives its period", w->block->name);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* skip(n) from here is n ticks, for each of these n, in ascending order; w->in is held. */
static void compare_skips(walk *w, const uint64_t *n, size_t count, int kind)
{
    const wr_block_desc *b = w->block;
    uint64_t ticked = 0;

    copy(w, w->a);
    for (size_t i = 0; i < count; i++) {
        _Alignas(8) uint8_t expected[WR_MAX_PINS_BYTES] = {0};
        _Alignas(8) uint8_t got[WR_MAX_PINS_BYTES] = {0};
        for (; ticked < n[i]; ticked++) {
            b->tick(w->a, w->in);
        }
        copy(w, w->b);
        b->skip(w->b, w->in, n[i]);
        b->eval(w->a, w->in, expected);
        b->eval(w->b, w->in, got);
        if (memcmp(w->a, w->b, b->state_size) != 0 || memcmp(expected, got, b->out_size) != 0) {
            fail_msg("%s, state %d, inputs %d: skip of %llu is not as many ticks", b->name,
                     w->state, kind, (unsigned long long)n[i]);
        }
    }
}

static void check_skip(walk *w)
{
    static const uint8_t idle[WR_MAX_PINS_BYTES];
    const uint64_t period = period_of(w);
    int busy[KINDS] = {0};

    while (next_state(w)) {
        for (int kind = 0; kind < KINDS; kind++) {
            uint64_t n[] = {0,
                            1,
                            2,
                            period - 1,
                            period,
                            period + 1,
                            2 * period - 1,
                            2 * period,
                            2 * period + 1,
                            wr_rng_below(&w->rng, (uint32_t)period),
                            wr_rng_below(&w->rng, (uint32_t)period * 3),
                            3 * period + wr_rng_below(&w->rng, (uint32_t)period * 2),
                            w->state % 6 == 0 ? LONG_SKIP - wr_rng_below(&w->rng, 100000) : 3};
            hold(w, kind);
            busy[kind] += memcmp(w->in, idle, w->block->in_size) != 0;
            qsort(n, sizeof(n) / sizeof(n[0]), sizeof(n[0]), by_size);
            compare_skips(w, n, sizeof(n) / sizeof(n[0]), kind);
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        assert_true((busy[kind] > w->states / 2) == (kind != IDLE));
    }
}

static void a_skip_is_that_many_ticks(void **state)
{
    (void)state;
    for_all(true, check_skip);
}

/* A skip that no loop of ticks could follow is two shorter ones. */
static void check_long_skip(walk *w)
{
    while (next_state(w)) {
        for (int kind = 0; kind < KINDS; kind++) {
            const uint64_t n = (UINT64_C(1) << 40) - wr_rng_below(&w->rng, 1000000);
            const uint64_t first = wr_rng_u64(&w->rng) % n;
            hold(w, kind);
            copy(w, w->a);
            copy(w, w->b);
            w->block->skip(w->a, w->in, n);
            w->block->skip(w->b, w->in, first);
            w->block->skip(w->b, w->in, n - first);
            assert_memory_equal(w->a, w->b, w->block->state_size);
        }
    }
}

static void a_long_skip_is_two_shorter_ones(void **state)
{
    (void)state;
    for_all(true, check_long_skip);
}

/* quiet ticks change no output, and the one behind them does. */
static void check_quiet(walk *w)
{
    const wr_block_desc *b = w->block;
    uint32_t ended = 0;

    while (next_state(w)) {
        for (int kind = 0; kind < KINDS; kind++) {
            _Alignas(8) uint8_t now[WR_MAX_PINS_BYTES] = {0};
            _Alignas(8) uint8_t later[WR_MAX_PINS_BYTES] = {0};
            hold(w, kind);
            const uint64_t quiet = b->quiet(w->model, w->in);
            copy(w, w->a);
            b->eval(w->a, w->in, now);
            for (uint64_t n = 0; n < quiet && n < LONG_SKIP / 10; n++) {
                b->tick(w->a, w->in);
                b->eval(w->a, w->in, later);
                assert_memory_equal(now, later, b->out_size);
            }
            if (quiet < LONG_SKIP / 10) {
                b->tick(w->a, w->in);
                b->eval(w->a, w->in, later);
                assert_memory_not_equal(now, later, b->out_size);
                ended++;
            }
        }
    }
    assert_true(ended > 0);
}

static void quiet_ends_with_the_tick_that_changes_a_pin(void **state)
{
    (void)state;
    for_all(true, check_quiet);
}

/* What stands still goes on so, for as long as is asked; what does not is ticked. */
static void check_hold(walk *w)
{
    const wr_block_desc *b = w->block;
    void *mark = calloc(1, b->state_size);
    wr_port port;
    char err[256];

    assert_true(b->free_running ||
                wr_port_open(&port, b, WR_BACKEND_MODEL, w->cfg, w->b, NULL, 1, err, sizeof(err)));
    while (!b->free_running && next_state(w)) {
        for (int kind = 0; kind < KINDS; kind++) {
            uint64_t n = wr_rng_below(&w->rng, 100);
            hold(w, kind);
            copy(w, w->a);
            copy(w, w->b);
            memcpy(mark, w->a, b->state_size);
            for (uint64_t i = 0; i < n; i++) {
                memcpy(mark, w->a, b->state_size);
                b->tick(w->a, w->in);
            }
            if (memcmp(mark, w->a, b->state_size) == 0 && n > 0) {
                n += UINT64_C(1) << 40;
            }
            wr_port_hold(&port, w->in, n, mark);
            assert_memory_equal(w->a, w->b, b->state_size);
        }
    }
    free(mark);
}

static void what_is_held_stands_still(void **state)
{
    (void)state;
    for_all(false, check_hold);
}

static void count_cycle(void *ctx, const wr_port *port, const void *in, const void *out)
{
    (void)port;
    (void)in;
    (void)out;
    ++*(uint64_t *)ctx;
}

/* The same cycles, ticked and skipped, behind ports of every kind; the last two are observed. */
enum { PORTS = 5 };

static void check_ports(walk *w)
{
    static const wr_backend backends[PORTS] = {WR_BACKEND_MODEL, WR_BACKEND_LOCKSTEP,
                                               WR_BACKEND_RTL, WR_BACKEND_MODEL,
                                               WR_BACKEND_LOCKSTEP};
    const wr_block_desc *b = w->block;
    wr_port port[PORTS];
    void *model[PORTS];
    uint64_t seen[PORTS] = {0};
    wr_observer observer[PORTS];
    uint64_t cycles = 0;
    char err[2048];

    if (memcmp(w->cfg, wr_block_config(b, "tiny")->value, b->cfg_size) != 0) {
        return; /* one is enough: the port knows nothing of parameters */
    }
    for (int p = 0; p < PORTS; p++) {
        model[p] = calloc(1, b->state_size);
        if (!wr_port_open(&port[p], b, backends[p], w->cfg, model[p], NULL, 1, err, sizeof(err))) {
            fail_msg("%s", err);
        }
        observer[p] = (wr_observer){.cycle = count_cycle, .ctx = &seen[p]};
        if (p >= 3) {
            wr_port_observe(&port[p], &observer[p]);
        }
    }
    w->stim->init(w->stim_state, w->cfg, 1, true);
    for (uint64_t cycle = 0; cycle < 3000; cycle++) {
        const bool skips = wr_rng_below(&w->rng, 20) == 0;
        const uint64_t n = skips ? wr_rng_below(&w->rng, (uint32_t)period_of(w) * 3) : 1;
        _Alignas(8) uint8_t out[PORTS][WR_MAX_PINS_BYTES] = {{0}};
        drive(w, cycle);
        hold(w, skips && cycle % 2 == 0 ? IDLE : AS_DRIVEN);
        for (int p = 0; p < PORTS; p++) {
            wr_port_eval(&port[p], w->in, out[p]);
            assert_memory_equal(out[0], out[p], b->out_size);
            assert_int_equal(wr_port_quiet(&port[p], w->in),
                             backends[p] == WR_BACKEND_RTL ? 0 : b->quiet(model[0], w->in));
        }
        for (int p = 0; p < PORTS; p++) {
            if (skips) {
                wr_port_skip(&port[p], w->in, n);
            } else {
                wr_port_tick(&port[p], w->in);
            }
        }
        memcpy(w->out, out[0], b->out_size);
        cycles += n;
    }
    for (int p = 0; p < PORTS; p++) {
        const wr_port_stats stats = wr_port_get_stats(&port[p]);
        assert_null(wr_port_mismatch(&port[p]));
        assert_int_equal(stats.cycles, cycles);
        assert_int_equal(stats.transactions, wr_port_get_stats(&port[0]).transactions);
        assert_true((stats.comparisons >= cycles) == (backends[p] == WR_BACKEND_LOCKSTEP));
        assert_int_equal(seen[p], p >= 3 ? cycles : 0);
        wr_port_close(&port[p]);
        free(model[p]);
    }
}

static void ports_of_every_kind_skip_alike(void **state)
{
    (void)state;
    for_all(true, check_ports);
}

static void typed_ports_skip(void **state)
{
    static const wr_warp_quota_cfg cfg = {.kernels = 2, .schedulers = 1, .epoch = 100};
    static const wr_warp_quota_in in;
    wr_warp_quota_out out = {0};
    wr_port_warp_quota port;
    char err[256];

    (void)state;
    assert_true(wr_warp_quota_port_open(&port, WR_BACKEND_MODEL, &cfg, err, sizeof(err)));
    assert_int_equal(wr_warp_quota_port_quiet(&port, &in), 98); /* 99 ticks to the last cycle */
    wr_warp_quota_port_skip(&port, &in, 99 + 100 * (UINT64_C(1) << 33));
    wr_warp_quota_port_eval(&port, &in, &out);
    assert_true(out.epoch_end);
    assert_int_equal(wr_port_get_stats(&port.port).cycles, 99 + 100 * (UINT64_C(1) << 33));
    wr_warp_quota_port_close(&port);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_cycles_are_as_described),
        cmocka_unit_test(a_skip_is_that_many_ticks),
        cmocka_unit_test(a_long_skip_is_two_shorter_ones),
        cmocka_unit_test(quiet_ends_with_the_tick_that_changes_a_pin),
        cmocka_unit_test(what_is_held_stands_still),
        cmocka_unit_test(ports_of_every_kind_skip_alike),
        cmocka_unit_test(typed_ports_skip),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
