/* SPDX-License-Identifier: Apache-2.0 */
/* What the preemption system measured, beside the paper's figures.
 *
 * Bytes per warp count what Lin-P counts: occupied and live registers as whole vector registers,
 * compressed as data words alone (P8). Pattern vectors, stacks, predicates and padding are spill
 * traffic and stand apart.
 */
#include "systems/preemption/state.h"

#include <inttypes.h>
#include <string.h>

/* Figures that the paper gives for one kernel by name. */
typedef struct paper_kernel {
    const char *kernel, *label;
    double occupied, live, compressed; /* bytes per warp */
    double uniform, strided;           /* percent of live registers */
} paper_kernel;

static const paper_kernel paper[] = {
    {"backprop_layerforward", "BP_1", 1664, 656, 64, 47.4, 52.6},
};
static const char paper_source[] = "Lin-P III.B, III.C";

static const paper_kernel *find_paper(const char *kernel)
{
    for (size_t i = 0; i < sizeof paper / sizeof paper[0]; i++) {
        if (strcmp(paper[i].kernel, kernel) == 0) {
            return &paper[i];
        }
    }
    return NULL;
}

static double per(uint64_t sum, uint64_t count)
{
    return count != 0 ? (double)sum / (double)count : 0.0;
}

static double percent(uint64_t part, uint64_t whole)
{
    return 100.0 * per(part, whole);
}

static uint64_t live_registers(const wr_context_sums *sums)
{
    return sums->uniform + sums->strided + sums->random;
}

/* Bytes that went to memory for the registers, patterns counted. */
static uint64_t written_bytes(const wr_context_sums *s)
{
    return s->padded_bytes + s->pattern_bytes + s->pred_bytes + s->stack_bytes + s->shared_bytes +
           s->ccb_bytes;
}

/* Mean and extremes, a line of a table. They are details where there was no preemption. */
static void report_figure(wr_report *r, const char *name, const char *label,
                          const wr_preempt_figure *f, uint64_t count)
{
    char full[64];

    (void)snprintf(full, sizeof full, "%s.mean", name);
    wr_row *row = wr_report_real(r, full, label, per(f->sum, count), "cycles");

    row->column = "mean";
    row->is_detail = count == 0;
    (void)snprintf(full, sizeof full, "%s.min", name);
    row = wr_report_count(r, full, label, f->min, "cycles");
    row->column = "least";
    row->is_detail = count == 0;
    (void)snprintf(full, sizeof full, "%s.max", name);
    row = wr_report_count(r, full, label, f->max, "cycles");
    row->column = "most";
    row->is_detail = count == 0;
}

/* What became of thread blocks that were to leave; what the options leave out, for files alone. */
static void report_tbs(wr_report *r, const wr_preemption *p)
{
    bool others = p->options.scheme != WR_SCHEME_SWITCH;
    bool places = p->options.in_place;
    const struct {
        const char *name, *label;
        uint64_t value;
        const char *unit;
        bool is_shown;
    } figures[] = {
        {"saved", "saved", p->tbs.saved, "", others || places},
        {"kept_registers", "  their registers stayed in place", p->tbs.kept_registers, "", places},
        {"kept_shared", "  their shared memory did", p->tbs.kept_shared, "", places},
        {"cleared", "  came back to leave whole", p->tbs.cleared, "", places},
        {"drained", "ran to their ends", p->tbs.drained, "", others},
        {"flushed", "discarded, begun anew", p->tbs.flushed, "", others},
        {"ended", "ended before they could be saved or discarded", p->tbs.ended, "", others},
        {"wasted", "done in vain by those that were discarded", p->tbs.wasted, "warp instructions",
         others}};

    wr_report_section(r, "tbs", "Thread blocks that left");
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
        wr_report_count(r, figures[i].name, figures[i].label, figures[i].value, figures[i].unit)
            ->is_detail = !figures[i].is_shown;
    }
}

static void report_signals(wr_report *r, const wr_preempt_signals *s)
{
    wr_report_section(r, "signals", "Preemptions");
    (void)wr_report_count(r, "due", "signals raised", s->due, "");
    (void)wr_report_count(r, "done", "an SM gave way", s->done, "");
    (void)wr_report_count(r, "claims", "  to a launch of higher priority", s->claims, "");
    (void)wr_report_count(r, "drained", "an SM ran empty by itself", s->drained, "");
    (void)wr_report_count(r, "idle", "signals that found the SM idle", s->idle, "");
    (void)wr_report_count(r, "deferred", "deferred, the SM was busy", s->deferred, "");
    (void)wr_report_count(r, "merged", "merged with a deferred one", s->merged, "");
}

