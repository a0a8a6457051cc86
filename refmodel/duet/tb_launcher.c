/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher: a decision, then the steps of that job one behind the other.
 *
 * What a step asks for is in launcher_view.h and eval, what its answer changes in `step`.
 */
#include "refmodel/duet/tb_launcher.h"

#include <string.h>

#include "refmodel/duet/launcher_view.h"
#include "refmodel/duet/warp_context_table.h" /* wr_warp_state */

enum { ID = 0x7f, SLOT = 0x3f };

wr_status wr_tb_launcher_init(wr_tb_launcher *s, const wr_tb_launcher_cfg *cfg)
{
    if (!wr_tb_launcher_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_tb_launcher_reset(s);
    return WR_OK;
}

void wr_tb_launcher_reset(wr_tb_launcher *s)
{
    const wr_tb_launcher_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static uint8_t slot_of(const wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    if (!has_slot(s)) {
        return s->meta_q & SLOT;
    }
    return (s->state_q == WR_LAUNCHER_TELL ? in->slot_next : in->ask_slot) & SLOT;
}

/* Where metadata of the warp under way lie, or will lie. */
static uint16_t meta_of(const wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    uint32_t meta = WR_LAUNCHER_NOWHERE;

    if (has_slot(s)) {
        meta = WR_LAUNCHER_META_SLOT + (uint32_t)slot_of(s, in);
    } else if (s->job_q == WR_LAUNCHER_EXTRA) {
        meta = whole_tbs(s)        ? (uint32_t)s->smem_q + s->lines_q + s->cfg.st_lines * s->index_q
               : registers_move(s) ? (uint32_t)s->row_q + s->lines_q
                                   : s->meta_q;
    }
    return (uint16_t)(meta & ADDRESS);
}

static void eval_tables(const wr_tb_launcher *s, const wr_tb_launcher_in *in,
                        wr_tb_launcher_out *out)
{
    if (!asks_tables(s)) {
        return;
    }
    out->tab_req = true;
    out->tab_op = asks[s->state_q].op;
    out->tab_id = asks[s->state_q].of_tb ? s->tb_q & 31u : s->warp_q;
    if (s->state_q == WR_LAUNCHER_ADD_TB) {
        out->tab_all = s->job_q == WR_LAUNCHER_EXTRA;
        out->tab_reg = s->smem_q;
    } else if (s->state_q == WR_LAUNCHER_ADD_WARP || s->state_q == WR_LAUNCHER_TELL) {
        out->tab_state = has_slot(s) ? WR_WARP_RUNNING : WR_WARP_READY;
        out->tab_reg = s->row_q;
        out->tab_meta = meta_of(s, in);
    }
}

static void eval_bitmap(const wr_tb_launcher *s, const wr_tb_launcher_in *in,
                        wr_tb_launcher_out *out)
{
    const request q = plan(s);
    const bool answered = s->map_busy_q && in->map_done;

    if (!s->map_busy_q && in->mem_req) {
        out->map_valid = true;
        out->map_op = in->mem_free;
        out->map_region = in->mem_region & 3u;
        out->map_count = in->mem_count & ADDRESS;
        out->map_addr = in->mem_addr & ADDRESS;
    } else if (!s->map_busy_q && q.count != 0) {
        out->map_valid = true;
        out->map_op = q.free;
        out->map_region = q.region;
        out->map_count = q.count;
        out->map_addr = q.addr;
    }
    if (answered && !s->map_ours_q) {
        out->mem_ack = true;
        out->mem_found = in->map_found;
        out->mem_addr = in->map_addr & ADDRESS;
    }
}

/* What the machine, the list of slots and the ME controller are told. */
static void eval_events(const wr_tb_launcher *s, const wr_tb_launcher_in *in,
                        wr_tb_launcher_out *out)
{
    const bool tells = s->state_q == WR_LAUNCHER_TELL;

    out->ask = s->state_q == WR_LAUNCHER_ADD_WARP && has_slot(s);
    out->claim = has_slot(s) && in->tab_ack;
    out->place = s->state_q == WR_LAUNCHER_PLACE;
    if (out->place) {
        out->kind = s->job_q == WR_LAUNCHER_HANDED ? 2 : s->job_q == WR_LAUNCHER_EXTRA;
    }
    out->enter = tells && (s->job_q == WR_LAUNCHER_HANDED ||
                           (s->job_q == WR_LAUNCHER_NATIVE && in->tab_ack));
    out->arrive = tells && s->job_q == WR_LAUNCHER_EXTRA;
    out->left = s->state_q == WR_LAUNCHER_DROP && in->tab_ack && is_slot(s->meta_q);
    out->gone = s->state_q == WR_LAUNCHER_DROP_TB && in->tab_ack && s->job_q == WR_LAUNCHER_CLEAR;
    out->me_launch = s->state_q == WR_LAUNCHER_LAUNCH && in->me_ready;
    out->me_leave = s->state_q == WR_LAUNCHER_LEAVE && in->me_ready;
    out->booked =
        s->state_q == WR_LAUNCHER_SETUP && s->job_q == WR_LAUNCHER_UNBOOK && booking_ends(s);
}

void wr_tb_launcher_eval(const wr_tb_launcher *s, const wr_tb_launcher_in *in,
                         wr_tb_launcher_out *out)
{
    memset(out, 0, sizeof *out);
    out->job = s->job_q;
    out->state = s->state_q;
    out->busy = s->job_q != WR_LAUNCHER_NONE || some_ended(s) || s->map_busy_q;
    out->launching = s->state_q == WR_LAUNCHER_SETUP || s->job_q == WR_LAUNCHER_NATIVE ||
                     s->job_q == WR_LAUNCHER_EXTRA || s->job_q == WR_LAUNCHER_HANDED;
    for (uint32_t t = 0; t < WR_LAUNCHER_TBS; t++) {
        out->ending |= s->ended_q[t] ? UINT32_C(1) << t : 0;
    }
    out->tb = s->tb_q & 31u;
    out->index = s->index_q;
    out->warp = s->warp_q;
    out->row = s->row_q;
    out->meta = s->meta_q;
    out->smem = s->smem_q;
    out->slot = slot_of(s, in);
    eval_tables(s, in, out);
    eval_bitmap(s, in, out);
    eval_events(s, in, out);
    out->slots_free = s->in_blocked_q ? 0 : (uint8_t)((in->slots_free - promised(s)) & ID);
    out->fault = s->fault_q;
}

static void finish(wr_tb_launcher *s)
{
    s->job_q = WR_LAUNCHER_NONE;
    s->state_q = WR_LAUNCHER_IDLE;
}

static void forget_end(wr_tb_launcher *s)
{
    s->ended_q[s->tb_q & 31u] = false;
}

static uint8_t first_warp(const wr_tb_launcher *s)
{
    return (uint8_t)((uint32_t)s->tb_q * s->warps_q & ID);
}

/* From warp 0 of the TB on. */
static void begin_warps(wr_tb_launcher *s, wr_launcher_state state)
{
    s->index_q = 0;
    s->warp_q = first_warp(s);
    s->state_q = (uint8_t)state;
}

/* The step of the next warp, or the one behind the last. */
static void next_warp(wr_tb_launcher *s, wr_launcher_state each, wr_launcher_state behind)
{
    if (s->index_q + 1u < s->warps_q) {
        s->index_q++;
        s->warp_q = (s->warp_q + 1u) & ID;
        s->state_q = (uint8_t)each;
    } else {
        begin_warps(s, behind);
    }
}

static void next_cleared_warp(wr_tb_launcher *s)
{
    if (s->job_q == WR_LAUNCHER_VACATE) {
        finish(s);
    } else {
        next_warp(s, WR_LAUNCHER_READ, WR_LAUNCHER_READ_TB);
    }
}

static void next_told_warp(wr_tb_launcher *s)
{
    next_warp(s, WR_LAUNCHER_LOOK, WR_LAUNCHER_IDLE);
    if (s->state_q == WR_LAUNCHER_IDLE) {
        if (s->job_q == WR_LAUNCHER_HANDED) {
            forget_end(s);
        }
        finish(s);
    }
}

static void next_booked_tb(wr_tb_launcher *s)
{
    s->tb_q++;
    s->state_q = WR_LAUNCHER_SETUP;
}

static void configure(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    const bool bad = in->warps == 0 || in->warps > s->cfg.tb_warps || (in->level & 3u) == 3;

    s->level_q = bad ? WR_LAUNCHER_LEVEL_OFF : in->level & 3u;
    s->registers_move_q = in->registers_move;
    s->use_l1_q = in->use_l1;
    s->warps_q = in->warps & 63u;
    s->regs_q = in->regs & 0x3ffu;
    s->lines_q = in->lines & 0x3ffu;
    s->tb_regs_q = in->tb_regs & ADDRESS;
    s->cfg_smem_q = in->smem & 0x3ffu;
    s->mc_q = in->mc & 63u;
    s->run_q = false;
    s->launch_blocked_q = s->native_blocked_q = s->in_blocked_q = false;
    memset(s->ended_q, 0, sizeof s->ended_q);
    s->fault_q = s->fault_q || bad;
}

static void begin(wr_tb_launcher *s, wr_launcher_job job, wr_launcher_state state, uint32_t tb)
{
    s->job_q = (uint8_t)job;
    s->state_q = (uint8_t)state;
    s->tb_q = (uint8_t)tb;
}

static void decide(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    if (in->book && !s->run_q && s->level_q != WR_LAUNCHER_LEVEL_OFF) {
        begin(s, WR_LAUNCHER_BOOK, WR_LAUNCHER_SETUP, 0);
        return;
    }
    if (!s->run_q) {
        return;
    }
    if (in->vacate) {
        begin(s, WR_LAUNCHER_VACATE, WR_LAUNCHER_READ, s->tb_q);
        s->warp_q = in->vacate_id & ID;
        return;
    }
    for (uint32_t t = 0; t < WR_LAUNCHER_TBS; t++) {
        if (s->ended_q[t] && (in->queued >> t & 1) == 0) {
            begin(s, WR_LAUNCHER_CLEAR, WR_LAUNCHER_SETUP, t);
            return;
        }
    }
    if (!some_ended(s) && in->allow && in->waiting && in->tb_found && !s->launch_blocked_q) {
        begin(s, WR_LAUNCHER_EXTRA, WR_LAUNCHER_SETUP, in->tb_found_id & 31u);
    }
}

static void set_up_booking(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    const bool here = (in->here >> (s->tb_q & 31u) & 1) != 0;
    const bool ends = booking_ends(s);

    s->fault_q = s->fault_q || (ends && s->tb_q != s->mc_q);
    if (s->job_q == WR_LAUNCHER_BOOK) {
        s->here_q = here && !ends;
        s->state_q = ends ? WR_LAUNCHER_SETUP : WR_LAUNCHER_SMEM;
        s->job_q = ends ? WR_LAUNCHER_UNBOOK : WR_LAUNCHER_BOOK;
        s->tb_q = ends ? 0 : s->tb_q;
    } else if (ends) {
        s->run_q = true;
        finish(s);
    } else if (here) {
        next_booked_tb(s);
    } else {
        s->state_q = WR_LAUNCHER_READ;
    }
}

static void set_up(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    s->warp_q = first_warp(s);
    if (s->job_q == WR_LAUNCHER_BOOK || s->job_q == WR_LAUNCHER_UNBOOK) {
        set_up_booking(s, in);
    } else if (s->job_q == WR_LAUNCHER_CLEAR) {
        if (!fits(s, s->tb_q)) {
            s->fault_q = true;
            forget_end(s);
            finish(s);
        } else {
            const bool hands = in->keep && in->waiting;
            s->job_q = hands ? WR_LAUNCHER_HANDED : WR_LAUNCHER_CLEAR;
            s->state_q = hands ? WR_LAUNCHER_CHECK : WR_LAUNCHER_READ;
        }
    } else if (!fits(s, s->tb_q) || !in->allow || !in->waiting) {
        finish(s);
    } else {
        const bool native = (in->slots_free & ID) >= s->warps_q && !in->ready_waits &&
                            !in->switch_in && !s->native_blocked_q;
        s->job_q = native ? WR_LAUNCHER_NATIVE : WR_LAUNCHER_EXTRA;
        s->state_q = WR_LAUNCHER_SMEM;
    }
}

static wr_launcher_state first_lines(const wr_tb_launcher *s)
{
    return s->job_q == WR_LAUNCHER_EXTRA && registers_move(s) ? WR_LAUNCHER_AWAY : WR_LAUNCHER_REGS;
}

/* No lines are to be had. Registers that have been are written to an entry, which is undone too. */
static void refuse(wr_tb_launcher *s)
{
    const bool had = s->state_q == WR_LAUNCHER_AWAY && !registers_move(s);

    s->fault_q = s->fault_q || s->job_q == WR_LAUNCHER_BOOK;
    s->launch_blocked_q = s->launch_blocked_q || s->job_q == WR_LAUNCHER_EXTRA;
    s->native_blocked_q = s->native_blocked_q || s->job_q == WR_LAUNCHER_NATIVE;
    if (s->job_q == WR_LAUNCHER_BOOK || s->state_q == WR_LAUNCHER_SMEM) {
        finish(s);
        return;
    }
    s->job_q = WR_LAUNCHER_UNDO;
    if (had) {
        s->state_q = WR_LAUNCHER_ADD_WARP;
    } else {
        begin_warps(s, WR_LAUNCHER_READ);
    }
}

static void take_lines(wr_tb_launcher *s, uint16_t addr)
{
    if (s->state_q == WR_LAUNCHER_SMEM) {
        s->smem_q = addr;
        s->state_q = WR_LAUNCHER_ADD_TB;
    } else if (s->state_q == WR_LAUNCHER_REGS) {
        const bool more = s->job_q == WR_LAUNCHER_EXTRA && !whole_tbs(s);
        s->row_q = addr;
        s->state_q = more ? WR_LAUNCHER_AWAY : WR_LAUNCHER_ADD_WARP;
    } else {
        s->row_q = registers_move(s) ? addr : s->row_q;
        s->meta_q = addr;
        s->state_q = WR_LAUNCHER_ADD_WARP;
    }
}

static void give_lines(wr_tb_launcher *s)
{
    if (s->state_q == WR_LAUNCHER_FREE_REGS && is_away(s->meta_q) &&
        s->level_q == WR_LAUNCHER_LEVEL_WARP && !s->registers_move_q) {
        s->state_q = WR_LAUNCHER_FREE_AWAY;
    } else if (s->state_q != WR_LAUNCHER_FREE_SMEM) {
        next_cleared_warp(s);
    } else if (s->job_q == WR_LAUNCHER_UNBOOK) {
        next_booked_tb(s);
    } else if (s->job_q == WR_LAUNCHER_CLEAR) {
        s->state_q = WR_LAUNCHER_LEAVE;
    } else {
        finish(s);
    }
}

/* A step about lines: it has none, or the bitmap has answered. */
static void lines_step(wr_tb_launcher *s, const wr_tb_launcher_in *in, const request *q)
{
    const bool none = q->count == 0;

    if (q->free) {
        give_lines(s);
    } else if (none || in->map_found) {
        s->second_q = false;
        take_lines(s, none ? WR_LAUNCHER_NOWHERE : in->map_addr & ADDRESS);
    } else if (q->other && s->use_l1_q && !s->second_q) {
        s->second_q = true;
    } else {
        s->second_q = false;
        refuse(s);
    }
}

static void placed(wr_tb_launcher *s, bool ok)
{
    const bool handed = s->job_q == WR_LAUNCHER_HANDED;

    if (ok) {
        s->state_q = handed ? WR_LAUNCHER_LEAVE : WR_LAUNCHER_LAUNCH;
        return;
    }
    s->launch_blocked_q = s->launch_blocked_q || !handed;
    s->job_q = handed ? WR_LAUNCHER_CLEAR : WR_LAUNCHER_UNDO;
    s->state_q = WR_LAUNCHER_READ;
}

static void take_entry(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    s->row_q = in->tab_reg & ADDRESS;
    s->meta_q = in->tab_meta & ADDRESS;
}

static void read_warp(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    const bool ends = s->job_q == WR_LAUNCHER_CLEAR || s->job_q == WR_LAUNCHER_VACATE;

    take_entry(s, in);
    if (in->tab_valid) {
        s->fault_q = s->fault_q || (ends && !in->tab_present);
        s->state_q = WR_LAUNCHER_DROP;
    } else {
        s->fault_q = s->fault_q || s->job_q == WR_LAUNCHER_VACATE;
        next_cleared_warp(s);
    }
}

static void read_tb(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    s->smem_q = in->tab_reg & ADDRESS;
    s->spilled_q = !in->tab_whole;
    if (in->tab_valid) {
        s->state_q = WR_LAUNCHER_DROP_TB;
        return;
    }
    s->fault_q = true;
    if (s->job_q == WR_LAUNCHER_CLEAR) {
        forget_end(s);
    }
    if (s->job_q == WR_LAUNCHER_UNBOOK) {
        next_booked_tb(s);
    } else {
        finish(s);
    }
}

static void added_warp(wr_tb_launcher *s)
{
    if (s->job_q == WR_LAUNCHER_BOOK) { /* all of the TB lie in one run */
        s->row_q = (s->row_q + s->regs_q) & ADDRESS;
        next_warp(s, WR_LAUNCHER_ADD_WARP, WR_LAUNCHER_SETUP);
        if (s->state_q == WR_LAUNCHER_SETUP) {
            next_booked_tb(s);
        }
    } else if (s->job_q == WR_LAUNCHER_UNDO) {
        begin_warps(s, WR_LAUNCHER_READ);
    } else {
        next_warp(s, first_lines(s), WR_LAUNCHER_PLACE);
    }
}

static void tables_step(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    switch (s->state_q) {
    case WR_LAUNCHER_ADD_TB:
        s->state_q = (uint8_t)first_lines(s);
        break;
    case WR_LAUNCHER_ADD_WARP:
        added_warp(s);
        break;
    case WR_LAUNCHER_LOOK:
        take_entry(s, in);
        s->fault_q = s->fault_q || !in->tab_valid;
        s->state_q = WR_LAUNCHER_TELL;
        break;
    case WR_LAUNCHER_TELL:
        next_told_warp(s);
        break;
    case WR_LAUNCHER_CHECK:
        if (in->tab_valid && in->tab_present && (in->tab_state & 3u) == WR_WARP_RUNNING) {
            next_warp(s, WR_LAUNCHER_CHECK, WR_LAUNCHER_CHECK_TB);
        } else {
            s->job_q = WR_LAUNCHER_CLEAR;
            begin_warps(s, WR_LAUNCHER_READ);
        }
        break;
    case WR_LAUNCHER_CHECK_TB:
        s->smem_q = in->tab_reg & ADDRESS;
        if (in->tab_valid && in->tab_present && in->tab_whole) {
            s->state_q = WR_LAUNCHER_PLACE;
        } else {
            s->job_q = WR_LAUNCHER_CLEAR;
            s->state_q = WR_LAUNCHER_READ;
        }
        break;
    case WR_LAUNCHER_READ:
        read_warp(s, in);
        break;
    case WR_LAUNCHER_DROP:
        s->state_q = WR_LAUNCHER_FREE_REGS;
        break;
    case WR_LAUNCHER_READ_TB:
        read_tb(s, in);
        break;
    default: /* drop_tb */
        if (s->job_q == WR_LAUNCHER_CLEAR) {
            forget_end(s);
        }
        s->state_q = WR_LAUNCHER_FREE_SMEM;
        break;
    }
}

static void step(wr_tb_launcher *s, const wr_tb_launcher_in *in, const request *q, bool answered)
{
    switch (s->state_q) {
    case WR_LAUNCHER_IDLE:
        if (in->cfg) {
            configure(s, in);
        } else {
            decide(s, in);
        }
        break;
    case WR_LAUNCHER_SETUP:
        set_up(s, in);
        break;
    case WR_LAUNCHER_PLACE:
        placed(s, in->place_ok);
        break;
    case WR_LAUNCHER_LEAVE:
        if (in->me_ready && s->job_q == WR_LAUNCHER_HANDED) {
            s->state_q = WR_LAUNCHER_LAUNCH;
        } else if (in->me_ready) {
            finish(s);
        }
        break;
    case WR_LAUNCHER_LAUNCH:
        s->state_q = in->me_ready ? WR_LAUNCHER_LOOK : WR_LAUNCHER_LAUNCH;
        break;
    default:
        if (q->is && (q->count == 0 || answered)) {
            lines_step(s, in, q);
        } else if (asks_tables(s) && in->tab_ack) {
            tables_step(s, in);
        } else if (s->state_q == WR_LAUNCHER_TELL && !asks_tables(s)) {
            next_told_warp(s);
        }
        break;
    }
}

/* The bitmap has answered: lines are given back, or a switch in has found none. */
static void heed_bitmap(wr_tb_launcher *s, const wr_tb_launcher_in *in, bool given)
{
    if (given) {
        s->fault_q = s->fault_q || !in->map_found;
        s->in_blocked_q = false;
    } else if (!s->map_ours_q && !in->map_found && in->switch_in) {
        s->in_blocked_q = true;
    }
}

void wr_tb_launcher_tick(wr_tb_launcher *s, const wr_tb_launcher_in *in)
{
    const bool idle = s->state_q == WR_LAUNCHER_IDLE;
    const bool answered = s->map_busy_q && in->map_done;
    const request q = plan(s);
    const bool books = idle && !in->cfg && !s->run_q && s->level_q != WR_LAUNCHER_LEVEL_OFF;
    const bool given = answered && (s->map_ours_q ? q.free : in->mem_free);
    const bool unblocks = given && !(s->map_ours_q && s->job_q == WR_LAUNCHER_UNDO);
    const bool launch_blocked = s->launch_blocked_q, native_blocked = s->native_blocked_q;

    s->fault_q = s->fault_q || (in->cfg && !idle) || (in->book && !books) ||
                 (in->tab_ack && !asks_tables(s)) || (in->map_done && !s->map_busy_q);
    if (answered) {
        heed_bitmap(s, in, given);
    }
    step(s, in, &q, answered && s->map_ours_q);
    if (unblocks) { /* what was blocked, not what has just been */
        s->launch_blocked_q = s->launch_blocked_q && !launch_blocked;
        s->native_blocked_q = s->native_blocked_q && !native_blocked;
    }
    if (answered) {
        s->map_busy_q = false;
    } else if (!s->map_busy_q && (in->mem_req || q.count != 0)) {
        s->map_busy_q = true;
        s->map_ours_q = !in->mem_req;
    }
    for (uint32_t t = 0; t < s->cfg.tbs; t++) {
        s->ended_q[t] = s->ended_q[t] || (in->ended >> t & 1) != 0;
    }
}
