/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs of context_mover, in a small storage: cycles, addresses and words that are worked out by
 * hand from the page, and warps that change places. The model alone. */
#include "refmodel/duet/context_mover.h"

#include <string.h>

#include "tests/blocks/mover_storage.h"

enum { IDLE, COPY, HEAD, KINDS_OUT, PACK, POINT, KINDS_IN, SUM, LOAD, UNPACK, DRAIN };
enum { REGS = 63, UNIFORM = 1, WHOLE = 3, ADDRESSES = 4096, NEVER = 1000 };

/* That of what is worked out by hand. */
static const wr_context_mover_cfg largest = {REGS, 32, 3};

static const wr_context_mover_in job_out = {.out = true, .home = 0xffe, .away = 0x210};
static const wr_context_mover_in job_in = {.in = true, .home = 0xffe, .away = 0x210};
static const wr_context_mover_in job_both = {
    .out = true, .in = true, .home = 0x110, .away = 0xfff, .point = 7};

static void test_copy(void **state)
{
    (void)state;
    static const mover_event out[] = {{COPY, 0xffe, NO, NO, NO, 0},
                                      {COPY, 0xfff, NO, NO, 0x210, 0},
                                      {COPY, 0x000, NO, NO, 0x211, 0},
                                      {COPY, NO, NO, NO, 0x212, 0}};
    static const mover_event in[] = {{COPY, NO, NO, 0x210, NO, 0},
                                     {COPY, NO, 0xffe, 0x211, NO, 0},
                                     {COPY, NO, 0xfff, 0x212, NO, 0},
                                     {COPY, NO, 0x000, NO, NO, 0}};
    static const mover_event both[] = {
        {COPY, 0x110, NO, 0xfff, NO, 0}, {COPY, NO, 0x110, NO, 0xfff, 0},
        {COPY, 0x111, NO, 0x000, NO, 0}, {COPY, NO, 0x111, NO, 0x000, 0},
        {COPY, 0x112, NO, 0x001, NO, 0}, {COPY, NO, 0x112, NO, 0x001, 0}};
    mover_world w;
    mover_begin(&w, 1, &largest);
    mover_launch(&w, true, 2, 3);
    mover_storage was = w.at;
    MOVER_GOES_AS(&w, &job_out, out);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(mover_away(&was, 0x210 + i), mover_home(&was, 0xffe + i, 0), sizeof(mover_line));
    }
    assert_memory_equal(w.at.away, was.away, sizeof was.away);
    assert_memory_equal(w.at.home, was.home, sizeof was.home);

    wr_rig_words(&w.rig, mover_away(&was, 0x210), 3 * MOVER_LANES);
    w.at = was;
    MOVER_GOES_AS(&w, &job_in, in);
    for (unsigned i = 0; i < 3; i++) {
        memcpy(mover_home(&was, 0xffe + i, 0), mover_away(&was, 0x210 + i), sizeof(mover_line));
    }
    assert_memory_equal(w.at.away, was.away, sizeof was.away);
    assert_memory_equal(w.at.home, was.home, sizeof was.home);

    MOVER_GOES_AS(&w, &job_both, both);
    for (unsigned i = 0; i < 3; i++) {
        const size_t bytes = sizeof(mover_line);
        assert_memory_equal(mover_away(&w.at, 0xfff + i), mover_home(&was, 0x110 + i, 0), bytes);
        assert_memory_equal(mover_home(&w.at, 0x110 + i, 0), mover_away(&was, 0xfff + i), bytes);
    }
}

static void test_copy_lengths(void **state)
{
    (void)state;
    static const unsigned lengths[] = {1, 2, 3, 512, 1022, 1023};
    mover_world w;
    mover_begin(&w, 1, &largest);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        mover_launch(&w, true, 0, lengths[i]);
        assert_int_equal(mover_play(&w, &job_out, NULL), lengths[i] + 1);
        assert_int_equal(mover_play(&w, &job_in, NULL), lengths[i] + 1);
        assert_int_equal(mover_play(&w, &job_both, NULL), 2 * lengths[i]);
    }
    assert_false(w.fault);
}

