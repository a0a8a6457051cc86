/* SPDX-License-Identifier: Apache-2.0 */
/* HAWS: warps that wait for memory run ahead on hints (Gong 5).
 *
 *   compiler: hints ------------------------------------+
 *   SM: warp stalls, wakes -> flags -> [haws_unit] <- decoded instruction, lanes
 *   spare issue slot <- instruction, renamed <-+  |
 *   warp back in order: PC ----------------------> check -> go | wait | skip | copy | execute again
 *
 * The block haws_unit of each SM, or of each of its schedulers, decides: whose turn it is, what may
 * issue ahead and under which registers, and what becomes of an instruction when its warp comes to
 * it. This file gives it the SM's events, and issues what it offers in slots that no warp in order
 * can use. A warp back in order that holds entries issues one instruction at a time, each after the
 * unit has looked at its PC.
 *
 * Spare registers are those that change nothing of how many TBs an SM holds; a TB is charged with
 * them.
 */
#include "systems/haws/haws.h"

#include "shell/core/seam/launch.h"
#include "shell/core/seam/warp.h"
#include "systems/haws/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_ENTRIES, OPT_RENAMING, OPT_BARRIERS, OPT_PER_SCHEDULER, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_ENTRIES] = {.name = "entries",
                     .kind = WR_OPTION_NUMBER,
                     .min = 0,
                     .max = WR_HAWS_ENTRIES,
                     .preset = "8",
                     .unit = "instructions",
                     .doc = "that a warp can have executed ahead; 0 = no hints, 1 is taken as 2"},
    [OPT_RENAMING] = {.name = "renaming",
                      .kind = WR_OPTION_NUMBER,
                      .max = 32,
                      .preset = "8",
                      .unit = "registers",
                      .doc =
                          "of a thread at most that serve for renaming, as far as they leave the "
                          "number of TBs on an SM as it is"},
    [OPT_BARRIERS] = {.name = "barriers",
                      .kind = WR_OPTION_FLAG,
                      .preset = "0",
                      .doc = "1 = chains go on behind barriers, without loads there; not beside a "
                             "system that stops TBs"},
    [OPT_PER_SCHEDULER] = {.name = "per_scheduler",
                           .kind = WR_OPTION_FLAG,
                           .preset = "0",
                           .doc = "1 = each scheduler has a unit for its warps, with turns and "
                                  "looks of its own; 0 = one for the SM"},
};

static const char *const blocks[] = {"haws_unit", NULL};

static wr_haws_kernel *make(wr_haws *h, const wr_kernel *kernel, uint32_t limit)
{
    const wr_hint_rules rules = {.entries = (uint32_t)h->option[OPT_ENTRIES].number,
                                 .registers = limit,
                                 .across_barriers = h->option[OPT_BARRIERS].number != 0};
    wr_haws_kernel *k = malloc(sizeof *k);

    if (k == NULL || !wr_hints_make(kernel, &rules, &k->hints)) {
        free(k);
        return NULL;
    }
    k->kernel = kernel;
    k->limit = limit;
    k->next = h->kernels;
    h->kernels = k;
    return k;
}

