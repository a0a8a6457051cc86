/* SPDX-License-Identifier: Apache-2.0 */
/* Random TBs, and the comparison of memory and state: see bench.h. */
#include "tests/systems/bench.h"

#include "systems/context/engine.h"
#include "systems/preemption/preemption.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/systems/rows.h"

#define POISON 0xdeadbeefu

uint64_t bench_seed(uint64_t preset)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : preset;

    print_message("seed %llu (set WARPREF_SEED to repeat)\n", (unsigned long long)seed);
    return seed;
}

/* A kernel that is nothing but preemption points: even ones pp, odd ones bar.pp. */
static void make_kernel(bench *b)
{
    uint64_t mask = (UINT64_C(1) << 54) - 1;

    if (b->regs < 54) {
        mask = (UINT64_C(1) << b->regs) - 1;
    }
    b->kernel.max_live = 0;
    for (uint32_t i = 0; i < BENCH_POINTS; i++) {
        uint64_t live = wr_rng_u64(&b->rng) & mask;
        uint64_t div = (live | wr_rng_u64(&b->rng)) & mask;

        if (i % 3 == 0) {
            live &= wr_rng_u64(&b->rng);
        }
        if (i == 5) {
            live = 0;
        }
        b->words[2 * i] = (i % 2 ? (uint64_t)WR_OP_BAR_PP : (uint64_t)WR_OP_PP) << 54 | live;
        b->words[2 * i + 1] = i % 2 ? 0 : (uint64_t)WR_OP_PP_DUMMY << 54 | div;
        uint32_t count = (uint32_t)__builtin_popcountll(naive_live(live, b->regs));
        uint32_t div_count = (uint32_t)__builtin_popcountll(naive_live(div, b->regs));

        if (i % 2 == 0 && div_count > count) {
            count = div_count;
        }
        if (count > b->kernel.max_live) {
            b->kernel.max_live = count;
        }
    }
    if (b->kind == WR_CONTEXT_ALL) { /* which asks for no instruction */
        b->words[2] = (uint64_t)WR_OP_NOP << WR_ISA_OPCODE_SHIFT;
    }
    b->kernel.name = "points";
    b->kernel.words = b->words;
    b->kernel.word_count = BENCH_POINTS * 2 + 2;
    b->kernel.regs = b->regs;
    b->kernel.shared_bytes = b->shared_bytes;
}

static void on_returning(void *arg, wr_sm *sm, const wr_tb_info *info);

void bench_open_bare(bench *b, uint64_t seed, uint32_t sms, wr_context_kind kind)
{
    static const uint32_t shapes[][3] = {{8, 8, 1},  {16, 16, 1}, {256, 1, 1}, {32, 4, 1},
                                         {17, 3, 1}, {64, 1, 1},  {8, 4, 4},   {1, 1, 1},
                                         {8, 8, 8},  {32, 32, 1}, {96, 1, 1}};

    memset(b, 0, sizeof *b);
    b->seed = seed;
    b->kind = kind;
    wr_rng_seed(&b->rng, seed);
    b->gpu = fake_create(seed + 1, sms);
    b->gpu->refuse = wr_rng_below(&b->rng, 70);
    b->gpu->delay = wr_rng_below(&b->rng, 40);
    b->gpu->stop_delay = wr_rng_below(&b->rng, 400);
    b->gpu->cfg.context.rf_bytes_per_cycle = 32u << wr_rng_below(&b->rng, 3);
    b->gpu->cfg.context.shared_bytes_per_cycle = 32u << wr_rng_below(&b->rng, 3);
    b->regs = 1 + wr_rng_below(&b->rng, 63);
    b->shared_bytes = wr_rng_chance(&b->rng, 25) ? 0 : 4 * (1 + wr_rng_below(&b->rng, 1024));
    memcpy(b->launch.block, shapes[wr_rng_below(&b->rng, kind == WR_CONTEXT_BY_TB ? 11 : 8)],
           sizeof b->launch.block);
    uint32_t threads = b->launch.block[0] * b->launch.block[1] * b->launch.block[2];

    b->warps = (threads + 31) / 32;
    b->group_x = b->launch.block[0];
    make_kernel(b);
    b->launch.kernel = &b->kernel;
    b->launch.grid[0] = b->launch.grid[1] = b->launch.grid[2] = 1;
    b->gpu->returning = on_returning;
    b->gpu->returning_arg = b;
}

/* The registry of this program: other systems need services that the fakes do not have. */
const wr_system_type *const *wr_system_types(size_t *count)
{
    static const wr_system_type *const only[] = {&wr_preemption_type};

    *count = 1;
    return only;
}

