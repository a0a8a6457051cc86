/* SPDX-License-Identifier: Apache-2.0 */
/* GDDR5 channel; see gddr5.h. */
#include "shell/memory/gddr5.h"

#include <assert.h>
#include <string.h>

#define NEVER UINT64_MAX

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void wr_gddr5_init(wr_gddr5 *ch, const wr_gddr5_config *cfg)
{
    assert(cfg->banks <= WR_GDDR5_MAX_BANKS && cfg->groups <= WR_GDDR5_MAX_GROUPS);
    assert(cfg->queue <= WR_GDDR5_MAX_QUEUE && cfg->burst_clocks <= cfg->t.ccd);
    memset(ch, 0, sizeof *ch);
    ch->cfg = *cfg;
    ch->refresh_due = cfg->t.refi != 0 ? cfg->t.refi : NEVER;
    ch->next = ch->refresh_due;
}

void wr_gddr5_observe(wr_gddr5 *ch, wr_gddr5_watch watch, void *arg)
{
    ch->watch = watch;
    ch->watch_arg = arg;
}

static void tell(const wr_gddr5 *ch, uint64_t now, wr_gddr5_command command, uint32_t bank,
                 uint32_t row, uint32_t column)
{
    if (ch->watch != NULL) {
        ch->watch(ch->watch_arg, now, command, bank, row, column);
    }
}

static void count_occupancy(wr_gddr5 *ch, uint64_t now)
{
    ch->stats.occupancy += (now - ch->counted_to) * ch->count;
    ch->counted_to = now;
}

bool wr_gddr5_has_room(const wr_gddr5 *ch)
{
    /* Reads that wait in `done` keep their place, so that the ring can't overflow. */
    return ch->count < ch->cfg.queue && ch->count + ch->done_count < 2 * WR_GDDR5_MAX_QUEUE;
}

void wr_gddr5_push(wr_gddr5 *ch, uint64_t now, const wr_gddr5_request *request)
{
    assert(wr_gddr5_has_room(ch) && request->bank < ch->cfg.banks && request->bursts != 0);
    count_occupancy(ch, now);
    uint32_t bank = request->bank;
    uint64_t bit = UINT64_C(1) << ch->count;
    ch->queue[ch->count] = *request;
    ch->queue[ch->count].arrived = now;
    ch->count++;
    ch->all[bank] |= bit;
    ch->busy |= 1u << bank;
    if ((ch->open >> bank & 1) != 0 && ch->row[bank] == request->row) {
        ch->hit[bank] |= bit;
    }
    ch->write_mask |= request->write ? bit : 0;
    ch->low_mask |= request->low ? bit : 0;
    ch->writes += request->write ? 1 : 0;
    ch->stats.reads += request->write ? 0 : 1;
    ch->stats.writes += request->write ? 1 : 0;
    ch->stats.asked_bursts += request->bursts;
    ch->next = now < ch->next ? later(now, ch->free_at) : ch->next;
}

static uint64_t without(uint64_t mask, uint32_t at)
{
    uint64_t below = (UINT64_C(1) << at) - 1;
    return (mask & below) | (mask >> 1 & ~below);
}

/* Takes queue[at] out of the queue and all masks. */
static void drop(wr_gddr5 *ch, uint32_t at)
{
    uint32_t bank = ch->queue[at].bank;
    ch->writes -= ch->queue[at].write ? 1 : 0;
    ch->draining = ch->draining && ch->writes != 0;
    ch->count--;
    memmove(&ch->queue[at], &ch->queue[at + 1], (ch->count - at) * sizeof ch->queue[0]);
    for (uint32_t b = 0; b < ch->cfg.banks; b++) {
        ch->all[b] = without(ch->all[b], at);
        ch->hit[b] = without(ch->hit[b], at);
    }
    ch->write_mask = without(ch->write_mask, at);
    ch->low_mask = without(ch->low_mask, at);
    ch->missed = without(ch->missed, at);
    if (ch->all[bank] == 0) {
        ch->busy &= ~(1u << bank);
    }
}

static void activate(wr_gddr5 *ch, uint64_t now, uint32_t at)
{
    const wr_gddr5_timing *t = &ch->cfg.t;
    uint32_t bank = ch->queue[at].bank;
    uint32_t row = ch->queue[at].row;
    ch->open |= 1u << bank;
    ch->row[bank] = row;
    ch->column_at[bank] = now + t->rcd;
    ch->precharge_at[bank] = now + t->ras;
    ch->activate_at[bank] = now + t->rc;
    ch->any_activate_at = now + t->rrd;
    for (uint64_t left = ch->all[bank]; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (ch->queue[i].row == row) {
            ch->hit[bank] |= UINT64_C(1) << i;
        }
    }
    ch->missed |= UINT64_C(1) << at;
    ch->stats.activates++;
    tell(ch, now, WR_GDDR5_ACTIVATE, bank, row, 0);
}

