/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of page_view_rank's three kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { THREADS = 256, CLASSES = 256, SLOT = 8, LOADED = 4 };

static const char *score(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiiiinn")) {
        return "page_view_rank_score takes 32-bit buffers slots, lengths, views, worth and "
               "scores, the count of pages, and since";
    }
    const int32_t *slots = launch->args[0].data;
    const int32_t *lengths = launch->args[1].data;
    const int32_t *views = launch->args[2].data;
    const int32_t *worth = launch->args[3].data;
    int32_t *scores = launch->args[4].data;
    int64_t pages = launch->args[5].integer;
    int64_t since = launch->args[6].integer;

    if (pages < 0 || !wr_reference_holds(launch, 0, (uint64_t)pages) ||
        !wr_reference_holds(launch, 1, (uint64_t)pages) ||
        !wr_reference_holds(launch, 4, (uint64_t)pages)) {
        return "a buffer is shorter than the count of pages";
    }
    if (since < 0) {
        return "views are numbers from 0, and so is since";
    }
    for (int64_t page = 0; page < pages; page++) {
        int64_t first = SLOT * (int64_t)slots[page];
        int64_t end = first + lengths[page];
        int64_t sum = 0;

        /* The kernel loads the views four at a time. */
        if (lengths[page] > 0 &&
            (first < 0 ||
             !wr_reference_holds(launch, 2, (uint64_t)(end + LOADED - 1) / LOADED * LOADED))) {
            return "a page has views outside their buffer";
        }
        for (int64_t i = first; i < end; i++) {
            if (views[i] < since) {
                continue;
            }
            if (!wr_reference_holds(launch, 3, (uint64_t)views[i] + 1)) {
                return "a view has no worth";
            }
            sum += worth[views[i]] * ((int64_t)views[i] - since);
            if (sum < 0 || sum > INT32_MAX) {
                return "a page's score is negative or too high";
            }
        }
        scores[page] = (int32_t)sum;
    }
    return NULL;
}

/* Pages of each class. NULL, or what is wrong. */
static const char *classes(const wr_reference_launch *launch, int64_t pages, int64_t shift,
                           int32_t count[CLASSES])
{
    const int32_t *scores = launch->args[0].data;

    if (pages < 0 || !wr_reference_holds(launch, 0, (uint64_t)pages) ||
        !wr_reference_holds(launch, 1, CLASSES)) {
        return "there is a score for each page, and there are 256 counts";
    }
    if (shift < 0 || shift > 31) {
        return "a score is shifted by 0 to 31 bits";
    }
    for (int64_t page = 0; page < pages; page++) {
        if (scores[page] < 0) {
            return "a score is negative";
        }
        int32_t of = scores[page] >> shift;

        count[of < CLASSES ? of : CLASSES - 1]++;
    }
    return NULL;
}

static const char *tally(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iinn")) {
        return "page_view_rank_count takes 32-bit buffers scores and counts, the count of pages, "
               "and a shift";
    }
    int32_t count[CLASSES] = {0};
    const char *fault = classes(launch, launch->args[2].integer, launch->args[3].integer, count);
    int32_t *counts = launch->args[1].data;

    for (size_t i = 0; !fault && i < CLASSES; i++) {
        counts[i] = (int32_t)((uint32_t)counts[i] + (uint32_t)count[i]);
    }
    return fault;
}

static const char *place(const wr_reference_launch *launch)
{
    if (!wr_reference_takes(launch, "iiinn")) {
        return "page_view_rank_place takes 32-bit buffers scores, counts and places, the count of "
               "pages, and a shift";
    }
    int64_t pages = launch->args[3].integer;
    int64_t shift = launch->args[4].integer;
    int32_t count[CLASSES] = {0};
    const char *fault = classes(launch, pages, shift, count);

    if (fault) {
        return fault;
    }
    const int32_t *scores = launch->args[0].data;
    const int32_t *counts = launch->args[1].data;
    int32_t *places = launch->args[2].data;
    int32_t ahead[CLASSES] = {0};

    if (!wr_reference_holds(launch, 2, (uint64_t)pages)) {
        return "there is a place for each page";
    }
    for (size_t c = CLASSES - 1; c-- > 0;) {
        ahead[c] = (int32_t)((uint32_t)ahead[c + 1] + (uint32_t)counts[c + 1]);
    }
    for (int64_t page = 0; page < pages; page++) {
        int32_t of = scores[page] >> shift;

        places[page] = ahead[of < CLASSES ? of : CLASSES - 1];
    }
    return NULL;
}

const char *wr_reference_page_view_rank(const wr_reference_launch *launch)
{
    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){THREADS, 1, 1})) {
        return "the kernels of page_view_rank need block [256, 1, 1] and a grid [n, 1, 1]";
    }
    if (strcmp(launch->kernel, "page_view_rank_score") == 0) {
        return score(launch);
    }
    if (strcmp(launch->kernel, "page_view_rank_count") == 0) {
        return tally(launch);
    }
    return place(launch);
}
