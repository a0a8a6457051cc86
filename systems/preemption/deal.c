/* SPDX-License-Identifier: Apache-2.0 */
/* In place (Lin-P III.A): the allocation tables say where a TB's registers and shared memory lie,
 * and which TBs must leave them so that a new kernel's fit. The others' parts stay where they are,
 * though all warps stop and all stacks go to memory (P4).
 *
 * Here is the dispatcher's work then: SMs are closed to it, and every TB, new or coming back, asks
 * for its place first, one at a time on an SM, and lies where the answer says. So a wrong answer
 * shows in what the kernels put out. One that finds no place, though there is room enough in all,
 * waits until a TB has left.
 *
 * Where a signal makes room, registers and shared memory of a TB stay or leave each by itself
 * (IV.B); where a launch of higher priority does, both or none: TBs that have one and wait for the
 * other could wait for each other for ever. What stays makes the SM the home of its TB. Where a
 * launch of higher priority needs that room too, the TBs in place come back to their slots first,
 * and then leave like any other (clearing).
 */
#include "systems/preemption/state.h"

#include <assert.h>
#include <string.h>

enum { ALL_PARTS = WR_KEEPS_REGISTERS | WR_KEEPS_SHARED };

static wr_places_key key_of(const wr_tb_info *tb)
{
    return (wr_places_key){(uint8_t)tb->stream, (uint16_t)tb->linear};
}

/* Parts of a TB of these needs that have entries. */
static uint32_t parts_of(const wr_tb_needs *needs)
{
    return WR_KEEPS_REGISTERS | (needs->shared_bytes != 0 ? WR_KEEPS_SHARED : 0);
}

bool wr_preempt_any_kept(const wr_preemption *p, uint32_t id, uint32_t priority)
{
    for (uint32_t i = 0; i < p->absent_count; i++) {
        const wr_absent *a = &p->absent[i];

        if (a->home == id && a->tb.where.kept != 0 &&
            wr_preempt_priority(p, a->tb.info.stream) < priority) {
            return true;
        }
    }
    return false;
}

/* The absent TB that may come to this SM next; UINT32_MAX: none. */
static uint32_t next_absent(const wr_preemption *p, uint32_t id)
{
    const wr_preempt_unit *unit = &p->units[id];
    uint32_t claimed = wr_preempt_priority(p, unit->claimant);
    uint32_t best = UINT32_MAX;

    if (unit->returning) {
        return wr_preempt_next_home(p, id, 0);
    }
    for (uint32_t i = 0; i < p->absent_count; i++) {
        const wr_absent *a = &p->absent[i];
        uint32_t priority = wr_preempt_priority(p, a->tb.info.stream);
        bool may = unit->clearing ? a->home == id && a->tb.where.kept != 0 && priority < claimed
                                  : a->home == UINT32_MAX || a->home == id;

        if (may && (best == UINT32_MAX ||
                    priority > wr_preempt_priority(p, p->absent[best].tb.info.stream))) {
            best = i;
        }
    }
    return best;
}

/* The stream of highest priority, the oldest of these, with new TBs; UINT32_MAX: none. */
static uint32_t next_stream(const wr_preemption *p)
{
    for (uint32_t i = 0; i < wr_gpu_launches(p->gpu); i++) {
        uint32_t stream = wr_gpu_launch_stream(p->gpu, i);

        if (wr_gpu_tbs_waiting(p->gpu, stream) != 0) {
            return stream;
        }
    }
    return UINT32_MAX;
}

/* Takes the TB that comes next off its list. False: none may come. */
static bool take_next(wr_preemption *p, uint32_t id, wr_absent *next)
{
    wr_preempt_unit *unit = &p->units[id];
    const wr_sm *sm = wr_gpu_sm(p->gpu, id);
    uint32_t i = next_absent(p, id);
    uint32_t stream = unit->returning || unit->clearing ? UINT32_MAX : next_stream(p);
    bool is_new = i == UINT32_MAX ||
                  (stream != UINT32_MAX && wr_preempt_priority(p, stream) >
                                               wr_preempt_priority(p, p->absent[i].tb.info.stream));

    if (is_new) {
        *next = (wr_absent){.home = UINT32_MAX};
        /* Absent TBs that wait for other SMs count: the control block has room for so many. */
        bool may = stream != UINT32_MAX && p->begun[stream] < p->sm_count * p->tbs_per_sm &&
                   wr_sm_tb_room(sm, stream, 0) && wr_gpu_tb_take(p->gpu, stream, &next->tb.info);

        if (may) {
            p->begun[stream]++;
        }
        return may;
    }
    const wr_absent *a = &p->absent[i];

    if (!wr_sm_tb_room(sm, a->tb.info.stream, a->tb.where.kept)) {
        return false;
    }
    *next = *a;
    wr_preempt_remove_absent(p, i);
    return true;
}

