/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of context_mover play in: a small storage, and a model at work in it.
 *
 * What is read is there in the next cycle, and is what was held before a write in the same cycle. A
 * place of home has up to four lines, of which rows and lines of shared memory use the first.
 * Addresses are taken modulo the places. */
#ifndef WR_TESTS_BLOCKS_MOVER_STORAGE_H
#define WR_TESTS_BLOCKS_MOVER_STORAGE_H

#include "refmodel/duet/context_mover.h"

#include <assert.h>
#include <string.h>

#include "tests/blocks/rig.h"

enum { MOVER_IDLE = 0, MOVER_PLACES = 128, MOVER_PARTS = 4, MOVER_LANES = 32 };

typedef uint32_t mover_line[MOVER_LANES];

typedef struct mover_storage {
    mover_line home[MOVER_PLACES][MOVER_PARTS];
    mover_line away[MOVER_PLACES];
    mover_line home_read, away_read; /* what is on the wires */
} mover_storage;

static inline uint32_t *mover_home(mover_storage *s, unsigned address, unsigned at)
{
    return s->home[address % MOVER_PLACES][at];
}

static inline uint32_t *mover_away(mover_storage *s, unsigned address)
{
    return s->away[address % MOVER_PLACES];
}

static inline void mover_storage_gives(const mover_storage *s, wr_context_mover_in *in)
{
    memcpy(in->home_rdata, s->home_read, sizeof in->home_rdata);
    memcpy(in->away_rdata, s->away_read, sizeof in->away_rdata);
}

/* One clock edge. With go 0 the wires stand; with go 1 and nothing read there is nothing on them
 * that one may use. */
static inline void mover_storage_clock(mover_storage *s, bool go, const wr_context_mover_out *out)
{
    const size_t bytes = sizeof(mover_line);

    /* A bank has one port, and what is exchanged is exchanged in place. */
    assert(!out->home_rd || !out->home_wr || out->home_raddr != out->home_waddr);
    if (go) {
        memset(s->home_read, 0xb5, bytes);
        memset(s->away_read, 0xb6, bytes);
    }
    if (out->home_rd) {
        memcpy(s->home_read, mover_home(s, out->home_raddr, out->home_part), bytes);
    }
    if (out->away_rd) {
        memcpy(s->away_read, mover_away(s, out->away_addr), bytes);
    }
    if (out->home_wr) {
        memcpy(mover_home(s, out->home_waddr, out->home_part), out->home_wdata, bytes);
    }
    if (out->away_wr) {
        memcpy(mover_away(s, out->away_addr), out->away_wdata, bytes);
    }
}

/* A mover with its storage, and what the compiler says of two switch points: the kinds of the
 * registers, a digit each from register 0 up. */
typedef struct mover_world {
    wr_rig rig;
    wr_context_mover_cfg cfg;
    wr_context_mover model;
    mover_storage at;
    struct {
        uint32_t point;
        const char *kinds;
    } stand[2];
    unsigned every;    /* go is 1 in each so many cycles */
    unsigned ack_late; /* percent of the cycles in which kinds are asked for in vain */
    bool fault;
} mover_world;

static inline void mover_kinds_of(const char *kinds, wr_context_mover_in *in)
{
    in->kind_low = in->kind_high = 0;
    for (unsigned r = 0; kinds[r] != '\0'; r++) {
        in->kind_low |= (uint64_t)(kinds[r] & 1) << r;
        in->kind_high |= (uint64_t)(kinds[r] >> 1 & 1) << r;
    }
}

static inline wr_context_mover_out mover_step(mover_world *w, wr_context_mover_in in)
{
    wr_context_mover_out out;

    mover_storage_gives(&w->at, &in);
    wr_context_mover_eval(&w->model, &in, &out);
    if (out.kinds && !wr_rig_chance(&w->rig, w->ack_late)) {
        const unsigned which = out.kinds_point == w->stand[0].point ? 0 : 1;
        assert_int_equal(out.kinds_point, w->stand[which].point);
        in.kinds_ack = true;
        mover_kinds_of(w->stand[which].kinds, &in);
    }
    wr_context_mover_eval(&w->model, &in, &out);
    wr_context_mover_tick(&w->model, &in);
    mover_storage_clock(&w->at, in.go, &out);
    w->fault = out.fault;
    return out;
}

