/* SPDX-License-Identifier: Apache-2.0 */
/* How launches of several streams share the SMs: policies of the dispatcher.
 *
 *   leftover   an SM's next TB is of the oldest launch whose next one fits (the dispatcher's own
 * way) in_order   a launch's TBs are placed once all of the older launches' are whole_sm   SMs are
 * parted among the streams: each runs TBs of one stream only within_sm  every SM is parted: of its
 * TB slots, warps, registers and shared memory a stream gets its share, so as many TBs as an SM of
 * that size would hold, but one at least
 *
 * Parts are drawn anew when a launch begins or ends, among the streams that then have one in
 * flight, by their shares; TBs that are placed stay where they are until they end. With more
 * streams than SMs some have no SM of their own and wait.
 */
#include "systems/sharing/sharing.h"

#include "shell/core/seam/launch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef enum policy { LEFTOVER, IN_ORDER, WHOLE_SM, WITHIN_SM, POLICIES } policy;

static const char *const policy_names[POLICIES] = {"leftover", "in_order", "whole_sm", "within_sm"};

enum { OPT_POLICY, OPT_SHARES, OPT_NUMBER, MAX_SHARE = 1000 };

static const wr_system_option options[OPT_NUMBER] = {
    [OPT_POLICY] = {"policy", "leftover|in_order|whole_sm|within_sm", "within_sm",
                    "which launch an SM's next TB is of"},
    [OPT_SHARES] = {"shares", "NUMBER:NUMBER:...", "",
                    "of the streams in the order of the file, 1 where not given"},
};

typedef struct sharing {
    wr_system base;
    policy policy;
    uint32_t sms;
    uint32_t share[WR_MAX_STREAMS];
    uint32_t first_sm[WR_MAX_STREAMS], end_sm[WR_MAX_STREAMS]; /* whole_sm: first to end - 1 */
    uint32_t most_tbs[WR_MAX_STREAMS];                         /* within_sm: on one SM */
    uint64_t drawn;                                            /* how often parts were drawn */
    uint64_t placed[WR_MAX_STREAMS];                           /* TBs */
} sharing;

/* As many TBs as an SM with this part of the resources holds. */
static uint32_t part_of_sm(const wr_gpu *gpu, const wr_launch *launch, uint32_t share,
                           uint32_t total)
{
    wr_gpu_config cfg = *wr_gpu_configuration(gpu);
    uint64_t part = share;

    cfg.sm.max_tbs = (uint32_t)(cfg.sm.max_tbs * part / total);
    cfg.sm.max_warps = (uint32_t)(cfg.sm.max_warps * part / total);
    cfg.sm.registers = (uint32_t)(cfg.sm.registers * part / total);
    cfg.sm.shared_bytes = (uint32_t)(cfg.sm.shared_bytes * part / total);
    uint32_t tbs = wr_gpu_occupancy(&cfg, launch).tbs;

    return tbs != 0 ? tbs : 1;
}

static void draw_parts(sharing *s, const wr_gpu *gpu)
{
    uint32_t total = 0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        total += wr_gpu_launch(gpu, i) ? s->share[i] : 0;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        const wr_launch *launch = wr_gpu_launch(gpu, i);

        if (!launch) {
            continue;
        }
        s->first_sm[i] = s->sms * before / total;
        before += s->share[i];
        s->end_sm[i] = s->sms * before / total;
        s->most_tbs[i] = part_of_sm(gpu, launch, s->share[i], total);
    }
    s->drawn++;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)launch;
    draw_parts(self, gpu);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    (void)stream;
    if (wr_gpu_launches(gpu) != 0) {
        draw_parts(self, gpu);
    }
}

static uint32_t tbs_of(const wr_sm *sm, uint32_t stream)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < wr_sm_tb_slots(sm); t++) {
        wr_tb_info tb = wr_sm_tb(sm, t);

        count += tb.valid && tb.stream == stream;
    }
    return count;
}

static bool may(const sharing *s, wr_sm *sm, uint32_t stream)
{
    uint32_t id = wr_sm_id(sm);

    switch (s->policy) {
    case IN_ORDER:
        return stream == wr_gpu_oldest_waiting(wr_sm_gpu(sm));
    case WHOLE_SM:
        return id >= s->first_sm[stream] && id < s->end_sm[stream];
    case WITHIN_SM:
        return tbs_of(sm, stream) < s->most_tbs[stream];
    default:
        return true;
    }
}

