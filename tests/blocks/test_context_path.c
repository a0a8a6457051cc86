/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of group context in a row, as the saving and restoring pipelines use them
 * (Lin-P Fig. 13): liveness_decoder -> reg_compressor -> context_packer -> bytes in memory ->
 * context_unpacker -> reg_decompressor.
 *
 * What is saved must be the oracle's bytes, and every live register must come back bit for bit,
 * once, in order, under back-pressure on both sides. The same path gives the paper's context
 * size of BP_1 (Lin-P III.C, RESOLUTIONS P7, P8).
 */
#include <string.h>

#include "refmodel/context/context_packer.h"
#include "refmodel/context/context_unpacker.h"
#include "refmodel/context/liveness_decoder.h"
#include "refmodel/context/reg_compressor.h"
#include "refmodel/context/reg_decompressor.h"
#include "tests/blocks/rig.h"
#include "tests/oracle/context_packer_oracle.h"
#include "tests/oracle/liveness_decoder_oracle.h"

enum { REGS = 64, MEMORY_WORDS = REGS * WR_RIG_MAX_LANES, OP_PP = 2, OP_BAR = 3, OP_DUMMY = 4 };

static const uint32_t poison = 0xdeadbeef;

typedef struct shape {
    unsigned lanes;
    unsigned seg_words;
    unsigned pad_words;
} shape;

/* A warp: its registers and what the preemption instruction says about them. */
typedef struct warp {
    unsigned pag;
    uint64_t word; /* preemption instruction and the word behind it */
    uint64_t next;
    bool diverged;
    unsigned alloc;
    uint64_t live; /* what they mean, by the oracle */
    uint32_t reg[REGS][WR_RIG_MAX_LANES];
} warp;

/* A saved warp, as it lies in memory. */
typedef struct image {
    uint32_t pattern_vec[4];
    uint8_t byte[4 * (MEMORY_WORDS + WR_RIG_MAX_LANES)]; /* little endian words */
    unsigned words;                                      /* data words, padding not counted */
    unsigned stored;
    unsigned segments;
} image;

typedef struct path {
    wr_rig rig;
    shape shape;
    wr_liveness_decoder decoder;
    wr_reg_compressor compressor;
    wr_context_packer packer;
    wr_context_unpacker unpacker;
    wr_reg_decompressor decompressor;
} path;

static void path_init(path *p, uint64_t seed, const shape *s)
{
    memset(p, 0, sizeof *p);
    wr_rig_init(&p->rig, seed, "context path Lanes=%u SegWords=%u PadWords=%u", s->lanes,
                s->seg_words, s->pad_words);
    p->shape = *s;
    const wr_liveness_decoder_cfg decoder = {
        .regs = REGS, .op_pp = OP_PP, .op_bar_pp = OP_BAR, .op_dummy = OP_DUMMY};
    const wr_reg_compressor_cfg compressor = {.lanes = s->lanes};
    const wr_context_packer_cfg packer = {
        .lanes = s->lanes, .seg_words = s->seg_words, .pad_words = s->pad_words};
    const wr_context_unpacker_cfg unpacker = {.lanes = s->lanes, .seg_words = s->seg_words};
    const wr_reg_decompressor_cfg decompressor = {.lanes = s->lanes, .poison = poison};
    assert_int_equal(wr_liveness_decoder_init(&p->decoder, &decoder), WR_OK);
    assert_int_equal(wr_reg_compressor_init(&p->compressor, &compressor), WR_OK);
    assert_int_equal(wr_context_packer_init(&p->packer, &packer), WR_OK);
    assert_int_equal(wr_context_unpacker_init(&p->unpacker, &unpacker), WR_OK);
    assert_int_equal(wr_reg_decompressor_init(&p->decompressor, &decompressor), WR_OK);
    wr_liveness_decoder_reset(&p->decoder);
    wr_reg_compressor_reset(&p->compressor);
    wr_context_packer_reset(&p->packer);
    wr_context_unpacker_reset(&p->unpacker);
    wr_reg_decompressor_reset(&p->decompressor);
}

/* One warp on its way out: how far the registers that the decoder named have come. */
typedef struct saving {
    const warp *w;
    bool early;   /* flush together with the last register, not behind it */
    bool decoded; /* live is known */
    unsigned live;
    unsigned packed;
    bool flushed;
} saving;

static unsigned bits_set(uint64_t set)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 64; i++) {
        n += (unsigned)((set >> i) & 1);
    }
    return n;
}

/* Settles the saving blocks, then clocks them. The packer's ready is a function of its state,
 * so it settles first. Returns the packer's outputs, seg_valid only where the segment leaves. */
