/* SPDX-License-Identifier: Apache-2.0 */
/* stall_scanner among the models of its neighbours: the two context tables, warp_slots, the queues
 * and context_switch_logic, around a machine whose warps run, wait for memory, meet at barriers and
 * end, and a launcher that brings TBs and clears them. All TBs must come to their end: nothing is
 * lost, and no wait is for ever. On the way no block may raise a fault, tables and slots must
 * agree, a warp may not go on between the decision to switch it out and its leaving, and the order
 * of who leaves and comes back must be the page's. */
#include "tests/blocks/scanner_world.h"

#include <string.h>

/* The launcher: a step a cycle, where the switch logic leaves the tables free. ----------------- */

static void start_warp(world *w, unsigned i)
{
    warp *v = &w->warp[i];

    *v = (warp){.slot = -1, .parts = 1 + wr_rig_below(&w->rig, 6)};
    become(v, RUNS, 1 + wr_rig_below(&w->rig, 30));
}

static void insert(world *w, unsigned id, bool away, unsigned meta)
{
    w->wct_in.op = WR_WARP_CONTEXT_INSERT;
    w->wct_in.id = (uint8_t)id;
    w->wct_in.state = away ? WR_WARP_READY : WR_WARP_RUNNING;
    w->wct_in.reg_addr = (uint16_t)(id * 4);
    w->wct_in.meta_addr = (uint16_t)meta;
}

static void add_warp(world *w)
{
    const unsigned id = w->at * w->n + w->index;

    if (w->index == 0) {
        w->tct_in.op = WR_TB_CONTEXT_INSERT;
        w->tct_in.id = (uint8_t)w->at;
        w->tct_in.addr = (uint16_t)(0x800 + w->at);
        w->tct_in.mask = w->extra ? (uint32_t)((UINT64_C(1) << w->n) - 1) : 0;
        w->tb[w->at] = (tb){.here = true, .age = ++w->placings};
        w->in.placed = true;
        w->in.placed_tb = (uint8_t)w->at;
    }
    start_warp(w, id);
    insert(w, id, w->extra, w->extra ? id * 8 : (unsigned)WR_CSL_META_SLOT + w->list_out.next);
    if (!w->extra) {
        w->promised--;
        w->list_in.claim = true;
        w->list_in.claim_slot = w->list_out.next;
        w->list_in.claim_id = (uint8_t)id;
        claim(w, w->list_out.next, id);
        enters(w, id, w->list_out.next);
    }
    if (++w->index == w->n) {
        w->index = 0;
        w->job = w->extra ? TELLS : IDLE;
    }
}

static void remove_warp(world *w, unsigned id)
{
    look(w, id);
    if (!w->wct_out.look_valid) {
        return;
    }
    assert_true(w->wct_out.look_present);
    const unsigned slot = w->wct_out.look_meta_addr & 63u;
    assert_int_equal(w->owner[slot], (int)id);
    assert_int_equal(w->warp[id].what, ENDED);
    w->wct_in.op = WR_WARP_CONTEXT_REMOVE;
    w->wct_in.id = (uint8_t)id;
    give(w, slot);
    w->owner[slot] = -1;
    w->warp[id].slot = -1;
}

static void begin_job(world *w)
{
    for (unsigned t = 0; t < TBS; t++) {
        if (w->tb[t].ended && (w->out.busy >> t & 1) == 0) {
            w->job = CLEARS;
            w->at = t;
            return;
        }
    }
    for (unsigned t = 0; t < most_tbs(w) && w->to_come != 0; t++) {
        if (!w->tb[t].here && wr_rig_chance(&w->rig, 20)) {
            w->extra =
                w->list_out.free < w->n || w->csl_in.ready_valid || w->csl_out.op == WR_CSL_IN;
            w->promised = w->extra ? 0 : w->n;
            w->to_come--;
            w->job = ADDS;
            w->at = t;
            return;
        }
    }
}

