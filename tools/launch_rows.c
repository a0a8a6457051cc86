/* SPDX-License-Identifier: Apache-2.0 */
/* Launches in reports; see launch_rows.h. */
#include "tools/launch_rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/core/counters.h"

wr_launch_row wr_launch_row_of(const wr_job *job, unsigned index, bool several)
{
    const wr_job_launch *jl = &job->launches[index];
    const wr_launch_entry *entry = &job->loaded.file->launches[index];
    return (wr_launch_row){.launch = &jl->launch,
                           .file = several ? job->name : NULL,
                           .stream = entry->stream ? entry->stream : "",
                           .label = jl->label,
                           .runs = jl->runs,
                           .cut = jl->cut,
                           .cycles = jl->cycles,
                           .deadline = entry->deadline,
                           .late = jl->late,
                           .missed = jl->missed,
                           .sum = jl->sum};
}

static double ratio(uint64_t part, uint64_t of)
{
    return of != 0 ? (double)part / (double)of : 0;
}

/* Lines of caches that were found, and slots by what kept them from use, of those that were the
 * launch's. */
static void print_counters(const wr_launch_row *row, FILE *out)
{
    const wr_launch_stats *s = &row->sum.stats;
    uint64_t slots = row->sum.issued, lines = s->l1_hits + s->l1_misses + s->l1_merges;
    (void)fprintf(out, "    %.4f a cycle", ratio(row->sum.issued, row->cycles));
    if (lines != 0) {
        (void)fprintf(out, ", L1 hits %.1f %%", 100 * ratio(s->l1_hits, lines));
    }
    if (s->l2_accesses != 0) {
        (void)fprintf(out, ", L2 hits %.1f %%", 100 * ratio(s->l2_hits, s->l2_accesses));
    }
    for (uint32_t u = WR_STALL_FIRST; u <= WR_STALL_LAST; u++) {
        slots += s->stalls[u];
    }
    const char *before = "; of its issue slots";
    for (uint32_t u = WR_STALL_FIRST; u <= WR_STALL_LAST; u++) {
        if (s->stalls[u] * 1000 >= slots && s->stalls[u] != 0) { /* a thousandth shows */
            (void)fprintf(out, "%s %.1f %% %s", before, 100 * ratio(s->stalls[u], slots),
                          wr_slot_names[u].name);
            before = ",";
        }
    }
    (void)fputc('\n', out);
}

void wr_launch_row_print(const wr_launch_row *row, const wr_gpu_config *config, FILE *out)
{
    const wr_launch *l = row->launch;
    const wr_launch_result *sum = &row->sum;
    wr_occupancy occupancy = wr_gpu_occupancy(config, l);
    (void)fprintf(out,
                  "  %s: grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", block %" PRIu32 "x%" PRIu32
                  "x%" PRIu32 ", ran %" PRIu32 " times%s\n"
                  "    %" PRIu32 " registers per thread, %" PRIu32
                  " bytes of shared memory, %" PRIu32 " TBs per SM (limited by: %s)\n",
                  l->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                  l->block[2], row->runs, row->cut ? " and a part" : "", l->kernel->regs,
                  l->kernel->shared_bytes + l->shared_dynamic, occupancy.tbs, occupancy.limit);
    if (row->runs == 0 && !row->cut) {
        return;
    }
    (void)fprintf(out,
                  "    %s%sfrom cycle %" PRIu64 " to %" PRIu64 ", %" PRIu64
                  " of them in flight: %" PRIu64 " warp instructions, %" PRIu64 " TBs",
                  row->label, row->label[0] ? ", " : "", sum->begun, sum->ended, row->cycles,
                  sum->issued, sum->tbs - sum->tbs_forward);
    if (sum->tbs_forward != 0) {
        (void)fprintf(out, " and %" PRIu64 " without time", sum->tbs_forward);
    }
    (void)fputc('\n', out);
    if (sum->issued != 0) {
        print_counters(row, out);
    }
    if (row->deadline != 0 && row->missed == 0) {
        (void)fprintf(out, "    deadline of %" PRIu64 " cycles: met %" PRIu32 " times\n",
                      row->deadline, row->runs);
    } else if (row->deadline != 0) {
        (void)fprintf(out,
                      "    deadline of %" PRIu64 " cycles: missed %" PRIu32 " of %" PRIu32
                      " times, by %" PRIu64 " cycles at most\n",
                      row->deadline, row->missed, row->runs, row->late);
    }
}