static wr_context_packer_out save_cycle(path *p, saving *s, bool start)
{
    const warp *w = s->w;
    wr_context_packer_in pack = {.start = start, .seg_ready = wr_rig_takes(&p->rig)};
    wr_context_packer_out packed;
    wr_liveness_decoder_in walk = {.start = start,
                                   .word = w->word,
                                   .next = w->next,
                                   .diverged = w->diverged,
                                   .alloc = (uint8_t)w->alloc};
    wr_liveness_decoder_out named;
    wr_reg_compressor_in squeeze = {.pag = (uint8_t)w->pag};
    wr_reg_compressor_out squeezed;

    wr_context_packer_eval(&p->packer, &pack, &packed);
    wr_liveness_decoder_eval(&p->decoder, &walk, &named);
    squeeze.valid = named.valid && wr_rig_offers(&p->rig);
    squeeze.tag = named.index;
    memcpy(squeeze.lane, w->reg[named.index], sizeof squeeze.lane);
    squeeze.ready = packed.ready;
    wr_reg_compressor_eval(&p->compressor, &squeeze, &squeezed);
    walk.ready = squeeze.valid && squeezed.ready;

    if (named.decoded) {
        s->decoded = true;
        s->live = bits_set(named.mask);
    }
    pack.valid = squeezed.valid;
    pack.tag = squeezed.tag;
    pack.pattern = squeezed.pattern;
    pack.count = squeezed.count;
    memcpy(pack.word, squeezed.word, sizeof pack.word);
    unsigned left = s->live - s->packed;
    pack.flush =
        s->decoded && !s->flushed && (left == 0 || (s->early && left == 1 && squeezed.valid));
    wr_context_packer_eval(&p->packer, &pack, &packed);
    if (packed.ready) {
        s->packed += pack.valid;
        s->flushed = s->flushed || pack.flush;
    }
    packed.seg_valid = packed.seg_valid && pack.seg_ready;

    wr_rig_check(&p->rig, "fault while saving", named.fault || squeezed.fault || packed.fault,
                 false);
    wr_liveness_decoder_tick(&p->decoder, &walk);
    wr_reg_compressor_tick(&p->compressor, &squeeze);
    wr_context_packer_tick(&p->packer, &pack);
    wr_rig_next_cycle(&p->rig);
    return packed;
}

