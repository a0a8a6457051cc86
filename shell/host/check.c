/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a job that has run: references are replayed on the host, then buffers compared.
 *
 * All checks of the same reference and stream share one replay, since it rewrites every buffer
 * anyway.
 */
#include "shell/host/job.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Host copies of all buffers, as a reference leaves them. */
typedef struct replay {
    const wr_job *job;
    uint8_t **copies;
    wr_own_memory *memory; /* in which they lie, for a reference that is not compiled in */
    const char *reference; /* that made them; NULL = none yet */
    const char *stream;    /* whose launches it followed; NULL = all */
    uint32_t stream_index;
} replay;

static void replay_free(replay *r)
{
    for (unsigned i = 0; r->copies && !r->memory && i < r->job->loaded.file->buffer_count; i++) {
        free(r->copies[i]);
    }
    free(r->copies);
    wr_own_memory_free(r->memory);
    r->copies = NULL;
    r->memory = NULL;
}

/* Copies of all buffers as they began; `own`: where another process sees them, too. */
static bool replay_reset(replay *r, bool own)
{
    const wr_launch_file *file = r->job->loaded.file;
    replay_free(r);
    r->copies = calloc(file->buffer_count + 1u, sizeof *r->copies);
    r->memory = own ? wr_own_memory_new(file) : NULL;
    for (unsigned i = 0; r->copies && (!own || r->memory) && i < file->buffer_count; i++) {
        const wr_launch_buffer *b = &file->buffers[i];
        r->copies[i] = own ? wr_own_memory_buffer(r->memory, i) : malloc((size_t)b->bytes);
        if (!r->copies[i]) {
            return false;
        }
        memcpy(r->copies[i], b->data, (size_t)b->bytes);
    }
    return r->copies && (!own || r->memory);
}

/* Shows one run of a launch to a reference. NULL, or why it cannot follow. */
static const char *replay_launch(const replay *r, size_t index, wr_launch_visit visit,
                                 void *visitor)
{
    const wr_launch_file *file = r->job->loaded.file;
    const wr_job_launch *jl = &r->job->launches[index];
    const wr_launch_entry *entry = &file->launches[index];
    wr_reference_arg *args = calloc(entry->arg_count + 1u, sizeof *args);
    if (!args) {
        return "out of memory";
    }
    for (unsigned i = 0; i < entry->arg_count; i++) {
        const wr_launch_arg *arg = &entry->args[i];
        if (arg->buffer) {
            const wr_launch_buffer *b = &file->buffers[arg->buffer_index];
            args[i] = (wr_reference_arg){.type = b->value_type->type,
                                         .data = r->copies[arg->buffer_index] + arg->offset,
                                         .count = b->count - arg->offset / b->value_type->size};
        } else if (arg->shared) {
            args[i] = (wr_reference_arg){.type = WR_U32, .integer = *arg->shared};
        } else if (arg->fields) {
            const wr_kernel_param *p = &jl->kernel->params[i];
            args[i] =
                (wr_reference_arg){.type = WR_B8, .data = jl->params + p->offset, .count = p->size};
        } else {
            const double real = arg->parsed.real; /* the kernel gets what its type can hold of it */
            args[i] =
                (wr_reference_arg){.type = arg->value_type->type,
                                   .integer = arg->parsed.integer,
                                   .real = arg->value_type->type == WR_F32 ? (float)real : real};
        }
    }
    wr_reference_launch launch = {
        .kernel = jl->kernel->name, .args = args, .arg_count = entry->arg_count};
    memcpy(launch.grid, jl->launch.grid, sizeof launch.grid);
    memcpy(launch.block, jl->launch.block, sizeof launch.block);
    const char *error = visit(visitor, &launch);
    free(args);
    /* References return literals, or NULL. */
    // cppcheck-suppress returnDanglingLifetime
    return error;
}

/* Times that a launch ran in the pass that is checked. */
static uint32_t runs_of(const replay *r, unsigned launch)
{
    return r->job->launches[launch].runs - r->job->launches[launch].runs_before;
}