static void add_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    cJSON_AddNumberToObject(arg, name, (double)value);
}

static void add_size(cJSON *item, const char *name, const uint32_t size[3])
{
    cJSON *array = cJSON_AddArrayToObject(item, name);
    for (int i = 0; i < 3; i++) {
        cJSON_AddItemToArray(array, cJSON_CreateNumber(size[i]));
    }
}

void wr_launch_row_json(const wr_launch_row *row, const wr_gpu_config *config, cJSON *launches)
{
    const wr_launch *l = row->launch;
    const wr_launch_result *sum = &row->sum;
    wr_occupancy occupancy = wr_gpu_occupancy(config, l);
    cJSON *item = cJSON_CreateObject();
    if (row->file) {
        cJSON_AddStringToObject(item, "file", row->file);
    }
    cJSON_AddStringToObject(item, "kernel", l->kernel->name);
    add_size(item, "grid", l->grid);
    add_size(item, "block", l->block);
    cJSON_AddNumberToObject(item, "runs", row->runs);
    if (row->tells_cut) {
        cJSON_AddBoolToObject(item, "in_flight", row->cut);
    }
    cJSON_AddStringToObject(item, "stream", row->stream);
    cJSON_AddNumberToObject(item, "priority", l->priority);
    cJSON_AddNumberToObject(item, "begun", (double)sum->begun);
    if (sum->placed != UINT64_MAX) {
        cJSON_AddNumberToObject(item, "placed", (double)sum->placed);
    } else {
        cJSON_AddNullToObject(item, "placed"); /* the window ended before its first TB */
    }
    cJSON_AddNumberToObject(item, "ended", (double)sum->ended);
    cJSON_AddNumberToObject(item, "cycles", (double)row->cycles);
    cJSON_AddNumberToObject(item, "warp_instructions", (double)sum->issued);
    cJSON_AddNumberToObject(item, "thread_instructions", (double)sum->thread_insns);
    cJSON_AddNumberToObject(item, "ipc", ratio(sum->issued, row->cycles));
    cJSON_AddNumberToObject(item, "tbs", (double)sum->tbs);
    cJSON_AddNumberToObject(item, "tbs_without_time", (double)sum->tbs_forward);
    cJSON_AddNumberToObject(item, "tbs_evicted", (double)sum->tbs_evicted);
    cJSON_AddNumberToObject(item, "tbs_restored", (double)sum->tbs_restored);
    if (row->deadline) {
        cJSON_AddNumberToObject(item, "deadline", (double)row->deadline);
        cJSON_AddNumberToObject(item, "deadlines_missed", row->missed);
        cJSON_AddNumberToObject(item, "latest_by", (double)row->late);
    }
    cJSON_AddNumberToObject(item, "registers", l->kernel->regs);
    cJSON_AddNumberToObject(item, "shared_bytes", l->kernel->shared_bytes + l->shared_dynamic);
    cJSON_AddNumberToObject(item, "hint", l->hint);
    cJSON_AddNumberToObject(item, "tbs_per_sm", occupancy.tbs);
    cJSON_AddStringToObject(item, "limit", occupancy.limit);
    wr_launch_counters(&sum->stats, add_counter, item);
    cJSON_AddItemToArray(launches, item);
}

/* --- Of a program ----------------------------------------------------------------------------- */

void wr_program_launches_add(wr_program_launches *all, const wr_program_launch *launch)
{
    if (!all->kept || all->failed) {
        return;
    }
    if ((all->count & (all->count - 1)) == 0) { /* it grows at each power of two */
        wr_program_launch *grown =
            realloc(all->item, (all->count ? 2 * all->count : 1) * sizeof *grown);
        if (!grown) {
            all->failed = true;
            return;
        }
        all->item = grown;
    }
    all->item[all->count++] = *launch;
}

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
    const wr_program_launch *x = a, *y = b;
    return compare(x->result.id, y->result.id);
}

static int by_row_number(const void *a, const void *b)
{
    const wr_launch_row *x = a, *y = b;
    return compare(x->sum.id, y->sum.id);
}

