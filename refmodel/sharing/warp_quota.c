/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota: the formulas in 64-bit arithmetic; a quota shows when the RTL's divider has it.
 *
 * Widths: x 16 bits, s and t 6 bits each, so a weight has at most 16 + 4 x 6 = 40 bits, their sum
 * 42, and Epoch times a weight 54.
 */
#include "refmodel/sharing/warp_quota.h"

#include "refmodel/minmax.h"
#include "refmodel/skip.h"

#include <assert.h>
#include <string.h>

enum {
    DIVIDE_CYCLES = 32, /* quota and share of one kernel */
};

wr_status wr_warp_quota_init(wr_warp_quota *s, const wr_warp_quota_cfg *cfg)
{
    if (!wr_warp_quota_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_warp_quota_reset(s);
    return WR_OK;
}

void wr_warp_quota_reset(wr_warp_quota *s)
{
    const wr_warp_quota_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    for (uint32_t k = 0; k < WR_WARP_QUOTA_KERNELS_MAX; k++) {
        s->most_q[k] = 1;
    }
}

static bool allowed(const wr_warp_quota *s, uint32_t scheduler, uint32_t k)
{
    return !s->managed_q || s->left_q[4 * scheduler + k] != 0;
}

static bool epoch_ends(const wr_warp_quota *s)
{
    return s->epoch_q + 1u == s->cfg.epoch;
}

static bool refills(const wr_warp_quota *s, const wr_warp_quota_in *in, uint32_t scheduler)
{
    const uint32_t resident = in->resident & ((1u << s->cfg.kernels) - 1u);
    bool all_zero = resident != 0;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        all_zero = all_zero && (((resident >> k) & 1u) == 0 || s->left_q[4 * scheduler + k] == 0);
    }
    return s->managed_q && (epoch_ends(s) || all_zero);
}

void wr_warp_quota_eval(const wr_warp_quota *s, const wr_warp_quota_in *in, wr_warp_quota_out *out)
{
    memset(out, 0, sizeof *out);
    const uint32_t view = in->view & 3u;
    out->busy = s->busy_q;
    out->managed = s->managed_q;
    out->epoch_end = epoch_ends(s);
    for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
        for (uint32_t k = 0; k < s->cfg.kernels; k++) {
            out->allow[i] = (uint8_t)(out->allow[i] | (unsigned)allowed(s, i, k) << k);
        }
        out->refill[i] = refills(s, in, i);
        out->left[i] = s->left_q[4 * i + view];
    }
    out->quota = s->quota_q[view];
    out->share = s->share_q[view];
    out->issued = s->issued_q[view];
    out->fault = s->fault_q;
}

static void write(wr_warp_quota *s, const wr_warp_quota_in *in)
{
    const uint32_t k = in->kernel & 3u;
    const uint8_t low = in->value & 63u;
    if (s->busy_q || k >= s->cfg.kernels) {
        s->fault_q = true;
        return;
    }
    switch (in->what & 3u) {
    case WR_WARP_QUOTA_ALONE:
        s->alone_q[k] = in->value;
        break;
    case WR_WARP_QUOTA_RESIDENT:
        s->resident_q[k] = low;
        break;
    case WR_WARP_QUOTA_MOST:
        s->fault_q = s->fault_q || low == 0;
        s->most_q[k] = low == 0 ? 1 : low;
        break;
    default:
        s->fault_q = true;
        break;
    }
}

/* C_k of the paper times the product of all t: a whole number. */
static uint64_t weight(const wr_warp_quota *s, uint32_t k)
{
    uint64_t w = s->alone_q[k] == 0 ? 1 : s->alone_q[k];
    w *= s->resident_q[k];
    for (uint32_t j = 0; j < s->cfg.kernels; j++) {
        if (j != k) {
            w *= s->most_q[j];
        }
    }
    return w;
}

