/* SPDX-License-Identifier: Apache-2.0 */
/* context_saver and context_restorer with a memory between them: many warps, saved one after the
 * other while earlier ones are restored in any order, each side held back at random.
 *
 * Of every warp the bytes in memory must be the oracle's; every live register must come back bit
 * for bit, every dead one as poison, each once, in ascending order, and none that is not
 * allocated.
 */
#include <string.h>

#include "refmodel/context/context_restorer.h"
#include "refmodel/context/context_saver.h"
#include "tests/blocks/rig.h"
#include "tests/oracle/context_packer_oracle.h"
#include "tests/oracle/liveness_decoder_oracle.h"

enum {
    REGS = 64,
    WARPS = 8, /* in one batch */
    MEMORY = 4 * (REGS * WR_RIG_MAX_LANES + WR_RIG_MAX_LANES),
    OP_PP = 2,
    OP_BAR = 3,
    OP_DUMMY = 4,
};

typedef struct shape {
    unsigned lanes;
    unsigned seg_words;
    unsigned pad_words;
    unsigned regs;
    uint32_t poison;
} shape;

/* A warp: its registers, what the preemption instruction says, and what that means. */
typedef struct warp {
    unsigned pag;
    uint64_t word;
    uint64_t next;
    bool diverged;
    unsigned alloc;
    uint64_t live; /* by the oracle */
    uint32_t reg[REGS][WR_RIG_MAX_LANES];
} warp;

/* Its place in memory. */
typedef struct image {
    uint32_t pattern_vec[4];
    uint8_t byte[MEMORY]; /* little endian words */
    unsigned stored;      /* words, padding counted */
    unsigned last;        /* segments marked as the last */
    bool saved;
    bool restored;
} image;

typedef struct bench {
    wr_rig rig;
    shape shape;
    bool held_back; /* at random; else both sides run at full pace */
    wr_context_saver saver;
    wr_context_restorer restorer;
    warp warp[WARPS];
    image image[WARPS];
    uint64_t registers; /* restored, dead ones counted */

    /* saver */
    unsigned save;    /* warp in work, or the next; WARPS: all are saved */
    bool saving;      /* its start was accepted */
    uint64_t granted; /* its registers that were read */
    unsigned shown;   /* register at the register file's read port; REGS: none yet */
    uint64_t save_cycles;

    /* restorer */
    unsigned restore; /* warp in work */
    bool restoring;
    unsigned fetched; /* words of it that have been taken */
    uint64_t written;
    uint32_t back[REGS][WR_RIG_MAX_LANES];
    uint64_t restore_cycles;
} bench;

static void bench_init(bench *b, uint64_t seed, const shape *s)
{
    memset(b, 0, sizeof *b);
    wr_rig_init(&b->rig, seed, "context engines Lanes=%u SegWords=%u PadWords=%u Regs=%u", s->lanes,
                s->seg_words, s->pad_words, s->regs);
    b->shape = *s;
    b->held_back = true;
    b->shown = REGS;
    const wr_context_saver_cfg saver = {.lanes = s->lanes,
                                        .seg_words = s->seg_words,
                                        .pad_words = s->pad_words,
                                        .regs = s->regs,
                                        .op_pp = OP_PP,
                                        .op_bar_pp = OP_BAR,
                                        .op_dummy = OP_DUMMY};
    const wr_context_restorer_cfg restorer = {
        .lanes = s->lanes, .seg_words = s->seg_words, .regs = s->regs, .poison = s->poison};
    assert_int_equal(wr_context_saver_init(&b->saver, &saver), WR_OK);
    assert_int_equal(wr_context_restorer_init(&b->restorer, &restorer), WR_OK);
}

static bool offers(bench *b)
{
    return !b->held_back || wr_rig_offers(&b->rig);
}

static bool takes(bench *b)
{
    return !b->held_back || wr_rig_takes(&b->rig);
}

static void store_word(image *m, uint32_t word)
{
    uint8_t *at = m->byte + 4 * (size_t)m->stored;
    assert_true(4 * ((size_t)m->stored + 1) <= MEMORY);
    at[0] = (uint8_t)(word & 0xff);
    at[1] = (uint8_t)(word >> 8 & 0xff);
    at[2] = (uint8_t)(word >> 16 & 0xff);
    at[3] = (uint8_t)(word >> 24);
    m->stored++;
}