/* StLines is 3; at both levels, and the lines of a launch do not count. */
static void test_metadata(void **state)
{
    (void)state;
    static const mover_event out[] = {{COPY, 7, NO, NO, NO, 0},
                                      {COPY, 7, NO, NO, 0xffe, 1},
                                      {COPY, 7, NO, NO, 0xfff, 2},
                                      {COPY, NO, NO, NO, 0x000, 0}};
    static const mover_event in[] = {{COPY, NO, NO, 0xffe, NO, 0},
                                     {COPY, NO, 7, 0xfff, NO, 0},
                                     {COPY, NO, 7, 0x000, NO, 1},
                                     {COPY, NO, 7, NO, NO, 2}};
    static const mover_event both[] = {{COPY, 7, NO, 0xffe, NO, 0}, {COPY, NO, 7, NO, 0xffe, 0},
                                       {COPY, 7, NO, 0xfff, NO, 1}, {COPY, NO, 7, NO, 0xfff, 1},
                                       {COPY, 7, NO, 0x000, NO, 2}, {COPY, NO, 7, NO, 0x000, 2}};
    mover_world w;
    mover_begin(&w, 1, &largest);
    for (unsigned tb = 0; tb < 2; tb++) {
        wr_context_mover_in job = {.meta = true, .home = 7, .away = 0xffe, .point = 9};
        mover_launch(&w, tb != 0, 0, tb != 0 ? 0 : 17);
        job.out = true;
        MOVER_GOES_AS(&w, &job, out);
        job.in = true;
        MOVER_GOES_AS(&w, &job, both);
        job.out = false;
        MOVER_GOES_AS(&w, &job, in);
        const size_t bytes = sizeof(mover_line);
        for (unsigned i = 0; i < 3; i++) {
            assert_memory_equal(mover_home(&w.at, 7, i), mover_away(&w.at, 0xffe + i), bytes);
        }
    }
}

/* Lane l of register r holds 10,000 r + l * l. Register 1 is not kept. */
static void test_packed_words(void **state)
{
    (void)state;
    static const uint32_t want[3][64] = {
        {0,     1,     64,    17,    256,   33,    576,   49,    20000, 20064, 20256, 20576,
         30000, 30001, 30004, 30009, 30016, 30025, 30036, 30049, 30064, 30081, 30100, 30121,
         30144, 30169, 30196, 30225, 30256, 30289, 30324, 30361, 30400, 30441, 30484, 30529,
         30576, 30625, 30676, 30729, 30784, 30841, 30900, 30961, 40000, 40064, 40256, 40576},
        {0,     1,     256,   33,    20000, 20256, 30000, 30001, 30004, 30009,
         30016, 30025, 30036, 30049, 30064, 30081, 30100, 30121, 30144, 30169,
         30196, 30225, 30256, 30289, 30324, 30361, 30400, 30441, 30484, 30529,
         30576, 30625, 30676, 30729, 30784, 30841, 30900, 30961, 40000, 40256},
        {0,     1,     20000, 30000, 30001, 30004, 30009, 30016, 30025, 30036, 30049, 30064,
         30081, 30100, 30121, 30144, 30169, 30196, 30225, 30256, 30289, 30324, 30361, 30400,
         30441, 30484, 30529, 30576, 30625, 30676, 30729, 30784, 30841, 30900, 30961, 40000},
    };
    static const mover_event out[] = {{KINDS_OUT, NO, NO, NO, NO, 0}, {PACK, 0xffe, NO, NO, NO, 0},
                                      {PACK, 0x000, NO, NO, NO, 0},   {PACK, 0x001, NO, NO, NO, 0},
                                      {PACK, 2, NO, NO, 0x210, 0},    {PACK, NO, NO, NO, NO, 0},
                                      {DRAIN, NO, NO, NO, 0x211, 0}};
    for (unsigned group = 0; group < 3; group++) {
        mover_world w;
        mover_begin(&w, 1, &largest);
        mover_launch(&w, false, group, 2);
        w.stand[0].point = 0x800001;
        w.stand[0].kinds = "20131";
        for (unsigned r = 0; r < 5; r++) {
            for (unsigned l = 0; l < MOVER_LANES; l++) {
                mover_home(&w.at, 0xffe + r, 0)[l] = 10000 * r + l * l;
            }
        }
        wr_context_mover_in job = job_out;
        job.point = 0x800001;
        MOVER_GOES_AS(&w, &job, out);
        assert_memory_equal(mover_away(&w.at, 0x210), want[group], sizeof want[group]);
    }
}

