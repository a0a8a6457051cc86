/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a run; see run_report.h. */
#include "tools/run_report.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "shell/core/seam/meter.h"
#include "tools/counters_out.h"
#include "tools/launch_rows.h"
#include "tools/memory_findings.h"
#include "waveforms/save.h"

static const char *status_name(wr_run_status status)
{
    switch (status) {
    case WR_RUN_DONE:
        return "done";
    case WR_RUN_CYCLE_LIMIT:
        return "cycle limit";
    case WR_RUN_MEMORY_FAULT:
        return "memory fault";
    case WR_RUN_TRAP:
        return "trap";
    case WR_RUN_DEADLOCK:
        return "deadlock";
    case WR_RUN_SYSTEM:
        return "stopped by the system";
    case WR_RUN_STOPPED:
        return "interrupted";
    case WR_RUN_SAVED:
        return "saved";
    case WR_RUN_REFUSED:
        return "refused";
    }
    return "unknown";
}

bool wr_run_report_pass(const wr_run_report *r)
{
    if (r->result->status != WR_RUN_DONE) {
        return false;
    }
    for (size_t j = 0; j < r->job_count; j++) {
        for (unsigned i = 0; i < r->jobs[j]->loaded.file->check_count; i++) {
            if (r->jobs[j]->checked[i].comparison.wrong != 0) {
                return false;
            }
        }
    }
    return true;
}

/* A window ends in the middle of passes: without a whole one there are no results. */
static bool has_results(const wr_run_report *r, const wr_job *job)
{
    return r->result->status == WR_RUN_DONE && (!r->window || job->passes != 0);
}

static unsigned check_count(const wr_run_report *r)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->job_count; i++) {
        count += has_results(r, r->jobs[i]) ? r->jobs[i]->loaded.file->check_count : 0;
    }
    return count;
}

/* What a file's launches did, and in how many cycles: those of the window, else from the first
 * one's begin to the last one's end. */
typedef struct file_sums {
    uint64_t cycles, issued, loads;
    double ipc, load_latency;
} file_sums;

/* Of a file, by its number; its streams stand behind those of the files before. */
static file_sums sum_file(const wr_run_report *r, size_t file)
{
    const wr_job *job = r->jobs[file];
    file_sums sums = {0};
    uint64_t load_cycles = 0;
    uint32_t stream = 0;
    uint64_t begun = UINT64_MAX, ended = 0;
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        const wr_job_launch *jl = &job->launches[i];
        if (jl->runs != 0 || jl->cut) {
            begun = jl->sum.begun < begun ? jl->sum.begun : begun;
            ended = jl->sum.ended > ended ? jl->sum.ended : ended;
            sums.issued += jl->sum.issued;
        }
    }
    sums.cycles = r->window ? r->result->cycles : ended > begun ? ended - begun : 0;
    sums.ipc = sums.cycles ? (double)sums.issued / (double)sums.cycles : 0;
    for (size_t i = 0; i < file; i++) {
        stream += r->jobs[i]->loaded.file->stream_count;
    }
    for (uint32_t end = stream + job->loaded.file->stream_count; stream < end; stream++) {
        wr_load_meter m = wr_meter_loads(r->gpu, stream);
        sums.loads += m.loads;
        load_cycles += m.cycles;
    }
    sums.load_latency = sums.loads ? (double)load_cycles / (double)sums.loads : 0;
    return sums;
}

enum { SPECS = 2048 };

static uint32_t system_count(const wr_run_report *r)
{
    return r->systems ? wr_system_group_count(r->systems) : 0;
}

/* The texts that the systems were made from; empty without one. */
static void join_specs(const wr_run_report *r, char text[SPECS])
{
    text[0] = '\0';
    for (uint32_t i = 0; i < system_count(r); i++) {
        size_t used = strlen(text);
        (void)snprintf(text + used, SPECS - used, "%s%s", i ? " + " : "", r->specs[i]);
    }
}

static const char *backend(const wr_run_report *r)
{
    return r->systems ? wr_backend_name(wr_system_group_backend(r->systems)) : "none";
}

