/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks and the machine of launcher_path.h, a cycle at a time. */
#include <string.h>

#include "tests/blocks/launcher_path.h"

static const kernel kernels[] = {
    {WR_CSL_LIMIT_REGISTERS, 8, 40, 20, 10},
    {WR_CSL_LIMIT_SLOTS, 4, 10, 0, 0},
    {WR_CSL_LIMIT_SHARED, 4, 30, 150, 150},
    {WR_CSL_LIMIT_REGISTERS | WR_CSL_LIMIT_SLOTS, 3, 32, 32, 7},
    {WR_CSL_LIMIT_SHARED, 2, 15, 40, 40},
    {WR_CSL_LIMIT_REGISTERS, 1, 100, 11, 0},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static uint32_t unit_of(const path *p, uint32_t warp)
{
    return whole_tbs(p) ? warp / p->kernel->warps : warp;
}

static void push(queue *q, uint32_t id)
{
    q->id[q->count++] = (uint8_t)id;
}

static void pop(queue *q)
{
    memmove(q->id, q->id + 1, --q->count);
}

/* One look or command of the tables. */
static void look(path *p, uint32_t warp, wr_warp_context_table_out *o)
{
    p->wct_in.look_id = (uint8_t)warp;
    wr_warp_context_table_eval(&p->wct, &p->wct_in, o);
}

static void write_warp(path *p, uint8_t op, uint32_t id, uint8_t state, uint16_t reg, uint16_t meta)
{
    p->wct_in.op = op;
    p->wct_in.id = (uint8_t)id;
    p->wct_in.fields = 7;
    p->wct_in.state = state;
    p->wct_in.reg_addr = reg;
    p->wct_in.meta_addr = meta;
}

static void serve_switch(path *p)
{
    const wr_context_switch_logic_out *o = &p->csl_out;
    wr_context_switch_logic_in *in = &p->csl_in;
    wr_warp_context_table_out w;
    const uint32_t all = (uint32_t)((UINT64_C(1) << p->kernel->warps) - 1);

    in->tab_ack = o->tab_req;
    in->move_ack = o->move && wr_rig_chance(&p->rig, 30);
    if (o->slot_take) {
        p->slots_in.claim = true;
        p->slots_in.claim_slot = o->slot;
        p->slots_in.claim_id = o->slot_id;
    }
    if (!o->tab_req) {
        return;
    }
    switch (o->tab_op) {
    case WR_CSL_READ_WARP:
        look(p, o->tab_id, &w);
        in->tab_state = w.look_state;
        in->tab_reg = w.look_reg_addr;
        in->tab_meta = w.look_meta_addr;
        break;
    case WR_CSL_READ_TB:
        in->tab_reg = p->tct.addr_q[o->tab_id];
        break;
    case WR_CSL_WRITE_WARP:
        write_warp(p, WR_WARP_CONTEXT_UPDATE, o->tab_id, o->tab_state, o->tab_reg, o->tab_meta);
        if (o->op == WR_CSL_EXCHANGE && o->state == WR_CSL_WR_IN) {
            p->slots_in.pass = true;
            p->slots_in.pass_slot = o->tab_meta & 63u;
            p->slots_in.pass_id = o->tab_id;
        }
        break;
    default:
        p->tct_in.op = o->tab_op == WR_CSL_MOVE_TB     ? WR_TB_CONTEXT_MOVE
                       : o->tab_op == WR_CSL_ABSENT_TB ? WR_TB_CONTEXT_SET
                                                       : WR_TB_CONTEXT_CLEAR;
        p->tct_in.id = o->tab_id & 31u;
        p->tct_in.addr = o->tab_reg;
        p->tct_in.mask = o->tab_all ? all : UINT32_C(1) << o->tab_index;
        break;
    }
    if (o->slot_give) {
        p->slots_in.give = true;
        p->slots_in.give_slot = o->slot;
    }
}

static void serve_launcher(path *p)
{
    const wr_tb_launcher_out *o = &p->out;
    wr_tb_launcher_in *in = &p->in;
    const uint32_t all = (uint32_t)((UINT64_C(1) << p->kernel->warps) - 1);
    wr_warp_context_table_out w;
    wr_tb_context_table_out t;

    in->tab_ack = o->tab_req && !p->csl_out.tab_req && !p->csl_out.slot_take;
    if (!in->tab_ack) {
        return;
    }
    switch (o->tab_op) {
    case WR_LAUNCHER_READ_WARP:
        look(p, o->tab_id, &w);
        in->tab_valid = w.look_valid;
        in->tab_state = w.look_state;
        in->tab_present = w.look_present;
        in->tab_reg = w.look_reg_addr;
        in->tab_meta = w.look_meta_addr;
        break;
    case WR_LAUNCHER_TAB_READ_TB:
        p->tct_in.look_id = o->tab_id & 31u;
        wr_tb_context_table_eval(&p->tct, &p->tct_in, &t);
        in->tab_valid = t.look_valid;
        in->tab_present = t.look_present;
        in->tab_whole = t.look_mask == 0;
        in->tab_reg = t.look_addr;
        break;
    case WR_LAUNCHER_WRITE_WARP:
    case WR_LAUNCHER_INSERT_WARP:
        wr_tb_launcher_eval(&p->launcher, in, &p->out); /* the slot has been answered */
        write_warp(p,
                   o->tab_op == WR_LAUNCHER_WRITE_WARP ? WR_WARP_CONTEXT_UPDATE
                                                       : WR_WARP_CONTEXT_INSERT,
                   o->tab_id, o->tab_state, o->tab_reg, o->tab_meta);
        break;
    case WR_LAUNCHER_REMOVE_WARP:
        write_warp(p, WR_WARP_CONTEXT_REMOVE, o->tab_id, 0, 0, 0);
        break;
    default:
        p->tct_in.op =
            o->tab_op == WR_LAUNCHER_INSERT_TB ? WR_TB_CONTEXT_INSERT : WR_TB_CONTEXT_REMOVE;
        p->tct_in.id = o->tab_id & 31u;
        p->tct_in.addr = o->tab_reg;
        p->tct_in.mask = o->tab_all ? all : 0;
        break;
    }
}

/* The machine, third at the tables: one warp by chance stalls, goes on, or finishes. */
static void serve_machine(path *p)
{
    const kernel *k = p->kernel;
    const uint32_t w = wr_rig_below(&p->rig, WARPS);
    const uint32_t t = w / k->warps;
    const bool tbs = whole_tbs(p);
    const bool brings = p->launcher.tb_q == t && p->launcher.job_q != WR_LAUNCHER_NONE;
    const bool held = p->held[tbs ? t : w];

    if (!p->wct.valid_q[w] || p->ended[t] || !p->there[t] || held || brings ||
        p->vacate == (int)w) {
        return;
    }
    const uint8_t state = p->wct.state_q[w];
    if (state == WR_WARP_ABSENT && wr_rig_chance(&p->rig, 20)) {
        write_warp(p, WR_WARP_CONTEXT_UPDATE, w, WR_WARP_READY, 0, 0);
        p->wct_in.fields = 1;
        p->arrived[t] += tbs;
        if (!tbs || p->arrived[t] == k->warps) {
            push(&p->ready, unit_of(p, w));
            p->held[unit_of(p, w)] = true;
        }
    } else if (state == WR_WARP_RUNNING && tbs && p->stalls[t]) {
        bool all = true;
        write_warp(p, WR_WARP_CONTEXT_UPDATE, w, WR_WARP_STALLED, 0, 0);
        p->wct_in.fields = 1;
        for (uint32_t j = 0; j < k->warps; j++) {
            all = all &&
                  (t * k->warps + j == w || p->wct.state_q[t * k->warps + j] == WR_WARP_STALLED);
        }
        if (all) {
            p->stalls[t] = false;
            p->arrived[t] = 0;
            push(&p->stalled, t);
            p->held[t] = true;
        }
    } else if (state == WR_WARP_RUNNING && tbs && wr_rig_chance(&p->rig, 1)) {
        p->stalls[t] = p->tct.absent_q[t] == 0;
    } else if (state == WR_WARP_RUNNING && !tbs && !p->done[w] && wr_rig_chance(&p->rig, 8)) {
        write_warp(p, WR_WARP_CONTEXT_UPDATE, w, WR_WARP_STALLED, 0, 0);
        p->wct_in.fields = 1;
        push(&p->stalled, w);
        p->held[w] = true;
    }
}

/* Warps finish; a TB all of whose warps have ends. */
static void finish_some(path *p)
{
    const kernel *k = p->kernel;
    const uint32_t w = wr_rig_below(&p->rig, WARPS);
    const uint32_t t = w / k->warps;
    const bool brings = p->launcher.tb_q == t && p->launcher.job_q != WR_LAUNCHER_NONE;
    bool over = true;

    if (t >= TBS || !p->there[t] || p->ended[t] || brings || !p->launcher.run_q ||
        p->csl_out.op != WR_CSL_NONE) {
        return;
    }
    const bool runs = p->wct.valid_q[w] && p->wct.state_q[w] == WR_WARP_RUNNING;
    const bool free = runs && !p->held[unit_of(p, w)] && !(whole_tbs(p) && p->stalls[t]);
    p->done[w] = p->done[w] || (free && wr_rig_chance(&p->rig, 20));
    if (free && p->done[w] && !whole_tbs(p) && p->tct.absent_q[t] != 0 && p->vacate < 0) {
        p->vacate = (int)w; /* it would hold room while others of its TB have none */
        p->vacated++;
    }
    for (uint32_t j = 0; j < k->warps; j++) {
        const uint32_t i = t * k->warps + j;
        over = over && p->done[i] && (!p->wct.valid_q[i] || p->wct.state_q[i] == WR_WARP_RUNNING) &&
               p->vacate != (int)i;
    }
    if (over && !p->stalls[t] && !p->held[unit_of(p, w)]) {
        p->ended[t] = true;
        p->in.ended = UINT32_C(1) << t;
    }
}

static void comes(path *p, uint32_t t)
{
    p->there[t] = true;
    p->ended[t] = false;
    p->stalls[t] = false;
    p->arrived[t] = 0;
    for (uint32_t j = 0; j < p->kernel->warps; j++) {
        p->done[t * p->kernel->warps + j] = false;
    }
}

/* What the launcher tells the machine in this cycle. */
static void hear(path *p)
{
    const wr_tb_launcher_out *o = &p->out;

    if (o->place && p->in.place_ok) {
        p->grid--;
        p->placed[o->kind]++;
        comes(p, o->tb);
    }
    p->refused += o->place && !p->in.place_ok;
    if (o->arrive && (!whole_tbs(p) || ++p->arrived[o->tb] == p->kernel->warps)) {
        push(&p->ready, unit_of(p, o->warp));
        p->held[unit_of(p, o->warp)] = true;
    }
    if (o->left && p->vacate == o->warp) {
        p->vacate = -1;
    }
    if (o->gone) {
        p->there[o->tb] = false;
        p->ended[o->tb] = false;
    }
    if (o->claim && p->plant != CLAIM_LOST) {
        wrong(p, p->slots_in.claim, "two claims in a cycle");
        p->slots_in.claim = true;
        p->slots_in.claim_slot = o->slot;
        p->slots_in.claim_id = o->warp;
    }
    if (o->left && p->plant != LEFT_LOST) {
        wrong(p, p->slots_in.give, "two gives in a cycle");
        p->slots_in.give = true;
        p->slots_in.give_slot = o->slot;
    }
}

/* The heads of the queues, and who is in the switch logic's hands. */
static void wire_queues(path *p)
{
    const wr_context_switch_logic_out *o = &p->csl_out;

    if (o->op == WR_CSL_NONE) {
        for (uint32_t n = 0; n < 2; n++) {
            int *unit = n == 0 ? &p->out_unit : &p->in_unit;
            if (*unit >= 0) {
                p->held[*unit] = false;
                p->arrived[whole_tbs(p) ? *unit : 0] = 0;
                *unit = -1;
            }
        }
    }
    if (o->stalled_pop) {
        p->out_unit = p->stalled.id[0];
        pop(&p->stalled);
    }
    if (o->ready_pop) {
        p->in_unit = p->ready.id[0];
        pop(&p->ready);
    }
    p->csl_in.stalled_valid = p->stalled.count != 0;
    p->csl_in.stalled_id = p->stalled.id[0];
    p->csl_in.ready_valid = p->ready.count != 0;
    p->csl_in.ready_id = p->ready.id[0];
    p->csl_in.may_leave = wr_rig_chance(&p->rig, 70);
    p->csl_in.want = p->grid != 0;
    p->ins += o->ready_pop;
    p->outs += o->stalled_pop;
}

static void ask_machine(path *p, const wr_me_controller_out *me, const wr_warp_slots_out *slots)
{
    wr_tb_launcher_in *in = &p->in;
    wr_tb_context_table_out t;

    p->tct_in.find_kind = WR_TB_CONTEXT_FREE;
    wr_tb_context_table_eval(&p->tct, &p->tct_in, &t);
    in->tb_found = t.find_found;
    in->tb_found_id = t.find_id;
    in->allow = me->allow;
    in->keep = me->tbs <= me->mc + me->me;
    in->waiting = p->grid != 0;
    in->ready_waits = p->csl_in.ready_valid;
    in->switch_in = p->csl_out.op == WR_CSL_IN;
    in->slots_free = slots->free;
    in->slot_next = slots->next;
    in->place_ok = wr_rig_chance(&p->rig, 90);
    in->me_ready = wr_rig_chance(&p->rig, 70);
    in->ask_slot = p->slot[p->out.warp];
    in->vacate = p->vacate >= 0;
    in->vacate_id = in->vacate ? (uint8_t)p->vacate : 0;
    for (uint32_t i = 0; i < WARPS; i++) {
        const uint32_t tb = whole_tbs(p) ? i : i / p->kernel->warps;
        in->queued |= p->held[i] && tb < TBS ? UINT32_C(1) << tb : 0;
    }
}

static void check_faults(path *p)
{
    wrong(p, p->wct.fault_q, "a fault of warp_context_table");
    wrong(p, p->tct.fault_q, "a fault of tb_context_table");
    wrong(p, p->map.fault_q, "a fault of onchip_bitmap");
    wrong(p, p->slots.fault_q, "a fault of warp_slots");
    wrong(p, p->me.fault_q, "a fault of me_controller");
    wrong(p, p->csl.fault_q, "a fault of context_switch_logic");
    wrong(p, p->launcher.fault_q, "a fault of tb_launcher");
}

static void cycle(path *p, wr_me_controller_in me_in)
{
    wr_onchip_bitmap_in map_in = {0};
    wr_onchip_bitmap_out map;
    wr_me_controller_out me;
    wr_warp_slots_out slots;

    wr_onchip_bitmap_eval(&p->map, &map_in, &map);
    wr_me_controller_eval(&p->me, &me_in, &me);
    wr_warp_slots_eval(&p->slots, &p->slots_in, &slots);
    wr_context_switch_logic_eval(&p->csl, &p->csl_in, &p->csl_out);
    wr_tb_launcher_eval(&p->launcher, &p->in, &p->out);
    p->wct_in = (wr_warp_context_table_in){0};
    p->tct_in = (wr_tb_context_table_in){0};
    p->slots_in = (wr_warp_slots_in){0};
    wire_queues(p);
    ask_machine(p, &me, &slots);
    serve_switch(p);
    serve_launcher(p);
    if (!p->csl_out.tab_req && !p->out.tab_req && p->launcher.run_q) {
        serve_machine(p);
    }
    finish_some(p);
    p->in.mem_req = p->csl_out.mem_req;
    p->in.mem_free = p->csl_out.mem_free;
    p->in.mem_region = p->csl_out.mem_region;
    p->in.mem_count = p->csl_out.mem_count;
    p->in.mem_addr = p->csl_out.mem_addr;
    p->in.map_done = map.done;
    p->in.map_found = map.found;
    p->in.map_addr = map.addr;
    wr_tb_launcher_eval(&p->launcher, &p->in, &p->out);
    map_in = (wr_onchip_bitmap_in){.valid = p->out.map_valid,
                                   .op = p->out.map_op,
                                   .region = p->out.map_region,
                                   .count = p->out.map_count,
                                   .addr = p->out.map_addr};
    wrong(p, p->out.map_valid && !map.ready, "the bitmap is asked while it is busy");
    if (p->plant == FREE_LOST && map_in.op && p->launcher.state_q == WR_LAUNCHER_FREE_SMEM) {
        map_in.count = 1;
    }
    p->csl_in.mem_ack = p->out.mem_ack;
    p->csl_in.mem_found = p->out.mem_found;
    p->csl_in.mem_addr = p->out.mem_addr;
    p->csl_in.slots_free = p->plant == PROMISE_SHOWN ? slots.free : p->out.slots_free;
    p->csl_in.slot = slots.next;
    me_in.launch = me_in.launch || p->out.me_launch;
    me_in.leave = p->out.me_leave && p->plant != LEAVE_LOST;
    hear(p);
    wr_tb_launcher_tick(&p->launcher, &p->in);
    wr_context_switch_logic_tick(&p->csl, &p->csl_in);
    wr_warp_context_table_tick(&p->wct, &p->wct_in);
    wr_tb_context_table_tick(&p->tct, &p->tct_in);
    wr_onchip_bitmap_tick(&p->map, &map_in);
    wr_warp_slots_tick(&p->slots, &p->slots_in);
    wr_me_controller_tick(&p->me, &me_in);
    p->wanting += p->launcher.job_q == WR_LAUNCHER_UNDO && p->out.job != WR_LAUNCHER_UNDO &&
                  p->out.state != WR_LAUNCHER_PLACE;
    p->in = (wr_tb_launcher_in){.here = p->in.here};
    p->csl_in = (wr_context_switch_logic_in){0};
    p->cycle++;
    check_faults(p);
    if (p->launcher.job_q == WR_LAUNCHER_NONE && p->plays && !p->launcher.map_busy_q &&
        p->csl.op_q == WR_CSL_NONE && !p->csl.give_q) {
        wr_path_check(p);
    }
}

/* Until a block has done what it was told; false: it does not. */
static bool run_until(path *p, bool (*until)(const path *p))
{
    for (uint32_t n = 0; n < 100000 && p->wrong == NULL; n++) {
        if (until(p)) {
            return true;
        }
        cycle(p, (wr_me_controller_in){0});
    }
    wrong(p, true, "it does not end");
    return false;
}

static bool searched(const path *p)
{
    return p->me.phase_q == 3;
}

static bool booked(const path *p)
{
    return p->launcher.run_q;
}

static bool empty(const path *p)
{
    bool some = p->launcher.job_q != WR_LAUNCHER_NONE || p->csl.op_q != WR_CSL_NONE;

    for (uint32_t t = 0; t < TBS; t++) {
        some = some || p->there[t];
    }
    return !some && !p->launcher.map_busy_q;
}

/* TBs that the machine has placed before, warps in any slots. */
static void have(path *p)
{
    uint8_t slot[SLOTS];
    uint32_t used = 0;

    for (uint32_t i = 0; i < SLOTS; i++) {
        slot[i] = (uint8_t)i;
    }
    for (uint32_t t = 0; t < p->me.mc_q; t++) {
        if (wr_rig_chance(&p->rig, 25)) {
            continue;
        }
        comes(p, t);
        p->in.here |= UINT32_C(1) << t;
        for (uint32_t j = 0; j < p->kernel->warps; j++) {
            const uint32_t pick = used + wr_rig_below(&p->rig, SLOTS - used);
            const uint8_t taken = slot[pick];
            slot[pick] = slot[used];
            slot[used++] = taken;
            p->slot[t * p->kernel->warps + j] = taken;
        }
        cycle(p, (wr_me_controller_in){.launch = true});
    }
}

static void launch(path *p)
{
    const kernel *k = p->kernel = &kernels[wr_rig_below(&p->rig, KERNELS)];
    const bool use_l1 = wr_rig_chance(&p->rig, 40);
    const uint16_t body = whole_tbs(p) ? k->smem : moves(p) ? k->lines : 0;

    cycle(p,
          (wr_me_controller_in){.start = true,
                                .warps = k->warps,
                                .regs = (uint16_t)(k->warps * k->regs),
                                .reduced = (uint16_t)(k->warps * (moves(p) ? k->lines : k->regs)),
                                .smem = k->smem,
                                .meta = (uint8_t)(k->warps * ST)});
    if (!run_until(p, searched)) {
        return;
    }
    p->in.here = 0;
    cycle(p, (wr_me_controller_in){.valid = true, .verdict = 0, .l1_idle = true});
    have(p);
    p->csl_in.cfg = p->in.cfg = true;
    p->csl_in.limits = k->limits;
    p->csl_in.warps = p->in.warps = k->warps;
    p->csl_in.lines = p->in.lines = body;
    p->csl_in.full = p->in.regs = k->regs;
    p->csl_in.use_l1 = p->in.use_l1 = use_l1;
    p->in.level = whole_tbs(p) ? WR_CSL_TB : WR_CSL_WARP;
    p->in.registers_move = moves(p);
    p->in.tb_regs = (uint16_t)(k->warps * k->regs);
    p->in.smem = k->smem;
    p->in.mc = p->me.mc_q;
    cycle(p, (wr_me_controller_in){0});
    p->in.book = true;
    cycle(p, (wr_me_controller_in){0});
    if (!run_until(p, booked)) {
        return;
    }
    p->plays = true;
    p->grid = 20 + wr_rig_below(&p->rig, 100);
    for (uint32_t n = wr_rig_below(&p->rig, 20000); n > 0 && p->grid > 5 && p->wrong == NULL; n--) {
        cycle(p, (wr_me_controller_in){0});
    }
    p->grid = p->grid < 5 ? p->grid : 5;
    if (run_until(p, empty)) {
        wr_path_check(p);
        p->plays = false;
        wrong(p, p->stalled.count != 0 || p->ready.count != 0, "a unit is queued behind its end");
    }
}

const path *wr_path_run(uint32_t launches, plant planted)
{
    static path paths;
    path *p = &paths;
    const wr_tb_launcher_cfg launcher = {
        .warps = WARPS, .tbs = TBS, .tb_warps = 32, .st_lines = ST};
    const wr_context_switch_logic_cfg csl = {.st_lines = ST, .tb_warps = 32};
    const wr_warp_context_table_cfg wct = {.warps = WARPS, .reg_units = RF, .slots = SLOTS};
    const wr_tb_context_table_cfg tct = {
        .tbs = TBS, .tb_warps = 32, .smem_base = RF, .smem_units = 768};
    const wr_onchip_bitmap_cfg map = {
        .reg_units = RF, .smem_units = 768, .l1_units = 256, .word_bits = 64};
    const wr_warp_slots_cfg slots = {.slots = SLOTS, .warps = WARPS};
    const wr_me_controller_cfg me = {.rf_lines = RF,
                                     .smem_lines = 768,
                                     .l1_lines = 256,
                                     .warp_slots = SLOTS,
                                     .warps = WARPS,
                                     .tb_slots = TBS,
                                     .tbs = TBS};

    memset(p, 0, sizeof *p);
    wr_rig_init(&p->rig, wr_rig_seed(), "launcher_path");
    p->plant = planted;
    p->kernel = &kernels[0];
    p->out_unit = p->in_unit = p->vacate = -1;
    assert_int_equal(wr_tb_launcher_init(&p->launcher, &launcher), WR_OK);
    assert_int_equal(wr_context_switch_logic_init(&p->csl, &csl), WR_OK);
    assert_int_equal(wr_warp_context_table_init(&p->wct, &wct), WR_OK);
    assert_int_equal(wr_tb_context_table_init(&p->tct, &tct), WR_OK);
    assert_int_equal(wr_onchip_bitmap_init(&p->map, &map), WR_OK);
    assert_int_equal(wr_warp_slots_init(&p->slots, &slots), WR_OK);
    assert_int_equal(wr_me_controller_init(&p->me, &me), WR_OK);
    for (uint32_t n = 0; n < launches && p->wrong == NULL; n++) {
        launch(p);
    }
    return p;
}
