/* SPDX-License-Identifier: Apache-2.0 */
/* The machine around duet_unit: a dispatcher, TBs and warps. What the block says of a cycle
 * (`hear`) and what time brings (`run`) change it; `show` makes the levels of its pins.
 *
 *   placed                                  a load, or the barrier opens
 *     |          a while          .-----------------------------------.
 *     '--> RUNS ------------> MEMORY, BARRIER --------------------> RUNS --> ... --> ENDED
 *           only in a slot that is not held; all else goes on where the warp is switched out, too
 *
 * Warps have the tables' numbers, warp j of TB t is t * N + j.
 */
#ifndef WR_TESTBENCH_DUET_UNIT_MACHINE_H
#define WR_TESTBENCH_DUET_UNIT_MACHINE_H

#include "testbench/duet/unit_figures.h"

enum { WARP_IDS = 128, TB_IDS = 32, SLOT_IDS = 64, NOWHERE = -1 };

typedef enum doing { GONE, RUNS, MEMORY, BARRIER, ENDED } doing;

typedef struct warp {
    uint8_t what;  /* doing */
    uint8_t parts; /* of it still to come */
    uint16_t left; /* cycles of run or wait */
    uint16_t since;
    int8_t slot; /* or NOWHERE */
} warp;

typedef struct tb {
    bool here, ended; /* the block, or the dispatcher, has been told so */
    uint8_t coming;   /* warps that have neither entered nor arrived */
} tb;

/* How the warps of a launch behave. */
typedef struct mood {
    uint32_t run, wait, parts; /* at most */
    uint32_t barriers;         /* percent of the waits */
    uint32_t clear;            /* cycles until nothing of a warp is in the pipeline */
    uint32_t refuse;           /* percent of the TBs that are asked for, in its bad times */
    bool calm;                 /* nobody waits by himself: see duet_unit_stim.c */
    bool few;                  /* one extra TB is enough: no place is handed over */
} mood;

typedef struct machine {
    wr_duet_unit_cfg cfg;
    figures f;
    mood mood;
    uint32_t grid; /* TBs that wait */
    warp warps[WARP_IDS];
    tb tbs[TB_IDS];
    uint64_t woken;
} machine;

static inline uint32_t fitting_tbs(const machine *m)
{
    return m->f.warps == 0 ? 0 : less(m->cfg.tbs, m->cfg.warps / m->f.warps);
}

static inline bool slot_is_taken(const machine *m, uint32_t slot)
{
    bool taken = false;

    for (uint32_t i = 0; i < m->cfg.warps; i++) {
        taken = taken || m->warps[i].slot == (int)slot;
    }
    return taken;
}

static inline uint32_t free_slots(const machine *m)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < m->cfg.slots; i++) {
        count += !slot_is_taken(m, i);
    }
    return count;
}

static inline void become(warp *w, doing what, uint32_t left)
{
    w->what = (uint8_t)what;
    w->left = (uint16_t)left;
    w->since = 0;
}

/* A warp that has not run: in a slot, or NOWHERE. */
static inline void begin_warp(machine *m, wr_rng *r, uint32_t id, int slot)
{
    warp *w = &m->warps[id];
    tb *t = &m->tbs[m->f.warps == 0 ? 0 : id / m->f.warps % TB_IDS];

    become(w, RUNS, up_to(r, m->mood.run));
    w->parts = (uint8_t)wr_rng_below(r, m->mood.parts + 1);
    w->slot = (int8_t)slot;
    t->coming = (uint8_t)(t->coming - (t->coming > 0));
}

/* The dispatcher brings a TB, its warps in any free slots. */
static inline void dispatch(machine *m, wr_rng *r, uint32_t t)
{
    uint32_t slot = wr_rng_below(r, m->cfg.slots);

    m->grid--;
    m->tbs[t] = (tb){.here = true};
    for (uint32_t j = 0; j < m->f.warps; j++) {
        while (slot_is_taken(m, slot)) {
            slot = (slot + 1) % m->cfg.slots;
        }
        begin_warp(m, r, t * m->f.warps + j, (int)slot);
    }
}

static inline void clear_tb(machine *m, uint32_t t)
{
    m->tbs[t] = (tb){0};
    for (uint32_t i = t * m->f.warps; i < (t + 1) * m->f.warps && i < m->cfg.warps; i++) {
        m->warps[i] = (warp){.slot = NOWHERE};
    }
}

static inline bool all_tbs_gone(const machine *m)
{
    bool some = false;

    for (uint32_t t = 0; t < TB_IDS; t++) {
        some = some || m->tbs[t].here;
    }
    return !some;
}

static inline void goes_on(machine *m, wr_rng *r, warp *w)
{
    become(w, RUNS, up_to(r, m->mood.run));
    m->woken |= w->slot >= 0 ? UINT64_C(1) << w->slot : 0;
}

static inline void next_part(machine *m, wr_rng *r, warp *w)
{
    if (w->parts == 0) {
        become(w, ENDED, 0);
        return;
    }
    w->parts--;
    if (wr_rng_chance(r, m->mood.barriers)) {
        become(w, BARRIER, 0);
    } else {
        become(w, MEMORY, up_to(r, m->mood.wait));
    }
}

