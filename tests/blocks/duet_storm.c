/* SPDX-License-Identifier: Apache-2.0 */
/* The storm itself: what an SM does around the duet blocks, and their wiring. */
#include <stdio.h>
#include <string.h>

#include "tests/blocks/duet_storm.h"

static const kernel kernels[] = {
    {WR_CSL_LIMIT_REGISTERS, 4, 14, 32, 32, 8},
    {WR_CSL_LIMIT_SHARED, 4, 200, 0, 16, 200},
    {WR_CSL_LIMIT_REGISTERS | WR_CSL_LIMIT_SLOTS, 3, 0, 30, 30, 0},
    {WR_CSL_LIMIT_SLOTS, 8, 0, 0, 10, 4},
    {WR_CSL_LIMIT_SHARED | WR_CSL_LIMIT_SLOTS, 16, 96, 0, 9, 96},
    {WR_CSL_LIMIT_REGISTERS, 1, 60, 100, 100, 30},
};

static bool warp_held(const storm *s, uint32_t w)
{
    return whole_tbs(s) ? s->tb[w / s->kernel->warps].held : s->warp[w].held;
}

static void give_room(storm *s, uint16_t addr, uint16_t count)
{
    wrong(s, s->rooms == ROOM_LOST_MAX, "the storm's own list is full");
    if (count > 0 && s->rooms < ROOM_LOST_MAX) {
        s->room[s->rooms++] = (run){.addr = addr, .count = count};
    }
}

/* Launches. */

static void add_item(storm *s, uint8_t region, uint8_t other, uint16_t count)
{
    if (count > 0) {
        s->item[s->items++] = (run){.region = region, .other = other, .count = count};
    }
}

/* The runs that a TB needs: shared memory, registers and metadata; switched out where it is extra.
 */
static void plan_launch(storm *s, uint32_t t)
{
    const kernel *k = s->kernel;
    const bool tbs = whole_tbs(s);
    s->placing = true;
    s->place_tb = t;
    s->items = 0;
    s->got = 0;
    s->inserted = 0;
    if (tbs && s->extra) {
        add_item(s, IN_REGISTERS, IN_L1, (uint16_t)(k->lines + k->warps * ST));
    } else {
        add_item(s, IN_SHARED, IN_SHARED, k->smem);
    }
    for (uint32_t i = 0; i < k->warps; i++) {
        if (!(s->extra && registers_move(s))) {
            add_item(s, IN_REGISTERS, IN_REGISTERS, k->regs);
        }
    }
    for (uint32_t i = 0; s->extra && !tbs && i < k->warps; i++) {
        add_item(s, IN_SHARED, IN_L1, (uint16_t)((registers_move(s) ? k->lines : 0u) + ST));
    }
}

static void begin_launch(storm *s)
{
    const uint32_t n = s->kernel->warps;
    const uint32_t start = wr_rig_below(&s->rig, most_tbs(s));
    uint32_t t = start;
    const bool quiet = s->csl_out.op == WR_CSL_OUT || s->csl_out.op == WR_CSL_EXCHANGE ||
                       s->csl_out.op == WR_CSL_BACK;
    do {
        t = (t + 1) % most_tbs(s);
    } while (s->tb[t].live && t != start);
    if (s->tb[t].live || s->cycle > s->kernel_end || !wr_rig_chance(&s->rig, 3)) {
        return;
    }
    s->extra = wr_rig_chance(&s->rig, 40);
    if (!s->extra) {
        if (s->slots_out.free < n + s->slots_in.claim || (s->csl_out.op != WR_CSL_NONE && !quiet)) {
            return;
        }
        s->csl_in.slots_free = 0;
        s->promised = n;
    }
    plan_launch(s, t);
}

static void undo_launch(storm *s)
{
    for (uint32_t i = 0; i < s->got; i++) {
        give_room(s, s->item[i].addr, s->item[i].count);
    }
    s->promised = 0;
    s->placing = false;
}

