/* SPDX-License-Identifier: Apache-2.0 */
/* ccbp_allocator: a step is worked out whole in its first cycle; its results show when the RTL,
 * which divides one bit a cycle, has them. */
#include "refmodel/sharing/ccbp_allocator.h"

#include "refmodel/minmax.h"

#include <assert.h>
#include <string.h>

enum {
    LATENCY_CHECK = 4, /* cycles of a step up to its result, and to its end */
    LATENCY_END = 48,
    BANDWIDTH_CHECK = 13,
    BANDWIDTH_END = 24,
    QUOTIENT_MAX = 511, /* of a quotient */
};

wr_status wr_ccbp_allocator_init(wr_ccbp_allocator *s, const wr_ccbp_allocator_cfg *cfg)
{
    if (!wr_ccbp_allocator_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_ccbp_allocator_reset(s);
    return WR_OK;
}

void wr_ccbp_allocator_reset(wr_ccbp_allocator *s)
{
    const wr_ccbp_allocator_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->prior_q = 1;
}

void wr_ccbp_allocator_eval(const wr_ccbp_allocator *s, const wr_ccbp_allocator_in *in,
                            wr_ccbp_allocator_out *out)
{
    out->busy = s->busy_q;
    out->done = s->done_q;
    const uint32_t view = in->view & 3u;
    out->cta = s->cta_q[view];
    out->nbw = s->nbw_q[view];
    out->dbw = s->dbw_q[view];
    out->dom = s->dom_q[view];
    out->kind = s->kind_q[view];
    out->steps = s->steps_q;
    out->fault = s->fault_q;
}

static uint32_t clamp(wr_ccbp_allocator *s, uint32_t value, uint32_t most)
{
    s->fault_q = s->fault_q || value > most;
    return (uint32_t)wr_min(value, most);
}

static void write_table(wr_ccbp_allocator *s, uint8_t *table, uint32_t index, uint32_t value)
{
    if (index == 0 || index > s->cfg.max_ctas) {
        s->fault_q = true;
        return;
    }
    table[index] = (uint8_t)clamp(s, value, 100);
}

static void write(wr_ccbp_allocator *s, const wr_ccbp_allocator_in *in)
{
    const uint32_t k = in->kernel & 3u;
    const uint32_t index = in->index & 63u;
    const uint32_t value = in->value & 0x1ffffu;
    if (s->busy_q || k >= s->cfg.kernels) {
        s->fault_q = true;
        return;
    }
    switch (in->what & 7u) {
    case WR_CCBP_NBW:
        write_table(s, s->nbw_table_q[k], index, value);
        break;
    case WR_CCBP_DBW:
        write_table(s, s->dbw_table_q[k], index, value);
        break;
    case WR_CCBP_REGS:
        s->need_q[k][0] = value;
        break;
    case WR_CCBP_SMEM:
        s->need_q[k][1] = value;
        break;
    case WR_CCBP_THREADS:
        s->need_q[k][2] = value;
        break;
    case WR_CCBP_CTAS:
        s->ctas_q[k] = (uint8_t)clamp(s, value, s->cfg.max_ctas);
        break;
    case WR_CCBP_TYPE:
        s->written_q[k] = value & 3u;
        break;
    default:
        s->fault_q = true;
        break;
    }
}

static uint8_t kind_of(const wr_ccbp_allocator *s, uint32_t k)
{
    if (s->written_q[k] != WR_CCBP_BY_RULE) {
        return s->written_q[k];
    }
    const uint32_t nbw = s->nbw_table_q[k][s->ctas_q[k]];
    const uint32_t dbw = s->dbw_table_q[k][s->ctas_q[k]];
    if (nbw < s->cfg.ls_percent && dbw < s->cfg.ls_percent) {
        return WR_CCBP_LATENCY;
    }
    return nbw >= dbw ? WR_CCBP_NOC : WR_CCBP_DRAM;
}

static uint32_t need(const wr_ccbp_allocator *s, uint32_t k, uint32_t resource)
{
    return resource + 1 == WR_CCBP_RESOURCES ? 1 : s->need_q[k][resource];
}

static uint32_t limit(const wr_ccbp_allocator *s, uint32_t resource)
{
    const uint32_t limits[WR_CCBP_RESOURCES] = {s->cfg.regs, s->cfg.smem, s->cfg.threads,
                                                s->cfg.slots};
    return limits[resource];
}

/* CanAlloc: the whole sums, with the step in place of what its kernel has. */
static bool fits(const wr_ccbp_allocator *s, const wr_ccbp_step *step)
{
    uint32_t nbw = 0;
    uint32_t dbw = 0;
    uint32_t used[WR_CCBP_RESOURCES] = {0};
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        const bool own = k == step->kernel;
        nbw += own ? step->nbw : s->nbw_q[k];
        dbw += own ? step->dbw : s->dbw_q[k];
        for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
            used[r] += (own ? step->cta : s->cta_q[k]) * need(s, k, r);
        }
    }
    bool ok = step->cta <= s->ctas_q[step->kernel] && nbw <= 100 && dbw <= 100;
    for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
        ok = ok && used[r] <= limit(s, r);
    }
    return ok;
}

