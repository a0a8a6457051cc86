/* The blocks of hint mode strung together in one warp: hint_decoder, result_collection_unit and
 * rename_table, around a small in-order core with registers that hold values.
 *
 * What must hold: hint mode changes no result, whenever the long-latency operation returns; and the
 * paper's own examples come out. Gong Fig. 5.1: the loop of a matrix multiplication, stalled at
 * I17, goes on with I19, I20, I1 ... I6. Gong Fig. 5.9: 53t in order, 48t and 47t scheduled by a
 * compiler, 45t with hints.
 *
 * The core issues one instruction a cycle at most; an instruction occupies it for `occupy` cycles
 * and writes after `latency`. It waits for registers that are still to be written; where a load is
 * what it waits for, the warp is stalled.
 */
#include <string.h>

#include "refmodel/hints/hint_decoder.h"
#include "refmodel/hints/rename_table.h"
#include "refmodel/hints/result_collection_unit.h"
#include "tests/blocks/rig.h"

enum {
    REGS = 256,
    P0 = 0xf0, /* destination codes that are no registers */
    NO_DST = 0xff,
    NONE = -1,
    PROGRAM_MAX = 64,
    IN_FLIGHT_MAX = 16,
};

typedef enum op {
    OP_END, /* the program ends here */
    OP_ADD,
    OP_MUL,
    OP_SHL2,
    OP_LESS,
    OP_LOAD,
    OP_JUMP,
    OP_JUMP_NOT, /* where its source is 0 */
} op;

typedef struct instruction {
    op op;
    int dst;
    int src[2];
    uint32_t immediate; /* second operand where src[1] is NONE */
    int target;
    uint32_t hint;
} instruction;

/* A result on its way to its register. */
typedef struct flight {
    bool used;
    bool load;
    uint64_t when;
    int reg;
    uint32_t value;
    int entry; /* of the unit, or NONE */
} flight;

typedef struct core {
    const instruction *program;
    uint64_t occupy;
    uint64_t latency;
    uint64_t load_latency[2]; /* of the loads in turn */
    bool hints;

    uint64_t cycle;
    uint64_t free_at;
    uint32_t pc;
    uint32_t loads;
    uint32_t value[REGS];
    bool pending[REGS];
    bool pending_load[REGS];
    flight flight[IN_FLIGHT_MAX];

    wr_hint_decoder decoder;
    wr_result_collection_unit rcu;
    wr_rename_table table;

    uint32_t issued[64]; /* PCs that hint mode issued */
    unsigned issued_n;
    unsigned actions[5]; /* of in-order fetch */
} core;

static uint32_t plain(int32_t offset, int renamed, int dst)
{
    return 1u << 23 | ((uint32_t)offset & 511u) << 9 | (uint32_t)(renamed != NONE) << 8 |
           (uint32_t)(renamed != NONE ? renamed : dst);
}

static uint32_t direct(int32_t offset)
{
    return 1u << 23 | 1u << 22 | ((uint32_t)offset & 2047u);
}

static uint32_t conditional(int32_t taken, int32_t other)
{
    return 1u << 23 | ((uint32_t)other & 2047u) << 11 | ((uint32_t)taken & 2047u);
}

static void core_init(core *c, const instruction *program, bool hints)
{
    const wr_hint_decoder_cfg decoder = {.offset_w = 9, .branch_w = 11, .special_base = P0};
    const wr_result_collection_unit_cfg rcu = {.depth = 8, .srcs = 3};
    const wr_rename_table_cfg table = {.entries = 8, .reads = 3};
    memset(c, 0, sizeof *c);
    c->program = program;
    c->hints = hints;
    c->occupy = 1;
    c->latency = 1;
    assert_int_equal(wr_hint_decoder_init(&c->decoder, &decoder), WR_OK);
    assert_int_equal(wr_result_collection_unit_init(&c->rcu, &rcu), WR_OK);
    assert_int_equal(wr_rename_table_init(&c->table, &table), WR_OK);
}

static uint32_t compute(const instruction *i, const uint32_t *operand)
{
    switch (i->op) {
    case OP_ADD:
        return operand[0] + operand[1];
    case OP_MUL:
        return operand[0] * operand[1];
    case OP_SHL2:
        return operand[0] << 2;
    case OP_LESS:
        return operand[0] < operand[1];
    case OP_LOAD:
        return operand[0] * 2654435761u + 12345u; /* what memory holds there */
    default:
        return 0;
    }
}

static bool is_branch(const instruction *i)
{
    return i->op == OP_JUMP || i->op == OP_JUMP_NOT;
}

