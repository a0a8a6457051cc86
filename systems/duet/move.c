/* SPDX-License-Identifier: Apache-2.0 */
/* The data path: bytes of contexts from line to line, and warps out of slots and into them.
 *
 * The bytes of a switch move in its last beat, from and to the addresses that the switch logic
 * gives. Lines that hold nothing any more are poisoned. A warp leaves its slot then; it enters one
 * when the tables say that it runs.
 *
 * A load that is on its way when its warp leaves has not written its register: what it will give
 * is kept aside, as in the reply, the register's place in the context is poisoned, and the data are
 * written there when they come (D8: the address is the tables').
 */
#include "systems/duet/state.h"

#include <assert.h>
#include <string.h>

uint8_t *wr_duet_line(wr_duet_unit *u, uint32_t addr)
{
    const wr_duet *d = u->duet;
    uint32_t shared = addr - d->rf_lines;
    uint32_t l1 = shared - d->smem_lines;

    if (addr < d->rf_lines) {
        return wr_sm_register_line(u->sm, addr);
    }
    if (shared < d->smem_lines) {
        return wr_sm_shared_line(u->sm, shared);
    }
    if (l1 >= d->l1_lines) { /* an address that is none: nobody's line */
        wr_duet_abort(u, "duet: an address outside the SM's storage");
        l1 = d->l1_lines;
    }
    return u->l1 + (size_t)l1 * WR_DUET_LINE;
}

void wr_duet_fill(uint8_t *line, uint8_t value)
{
    memset(line, value, WR_DUET_LINE);
}

/* Rows of a warp's registers, for image.h. */
typedef struct rows {
    wr_duet_unit *u;
    uint32_t home;
} rows;

static uint8_t *row(void *of, uint32_t reg)
{
    const rows *r = of;

    return wr_duet_line(r->u, r->home + reg);
}

static void read_lines(wr_duet_unit *u, uint32_t addr, uint32_t count, uint8_t *to, bool poison)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *line = wr_duet_line(u, addr + i);

        memcpy(to + (size_t)i * WR_DUET_LINE, line, WR_DUET_LINE);
        if (poison) {
            wr_duet_fill(line, WR_DUET_POISON);
        }
    }
}

static void write_lines(wr_duet_unit *u, uint32_t addr, uint32_t count, const uint8_t *from)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(wr_duet_line(u, addr + i), from + (size_t)i * WR_DUET_LINE, WR_DUET_LINE);
    }
}

void wr_duet_put_meta(wr_duet_unit *u, uint32_t addr, const wr_duet_meta *meta)
{
    uint8_t bytes[WR_DUET_META_LINES * WR_DUET_LINE];

    wr_duet_meta_pack(meta, u->duet->st_lines, bytes, WR_DUET_POISON);
    write_lines(u, addr, u->duet->st_lines, bytes);
}

static void get_meta(wr_duet_unit *u, uint32_t addr, wr_duet_meta *meta)
{
    uint8_t bytes[WR_DUET_META_LINES * WR_DUET_LINE];

    read_lines(u, addr, u->duet->st_lines, bytes, false);
    wr_duet_meta_unpack(bytes, u->duet->st_lines, meta);
}

void wr_duet_first_meta(wr_duet_unit *u, uint32_t tb, uint32_t index, wr_duet_meta *meta)
{
    *meta = (wr_duet_meta){.depth = 1};
    meta->stack[0] = wr_sm_tb_first(u->sm, tb, index);
}

/* The point where a warp with this metadata left; of one that has not run there is none. */
static const wr_switch_point *point_of(const wr_duet_unit *u, const wr_duet_meta *meta)
{
    return wr_duet_numbered_point(&u->duet->shape, meta->point);
}

/* What loads in flight will give is kept aside; their registers' rows hold it no more. */
static void keep_flying(wr_duet_unit *u, uint32_t warp, uint32_t home, uint64_t pending)
{
    u->flying[warp] = pending;
    for (uint64_t left = pending; left != 0; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(left);
        uint8_t *line = wr_duet_line(u, home + reg);

        memcpy(u->values[warp][reg], line, WR_DUET_LINE);
        wr_duet_fill(line, WR_DUET_POISON);
    }
}

/* The warp leaves its slot; its registers stay where they are. True: it waits at a barrier. */
static bool leave(wr_duet_unit *u, uint32_t warp, uint32_t slot, uint32_t home, wr_duet_meta *meta)
{
    uint64_t bit = UINT64_C(1) << slot;
    bool at_barrier = (u->wait_barrier & bit) != 0;
    uint32_t id = u->identity[warp];
    uint64_t pending = wr_sm_warp_pending(u->sm, id);

    meta->depth = wr_sm_stack(u->sm, slot, meta->stack);
    meta->point = u->held_at;
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        meta->preds[p] = wr_sm_pred(u->sm, slot, p);
    }
    keep_flying(u, warp, home, pending);
    (void)wr_sm_warp_leave(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON);
    u->hold &= ~bit;
    u->owner[slot] = WR_DUET_WARPS;
    for (uint64_t left = u->kept; left != 0; left &= left - 1) { /* its TB is no longer whole */
        if (u->owner[__builtin_ctzll(left)] / u->duet->warps == warp / u->duet->warps) {
            u->ended |= left & -left;
        }
    }
    u->kept &= ~u->ended;
    u->counts.barriers += at_barrier;
    wr_duet_add(&u->away, warp);
    wr_duet_drop(&u->marked, warp);
    u->landed[warp] = 0;
    if (pending == 0 && !at_barrier) {
        wr_duet_add(&u->wake, warp);
    }
    return at_barrier;
}

