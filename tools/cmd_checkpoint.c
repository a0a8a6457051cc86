/* SPDX-License-Identifier: Apache-2.0 */
/* warpref checkpoint: what is in a checkpoint, as text or JSON. */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "shell/host/checkpoint.h"
#include "systems/checkpoint/contexts.h"
#include "tools/commands.h"
#include "tools/once.h"

enum { KEY_JSON = 256 };

typedef struct options {
    const char *path;
    bool json;
} options;

/* All of it but simulated memory. */
typedef struct shown {
    const char *path;
    wr_checkpoint_file file;
    wr_checkpoint_run run;
    wr_checkpoint_place place[WR_MAX_STREAMS];
    wr_frozen_gpu gpu;
    wr_saved_contexts contexts;
} shown;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    if (key == KEY_JSON) {
        o->json = true;
        return 0;
    }
    if (key == ARGP_KEY_ARG) {
        if (o->path) {
            argp_error(state, "one checkpoint at a time");
        }
        o->path = arg;
        return 0;
    }
    if (key == ARGP_KEY_END && !o->path) {
        argp_error(state, "name a checkpoint, as --checkpoint of `warpref run` has written it");
    }
    return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static bool load(shown *s, char *why, size_t size)
{
    if (!wr_checkpoint_read(s->path, &s->file, why, size)) {
        return false;
    }
    bool ok = wr_checkpoint_read_run(wr_checkpoint_open(&s->file, WR_CHECKPOINT_RUN), &s->run) &&
              wr_checkpoint_read_places(wr_checkpoint_open(&s->file, WR_CHECKPOINT_JOBS), &s->run,
                                        s->place) &&
              wr_gpu_frozen_read(wr_checkpoint_open(&s->file, WR_CHECKPOINT_GPU), &s->gpu) &&
              wr_contexts_read(wr_checkpoint_open(&s->file, WR_CHECKPOINT_CONTEXTS), &s->contexts);
    if (!ok) {
        (void)snprintf(why, size, "is damaged: its parts are not what they should be");
    }
    return ok;
}

/* The job of a stream of the GPU, which becomes the job's stream. */
static uint32_t job_of(const shown *s, uint32_t *stream)
{
    uint32_t job = 0;
    while (job + 1 < s->run.jobs && *stream >= s->run.job[job].streams) {
        *stream -= s->run.job[job++].streams;
    }
    return job;
}

static const wr_frozen_grid *grid_of(const shown *s, uint32_t stream)
{
    for (uint32_t i = 0; i < s->gpu.in_flight; i++) {
        if (s->gpu.grid[i].stream == stream) {
            return &s->gpu.grid[i];
        }
    }
    return NULL;
}

static void print_streams(const shown *s)
{
    uint32_t stream = 0;
    puts("\nLaunches");
    for (uint32_t j = 0; j < s->run.jobs; j++) {
        const wr_checkpoint_place *place = &s->place[j];
        printf("  %s: %" PRIu64 " launches are done\n", s->run.job[j].file, place->runs);
        for (uint32_t k = 0; k < s->run.job[j].launches; k++) {
            printf("    launch %" PRIu32 ", stream %" PRIu32 ", %s: ran %" PRIu32 " times\n", k,
                   place->launch[k].stream, place->launch[k].kernel, place->launch[k].runs);
        }
        for (uint32_t k = 0; k < s->run.job[j].streams; k++, stream++) {
            const wr_job_lane *lane = &place->lane[k];
            const wr_frozen_grid *g = grid_of(s, stream);
            printf("    stream %" PRIu32 ": ", k);
            if (g) {
                printf("launch %u (%s), round %" PRIu32 ": %" PRIu64 " TBs, %" PRIu64
                       " done, %" PRIu64 " saved, %" PRIu64 " to come\n",
                       lane->asked, place->launch[lane->asked].kernel, lane->round, g->result.tbs,
                       g->tbs_done, g->next_tb - g->tbs_done, g->result.tbs - g->next_tb);
            } else {
                puts(lane->over ? "over" : "between two launches");
            }
        }
    }
}

static void print_text(const shown *s)
{
    printf("%s: format version %" PRIu32 ", written by warpref %s on %s\n"
           "goes on in cycle %" PRIu64 "; %" PRIu64 " bytes printed so far\n",
           s->path, s->file.version, s->run.program, s->run.config, s->gpu.cycle, s->run.printed);
    for (uint32_t i = 0; i < s->run.jobs; i++) {
        const wr_checkpoint_job *job = &s->run.job[i];
        printf("  %s: text %016" PRIx64 ", buffers %016" PRIx64 ", machine code %016" PRIx64
               ", addresses of %" PRIu32 " bits\n",
               job->file, job->text, job->contents, job->code, job->address_size);
    }
    print_streams(s);
    puts("\nRegisters of saved TBs, bytes");
    for (uint32_t i = 0; i < s->contexts.kernels; i++) {
        const wr_saved_kernel *k = &s->contexts.kernel[i];
        printf("  stream %" PRIu32 ", %s: %" PRIu64 " TBs, %" PRIu64 " warps: %" PRIu64
               " occupied, %" PRIu64 " live, %" PRIu64 " compressed\n",
               k->stream, k->name, k->tbs, k->warps, k->occupied, k->live, k->compressed);
    }
    printf("\nParts, bytes in the file and unpacked (%" PRIu64 " in all)\n", s->file.bytes);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        printf("  %s %10" PRIu64 " %10" PRIu64 "\n", wr_checkpoint_part_name(i),
               s->file.part[i].stored, s->file.part[i].size);
    }
}