/* The instruction writes reg later; entry is its place in the unit. */
static void send(core *c, const instruction *i, const uint32_t *operand, int reg, int entry)
{
    flight *f = c->flight;
    while (f->used) {
        f++;
        assert_true(f < c->flight + IN_FLIGHT_MAX);
    }
    *f = (flight){.used = true,
                  .load = i->op == OP_LOAD,
                  .when = c->cycle + c->latency,
                  .reg = reg,
                  .value = compute(i, operand),
                  .entry = entry};
    if (f->load) {
        f->when = c->cycle + c->load_latency[c->loads++ % 2];
    }
    if (reg != NO_DST) {
        c->pending[reg] = true;
        c->pending_load[reg] = f->load;
    }
    c->free_at = c->cycle + c->occupy;
}

/* Results that arrive; at most one a cycle of those that the unit waits for. */
static void land(core *c, wr_result_collection_unit_in *rcu, bool *load_back)
{
    for (flight *f = c->flight; f < c->flight + IN_FLIGHT_MAX; f++) {
        if (!f->used || f->when > c->cycle || (f->entry != NONE && rcu->done)) {
            continue;
        }
        if (f->entry != NONE) {
            rcu->done = true;
            rcu->done_id = (uint8_t)f->entry;
        }
        if (f->reg != NO_DST) {
            c->value[f->reg] = f->value;
            c->pending[f->reg] = false;
            c->pending_load[f->reg] = false;
        }
        *load_back = *load_back || f->load;
        f->used = false;
    }
}

static void operands(const core *c, const instruction *i, const uint8_t *mapped, uint32_t *operand)
{
    for (int k = 0; k < 2; k++) {
        operand[k] = i->src[k] == NONE ? i->immediate : c->value[mapped[k]];
    }
}

/* The source registers where the newest values are, in hint mode. */
static void map_sources(const core *c, const instruction *i, wr_rename_table_in *in,
                        wr_rename_table_out *out)
{
    for (int k = 0; k < 2; k++) {
        in->read_vec[k] = true;
        in->read_reg[k] = (uint8_t)(i->src[k] == NONE ? 0 : i->src[k]);
    }
    wr_rename_table_eval(&c->table, in, out);
}

static void name_sources(const instruction *i, wr_result_collection_unit_in *rcu)
{
    for (int k = 0; k < 2; k++) {
        rcu->src_used[k] = i->src[k] != NONE;
        rcu->src[k] = (uint8_t)(i->src[k] == NONE ? 0 : i->src[k]);
    }
}

/* Hint mode: what stands at the decoder's output is issued if it can be. */
static void issue_hinted(core *c, const wr_hint_decoder_out *dec, wr_hint_decoder_in *dec_in,
                         wr_result_collection_unit_in *rcu, wr_rename_table_in *table)
{
    const uint32_t pc = dec->base + dec->offset - (dec->offset >= 256u ? 512u : 0u);
    const instruction *i = &c->program[pc];
    wr_result_collection_unit_out unit;
    wr_rename_table_out names;
    uint32_t operand[2];

    name_sources(i, rcu);
    wr_result_collection_unit_eval(&c->rcu, rcu, &unit);
    map_sources(c, i, table, &names);
    bool waits = unit.dep || unit.full || c->cycle < c->free_at;
    for (int k = 0; k < 2; k++) {
        waits = waits || (i->src[k] != NONE && c->pending[names.mapped[k]]);
    }
    if (waits) {
        return;
    }
    dec_in->take = true;
    rcu->alloc = true;
    rcu->offset = dec->offset;
    rcu->dst = dec->dst;
    rcu->renamed = dec->renamed;
    rcu->control = dec->control;
    table->update = !dec->control;
    table->update_vec = true;
    table->update_reg = dec->dst;
    table->update_to = dec->renamed;
    operands(c, i, names.mapped, operand);
    send(c, i, operand, is_branch(i) ? NO_DST : dec->renamed, unit.id);
    c->issued[c->issued_n++] = pc;
}

/* Hint mode: the instruction at fetch_pc is offered; a branch when its condition is known. */
static void fetch_hinted(const core *c, const wr_hint_decoder_out *dec, wr_hint_decoder_in *dec_in)
{
    const instruction *i = &c->program[dec->fetch_pc];
    if (i->op == OP_JUMP_NOT) {
        wr_result_collection_unit_in rcu = {.hint = true};
        wr_result_collection_unit_out unit;
        name_sources(i, &rcu);
        wr_result_collection_unit_eval(&c->rcu, &rcu, &unit);
        if (dec->issue || unit.dep) {
            return;
        }
        dec_in->taken = c->value[i->src[0]] == 0;
        dec_in->not_taken = !dec_in->taken;
    }
    dec_in->valid = true;
    dec_in->pc = dec->fetch_pc;
    dec_in->hint = i->hint;
    dec_in->branch = is_branch(i);
    dec_in->dst = (uint8_t)(is_branch(i) ? 0 : i->dst);
}

