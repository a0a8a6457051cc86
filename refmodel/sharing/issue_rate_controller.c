/* SPDX-License-Identifier: Apache-2.0 */
/* issue_rate_controller: a plain array per sub-queue, oldest first.
 *
 * The RTL links the sub-queues through one memory; here each is an array that moves down, so that
 * the two share no pointers. A decision's quota is worked out when it is taken and kept until the
 * RTL's divider would be done.
 */
#include "refmodel/sharing/issue_rate_controller.h"

#include "refmodel/minmax.h"
#include "refmodel/skip.h"

#include <assert.h>
#include <string.h>

enum {
    NONE = -1,
    COUNT_MAX = 4095,
    CREDIT_MAX = 255,
    QUOTA_MAX = 4095,
    QUOTA_MIN = 16, /* one request a window: a kernel never starves */
};

static bool limited(const wr_issue_rate_controller *s, uint32_t k)
{
    return !s->fifo_q && ((s->ls_q >> k) & 1u) == 0;
}

static bool may_issue(const wr_issue_rate_controller *s, uint32_t k)
{
    return s->held_q[k] > 0 && (!limited(s, k) || s->credit_q[k] > 0);
}

/* The sub-queue at the output, or NONE. */
static int choice(const wr_issue_rate_controller *s)
{
    const uint32_t kernels = s->cfg.kernels;
    for (int urgent = 1; urgent >= 0; urgent--) {
        for (uint32_t step = 1; step <= kernels; step++) {
            const uint32_t k = (s->last_q + step) % kernels;
            if (may_issue(s, k) && limited(s, k) != (urgent == 1)) {
                return (int)k;
            }
        }
    }
    return NONE;
}

static uint32_t held_by_all(const wr_issue_rate_controller *s)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        sum += s->held_q[k];
    }
    return sum;
}

static bool has_room(const wr_issue_rate_controller *s, uint32_t k)
{
    uint32_t owed = 0;
    for (uint32_t j = 0; j < s->cfg.kernels && !s->fifo_q; j++) {
        if (j != k && s->held_q[j] < s->cfg.reserve) {
            owed += s->cfg.reserve - s->held_q[j];
        }
    }
    return s->cfg.depth - held_by_all(s) > owed;
}

wr_status wr_issue_rate_controller_init(wr_issue_rate_controller *s,
                                        const wr_issue_rate_controller_cfg *cfg)
{
    if (!wr_issue_rate_controller_cfg_ok(cfg) || cfg->depth < cfg->kernels * cfg->reserve) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_issue_rate_controller_reset(s);
    return WR_OK;
}

void wr_issue_rate_controller_reset(wr_issue_rate_controller *s)
{
    const wr_issue_rate_controller_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
    s->ls_q = (uint8_t)((1u << cfg.kernels) - 1u);
    s->last_q = (uint8_t)(cfg.kernels - 1u);
}

void wr_issue_rate_controller_eval(const wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in,
                                   wr_issue_rate_controller_out *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        out->room[k] = has_room(s, k);
        out->throttled[k] = s->held_q[k] > 0 && !may_issue(s, k);
    }
    const int chosen = choice(s);
    if (chosen != NONE) {
        const wr_issue_rate_request *head = &s->queue_q[chosen][0];
        out->out_valid = true;
        out->out_kernel = head->kernel;
        out->out_store = head->store;
        out->out_tag = head->tag;
    }
    out->cfg_ready = s->busy_q == 0;
    const uint32_t view = in->view & 3u;
    out->quota = s->quota_q[view];
    out->credit = s->credit_q[view];
    out->loads = s->loads_q[view];
    out->stores = s->stores_q[view];
    out->fault = s->fault_q;
}

static void leave(wr_issue_rate_controller *s, uint32_t k)
{
    const wr_issue_rate_request head = s->queue_q[k][0];
    s->held_q[k]--;
    memmove(&s->queue_q[k][0], &s->queue_q[k][1], s->held_q[k] * sizeof head);
    if (limited(s, k)) {
        assert(s->credit_q[k] > 0);
        s->credit_q[k]--;
    }
    uint16_t *count = head.store ? s->stores_q : s->loads_q;
    if (count[head.kernel] < COUNT_MAX) {
        count[head.kernel]++;
    }
    s->last_q = (uint8_t)k;
}

static void enter(wr_issue_rate_controller *s, const wr_issue_rate_controller_in *in,
                  uint32_t kernel, bool fifo)
{
    const uint32_t k = fifo ? 0 : kernel;
    assert(s->held_q[k] < s->cfg.depth);
    s->queue_q[k][s->held_q[k]] =
        (wr_issue_rate_request){.kernel = (uint8_t)kernel, .tag = in->tag, .store = in->store};
    s->held_q[k]++;
}

