/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/issue_rate_controller_oracle.h"

#include <string.h>

void wr_oracle_irc_reset(wr_oracle_irc *o, const wr_issue_rate_controller_cfg *cfg)
{
    memset(o, 0, sizeof *o);
    o->cfg = *cfg;
    for (unsigned k = 0; k < cfg->kernels; k++) {
        o->latency[k] = true;
    }
    o->last = cfg->kernels - 1;
}

static unsigned waiting(const wr_oracle_irc *o, unsigned sub_queue)
{
    unsigned n = 0;
    for (unsigned i = 0; i < o->held; i++) {
        n += o->list[i].sub_queue == sub_queue;
    }
    return n;
}

static bool unlimited(const wr_oracle_irc *o, unsigned sub_queue)
{
    return o->fifo || o->latency[sub_queue];
}

static bool may_issue(const wr_oracle_irc *o, unsigned sub_queue)
{
    return waiting(o, sub_queue) > 0 && (unlimited(o, sub_queue) || o->credit[sub_queue] > 0);
}

static bool has_room(const wr_oracle_irc *o, unsigned kernel)
{
    unsigned kept = 0;
    for (unsigned j = 0; j < o->cfg.kernels && !o->fifo; j++) {
        const unsigned held = waiting(o, j);
        if (j != kernel && held < o->cfg.reserve) {
            kept += o->cfg.reserve - held;
        }
    }
    return o->cfg.depth - o->held > kept;
}

/* Place in the list of the request at the output, or -1. */
static int chosen(const wr_oracle_irc *o)
{
    for (int urgent = 1; urgent >= 0; urgent--) {
        for (unsigned step = 1; step <= o->cfg.kernels; step++) {
            const unsigned k = (o->last + step) % o->cfg.kernels;
            if (!may_issue(o, k) || unlimited(o, k) != (urgent == 1)) {
                continue;
            }
            for (unsigned i = 0; i < o->held; i++) {
                if (o->list[i].sub_queue == k) {
                    return (int)i;
                }
            }
        }
    }
    return -1;
}

void wr_oracle_irc_outputs(const wr_oracle_irc *o, const wr_issue_rate_controller_in *in,
                           wr_issue_rate_controller_out *out)
{
    const int at = chosen(o);
    memset(out, 0, sizeof *out);
    for (unsigned k = 0; k < o->cfg.kernels; k++) {
        out->room[k] = has_room(o, k);
        out->throttled[k] = waiting(o, k) > 0 && !may_issue(o, k);
    }
    if (at >= 0) {
        out->out_valid = true;
        out->out_kernel = (uint8_t)o->list[at].kernel;
        out->out_store = o->list[at].store;
        out->out_tag = (uint8_t)o->list[at].tag;
    }
    out->cfg_ready = o->deciding == 0;
    if (in->view < o->cfg.kernels) {
        out->quota = (uint16_t)o->quota[in->view];
        out->credit = (uint8_t)o->credit[in->view];
        out->loads = (uint16_t)o->loads[in->view];
        out->stores = (uint16_t)o->stores[in->view];
    }
    out->fault = o->fault;
}

/* budget x percent / (100 x need), in 1/16, at most 4,095. */
static unsigned quota_of(unsigned long long sixteenths, unsigned percent, unsigned need)
{
    if (need == 0) {
        return 4095;
    }
    const unsigned long long q = sixteenths * percent / (100ull * need);
    return q > 4095 ? 4095 : (unsigned)q;
}

static void take_decision(wr_oracle_irc *o, const wr_issue_rate_controller_in *in)
{
    const unsigned nbw = in->cfg_nbw > 100 ? 100 : in->cfg_nbw;
    const unsigned dbw = in->cfg_dbw > 100 ? 100 : in->cfg_dbw;
    if (in->cfg_nbw > 100 || in->cfg_dbw > 100 || in->cfg_kernel >= o->cfg.kernels) {
        o->fault = true;
    }
    if (in->cfg_kernel >= o->cfg.kernels) {
        return;
    }
    /* cfg_n16 counts sixteenths of a flit: another factor of 16 */
    const unsigned qn = quota_of(256ull * o->cfg.noc_flits, nbw, in->cfg_n16);
    const unsigned qd = quota_of(16ull * o->cfg.dram_bytes, dbw, in->cfg_dreq);
    const unsigned q = qn < qd ? qn : qd;
    o->deciding = 14; /* counted down at the end of this cycle too */
    o->decided_kernel = in->cfg_kernel;
    o->decided_latency = in->cfg_ls;
    o->decided_quota = q < 16 ? 16 : q;
}

static void end_window(wr_oracle_irc *o)
{
    for (unsigned k = 0; k < o->cfg.kernels; k++) {
        const unsigned sum = o->fraction[k] + o->quota[k] % 16;
        const unsigned credit = o->quota[k] / 16 + (sum >= 16);
        o->fraction[k] = sum % 16;
        o->credit[k] = credit > 255 ? 255 : credit;
    }
}

static void leave(wr_oracle_irc *o, unsigned at)
{
    const wr_oracle_irc_request r = o->list[at];
    unsigned *count = r.store ? &o->stores[r.kernel] : &o->loads[r.kernel];
    *count += *count < 4095;
    o->last = r.sub_queue;
    if (!o->fifo && !o->latency[r.kernel]) {
        o->credit[r.kernel]--;
    }
    for (unsigned i = at; i + 1 < o->held; i++) {
        o->list[i] = o->list[i + 1];
    }
    o->held--;
}

void wr_oracle_irc_clock(wr_oracle_irc *o, const wr_issue_rate_controller_in *in)
{
    const bool known = in->kernel < o->cfg.kernels;
    const bool taken = in->valid && known && has_room(o, in->kernel);
    const bool was_empty = o->held == 0;
    const int at = chosen(o);

    if (in->valid && !known) {
        o->fault = true;
    }
    if (in->clear) {
        memset(o->loads, 0, sizeof o->loads);
        memset(o->stores, 0, sizeof o->stores);
    }
    if (at >= 0 && in->out_ready) {
        leave(o, (unsigned)at);
    }
    if (taken) {
        o->list[o->held++] = (wr_oracle_irc_request){.sub_queue = o->fifo ? 0 : in->kernel,
                                                     .kernel = in->kernel,
                                                     .tag = in->tag,
                                                     .store = in->store};
    }
    if (in->cfg && o->deciding == 0) {
        take_decision(o, in);
    }
    o->cycle_of_window++;
    if (o->cycle_of_window == o->cfg.window) {
        o->cycle_of_window = 0;
        end_window(o);
    }
    if (o->deciding > 0 && --o->deciding == 0) {
        const unsigned k = o->decided_kernel;
        o->latency[k] = o->decided_latency;
        o->quota[k] = o->decided_quota;
        o->fraction[k] = 0;
    }
    if (was_empty && !taken) {
        o->fifo = in->fifo;
    }
}
