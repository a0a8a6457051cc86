/* SPDX-License-Identifier: Apache-2.0 */
/* GPUDuet (Lin-D 3.6): options, what is of the launch, events of the machine, the report.
 *
 * While no extra TB is allowed the dispatcher places TBs as it would without the system, and the
 * tables are empty: no cycle changes. Once the ME controller allows some, each SM's TBs are booked
 * into the tables, and its unit places TBs from then to the launch's end.
 */
#include "systems/duet/duet.h"

#include "systems/duet/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_ME,
    OPT_PORT,
    OPT_META,
    OPT_BARRIERS,
    OPT_AGE,
    OPT_SWITCH,
    OPT_WARMUP,
    OPT_WINDOW,
    OPT_NUMBER
};
enum { ME_DYNAMIC, ME_BOUND };

static const char *const me_words[] = {"dynamic", "bound", NULL};
static const char *const port_words[] = {"64", "128", "256", NULL};
static const char *const age_words[] = {"tb", "entry", NULL};
static const char *const switch_words[] = {"warp", "tb", NULL};
static const char *const barrier_words[] = {"leave", "stay", NULL};

static const wr_option options[OPT_NUMBER] = {
    [OPT_ME] = {.name = "me",
                .kind = WR_OPTION_NUMBER_OR_WORD,
                .max = 32,
                .words = me_words,
                .preset = "dynamic",
                .doc = "extra TBs of an SM: by verdicts of the monitor, as many as fit, or that "
                       "many at most; 0 = none (Lin-D 3.6.4, Fig. 3.12)"},
    [OPT_PORT] = {.name = "port",
                  .kind = WR_OPTION_CHOICE,
                  .words = port_words,
                  .preset = "128",
                  .unit = "bytes",
                  .doc = "of context that move in a cycle (Lin-D 3.6.7, Fig. 3.15)"},
    [OPT_META] = {.name = "meta",
                  .kind = WR_OPTION_NUMBER,
                  .min = 1,
                  .max = WR_DUET_META_LINES,
                  .preset = "2",
                  .unit = "lines of 128 bytes",
                  .doc = "of a warp's slot when it is switched out, ST of Eq. 3.2: a warp with a "
                         "deeper SIMT stack than they hold stays"},
    [OPT_BARRIERS] = {.name = "barriers",
                      .kind = WR_OPTION_CHOICE,
                      .words = barrier_words,
                      .preset = "leave",
                      .doc = "warps that wait at barriers may be switched out; where they stay, "
                             "kernels with barriers can deadlock (Lin-D 3.6.3)"},
    [OPT_AGE] = {.name = "age",
                 .kind = WR_OPTION_CHOICE,
                 .words = age_words,
                 .preset = "tb",
                 .doc = "of a warp that enters a slot, for gto: by its TB's number in the grid, or "
                        "as the youngest"},
    [OPT_SWITCH] = {.name = "switch",
                    .kind = WR_OPTION_CHOICE,
                    .words = switch_words,
                    .preset = "warp",
                    .doc = "where registers or warp slots limit: warps leave one by one, or when "
                           "all of their TB waits (GPUDuet_TB of Lin-D 3.7.2)"},
    [OPT_WARMUP] = WR_WATCH_WARMUP_OPTION,
    [OPT_WINDOW] = WR_WATCH_WINDOW_OPTION,
};

static const char *const blocks[] = {"gpuduet", "throughput_monitor", "utilisation_adder", NULL};

static const wr_system_need needs[] = {
    {{"sms", offsetof(wr_gpu_config, sms)}, 1, 32},
    {{"dram.channels", offsetof(wr_gpu_config, dram.channels)}, 1, 32},
    {{"sm.max_warps", offsetof(wr_gpu_config, sm.max_warps)}, 1, WR_DUET_SLOTS},
    {{"sm.max_tbs", offsetof(wr_gpu_config, sm.max_tbs)}, 1, WR_DUET_TBS},
    {{"sm.registers", offsetof(wr_gpu_config, sm.registers)}, 2048, 65536},
    {{"sm.shared_bytes", offsetof(wr_gpu_config, sm.shared_bytes)},
     8192,
     WR_DUET_MOST_LINES *WR_DUET_LINE},
    {{"l1.bytes", offsetof(wr_gpu_config, l1.bytes)}, 8192, WR_DUET_MOST_LINES *WR_DUET_LINE},
    {{"l1.line_bytes", offsetof(wr_gpu_config, l1.line_bytes)}, 128, 128},
};

