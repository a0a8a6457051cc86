/* SPDX-License-Identifier: Apache-2.0 */
/* l2_meter: counts are equal; of kernels that are not there the model's are 0. */
#include "refmodel/sharing/l2_meter.h"
#include "formal/rel/relate.h"

void relate(wr_l2_meter *s, wr_when when)
{
    const uint32_t most = (1u << s->cfg.bits) - 1;
    const uint32_t sectors = 4 * most + 3;

    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        LINK(s->access_q[k], "gen_kernel[%].gen_counts.access_q", k, 0, 0, 0);
        LINK(s->fetch_q[k], "gen_kernel[%].gen_counts.fetch_q", k, 0, 0, 0);
        LINK(s->write_back_q[k], "gen_kernel[%].gen_counts.write_back_q", k, 0, 0, 0);
        HOLDS(s->access_q[k] <= most && s->write_back_q[k] <= sectors);
        HOLDS(s->fetch_q[k] <= sectors);
    }
    for (uint32_t k = s->cfg.kernels; k < WR_L2_METER_MOST; k++) {
        HOLDS((s->access_q[k] | s->fetch_q[k] | s->write_back_q[k]) == 0);
    }
}
