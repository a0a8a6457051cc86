/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of an SM's haws_units: what they are asked and told, and what comes of it. */
#include "shell/core/seam/warp.h"
#include "systems/haws/state.h"

#include <assert.h>
#include <stdio.h>

#define NOWHERE UINT32_MAX

/* The SM's warp that is this one to the place, and the other way round. */
static uint32_t warp_at(const wr_haws *h, const wr_haws_place *p, uint32_t number)
{
    return number * h->units + p->index;
}

static uint8_t number_of(const wr_haws *h, uint32_t warp)
{
    return (uint8_t)(warp / h->units);
}

/* The warps that the place's flags name. */
static uint64_t mask_of(const wr_haws *h, const wr_haws_place *p, const bool *flags)
{
    uint64_t mask = 0;

    for (uint32_t w = p->index; w < WR_CONFIG_MAX_WARPS; w += h->units) {
        mask |= (uint64_t)flags[w / h->units] << w;
    }
    return mask;
}

static uint32_t lowest(uint64_t warps)
{
    return (uint32_t)__builtin_ctzll(warps);
}

enum { SHOWN_NONE, SHOWN_WAITS, SHOWN_HINT, SHOWN_AHEAD, SHOWN_BACK };
static const char *const shown[] = {"none", "waits", "hint", "ahead", "back"};

void wr_haws_add_signals(const wr_haws *h, wr_haws_sm *s, const wr_haws_place *p)
{
    for (uint32_t w = p->index; w < h->cfg.sm.max_warps; w += h->units) {
        char name[16];

        (void)snprintf(name, sizeof name, "warp%02u", w);
        s->signal[w] =
            wr_bay_add_signal(h->bay, p->unit, name, 3, shown, sizeof shown / sizeof shown[0]);
    }
}