/* One warp a cycle enters the tables; the TB with the first. The command ports are free. */
static void insert_one(storm *s)
{
    const kernel *k = s->kernel;
    const uint32_t n = k->warps;
    const uint32_t j = s->inserted;
    const uint32_t t = s->place_tb;
    const uint32_t w = t * n + j;
    const bool own_smem = k->smem > 0;
    const uint32_t regs = own_smem ? 1 + j : j; /* item of its registers, or of its whole context */
    const uint16_t base = s->item[regs].addr;
    const uint16_t smem = own_smem ? s->item[0].addr : NONE;
    uint16_t meta = (uint16_t)(WR_CSL_META_SLOT + s->slots_out.next);
    if (!s->extra) {
        s->slots_in.claim = true;
        s->slots_in.claim_slot = s->slots_out.next;
        s->slots_in.claim_id = (uint8_t)w;
        s->promised--;
    } else {
        meta = whole_tbs(s)        ? (uint16_t)(smem + k->lines + j * ST)
               : registers_move(s) ? (uint16_t)(base + k->lines)
                                   : s->item[regs + n].addr;
    }
    if (j == 0) {
        s->tct_in = (wr_tb_context_table_in){.op = WR_TB_CONTEXT_INSERT, .id = (uint8_t)t};
        s->tct_in.mask = s->extra ? (1u << n) - 1u : 0u;
        s->tct_in.addr = smem;
        for (uint32_t i = 0; whole_tbs(s) && i < k->lines; i++) {
            s->tag[smem + i] = (uint16_t)(t + 1);
        }
    }
    s->wct_in.op = WR_WARP_CONTEXT_INSERT;
    s->wct_in.id = (uint8_t)w;
    s->wct_in.state = s->extra ? WR_WARP_READY : WR_WARP_RUNNING;
    s->wct_in.reg_addr = base;
    s->wct_in.meta_addr = meta;
    s->tag[meta] = (uint16_t)(w + 1);
    for (uint32_t i = 0; !whole_tbs(s) && i < k->lines; i++) {
        s->tag[base + i] = (uint16_t)(w + 1);
    }
    if (++s->inserted < n) {
        return;
    }
    for (uint32_t i = t * n; i < t * n + n; i++) {
        s->warp[i] = (warp){.live = true, .progress = s->cycle, .waited = s->cycle};
        s->warp[i].work = 20 + wr_rig_below(&s->rig, 200);
    }
    s->tb[t] = (tb){.live = true, .left = n};
    s->placing = false;
    s->launches++;
    s->extras += s->extra;
}

/* The bitmap: the storm's own requests, and those of the switch logic. */

static void answer_map(storm *s)
{
    if (s->map_busy && s->map_out.done) {
        s->map_busy = false;
        if (!s->map_ours) {
            s->csl_in.mem_ack = true;
            s->csl_in.mem_found = s->map_out.found;
            s->csl_in.mem_addr = s->map_out.addr;
        } else if (s->rooms > 0 && s->map_in.op == WR_ONCHIP_BITMAP_FREE) {
            memmove(s->room, s->room + 1, --s->rooms * sizeof s->room[0]);
        } else if (s->map_out.found) {
            s->item[s->got++].addr = s->map_out.addr;
        } else if (s->item[s->got].region != s->item[s->got].other) {
            s->item[s->got].region = s->item[s->got].other;
        } else {
            undo_launch(s);
        }
        s->map_in.valid = false;
    } else if (s->csl_out.mem_req && s->csl_out.mem_free && s->plant == FREE_LOST) {
        s->csl_in.mem_ack = true;
    } else if (!s->map_busy) {
        const bool place = s->placing && s->got < s->items;
        s->map_ours =
            !s->csl_out.mem_req || ((s->rooms > 0 || place) && wr_rig_chance(&s->rig, 50));
        if (!s->map_ours) {
            s->map_in = (wr_onchip_bitmap_in){.valid = true,
                                              .op = s->csl_out.mem_free,
                                              .region = s->csl_out.mem_region,
                                              .count = s->csl_out.mem_count,
                                              .addr = s->csl_out.mem_addr};
        } else if (s->rooms > 0) {
            const run *r = &s->room[0];
            s->map_in = (wr_onchip_bitmap_in){.valid = true, .op = WR_ONCHIP_BITMAP_FREE};
            s->map_in.count = r->count;
            s->map_in.addr = r->addr;
        } else if (place) {
            const run *r = &s->item[s->got];
            s->map_in = (wr_onchip_bitmap_in){.valid = true, .op = WR_ONCHIP_BITMAP_ALLOC};
            s->map_in.region = r->region;
            s->map_in.count = r->count;
        }
        s->map_busy = s->map_in.valid;
    }
}