static void add_number(cJSON *to, const char *name, uint64_t value)
{
    cJSON_AddNumberToObject(to, name, (double)value);
}

static void add_hash(cJSON *to, const char *name, uint64_t value)
{
    char text[20];
    (void)snprintf(text, sizeof text, "%016" PRIx64, value);
    cJSON_AddStringToObject(to, name, text);
}

static void add_jobs(const shown *s, cJSON *root)
{
    cJSON *files = cJSON_AddArrayToObject(root, "files");
    for (uint32_t i = 0; i < s->run.jobs; i++) {
        const wr_checkpoint_job *job = &s->run.job[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", job->file);
        add_hash(item, "text", job->text);
        add_hash(item, "buffers", job->contents);
        add_hash(item, "code", job->code);
        add_number(item, "address_size", job->address_size);
        add_number(item, "launches_done", s->place[i].runs);
        cJSON *launches = cJSON_AddArrayToObject(item, "launches");
        for (uint32_t k = 0; k < job->launches; k++) {
            cJSON *launch = cJSON_CreateObject();
            cJSON_AddStringToObject(launch, "kernel", s->place[i].launch[k].kernel);
            add_number(launch, "stream", s->place[i].launch[k].stream);
            add_number(launch, "runs", s->place[i].launch[k].runs);
            cJSON_AddItemToArray(launches, launch);
        }
        cJSON_AddItemToArray(files, item);
    }
}

static void add_grids(const shown *s, cJSON *root)
{
    cJSON *grids = cJSON_AddArrayToObject(root, "in_flight");
    for (uint32_t i = 0; i < s->gpu.in_flight; i++) {
        const wr_frozen_grid *g = &s->gpu.grid[i];
        uint32_t stream = g->stream;
        uint32_t job = job_of(s, &stream);
        const wr_job_lane *lane = &s->place[job].lane[stream];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", s->run.job[job].file);
        add_number(item, "stream", stream);
        add_number(item, "launch", lane->asked);
        cJSON_AddStringToObject(item, "kernel", s->place[job].launch[lane->asked].kernel);
        add_number(item, "round", lane->round);
        add_number(item, "tbs", g->result.tbs);
        add_number(item, "done", g->tbs_done);
        add_number(item, "saved", g->next_tb - g->tbs_done);
        add_number(item, "to_come", g->result.tbs - g->next_tb);
        for (uint32_t k = 0; k < s->contexts.kernels; k++) {
            const wr_saved_kernel *kernel = &s->contexts.kernel[k];
            if (kernel->stream == g->stream) {
                add_number(item, "occupied_bytes", kernel->occupied);
                add_number(item, "live_bytes", kernel->live);
                add_number(item, "compressed_bytes", kernel->compressed);
            }
        }
        cJSON_AddItemToArray(grids, item);
    }
}

static bool print_json(const shown *s)
{
    cJSON *root = cJSON_CreateObject();
    add_number(root, "version", s->file.version);
    cJSON_AddStringToObject(root, "program", s->run.program);
    cJSON_AddStringToObject(root, "config", s->run.config);
    add_number(root, "cycle", s->gpu.cycle);
    add_number(root, "printed", s->run.printed);
    add_number(root, "bytes", s->file.bytes);
    add_jobs(s, root);
    add_grids(s, root);
    cJSON *parts = cJSON_AddArrayToObject(root, "parts");
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", wr_checkpoint_part_name(i));
        add_number(item, "stored", s->file.part[i].stored);
        add_number(item, "bytes", s->file.part[i].size);
        cJSON_AddItemToArray(parts, item);
    }
    char *text = cJSON_Print(root);
    if (text) {
        puts(text);
    } else {
        (void)fprintf(stderr, "out of memory\n");
    }
    cJSON_free(text);
    cJSON_Delete(root);
    return text != NULL;
}

int wr_cmd_checkpoint(int argc, char **argv)
{
    static const struct argp_option rows[] = {{"json", KEY_JSON, NULL, 0, "print it as JSON", 0},
                                              {0}};
    static const struct argp argp = {
        rows,
        parse,
        "FILE",
        "Shows what is in a checkpoint of a run: whose it is, launches, TBs, registers, sizes.\v"
        "`warpref run FILE.yaml --checkpoint-at CYCLE --checkpoint FILE` writes one, `warpref run "
        "FILE.yaml --resume FILE` goes on from it; docs/checkpoint.md has the format.\n\n"
        "Exit status: 0 it is whole, 2 bad usage, or a file that is damaged or no checkpoint.",
        NULL,
        NULL,
        NULL};
    options o = {0};
    char why[512];
    if (wr_parse_once(&argp, argc, argv, &o)) {
        return 2;
    }
    shown *s = calloc(1, sizeof *s);
    if (!s) {
        (void)fprintf(stderr, "out of memory\n");
        return 2;
    }
    s->path = o.path;
    bool ok = load(s, why, sizeof why);
    if (!ok) {
        (void)fprintf(stderr, "%s: %s\n", o.path, why);
    } else if (o.json) {
        ok = print_json(s);
    } else {
        print_text(s);
    }
    wr_checkpoint_free_places(s->place);
    wr_contexts_free(&s->contexts);
    wr_checkpoint_free(&s->file);
    free(s);
    return ok ? 0 : 2;
}
