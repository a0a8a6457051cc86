/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of throughput_monitor; see the header. */
#include "tests/oracle/throughput_monitor_oracle.h"

#include <string.h>

enum { UNDER, MODERATE, SATURATED };

void wr_oracle_monitor_reset(wr_oracle_monitor *m, const wr_oracle_monitor_cfg *cfg)
{
    memset(m, 0, sizeof *m);
    m->cfg = *cfg;
}

static uint8_t legal(wr_oracle_monitor *m, uint8_t value, unsigned most)
{
    if (value > most) {
        m->fault = true;
        return (uint8_t)most;
    }
    return value;
}

/* used is less (more) than percent of peak; a part without a cycle has peak 0 and is neither. */
static bool less(uint64_t used, uint64_t percent, uint64_t peak)
{
    return peak > 0 && used * 100 < percent * peak;
}

static bool more(uint64_t used, uint64_t percent, uint64_t peak)
{
    return peak > 0 && used * 100 > percent * peak;
}

static void judge(wr_oracle_monitor *m)
{
    const wr_oracle_monitor_cfg *c = &m->cfg;
    uint64_t issued = 0, l1 = 0, up = 0, down = 0, l2 = 0, dram = 0;
    uint64_t issue_peak = 0, l1_peak = 0, up_peak = 0, down_peak = 0, l2_peak = 0, dram_peak = 0;
    for (unsigned i = 0; i < m->ended_length; i++) {
        const wr_oracle_monitor_use *u = &m->ended_seen[i];
        issued += u->issued;
        l1 += u->l1;
        up += u->up;
        down += u->down;
        l2 += u->l2;
        dram += u->dram;
        issue_peak += (uint64_t)c->sms * c->scheds;
        l1_peak += c->sms;
        up_peak += (uint64_t)c->sms * u->noc_cycles;
        down_peak += (uint64_t)c->parts * u->noc_cycles;
        l2_peak += (uint64_t)c->parts * u->l2_cycles;
        dram_peak += (uint64_t)c->parts * u->dram_cycles;
    }
    /* What the interconnect sustains, in hundredths, against its use in hundredths. */
    const uint64_t up_sustained = up_peak * c->sustain;
    const uint64_t down_sustained = down_peak * c->sustain;

    m->low = 0;
    m->low += less(issued, 60, issue_peak) ? 1 : 0;
    m->low += less(l1, 60, l1_peak) ? 2 : 0;
    m->low += less(up * 100, 60, up_sustained) && less(down * 100, 60, down_sustained) ? 4 : 0;
    m->low += less(l2, 60, l2_peak) ? 8 : 0;
    m->low += less(dram, 50, dram_peak) ? 16 : 0;
    m->high = 0;
    m->high += more(issued, 80, issue_peak) ? 1 : 0;
    m->high += more(l1, 80, l1_peak) ? 2 : 0;
    m->high += more(up * 100, 90, up_sustained) || more(down * 100, 90, down_sustained) ? 4 : 0;
    m->high += more(l2, 80, l2_peak) ? 8 : 0;
    m->high += more(dram, c->dram_sat, dram_peak) ? 16 : 0;
    m->l1_idle = less(l1, 3, l1_peak);
    m->verdict = m->high != 0 ? SATURATED : m->low == 31 ? UNDER : MODERATE;
}

void wr_oracle_monitor_step(wr_oracle_monitor *m, const wr_oracle_monitor_in *in)
{
    const wr_oracle_monitor_cfg *c = &m->cfg;
    const bool was_ended = m->ended;
    m->valid = false;
    m->ended = false;
    if (in->start) {
        m->state = c->warmup > 0 ? 1 : 2;
        m->length = 0;
        m->verdict = 0;
        m->low = 0;
        m->high = 0;
        m->l1_idle = false;
        return;
    }
    if (in->stop) {
        m->state = 0;
        m->length = 0;
        return;
    }
    if (was_ended) {
        judge(m);
        m->valid = true;
    }
    if (m->state == 0) {
        return;
    }
    wr_oracle_monitor_use u = in->use;
    u.issued = legal(m, u.issued, c->sms * c->scheds);
    u.l1 = legal(m, u.l1, c->sms);
    u.up = legal(m, u.up, c->sms * u.noc_cycles);
    u.down = legal(m, u.down, c->parts * u.noc_cycles);
    u.l2 = legal(m, u.l2, c->parts * u.l2_cycles);
    u.dram = legal(m, u.dram, c->parts * u.dram_cycles);

    m->length++;
    if (m->state == 1) {
        if (m->length == c->warmup || in->cut) {
            m->state = 2;
            m->length = 0;
        }
        return;
    }
    m->seen[m->length - 1] = u;
    if (m->length == c->window || in->cut) {
        m->ended = true;
        m->ended_length = m->length;
        memcpy(m->ended_seen, m->seen, m->length * sizeof m->seen[0]);
        m->length = 0;
    }
}