void wr_program_launches_sort(wr_program_launches *all)
{
    if (all->count != 0) {
        qsort(all->item, all->count, sizeof *all->item, by_number);
    }
}

static wr_launch_row row_of(const wr_program_launch *of)
{
    return (wr_launch_row){.launch = &of->launch,
                           .stream = "",
                           .label = "",
                           .runs = of->cut ? 0 : 1,
                           .cut = of->cut,
                           .tells_cut = true,
                           .cycles = of->result.ended - of->result.begun,
                           .sum = of->result};
}

/* Launches of a kernel with the same grid stand together, in the order in which they began. */
static int by_kind(const void *a, const void *b)
{
    const wr_launch_row *x = a, *y = b;
    int order = memcmp(x->launch->grid, y->launch->grid, sizeof x->launch->grid);
    order = order ? order : memcmp(x->launch->block, y->launch->block, sizeof x->launch->block);
    if (order == 0 && x->launch->shared_dynamic != y->launch->shared_dynamic) {
        order = x->launch->shared_dynamic < y->launch->shared_dynamic ? -1 : 1;
    }
    if (order == 0 && x->launch->kernel != y->launch->kernel) {
        order = (uintptr_t)x->launch->kernel < (uintptr_t)y->launch->kernel ? -1 : 1;
    }
    return order;
}

static int by_kind_and_number(const void *a, const void *b)
{
    int order = by_kind(a, b);
    return order ? order : by_row_number(a, b);
}

static void join(wr_launch_row *row, const wr_launch_row *more)
{
    row->runs += more->runs;
    row->cut |= more->cut;
    row->cycles += more->cycles;
    row->sum.ended = more->sum.ended > row->sum.ended ? more->sum.ended : row->sum.ended;
    row->sum.issued += more->sum.issued;
    row->sum.tbs += more->sum.tbs;
    row->sum.tbs_forward += more->sum.tbs_forward;
    wr_launch_stats_add(&row->sum.stats, &more->sum.stats);
}

bool wr_program_launches_print(const wr_program_launches *all, const wr_gpu_config *config,
                               FILE *out)
{
    wr_launch_row *rows = calloc(all->count + 1, sizeof *rows);
    size_t kinds = 0;
    if (!rows) {
        return false;
    }
    for (size_t i = 0; i < all->count; i++) {
        rows[i] = row_of(&all->item[i]);
    }
    qsort(rows, all->count, sizeof *rows, by_kind_and_number);
    for (size_t i = 0; i < all->count; i++) {
        if (kinds != 0 && by_kind(&rows[kinds - 1], &rows[i]) == 0) {
            join(&rows[kinds - 1], &rows[i]);
        } else {
            rows[kinds++] = rows[i];
        }
    }
    qsort(rows, kinds, sizeof *rows, by_row_number);
    for (size_t i = 0; i < kinds; i++) {
        wr_launch_row_print(&rows[i], config, out);
    }
    free(rows);
    return true;
}

void wr_program_launches_json(const wr_program_launches *all, const wr_gpu_config *config,
                              cJSON *launches)
{
    for (size_t i = 0; i < all->count; i++) {
        char stream[24] = ""; /* the default one */
        wr_launch_row row = row_of(&all->item[i]);
        if (all->item[i].stream != 0) {
            (void)snprintf(stream, sizeof stream, "%" PRIu64, all->item[i].stream);
        }
        row.stream = stream;
        wr_launch_row_json(&row, config, launches);
    }
}

void wr_program_launches_free(wr_program_launches *all)
{
    free(all->item);
    *all = (wr_program_launches){0};
}

/* --- Of none ---------------------------------------------------------------------------------- */

static void add_rest(void *arg, const char *name, uint64_t value, const char *doc)
{
    cJSON *const *objects = arg;
    const cJSON *all = cJSON_GetObjectItemCaseSensitive(objects[0], name);
    (void)doc;
    cJSON_AddNumberToObject(objects[1], name, (all ? all->valuedouble : 0) - (double)value);
}

void wr_no_launch_json(const wr_launch_stats *launches, cJSON *root)
{
    cJSON *objects[] = {cJSON_GetObjectItemCaseSensitive(root, "counters"),
                        cJSON_AddObjectToObject(root, "no_launch")};
    wr_launch_counters(launches, add_rest, objects);
    add_rest(objects, "sched.stall.empty", 0, "");
}