/* Those that say which TBs go where, to the dispatcher; those that move warps; and run_ahead, which
 * writes rows behind a warp's registers: they are another warp's. */
static const char not_with[] =
    "drain, drf, dyncta, preemption, run_ahead, sharing, spart, virtual_thread, warp_swap";

static wr_duet_sm *sm_of(wr_duet *d, const wr_sm *sm)
{
    return &d->sm[wr_sm_id(sm)];
}

/* Events of warps */

static void on_stalled(void *self, wr_sm *sm, uint32_t slot, wr_wait why)
{
    wr_duet *d = self;
    wr_duet_sm *u = sm_of(d, sm);
    wr_warp_info info = wr_sm_warp(sm, slot);

    /* where it can't be switched out it is no candidate */
    if (d->off || (why != WR_WAIT_MEMORY && why != WR_WAIT_BARRIER) ||
        info.depth > wr_duet_deepest(d->st_lines) || wr_duet_point(&d->shape, info.pc) == NULL) {
        return;
    }
    *(why == WR_WAIT_MEMORY ? &u->wait_memory : &u->wait_barrier) |= UINT64_C(1) << slot;
}

static void on_woken(void *self, wr_sm *sm, uint32_t slot)
{
    wr_duet_sm *u = sm_of(self, sm);

    u->woken |= UINT64_C(1) << slot;
    u->clear &= ~(UINT64_C(1) << slot); /* it may wait again in this very cycle */
    u->wait_memory &= ~(UINT64_C(1) << slot);
    u->wait_barrier &= ~(UINT64_C(1) << slot);
}

static void on_done(void *self, wr_sm *sm, uint32_t slot)
{
    wr_duet_sm *u = sm_of(self, sm);

    u->ended |= u->owner[slot] != WR_DUET_NONE ? UINT64_C(1) << slot : 0;
}

static void on_loaded(void *self, wr_sm *sm, uint32_t id, uint64_t regs)
{
    wr_duet_sm *u = sm_of(self, sm);
    uint32_t warp = u->warp_of[id];

    u->landed[warp] |= regs;
    wr_duet_add(&u->loaded, warp);
}

static void on_passed(void *self, wr_sm *sm, uint32_t id)
{
    wr_duet_sm *u = sm_of(self, sm);
    uint32_t warp = u->warp_of[id];

    wr_duet_drop(&u->at_barrier, warp);
    wr_duet_set_free(u, warp);
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    wr_duet *d = self;
    wr_duet_sm *u = sm_of(d, sm);

    if (!d->closer) {
        u->placed[u->placed_count++] = (uint8_t)tb_slot;
    }
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t tb_slot, uint32_t stream)
{
    wr_duet *d = self;
    wr_duet_sm *u = sm_of(d, sm);

    (void)stream;
    u->tbs_ended |= d->closer ? 0 : UINT32_C(1) << tb_slot;
    for (uint32_t w = tb_slot * d->warps; w < (tb_slot + 1) * d->warps && w < WR_DUET_WARPS; w++) {
        const uint64_t slot = u->slot[w] != WR_DUET_NONE ? UINT64_C(1) << u->slot[w] : 0;

        u->ended &= ~slot; /* the shell's slots are free */
        u->done |= slot;
    }
}

/* Launches */

static bool reduces_at_barriers(const wr_kernel *k)
{
    bool reduces = false;

    for (size_t i = 0; i < k->insn_count; i++) {
        reduces |= k->insns[i].op == WR_OP_BAR && k->insns[i].mode >= WR_BAR_POPC;
    }
    return reduces;
}