/* A context whose word n is 100 + n, of registers 0, 2, 5: strided, uniform, whole. */
static void test_unpacked_rows(void **state)
{
    (void)state;
    static const struct {
        unsigned lanes, uniform, whole; /* of a group; the first word of that register */
    } of[3] = {{8, 108, 112}, {16, 104, 106}, {32, 102, 103}};
    static const mover_event in[] = {
        {HEAD, NO, NO, 0x212, NO, 0},  {POINT, NO, NO, NO, NO, 0},   {KINDS_IN, NO, NO, NO, NO, 0},
        {SUM, NO, NO, NO, NO, 0},      {LOAD, NO, NO, 0x211, NO, 0}, {UNPACK, NO, NO, 0x210, NO, 0},
        {UNPACK, NO, NO, NO, NO, 0},   {UNPACK, NO, NO, NO, NO, 0},  {UNPACK, NO, 0x003, NO, NO, 0},
        {DRAIN, NO, 0x000, NO, NO, 0}, {DRAIN, NO, 0xffe, NO, NO, 0}};
    for (unsigned group = 0; group < 3; group++) {
        mover_world w;
        mover_begin(&w, 1, &largest);
        mover_launch(&w, false, group, 2);
        for (unsigned n = 0; n < 2 * MOVER_LANES; n++) {
            mover_away(&w.at, 0x210)[n] = 100 + n;
        }
        mover_away(&w.at, 0x212)[0] = 0xabcdef12;
        w.stand[0].point = 0xabcdef;
        w.stand[0].kinds = "201003";
        wr_context_mover_in job = job_in;
        job.point = 5; /* nobody's */
        const mover_storage was = w.at;
        MOVER_GOES_AS(&w, &job, in);
        for (unsigned l = 0; l < MOVER_LANES; l++) {
            const unsigned g = l / of[group].lanes, i = l % of[group].lanes;
            assert_int_equal(mover_home(&w.at, 0xffe, 0)[l], 100 + 2 * g + i * (101 + 2 * g));
            assert_int_equal(mover_home(&w.at, 0x000, 0)[l], of[group].uniform + g);
            assert_int_equal(mover_home(&w.at, 0x003, 0)[l], of[group].whole + l);
        }
        assert_memory_equal(was.away, w.at.away, sizeof was.away);
        for (unsigned r = 1; r < 5; r++) { /* what is not kept stays */
            const void *stays = was.home[(0xffe + r) % MOVER_PLACES];
            assert_true(r == 2 || memcmp(mover_home(&w.at, 0xffe + r, 0), stays, 128) == 0);
        }
    }
}

/* A stride is a difference modulo 2**32, and is added as one. Lanes are one group. */
static void test_strides_wrap(void **state)
{
    (void)state;
    mover_world w;
    mover_begin(&w, 1, &largest);
    mover_launch(&w, false, 2, 1);
    w.stand[0].point = 1;
    w.stand[0].kinds = "22";
    wr_context_mover_in job = job_out;
    job.point = 1;
    mover_home(&w.at, 0xffe, 0)[0] = 5;
    mover_home(&w.at, 0xffe, 0)[1] = 3;
    mover_home(&w.at, 0xfff, 0)[0] = 0xfffffff0;
    mover_home(&w.at, 0xfff, 0)[1] = 0x1ffffff1;
    mover_play(&w, &job, NULL);
    const uint32_t words[5] = {5, 0xfffffffe, 0xfffffff0, 0x20000001, 0};
    assert_memory_equal(mover_away(&w.at, 0x210), words, sizeof words);

    mover_away(&w.at, 0x211)[0] = 1 << 8;
    mover_play(&w, &job_in, NULL);
    const uint32_t falling[5] = {5, 3, 1, 0xffffffff, 0xfffffffd};
    assert_memory_equal(mover_home(&w.at, 0xffe, 0), falling, sizeof falling);
    assert_int_equal(mover_home(&w.at, 0xffe, 0)[31], 0xffffffc7); /* 5 - 62 */
    const uint32_t *rising = mover_home(&w.at, 0xfff, 0);
    assert_int_equal(rising[1], 0x1ffffff1);
    assert_int_equal(rising[7], 0xdffffff7);
    assert_int_equal(rising[8], 0xfffffff8);
    assert_int_equal(rising[9], 0x1ffffff9);
    assert_int_equal(rising[16], 0x00000000);
    assert_false(w.fault);
}

/* One leaves with 33 words, a row and a word; the other's 33 are a word and a row. Each of its two
 * lines lies at home when it is unpacked. */