const wr_system_type *wr_system_find(const char *name, size_t name_size)
{
    return strlen(wr_preemption_type.name) == name_size &&
                   memcmp(name, wr_preemption_type.name, name_size) == 0
               ? &wr_preemption_type
               : NULL;
}

bool bench_open(bench *b, uint64_t seed, const char *options)
{
    char spec[512];
    char err[512] = "";

    const char *context = strstr(options, "context=");
    wr_context_kind kind = WR_CONTEXT_BY_WARP;

    for (uint32_t k = 0; context && k < WR_CONTEXT_KINDS; k++) {
        const char *name = wr_context_kind_names[k];

        if (strncmp(context + 8, name, strlen(name)) == 0) {
            kind = (wr_context_kind)k;
        }
    }
    bench_open_bare(b, seed, BENCH_SMS, kind);
    b->gpu->entries = BENCH_SMS * FAKE_TBS;
    b->group_x = strstr(options, "pag=warp") ? 32 : b->group_x;
    (void)snprintf(spec, sizeof spec, "preemption:seed=%llu,%s", (unsigned long long)seed, options);
    const char *const text = spec;

    b->systems = wr_system_group_open(&text, 1, NULL, &b->gpu->cfg, err, sizeof err);
    if (!b->systems) {
        print_error("seed %llu: %s\n", (unsigned long long)seed, err);
        return false;
    }
    b->gpu->hooks = wr_system_group_hooks(b->systems);
    b->gpu->hooks->launch_begin(b->gpu->hooks->self, b->gpu, 0, &b->launch);
    return !b->gpu->aborted[0];
}

void bench_close(bench *b)
{
    wr_system_group_close(b->systems);
    fake_destroy(b->gpu);
}

static uint32_t random_word(bench *b)
{
    static const uint32_t edges[] = {0, 1, 0xffffffffu, 0x80000000u, 0x7fffffffu, 4};

    return wr_rng_chance(&b->rng, 50) ? edges[wr_rng_below(&b->rng, 6)] : wr_rng_u32(&b->rng);
}

static void random_register(bench *b, uint32_t lanes[32])
{
    uint32_t kind = wr_rng_below(&b->rng, 4);
    uint32_t group = 8u << wr_rng_below(&b->rng, 3);
    uint32_t base = 0;
    uint32_t stride = 0;

    for (uint32_t l = 0; l < 32; l++) {
        if (l % group == 0) {
            base = random_word(b);
            stride = kind == 0 ? 0 : random_word(b);
        }
        lanes[l] = kind == 3 ? wr_rng_u32(&b->rng) : base + l % group * stride;
    }
}

static void random_warp(bench *b, naive_warp *warp, uint32_t point)
{
    bool is_pp = point % 2 == 0;
    uint64_t vector = b->words[2 * point];

    warp->depth = 1;
    if (is_pp && wr_rng_chance(&b->rng, 40)) {
        warp->depth = 2 + wr_rng_below(&b->rng, WR_SIMT_DEPTH - 1);
        vector = b->words[2 * point + 1];
    }
    warp->live =
        b->kind == WR_CONTEXT_ALL ? (UINT64_C(1) << b->regs) - 1 : naive_live(vector, b->regs);
    for (uint32_t e = 0; e < warp->depth; e++) {
        warp->stack[e].pc = 16 * point;
        warp->stack[e].mask = wr_rng_u32(&b->rng);
        warp->stack[e].reconv = wr_rng_u32(&b->rng);
    }
    for (uint32_t r = 0; r < b->regs; r++) {
        random_register(b, warp->reg[r]);
    }
    for (uint32_t p = 0; p < 7; p++) {
        warp->pred[p] = wr_rng_u32(&b->rng);
    }
    warp->pledges = (uint16_t)wr_rng_u32(&b->rng);
}

/* Gives registers a pattern over the TB: i, ty, ty * x + tx and tx of Lin-P III.C, with odd ones
 * among them. */
static void relate_warps(bench *b, bench_tb *tb)
{
    uint32_t x = b->launch.block[0];
    uint32_t group = x == 8 || x == 16 ? x : 32;

    for (uint32_t r = 0; r < b->regs; r++) {
        uint32_t kind = wr_rng_below(&b->rng, 6);
        uint32_t base = random_word(b);
        uint32_t stride = random_word(b);
        uint32_t odd = wr_rng_chance(&b->rng, 20) ? wr_rng_below(&b->rng, 32 * b->warps) : 1024;

        for (uint32_t t = 0; t < 32 * b->warps && kind < 4; t++) {
            uint32_t value = kind == 0   ? base
                             : kind == 1 ? base + t / group
                             : kind == 2 ? base + t * stride
                                         : base + t % group * stride;

            tb->warp[t / 32].reg[r][t % 32] = value + (t == odd);
        }
    }
}

