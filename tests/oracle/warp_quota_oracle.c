/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/warp_quota_oracle.h"

#include <string.h>

void wr_oracle_warp_quota_reset(wr_oracle_warp_quota *o, const wr_warp_quota_cfg *cfg)
{
    memset(o, 0, sizeof *o);
    o->cfg = *cfg;
    for (unsigned k = 0; k < cfg->kernels; k++) {
        o->most[k] = 1;
    }
}

static bool epoch_ends(const wr_oracle_warp_quota *o)
{
    return (o->cycle + 1) % o->cfg.epoch == 0;
}

static bool allowed(const wr_oracle_warp_quota *o, unsigned s, unsigned k)
{
    return k < o->cfg.kernels && (!o->managed || o->left[s][k] > 0);
}

static bool refills(const wr_oracle_warp_quota *o, unsigned s, unsigned resident)
{
    bool some = false;
    bool all_used = true;
    for (unsigned k = 0; k < o->cfg.kernels; k++) {
        if ((resident >> k & 1u) != 0) {
            some = true;
            all_used = all_used && o->left[s][k] == 0;
        }
    }
    return o->managed && (epoch_ends(o) || (some && all_used));
}

void wr_oracle_warp_quota_outputs(const wr_oracle_warp_quota *o, const wr_warp_quota_in *in,
                                  wr_warp_quota_out *out)
{
    memset(out, 0, sizeof *out);
    out->busy = o->busy;
    out->managed = o->managed;
    out->epoch_end = epoch_ends(o);
    out->fault = o->fault;
    for (unsigned s = 0; s < o->cfg.schedulers; s++) {
        for (unsigned k = 0; k < o->cfg.kernels; k++) {
            out->allow[s] |= (uint8_t)(allowed(o, s, k) << k);
        }
        out->refill[s] = refills(o, s, in->resident);
    }
    if (in->view < o->cfg.kernels) {
        out->quota = (uint16_t)o->quota[in->view];
        out->share = (uint16_t)o->share[in->view];
        out->issued = (uint16_t)o->issued[in->view];
        for (unsigned s = 0; s < o->cfg.schedulers; s++) {
            out->left[s] = (uint16_t)o->left[s][in->view];
        }
    }
}

static void write_value(wr_oracle_warp_quota *o, const wr_warp_quota_in *in)
{
    const unsigned small = in->value % 64;
    if (o->busy || in->kernel >= o->cfg.kernels || in->what == 3) {
        o->fault = true;
    } else if (in->what == 0) {
        o->alone[in->kernel] = in->value;
    } else if (in->what == 1) {
        o->resident[in->kernel] = small;
    } else {
        o->fault = o->fault || small == 0;
        o->most[in->kernel] = small == 0 ? 1 : small;
    }
}

/* C_k = x_k s_k / t_k, over a common denominator. */
static unsigned long long weight(const wr_oracle_warp_quota *o, unsigned k)
{
    unsigned long long w = o->alone[k] == 0 ? 1 : o->alone[k];
    w *= o->resident[k];
    for (unsigned j = 0; j < o->cfg.kernels; j++) {
        w *= j == k ? 1 : o->most[j];
    }
    return w;
}

static void calculate(wr_oracle_warp_quota *o)
{
    const unsigned n = o->cfg.kernels;
    unsigned long long sum = 0;
    if (o->busy) {
        o->fault = true;
        return;
    }
    for (unsigned k = 0; k < n; k++) {
        sum += weight(o, k);
    }
    for (unsigned k = 0; k < n; k++) {
        o->next_quota[k] = o->resident[k] == 0 ? 0 : (unsigned)(o->cfg.epoch * weight(o, k) / sum);
        o->shows[k] = o->cycle + 1 + n * n + 32ull * (k + 1);
    }
    o->ends = o->cycle + 1 + n * n + 32ull * n;
    o->busy = true;
}

static void issue(wr_oracle_warp_quota *o, const wr_warp_quota_in *in)
{
    for (unsigned s = 0; s < o->cfg.schedulers; s++) {
        const unsigned k = in->issue_kernel[s];
        const bool accepted = in->issue[s] && allowed(o, s, k);
        const bool refill = refills(o, s, in->resident);
        o->fault = o->fault || (in->issue[s] && !accepted);
        if (accepted) {
            o->running[k]++;
        }
        if (accepted && o->managed) {
            o->left[s][k]--;
        }
        for (unsigned j = 0; refill && j < o->cfg.kernels; j++) {
            o->left[s][j] = o->share[j];
        }
    }
}

void wr_oracle_warp_quota_clock(wr_oracle_warp_quota *o, const wr_warp_quota_in *in)
{
    issue(o, in);
    if (epoch_ends(o)) {
        memcpy(o->issued, o->running, sizeof o->issued);
        memset(o->running, 0, sizeof o->running);
    }
    if (in->we) {
        write_value(o, in);
    }
    if (in->calc) {
        calculate(o);
    }
    o->cycle++;
    for (unsigned k = 0; o->busy && k < o->cfg.kernels; k++) {
        if (o->cycle == o->shows[k]) {
            const unsigned even = o->next_quota[k] / o->cfg.schedulers;
            o->quota[k] = o->next_quota[k];
            o->share[k] = o->resident[k] == 0 ? 0 : even == 0 ? 1 : even;
        }
    }
    if (o->busy && o->cycle == o->ends) {
        o->busy = false;
        o->managed = true;
    }
}
