/* SPDX-License-Identifier: Apache-2.0 */
/* What the preemption system measured, as text and as rows, beside the paper's figures.
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

/* Counts of block b over all SMs. */
static wr_port_stats block_stats(const wr_preemption *p, uint32_t b, const char **name)
{
    wr_port_stats sum = {0};

    for (uint32_t id = 0; id < p->sm_count; id++) {
        const wr_port *port = wr_context_engine_port(&p->units[id], b);
        wr_port_stats one = wr_port_get_stats(port);

        *name = port->block->name;
        sum.cycles += one.cycles;
        sum.transactions += one.transactions;
        sum.comparisons += one.comparisons;
        sum.mismatches += one.mismatches;
    }
    return sum;
}

static void print_figure(FILE *out, const char *name, const wr_preempt_figure *f, uint64_t count)
{
    (void)fprintf(out, "  %-26s %8.1f %8" PRIu32 " %8" PRIu32 "\n", name, per(f->sum, count),
                  f->min, f->max);
}

static void print_bytes(FILE *out, const char *name, double ours, const double *theirs)
{
    (void)fprintf(out, "  %-24s %8.1f", name, ours);
    if (theirs) {
        (void)fprintf(out, " %8.1f", *theirs);
    }
    (void)fputc('\n', out);
}

static void print_kernel(FILE *out, const wr_preempt_kernel *kernel)
{
    const wr_context_sums *s = &kernel->sums;
    const paper_kernel *theirs = find_paper(kernel->name);
    uint64_t live = live_registers(s);

    (void)fprintf(out,
                  "\nRegister context of %s, bytes per warp: %" PRIu64 " warps of %" PRIu64
                  " TBs saved\n",
                  kernel->name, s->warps, s->tbs);
    (void)fprintf(out, "  %-24s %8s", "", "ours");
    if (theirs) {
        (void)fprintf(out, " %8s   %s, %s", "paper", theirs->label, paper_source);
    }
    (void)fputc('\n', out);
    print_bytes(out, "occupied", per(s->occupied_bytes, s->warps),
                theirs ? &theirs->occupied : NULL);
    print_bytes(out, "live", per(s->live_bytes, s->warps), theirs ? &theirs->live : NULL);
    print_bytes(out, "compressed", per(s->data_bytes, s->warps),
                theirs ? &theirs->compressed : NULL);
    print_bytes(out, "uniform, % of live", percent(s->uniform, live),
                theirs ? &theirs->uniform : NULL);
    print_bytes(out, "strided, % of live", percent(s->strided, live),
                theirs ? &theirs->strided : NULL);
    print_bytes(out, "random, % of live", percent(s->random, live), NULL);
    (void)fprintf(out, "  written per TB, in all of its warps\n");
    print_bytes(out, "  register data, padded", per(s->padded_bytes, s->tbs), NULL);
    print_bytes(out, "  pattern vectors", per(s->pattern_bytes, s->tbs), NULL);
    print_bytes(out, "  shared memory", per(s->shared_bytes, s->tbs), NULL);
    print_bytes(out, "  SIMT stacks", per(s->stack_bytes, s->tbs), NULL);
    print_bytes(out, "  predicates", per(s->pred_bytes, s->tbs), NULL);
    print_bytes(out, "  control block entry", per(s->ccb_bytes, s->tbs), NULL);
}

static void print_latency(FILE *out, const wr_preemption *p)
{
    uint64_t count = p->signals.done;

    (void)fprintf(out, "\nPreemption latency, cycles, of %" PRIu64 " preemptions\n", count);
    (void)fprintf(out, "  %-26s %8s %8s %8s\n", "", "mean", "least", "most");
    print_figure(out, "signal to all in memory", &p->latency, count);
    print_figure(out, "  drained: save waits", &p->drain, count);
    print_figure(out, "  spilled: save works", &p->spill, count);
    print_figure(out, "signal to last warp's stop", &p->stop, count);
    print_figure(out, "restore", &p->restore, count);
    (void)fprintf(out, "  %-26s %8.1f bytes a cycle\n", "written while spilling",
                  per(written_bytes(&p->sums), p->spill.sum));
}

static void print_files(FILE *out, const wr_preempt_trace *trace)
{
    if (!trace) {
        return;
    }
    (void)fputs("\nFiles\n", out);
    if (wr_preempt_trace_wave(trace)[0]) {
        (void)fprintf(out,
                      "  waveform    %s\n"
                      "  saved view  %s\n"
                      "              open both: gtkwave %s\n",
                      wr_preempt_trace_wave(trace), wr_preempt_trace_view(trace),
                      wr_preempt_trace_view(trace));
    }
    if (wr_preempt_trace_record(trace)[0]) {
        (void)fprintf(out, "  vectors     %s: %u files, %" PRIu64 " cycles\n",
                      wr_preempt_trace_record(trace), wr_preempt_trace_files(trace),
                      wr_preempt_trace_rows(trace));
    }
    if (wr_preempt_trace_files(trace) != 0) {
        (void)fprintf(out,
                      "              replay one: warpref replay context_saver "
                      "%s/sm%u_context_saver.hex --against rtl\n",
                      wr_preempt_trace_record(trace), wr_preempt_trace_first(trace));
    }
}

