/* SPDX-License-Identifier: Apache-2.0 */
/* hint_decoder, result_collection_unit, rename_table and simt_stack strung together as one warp of
 * HAWS (Gong 5.3) that runs the loop of Fig. 5.1.
 *
 * The warp executes real values. In hint mode it runs what the chain names, into renamed registers
 * where the hint says so, until the RCU is full or the chain ends; back in order it skips, copies
 * or executes a branch again as the RCU says. Whatever the latencies, the registers must end as
 * those of the same program run in order, and each instruction must have taken effect once.
 */
#include <string.h>

#include "refmodel/hints/hint_decoder.h"
#include "refmodel/hints/rename_table.h"
#include "refmodel/hints/result_collection_unit.h"
#include "refmodel/hints/simt_stack.h"
#include "tests/blocks/rig.h"

enum {
    REGISTERS = 256,
    P0 = 0xf0, /* predicate, as a destination code */
    LOOP = 20, /* instructions of the loop, numbered from 1 */
    EXIT_PC = 22,
    STALL_PC = 17,
    VECTOR = 1,
    IN_ORDER = 0,
    HINT = 1,
    WAIT = 1, /* actions of the RCU */
    SKIP = 2,
    COPY = 3,
    BRANCH_AGAIN = 4,
    OP_BRANCH = 4, /* of the SIMT stack */
    OP_CLEAR = 1,
    OP_LOAD = 2,
    OP_STEP = 3,
};

typedef enum op {
    OP_NOP,
    OP_LESS, /* dst = !(a < b): the loop ends where it does not hold */
    OP_EXIT, /* conditional branch to EXIT_PC */
    OP_BACK, /* direct branch to 1 */
    OP_MUL,
    OP_ADD,
    OP_SHL2,
    OP_MOVE,
    OP_INC,
    OP_LOAD_GLOBAL,
} op;

typedef struct instruction {
    op op;
    uint8_t dst, a, b;
    int hint_offset; /* 0: the chain ends here */
    uint8_t rename;  /* 0: none */
    bool hinted;
} instruction;

/* Gong Fig. 5.1, I1 to I20. Destinations that I17 or I18 still read are renamed. */
static const instruction loop[LOOP + 1] = {
    [1] = {OP_LESS, P0, 7, 4, 2 - 17, 0, true},
    [2] = {OP_EXIT, 0, P0, 0, 3 - 17, 0, true},
    [3] = {OP_MUL, 9, 5, 4, 4 - 17, 20, true},
    [4] = {OP_ADD, 9, 9, 7, 5 - 17, 21, true},
    [5] = {OP_SHL2, 9, 9, 0, 6 - 17, 22, true},
    [6] = {OP_MUL, 9, 5, 4, 7 - 17, 23, true},
    [7] = {OP_ADD, 9, 9, 7, 8 - 17, 24, true},
    [8] = {OP_SHL2, 9, 9, 0, 9 - 17, 25, true},
    [9] = {OP_ADD, 9, 0, 9, 0, 26, true},
    [10] = {.op = OP_LOAD_GLOBAL, .dst = 10, .a = 9},
    [11] = {.op = OP_MUL, .dst = 9, .a = 7, .b = 4},
    [12] = {.op = OP_ADD, .dst = 9, .a = 9, .b = 6},
    [13] = {.op = OP_SHL2, .dst = 9, .a = 9},
    [14] = {.op = OP_ADD, .dst = 9, .a = 2, .b = 9},
    [15] = {.op = OP_MOVE, .dst = 9, .a = 9},
    [16] = {.op = OP_LOAD_GLOBAL, .dst = 9, .a = 9},
    [17] = {OP_MUL, 9, 10, 9, 19 - 17, 0, true}, /* entry hint of the stall point (H3) */
    [18] = {.op = OP_ADD, .dst = 8, .a = 8, .b = 9},
    [19] = {OP_INC, 7, 7, 0, 20 - 17, 0, true},
    [20] = {OP_BACK, 0, 0, 0, 1 - 17, 0, true},
};

static bool is_branch(op o)
{
    return o == OP_EXIT || o == OP_BACK;
}

/* Source registers of an instruction; returns how many. */
static unsigned sources(const instruction *i, uint8_t source[2])
{
    source[0] = i->a;
    source[1] = i->b;
    switch (i->op) {
    case OP_LESS:
    case OP_MUL:
    case OP_ADD:
        return 2;
    case OP_EXIT:
    case OP_SHL2:
    case OP_MOVE:
    case OP_INC:
    case OP_LOAD_GLOBAL:
        return 1;
    default:
        return 0;
    }
}