/* No TB may come while the SM gives way: the plan has freed places of TBs that are still there. */
static bool may_deal(const wr_preempt_unit *unit)
{
    return !unit->dealing && !unit->full && wr_places_idle(&unit->places) &&
           unit->engine.in_count == 0 && !unit->leaving;
}

/* The TB that was dealt has its place. */
static void settle_in(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);
    wr_absent *a = &unit->dealt;
    wr_tb_needs needs = wr_gpu_tb_needs(p->gpu, a->tb.info.stream);

    unit->dealing = false;
    if ((a->tb.where.kept & WR_KEEPS_REGISTERS) == 0) {
        a->tb.where.row = wr_places_row(&unit->places);
    }
    if ((a->tb.where.kept & WR_KEEPS_SHARED) == 0) {
        a->tb.where.shared = wr_places_shared(&unit->places);
    }
    p->tbs.cleared += unit->clearing;
    a->tb.is_placed = true;
    if (!a->tb.info.fresh) {
        bool taken = wr_context_engine_restore(&unit->engine, sm, &a->tb);

        assert(taken);
        (void)taken;
        return;
    }
    uint32_t slot = wr_sm_tb_place(sm, &a->tb.info, &a->tb.where, WR_CONTEXT_POISON);

    assert(slot != UINT32_MAX);
    unit->flushes[slot] = a->tb.tag;
    unit->placed_at[slot] = wr_gpu_cycle(p->gpu);
    unit->here[slot] = (wr_preempt_here){key_of(&a->tb.info), parts_of(&needs), a->tb.where};
    wr_sm_tb_start(sm, slot);
}

void wr_preempt_is_back(wr_preemption *p, uint32_t id, const wr_context_event *event)
{
    if (p->options.in_place) {
        wr_tb_needs needs = wr_gpu_tb_needs(p->gpu, event->tb.info.stream);

        p->units[id].here[event->slot] =
            (wr_preempt_here){key_of(&event->tb.info), parts_of(&needs), event->tb.where};
    }
}

/* It has none: what it got is free again, and it waits with others. */
static void turn_away(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_tb_needs needs = wr_gpu_tb_needs(p->gpu, unit->dealt.tb.info.stream);
    uint32_t asked = parts_of(&needs) & ~unit->dealt.tb.where.kept;

    for (uint32_t part = 1; part <= WR_KEEPS_SHARED; part <<= 1) {
        if ((asked & part) != 0 && wr_places_ok(&unit->places, part)) {
            wr_places_free(&unit->places, key_of(&unit->dealt.tb.info), part);
        }
    }
    unit->dealing = false;
    unit->full = true;
    wr_preempt_add_absent(p, &unit->dealt);
}

static void deal_to(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];

    if (!may_deal(unit) || !take_next(p, id, &unit->dealt)) {
        return;
    }
    const wr_tb_info *tb = &unit->dealt.tb.info;
    wr_tb_needs needs = wr_gpu_tb_needs(p->gpu, tb->stream);
    uint32_t kept = unit->dealt.tb.where.kept;

    unit->dealing = true;
    wr_places_ask(&unit->places, key_of(tb), &needs, parts_of(&needs) & ~kept);
    wr_sm_attend(wr_gpu_sm(p->gpu, id), p->owner, true);
    if (!unit->places.asked) { /* all of it is there */
        settle_in(p, id);
    }
}

void wr_preempt_deal(wr_preemption *p)
{
    for (uint32_t id = 0; id < p->sm_count; id++) {
        deal_to(p, id);
    }
}

/* Whom a plan may make leave: the kernel with the most TBs that are to be saved. */
static uint32_t plan_for(const wr_preempt_unit *unit)
{
    uint32_t count[WR_MAX_STREAMS] = {0};
    uint32_t best = UINT32_MAX;

    for (uint64_t left = unit->left[WR_LEAVE_SWITCH]; left != 0; left &= left - 1) {
        uint32_t stream = unit->who[__builtin_ctzll(left)].stream;

        count[stream]++;
        best = best == UINT32_MAX || count[stream] > count[best] ? stream : best;
    }
    return best;
}

