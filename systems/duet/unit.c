/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of an SM's unit: the wiring of its blocks.
 *
 * The switch logic goes first at the tables; who launches, clears and scans uses their command
 * where it leaves it free. The bitmap belongs to one requester until it is done. Outputs of the
 * switch logic, the queues and the bitmap are registered: they are read once behind the clock
 * edge, and stand for the next cycle.
 */
#include "systems/duet/state.h"

#include <assert.h>
#include <stdio.h>

void wr_duet_abort(wr_duet_unit *u, const char *what)
{
    if (!u->duet->failed) {
        u->duet->failed = true;
        wr_gpu_abort(u->duet->gpu, wr_bay_fail(u->duet->bay, u->bay_unit, what));
    }
}

static void read_outputs(wr_duet_unit *u)
{
    wr_context_switch_logic_port_eval(&u->csl, &u->csl_in, &u->csl_out);
    wr_switch_queues_port_eval(&u->queues, &u->queues_in, &u->queues_out);
    wr_onchip_bitmap_port_eval(&u->map, &u->map_in, &u->map_out);
}

static const char *const shown[] = {"none", "running", "waits", "stalled", "absent", "ready"};
enum { SHOWN_NONE, SHOWN_RUNNING, SHOWN_WAITS };

/* At creation: a signal for each warp of the tables. */
static void add_signals(wr_duet_unit *u)
{
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        char name[16];

        (void)snprintf(name, sizeof name, "warp%03u", w);
        u->signal[w] = wr_bay_add_signal(u->duet->bay, u->bay_unit, name, 3, shown,
                                         sizeof shown / sizeof shown[0]);
    }
}

bool wr_duet_unit_open(wr_duet_unit *u, const wr_gpu_config *c, char *err, size_t err_size)
{
    const wr_duet *d = u->duet;
    const wr_behind *behind = wr_bay_behind(d->bay);
    const wr_context_switch_logic_cfg csl = {
        .port_bytes = d->port_bytes, .st_lines = d->st_lines, .tb_warps = WR_DUET_TB_WARPS};
    const wr_warp_context_table_cfg wct = {
        .warps = WR_DUET_WARPS, .reg_units = d->rf_lines, .slots = c->sm.max_warps};
    const wr_tb_context_table_cfg tct = {.tbs = WR_DUET_TBS,
                                         .tb_warps = WR_DUET_TB_WARPS,
                                         .smem_base = d->rf_lines,
                                         .smem_units = d->smem_lines};
    const wr_onchip_bitmap_cfg map = {.reg_units = d->rf_lines,
                                      .smem_units = d->smem_lines,
                                      .l1_units = d->l1_lines,
                                      .word_bits = 64};
    const wr_switch_queues_cfg queues = {.warp_depth = 16, .tb_depth = 8};
    const wr_me_controller_cfg me = {.rf_lines = d->rf_lines,
                                     .smem_lines = d->smem_lines,
                                     .l1_lines = d->gives_l1 ? d->l1_lines : 0,
                                     .warp_slots = c->sm.max_warps,
                                     .warps = WR_DUET_WARPS,
                                     .tb_slots = c->sm.max_tbs,
                                     .tbs = c->sm.max_tbs, /* the SM knows a TB by its slot */
                                     .sat_zero = 0};

    u->opened += wr_context_switch_logic_port_open_behind(&u->csl, behind, &csl, err, err_size);
    u->opened += u->opened == 1 &&
                 wr_warp_context_table_port_open_behind(&u->wct, behind, &wct, err, err_size);
    u->opened += u->opened == 2 &&
                 wr_tb_context_table_port_open_behind(&u->tct, behind, &tct, err, err_size);
    u->opened +=
        u->opened == 3 && wr_onchip_bitmap_port_open_behind(&u->map, behind, &map, err, err_size);
    u->opened += u->opened == 4 &&
                 wr_switch_queues_port_open_behind(&u->queues, behind, &queues, err, err_size);
    u->opened +=
        u->opened == 5 && wr_me_controller_port_open_behind(&u->me, behind, &me, err, err_size);
    if (u->opened != WR_DUET_PORTS) {
        return false;
    }
    wr_context_switch_logic_port_reset(&u->csl);
    wr_warp_context_table_port_reset(&u->wct);
    wr_tb_context_table_port_reset(&u->tct);
    wr_onchip_bitmap_port_reset(&u->map);
    wr_switch_queues_port_reset(&u->queues);
    wr_me_controller_port_reset(&u->me);
    wr_bay_add_port(d->bay, u->bay_unit, &u->csl.port, &u->csl_out);
    wr_bay_add_port(d->bay, u->bay_unit, &u->wct.port, &u->wct_out);
    wr_bay_add_port(d->bay, u->bay_unit, &u->tct.port, &u->tct_out);
    wr_bay_add_port(d->bay, u->bay_unit, &u->map.port, &u->map_out);
    wr_bay_add_port(d->bay, u->bay_unit, &u->queues.port, &u->queues_out);
    wr_bay_add_port(d->bay, u->bay_unit, &u->me.port, &u->me_out);
    add_signals(u);
    read_outputs(u);
    wr_me_controller_port_eval(&u->me, &u->me_in, &u->me_out);
    return true;
}

