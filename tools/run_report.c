/* SPDX-License-Identifier: Apache-2.0 */
/* The report of a run; see run_report.h. */
#include "tools/run_report.h"

#include <inttypes.h>
#include <string.h>

#include "tools/counters_out.h"

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
    for (unsigned i = 0; i < r->job->loaded.file->check_count; i++) {
        if (r->checks[i].comparison.wrong != 0) {
            return false;
        }
    }
    return true;
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

static void print_check(const wr_check_result *check, FILE *out)
{
    const wr_comparison *c = &check->comparison;
    (void)fprintf(out, "  %-4s %s against %s: ", c->wrong ? "FAIL" : "PASS", check->buffer,
                  check->against);
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

static void print_launch(const wr_run_report *r, unsigned index, FILE *out)
{
    const wr_job_launch *jl = &r->job->launches[index];
    const wr_launch *l = &jl->launch;
    wr_occupancy occupancy = wr_gpu_occupancy(r->config, l);
    (void)fprintf(out,
                  "  %s: grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 ", block %" PRIu32 "x%" PRIu32
                  "x%" PRIu32 ", ran %" PRIu32 " times\n"
                  "    %" PRIu32 " registers per thread, %" PRIu32
                  " bytes of shared memory, %" PRIu32 " TBs per SM (limited by: %s)\n",
                  jl->kernel->name, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                  l->block[2], jl->runs, jl->kernel->regs,
                  jl->kernel->shared_bytes + l->shared_dynamic, occupancy.tbs, occupancy.limit);
    if (jl->runs == 0) {
        return;
    }
    const wr_launch_result *sum = &jl->sum;
    (void)fprintf(out,
                  "    %s%sfrom cycle %" PRIu64 " to %" PRIu64 ", %" PRIu64
                  " of them in flight: %" PRIu64 " warp instructions, %" PRIu64 " TBs\n",
                  jl->label, jl->label[0] ? ", " : "", sum->begun, sum->ended, jl->cycles,
                  sum->issued, sum->tbs);
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

void wr_run_report_print(const wr_run_report *r, FILE *out)
{
    const wr_launch_file *file = r->job->loaded.file;
    char specs[SPECS];
    join_specs(r, specs);
    (void)fprintf(out, "%s on %s%s%s, blocks: %s\n", r->job->loaded.path, r->config->name,
                  specs[0] ? ", system " : ", no system", specs, backend(r));
    for (unsigned i = 0; i < file->launch_count; i++) {
        print_launch(r, i, out);
    }
    wr_counters_print(r->gpu, r->counters, out);
    for (uint32_t i = 0; i < system_count(r); i++) {
        print_system(r, i, out);
    }
    if (r->wave || r->samples || r->stats) {
        (void)fputc('\n', out);
    }
    if (r->wave) {
        (void)fprintf(out, "Waveform of the GPU: %s\n", r->wave);
    }
    if (r->samples) {
        (void)fprintf(out, "Samples of counters: %s\n", r->samples);
    }
    if (r->stats) {
        (void)fprintf(out, "All figures: %s\n", r->stats);
    }
    (void)fputs("\nOutput\n", out);
    if (r->result->status != WR_RUN_DONE) {
        (void)fprintf(out, "  FAIL %s at cycle %" PRIu64 "\n", status_name(r->result->status),
                      r->result->cycles);
    } else if (file->check_count == 0) {
        (void)fputs("  the launch file has no checks\n", out);
    } else {
        for (unsigned i = 0; i < file->check_count; i++) {
            print_check(&r->checks[i], out);
        }
    }
    const char *good = file->check_count == 0 ? "DONE, nothing was checked" : "PASS";
    (void)fprintf(out, "%s\n", r->pass ? good : "FAIL");
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

static void add_launches(const wr_run_report *r, cJSON *root)
{
    cJSON *launches = cJSON_AddArrayToObject(root, "launches");
    for (unsigned i = 0; i < r->job->loaded.file->launch_count; i++) {
        const wr_job_launch *jl = &r->job->launches[i];
        wr_occupancy occupancy = wr_gpu_occupancy(r->config, &jl->launch);
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "kernel", jl->kernel->name);
        cJSON_AddNumberToObject(item, "runs", jl->runs);
        const char *stream = r->job->loaded.file->launches[i].stream;
        cJSON_AddStringToObject(item, "stream", stream ? stream : "");
        cJSON_AddNumberToObject(item, "begun", (double)jl->sum.begun);
        cJSON_AddNumberToObject(item, "placed", (double)jl->sum.placed);
        cJSON_AddNumberToObject(item, "ended", (double)jl->sum.ended);
        cJSON_AddNumberToObject(item, "cycles", (double)jl->cycles);
        cJSON_AddNumberToObject(item, "warp_instructions", (double)jl->sum.issued);
        cJSON_AddNumberToObject(item, "thread_instructions", (double)jl->sum.thread_insns);
        cJSON_AddNumberToObject(item, "tbs", (double)jl->sum.tbs);
        cJSON_AddNumberToObject(item, "tbs_evicted", (double)jl->sum.tbs_evicted);
        cJSON_AddNumberToObject(item, "tbs_restored", (double)jl->sum.tbs_restored);
        cJSON_AddNumberToObject(item, "registers", jl->kernel->regs);
        cJSON_AddNumberToObject(item, "shared_bytes",
                                jl->kernel->shared_bytes + jl->launch.shared_dynamic);
        cJSON_AddNumberToObject(item, "tbs_per_sm", occupancy.tbs);
        cJSON_AddStringToObject(item, "limit", occupancy.limit);
        cJSON_AddItemToArray(launches, item);
    }
}

static void add_outputs(const wr_run_report *r, cJSON *root)
{
    const wr_launch_file *file = r->job->loaded.file;
    cJSON *checks = cJSON_AddArrayToObject(root, "checks");
    for (unsigned i = 0; r->result->status == WR_RUN_DONE && i < file->check_count; i++) {
        const wr_check_result *c = &r->checks[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "buffer", c->buffer);
        cJSON_AddStringToObject(item, "against", c->against);
        cJSON_AddNumberToObject(item, "compared", (double)c->comparison.compared);
        cJSON_AddNumberToObject(item, "wrong", (double)c->comparison.wrong);
        cJSON_AddNumberToObject(item, "largest_error", c->comparison.largest_error);
        cJSON_AddItemToArray(checks, item);
    }
    cJSON *buffers = cJSON_AddObjectToObject(root, "buffer_hashes");
    for (unsigned i = 0; i < file->buffer_count; i++) {
        char hash[20];
        (void)snprintf(hash, sizeof hash, "%016" PRIx64, wr_job_buffer_hash(r->job, i));
        cJSON_AddStringToObject(buffers, file->buffers[i].name, hash);
    }
}

cJSON *wr_run_report_json(const wr_run_report *r, bool parts)
{
    cJSON *root = cJSON_CreateObject();
    char specs[SPECS];
    join_specs(r, specs);
    cJSON_AddStringToObject(root, "config", r->config->name);
    cJSON_AddStringToObject(root, "system", specs[0] ? specs : "none");
    cJSON_AddStringToObject(root, "blocks", backend(r));
    cJSON_AddStringToObject(root, "status", status_name(r->result->status));
    if (r->result->status != WR_RUN_DONE) {
        cJSON_AddStringToObject(root, "message", r->result->message);
    }
    cJSON_AddBoolToObject(root, "pass", r->pass);
    cJSON_AddNumberToObject(root, "cycles", (double)r->result->cycles);
    add_launches(r, root);
    add_outputs(r, root);
    wr_counters_json(r->gpu, parts, root);
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
