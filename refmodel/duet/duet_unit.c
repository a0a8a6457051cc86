/* SPDX-License-Identifier: Apache-2.0 */
/* duet_unit: its parts, who places TBs, and what ME has still to be told; unit_wires.c joins the
 * parts.
 */
#include "refmodel/duet/duet_unit.h"

#include "refmodel/duet/unit_wires.h"
#include "refmodel/skip.h"

#include <string.h>

enum {
    TB_WARPS = 32, /* most warps of a TB */
    WARP_DEPTH = 16,
    TB_DEPTH = 8,
    COUNT_MOST = 63,
};

static bool multiple_of(const wr_duet_unit_cfg *cfg, uint32_t units)
{
    return cfg->reg_units % units == 0 && cfg->smem_units % units == 0 &&
           cfg->l1_units % units == 0;
}

wr_status wr_duet_unit_init(wr_duet_unit *s, const wr_duet_unit_cfg *cfg)
{
    uint32_t word = 64;

    if (!wr_duet_unit_cfg_ok(cfg) || cfg->warps < cfg->slots || !multiple_of(cfg, 8)) {
        return WR_ERR_CONFIG;
    }
    while (!multiple_of(cfg, word)) {
        word /= 2;
    }
    const uint32_t tb_warps = cfg->warps < TB_WARPS ? cfg->warps : TB_WARPS;
    const wr_context_switch_logic_cfg csl = {.st_lines = cfg->st_lines, .tb_warps = tb_warps};
    const wr_me_controller_cfg me = {.rf_lines = cfg->reg_units,
                                     .smem_lines = cfg->smem_units,
                                     .l1_lines = cfg->l1_units,
                                     .warp_slots = cfg->slots,
                                     .warps = cfg->warps,
                                     .tb_slots = cfg->tbs,
                                     .tbs = cfg->tbs,
                                     .sat_zero = 0};
    const wr_onchip_bitmap_cfg map = {.reg_units = cfg->reg_units,
                                      .smem_units = cfg->smem_units,
                                      .l1_units = cfg->l1_units,
                                      .word_bits = word};
    const wr_switch_queues_cfg queues = {.warp_depth = WARP_DEPTH, .tb_depth = TB_DEPTH};
    const wr_warp_context_table_cfg wct = {
        .warps = cfg->warps, .reg_units = cfg->reg_units, .slots = cfg->slots};
    const wr_tb_context_table_cfg tct = {.tbs = cfg->tbs,
                                         .tb_warps = tb_warps,
                                         .smem_base = cfg->reg_units,
                                         .smem_units = cfg->smem_units};
    const wr_warp_slots_cfg slots = {.slots = cfg->slots, .warps = cfg->warps};
    const wr_tb_launcher_cfg launcher = {
        .warps = cfg->warps, .tbs = cfg->tbs, .tb_warps = tb_warps, .st_lines = cfg->st_lines};
    const wr_stall_scanner_cfg scanner = {
        .warps = cfg->warps, .tbs = cfg->tbs, .tb_warps = tb_warps, .slots = cfg->slots};

    if (wr_context_switch_logic_init(&s->csl, &csl) != WR_OK ||
        wr_me_controller_init(&s->me, &me) != WR_OK ||
        wr_onchip_bitmap_init(&s->map, &map) != WR_OK ||
        wr_switch_queues_init(&s->queues, &queues) != WR_OK ||
        wr_warp_context_table_init(&s->wct, &wct) != WR_OK ||
        wr_tb_context_table_init(&s->tct, &tct) != WR_OK ||
        wr_warp_slots_init(&s->slots, &slots) != WR_OK ||
        wr_tb_launcher_init(&s->launcher, &launcher) != WR_OK ||
        wr_stall_scanner_init(&s->scanner, &scanner) != WR_OK) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_duet_unit_reset(s);
    return WR_OK;
}

