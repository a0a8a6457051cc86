/* SPDX-License-Identifier: Apache-2.0 */
/* throughput_monitor: counters that are read in the cycle behind a window, and percentages compared
 * in whole numbers. */
#include "refmodel/duet/throughput_monitor.h"

#include "refmodel/minmax.h"
#include "refmodel/skip.h"

#include <assert.h>
#include <string.h>

enum {
    IDLE,
    WARM,
    MEASURE,
};

/* Bits of low and high. */
enum {
    PART_SCHED = 1,
    PART_L1 = 2,
    PART_NOC = 4,
    PART_L2 = 8,
    PART_DRAM = 16,
    PART_ALL = 31,
};

wr_status wr_throughput_monitor_init(wr_throughput_monitor *s, const wr_throughput_monitor_cfg *cfg)
{
    if (!wr_throughput_monitor_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_throughput_monitor_reset(s);
    return WR_OK;
}

void wr_throughput_monitor_reset(wr_throughput_monitor *s)
{
    const wr_throughput_monitor_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_throughput_monitor_eval(const wr_throughput_monitor *s, const wr_throughput_monitor_in *in,
                                wr_throughput_monitor_out *out)
{
    (void)in; /* no output of this block is combinational */
    out->state = s->state_q;
    out->valid = s->valid_q;
    out->verdict = s->verdict_q;
    out->low = s->low_q;
    out->high = s->high_q;
    out->l1_idle = s->l1_idle_q;
    out->fault = s->fault_q;
}

static void clear_counters(wr_throughput_monitor *s)
{
    s->cycles_q = 0;
    s->issued_q = 0;
    s->l1_q = 0;
    s->up_q = 0;
    s->down_q = 0;
    s->l2_q = 0;
    s->dram_q = 0;
    s->noc_cycles_q = 0;
    s->l2_cycles_q = 0;
    s->dram_cycles_q = 0;
}

/* used is below, or above, `percent` of `possible`. A part can have at most 32 x 3 x 65535 cycles.
 */
static bool below(uint64_t used, uint64_t possible, uint64_t percent)
{
    return used * 100 < possible * percent;
}

static bool above(uint64_t used, uint64_t possible, uint64_t percent)
{
    return used * 100 > possible * percent;
}

static void judge(wr_throughput_monitor *s)
{
    const wr_throughput_monitor_cfg *cfg = &s->cfg;
    const uint64_t sched = (uint64_t)s->cycles_q * cfg->sms * cfg->scheds;
    const uint64_t l1 = (uint64_t)s->cycles_q * cfg->sms;
    /* Flits that can be sustained, times 100. */
    const uint64_t up = (uint64_t)s->noc_cycles_q * cfg->sms * cfg->sustain;
    const uint64_t down = (uint64_t)s->noc_cycles_q * cfg->parts * cfg->sustain;
    const uint64_t l2 = (uint64_t)s->l2_cycles_q * cfg->parts;
    const uint64_t dram = (uint64_t)s->dram_cycles_q * cfg->parts;
    const uint64_t up_used = (uint64_t)s->up_q * 100;
    const uint64_t down_used = (uint64_t)s->down_q * 100;
    uint8_t low = 0;
    uint8_t high = 0;

    low |= below(s->issued_q, sched, 60) ? PART_SCHED : 0;
    low |= below(s->l1_q, l1, 60) ? PART_L1 : 0;
    low |= below(up_used, up, 60) && below(down_used, down, 60) ? PART_NOC : 0;
    low |= below(s->l2_q, l2, 60) ? PART_L2 : 0;
    low |= below(s->dram_q, dram, 50) ? PART_DRAM : 0;
    high |= above(s->issued_q, sched, 80) ? PART_SCHED : 0;
    high |= above(s->l1_q, l1, 80) ? PART_L1 : 0;
    high |= above(up_used, up, 90) || above(down_used, down, 90) ? PART_NOC : 0;
    high |= above(s->l2_q, l2, 80) ? PART_L2 : 0;
    high |= above(s->dram_q, dram, cfg->dram_sat) ? PART_DRAM : 0;

    s->low_q = low;
    s->high_q = high;
    s->l1_idle_q = below(s->l1_q, l1, 3);
    s->verdict_q = WR_DUET_MODERATE;
    if (high != 0) {
        s->verdict_q = WR_DUET_SATURATED;
    } else if (low == PART_ALL) {
        s->verdict_q = WR_DUET_UNDER;
    }
}

/* The count of one pin, cut off at what its part can do in this cycle. */
static uint32_t legal(wr_throughput_monitor *s, uint32_t count, uint32_t most)
{
    if (count > most) {
        s->fault_q = true;
        return most;
    }
    return count;
}

/* n cycles of one window or of the warm-up. */
static void count(wr_throughput_monitor *s, const wr_throughput_monitor_in *in, uint32_t n)
{
    const wr_throughput_monitor_cfg *cfg = &s->cfg;
    const uint32_t noc = in->noc_cycles & 3u;
    const uint32_t l2 = in->l2_cycles & 3u;
    const uint32_t dram = in->dram_cycles & 3u;
    const uint32_t issued = legal(s, in->issued, cfg->sms * cfg->scheds);
    const uint32_t l1 = legal(s, in->l1 & 63u, cfg->sms);
    const uint32_t up = legal(s, in->up & 127u, cfg->sms * noc);
    const uint32_t down = legal(s, in->down & 127u, cfg->parts * noc);
    const uint32_t l2_used = legal(s, in->l2 & 127u, cfg->parts * l2);
    const uint32_t dram_used = legal(s, in->dram & 127u, cfg->parts * dram);

    s->cycles_q = (uint16_t)(s->cycles_q + n);
    if (s->state_q == WARM) {
        return;
    }
    s->issued_q += n * issued;
    s->l1_q += n * l1;
    s->up_q += n * up;
    s->down_q += n * down;
    s->l2_q += n * l2_used;
    s->dram_q += n * dram_used;
    s->noc_cycles_q += n * noc;
    s->l2_cycles_q += n * l2;
    s->dram_cycles_q += n * dram;
    assert(s->issued_q <= (uint64_t)cfg->sms * cfg->scheds * cfg->window);
}

void wr_throughput_monitor_tick(wr_throughput_monitor *s, const wr_throughput_monitor_in *in)
{
    s->valid_q = false;
    if (in->start || in->stop) {
        clear_counters(s);
        s->judge_q = false;
        s->state_q = IDLE;
    }
    if (in->start) {
        s->state_q = s->cfg.warmup == 0 ? MEASURE : WARM;
        s->verdict_q = 0;
        s->low_q = 0;
        s->high_q = 0;
        s->l1_idle_q = false;
    }
    if (in->start || in->stop || s->state_q == IDLE) {
        return;
    }
    if (s->judge_q) {
        judge(s);
        s->valid_q = true;
        s->judge_q = false;
        clear_counters(s);
    }
    count(s, in, 1);
    if (s->state_q == WARM && (in->cut || s->cycles_q == s->cfg.warmup)) {
        s->state_q = MEASURE;
        clear_counters(s);
    } else if (s->state_q == MEASURE && (in->cut || s->cycles_q == s->cfg.window)) {
        s->judge_q = true;
    }
}

static void tick(void *s, const void *in)
{
    wr_throughput_monitor_tick(s, in);
}

static void eval(const void *s, const void *in, void *out)
{
    wr_throughput_monitor_eval(s, in, out);
}

/* To the last cycle of the warm-up or window; behind start, behind stop and in idle, for ever. */
static uint64_t coast(void *state, const void *pins, uint64_t most)
{
    wr_throughput_monitor *s = state;
    const wr_throughput_monitor_in *in = pins;

    if (in->start || in->stop || s->state_q == IDLE) {
        return most;
    }
    if (in->cut || s->judge_q) {
        return 0;
    }
    const uint32_t room = (s->state_q == WARM ? s->cfg.warmup : s->cfg.window) - 1 - s->cycles_q;
    const uint32_t n = (uint32_t)wr_min(most, room);
    if (n > 0) {
        s->valid_q = false;
        count(s, in, n);
    }
    return n;
}

static const wr_skip free_run = {sizeof(wr_throughput_monitor), sizeof(wr_throughput_monitor_out),
                                 tick, eval, coast};

void wr_throughput_monitor_skip(wr_throughput_monitor *s, const wr_throughput_monitor_in *in,
                                uint64_t n)
{
    wr_throughput_monitor mark;

    wr_skip_run(&free_run, s, &mark, in, s->cfg.window, n);
}

uint64_t wr_throughput_monitor_quiet(const wr_throughput_monitor *s,
                                     const wr_throughput_monitor_in *in)
{
    wr_throughput_monitor copy;
    wr_throughput_monitor mark;
    wr_throughput_monitor_out out[2];

    memcpy(&copy, s, sizeof copy);
    return wr_skip_quiet(&free_run, &copy, &mark, in, out);
}
