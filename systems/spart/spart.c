/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial partitioning (Spart; SMK 2.3 compares with it): the SMs are parted among the streams that
 * have a launch in flight, by their shares; each SM runs TBs of one stream only. Seam: launch.
 *
 * Parts are drawn anew when a launch begins or ends. TBs on an SM that another stream gets stay
 * until they end, or are preempted (SMK 6.1): they come back on SMs of their own stream, before any
 * new TB of it. With more streams than SMs some have no SM of their own and wait.
 */
#include "systems/spart/spart.h"

#include "systems/frame/shares.h"
#include "systems/tb_queue/tb_queue.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum preempt { STAY, SAVE, IDEAL } preempt;

static const char *const preempts[] = {[STAY] = "no", [SAVE] = "save", [IDEAL] = "ideal", NULL};

enum { OPT_SHARES, OPT_PREEMPT, OPT_CONTEXT, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_SHARES] = WR_SHARES_ROW,
    [OPT_PREEMPT] = {.name = "preempt",
                     .kind = WR_OPTION_CHOICE,
                     .words = preempts,
                     .preset = "no",
                     .doc = "TBs on an SM that another stream gets: no, they stay; save, their "
                            "contexts go to memory; ideal, they leave at no cost"},
    [OPT_CONTEXT] = {.name = "context",
                     .kind = WR_OPTION_CHOICE,
                     .words = wr_context_kind_names,
                     .preset = "all",
                     .doc = "registers that are saved: all, live ones, or live ones compressed by "
                            "warp or tb"},
};

/* Those of the context engine, as its kind brings them. */
static const char *const blocks[] = {
    "liveness_decoder", "context_saver",    "tb_compressor",     "context_restorer",
    "reg_compressor",   "reg_decompressor", "context_sequencer", NULL};

typedef struct spart {
    wr_system base;
    wr_owner owner;
    wr_gpu *gpu;
    bool preempts;
    uint32_t share[WR_MAX_STREAMS];
    uint32_t sms[WR_MAX_STREAMS];       /* in the last parts that were drawn with it */
    uint32_t stream[WR_CONFIG_MAX_SMS]; /* whose the SM is */
    uint64_t placed[WR_MAX_STREAMS];
    uint64_t drawn;
    wr_tb_queue queue;
} spart;

/* TBs of other streams leave the SM. */
static void clear(spart *s, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);
    uint64_t out = 0;

    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) {
        wr_tb_info tb = wr_sm_tb(sm, slot);

        out |= (uint64_t)(tb.valid && tb.stream != s->stream[id] &&
                          wr_gpu_launch(s->gpu, tb.stream) != NULL)
               << slot;
    }
    wr_tb_queue_out(&s->queue, sm, out & ~wr_tb_queue_coming(&s->queue, id));
}

/* Its own TBs that wait come to the SM, as there is room. */
static void fill(spart *s, wr_sm *sm)
{
    uint32_t id = wr_sm_id(sm);
    uint32_t stream = s->stream[id];

    while (wr_tb_queue_sent(&s->queue, id) == 0 && wr_sm_tb_room(sm, stream, 0) &&
           wr_tb_queue_in(&s->queue, sm, stream, NULL)) {
    }
}

/* An SM is open to new TBs of its stream, once none of it waits to come back. */
static void settle(spart *s, wr_gpu *gpu)
{
    for (uint32_t id = 0; s->preempts && id < wr_gpu_sm_count(gpu); id++) {
        if (wr_gpu_launch(gpu, s->stream[id]) != NULL) {
            fill(s, wr_gpu_sm(gpu, id));
        }
    }
    for (uint32_t id = 0; id < wr_gpu_sm_count(gpu); id++) {
        uint32_t stream = s->stream[id];
        bool is_open =
            !s->preempts || wr_gpu_launch(gpu, stream) == NULL ||
            (wr_tb_queue_waiting(&s->queue, stream) == 0 && wr_tb_queue_sent(&s->queue, id) == 0 &&
             wr_tb_queue_may_begin(&s->queue, stream));

        wr_sm_close(wr_gpu_sm(gpu, id), s->owner,
                    is_open ? WR_ALL_STREAMS & ~(1u << stream) : WR_ALL_STREAMS);
    }
}