/* The tables, for the switch logic. */
static void answer_tables(storm *s)
{
    const wr_context_switch_logic_out *o = &s->csl_out;
    const uint32_t n = s->kernel->warps;
    wr_warp_context_table_out look;
    wr_tb_context_table_out look_tb;
    if (!o->tab_req || !wr_rig_chance(&s->rig, 90)) {
        return;
    }
    s->csl_in.tab_ack = true;
    switch (o->tab_op) {
    case WR_CSL_READ_WARP:
        s->wct_in.look_id = o->tab_id;
        wr_warp_context_table_eval(&s->wct, &s->wct_in, &look);
        wrong(s, !look.look_valid, "the switch logic reads a warp that is not there");
        s->csl_in.tab_state = look.look_state;
        s->csl_in.tab_reg = look.look_reg_addr;
        s->csl_in.tab_meta = look.look_meta_addr;
        break;
    case WR_CSL_READ_TB:
        s->tct_in.look_id = o->tab_id & 31u;
        wr_tb_context_table_eval(&s->tct, &s->tct_in, &look_tb);
        wrong(s, !look_tb.look_valid, "the switch logic reads a TB that is not there");
        s->csl_in.tab_reg = look_tb.look_addr;
        break;
    case WR_CSL_WRITE_WARP:
        s->wct_in.op = WR_WARP_CONTEXT_UPDATE;
        s->wct_in.id = o->tab_id;
        s->wct_in.fields =
            WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_REG | WR_WARP_CONTEXT_FIELD_META;
        s->wct_in.state = o->tab_state;
        s->wct_in.reg_addr = o->tab_reg;
        s->wct_in.meta_addr = o->tab_meta;
        s->slots_in.pass =
            o->op == WR_CSL_EXCHANGE && o->state == WR_CSL_WR_IN && s->plant != PASS_LOST;
        s->slots_in.pass_slot = (uint8_t)(o->tab_meta - WR_CSL_META_SLOT);
        s->slots_in.pass_id = o->tab_id;
        break;
    case WR_CSL_MOVE_TB:
        s->tct_in.op = WR_TB_CONTEXT_MOVE;
        s->tct_in.id = o->tab_id & 31u;
        s->tct_in.addr = o->tab_reg;
        break;
    default:
        s->tct_in.op = o->tab_op == WR_CSL_ABSENT_TB ? WR_TB_CONTEXT_SET : WR_TB_CONTEXT_CLEAR;
        s->tct_in.op = s->plant == MASK_LOST ? WR_TB_CONTEXT_NONE : s->tct_in.op;
        s->tct_in.id = o->tab_id & 31u;
        s->tct_in.mask = o->tab_all ? (uint32_t)((UINT64_C(1) << n) - 1) : 1u << o->tab_index;
        break;
    }
}

/* Room and slot of a warp that leaves the SM; its TB's with the last. */
static void exit_warp(storm *s, uint32_t w)
{
    const kernel *k = s->kernel;
    const uint32_t t = w / k->warps;
    bool last = true;
    s->wct_in.op = WR_WARP_CONTEXT_REMOVE;
    s->wct_in.id = (uint8_t)w;
    s->warp[w].live = false;
    give_room(s, s->wct.reg_addr_q[w], registers_move(s) ? k->full : k->regs);
    s->slots_in.give = true;
    s->slots_in.give_slot = (uint8_t)(s->wct.meta_addr_q[w] - WR_CSL_META_SLOT);
    for (uint32_t i = t * k->warps; i < (t + 1u) * k->warps; i++) {
        last = last && !s->warp[i].live;
    }
    if (last) {
        s->tct_in.op = WR_TB_CONTEXT_REMOVE;
        s->tct_in.id = (uint8_t)t;
        give_room(s, s->tct.addr_q[t], k->smem);
        s->tb[t].live = false;
        s->exits++;
    }
}

