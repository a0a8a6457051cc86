/* SPDX-License-Identifier: Apache-2.0 */
/* The data path: bytes of contexts from line to line, and warps out of slots and into them.
 *
 * The bytes of a switch move in its last beat, from and to the addresses that the switch logic
 * gives. Lines that hold nothing any more are poisoned. A warp leaves its slot then; it enters one
 * when the unit says so.
 *
 * A load that is on its way when its warp leaves has not written its register: what it will give
 * is kept aside, as in the reply, and the register's place in the context is poisoned until
 * reply.c writes it there.
 */
#include "systems/duet/state.h"

#include <string.h>

uint8_t *wr_duet_line(wr_duet_sm *u, uint32_t addr)
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

void wr_duet_fill(wr_duet_sm *u, uint32_t addr, uint32_t count, uint8_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        memset(wr_duet_line(u, addr + i), value, WR_DUET_LINE);
    }
}

/* Rows of a warp's registers, for image.h. */
typedef struct rows {
    wr_duet_sm *u;
    uint32_t home;
} rows;

static uint8_t *row(void *of, uint32_t reg)
{
    const rows *r = of;

    return wr_duet_line(r->u, r->home + reg);
}

static void read_lines(wr_duet_sm *u, uint32_t addr, uint32_t count, uint8_t *to, bool poison)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *line = wr_duet_line(u, addr + i);

        memcpy(to + (size_t)i * WR_DUET_LINE, line, WR_DUET_LINE);
        if (poison) {
            memset(line, WR_DUET_POISON, WR_DUET_LINE);
        }
    }
}

static void write_lines(wr_duet_sm *u, uint32_t addr, uint32_t count, const uint8_t *from)
{
    for (uint32_t i = 0; i < count; i++) {
        memcpy(wr_duet_line(u, addr + i), from + (size_t)i * WR_DUET_LINE, WR_DUET_LINE);
    }
}

void wr_duet_put_meta(wr_duet_sm *u, uint32_t addr, const wr_duet_meta *meta)
{
    uint8_t bytes[WR_DUET_META_LINES * WR_DUET_LINE];

    wr_duet_meta_pack(meta, u->duet->st_lines, bytes, WR_DUET_POISON);
    write_lines(u, addr, u->duet->st_lines, bytes);
}

/* The point where a warp with this metadata left; of one that has not run there is none. */
static const wr_switch_point *point_of(const wr_duet_sm *u, const wr_duet_meta *meta)
{
    return wr_duet_numbered_point(&u->duet->shape, meta->point);
}

/* What loads in flight will give is kept aside; their registers' rows hold it no more. */
static void keep_flying(wr_duet_sm *u, uint32_t warp, uint32_t home, uint64_t pending)
{
    u->flying[warp] = pending;
    for (uint64_t left = pending; left != 0; left &= left - 1) {
        uint32_t reg = (uint32_t)__builtin_ctzll(left);
        uint8_t *line = wr_duet_line(u, home + reg);

        memcpy(u->values[warp][reg], line, WR_DUET_LINE);
        memset(line, WR_DUET_POISON, WR_DUET_LINE);
    }
}

void wr_duet_set_free(wr_duet_sm *u, uint32_t warp)
{
    u->in.free[warp] =
        wr_duet_has(&u->away, warp) && u->flying[warp] == 0 && !wr_duet_has(&u->at_barrier, warp);
}

/* The warp leaves its slot; its registers stay where they are. */
static void leave(wr_duet_sm *u, uint32_t warp, wr_duet_meta *meta)
{
    const uint32_t slot = u->slot[warp];
    const uint64_t bit = UINT64_C(1) << slot;

    meta->depth = wr_sm_stack(u->sm, slot, meta->stack);
    meta->point = u->held_at;
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        meta->preds[p] = wr_sm_pred(u->sm, slot, p);
    }
    keep_flying(u, warp, u->row[warp], wr_sm_warp_pending(u->sm, u->identity[warp]));
    if ((u->wait_barrier & bit) != 0) {
        wr_duet_add(&u->at_barrier, warp);
        u->counts.barriers++;
    }
    (void)wr_sm_warp_leave(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON);
    u->held &= ~bit; /* a hold ends with its slot */
    wr_duet_forget_slot(u, slot);
    wr_duet_add(&u->away, warp);
    u->landed[warp] = 0;
    wr_duet_set_free(u, warp);
}

