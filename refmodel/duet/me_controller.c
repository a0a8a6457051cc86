/* SPDX-License-Identifier: Apache-2.0 */
/* me_controller: the model multiplies where the hardware keeps running sums; both ask the same
 * question of one TB a cycle. */
#include "refmodel/duet/me_controller.h"

#include <assert.h>
#include <string.h>

#include "refmodel/duet/throughput_monitor.h"

enum {
    PHASE_NEVER,
    PHASE_NATIVE,
    PHASE_EXTRA,
    PHASE_DONE,
};

enum {
    LEVEL_OFF,
    LEVEL_WARP,
    LEVEL_TB,
};

wr_status wr_me_controller_init(wr_me_controller *s, const wr_me_controller_cfg *cfg)
{
    if (!wr_me_controller_cfg_ok(cfg) || cfg->warps < cfg->warp_slots || cfg->tbs < cfg->tb_slots) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_me_controller_reset(s);
    return WR_OK;
}

void wr_me_controller_reset(wr_me_controller *s)
{
    const wr_me_controller_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

/* How contexts are switched, once the native search is done. */
static unsigned level_of(const wr_me_controller *s)
{
    if (s->phase_q < PHASE_EXTRA || s->mc_q == 0 || (s->lim_reg_q && s->lim_smem_q)) {
        return LEVEL_OFF;
    }
    return s->lim_smem_q ? LEVEL_TB : LEVEL_WARP;
}

static bool needs_l1(const wr_me_controller *s)
{
    return s->phase_q == PHASE_DONE && s->l1_q && s->bound_q > 0;
}

static bool allows(const wr_me_controller *s)
{
    return s->phase_q == PHASE_DONE && s->tbs_q < s->mc_q + s->me_q;
}

void wr_me_controller_eval(const wr_me_controller *s, const wr_me_controller_in *in,
                           wr_me_controller_out *out)
{
    (void)in; /* no output of this block is combinational */
    out->busy = s->phase_q == PHASE_NATIVE || s->phase_q == PHASE_EXTRA;
    out->mc = s->mc_q;
    out->bound = s->bound_q;
    out->needs_l1 = needs_l1(s);
    out->level = (uint8_t)level_of(s);
    out->me = s->me_q;
    out->bypass = s->bypass_q;
    out->frozen = s->frozen_q;
    out->tbs = s->tbs_q;
    out->allow = allows(s);
    out->fault = s->fault_q;
}

static void start(wr_me_controller *s, const wr_me_controller_in *in)
{
    const bool fault = s->fault_q;
    const bool left = s->tbs_q != 0;

    wr_me_controller_reset(s);
    s->phase_q = PHASE_NATIVE;
    s->warps_q = in->warps & 0x3fu;
    s->regs_q = in->regs & 0xfffu;
    s->reduced_q = in->reduced & 0xfffu;
    s->smem_q = in->smem & 0x3ffu;
    s->meta_q = in->meta & 0x7fu;
    const bool no_warps = s->warps_q == 0;
    const bool grows = s->reduced_q > s->regs_q;
    s->fault_q = fault || left || no_warps || grows;
    if (no_warps) {
        s->warps_q = 1;
    }
    if (grows) {
        s->reduced_q = s->regs_q;
    }
}

/* One more TB on the empty SM, all of them whole. */
static void search_native(wr_me_controller *s)
{
    const wr_me_controller_cfg *cfg = &s->cfg;
    const uint32_t tbs = s->mc_q + 1u;
    const bool regs_fit = tbs * s->regs_q <= cfg->rf_lines;
    const bool smem_fits = tbs * s->smem_q <= cfg->smem_lines;

    if (regs_fit && smem_fits && tbs * s->warps_q <= cfg->warp_slots && tbs <= cfg->tb_slots) {
        s->mc_q = (uint8_t)tbs;
        return;
    }
    s->lim_reg_q = !regs_fit;
    s->lim_smem_q = !smem_fits;
    s->phase_q = PHASE_EXTRA;
}

static bool extra_fits(const wr_me_controller *s)
{
    const wr_me_controller_cfg *cfg = &s->cfg;
    const unsigned level = level_of(s);
    const uint32_t extra = s->bound_q + 1u;
    const uint32_t tbs = s->mc_q + extra;
    const uint32_t all = cfg->rf_lines + cfg->smem_lines + (s->l1_q ? cfg->l1_lines : 0);
    const uint32_t smem = tbs * s->smem_q;
    const uint32_t whole = tbs * s->regs_q;
    const uint32_t spilled = s->mc_q * s->regs_q + extra * s->reduced_q;
    const uint32_t meta = extra * s->meta_q;

    if (level == LEVEL_OFF || tbs * s->warps_q > cfg->warps || tbs > cfg->tbs) {
        return false;
    }
    if (level == LEVEL_WARP) {
        return smem <= cfg->smem_lines && spilled + smem + meta <= all;
    }
    return whole <= cfg->rf_lines && whole + smem + meta <= all;
}

static void search_extra(wr_me_controller *s)
{
    if (extra_fits(s)) {
        s->bound_q++;
    } else if (s->bound_q == 0 && !s->l1_q) {
        s->l1_q = true;
    } else {
        s->phase_q = PHASE_DONE;
        s->fault_q = s->fault_q || s->mc_q == 0;
    }
}

static void take_verdict(wr_me_controller *s, uint8_t verdict, bool l1_idle)
{
    const bool first = !s->seen_q;
    s->seen_q = true;
    if (verdict == WR_DUET_SATURATED) {
        if (s->cfg.sat_zero || first) {
            s->me_q = 0;
        } else if (s->safe_q < s->me_q) {
            s->me_q = s->safe_q;
        } else if (s->me_q > 0) {
            s->me_q--;
        }
        s->frozen_q = !s->cfg.sat_zero;
        return;
    }
    if (s->frozen_q) {
        return;
    }
    if (first) {
        s->bypass_q = needs_l1(s) && l1_idle;
    }
    const uint8_t usable = needs_l1(s) && !s->bypass_q ? 0 : s->bound_q;
    s->safe_q = s->me_q;
    if (verdict == WR_DUET_UNDER) {
        s->me_q = usable;
    } else if (s->me_q < usable) {
        s->me_q++;
    }
}

void wr_me_controller_tick(wr_me_controller *s, const wr_me_controller_in *in)
{
    if (in->start) {
        start(s, in);
        return;
    }
    const bool allow = allows(s);
    const bool leave = in->leave && s->tbs_q > 0;
    const bool verdict_bad = s->phase_q != PHASE_DONE || (in->verdict & 3u) == 3;

    s->fault_q =
        s->fault_q || (in->launch && !allow) || (in->leave && !leave) || (in->valid && verdict_bad);
    s->tbs_q = (uint8_t)(s->tbs_q + (in->launch && allow) - leave);
    if (s->phase_q == PHASE_NATIVE) {
        search_native(s);
    } else if (s->phase_q == PHASE_EXTRA) {
        search_extra(s);
    } else if (in->valid && !verdict_bad) {
        take_verdict(s, in->verdict & 3u, in->l1_idle);
    }
    assert(s->mc_q + s->bound_q <= s->cfg.tbs);
    assert(s->me_q <= s->bound_q);
}
