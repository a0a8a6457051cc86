/* SPDX-License-Identifier: Apache-2.0 */
/* Warp-level switching at no cost: the bound of what GPUDuet's can buy (Lin-D 3). Seam: identity.
 *
 * A warp that waits for memory leaves its slot and registers where TBs wait for room; once its
 * loads are back it takes the first room there is, the one that left first going first, and no TB
 * is placed before it has it. Where that needs room, warps at barriers leave too: those that they
 * wait for may be among the ones that want in. Nothing that moves takes time.
 */
#include "systems/warp_swap/warp_swap.h"

#include "systems/warp_swap/absent.h"

#include <stdlib.h>

enum { OPT_WARPS, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_WARPS] = {.name = "warps",
                   .kind = WR_OPTION_NUMBER,
                   .max = WR_CONFIG_MAX_WARPS + WR_MOST_AWAY,
                   .preset = "128",
                   .unit = "warps",
                   .doc = "of an SM at most, absent ones among them; 0 = none leaves"},
};

typedef struct sm_state {
    uint64_t waits[WR_WAIT_MEMBAR + 1]; /* slots of warps that wait, by reason */
    bool closed;                        /* to TBs: the room is for absent warps */
    wr_absents away;
} sm_state;

typedef struct warp_swap {
    wr_system base;
    wr_owner owner;
    uint32_t warps, sms;
    uint32_t fixed; /* streams whose warps stay: a barrier may write their registers */
    wr_absent *pool;
    sm_state sm[WR_CONFIG_MAX_SMS];
} warp_swap;

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    ((warp_swap *)self)->sm[wr_sm_id(sm)].waits[why] |= UINT64_C(1) << warp;
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    sm_state *s = &((warp_swap *)self)->sm[wr_sm_id(sm)];

    for (uint32_t why = 0; why <= WR_WAIT_MEMBAR; why++) {
        s->waits[why] &= ~(UINT64_C(1) << warp);
    }
}

/* A TB waits, and would not bring the SM too many warps. */
static bool may_grow(const warp_swap *w, const sm_state *s, const wr_sm *sm, wr_gpu *gpu)
{
    uint32_t stream = wr_gpu_oldest_waiting(gpu);
    uint32_t live = (uint32_t)__builtin_popcountll(wr_sm_live_warps(sm));

    return stream != UINT32_MAX && wr_sm_tb_count(sm, WR_ALL_STREAMS) < wr_sm_tb_slots(sm) &&
           live + s->away.count + wr_gpu_tb_needs(gpu, stream).threads / 32 <= w->warps;
}

/* Warps whose room somebody else wants. */
static uint64_t unwelcome(const warp_swap *w, const sm_state *s, wr_sm *sm, uint32_t kept_out)
{
    uint64_t warps = 0;

    if (kept_out != 0) {
        warps = s->waits[WR_WAIT_MEMORY] | s->waits[WR_WAIT_BARRIER];
    } else if (s->waits[WR_WAIT_MEMORY] != 0 && may_grow(w, s, sm, wr_sm_gpu(sm))) {
        warps = s->waits[WR_WAIT_MEMORY];
    }
    for (uint32_t i = 0; warps != 0 && i < WR_MAX_STREAMS; i++) {
        warps &= (w->fixed >> i & 1u) != 0 ? ~wr_sm_stream_warps(sm, i) : UINT64_MAX;
    }
    return warps;
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    warp_swap *w = self;
    sm_state *s = &w->sm[wr_sm_id(sm)];
    uint32_t kept_out = wr_absents_return(&s->away, sm);
    uint32_t wanted = kept_out != 0 ? kept_out : UINT32_MAX;
    uint64_t warps = unwelcome(w, s, sm, kept_out);

    if (warps != 0) {
        wr_sm_hold(sm, w->owner, warps);
        for (; warps != 0 && wanted != 0; warps &= warps - 1) {
            uint32_t warp = (uint32_t)__builtin_ctzll(warps);

            if (wr_sm_warp_may_leave(sm, warp)) {
                wr_absents_leave(&s->away, sm, warp);
                wanted--;
            }
        }
        wr_sm_hold(sm, w->owner, 0);
    }
    bool closed = kept_out != 0 || (s->away.count != 0 && !may_grow(w, s, sm, wr_sm_gpu(sm)));

    if (closed != s->closed) {
        wr_sm_close(sm, w->owner, closed ? WR_ALL_STREAMS : 0);
        s->closed = closed;
    }
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    warp_swap *w = self;
    bool reduces = false;

    for (size_t i = 0; i < launch->kernel->insn_count; i++) {
        const wr_insn *insn = &launch->kernel->insns[i];

        reduces |= insn->op == WR_OP_BAR && insn->mode >= WR_BAR_POPC;
    }
    w->fixed = (w->fixed & ~(1u << stream)) | (uint32_t)reduces << stream;
    for (uint32_t i = 0; i < w->sms; i++) {
        wr_sm_attend(wr_gpu_sm(gpu, i), w->owner, true);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    const warp_swap *w = self;

    (void)stream;
    for (uint32_t i = 0; wr_gpu_launches(gpu) == 0 && i < w->sms; i++) {
        wr_sm_attend(wr_gpu_sm(gpu, i), w->owner, false);
    }
}

static void destroy(wr_system *system)
{
    free(((warp_swap *)system)->pool);
    free(system);
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    warp_swap *w = wr_system_alloc(sizeof *w, err, err_size);

    if (!w) {
        return NULL;
    }
    w->owner = setup->owner;
    w->sms = setup->cfg->sms;
    w->warps = (uint32_t)setup->values[OPT_WARPS].number;
    w->pool = wr_system_alloc(sizeof *w->pool * w->sms * WR_MOST_AWAY, err, err_size);
    if (!w->pool) {
        free(w);
        return NULL;
    }
    for (uint32_t i = 0; i < w->sms * WR_MOST_AWAY; i++) {
        w->sm[i / WR_MOST_AWAY].away.queue[i % WR_MOST_AWAY] = &w->pool[i];
    }
    if (w->warps != 0) {
        w->base.hooks = (wr_system_hooks){.self = w,
                                          .launch_begin = on_launch_begin,
                                          .launch_end = on_launch_end,
                                          .warp_stalled = on_stalled,
                                          .warp_woken = on_woken,
                                          .sm_cycle = on_sm_cycle};
    }
    return &w->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const warp_swap *w = (const warp_swap *)system;
    wr_absents all = {0};

    for (uint32_t i = 0; i < w->sms; i++) {
        const wr_absents *a = &w->sm[i].away;

        all.left += a->left;
        all.cycles += a->cycles;
        all.most = a->most > all.most ? a->most : all.most;
    }
    wr_report_section(r, "", "Warps that left their slots while they waited");
    (void)wr_report_count(r, "left", "times", all.left, "");
    (void)wr_report_count(r, "away.most", "away from one SM, most", all.most, "warps");
    (void)wr_report_real(r, "away.mean", "away, mean",
                         (double)all.cycles / (double)(all.left ? all.left : 1), "cycles");
}

const wr_system_type wr_warp_swap_type = {
    .name = "warp_swap",
    .summary = "gives the room of warps that wait for memory to other TBs, at no cost",
    .paper = "Lin-D 3",
    .options = options,
    .option_count = OPT_NUMBER,
    .not_with = "preemption", /* an SM with absent warps has not room for all to stop */
    .create = create,
    .destroy = destroy,
    .report = report,
};