static uint32_t result(op o, uint32_t a, uint32_t b)
{
    switch (o) {
    case OP_LESS:
        return a >= b;
    case OP_MUL:
        return a * b;
    case OP_ADD:
        return a + b;
    case OP_SHL2:
        return a << 2;
    case OP_INC:
        return a + 1;
    case OP_LOAD_GLOBAL:
        return a * 2654435761u ^ 0x5bd1e995u; /* some memory */
    default:
        return a;
    }
}

static uint32_t reference(uint32_t *reg)
{
    uint32_t executed = 0;
    for (uint32_t pc = 1; pc != EXIT_PC; executed++) {
        const instruction *i = &loop[pc];
        if (i->op == OP_EXIT) {
            pc = reg[P0] != 0 ? EXIT_PC : pc + 1;
        } else if (i->op == OP_BACK) {
            pc = 1;
        } else {
            reg[i->dst] = result(i->op, reg[i->a], reg[i->b]);
            pc++;
        }
    }
    return executed;
}

/* Instructions under way in hint mode. */
typedef struct flight {
    bool busy;
    unsigned left; /* cycles until done */
} flight;

typedef struct warp {
    wr_rig rig;
    wr_hint_decoder decoder;
    wr_result_collection_unit rcu;
    wr_rename_table table;
    wr_simt_stack stack;
    uint32_t reg[REGISTERS];
    uint32_t pc;
    flight flight[16]; /* by entry of the RCU */
    unsigned stalled;  /* cycles until the loads are back */
    bool loaded;       /* I16 was issued, its data are not known to be back */
    uint32_t effects;  /* instructions that took effect */
    uint32_t early;    /* of them, in hint mode */
    uint32_t copies;
    uint32_t again;
    uint32_t full; /* cycles in hint mode with the RCU full */
} warp;

static void warp_init(warp *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    wr_rig_init(&w->rig, seed, "hints path");
    const wr_hint_decoder_cfg decoder = {.offset_w = 9, .branch_w = 11, .special_base = 240};
    const wr_result_collection_unit_cfg rcu = {.depth = 8, .srcs = 3};
    const wr_rename_table_cfg table = {.entries = 8, .reads = 3};
    const wr_simt_stack_cfg stack = {.entries = 8, .lanes = 64};
    assert_int_equal(wr_hint_decoder_init(&w->decoder, &decoder), WR_OK);
    assert_int_equal(wr_result_collection_unit_init(&w->rcu, &rcu), WR_OK);
    assert_int_equal(wr_rename_table_init(&w->table, &table), WR_OK);
    assert_int_equal(wr_simt_stack_init(&w->stack, &stack), WR_OK);
    w->pc = 1;
}

/* Format 1 and 2 of Gong Fig. 5.4, as the compiler writes them. */
static uint32_t hint_of(const instruction *i)
{
    if (!i->hinted) {
        return 0;
    }
    const uint32_t offset = (uint32_t)i->hint_offset;
    if (i->op == OP_BACK) {
        return 1u << 23 | 1u << 22 | (offset & 0x7ffu);
    }
    if (i->op == OP_EXIT) { /* not taken: the chain; taken: it ends */
        return 1u << 23 | (offset & 0x7ffu) << 11;
    }
    return 1u << 23 | (offset & 0x1ffu) << 9 | (i->rename != 0 ? 1u << 8 : 0) |
           (i->rename != 0 ? i->rename : i->dst);
}

typedef struct pins {
    wr_hint_decoder_in decoder;
    wr_result_collection_unit_in rcu;
    wr_rename_table_in table;
    wr_simt_stack_in stack;
} pins;

typedef struct settled {
    wr_hint_decoder_out decoder;
    wr_result_collection_unit_out rcu;
    wr_rename_table_out table;
    wr_simt_stack_out stack;
} settled;

static settled settle(const warp *w, const pins *in)
{
    settled out;
    wr_hint_decoder_eval(&w->decoder, &in->decoder, &out.decoder);
    wr_result_collection_unit_eval(&w->rcu, &in->rcu, &out.rcu);
    wr_rename_table_eval(&w->table, &in->table, &out.table);
    wr_simt_stack_eval(&w->stack, &in->stack, &out.stack);
    return out;
}

static void clock_all(warp *w, const pins *in)
{
    wr_hint_decoder_tick(&w->decoder, &in->decoder);
    wr_result_collection_unit_tick(&w->rcu, &in->rcu);
    wr_rename_table_tick(&w->table, &in->table);
    wr_simt_stack_tick(&w->stack, &in->stack);
    wr_rig_next_cycle(&w->rig);
}

static int signed_9(unsigned bits)
{
    return bits < 256 ? (int)bits : (int)bits - 512;
}

static bool anything_in_flight(const warp *w)
{
    for (unsigned i = 0; i < 16; i++) {
        if (w->flight[i].busy) {
            return true;
        }
    }
    return false;
}

