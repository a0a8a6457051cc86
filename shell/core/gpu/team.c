/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that play rounds; see team.h.
 *
 * The caller counts `round` up; the others see it, do their part, and each writes the round into
 * its own `done`, for which the caller waits. These words lie in cache lines of their own.
 *
 * Each run ends with a round in which everybody falls asleep, and each sleeps once a run: runs are
 * counted, so that one that is over before somebody has woken up is not slept through.
 */
#include "shell/core/gpu/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CACHE_LINE 64
#define SPINS      20000 /* looks before a nap: some time more than one takes, or naps call naps */

#define LONGEST_NAP 500000 /* nanoseconds */

typedef enum manner { AT_ONCE, IN_ORDER, SLEEP } manner;

typedef struct member {
    _Alignas(CACHE_LINE) _Atomic uint64_t done; /* last round that it has ended */
    uint64_t report[WR_TEAM_WORDS];
    _Alignas(CACHE_LINE) wr_team *team;
    uint32_t number;
    pthread_t thread;
} member;

struct wr_team {
    wr_team_part part;
    void *arg;
    uint32_t threads;
    uint32_t runs; /* begun, modulo 2^32; under the mutex, as quit */
    uint64_t naps; /* of the caller */
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool quit;
    _Alignas(CACHE_LINE) _Atomic uint64_t round;
    manner how; /* of the round, as the order */
    uint64_t order[WR_TEAM_WORDS];
    member members[WR_MAX_THREADS];
};

/* Whoever is waited for may have lost its processor to another program; a nap leaves it ours.
 * Returns how many there were. */
static uint32_t wait_for(const _Atomic uint64_t *word, uint64_t value)
{
    uint32_t looks = 0;
    uint32_t naps = 0;
    long nap = 1000; /* nanoseconds */
    while (atomic_load_explicit(word, memory_order_acquire) != value) {
        if (++looks > SPINS) {
            naps++;
            nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
            nap = nap < LONGEST_NAP ? nap * 2 : nap;
            continue;
        }
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    }
    return naps;
}

/* Waits for a run behind the first `runs`. False: there is none. */
static bool sleep_behind(wr_team *t, uint32_t runs)
{
    pthread_mutex_lock(&t->mutex);
    while (t->runs == runs && !t->quit) {
        pthread_cond_wait(&t->changed, &t->mutex);
    }
    bool go = !t->quit;
    pthread_mutex_unlock(&t->mutex);
    return go;
}

static void *life(void *arg)
{
    member *m = arg;
    wr_team *t = m->team;
    manner how = SLEEP;
    uint32_t runs = 0;
    for (uint64_t round = 1;; round++) {
        if (how == SLEEP && !sleep_behind(t, runs++)) {
            return NULL;
        }
        wait_for(&t->round, round);
        how = t->how;
        if (how == IN_ORDER && m->number > 1) {
            wait_for(&t->members[m->number - 1].done, round);
        }
        if (how != SLEEP) {
            t->part(t->arg, m->number, t->order, m->report);
        }
        atomic_store_explicit(&m->done, round, memory_order_release);
    }
}

static uint64_t begin_round(wr_team *t, manner how, const uint64_t *order)
{
    uint64_t round = atomic_load_explicit(&t->round, memory_order_relaxed) + 1;
    t->how = how;
    memcpy(t->order, order, sizeof t->order);
    atomic_store_explicit(&t->round, round, memory_order_release);
    return round;
}

/* True: nobody had to be waited for. */
static bool end_round(wr_team *t, uint64_t round)
{
    bool over = true;
    for (uint32_t i = 1; i < t->threads; i++) {
        over = over && atomic_load_explicit(&t->members[i].done, memory_order_acquire) == round;
        t->naps += wait_for(&t->members[i].done, round);
    }
    return over;
}

bool wr_team_run(wr_team *t, const uint64_t order[WR_TEAM_WORDS])
{
    uint64_t round = begin_round(t, AT_ONCE, order);
    t->part(t->arg, 0, order, t->members[0].report);
    return end_round(t, round);
}

void wr_team_run_in_order(wr_team *t, const uint64_t order[WR_TEAM_WORDS])
{
    t->part(t->arg, 0, order, t->members[0].report);
    end_round(t, begin_round(t, IN_ORDER, order));
}

const uint64_t *wr_team_report(const wr_team *t, uint32_t thread)
{
    return t->members[thread].report;
}

void wr_team_begin(wr_team *t)
{
    pthread_mutex_lock(&t->mutex);
    t->runs++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

void wr_team_end(wr_team *t)
{
    static const uint64_t none[WR_TEAM_WORDS] = {0};
    end_round(t, begin_round(t, SLEEP, none));
}

wr_team *wr_team_create(uint32_t threads, wr_team_part part, void *arg)
{
    wr_team *t = aligned_alloc(CACHE_LINE, sizeof *t);
    if (t == NULL) {
        return NULL;
    }
    *t = (wr_team){.part = part, .arg = arg, .threads = 1};
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
    sigset_t all, before; /* signals are the caller's to take */
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool ok = true;
    for (uint32_t i = 1; i < threads && ok; i++) {
        member *m = &t->members[i];
        m->team = t;
        m->number = i;
        ok = pthread_create(&m->thread, NULL, life, m) == 0;
        t->threads += ok ? 1 : 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!ok) {
        wr_team_free(t);
        return NULL;
    }
    return t;
}

void wr_team_free(wr_team *t)
{
    if (t == NULL) {
        return;
    }
    pthread_mutex_lock(&t->mutex);
    t->quit = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
    for (uint32_t i = 1; i < t->threads; i++) {
        pthread_join(t->members[i].thread, NULL);
    }
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
    free(t);
}

uint32_t wr_team_size(const wr_team *t)
{
    return t->threads;
}

uint64_t wr_team_naps(const wr_team *t)
{
    return t->naps;
}
