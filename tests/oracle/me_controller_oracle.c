/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of me_controller; see the header. */
#include "tests/oracle/me_controller_oracle.h"

#include <assert.h>
#include <string.h>

enum { OFF, WARP, TB };
enum { UNDER, MODERATE, SATURATED };

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool fits_natively(const wr_oracle_me_cfg *c, const wr_oracle_me_kernel *k, unsigned tbs)
{
    return tbs * k->warps <= c->warp_slots && tbs <= c->tb_slots && tbs * k->regs <= c->rf_lines &&
           tbs * k->smem <= c->smem_lines;
}

static bool extra_fits(const wr_oracle_me_cfg *c, const wr_oracle_me_kernel *k, int level,
                       unsigned mc, unsigned extra, unsigned l1)
{
    const unsigned tbs = mc + extra;
    const unsigned lines = c->rf_lines + c->smem_lines + l1;
    if (level == OFF || tbs * k->warps > c->warps || tbs > c->tbs) {
        return false;
    }
    if (level == WARP) {
        return tbs * k->smem <= c->smem_lines &&
               mc * k->regs + extra * k->reduced + tbs * k->smem + extra * k->meta <= lines;
    }
    return tbs * k->regs <= c->rf_lines && tbs * k->regs + tbs * k->smem + extra * k->meta <= lines;
}

wr_oracle_me_limits wr_oracle_me_search(const wr_oracle_me_cfg *cfg, const wr_oracle_me_kernel *k)
{
    wr_oracle_me_limits found = {0};
    while (fits_natively(cfg, k, found.mc + 1)) {
        found.mc++;
    }
    const bool lim_reg = (found.mc + 1) * k->regs > cfg->rf_lines;
    const bool lim_smem = (found.mc + 1) * k->smem > cfg->smem_lines;
    if (found.mc == 0 || (lim_reg && lim_smem)) {
        found.level = OFF;
    } else {
        found.level = lim_smem ? TB : WARP;
    }
    while (extra_fits(cfg, k, found.level, found.mc, found.extra + 1, 0)) {
        found.extra++;
    }
    while (found.extra == 0 &&
           extra_fits(cfg, k, found.level, found.mc, found.extra_l1 + 1, cfg->l1_lines)) {
        found.extra_l1++;
    }
    return found;
}

void wr_oracle_me_reset(wr_oracle_me *m, const wr_oracle_me_cfg *cfg)
{
    memset(m, 0, sizeof *m);
    m->cfg = *cfg;
}

/* Cycles of the three stretches of the search. */
static uint64_t native_cycles(const wr_oracle_me *m)
{
    return m->limits.mc + 1;
}

static uint64_t first_cycles(const wr_oracle_me *m)
{
    return m->limits.extra + 1;
}

static uint64_t all_cycles(const wr_oracle_me *m)
{
    return native_cycles(m) + first_cycles(m) + (m->limits.extra == 0 ? m->limits.extra_l1 + 1 : 0);
}

static bool searched(const wr_oracle_me *m)
{
    return m->started && m->age > all_cycles(m);
}

/* ME after all the verdicts so far. */
static void walk_verdicts(const wr_oracle_me *m, wr_oracle_me_out *out)
{
    const bool needs_l1 = m->limits.extra == 0 && m->limits.extra_l1 > 0;
    const unsigned bound = needs_l1 ? m->limits.extra_l1 : m->limits.extra;
    unsigned safe = 0;
    for (unsigned i = 0; i < m->verdicts; i++) {
        const int verdict = m->verdict[i];
        if (i == 0) {
            out->bypass = needs_l1 && verdict != SATURATED && m->first_l1_idle;
        }
        const unsigned usable = needs_l1 && !out->bypass ? 0 : bound;
        if (verdict != SATURATED && out->frozen) {
            continue;
        }
        if (verdict != SATURATED) {
            safe = out->me;
            out->me = verdict == UNDER ? usable : least(out->me + 1, usable);
        } else if (m->cfg.sat_zero || i == 0) {
            out->me = 0;
            out->frozen = !m->cfg.sat_zero;
        } else {
            out->me = safe < out->me ? safe : out->me > 0 ? out->me - 1 : 0;
            out->frozen = true;
        }
    }
}

wr_oracle_me_out wr_oracle_me_eval(const wr_oracle_me *m)
{
    wr_oracle_me_out out = {.tbs = m->tbs, .fault = m->fault};
    if (!m->started) {
        return out;
    }
    const uint64_t native = native_cycles(m);
    const uint64_t first = native + first_cycles(m);
    const bool with_l1 = m->limits.extra == 0;
    if (m->age <= native) {
        out.mc = (unsigned)m->age - 1;
    } else {
        out.mc = m->limits.mc;
        out.level = m->limits.level;
        if (m->age <= first) {
            out.bound = (unsigned)(m->age - native) - 1;
        } else if (m->age <= all_cycles(m)) {
            out.bound = (unsigned)(m->age - first) - 1;
        } else {
            out.bound = with_l1 ? m->limits.extra_l1 : m->limits.extra;
        }
    }
    out.busy = !searched(m);
    out.needs_l1 = searched(m) && with_l1 && m->limits.extra_l1 > 0;
    walk_verdicts(m, &out);
    out.allow = searched(m) && m->tbs < out.mc + out.me;
    return out;
}

static void start(wr_oracle_me *m, const wr_oracle_me_in *in)
{
    wr_oracle_me_kernel k = in->kernel;
    if (m->tbs != 0 || k.warps == 0 || k.reduced > k.regs) {
        m->fault = true;
    }
    k.warps = k.warps == 0 ? 1 : k.warps;
    k.reduced = least(k.reduced, k.regs);
    m->limits = wr_oracle_me_search(&m->cfg, &k);
    m->started = true;
    m->age = 1;
    m->verdicts = 0;
    m->tbs = 0;
}

void wr_oracle_me_step(wr_oracle_me *m, const wr_oracle_me_in *in)
{
    if (in->start) {
        start(m, in);
        return;
    }
    const wr_oracle_me_out now = wr_oracle_me_eval(m);
    if (in->valid && (!searched(m) || in->verdict > SATURATED)) {
        m->fault = true;
    } else if (in->valid) {
        assert(m->verdicts < WR_ORACLE_ME_VERDICTS);
        m->first_l1_idle = m->verdicts == 0 ? in->l1_idle : m->first_l1_idle;
        m->verdict[m->verdicts++] = in->verdict;
    }
    const bool launched = in->launch && now.allow;
    const bool left = in->leave && now.tbs > 0;
    if (in->launch != launched || in->leave != left) {
        m->fault = true;
    }
    m->tbs = m->tbs + (launched ? 1 : 0) - (left ? 1 : 0);
    if (m->started) {
        m->age++;
        if (m->age == all_cycles(m) + 1 && m->limits.mc == 0) {
            m->fault = true;
        }
    }
}
