/* SPDX-License-Identifier: Apache-2.0 */
/* tb_compressor: the model against the oracle, every output in every cycle, under random traffic
 * and protocol faults, and the paper's four variables of BP_1 as exact values (Lin-P III.C,
 * Fig. 7, Fig. 11; RESOLUTIONS P14 to P17).
 */
#include "dpi/gen/tb_compressor_port.h"

#include <string.h>

#include "tests/blocks/bench.h"
#include "tests/oracle/tb_compressor_oracle.h"

enum { WORDS_MAX = 16, DEAD = 0, UNIFORM = 1, RANDOM = 2, STRIDED = 3 };

typedef struct bench {
    wr_rig rig;
    wr_tb_compressor_cfg cfg;
    wr_tb_compressor dut;
    wr_oracle_tb oracle;
    uint64_t registers; /* emitted */
    uint64_t classes;   /* bit c: class c was seen */
} bench;

static const wr_bench self;

static void reset(void *bench_v)
{
    bench *b = bench_v;
    wr_oracle_tb_reset(&b->oracle, b->cfg.words, b->cfg.entries);
}

static void check_outputs(bench *b, const wr_tb_compressor_out *out)
{
    wr_oracle_tb_beat want = wr_oracle_tb_output(&b->oracle);
    wr_rig_check(&b->rig, "ready", out->ready, !b->oracle.emitting);
    wr_rig_check(&b->rig, "valid", out->valid, want.valid);
    wr_rig_check(&b->rig, "tb_class", out->tb_class, want.tb_class);
    wr_rig_check(&b->rig, "count", out->count, want.count);
    wr_rig_check_words(&b->rig, "word", out->word, want.word, 2);
    wr_rig_check(&b->rig, "last", out->last, want.last);
    wr_rig_check(&b->rig, "fault", out->fault, b->oracle.fault);
}

/* Settles and checks all outputs, then clocks both sides. */
static wr_tb_compressor_out cycle(bench *b, const wr_tb_compressor_in *in)
{
    wr_tb_compressor_out out;
    wr_bench_settle(&self, b, in, &out);
    check_outputs(b, &out);

    wr_oracle_tb_result result = {
        .last = in->last, .pag = in->pag, .pattern = in->pattern, .word = in->word};
    wr_oracle_tb_step(&b->oracle, in->valid ? &result : NULL, in->ready);
    wr_bench_clock(&self, b, in);
    b->registers += out.valid && out.last && in->ready;
    b->classes |= out.valid ? 1U << out.tb_class : 0;
    return out;
}

static void cycle_of(void *bench_v, const void *in, void *out)
{
    *(wr_tb_compressor_out *)out = cycle(bench_v, in);
}

/* A variable of the kernel: its value in a thread. */
typedef uint32_t variable(unsigned tx, unsigned ty);

static uint32_t value_i(unsigned tx, unsigned ty)
{
    (void)tx;
    (void)ty;
    return 3;
}

static uint32_t value_tx(unsigned tx, unsigned ty)
{
    (void)ty;
    return tx;
}

static uint32_t value_ty(unsigned tx, unsigned ty)
{
    (void)tx;
    return ty;
}

static uint32_t value_index(unsigned tx, unsigned ty)
{
    return ty * 16 + tx;
}

/* One more step aside in the last warp: strided in every group, but not over the whole TB. */
static uint32_t value_jump(unsigned tx, unsigned ty)
{
    return ty * 16 + tx + (ty >= 14 ? 1U : 0U);
}

/* The literal rule of III.C: the bases' step equals the stride, not stride x 16. */
static uint32_t value_literal(unsigned tx, unsigned ty)
{
    return ty + tx;
}

/* Feeds a variable of BP_1's TB, 16 x 16 threads in 8 warps of 32, PAG 16, as the warp level
 * gives it: two groups a warp, base and stride of each. */
static void feed(bench *b, variable *value, bool uniform)
{
    for (unsigned warp = 0; warp < 8; warp++) {
        wr_tb_compressor_in in = {
            .valid = true, .last = warp == 7, .pag = 1, .pattern = uniform ? UNIFORM : STRIDED};
        for (unsigned g = 0; g < 2; g++) {
            unsigned ty = 2 * warp + g;
            if (uniform) {
                in.word[g] = value(0, ty);
            } else {
                in.word[2 * g] = value(0, ty);
                in.word[2 * g + 1] = value(1, ty) - value(0, ty);
            }
        }
        assert_true(cycle(b, &in).ready);
    }
}

/* The beats of one register: class in all of them, words to word[]; returns how many words. */
static unsigned drain(bench *b, unsigned tb_class, uint32_t *word)
{
    const wr_tb_compressor_in in = {.ready = true};
    unsigned n = 0;
    bool last = false;
    while (!last) {
        wr_tb_compressor_out out = cycle(b, &in);
        assert_true(out.valid);
        assert_int_equal(out.tb_class, tb_class);
        for (unsigned i = 0; i < out.count; i++) {
            word[n++] = out.word[i];
        }
        last = out.last;
    }
    assert_false(cycle(b, &in).valid);
    return n;
}

