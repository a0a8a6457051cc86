/* SPDX-License-Identifier: Apache-2.0 */
/* concurrency_manager: one decision an interval, in the plainest way: the levels are a list, a move
 * is a step in it. */
#include "refmodel/throttle/concurrency_manager.h"

#include "refmodel/minmax.h"
#include "refmodel/skip.h"

#include <assert.h>
#include <string.h>

enum {
    TOP_LEVEL = WR_THROTTLE_LEVELS - 1,
    MAX_WARPS = 48,
    STEP_WARPS = 8,   /* CM-CPU: steps of 1 below, of 2 above */
    FORCED_WARPS = 6, /* CM-BAL: the forced move goes up below */
    LAST_RUN = 3,     /* the fourth decision in a row that moves nothing is forced */
    LEAF_MAX = 1023,
    CORE_MAX = 2047,
};

/* Part 1's wish, as the pin part1 shows it. */
enum {
    KEEP,
    INCREASE,
    REDUCE,
};

static const uint8_t level_warps[WR_THROTTLE_LEVELS] = {1, 2, 3, 4, 6, 8, 16, 24, MAX_WARPS};

static int level_of(unsigned limit)
{
    int level = 0;
    while (level_warps[level] != limit) {
        level++;
        assert(level < WR_THROTTLE_LEVELS);
    }
    return level;
}

wr_status wr_concurrency_manager_init(wr_concurrency_manager *s,
                                      const wr_concurrency_manager_cfg *cfg)
{
    if (!wr_concurrency_manager_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_concurrency_manager_reset(s);
    return WR_OK;
}

void wr_concurrency_manager_reset(wr_concurrency_manager *s)
{
    const wr_concurrency_manager_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->balance_q = true;
    s->th_high_q = (uint16_t)cfg.interval;
    s->th_low_q = (uint16_t)(cfg.interval / 4);
    for (uint32_t c = 0; c < cfg.cores; c++) {
        s->limit_q[c] = MAX_WARPS;
    }
}

static bool deciding(const wr_concurrency_manager *s)
{
    return s->later_q && s->cyc_q == s->cfg.parts;
}

static unsigned wish(const wr_concurrency_manager *s)
{
    if (s->sum_mc_q >= s->th_high_q || s->sum_net_q >= s->th_high_q) {
        return REDUCE;
    }
    return s->sum_mc_q < s->th_low_q && s->sum_net_q < s->th_low_q ? INCREASE : KEEP;
}

void wr_concurrency_manager_eval(const wr_concurrency_manager *s,
                                 const wr_concurrency_manager_in *in,
                                 wr_concurrency_manager_out *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        out->limit[c] = s->limit_q[c];
    }
    out->decide = deciding(s);
    out->part1 = deciding(s) ? (uint8_t)wish(s) : KEEP;
    out->sum_mc = s->sum_mc_q;
    out->sum_net = s->sum_net_q;
    const unsigned core = in->core & 31u;
    const unsigned level = in->level & 15u;
    if (core < s->cfg.cores) {
        out->limit0 = (uint8_t)((s->limit_q[core] + 1u) / 2);
        out->limit1 = s->limit_q[core] / 2;
        out->stall = s->stall_q[core];
        out->run = s->run_q[core];
        if (level < WR_THROTTLE_LEVELS && (s->valid_q[core] >> level & 1u) != 0) {
            out->avg = s->avg_q[core][level];
            out->avg_valid = true;
        }
    }
    out->fault = s->fault_q;
}

static void start(wr_concurrency_manager *s, bool balance)
{
    s->cyc_q = 0;
    s->later_q = false;
    s->balance_q = balance;
    s->sum_mc_q = 0;
    s->sum_net_q = 0;
    memset(s->mc_q, 0, sizeof s->mc_q);
    memset(s->net_q, 0, sizeof s->net_q);
    memset(s->stall_q, 0, sizeof s->stall_q);
    memset(s->valid_q, 0, sizeof s->valid_q);
    memset(s->run_q, 0, sizeof s->run_q);
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        s->limit_q[c] = MAX_WARPS;
    }
}

static void decide_cpu(wr_concurrency_manager *s, uint32_t c, unsigned part1)
{
    const unsigned limit = s->limit_q[c];
    unsigned moved = limit;
    if (part1 == REDUCE) {
        moved = limit > STEP_WARPS ? limit - 2 : limit - 1;
        moved = (unsigned)wr_max(moved, 1);
    } else if (part1 == INCREASE) {
        moved = limit < STEP_WARPS ? limit + 1 : limit + 2;
        moved = (unsigned)wr_min(moved, MAX_WARPS);
    }
    s->limit_q[c] = (uint8_t)moved;
}

static bool has_avg(const wr_concurrency_manager *s, uint32_t c, int level)
{
    return level >= 0 && level <= TOP_LEVEL && (s->valid_q[c] >> level & 1u) != 0;
}

