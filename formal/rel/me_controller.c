/* SPDX-License-Identifier: Apache-2.0 */
/* me_controller: the RTL's sums are the model's products. The bounds are those of a search that
 * adds one TB at a time to what fitted; before there is an extra one its products are 0. */
#include "refmodel/duet/me_controller.h"
#include "formal/rel/relate.h"

static bool none(const uint64_t *x)
{
    return x[0] != 0 || x[0] * x[1] == 0;
}

void relate(wr_me_controller *s, wr_when when)
{
    const bool warp = !s->lim_smem_q, searched = s->phase_q == 3;
    const uint32_t tbs = s->mc_q + s->bound_q;
    const uint32_t regs_sum = (uint32_t)RTL("regs_sum_q", 0, 0, 0, 12);
    const uint32_t smem_sum = (uint32_t)RTL("smem_sum_q", 0, 0, 0, 12);
    const uint32_t meta_sum = (uint32_t)RTL("meta_sum_q", 0, 0, 0, 12);
    const uint32_t lines = s->cfg.rf_lines + s->cfg.smem_lines + (s->l1_q ? s->cfg.l1_lines : 0);

    HOLDS(s->phase_q >= 2 || s->bound_q == 0);
    HOLDS(RTL("warps_sum_q", 0, 0, 0, 8) == tbs * s->warps_q);
    HOLDS(smem_sum == tbs * s->smem_q);
    HOLDS(meta_sum == (uint32_t)s->bound_q * s->meta_q);
    HOLDS(regs_sum ==
          (uint32_t)s->mc_q * s->regs_q + (uint32_t)s->bound_q * (warp ? s->reduced_q : s->regs_q));
    LEMMA(none, s->bound_q, s->warps_q);
    LEMMA(none, s->bound_q, s->regs_q);
    LEMMA(none, s->bound_q, s->reduced_q);
    LEMMA(none, s->bound_q, s->smem_q);
    LEMMA(none, s->bound_q, s->meta_q);
    HOLDS(tbs <= s->cfg.tbs);
    HOLDS(s->mc_q <= s->cfg.tb_slots);
    HOLDS(s->me_q <= s->bound_q);
    HOLDS(s->safe_q <= s->bound_q);
    HOLDS(s->tbs_q <= tbs);
    HOLDS(s->phase_q == 0 || s->warps_q >= 1);
    HOLDS(s->reduced_q <= s->regs_q);
    HOLDS(s->phase_q >= 2 || (!s->lim_reg_q && !s->lim_smem_q && !s->l1_q));
    HOLDS((uint32_t)s->mc_q * s->warps_q <= s->cfg.warp_slots);
    HOLDS(tbs * s->warps_q <= s->cfg.warps);
    HOLDS((uint32_t)s->mc_q * s->regs_q <= s->cfg.rf_lines);
    HOLDS((uint32_t)s->mc_q * s->smem_q <= s->cfg.smem_lines);
    HOLDS(s->bound_q == 0 || regs_sum + smem_sum + meta_sum <= lines);
    HOLDS(s->bound_q == 0 || (warp ? smem_sum <= s->cfg.smem_lines : regs_sum <= s->cfg.rf_lines));
    HOLDS(s->bound_q == 0 || (s->mc_q != 0 && !(s->lim_reg_q && s->lim_smem_q)));
    HOLDS(s->seen_q || (s->me_q == 0 && s->safe_q == 0 && !s->bypass_q && !s->frozen_q));
    HOLDS(!s->bypass_q || (s->l1_q && s->bound_q > 0));
    HOLDS(!(s->l1_q && !s->bypass_q) || (s->me_q == 0 && s->safe_q == 0));
    HOLDS(searched || (s->me_q == 0 && s->safe_q == 0 && !s->seen_q && !s->bypass_q &&
                       !s->frozen_q && s->tbs_q == 0));
}