/* Back is who is in order and holds entries; ahead, who issued an instruction of its chain. */
static void show(const wr_haws *h, const wr_haws_sm *s, const wr_haws_place *p)
{
    for (uint32_t w = p->index; w < h->cfg.sm.max_warps; w += h->units) {
        const uint64_t bit = UINT64_C(1) << w;

        wr_bay_set(h->bay, s->signal[w],
                   p->took && warp_at(h, p, p->out.issue_warp) == w ? SHOWN_AHEAD
                   : (s->stalled & bit) == 0      ? (s->holds & bit) != 0 ? SHOWN_BACK : SHOWN_NONE
                   : p->out.hint[number_of(h, w)] ? SHOWN_HINT
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
static void offer(const wr_haws *h, const wr_haws_sm *s, const wr_haws_place *p, const wr_sm *sm,
                  uint64_t stalled, wr_haws_unit_in *in)
{
    const uint32_t warp = warp_at(h, p, p->out.serve_warp);

    if (!p->out.serve || (stalled >> warp & 1) == 0 || s->kernel[warp] == NULL) {
        return;
    }
    const wr_kernel *k = s->kernel[warp]->kernel;
    const wr_warp_at at = wr_sm_warp_at(sm, warp);

    in->decode = true;
    in->pc = p->out.serve_entry ? at.insn : p->out.serve_pc;
    in->hint = s->kernel[warp]->hints.words[in->pc];
    if (p->out.serve_entry) {
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
static void finish(const wr_haws *h, wr_haws_sm *s, wr_haws_place *p, const wr_sm *sm,
                   uint32_t fresh, wr_haws_unit_in *in)
{
    for (uint32_t n = 0; n + fresh < p->flying_count; n++) {
        const wr_haws_flying f = p->flying[n];

        if (!wr_sm_awaits(sm, f.warp, f.row, f.pred)) {
            in->done = true;
            in->done_warp = number_of(h, f.warp);
            in->done_id = f.id;
            p->flying[n] = p->flying[--p->flying_count];
            s->waits &= ~(UINT64_C(1) << f.warp);
            return;
        }
    }
}

/* A warp that has left with something held of it. */
static void clear(const wr_haws *h, wr_haws_sm *s, wr_haws_place *p, wr_haws_unit_in *in)
{
    uint64_t known = s->holds | s->told | mask_of(h, p, p->out.hint);

    known |= p->out.issue ? UINT64_C(1) << warp_at(h, p, p->out.issue_warp) : 0;
    s->left &= known | ~p->warps;
    const uint64_t left = s->left & p->warps;

    if (left == 0) {
        return;
    }
    const uint32_t warp = lowest(left);

    in->clear = true;
    in->clear_warp = number_of(h, warp);
    s->left &= ~(UINT64_C(1) << warp);
    s->counts.cleared += s->holds >> warp & 1;
    for (uint32_t n = 0; n < p->flying_count;) {
        if (p->flying[n].warp == warp) {
            p->flying[n] = p->flying[--p->flying_count];
        } else {
            n++;
        }
    }
}

/* What a warp in order does at its PC; done: an entry of it has ended in this cycle. */
static void act(wr_haws_sm *s, const wr_haws_unit_out *last, wr_sm *sm, uint32_t warp, bool done)
{
    const uint64_t bit = UINT64_C(1) << warp;

    switch ((wr_haws_action)last->action) {
    case WR_HAWS_BRANCH:
        s->counts.again++;
        s->go |= bit;
        break;
    case WR_HAWS_NORMAL:
        s->go |= bit;
        break;
    case WR_HAWS_WAIT:
        s->counts.waits++;
        if (done) {
            return; /* it may have been the one that it waits for */
        }
        s->waits |= bit;
        break;
    case WR_HAWS_COPY:
        s->copies |= bit;
        s->copy_to[warp] = last->copy_to;
        s->copy_from[warp] = last->copy_from;
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
    uint64_t holds = 0;
    bool spare = s->copies != 0;

    for (uint32_t i = 0; i < h->units; i++) {
        holds |= mask_of(h, &s->place[i], s->place[i].out.holds);
        spare |= s->place[i].out.issue;
    }
    s->holds = holds;
    s->back = (s->back | ~s->told) & s->holds;
    s->go &= s->holds;
    s->waits &= s->holds;
    s->check &= s->holds;
    s->check |= s->holds & ~(s->stalled | s->go | s->waits | s->copies | s->left);
    wr_haws_hold(h, s, sm);
    wr_sm_keep_going(sm, h->owner, s->holds | s->copies);
    wr_sm_use_spare_slots(sm, h->owner, spare);
}

/* A cycle of a unit. False: it and its RTL differ. */
static bool step(wr_haws *h, wr_haws_sm *s, wr_haws_place *p, wr_sm *sm, uint64_t stalled)
{
    wr_haws_unit_in in = {.take = p->took};
    const wr_haws_unit_in none = {0};
    const uint64_t ready = s->check & s->back & ~s->left & p->warps;
    const uint32_t fresh = p->took && !p->out.issue_control ? 1 : 0;
    const uint64_t hinted = mask_of(h, p, p->out.hint);
    char text[512];

    if (wr_bay_begin(h->bay, p->unit, wr_gpu_cycle(h->gpu))) {
        show(h, s, p);
    }
    p->took = false;
    for (uint32_t w = p->index; w < WR_CONFIG_MAX_WARPS; w += h->units) {
        in.stalled[number_of(h, w)] = (stalled >> w & 1) != 0;
    }
    clear(h, s, p, &in);
    offer(h, s, p, sm, stalled, &in);
    finish(h, s, p, sm, fresh, &in);
    if (ready != 0) {
        in.check = true;
        in.check_warp = number_of(h, lowest(ready));
        in.check_pc = wr_sm_warp_at(sm, lowest(ready)).insn;
    }
    wr_haws_unit_port_eval(&p->port, &in, &p->last);
    wr_haws_unit_port_tick(&p->port, &in);
    (void)wr_bay_end(h->bay, p->unit);
    if (wr_bay_check(h->bay, p->unit, text, sizeof text)) {
        wr_gpu_abort(h->gpu, wr_bay_fail(h->bay, p->unit, text));
        return false;
    }
    wr_haws_unit_port_eval(&p->port, &none, &p->out);
    s->told = (s->told & ~p->warps) | (stalled & p->warps);
    if (in.check) {
        act(s, &p->last, sm, lowest(ready), in.done && in.done_warp == in.check_warp);
    }
    s->counts.chains += (uint64_t)__builtin_popcountll(mask_of(h, p, p->out.hint) & ~hinted);
    return true;
}

bool wr_haws_works(const wr_haws *h, const wr_haws_sm *s)
{
    bool works = s->noted || s->check != 0;

    for (uint32_t i = 0; i < h->units; i++) {
        works |= s->place[i].out.serve || s->place[i].out.issue;
    }
    return works;
}

bool wr_haws_step(wr_haws *h, uint32_t id)
{
    wr_haws_sm *s = &h->sm[id];
    wr_sm *sm = wr_gpu_sm(h->gpu, id);
    const uint64_t stalled = s->stalled & ~s->woke;

    s->noted = (s->stalled & s->woke) != 0;
    s->woke = 0;
    for (uint32_t i = 0; i < h->units; i++) {
        if (!step(h, s, &s->place[i], sm, stalled)) {
            return false;
        }
    }
    s->noted |= s->left != 0;
    settle(h, s, sm);
    return wr_haws_works(h, s);
}