void wr_duet_unit_close(wr_duet_unit *u)
{
    wr_port *const ports[WR_DUET_PORTS] = {&u->csl.port, &u->wct.port,    &u->tct.port,
                                           &u->map.port, &u->queues.port, &u->me.port};

    for (uint32_t i = 0; i < u->opened; i++) {
        wr_port_close(ports[i]);
    }
    u->opened = 0;
}

void wr_duet_look(wr_duet_unit *u, uint32_t warp)
{
    u->wct_in.look_id = (uint8_t)warp;
    wr_warp_context_table_port_eval(&u->wct, &u->wct_in, &u->wct_out);
}

void wr_duet_look_tb(wr_duet_unit *u, uint32_t tb)
{
    u->tct_in.look_id = (uint8_t)tb;
    wr_tb_context_table_port_eval(&u->tct, &u->tct_in, &u->tct_out);
}

static void answer_write(wr_duet_unit *u)
{
    const wr_context_switch_logic_out *o = &u->csl_out;
    uint32_t in_warps = wr_duet_whole_tbs(u->duet) ? u->duet->warps : 1;
    uint32_t first = (uint32_t)u->in_id * in_warps;

    u->wct_in.op = WR_WARP_CONTEXT_UPDATE;
    u->wct_in.id = o->tab_id;
    u->wct_in.fields =
        WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_REG | WR_WARP_CONTEXT_FIELD_META;
    u->wct_in.state = o->tab_state;
    u->wct_in.reg_addr = o->tab_reg;
    u->wct_in.meta_addr = o->tab_meta;
    if (o->state == WR_CSL_WR_OUT) {
        wr_duet_drop(&u->marked, o->tab_id);
    }
    if (o->state == WR_CSL_WR_IN && o->tab_state == WR_WARP_RUNNING && o->tab_id >= first &&
        o->tab_id < first + in_warps) {
        uint32_t slot = (uint32_t)o->tab_meta - WR_CSL_META_SLOT;
        uint32_t row = o->tab_reg;

        u->slots_free &= ~(UINT64_C(1) << slot);
        u->owner[slot] = o->tab_id;
        wr_duet_enter(u, o->tab_id, slot, row, &u->meta_in[o->tab_id - first]);
    }
}

/* The tables do at once what the switch logic asks. */
static void answer_tables(wr_duet_unit *u)
{
    const wr_context_switch_logic_out *o = &u->csl_out;

    if (!o->tab_req) {
        return;
    }
    u->csl_in.tab_ack = true;
    switch (o->tab_op) {
    case WR_CSL_READ_WARP:
        wr_duet_look(u, o->tab_id);
        u->csl_in.tab_state = u->wct_out.look_state;
        u->csl_in.tab_reg = u->wct_out.look_reg_addr;
        u->csl_in.tab_meta = u->wct_out.look_meta_addr;
        break;
    case WR_CSL_READ_TB:
        wr_duet_look_tb(u, o->tab_id & 31u);
        u->csl_in.tab_reg = u->tct_out.look_addr;
        break;
    case WR_CSL_WRITE_WARP:
        answer_write(u);
        break;
    default:
        u->tct_in.op = o->tab_op == WR_CSL_MOVE_TB     ? WR_TB_CONTEXT_MOVE
                       : o->tab_op == WR_CSL_ABSENT_TB ? WR_TB_CONTEXT_SET
                                                       : WR_TB_CONTEXT_CLEAR;
        u->tct_in.id = o->tab_id & 31u;
        u->tct_in.addr = o->tab_reg;
        u->tct_in.mask = o->tab_all ? (uint32_t)((UINT64_C(1) << u->duet->warps) - 1)
                                    : UINT32_C(1) << o->tab_index;
        break;
    }
}

static void release_units(wr_duet_unit *u)
{
    int *const ids[2] = {&u->out_id, &u->in_id};

    for (uint32_t i = 0; i < 2; i++) {
        if (*ids[i] >= 0 && wr_duet_whole_tbs(u->duet)) {
            u->tb_queued &= ~(UINT32_C(1) << *ids[i]);
        } else if (*ids[i] >= 0) {
            wr_duet_drop(&u->queued, (uint32_t)*ids[i]);
        }
        *ids[i] = -1;
    }
}