bool wr_preempt_ask_plan(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    uint32_t old = plan_for(unit);
    wr_tb_needs needs = p->options.demand;
    uint32_t count = p->options.demand_tbs;

    if (!unit->by_signal) {
        const wr_launch *launch = wr_gpu_launch(p->gpu, unit->claimant);

        needs = wr_gpu_tb_needs(p->gpu, unit->claimant);
        count = wr_gpu_occupancy(wr_gpu_configuration(p->gpu), launch).tbs;
    }
    unit->wants_plan = false;
    unit->planning = false;
    if (count == 0 || old == UINT32_MAX ||
        wr_preempt_any_kept(
            p, id, unit->by_signal ? UINT32_MAX : wr_preempt_priority(p, unit->claimant))) {
        return false;
    }
    unit->planning = true;
    unit->planned = old;
    wr_places_plan(&unit->places, (uint8_t)old, &needs, count);
    return true;
}

/* Parts of a TB that the plan has freed in the tables. */
static uint32_t freed_by_plan(const wr_preempt_unit *unit, const wr_preempt_here *here)
{
    uint32_t leaves =
        here->key.kernel == unit->planned ? wr_places_leaves(&unit->places, here->key.tb) : 0;
    uint32_t freed = 0;

    for (uint32_t part = 1; part <= WR_KEEPS_SHARED; part <<= 1) {
        freed |= wr_places_ok(&unit->places, part) ? leaves & part : 0;
    }
    return freed;
}

/* What the plan leaves in place, into the engine's masks. Its old kernel's TBs may have ended
 * meanwhile, or wait for no more than their last stores: it knows nothing of that. */
static void read_plan(wr_preempt_unit *unit)
{
    uint64_t keep[3] = {0};

    for (uint64_t left = unit->left[WR_LEAVE_SWITCH]; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const wr_preempt_here *here = &unit->here[slot];
        bool is_old = here->key.kernel == unit->planned;
        uint32_t leaves = is_old ? wr_places_leaves(&unit->places, here->key.tb) : ALL_PARTS;
        uint32_t stays = here->parts & ~leaves;

        if (!unit->by_signal && stays != here->parts) {
            stays = 0;
        }
        for (uint32_t part = 1; part <= WR_KEEPS_SHARED; part <<= 1) {
            keep[part] |= (uint64_t)((stays & part) != 0) << slot;
        }
    }
    wr_context_engine_keep(&unit->engine, keep[WR_KEEPS_REGISTERS], keep[WR_KEEPS_SHARED]);
    for (uint32_t slot = 0; slot < WR_CONFIG_MAX_TBS; slot++) {
        unit->here[slot].parts &= ~freed_by_plan(unit, &unit->here[slot]);
    }
    for (uint32_t i = 0; i < unit->late_count; i++) {
        const wr_preempt_here *here = &unit->late[i];
        uint32_t parts = here->parts & ~freed_by_plan(unit, here);

        if (parts != 0) {
            wr_places_free(&unit->places, here->key, parts);
        }
    }
    unit->late_count = 0;
}

bool wr_preempt_places_cycle(wr_preemption *p, uint32_t id)
{
    wr_preempt_unit *unit = &p->units[id];
    bool answered = wr_places_step(&unit->places);

    if (unit->places.fault[0] != '\0') {
        return false;
    }
    if (answered && unit->planning) {
        unit->planning = false;
        read_plan(unit);
        wr_preempt_planned(p, id);
    } else if (answered) {
        bool may = wr_places_ok(&unit->places, ALL_PARTS) &&
                   wr_sm_tb_room(wr_gpu_sm(p->gpu, id), unit->dealt.tb.info.stream,
                                 unit->dealt.tb.where.kept);

        if (may) {
            settle_in(p, id);
        } else {
            turn_away(p, id);
        }
    }
    return true;
}

void wr_preempt_leaves_place(wr_preemption *p, uint32_t id, uint32_t slot, uint32_t kept)
{
    wr_preempt_unit *unit = &p->units[id];
    wr_preempt_here *here = &unit->here[slot];

    unit->full = false;
    if (unit->planning && here->parts != 0) { /* the plan may free it */
        unit->late[unit->late_count++] = *here;
    } else if (p->options.in_place && (here->parts & ~kept) != 0) {
        wr_places_free(&unit->places, here->key, here->parts & ~kept);
        wr_sm_attend(wr_gpu_sm(p->gpu, id), p->owner, true);
    }
    here->parts = 0;
}
