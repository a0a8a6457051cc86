/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around stall_scanner in test_scanner_path.c: a machine whose warps run, wait for
 * memory, meet at barriers and end; tables, queues and slots; and the switch logic, whose requests
 * are served at once. Each cycle is made of the parts below, in their order. */
#ifndef WR_TESTS_BLOCKS_SCANNER_WORLD_H
#define WR_TESTS_BLOCKS_SCANNER_WORLD_H

#include "refmodel/duet/context_switch_logic.h"
#include "refmodel/duet/stall_scanner.h"
#include "refmodel/duet/switch_queues.h"
#include "refmodel/duet/tb_context_table.h"
#include "refmodel/duet/warp_context_table.h"
#include "refmodel/duet/warp_slots.h"

#include "tests/blocks/rig.h"

enum {
    WARPS = 128,
    TBS = 32,
    PATIENCE = 20000, /* cycles without an end: deadlock */
    CLEAR_BEHIND = 3, /* cycles in which something of a warp that waits is in the pipeline */
};

typedef enum doing { GONE, RUNS, MEMORY, BARRIER, ENDED } doing;

typedef struct warp {
    doing what;
    unsigned left;  /* cycles of run or wait */
    unsigned parts; /* of it still to come */
    unsigned since; /* cycles in this state */
    int slot;       /* -1: absent, or has left */
    uint64_t steps; /* cycles that it has run */
    uint64_t steps_then;
} warp;

typedef struct tb {
    bool here, ended;
    uint64_t age;
} tb;

/* What the launcher is doing. */
typedef enum job { IDLE, ADDS, TELLS, CLEARS, VACATES } job;

typedef struct world {
    wr_rig rig;
    unsigned level, n, slots, limits, to_come, ended;
    wr_context_switch_logic csl;
    wr_warp_context_table wct;
    wr_tb_context_table tct;
    wr_switch_queues queues;
    wr_warp_slots list;
    wr_stall_scanner scanner;

    wr_context_switch_logic_in csl_in;
    wr_context_switch_logic_out csl_out;
    wr_warp_context_table_in wct_in;
    wr_warp_context_table_out wct_out;
    wr_tb_context_table_in tct_in;
    wr_tb_context_table_out tct_out;
    wr_switch_queues_in queues_in;
    wr_switch_queues_out queues_out;
    wr_warp_slots_in list_in;
    wr_warp_slots_out list_out;
    wr_stall_scanner_in in;
    wr_stall_scanner_out out;

    warp warp[WARPS];
    tb tb[TBS];
    int owner[64];
    uint64_t hold, placings, cycle, last_end;
    job job;
    bool extra;
    unsigned at, index, promised;
    uint64_t walked, could_wake[WARPS]; /* cycles */
    uint64_t counts[5], stalls[2], wakes, vacated, kept;
} world;