/* One percent more of the kernel's own bandwidth: have -> *own, the other in proportion. */
static void widen(const uint8_t *own_table, const uint8_t *other_table, uint32_t most, uint8_t have,
                  wr_ccbp_step *step, uint16_t *own, uint16_t *other)
{
    *own = (uint16_t)(have + 1u);
    if (own_table[step->cta] < *own) {
        step->cta++;
    }
    if (step->cta <= most && own_table[step->cta] != 0) {
        const uint32_t base = own_table[step->cta];
        const uint32_t quotient = (other_table[step->cta] * (uint32_t)*own + base / 2) / base;
        *other = (uint16_t)wr_min(quotient, QUOTIENT_MAX);
    }
}

static wr_ccbp_step tentative(const wr_ccbp_allocator *s, uint32_t k)
{
    const uint32_t most = s->cfg.max_ctas;
    wr_ccbp_step step = {.kernel = (uint8_t)k, .cta = s->cta_q[k]};
    switch (s->kind_q[k]) {
    case WR_CCBP_LATENCY:
        step.cta++;
        if (step.cta <= most) {
            step.nbw = s->nbw_table_q[k][step.cta];
            step.dbw = s->dbw_table_q[k][step.cta];
        }
        break;
    case WR_CCBP_NOC:
        widen(s->nbw_table_q[k], s->dbw_table_q[k], most, s->nbw_q[k], &step, &step.nbw, &step.dbw);
        break;
    default:
        widen(s->dbw_table_q[k], s->nbw_table_q[k], most, s->dbw_q[k], &step, &step.dbw, &step.nbw);
        break;
    }
    step.fits = fits(s, &step);
    return step;
}

static uint16_t dominant_share(const wr_ccbp_allocator *s, uint32_t k)
{
    if (s->kind_q[k] != WR_CCBP_LATENCY) {
        const uint32_t percent = s->kind_q[k] == WR_CCBP_NOC ? s->nbw_q[k] : s->dbw_q[k];
        return (uint16_t)(256 * percent / 100);
    }
    uint64_t most = 0;
    for (uint32_t r = 0; r < WR_CCBP_RESOURCES; r++) {
        const uint32_t share = 256 * s->cta_q[k] * need(s, k, r) / (limit(s, r) * s->prior_q);
        most = wr_max(share, most);
    }
    assert(most <= 256);
    return (uint16_t)most;
}

static uint32_t lowest(const wr_ccbp_allocator *s)
{
    uint32_t found = s->cfg.kernels;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        if (((s->unfinished_q >> k) & 1u) != 0 &&
            (found == s->cfg.kernels || s->dom_q[k] < s->dom_q[found])) {
            found = k;
        }
    }
    return found;
}

static void commit(wr_ccbp_allocator *s)
{
    const wr_ccbp_step *step = &s->step_q;
    s->steps_q++;
    if (!step->fits) {
        s->unfinished_q = (uint8_t)(s->unfinished_q & ~(1u << step->kernel));
        s->cycle_q = 0;
        return;
    }
    s->cta_q[step->kernel] = step->cta;
    s->nbw_q[step->kernel] = (uint8_t)step->nbw;
    s->dbw_q[step->kernel] = (uint8_t)step->dbw;
}

static void advance(wr_ccbp_allocator *s)
{
    if (s->classify_q > 0) {
        const uint32_t k = s->cfg.kernels - s->classify_q;
        s->kind_q[k] = kind_of(s, k);
        s->classify_q--;
        return;
    }
    if (s->cycle_q == 0) {
        const uint32_t k = lowest(s);
        if (k == s->cfg.kernels) {
            s->busy_q = false;
            s->done_q = true;
            return;
        }
        s->step_q = tentative(s, k);
    }
    const uint32_t k = s->step_q.kernel;
    const bool latency = s->kind_q[k] == WR_CCBP_LATENCY;
    s->cycle_q++;
    if (s->cycle_q == (latency ? LATENCY_CHECK : BANDWIDTH_CHECK)) {
        commit(s);
    } else if (s->cycle_q == (latency ? LATENCY_END : BANDWIDTH_END)) {
        s->dom_q[k] = dominant_share(s, k);
        s->cycle_q = 0;
    }
}

static void start(wr_ccbp_allocator *s, uint32_t prior)
{
    s->fault_q = s->fault_q || prior == 0;
    s->prior_q = (uint8_t)(prior == 0 ? 1 : prior);
    memset(s->cta_q, 0, sizeof s->cta_q);
    memset(s->nbw_q, 0, sizeof s->nbw_q);
    memset(s->dbw_q, 0, sizeof s->dbw_q);
    memset(s->dom_q, 0, sizeof s->dom_q);
    s->steps_q = 0;
    s->unfinished_q = (uint8_t)((1u << s->cfg.kernels) - 1u);
    s->classify_q = (uint8_t)s->cfg.kernels;
    s->busy_q = true;
    s->done_q = false;
}

void wr_ccbp_allocator_tick(wr_ccbp_allocator *s, const wr_ccbp_allocator_in *in)
{
    if (in->we) {
        write(s, in);
    }
    if (s->busy_q) {
        s->fault_q = s->fault_q || in->start;
        advance(s);
    } else if (in->start) {
        start(s, in->prior & 15u);
    }
}