static uint32_t on_registers(void *self, uint32_t stream, const wr_launch *launch, uint32_t least)
{
    wr_haws *h = self;
    const uint32_t limit =
        wr_gpu_registers_to_spare(&h->cfg, launch, least, (uint32_t)h->option[OPT_RENAMING].number);
    wr_haws_kernel *k = h->kernels;

    while (k != NULL && (k->kernel != launch->kernel || k->limit != limit)) {
        k = k->next;
    }
    k = k != NULL ? k : make(h, launch->kernel, limit);
    h->of_stream[stream] = k;
    return k != NULL && k->hints.registers > least ? k->hints.registers : least;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_haws *h = self;

    (void)launch;
    h->gpu = gpu;
    if (h->of_stream[stream] == NULL) {
        wr_gpu_refuse(gpu, "system haws: out of memory");
    }
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    const wr_haws *h = self;
    wr_haws_sm *s = &h->sm[wr_sm_id(sm)];
    const uint64_t bit = UINT64_C(1) << warp;

    if (why == WR_WAIT_BARRIER || why == WR_WAIT_MEMBAR) {
        s->apart |= bit;
        return;
    }
    const wr_warp_at at = wr_sm_warp_at(sm, warp);
    const wr_haws_kernel *k = h->of_stream[at.stream];
    const uint32_t word = why == WR_WAIT_MEMORY ? k->hints.words[at.insn] : 0;

    if ((word & WR_HINT_VALID) != 0 && (word & WR_HINT_STALL) != 0 &&
        k->kernel->insns[at.insn].op != WR_OP_BRA) {
        s->kernel[warp] = k;
        s->stalled |= bit;
        s->noted = true;
        s->counts.stalls++;
    }
}

/* The unit is to look at the warp's PC before it issues again. */
static void look_again(const wr_haws *h, wr_haws_sm *s, wr_sm *sm, uint32_t warp)
{
    const uint64_t bit = UINT64_C(1) << warp;

    s->go &= ~bit;
    s->check |= bit;
    s->noted = true;
    wr_haws_hold(h, s, sm);
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    const wr_haws *h = self;
    wr_haws_sm *s = &h->sm[wr_sm_id(sm)];
    const uint64_t bit = UINT64_C(1) << warp;
    const bool moves = (s->apart & bit) != 0;

    if ((s->stalled & bit) != 0) {
        s->stalled &= ~bit;
        s->woke |= bit;
        s->noted = true;
    }
    s->apart &= ~bit;
    if ((s->holds & ~(s->waits | s->copies) & bit) != 0 && (moves || (s->go & bit) == 0)) {
        look_again(h, s, sm, warp);
    }
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    const wr_haws *h = self;
    wr_haws_sm *s = &h->sm[wr_sm_id(sm)];

    (void)lanes;
    if ((s->holds >> warp & 1) != 0) {
        look_again(h, s, sm, warp);
    }
}

static void on_left(void *self, wr_sm *sm, uint64_t warps)
{
    const wr_haws *h = self;
    wr_haws_sm *s = &h->sm[wr_sm_id(sm)];

    s->stalled &= ~warps;
    s->apart &= ~warps;
    s->go &= ~warps;
    s->check &= ~warps;
    s->waits &= ~warps;
    s->copies &= ~warps;
    s->left |= warps;
    s->noted = true;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        s->kernel[__builtin_ctzll(left)] = NULL;
    }
}

static wr_spare copy(wr_haws_sm *s, wr_sm *sm, uint64_t warps)
{
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        const uint32_t warp = (uint32_t)__builtin_ctzll(left);

        if (wr_sm_copy(sm, warp, s->copy_to[warp], s->copy_from[warp]) == WR_CURSOR_ISSUED) {
            s->copies &= ~(UINT64_C(1) << warp);
            s->counts.copied++;
            s->noted = true; /* the unit looks at the PC behind it */
            return WR_SPARE_CURSOR;
        }
    }
    return WR_SPARE_FREE;
}

/* The unit says only in the next cycle that it holds something of this warp, too. */
static void keep_going(const wr_haws_sm *s, wr_sm *sm, wr_owner owner, uint32_t warp)
{
    wr_sm_keep_going(sm, owner, s->holds | s->copies | UINT64_C(1) << warp);
}