/* All launches in the order in which they ran: those of one loop take turns. */
static const char *replay_launches(const void *of, wr_launch_visit visit, void *visitor)
{
    const replay *r = of;
    const wr_launch_file *file = r->job->loaded.file;
    const char *error = NULL;
    for (unsigned i = 0, end; i < file->launch_count; i = end) {
        end = i + (file->launches[i].together ? file->launches[i].together : 1);
        if (r->stream && file->launches[i].stream_index != r->stream_index) {
            continue;
        }
        for (uint32_t round = 0; round < runs_of(r, i) && !error; round++) {
            for (unsigned at = i; at < end && !error; at++) {
                if (round < runs_of(r, at)) {
                    error = replay_launch(r, at, visit, visitor);
                }
            }
        }
    }
    return error;
}

static const char *call_compiled(void *visitor, const wr_reference_launch *launch)
{
    const wr_reference_fn *reference = visitor;
    return (*reference)(launch);
}

static bool replay_all(replay *r, unsigned check, wr_diag *diag)
{
    const wr_job *job = r->job;
    const wr_launch_check *c = &job->loaded.file->checks[check];
    bool same_stream =
        !r->stream == !c->stream && (!c->stream || r->stream_index == c->stream_index);
    if (r->reference && strcmp(r->reference, c->reference) == 0 && same_stream) {
        return true;
    }
    const unsigned line = wr_launch_file_line(&job->loaded, "checks[%u].reference", check);
    const bool own = wr_own_reference_is(c->reference);
    r->stream = c->stream;
    r->stream_index = c->stream_index;
    r->reference = NULL;
    const char *error = replay_reset(r, own) ? NULL : "out of memory";
    if (!error && own) {
        const wr_own_launches launches = {replay_launches, r};
        if (!wr_own_reference_run(&job->loaded, c->reference, line, r->memory, launches, diag)) {
            return false;
        }
    } else if (!error) {
        error = replay_launches(r, call_compiled, &job->references[check]);
    }
    r->reference = error ? NULL : c->reference;
    if (error) {
        wr_diag_set(diag, job->loaded.path, line, 0,
                    "reference '%s' cannot follow this file's launches: %s", c->reference, error);
    }
    return !error;
}

bool wr_job_check(const wr_job *job, wr_check_result *results, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    replay r = {.job = job};
    bool ok = true;
    for (unsigned i = 0; i < file->check_count && ok; i++) {
        const wr_launch_check *c = &file->checks[i];
        const wr_launch_buffer *b = &file->buffers[c->buffer_index];
        results[i] = (wr_check_result){.buffer = c->buffer,
                                       .against = c->reference ? c->reference
                                                  : c->file    ? c->file
                                                               : "values",
                                       .type = b->value_type};
        if (!c->reference) {
            results[i].comparison =
                wr_compare(b->value_type, job->expected[i], job->buffers[c->buffer_index].result,
                           b->count, c->abs, c->rel);
        } else if ((ok = replay_all(&r, i, diag) && r.copies)) {
            results[i].comparison =
                wr_compare(b->value_type, r.copies[c->buffer_index],
                           job->buffers[c->buffer_index].result, b->count, c->abs, c->rel);
        }
    }
    replay_free(&r);
    return ok;
}

bool wr_job_check_pass(wr_job *job, wr_diag *diag)
{
    unsigned count = job->loaded.file->check_count;
    wr_check_result *results = calloc(count + 1u, sizeof *results);
    bool ok = results && wr_job_check(job, results, diag);
    for (unsigned i = 0; ok && i < count; i++) {
        if (job->checked[i].comparison.wrong == 0) {
            job->checked[i] = results[i];
            job->checked[i].pass = job->passes;
        }
    }
    if (!results) {
        wr_diag_set(diag, job->loaded.path, 0, 0, "out of memory");
    }
    free(results);
    return ok;
}

uint64_t wr_job_buffer_hash(const wr_job *job, size_t buffer)
{
    return XXH3_64bits(job->buffers[buffer].result, job->loaded.file->buffers[buffer].bytes);
}