static void decide_balanced(wr_concurrency_manager *s, uint32_t c, unsigned part1, int k)
{
    const int level = level_of(s->limit_q[c]);
    const unsigned stall = s->stall_q[c];
    uint16_t *avg = s->avg_q[c];

    avg[level] = (uint16_t)(has_avg(s, c, level) ? (avg[level] + 3 * stall) / 4 : stall);
    s->valid_q[c] = (uint16_t)(s->valid_q[c] | 1u << level);

    int move = part1 == REDUCE ? -1 : part1 == INCREASE ? 1 : 0;
    if (level + move < 0 || level + move > TOP_LEVEL) {
        move = 0;
    }
    if (has_avg(s, c, level + 1) && avg[level] - avg[level + 1] > k) {
        move = 1;
    } else if (move < 0 && has_avg(s, c, level - 1) && avg[level - 1] - avg[level] > k) {
        move = 0;
    }
    if (move == 0 && s->run_q[c] == LAST_RUN) {
        move = s->limit_q[c] < FORCED_WARPS ? 1 : -1;
    }
    s->run_q[c] = (uint8_t)(move == 0 ? s->run_q[c] + 1 : 0);
    assert(level + move >= 0 && level + move <= TOP_LEVEL);
    s->limit_q[c] = level_warps[level + move];
}

static void decide(wr_concurrency_manager *s, unsigned knob)
{
    const int k = (int)((knob + 1) * s->cfg.interval / 32);
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        if (s->balance_q) {
            decide_balanced(s, c, wish(s), k);
        } else {
            decide_cpu(s, c, wish(s));
        }
    }
}

static unsigned stall_of(const wr_concurrency_manager_in *in, uint32_t core)
{
    return (unsigned)wr_min(in->stall_core[core] & 3u, 2);
}

static uint16_t count(uint16_t counter, unsigned stall, unsigned most)
{
    return (uint16_t)wr_min(counter + stall, most);
}

/* Every counter, with the stalls of n cycles; those that are read in the first begin with them. */
static void count_stalls(wr_concurrency_manager *s, const wr_concurrency_manager_in *in, uint32_t n)
{
    for (uint32_t p = 0; p < s->cfg.parts; p++) {
        const bool read = s->cyc_q == p;
        if (read) {
            s->sum_mc_q = (uint16_t)((p == 0 ? 0 : s->sum_mc_q) + s->mc_q[p]);
            s->sum_net_q = (uint16_t)((p == 0 ? 0 : s->sum_net_q) + s->net_q[p]);
        }
        s->mc_q[p] = count(read ? 0 : s->mc_q[p], n * in->stall_mc[p], LEAF_MAX);
        s->net_q[p] = count(read ? 0 : s->net_q[p], n * in->stall_net[p], LEAF_MAX);
    }
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        const bool read = s->cyc_q == s->cfg.parts;
        s->stall_q[c] = count(read ? 0 : s->stall_q[c], n * stall_of(in, c), CORE_MAX);
    }
}

void wr_concurrency_manager_tick(wr_concurrency_manager *s, const wr_concurrency_manager_in *in)
{
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        s->fault_q = s->fault_q || (in->stall_core[c] & 3u) == 3;
    }
    if (!in->start) {
        const bool gathers = s->cyc_q <= s->cfg.parts;
        s->fault_q = s->fault_q || (in->cut && gathers);
        if (deciding(s)) {
            decide(s, in->k & 3u);
        }
        count_stalls(s, in, 1);
        if ((in->cut && !gathers) || s->cyc_q == s->cfg.interval - 1) {
            s->cyc_q = 0;
            s->later_q = true;
        } else {
            s->cyc_q++;
        }
    } else {
        start(s, in->balance);
    }
    if (in->load) {
        s->th_high_q = in->th_high & 0x1fffu;
        s->th_low_q = in->th_low & 0x1fffu;
        s->fault_q = s->fault_q || s->th_low_q > s->th_high_q;
    }
}

static void tick(void *s, const void *in)
{
    wr_concurrency_manager_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_concurrency_manager_eval(s, in, out);
}

/* To the last cycle of the interval, once its counters are read and the limits moved; while start
 * is held, for ever. */
static uint64_t coast(void *state, const void *pins, uint64_t most)
{
    wr_concurrency_manager *s = state;
    const wr_concurrency_manager_in *in = pins;

    if (in->start) {
        return most;
    }
    if (in->cut || s->cyc_q <= s->cfg.parts) {
        return 0;
    }
    const uint32_t room = s->cfg.interval - 1 - s->cyc_q;
    const uint32_t n = (uint32_t)wr_min(most, room);
    count_stalls(s, in, n);
    s->cyc_q = (uint16_t)(s->cyc_q + n);
    return n;
}

static const wr_skip free_run = {sizeof(wr_concurrency_manager), sizeof(wr_concurrency_manager_out),
                                 tick, eval, coast};

void wr_concurrency_manager_skip(wr_concurrency_manager *s, const wr_concurrency_manager_in *in,
                                 uint64_t n)
{
    wr_concurrency_manager mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.interval, n);
}

uint64_t wr_concurrency_manager_quiet(const wr_concurrency_manager *s,
                                      const wr_concurrency_manager_in *in)
{
    wr_concurrency_manager copy;
    wr_concurrency_manager mark;
    wr_concurrency_manager_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &mark, in, out);
}
