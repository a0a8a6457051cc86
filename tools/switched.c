/* SPDX-License-Identifier: Apache-2.0 */
/* See switched.h. */
#include "tools/switched.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/compiler/reduced.h"
#include "tools/source_json.h"

enum { MAX_BLOCK = 1024 }; /* threads of a TB */

void wr_switched_parse(struct argp_state *state, const char *text, uint32_t block[3])
{
    const char *at = text;
    uint64_t threads = 1;
    unsigned dims = 0;
    bool ok = true;
    block[0] = block[1] = block[2] = 1;
    do {
        char *end = NULL;
        errno = 0;
        unsigned long value = strtoul(at, &end, 10);
        ok = dims < 3 && at[0] >= '0' && at[0] <= '9' && !errno && value >= 1 &&
             value <= MAX_BLOCK && (*end == ',' || *end == '\0');
        if (ok) {
            block[dims++] = (uint32_t)value;
            threads *= value;
            at = *end == ',' ? end + 1 : end;
            ok = *end != ',' || *at != '\0';
        }
    } while (ok && *at != '\0');
    if (!ok || threads > MAX_BLOCK) {
        argp_error(state, "--block takes X, X,Y or X,Y,Z of %d threads at most, not '%s'",
                   MAX_BLOCK, text);
    }
}

typedef void (*shape_fn)(void *arg, const wr_kernel *kernel, const wr_reduced *reduced);

static void one_shape(const wr_kernel *kernel, const uint32_t block[3], shape_fn fn, void *arg)
{
    wr_reduced *reduced = wr_reduce(kernel, block);
    fn(arg, kernel, reduced);
    wr_reduced_free(reduced);
}

static bool is_launch_of(const wr_job *job, size_t i, const wr_kernel *kernel)
{
    return job->launches[i].kernel == kernel;
}

/* The same kernel in a block of this shape was met before. */
static bool was_before(const wr_job *job, size_t i)
{
    const wr_job_launch *launch = &job->launches[i];
    for (size_t k = 0; k < i; k++) {
        if (is_launch_of(job, k, launch->kernel) &&
            memcmp(job->launches[k].launch.block, launch->launch.block,
                   sizeof launch->launch.block) == 0) {
            return true;
        }
    }
    return false;
}

static void each_shape(const wr_switched *shapes, const wr_kernel *kernel, shape_fn fn, void *arg)
{
    static const uint32_t usual[3] = {32, 2, 2};
    bool any = false;
    for (size_t i = 0; shapes->job && i < shapes->job->loaded.file->launch_count; i++) {
        if (is_launch_of(shapes->job, i, kernel) && !was_before(shapes->job, i)) {
            one_shape(kernel, shapes->job->launches[i].launch.block, fn, arg);
            any = true;
        }
    }
    if (!any) {
        one_shape(kernel,
                  shapes->block[0]     ? shapes->block
                  : kernel->req_tid[0] ? kernel->req_tid
                                       : usual,
                  fn, arg);
    }
}

static void print_one(void *arg, const wr_kernel *kernel, const wr_reduced *reduced)
{
    wr_reduced_print(arg, kernel, reduced);
}

void wr_switched_print(FILE *out, const wr_switched *shapes, const wr_kernel *kernel)
{
    each_shape(shapes, kernel, print_one, out);
}

static const char *stored_as(const wr_switch_point *p, wr_held_view view, unsigned reg)
{
    static const char *const names[] = {
        [WR_HELD_WARP] = "uniform",
        [WR_HELD_GROUP] = "uniform",
        [WR_HELD_STRIDED] = "strided",
        [WR_HELD_RANDOM] = "random",
    };
    return (p->awaited >> reg & 1) ? "awaited" : names[p->kind[view][reg]];
}

static cJSON *registers_json(const wr_switch_point *p, wr_held_view view)
{
    cJSON *list = cJSON_CreateObject();
    for (unsigned reg = 0; reg < WR_ISA_MAX_REGS; reg++) {
        char name[8];
        if ((p->slots >> reg & 1) != 0) {
            (void)snprintf(name, sizeof name, "R%u", reg);
            cJSON_AddStringToObject(list, name, stored_as(p, view, reg));
        }
    }
    return list;
}

