/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of locality_grouper; see the header. */
#include "tests/oracle/locality_grouper_oracle.h"

#include <string.h>

void wr_oracle_grouper_reset(wr_oracle_grouper *o, unsigned slots, unsigned coord_bits)
{
    memset(o, 0, sizeof *o);
    o->slots = slots;
    o->coord_bits = coord_bits;
    o->groups = 1;
}

unsigned wr_oracle_grouper_residents(const wr_oracle_grouper *o)
{
    unsigned n = 0;
    for (unsigned s = 0; s < o->slots; s++) {
        n += o->warp[s].resident;
    }
    return n;
}

typedef const wr_oracle_grouper_warp *warp_ref;

/* Whether (key, had, order, slot) of a is below that of b. */
static bool below(warp_ref a, warp_ref b)
{
    if (a->key != b->key) {
        return a->key < b->key;
    }
    if (a->had != b->had) {
        return !a->had;
    }
    if (a->order != b->order) {
        return a->order < b->order;
    }
    return a->slot < b->slot;
}

/* 0: the group served last; 1: groups above it; 2: groups below it. */
static int class_of(const wr_oracle_grouper *o, warp_ref w)
{
    if (!o->served) {
        return 0;
    }
    return w->key == o->last.key ? 0 : w->key > o->last.key ? 1 : 2;
}

wr_oracle_grant wr_oracle_grouper_grant(const wr_oracle_grouper *o, const bool *ready)
{
    warp_ref best = NULL;
    for (unsigned s = 0; s < o->slots; s++) {
        warp_ref w = &o->warp[s];
        if (!w->resident || !ready[s]) {
            continue;
        }
        if (best == NULL || class_of(o, w) < class_of(o, best) ||
            (class_of(o, w) == class_of(o, best) && below(w, best))) {
            best = w;
        }
    }
    wr_oracle_grant grant = {0};
    if (best != NULL) {
        grant.valid = true;
        grant.slot = best->slot;
        grant.key = best->key;
        grant.other_group = o->served && best->key != o->last.key;
    }
    return grant;
}

/* The warp of a launch with the hint of this moment. */
static wr_oracle_grouper_warp place(const wr_oracle_grouper *o, const wr_oracle_grouper_in *in)
{
    const unsigned x = in->block_x % (1U << o->coord_bits);
    const unsigned y = in->block_y % (1U << o->coord_bits);
    wr_oracle_grouper_warp w = {.resident = true, .slot = in->launch_slot};
    if (o->hint == 1) {
        w.key = y * 32 + in->warp;
    } else if (o->hint == 2) {
        w.key = x;
        w.order = y * 32 + in->warp;
    } else if (o->hint == 3) {
        w.key = o->turn;
    }
    return w;
}

void wr_oracle_grouper_clock(wr_oracle_grouper *o, const wr_oracle_grouper_in *in)
{
    const wr_oracle_grouper before = *o;
    const wr_oracle_grant grant = wr_oracle_grouper_grant(&before, in->ready);

    if (in->issue && grant.valid) {
        o->served = true;
        o->last = before.warp[grant.slot];
        for (unsigned s = 0; o->last.had && s < o->slots; s++) {
            if (o->warp[s].key == o->last.key) {
                o->warp[s].had = false;
            }
        }
        o->warp[grant.slot].had = true;
    } else if (in->issue) {
        o->fault = true;
    }
    if (in->finish && in->finish_slot < o->slots && before.warp[in->finish_slot].resident) {
        o->warp[in->finish_slot].resident = false;
    } else if (in->finish) {
        o->fault = true;
    }
    if (in->launch && in->launch_slot < o->slots && !before.warp[in->launch_slot].resident) {
        o->warp[in->launch_slot] = place(&before, in);
        if (before.hint == 3) {
            o->turn = (before.turn + 1) % before.groups;
        }
    } else if (in->launch) {
        o->fault = true;
    }
    if (in->cfg) {
        const bool bad = in->groups == 0 || in->groups > 32;
        o->fault = o->fault || bad || wr_oracle_grouper_residents(&before) > 0;
        o->hint = in->hint;
        o->groups = bad ? 1 : in->groups;
        o->turn = 0;
        o->served = false;
    }
}
