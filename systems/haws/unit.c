/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of an SM's haws_unit: what it is asked and told, and what comes of it. */
#include "shell/core/seam/warp.h"
#include "systems/haws/state.h"

#include <assert.h>
#include <stdio.h>

#define NOWHERE UINT32_MAX

static uint64_t mask_of(const bool *flags)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < WR_CONFIG_MAX_WARPS; i++) {
        mask |= (uint64_t)flags[i] << i;
    }
    return mask;
}

static uint32_t lowest(uint64_t warps)
{
    return (uint32_t)__builtin_ctzll(warps);
}

enum { SHOWN_NONE, SHOWN_WAITS, SHOWN_HINT, SHOWN_AHEAD, SHOWN_BACK };
static const char *const shown[] = {"none", "waits", "hint", "ahead", "back"};

void wr_haws_add_signals(const wr_haws *h, wr_haws_sm *s)
{
    for (uint32_t w = 0; w < h->cfg.sm.max_warps; w++) {
        char name[16];

        (void)snprintf(name, sizeof name, "warp%02u", w);
        s->signal[w] =
            wr_bay_add_signal(h->bay, s->unit, name, 3, shown, sizeof shown / sizeof shown[0]);
    }
}

/* Back is who is in order and holds entries; ahead, who issued an instruction of its chain. */
static void show(const wr_haws *h, const wr_haws_sm *s)
{
    for (uint32_t w = 0; w < h->cfg.sm.max_warps; w++) {
        const uint64_t bit = UINT64_C(1) << w;

        wr_bay_set(h->bay, s->signal[w],
                   s->took && s->out.issue_warp == w ? SHOWN_AHEAD
                   : (s->stalled & bit) == 0 ? (s->holds & bit) != 0 ? SHOWN_BACK : SHOWN_NONE
                   : s->out.hint[w]          ? SHOWN_HINT
                                             : SHOWN_WAITS);
    }
}

void wr_haws_hold(const wr_haws *h, const wr_haws_sm *s, wr_sm *sm)
{
    wr_sm_hold(sm, h->owner, (s->holds & ~(s->go | s->stalled)) | s->copies);
}

/* A byte address as an index; NOWHERE: none. */
static uint32_t index_of(const wr_kernel *k, uint32_t pc)
{
    return pc == UINT32_MAX         ? NOWHERE
           : pc / 8 < k->word_count ? k->insn_at[pc / 8]
                                    : (uint32_t)k->insn_count;
}

static void offer_branch(const wr_sm *sm, uint32_t warp, const wr_kernel *k, wr_haws_unit_in *in)
{
    const wr_insn *i = &k->insns[in->pc];
    uint32_t taken;

    in->branch = true;
    in->decode = wr_sm_guard(sm, warp, in->pc, UINT32_MAX, &taken);
    in->mask = taken;
    in->target = index_of(k, i->target);
    in->rpc = index_of(k, i->reconv);
}

/* The instruction that the unit asks for, as decode has it. */
static void offer(const wr_haws_sm *s, const wr_sm *sm, uint64_t stalled, wr_haws_unit_in *in)
{
    const uint32_t warp = s->out.serve_warp;

    if (!s->out.serve || (stalled >> warp & 1) == 0 || s->kernel[warp] == NULL) {
        return;
    }
    const wr_kernel *k = s->kernel[warp]->kernel;
    const wr_warp_at at = wr_sm_warp_at(sm, warp);

    in->decode = true;
    in->pc = s->out.serve_entry ? at.insn : s->out.serve_pc;
    in->hint = s->kernel[warp]->hints.words[in->pc];
    if (s->out.serve_entry) {
        in->mask = at.lanes;
        in->rpc = index_of(k, at.reconv);
        return;
    }
    const wr_insn *i = &k->insns[in->pc];

    if (i->op == WR_OP_BRA) {
        offer_branch(sm, warp, k, in);
        return;
    }
    in->dst = i->dst_regs != 0 ? i->dst : (uint8_t)(WR_HINT_SPECIAL + i->pd);
    for (uint32_t n = 0; n < 3; n++) {
        in->src[n] = i->src[n];
        in->src_used[n] = i->src_regs[n] == 1;
    }
    in->src[3] = (uint8_t)(WR_HINT_SPECIAL + i->guard);
    in->src_used[3] = i->guard != WR_ISA_PT;
}

/* An instruction ahead that has ended; none of the last `fresh`, which are no entries yet. */
static void finish(wr_haws_sm *s, const wr_sm *sm, uint32_t fresh, wr_haws_unit_in *in)
{
    for (uint32_t n = 0; n + fresh < s->flying_count; n++) {
        const wr_haws_flying f = s->flying[n];

        if (!wr_sm_awaits(sm, f.warp, f.row, f.pred)) {
            in->done = true;
            in->done_warp = f.warp;
            in->done_id = f.id;
            s->flying[n] = s->flying[--s->flying_count];
            s->waits &= ~(UINT64_C(1) << f.warp);
            return;
        }
    }
}