static void test_exchange(void **state)
{
    (void)state;
    static const mover_event both[] = {
        {HEAD, NO, NO, 0x001, NO, 0},   {KINDS_OUT, NO, NO, NO, NO, 0},
        {PACK, 0x110, NO, NO, NO, 0},   {PACK, 0x111, NO, 0xfff, 0xfff, 0},
        {PACK, NO, 0x110, NO, NO, 0},   {KINDS_IN, NO, NO, 0x000, 0x000, 0},
        {SUM, NO, 0x111, NO, NO, 0},    {LOAD, 0x111, NO, NO, NO, 0},
        {UNPACK, 0x110, NO, NO, NO, 0}, {UNPACK, NO, NO, NO, NO, 0},
        {UNPACK, NO, NO, NO, NO, 0},    {DRAIN, NO, 0x112, NO, NO, 0},
        {DRAIN, NO, 0x110, NO, NO, 0}};
    /* One leaves with a word; of the other's three whole rows only the first has gone home. */
    static const mover_event fewer[] = {
        {HEAD, NO, NO, 0x002, NO, 0},        {KINDS_OUT, NO, NO, NO, NO, 0},
        {PACK, 0x115, NO, NO, NO, 0},        {PACK, NO, NO, NO, NO, 0},
        {KINDS_IN, NO, NO, 0xfff, 0xfff, 0}, {SUM, NO, 0x110, NO, NO, 0},
        {LOAD, NO, NO, NO, NO, 0},           {UNPACK, NO, NO, 0x001, NO, 0},
        {UNPACK, NO, NO, 0x000, NO, 0},      {UNPACK, 0x110, NO, NO, NO, 0},
        {UNPACK, NO, 0x113, NO, NO, 0},      {DRAIN, NO, 0x112, NO, NO, 0},
        {DRAIN, NO, 0x110, NO, NO, 0}};
    mover_world w;
    mover_begin(&w, 1, &largest);
    mover_launch(&w, false, 2, 2);
    w.stand[0].point = 7;
    w.stand[0].kinds = "31";
    w.stand[1].point = 8;
    w.stand[1].kinds = "103";
    mover_away(&w.at, 0x001)[0] = 8 << 8 | 0x5a;
    const mover_storage was = w.at;
    MOVER_GOES_AS(&w, &job_both, both);
    assert_memory_equal(mover_away(&w.at, 0xfff), was.home[0x10][0], sizeof(mover_line));
    assert_int_equal(mover_away(&w.at, 0x000)[0], was.home[0x11][0][0]);
    assert_int_equal(mover_away(&w.at, 0x000)[1], 0);
    for (unsigned l = 0; l < MOVER_LANES; l++) {
        const uint32_t *next = l < 31 ? &was.away[0x7f][l + 1] : &was.away[0x00][0];
        assert_int_equal(mover_home(&w.at, 0x110, 0)[l], was.away[0x7f][0]);
        assert_int_equal(mover_home(&w.at, 0x112, 0)[l], *next);
    }

    mover_launch(&w, false, 2, 3);
    w.stand[0].kinds = "000001";
    w.stand[1].kinds = "3033";
    w.at = was;
    mover_away(&w.at, 0x002)[0] = 8 << 8;
    MOVER_GOES_AS(&w, &job_both, fewer);
    assert_memory_equal(mover_home(&w.at, 0x110, 0), was.away[0x7f], sizeof(mover_line));
    assert_memory_equal(mover_home(&w.at, 0x112, 0), was.away[0x00], sizeof(mover_line));
    assert_memory_equal(mover_home(&w.at, 0x113, 0), was.away[0x01], sizeof(mover_line));
    assert_int_equal(mover_away(&w.at, 0xfff)[0], was.home[0x15][0][0]);
    for (unsigned i = 1; i < MOVER_LANES; i++) {
        assert_int_equal(mover_away(&w.at, 0xfff)[i], 0);
    }
}

