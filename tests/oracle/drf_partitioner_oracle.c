/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/oracle/drf_partitioner_oracle.h"

#include <string.h>

/* A share, never divided out. */
typedef struct fraction {
    uint64_t top;
    uint64_t bottom;
} fraction;

static bool less(fraction a, fraction b)
{
    return a.top * b.bottom < b.top * a.bottom;
}

static bool equal(fraction a, fraction b)
{
    return a.top * b.bottom == b.top * a.bottom;
}

/* Of `tbs` TBs of kernel k: the largest part of any resource. */
static fraction dominant(const wr_oracle_drf *o, unsigned k, uint64_t tbs)
{
    fraction most = {0, 1};
    for (unsigned r = 0; r < WR_ORACLE_DRF_RESOURCES; r++) {
        const fraction part = {tbs * o->demand[k][r], o->limit[r]};
        if (less(most, part)) {
            most = part;
        }
    }
    return most;
}

void wr_oracle_drf_reset(wr_oracle_drf *o, unsigned kernels,
                         const uint64_t limit[WR_ORACLE_DRF_RESOURCES], bool lowest_index)
{
    memset(o, 0, sizeof *o);
    o->kernels = kernels;
    o->lowest_index = lowest_index;
    memcpy(o->limit, limit, sizeof o->limit);
    for (unsigned k = 0; k < WR_ORACLE_DRF_KERNELS; k++) {
        o->demand[k][3] = 1;
    }
}

/* A start is played in its events, one cycle with nobody in, and a layout of one cycle a kernel. */
static unsigned length(const wr_oracle_drf *o)
{
    return o->events + 1 + o->kernels;
}

bool wr_oracle_drf_busy(const wr_oracle_drf *o)
{
    return o->ranges_known && o->cycles < length(o);
}

bool wr_oracle_drf_done(const wr_oracle_drf *o)
{
    return o->ranges_known && o->cycles >= length(o);
}

const wr_oracle_drf_event *wr_oracle_drf_pick(const wr_oracle_drf *o)
{
    return wr_oracle_drf_busy(o) && o->cycles < o->events ? &o->event[o->cycles] : NULL;
}

/* Kernel a is served before kernel b, which has the higher index. */
static bool goes_first(const wr_oracle_drf *o, unsigned a, unsigned b)
{
    const fraction ra = dominant(o, a, o->tbs[a]);
    const fraction rb = dominant(o, b, o->tbs[b]);
    if (!equal(ra, rb)) {
        return less(ra, rb);
    }
    return o->lowest_index || !less(dominant(o, b, 1), dominant(o, a, 1));
}

static bool fits(const wr_oracle_drf *o, unsigned k)
{
    for (unsigned r = 0; r < WR_ORACLE_DRF_RESOURCES; r++) {
        uint64_t used = o->demand[k][r];
        for (unsigned j = 0; j < o->kernels; j++) {
            used += o->tbs[j] * o->demand[j][r];
        }
        if (used > o->limit[r]) {
            return false;
        }
    }
    return true;
}

static void play(wr_oracle_drf *o, unsigned mask)
{
    bool in[WR_ORACLE_DRF_KERNELS] = {0};
    uint64_t given = 0;

    o->events = 0;
    memset(o->tbs, 0, sizeof o->tbs);
    for (unsigned k = 0; k < o->kernels; k++) {
        in[k] = (mask >> k & 1u) != 0;
    }
    for (;;) {
        int best = -1;
        for (unsigned k = 0; k < o->kernels; k++) {
            if (in[k] && (best < 0 || (given > 0 && !goes_first(o, (unsigned)best, k)))) {
                best = (int)k;
            }
        }
        if (best < 0) {
            break;
        }
        const unsigned k = (unsigned)best;
        const bool grant = fits(o, k);
        o->event[o->events++] = (wr_oracle_drf_event){grant, k};
        if (grant) {
            o->tbs[k]++;
            given++;
        } else {
            in[k] = false;
        }
    }
    uint64_t at[3] = {0, 0, 0};
    for (unsigned k = 0; k < o->kernels; k++) {
        for (unsigned r = 0; r < 3; r++) {
            o->start[k][r] = at[r];
            at[r] += o->tbs[k] * o->demand[k][r];
            o->end[k][r] = at[r];
        }
    }
}

void wr_oracle_drf_clock(wr_oracle_drf *o, const wr_oracle_drf_step *step)
{
    const bool busy = wr_oracle_drf_busy(o);
    if (step->load && (busy || step->kernel >= o->kernels)) {
        o->fault = true;
    } else if (step->load) {
        for (unsigned r = 0; r < 3; r++) {
            o->fault = o->fault || step->need[r] > o->limit[r];
            o->demand[step->kernel][r] = step->need[r] > o->limit[r] ? o->limit[r] : step->need[r];
        }
    }
    if (step->start && !busy) {
        play(o, step->mask);
        o->ranges_known = true;
        o->cycles = 0;
        return;
    }
    o->fault = o->fault || step->start;
    o->cycles += busy;
}