/* What the unit offers. */
static wr_spare issue(wr_haws_sm *s, wr_haws_place *p, wr_sm *sm, wr_owner owner, uint32_t warp)
{
    const wr_haws_unit_out *o = &p->out;
    const wr_insn *i = &s->kernel[warp]->kernel->insns[o->issue_pc];

    if (o->issue_control) {
        keep_going(s, sm, owner, warp);
        p->took = s->noted = true;
        s->counts.branches++;
        return WR_SPARE_CURSOR;
    }
    const wr_ahead ahead = {.insn = o->issue_pc,
                            .lanes = (uint32_t)o->issue_lanes,
                            .dst = o->issue_renamed,
                            .src = {o->issue_src[0], o->issue_src[1], o->issue_src[2]}};

    if (wr_sm_ahead_issue(sm, warp, &ahead) != WR_CURSOR_ISSUED) {
        return WR_SPARE_FREE;
    }
    keep_going(s, sm, owner, warp);
    p->took = s->noted = true;
    s->counts.ahead++;
    s->counts.loads += i->op == WR_OP_LD;
    p->flying[p->flying_count++] =
        (wr_haws_flying){.warp = (uint8_t)warp,
                         .id = o->issue_id,
                         .row = i->dst_regs != 0 ? o->issue_renamed : WR_ISA_RZ,
                         .pred = i->pd};
    return WR_SPARE_ISSUED;
}

static wr_spare on_spare_slot(void *self, wr_sm *sm, uint32_t scheduler)
{
    const wr_haws *h = self;
    wr_haws_sm *s = &h->sm[wr_sm_id(sm)];
    wr_haws_place *p = &s->place[scheduler % h->units];
    const uint64_t own = wr_sm_scheduler_warps(sm, scheduler);
    const uint32_t warp = p->out.issue_warp * h->units + p->index;
    wr_spare use = (s->copies & own) != 0 ? copy(s, sm, s->copies & own) : WR_SPARE_FREE;

    if (use == WR_SPARE_FREE && p->out.issue && !p->took &&
        (own & s->stalled & ~s->woke) >> warp & 1) {
        use = issue(s, p, sm, h->owner, warp);
    }
    return use;
}

static bool has_work(const wr_haws *h, const wr_haws_sm *s)
{
    bool flying = false;

    for (uint32_t i = 0; i < h->units; i++) {
        flying |= s->place[i].flying_count != 0;
    }
    return flying || wr_haws_works(h, s);
}

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_haws *h = self;

    (void)gpu;
    h->busy = false;
    for (uint32_t id = 0; id < h->sms; id++) {
        if (has_work(h, &h->sm[id])) {
            h->busy |= wr_haws_step(h, id);
        }
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return ((const wr_haws *)self)->busy ? now + 1 : UINT64_MAX;
}

static void destroy(wr_system *system)
{
    wr_haws *h = (wr_haws *)system;

    for (uint32_t i = 0; h->sm != NULL && i < h->sms * h->units; i++) {
        wr_haws_place *p = &h->sm[i / h->units].place[i % h->units];

        if (p->open) {
            wr_haws_unit_port_close(&p->port);
        }
    }
    while (h->kernels != NULL) {
        wr_haws_kernel *k = h->kernels;

        h->kernels = k->next;
        free(k->hints.words);
        free(k);
    }
    free(h->sm);
    free(h);
}