static void calculate(wr_warp_quota *s, uint32_t k)
{
    uint64_t sum = 0;
    for (uint32_t j = 0; j < s->cfg.kernels; j++) {
        sum += weight(s, j);
    }
    s->quota_q[k] = 0;
    s->share_q[k] = 0;
    if (s->resident_q[k] != 0) {
        assert(sum > 0 && s->cfg.schedulers > 0);
        const uint32_t quota = (uint32_t)(s->cfg.epoch * weight(s, k) / sum);
        const uint32_t share = quota / s->cfg.schedulers;
        s->quota_q[k] = (uint16_t)quota;
        s->share_q[k] = (uint16_t)(share == 0 ? 1 : share);
    }
}

/* A cycle of the calculation: the multiplications first, then one kernel after another. */
static void advance(wr_warp_quota *s)
{
    const uint32_t products = s->cfg.kernels * s->cfg.kernels;
    s->cycle_q++;
    if (s->cycle_q > products && (s->cycle_q - products) % DIVIDE_CYCLES == 0) {
        const uint32_t done = (s->cycle_q - products) / DIVIDE_CYCLES;
        calculate(s, done - 1);
        if (done == s->cfg.kernels) {
            s->busy_q = false;
            s->managed_q = true;
        }
    }
}

/* The counters of one scheduler. */
static void schedule(wr_warp_quota *s, const wr_warp_quota_in *in, uint32_t i, bool refill)
{
    uint16_t *left = &s->left_q[4 * i];
    const uint32_t kernel = in->issue_kernel[i] & 3u;
    const bool accepted = in->issue[i] && kernel < s->cfg.kernels && allowed(s, i, kernel);
    s->fault_q = s->fault_q || (in->issue[i] && !accepted);
    if (accepted) {
        s->running_q[kernel]++;
    }
    if (refill) {
        memcpy(left, s->share_q, sizeof s->share_q);
    } else if (accepted && s->managed_q) {
        assert(left[kernel] > 0);
        left[kernel]--;
    }
}

void wr_warp_quota_tick(wr_warp_quota *s, const wr_warp_quota_in *in)
{
    const bool ends = epoch_ends(s);
    for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
        schedule(s, in, i, refills(s, in, i));
    }
    if (ends) {
        memcpy(s->issued_q, s->running_q, sizeof s->issued_q);
        memset(s->running_q, 0, sizeof s->running_q);
    }
    s->epoch_q = (uint16_t)(ends ? 0 : s->epoch_q + 1u);

    if (in->we) {
        write(s, in);
    }
    if (s->busy_q) {
        s->fault_q = s->fault_q || in->calc;
        advance(s);
    } else if (in->calc) {
        s->busy_q = true;
        s->cycle_q = 0;
    }
}

static void tick(void *s, const void *in)
{
    wr_warp_quota_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_warp_quota_eval(s, in, out);
}

/* To the cycle before the last one of the epoch, which epoch_end shows. */
static uint64_t coast(void *state, const void *pins, uint64_t most)
{
    wr_warp_quota *s = state;
    const wr_warp_quota_in *in = pins;

    if (s->busy_q || in->we || in->calc || epoch_ends(s)) {
        return 0;
    }
    for (uint32_t i = 0; i < s->cfg.schedulers; i++) {
        const bool same = memcmp(&s->left_q[4 * i], s->share_q, sizeof s->share_q) == 0;
        if (in->issue[i] || (refills(s, in, i) && !same)) {
            return 0;
        }
    }
    const uint32_t room = s->cfg.epoch - 2 - s->epoch_q;
    const uint64_t n = wr_min(most, room);
    s->epoch_q = (uint16_t)(s->epoch_q + n);
    return n;
}

static const wr_skip free_run = {sizeof(wr_warp_quota), sizeof(wr_warp_quota_out), tick, eval,
                                 coast};

void wr_warp_quota_skip(wr_warp_quota *s, const wr_warp_quota_in *in, uint64_t n)
{
    wr_warp_quota mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.epoch, n);
}

uint64_t wr_warp_quota_quiet(const wr_warp_quota *s, const wr_warp_quota_in *in)
{
    wr_warp_quota copy;
    wr_warp_quota mark;
    wr_warp_quota_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &mark, in, out);
}