/* A warp that has left with something held of it. */
static void clear(wr_haws_sm *s, wr_haws_unit_in *in)
{
    uint64_t known = s->holds | s->told | mask_of(s->out.hint);

    known |= s->out.issue ? UINT64_C(1) << s->out.issue_warp : 0;
    s->left &= known;
    if (s->left == 0) {
        return;
    }
    in->clear = true;
    in->clear_warp = (uint8_t)lowest(s->left);
    s->left &= s->left - 1;
    s->counts.cleared += s->holds >> in->clear_warp & 1;
    for (uint32_t n = 0; n < s->flying_count;) {
        if (s->flying[n].warp == in->clear_warp) {
            s->flying[n] = s->flying[--s->flying_count];
        } else {
            n++;
        }
    }
}

/* What a warp in order does at its PC. */
static void act(wr_haws_sm *s, wr_sm *sm, const wr_haws_unit_in *in)
{
    const uint32_t warp = in->check_warp;
    const uint64_t bit = UINT64_C(1) << warp;

    switch ((wr_haws_action)s->last.action) {
    case WR_HAWS_BRANCH:
        s->counts.again++;
        s->go |= bit;
        break;
    case WR_HAWS_NORMAL:
        s->go |= bit;
        break;
    case WR_HAWS_WAIT:
        s->counts.waits++;
        if (in->done && in->done_warp == warp) {
            return; /* it may have been this one */
        }
        s->waits |= bit;
        break;
    case WR_HAWS_COPY:
        s->copies |= bit;
        s->copy_to[warp] = s->last.copy_to;
        s->copy_from[warp] = s->last.copy_from;
        break;
    case WR_HAWS_SKIP:
        s->counts.skipped++;
        wr_sm_pass(sm, warp);
        return; /* and look at what comes then */
    }
    s->check &= ~bit;
}

/* Which warps hold entries now, and what those back in order wait for. */
static void settle(const wr_haws *h, wr_haws_sm *s, wr_sm *sm)
{
    s->holds = mask_of(s->out.holds);
    s->back = (s->back | ~s->told) & s->holds;
    s->go &= s->holds;
    s->waits &= s->holds;
    s->check &= s->holds;
    s->check |= s->holds & ~(s->stalled | s->go | s->waits | s->copies | s->left);
    wr_haws_hold(h, s, sm);
    wr_sm_keep_going(sm, h->owner, s->holds | s->copies);
    wr_sm_use_spare_slots(sm, h->owner, s->out.issue || s->copies != 0);
}

void wr_haws_step(wr_haws *h, uint32_t id)
{
    wr_haws_sm *s = &h->sm[id];
    wr_sm *sm = wr_gpu_sm(h->gpu, id);
    wr_haws_unit_in in = {.take = s->took};
    const wr_haws_unit_in none = {0};
    const uint64_t ready = s->check & s->back & ~s->left;
    const uint32_t fresh = s->took && !s->out.issue_control ? 1 : 0;
    const uint64_t stalled = s->stalled & ~s->woke;
    const uint64_t hinted = mask_of(s->out.hint);
    char text[512];

    if (wr_bay_begin(h->bay, s->unit, wr_gpu_cycle(h->gpu))) {
        show(h, s);
    }
    s->noted = (s->stalled & s->woke) != 0;
    s->took = false;
    s->woke = 0;
    for (uint32_t i = 0; i < WR_CONFIG_MAX_WARPS; i++) {
        in.stalled[i] = (stalled >> i & 1) != 0;
    }
    clear(s, &in);
    offer(s, sm, stalled, &in);
    finish(s, sm, fresh, &in);
    if (ready != 0) {
        in.check = true;
        in.check_warp = (uint8_t)lowest(ready);
        in.check_pc = wr_sm_warp_at(sm, in.check_warp).insn;
    }
    wr_haws_unit_port_eval(&s->port, &in, &s->last);
    wr_haws_unit_port_tick(&s->port, &in);
    (void)wr_bay_end(h->bay, s->unit);
    if (wr_bay_check(h->bay, s->unit, text, sizeof text)) {
        wr_gpu_abort(h->gpu, wr_bay_fail(h->bay, s->unit, text));
        return;
    }
    wr_haws_unit_port_eval(&s->port, &none, &s->out);
    s->told = stalled;
    if (in.check) {
        act(s, sm, &in);
    }
    s->counts.chains += (uint64_t)__builtin_popcountll(mask_of(s->out.hint) & ~hinted);
    s->noted |= s->left != 0;
    settle(h, s, sm);
}