static void jump(core *c, const instruction *i)
{
    const bool taken = i->op == OP_JUMP || c->value[i->src[0]] == 0;
    c->pc = taken ? (uint32_t)i->target : c->pc + 1;
    c->free_at = c->cycle + c->occupy;
}

static bool waits_for(const instruction *i, const bool *pending)
{
    bool waits = i->dst != NONE && pending[i->dst];
    for (int k = 0; k < 2; k++) {
        waits = waits || (i->src[k] != NONE && pending[i->src[k]]);
    }
    return waits;
}

/* In order: the unit says what to do with the instruction at pc. */
static void fetch_in_order(core *c, wr_hint_decoder_in *dec_in, wr_result_collection_unit_in *rcu,
                           wr_rename_table_in *table, bool load_back)
{
    const instruction *i = &c->program[c->pc];
    wr_result_collection_unit_out unit;
    rcu->pc = c->pc;
    wr_result_collection_unit_eval(&c->rcu, rcu, &unit);
    if (unit.action == WR_RCU_WAIT || (unit.action != WR_RCU_SKIP && c->cycle < c->free_at)) {
        return;
    }
    if (unit.action == WR_RCU_NORMAL && waits_for(i, c->pending)) {
        dec_in->stall = c->hints && waits_for(i, c->pending_load) && !load_back;
        dec_in->pc = c->pc;
        dec_in->hint = i->hint;
        return;
    }
    rcu->fetch = true;
    c->actions[unit.action]++;
    if (unit.action == WR_RCU_SKIP) {
        c->pc++;
    } else if (unit.action == WR_RCU_COPY) {
        c->value[unit.copy_to] = c->value[unit.copy_from];
        *table = (wr_rename_table_in){
            .drop = true, .drop_vec = true, .drop_reg = unit.copy_to, .drop_from = unit.copy_from};
        c->free_at = c->cycle + 1;
        c->pc++;
    } else if (is_branch(i)) {
        jump(c, i);
    } else {
        const uint8_t itself[2] = {(uint8_t)i->src[0], (uint8_t)i->src[1]};
        uint32_t operand[2];
        operands(c, i, itself, operand);
        send(c, i, operand, i->dst, NONE);
        if (i->op == OP_LOAD) {
            c->free_at = c->cycle + 1;
        }
        c->pc++;
    }
}

static void cycle(core *c)
{
    wr_hint_decoder_in dec_in = {0};
    wr_result_collection_unit_in rcu = {0};
    wr_rename_table_in table = {0};
    wr_hint_decoder_out dec;
    wr_result_collection_unit_out unit;
    bool load_back = false;

    wr_hint_decoder_eval(&c->decoder, &dec_in, &dec);
    wr_result_collection_unit_eval(&c->rcu, &rcu, &unit);
    rcu.hint = dec.mode != WR_HINT_MODE_IN_ORDER;
    rcu.base = dec.base;
    land(c, &rcu, &load_back);
    dec_in.rcu_empty = unit.empty;
    dec_in.rcu_full = unit.full;
    if (dec.mode == WR_HINT_MODE_IN_ORDER) {
        fetch_in_order(c, &dec_in, &rcu, &table, load_back);
    } else {
        dec_in.resume = !waits_for(&c->program[c->pc], c->pending_load);
        if (dec.issue) {
            issue_hinted(c, &dec, &dec_in, &rcu, &table);
        }
        if (dec.mode == WR_HINT_MODE_HINT) {
            fetch_hinted(c, &dec, &dec_in);
        }
    }
    wr_hint_decoder_tick(&c->decoder, &dec_in);
    wr_result_collection_unit_tick(&c->rcu, &rcu);
    wr_rename_table_tick(&c->table, &table);
    c->cycle++;
}

/* To the end of the program and of all that is under way. */
static void run(core *c)
{
    bool busy = true;
    while (c->program[c->pc].op != OP_END || busy) {
        if (c->program[c->pc].op != OP_END) {
            cycle(c);
        } else {
            wr_result_collection_unit_in rcu = {0};
            bool back = false;
            land(c, &rcu, &back);
            c->cycle++;
        }
        busy = c->cycle < c->free_at;
        for (const flight *f = c->flight; f < c->flight + IN_FLIGHT_MAX; f++) {
            busy = busy || f->used;
        }
        assert_true(c->cycle < 100000);
    }
    assert_false(c->decoder.fault_q);
    assert_false(c->rcu.fault_q);
    assert_false(c->table.fault_q);
}

