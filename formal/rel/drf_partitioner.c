/* SPDX-License-Identifier: Apache-2.0 */
/* drf_partitioner: of every kernel in the deal the RTL keeps what the model multiplies anew: what
 * its TBs take of each resource, and their dominant share over the common denominator. */
// cases: phase_q
// cases: in_q
#include "refmodel/sharing/drf_partitioner.h"
#include "formal/rel/relate.h"

/* x1 = x0 + 1 */
static bool one_more(const uint64_t *x)
{
    return x[0] > 64 || x[2] >> 42 != 0 || x[1] != x[0] + 1 || x[1] * x[2] == x[0] * x[2] + x[2];
}

/* x1 is x0 or 0. */
static bool no_more(const uint64_t *x)
{
    return (x[1] != 0 || x[1] * x[2] == 0) && (x[1] != x[0] || x[1] * x[2] == x[0] * x[2]);
}

static bool monotone(const uint64_t *x)
{
    const uint64_t low = x[0] * x[1], high = x[0] * x[2];
    return x[0] > 64 || x[2] >> 42 != 0 || x[1] > x[2] ||
           (x[1] == x[2] ? low == high : low <= high);
}

static bool associative(const uint64_t *x)
{
    return x[0] * x[1] * x[2] == x[0] * (x[1] * x[2]);
}

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

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The dominant share of n TBs, found as the model finds it, over the RTL's denominator. */
static uint64_t dominant(uint64_t n, const uint64_t *demand, const uint32_t *limit,
                         const uint64_t *unit, uint32_t tb_limit, uint64_t tb_unit)
{
    uint64_t taken = n, its_limit = tb_limit, its_unit = tb_unit;
    for (uint32_t r = 0; r < WR_DRF_TB; r++) {
        const uint64_t other = n * demand[r];
        const bool more = other * its_limit > taken * limit[r];
        taken = more ? other : taken;
        its_limit = more ? limit[r] : its_limit;
        its_unit = more ? unit[r] : its_unit;
    }
    return taken * its_unit;
}

void relate(wr_drf_partitioner *s, wr_when when)
{
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t limit[WR_DRF_TB] = {s->cfg.reg_limit, s->cfg.thread_limit, s->cfg.smem_limit};
    const uint64_t scale = multiple(multiple(limit[WR_DRF_REG], limit[WR_DRF_THREAD]),
                                    multiple(limit[WR_DRF_SMEM], s->cfg.tb_limit));
    const uint64_t unit[WR_DRF_TB] = {scale / limit[0], scale / limit[1], scale / limit[2]};
    const uint64_t tb_unit = scale / s->cfg.tb_limit;
    const bool deal = s->phase_q == WR_DRF_DEAL, layout = s->phase_q == WR_DRF_LAYOUT;
    uint64_t sum[WR_DRF_TB] = {0}, tbs[WR_DRF_KERNELS_MAX], tb_sum = 0;
    uint64_t rk[WR_DRF_KERNELS_MAX], share[WR_DRF_KERNELS_MAX];

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
        uint64_t most = tb_unit;
        tbs[k] = RTL("gen_kernel[%].tbs_q", k, 0, 0, 0);
        rk[k] = RTL("gen_kernel[%].rk_q", k, 0, 0, 0);
        share[k] = RTL("gen_kernel[%].share_q", k, 0, 0, 0);
        const uint64_t next = wr_rtl(PART "gen_kernel[%].tbs_q", k, 0, 0, 0, WR_NEXT);
        for (uint32_t r = 0; r < WR_DRF_TB; r++) {
            HOLDS(demand[r] <= limit[r]);
            most = larger(most, demand[r] * unit[r]);
            sum[r] += tbs[k] * demand[r];
            LEMMA(one_more, tbs[k], next, demand[r]);
            LEMMA(no_more, tbs[k], next, demand[r]);
            LEMMA(associative, tbs[k], demand[r], unit[r]);
            LEMMA(associative, next, demand[r], unit[r]);
            LEMMA(monotone, tbs[k], demand[r] * unit[r], share[k]);
            LEMMA(monotone, next, demand[r] * unit[r], share[k]);
            HOLDS(!(deal || layout) || end[r] == (laid ? sum[r] : tbs[k] * demand[r]));
        }
        tb_sum += tbs[k];
        LEMMA(one_more, tbs[k], next, share[k]);
        LEMMA(no_more, tbs[k], next, share[k]);
        LEMMA(monotone, tbs[k], tb_unit, share[k]);
        LEMMA(monotone, next, tb_unit, share[k]);
        HOLDS(share[k] == most);
        HOLDS(!deal || rk[k] == tbs[k] * share[k]);
        HOLDS(share[k] == dominant(1, demand, limit, unit, s->cfg.tb_limit, tb_unit));
        HOLDS(!deal || rk[k] == dominant(tbs[k], demand, limit, unit, s->cfg.tb_limit, tb_unit));
    }
    HOLDS(!deal || sum[WR_DRF_REG] + RTL("left_reg_q", 0, 0, 0, 0) == limit[WR_DRF_REG]);
    HOLDS(!deal || sum[WR_DRF_THREAD] + RTL("left_thread_q", 0, 0, 0, 0) == limit[WR_DRF_THREAD]);
    HOLDS(!deal || sum[WR_DRF_SMEM] + RTL("left_smem_q", 0, 0, 0, 0) == limit[WR_DRF_SMEM]);
    HOLDS(!deal || tb_sum + RTL("left_tb_q", 0, 0, 0, 0) == s->cfg.tb_limit);
    HOLDS(!layout || sum[WR_DRF_REG] <= limit[WR_DRF_REG]);
    HOLDS(!layout || sum[WR_DRF_THREAD] <= limit[WR_DRF_THREAD]);
    HOLDS(!layout || sum[WR_DRF_SMEM] <= limit[WR_DRF_SMEM]);
    for (uint32_t low = 0; low < kernels; low++) {
        for (uint32_t high = low + 1; high < kernels; high++) {
            const bool tie = s->cfg.tie_rule != 0 || share[low] <= share[high];
            HOLDS(!deal || (RTL("gen_low[%].gen_high[%].ahead_q", low, high, 0, 1) != 0) ==
                               (tb_sum == 0 || rk[low] < rk[high] || (rk[low] == rk[high] && tie)));
        }
    }
}