static void precharge(wr_gddr5 *ch, uint64_t now, uint32_t bank)
{
    ch->open &= ~(1u << bank);
    ch->hit[bank] = 0;
    ch->activate_at[bank] = later(ch->activate_at[bank], now + ch->cfg.t.rp);
    ch->stats.precharges++;
    tell(ch, now, WR_GDDR5_PRECHARGE, bank, ch->row[bank], 0);
}

static void column(wr_gddr5 *ch, uint64_t now, uint32_t at)
{
    const wr_gddr5_timing *t = &ch->cfg.t;
    uint32_t burst = ch->cfg.burst_clocks;
    wr_gddr5_request *r = &ch->queue[at];
    uint32_t bank = r->bank;
    uint64_t recover = now + (r->write ? t->wl + burst + t->wr : t->rtp);
    ch->precharge_at[bank] = later(ch->precharge_at[bank], recover);
    ch->group_at[bank & (ch->cfg.groups - 1)] = now + t->ccdl;
    ch->any_column_at = now + t->ccd;
    if (r->write) {
        ch->any_read_at = now + t->wl + burst + t->cdlr;
        ch->stats.write_bursts++;
    } else {
        /* Two clocks for the data bus to turn round. */
        uint32_t free = t->cl + burst + 2;
        ch->any_write_at = now + (free > t->wl ? free - t->wl : 0);
        ch->stats.read_bursts++;
    }
    tell(ch, now, r->write ? WR_GDDR5_WRITE : WR_GDDR5_READ, bank, r->row, r->column);
    r->column++;
    r->bursts--;
    if (r->bursts != 0) {
        return;
    }
    if (!r->write) {
        uint32_t slot = (ch->done_head + ch->done_count) % (2 * WR_GDDR5_MAX_QUEUE);
        ch->done[slot].at = now + t->cl + burst;
        ch->done[slot].tag = r->tag;
        ch->done_count++;
    }
    ch->stats.row_hits += (ch->missed >> at & 1) == 0 ? 1 : 0;
    wr_histogram_add(&ch->stats.queue_latency, now - r->arrived);
    count_occupancy(ch, now);
    drop(ch, at);
}

/* A refresh is due: close every bank, wait until all may be activated, refresh. */
static void refresh(wr_gddr5 *ch, uint64_t now)
{
    uint64_t ready = ch->open != 0 ? NEVER : now;
    uint32_t first = 0;
    for (uint32_t b = 0; b < ch->cfg.banks; b++) {
        if (ch->open == 0) {
            ready = later(ready, ch->activate_at[b]);
        } else if ((ch->open >> b & 1) != 0 && ch->precharge_at[b] < ready) {
            ready = ch->precharge_at[b];
            first = b;
        }
    }
    if (ready > now) {
        ch->next = ready;
        return;
    }
    ch->next = now + 1;
    if (ch->open != 0) {
        precharge(ch, now, first);
        return;
    }
    for (uint32_t b = 0; b < ch->cfg.banks; b++) {
        ch->activate_at[b] = now + ch->cfg.t.rfc;
    }
    ch->refresh_due += ch->cfg.t.refi;
    ch->stats.refreshes++;
    tell(ch, now, WR_GDDR5_REFRESH, 0, 0, 0);
}

/* Context traffic that has not aged yet. */
static uint64_t patient(const wr_gddr5 *ch, uint64_t now)
{
    uint64_t mask = ch->low_mask;
    for (uint64_t left = mask; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        if (now - ch->queue[i].arrived < ch->cfg.aging) {
            break; /* those behind it are younger */
        }
        mask &= ~(UINT64_C(1) << i);
    }
    return mask;
}

/* Reads go first; writes are drained in runs, since turning the data bus round costs. Where writes
 * never stop coming a run has no end, so it gives way to a read that has aged. */