/* True: it has used the tables. */
static bool launcher_step(world *w)
{
    switch (w->job) {
    case ADDS:
        add_warp(w);
        return true;
    case TELLS:
        w->in.arrive = true;
        w->in.arrive_id = (uint8_t)(w->at * w->n + w->index);
        if (++w->index == w->n) {
            w->index = 0;
            w->job = IDLE;
        }
        return false;
    case VACATES:
        remove_warp(w, w->out.vacate_id);
        w->job = IDLE;
        w->vacated++;
        return true;
    case CLEARS:
        if (w->index < w->n) {
            remove_warp(w, w->at * w->n + w->index++);
            return true;
        }
        for (unsigned j = 0; j < w->n; j++) {
            w->warp[w->at * w->n + j].what = GONE;
        }
        w->tct_in.op = WR_TB_CONTEXT_REMOVE;
        w->tct_in.id = (uint8_t)w->at;
        w->tb[w->at] = (tb){0};
        w->ended++;
        w->index = 0;
        w->job = IDLE;
        return true;
    default:
        w->job = w->out.vacate ? VACATES : IDLE;
        if (w->job == IDLE) {
            begin_job(w);
        }
        return false;
    }
}

/* The scanner --------------------------------------------------------------------------------- */

/* Who could have been woken since before the walk began is of no older TB. */
static void check_order(world *w, unsigned id)
{
    const uint64_t age = w->tb[id / w->n].age;

    for (unsigned i = 0; i < w->n * most_tbs(w); i++) {
        assert_true(w->could_wake[i] <= w->walked || w->tb[i / w->n].age >= age);
    }
    w->wakes++;
}

/* How long the walk is under way, and how long each warp could have been found by it. */
static void time_walk(world *w)
{
    const wr_stall_scanner *s = &w->scanner;

    w->walked = s->pos_q == 0 && !s->at_valid_q ? 0 : w->walked + 1;
    for (unsigned i = 0; i < WARPS; i++) {
        w->could_wake[i] = s->absent_q[i] && w->in.free[i] ? w->could_wake[i] + 1 : 0;
    }
}

/* At a barrier one leaves only where a warp of its TB is absent. */
static void check_stall(world *w, unsigned id)
{
    const bool barrier = w->warp[id].what == BARRIER;

    w->stalls[barrier]++;
    if (barrier) {
        look_tb(w, id / w->n);
        assert_true(w->tct_out.look_mask != 0);
    }
}

static void serve_scanner(world *w, bool tables_free)
{
    const bool tbs = w->level == WR_CSL_TB;

    wr_stall_scanner_eval(&w->scanner, &w->in, &w->out);
    w->list_in.look_slot = w->out.look_slot;
    wr_warp_slots_eval(&w->list, &w->list_in, &w->list_out);
    w->in.slot_id = w->list_out.look_id;
    w->wct_in.group_first = w->out.group_first;
    w->wct_in.group_count = w->out.group_count;
    wr_warp_context_table_eval(&w->wct, &w->wct_in, &w->wct_out);
    w->in.group_stalled = w->wct_out.group_stalled;
    w->in.group_ready = w->wct_out.group_ready;
    wr_stall_scanner_eval(&w->scanner, &w->in, &w->out);
    if (w->out.tab_req && tables_free && wr_rig_chance(&w->rig, 80)) {
        w->in.tab_ack = true;
        if (w->out.tab_op == WR_CSL_READ_TB) {
            look_tb(w, w->out.tab_id);
            w->in.tab_whole = w->tct_out.look_mask == 0;
            w->kept += w->in.tab_whole && (w->in.done >> w->out.look_slot & 1) != 0;
        } else {
            w->wct_in.op = WR_WARP_CONTEXT_UPDATE;
            w->wct_in.id = w->out.tab_id;
            w->wct_in.fields = WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_BARRIER;
            w->wct_in.state = w->out.tab_state;
            w->wct_in.barrier = w->out.tab_barrier;
        }
        wr_stall_scanner_eval(&w->scanner, &w->in, &w->out);
    }
    w->csl_in.may_leave = w->out.may_leave;
    w->hold = w->out.hold;
    for (unsigned k = 0; k < 2; k++) {
        const bool pushed = k == 0 ? w->out.stalled_push : w->out.ready_push;
        w->queues_in.tb_push[k] = tbs && pushed;
        w->queues_in.tb_push_id[k] = w->out.push_id & 31u;
        w->queues_in.warp_push[k] = !tbs && pushed;
        w->queues_in.warp_push_id[k] = w->out.push_id;
        if (pushed) {
            assert_true(k == 0 ? w->in.stalled_space : w->in.ready_space);
        }
    }
    if (!tbs && w->out.stalled_push) {
        check_stall(w, w->out.push_id);
    } else if (!tbs && w->out.ready_push) {
        check_order(w, w->out.push_id);
    }
}