static uint32_t slot_of(const wr_duet_unit *u, uint32_t warp)
{
    uint32_t slot = 0;

    while (slot < WR_DUET_SLOTS && u->owner[slot] != warp) {
        slot++;
    }
    return slot;
}

/* Level warp: one leaves; its context into `bytes`. */
static bool warp_out(wr_duet_unit *u, uint32_t warp, uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    uint32_t slot = slot_of(u, warp);
    wr_duet_meta meta;

    wr_duet_look(u, warp);
    rows from = {u, u->wct_out.look_reg_addr};
    if (slot == WR_DUET_SLOTS || u->wct_out.look_meta_addr != WR_CSL_META_SLOT + slot) {
        wr_duet_abort(u, "duet: the table says of a warp that leaves that it is in another slot");
        return false;
    }
    bool at_barrier = leave(u, warp, slot, from.home, &meta);
    if (wr_duet_registers_move(d)) {
        wr_duet_pack(&d->shape, point_of(u, &meta), row, &from, bytes, WR_DUET_POISON);
        for (uint32_t r = 0; r < d->regs; r++) {
            wr_duet_fill(wr_duet_line(u, from.home + r), WR_DUET_POISON);
        }
    }
    wr_duet_meta_pack(&meta, d->st_lines, bytes + (size_t)wr_duet_body(d) * WR_DUET_LINE,
                      WR_DUET_POISON);
    /* the switch logic writes the rest of the entry */
    u->wct_in.op = WR_WARP_CONTEXT_UPDATE;
    u->wct_in.id = (uint8_t)warp;
    u->wct_in.fields = WR_WARP_CONTEXT_FIELD_BARRIER;
    u->wct_in.barrier = at_barrier;
    return true;
}

static void warp_in(wr_duet_unit *u, const uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    rows to = {u, u->csl_out.move_home};

    wr_duet_meta_unpack(bytes + (size_t)wr_duet_body(d) * WR_DUET_LINE, d->st_lines,
                        &u->meta_in[0]);
    if (wr_duet_registers_move(d)) {
        wr_duet_unpack(&d->shape, point_of(u, &u->meta_in[0]), bytes, row, &to);
    }
}

/* Level TB: its warps leave, and its shared memory. */
static bool tb_out(wr_duet_unit *u, uint32_t tb, uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    uint8_t *at = bytes + (size_t)d->smem * WR_DUET_LINE;

    for (uint32_t j = 0; j < d->warps; j++, at += (size_t)d->st_lines * WR_DUET_LINE) {
        uint32_t warp = tb * d->warps + j;
        uint32_t slot = slot_of(u, warp);
        wr_duet_meta meta = {0};

        if (slot == WR_DUET_SLOTS) {
            wr_duet_abort(u, "duet: a warp of a TB that leaves is in no slot");
            return false;
        }
        wr_duet_look(u, warp);
        if ((u->tb_finished[tb] >> j & 1) == 0) {
            (void)leave(u, warp, slot, u->wct_out.look_reg_addr, &meta);
        }
        u->owner[slot] = WR_DUET_WARPS;
        wr_duet_drop(&u->marked, warp);
        wr_duet_meta_pack(&meta, d->st_lines, at, WR_DUET_POISON);
    }
    read_lines(u, u->csl_out.move_home, d->smem, bytes, true);
    wr_sm_tb_share_at(u->sm, tb, WR_ELSEWHERE);
    return true;
}

static void tb_in(wr_duet_unit *u, uint32_t tb, const uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    const uint8_t *at = bytes + (size_t)d->smem * WR_DUET_LINE;

    for (uint32_t j = 0; j < d->warps; j++, at += (size_t)d->st_lines * WR_DUET_LINE) {
        wr_duet_meta_unpack(at, d->st_lines, &u->meta_in[j]);
    }
    write_lines(u, u->csl_out.move_home, d->smem, bytes);
    wr_sm_tb_share_at(u->sm, tb, (u->csl_out.move_home - d->rf_lines) * WR_DUET_LINE);
}