/* Copies what the bench keeps of a TB into the SM. */
static void load(bench *b, const bench_tb *tb)
{
    wr_sm *sm = &b->gpu->sm[tb->sm];

    memcpy(sm->shared[tb->slot], tb->shared, b->shared_bytes);
    for (uint32_t w = 0; w < b->warps; w++) {
        fake_warp *to = &sm->warp[wr_sm_tb_warp(sm, tb->slot, w)];
        const naive_warp *from = &tb->warp[w];

        to->pledges = from->pledges;
        if (from->done) {
            continue;
        }
        memcpy(to->reg, from->reg, sizeof to->reg);
        memcpy(to->pred, from->pred, sizeof to->pred);
        memcpy(to->stack, from->stack, sizeof to->stack);
        to->depth = from->depth;
    }
}

void bench_scramble_tb(bench *b, bench_tb *tb)
{
    for (uint32_t i = 0; i < b->shared_bytes; i++) {
        tb->shared[i] = (uint8_t)wr_rng_u32(&b->rng);
    }
    /* Where TBs are saved as wholes, most stand at one point, mostly a barrier. */
    bool together = b->kind == WR_CONTEXT_BY_TB && wr_rng_chance(&b->rng, 70);
    uint32_t common = together ? wr_rng_below(&b->rng, BENCH_POINTS) : 0;

    if (together && wr_rng_chance(&b->rng, 75)) {
        common |= 1;
    }
    for (uint32_t w = 0; w < b->warps; w++) {
        if (!tb->warp[w].done) {
            bool apart = !together || wr_rng_chance(&b->rng, 2);

            random_warp(b, &tb->warp[w], apart ? wr_rng_below(&b->rng, BENCH_POINTS) : common);
        }
    }
    if (b->kind == WR_CONTEXT_BY_TB) {
        relate_warps(b, tb);
    }
    load(b, tb);
}

void bench_scramble(bench *b, wr_sm *sm)
{
    for (uint32_t t = 0; t < b->tbs; t++) {
        if (b->tb[t].lives && b->tb[t].sm == sm->id) {
            bench_scramble_tb(b, &b->tb[t]);
        }
    }
}

void bench_fill(bench *b)
{
    for (uint32_t s = 0; s < b->gpu->cfg.sms; s++) {
        uint32_t wanted = 1 + wr_rng_below(&b->rng, FAKE_TBS);

        for (uint32_t i = 0; i < wanted; i++) {
            wr_sm *sm = &b->gpu->sm[s];
            bench_tb *tb = &b->tb[b->tbs];
            uint32_t slot = fake_place(sm, &b->launch, b->tbs, b->regs, b->shared_bytes);

            if (slot == UINT32_MAX) {
                break;
            }
            tb->lives = true;
            tb->sm = s;
            tb->slot = slot;
            /* Some warps finish on their own, now and then all of a TB. */
            uint32_t finish = wr_rng_chance(&b->rng, 20)   ? 100
                              : wr_rng_chance(&b->rng, 30) ? 30
                                                           : 0;

            for (uint32_t w = 0; w < b->warps; w++) {
                sm->warp[wr_sm_tb_warp(sm, slot, w)].finishes = wr_rng_chance(&b->rng, finish);
            }
            b->tbs++;
        }
        bench_scramble(b, &b->gpu->sm[s]);
    }
}

void bench_follow(bench *b)
{
    for (uint32_t i = 0; i < b->gpu->cfg.sms; i++) {
        wr_sm *sm = &b->gpu->sm[i];

        for (uint32_t s = 0; s < FAKE_TBS; s++) {
            if (!sm->tb[s].valid) {
                continue;
            }
            bench_tb *tb = &b->tb[sm->tb[s].linear];

            tb->sm = i;
            tb->slot = s;
            for (uint32_t w = 0; w < b->warps; w++) {
                uint32_t at = wr_sm_tb_warp(sm, s, w);

                tb->warp[w].done |= at != UINT32_MAX && sm->warp[at].done && !sm->warp[at].placed;
            }
        }
    }
    for (uint32_t t = 0; t < b->tbs; t++) {
        b->tb[t].lives = !(b->gpu->finished >> t & 1);
    }
}

static void on_returning(void *arg, wr_sm *sm, const wr_tb_info *info)
{
    bench *b = arg;

    (void)sm;
    bench_check_memory(b, info->linear);
    b->checked_saves++;
    if (b->tamper) {
        b->tamper(b, &b->tb[info->linear]);
    }
}