/* Fig. 5.1, in the paper's numbers. The listing's branch leaves the loop where the compare fails.
 */
static void loop_program(instruction *p)
{
    memset(p, 0, PROGRAM_MAX * sizeof p[0]);
    p[1] = (instruction){OP_LESS, P0, {7, 4}, 0, 0, plain(-15, NONE, P0)};
    p[2] = (instruction){OP_JUMP_NOT, NONE, {P0, NONE}, 0, 22, conditional(0, -14)};
    p[3] = (instruction){OP_MUL, 9, {5, 4}, 0, 0, plain(-13, 40, 9)};
    p[4] = (instruction){OP_ADD, 9, {9, 7}, 0, 0, plain(-12, 41, 9)};
    p[5] = (instruction){OP_SHL2, 9, {9, NONE}, 2, 0, plain(-11, 42, 9)};
    p[6] = (instruction){OP_MUL, 9, {5, 4}, 0, 0, plain(-10, 43, 9)};
    p[7] = (instruction){OP_ADD, 9, {9, 7}, 0, 0, plain(-9, 44, 9)};
    p[8] = (instruction){OP_SHL2, 9, {9, NONE}, 2, 0, plain(-8, 45, 9)};
    p[9] = (instruction){OP_ADD, 9, {0, 9}, 0, 0, plain(0, 46, 9)};
    p[10] = (instruction){OP_LOAD, 10, {9, NONE}, 0, 0, 0};
    p[11] = (instruction){OP_MUL, 9, {7, 4}, 0, 0, 0};
    p[12] = (instruction){OP_ADD, 9, {9, 6}, 0, 0, 0};
    p[13] = (instruction){OP_SHL2, 9, {9, NONE}, 2, 0, 0};
    p[14] = (instruction){OP_ADD, 9, {2, 9}, 0, 0, 0};
    p[15] = (instruction){OP_ADD, 9, {9, NONE}, 0, 0, 0};
    p[16] = (instruction){OP_LOAD, 9, {9, NONE}, 0, 0, 0};
    p[17] = (instruction){OP_MUL, 9, {10, 9}, 0, 0, plain(2, NONE, 0)}; /* the way in: I19 */
    p[18] = (instruction){OP_ADD, 8, {8, 9}, 0, 0, 0};
    p[19] = (instruction){OP_ADD, 7, {7, NONE}, 1, 0, plain(3, NONE, 7)};
    p[20] = (instruction){OP_JUMP, NONE, {NONE, NONE}, 0, 1, direct(-16)};
    p[22] = (instruction){.op = OP_END};
}

static void loop_start(core *c, const instruction *program, bool hints, uint64_t load_latency)
{
    core_init(c, program, hints);
    c->pc = 1;
    c->load_latency[0] = load_latency;
    c->load_latency[1] = load_latency;
    c->value[0] = 1000;
    c->value[2] = 5000;
    c->value[4] = 6; /* iterations */
    c->value[5] = 3;
    c->value[6] = 17;
}

/* One stall at I17 that lasts: the chain goes over the back edge until the unit is full; back in
 * order I19 and I1 are skipped, both branches executed again, I3 to I6 copied. */
static void test_loop_chain(void **state)
{
    (void)state;
    static const uint32_t chain[8] = {19, 20, 1, 2, 3, 4, 5, 6};
    instruction program[PROGRAM_MAX];
    core c;
    loop_program(program);
    loop_start(&c, program, true, 200);
    while (c.issued_n < 8) {
        cycle(&c);
        assert_true(c.cycle < 1000);
    }
    assert_memory_equal(c.issued, chain, sizeof chain);
    while (c.decoder.mode_q == WR_HINT_MODE_HINT) {
        cycle(&c);
    }
    assert_int_equal(c.decoder.mode_q, WR_HINT_MODE_WAIT);
    assert_int_equal(c.decoder.base_q, 17);
    while (c.decoder.mode_q == WR_HINT_MODE_WAIT) {
        cycle(&c);
    }
    assert_int_equal(c.issued_n, 8); /* a full unit takes no ninth */
    assert_int_equal(c.pc, 17);
    memset(c.actions, 0, sizeof c.actions);
    while (c.pc != 7) {
        cycle(&c);
    }
    assert_int_equal(c.actions[WR_RCU_NORMAL], 2); /* I17, I18 */
    assert_int_equal(c.actions[WR_RCU_SKIP], 2);   /* I19, I1 */
    assert_int_equal(c.actions[WR_RCU_BRANCH], 2); /* I20, I2 */
    assert_int_equal(c.actions[WR_RCU_COPY], 4);   /* I3 to I6 */
    wr_rename_table_in in = {0};
    wr_rename_table_out names;
    wr_rename_table_eval(&c.table, &in, &names);
    assert_int_equal(names.vector_count, 0);
    assert_int_equal(c.rcu.valid_q, 0);
}