static void move(wr_duet_unit *u)
{
    wr_duet *d = u->duet;
    bool tbs = wr_duet_whole_tbs(d);
    bool out = u->csl_out.op != WR_CSL_IN;
    bool in = u->csl_out.op != WR_CSL_OUT;
    uint32_t away = u->csl_out.move_away;
    uint32_t lines = wr_duet_body(d) + d->st_lines * (tbs ? d->warps : 1);

    if (in) {
        read_lines(u, away, lines, d->coming, true);
    }
    if (out && !(tbs ? tb_out(u, (uint32_t)u->out_id, d->going)
                     : warp_out(u, (uint32_t)u->out_id, d->going))) {
        return;
    }
    if (out) {
        write_lines(u, away, lines, d->going);
    }
    if (in && tbs) {
        tb_in(u, (uint32_t)u->in_id, d->coming);
    } else if (in) {
        warp_in(u, d->coming);
    }
    u->counts.lines += (uint64_t)lines * (1u + (in && out));
}

/* Slots of warps that are younger: by their TBs' numbers in the grid, then by their own. */
static uint64_t younger(wr_duet_unit *u, uint32_t warp)
{
    const wr_duet *d = u->duet;
    uint32_t mine = wr_sm_tb(u->sm, warp / d->warps).linear;
    uint64_t slots = 0;

    for (uint32_t s = 0; s < WR_DUET_SLOTS; s++) {
        uint32_t other = u->owner[s];

        if (other != WR_DUET_WARPS && other != warp) {
            uint32_t tb = wr_sm_tb(u->sm, other / d->warps).linear;
            bool is = tb > mine || (tb == mine && other > warp);

            slots |= is ? UINT64_C(1) << s : 0;
        }
    }
    return slots;
}

void wr_duet_enter(wr_duet_unit *u, uint32_t warp, uint32_t slot, uint32_t row_at,
                   const wr_duet_meta *meta)
{
    const wr_duet *d = u->duet;
    const wr_tb_where where = {.row = row_at, .kept = WR_KEEPS_REGISTERS};

    if ((u->tb_finished[warp / d->warps] >> warp % d->warps & 1) != 0) {
        return; /* it keeps its place alone */
    }
    if (slot >= WR_DUET_SLOTS || row_at + d->regs > d->rf_lines ||
        !wr_sm_warp_enter(u->sm, u->identity[warp], slot, &where, WR_DUET_POISON)) {
        wr_duet_abort(u, "duet: the table has a warp enter a slot that is taken, or no registers");
        return;
    }
    for (uint64_t left = u->flying[warp]; left != 0; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(left);

        memcpy(wr_duet_line(u, row_at + reg), u->values[warp][reg], WR_DUET_LINE);
    }
    u->flying[warp] = 0;
    if (d->keeps_age) {
        wr_sm_warp_age(u->sm, slot, younger(u, warp));
    }
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        wr_sm_pred_write(u->sm, slot, p, meta->preds[p]);
    }
    wr_sm_stack_write(u->sm, slot, meta->stack, meta->depth);
    wr_duet_drop(&u->away, warp);
    wr_duet_drop(&u->passed, warp);
    wr_sm_warp_resume(u->sm, slot);
}

/* The register's data go to its place in the context, or to its row where registers stay. */
static void land(wr_duet_unit *u, uint32_t warp, uint32_t reg)
{
    const wr_duet *d = u->duet;
    const uint32_t *lanes = u->values[warp][reg];

    if (!wr_duet_registers_move(d)) {
        memcpy(wr_duet_line(u, u->wct_out.look_reg_addr + reg), lanes, WR_DUET_LINE);
        return;
    }
    wr_duet_meta meta;
    get_meta(u, u->wct_out.look_meta_addr, &meta);
    uint32_t count = wr_duet_body(d);
    read_lines(u, u->wct_out.look_reg_addr, count, d->going, false);
    wr_duet_write_register(&d->shape, point_of(u, &meta), reg, lanes, d->going);
    write_lines(u, u->wct_out.look_reg_addr, count, d->going);
}

/* Data that have come for absent warps go to their contexts. */
static void land_all(wr_duet_unit *u)
{
    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t left = u->loaded.bits[half]; left != 0; left &= left - 1) {
            uint32_t warp = half * 64 + (uint32_t)__builtin_ctzll(left);

            if (!wr_duet_has(&u->away, warp)) { /* it came back with its TB */
                wr_duet_drop(&u->loaded, warp);
                wr_duet_drop(&u->passed, warp);
                continue;
            }
            wr_duet_look(u, warp);
            if (u->wct_out.look_state == WR_WARP_STALLED) {
                continue; /* the table does not say yet where it lies */
            }
            uint64_t regs = u->landed[warp] & u->flying[warp];
            for (uint64_t r = regs; r != 0; r &= r - 1) {
                land(u, warp, (uint32_t)__builtin_ctzll(r));
            }
            u->flying[warp] &= ~regs;
            u->landed[warp] = 0;
            bool waits = u->wct_out.look_barrier && !wr_duet_has(&u->passed, warp);
            if (u->flying[warp] == 0 && !waits) {
                wr_duet_drop(&u->passed, warp);
                wr_duet_add(&u->wake, warp);
            }
            wr_duet_drop(&u->loaded, warp);
        }
    }
}

void wr_duet_follow(wr_duet_unit *u)
{
    if (u->csl_out.move) {
        u->counts.move_cycles++;
        u->moving = true;
    } else if (u->moving) {
        u->moving = false;
        move(u);
    }
    land_all(u);
}