bool bench_compare_tb(bench *b, bench_tb *tb, bool restored)
{
    const wr_sm *sm = &b->gpu->sm[tb->sm];

    assert_true(sm->tb[tb->slot].valid);
    bool equal = memcmp(sm->shared[tb->slot], tb->shared, b->shared_bytes) == 0;

    for (uint32_t w = 0; w < b->warps; w++) {
        naive_warp *mine = &tb->warp[w];
        const fake_warp *theirs = &sm->warp[wr_sm_tb_warp(sm, tb->slot, w)];

        equal &= theirs->pledges == mine->pledges;
        if (mine->done) {
            continue;
        }
        equal &= theirs->depth == mine->depth &&
                 memcmp(theirs->stack, mine->stack, mine->depth * sizeof mine->stack[0]) == 0 &&
                 memcmp(theirs->pred, mine->pred, sizeof mine->pred) == 0;
        for (uint32_t r = 0; r < b->regs; r++) {
            for (uint32_t l = 0; l < 32; l++) {
                bool kept = !restored || (mine->live >> r & 1) != 0;
                uint32_t expected = kept ? mine->reg[r][l] : POISON;

                equal &= theirs->reg[r][l] == expected;
                mine->reg[r][l] = expected;
            }
        }
    }
    return equal;
}

bool bench_compare(bench *b, const wr_sm *sm)
{
    bool equal = true;

    for (uint32_t t = 0; t < b->tbs; t++) {
        if (b->tb[t].lives && b->tb[t].sm == sm->id) {
            equal &= bench_compare_tb(b, &b->tb[t], true);
        }
    }
    return equal;
}

static void find_row(void *arg, const wr_row *row)
{
    const wr_row *wanted = ((void **)arg)[0];

    if (row->kind == WR_ROW_COUNT && strcmp(row->name, wanted->name) == 0) {
        *(uint64_t *)((void **)arg)[1] = row->count;
    }
}

uint64_t bench_count(const bench *b, const char *row)
{
    uint64_t value = UINT64_MAX;
    wr_row wanted = {.name = row};
    void *arg[2] = {&wanted, &value};

    each_row(b->systems, find_row, arg);
    assert_int_not_equal(value, UINT64_MAX);
    return value;
}

uint64_t bench_coming(const wr_sm *sm)
{
    uint64_t tbs = 0;

    for (uint32_t t = 0; t < FAKE_TBS; t++) {
        bool whole = !sm->tb[t].valid;

        for (uint32_t w = 0; !whole && w < sm->tb[t].warps; w++) {
            whole = !sm->warp[sm->tb[t].warp_base + w].placed;
        }
        tbs |= (uint64_t)!whole << t;
    }
    return tbs;
}

bool bench_run(bench *b, uint64_t preemptions, uint64_t limit, bool scramble)
{
    bool attended[BENCH_SMS] = {false};
    bool enough = preemptions == 0;

    for (uint64_t i = 0; i < limit; i++) {
        if (b->gpu->aborted[0]) {
            return true;
        }
        fake_cycle(b->gpu);
        for (uint32_t s = 0; s < BENCH_SMS; s++) {
            wr_sm *sm = &b->gpu->sm[s];

            if (attended[s] && !sm->attend) {
                enough = enough || bench_count(b, "signals.done") >= preemptions;
                bench_follow(b);
                bool equal = bench_compare(b, sm);

                b->differences += !equal;
                if (!equal && !b->expect_damage) {
                    fail_msg("seed %llu: a TB of SM %u came back different",
                             (unsigned long long)b->seed, s);
                }
                if (scramble) {
                    bench_scramble(b, sm);
                }
            }
            attended[s] = sm->attend;
        }
        bench_follow(b);
        bool busy = b->gpu->sm[0].attend || b->gpu->sm[1].attend;

        bool over = b->gpu->hooks->next_cycle(b->gpu->hooks->self, b->gpu->cycle) == UINT64_MAX;

        if (!busy && (over || enough)) {
            return true;
        }
    }
    return false;
}

void bench_expect_failure(const char *options, void (*tamper)(bench *, const bench_tb *),
                          const char *message)
{
    uint64_t seed = bench_seed(21);
    bool seen = false;

    for (uint32_t i = 0; i < 20 && !seen; i++) {
        bench *b = malloc(sizeof *b);

        assert_non_null(b);
        assert_true(bench_open(b, seed + i, options));
        b->tamper = tamper;
        bench_fill(b);
        (void)bench_run(b, 5, 20000, true);
        if (b->gpu->aborted[0]) {
            if (!strstr(b->gpu->aborted, message)) {
                fail_msg("got \"%s\", expected \"...%s...\"", b->gpu->aborted, message);
            }
            seen = true;
        }
        bench_close(b);
        free(b);
    }
    assert_true(seen);
}
