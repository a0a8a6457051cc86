/* SPDX-License-Identifier: Apache-2.0 */
/* drf_partitioner: of every kernel in the deal the RTL keeps what the model multiplies anew: what
 * its TBs take of each resource, and their dominant share over the common denominator. A share of
 * the model is a fraction; lemmas say that those compare as their numerators over that denominator
 * do, and that the largest of n times some numbers is n times the largest. */
// cases: phase_q
// cases: in_q
#include "refmodel/sharing/drf_partitioner.h"
#include "formal/rel/relate.h"

/* taken / limit */
typedef struct share {
    uint64_t taken;
    uint64_t limit;
} share;

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static uint64_t multiple(uint64_t a, uint64_t b)
{
    const uint64_t common = divisor(a, b);
    return common == 0 ? 0 : a / common * b;
}

/* Of each resource, and the unit in which the RTL counts: all limits have the same number. */
static uint64_t limit[WR_DRF_RESOURCES], unit[WR_DRF_RESOURCES];

static void set_limits(const wr_drf_partitioner_cfg *cfg)
{
    limit[WR_DRF_REG] = cfg->reg_limit;
    limit[WR_DRF_THREAD] = cfg->thread_limit;
    limit[WR_DRF_SMEM] = cfg->smem_limit;
    limit[WR_DRF_TB] = cfg->tb_limit;
    const uint64_t scale = multiple(multiple(limit[WR_DRF_REG], limit[WR_DRF_THREAD]),
                                    multiple(limit[WR_DRF_SMEM], limit[WR_DRF_TB]));
    for (uint32_t r = 0; r < WR_DRF_RESOURCES; r++) {
        unit[r] = scale / limit[r];
    }
}

/* x1 = x0 + 1 */
static bool one_more(const uint64_t *x)
{
    return x[0] > 64 || x[2] >> 42 != 0 || x[1] != x[0] + 1 || x[1] * x[2] == x[0] * x[2] + x[2];
}

static bool none(const uint64_t *x)
{
    return x[0] != 0 || x[0] * x[1] == 0;
}

static bool monotone(const uint64_t *x)
{
    return x[0] > 64 || x[2] >> 42 != 0 || x[1] > x[2] || x[0] * x[1] <= x[0] * x[2];
}

static bool associative(const uint64_t *x)
{
    return x[0] * x[1] * x[2] == x[0] * (x[1] * x[2]);
}

static bool same(const uint64_t *x)
{
    return x[0] != x[1] || x[0] * x[2] == x[1] * x[2];
}