static void report_latency(wr_report *r, const wr_preemption *p)
{
    uint64_t count = p->signals.done;

    wr_report_section(r, "", "Preemption latency, of %" PRIu64 " preemptions", count);
    report_figure(r, "latency", "signal to all gone", &p->latency, count);
    report_figure(r, "latency.drain", "  drained: nothing to spill", &p->drain, count);
    report_figure(r, "latency.spill", "  spilled: save works", &p->spill, count);
    report_figure(r, "latency.stop", "signal to last warp's stop", &p->stop, count);
    report_figure(r, "restore", "restore", &p->restore, count);
    wr_report_section(r, "", "Written to memory");
    wr_report_count(r, "written", "in all", written_bytes(&p->sums), "bytes")->is_detail =
        count == 0;
    wr_report_real(r, "written.rate", "while spilling", per(written_bytes(&p->sums), p->spill.sum),
                   "bytes per cycle")
        ->is_detail = count == 0;
}

/* A figure per warp, with the paper's where it gives one. */
static void report_warp(wr_report *r, const char *name, const char *label, double value,
                        const char *unit, const double *theirs)
{
    wr_row *row = wr_report_real(r, name, label, value, unit);

    if (theirs) {
        wr_row_paper(row, *theirs, paper_source);
    }
}

/* What was written of one part of the contexts, in all and per TB. */
static void report_part(wr_report *r, const char *name, const char *label, uint64_t bytes,
                        const wr_context_sums *s)
{
    char full[64];

    (void)snprintf(full, sizeof full, "written.%s", name);
    wr_report_count(r, full, label, bytes, "bytes")->column = "in all";
    (void)snprintf(full, sizeof full, "written.%s.per_tb", name);
    wr_report_real(r, full, label, per(bytes, s->tbs), "bytes")->column = "per TB";
}

/* TBs that were saved as wholes (Lin-P III.C, Fig. 9). */
static void report_whole(wr_report *r, const char *prefix, const wr_preempt_kernel *kernel)
{
    static const struct {
        const char *name, *label;
        uint32_t class;
    } classes[] = {
        {"global_uniform", "global uniform", WR_TB_GLOBAL_UNIFORM},
        {"local_uniform", "local uniform", WR_TB_LOCAL_UNIFORM},
        {"global_strided", "global strided", WR_TB_GLOBAL_STRIDED},
        {"local_strided", "local strided", WR_TB_LOCAL_STRIDED},
        {"random", "random", WR_TB_RANDOM},
    };
    const wr_context_whole_sums *s = &kernel->sums.whole;
    uint64_t live = 0;

    for (uint32_t c = 0; c < WR_TB_CLASSES; c++) {
        live += s->registers[c];
    }
    wr_report_section(r, prefix, "TBs of %s that stood at one barrier, compressed as wholes",
                      kernel->name);
    wr_report_count(r, "tb.tbs", "TBs saved as wholes", s->tbs, "");
    wr_report_count(r, "tb.by_warp", "TBs saved warp by warp", kernel->sums.tbs - s->tbs, "");
    wr_report_count(r, "tb.warps", "warps of wholes", s->warps, "")->is_detail = true;
    wr_report_real(r, "tb.live", "live", 128 * per(live, s->warps), "bytes per warp");
    wr_report_real(r, "tb.compressed", "compressed", per(s->data_bytes, s->warps),
                   "bytes per warp");
    wr_report_real(r, "tb.warp_level", "the same at warp level", per(s->warp_bytes, s->warps),
                   "bytes per warp");
    for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++) {
        char name[48];

        (void)snprintf(name, sizeof name, "tb.%s", classes[c].name);
        wr_report_real(r, name, classes[c].label, percent(s->registers[classes[c].class], live),
                       "% of live");
        (void)snprintf(name, sizeof name, "tb.registers.%s", classes[c].name);
        wr_report_count(r, name, classes[c].label, s->registers[classes[c].class], "")->is_detail =
            true;
    }
}

