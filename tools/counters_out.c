/* SPDX-License-Identifier: Apache-2.0 */
/* Counters for people and machines; see counters_out.h. */
#include "tools/counters_out.h"

#include <inttypes.h>
#include <string.h>

#include "shell/core/counters.h"

/* What a text gives unasked. */
static const char *const main_counters[] = {"gpu.cycles",      "sm.issued",       "sm.tbs_done",
                                            "sm.stops",        "sm.tbs_restored", "ctx.write_bytes",
                                            "dram.read_bytes", "dram.write_bytes"};
static const char *const main_derived[] = {
    "gpu.ipc",     "sm.occupancy", "sched.issued.share", "sched.stall.memory.share",
    "l1.hit_rate", "l2.hit_rate",  "noc.reply_of_peak",  "dram.of_peak"};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static bool among(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

typedef struct printer {
    FILE *out;
    bool all;
} printer;

static void print_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    const printer *p = arg;
    if (p->all || among(name, main_counters, COUNT(main_counters))) {
        (void)fprintf(p->out, "  %-24s %14" PRIu64 "  %s\n", name, value, doc);
    }
}

static void print_derived(void *arg, const char *name, double value, const char *unit,
                          const char *doc)
{
    const printer *p = arg;
    if (p->all || among(name, main_derived, COUNT(main_derived))) {
        (void)fprintf(p->out, "  %-28s %10.2f %-12s  %s\n", name, value, unit, doc);
    }
}

/* Bins in a row, from the first to the last that is not empty. */
static void print_histogram(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    const printer *p = arg;
    (void)fprintf(p->out, "  %s: %s\n", name, doc);
    for (uint32_t i = 0; i < WR_HISTOGRAM_BINS; i++) {
        uint64_t from = i == 0 ? 0 : UINT64_C(1) << (i - 1);
        if (h->bin[i] != 0) {
            (void)fprintf(p->out, "    from %8" PRIu64 " %14" PRIu64 "  %5.1f %%\n", from,
                          h->bin[i], 100.0 * (double)h->bin[i] / (double)h->count);
        }
    }
}

void wr_counters_print(const wr_gpu *gpu, bool all, FILE *out)
{
    printer p = {.out = out, .all = all};
    (void)fputs(all ? "\nCounters\n" : "\nCounters (all of them: --counters)\n", out);
    wr_gpu_stats(gpu, print_counter, &p);
    wr_gpu_derived(gpu, print_derived, &p);
    if (all) {
        (void)fputs("\nHistograms\n", out);
        wr_gpu_histograms(gpu, print_histogram, &p);
    }
}

static void add_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)doc;
    cJSON_AddNumberToObject(arg, name, (double)value);
}

static void add_derived(void *arg, const char *name, double value, const char *unit,
                        const char *doc)
{
    (void)unit;
    (void)doc;
    cJSON_AddNumberToObject(arg, name, value);
}

static void add_histogram(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    cJSON *item = cJSON_AddObjectToObject(arg, name);
    cJSON *bins = cJSON_AddArrayToObject(item, "bins");
    (void)doc;
    cJSON_AddNumberToObject(item, "count", (double)h->count);
    cJSON_AddNumberToObject(item, "sum", (double)h->sum);
    for (uint32_t i = 0; i < WR_HISTOGRAM_BINS; i++) {
        cJSON_AddItemToArray(bins, cJSON_CreateNumber((double)h->bin[i]));
    }
}

/* The tree comes part by part, so that the object of the last one is kept at hand. */
typedef struct tree {
    cJSON *root, *part;
    char name[256]; /* of the part */
} tree;

static bool is_part(const char *component, size_t length)
{
    return length != 0 && component[length - 1] >= '0' && component[length - 1] <= '9' &&
           strncmp(component, "l1", length) != 0 && strncmp(component, "l2", length) != 0;
}

/* The part's name goes up to its last numbered component: "sm3.sched0" of
 * "sm3.sched0.stall.memory". */
static size_t part_length(const char *name)
{
    size_t length = 0;
    if (strncmp(name, "kernel.", 7) == 0) {
        return (size_t)(strrchr(name, '.') - name);
    }
    for (const char *at = name; *at;) {
        size_t n = strcspn(at, ".");
        if (is_part(at, n)) {
            length = (size_t)(at - name) + n;
        }
        at += at[n] ? n + 1 : n;
    }
    return length;
}

static void add_leaf(void *arg, const char *name, uint64_t value, const char *doc)
{
    tree *t = arg;
    size_t length = part_length(name);
    (void)doc;
    if (!t->part || strncmp(t->name, name, length) != 0 || t->name[length]) {
        (void)snprintf(t->name, sizeof t->name, "%.*s", (int)length, name);
        t->part = cJSON_CreateObject();
        cJSON_AddItemToObject(t->root, t->name, t->part);
    }
    cJSON_AddNumberToObject(t->part, name + length + 1, (double)value);
}

void wr_counters_json(const wr_gpu *gpu, bool parts, cJSON *root)
{
    wr_gpu_stats(gpu, add_counter, cJSON_AddObjectToObject(root, "counters"));
    wr_gpu_derived(gpu, add_derived, cJSON_AddObjectToObject(root, "derived"));
    wr_gpu_histograms(gpu, add_histogram, cJSON_AddObjectToObject(root, "histograms"));
    if (parts) {
        tree t = {.root = cJSON_AddObjectToObject(root, "parts")};
        wr_gpu_counters(gpu, add_leaf, &t);
    }
}

/* Texts of ours hold no quote, but commas. */
static void csv_counter(void *arg, const char *name, uint64_t value, const char *doc)
{
    (void)fprintf(arg, "%s,%" PRIu64 ",,\"%s\"\n", name, value, doc);
}

static void csv_derived(void *arg, const char *name, double value, const char *unit,
                        const char *doc)
{
    (void)fprintf(arg, "%s,%.6g,%s,\"%s\"\n", name, value, unit, doc);
}

static void csv_histogram(void *arg, const char *name, const wr_histogram *h, const char *doc)
{
    for (uint32_t i = 0; i < WR_HISTOGRAM_BINS; i++) {
        (void)fprintf(arg, "%s.from_%" PRIu64 ",%" PRIu64 ",,\"%s\"\n", name,
                      i == 0 ? 0 : UINT64_C(1) << (i - 1), h->bin[i], doc);
    }
}

bool wr_counters_csv(const wr_gpu *gpu, FILE *out)
{
    (void)fputs("name,value,unit,doc\n", out);
    wr_gpu_stats(gpu, csv_counter, out);
    wr_gpu_derived(gpu, csv_derived, out);
    wr_gpu_histograms(gpu, csv_histogram, out);
    wr_gpu_counters(gpu, csv_counter, out);
    return !ferror(out);
}