static void draw_parts(spart *s, wr_gpu *gpu)
{
    uint32_t count = wr_gpu_sm_count(gpu);
    uint32_t total = 0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        total += wr_gpu_launch(gpu, i) ? s->share[i] : 0;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        if (!wr_gpu_launch(gpu, i)) {
            continue;
        }
        uint32_t first = count * before / total;

        before += s->share[i];
        s->sms[i] = count * before / total - first;
        for (uint32_t sm = first; sm < first + s->sms[i]; sm++) {
            s->stream[sm] = i;
        }
    }
    s->drawn++;
    for (uint32_t id = 0; s->preempts && id < count; id++) {
        clear(s, wr_gpu_sm(gpu, id));
    }
    settle(s, gpu);
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    spart *s = self;

    s->gpu = gpu;
    if (!s->preempts || wr_tb_queue_launch_begin(&s->queue, gpu, stream, launch)) {
        draw_parts(s, gpu);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    spart *s = self;

    (void)stream;
    if (s->preempts) {
        wr_tb_queue_launch_end(&s->queue);
    }
    if (wr_gpu_launches(gpu) != 0) {
        draw_parts(s, gpu);
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    spart *s = self;

    uint32_t stream = wr_sm_tb(sm, tb_slot).stream;

    s->placed[stream]++;
    if (s->preempts && !wr_tb_queue_may_begin(&s->queue, stream)) {
        settle(s, s->gpu);
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    spart *s = self;

    (void)stream;
    if (s->preempts) {
        wr_tb_queue_tb_done(&s->queue, sm, tb_slot);
        settle(s, s->gpu);
    }
}

static void on_left(void *self, wr_sm *sm, uint32_t slot, const wr_tb_info *tb)
{
    spart *s = self;

    (void)sm;
    (void)slot;
    (void)tb;
    settle(s, s->gpu);
}

static void on_queued(void *self, const wr_tb_info *tb)
{
    spart *s = self;

    (void)tb;
    settle(s, s->gpu);
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    spart *s = self;

    wr_tb_queue_sm_cycle(&s->queue, sm);
}

static void destroy(wr_system *system)
{
    spart *s = (spart *)system;

    if (s->preempts) {
        wr_tb_queue_close(&s->queue);
    }
    free(s);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_option_value *shares = &setup->values[OPT_SHARES];
    preempt how = (preempt)setup->values[OPT_PREEMPT].word;
    spart *s = wr_system_alloc(sizeof *s, err, err_size);

    if (!s) {
        return NULL;
    }
    s->owner = setup->owner;
    s->preempts = how != STAY;
    if (!wr_shares_read(setup, "spart", shares, s->share, err, err_size)) {
        free(s);
        return NULL;
    }
    s->base.hooks = (wr_system_hooks){.self = s,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_placed = on_tb_placed,
                                      .tb_done = on_tb_done};
    if (s->preempts) {
        const wr_tb_queue_user user = {
            .self = s, .name = "spart", .left = on_left, .queued = on_queued, .placed = on_left};

        s->base.hooks.sm_cycle = on_sm_cycle;
        if (!wr_tb_queue_open(&s->queue, &user, setup,
                              (wr_context_kind)setup->values[OPT_CONTEXT].word, how == IDEAL, err,
                              err_size)) {
            destroy(&s->base);
            return NULL;
        }
    }
    return &s->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const spart *s = (const spart *)system;

    wr_report_section(r, "", "Spatial partitioning");
    (void)wr_report_count(r, "parts.drawn", "parts drawn, times", s->drawn, "");
    if (s->preempts) {
        wr_tb_queue_report(&s->queue, r);
    }
    wr_report_section(r, "", "Streams, in the order of the file");
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];
        char label[32];

        if (s->placed[i] == 0) {
            continue;
        }
        (void)snprintf(label, sizeof label, "stream %u", i);
        (void)snprintf(name, sizeof name, "stream%u.share", i);
        wr_report_count(r, name, label, s->share[i], "")->column = "share";
        (void)snprintf(name, sizeof name, "stream%u.sms", i);
        wr_report_count(r, name, label, s->sms[i], "")->column = "SMs";
        (void)snprintf(name, sizeof name, "stream%u.tbs", i);
        wr_report_count(r, name, label, s->placed[i], "")->column = "placed";
    }
}

const wr_system_type wr_spart_type = {
    .name = "spart",
    .summary = "parts the SMs among the streams, each SM for one",
    .paper = "SMK 2.3",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .not_with = "preemption, warp_swap", /* the context queue; TBs that are not whole */
    .create = create,
    .destroy = destroy,
    .report = report,
};
