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
    const uint64_t since =
        (o->ever[what][kernel] - o->at_read[what][kernel]) / (what == WR_ORACLE_L2_ACCESS ? 1 : 4);

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
    if (in->fetched > 4 || in->written > 4) {
        o->fault = true;
    }
    if (in->access && in->kernel < o->kernels) {
        o->ever[WR_ORACLE_L2_ACCESS][in->kernel]++;
        o->ever[WR_ORACLE_L2_FETCH][in->kernel] += in->fetched > 4 ? 4 : in->fetched;
    } else if (in->access || in->fetched > 0) {
        o->fault = true;
    }
    if (in->written > 0 && in->owner < o->kernels) {
        o->ever[WR_ORACLE_L2_WRITE_BACK][in->owner] += in->written > 4 ? 4 : in->written;
    } else if (in->written > 0) {
        o->fault = true;
    }
}