static void hold(wr_duet_unit *u, uint64_t slots)
{
    if (slots != u->hold) {
        wr_sm_hold(u->sm, u->duet->owner, slots);
        u->hold = slots;
    }
}

/* Heads of the queues and pops. The slots of who may leave are held from the cycle of the decision
 * on, so that nothing issues behind it. */
static void wire_queues(wr_duet_unit *u)
{
    const wr_context_switch_logic_out *o = &u->csl_out;
    wr_switch_queues_in *q = &u->queues_in;
    const wr_switch_queues_out *h = &u->queues_out;
    bool tbs = wr_duet_whole_tbs(u->duet);

    u->csl_in.stalled_valid = tbs ? h->tb_valid[0] : h->warp_valid[0];
    u->csl_in.stalled_id = tbs ? h->tb_head[0] : h->warp_head[0];
    u->csl_in.ready_valid = tbs ? h->tb_valid[1] : h->warp_valid[1];
    u->csl_in.ready_id = tbs ? h->tb_head[1] : h->warp_head[1];
    u->out_id = o->stalled_pop ? u->csl_in.stalled_id : u->out_id;
    u->in_id = o->ready_pop ? u->csl_in.ready_id : u->in_id;
    q->warp_pop[0] = o->stalled_pop && !tbs;
    q->warp_pop[1] = o->ready_pop && !tbs;
    q->tb_pop[0] = o->stalled_pop && tbs;
    q->tb_pop[1] = o->ready_pop && tbs;
    if (o->op == WR_CSL_NONE) {
        release_units(u);
        if (u->csl_in.stalled_valid) {
            hold(u, wr_duet_unit_slots(u, u->csl_in.stalled_id));
            u->csl_in.may_leave = wr_duet_may_leave(u, u->csl_in.stalled_id);
        }
    }
    u->csl_in.slots_free = u->in_blocked ? 0 : (uint8_t)__builtin_popcountll(u->slots_free);
    u->csl_in.slot = u->slots_free != 0 ? (uint8_t)__builtin_ctzll(u->slots_free) : 0;
}

/* Switches of which nothing leaves hold nobody. */
static void let_go(wr_duet_unit *u)
{
    if (u->csl_out.op != WR_CSL_OUT && u->csl_out.op != WR_CSL_EXCHANGE) {
        hold(u, 0);
    }
}

/* One cycle of the ME controller, where it has something to do. */
static void me_cycle(wr_duet_unit *u)
{
    const wr_duet *d = u->duet;
    bool settled = !u->placing.on && u->me_launches == 0; /* what was allowed has been counted */
    bool starts = u->me_start && u->me_out.tbs == 0 && u->me_leaves == 0;

    if (!starts && !u->me_out.busy && u->me_leaves == 0 && u->me_launches == 0 && !u->me_verdict) {
        return;
    }
    u->me_in = (wr_me_controller_in){0};
    if (starts) {
        uint32_t meta = d->warps * d->st_lines; /* the pin has 7 bits: 128 would be none */

        u->me_in = (wr_me_controller_in){.start = true,
                                         .warps = (uint8_t)d->warps,
                                         .regs = (uint16_t)(d->warps * d->regs),
                                         .reduced = (uint16_t)(d->warps * d->shape.lines),
                                         .smem = (uint16_t)d->smem,
                                         .meta = (uint8_t)(meta < 127 ? meta : 127)};
        u->me_start = false;
    } else if (!u->me_out.busy && !u->me_start) {
        u->me_in.leave = u->me_leaves != 0;
        u->me_in.launch = !u->me_in.leave && u->me_launches != 0;
        u->me_in.valid = u->me_verdict && settled;
        u->me_in.verdict = d->watches ? d->watch.out.verdict : (uint8_t)WR_DUET_UNDER;
        u->me_in.l1_idle = d->watches ? d->watch.out.l1_idle : true;
        u->me_verdict = u->me_verdict && !settled;
    } else {
        u->me_in.leave = u->me_start && u->me_leaves != 0; /* of the launch before */
    }
    u->me_leaves -= u->me_in.leave;
    u->me_launches -= u->me_in.launch;
    wr_me_controller_port_eval(&u->me, &u->me_in, &u->me_out);
    wr_me_controller_port_tick(&u->me, &u->me_in);
    wr_me_controller_port_eval(&u->me, &u->me_in, &u->me_out);
}