/* One result of the RCU's entries comes in. */
static void finish_one(warp *w, pins *in)
{
    for (unsigned i = 0; i < 16; i++) {
        w->flight[i].left -= w->flight[i].busy && w->flight[i].left > 0;
    }
    for (unsigned i = 0; i < 16; i++) {
        if (w->flight[i].busy && w->flight[i].left == 0) {
            in->rcu.done = true;
            in->rcu.done_id = (uint8_t)i;
            w->flight[i].busy = false;
            return;
        }
    }
}

/* Executes the instruction at the decoder's output. Its sources come from the rename table. */
static void take_hinted(warp *w, const settled *now, pins *in)
{
    const wr_hint_decoder_out *d = &now->decoder;
    const instruction *i = &loop[(uint32_t)((int)d->base + signed_9(d->offset))];
    uint8_t source[2];
    const unsigned count = sources(i, source);
    for (unsigned n = 0; n < count; n++) {
        in->rcu.src_used[n] = true;
        in->rcu.src[n] = source[n];
        in->table.read_vec[n] = VECTOR;
        in->table.read_reg[n] = source[n];
    }
    in->rcu.offset = d->offset;
    in->rcu.dst = d->dst;
    in->rcu.renamed = d->renamed;
    in->rcu.control = d->control;
    const settled seen = settle(w, in);
    if (seen.rcu.dep || seen.rcu.full || wr_rig_chance(&w->rig, 20)) {
        return;
    }
    in->decoder.take = true;
    in->rcu.alloc = true;
    assert_false(w->flight[seen.rcu.id].busy);
    w->flight[seen.rcu.id] = (flight){true, 1 + wr_rig_below(&w->rig, 4)};
    if (!d->control) {
        in->table.update = true;
        in->table.update_vec = VECTOR;
        in->table.update_reg = d->dst;
        in->table.update_to = d->renamed;
        w->reg[d->renamed] =
            result(i->op, w->reg[seen.table.mapped[0]], w->reg[seen.table.mapped[1]]);
        w->effects++;
        w->early++;
    }
}

/* Offers the chain's next instruction. A branch waits for all results, so its way is known; the
 * first one copies the in-order stack, of one path here, and then moves the copy. */
static void offer_next(warp *w, const settled *now, pins *in)
{
    const uint32_t pc = now->decoder.fetch_pc;
    const instruction *i = &loop[pc];
    if (now->stack.depth > 0) { /* the copy follows the chain, with all lanes */
        wr_rig_check(&w->rig, "pc of the stack's copy", now->stack.pc, pc);
        assert_true(now->stack.mask == UINT64_MAX);
    }
    if (is_branch(i->op)) {
        if (now->decoder.issue || anything_in_flight(w)) {
            return;
        }
        if (now->stack.depth == 0) {
            in->stack = (wr_simt_stack_in){.op = OP_LOAD, .pc = pc, .mask = UINT64_MAX};
            return;
        }
    }
    in->decoder.valid = true;
    in->decoder.pc = pc;
    in->decoder.hint = hint_of(i);
    in->decoder.branch = is_branch(i->op);
    in->decoder.dst = i->dst;
    in->decoder.taken = i->op == OP_BACK || (i->op == OP_EXIT && w->reg[P0] != 0);
    in->decoder.not_taken = !in->decoder.taken;
    if (!settle(w, in).decoder.ready) {
        return;
    }
    if (i->op == OP_EXIT) {
        in->stack = (wr_simt_stack_in){.op = OP_BRANCH,
                                       .pc = EXIT_PC,
                                       .alt_pc = pc + 1,
                                       .rpc = EXIT_PC,
                                       .mask = in->decoder.taken ? UINT64_MAX : 0};
    } else if (now->stack.depth > 0) {
        in->stack = (wr_simt_stack_in){.op = OP_STEP, .pc = i->op == OP_BACK ? 1 : pc + 1};
    }
}

static void in_order(warp *w, const settled *now, pins *in)
{
    const instruction *i = &loop[w->pc];
    in->rcu.pc = w->pc;
    in->rcu.base = now->decoder.base;
    if (w->pc == STALL_PC && w->loaded) {
        if (w->stalled > 0) {
            in->decoder.stall = true;
            in->decoder.pc = w->pc;
            in->decoder.hint = hint_of(i);
            return;
        }
        w->loaded = false;
    }
    const settled seen = settle(w, in);
    if (seen.rcu.action == WAIT) {
        return;
    }
    in->rcu.fetch = true;
    w->effects += seen.rcu.action != SKIP && seen.rcu.action != COPY;
    if (seen.rcu.action == COPY) {
        w->reg[seen.rcu.copy_to] = w->reg[seen.rcu.copy_from];
        in->table.drop = true;
        in->table.drop_vec = VECTOR;
        in->table.drop_reg = seen.rcu.copy_to;
        in->table.drop_from = seen.rcu.copy_from;
        w->copies++;
    }
    w->again += seen.rcu.action == BRANCH_AGAIN;
    if (i->op == OP_EXIT) {
        w->pc = w->reg[P0] != 0 ? EXIT_PC : w->pc + 1;
        return;
    }
    if (i->op == OP_BACK) {
        w->pc = 1;
        return;
    }
    if (seen.rcu.action != SKIP && seen.rcu.action != COPY) {
        w->reg[i->dst] = result(i->op, w->reg[i->a], w->reg[i->b]);
    }
    w->loaded = w->loaded || w->pc == STALL_PC - 1;
    w->pc++;
}