/* i is global uniform (1 word for the TB), ty local uniform, ty*16+tx global strided (2 words), tx
 * local strided. */
static void test_paper_classes(void **state)
{
    (void)state;
    bench b;
    uint32_t word[64];
    wr_bench_init(&self, &b, 1, &(wr_tb_compressor_cfg){.words = 8, .entries = 32});

    feed(&b, value_i, true);
    assert_int_equal(drain(&b, WR_ORACLE_TB_GLOBAL_UNIFORM, word), 1);
    assert_int_equal(word[0], 3);

    feed(&b, value_ty, true);
    assert_int_equal(drain(&b, WR_ORACLE_TB_LOCAL_UNIFORM, word), 16);
    for (unsigned ty = 0; ty < 16; ty++) {
        assert_int_equal(word[ty], ty);
    }

    feed(&b, value_index, false);
    assert_int_equal(drain(&b, WR_ORACLE_TB_GLOBAL_STRIDED, word), 2);
    assert_int_equal(word[0], 0);
    assert_int_equal(word[1], 1);

    feed(&b, value_tx, false);
    assert_int_equal(drain(&b, WR_ORACLE_TB_LOCAL_STRIDED, word), 32);
    for (unsigned ty = 0; ty < 16; ty++) {
        assert_int_equal(word[2 * ty], 0);
        assert_int_equal(word[2 * ty + 1], 1);
    }

    /* Beside them. */
    feed(&b, value_jump, false);
    assert_int_equal(drain(&b, WR_ORACLE_TB_LOCAL_STRIDED, word), 32);
    feed(&b, value_literal, false);
    assert_int_equal(drain(&b, WR_ORACLE_TB_LOCAL_STRIDED, word), 32);
}

/* The classes' codes are those of the page: 3 bits, bypass 4, the warp level's codes kept. */
static void test_codes(void **state)
{
    (void)state;
    bench b;
    uint32_t word[64];
    wr_bench_init(&self, &b, 1, &(wr_tb_compressor_cfg){.words = 8, .entries = 32});

    /* One random warp makes the register random: no word. */
    wr_tb_compressor_in in = {.valid = true, .pag = 2, .pattern = UNIFORM};
    cycle(&b, &in);
    in.pattern = RANDOM;
    cycle(&b, &in);
    in.pattern = UNIFORM;
    in.last = true;
    cycle(&b, &in);
    assert_int_equal(drain(&b, 2, word), 0);

    /* 33 warps of one group are one too many for N = 32; 1,024 threads of PAG 32 just fit. */
    for (unsigned warps = 32; warps <= 33; warps++) {
        for (unsigned n = 0; n < warps; n++) {
            in = (wr_tb_compressor_in){
                .valid = true, .last = n + 1 == warps, .pag = 2, .pattern = STRIDED};
            in.word[0] = 1000 + 32 * 5 * n;
            in.word[1] = 5;
            cycle(&b, &in);
        }
        if (warps == 32) {
            assert_int_equal(drain(&b, 6, word), 2);
            assert_int_equal(word[0], 1000);
            assert_int_equal(word[1], 5);
        } else {
            assert_int_equal(drain(&b, 4, word), 0);
        }
    }
    /* 1,024 threads of PAG 8 are 128 groups: bypass. */
    for (unsigned n = 0; n < 32; n++) {
        in = (wr_tb_compressor_in){.valid = true, .last = n == 31, .pag = 0, .pattern = UNIFORM};
        cycle(&b, &in);
    }
    assert_int_equal(drain(&b, 4, word), 0);
    assert_false(b.oracle.fault);
}

/* What a register of the TB is like: all its warps follow it, but for an accident. */
typedef struct recipe {
    unsigned pag;
    unsigned warps;
    unsigned kind;
    uint32_t base;
    uint32_t stride;
    unsigned accident; /* percent per warp */
} recipe;

static recipe random_recipe(bench *b)
{
    recipe r = {.pag = wr_rig_below(&b->rig, 3), .kind = wr_rig_below(&b->rig, 5)};
    unsigned groups = (4 * b->cfg.words + (8U << r.pag) - 1) / (8U << r.pag);
    unsigned room = b->cfg.entries / groups;
    r.warps = wr_rig_chance(&b->rig, 60) ? 1 + wr_rig_below(&b->rig, room + 1)
                                         : room + wr_rig_below(&b->rig, 2);
    r.base = (uint32_t)wr_rig_random(&b->rig);
    r.stride = wr_rig_chance(&b->rig, 50) ? 1U << wr_rig_below(&b->rig, 32)
                                          : (uint32_t)wr_rig_random(&b->rig);
    r.accident = wr_rig_chance(&b->rig, 30) ? 20 : 0;
    return r;
}