static void print_check(const wr_run_report *r, const wr_job *job, const wr_check_result *check,
                        FILE *out)
{
    const wr_comparison *c = &check->comparison;
    bool several = r->job_count > 1;
    (void)fprintf(out, "  %-4s %s%s%s against %s: ", c->wrong ? "FAIL" : "PASS",
                  several ? job->name : "", several ? ":" : "", check->buffer, check->against);
    if (r->window && c->wrong) {
        (void)fprintf(out, "in pass %" PRIu64 " of %" PRIu64 ", ", check->pass, job->passes);
    } else if (r->window) {
        (void)fprintf(out, "in %" PRIu64 " pass%s, ", job->passes, job->passes == 1 ? "" : "es");
    }
    if (c->wrong) {
        char want[40], have[40];
        wr_value_format(check->type, c->want, want, sizeof want);
        wr_value_format(check->type, c->have, have, sizeof have);
        (void)fprintf(out,
                      "%" PRIu64 " of %" PRIu64 " elements differ, the first at [%" PRIu64
                      "]: expected %s, got %s\n",
                      c->wrong, c->compared, c->first, want, have);
    } else if (c->largest_error > 0) {
        (void)fprintf(out, "%" PRIu64 " elements, largest error %.3g\n", c->compared,
                      c->largest_error);
    } else {
        (void)fprintf(out, "%" PRIu64 " elements, all equal\n", c->compared);
    }
}

static void print_system(const wr_run_report *r, uint32_t index, FILE *out)
{
    const wr_system_type *type = wr_system_group_type(r->systems, index);
    wr_report *report = wr_system_group_report(r->systems, index);
    (void)fprintf(out, "\nSystem %s: %s%s%s\n", type->name, type->summary,
                  type->paper[0] ? "; " : "", type->paper);
    if (report) {
        wr_report_print(report, out);
    } else {
        (void)fputs("  its figures are missing: out of memory\n", out);
    }
    wr_report_free(report);
}

static void print_files(const wr_run_report *r, FILE *out)
{
    (void)fputs("\nFiles\n", out);
    for (size_t i = 0; i < r->job_count; i++) {
        file_sums sums = sum_file(r, i);
        (void)fprintf(out,
                      "  %s: %" PRIu64 " warp instructions in %" PRIu64
                      " cycles, %.4f a cycle, %.1f cycles a load, %" PRIu64 " whole pass%s\n",
                      r->jobs[i]->name, sums.issued, sums.cycles, sums.ipc, sums.load_latency,
                      r->jobs[i]->passes, r->jobs[i]->passes == 1 ? "" : "es");
    }
}

static void print_output(const wr_run_report *r, FILE *out)
{
    unsigned checks = check_count(r);
    (void)fputs("\nOutput\n", out);
    if (r->result->status == WR_RUN_SAVED) {
        (void)fprintf(out,
                      "  saved at cycle %" PRIu64 ", nothing was checked; --resume goes on\n"
                      "SAVED %s\n",
                      r->result->cycles, r->checkpoint);
        return;
    }
    if (r->result->status != WR_RUN_DONE) {
        (void)fprintf(out, "  FAIL %s at cycle %" PRIu64 "\n", status_name(r->result->status),
                      r->result->cycles);
    } else if (r->window && r->result->cycles == r->window) {
        (void)fprintf(out, "  stopped after %" PRIu64 " cycles as asked\n", r->result->cycles);
    }
    for (size_t i = 0; r->result->status == WR_RUN_DONE && i < r->job_count; i++) {
        const wr_job *job = r->jobs[i];
        unsigned count = job->loaded.file->check_count;
        const char *of = r->job_count > 1 ? job->name : "the launch file";
        if (count == 0) {
            (void)fprintf(out, "  %s has no checks\n", of);
        } else if (!has_results(r, job)) {
            (void)fprintf(out, "  nothing of %s was checked: no pass of it came to its end\n", of);
        } else {
            for (unsigned k = 0; k < count; k++) {
                print_check(r, job, &job->checked[k], out);
            }
        }
    }
    const char *good = checks == 0 ? "DONE, nothing was checked" : "PASS";
    (void)fprintf(out, "%s\n", r->pass ? good : "FAIL");
}