/* Level warp: one leaves; its context into `bytes`. */
static bool warp_out(wr_duet_sm *u, uint32_t warp, uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    rows from = {u, u->row[warp]};
    wr_duet_meta meta;

    if (u->slot[warp] == WR_DUET_NONE) {
        wr_duet_abort(u, "duet: a warp that leaves is in no slot");
        return false;
    }
    leave(u, warp, &meta);
    if (wr_duet_registers_move(d)) {
        wr_duet_pack(&d->shape, point_of(u, &meta), row, &from, bytes, WR_DUET_POISON);
        wr_duet_fill(u, from.home, d->regs, WR_DUET_POISON);
    }
    wr_duet_meta_pack(&meta, d->st_lines, bytes + (size_t)wr_duet_body(d) * WR_DUET_LINE,
                      WR_DUET_POISON);
    return true;
}

static void warp_in(wr_duet_sm *u, const uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    rows to = {u, u->out.move_home};

    wr_duet_meta_unpack(bytes + (size_t)wr_duet_body(d) * WR_DUET_LINE, d->st_lines,
                        &u->meta_in[0]);
    if (wr_duet_registers_move(d)) {
        wr_duet_unpack(&d->shape, point_of(u, &u->meta_in[0]), bytes, row, &to);
    }
}

/* Level TB: its warps leave, and its shared memory. */
static bool tb_out(wr_duet_sm *u, uint32_t tb, uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    uint8_t *at = bytes + (size_t)d->smem * WR_DUET_LINE;

    for (uint32_t j = 0; j < d->warps; j++, at += (size_t)d->st_lines * WR_DUET_LINE) {
        uint32_t warp = tb * d->warps + j;
        wr_duet_meta meta = {0};

        if (u->slot[warp] == WR_DUET_NONE) {
            wr_duet_abort(u, "duet: a warp of a TB that leaves is in no slot");
            return false;
        }
        if (wr_duet_has(&u->finished, warp)) {
            wr_duet_forget_slot(u, u->slot[warp]);
        } else {
            leave(u, warp, &meta);
        }
        wr_duet_meta_pack(&meta, d->st_lines, at, WR_DUET_POISON);
    }
    read_lines(u, u->out.move_home, d->smem, bytes, true);
    wr_sm_tb_share_at(u->sm, tb, WR_ELSEWHERE);
    return true;
}

static void tb_in(wr_duet_sm *u, uint32_t tb, const uint8_t *bytes)
{
    const wr_duet *d = u->duet;
    const uint8_t *at = bytes + (size_t)d->smem * WR_DUET_LINE;

    for (uint32_t j = 0; j < d->warps; j++, at += (size_t)d->st_lines * WR_DUET_LINE) {
        wr_duet_meta_unpack(at, d->st_lines, &u->meta_in[j]);
    }
    write_lines(u, u->out.move_home, d->smem, bytes);
    wr_sm_tb_share_at(u->sm, tb, (u->out.move_home - d->rf_lines) * WR_DUET_LINE);
}

static void move(wr_duet_sm *u)
{
    wr_duet *d = u->duet;
    bool tbs = wr_duet_whole_tbs(d);
    bool out = u->out.op != WR_CSL_IN;
    bool in = u->out.op != WR_CSL_OUT;
    uint32_t away = u->out.move_away;
    uint32_t lines = wr_duet_body(d) + d->st_lines * (tbs ? d->warps : 1);

    if (in) {
        read_lines(u, away, lines, d->coming, true);
    }
    if (out && !(tbs ? tb_out(u, u->out.out_id, d->going) : warp_out(u, u->out.out_id, d->going))) {
        return;
    }
    if (out) {
        write_lines(u, away, lines, d->going);
    }
    if (in && tbs) {
        tb_in(u, u->out.in_id, d->coming);
    } else if (in) {
        warp_in(u, d->coming);
    }
    u->counts.lines += (uint64_t)lines * (1u + (in && out));
}

void wr_duet_follow(wr_duet_sm *u)
{
    if (u->out.move) {
        u->counts.move_cycles++;
        u->moving = true;
    } else if (u->moving) {
        u->moving = false;
        move(u);
    }
}