static uint32_t on_choose_launch(void *self, wr_sm *sm, const uint32_t *streams, uint32_t count)
{
    sharing *s = self;

    for (uint32_t i = 0; i < count; i++) {
        if (may(s, sm, streams[i])) {
            s->placed[streams[i]]++;
            return streams[i];
        }
    }
    return UINT32_MAX;
}

static bool read_shares(sharing *s, const char *text, char *err, size_t err_size)
{
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        s->share[i] = 1;
    }
    for (uint32_t i = 0; *text != '\0'; i++) {
        char *end;
        unsigned long value = strtoul(text, &end, 10);

        if (i == WR_MAX_STREAMS || text[0] < '0' || text[0] > '9' || value == 0 ||
            value > MAX_SHARE || (*end != ':' && *end != '\0') || (*end == ':' && end[1] == '\0')) {
            (void)snprintf(err, err_size,
                           "system sharing: shares are up to %d numbers from 1 to %d with : "
                           "between them, as in 2:1",
                           WR_MAX_STREAMS, MAX_SHARE);
            return false;
        }
        s->share[i] = (uint32_t)value;
        text = *end == ':' ? end + 1 : end;
    }
    return true;
}

static wr_system *create(const wr_gpu_config *cfg, const char *const *values, char *err,
                         size_t err_size)
{
    sharing *s = calloc(1, sizeof *s);

    if (!s) {
        (void)snprintf(err, err_size, "out of memory");
        return NULL;
    }
    s->base.type = &wr_sharing_type;
    s->base.hooks = (wr_system_hooks){.self = s,
                                      .choose_launch = on_choose_launch,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end};
    s->sms = cfg->sms;
    while (s->policy < POLICIES && strcmp(values[OPT_POLICY], policy_names[s->policy]) != 0) {
        s->policy++;
    }
    if (s->policy == POLICIES) {
        (void)snprintf(err, err_size,
                       "system sharing: policy=%s is not leftover, in_order, whole_sm or within_sm",
                       values[OPT_POLICY]);
        free(s);
        return NULL;
    }
    if (!read_shares(s, values[OPT_SHARES], err, err_size)) {
        free(s);
        return NULL;
    }
    return &s->base;
}

static void destroy(wr_system *system)
{
    free(system);
}

static bool finish(wr_system *system, char *err, size_t err_size)
{
    (void)system;
    (void)err;
    (void)err_size;
    return true;
}

/* It has no blocks. */
static wr_fst *wave(const wr_system *system)
{
    (void)system;
    return NULL;
}

static void rows(const wr_system *system, wr_system_row_fn fn, void *arg)
{
    const sharing *s = (const sharing *)system;

    fn(arg, &(wr_system_row){.name = "policy",
                             .kind = WR_ROW_TEXT,
                             .text = policy_names[s->policy],
                             .unit = "",
                             .source = ""});
    fn(arg, &(wr_system_row){.name = "parts.drawn",
                             .kind = WR_ROW_COUNT,
                             .count = s->drawn,
                             .unit = "",
                             .source = ""});
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];

        if (s->placed[i] == 0) {
            continue;
        }
        (void)snprintf(name, sizeof name, "stream%u.tbs", i);
        fn(arg, &(wr_system_row){.name = name,
                                 .kind = WR_ROW_COUNT,
                                 .count = s->placed[i],
                                 .unit = "",
                                 .source = ""});
    }
}

static void print(const wr_system *system, FILE *out)
{
    const sharing *s = (const sharing *)system;

    (void)fprintf(out, "Sharing of SMs: %s, parts drawn %llu times\n", policy_names[s->policy],
                  (unsigned long long)s->drawn);
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        if (s->placed[i] != 0) {
            (void)fprintf(out, "  stream %u of the file: share %u, %llu TBs placed\n", i,
                          s->share[i], (unsigned long long)s->placed[i]);
        }
    }
}

const wr_system_type wr_sharing_type = {
    .name = "sharing",
    .summary = "shares SMs among launches of several streams, whole or from within",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .destroy = destroy,
    .finish = finish,
    .print = print,
    .rows = rows,
    .wave = wave,
};