static inline unsigned less(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static inline unsigned most_tbs(const world *w)
{
    return w->n == 0 ? 0 : less(TBS, WARPS / w->n);
}

/* The machine -------------------------------------------------------------------------------- */

static inline void become(warp *v, doing what, unsigned left)
{
    v->what = what;
    v->left = left;
    v->since = 0;
}

static inline void next_part(world *w, warp *v)
{
    wr_rig *r = &w->rig;

    if (v->parts-- == 0) {
        become(v, ENDED, 0);
    } else if (wr_rig_chance(r, 30)) {
        become(v, BARRIER, 0);
    } else {
        become(v, MEMORY, 10 + wr_rig_below(r, wr_rig_chance(r, 20) ? 900 : 200));
    }
}

static inline void goes_on(world *w, warp *v)
{
    become(v, RUNS, 1 + wr_rig_below(&w->rig, 30));
    if (v->slot >= 0) {
        w->in.woken |= UINT64_C(1) << v->slot;
    }
}

static inline void run_warps(world *w)
{
    for (unsigned i = 0; i < WARPS; i++) {
        warp *v = &w->warp[i];
        const bool held = v->slot >= 0 && (w->hold >> v->slot & 1) != 0;

        v->since++;
        if (v->what == MEMORY && --v->left == 0) {
            goes_on(w, v);
        } else if (v->what == RUNS && v->slot >= 0 && !held && v->left != 0) {
            v->steps++;
            if (--v->left == 0) {
                next_part(w, v);
            }
        }
    }
}

/* A barrier opens when all warps that have not ended are at it; a TB ends when all have. */
static inline void run_tbs(world *w)
{
    for (unsigned t = 0; t < most_tbs(w); t++) {
        warp *v = &w->warp[t * w->n];
        unsigned waiting = 0;
        unsigned done = 0;
        unsigned ended = 0;

        for (unsigned j = 0; j < w->n; j++) {
            waiting += v[j].what == BARRIER;
            done += v[j].what == ENDED;
            ended += v[j].what == ENDED && v[j].since >= CLEAR_BEHIND;
        }
        for (unsigned j = 0; waiting + done == w->n && j < w->n; j++) {
            if (v[j].what == BARRIER) {
                goes_on(w, &v[j]);
            }
        }
        if (w->tb[t].here && !w->tb[t].ended && ended == w->n) {
            w->tb[t].ended = true;
            w->last_end = w->cycle;
        }
    }
}

static inline void show_machine(world *w)
{
    for (unsigned i = 0; i < WARPS; i++) {
        const warp *v = &w->warp[i];
        const uint64_t bit = v->slot >= 0 ? UINT64_C(1) << v->slot : 0;

        w->in.memory |= v->what == MEMORY ? bit : 0;
        w->in.barrier |= v->what == BARRIER ? bit : 0;
        w->in.clear |= v->since >= CLEAR_BEHIND ? bit : 0;
        w->in.done |= v->what == ENDED && v->since >= CLEAR_BEHIND ? bit : 0;
        w->in.free[i] = v->what == RUNS && v->slot < 0;
    }
    for (unsigned t = 0; t < TBS; t++) {
        const bool launched = (w->job == ADDS || w->job == TELLS) && w->at == t;
        w->in.closed |= w->tb[t].ended || launched ? 1u << t : 0;
    }
}

/* Nothing of a warp that is switched out has gone on since the decision. */
static inline void leaves(world *w, unsigned i)
{
    warp *v = &w->warp[i];

    assert_true(v->slot >= 0);
    assert_true(v->steps == v->steps_then);
    assert_int_equal(w->owner[v->slot], (int)i);
    w->owner[v->slot] = -1;
    v->slot = -1;
}

static inline void enters(world *w, unsigned i, unsigned slot)
{
    warp *v = &w->warp[i];

    assert_true(v->slot < 0 && w->owner[slot] < 0);
    w->owner[slot] = (int)i;
    v->slot = (int)slot;
}

/* The switch logic --------------------------------------------------------------------------- */

static inline void look(world *w, unsigned id)
{
    w->wct_in.look_id = (uint8_t)id;
    wr_warp_context_table_eval(&w->wct, &w->wct_in, &w->wct_out);
}

static inline void look_tb(world *w, unsigned id)
{
    w->tct_in.look_id = (uint8_t)id;
    wr_tb_context_table_eval(&w->tct, &w->tct_in, &w->tct_out);
}

static inline void claim(world *w, unsigned slot, unsigned id)
{
    w->in.claim = true;
    w->in.claim_slot = (uint8_t)slot;
    w->in.claim_id = (uint8_t)id;
}

static inline void give(world *w, unsigned slot)
{
    w->list_in.give = w->in.give = true;
    w->list_in.give_slot = w->in.give_slot = (uint8_t)slot;
}

static inline void write_warp(world *w)
{
    const wr_context_switch_logic_out *o = &w->csl_out;
    const unsigned slot = o->tab_meta & 63u;

    w->wct_in.op = WR_WARP_CONTEXT_UPDATE;
    w->wct_in.id = o->tab_id;
    w->wct_in.fields =
        WR_WARP_CONTEXT_FIELD_STATE | WR_WARP_CONTEXT_FIELD_REG | WR_WARP_CONTEXT_FIELD_META;
    w->wct_in.state = o->tab_state;
    w->wct_in.reg_addr = o->tab_reg;
    w->wct_in.meta_addr = o->tab_meta;
    if (o->state == WR_CSL_WR_OUT && o->tab_state == WR_WARP_ABSENT) {
        leaves(w, o->tab_id);
        w->in.away = true;
        w->in.away_id = o->tab_id;
    }
    if (o->state == WR_CSL_WR_IN && o->op == WR_CSL_EXCHANGE) {
        w->list_in.pass = true;
        w->list_in.pass_slot = (uint8_t)slot;
        w->list_in.pass_id = o->tab_id;
        claim(w, slot, o->tab_id);
    }
    if (o->state == WR_CSL_WR_IN && o->tab_state == WR_WARP_RUNNING) {
        enters(w, o->tab_id, slot);
    }
}

static inline void answer_tables(world *w)
{
    const wr_context_switch_logic_out *o = &w->csl_out;
    wr_context_switch_logic_in *in = &w->csl_in;

    in->tab_ack = true;
    switch (o->tab_op) {
    case WR_CSL_READ_WARP:
        look(w, o->tab_id);
        in->tab_state = w->wct_out.look_state;
        in->tab_reg = w->wct_out.look_reg_addr;
        in->tab_meta = w->wct_out.look_meta_addr;
        break;
    case WR_CSL_READ_TB:
        look_tb(w, o->tab_id);
        in->tab_reg = w->tct_out.look_addr;
        break;
    case WR_CSL_WRITE_WARP:
        write_warp(w);
        break;
    default:
        w->tct_in.op = o->tab_op == WR_CSL_MOVE_TB     ? WR_TB_CONTEXT_MOVE
                       : o->tab_op == WR_CSL_ABSENT_TB ? WR_TB_CONTEXT_SET
                                                       : WR_TB_CONTEXT_CLEAR;
        w->tct_in.id = o->tab_id & 31u;
        w->tct_in.addr = o->tab_reg;
        w->tct_in.mask = o->tab_all ? (uint32_t)((UINT64_C(1) << w->n) - 1) : 1u << o->tab_index;
        w->in.split = o->tab_op == WR_CSL_ABSENT_TB;
        w->in.split_tb = o->tab_id & 31u;
        break;
    }
}

static inline void wire_switch(world *w)
{
    const wr_context_switch_logic_out *o = &w->csl_out;
    const wr_switch_queues_out *q = &w->queues_out;
    const bool tbs = w->level == WR_CSL_TB;
    wr_context_switch_logic_in *in = &w->csl_in;

    in->stalled_valid = tbs ? q->tb_valid[0] : q->warp_valid[0];
    in->stalled_id = tbs ? q->tb_head[0] : q->warp_head[0];
    in->ready_valid = tbs ? q->tb_valid[1] : q->warp_valid[1];
    in->ready_id = tbs ? q->tb_head[1] : q->warp_head[1];
    in->want = wr_rig_chance(&w->rig, 30);
    in->move_ack = o->move && wr_rig_chance(&w->rig, 40);
    in->slots_free = (uint8_t)(w->list_out.free - w->promised);
    in->slot = w->list_out.next;
    in->mem_ack = o->mem_req && wr_rig_chance(&w->rig, 40);
    in->mem_found = wr_rig_chance(&w->rig, 85);
    in->mem_addr = (uint16_t)wr_rig_below(&w->rig, 0x800);
    w->queues_in.warp_pop[0] = o->stalled_pop && !tbs;
    w->queues_in.warp_pop[1] = o->ready_pop && !tbs;
    w->queues_in.tb_pop[0] = o->stalled_pop && tbs;
    w->queues_in.tb_pop[1] = o->ready_pop && tbs;
    w->in.op = o->op;
    w->in.stalled_valid = in->stalled_valid;
    w->in.stalled_id = in->stalled_id;
    w->in.stalled_pop = o->stalled_pop;
    w->in.stalled_space = tbs ? q->tb_space[0] : q->warp_space[0];
    w->in.ready_valid = in->ready_valid;
    w->in.ready_id = in->ready_id;
    w->in.ready_pop = o->ready_pop;
    w->in.ready_space = tbs ? q->tb_space[1] : q->warp_space[1];
    if (o->slot_take) {
        w->list_in.claim = true;
        w->list_in.claim_slot = o->slot;
        w->list_in.claim_id = o->slot_id;
        claim(w, o->slot, o->slot_id);
    }
    if (o->slot_give) {
        give(w, o->slot);
    }
    if (o->tab_req) {
        answer_tables(w);
    }
}

#endif
