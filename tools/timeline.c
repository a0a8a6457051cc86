/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals of warp states; see timeline.h.
 *
 * A cycle that is skipped has the states of the one before it: the machine sleeps only while
 * nothing that its warps see can change. So an interval ends at the first cycle that is seen with
 * another state.
 */
#include "tools/timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/replace.h"
#include "shell/core/counters/probe.h"
#include "shell/core/seam/hooks.h"

typedef struct slot {
    uint64_t since;
    uint8_t state;
} slot;

struct wr_timeline {
    wr_gpu *gpu;
    wr_replace out;
    char *path;
    uint32_t first_sm, end_sm, warps;
    uint64_t from, to; /* cycles asked for */
    wr_watcher watcher;
    slot (*slots)[WR_CONFIG_MAX_WARPS]; /* by SM, from first_sm on */
};

/* The interval of a slot ends before cycle `end`. */
static void write_interval(wr_timeline *t, uint32_t sm, uint32_t warp, uint64_t end)
{
    const slot *s = &t->slots[sm - t->first_sm][warp];
    uint64_t from = s->since > t->from ? s->since : t->from;
    uint64_t to = end < t->to ? end : t->to;
    if (from < to) {
        (void)fprintf(t->out.file, /* a stream keeps its error */
                      "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%s\n", sm, warp, from, to,
                      wr_warp_state_names[s->state]);
    }
}

static void write_all(wr_timeline *t, uint64_t end)
{
    for (uint32_t sm = t->first_sm; sm < t->end_sm; sm++) {
        for (uint32_t w = 0; w < t->warps; w++) {
            write_interval(t, sm, w, end);
            t->slots[sm - t->first_sm][w].since = end;
        }
    }
}

static void look(void *arg)
{
    wr_timeline *t = arg;
    uint64_t now = wr_gpu_cycle(t->gpu);
    if (now >= t->to) { /* the run goes on at full speed */
        wr_gpu_unwatch(t->gpu, &t->watcher);
        write_all(t, t->to);
        return;
    }
    for (uint32_t sm = t->first_sm; sm < t->end_sm; sm++) {
        uint8_t warp[WR_CONFIG_MAX_WARPS];
        wr_gpu_look_warps(t->gpu, sm, warp);
        for (uint32_t w = 0; w < t->warps; w++) {
            slot *s = &t->slots[sm - t->first_sm][w];
            if (s->state != warp[w]) {
                write_interval(t, sm, w, now);
                *s = (slot){.since = now, .state = warp[w]};
            }
        }
    }
}

/* One word behind the path. */
static bool take(wr_timeline *t, const char *word, uint32_t sms, wr_diag *diag)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    bool is_sm = length == 2 && strncmp(word, "sm", 2) == 0;
    bool is_from = length == 4 && strncmp(word, "from", 4) == 0;
    bool is_to = length == 2 && strncmp(word, "to", 2) == 0;
    char *end = NULL;
    if (!is_sm && !is_from && !is_to) {
        wr_diag_set(diag, "--timeline", 0, 0,
                    "behind the file stands sm=N, from=C or to=C, not '%s'", word);
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(equals + 1, &end, 10);
    if (equals[1] < '0' || equals[1] > '9' || *end || errno) {
        wr_diag_set(diag, "--timeline", 0, 0, "%.*s= takes a number, not '%s'", (int)length, word,
                    equals + 1);
        return false;
    }
    if (is_sm && value >= sms) {
        wr_diag_set(diag, "--timeline", 0, 0, "there is no SM %llu; they are 0 to %" PRIu32, value,
                    sms - 1);
        return false;
    }
    if (is_sm) {
        t->first_sm = (uint32_t)value;
        t->end_sm = t->first_sm + 1;
    } else if (is_from) {
        t->from = value;
    } else {
        t->to = value;
    }
    return true;
}

/* The path, and what follows it. */
static bool parse(wr_timeline *t, const char *spec, uint32_t sms, wr_diag *diag)
{
    char *state = NULL;
    t->path = strdup(spec);
    if (!t->path) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return false;
    }
    size_t length = strcspn(spec, ",");
    if (length == 0) {
        wr_diag_set(diag, "--timeline", 0, 0, "takes a path, then sm=N, from=C, to=C");
        return false;
    }
    bool ok = true;
    (void)strtok_r(t->path, ",", &state);
    for (char *word = strtok_r(NULL, ",", &state); ok && word; word = strtok_r(NULL, ",", &state)) {
        ok = take(t, word, sms, diag);
    }
    if (ok && t->from >= t->to) {
        wr_diag_set(diag, "--timeline", 0, 0,
                    "no cycle lies from %" PRIu64 " on and before %" PRIu64, t->from, t->to);
        ok = false;
    }
    return ok;
}

static void destroy(wr_timeline *t)
{
    free(t->slots);
    free(t->path);
    free(t);
}

wr_timeline *wr_timeline_open(wr_gpu *gpu, const char *spec, wr_diag *diag)
{
    const wr_gpu_config *cfg = wr_gpu_configuration(gpu);
    wr_timeline *t = calloc(1, sizeof *t);
    if (!t) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return NULL;
    }
    t->gpu = gpu;
    t->end_sm = cfg->sms;
    t->warps = cfg->sm.max_warps;
    t->to = UINT64_MAX;
    bool ok = parse(t, spec, cfg->sms, diag);
    if (ok) {
        t->slots = calloc(t->end_sm - t->first_sm, sizeof *t->slots); /* all empty since cycle 0 */
        ok = t->slots && wr_replace_open(&t->out, t->path);
        if (!t->slots) {
            wr_diag_set(diag, NULL, 0, 0, "out of memory");
        } else if (!ok) {
            wr_diag_set(diag, t->path, 0, 0, "cannot be written: %s", strerror(errno));
        }
    }
    if (!ok) {
        destroy(t);
        return NULL;
    }
    _Static_assert(WR_WARP_EMPTY == 0, "slots begin empty");
    (void)fputs("sm,warp,from,to,state\n", t->out.file);
    t->watcher = (wr_watcher){.look = look, .arg = t};
    wr_gpu_watch(gpu, &t->watcher);
    return t;
}

bool wr_timeline_close(wr_timeline *t, bool keep, bool cut, wr_diag *diag)
{
    if (!t) {
        return true;
    }
    wr_gpu_unwatch(t->gpu, &t->watcher);
    write_all(t, wr_gpu_cycle(t->gpu));
    if (cut) {
        (void)fputs("# " WR_CUT "\n", t->out.file);
    }
    bool ok = wr_replace_close(&t->out, keep);
    if (!ok) {
        wr_diag_set(diag, t->path, 0, 0, "cannot be written: %s", strerror(errno));
    }
    destroy(t);
    return ok;
}
