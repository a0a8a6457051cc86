/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of l2_meter: see the header. */
#include "tests/oracle/l2_meter_oracle.h"

void wr_oracle_l2_meter_reset(wr_oracle_l2_meter *o, unsigned kernels, unsigned bits)
{
    *o = (wr_oracle_l2_meter){.kernels = kernels, .bits = bits};
}

unsigned wr_oracle_l2_meter_shows(const wr_oracle_l2_meter *o, wr_oracle_l2_event what,
                                  unsigned kernel)
{
    unsigned largest = 0;

    for (unsigned bit = 0; bit < o->bits; bit++) {
        largest = 2 * largest + 1;
    }
    const uint64_t since = o->ever[what][kernel] - o->at_read[what][kernel];

    return since > largest ? largest : (unsigned)since;
}

void wr_oracle_l2_meter_clock(wr_oracle_l2_meter *o, const wr_oracle_l2_pins *in)
{
    if (in->read) {
        if (in->read_kernel >= o->kernels) {
            o->fault = true;
        } else {
            for (unsigned what = 0; what < WR_ORACLE_L2_EVENTS; what++) {
                o->at_read[what][in->read_kernel] = o->ever[what][in->read_kernel];
            }
        }
    }
    if (in->access && in->kernel < o->kernels) {
        o->ever[WR_ORACLE_L2_ACCESS][in->kernel]++;
        if (in->miss) {
            o->ever[WR_ORACLE_L2_MISS][in->kernel]++;
        }
    } else if (in->access || in->miss) {
        o->fault = true;
    }
    if (in->write_back && in->owner < o->kernels) {
        o->ever[WR_ORACLE_L2_WRITE_BACK][in->owner]++;
    } else if (in->write_back) {
        o->fault = true;
    }
}