/* What keeps one TB more from fitting: bits of limits (context_switch_logic). Shared memory that is
 * allocated by less than a line may hold more TBs than lines, and tables, do. */
static void find_limits(wr_duet *d, const wr_gpu_config *c, uint32_t shared_bytes)
{
    uint32_t tbs = 0;

    d->limits = 0;
    while (d->limits == 0 && tbs < c->sm.max_tbs) {
        tbs++;
        d->limits =
            (uint8_t)((tbs * d->warps * d->regs > d->rf_lines ? WR_CSL_LIMIT_REGISTERS : 0) |
                      (tbs * d->warps > c->sm.max_warps ? WR_CSL_LIMIT_SLOTS : 0) |
                      (tbs * d->smem > d->smem_lines ? WR_CSL_LIMIT_SHARED : 0));
    }
    d->closer = d->limits == WR_CSL_LIMIT_SHARED && tbs * shared_bytes <= c->sm.shared_bytes;
}

static uint8_t find_level(uint8_t limits)
{
    const uint8_t both = WR_CSL_LIMIT_REGISTERS | WR_CSL_LIMIT_SHARED;

    if (limits == 0 || (limits & both) == both) {
        return WR_CSL_OFF;
    }
    return (limits & WR_CSL_LIMIT_SHARED) != 0 ? WR_CSL_TB : WR_CSL_WARP;
}

/* The launch's figures; all units are empty. */
static void set_up(wr_duet *d, const wr_launch *launch)
{
    wr_tb_needs needs_of = wr_gpu_tb_needs(d->gpu, d->stream);

    wr_duet_shape_free(&d->shape);
    d->launch = launch;
    d->next = NULL;
    d->warps = needs_of.threads / 32;
    d->regs = needs_of.registers / 32 / d->warps;
    d->smem = (needs_of.shared_bytes + WR_DUET_LINE - 1) / WR_DUET_LINE;
    find_limits(d, wr_gpu_configuration(d->gpu), needs_of.shared_bytes);
    d->level = find_level(d->limits);
    if (!wr_duet_shape_make(&d->shape, launch->kernel, launch->block)) {
        wr_gpu_abort(d->gpu, "duet: no memory for the registers at switch points");
        return;
    }
    d->together = d->switches_tbs && d->level == WR_CSL_WARP;
    d->off = d->level == WR_CSL_OFF || d->closer || d->shape.reduced->count == 0 ||
             reduces_at_barriers(launch->kernel);
    for (uint32_t i = 0; i < d->sms; i++) {
        wr_duet_sm_start(&d->sm[i]);
        wr_sm_close(d->sm[i].sm, d->owner, 0);
    }
    d->active = true;
    if (d->watches) {
        wr_watch_start(&d->watch, d->gpu);
    }
}

static bool all_native(const wr_duet *d)
{
    bool native = true;

    for (uint32_t i = 0; i < d->sms; i++) {
        native = native && wr_duet_sm_native(&d->sm[i]);
    }
    return native;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_duet *d = self;

    if (d->launch != NULL || d->next != NULL) {
        wr_gpu_refuse(gpu, "system duet: one launch at a time; give the launches one stream");
        return;
    }
    d->gpu = gpu;
    d->stream = stream;
    d->next = launch;
    for (uint32_t i = 0; i < d->sms; i++) {
        d->sm[i].sm = wr_gpu_sm(gpu, i);
    }
    if (all_native(d)) {
        set_up(d, launch);
        return;
    }
    for (uint32_t i = 0; i < d->sms; i++) { /* until the last launch's units are empty */
        wr_sm_close(d->sm[i].sm, d->owner, WR_ALL_STREAMS);
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_duet *d = self;

    (void)gpu;
    (void)stream;
    d->launch = NULL;
    wr_watch_stop(&d->watch);
}

/* Time */

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_duet *d = self;
    bool verdict = wr_watch_cycle(&d->watch);
    bool draws = d->bay->writes && d->launch != NULL; /* what is drawn has no gaps */

    (void)gpu;
    d->active = draws;
    for (uint32_t i = 0; i < d->sms && !d->failed; i++) {
        wr_duet_sm *u = &d->sm[i];

        if (verdict || draws || wr_duet_sm_active(u)) {
            wr_duet_sm_cycle(u, verdict);
        }
        d->active = d->active || wr_duet_sm_active(u);
    }
    if (d->next != NULL && all_native(d)) {
        set_up(d, d->next);
    }
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    const wr_duet *d = self;

    return d->active ? now + 1 : wr_watch_next(&d->watch, now);
}

