/* SPDX-License-Identifier: Apache-2.0 */
/* How launches of several streams share the SMs: policies of the dispatcher.
 *
 *   leftover    an SM's next TB is of the oldest launch whose next one fits: the dispatcher's way
 *   in_order    a launch's TBs are placed once all of the older launches' are
 *   within_sm   every SM is parted: of its TB slots, warps, registers and shared memory a stream
 *               gets its share, so as many TBs as an SM of that size would hold, but one at least
 *
 * Parts are drawn anew when a launch begins or ends, among the streams that then have one in
 * flight, by their shares; TBs that are placed stay where they are until they end. What a policy
 * forbids it closes (launch.h), so that it holds beside other systems.
 */
#include "systems/sharing/sharing.h"

#include "shell/core/seam/launch.h"
#include "systems/frame/shares.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum policy { LEFTOVER, IN_ORDER, WITHIN_SM } policy;

static const char *const policies[] = {
    [LEFTOVER] = "leftover", [IN_ORDER] = "in_order", [WITHIN_SM] = "within_sm", NULL};

enum { OPT_POLICY, OPT_SHARES, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_POLICY] = {.name = "policy",
                    .kind = WR_OPTION_CHOICE,
                    .words = policies,
                    .preset = "within_sm",
                    .doc = "which launch an SM's next TB is of"},
    [OPT_SHARES] = WR_SHARES_ROW,
};

typedef struct sharing {
    wr_system base;
    policy policy;
    wr_owner owner;
    uint32_t share[WR_MAX_STREAMS];
    uint32_t most_tbs[WR_MAX_STREAMS]; /* within_sm: on one SM */
    uint32_t first;                    /* in_order: the stream whose turn it is */
    uint64_t drawn;                    /* how often parts were drawn */
    uint64_t placed[WR_MAX_STREAMS];   /* TBs */
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

/* What the policy forbids on this SM now. */
static void close_sm(const sharing *s, wr_sm *sm)
{
    uint32_t closed = 0;

    if (s->policy == IN_ORDER && s->first != UINT32_MAX) {
        closed = ~(1u << s->first);
    }
    for (uint32_t i = 0; s->policy == WITHIN_SM && i < WR_MAX_STREAMS; i++) {
        bool parted = wr_gpu_launch(wr_sm_gpu(sm), i) != NULL;

        closed |= parted && wr_sm_tb_count(sm, 1u << i) >= s->most_tbs[i] ? 1u << i : 0;
    }
    wr_sm_close(sm, s->owner, closed);
}

static void close_all(sharing *s, wr_gpu *gpu)
{
    s->first = wr_gpu_oldest_waiting(gpu);
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        close_sm(s, wr_gpu_sm(gpu, i));
    }
}

static void draw_parts(sharing *s, wr_gpu *gpu)
{
    uint32_t total = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        total += wr_gpu_launch(gpu, i) ? s->share[i] : 0;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        const wr_launch *launch = wr_gpu_launch(gpu, i);

        s->most_tbs[i] = launch ? part_of_sm(gpu, launch, s->share[i], total) : 0;
    }
    s->drawn++;
    close_all(s, gpu);
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

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    sharing *s = self;

    s->placed[wr_sm_tb(sm, tb_slot).stream]++;
    if (s->policy == WITHIN_SM) {
        close_sm(s, sm);
    } else if (s->policy == IN_ORDER && wr_gpu_oldest_waiting(wr_sm_gpu(sm)) != s->first) {
        close_all(s, wr_sm_gpu(sm));
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    (void)tb_slot;
    (void)stream;
    close_sm(self, sm);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_option_value *shares = &setup->values[OPT_SHARES];
    sharing *s = wr_system_alloc(sizeof *s, err, err_size);

    if (!s) {
        return NULL;
    }
    s->base.hooks = (wr_system_hooks){.self = s,
                                      .tb_placed = on_tb_placed,
                                      .tb_done = on_tb_done,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end};
    s->owner = setup->owner;
    s->policy = (policy)setup->values[OPT_POLICY].word;
    if (!wr_shares_read(setup, "sharing", shares, s->share, err, err_size)) {
        free(s);
        return NULL;
    }
    return &s->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const sharing *s = (const sharing *)system;

    wr_report_section(r, "", "Sharing of SMs");
    (void)wr_report_text(r, "policy", "policy", policies[s->policy]);
    (void)wr_report_count(r, "parts.drawn", "parts drawn, times", s->drawn, "");
    wr_report_section(r, "", "TBs of the streams, in the order of the file");
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];
        char label[32];

        if (s->placed[i] == 0) {
            continue;
        }
        (void)snprintf(label, sizeof label, "stream %u", i);
        (void)snprintf(name, sizeof name, "stream%u.share", i);
        wr_report_count(r, name, label, s->share[i], "")->column = "share";
        (void)snprintf(name, sizeof name, "stream%u.tbs", i);
        wr_report_count(r, name, label, s->placed[i], "")->column = "placed";
    }
}

const wr_system_type wr_sharing_type = {
    .name = "sharing",
    .summary = "shares SMs among launches of several streams",
    .paper = "",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