/* The parts of a job where a warp keeps nothing: which, and for how long. */
static void test_empty(void **state)
{
    (void)state;
    static const struct {
        bool out, in;
        uint32_t point, head;
        const char *leaves, *comes;
        int states[12]; /* to the first that is idle */
    } cases[] = {
        {true, false, 0, 8, "", "", {DRAIN}},
        {false, true, 7, 0, "", "", {HEAD, POINT, DRAIN}},
        {true, true, 0, 0, "", "", {HEAD, POINT, DRAIN}},
        {true, true, 0, 8, "", "", {HEAD, POINT, KINDS_IN, SUM, LOAD, UNPACK, DRAIN}},
        {true, false, 7, 8, "", "", {KINDS_OUT, PACK, DRAIN}},
        {true, false, 7, 8, "3", "", {KINDS_OUT, PACK, PACK, DRAIN}},
        {true, false, 7, 8, "1", "", {KINDS_OUT, PACK, PACK, DRAIN}},
        {true, true, 7, 0, "", "", {HEAD, KINDS_OUT, PACK, DRAIN}},
        {true, true, 7, 0, "3", "", {HEAD, KINDS_OUT, PACK, PACK, DRAIN}},
        {true, true, 7, 0, "1", "", {HEAD, KINDS_OUT, PACK, PACK, DRAIN, DRAIN}},
        {true, true, 7, 8, "", "", {HEAD, KINDS_OUT, PACK, KINDS_IN, SUM, LOAD, UNPACK, DRAIN}},
        {false,
         true,
         0,
         8,
         "",
         "3",
         {HEAD, POINT, KINDS_IN, SUM, LOAD, UNPACK, UNPACK, DRAIN, DRAIN}},
        {false,
         true,
         0,
         8,
         "",
         "01",
         {HEAD, POINT, KINDS_IN, SUM, LOAD, UNPACK, UNPACK, DRAIN, DRAIN}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mover_world w;
        mover_event seen[MOVER_EVENTS];
        mover_begin(&w, 1, &largest);
        mover_launch(&w, false, 2, 1);
        w.stand[0].point = 7;
        w.stand[0].kinds = cases[i].leaves;
        w.stand[1].point = 8;
        w.stand[1].kinds = cases[i].comes;
        wr_context_mover_in job = {.out = cases[i].out, .in = cases[i].in, .home = 9, .away = 9};
        job.point = cases[i].point;
        mover_away(&w.at, 10)[0] = cases[i].head << 8 | 0xff;
        const unsigned n = mover_play(&w, &job, seen);
        for (unsigned k = 0; k < n; k++) {
            assert_int_equal(seen[k].state, cases[i].states[k]);
        }
        assert_int_equal(cases[i].states[n], IDLE);
        assert_false(w.fault);
    }
}

/* A warp of random kinds, and rows of which its context says all. */
typedef struct warp {
    char kinds[REGS + 1];
    mover_line row[REGS];
    unsigned words;
} warp;

static void random_warp(mover_world *m, unsigned group, warp *w)
{
    const unsigned lanes = m->cfg.lanes, g = 8u << group < lanes ? 8u << group : lanes;
    const unsigned words[] = {0, lanes / g, 2 * lanes / g, lanes};

    memset(w, 0, sizeof *w);
    for (unsigned r = 0; r < m->cfg.regs; r++) {
        const unsigned kind = wr_rig_below(&m->rig, 4);
        w->kinds[r] = (char)('0' + kind);
        w->words += words[kind];
        wr_rig_words(&m->rig, w->row[r], lanes);
        for (unsigned l = 0; l < lanes && kind != WHOLE; l++) {
            const uint32_t *first = &w->row[r][l - l % g];
            const uint32_t stride = kind == UNIFORM ? 0 : first[1] - first[0];
            w->row[r][l] = first[0] + l % g * stride;
        }
    }
}

static void put_rows(mover_world *w, unsigned home, const warp *of)
{
    for (unsigned r = 0; of->kinds[r] != '\0'; r++) {
        memcpy(mover_home(&w->at, home + r, 0), of->row[r], sizeof(mover_line));
    }
}

static void check_rows(mover_world *w, unsigned home, const warp *of)
{
    for (unsigned r = 0; of->kinds[r] != '\0'; r++) {
        if (of->kinds[r] != '0') {
            assert_memory_equal(mover_home(&w->at, home + r, 0), of->row[r], 4 * w->cfg.lanes);
        }
    }
}

/* One that runs at home and one whose context lies away change places, and again: each is whole,
 * and beside the two nothing has changed. */
static void change_places(const wr_context_mover_cfg *cfg, unsigned group, uint64_t seed)
{
    mover_world w;
    mover_begin(&w, seed, cfg);
    warp warps[2];
    random_warp(&w, group, &warps[0]);
    random_warp(&w, group, &warps[1]);
    const unsigned most = warps[0].words > warps[1].words ? warps[0].words : warps[1].words;
    const unsigned lines = (most + cfg->lanes - 1) / cfg->lanes;
    const unsigned home = wr_rig_below(&w.rig, ADDRESSES), away = wr_rig_below(&w.rig, ADDRESSES);
    for (unsigned i = 0; i < 2; i++) {
        w.stand[i].point = i + 1 + 2 * wr_rig_below(&w.rig, 1 << 20);
        w.stand[i].kinds = warps[i].kinds;
    }
    w.every = 1 + wr_rig_below(&w.rig, 3);
    w.ack_late = 50;
    mover_launch(&w, false, group, lines);

    wr_context_mover_in job = {
        .out = true, .home = (uint16_t)home, .away = (uint16_t)away, .point = w.stand[1].point};
    put_rows(&w, home, &warps[1]);
    (void)mover_play(&w, &job, NULL);
    put_rows(&w, home, &warps[0]);
    const mover_storage was = w.at;
    job.in = true;
    for (unsigned i = 0; i < 3; i++) { /* there, back, and there again */
        const unsigned leaves = i % 2, comes = 1 - leaves;
        mover_away(&w.at, away + lines)[0] = w.stand[comes].point << 8 | wr_rig_below(&w.rig, 256);
        job.point = w.stand[leaves].point;
        (void)mover_play(&w, &job, NULL);
        check_rows(&w, home, &warps[comes]);
    }
    for (unsigned i = cfg->regs; i < MOVER_PLACES; i++) {
        const void *row = was.home[(home + i) % MOVER_PLACES];
        assert_memory_equal(mover_home(&w.at, home + i, 0), row, sizeof(mover_line));
    }
    for (unsigned i = lines + 1; i < MOVER_PLACES; i++) {
        const void *line = was.away[(away + i) % MOVER_PLACES];
        assert_memory_equal(mover_away(&w.at, away + i), line, sizeof(mover_line));
    }
    assert_false(w.fault);
}

static void test_change_places(void **state)
{
    (void)state;
    static const unsigned regs[] = {1, 2, 7, 8, 9, 21, 31, 32, 33, 62, 63};
    const uint64_t seed = wr_rig_seed();
    for (size_t i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        for (unsigned n = 0; n < 36; n++) {
            const wr_context_mover_cfg cfg = {regs[i], 8u << n / 3 % 3, 1};
            change_places(&cfg, n % 3, seed + 100 * i + n);
        }
    }
}

/* More words than lines holds, from which cycle on; the job goes on to its end. */
static void check_too_many(bool leaves, unsigned lines, const char *kinds, unsigned faulty_from)
{
    mover_world w;
    mover_begin(&w, 1, &largest);
    mover_launch(&w, false, 2, lines);
    w.stand[0].point = 1;
    w.stand[0].kinds = kinds;
    mover_away(&w.at, lines)[0] = 1 << 8;
    wr_context_mover_in in = {.req = true, .out = leaves, .in = !leaves, .point = 1};
    wr_context_mover_out out = mover_step(&w, in);
    in = (wr_context_mover_in){.go = true, .point = 1};
    for (unsigned n = 1; !out.ack; n++) {
        out = mover_step(&w, in);
        assert_int_equal(out.fault, n >= faulty_from);
    }
    assert_int_equal(mover_step(&w, in).fault, faulty_from < NEVER);
}

static void test_too_many_words(void **state)
{
    (void)state;
    /* kinds_out is cycle 1, pack from 2 on: row i is read in 2 + i and fills a line in 3 + i */
    check_too_many(true, 2, "33", NEVER);
    check_too_many(true, 1, "33", 5);
    check_too_many(true, 1, "333", 5);
    check_too_many(true, 0, "333", 4);
    check_too_many(true, 1, "31", 6); /* the line that is not full, behind pack */
    check_too_many(true, 0, "", NEVER);
    /* head, point, kinds_in, sum, load are 1 to 5 */
    check_too_many(false, 2, "33", NEVER);
    check_too_many(false, 1, "33", 6);
    check_too_many(false, 1, "31", 6);
    check_too_many(false, 1, "2222222222222222", NEVER);
    check_too_many(false, 1, "22222222222222221", 6);
    check_too_many(false, 0, "", NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),          cmocka_unit_test(test_copy_lengths),
        cmocka_unit_test(test_metadata),      cmocka_unit_test(test_packed_words),
        cmocka_unit_test(test_unpacked_rows), cmocka_unit_test(test_strides_wrap),
        cmocka_unit_test(test_exchange),      cmocka_unit_test(test_empty),
        cmocka_unit_test(test_change_places), cmocka_unit_test(test_too_many_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