static void cycle(warp *w, unsigned latency)
{
    pins in;
    memset(&in, 0, sizeof in);
    settled now = settle(w, &in);
    const bool hint = now.decoder.mode != IN_ORDER;
    const bool at_load = !hint && w->pc == STALL_PC - 1;
    in.decoder.rcu_empty = now.rcu.empty;
    in.decoder.rcu_full = hint && now.rcu.full;
    in.rcu.hint = hint;
    w->full += hint && now.rcu.full;
    w->stalled -= w->stalled > 0;
    finish_one(w, &in);
    if (!hint) {
        in_order(w, &now, &in);
        w->stalled = at_load && w->pc == STALL_PC ? latency : w->stalled;
    } else if (w->stalled == 0) {
        in.decoder.resume = true;
        in.stack.op = OP_CLEAR;
    } else {
        if (now.decoder.issue && !in.decoder.rcu_full) {
            take_hinted(w, &now, &in);
        }
        if (now.decoder.mode == HINT) {
            offer_next(w, &now, &in);
        }
    }
    clock_all(w, &in);
    now = settle(w, &(pins){0});
    assert_false(now.decoder.fault || now.rcu.fault || now.table.fault || now.stack.fault);
}

static void start_values(wr_rig *rig, uint32_t *reg, uint32_t iterations)
{
    for (unsigned r = 0; r < 16; r++) {
        reg[r] = (uint32_t)wr_rig_random(rig);
    }
    reg[7] = 0;
    reg[4] = iterations;
}

/* Loads take least to most cycles. */
static void run_loop(warp *w, uint32_t iterations, unsigned least, unsigned most)
{
    uint32_t want[REGISTERS] = {0};
    start_values(&w->rig, w->reg, iterations);
    memcpy(want, w->reg, sizeof want);
    const uint32_t executed = reference(want);
    while (w->pc != EXIT_PC) {
        cycle(w, least + wr_rig_below(&w->rig, most - least + 1));
    }
    wr_rig_check_words(&w->rig, "registers", w->reg, want, 16);
    /* A branch that ran in hint mode runs again; it was not counted there. */
    wr_rig_check(&w->rig, "instructions that took effect", w->effects, executed);
    assert_true(settle(w, &(pins){0}).rcu.empty);
    assert_int_equal(settle(w, &(pins){0}).table.vector_count, 0);
}

/* Gong Fig. 5.1 with loads of every latency: from none to enough for the whole chain. */
static void test_loop_of_figure_5_1(void **state)
{
    (void)state;
    const uint64_t seed = wr_rig_seed();
    uint32_t early = 0;
    uint32_t copies = 0;
    uint32_t again = 0;
    for (unsigned n = 0; n < 200; n++) {
        warp w;
        warp_init(&w, seed + n);
        run_loop(&w, wr_rig_below(&w.rig, 12), n % 5 == 0 ? 0 : 1, 10 * (n % 5) * (n % 5));
        assert_true(n % 5 != 0 || w.early == 0);
        early += w.early;
        copies += w.copies;
        again += w.again;
    }
    assert_true(early > 0 && copies > 0 && again > 0);
}

/* With a long enough latency the eight entries of the RCU take I19, I20, I1 to I6 (H11): six
 * results, of them four renamed, and two branches. The last iteration leaves at I2: it has run I19,
 * I20, I1 and I2. */
static void test_eight_entries_an_iteration(void **state)
{
    (void)state;
    enum { ITERATIONS = 5 };
    warp w;
    warp_init(&w, 1);
    run_loop(&w, ITERATIONS, 200, 200);
    assert_int_equal(w.early, (ITERATIONS - 1) * 6 + 2);
    assert_int_equal(w.copies, (ITERATIONS - 1) * 4);
    assert_int_equal(w.again, ITERATIONS * 2);
    assert_true(w.full > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_entries_an_iteration),
        cmocka_unit_test(test_loop_of_figure_5_1),
    };
    return cmocka_run_group_tests_name("hints_path", tests, NULL, NULL);
}
