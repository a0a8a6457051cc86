/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of onchip_bitmap; see the header. */
#include "tests/oracle/onchip_bitmap_oracle.h"

#include <string.h>

void wr_oracle_bitmap_reset(wr_oracle_bitmap *o, const unsigned *units, unsigned word_bits)
{
    memset(o, 0, sizeof *o);
    memcpy(o->units, units, sizeof o->units);
    o->word_bits = word_bits;
}

wr_oracle_bitmap_output wr_oracle_bitmap_outputs(const wr_oracle_bitmap *o)
{
    wr_oracle_bitmap_output out = {0};
    out.ready = !o->asked || o->now >= o->done_at;
    out.done = o->asked && o->now == o->done_at;
    out.found = out.done && o->found;
    out.addr = out.found ? o->addr : 0;
    out.fault = o->faulted && o->now >= o->fault_at;
    return out;
}

unsigned wr_oracle_bitmap_taken(const wr_oracle_bitmap *o)
{
    unsigned n = 0;
    for (unsigned u = 0; u < WR_ORACLE_BITMAP_UNITS; u++) {
        n += o->taken[u];
    }
    return n;
}

/* First unit of a region. */
static unsigned region_base(const wr_oracle_bitmap *o, unsigned region)
{
    unsigned base = 0;
    for (unsigned r = 0; r < region; r++) {
        base += o->units[r];
    }
    return base;
}

/* Words that the units first to last touch. */
static unsigned words(const wr_oracle_bitmap *o, unsigned first, unsigned last)
{
    return last / o->word_bits - first / o->word_bits + 1;
}

static void fault_from(wr_oracle_bitmap *o, uint64_t cycle)
{
    if (!o->faulted) {
        o->faulted = true;
        o->fault_at = cycle;
    }
}

static void refuse(wr_oracle_bitmap *o)
{
    o->done_at = o->now + 1;
    fault_from(o, o->now + 1);
}

static bool all_free(const wr_oracle_bitmap *o, unsigned first, unsigned count)
{
    for (unsigned u = first; u < first + count; u++) {
        if (o->taken[u]) {
            return false;
        }
    }
    return true;
}

static void alloc(wr_oracle_bitmap *o, unsigned region, unsigned count)
{
    if (region >= WR_ORACLE_BITMAP_REGIONS || count == 0) {
        refuse(o);
        return;
    }
    unsigned base = region_base(o, region);
    for (unsigned start = base; start + count <= base + o->units[region]; start++) {
        if (all_free(o, start, count)) {
            unsigned last = start + count - 1;
            o->found = true;
            o->addr = start;
            o->done_at = o->now + words(o, base, last) + words(o, start, last) + 1;
            for (unsigned u = start; u <= last; u++) {
                o->taken[u] = true;
            }
            return;
        }
    }
    o->done_at = o->now + o->units[region] / o->word_bits + 1;
}

static void give_back(wr_oracle_bitmap *o, unsigned first, unsigned count)
{
    bool inside = false;
    for (unsigned r = 0; r < WR_ORACLE_BITMAP_REGIONS; r++) {
        unsigned base = region_base(o, r);
        inside = inside || (first >= base && first + count <= base + o->units[r]);
    }
    if (count == 0 || !inside) {
        refuse(o);
        return;
    }
    unsigned last = first + count - 1;
    o->found = true;
    o->done_at = o->now + words(o, first, last) + 1;
    for (unsigned u = first; u <= last; u++) {
        if (!o->taken[u]) {
            o->found = false;
            fault_from(o, o->now + words(o, first, u) + 1);
        }
        o->taken[u] = false;
    }
}

void wr_oracle_bitmap_clock(wr_oracle_bitmap *o, const wr_oracle_bitmap_request *request)
{
    if (request != NULL && wr_oracle_bitmap_outputs(o).ready) {
        o->asked = true;
        o->found = false;
        o->addr = 0;
        if (request->free) {
            give_back(o, request->addr, request->count);
        } else {
            alloc(o, request->region, request->count);
        }
    }
    o->now++;
}
