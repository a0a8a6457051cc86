/* SPDX-License-Identifier: Apache-2.0 */
/* The schedules of Gong Fig. 5.9 on hint_decoder and result_collection_unit: 53, 48, 47 and 45 t.
 *
 * Three blocks of 15 t, a stall of 5 t in front of the second and of 3 t in front of the third; c
 * (5 t) is the part of block 2, f (3 t) that of block 3 that waits for no load (the text gives c +
 * f = 8 t; the four sums of the figure hold for 5 and 3). Here t is one instruction, and a slot of
 * 16 clock cycles, in which one instruction can be issued; the blocks' own cycles of entering and
 * leaving hint mode are hidden in it.
 */
#include <string.h>

#include "refmodel/hints/hint_decoder.h"
#include "refmodel/hints/result_collection_unit.h"
#include "tests/blocks/rig.h"

enum {
    SLOT = 16, /* clock cycles */
    LENGTH = 45,
    STALL_1 = 5,
    STALL_2 = 3,
    SLOTS_MAX = 100,
    IN_ORDER = 0,
    HINT = 1,
    WAIT = 1, /* actions of the RCU */
    SKIP = 2,
};

typedef struct instruction {
    unsigned waits; /* load whose data it needs, 0: none */
    unsigned load;  /* load that it issues, 0: none */
    int offset;     /* of its hint, 0: the chain ends */
    bool hinted;
} instruction;

typedef struct program {
    instruction at[LENGTH];
    unsigned length;
} program;

/* n instructions, the first of which waits for a load and the last of which issues one. */
static void add(program *p, unsigned n, unsigned waits, unsigned load)
{
    for (unsigned i = 0; i < n; i++) {
        p->at[p->length++] =
            (instruction){.waits = i == 0 ? waits : 0, .load = i == n - 1 ? load : 0};
    }
}

/* A stall point and the instructions that run under it. */
static void chain(program *p, unsigned stall_point, unsigned first, unsigned n)
{
    p->at[stall_point].hinted = true;
    p->at[stall_point].offset = (int)(first - stall_point);
    for (unsigned i = first; i < first + n; i++) {
        p->at[i].hinted = true;
        p->at[i].offset = i + 1 < first + n ? (int)(i + 1 - stall_point) : 0;
    }
}

typedef struct warp {
    wr_hint_decoder decoder;
    wr_result_collection_unit rcu;
    const program *program;
    unsigned pc;
    unsigned arrives[3]; /* slot from which on the data of a load are there */
    unsigned slot;
    bool issued; /* in this slot */
    bool early;  /* by a hint: its result comes at the end of the slot */
    unsigned entry;
} warp;

static bool has_to_wait(const warp *w)
{
    const unsigned load = w->program->at[w->pc].waits;
    return load != 0 && w->slot < w->arrives[load];
}

static void fetch_in_order(warp *w, wr_hint_decoder_in *decoder, wr_result_collection_unit_in *rcu)
{
    static const unsigned latency[] = {0, STALL_1, STALL_2};
    const instruction *i = &w->program->at[w->pc];
    wr_result_collection_unit_out out;
    rcu->pc = w->pc;
    wr_result_collection_unit_eval(&w->rcu, rcu, &out);
    if (has_to_wait(w)) {
        decoder->stall = true;
        decoder->pc = w->pc;
        decoder->rcu_empty = out.empty;
        decoder->hint = (i->hinted ? 1u << 23 : 0) | ((uint32_t)i->offset & 0x1ffu) << 9;
        return;
    }
    if (out.action == WAIT || (out.action != SKIP && w->issued)) {
        return;
    }
    rcu->fetch = true;
    w->pc++;
    if (out.action == SKIP) {
        return;
    }
    w->issued = true;
    w->arrives[i->load] = w->slot + 1 + latency[i->load];
}