static uint32_t load_word(const image *m, unsigned index)
{
    const uint8_t *at = m->byte + 4 * (size_t)index;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* What the oracle says that memory holds of a saved warp. */
static void check_image(bench *b, const warp *w, const image *m, unsigned total)
{
    wr_oracle_warp packed;
    uint8_t want[4 * WR_ORACLE_STREAM];

    memset(&packed, 0, sizeof packed);
    for (unsigned r = 0; r < REGS; r++) {
        if ((w->live >> r) & 1) {
            wr_oracle_reg reg = wr_oracle_compress(r, w->reg[r], b->shape.lanes, w->pag);
            wr_oracle_warp_add(&packed, &reg);
        }
    }
    unsigned padded = 0;
    while (padded < packed.words) {
        padded += b->shape.pad_words;
    }
    wr_rig_check(&b->rig, "registers read", b->granted, w->live);
    wr_rig_check(&b->rig, "data words", total, packed.words);
    wr_rig_check(&b->rig, "words stored", m->stored, padded);
    wr_rig_check(&b->rig, "last segments", m->last, w->live != 0);
    wr_rig_check_words(&b->rig, "pattern_vec", m->pattern_vec, packed.pattern_vec, 4);
    size_t bytes = wr_oracle_bytes(packed.stream, packed.words, want);
    for (size_t i = 0; i < bytes; i++) {
        wr_rig_check(&b->rig, "byte of the saved context", m->byte[i], want[i]);
    }
}

/* One cycle of the saver, its register file and its side of the memory. */
static void save_cycle(bench *b)
{
    wr_context_saver_in in = {.rf_gnt = takes(b), .seg_ready = takes(b)};
    wr_context_saver_out out;
    const warp *w = &b->warp[b->save < WARPS ? b->save : 0];
    image *m = &b->image[b->save < WARPS ? b->save : 0];

    wr_rig_words(&b->rig, in.rf_lane, b->shape.lanes);
    if (b->shown < REGS) {
        memcpy(in.rf_lane, w->reg[b->shown], sizeof in.rf_lane);
    }
    in.word = wr_rig_random(&b->rig);
    in.start = b->save < WARPS && !b->saving && offers(b);
    if (in.start) {
        in.word = w->word;
        in.next = w->next;
        in.diverged = w->diverged;
        in.alloc = (uint8_t)w->alloc;
        in.pag = (uint8_t)w->pag;
    }
    wr_context_saver_eval(&b->saver, &in, &out);
    wr_rig_check(&b->rig, "saver: fault", out.fault, false);
    wr_rig_check(&b->rig, "saver: busy and done", out.busy && out.done, false);
    if (out.rf_req && in.rf_gnt) {
        uint64_t bit = UINT64_C(1) << out.rf_index;
        wr_rig_check(&b->rig, "read twice or out of order", b->granted >= bit, false);
        b->granted |= bit;
        b->shown = out.rf_index;
    }
    if (out.seg_valid && in.seg_ready) {
        wr_rig_check(&b->rig, "segment after the last one", m->last, 0);
        for (unsigned i = 0; i < out.seg_count; i++) {
            store_word(m, out.seg_word[i]);
        }
        m->last += out.seg_last;
    }
    b->save_cycles += b->saving || in.start;
    if (b->saving && out.done) {
        memcpy(m->pattern_vec, out.pattern_vec, sizeof m->pattern_vec);
        check_image(b, w, m, out.total);
        m->saved = true;
        b->saving = false;
        b->granted = 0;
        b->shown = REGS;
        b->save++;
    }
    b->saving = b->saving || in.start;
    wr_context_saver_tick(&b->saver, &in);
}

/* A saved warp that has not been restored, or WARPS. */
static unsigned pick_saved(bench *b)
{
    unsigned start = wr_rig_below(&b->rig, WARPS);
    for (unsigned i = 0; i < WARPS; i++) {
        unsigned n = (start + i) % WARPS;
        if (b->image[n].saved && !b->image[n].restored) {
            return n;
        }
    }
    return WARPS;
}

static void check_restored(bench *b, const warp *w)
{
    uint64_t all = w->alloc >= 64 ? UINT64_MAX : (UINT64_C(1) << w->alloc) - 1;
    uint32_t dead[WR_RIG_MAX_LANES];

    for (unsigned i = 0; i < WR_RIG_MAX_LANES; i++) {
        dead[i] = b->shape.poison;
    }
    wr_rig_check(&b->rig, "registers written", b->written, all);
    for (unsigned r = 0; r < w->alloc; r++) {
        bool live = (w->live >> r) & 1;
        wr_rig_check_words(&b->rig, live ? "live register" : "dead register", b->back[r],
                           live ? w->reg[r] : dead, b->shape.lanes);
    }
    b->registers += w->alloc;
}

/* One cycle of the restorer, its register file and its side of the memory. */
static void restore_cycle(bench *b)
{
    wr_context_restorer_in in = {.rf_gnt = takes(b)};
    wr_context_restorer_out out;

    wr_rig_words(&b->rig, in.pattern_vec, 4);
    wr_rig_words(&b->rig, in.seg_word, b->shape.seg_words);
    in.pag = (uint8_t)wr_rig_below(&b->rig, 4);
    in.alloc = (uint8_t)wr_rig_below(&b->rig, 128);
    if (!b->restoring && offers(b)) {
        b->restore = pick_saved(b);
        if (b->restore < WARPS) {
            const warp *w = &b->warp[b->restore];
            in.start = true;
            memcpy(in.pattern_vec, b->image[b->restore].pattern_vec, sizeof in.pattern_vec);
            in.pag = (uint8_t)w->pag;
            in.alloc = (uint8_t)w->alloc;
            b->fetched = 0;
            b->written = 0;
            memset(b->back, 0x5a, sizeof b->back);
        }
    } else if (b->restoring && b->fetched < b->image[b->restore].stored && offers(b)) {
        const image *m = &b->image[b->restore];
        in.seg_valid = true;
        for (unsigned i = 0; i < b->shape.seg_words && b->fetched + i < m->stored; i++) {
            in.seg_word[i] = load_word(m, b->fetched + i);
        }
    }
    wr_context_restorer_eval(&b->restorer, &in, &out);
    wr_rig_check(&b->rig, "restorer: fault", out.fault, false);
    if (in.seg_valid && out.seg_ready) {
        b->fetched += b->shape.seg_words;
    }
    if (out.rf_req && in.rf_gnt) {
        uint64_t bit = UINT64_C(1) << out.rf_index;
        wr_rig_check(&b->rig, "written twice or out of order", b->written >= bit, false);
        b->written |= bit;
        memcpy(b->back[out.rf_index], out.rf_lane, sizeof b->back[0]);
    }
    b->restore_cycles += b->restoring || in.start;
    if (b->restoring && !out.busy) {
        wr_rig_check(&b->rig, "segments left over", b->fetched < b->image[b->restore].stored,
                     false);
        check_restored(b, &b->warp[b->restore]);
        b->image[b->restore].restored = true;
        b->restoring = false;
    }
    b->restoring = b->restoring || in.start;
    wr_context_restorer_tick(&b->restorer, &in);
}

static bool all_restored(const bench *b)
{
    for (unsigned n = 0; n < WARPS; n++) {
        if (!b->image[n].restored) {
            return false;
        }
    }
    return true;
}

/* The warps of a batch leave and come back. */
static void run_batch(bench *b)
{
    memset(b->image, 0, sizeof b->image);
    b->save = 0;
    b->save_cycles = 0;
    b->restore_cycles = 0;
    while (!all_restored(b)) {
        save_cycle(b);
        restore_cycle(b);
        wr_rig_next_cycle(&b->rig);
    }
}

/* A preemption instruction with random live registers below alloc, and its registers. */
static void random_warp(bench *b, warp *w)
{
    const wr_oracle_live_cfg cfg = {
        .regs = b->shape.regs, .op_pp = OP_PP, .op_bar_pp = OP_BAR, .op_dummy = OP_DUMMY};
    uint64_t vector[2];

    w->alloc = wr_rig_below(&b->rig, b->shape.regs + 1);
    uint64_t allowed = UINT64_C(0x3fffffffffffff);
    if (w->alloc <= 53) {
        allowed = (UINT64_C(1) << w->alloc) - 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        vector[i] = wr_rig_random(&b->rig) & allowed;
        if (wr_rig_chance(&b->rig, 50)) {
            vector[i] &= wr_rig_sparse(&b->rig);
        }
    }
    uint64_t opcode = wr_rig_chance(&b->rig, 50) ? OP_PP : OP_BAR;
    w->word = opcode << 54 | vector[0];
    w->next = (uint64_t)OP_DUMMY << 54 | vector[1];
    w->diverged = opcode == OP_PP && wr_rig_chance(&b->rig, 50);
    w->live = wr_oracle_decode(&cfg, w->word, w->next, w->diverged, w->alloc).mask;
    w->pag = wr_rig_below(&b->rig, 3);
    for (unsigned r = 0; r < REGS; r++) {
        wr_rig_register(&b->rig, w->reg[r], b->shape.lanes);
    }
}

static const shape shapes[] = {
    {8, 8, 2, 16, 0xdeadbeef},  {32, 32, 8, 64, 0xdeadbeef},  {24, 30, 5, 55, 0xa5a5a5a5},
    {16, 32, 8, 64, 0},         {64, 64, 16, 64, 0xffffffff}, {32, 64, 64, 63, 0x80000001},
    {9, 11, 1, 54, 0xdeadbeef},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0], DEFAULT_SHAPE = 1 };