static bool open_units(wr_haws *h, const wr_system_setup *setup, char *err, size_t err_size)
{
    const uint32_t entries = (uint32_t)h->option[OPT_ENTRIES].number;
    const uint32_t warps = (h->cfg.sm.max_warps + h->units - 1) / h->units;
    const wr_haws_unit_cfg cfg = {.warps = warps > 2 ? warps : 2,
                                  .entries = entries > 2 ? entries : 2,
                                  .srcs = 4,
                                  .offset_w = 9,
                                  .branch_w = 11,
                                  .special_base = WR_HINT_SPECIAL,
                                  .lanes = 64};

    for (uint32_t i = 0; i < h->sms * h->units; i++) {
        const uint32_t id = i / h->units;
        wr_haws_place *p = &h->sm[id].place[i % h->units];
        char name[24];

        p->index = i % h->units;
        for (uint32_t w = p->index; w < h->cfg.sm.max_warps; w += h->units) {
            p->warps |= UINT64_C(1) << w;
        }
        p->open =
            wr_haws_unit_port_open_behind(&p->port, wr_bay_behind(setup->bay), &cfg, err, err_size);
        if (!p->open) {
            return false;
        }
        wr_haws_unit_port_reset(&p->port);
        (void)snprintf(name, sizeof name, h->units > 1 ? "sm%u_%u" : "sm%u", id, p->index);
        p->unit = wr_bay_add_unit(h->bay, name, WR_BAY_FREE);
        wr_bay_add_port(h->bay, p->unit, &p->port.port, &p->last);
        wr_haws_add_signals(h, &h->sm[id], p);
    }
    return true;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    wr_haws *h = wr_system_alloc(sizeof *h, err, err_size);

    if (h == NULL) {
        return NULL;
    }
    h->owner = setup->owner;
    h->bay = setup->bay;
    h->option = setup->values;
    h->cfg = *setup->cfg;
    h->sms = setup->cfg->sms;
    h->units = h->option[OPT_PER_SCHEDULER].number != 0 ? h->cfg.sm.schedulers : 1;
    h->sm = wr_system_alloc(sizeof *h->sm * h->sms, err, err_size);
    if (h->sm == NULL || !open_units(h, setup, err, err_size)) {
        destroy(&h->base);
        return NULL;
    }
    if (h->option[OPT_ENTRIES].number != 0) {
        h->base.hooks = (wr_system_hooks){.self = h,
                                          .registers = on_registers,
                                          .launch_begin = on_launch_begin,
                                          .warp_stalled = on_stalled,
                                          .warp_woken = on_woken,
                                          .warp_issued = on_issued,
                                          .warps_left = on_left,
                                          .spare_slot = on_spare_slot,
                                          .gpu_cycle = on_gpu_cycle,
                                          .next_cycle = on_next_cycle};
    }
    return &h->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_haws *h = (const wr_haws *)system;
    wr_haws_counts c = {0};

    for (uint32_t id = 0; id < h->sms; id++) {
        const wr_haws_counts *n = &h->sm[id].counts;

        c.stalls += n->stalls;
        c.chains += n->chains;
        c.ahead += n->ahead;
        c.loads += n->loads;
        c.branches += n->branches;
        c.skipped += n->skipped;
        c.copied += n->copied;
        c.again += n->again;
        c.waits += n->waits;
        c.cleared += n->cleared;
    }
    wr_report_section(r, "", "Hint mode");
    (void)wr_report_count(r, "stalls", "waits for memory at a stall point with a chain", c.stalls,
                          "");
    (void)wr_report_count(r, "chains", "of them in hint mode", c.chains, "");
    (void)wr_report_count(r, "ahead", "instructions ahead", c.ahead, "");
    (void)wr_report_count(r, "loads", "of them loads", c.loads, "");
    (void)wr_report_real(r, "mean", "instructions ahead, of a chain",
                         (double)c.ahead / (double)(c.chains ? c.chains : 1), "instructions");
    (void)wr_report_count(r, "branches", "branches ahead", c.branches, "");
    (void)wr_report_count(r, "skipped", "passed over in order", c.skipped, "");
    (void)wr_report_count(r, "copied", "copied to their register", c.copied, "");
    (void)wr_report_count(r, "again", "branches executed again", c.again, "");
    (void)wr_report_count(r, "waits", "waits of a warp in order for an instruction ahead", c.waits,
                          "");
    (void)wr_report_count(r, "cleared", "warps that left with instructions ahead", c.cleared, "");
}

const wr_system_type wr_haws_type = {
    .name = "haws",
    .summary = "warps that wait for memory run ahead on the compiler's hints",
    .paper = "Gong 5",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .not_with = "duet, preexecution, virtual_thread, warp_swap, run_ahead",
    .create = create,
    .destroy = destroy,
    .report = report,
};
