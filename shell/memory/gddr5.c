/* SPDX-License-Identifier: Apache-2.0 */
/* GDDR5 channel; see gddr5.h. */
#include "shell/memory/gddr5.h"

#include <assert.h>
#include <string.h>

#define NEVER UINT64_MAX
#define NONE  UINT32_MAX

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t longer(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void wr_gddr5_init(wr_gddr5 *ch, const wr_gddr5_config *cfg)
{
    assert(cfg->banks <= WR_GDDR5_MAX_BANKS && cfg->groups <= WR_GDDR5_MAX_GROUPS);
    assert(cfg->queue <= WR_GDDR5_MAX_QUEUE && cfg->burst_clocks <= cfg->t.ccd);
    memset(ch, 0, sizeof *ch);
    ch->cfg = *cfg;
    const wr_gddr5_timing *t = &cfg->t;
    uint32_t read_end = t->cl + cfg->burst_clocks + 2; /* two clocks to turn the data bus round */
    uint32_t write_end = t->wl + cfg->burst_clocks;
    ch->behind[0].precharge = t->rtp;
    ch->behind[0].other = longer(t->ccd, read_end > t->wl ? read_end - t->wl : 0);
    ch->behind[1].precharge = write_end + t->wr;
    ch->behind[1].other = longer(t->ccd, write_end + t->cdlr);
    ch->refresh_due = cfg->t.refi != 0 ? cfg->t.refi : NEVER;
    ch->next = ch->refresh_due;
    ch->plan.request = NONE;
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
    ch->waiting |= bit;
    ch->all[bank] |= bit;
    if (is_open(ch, bank) && ch->row[bank] == request->row) {
        ch->hit[bank] |= bit;
        ch->hits |= bit;
    } else {
        sooner(&ch->row_at, row_command_at(ch, bank));
    }
    ch->covered |= ch->hit[bank] != 0 ? ch->all[bank] : 0;
    ch->low_mask |= request->low ? bit : 0;
    if (request->write) {
        ch->write_mask |= bit;
        ch->writes++;
        ch->stats.writes++;
    } else {
        ch->stats.reads++;
    }
    ch->stats.asked_bursts += request->bursts;
    ch->plan.request = NONE;
    ch->next = now < ch->next ? later(now, ch->free_at) : ch->next;
}

static uint64_t without(uint64_t mask, uint32_t at)
{
    uint64_t below = (UINT64_C(1) << at) - 1;
    return (mask & below) | (mask >> 1 & ~below);
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
    ch->waiting >>= 1;
    memmove(&ch->queue[at], &ch->queue[at + 1], (ch->count - at) * sizeof ch->queue[0]);
    for (uint32_t b = 0; b < ch->cfg.banks; b++) { /* of all, for the sake of vectors */
        ch->all[b] = without(ch->all[b], at);
        ch->hit[b] = without(ch->hit[b], at);
    }
    ch->hits = without(ch->hits, at);
    ch->covered = without(ch->covered, at);
    ch->covered &= ch->hit[bank] != 0 ? UINT64_MAX : ~ch->all[bank];
    ch->write_mask = without(ch->write_mask, at);
    ch->low_mask = without(ch->low_mask, at);
    ch->missed = without(ch->missed, at);
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
    wr_gddr5_request *r = &ch->queue[at];
    uint32_t bank = r->bank;
    uint32_t kind = r->write ? 1 : 0;
    ch->precharge_at[bank] = later(ch->precharge_at[bank], now + ch->behind[kind].precharge);
    ch->group_at[bank & (ch->cfg.groups - 1)] = now + t->ccdl;
    ch->bus_at[kind] = now + t->ccd;
    ch->bus_at[kind ^ 1] = now + ch->behind[kind].other;
    *(r->write ? &ch->stats.write_bursts : &ch->stats.read_bursts) += 1;
    tell(ch, now, r->write ? WR_GDDR5_WRITE : WR_GDDR5_READ, bank, r->row, r->column);
    r->column++;
    r->bursts--;
    if (r->bursts != 0) {
        return;
    }
    if (!r->write) {
        uint32_t slot = (ch->done_head + ch->done_count) % (2 * WR_GDDR5_MAX_QUEUE);
        ch->done[slot].at = now + t->cl + ch->cfg.burst_clocks;
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
    ch->plan.request = NONE;
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
 * never stop coming a run has no end, so it gives way to a read that has aged. `low`: what has
 * not. */
static bool drains(const wr_gddr5 *ch, uint64_t low)
{
    uint32_t enough = ch->draining ? ch->cfg.write_low + 1 : ch->cfg.write_high;
    return ch->writes != 0 && (ch->writes == ch->count || ch->writes >= enough) &&
           (ch->low_mask & ~low & ~ch->write_mask) == 0;
}

/* Plans a column command for the row hit of a class of requests that can have it first, the oldest
 * of several, where that is before what is planned. Nothing can leave before `from`. */
static void plan_column(const wr_gddr5 *ch, uint64_t from, uint64_t set, wr_gddr5_plan *plan)
{
    uint64_t bus = later(from, ch->bus_at[ch->draining ? 1 : 0]);
    for (uint64_t left = ch->hits & set; left != 0;) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = ch->queue[i].bank;
        uint64_t at = later(ch->column_at[b], ch->group_at[b & (ch->cfg.groups - 1)]);
        at = later(at, bus);
        if (at < plan->at) {
            *plan = (wr_gddr5_plan){.at = at, .request = i, .column = true};
        }
        if (at == bus) {
            break; /* no other is sooner */
        }
        left &= ~ch->hit[b];
    }
}

/* The same for a row command of requests whose bank has no hit, neither in the class nor in the
 * one that goes first. Returns when one can leave. */
static uint64_t plan_row(const wr_gddr5 *ch, uint64_t from, uint64_t set, uint64_t claimed,
                         wr_gddr5_plan *plan)
{
    uint64_t first = NEVER;
    bool all = set == ch->waiting;
    for (uint64_t left = set & ~(all ? ch->covered : ch->hits); left != 0 && first != from;) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint32_t b = ch->queue[i].bank;
        left &= ~ch->all[b];
        if ((ch->hit[b] & (set | claimed)) != 0) {
            continue;
        }
        uint64_t at = later(from, row_command_at(ch, b));
        sooner(&first, at);
        if (at < plan->at) {
            *plan = (wr_gddr5_plan){.at = at, .request = i};
        }
    }
    return first;
}

/* Context traffic that has not aged goes where nothing else can, but a row that a regular request
 * still needs stays open. */
static wr_gddr5_plan plan_low(const wr_gddr5 *ch, uint64_t from, uint64_t set, uint64_t low,
                              wr_gddr5_plan plan)
{
    plan_column(ch, from, set & low, &plan);
    (void)plan_row(ch, from, set & low, set & ~low, &plan);
    uint64_t ages_at = ch->queue[__builtin_ctzll(low)].arrived + ch->cfg.aging;
    return ages_at <= plan.at ? (wr_gddr5_plan){.at = ages_at, .request = NONE} : plan;
}

/* What is given next, from a clock on. */
static void make_plan(wr_gddr5 *ch, uint64_t from, uint64_t low)
{
    wr_gddr5_plan plan = {.at = ch->refresh_due, .request = NONE};
    uint64_t set = ch->draining ? ch->write_mask : ch->waiting & ~ch->write_mask;
    if (ch->low_mask != 0) { /* what is urgent changes with time */
        ch->row_at = 0;
    }
    plan_column(ch, from, set & ~low, &plan);
    if (ch->row_at < plan.at) {
        ch->row_at = plan_row(ch, from, set & ~low, 0, &plan);
    }
    if (low != 0) {
        plan = plan_low(ch, from, set, low, plan);
    }
    ch->plan = plan;
}

/* Does what is planned. */
static void give(wr_gddr5 *ch, uint64_t now)
{
    uint32_t at = ch->plan.request;
    assert(at < ch->count && ch->count <= WR_GDDR5_MAX_QUEUE);
    uint32_t bank = ch->queue[at].bank;
    if (ch->plan.column) {
        column(ch, now, at);
    } else if (is_open(ch, bank)) {
        ch->missed |= UINT64_C(1) << at;
        precharge(ch, now, bank);
    } else {
        activate(ch, now, at);
    }
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
    bool planned = ch->plan.request != NONE;
    for (uint64_t from = now; !planned || ch->plan.at <= now; planned = true) {
        if (planned) {
            give(ch, now);
            from = now + 1;
        }
        uint64_t low = ch->low_mask != 0 ? patient(ch, from) : 0;
        bool draining = drains(ch, low);
        bool turns = draining != ch->draining;
        if (turns && from != now) { /* a request that comes before has a say in it */
            ch->plan.request = NONE;
            ch->next = from;
            return;
        }
        set_draining(ch, draining);
        make_plan(ch, from, low);
    }
    ch->next = ch->plan.at;
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