/* What warp w asks of the tables and queues; true where it did something. */
static bool serve_warp(storm *s, uint32_t w)
{
    warp *p = &s->warp[w];
    const bool tbs = whole_tbs(s);
    const uint8_t state = s->wct.state_q[w];
    if (!p->live || warp_held(s, w)) {
        return false;
    }
    if (tbs ? s->tb[w / s->kernel->warps].leaving : p->done) {
        if (s->slots_in.give) {
            return false; /* the switch logic goes first */
        }
        exit_warp(s, w);
        return true;
    }
    s->wct_in.id = (uint8_t)w;
    if (state == WR_WARP_RUNNING && waits(s, w) && (tbs || s->queues_out.warp_space[0])) {
        s->wct_in.state = WR_WARP_STALLED;
        s->wct_in.barrier = p->at_barrier || p->done;
        s->queues_in.warp_push[0] = !tbs;
        s->queues_in.warp_push_id[0] = (uint8_t)w;
        p->held = !tbs;
    } else if (state == WR_WARP_ABSENT && !waits(s, w)) {
        s->wct_in.state = WR_WARP_READY;
        s->wct_in.barrier = false;
    } else if (state == WR_WARP_READY && !tbs && s->queues_out.warp_space[1]) {
        s->queues_in.warp_push[1] = true;
        s->queues_in.warp_push_id[1] = (uint8_t)w;
        p->held = true;
        return true;
    } else {
        return false;
    }
    s->wct_in.op = WR_WARP_CONTEXT_UPDATE;
    s->wct_in.fields = WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_BARRIER;
    return true;
}

/* A TB that is stalled or ready as a whole goes into its queue. One TB is judged in a cycle. */
static void judge_tb(storm *s)
{
    const uint32_t t = s->judge = (s->judge + 1) % most_tbs(s);
    wr_warp_context_table_out out;
    s->wct_in.group_first = (uint8_t)(t * s->kernel->warps);
    s->wct_in.group_count = s->kernel->warps;
    wr_warp_context_table_eval(&s->wct, &s->wct_in, &out);
    if (!whole_tbs(s) || !s->tb[t].live || s->tb[t].held || s->tb[t].leaving) {
        return;
    }
    for (uint32_t queue = 0; queue < 2; queue++) {
        if ((queue == 0 ? out.group_stalled : out.group_ready) && s->queues_out.tb_space[queue]) {
            s->queues_in.tb_push[queue] = true;
            s->queues_in.tb_push_id[queue] = (uint8_t)t;
            s->tb[t].held = true;
            return;
        }
    }
}

static void open_barrier(storm *s, uint32_t t)
{
    if (s->tb[t].left == 0 || s->tb[t].arrived < s->tb[t].left) {
        return;
    }
    for (uint32_t w = t * s->kernel->warps; w < (t + 1u) * s->kernel->warps; w++) {
        s->warp[w].at_barrier = false;
    }
    s->tb[t].arrived = 0;
    s->barriers++;
}

static void issue_one(storm *s, uint32_t w)
{
    warp *p = &s->warp[w];
    const uint32_t t = w / s->kernel->warps;
    const uint32_t kind = wr_rig_below(&s->rig, 100);
    if (!p->live || waits(s, w) || warp_held(s, w) || s->wct.state_q[w] != WR_WARP_RUNNING) {
        return;
    }
    p->progress = s->cycle;
    s->issues++;
    if (--p->work == 0) {
        p->done = true;
        s->tb[t].left--;
        s->tb[t].leaving = s->tb[t].left == 0;
        open_barrier(s, t);
    } else if (kind < 7) {
        p->until = s->cycle + 20 + wr_rig_below(&s->rig, kind == 0 ? 3000 : 500);
    } else if (kind < 10) {
        p->at_barrier = true;
        s->tb[t].arrived++;
        open_barrier(s, t);
    }
}

static bool unit_stays(const storm *s, uint32_t unit)
{
    const uint32_t n = whole_tbs(s) ? s->kernel->warps : 1;
    for (uint32_t w = unit * n; w < (unit + 1) * n && w < WARPS; w++) {
        if (!waits(s, w) || (s->plant == BARRIERS_STAY && s->warp[w].at_barrier)) {
            return true;
        }
    }
    return false;
}