/* Whenever the loads return: the registers of the program are those of execution in order, and
 * hint mode is often faster. */
static void test_loop_results(void **state)
{
    (void)state;
    instruction program[PROGRAM_MAX];
    uint64_t gained = 0;
    loop_program(program);
    for (uint64_t load = 1; load <= 120; load++) {
        for (uint64_t latency = 1; latency <= 7; latency += 2) {
            core plain_core;
            core hinted;
            loop_start(&plain_core, program, false, load);
            loop_start(&hinted, program, true, load);
            plain_core.latency = latency;
            hinted.latency = latency;
            run(&plain_core);
            run(&hinted);
            assert_memory_equal(plain_core.value, hinted.value, 40 * sizeof hinted.value[0]);
            assert_int_equal(plain_core.value[P0], hinted.value[P0]);
            assert_int_equal(plain_core.value[7], 6);
            gained += plain_core.cycle > hinted.cycle;
        }
    }
    assert_true(gained > 100);
}

/* Fig. 5.9: blocks of 15t, stalls of 5t and 3t; c is 5t of block 2, f 3t of block 3, and neither
 * needs a load. */
typedef struct mix {
    unsigned behind_1; /* of c and f, executed behind the first load */
    unsigned behind_2; /* and behind the second */
} mix;

enum { T = 64, BLOCK = 15, C = 5, F = 3 };

static int put(instruction *p, int at, int n, int src)
{
    for (int k = 0; k < n; k++) {
        p[at++] = (instruction){OP_ADD, 20, {src, NONE}, 1, 0, 0};
    }
    return at;
}

/* A chain of hints from the stall point `from` over n instructions at `to`, which end it. */
static void chain_hints(instruction *p, int from, int to, int n)
{
    p[from].hint = plain(to - from, NONE, 0);
    for (int k = 0; k < n; k++) {
        p[to + k].hint = plain(k + 1 < n ? to + k + 1 - from : 0, NONE, p[to + k].dst);
    }
}

/* Independent code that is not moved stands at the end of its block. */
static uint64_t timeline(mix moved, bool hints)
{
    instruction p[PROGRAM_MAX] = {{.op = OP_END}};
    const int stay_c = moved.behind_1 == 0 ? C : 0;
    const int stay_f = moved.behind_1 == 0 ? F : 0;
    core c;
    int at = put(p, 0, BLOCK, 1);
    p[at++] = (instruction){OP_LOAD, 30, {2, NONE}, 0, 0, 0};
    at = put(p, at, (int)moved.behind_1, 3);
    const int stall_1 = at;
    at = put(p, at, BLOCK - C, 30);
    const int place_c = at;
    at = put(p, at, stay_c, 3);
    p[at++] = (instruction){OP_LOAD, 31, {2, NONE}, 0, 0, 0};
    at = put(p, at, (int)moved.behind_2, 4);
    const int stall_2 = at;
    at = put(p, at, BLOCK - F, 31);
    const int place_f = at;
    at = put(p, at, stay_f, 4);
    assert_true(at < PROGRAM_MAX);
    if (hints) {
        for (int k = 0; k < C + F; k++) { /* each its own register: nothing to rename */
            p[k < C ? place_c + k : place_f + k - C].dst = 50 + k;
        }
        chain_hints(p, stall_1, place_c, C);
        chain_hints(p, stall_2, place_f, F);
    }
    core_init(&c, p, hints);
    c.occupy = T;
    c.latency = T;
    c.load_latency[0] = C * T;
    c.load_latency[1] = F * T;
    run(&c);
    return (c.cycle + T / 2) / T;
}

static void test_timeline(void **state)
{
    (void)state;
    assert_int_equal(timeline((mix){0, 0}, false), 53);
    assert_int_equal(timeline((mix){C + F, 0}, false), 48);
    assert_int_equal(timeline((mix){3, C - 3 + F}, false), 47);
    assert_int_equal(timeline((mix){0, 0}, true), 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loop_chain),
        cmocka_unit_test(test_loop_results),
        cmocka_unit_test(test_timeline),
    };
    return cmocka_run_group_tests_name("hints_path", tests, NULL, NULL);
}
