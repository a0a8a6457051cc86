/* SPDX-License-Identifier: Apache-2.0 */
/* drf_partitioner: while TBs are dealt, all follows from the TBs given so far, anew in each cycle.
 *
 * The RTL keeps shares as integers over a common denominator, and what is left of each resource;
 * here shares are fractions that are compared crosswise, and what is taken is summed up.
 */
#include "refmodel/sharing/drf_partitioner.h"

#include "refmodel/minmax.h"

#include <assert.h>
#include <string.h>

/* taken / limit */
typedef struct share {
    uint64_t taken;
    uint64_t limit;
} share;

static uint32_t limit_of(const wr_drf_partitioner *s, wr_drf_resource r)
{
    const uint32_t limits[WR_DRF_RESOURCES] = {
        [WR_DRF_REG] = s->cfg.reg_limit,
        [WR_DRF_THREAD] = s->cfg.thread_limit,
        [WR_DRF_SMEM] = s->cfg.smem_limit,
        [WR_DRF_TB] = s->cfg.tb_limit,
    };
    return limits[r];
}

static uint32_t demand_of(const wr_drf_partitioner *s, uint32_t k, wr_drf_resource r)
{
    return r == WR_DRF_TB ? 1 : s->demand_q[k][r];
}

/* Less than, equal to, greater than 0 as a is below, equal to, above b. */
static int compare(share a, share b)
{
    const uint64_t left = a.taken * b.limit;
    const uint64_t right = b.taken * a.limit;
    return (left > right) - (left < right);
}

/* What n TBs of a kernel take of a resource. */
static share share_of(const wr_drf_partitioner *s, uint32_t k, uint32_t n, wr_drf_resource r)
{
    return (share){(uint64_t)n * demand_of(s, k, r), limit_of(s, r)};
}

/* The dominant share that they take. */
static share dominant(const wr_drf_partitioner *s, uint32_t k, uint32_t n)
{
    share best = share_of(s, k, n, WR_DRF_TB);
    for (wr_drf_resource r = WR_DRF_REG; r < WR_DRF_TB; r++) {
        const share other = share_of(s, k, n, r);
        if (compare(other, best) > 0) {
            best = other;
        }
    }
    return best;
}

static uint32_t taken(const wr_drf_partitioner *s, wr_drf_resource r)
{
    uint32_t sum = 0;
    for (uint32_t k = s->cfg.kernels; k > 0; k--) {
        sum += s->tbs_q[k - 1] * demand_of(s, k - 1, r);
    }
    return sum;
}

static bool fits(const wr_drf_partitioner *s, uint32_t k)
{
    for (wr_drf_resource r = WR_DRF_REG; r < WR_DRF_RESOURCES; r++) {
        if (taken(s, r) + demand_of(s, k, r) > limit_of(s, r)) {
            return false;
        }
    }
    return true;
}

/* Whether kernel k goes before kernel b, which has the lower index. */
static bool goes_before(const wr_drf_partitioner *s, uint32_t k, uint32_t b)
{
    if (taken(s, WR_DRF_TB) == 0) {
        return false; /* the first TB is the lowest index's */
    }
    int order = compare(dominant(s, k, s->tbs_q[k]), dominant(s, b, s->tbs_q[b]));
    if (order == 0 && s->cfg.tie_rule == 0) {
        order = compare(dominant(s, k, 1), dominant(s, b, 1));
    }
    return order < 0;
}

/* The kernel that is picked; somebody is in. */
static uint32_t pick(const wr_drf_partitioner *s)
{
    uint32_t best = 0;
    while ((s->in_q >> best & 1u) == 0) {
        best++;
    }
    for (uint32_t k = best + 1; k < s->cfg.kernels; k++) {
        if ((s->in_q >> k & 1u) != 0 && goes_before(s, k, best)) {
            best = k;
        }
    }
    return best;
}