static void report_registers(wr_report *r, const wr_preempt_kernel *kernel,
                             const wr_preempt_options *options)
{
    wr_context_kind kind = options->context;
    const wr_context_sums *s = &kernel->sums;
    const paper_kernel *theirs = find_paper(kernel->name);
    bool is_raw = kind == WR_CONTEXT_LIVE || kind == WR_CONTEXT_ALL;
    bool is_theirs = !is_raw && !options->warp_groups;
    const paper_kernel *packed = is_theirs ? theirs : NULL; /* its figures of compression */
    uint64_t live = live_registers(s);
    char prefix[WR_PREEMPT_NAME + 16];

    (void)snprintf(prefix, sizeof prefix, "context.%s", kernel->name);
    wr_report_section(r, prefix,
                      "Register context of %s%s%s: %" PRIu64 " warps of %" PRIu64 " TBs saved",
                      kernel->name, theirs ? ", in the paper " : "", theirs ? theirs->label : "",
                      s->warps, s->tbs);
    wr_report_count(r, "tbs", "TBs saved", s->tbs, "")->is_detail = true;
    wr_report_count(r, "warps", "warps saved", s->warps, "")->is_detail = true;
    report_warp(r, "occupied", "occupied", per(s->occupied_bytes, s->warps), "bytes per warp",
                theirs ? &theirs->occupied : NULL);
    report_warp(r, "live", "live", per(s->live_bytes, s->warps), "bytes per warp",
                theirs && kind != WR_CONTEXT_ALL ? &theirs->live : NULL);
    report_warp(r, "compressed", is_raw ? "stored" : "compressed", per(s->data_bytes, s->warps),
                "bytes per warp", packed ? &packed->compressed : NULL);
    report_warp(r, "uniform", "uniform", percent(s->uniform, live), "% of live",
                packed ? &packed->uniform : NULL);
    report_warp(r, "strided", "strided", percent(s->strided, live), "% of live",
                packed ? &packed->strided : NULL);
    report_warp(r, "random", "random", percent(s->random, live), "% of live", NULL);
    wr_report_count(r, "registers.uniform", "uniform", s->uniform, "")->is_detail = true;
    wr_report_count(r, "registers.strided", "strided", s->strided, "")->is_detail = true;
    wr_report_count(r, "registers.random", "random", s->random, "")->is_detail = true;
    wr_report_count(r, "registers.dead", "dead", s->dead, "")->is_detail = true;
    if (kind == WR_CONTEXT_BY_TB) {
        report_whole(r, prefix, kernel);
    }
}

static void report_written(wr_report *r, const wr_preempt_kernel *kernel)
{
    const wr_context_sums *s = &kernel->sums;
    char prefix[WR_PREEMPT_NAME + 16];

    (void)snprintf(prefix, sizeof prefix, "context.%s", kernel->name);
    wr_report_section(r, prefix, "Written of contexts of %s", kernel->name);
    report_part(r, "data", "register data, padded", s->padded_bytes, s);
    report_part(r, "patterns", "pattern vectors", s->pattern_bytes, s);
    report_part(r, "shared", "shared memory", s->shared_bytes, s);
    report_part(r, "stacks", "SIMT stacks", s->stack_bytes, s);
    wr_report_count(r, "written.stacks.entries", "SIMT stacks without padding",
                    s->stack_entry_bytes, "bytes")
        ->is_detail = true;
    report_part(r, "predicates", "predicates", s->pred_bytes, s);
    report_part(r, "ccb", "control block entry", s->ccb_bytes, s);
}

/* One by one, for files. */
static void report_records(wr_report *r, const wr_preemption *p)
{
    uint64_t kept = p->signals.done < WR_PREEMPT_RECORDS ? p->signals.done : WR_PREEMPT_RECORDS;

    wr_report_section(r, "preemption", "Preemptions one by one");
    wr_report_count(r, "kept", "kept", kept, "")->is_detail = true;
    for (uint64_t i = 0; i < kept; i++) {
        const wr_context_record *record = &p->records[i];
        const struct {
            const char *name;
            uint64_t value;
            const char *unit;
        } figures[] = {{"cycle", record->cycle, "cycles"},
                       {"sm", record->sm, ""},
                       {"tbs", record->sums.tbs, ""},
                       {"warps", record->sums.warps, ""},
                       {"latency", record->latency, "cycles"},
                       {"drain", record->drain, "cycles"},
                       {"spill", record->spill, "cycles"},
                       {"stop", record->stop, "cycles"},
                       {"restore", record->restore, "cycles"},
                       {"written", written_bytes(&record->sums), "bytes"}};

        for (size_t f = 0; f < sizeof figures / sizeof figures[0]; f++) {
            char name[48];

            (void)snprintf(name, sizeof name, "%" PRIu64 ".%s", i, figures[f].name);
            wr_report_count(r, name, figures[f].name, figures[f].value, figures[f].unit)
                ->is_detail = true;
        }
    }
}

void wr_preemption_report(const wr_system *system, wr_report *r)
{
    const wr_preemption *p = (const wr_preemption *)system;

    report_signals(r, &p->signals);
    report_tbs(r, p);
    for (uint32_t k = 0; k < p->kernels; k++) {
        if (p->kernel[k].sums.warps != 0) { /* else registers stayed in place */
            report_registers(r, &p->kernel[k], &p->options);
        }
        if (p->kernel[k].sums.tbs != 0) {
            report_written(r, &p->kernel[k]);
        }
    }
    report_latency(r, p);
    report_records(r, p);
}