/* The result of warp n. */
static void random_result(bench *b, const recipe *r, unsigned n, bool with_faults,
                          wr_tb_compressor_in *in)
{
    unsigned lanes = 8U << r->pag;
    unsigned groups = (4 * b->cfg.words + lanes - 1) / lanes;
    *in = (wr_tb_compressor_in){.pag = (uint8_t)r->pag, .pattern = STRIDED};
    wr_rig_words(&b->rig, in->word, WORDS_MAX);
    in->last = n + 1 >= r->warps;
    for (unsigned g = 0; g < groups; g++) {
        unsigned at = n * groups + g;
        uint32_t base = r->base;
        uint32_t stride = r->stride;
        if (r->kind == 0) { /* global uniform, in either form */
            stride = 0;
        } else if (r->kind == 1) { /* local uniform */
            base += at;
            stride = 0;
        } else if (r->kind == 2) { /* global strided */
            base += at * lanes * stride;
        } else if (r->kind == 3) { /* the bases step by the stride alone */
            base += at * stride;
        } else { /* local strided */
            base += at * lanes * stride + (wr_rig_chance(&b->rig, 10) ? 1 : 0);
            stride += wr_rig_chance(&b->rig, 10) ? 1 : 0;
        }
        if (wr_rig_chance(&b->rig, r->accident)) {
            base ^= 1U << wr_rig_below(&b->rig, 32);
        }
        in->word[2 * g] = base;
        in->word[2 * g + 1] = stride;
    }
    if (r->kind <= 1 && wr_rig_chance(&b->rig, 70)) {
        in->pattern = UNIFORM;
        for (unsigned g = 0; g < groups; g++) {
            in->word[g] = in->word[2 * g];
        }
    }
    if (wr_rig_chance(&b->rig, r->accident / 2)) {
        in->pattern = RANDOM;
    }
    if (with_faults && wr_rig_chance(&b->rig, 3)) {
        in->pattern = DEAD;
    }
    if (with_faults && wr_rig_chance(&b->rig, 3)) {
        in->pag = (uint8_t)wr_rig_below(&b->rig, 4);
    }
}

static void traffic(void *bench_v, unsigned registers, bool with_faults)
{
    bench *b = bench_v;
    uint64_t until = b->registers + registers;
    recipe r = random_recipe(b);
    wr_tb_compressor_in in;
    unsigned n = 0;
    random_result(b, &r, 0, with_faults, &in);
    while (b->registers < until) {
        in.valid = wr_rig_offers(&b->rig);
        in.ready = wr_rig_takes(&b->rig);
        bool taken = cycle(b, &in).ready && in.valid;
        if (taken && in.last) {
            r = random_recipe(b);
            n = 0;
        } else if (taken) {
            n++;
        }
        if (taken) {
            random_result(b, &r, n, with_faults, &in);
        }
        if (b->oracle.fault && wr_rig_chance(&b->rig, 2)) {
            wr_bench_reset(&self, b);
            n = 0;
        }
    }
}

static const wr_tb_compressor_cfg configs[] = {
    {.words = 4, .entries = 4},   {.words = 8, .entries = 32}, {.words = 6, .entries = 13},
    {.words = 2, .entries = 1},   {.words = 16, .entries = 8}, {.words = 16, .entries = 64},
    {.words = 10, .entries = 33}, {.words = 2, .entries = 64},
};
enum { CONFIGS = sizeof configs / sizeof configs[0] };

static void covered(const void *bench_v)
{
    const bench *b = bench_v;
    if (b->cfg.entries > 1) {
        assert_int_equal(b->classes, 0x7e); /* every class but dead */
    }
}

/* Each parameter is in its range. */
static const wr_tb_compressor_cfg refused[] = {
    {7, 32},
    {8, 3},
    {16, 7},
};

static const wr_bench self = {
    .block = &wr_tb_compressor_block,
    .at = {.size = sizeof(bench),
           .cfg = offsetof(bench, cfg),
           .model = offsetof(bench, dut),
           .fault = offsetof(bench, oracle.fault),
           .transactions = offsetof(bench, registers)},
    .configs = {configs, CONFIGS},
    .refused = {refused, sizeof refused / sizeof refused[0]},
    .reset = reset,
    .cycle = cycle_of,
    .play = traffic,
    .covered = covered,
    .amount = {.legal = 500, .faulty = 500},
    .snapshot = {.before = 5, .after = 20},
};

int main(void)
{
    const struct CMUnitTest own[] = {
        cmocka_unit_test(test_paper_classes),
        cmocka_unit_test(test_codes),
    };
    return wr_bench_main(&self, own, sizeof own / sizeof own[0]);
}
