/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels hold while several are in flight, on average over cycles: rK of each, and its TBs on
 * each SM. Summed up where something changes, so that nothing is done in between.
 */
#include "systems/smk/state.h"

#include <stdio.h>

void wr_smk_note(wr_smk *p)
{
    const uint64_t now = wr_gpu_cycle(p->gpu);
    const uint32_t kernels = wr_smk_in_flight(p);
    const uint64_t cycles = now - p->noted_at;

    p->noted_at = now;
    if ((kernels & (kernels - 1)) == 0 || cycles == 0) {
        return;
    }
    p->means.cycles += cycles;
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        const uint32_t stream = p->kernel[k].stream;

        if ((kernels >> k & 1u) == 0) {
            continue;
        }
        p->means.share[stream] += cycles * wr_smk_rk(p, k, 0);
        for (uint32_t id = 0; id < p->sm_count; id++) {
            p->sm[id].tb_cycles[stream] += cycles * p->sm[id].held[k];
            p->sm[id].away_cycles += cycles * p->sm[id].leaving[k];
        }
    }
}

void wr_smk_report_means(const wr_smk *p, wr_report *r)
{
    const double cycles = (double)p->means.cycles;
    char name[48];
    char label[48];

    if (p->means.cycles == 0) {
        return;
    }
    wr_report_section(r, "", "Held while several kernels are in flight, mean");
    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        if (p->means.share[s] == 0) {
            continue;
        }
        (void)snprintf(name, sizeof name, "stream%u.share", s);
        (void)snprintf(label, sizeof label, "stream %u, of the GPU", s);
        (void)wr_report_real(r, name, label,
                             100 * (double)p->means.share[s] / cycles / (double)(UINT64_C(1) << 32),
                             "%");
        for (uint32_t id = 0; id < p->sm_count; id++) {
            (void)snprintf(name, sizeof name, "sm%u.stream%u.tbs", id, s);
            (void)snprintf(label, sizeof label, "stream %u on SM %u", s, id);
            wr_report_real(r, name, label, (double)p->sm[id].tb_cycles[s] / cycles, "TBs")
                ->is_detail = true;
        }
    }
}