/* Together ----------------------------------------------------------------------------------- */

/* What the tables say of who is where is so. */
static void check_places(const world *w)
{
    for (unsigned i = 0; i < WARPS; i++) {
        const unsigned meta = w->wct.meta_addr_q[i];
        const bool placed = w->wct.valid_q[i] && meta >= WR_CSL_META_SLOT;

        if (placed && w->csl_out.op == WR_CSL_NONE) {
            assert_true(w->list.taken_q[meta & 63u] && w->list.warp_q[meta & 63u] == i);
            assert_int_equal(w->owner[meta & 63u], (int)i);
        }
    }
    assert_false(w->csl_out.fault || w->wct_out.fault || w->tct_out.fault);
    assert_false(w->queues_out.fault || w->list_out.fault || w->out.fault);
}

static void read_outputs(world *w)
{
    wr_context_switch_logic_eval(&w->csl, &w->csl_in, &w->csl_out);
    wr_switch_queues_eval(&w->queues, &w->queues_in, &w->queues_out);
    wr_warp_slots_eval(&w->list, &w->list_in, &w->list_out);
    wr_warp_context_table_eval(&w->wct, &w->wct_in, &w->wct_out);
    wr_tb_context_table_eval(&w->tct, &w->tct_in, &w->tct_out);
}

static void one_cycle(world *w)
{
    w->csl_in = (wr_context_switch_logic_in){0};
    w->wct_in = (wr_warp_context_table_in){0};
    w->tct_in = (wr_tb_context_table_in){0};
    w->queues_in = (wr_switch_queues_in){0};
    w->list_in = (wr_warp_slots_in){0};
    w->in = (wr_stall_scanner_in){0};
    wr_rig_next_cycle(&w->rig);
    read_outputs(w);
    check_places(w);
    run_warps(w);
    run_tbs(w);
    wire_switch(w);
    wr_stall_scanner_eval(&w->scanner, &w->in, &w->out);
    const bool free = !w->csl_out.tab_req && !w->csl_out.move_meta; /* a TB is switched whole */
    const bool launches = free && launcher_step(w);
    show_machine(w);
    time_walk(w);
    serve_scanner(w, free && !launches);
    if (w->csl_out.op == WR_CSL_NONE) {
        for (unsigned i = 0; i < WARPS; i++) {
            w->warp[i].steps_then = w->warp[i].steps;
        }
    }
    const unsigned op = w->csl_out.op;
    wr_context_switch_logic_tick(&w->csl, &w->csl_in);
    wr_warp_context_table_tick(&w->wct, &w->wct_in);
    wr_tb_context_table_tick(&w->tct, &w->tct_in);
    wr_switch_queues_tick(&w->queues, &w->queues_in);
    wr_warp_slots_tick(&w->list, &w->list_in);
    wr_stall_scanner_tick(&w->scanner, &w->in);
    wr_context_switch_logic_eval(&w->csl, &w->csl_in, &w->csl_out);
    w->counts[w->csl_out.op] += op == WR_CSL_NONE;
    w->cycle++;
}

