/* SPDX-License-Identifier: Apache-2.0 */
/* A meter, which decides nothing: of the MSHR entries of all L1s, those for a line for which
 * another SM has had an entry within the last `window` cycles (Gong 6.1). Seam: memory.
 *
 * An entry is a load that misses the L1 and takes a place of its tags. A cycle does not see
 * itself: of two SMs that miss one line in the same cycle neither duplicates the other, so the
 * order of SMs does not matter. An SM's LSU serves one line a cycle, so a note of one line is
 * enough for each; they are joined in gpu_cycle.
 *
 * Of each line that had an entry within the window the last one is kept, and the last one of
 * another SM than that: whoever asks, the last one of somebody else is among them. A ring of all
 * entries in their order says when a line is forgotten.
 */
#include "systems/duplicates/duplicates.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_WINDOW, OPT_NUMBER, NOBODY = UINT32_MAX, NONE = UINT32_MAX };

static const wr_option options[OPT_NUMBER] = {
    [OPT_WINDOW] = {.name = "window",
                    .kind = WR_OPTION_NUMBER,
                    .min = 1,
                    .max = 100000,
                    .preset = "2000",
                    .unit = "cycles",
                    .doc = "in which another SM's entry for the line makes one a duplicate"},
};

typedef struct entry {
    uint64_t line;
    uint64_t last_at, other_at;
    uint32_t last, other; /* SMs; other NOBODY: none but `last` */
    uint32_t next;        /* in its bucket, or among those that are free */
} entry;

typedef struct event {
    uint64_t at;
    uint32_t entry;
} event;

typedef struct note {
    bool missed; /* in this cycle */
    uint64_t line;
} note;

typedef struct duplicates {
    wr_system base;
    uint32_t sms, buckets, room; /* buckets: a power of two; room: entries within a window */
    uint64_t window;
    note *notes;      /* by SM */
    uint32_t *bucket; /* first entry of each */
    entry *entries;
    uint32_t free;
    event *ring;
    uint32_t first, count;
    uint64_t allocated, duplicated;
} duplicates;

static uint32_t *bucket_of(const duplicates *d, uint64_t line)
{
    return &d->bucket[(line * UINT64_C(0x9e3779b97f4a7c15)) >> 32 & (d->buckets - 1)];
}

static uint32_t find(const duplicates *d, uint64_t line)
{
    uint32_t i = *bucket_of(d, line);

    while (i != NONE && d->entries[i].line != line) {
        i = d->entries[i].next;
    }
    return i;
}

static void forget(duplicates *d, uint32_t i)
{
    uint32_t *at = bucket_of(d, d->entries[i].line);

    while (*at != i) {
        at = &d->entries[*at].next;
    }
    *at = d->entries[i].next;
    d->entries[i].next = d->free;
    d->free = i;
}

/* Entries that no cycle from now on can see. */
static void drop(duplicates *d, uint64_t now)
{
    while (d->count != 0 && d->ring[d->first].at + d->window < now) {
        const event *e = &d->ring[d->first];

        if (d->entries[e->entry].last_at == e->at) { /* one of a cycle's events does it */
            forget(d, e->entry);
            d->entries[e->entry].last_at = UINT64_MAX;
        }
        d->first = (d->first + 1) % d->room;
        d->count--;
    }
}

static bool is_duplicate(const duplicates *d, uint32_t sm, uint64_t line, uint64_t now)
{
    const uint32_t i = find(d, line);

    if (i == NONE) {
        return false;
    }
    const entry *e = &d->entries[i];

    return e->last != sm ? e->last_at + d->window >= now
                         : e->other != NOBODY && e->other_at + d->window >= now;
}

static void keep(duplicates *d, uint32_t sm, uint64_t line, uint64_t now)
{
    uint32_t i = find(d, line);

    if (i == NONE) {
        uint32_t *bucket = bucket_of(d, line);

        i = d->free;
        assert(i != NONE);
        d->free = d->entries[i].next;
        d->entries[i] = (entry){.line = line, .last = sm, .other = NOBODY, .next = *bucket};
        *bucket = i;
    } else if (d->entries[i].last != sm) {
        d->entries[i].other = d->entries[i].last;
        d->entries[i].other_at = d->entries[i].last_at;
        d->entries[i].last = sm;
    }
    d->entries[i].last_at = now;
    assert(d->count < d->room);
    d->ring[(d->first + d->count++) % d->room] = (event){.at = now, .entry = i};
}

static void on_l1_missed(void *self, wr_sm *sm, uint32_t warp, uint64_t line, uint32_t place,
                         uint64_t evicted)
{
    duplicates *d = self;
    note *n = &d->notes[wr_sm_id(sm)];

    (void)warp;
    (void)place;
    (void)evicted;
    assert(!n->missed);
    *n = (note){.missed = true, .line = line};
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    duplicates *d = self;
    const uint64_t now = wr_gpu_cycle(gpu);

    for (uint32_t i = 0; i < d->sms; i++) {
        if (d->notes[i].missed) {
            d->allocated++;
            d->duplicated += is_duplicate(d, i, d->notes[i].line, now);
        }
    }
    for (uint32_t i = 0; i < d->sms; i++) {
        if (d->notes[i].missed) {
            drop(d, now);
            keep(d, i, d->notes[i].line, now);
            d->notes[i].missed = false;
        }
    }
}

static void destroy(wr_system *system)
{
    duplicates *d = (duplicates *)system;

    free(d->notes);
    free(d->bucket);
    free(d->entries);
    free(d->ring);
    free(d);
}

static bool alloc_all(duplicates *d)
{
    d->notes = calloc(d->sms, sizeof *d->notes);
    d->bucket = malloc(d->buckets * sizeof *d->bucket);
    d->entries = malloc(d->room * sizeof *d->entries);
    d->ring = malloc(d->room * sizeof *d->ring);
    if (!d->notes || !d->bucket || !d->entries || !d->ring) {
        return false;
    }
    for (uint32_t i = 0; i < d->buckets; i++) {
        d->bucket[i] = NONE;
    }
    for (uint32_t i = 0; i < d->room; i++) {
        d->entries[i].next = i + 1 < d->room ? i + 1 : NONE;
    }
    return true;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    duplicates *d = wr_system_alloc(sizeof *d, err, err_size);

    if (!d) {
        return NULL;
    }
    d->sms = setup->cfg->sms;
    d->window = setup->values[OPT_WINDOW].number;
    d->room = d->sms * (uint32_t)(d->window + 1);
    for (d->buckets = 1; d->buckets < d->room;) {
        d->buckets *= 2;
    }
    d->base.hooks =
        (wr_system_hooks){.self = d, .l1_missed = on_l1_missed, .gpu_cycle = on_gpu_cycle};
    if (!alloc_all(d)) {
        (void)snprintf(err, err_size, "out of memory");
        destroy(&d->base);
        return NULL;
    }
    return &d->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const duplicates *d = (const duplicates *)system;

    wr_report_section(r, "", "MSHR entries of the L1s");
    (void)wr_report_count(r, "entries", "allocated", d->allocated, "");
    (void)wr_report_count(r, "duplicates", "of these for a line that another SM fetched",
                          d->duplicated, "");
    (void)wr_report_real(r, "share", "share of these",
                         d->allocated != 0 ? 100 * (double)d->duplicated / (double)d->allocated : 0,
                         "%");
}

const wr_system_type wr_duplicates_type = {
    .name = "duplicates",
    .summary = "counts MSHR entries for lines that another SM fetched shortly before",
    .paper = "Gong 6.1",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .destroy = destroy,
    .report = report,
};
