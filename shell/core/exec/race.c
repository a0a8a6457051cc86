/* SPDX-License-Identifier: Apache-2.0 */
/* Order of accesses to shared memory, by vector clocks of the warps of a TB.
 *
 * A warp's clock has an entry for each warp of its TB: what it has done up to that time comes
 * before. Its own entry goes on at each barrier where it arrives and each access that orders. A
 * barrier collects the clocks of those that arrive, and those that wait there take them over. A
 * byte remembers who wrote it last and two of the warps that have read it since, each with the
 * entry of its own at that time. So two accesses are in order where the later one's clock has
 * reached that entry.
 *
 * Two readers are enough where barriers are of all warps: one of them is another warp than the one
 * that writes.
 */
#include <stdlib.h>
#include <string.h>

#include "shell/core/exec/memcheck.h"
#include "shell/core/gpu/state.h"

#define NOBODY UINT8_MAX

typedef struct clocks {
    uint32_t of[WR_TB_WARPS];
} clocks;

/* An access: when, by whom, by which instruction. */
typedef struct event {
    uint32_t clock, at;
    uint8_t warp; /* NOBODY: none */
} event;

typedef struct byte_story {
    event write, read[2];
} byte_story;

/* Of a TB slot: the TB that is there. */
typedef struct story {
    uint64_t launch; /* its grid's number; 0: there has been none */
    uint32_t linear, bytes;
    uint8_t *what;       /* WR_BYTE_* */
    byte_story *stories; /* of each byte of shared memory */
    clocks warps[WR_TB_WARPS], barriers[WR_BARRIERS], order;
} story;

struct wr_race {
    uint32_t slots; /* of an SM */
    uint32_t count;
    story *of; /* by SM and slot */
};

wr_race *wr_race_new(const wr_gpu_config *cfg)
{
    wr_race *r = calloc(1, sizeof *r);
    if (r != NULL) {
        r->slots = cfg->sm.max_tbs;
        r->count = cfg->sms * r->slots;
        r->of = calloc(r->count, sizeof *r->of);
    }
    if (r != NULL && r->of == NULL) {
        free(r);
        r = NULL;
    }
    return r;
}

void wr_race_free(wr_race *r)
{
    for (uint32_t i = 0; r != NULL && i < r->count; i++) {
        free(r->of[i].what);
        free(r->of[i].stories);
    }
    free(r != NULL ? r->of : NULL);
    free(r);
}

/* A TB that is new in its slot. False: out of memory. */
static bool begin(story *s, uint64_t launch, const wr_tb *tb)
{
    const uint32_t bytes = tb->program->shared;
    if (bytes > s->bytes) {
        free(s->what);
        free(s->stories);
        s->what = malloc(bytes);
        s->stories = malloc(bytes * sizeof *s->stories);
        s->bytes = s->what != NULL && s->stories != NULL ? bytes : 0;
    }
    s->launch = launch;
    s->linear = tb->linear;
    memset(s->warps, 0, sizeof s->warps);
    memset(s->barriers, 0, sizeof s->barriers);
    memset(&s->order, 0, sizeof s->order);
    for (uint32_t i = 0; i < WR_TB_WARPS; i++) {
        s->warps[i].of[i] = 1;
    }
    if (s->bytes < bytes) {
        return false;
    }
    const event none = {.warp = NOBODY};
    for (uint32_t i = 0; i < bytes; i++) {
        s->what[i] = WR_BYTE_UNDEFINED;
        s->stories[i] = (byte_story){none, {none, none}};
    }
    return true;
}

/* NULL: out of memory. */
static story *story_of(wr_race *r, const wr_sm *sm, uint32_t slot)
{
    story *s = &r->of[(size_t)sm->id * r->slots + slot];
    const wr_tb *tb = &sm->tbs[slot];
    const uint64_t launch = sm->gpu->grids[tb->program->stream].result.id;
    if (s->launch == launch && s->linear == tb->linear) {
        return s->bytes >= tb->program->shared ? s : NULL;
    }
    return begin(s, launch, tb) ? s : NULL;
}

static void join(clocks *to, const clocks *from)
{
    for (uint32_t i = 0; i < WR_TB_WARPS; i++) {
        to->of[i] = from->of[i] > to->of[i] ? from->of[i] : to->of[i];
    }
}

