/* SPDX-License-Identifier: Apache-2.0 */
/* The storage, whose lines the block reads and writes, and warps that leave their slots.
 *
 * A warp leaves when the mover begins with something of it, warps of a TB when its shared
 * memory has: from then on nothing of them changes but what is moved. Their metadata lie in the
 * lines of their slot then, until these have moved; in the same lines come those of who enters the
 * slot next, when the unit says so. Lines that hold nothing any more are poisoned.
 *
 * A load that is on its way when its warp leaves has not written its register: what it will give
 * is kept aside, as in the reply, and the register's row is poisoned until reply.c writes it.
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

/* The lines of a warp slot, where the metadata of who leaves it or enters it lie. */
static uint8_t *slot_line(wr_duet_sm *u, uint32_t slot, uint32_t part)
{
    return u->slot_lines + ((size_t)slot * WR_DUET_META_LINES + part) * WR_DUET_LINE;
}

void wr_duet_slot_meta(wr_duet_sm *u, uint32_t slot, wr_duet_meta *meta)
{
    wr_duet_meta_unpack(slot_line(u, slot, 0), u->duet->st_lines, meta);
}

void wr_duet_put_meta(wr_duet_sm *u, uint32_t addr, const wr_duet_meta *meta)
{
    uint8_t bytes[WR_DUET_META_LINES * WR_DUET_LINE];

    wr_duet_meta_pack(meta, u->duet->st_lines, bytes, WR_DUET_POISON);
    for (uint32_t i = 0; i < u->duet->st_lines; i++) {
        memcpy(wr_duet_line(u, addr + i), bytes + (size_t)i * WR_DUET_LINE, WR_DUET_LINE);
    }
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
    u->in.free[warp] = wr_duet_has(&u->away, warp) && !wr_duet_leaving(u, warp) &&
                       u->flying[warp] == 0 && !wr_duet_has(&u->at_barrier, warp);
}

/* The warp leaves its slot, in whose lines its metadata lie now; its registers stay where they are.
 * The tables do not say so yet.
 */
static void leave(wr_duet_sm *u, uint32_t warp)
{
    const uint32_t slot = u->slot[warp];
    const uint64_t bit = UINT64_C(1) << slot;
    wr_duet_meta meta;

    meta.depth = wr_sm_stack(u->sm, slot, meta.stack);
    meta.point = u->held_at;
    for (uint32_t p = 0; p < WR_ISA_PREDS; p++) {
        meta.preds[p] = wr_sm_pred(u->sm, slot, p);
    }
    wr_duet_meta_pack(&meta, u->duet->st_lines, slot_line(u, slot, 0), WR_DUET_POISON);
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
}

static uint32_t unit_warps(const wr_duet *d)
{
    return wr_duet_whole_tbs(d) ? d->warps : 1;
}

/* All warps of the unit that goes out leave; of a finished one nothing is left but its slot. */
static void unit_leaves(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const uint32_t first = u->out.out_id * unit_warps(d);

    u->leaving = u->out.out_id;
    for (uint32_t warp = first; warp < first + unit_warps(d); warp++) {
        const uint32_t slot = u->slot[warp];

        if (slot == WR_DUET_NONE) {
            wr_duet_abort(u, "duet: a warp that leaves is in no slot");
        } else if (wr_duet_has(&u->finished, warp)) {
            memset(slot_line(u, slot, 0), WR_DUET_POISON, (size_t)d->st_lines * WR_DUET_LINE);
            wr_duet_forget_slot(u, slot);
        } else {
            leave(u, warp);
        }
    }
}

bool wr_duet_leaving(const wr_duet_sm *u, uint32_t warp)
{
    return warp / unit_warps(u->duet) == u->leaving;
}

void wr_duet_absent(wr_duet_sm *u, uint32_t warp)
{
    const uint32_t warps = unit_warps(u->duet);

    if (!wr_duet_leaving(u, warp) || warp % warps != warps - 1) {
        return;
    }
    u->leaving = WR_DUET_NONE;
    for (uint32_t w = warp + 1 - warps; w <= warp; w++) {
        wr_duet_set_free(u, w);
    }
}