void wr_preemption_print(const wr_system *system, FILE *out)
{
    const wr_preemption *p = (const wr_preemption *)system;
    const wr_preempt_signals *s = &p->signals;

    (void)fprintf(out,
                  "Preemption: %" PRIu64 " signals; %" PRIu64 " saved and restored an SM, %" PRIu64
                  " found it idle, %" PRIu64 " saw it run empty; %" PRIu64 " deferred, %" PRIu64
                  " merged\n",
                  s->due, s->done, s->idle, s->drained, s->deferred, s->merged);
    (void)fprintf(out, "\nBlocks, %s\n  %-22s %12s %12s %12s %12s\n",
                  wr_backend_name(p->options.backend), "", "cycles", "transactions", "comparisons",
                  "mismatches");
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        const char *name = "";
        wr_port_stats c = block_stats(p, b, &name);

        (void)fprintf(out, "  %-22s %12" PRIu64 " %12" PRIu64, name, c.cycles, c.transactions);
        if (p->options.backend == WR_BACKEND_LOCKSTEP) {
            (void)fprintf(out, " %12" PRIu64 " %12" PRIu64 "\n", c.comparisons, c.mismatches);
        } else {
            (void)fprintf(out, " %12s %12s\n", "-", "-");
        }
    }
    for (uint32_t k = 0; k < p->kernels; k++) {
        if (p->kernel[k].sums.warps != 0) {
            print_kernel(out, &p->kernel[k]);
        }
    }
    if (s->done != 0) {
        print_latency(out, p);
    }
    print_files(out, p->trace);
}

/* One callback with its argument. */
typedef struct rows {
    wr_system_row_fn fn;
    void *arg;
    char name[160];
} rows;

/* "a.b.c", or "a.b" where c is "". */
static const char *name_of(rows *r, const char *a, const char *b, const char *c)
{
    (void)snprintf(r->name, sizeof r->name, "%s.%s%s%s", a, b, c[0] ? "." : "", c);
    return r->name;
}

static void count_row(rows *r, const char *name, uint64_t value, const char *unit)
{
    wr_system_row row = {
        .name = name, .kind = WR_ROW_COUNT, .count = value, .unit = unit, .source = ""};

    r->fn(r->arg, &row);
}

static void real_row(rows *r, const char *name, double value, const char *unit,
                     const double *theirs)
{
    wr_system_row row = {.name = name,
                         .kind = WR_ROW_REAL,
                         .real = value,
                         .unit = unit,
                         .has_paper = theirs != NULL,
                         .paper = theirs ? *theirs : 0,
                         .source = theirs ? paper_source : ""};

    r->fn(r->arg, &row);
}

static void text_row(rows *r, const char *name, const char *value)
{
    wr_system_row row = {
        .name = name, .kind = WR_ROW_TEXT, .text = value, .unit = "", .source = ""};

    r->fn(r->arg, &row);
}

static void figure_rows(rows *r, const char *name, const wr_preempt_figure *f, uint64_t count)
{
    real_row(r, name_of(r, name, "mean", ""), per(f->sum, count), "cycles", NULL);
    count_row(r, name_of(r, name, "min", ""), f->min, "cycles");
    count_row(r, name_of(r, name, "max", ""), f->max, "cycles");
}

static void block_rows(rows *r, const wr_preemption *p)
{
    text_row(r, "blocks.backend", wr_backend_name(p->options.backend));
    for (uint32_t b = 0; b < WR_CONTEXT_BLOCKS; b++) {
        const char *name = "";
        wr_port_stats c = block_stats(p, b, &name);

        count_row(r, name_of(r, "blocks", name, "cycles"), c.cycles, "cycles");
        count_row(r, name_of(r, "blocks", name, "transactions"), c.transactions, "");
        count_row(r, name_of(r, "blocks", name, "comparisons"), c.comparisons, "");
        count_row(r, name_of(r, "blocks", name, "mismatches"), c.mismatches, "");
    }
}

