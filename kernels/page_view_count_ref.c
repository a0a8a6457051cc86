/* SPDX-License-Identifier: Apache-2.0 */
/* Reference of page_view_count's two kernels. */
#include "kernels/reference.h"

#include <string.h>

enum { THREADS = 256, RECORD = 8, WORDS_BEFORE = 2 };

/* FNV-1a over the parts' bytes, the least first, folded. */
static uint32_t page_of(const int32_t *record, uint32_t pages)
{
    uint32_t hash = 2166136261;

    for (size_t i = WORDS_BEFORE; i < RECORD && record[i] != 0; i++) {
        for (uint32_t part = (uint32_t)record[i], byte = 0; byte < 4; byte++, part /= 256) {
            hash = (hash ^ part % 256) * 16777619;
        }
    }
    return (hash ^ hash >> 15) % pages;
}

static const char *reduce(const wr_reference_launch *launch, int64_t pages, int64_t tables)
{
    const int32_t *counters = launch->args[0].data;
    int32_t *views = launch->args[1].data;
    int32_t *most = launch->args[2].data;

    if (!wr_reference_holds(launch, 0, (uint64_t)(pages * tables)) ||
        !wr_reference_holds(launch, 1, (uint64_t)pages) || !wr_reference_holds(launch, 2, 1)) {
        return "the buffer of counters, views or most is too short for the pages";
    }
    if (pages > THREADS * (int64_t)launch->grid[0]) {
        return "the grid does not cover the pages";
    }
    for (int64_t page = 0; page < pages; page++) {
        uint32_t sum = 0;

        for (int64_t table = 0; table < tables; table++) {
            sum += (uint32_t)counters[table * pages + page];
        }
        views[page] = (int32_t)sum;
        most[0] = views[page] > most[0] ? views[page] : most[0];
    }
    return NULL;
}

const char *wr_reference_page_view_count(const wr_reference_launch *launch)
{
    bool reduces = strcmp(launch->kernel, "page_view_count_reduce") == 0;

    if (!wr_reference_takes(launch, reduces ? "iiinn" : "iiinnn")) {
        return "page_view_count_map takes 32-bit buffers index, log and counters, and the counts "
               "of records, pages and tables; page_view_count_reduce takes 32-bit buffers "
               "counters, views and most, and the counts of pages and tables";
    }
    int64_t pages = launch->args[reduces ? 3 : 4].integer;
    int64_t tables = launch->args[reduces ? 4 : 5].integer;

    if (!wr_reference_shape(launch, (uint32_t[]){launch->grid[0], 1, 1},
                            (uint32_t[]){THREADS, 1, 1})) {
        return "the kernels of page_view_count need block [256, 1, 1] and a grid [n, 1, 1]";
    }
    if (pages < 1 || (pages & (pages - 1)) != 0 || tables < 1) {
        return "the pages are a power of two, and there is at least one table";
    }
    if (reduces) {
        return reduce(launch, pages, tables);
    }
    const int32_t *index = launch->args[0].data;
    const int32_t *log = launch->args[1].data;
    int32_t *counters = launch->args[2].data;
    int64_t records = launch->args[3].integer;
    int64_t in_log = (int64_t)(launch->args[1].count / RECORD);

    if (records < 0 || !wr_reference_holds(launch, 0, (uint64_t)records)) {
        return "the index is shorter than its records";
    }
    if (!wr_reference_holds(launch, 2, (uint64_t)(pages * tables))) {
        return "there is a counter for each page and table";
    }
    for (int64_t i = 0; i < records; i++) {
        int64_t table = i / THREADS % launch->grid[0] % tables;

        if (index[i] < 0 || index[i] >= in_log) {
            return "the index has a record that is not in the log";
        }
        counters[table * pages + page_of(&log[RECORD * (int64_t)index[i]], (uint32_t)pages)]++;
    }
    return NULL;
}
