/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of concurrency_manager; see the header. */
#include "tests/oracle/concurrency_manager_oracle.h"

#include <assert.h>
#include <string.h>

enum { KEEP, INCREASE, REDUCE };

unsigned wr_oracle_cm_level(unsigned level)
{
    static const unsigned warps[WR_ORACLE_CM_LEVELS] = {1, 2, 3, 4, 6, 8, 16, 24, 48};
    assert(level < WR_ORACLE_CM_LEVELS);
    return warps[level];
}

static void begin(wr_oracle_cm *m, bool balance)
{
    m->balance = balance;
    m->cyc = 0;
    m->later = false;
    m->sum_mc = 0;
    m->sum_net = 0;
    m->now = 0;
    m->core_from = 0;
    memset(m->part_from, 0, sizeof m->part_from);
    memset(m->core, 0, sizeof m->core);
    for (unsigned i = 0; i < m->cfg.cores; i++) {
        m->core[i].limit = 48;
    }
}

void wr_oracle_cm_reset(wr_oracle_cm *m, const wr_oracle_cm_cfg *cfg)
{
    memset(m, 0, sizeof *m);
    m->cfg = *cfg;
    m->th_high = cfg->interval;
    m->th_low = cfg->interval / 4;
    begin(m, true);
}

static unsigned counted(const wr_oracle_cm *m, uint64_t from, int what, unsigned index)
{
    unsigned sum = 0;
    assert(m->now - from <= WR_ORACLE_CM_CYCLES);
    for (uint64_t c = from; c < m->now; c++) {
        const wr_oracle_cm_stalls *s = &m->seen[c % WR_ORACLE_CM_CYCLES];
        sum += what == 0 ? s->mc[index] : what == 1 ? s->net[index] : s->core[index];
    }
    const unsigned most = what == 2 ? 2047 : 1023;
    return sum < most ? sum : most;
}

unsigned wr_oracle_cm_stall(const wr_oracle_cm *m, unsigned core)
{
    return counted(m, m->core_from, 2, core);
}

bool wr_oracle_cm_decides(const wr_oracle_cm *m)
{
    return m->later && m->cyc == m->cfg.parts;
}

int wr_oracle_cm_part1(const wr_oracle_cm *m)
{
    if (!wr_oracle_cm_decides(m)) {
        return KEEP;
    }
    if (m->sum_mc >= m->th_high || m->sum_net >= m->th_high) {
        return REDUCE;
    }
    return m->sum_mc < m->th_low && m->sum_net < m->th_low ? INCREASE : KEEP;
}

static void decide_cpu(wr_oracle_cm_core *core, int part1)
{
    unsigned limit = core->limit;
    if (part1 == REDUCE) {
        limit = limit > 8 ? limit - 2 : limit - 1;
        core->limit = limit < 1 ? 1 : limit;
    } else if (part1 == INCREASE) {
        limit = limit < 8 ? limit + 1 : limit + 2;
        core->limit = limit > 48 ? 48 : limit;
    }
}

static void decide_balance(wr_oracle_cm_core *core, int part1, unsigned stall, unsigned k)
{
    int level = 0;
    while (wr_oracle_cm_level((unsigned)level) != core->limit) {
        level++;
    }
    core->avg[level] = core->known[level] ? (core->avg[level] + 3 * stall) / 4 : stall;
    core->known[level] = true;

    const bool has_up = level < WR_ORACLE_CM_LEVELS - 1 && core->known[level + 1];
    const bool has_low = level > 0 && core->known[level - 1];
    const int here = (int)core->avg[level];
    int move = part1 == INCREASE ? 1 : part1 == REDUCE ? -1 : 0;
    if (level + move < 0 || level + move >= WR_ORACLE_CM_LEVELS) {
        move = 0;
    }
    if (has_up && here - (int)core->avg[level + 1] > (int)k) {
        move = 1;
    } else if (move == -1 && has_low && (int)core->avg[level - 1] - here > (int)k) {
        move = 0;
    }
    if (move == 0 && core->run == 3) {
        move = core->limit < 6 ? 1 : -1;
    }
    core->run = move == 0 ? core->run + 1 : 0;
    core->limit = wr_oracle_cm_level((unsigned)(level + move));
}

static void decide(wr_oracle_cm *m, unsigned k_code)
{
    const int part1 = wr_oracle_cm_part1(m);
    const unsigned k = (k_code + 1) * m->cfg.interval / 32;
    for (unsigned i = 0; i < m->cfg.cores; i++) {
        if (m->balance) {
            decide_balance(&m->core[i], part1, wr_oracle_cm_stall(m, i), k);
        } else {
            decide_cpu(&m->core[i], part1);
        }
    }
}

void wr_oracle_cm_step(wr_oracle_cm *m, const wr_oracle_cm_in *in)
{
    const wr_oracle_cm_cfg *c = &m->cfg;
    wr_oracle_cm_stalls stalls = in->stalls;
    for (unsigned i = 0; i < c->cores; i++) {
        if (stalls.core[i] > 2) {
            stalls.core[i] = 2;
            m->fault = true;
        }
    }
    /* The decision of this cycle goes by the thresholds of before. */
    const bool early = m->cyc <= c->parts;
    if (in->cut && early && !in->start) {
        m->fault = true;
    }
    if (!in->start) {
        if (m->cyc < c->parts) {
            const uint64_t from = m->part_from[m->cyc];
            m->sum_mc = (m->cyc == 0 ? 0 : m->sum_mc) + counted(m, from, 0, m->cyc);
            m->sum_net = (m->cyc == 0 ? 0 : m->sum_net) + counted(m, from, 1, m->cyc);
            m->part_from[m->cyc] = m->now;
        } else if (m->cyc == c->parts) {
            if (m->later) {
                decide(m, in->k);
            }
            m->core_from = m->now;
        }
        m->seen[m->now % WR_ORACLE_CM_CYCLES] = stalls;
        m->now++;
        m->cyc++;
        if (m->cyc == c->interval || (in->cut && !early)) {
            m->cyc = 0;
            m->later = true;
        }
    }
    if (in->load) {
        m->th_high = in->th_high;
        m->th_low = in->th_low;
        m->fault = m->fault || in->th_low > in->th_high;
    }
    if (in->start) {
        begin(m, in->balance);
    }
}