static void kernel_rows(rows *r, const wr_preempt_kernel *kernel)
{
    const wr_context_sums *s = &kernel->sums;
    const paper_kernel *theirs = find_paper(kernel->name);
    const char *k = kernel->name;

    count_row(r, name_of(r, "context", k, "tbs"), s->tbs, "");
    count_row(r, name_of(r, "context", k, "warps"), s->warps, "");
    real_row(r, name_of(r, "context", k, "occupied"), per(s->occupied_bytes, s->warps),
             "bytes per warp", theirs ? &theirs->occupied : NULL);
    real_row(r, name_of(r, "context", k, "live"), per(s->live_bytes, s->warps), "bytes per warp",
             theirs ? &theirs->live : NULL);
    real_row(r, name_of(r, "context", k, "compressed"), per(s->data_bytes, s->warps),
             "bytes per warp", theirs ? &theirs->compressed : NULL);
    real_row(r, name_of(r, "context", k, "uniform"), percent(s->uniform, live_registers(s)),
             "% of live", theirs ? &theirs->uniform : NULL);
    real_row(r, name_of(r, "context", k, "strided"), percent(s->strided, live_registers(s)),
             "% of live", theirs ? &theirs->strided : NULL);
    count_row(r, name_of(r, "context", k, "registers.uniform"), s->uniform, "");
    count_row(r, name_of(r, "context", k, "registers.strided"), s->strided, "");
    count_row(r, name_of(r, "context", k, "registers.random"), s->random, "");
    count_row(r, name_of(r, "context", k, "registers.dead"), s->dead, "");
    count_row(r, name_of(r, "context", k, "written.data"), s->padded_bytes, "bytes");
    count_row(r, name_of(r, "context", k, "written.patterns"), s->pattern_bytes, "bytes");
    count_row(r, name_of(r, "context", k, "written.shared"), s->shared_bytes, "bytes");
    count_row(r, name_of(r, "context", k, "written.stacks"), s->stack_bytes, "bytes");
    count_row(r, name_of(r, "context", k, "written.predicates"), s->pred_bytes, "bytes");
    count_row(r, name_of(r, "context", k, "written.ccb"), s->ccb_bytes, "bytes");
}

static void record_rows(rows *r, const wr_preemption *p)
{
    uint64_t kept = p->signals.done < WR_PREEMPT_RECORDS ? p->signals.done : WR_PREEMPT_RECORDS;

    count_row(r, "preemption.kept", kept, "");
    for (uint64_t i = 0; i < kept; i++) {
        const wr_context_record *record = &p->records[i];
        char n[24];

        (void)snprintf(n, sizeof n, "%" PRIu64, i);
        count_row(r, name_of(r, "preemption", n, "cycle"), record->cycle, "cycles");
        count_row(r, name_of(r, "preemption", n, "sm"), record->sm, "");
        count_row(r, name_of(r, "preemption", n, "tbs"), record->sums.tbs, "");
        count_row(r, name_of(r, "preemption", n, "warps"), record->sums.warps, "");
        count_row(r, name_of(r, "preemption", n, "latency"), record->latency, "cycles");
        count_row(r, name_of(r, "preemption", n, "drain"), record->drain, "cycles");
        count_row(r, name_of(r, "preemption", n, "spill"), record->spill, "cycles");
        count_row(r, name_of(r, "preemption", n, "stop"), record->stop, "cycles");
        count_row(r, name_of(r, "preemption", n, "restore"), record->restore, "cycles");
        count_row(r, name_of(r, "preemption", n, "written"), written_bytes(&record->sums), "bytes");
    }
}

void wr_preemption_rows(const wr_system *system, wr_system_row_fn fn, void *arg)
{
    const wr_preemption *p = (const wr_preemption *)system;
    const wr_preempt_signals *s = &p->signals;
    rows r = {.fn = fn, .arg = arg};

    count_row(&r, "signals.due", s->due, "");
    count_row(&r, "signals.done", s->done, "");
    count_row(&r, "signals.drained", s->drained, "");
    count_row(&r, "signals.idle", s->idle, "");
    count_row(&r, "signals.deferred", s->deferred, "");
    count_row(&r, "signals.merged", s->merged, "");
    block_rows(&r, p);
    figure_rows(&r, "latency", &p->latency, s->done);
    figure_rows(&r, "latency.drain", &p->drain, s->done);
    figure_rows(&r, "latency.spill", &p->spill, s->done);
    figure_rows(&r, "latency.stop", &p->stop, s->done);
    figure_rows(&r, "restore", &p->restore, s->done);
    count_row(&r, "written", written_bytes(&p->sums), "bytes");
    for (uint32_t k = 0; k < p->kernels; k++) {
        if (p->kernel[k].sums.warps != 0) {
            kernel_rows(&r, &p->kernel[k]);
        }
    }
    if (p->trace && wr_preempt_trace_wave(p->trace)[0]) {
        text_row(&r, "files.wave", wr_preempt_trace_wave(p->trace));
        text_row(&r, "files.view", wr_preempt_trace_view(p->trace));
    }
    if (p->trace && wr_preempt_trace_record(p->trace)[0]) {
        text_row(&r, "files.vectors", wr_preempt_trace_record(p->trace));
        count_row(&r, "files.vectors.count", wr_preempt_trace_files(p->trace), "");
        count_row(&r, "files.vectors.cycles", wr_preempt_trace_rows(p->trace), "cycles");
    }
    record_rows(&r, p);
}