/* Heads of the queues, pops, and the units that the switch logic holds. */
static void wire_queues(storm *s)
{
    const wr_context_switch_logic_out *o = &s->csl_out;
    wr_switch_queues_in *q = &s->queues_in;
    const wr_switch_queues_out *h = &s->queues_out;
    const bool tbs = whole_tbs(s);
    const bool pop = o->stalled_pop && s->plant != POP_LOST;
    s->csl_in.stalled_valid = tbs ? h->tb_valid[0] : h->warp_valid[0];
    s->csl_in.stalled_id = tbs ? h->tb_head[0] : h->warp_head[0];
    s->csl_in.ready_valid = tbs ? h->tb_valid[1] : h->warp_valid[1];
    s->csl_in.ready_id = tbs ? h->tb_head[1] : h->warp_head[1];
    s->csl_in.may_leave = s->csl_in.stalled_valid && !unit_stays(s, s->csl_in.stalled_id);
    s->out_id = o->stalled_pop ? s->csl_in.stalled_id : s->out_id;
    s->in_id = o->ready_pop ? s->csl_in.ready_id : s->in_id;
    q->warp_pop[0] = pop && !tbs;
    q->warp_pop[1] = o->ready_pop && !tbs;
    q->tb_pop[0] = pop && tbs;
    q->tb_pop[1] = o->ready_pop && tbs;
    if (o->op == WR_CSL_NONE) {
        for (int side = 0; side < 2; side++) {
            int *id = side == 0 ? &s->out_id : &s->in_id;
            if (*id >= 0) {
                *(tbs ? &s->tb[*id].held : &s->warp[*id].held) = false;
                *id = -1;
            }
        }
    }
}

/* The data path, all at once some time: the lines that are tagged, and of metadata the first. */
static void move(storm *s)
{
    const wr_context_switch_logic_out *o = &s->csl_out;
    const uint32_t lines = o->move_meta ? 1u : s->kernel->lines;
    if (!o->move || !wr_rig_chance(&s->rig, 20)) {
        return;
    }
    s->csl_in.move_ack = true;
    for (uint32_t i = s->plant == (o->move_meta ? META_LOST : LINE_LOST); i < lines; i++) {
        uint16_t *home = &s->tag[o->move_home + i];
        uint16_t *away = &s->tag[o->move_away + i];
        const uint16_t leaves = *home;
        *home = o->move_in ? *away : *home;
        *away = o->move_out ? leaves : *away;
    }
}

static void next_kernel(storm *s)
{
    bool busy = s->placing || s->rooms > 0 || s->map_busy || s->csl_out.op != WR_CSL_NONE;
    for (uint32_t t = 0; t < TBS; t++) {
        busy = busy || s->tb[t].live;
    }
    if (busy || s->cycle <= s->kernel_end) {
        return;
    }
    for (uint32_t u = 0; u < UNITS; u++) {
        wrong(s, s->map.taken_q[u], "a unit is lost behind a kernel");
    }
    wrong(s, s->slots_out.free != SLOTS, "a warp slot is lost behind a kernel");
    s->kernel = &kernels[s->ran++ % (sizeof kernels / sizeof kernels[0])];
    s->kernel_end = s->cycle + 20000 + wr_rig_below(&s->rig, 40000);
    s->csl_in = (wr_context_switch_logic_in){.cfg = true,
                                             .limits = s->kernel->limits,
                                             .warps = s->kernel->warps,
                                             .lines = s->kernel->lines,
                                             .full = s->kernel->full,
                                             .use_l1 = true};
}

static void one_cycle(storm *s)
{
    const uint8_t op_before = s->csl_out.op;
    wr_context_switch_logic_eval(&s->csl, &s->csl_in, &s->csl_out);
    wr_switch_queues_eval(&s->queues, &s->queues_in, &s->queues_out);
    wr_onchip_bitmap_eval(&s->map, &s->map_in, &s->map_out);
    wr_warp_slots_eval(&s->slots, &s->slots_in, &s->slots_out);
    if (op_before == WR_CSL_NONE) {
        s->ops[s->csl_out.op]++;
    }
    s->csl_in = (wr_context_switch_logic_in){.want = s->cycle < s->kernel_end};
    s->wct_in = (wr_warp_context_table_in){0};
    s->tct_in = (wr_tb_context_table_in){0};
    s->queues_in = (wr_switch_queues_in){0};

    s->slots_in = (wr_warp_slots_in){.claim = s->csl_out.slot_take,
                                     .claim_slot = s->csl_out.slot,
                                     .claim_id = s->csl_out.slot_id,
                                     .give = s->csl_out.slot_give,
                                     .give_slot = s->csl_out.slot};
    wire_queues(s);
    if (s->csl_out.op == WR_CSL_NONE && !s->map_busy && s->inserted == 0 &&
        wr_rig_chance(&s->rig, 10)) {
        wr_storm_check(s);
    }
    s->csl_in.slots_free = (uint8_t)(s->slots_out.free - s->promised);
    s->csl_in.slot = s->slots_out.next;
    answer_tables(s);
    answer_map(s);
    move(s);
    if (s->wct_in.op == WR_WARP_CONTEXT_NONE && s->tct_in.op == WR_TB_CONTEXT_NONE) {
        if (s->placing && s->got == s->items && (s->extra || s->csl_out.op != WR_CSL_IN)) {
            insert_one(s);
        } else {
            for (uint32_t i = 0; i < WARPS; i++) {
                s->scan = (s->scan + 1) % WARPS;
                if (serve_warp(s, s->scan)) {
                    break;
                }
            }
        }
    }
    s->inserted = s->placing ? s->inserted : 0;
    judge_tb(s);
    for (uint32_t i = 0; i < 4; i++) {
        s->issue = (s->issue + 1) % WARPS;
        issue_one(s, s->issue);
    }
    if (!s->placing) {
        begin_launch(s);
    }
    next_kernel(s);
    if (s->cycle % 256 == 0) {
        wr_storm_check_wait(s);
    }
    wr_context_switch_logic_tick(&s->csl, &s->csl_in);
    wr_warp_context_table_tick(&s->wct, &s->wct_in);
    wr_tb_context_table_tick(&s->tct, &s->tct_in);
    wr_onchip_bitmap_tick(&s->map, &s->map_in);
    wr_switch_queues_tick(&s->queues, &s->queues_in);
    wr_warp_slots_tick(&s->slots, &s->slots_in);
    wrong(s, s->csl.fault_q, "context_switch_logic: fault");
    wrong(s, s->wct.fault_q, "warp_context_table: fault");
    wrong(s, s->tct.fault_q, "tb_context_table: fault");
    wrong(s, s->map.fault_q, "onchip_bitmap: fault");
    wrong(s, s->queues.fault_q, "switch_queues: fault");
    wrong(s, s->slots.fault_q, "warp_slots: fault");
    s->cycle++;
}

