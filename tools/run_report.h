/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref run` says at the end, as text for people and as JSON for machines.
 *
 * The JSON holds results and the command that gives them again, no times and no paths but those
 * that the command was given: two runs of the same input give the same bytes.
 */
#ifndef WR_TOOLS_RUN_REPORT_H
#define WR_TOOLS_RUN_REPORT_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/host/job.h"
#include "systems/frame/group.h"
#include "tools/forward.h"

typedef struct wr_run_report {
    const wr_gpu_config *config;
    wr_job *const *jobs; /* of the files, in their order */
    size_t job_count;
    const struct wr_program_launches *program; /* of a CUDA program; NULL: it is none */
    uint64_t window; /* cycles that were asked for; 0 = one pass of each file */
    const wr_gpu *gpu;
    const wr_system_group *systems; /* NULL = none */
    const char *const *specs;       /* of each of them */
    const wr_run_result *result;
    const char *checkpoint;     /* file, where the run was saved */
    const char *wave, *samples; /* files of the GPU, NULL = none */
    const char *profile;        /* likewise */
    const char *timeline;       /* likewise, with what follows the path */
    const char *stats;          /* file that gets all figures, NULL = none */
    const char *command;        /* that gives the same figures again, NULL = not known */
    const wr_forward_option *forward;
    bool check_memory; /* was asked for */
    bool counters;     /* the text gives every counter; else a few */
    bool pass;
} wr_run_report;

/* Did the run end and did every check hold? Without checks it passes on its end alone. */
bool wr_run_report_pass(const wr_run_report *report);

void wr_run_report_print(const wr_run_report *report, FILE *out);
/* NULL where memory ran out; free with cJSON_Delete. parts: the counters of every part of the GPU,
 * too. */
cJSON *wr_run_report_json(const wr_run_report *report, bool parts);
/* All counters, then the systems' rows, each name behind its system's. False: a write failed, or
 * memory ran out. */
bool wr_run_report_csv(const wr_run_report *report, FILE *out);
/* All figures, as CSV or JSON, which the ending of the report's `stats` says. False: a write
 * failed, which the stream keeps, or with `diag` set memory ran out. */
bool wr_run_report_figures(const wr_run_report *report, FILE *stats, wr_diag *diag);
/* The report as text or JSON. False with `diag` set: memory ran out; `out` is the caller's to look
 * after. */
bool wr_run_report_write(const wr_run_report *report, bool json, FILE *out, wr_diag *diag);

#endif
