/* SPDX-License-Identifier: Apache-2.0 */
/* See run_files.h. */
#include "tools/run_files.h"

#include <stdlib.h>
#include <string.h>

#include "files/replace.h"
#include "systems/frame/bay.h"
#include "tools/paths.h"

static const char vectors[] = "the folder of vectors"; /* the systems' together */

/* What the PTX was made of, as it says: a profile shows the lines. */
static void add_sources(wr_paths *p, const wr_module *module)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wr_sources *sources = module->kernels[i].sources;
        uint32_t last = UINT32_MAX;

        for (size_t k = 0; sources && k < sources->count; k++) {
            const uint32_t file = sources->at[k].file;

            if (file != UINT32_MAX && file != last) {
                wr_paths_read(p, "a source that the PTX names", sources->files[file]);
            }
            last = file;
        }
    }
}

/* Of a launch file: itself, its module, and the files of its buffers. */
static void add_job(wr_paths *p, const wr_job *job, const char *path)
{
    const wr_launch_file *file = job->loaded.file;
    char *module = wr_launch_file_path(&job->loaded, file->module);

    wr_paths_read(p, "a launch file", path);
    wr_paths_read(p, "its module", module);
    free(module);
    wr_paths_sources(p, job->sources);
    add_sources(p, job->module);
    for (unsigned i = 0; i < file->buffer_count; i++) {
        char *data =
            file->buffers[i].file ? wr_launch_file_path(&job->loaded, file->buffers[i].file) : NULL;
        wr_paths_read(p, "a buffer's file", data);
        free(data);
    }
    for (unsigned i = 0; i < file->check_count; i++) {
        char *data =
            file->checks[i].file ? wr_launch_file_path(&job->loaded, file->checks[i].file) : NULL;
        wr_paths_read(p, "a check's file", data);
        free(data);
        const char *reference = file->checks[i].reference;
        char *own = reference && wr_own_reference_is(reference)
                        ? wr_own_reference_path(&job->loaded, reference)
                        : NULL;
        wr_paths_read(p, "a reference's file", own);
        free(own);
    }
    for (unsigned i = 0; i < file->output_count; i++) {
        char *data = wr_launch_file_path(&job->loaded, file->outputs[i].file);
        wr_paths_write(p, "a launch file's output", data); /* wr_jobs_begin says whose */
        free(data);
    }
}

/* Of a system's own text: wave=, record=, dump=. */
static void add_system(wr_paths *p, const char *spec)
{
    const int name_size = (int)strcspn(spec, ":");
    const char *at = strchr(spec, ':');

    while (at) {
        const char *equals = strchr(at + 1, '=');
        const char *end = strchr(at + 1, ',');

        if (!equals || (end && end < equals)) {
            return; /* the system says what is wrong with it */
        }
        const size_t size = (size_t)(equals - at - 1);
        char *path = strndup(equals + 1, end ? (size_t)(end - equals - 1) : strlen(equals + 1));

        for (size_t i = 0; i < WR_BAY_OPTIONS; i++) {
            const wr_option *row = &wr_bay_options[i];
            char what[96];

            if (row->kind != WR_OPTION_PATH || strlen(row->name) != size ||
                strncmp(at + 1, row->name, size) != 0) {
                continue;
            }
            (void)snprintf(what, sizeof what, "%s of system %.*s", row->name, name_size, spec);
            if (i == WR_BAY_WAVE) {
                wr_paths_wave(p, "the waveform", path); /* of all together */
            } else {
                wr_paths_write(p, i == WR_BAY_RECORD ? vectors : what, path);
            }
        }
        free(path);
        at = end;
    }
}

/* The file in front of the first comma. */
static void add_to_comma(wr_paths *p, const char *what, const char *text, bool is_written)
{
    char *path = text ? strndup(text, strcspn(text, ",")) : NULL;
    if (is_written) {
        wr_paths_write(p, what, path);
    } else {
        wr_paths_read(p, what, path);
    }
    free(path);
}

/* The checkpoint before stays as FILE.1. */
static void add_checkpoint(wr_paths *p, const char *path)
{
    static const char *const ends[] = {"", ".1"};
    char *target = path ? wr_replace_target(path) : NULL; /* of a link, which stays */
    for (size_t i = 0; path && i < sizeof ends / sizeof ends[0]; i++) {
        char *name = NULL;
        char what[48];
        (void)snprintf(what, sizeof what, "%s%s", i == 0 ? "" : "what --checkpoint makes, FILE",
                       i == 0 ? "--checkpoint" : ends[i]);
        if (asprintf(&name, "%s%s", target && i != 0 ? target : path, ends[i]) >= 0) {
            wr_paths_write(p, what, name);
            free(name);
        }
    }
    free(target);
}

/* @FILE[*N],... among applications. */
static void add_traces(wr_paths *p, const char *apps)
{
    for (const char *at = apps; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *path = at[0] == '@' ? strndup(at + 1, strcspn(at + 1, "*,")) : NULL;
        wr_paths_read(p, "a trace of --cpu", path);
        free(path);
    }
}

bool wr_run_files_apart(const wr_run_options *o, const wr_job *jobs, const wr_module *of_program)
{
    wr_paths p = {0};
    wr_paths_read(&p, "the program", o->program);
    if (of_program) {
        add_sources(&p, of_program);
    }
    for (uint32_t i = 0; i < o->file_count; i++) {
        add_job(&p, &jobs[i], o->files[i]);
    }
    wr_paths_read(&p, "--config", o->config.name);
    wr_paths_read(&p, "--resume",
                  o->resume && (!o->checkpoint || strcmp(o->resume, o->checkpoint) != 0) ? o->resume
                                                                                         : NULL);
    add_checkpoint(&p, o->checkpoint);
    add_traces(&p, o->cpu);
    wr_paths_write(&p, "--stats", o->stats);
    wr_paths_write(&p, "--samples", o->samples);
    wr_paths_write(&p, "--profile", o->profile);
    add_to_comma(&p, "--timeline", o->timeline, true);
    wr_paths_write(&p, "--printf", o->printf_file);
    wr_paths_write(&p, vectors, o->given.record);
    wr_paths_wave(&p, "the waveform", o->given.wave);
    for (size_t i = 0; i < o->rtl_count; i++) {
        const char *equals = strchr(o->rtl[i], '=');
        add_to_comma(&p, "--rtl", equals ? equals + 1 : NULL, false);
    }
    for (uint32_t i = 0; i < o->system_count; i++) {
        add_system(&p, o->systems[i]);
    }
    return wr_paths_apart(&p, "warpref run");
}