void wr_run_report_print(const wr_run_report *r, FILE *out)
{
    char specs[SPECS];
    join_specs(r, specs);
    for (size_t i = 0; i < r->job_count; i++) {
        (void)fprintf(out, "%s%s", i ? " + " : "", r->jobs[i]->loaded.path);
    }
    (void)fprintf(out, "%s on %s%s%s, blocks: %s\n", r->job_count ? "" : "the program",
                  r->config->name, specs[0] ? ", system " : ", no system", specs, backend(r));
    for (size_t i = 0; i < r->job_count; i++) {
        for (unsigned k = 0; k < r->jobs[i]->loaded.file->launch_count; k++) {
            wr_launch_row row = wr_launch_row_of(r->jobs[i], k, r->job_count > 1);
            wr_launch_row_print(&row, r->config, out);
        }
    }
    if (r->program && !wr_program_launches_print(r->program, r->config, out)) {
        (void)fputs("  launches are missing: out of memory\n", out);
    }
    if (r->job_count > 1 || r->window) {
        print_files(r, out);
    }
    wr_forward_option_print(r->forward, r->gpu, out);
    if (r->check_memory) {
        wr_memory_findings_report(r->gpu, out);
    }
    wr_counters_print(r->gpu, r->counters, out);
    for (uint32_t i = 0; i < system_count(r); i++) {
        print_system(r, i, out);
    }
    if (r->wave || r->samples || r->profile || r->timeline || r->stats) {
        (void)fputc('\n', out);
    }
    if (r->wave) {
        char view[4096];
        (void)fprintf(out, "Waveform of the GPU: %s", r->wave);
        if (wr_save_view_path(r->wave, view, sizeof view)) {
            (void)fprintf(out, "; gtkwave %s shows it", view);
        }
        (void)fputc('\n', out);
    }
    if (r->samples) {
        (void)fprintf(out, "Samples of counters: %s\n", r->samples);
    }
    if (r->profile) {
        (void)fprintf(out, "Profile of kernels: %s\n", r->profile);
    }
    if (r->timeline) {
        (void)fprintf(out, "Timeline of warps: %.*s\n", (int)strcspn(r->timeline, ","),
                      r->timeline);
    }
    if (r->stats) {
        (void)fprintf(out, "All figures: %s\n", r->stats);
    }
    print_output(r, out);
}

/* "measured": names as they are where one system measured, else behind the system's. */
static bool add_measured(const wr_run_report *r, cJSON *root)
{
    cJSON *measured = cJSON_AddObjectToObject(root, "measured");
    uint32_t count = system_count(r);
    for (uint32_t i = 0; i < count; i++) {
        wr_report *report = wr_system_group_report(r->systems, i);
        char before[64] = "";
        if (!report) {
            return false;
        }
        if (count > 1) {
            (void)snprintf(before, sizeof before, "%s.", wr_system_group_type(r->systems, i)->name);
        }
        wr_report_json(report, before, measured);
        wr_report_free(report);
    }
    return true;
}

static void add_files(const wr_run_report *r, cJSON *root)
{
    cJSON *files = cJSON_AddArrayToObject(root, "files");
    for (size_t i = 0; i < r->job_count; i++) {
        file_sums sums = sum_file(r, i);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "file", r->jobs[i]->name);
        cJSON_AddNumberToObject(item, "cycles", (double)sums.cycles);
        cJSON_AddNumberToObject(item, "warp_instructions", (double)sums.issued);
        cJSON_AddNumberToObject(item, "ipc", sums.ipc);
        cJSON_AddNumberToObject(item, "loads", (double)sums.loads);
        cJSON_AddNumberToObject(item, "load_latency", sums.load_latency);
        cJSON_AddNumberToObject(item, "passes", (double)r->jobs[i]->passes);
        cJSON_AddItemToArray(files, item);
    }
}

/* Returns what they have counted. */
static wr_launch_stats add_launches(const wr_run_report *r, cJSON *launches)
{
    wr_launch_stats sum = {0};
    for (size_t j = 0; j < r->job_count; j++) {
        for (unsigned i = 0; i < r->jobs[j]->loaded.file->launch_count; i++) {
            wr_launch_row row = wr_launch_row_of(r->jobs[j], i, r->job_count > 1);
            row.tells_cut = r->window != 0 || row.cut;
            wr_launch_row_json(&row, r->config, launches);
            wr_launch_stats_add(&sum, &row.sum.stats);
        }
    }
    if (r->program) {
        wr_program_launches_json(r->program, r->config, launches);
    }
    for (size_t i = 0; r->program && i < r->program->count; i++) {
        wr_launch_stats_add(&sum, &r->program->item[i].result.stats);
    }
    return sum;
}

static void add_checks(const wr_run_report *r, const wr_job *job, cJSON *checks)
{
    for (unsigned i = 0; has_results(r, job) && i < job->loaded.file->check_count; i++) {
        const wr_check_result *c = &job->checked[i];
        cJSON *item = cJSON_CreateObject();
        if (r->job_count > 1) {
            cJSON_AddStringToObject(item, "file", job->name);
        }
        cJSON_AddStringToObject(item, "buffer", c->buffer);
        cJSON_AddStringToObject(item, "against", c->against);
        cJSON_AddNumberToObject(item, "compared", (double)c->comparison.compared);
        cJSON_AddNumberToObject(item, "wrong", (double)c->comparison.wrong);
        cJSON_AddNumberToObject(item, "largest_error", c->comparison.largest_error);
        if (r->window) {
            cJSON_AddNumberToObject(item, "pass", (double)c->pass);
        }
        cJSON_AddItemToArray(checks, item);
    }
}

