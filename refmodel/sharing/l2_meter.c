/* SPDX-License-Identifier: Apache-2.0 */
/* l2_meter, cycle by cycle: see the header. */
#include "refmodel/sharing/l2_meter.h"

#include <string.h>

wr_status wr_l2_meter_init(wr_l2_meter *s, const wr_l2_meter_cfg *cfg)
{
    if (!wr_l2_meter_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_l2_meter_reset(s);
    return WR_OK;
}

void wr_l2_meter_reset(wr_l2_meter *s)
{
    const wr_l2_meter_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_l2_meter_eval(const wr_l2_meter *s, const wr_l2_meter_in *in, wr_l2_meter_out *out)
{
    const uint32_t k = in->read_kernel & 3u;

    out->accesses = s->access_q[k];
    out->misses = s->miss_q[k];
    out->write_backs = s->write_back_q[k];
    out->fault = s->fault_q;
}

static void count(const wr_l2_meter *s, uint16_t *q, bool one)
{
    const uint16_t most = (uint16_t)((1u << s->cfg.bits) - 1);

    *q = (uint16_t)(*q + (one && *q < most));
}

void wr_l2_meter_tick(wr_l2_meter *s, const wr_l2_meter_in *in)
{
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t k = in->kernel & 3u;
    const uint32_t owner = in->owner & 3u;
    const uint32_t taken = in->read_kernel & 3u;

    s->fault_q = s->fault_q || (in->access && k >= kernels) || (in->miss && !in->access) ||
                 (in->write_back && owner >= kernels) || (in->read && taken >= kernels);
    if (in->read) {
        s->access_q[taken] = s->miss_q[taken] = s->write_back_q[taken] = 0;
    }
    if (k < kernels) {
        count(s, &s->access_q[k], in->access);
        count(s, &s->miss_q[k], in->access && in->miss);
    }
    if (owner < kernels) {
        count(s, &s->write_back_q[owner], in->write_back);
    }
}