/* Creation */

static void destroy(wr_system *system)
{
    wr_duet *d = (wr_duet *)system;

    for (uint32_t i = 0; d->sm != NULL && i < d->sms; i++) {
        wr_duet_sm_close(&d->sm[i]);
        free(d->sm[i].l1);
        free(d->sm[i].values);
        free(d->sm[i].slot_lines);
    }
    wr_watch_close(&d->watch);
    wr_duet_shape_free(&d->shape);
    free(d->sm);
    free(d);
}

static bool create_unit(wr_duet *d, uint32_t i, const wr_gpu_config *c, char *err, size_t err_size)
{
    wr_duet_sm *u = &d->sm[i];
    char name[16];

    u->duet = d;
    u->l1 = wr_system_alloc((size_t)(d->l1_lines + 1) * WR_DUET_LINE, err, err_size);
    u->values = wr_system_alloc(WR_DUET_WARPS * sizeof *u->values, err, err_size);
    u->slot_lines =
        wr_system_alloc((size_t)WR_DUET_SLOTS * WR_DUET_META_LINES * WR_DUET_LINE, err, err_size);
    (void)snprintf(name, sizeof name, "sm%u", i);
    u->bay_unit = wr_bay_add_unit(d->bay, name, WR_BAY_FREE);
    return u->l1 != NULL && u->values != NULL && u->slot_lines != NULL &&
           wr_duet_sm_open(u, c, err, err_size);
}

/* As the unit takes them. */
static bool sizes_fit(const wr_duet *d, char *err, size_t err_size)
{
    if (d->rf_lines % 8 == 0 && d->smem_lines % 8 == 0 && d->l1_lines % 8 == 0 &&
        d->rf_lines + d->smem_lines + d->l1_lines <= 3072) {
        return true;
    }
    (void)snprintf(err, err_size,
                   "system duet: register file, shared memory and L1 are to be multiples of 1 KiB, "
                   "and at most 384 KiB together");
    return false;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_gpu_config *c = setup->cfg;
    const wr_option_value *v = setup->values;
    wr_duet *d = wr_system_alloc(sizeof *d, err, err_size);

    if (d == NULL) {
        return NULL;
    }
    d->bay = setup->bay;
    d->owner = setup->owner;
    d->sms = c->sms;
    d->rf_lines = c->sm.registers / 32;
    d->smem_lines = c->sm.shared_bytes / WR_DUET_LINE;
    d->l1_lines = c->l1.bytes / WR_DUET_LINE;
    d->gives_l1 = c->l1.write == WR_L1_THROUGH;
    d->st_lines = (uint32_t)v[OPT_META].number;
    d->port_bytes = 64u << v[OPT_PORT].word;
    d->keeps_age = v[OPT_AGE].word == 0;
    d->switches_tbs = v[OPT_SWITCH].word == 1;
    d->barriers_stay = v[OPT_BARRIERS].word == 1;
    d->watches = v[OPT_ME].is_word && v[OPT_ME].word == ME_DYNAMIC;
    d->most_extra = v[OPT_ME].is_word ? WR_DUET_TBS : (uint32_t)v[OPT_ME].number;
    d->sm = wr_system_alloc(d->sms * sizeof *d->sm, err, err_size);
    bool ok = d->sm != NULL && sizes_fit(d, err, err_size) &&
              wr_watch_open(&d->watch, d->bay, c, (uint32_t)v[OPT_WARMUP].number,
                            (uint32_t)v[OPT_WINDOW].number, err, err_size);
    for (uint32_t i = 0; ok && i < d->sms; i++) {
        ok = create_unit(d, i, c, err, err_size);
    }
    if (!ok) {
        destroy(&d->base);
        return NULL;
    }
    if (d->most_extra != 0) {
        d->base.hooks = (wr_system_hooks){.self = d,
                                          .launch_begin = on_launch_begin,
                                          .launch_end = on_launch_end,
                                          .tb_placed = on_tb_placed,
                                          .tb_done = on_tb_done,
                                          .warp_stalled = on_stalled,
                                          .warp_woken = on_woken,
                                          .warp_done = on_done,
                                          .warp_loaded = on_loaded,
                                          .warp_passed = on_passed,
                                          .gpu_cycle = on_gpu_cycle,
                                          .next_cycle = on_next_cycle,
                                          .reads_memory = d->watches,
                                          .takes_tbs = true};
    }
    return &d->base;
}