static void next_window(wr_issue_rate_controller *s)
{
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        const uint32_t sum = s->acc_q[k] + (s->quota_q[k] & 15u);
        const uint32_t credit = (uint32_t)(s->quota_q[k] >> 4) + (sum >> 4);
        s->acc_q[k] = sum & 15u;
        s->credit_q[k] = (uint8_t)wr_min(credit, CREDIT_MAX);
    }
}

/* A quota in sixteenths; without a divisor there is no limit. */
static uint64_t quota_of(uint32_t dividend, uint32_t divisor)
{
    return divisor == 0 ? QUOTA_MAX : wr_min(dividend / divisor, QUOTA_MAX);
}

static void decide(wr_issue_rate_controller *s, const wr_issue_rate_controller_in *in)
{
    const uint32_t kernel = in->cfg_kernel & 3u;
    const uint32_t nbw = in->cfg_nbw & 127u;
    const uint32_t dbw = in->cfg_dbw & 127u;
    s->fault_q = s->fault_q || kernel >= s->cfg.kernels || nbw > 100 || dbw > 100;
    if (kernel >= s->cfg.kernels) {
        return;
    }
    const uint32_t noc_bytes = 256 * s->cfg.noc_flits * (uint32_t)wr_min(nbw, 100);
    const uint32_t dram_bytes = 16 * s->cfg.dram_bytes * (uint32_t)wr_min(dbw, 100);
    const uint64_t noc = quota_of(noc_bytes, 100u * in->cfg_n16);
    const uint64_t dram = quota_of(dram_bytes, 100u * in->cfg_dreq);
    s->new_quota_q = (uint16_t)wr_max(wr_min(noc, dram), QUOTA_MIN);
    s->new_kernel_q = (uint8_t)kernel;
    s->new_ls_q = in->cfg_ls;
    s->busy_q = WR_ISSUE_RATE_CFG_CYCLES;
}

void wr_issue_rate_controller_tick(wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in)
{
    const uint32_t kernel = in->kernel & 3u;
    const bool known = kernel < s->cfg.kernels;
    const bool enters = in->valid && known && has_room(s, kernel);
    const bool empty = held_by_all(s) == 0;
    const bool fifo = s->fifo_q;
    const int chosen = choice(s);

    s->fault_q = s->fault_q || (in->valid && !known);
    if (in->clear) {
        memset(s->loads_q, 0, sizeof s->loads_q);
        memset(s->stores_q, 0, sizeof s->stores_q);
    }
    if (chosen != NONE && in->out_ready) {
        leave(s, (uint32_t)chosen);
    }
    if (enters) {
        enter(s, in, kernel, fifo);
    } else if (empty) {
        s->fifo_q = in->fifo;
    }
    const bool ends = s->window_q + 1u == s->cfg.window;
    s->window_q = (uint8_t)(ends ? 0 : s->window_q + 1u);
    if (ends) {
        next_window(s);
    }
    if (s->busy_q > 0) {
        s->busy_q--;
        if (s->busy_q == 0) {
            const uint32_t k = s->new_kernel_q;
            s->ls_q = (uint8_t)((s->ls_q & ~(1u << k)) | ((unsigned)s->new_ls_q << k));
            s->quota_q[k] = s->new_quota_q;
            s->acc_q[k] = 0;
        }
    } else if (in->cfg) {
        decide(s, in);
    }
}

static void tick(void *s, const void *in)
{
    wr_issue_rate_controller_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_issue_rate_controller_eval(s, in, out);
}

/* To the last cycle of the window, where nothing enters or leaves. */
static uint64_t coast(void *state, const void *pins, uint64_t most)
{
    wr_issue_rate_controller *s = state;
    const wr_issue_rate_controller_in *in = pins;
    const uint32_t kernel = in->kernel & 3u;
    const bool enters = in->valid && kernel < s->cfg.kernels && has_room(s, kernel);
    const bool leaves = in->out_ready && choice(s) != NONE;
    const bool switches = s->fifo_q != in->fifo && held_by_all(s) == 0;

    if (s->busy_q > 0 || in->cfg || in->clear || enters || leaves || switches) {
        return 0;
    }
    const uint32_t room = s->cfg.window - 1 - s->window_q;
    const uint64_t n = wr_min(most, room);
    s->window_q = (uint8_t)(s->window_q + n);
    return n;
}

static const wr_skip free_run = {sizeof(wr_issue_rate_controller),
                                 sizeof(wr_issue_rate_controller_out), tick, eval, coast};

void wr_issue_rate_controller_skip(wr_issue_rate_controller *s,
                                   const wr_issue_rate_controller_in *in, uint64_t n)
{
    wr_issue_rate_controller mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.window, n);
}

uint64_t wr_issue_rate_controller_quiet(const wr_issue_rate_controller *s,
                                        const wr_issue_rate_controller_in *in)
{
    wr_issue_rate_controller copy;
    wr_issue_rate_controller mark;
    wr_issue_rate_controller_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &mark, in, out);
}