void wr_duet_unit_reset(wr_duet_unit *s)
{
    s->state_q = WR_DUET_UNIT_NATIVE;
    s->due_q = false;
    s->launches_q = s->leaves_q = 0;
    s->valid_q = s->l1_idle_q = false;
    s->verdict_q = 0;
    s->out_id_q = s->in_id_q = 0;
    s->fault_q = false;
    wr_context_switch_logic_reset(&s->csl);
    wr_me_controller_reset(&s->me);
    wr_onchip_bitmap_reset(&s->map);
    wr_switch_queues_reset(&s->queues);
    wr_warp_context_table_reset(&s->wct);
    wr_tb_context_table_reset(&s->tct);
    wr_warp_slots_reset(&s->slots);
    wr_tb_launcher_reset(&s->launcher);
    wr_stall_scanner_reset(&s->scanner);
}

static void show_switch(const wr_unit_wires *p, wr_duet_unit_out *out)
{
    const wr_context_switch_logic_out *c = &p->csl;

    out->op = c->op;
    out->move = c->move;
    out->move_meta = c->move_meta;
    out->move_out = c->move_out;
    out->move_in = c->move_in;
    out->move_home = c->move_home;
    out->move_away = c->move_away;
    out->away = p->scanner_in.away;
    out->back = p->csl_in.tab_ack && c->tab_op == WR_CSL_WRITE_WARP && c->state == WR_CSL_WR_IN &&
                c->tab_state == WR_WARP_RUNNING;
    if (out->away || out->back) {
        out->moved_id = c->tab_id;
        out->moved_row = c->tab_reg;
        out->moved_meta = c->tab_meta;
    }
}

static void show_launcher(const wr_unit_wires *p, wr_duet_unit_out *out)
{
    const wr_tb_launcher_out *l = &p->launcher;

    out->job = l->job;
    out->place = l->place;
    out->kind = l->kind;
    out->ask = l->ask;
    out->tb = l->tb;
    out->warp = l->warp;
    out->row = l->row;
    out->meta = l->meta;
    out->smem = l->smem;
    out->slot = l->slot;
    out->enter = l->enter;
    out->arrive = l->arrive;
    out->left = l->left;
    out->gone = l->gone;
}

static void show_tables(const wr_unit_wires *p, wr_duet_unit_out *out)
{
    out->find_ack = p->found;
    if (p->found) {
        out->find_valid = p->wct.look_valid;
        out->find_state = p->wct.look_state;
        out->find_reg = p->wct.look_reg_addr;
        out->find_meta = p->wct.look_meta_addr;
    }
    out->entry_op = p->wct_in.op;
    out->entry_id = p->wct_in.id;
    out->entry_state = p->wct_in.state;
}

void wr_unit_show(const wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p,
                  wr_duet_unit_out *out)
{
    memset(out, 0, sizeof *out);
    out->state = s->state_q;
    out->extra = wr_unit_hands_over(s, in, p);
    out->level = p->csl.level;
    out->searching = p->me.busy;
    out->mc = p->me.mc;
    out->bound = p->me.bound;
    out->me = p->me.me;
    out->bypass = p->me.bypass;
    out->tbs = p->me.tbs;
    out->hold = p->scanner.hold;
    out->out_id = s->out_id_q;
    out->in_id = s->in_id_q;
    show_launcher(p, out);
    show_switch(p, out);
    show_tables(p, out);
    out->fault = s->fault_q || p->csl.fault || p->me.fault || p->map.fault || p->queues.fault ||
                 p->wct.fault || p->tct.fault || p->slots.fault || p->launcher.fault ||
                 p->scanner.fault;
}

void wr_duet_unit_eval(const wr_duet_unit *s, const wr_duet_unit_in *in, wr_duet_unit_out *out)
{
    wr_unit_wires p;

    wr_unit_settle(s, in, &p);
    wr_unit_show(s, in, &p, out);
}

/* TBs of the dispatcher that ME has still to be told of. */
static void count(wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p)
{
    if (p->begins) { /* ME is told of those of the launch before by its own count */
        s->launches_q = s->leaves_q = 0;
        return;
    }
    const uint32_t ended = wr_unit_is_native(s) ? (uint32_t)__builtin_popcount(in->ended) : 0;
    const uint32_t leaves = s->leaves_q + ended - p->leaves;

    s->launches_q = (uint8_t)(s->launches_q + p->placed - p->places);
    s->leaves_q = (uint8_t)(leaves > COUNT_MOST ? COUNT_MOST : leaves);
    s->fault_q = s->fault_q || leaves > COUNT_MOST;
}

