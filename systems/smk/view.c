/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in the TB slots of each SM, in the waveform: a signal for each slot. Drawn from it is
 * the timeline of an SM (tools/smk_timeline.py).
 */
#include "systems/smk/state.h"

#include <stdio.h>

/* By kernel: its TB is there, or on its way out. */
static const char *const shown[] = {"none",  "kernel0", "kernel1", "kernel2", "kernel3",
                                    "left0", "left1",   "left2",   "left3"};

void wr_smk_view_open(wr_smk *p)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        char name[16];

        (void)snprintf(name, sizeof name, "sm%u", id);
        p->sm[id].view_unit = wr_bay_add_unit(p->bay, name, WR_BAY_FREE);
        for (uint32_t t = 0; t < p->limit[WR_SMK_TBS]; t++) {
            (void)snprintf(name, sizeof name, "tb%02u", t);
            p->sm[id].view[t] = wr_bay_add_signal(p->bay, p->sm[id].view_unit, name, 4, shown,
                                                  sizeof shown / sizeof shown[0]);
        }
    }
}

void wr_smk_view_cycle(wr_smk *p, uint64_t now)
{
    for (uint32_t id = 0; id < p->sm_count && p->bay->writes; id++) {
        const wr_smk_sm *here = &p->sm[id];
        const uint64_t leaving = wr_tb_queue_leaving(&p->queue, id);

        if (!wr_bay_begin(p->bay, here->view_unit, now)) {
            continue;
        }
        for (uint32_t t = 0; t < p->limit[WR_SMK_TBS]; t++) {
            const uint32_t first = (leaving >> t & 1u) != 0 ? 1 + WR_SMK_KERNELS : 1;

            wr_bay_set(p->bay, here->view[t], here->tb[t].there ? first + here->tb[t].kernel : 0);
        }
        (void)wr_bay_end(p->bay, here->view_unit);
    }
}