static void test_round_trip(void **state)
{
    (void)state;
    uint64_t seed = wr_rig_seed();
    for (unsigned i = 0; i < SHAPES; i++) {
        bench b;
        bench_init(&b, seed + i, &shapes[i]);
        unsigned pags = 0;
        unsigned diverged = 0;
        for (unsigned batch = 0; batch < 96; batch++) {
            b.held_back = batch % 4 != 0;
            for (unsigned n = 0; n < WARPS; n++) {
                random_warp(&b, &b.warp[n]);
                pags |= 1U << b.warp[n].pag;
                diverged += b.warp[n].diverged;
            }
            run_batch(&b);
        }
        assert_int_equal(pags, 7);
        assert_true(diverged > 0);
        wr_rig_report(&b.rig, b.registers);
    }
}

/* Nothing held back: 64 random registers, one a cycle on either side; see the blocks' pages. */
static void test_pace(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, 1, &shapes[DEFAULT_SHAPE]);
    b.held_back = false;
    for (unsigned n = 0; n < WARPS; n++) {
        random_warp(&b, &b.warp[n]);
        b.warp[n].alloc = 64;
        b.warp[n].diverged = false;
        b.warp[n].word = (uint64_t)OP_PP << 54 | UINT64_C(0x3fffffffffffff);
        b.warp[n].live = UINT64_MAX;
        for (unsigned r = 0; r < REGS; r++) {
            wr_rig_words(&b.rig, b.warp[n].reg[r], 32);
            b.warp[n].reg[r][1] = b.warp[n].reg[r][0];
        }
    }
    run_batch(&b);
    /* A warp: n + 5 cycles to done and the cycle of done; n + 5 to the first idle one, and it. */
    assert_int_equal(b.save_cycles, WARPS * (64 + 5 + 1));
    assert_int_equal(b.restore_cycles, WARPS * (64 + 5 + 1));
}