/* x0 / x1 to x2 / x3, where x1 and x3 are limits. */
static bool crosswise(const uint64_t *x)
{
    bool holds = true;
    for (uint32_t a = 0; a < WR_DRF_RESOURCES; a++) {
        for (uint32_t b = 0; b < WR_DRF_RESOURCES; b++) {
            const uint64_t left = x[0] * unit[a], right = x[2] * unit[b];
            holds = holds &&
                    (x[0] >> 20 != 0 || x[2] >> 20 != 0 || x[1] != limit[a] || x[3] != limit[b] ||
                     ((x[0] * x[3] < x[2] * x[1]) == (left < right) &&
                      (x[0] * x[3] > x[2] * x[1]) == (left > right)));
        }
    }
    return holds;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* As the model has it. */
static int compare(share a, share b, wr_when when)
{
    const uint64_t left = a.taken * b.limit;
    const uint64_t right = b.taken * a.limit;
    LEMMA(crosswise, a.taken, a.limit, b.taken, b.limit);
    return (left > right) - (left < right);
}

/* The dominant share of n TBs, as the model finds it; it has so many units. */
static share dominant(uint64_t n, const uint64_t *demand, uint64_t units, wr_when when)
{
    share best = {n, limit[WR_DRF_TB]};
    for (uint32_t r = 0; r < WR_DRF_TB; r++) {
        const share other = {n * demand[r], limit[r]};
        if (compare(other, best, when) > 0) {
            best = other;
        }
        LEMMA(same, best.taken, n, unit[WR_DRF_TB]);
        for (uint32_t i = 0; i <= r; i++) {
            LEMMA(same, best.taken, n * demand[i], unit[i]);
        }
    }
    for (uint32_t r = 0; r < WR_DRF_RESOURCES; r++) {
        FOLLOWS(best.limit != limit[r] || best.taken * unit[r] == units);
    }
    return best;
}

void relate(wr_drf_partitioner *s, wr_when when)
{
    const uint32_t kernels = s->cfg.kernels;
    const bool deal = s->phase_q == WR_DRF_DEAL, layout = s->phase_q == WR_DRF_LAYOUT;
    uint64_t sum[WR_DRF_TB] = {0}, tbs[WR_DRF_KERNELS_MAX], tb_sum = 0;
    uint64_t rk[WR_DRF_KERNELS_MAX], one[WR_DRF_KERNELS_MAX];
    share all[WR_DRF_KERNELS_MAX], each[WR_DRF_KERNELS_MAX];

    set_limits(&s->cfg);
    HOLDS(s->phase_q <= WR_DRF_LAYOUT);
    HOLDS(deal || s->in_q == 0);
    HOLDS(layout ? s->index_q < kernels : s->index_q == 0);
    HOLDS(s->phase_q == WR_DRF_IDLE || !s->done_q);
    for (uint32_t k = 0; k < kernels; k++) {
        const bool laid = layout && k < s->index_q;
        LINK(s->tbs_q[k], "gen_kernel[%].tbs_q", k, 0, 0, 0);
        LINK(s->demand_q[k][WR_DRF_REG], "gen_kernel[%].demand_reg_q", k, 0, 0, 0);
        LINK(s->demand_q[k][WR_DRF_THREAD], "gen_kernel[%].demand_thread_q", k, 0, 0, 0);
        LINK(s->demand_q[k][WR_DRF_SMEM], "gen_kernel[%].demand_smem_q", k, 0, 0, 0);
        LINK_WHERE(s->done_q || laid, s->start_q[k][WR_DRF_REG], "gen_kernel[%].reg_start_q", k, 0,
                   0, 0);
        LINK_WHERE(s->done_q || laid, s->start_q[k][WR_DRF_THREAD], "gen_kernel[%].thread_start_q",
                   k, 0, 0, 0);
        LINK_WHERE(s->done_q || laid, s->start_q[k][WR_DRF_SMEM], "gen_kernel[%].smem_start_q", k,
                   0, 0, 0);
        LINK_WHERE(s->done_q || laid, s->end_q[k][WR_DRF_REG], "gen_kernel[%].reg_end_q", k, 0, 0,
                   0);
        LINK_WHERE(s->done_q || laid, s->end_q[k][WR_DRF_THREAD], "gen_kernel[%].thread_end_q", k,
                   0, 0, 0);
        LINK_WHERE(s->done_q || laid, s->end_q[k][WR_DRF_SMEM], "gen_kernel[%].smem_end_q", k, 0, 0,
                   0);

        const uint64_t demand[WR_DRF_TB] = {
            RTL("gen_kernel[%].demand_reg_q", k, 0, 0, 0),
            RTL("gen_kernel[%].demand_thread_q", k, 0, 0, 0),
            RTL("gen_kernel[%].demand_smem_q", k, 0, 0, 0),
        };
        const uint64_t end[WR_DRF_TB] = {
            RTL("gen_kernel[%].reg_end_q", k, 0, 0, 0),
            RTL("gen_kernel[%].thread_end_q", k, 0, 0, 0),
            RTL("gen_kernel[%].smem_end_q", k, 0, 0, 0),
        };
        uint64_t most = unit[WR_DRF_TB];
        tbs[k] = RTL("gen_kernel[%].tbs_q", k, 0, 0, 0);
        rk[k] = RTL("gen_kernel[%].rk_q", k, 0, 0, 0);
        one[k] = RTL("gen_kernel[%].share_q", k, 0, 0, 0);
        const uint64_t next = wr_rtl(PART "gen_kernel[%].tbs_q", k, 0, 0, 0, WR_NEXT);
        for (uint32_t r = 0; r < WR_DRF_TB; r++) {
            HOLDS(demand[r] <= limit[r]);
            most = larger(most, demand[r] * unit[r]);
            sum[r] += tbs[k] * demand[r];
            LEMMA(one_more, tbs[k], next, demand[r]);
            LEMMA(same, tbs[k], next, demand[r]);
            LEMMA(none, next, demand[r]);
            LEMMA(associative, tbs[k], demand[r], unit[r]);
            LEMMA(monotone, tbs[k], demand[r] * unit[r], one[k]);
            LEMMA(same, demand[r] * unit[r], one[k], tbs[k]);
            HOLDS(!(deal || layout) || end[r] == (laid ? sum[r] : tbs[k] * demand[r]));
        }
        tb_sum += tbs[k];
        LEMMA(one_more, tbs[k], next, one[k]);
        LEMMA(same, tbs[k], next, one[k]);
        LEMMA(none, next, one[k]);
        LEMMA(monotone, tbs[k], unit[WR_DRF_TB], one[k]);
        LEMMA(same, unit[WR_DRF_TB], one[k], tbs[k]);
        HOLDS(one[k] == most);
        HOLDS(!deal || rk[k] == tbs[k] * one[k]);
        if (deal) {
            all[k] = dominant(tbs[k], demand, rk[k], when);
            each[k] = dominant(1, demand, one[k], when);
        }
    }
    for (uint32_t k = kernels; k < WR_DRF_KERNELS_MAX; k++) {
        LINK_VALUE(true, s->tbs_q[k], k, 0);
        for (uint32_t r = 0; r < WR_DRF_TB; r++) {
            LINK_VALUE(true, s->start_q[k][r], k, 0);
            LINK_VALUE(true, s->end_q[k][r], k, 0);
        }
    }
    HOLDS(!deal || sum[WR_DRF_REG] + RTL("left_reg_q", 0, 0, 0, 0) == limit[WR_DRF_REG]);
    HOLDS(!deal || sum[WR_DRF_THREAD] + RTL("left_thread_q", 0, 0, 0, 0) == limit[WR_DRF_THREAD]);
    HOLDS(!deal || sum[WR_DRF_SMEM] + RTL("left_smem_q", 0, 0, 0, 0) == limit[WR_DRF_SMEM]);
    HOLDS(!deal || tb_sum + RTL("left_tb_q", 0, 0, 0, 0) == limit[WR_DRF_TB]);
    for (uint32_t r = 0; r < WR_DRF_TB; r++) {
        HOLDS(!layout || sum[r] <= limit[r]);
    }
    for (uint32_t low = 0; low < kernels; low++) {
        for (uint32_t high = low + 1; high < kernels; high++) {
            const bool tie = s->cfg.tie_rule != 0 || one[low] <= one[high];
            HOLDS(!deal || (RTL("gen_low[%].gen_high[%].ahead_q", low, high, 0, 1) != 0) ==
                               (tb_sum == 0 || rk[low] < rk[high] || (rk[low] == rk[high] && tie)));
            if (deal) {
                const int order = compare(all[high], all[low], when);
                const int tie_order = compare(each[high], each[low], when);
                FOLLOWS((order < 0) == (rk[high] < rk[low]) &&
                        (order == 0) == (rk[high] == rk[low]));
                FOLLOWS((tie_order < 0) == (one[high] < one[low]));
            }
        }
    }
}