wr_status wr_drf_partitioner_init(wr_drf_partitioner *s, const wr_drf_partitioner_cfg *cfg)
{
    if (!wr_drf_partitioner_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_drf_partitioner_reset(s);
    return WR_OK;
}

void wr_drf_partitioner_reset(wr_drf_partitioner *s)
{
    wr_drf_partitioner_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_drf_partitioner_eval(const wr_drf_partitioner *s, const wr_drf_partitioner_in *in,
                             wr_drf_partitioner_out *out)
{
    memset(out, 0, sizeof *out);
    out->busy = s->phase_q != WR_DRF_IDLE;
    out->done = s->done_q;
    out->fault = s->fault_q;
    if (s->phase_q == WR_DRF_DEAL && s->in_q != 0) {
        const uint32_t k = pick(s);
        out->grant = fits(s, k);
        out->drop = !out->grant;
        out->pick = (uint8_t)k;
    }
    const uint32_t k = in->read & 7u;
    if (s->done_q) {
        out->tbs = s->tbs_q[k];
        out->reg_start = s->start_q[k][WR_DRF_REG];
        out->reg_end = s->end_q[k][WR_DRF_REG];
        out->thread_start = s->start_q[k][WR_DRF_THREAD];
        out->thread_end = s->end_q[k][WR_DRF_THREAD];
        out->smem_start = s->start_q[k][WR_DRF_SMEM];
        out->smem_end = s->end_q[k][WR_DRF_SMEM];
    }
}

static void load(wr_drf_partitioner *s, const wr_drf_partitioner_in *in)
{
    const uint16_t demand[WR_DRF_TB] = {
        [WR_DRF_REG] = in->regs & 0x1fffu,
        [WR_DRF_THREAD] = in->threads & 0x1fffu,
        [WR_DRF_SMEM] = in->smem & 0x1fffu,
    };
    const uint32_t k = in->kernel & 7u;
    if (k >= s->cfg.kernels) {
        s->fault_q = true;
        return;
    }
    for (wr_drf_resource r = WR_DRF_REG; r < WR_DRF_TB; r++) {
        const uint32_t limit = limit_of(s, r);
        s->fault_q = s->fault_q || demand[r] > limit;
        s->demand_q[k][r] = (uint16_t)wr_min(demand[r], limit);
    }
}

/* The ranges of one kernel, behind those of the kernels below it. */
static void lay_out(wr_drf_partitioner *s, uint32_t k)
{
    for (wr_drf_resource r = WR_DRF_REG; r < WR_DRF_TB; r++) {
        uint32_t start = 0;
        for (uint32_t i = 0; i < k; i++) {
            start += s->tbs_q[i] * demand_of(s, i, r);
        }
        s->start_q[k][r] = (uint16_t)start;
        s->end_q[k][r] = (uint16_t)(start + s->tbs_q[k] * demand_of(s, k, r));
    }
}

static void deal(wr_drf_partitioner *s)
{
    if (s->in_q == 0) {
        s->phase_q = WR_DRF_LAYOUT;
        return;
    }
    const uint32_t k = pick(s);
    if (fits(s, k)) {
        s->tbs_q[k]++;
        assert(taken(s, WR_DRF_TB) <= s->cfg.tb_limit);
    } else {
        s->in_q = (uint8_t)(s->in_q & ~(1u << k));
    }
}

void wr_drf_partitioner_tick(wr_drf_partitioner *s, const wr_drf_partitioner_in *in)
{
    if (s->phase_q != WR_DRF_IDLE) {
        s->fault_q = s->fault_q || in->load || in->start;
    }
    switch ((wr_drf_phase)s->phase_q) {
    case WR_DRF_IDLE:
        if (in->load) {
            load(s, in);
        }
        if (in->start) {
            s->phase_q = WR_DRF_DEAL;
            s->in_q = (uint8_t)(in->mask & ((1u << s->cfg.kernels) - 1u));
            s->done_q = false;
            memset(s->tbs_q, 0, sizeof s->tbs_q);
        }
        break;
    case WR_DRF_DEAL:
        deal(s);
        break;
    case WR_DRF_LAYOUT:
        lay_out(s, s->index_q);
        s->index_q++;
        if (s->index_q == s->cfg.kernels) {
            s->index_q = 0;
            s->phase_q = WR_DRF_IDLE;
            s->done_q = true;
        }
        break;
    }
}
