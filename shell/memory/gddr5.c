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

static inline void sooner(uint64_t *next, uint64_t at)
{
    *next = at < *next ? at : *next;
}

static inline bool is_open(const wr_gddr5 *ch, uint32_t bank)
{
    return (ch->open >> bank & 1) != 0;
}

/* When the row command that a bank with no hit needs may leave. */
static inline uint64_t row_command_at(const wr_gddr5 *ch, uint32_t bank)
{
    return is_open(ch, bank) ? ch->precharge_at[bank]
                             : later(ch->activate_at[bank], ch->any_activate_at);
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
    if (is_open(ch, bank) && ch->row[bank] == request->row) {
        ch->hit[bank] |= bit;
        ch->hits |= bit;
    } else {
        sooner(&ch->row_at, row_command_at(ch, bank));
    }
    ch->covered |= ch->hit[bank] != 0 ? ch->all[bank] : 0;
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

/* All of the queue. */
static inline uint64_t waiting(const wr_gddr5 *ch)
{
    return ch->count != 0 ? UINT64_MAX >> (64 - ch->count) : 0;
}

static void set_draining(wr_gddr5 *ch, bool draining)
{
    if (draining != ch->draining) {
        ch->draining = draining;
        ch->row_at = 0;
    }
}

/* Takes queue[at] out of the queue and all masks. */
static void drop(wr_gddr5 *ch, uint32_t at)
{
    uint32_t bank = ch->queue[at].bank;
    ch->writes -= ch->queue[at].write ? 1 : 0;
    set_draining(ch, ch->draining && ch->writes != 0);
    ch->count--;
    memmove(&ch->queue[at], &ch->queue[at + 1], (ch->count - at) * sizeof ch->queue[0]);
    for (uint32_t left = ch->busy; left != 0; left &= left - 1) {
        uint32_t b = (uint32_t)__builtin_ctz(left);
        ch->all[b] = without(ch->all[b], at);
        ch->hit[b] = without(ch->hit[b], at);
    }
    ch->hits = without(ch->hits, at);
    ch->covered = without(ch->covered, at);
    ch->covered &= ch->hit[bank] != 0 ? UINT64_MAX : ~ch->all[bank];
    ch->write_mask = without(ch->write_mask, at);
    ch->low_mask = without(ch->low_mask, at);
    ch->missed = without(ch->missed, at);
    if (ch->all[bank] == 0) {
        ch->busy &= ~(1u << bank);
    }
    sooner(&ch->row_at, row_command_at(ch, bank)); /* it may have been the last hit */
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
    ch->hits |= ch->hit[bank];
    ch->covered |= ch->all[bank];
    ch->missed |= UINT64_C(1) << at;
    ch->stats.activates++;
    tell(ch, now, WR_GDDR5_ACTIVATE, bank, row, 0);
}

static void precharge(wr_gddr5 *ch, uint64_t now, uint32_t bank)
{
    ch->open &= ~(1u << bank);
    ch->hits &= ~ch->hit[bank];
    ch->covered &= ~ch->all[bank];
    ch->hit[bank] = 0;
    ch->activate_at[bank] = later(ch->activate_at[bank], now + ch->cfg.t.rp);
    sooner(&ch->row_at, row_command_at(ch, bank));
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
    ch->under_way = r->bursts != 0;
    if (ch->under_way) {
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
        set_draining(ch, false);
    } else if (ch->draining) {
        set_draining(ch, ch->writes != 0 && (reads == 0 || ch->writes > ch->cfg.write_low));
    } else {
        set_draining(ch, ch->writes != 0 && (reads == 0 || ch->writes >= ch->cfg.write_high));
    }
    if (ch->low_mask != 0) { /* what is urgent changes with time */
        ch->row_at = 0;
    }
    return waiting(ch) & (ch->draining ? ch->write_mask : ~ch->write_mask);
}

/* A column command for the oldest row hit of a class of requests. False: none can leave now, and
 * *next is no later than when one can. */
static bool give_column(wr_gddr5 *ch, uint64_t now, uint64_t set, uint64_t *next)
{
    uint64_t bus = later(ch->any_column_at, ch->draining ? ch->any_write_at : ch->any_read_at);
    for (uint64_t left = ch->hits & set; left != 0;) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = ch->queue[i].bank;
        uint64_t at = later(ch->column_at[b], ch->group_at[b & (ch->cfg.groups - 1)]);
        at = later(at, bus);
        if (at <= now) {
            column(ch, now, i);
            return true;
        }
        sooner(next, at);
        if (at == bus) {
            return false; /* no other is sooner */
        }
        left &= ~ch->hit[b];
    }
    return false;
}

/* A row command for the oldest request of the class whose bank has no hit, neither in the class nor
 * in the one that goes first. False: none can leave now, and *next is when one can. */
static bool give_row(wr_gddr5 *ch, uint64_t now, uint64_t set, uint64_t claimed, uint64_t *next)
{
    *next = NEVER;
    bool all = set == waiting(ch);
    for (uint64_t left = set & ~(all ? ch->covered : ch->hits); left != 0;) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = ch->queue[i].bank;
        left &= ~ch->all[b];
        if ((ch->hit[b] & (set | claimed)) != 0) {
            continue;
        }
        uint64_t at = row_command_at(ch, b);
        if (at > now) {
            sooner(next, at);
            continue;
        }
        if (is_open(ch, b)) {
            ch->missed |= UINT64_C(1) << i;
            precharge(ch, now, b);
        } else {
            activate(ch, now, i);
        }
        *next = now + 1; /* the others have not been looked at */
        return true;
    }
    return false;
}

void wr_gddr5_tick(wr_gddr5 *ch, uint64_t now)
{
    if (now < ch->next) {
        return;
    }
    ch->free_at = now + 1;
    ch->under_way = false;
    if (now >= ch->refresh_due) {
        refresh(ch, now);
        return;
    }
    uint64_t low = ch->low_mask != 0 ? patient(ch, now) : 0;
    uint64_t set = served(ch, low);
    uint64_t next = ch->refresh_due;
    bool given = give_column(ch, now, set & ~low, &next) ||
                 (ch->row_at <= now && give_row(ch, now, set & ~low, 0, &ch->row_at));
    sooner(&next, ch->row_at);
    if (low != 0 && !given) { /* a row that a regular request still needs stays open */
        uint64_t row_at = NEVER;
        sooner(&next,
               ch->queue[__builtin_ctzll(low)].arrived + ch->cfg.aging); /* its oldest ages */
        given = give_column(ch, now, set & low, &next) ||
                give_row(ch, now, set & low, set & ~low, &row_at);
        sooner(&next, row_at);
    }
    if (given && ch->under_way && ch->low_mask == 0) {
        sooner(&next, ch->any_column_at); /* who is served stays so */
    } else if (given) {
        next = ch->count != 0 ? now + 1 : ch->refresh_due;
    }
    ch->next = next;
}

uint32_t wr_gddr5_take(wr_gddr5 *ch)
{
    assert(ch->done_count != 0);
    uint32_t tag = ch->done[ch->done_head].tag;
    ch->done_head = (ch->done_head + 1) % (2 * WR_GDDR5_MAX_QUEUE);
    ch->done_count--;
    return tag;
}

wr_gddr5_stats wr_gddr5_totals(const wr_gddr5 *ch, uint64_t now)
{
    wr_gddr5_stats s = ch->stats;
    s.occupancy += (now - ch->counted_to) * ch->count;
    return s;
}