static void clock_blocks(wr_duet_unit *u)
{
    wr_context_switch_logic_port_eval(&u->csl, &u->csl_in, &u->csl_out);
    wr_warp_context_table_port_eval(&u->wct, &u->wct_in, &u->wct_out);
    wr_tb_context_table_port_eval(&u->tct, &u->tct_in, &u->tct_out);
    wr_onchip_bitmap_port_eval(&u->map, &u->map_in, &u->map_out);
    wr_switch_queues_port_eval(&u->queues, &u->queues_in, &u->queues_out);
    wr_context_switch_logic_port_tick(&u->csl, &u->csl_in);
    wr_warp_context_table_port_tick(&u->wct, &u->wct_in);
    wr_tb_context_table_port_tick(&u->tct, &u->tct_in);
    wr_onchip_bitmap_port_tick(&u->map, &u->map_in);
    wr_switch_queues_port_tick(&u->queues, &u->queues_in);
}

/* Who uses the tables' command in this cycle. */
static void use_tables(wr_duet_unit *u)
{
    if (u->wct_in.op != WR_WARP_CONTEXT_NONE || u->tct_in.op != WR_TB_CONTEXT_NONE) {
        return;
    }
    if (!wr_duet_insert_one(u) && !wr_duet_clear_one(u)) {
        wr_duet_scan(u);
    }
}

static void check_blocks(wr_duet_unit *u)
{
    char text[512];

    if (wr_bay_check(u->duet->bay, u->bay_unit, text, sizeof text)) {
        wr_duet_abort(u, text);
    }
}

/* Of a warp that runs the machine says whether it waits, or has finished and keeps its place. */
static void show_warps(wr_duet_unit *u)
{
    for (uint32_t w = 0; w < WR_DUET_WARPS; w++) {
        uint32_t what = SHOWN_NONE;

        wr_duet_look(u, w);
        if (u->wct_out.look_valid && u->wct_out.look_state != WR_WARP_RUNNING) {
            what = SHOWN_WAITS + u->wct_out.look_state;
        } else if (u->wct_out.look_valid) {
            uint32_t slot = (uint32_t)u->wct_out.look_meta_addr - WR_CSL_META_SLOT;
            bool waits = ((u->wait_memory | u->wait_barrier) >> slot & 1) != 0;

            what = ((u->ended | u->kept) >> slot & 1) != 0 ? SHOWN_NONE
                   : waits                                 ? SHOWN_WAITS
                                                           : SHOWN_RUNNING;
        }
        wr_bay_set(u->duet->bay, u->signal[w], what);
    }
}

void wr_duet_unit_cycle(wr_duet_unit *u)
{
    wr_duet *d = u->duet;
    uint8_t op = u->csl_out.op;

    if (wr_bay_begin(d->bay, u->bay_unit, wr_gpu_cycle(d->gpu))) {
        show_warps(u);
    }
    me_cycle(u);
    if (u->phase >= WR_DUET_BOOK) {
        u->csl_in = (wr_context_switch_logic_in){0};
        u->wct_in = (wr_warp_context_table_in){0};
        u->tct_in = (wr_tb_context_table_in){0};
        u->queues_in = (wr_switch_queues_in){0};
        if (u->csl_out.slot_give) {
            u->slots_free |= UINT64_C(1) << u->csl_out.slot;
        }
        wr_duet_follow(u);
        wire_queues(u);
        answer_tables(u);
        wr_duet_answer_map(u);
        wr_duet_book(u);
        use_tables(u);
        wr_duet_judge(u);
        wr_duet_begin_launch(u);
        clock_blocks(u);
        read_outputs(u);
        let_go(u);
        if (op == WR_CSL_NONE) {
            u->counts.ops[u->csl_out.op]++;
        }
    }
    (void)wr_bay_end(d->bay, u->bay_unit);
    check_blocks(u);
}

bool wr_duet_unit_active(wr_duet_unit *u)
{
    const wr_switch_queues_out *h = &u->queues_out;
    bool tbs = wr_duet_whole_tbs(u->duet);
    bool stalled = tbs ? h->tb_valid[0] : h->warp_valid[0];
    bool ready = tbs ? h->tb_valid[1] : h->warp_valid[1];
    uint32_t most = tbs ? u->duet->warps : 1;

    if ((u->me_start && u->me_out.tbs == 0) || u->me_out.busy || u->me_leaves != 0 ||
        u->me_launches != 0 || u->me_verdict) {
        return true;
    }
    if (u->phase == WR_DUET_NATIVE) {
        return false;
    }
    return u->phase != WR_DUET_RUN || u->csl_out.op != WR_CSL_NONE || u->map_busy ||
           u->rooms != 0 || u->placing.on || u->tbs_ended != 0 || u->ended != 0 ||
           wr_duet_any(&u->wake) || wr_duet_any(&u->loaded) || wr_duet_any(&u->passed) || stalled ||
           (ready && !u->in_blocked && (uint32_t)__builtin_popcountll(u->slots_free) >= most) ||
           wr_duet_candidates(u) != 0 || wr_duet_tbs_to_judge(u) != 0 || wr_duet_may_launch(u);
}
