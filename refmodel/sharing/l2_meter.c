/* SPDX-License-Identifier: Apache-2.0 */
/* l2_meter, cycle by cycle: see the header. */
#include "refmodel/sharing/l2_meter.h"

#include "refmodel/minmax.h"

#include <string.h>

enum { SECTORS = 4 }; /* of a line */

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
    out->fetches = s->fetch_q[k] / SECTORS;
    out->write_backs = s->write_back_q[k] / SECTORS;
    out->fault = s->fault_q;
}

/* Of `bits` bits, which stay at their most. */
static void count(uint16_t *q, uint32_t more, uint32_t bits)
{
    *q = (uint16_t)wr_min((uint64_t)*q + more, (1u << bits) - 1);
}

void wr_l2_meter_tick(wr_l2_meter *s, const wr_l2_meter_in *in)
{
    const uint32_t kernels = s->cfg.kernels;
    const uint32_t bits = s->cfg.bits;
    const uint32_t k = in->kernel & 3u;
    const uint32_t owner = in->owner & 3u;
    const uint32_t taken = in->read_kernel & 3u;
    const uint32_t fetched = in->fetched & 7u;
    const uint32_t written = in->written & 7u;

    s->fault_q = s->fault_q || (in->access && k >= kernels) || (fetched != 0 && !in->access) ||
                 fetched > SECTORS || written > SECTORS || (written != 0 && owner >= kernels) ||
                 (in->read && taken >= kernels);
    if (in->read) {
        s->access_q[taken] = s->fetch_q[taken] = s->write_back_q[taken] = 0;
    }
    if (in->access && k < kernels) {
        count(&s->access_q[k], 1, bits);
        count(&s->fetch_q[k], (uint32_t)wr_min(fetched, SECTORS), bits + 2);
    }
    if (owner < kernels) {
        count(&s->write_back_q[owner], (uint32_t)wr_min(written, SECTORS), bits + 2);
    }
}