/* A single bit that memory loses shows in every lane that depends on it: here the stride of a
 * strided register, the second word stored, one bit of it turned over. */
static void test_lost_bit(void **state)
{
    (void)state;
    bench b;
    bench_init(&b, 1, &shapes[DEFAULT_SHAPE]);
    for (unsigned bit = 0; bit < 32; bit++) {
        warp *w = &b.warp[0];
        random_warp(&b, w);
        w->alloc = 13;
        w->diverged = false;
        w->word = (uint64_t)OP_BAR << 54 | 0x10;
        w->live = 0x10;
        w->pag = WR_PAG_32;
        for (unsigned i = 0; i < 32; i++) {
            w->reg[4][i] = 7 + 3 * i;
        }
        memset(b.image, 0, sizeof b.image);
        b.save = 0;
        while (b.save == 0) {
            save_cycle(&b);
        }
        b.save = WARPS; /* no further one */
        assert_int_equal(load_word(&b.image[0], 1), 3);
        b.image[0].byte[4 + bit / 8] ^= (uint8_t)(1U << (bit % 8));
        for (unsigned i = 0; i < 32; i++) { /* what must come back then */
            w->reg[4][i] = 7 + (3 ^ (1U << bit)) * i;
        }
        while (!b.image[0].restored) {
            restore_cycle(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_lost_bit),
    };
    return cmocka_run_group_tests_name("context_engines", tests, NULL, NULL);
}