void wr_race_order(wr_race *r, const wr_sm *sm, uint32_t warp)
{
    story *s = story_of(r, sm, sm->warps[warp].tb);
    if (s != NULL) {
        const uint32_t own = sm->warps[warp].index;
        join(&s->warps[own], &s->order);
        join(&s->order, &s->warps[own]);
        s->warps[own].of[own]++;
    }
}

void wr_race_arrive(wr_race *r, const wr_sm *sm, uint32_t slot, uint32_t index, uint32_t barrier)
{
    story *s = story_of(r, sm, slot);
    if (s != NULL) {
        join(&s->barriers[barrier], &s->warps[index]);
        s->warps[index].of[index]++;
    }
}

void wr_race_pass(wr_race *r, const wr_sm *sm, uint32_t slot, uint32_t indices, uint32_t barrier)
{
    story *s = story_of(r, sm, slot);
    if (s != NULL) {
        for (uint32_t left = indices; left != 0; left &= left - 1) {
            join(&s->warps[__builtin_ctz(left)], &s->barriers[barrier]);
        }
        memset(&s->barriers[barrier], 0, sizeof s->barriers[barrier]);
    }
}

/* No order is between the access and what the warp with this clock does now; it is another warp's,
 * since none is ahead of its own clock. */
static bool races(const event *e, const clocks *now)
{
    return e->warp != NOBODY && now->of[e->warp] < e->clock;
}

/* Byte i of what a lane stores. */
static uint8_t stored(const wr_sm *sm, uint32_t warp, const wr_access *a, uint32_t lane, uint32_t i)
{
    const uint8_t reg = a->insn->src[1];
    const uint32_t *row = wr_warp_row(sm, warp, reg) + (size_t)(i / a->unit) * WR_LANES;
    const uint32_t word = reg == WR_ISA_RZ ? 0 : row[lane] >> (i % a->unit * 8);
    return (uint8_t)word;
}

/* A byte of a lane's access; returns what it races with, or NULL. */
static const event *look(byte_story *b, const event *now, const clocks *clock, bool writes,
                         bool changes)
{
    if (!writes) {
        const event *other = races(&b->write, clock) ? &b->write : NULL;
        const bool first = b->read[0].warp == now->warp || !races(&b->read[0], clock);
        b->read[first ? 0 : 1] = *now;
        return other;
    }
    const event *other = NULL;
    if (changes) {
        other = races(&b->read[0], clock)   ? &b->read[0]
                : races(&b->read[1], clock) ? &b->read[1]
                : races(&b->write, clock)   ? &b->write
                                            : NULL;
    }
    return other;
}

void wr_race_access(wr_race *r, wr_memcheck *check, const wr_sm *sm, uint32_t warp,
                    const wr_access *a)
{
    story *s = story_of(r, sm, sm->warps[warp].tb);
    const bool writes = a->insn->op != WR_OP_LD;
    const bool stores = a->insn->op == WR_OP_ST;
    const bool orders = a->insn->is_volatile || (writes && !stores);
    if (s == NULL) {
        return;
    }
    const uint32_t own = sm->warps[warp].index;
    const event now = {
        .clock = s->warps[own].of[own], .at = sm->warps[warp].next, .warp = (uint8_t)own};
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t address = a->at.lane[lane];
        wr_finding f = {.other_at = UINT32_MAX,
                        .space = WR_SPACE_SHARED,
                        .writes = writes,
                        .bytes = a->bytes,
                        .address = address};
        bool undefined = false;
        event raced = {.warp = NOBODY};
        for (uint32_t i = 0; i < a->bytes; i++) {
            byte_story *b = &s->stories[address + i];
            const bool changes = stores && stored(sm, warp, a, lane, i) != a->base[address + i];
            undefined |= !stores && s->what[address + i] == WR_BYTE_UNDEFINED;
            const event *other = orders ? NULL : look(b, &now, &s->warps[own], writes, changes);
            if (other != NULL && raced.warp == NOBODY) {
                raced = *other;
                f.other_writes = other == &b->write;
            }
            if (writes) {
                s->what[address + i] = WR_BYTE_DEFINED;
            }
            if (stores && !orders) {
                *b = (byte_story){now, {{.warp = NOBODY}, {.warp = NOBODY}}};
            }
        }
        if (undefined) {
            f.kind = WR_FINDING_UNDEFINED;
            wr_memcheck_found(check, sm, warp, lane, &f);
        }
        if (raced.warp != NOBODY) {
            f.kind = WR_FINDING_RACE;
            f.other_at = raced.at;
            f.other_warp = raced.warp;
            wr_memcheck_found(check, sm, warp, lane, &f);
        }
    }
}