static void next_state(wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p)
{
    const bool over = !in->waiting && p->me.tbs == 0 && p->csl.op == WR_CSL_NONE &&
                      !p->launcher.busy && s->launches_q == 0 && s->leaves_q == 0;

    switch (s->state_q) {
    case WR_DUET_UNIT_NATIVE:
        s->state_q = p->begins    ? WR_DUET_UNIT_TELL
                     : p->engages ? WR_DUET_UNIT_BOOK
                                  : WR_DUET_UNIT_NATIVE;
        break;
    case WR_DUET_UNIT_TELL:
        s->state_q = WR_DUET_UNIT_NATIVE;
        break;
    case WR_DUET_UNIT_BOOK:
        s->state_q = WR_DUET_UNIT_BOOKING;
        break;
    case WR_DUET_UNIT_BOOKING:
        s->state_q = p->launcher.booked ? WR_DUET_UNIT_RUN : WR_DUET_UNIT_BOOKING;
        break;
    default:
        s->state_q = over ? WR_DUET_UNIT_NATIVE : WR_DUET_UNIT_RUN;
        break;
    }
}

void wr_unit_step(wr_duet_unit *s, const wr_duet_unit_in *in, const wr_unit_wires *p)
{
    s->fault_q = s->fault_q || (in->start && !p->begins) || (in->book && !p->engages) ||
                 (in->placed && !p->placed);
    s->out_id_q = p->csl.stalled_pop ? p->csl_in.stalled_id : s->out_id_q;
    s->in_id_q = p->csl.ready_pop ? p->csl_in.ready_id : s->in_id_q;
    if (in->valid) {
        s->verdict_q = in->verdict & 3u;
        s->l1_idle_q = in->l1_idle;
    }
    s->valid_q = in->valid || (s->valid_q && !p->begins && !p->me_in.valid);
    s->due_q = p->begins || (s->due_q && !p->me_in.start);
    count(s, in, p);
    next_state(s, in, p);

    wr_context_switch_logic_tick(&s->csl, &p->csl_in);
    wr_me_controller_tick(&s->me, &p->me_in);
    wr_onchip_bitmap_tick(&s->map, &p->map_in);
    wr_switch_queues_tick(&s->queues, &p->queues_in);
    wr_warp_context_table_tick(&s->wct, &p->wct_in);
    wr_tb_context_table_tick(&s->tct, &p->tct_in);
    wr_warp_slots_tick(&s->slots, &p->slots_in);
    wr_tb_launcher_tick(&s->launcher, &p->launcher_in);
    wr_stall_scanner_tick(&s->scanner, &p->scanner_in);
}

void wr_duet_unit_tick(wr_duet_unit *s, const wr_duet_unit_in *in)
{
    wr_unit_wires p;

    wr_unit_settle(s, in, &p);
    wr_unit_step(s, in, &p);
}

static void tick(void *s, const void *in)
{
    wr_duet_unit_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_duet_unit_eval(s, in, out);
}

/* Each cycle of the scanner's walk may do something. */
static uint64_t coast(void *s, const void *in, uint64_t most)
{
    (void)s;
    (void)in;
    (void)most;
    return 0;
}

static const wr_skip free_run = {sizeof(wr_duet_unit), sizeof(wr_duet_unit_out), tick, eval, coast};

void wr_duet_unit_skip(wr_duet_unit *s, const wr_duet_unit_in *in, uint64_t n)
{
    wr_duet_unit mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.tbs, n);
}

uint64_t wr_duet_unit_quiet(const wr_duet_unit *s, const wr_duet_unit_in *in)
{
    wr_duet_unit copy;
    wr_duet_unit other;
    wr_duet_unit_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &other, in, out);
}