/* A barrier opens when all warps that have not ended are at it. */
static inline void run_barriers(machine *m, wr_rng *r)
{
    for (uint32_t t = 0; t < fitting_tbs(m); t++) {
        warp *w = &m->warps[t * m->f.warps];
        uint32_t there = 0;

        for (uint32_t j = 0; j < m->f.warps; j++) {
            there += w[j].what == BARRIER || w[j].what == ENDED;
        }
        for (uint32_t j = 0; j < m->f.warps && there == m->f.warps && m->tbs[t].coming == 0; j++) {
            if (w[j].what == BARRIER) {
                goes_on(m, r, &w[j]);
            }
        }
    }
}

/* A cycle goes by. */
static inline void run(machine *m, wr_rng *r, uint64_t hold)
{
    m->woken = 0;
    for (uint32_t i = 0; i < m->cfg.warps; i++) {
        warp *w = &m->warps[i];
        const bool issues = w->slot >= 0 && (hold >> w->slot & 1) == 0;

        w->since = (uint16_t)(w->since + (w->since < UINT16_MAX));
        if (w->what == MEMORY && --w->left == 0) {
            goes_on(m, r, w);
        } else if (w->what == RUNS && issues && --w->left == 0) {
            next_part(m, r, w);
        }
    }
    run_barriers(m, r);
}

/* TBs all of whose warps have ended, and nobody has been told. */
static inline uint32_t new_ends(const machine *m)
{
    uint32_t ends = 0;

    for (uint32_t t = 0; t < fitting_tbs(m); t++) {
        const tb *b = &m->tbs[t];
        const warp *w = &m->warps[t * m->f.warps];
        bool over = b->here && !b->ended && b->coming == 0;

        for (uint32_t j = 0; j < m->f.warps; j++) {
            over = over && w[j].what == ENDED && w[j].since >= m->mood.clear;
        }
        ends |= over ? UINT32_C(1) << t : 0;
    }
    return ends;
}

static inline void show(const machine *m, wr_duet_unit_in *in)
{
    show_figures(&m->f, in);
    in->waiting = m->grid != 0;
    in->woken = m->woken;
    for (uint32_t i = 0; i < m->cfg.warps; i++) {
        const warp *w = &m->warps[i];
        const uint64_t bit = w->slot >= 0 ? UINT64_C(1) << w->slot : 0;

        in->memory |= w->what == MEMORY ? bit : 0;
        in->barrier |= w->what == BARRIER ? bit : 0;
        in->clear |= w->since >= m->mood.clear ? bit : 0;
        in->done |= w->what == ENDED && w->since >= m->mood.clear ? bit : 0;
        in->free[i] = w->what == RUNS && w->slot < 0;
    }
}

/* A unit begins to wait, for long; those that are switched out wait longer still. */
static inline void wait_now(machine *m, wr_rng *r, bool tbs)
{
    const uint32_t some = wr_rng_below(r, m->cfg.warps);
    int first = NOWHERE;

    for (uint32_t n = 0; n < m->cfg.warps; n++) {
        const uint32_t i = (some + n) % m->cfg.warps;
        const uint32_t unit = tbs && m->f.warps != 0 ? i / m->f.warps : i;
        warp *w = &m->warps[i];
        if (w->what == MEMORY && w->slot < 0) {
            w->left = (uint16_t)less(UINT16_MAX, w->left + 100u);
        } else if (w->what == RUNS && w->slot >= 0 && (first < 0 || first == (int)unit)) {
            first = (int)unit;
            become(w, MEMORY, m->mood.wait + 200);
            w->since = (uint16_t)m->mood.clear;
        }
    }
}

/* A unit that is switched out has what it waits for. */
static inline void wake_now(machine *m, wr_rng *r, bool tbs)
{
    const uint32_t some = wr_rng_below(r, m->cfg.warps);
    int first = NOWHERE;

    for (uint32_t n = 0; n < m->cfg.warps; n++) {
        const uint32_t i = (some + n) % m->cfg.warps;
        const uint32_t unit = tbs && m->f.warps != 0 ? i / m->f.warps : i;
        warp *w = &m->warps[i];
        if (w->what == MEMORY && w->slot < 0 && (first < 0 || first == (int)unit)) {
            first = (int)unit;
            w->left = 1;
        }
    }
}

/* What the block says in this cycle. */
static inline void hear(machine *m, wr_rng *r, const wr_duet_unit_in *in,
                        const wr_duet_unit_out *out)
{
    if (out->place && in->place_ok) { /* of one that is handed over, the old warps stand so long */
        m->grid -= m->grid > 0;
        m->tbs[out->tb] = (tb){.here = true, .coming = m->f.warps};
    }
    if (out->enter) {
        begin_warp(m, r, out->warp, out->slot);
    }
    if (out->arrive) {
        begin_warp(m, r, out->warp, NOWHERE);
    }
    if (out->left) {
        m->warps[out->warp].slot = NOWHERE;
    }
    if (out->gone) {
        clear_tb(m, out->tb);
    }
    if (out->away) {
        m->warps[out->moved_id].slot = NOWHERE;
    }
    if (out->back) {
        m->warps[out->moved_id].slot = (int8_t)(out->moved_meta & (SLOT_IDS - 1));
    }
}

#endif