static uint64_t served(wr_gddr5 *ch, uint64_t low)
{
    uint32_t reads = ch->count - ch->writes;
    if ((ch->low_mask & ~low & ~ch->write_mask) != 0) {
        ch->draining = false;
    } else if (ch->draining) {
        ch->draining = ch->writes != 0 && (reads == 0 || ch->writes > ch->cfg.write_low);
    } else {
        ch->draining = ch->writes != 0 && (reads == 0 || ch->writes >= ch->cfg.write_high);
    }
    return ch->draining ? ch->write_mask : ~ch->write_mask;
}

/* What could leave, and when the next could. */
typedef struct choice {
    uint64_t columns, rows; /* requests whose column or row command may leave now */
    uint64_t next;          /* of all others */
} choice;

static void consider(choice *c, uint64_t now, uint64_t at, uint64_t *set, uint64_t requests)
{
    if (at <= now) {
        *set |= requests;
    } else if (at < c->next) {
        c->next = at;
    }
}

/* One class of requests: in each bank its row hits, or else the row command of its oldest. */
static choice survey(const wr_gddr5 *ch, uint64_t now, uint64_t set, uint64_t claimed)
{
    choice c = {.next = NEVER};
    uint64_t bus = later(ch->any_column_at, ch->draining ? ch->any_write_at : ch->any_read_at);
    for (uint32_t left = ch->busy; left != 0; left &= left - 1) {
        uint32_t b = (uint32_t)__builtin_ctz(left);
        uint64_t hits = ch->hit[b] & set;
        uint64_t wants = ch->all[b] & set;
        if (hits != 0) {
            uint64_t at = later(ch->column_at[b], ch->group_at[b & (ch->cfg.groups - 1)]);
            consider(&c, now, later(at, bus), &c.columns, hits);
        } else if (wants != 0 && (ch->hit[b] & claimed) == 0) {
            bool open = (ch->open >> b & 1) != 0;
            uint64_t at =
                open ? ch->precharge_at[b] : later(ch->activate_at[b], ch->any_activate_at);
            consider(&c, now, at, &c.rows, wants & (~wants + 1));
        }
    }
    return c;
}

/* Gives the class's best command; false: none can leave now. */
static bool give(wr_gddr5 *ch, uint64_t now, const choice *c)
{
    if (c->columns != 0) {
        column(ch, now, (uint32_t)__builtin_ctzll(c->columns));
        return true;
    }
    if (c->rows == 0) {
        return false;
    }
    uint32_t at = (uint32_t)__builtin_ctzll(c->rows);
    uint32_t bank = ch->queue[at].bank;
    if ((ch->open >> bank & 1) != 0) {
        ch->missed |= UINT64_C(1) << at;
        precharge(ch, now, bank);
    } else {
        activate(ch, now, at);
    }
    return true;
}

void wr_gddr5_tick(wr_gddr5 *ch, uint64_t now)
{
    if (now < ch->next) {
        return;
    }
    ch->free_at = now + 1;
    if (now >= ch->refresh_due) {
        refresh(ch, now);
        return;
    }
    uint64_t low = patient(ch, now);
    uint64_t set = served(ch, low);
    choice urgent = survey(ch, now, set & ~low, 0);
    if (give(ch, now, &urgent)) {
        ch->next = ch->count != 0 ? now + 1 : ch->refresh_due;
        return;
    }
    /* A row that a regular request still needs stays open. */
    choice rest = survey(ch, now, set & low, set & ~low);
    if (give(ch, now, &rest)) {
        ch->next = ch->count != 0 ? now + 1 : ch->refresh_due;
        return;
    }
    uint64_t next = urgent.next < rest.next ? urgent.next : rest.next;
    if (low != 0) { /* its oldest ages */
        uint64_t at = ch->queue[__builtin_ctzll(low)].arrived + ch->cfg.aging;
        next = at < next ? at : next;
    }
    ch->next = next < ch->refresh_due ? next : ch->refresh_due;
}

bool wr_gddr5_take(wr_gddr5 *ch, uint64_t now, uint32_t *tag)
{
    if (wr_gddr5_take_at(ch) > now) {
        return false;
    }
    *tag = ch->done[ch->done_head].tag;
    ch->done_head = (ch->done_head + 1) % (2 * WR_GDDR5_MAX_QUEUE);
    ch->done_count--;
    return true;
}

uint64_t wr_gddr5_take_at(const wr_gddr5 *ch)
{
    return ch->done_count != 0 ? ch->done[ch->done_head].at : NEVER;
}

wr_gddr5_stats wr_gddr5_totals(const wr_gddr5 *ch, uint64_t now)
{
    wr_gddr5_stats s = ch->stats;
    s.occupancy += (now - ch->counted_to) * ch->count;
    return s;
}