static uint8_t *home_line(wr_duet_sm *u, uint32_t addr)
{
    return addr >= WR_CSL_META_SLOT ? slot_line(u, addr & (WR_DUET_SLOTS - 1), u->out.home_part)
                                    : wr_duet_line(u, addr);
}

/* One access of the storage: what is read is what was there before. */
static void access_lines(wr_duet_sm *u)
{
    const wr_gpuduet_out *o = &u->out;

    if (o->home_rd) {
        memcpy(u->home_read, home_line(u, o->home_raddr), WR_DUET_LINE);
    }
    if (o->away_rd) {
        memcpy(u->away_read, wr_duet_line(u, o->away_addr), WR_DUET_LINE);
    }
    if (o->home_wr) {
        memcpy(home_line(u, o->home_waddr), o->home_wdata, WR_DUET_LINE);
    }
    if (o->away_wr) {
        memcpy(wr_duet_line(u, o->away_addr), o->away_wdata, WR_DUET_LINE);
    }
    u->away_written += o->away_wr;
    u->counts.lines += (uint64_t)o->home_wr + o->away_wr;
}

/* Registers have moved: rows that nobody keeps, and lines of the context behind those written. */
static void poison_registers(wr_duet_sm *u)
{
    const uint32_t lines = wr_duet_body(u->duet);

    for (uint32_t r = 0; r < u->duet->regs; r++) {
        if (r >= WR_DUET_REGISTER_LINES || (u->kept >> r & 1) == 0) {
            wr_duet_fill(u, u->out.move_home + r, 1, WR_DUET_POISON);
        }
    }
    if (u->away_written < lines) {
        wr_duet_fill(u, u->out.move_away + u->away_written, lines - u->away_written,
                     WR_DUET_POISON);
    }
}

/* A job has ended: what it has left behind holds nothing any more. */
static void job_ended(wr_duet_sm *u)
{
    const wr_duet *d = u->duet;
    const wr_gpuduet_out *o = &u->out;

    if (!o->move_meta && !wr_duet_whole_tbs(d)) {
        poison_registers(u);
        return;
    }
    if (!o->move_out) {
        wr_duet_fill(u, o->move_away, o->move_meta ? d->st_lines : d->smem, WR_DUET_POISON);
    }
    if (o->move_meta) {
        return;
    }
    if (o->move_out) {
        unit_leaves(u);
        wr_sm_tb_share_at(u->sm, o->out_id, WR_ELSEWHERE);
    }
    if (o->move_in) {
        wr_sm_tb_share_at(u->sm, o->in_id, (o->move_home - d->rf_lines) * WR_DUET_LINE);
    } else {
        wr_duet_fill(u, o->move_home, d->smem, WR_DUET_POISON);
    }
}

void wr_duet_move(wr_duet_sm *u)
{
    const wr_gpuduet_out *o = &u->out;

    if (!o->move) {
        return;
    }
    if (o->mover_state == WR_CONTEXT_MOVER_IDLE) {
        u->kept = 0;
        u->away_written = 0;
    } else if (o->move_out && !wr_duet_whole_tbs(u->duet) && u->leaving == WR_DUET_NONE) {
        unit_leaves(u);
    }
    if (o->kinds && o->mover_state == WR_CONTEXT_MOVER_KINDS_IN) {
        u->kept = u->in.kind_low | u->in.kind_high;
    }
    access_lines(u);
    if (o->move_ack) {
        job_ended(u);
    }
}

void wr_duet_read(wr_duet_sm *u)
{
    if (u->out.home_rd) {
        memcpy(u->in.home_rdata, u->home_read, sizeof u->in.home_rdata);
    }
    if (u->out.away_rd) {
        memcpy(u->in.away_rdata, u->away_read, sizeof u->in.away_rdata);
    }
}