static void report(const wr_system *system, wr_report *r)
{
    static const char *const classes[] = {"underutilised", "moderate", "saturated"};
    static const char *const ops[] = {NULL, "out", "in", "exchange", "back"};
    const wr_duet *d = (const wr_duet *)system;
    wr_duet_counts all = {0};

    for (uint32_t i = 0; i < d->sms; i++) {
        const wr_duet_counts *c = &d->sm[i].counts;

        for (uint32_t k = 1; k < 5; k++) {
            all.ops[k] += c->ops[k];
        }
        all.move_cycles += c->move_cycles;
        all.lines += c->lines;
        all.replies += c->replies;
        all.barriers += c->barriers;
        for (uint32_t k = 0; k < 3; k++) {
            all.placed[k] += c->placed[k];
        }
        all.resident_most =
            c->resident_most > all.resident_most ? c->resident_most : all.resident_most;
    }
    const wr_gpuduet_out *me = &d->sm[0].out;
    wr_report_section(r, "tbs", "TBs beyond an SM's room (Lin-D 3.6.4)");
    (void)wr_report_count(r, "native", "that fit at once", me->mc, "TBs");
    (void)wr_report_count(r, "bound", "more at most", me->bound, "TBs");
    (void)wr_report_count(r, "me", "more at the end", me->me, "TBs");
    (void)wr_report_count(r, "most", "on one SM, most", all.resident_most, "TBs");
    (void)wr_report_count(r, "placed.extra", "placed switched out",
                          all.placed[WR_DUET_UNIT_PLACE_EXTRA], "TBs");
    (void)wr_report_count(r, "placed.native", "placed by the units in place",
                          all.placed[WR_DUET_UNIT_PLACE_NATIVE], "TBs");
    (void)wr_report_count(r, "placed.handed", "placed where one had ended",
                          all.placed[WR_DUET_UNIT_PLACE_HANDED], "TBs");
    (void)wr_report_count(r, "l1", "SMs whose L1 held contexts", d->bypassed, "");
    wr_report_section(r, "switches", "Switches");
    for (uint32_t k = 1; k < 5; k++) {
        (void)wr_report_count(r, ops[k], k == WR_CSL_BACK ? "back: the stall was over" : ops[k],
                              all.ops[k], "");
    }
    (void)wr_report_count(r, "barriers", "warps that left from a barrier", all.barriers, "");
    (void)wr_report_count(r, "lines", "lines and rows written", all.lines, "");
    (void)wr_report_count(r, "replies", "registers of absent warps whose loads have come",
                          all.replies, "");
    (void)wr_report_count(r, "cycles", "cycles in which they moved, all SMs", all.move_cycles,
                          "cycles");
    wr_report_section(r, "windows", "Windows by class (Lin-D Table 3.3)");
    for (uint32_t i = 0; i < 3; i++) {
        (void)wr_report_count(r, classes[i], classes[i], d->watch.of[i], "");
    }
}

const wr_system_type wr_duet_type = {
    .name = "duet",
    .summary = "more TBs on an SM than fit: waiting warps or TBs lie in spare storage (GPUDuet)",
    .paper = "Lin-D 3.6",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .not_with = not_with,
    .create = create,
    .destroy = destroy,
    .report = report,
};