static void add_hashes(const wr_run_report *r, const wr_job *job, cJSON *buffers)
{
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        char hash[20], name[1024];
        if (!job->buffers[i].result) {
            continue; /* of a window without a whole pass */
        }
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, wr_job_buffer_hash(job, i));
        (void)snprintf(name, sizeof name, "%s:%s", job->name, job->loaded.file->buffers[i].name);
        cJSON_AddStringToObject(buffers,
                                r->job_count > 1 ? name : job->loaded.file->buffers[i].name, hash);
    }
}

cJSON *wr_run_report_json(const wr_run_report *r, bool parts)
{
    cJSON *root = cJSON_CreateObject();
    char specs[SPECS];
    join_specs(r, specs);
    if (r->command) {
        cJSON_AddStringToObject(root, "command", r->command);
    }
    cJSON_AddStringToObject(root, "config", r->config->name);
    cJSON_AddStringToObject(root, "system", specs[0] ? specs : "none");
    cJSON_AddStringToObject(root, "blocks", backend(r));
    cJSON_AddStringToObject(root, "status", status_name(r->result->status));
    if (r->result->status == WR_RUN_SAVED) {
        cJSON_AddStringToObject(root, "checkpoint", r->checkpoint);
    } else if (r->result->status != WR_RUN_DONE) {
        cJSON_AddStringToObject(root, "message", r->result->message);
    }
    cJSON_AddBoolToObject(root, "pass", r->pass);
    cJSON_AddNumberToObject(root, "cycles", (double)r->result->cycles);
    if (r->window) {
        cJSON_AddNumberToObject(root, "window", (double)r->window);
    }
    if (r->job_count > 1 || r->window) {
        add_files(r, root);
    }
    const wr_launch_stats of_launches = add_launches(r, cJSON_AddArrayToObject(root, "launches"));
    cJSON *checks = cJSON_AddArrayToObject(root, "checks");
    cJSON *hashes = cJSON_AddObjectToObject(root, "buffer_hashes");
    for (size_t i = 0; i < r->job_count; i++) {
        add_checks(r, r->jobs[i], checks);
        add_hashes(r, r->jobs[i], hashes);
    }
    wr_forward_option_json(r->forward, r->gpu, root);
    if (r->check_memory) {
        wr_memory_findings_json(r->gpu, root);
    }
    wr_counters_json(r->gpu, parts, root);
    wr_no_launch_json(&of_launches, root);
    if (r->systems && !add_measured(r, root)) {
        cJSON_Delete(root);
        return NULL;
    }
    return root;
}

bool wr_run_report_csv(const wr_run_report *r, FILE *out)
{
    bool ok = wr_counters_csv(r->gpu, out);
    for (uint32_t i = 0; ok && i < system_count(r); i++) {
        wr_report *report = wr_system_group_report(r->systems, i);
        char before[64];
        ok = report != NULL;
        if (ok) {
            (void)snprintf(before, sizeof before, "%s.", wr_system_group_type(r->systems, i)->name);
            wr_report_csv(report, before, out);
        }
        wr_report_free(report);
    }
    return ok && !ferror(out);
}

static bool is_csv(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcmp(dot, ".csv") == 0;
}

/* False where it can't be made or written; the first with `diag` set. */
static bool write_json(const wr_run_report *r, bool parts, FILE *out, wr_diag *diag)
{
    cJSON *json = wr_run_report_json(r, parts);
    char *text = json ? cJSON_Print(json) : NULL;
    bool ok = text != NULL;
    if (!ok) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
    } else {
        ok = fputs(text, out) >= 0 && fputc('\n', out) != EOF;
    }
    cJSON_free(text);
    cJSON_Delete(json);
    return ok;
}

bool wr_run_report_figures(const wr_run_report *r, FILE *stats, wr_diag *diag)
{
    return is_csv(r->stats) ? wr_run_report_csv(r, stats) : write_json(r, true, stats, diag);
}

bool wr_run_report_write(const wr_run_report *r, bool json, FILE *out, wr_diag *diag)
{
    if (!json) {
        wr_run_report_print(r, out);
    }
    return !json || write_json(r, false, out, diag) || !diag->message[0];
}