const storm *wr_storm_run(uint64_t cycles, plant p)
{
    static storm s;
    s = (storm){.plant = p, .kernel = &kernels[0], .out_id = -1, .in_id = -1};
    wr_rig_init(&s.rig, wr_rig_seed(), "storm, plant %d", (int)p);
    const wr_context_switch_logic_cfg csl = {.st_lines = ST, .tb_warps = 32};
    const wr_warp_context_table_cfg wct = {.warps = WARPS, .reg_units = 2048, .slots = SLOTS};
    const wr_tb_context_table_cfg tct = {
        .tbs = TBS, .tb_warps = 32, .smem_base = 2048, .smem_units = 768};
    const wr_onchip_bitmap_cfg map = {
        .reg_units = 2048, .smem_units = 768, .l1_units = 256, .word_bits = 64};
    const wr_switch_queues_cfg queues = {.warp_depth = 16, .tb_depth = 8};
    const wr_warp_slots_cfg slots = {.slots = SLOTS, .warps = WARPS};
    assert_int_equal(wr_context_switch_logic_init(&s.csl, &csl), WR_OK);
    assert_int_equal(wr_warp_context_table_init(&s.wct, &wct), WR_OK);
    assert_int_equal(wr_tb_context_table_init(&s.tct, &tct), WR_OK);
    assert_int_equal(wr_onchip_bitmap_init(&s.map, &map), WR_OK);
    assert_int_equal(wr_switch_queues_init(&s.queues, &queues), WR_OK);
    assert_int_equal(wr_warp_slots_init(&s.slots, &slots), WR_OK);
    while (s.cycle < cycles && s.violation == NULL) {
        one_cycle(&s);
    }
    (void)printf(
        "storm, plant %d: %llu cycles, %llu kernels, %llu launches (%llu extra), %llu exits, "
        "%llu instructions, %llu barriers; out %llu, in %llu, exchange %llu, back %llu; "
        "longest wait %llu, %llu of it for its turn; %llu full comparisons; %s\n",
        (int)p, (unsigned long long)s.cycle, (unsigned long long)s.ran,
        (unsigned long long)s.launches, (unsigned long long)s.extras, (unsigned long long)s.exits,
        (unsigned long long)s.issues, (unsigned long long)s.barriers,
        (unsigned long long)s.ops[WR_CSL_OUT], (unsigned long long)s.ops[WR_CSL_IN],
        (unsigned long long)s.ops[WR_CSL_EXCHANGE], (unsigned long long)s.ops[WR_CSL_BACK],
        (unsigned long long)s.longest, (unsigned long long)s.longest_able,
        (unsigned long long)s.checks, s.violation == NULL ? "sound" : s.violation);
    return &s;
}