static void run_hinted(warp *w, const wr_hint_decoder_out *now, wr_hint_decoder_in *decoder,
                       wr_result_collection_unit_in *rcu)
{
    wr_result_collection_unit_out out;
    rcu->hint = true;
    wr_result_collection_unit_eval(&w->rcu, rcu, &out);
    if (now->issue && !w->issued && !out.full) {
        decoder->take = true;
        rcu->alloc = true;
        rcu->offset = now->offset;
        rcu->dst = now->dst;
        rcu->renamed = now->renamed;
        w->issued = true;
        w->early = true;
        w->entry = out.id;
    }
    decoder->valid = now->mode == HINT;
    if (decoder->valid) {
        const instruction *i = &w->program->at[now->fetch_pc];
        decoder->pc = now->fetch_pc;
        decoder->dst = (uint8_t)now->fetch_pc; /* each its own register */
        decoder->hint =
            (i->hinted ? 1u << 23 : 0) | ((uint32_t)i->offset & 0x1ffu) << 9 | decoder->dst;
    }
}

static void cycle(warp *w, unsigned n)
{
    wr_hint_decoder_in decoder = {0};
    wr_result_collection_unit_in rcu = {0};
    wr_hint_decoder_out now;
    wr_hint_decoder_eval(&w->decoder, &decoder, &now);
    rcu.base = now.base;
    if (now.mode == IN_ORDER) {
        fetch_in_order(w, &decoder, &rcu);
    } else if (!has_to_wait(w)) {
        decoder.resume = true;
    } else {
        run_hinted(w, &now, &decoder, &rcu);
    }
    if (n == SLOT - 1 && w->early) {
        rcu.done = true;
        rcu.done_id = (uint8_t)w->entry;
    }
    wr_hint_decoder_tick(&w->decoder, &decoder);
    wr_result_collection_unit_tick(&w->rcu, &rcu);
    wr_hint_decoder_eval(&w->decoder, &decoder, &now);
    assert_false(now.fault);
}

/* Slots until the last instruction has been issued. */
static unsigned run(const program *p)
{
    warp w = {.program = p};
    const wr_hint_decoder_cfg decoder = {.offset_w = 9, .branch_w = 11, .special_base = 240};
    const wr_result_collection_unit_cfg rcu = {.depth = 8, .srcs = 3};
    assert_int_equal(p->length, LENGTH);
    assert_int_equal(wr_hint_decoder_init(&w.decoder, &decoder), WR_OK);
    assert_int_equal(wr_result_collection_unit_init(&w.rcu, &rcu), WR_OK);
    for (; w.pc < p->length; w.slot++) {
        assert_true(w.slot < SLOTS_MAX);
        w.issued = false;
        w.early = false;
        for (unsigned n = 0; n < SLOT && w.pc < p->length; n++) {
            cycle(&w, n);
        }
    }
    return w.slot;
}

/* Program order: block 1, then block 2 with c in it, then block 3 with f in it. */
static program in_program_order(void)
{
    program p = {0};
    add(&p, 15, 0, 1);
    add(&p, 5, 1, 0);
    add(&p, 5, 0, 0); /* c */
    add(&p, 5, 0, 2);
    add(&p, 6, 2, 0);
    add(&p, 3, 0, 0); /* f */
    add(&p, 6, 0, 0);
    return p;
}

static void test_a_normal(void **state)
{
    (void)state;
    const program p = in_program_order();
    assert_int_equal(run(&p), 53);
}

/* The compiler puts c and f behind the first load. */
static void test_b_static(void **state)
{
    (void)state;
    program p = {0};
    add(&p, 15, 0, 1);
    add(&p, 5 + 3, 0, 0);
    add(&p, 10, 1, 2);
    add(&p, 12, 2, 0);
    assert_int_equal(run(&p), 48);
}

/* The compiler puts 3 t of c behind the first load, the rest of c and f behind the second. */
static void test_c_static(void **state)
{
    (void)state;
    program p = {0};
    add(&p, 15, 0, 1);
    add(&p, 3, 0, 0);
    add(&p, 10, 1, 2);
    add(&p, 2 + 3, 0, 0);
    add(&p, 12, 2, 0);
    assert_int_equal(run(&p), 47);
}

static void test_d_haws(void **state)
{
    (void)state;
    program p = in_program_order();
    chain(&p, 15, 20, 5);
    chain(&p, 30, 36, 3);
    assert_int_equal(run(&p), 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_normal),
        cmocka_unit_test(test_b_static),
        cmocka_unit_test(test_c_static),
        cmocka_unit_test(test_d_haws),
    };
    return cmocka_run_group_tests_name("hints_schedule", tests, NULL, NULL);
}