static cJSON *point_json(const wr_kernel *kernel, const wr_switch_point *p)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "pc", p->pc);
    wr_source_json(item, kernel, p->line);
    cJSON_AddStringToObject(item, "kind", p->is_bar ? "bar" : "load");
    cJSON_AddNumberToObject(item, "live_bytes", p->live_bytes);
    cJSON_AddNumberToObject(item, "awaited_count", __builtin_popcountll(p->awaited));
    cJSON_AddNumberToObject(item, "reduced_bytes", p->bytes[WR_HELD_ALL]);
    cJSON_AddNumberToObject(item, "needed_bytes", p->bytes[WR_HELD_NEEDED]);
    cJSON_AddItemToObject(item, "reduced", registers_json(p, WR_HELD_ALL));
    cJSON_AddItemToObject(item, "needed", registers_json(p, WR_HELD_NEEDED));
    return item;
}

/* Of the point that decides: registers by how they are stored. */
static void add_view(cJSON *to, const char *name, const wr_kernel *kernel, const wr_reduced *r,
                     wr_held_view view)
{
    cJSON *item = cJSON_AddObjectToObject(to, name);
    uint32_t kinds[WR_HELD_RANDOM + 1] = {0}, awaited = 0;
    cJSON_AddNumberToObject(item, "bytes", r->bytes[view]);
    cJSON_AddNumberToObject(item, "lines", r->lines[view]);
    cJSON_AddNumberToObject(item, "share", 1.0 * r->lines[view] * WR_REDUCED_LINE / r->full_bytes);
    if (r->count == 0) {
        return;
    }
    const wr_switch_point *p = &r->points[r->decides[view]];
    for (unsigned reg = 0; reg < WR_ISA_MAX_REGS; reg++) {
        bool waits = (p->awaited >> reg & 1) != 0;
        awaited += waits;
        kinds[p->kind[view][reg]] += !waits;
    }
    cJSON *decides = cJSON_AddObjectToObject(item, "decides");
    cJSON_AddNumberToObject(decides, "pc", p->pc);
    wr_source_json(decides, kernel, p->line);
    cJSON_AddNumberToObject(decides, "awaited", awaited);
    cJSON_AddNumberToObject(decides, "random", kinds[WR_HELD_RANDOM]);
    cJSON_AddNumberToObject(decides, "strided", kinds[WR_HELD_STRIDED]);
    cJSON_AddNumberToObject(decides, "uniform", kinds[WR_HELD_GROUP] + kinds[WR_HELD_WARP]);
}

static void add_json(void *arg, const wr_kernel *kernel, const wr_reduced *r)
{
    cJSON *item = cJSON_CreateObject(), *points;
    cJSON *block = cJSON_AddArrayToObject(item, "block");
    for (unsigned i = 0; i < 3; i++) {
        cJSON_AddItemToArray(block, cJSON_CreateNumber(r->block[i]));
    }
    cJSON_AddNumberToObject(item, "group", r->group);
    cJSON_AddNumberToObject(item, "count", (double)r->count);
    cJSON_AddNumberToObject(item, "full_bytes", r->full_bytes);
    cJSON_AddNumberToObject(item, "live_bytes", r->live_bytes);
    add_view(item, "reduced", kernel, r, WR_HELD_ALL);
    add_view(item, "needed", kernel, r, WR_HELD_NEEDED);
    points = cJSON_AddArrayToObject(item, "points");
    for (size_t i = 0; i < r->count; i++) {
        cJSON_AddItemToArray(points, point_json(kernel, &r->points[i]));
    }
    cJSON_AddItemToArray(arg, item);
}

cJSON *wr_switched_json(const wr_switched *shapes, const wr_kernel *kernel)
{
    cJSON *list = cJSON_CreateArray();
    each_shape(shapes, kernel, add_json, list);
    return list;
}