static void store_word(image *m, uint32_t word)
{
    uint8_t *at = m->byte + 4 * (size_t)m->stored;
    assert_true(4 * ((size_t)m->stored + 1) <= sizeof m->byte);
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

/* Saves one warp. */
static void save(path *p, const warp *w, image *m)
{
    saving s = {.w = w, .early = wr_rig_chance(&p->rig, 50)};
    bool last = false;

    memset(m, 0, sizeof *m);
    (void)save_cycle(p, &s, true);
    wr_context_packer_out out = {0};
    while (!out.done) {
        out = save_cycle(p, &s, false);
        if (out.seg_valid) {
            wr_rig_check(&p->rig, "segment after the last one", last, false);
            last = out.seg_last;
            for (unsigned i = 0; i < out.seg_count; i++) {
                store_word(m, out.seg_word[i]);
            }
            m->segments++;
        }
    }
    wr_rig_check(&p->rig, "live registers", s.live, bits_set(w->live));
    wr_rig_check(&p->rig, "registers packed", s.packed, s.live);
    m->words = out.total;
    memcpy(m->pattern_vec, out.pattern_vec, sizeof m->pattern_vec);
}

/* Restores one warp; every register that does not come back is poison. */
static void restore(path *p, const image *m, unsigned pag, uint64_t want_live,
                    uint32_t (*reg)[WR_RIG_MAX_LANES])
{
    wr_context_unpacker_in in = {.start = true, .pag = (uint8_t)pag};
    unsigned at = 0;
    uint64_t back = 0;
    bool first = true;

    for (unsigned r = 0; r < REGS; r++) {
        for (unsigned i = 0; i < p->shape.lanes; i++) {
            reg[r][i] = poison;
        }
    }
    memcpy(in.pattern_vec, m->pattern_vec, sizeof in.pattern_vec);
    while (first || back != want_live) {
        wr_reg_decompressor_in grow = {.ready = wr_rig_takes(&p->rig)};
        wr_reg_decompressor_out grown;
        wr_context_unpacker_out out;

        wr_context_unpacker_eval(&p->unpacker, &in, &out);
        in.seg_valid = out.busy && at < m->stored && wr_rig_offers(&p->rig);
        wr_rig_words(&p->rig, in.seg_word, p->shape.seg_words);
        for (unsigned i = 0; i < p->shape.seg_words && at + i < m->stored; i++) {
            in.seg_word[i] = load_word(m, at + i);
        }
        grow.valid = out.valid;
        grow.tag = out.tag;
        grow.pag = out.pag;
        grow.pattern = out.pattern;
        memcpy(grow.word, out.word, sizeof grow.word);
        wr_reg_decompressor_eval(&p->decompressor, &grow, &grown);
        in.ready = grown.ready;

        if (grown.valid && grow.ready) {
            uint64_t bit = UINT64_C(1) << grown.tag;
            wr_rig_check(&p->rig, "restored twice or out of order", back >= bit, false);
            back |= bit;
            memcpy(reg[grown.tag], grown.lane, p->shape.lanes * sizeof grown.lane[0]);
        }
        wr_rig_check(&p->rig, "fault while restoring", out.fault || grown.fault, false);
        if (in.seg_valid && out.seg_ready) {
            at += p->shape.seg_words;
        }
        wr_context_unpacker_tick(&p->unpacker, &in);
        wr_reg_decompressor_tick(&p->decompressor, &grow);
        in.start = false;
        first = false;
        wr_rig_next_cycle(&p->rig);
    }
    wr_rig_check(&p->rig, "segments left over", at < m->stored, false);
    wr_context_unpacker_out out;
    wr_context_unpacker_eval(&p->unpacker, &in, &out);
    wr_rig_check(&p->rig, "busy after the last register", out.busy, false);
}

/* A preemption instruction with random live registers below alloc. */
static void random_warp(path *p, warp *w)
{
    const wr_oracle_live_cfg cfg = {
        .regs = REGS, .op_pp = OP_PP, .op_bar_pp = OP_BAR, .op_dummy = OP_DUMMY};
    uint64_t vector[2];

    w->alloc = wr_rig_below(&p->rig, REGS + 1);
    uint64_t allowed = UINT64_C(0x3fffffffffffff);
    if (w->alloc <= 53) {
        allowed = (UINT64_C(1) << w->alloc) - 1;
    }
    for (unsigned i = 0; i < 2; i++) {
        vector[i] = wr_rig_random(&p->rig) & allowed;
        if (wr_rig_chance(&p->rig, 50)) {
            vector[i] &= wr_rig_sparse(&p->rig);
        }
    }
    uint64_t opcode = wr_rig_chance(&p->rig, 50) ? OP_PP : OP_BAR;
    w->word = opcode << 54 | vector[0];
    w->next = (uint64_t)OP_DUMMY << 54 | vector[1];
    w->diverged = opcode == OP_PP && wr_rig_chance(&p->rig, 50);
    w->live = wr_oracle_decode(&cfg, w->word, w->next, w->diverged, w->alloc).mask;
    w->pag = wr_rig_below(&p->rig, 3);
    for (unsigned r = 0; r < REGS; r++) {
        wr_rig_register(&p->rig, w->reg[r], p->shape.lanes);
    }
}

/* Saved bytes against the oracle's, registers against what they were. */
static void check_warp(path *p, const warp *w, image *m)
{
    uint32_t back[REGS][WR_RIG_MAX_LANES];
    uint8_t want[4 * MEMORY_WORDS];
    wr_oracle_warp packed;

    memset(&packed, 0, sizeof packed);
    for (unsigned r = 0; r < REGS; r++) {
        if ((w->live >> r) & 1) {
            wr_oracle_reg reg = wr_oracle_compress(r, w->reg[r], p->shape.lanes, w->pag);
            wr_oracle_warp_add(&packed, &reg);
        }
    }
    save(p, w, m);
    wr_rig_check(&p->rig, "data words", m->words, packed.words);
    wr_rig_check_words(&p->rig, "pattern_vec", m->pattern_vec, packed.pattern_vec, 4);
    size_t bytes = wr_oracle_bytes(packed.stream, packed.words, want);
    for (size_t i = 0; i < bytes; i++) {
        wr_rig_check(&p->rig, "byte of the saved context", m->byte[i], want[i]);
    }
    unsigned padded = 0;
    while (padded < packed.words) {
        padded += p->shape.pad_words;
    }
    wr_rig_check(&p->rig, "words stored", m->stored, padded);

    restore(p, m, w->pag, w->live, back);
    for (unsigned r = 0; r < REGS; r++) {
        if ((w->live >> r) & 1) {
            wr_rig_check_words(&p->rig, "restored lane", back[r], w->reg[r], p->shape.lanes);
        }
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    static const shape shapes[] = {
        {8, 8, 2}, {32, 32, 8}, {24, 30, 5}, {16, 32, 8}, {64, 64, 16}, {32, 64, 64},
    };
    image m;
    warp w;
    uint64_t seed = wr_rig_seed();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        path p;
        uint64_t registers = 0;
        path_init(&p, seed + i, &shapes[i]);
        for (unsigned n = 0; n < 150; n++) {
            random_warp(&p, &w);
            check_warp(&p, &w, &m);
            registers += bits_set(w.live);
        }
        wr_rig_report(&p.rig, registers);
    }
}

/* Data words that warps of BP_1's 16x16 TB save when of all their live registers so many are
 * uniform (like ty) and the rest strided (like tx); PAG is 16. Registers are dealt out to the
 * warps as evenly as they go. */
static unsigned bp1_words(unsigned warps, unsigned uniform, unsigned strided, unsigned *segments)
{
    path p;
    warp w;
    image m;
    const shape gtx480 = {32, 32, 8};
    unsigned words = 0;
    unsigned dealt = 0;
    unsigned all = uniform + strided;

    path_init(&p, 1, &gtx480);
    *segments = 0;
    for (unsigned n = 0; n < warps; n++) {
        unsigned live = all * (n + 1) / warps - all * n / warps;
        memset(&w, 0, sizeof w);
        w.pag = WR_PAG_16;
        w.alloc = 13;
        w.live = (UINT64_C(1) << live) - 1;
        w.word = (uint64_t)OP_BAR << 54 | w.live;
        for (unsigned r = 0; r < live; r++, dealt++) {
            for (unsigned i = 0; i < 32; i++) {
                unsigned thread = 32 * (n % 8) + i;
                /* Spread both kinds evenly over the registers. */
                bool is_uniform = uniform * (dealt + 1) / all != uniform * dealt / all;
                w.reg[r][i] = is_uniform ? thread / 16 + r : thread % 16 + 100 * r;
            }
        }
        check_warp(&p, &w, &m);
        words += m.words;
        *segments += m.segments;
    }
    assert_int_equal(dealt, all);
    return words;
}

/* BP_1: 13 registers allocated, 41/8 = 5.125 live on average, 47.4 % of them uniform and
 * 52.6 % strided, PAG 16. */
static void test_bp1_context_size(void **state)
{
    (void)state;
    unsigned segments = 0;

    /* 656 of 1664 bytes without compression: 39.42 %, which the paper prints as 39.6 %. */
    double share = 100.0 * (41.0 / 8.0 * 128.0) / (13.0 * 128.0);
    assert_true(share > 39.4 && share < 39.6);

    /* What one register of each kind costs through compressor and packer. */
    double uniform = 4.0 * bp1_words(8, 8, 0, &segments) / 8.0;
    double strided = 4.0 * bp1_words(8, 0, 8, &segments) / 8.0;
    double weighted = 41.0 / 8.0 * (0.474 * uniform + 0.526 * strided);
    print_message("BP_1: uniform %.1f B, strided %.1f B, weighted %.2f B per warp\n", uniform,
                  strided, weighted);
    assert_true(weighted > 62.5 && weighted < 62.7);

    /* One TB of 8 warps, the whole registers that come closest: 19 of 41 uniform. */
    unsigned words = bp1_words(8, 19, 22, &segments);
    assert_int_equal(words, 19 * 2 + 22 * 4);
    assert_int_equal(segments, 8);
    print_message("BP_1: 8 warps, 19 uniform, 22 strided: %.2f B per warp\n", 4.0 * words / 8);

    /* 1,000 warps hold the paper's mix to a tenth of a percent. */
    words = bp1_words(1000, 2429, 2696, &segments);
    double bytes = 4.0 * words / 1000;
    print_message("BP_1: 1000 warps, 2429 uniform, 2696 strided: %.2f B per warp\n", bytes);
    assert_true(bytes > 62.5 && bytes < 62.7);
    assert_int_equal(segments, 1000);
}

/* 2 bits for each of 64 registers: 128 bits, and each register has its own place in them. */
static void test_pattern_vector(void **state)
{
    (void)state;
    path p;
    warp w;
    image m;
    const shape gtx480 = {32, 32, 8};

    assert_int_equal(8 * sizeof m.pattern_vec, 128);
    path_init(&p, 1, &gtx480);
    for (unsigned r = 0; r <= 53; r++) {
        memset(&w, 0, sizeof w);
        w.pag = WR_PAG_32;
        w.alloc = r + 1;
        w.live = UINT64_C(1) << r;
        w.word = (uint64_t)OP_BAR << 54 | w.live;
        for (unsigned i = 0; i < 32; i++) {
            w.reg[r][i] = 3 * i;
        }
        check_warp(&p, &w, &m);
        for (unsigned k = 0; k < 4; k++) {
            assert_int_equal(m.pattern_vec[k], k == r / 16 ? 3U << (2 * (r % 16)) : 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bp1_context_size),
        cmocka_unit_test(test_pattern_vector),
    };
    return cmocka_run_group_tests_name("context_path", tests, NULL, NULL);
}