static inline void mover_launch(mover_world *w, bool tb, unsigned group, unsigned lines)
{
    const wr_context_mover_in in = {
        .cfg = true, .tb = tb, .group = (uint8_t)group, .lines = (uint16_t)lines};
    assert_int_equal(mover_step(w, in).state, MOVER_IDLE);
}

/* A mover fresh from init, in a storage of random words. */
static inline void mover_begin(mover_world *w, uint64_t seed, const wr_context_mover_cfg *cfg)
{
    memset(w, 0, sizeof *w);
    wr_rig_init(&w->rig, seed, "context_mover");
    w->cfg = *cfg;
    w->every = 1;
    assert_int_equal(wr_context_mover_init(&w->model, cfg), WR_OK);
    wr_rig_words(&w->rig, &w->at.home[0][0][0], sizeof w->at.home / sizeof(uint32_t));
    wr_rig_words(&w->rig, &w->at.away[0][0], sizeof w->at.away / sizeof(uint32_t));
}

/* What happens in a cycle with go 1: addresses, or NO. */
typedef struct mover_event {
    int state, home_rd, home_wr, away_rd, away_wr, part;
} mover_event;

enum { NO = -1, MOVER_EVENTS = 4096 };

static inline mover_event mover_event_of(const wr_context_mover_out *out)
{
    return (mover_event){.state = out->state,
                         .home_rd = out->home_rd ? out->home_raddr : NO,
                         .home_wr = out->home_wr ? out->home_waddr : NO,
                         .away_rd = out->away_rd ? out->away_addr : NO,
                         .away_wr = out->away_wr ? out->away_addr : NO,
                         .part = out->home_part};
}

/* Plays a job to its ack; the number of cycles with go 1. The pins but point are of the first cycle
 * only. */
static inline unsigned mover_play(mover_world *w, const wr_context_mover_in *job, mover_event *seen)
{
    wr_context_mover_in in = *job;
    wr_context_mover_out out;
    unsigned went = 0;

    in.req = true;
    assert_int_equal(mover_step(w, in).state, MOVER_IDLE);
    in = (wr_context_mover_in){.meta = !job->meta, .out = !job->out, .in = !job->in};
    in.home = job->home ^ 0xfff;
    in.away = job->away ^ 0xfff;
    in.point = job->point;
    for (unsigned n = 1;; n++) {
        assert_true(n < MOVER_EVENTS * w->every);
        in.go = n % w->every == 0;
        out = mover_step(w, in);
        const mover_event now = mover_event_of(&out);
        if (!in.go) {
            const mover_event nothing = {out.state, NO, NO, NO, NO, 0};
            assert_memory_equal(&now, &nothing, sizeof now);
            assert_false(out.ack || out.kinds);
            continue;
        }
        if (seen != NULL) {
            seen[went] = now;
        }
        went++;
        if (out.ack) {
            const wr_context_mover_in rest = {0};
            assert_int_equal(mover_step(w, rest).state, MOVER_IDLE);
            return went;
        }
    }
}

/* The job goes as the table says, and no otherwise where the port is not always free. */
static inline void mover_goes_as(mover_world *w, const wr_context_mover_in *job,
                                 const mover_event *want, unsigned n)
{
    const mover_storage before = w->at;
    mover_storage behind = w->at;

    for (w->every = 3; w->every >= 1; w->every--) {
        mover_event seen[MOVER_EVENTS];
        w->at = before;
        assert_int_equal(mover_play(w, job, seen), n);
        assert_memory_equal(seen, want, n * sizeof want[0]);
        if (w->every == 3) {
            behind = w->at;
        }
        assert_memory_equal(w->at.home, behind.home, sizeof behind.home);
        assert_memory_equal(w->at.away, behind.away, sizeof behind.away);
    }
    w->every = 1;
    assert_false(w->fault);
}

#define MOVER_GOES_AS(w, job, table) mover_goes_as(w, job, table, sizeof(table) / sizeof(table)[0])

#endif
