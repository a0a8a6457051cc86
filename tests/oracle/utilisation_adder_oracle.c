/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of utilisation_adder; see the header. */
#include "tests/oracle/utilisation_adder_oracle.h"

#include <string.h>

void wr_oracle_adder_reset(wr_oracle_adder *a, unsigned sms, unsigned scheds, unsigned parts)
{
    memset(a, 0, sizeof *a);
    a->sms = sms;
    a->scheds = scheds;
    a->parts = parts;
}

void wr_oracle_adder_clock(wr_oracle_adder *a, const wr_oracle_adder_cycle *now)
{
    a->last = *now;
    for (unsigned i = 0; i < a->sms; i++) {
        if (now->sm[i].issued > a->scheds || now->sm[i].up > now->noc_cycles) {
            a->fault = true;
        }
    }
    for (unsigned i = 0; i < a->parts; i++) {
        if (now->part[i].down > now->noc_cycles || now->part[i].l2 > now->l2_cycles ||
            now->part[i].dram > now->dram_cycles) {
            a->fault = true;
        }
    }
}

wr_oracle_adder_sums wr_oracle_adder_sums_of(const wr_oracle_adder *a)
{
    const wr_oracle_adder_cycle *c = &a->last;
    wr_oracle_adder_sums s = {0};

    /* An event counts where it is among those said and among those possible. */
    for (unsigned i = 0; i < a->sms; i++) {
        for (unsigned e = 1; e <= a->scheds; e++) {
            s.issued += e <= c->sm[i].issued ? 1 : 0;
        }
        for (unsigned e = 1; e <= c->noc_cycles; e++) {
            s.up += e <= c->sm[i].up ? 1 : 0;
        }
        if (c->sm[i].l1 != 0) {
            s.l1++;
        }
    }
    for (unsigned i = 0; i < a->parts; i++) {
        for (unsigned e = 1; e <= c->noc_cycles; e++) {
            s.down += e <= c->part[i].down ? 1 : 0;
        }
        for (unsigned e = 1; e <= c->l2_cycles; e++) {
            s.l2 += e <= c->part[i].l2 ? 1 : 0;
        }
        for (unsigned e = 1; e <= c->dram_cycles; e++) {
            s.dram += e <= c->part[i].dram ? 1 : 0;
        }
    }
    return s;
}
