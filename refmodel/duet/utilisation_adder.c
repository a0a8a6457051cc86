/* SPDX-License-Identifier: Apache-2.0 */
/* utilisation_adder: sums of values that are cut off at their most, kept for a cycle. */
#include "refmodel/duet/utilisation_adder.h"

#include <string.h>

wr_status wr_utilisation_adder_init(wr_utilisation_adder *s, const wr_utilisation_adder_cfg *cfg)
{
    if (!wr_utilisation_adder_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_utilisation_adder_reset(s);
    return WR_OK;
}

void wr_utilisation_adder_reset(wr_utilisation_adder *s)
{
    const wr_utilisation_adder_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_utilisation_adder_eval(const wr_utilisation_adder *s, const wr_utilisation_adder_in *in,
                               wr_utilisation_adder_out *out)
{
    (void)in; /* no output of this block is combinational */
    out->start = s->start_q;
    out->stop = s->stop_q;
    out->cut = s->cut_q;
    out->issued = s->issued_q;
    out->l1 = s->l1_q;
    out->noc_cycles = s->noc_cycles_q;
    out->up = s->up_q;
    out->down = s->down_q;
    out->l2_cycles = s->l2_cycles_q;
    out->l2 = s->l2_q;
    out->dram_cycles = s->dram_cycles_q;
    out->dram = s->dram_q;
    out->fault = s->fault_q;
}

/* The sum of n values of two bits (mask 3) or three (7), each cut off at most. */
static uint8_t sum(wr_utilisation_adder *s, const uint8_t *value, uint32_t n, uint32_t mask,
                   uint32_t most)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t said = value[i] & mask;
        const bool over = said > most;

        total += over ? most : said;
        s->fault_q = s->fault_q || over;
    }
    return (uint8_t)total;
}

void wr_utilisation_adder_tick(wr_utilisation_adder *s, const wr_utilisation_adder_in *in)
{
    const uint32_t sms = s->cfg.sms;
    const uint32_t parts = s->cfg.parts;

    s->start_q = in->start;
    s->stop_q = in->stop;
    s->cut_q = in->cut;
    s->noc_cycles_q = in->noc_cycles & 3u;
    s->l2_cycles_q = in->l2_cycles & 3u;
    s->dram_cycles_q = in->dram_cycles & 3u;
    s->issued_q = sum(s, in->issued, sms, 7, s->cfg.scheds);
    s->up_q = sum(s, in->up, sms, 3, s->noc_cycles_q);
    s->down_q = sum(s, in->down, parts, 3, s->noc_cycles_q);
    s->l2_q = sum(s, in->l2, parts, 3, s->l2_cycles_q);
    s->dram_q = sum(s, in->dram, parts, 3, s->dram_cycles_q);
    s->l1_q = 0;
    for (uint32_t i = 0; i < sms; i++) {
        s->l1_q = (uint8_t)(s->l1_q + in->l1[i]);
    }
}