static void begin(world *w, uint64_t seed, unsigned level, unsigned n, unsigned slots)
{
    memset(w, 0, sizeof *w);
    wr_rig_init(&w->rig, seed, "level %u, %u warps a TB, %u slots", level, n, slots);
    w->level = level;
    w->n = n;
    w->slots = slots;
    w->limits = level == WR_CSL_TB           ? WR_CSL_LIMIT_SHARED
                : wr_rig_chance(&w->rig, 50) ? WR_CSL_LIMIT_SLOTS
                                             : WR_CSL_LIMIT_REGISTERS;
    w->to_come = 40;
    memset(w->owner, 0xff, sizeof w->owner);
    for (unsigned i = 0; i < WARPS; i++) {
        w->warp[i].slot = -1;
    }
    (void)wr_context_switch_logic_init(
        &w->csl, &(wr_context_switch_logic_cfg){.st_lines = 1, .tb_warps = 32});
    (void)wr_warp_context_table_init(
        &w->wct, &(wr_warp_context_table_cfg){.warps = WARPS, .reg_units = 3072, .slots = 64});
    (void)wr_tb_context_table_init(
        &w->tct,
        &(wr_tb_context_table_cfg){.tbs = TBS, .tb_warps = 32, .smem_base = 0, .smem_units = 3072});
    (void)wr_switch_queues_init(&w->queues,
                                &(wr_switch_queues_cfg){.warp_depth = 16, .tb_depth = 8});
    (void)wr_warp_slots_init(&w->list, &(wr_warp_slots_cfg){.slots = slots, .warps = WARPS});
    (void)wr_stall_scanner_init(
        &w->scanner,
        &(wr_stall_scanner_cfg){.warps = WARPS, .tbs = TBS, .tb_warps = 32, .slots = slots});
    wr_context_switch_logic_tick(
        &w->csl,
        &(wr_context_switch_logic_in){
            .cfg = true, .limits = (uint8_t)w->limits, .warps = (uint8_t)n, .lines = 3, .full = 4});
    wr_stall_scanner_tick(
        &w->scanner,
        &(wr_stall_scanner_in){.cfg = true, .level = (uint8_t)level, .warps = (uint8_t)n});
    wr_stall_scanner_tick(&w->scanner, &(wr_stall_scanner_in){.booked = true});
}

static void run(world *w)
{
    while (w->ended < 40) {
        one_cycle(w);
        if (w->cycle - w->last_end > PATIENCE) {
            fail_msg("%s: nothing ends any more, %u TBs have; seed %llu", w->rig.config, w->ended,
                     (unsigned long long)w->rig.seed);
        }
    }
    assert_int_equal(w->list_out.free, w->slots);
}

/* Launches of many shapes: the sum of what has happened in them. */
static world all_launches(unsigned level)
{
    static const unsigned sizes[][2] = {{1, 1},  {1, 5},  {2, 4},   {3, 7},   {4, 8},
                                        {4, 64}, {8, 24}, {16, 33}, {32, 64}, {12, 16}};
    const uint64_t seed = wr_rig_seed();
    world sum = {0};

    for (unsigned i = 0; i < 40; i++) {
        static world w;
        begin(&w, seed + i, level, sizes[i % 10][0], sizes[i % 10][1]);
        run(&w);
        for (unsigned op = 0; op < 5; op++) {
            sum.counts[op] += w.counts[op];
        }
        sum.stalls[0] += w.stalls[0];
        sum.stalls[1] += w.stalls[1];
        sum.kept += w.kept;
        sum.vacated += w.vacated;
        sum.wakes += w.wakes;
    }
    for (unsigned op = WR_CSL_OUT; op <= WR_CSL_BACK; op++) {
        /* A TB leaves for nobody only if the last ready one comes in just when it is pushed. */
        assert_true(sum.counts[op] > 0 || (level == WR_CSL_TB && op == WR_CSL_OUT));
    }
    return sum;
}

static void test_warps(void **state)
{
    (void)state;
    const world sum = all_launches(WR_CSL_WARP);

    assert_true(sum.stalls[0] > 0 && sum.stalls[1] > 0 && sum.wakes > 0);
    assert_true(sum.kept > 0 && sum.vacated > 0);
}

static void test_tbs(void **state)
{
    (void)state;
    assert_int_equal(all_launches(WR_CSL_TB).vacated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warps),
        cmocka_unit_test(test_tbs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
