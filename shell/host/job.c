/* SPDX-License-Identifier: Apache-2.0 */
/* Loading, fitting and running of jobs; checks are in check.c. */
#include "shell/host/job.h"
#include "shell/config/regular.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/host/args.h"
#include "shell/host/data_file.h"
#include "shell/host/module.h"
#include "shell/host/names.h"
#include "shell/host/output.h"
#include "shell/host/place.h"
#include "shell/host/play.h"

typedef struct loader {
    wr_job *job;
    wr_diag *diag;
} loader;

bool wr_job_fault(const wr_job *job, wr_diag *diag, unsigned line, const char *format, ...)
{
    char message[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    wr_diag_set(diag, job->loaded.path, line, 0, "%s", message);
    return false;
}

static void list_kernels(const wr_module *module, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < module->kernel_count && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? ", " : "", module->kernels[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
    for (size_t i = 0; i < module->refused_count && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s (refused)", used ? ", " : "",
                         module->refused[i].name);
        used += n > 0 ? (size_t)n : 0;
    }
}

static bool bind_launch(const loader *l, size_t index)
{
    wr_job *job = l->job;
    const wr_launch_entry *entry = &job->loaded.file->launches[index];
    wr_job_launch *jl = &job->launches[index];
    wr_named named = wr_find_kernel(job->module, entry->kernel);
    if (named.other) {
        return wr_job_fault(job, l->diag,
                            wr_launch_file_line(&job->loaded, "launches[%zu].kernel", index),
                            "'%s' may be '%s' or '%s' of the module; write one of these",
                            entry->kernel, named.encoded, named.other);
    }
    jl->kernel = named.kernel;
    if (named.refused) { /* the place in the PTX text says more than the launch's */
        *l->diag = *named.refused;
        return false;
    }
    if (!jl->kernel) {
        char names[200];
        list_kernels(job->module, names, sizeof names);
        return wr_job_fault(job, l->diag,
                            wr_launch_file_line(&job->loaded, "launches[%zu].kernel", index),
                            "the module has no kernel '%s'; it has %s", entry->kernel,
                            *names ? names : "none (declare kernels __global__)");
    }
    const wr_kernel *k = jl->kernel;
    if (entry->arg_count != k->param_count) {
        return wr_job_fault(job, l->diag,
                            wr_launch_file_line(&job->loaded, "launches[%zu].args", index),
                            "kernel '%s' has %zu parameters, but %u arguments are given", k->name,
                            k->param_count, entry->arg_count);
    }
    wr_launch *launch = &jl->launch;
    *launch = (wr_launch){.kernel = k,
                          .grid = {1, 1, 1},
                          .block = {1, 1, 1},
                          .shared_dynamic = entry->shared,
                          .hint = entry->hint ? (uint8_t)*entry->hint : k->hint,
                          .regs_override = entry->registers};
    for (unsigned i = 0; i < entry->grid_count; i++) {
        launch->grid[i] = entry->grid[i];
    }
    for (unsigned i = 0; i < entry->block_count; i++) {
        launch->block[i] = entry->block[i];
    }
    const uint32_t *req = k->req_tid;
    if (req[0] && memcmp(req, launch->block, sizeof k->req_tid) != 0) {
        return wr_job_fault(
            job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].block", index),
            "kernel '%s' declares .reqntid: its block must be [%" PRIu32 ", %" PRIu32 ", %" PRIu32
            "], not [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]",
            k->name, req[0], req[1], req[2], launch->block[0], launch->block[1], launch->block[2]);
    }
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (k->max_tid && threads > k->max_tid) {
        return wr_job_fault(
            job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].block", index),
            "the block has %" PRIu32 " threads, but kernel '%s' declares at most %" PRIu32, threads,
            k->name, k->max_tid);
    }
    if (entry->registers && entry->registers < k->regs) {
        return wr_job_fault(
            job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].registers", index),
            "kernel '%s' needs %" PRIu32 " registers; 'registers' can only raise that", k->name,
            k->regs);
    }
    jl->params = calloc(k->param_bytes + 1, 1);
    if (!jl->params) {
        return wr_job_fault(job, l->diag, 0, "out of memory");
    }
    launch->params = jl->params;
    launch->label = jl->label;
    return wr_args_bind(job, index, l->diag);
}

/* What a check compares with; a missing file is told now and not behind a long run. */
static bool bind_expected(const loader *l, unsigned index)
{
    wr_job *job = l->job;
    const wr_loaded_file *loaded = &job->loaded;
    const wr_launch_check *check = &loaded->file->checks[index];
    const wr_launch_buffer *b = &loaded->file->buffers[check->buffer_index];
    const wr_value_type *type = b->value_type;
    unsigned line = wr_launch_file_line(loaded, "checks[%u].file", index);
    if (check->values) {
        job->expected[index] = malloc((size_t)b->bytes);
        for (unsigned i = 0; job->expected[index] && i < check->value_count; i++) {
            wr_value value;
            wr_value_parse(type, check->values[i], &value);
            wr_value_store(type, value, job->expected[index] + (size_t)i * type->size);
        }
        return job->expected[index] || wr_job_fault(job, l->diag, line, "out of memory");
    }
    char why[WR_DATA_WHY_MAX] = "cannot be read: out of memory";
    uint64_t count = 0;
    char *path = wr_launch_file_path(loaded, check->file);
    bool ok = path && wr_data_read(path, type, &job->expected[index], &count, why);
    free(path);
    if (!ok) {
        return wr_job_fault(job, l->diag, line, "'%s' %s", check->file, why);
    }
    if (count != b->count) {
        return wr_job_fault(job, l->diag, line,
                            "'%s' has %" PRIu64 " elements, but buffer '%s' has %" PRIu64,
                            check->file, count, b->name, b->count);
    }
    return true;
}

static bool bind_checks(const loader *l, wr_reference_lookup lookup)
{
    wr_job *job = l->job;
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->check_count; i++) {
        if (!file->checks[i].reference) {
            if (!bind_expected(l, i)) {
                return false;
            }
            continue;
        }
        const char *text = file->checks[i].reference;
        const unsigned line = wr_launch_file_line(&job->loaded, "checks[%u].reference", i);
        if (wr_own_reference_is(text)) {
            bool tried = false;
            for (unsigned k = 0; k < i && !tried; k++) {
                tried = file->checks[k].reference && strcmp(file->checks[k].reference, text) == 0;
            }
            if (!tried && !wr_own_reference_try(&job->loaded, text, line, l->diag)) {
                return false;
            }
            continue;
        }
        job->references[i] = lookup ? lookup(text) : NULL;
        if (!job->references[i]) {
            return wr_job_fault(
                job, l->diag, line,
                "there is no reference '%s'; references are in kernels/reference.c, "
                "or of your own: FILE.so:FUNCTION, FILE.py:FUNCTION",
                text);
        }
    }
    return true;
}

bool wr_job_load(const char *path, const wr_compile_options *options, wr_reference_lookup lookup,
                 wr_job *job, wr_diag *diag)
{
    *job = (wr_job){0};
    if (!wr_launch_file_load(path, &job->loaded, diag)) {
        return false;
    }
    const wr_launch_file *file = job->loaded.file;
    loader l = {job, diag};
    wr_cuda_options cuda = {.address_size = file->compile.address_size,
                            .flags = (const char *const *)file->compile.flags,
                            .flag_count = file->compile.flag_count,
                            .sources = &job->sources};
    char *module_path = wr_launch_file_path(&job->loaded, file->module);
    job->buffers = calloc(file->buffer_count + 1u, sizeof *job->buffers);
    job->launches = calloc(file->launch_count + 1u, sizeof *job->launches);
    job->lanes = calloc(file->stream_count + 1u, sizeof *job->lanes);
    job->references = calloc(file->check_count + 1u, sizeof *job->references);
    job->expected = calloc(file->check_count + 1u, sizeof *job->expected);
    job->checked = calloc(file->check_count + 1u, sizeof *job->checked);
    bool ok = module_path && job->buffers && job->launches && job->lanes && job->references &&
              job->expected && job->checked;
    if (!ok) {
        wr_job_fault(job, diag, 0, "out of memory");
    }
    uint64_t bytes = 0;
    const char *why = ok ? wr_regular_file(module_path, &bytes) : NULL;
    if (ok && !why && access(module_path, R_OK) != 0) {
        why = strerror(errno);
    }
    if (why) {
        ok = wr_job_fault(job, diag, wr_launch_file_line(&job->loaded, "module"),
                          "module '%s' cannot be read: %s", file->module, why);
    }
    if (ok) {
        wr_compile_options compile = options ? *options : (wr_compile_options){0};
        if (compile.pp_interval == 0) {
            compile.pp_interval = file->compile.pp_interval;
        }
        if (compile.stack_bytes == 0) {
            compile.stack_bytes = file->compile.stack;
        }
        compile.keep_refused = true; /* the launch says which kernel matters */
        job->module = wr_module_load(module_path, &cuda, &compile, diag);
        ok = job->module != NULL;
    }
    ok = ok && wr_variables_bind(job, diag);
    for (unsigned i = 0; ok && i < file->launch_count; i++) {
        ok = bind_launch(&l, i);
    }
    ok = ok && bind_checks(&l, lookup) && wr_outputs_bind(job, diag);
    free(module_path);
    if (!ok) {
        wr_job_free(job);
    }
    return ok;
}

void wr_job_free(wr_job *job)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; file && job->buffers && i < file->buffer_count; i++) {
        free(job->buffers[i].result);
    }
    for (unsigned i = 0; file && job->launches && i < file->launch_count; i++) {
        free(job->launches[i].params);
    }
    free(job->buffers);
    free(job->launches);
    free(job->lanes);
    for (unsigned i = 0; file && job->expected && i < file->check_count; i++) {
        free(job->expected[i]);
    }
    free(job->expected);
    free(job->checked);
    free(job->references);
    free(job->sources);
    wr_module_free(job->module);
    wr_launch_file_free(&job->loaded);
    *job = (wr_job){0};
}

bool wr_job_fit(const wr_job *job, const wr_gpu_config *config, wr_diag *diag)
{
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        const wr_launch *launch = &job->launches[i].launch;
        wr_occupancy occupancy = wr_gpu_occupancy(config, launch);
        if (occupancy.tbs == 0) {
            return wr_job_fault(
                job, diag, wr_launch_file_line(&job->loaded, "launches[%u]", i),
                "one TB of '%s' does not fit an SM of %s: %" PRIu32 " threads, %" PRIu32
                " registers each, %" PRIu32 " bytes of shared memory (limited by: %s)",
                launch->kernel->name, config->name,
                launch->block[0] * launch->block[1] * launch->block[2],
                launch->regs_override ? launch->regs_override : launch->kernel->regs,
                launch->kernel->shared_bytes + launch->shared_dynamic, occupancy.limit);
        }
    }
    return true;
}

static void forget_run(wr_job *job)
{
    job->runs = 0;
    job->passes = 0;
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        wr_job_launch *jl = &job->launches[i];
        jl->runs = jl->runs_before = 0;
        jl->cut = false;
        jl->cycles = jl->late = 0;
        jl->missed = 0;
        jl->sum = (wr_launch_result){0};
    }
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        free(job->buffers[i].result);
        job->buffers[i].result = NULL;
    }
}

static const char *base_name(const wr_job *job)
{
    const char *slash = strrchr(job->loaded.path, '/');
    return slash ? slash + 1 : job->loaded.path;
}

static void name_job(wr_job *const *jobs, size_t index)
{
    unsigned number = 1;
    for (size_t i = 0; i < index; i++) {
        number += strcmp(base_name(jobs[i]), base_name(jobs[index])) == 0;
    }
    int n = snprintf(jobs[index]->name, sizeof jobs[index]->name, "%.255s", base_name(jobs[index]));
    if (number > 1) {
        (void)snprintf(jobs[index]->name + n, sizeof jobs[index]->name - (size_t)n, "#%u", number);
    }
}

/* Messages name the file where there are several, and the stream where the file has several. */
static void label_launches(const wr_job *job, bool several)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->launch_count; i++) {
        const char *stream = file->launches[i].stream;
        wr_job_launch *jl = &job->launches[i];
        int n = snprintf(jl->label, sizeof jl->label, "%.*s", several ? 40 : 0, job->name);
        if (file->stream_count > 1) {
            (void)snprintf(jl->label + n, sizeof jl->label - (size_t)n, "%sstream %.60s",
                           several ? ", " : "", stream ? stream : "without a name");
        }
    }
}

/* What the whole needs before any of it runs. */
static bool prepare(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                    wr_diag *diag)
{
    uint32_t streams = 0;
    for (size_t i = 0; i < count; i++) {
        const wr_launch_file *file = jobs[i]->loaded.file;
        forget_run(jobs[i]);
        name_job(jobs, i);
        label_launches(jobs[i], count > 1);
        streams += file->stream_count;
    }
    if (streams > WR_MAX_STREAMS) {
        return wr_job_fault(jobs[0], diag, 0,
                            "the files have %" PRIu32 " streams together; there may be %d at most",
                            streams, WR_MAX_STREAMS);
    }
    for (size_t i = 0; i < count; i++) { /* each has a stream, so there are enough heaps */
        uint64_t heap = options->heap_bytes ? options->heap_bytes : jobs[i]->loaded.file->heap;
        if (heap) {
            (void)wr_gpu_set_heap(gpu, (uint32_t)i, heap);
        }
        for (unsigned k = 0; k < jobs[i]->loaded.file->launch_count; k++) {
            uint32_t own = jobs[i]->loaded.file->launches[k].priority;
            jobs[i]->launches[k].launch.heap = (uint32_t)i;
            jobs[i]->launches[k].launch.priority = own ? own : jobs[i]->priority;
        }
    }
    return wr_outputs_apart(jobs, count, diag);
}

bool wr_jobs_begin(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                   wr_diag *diag)
{
    if (!prepare(jobs, count, gpu, options, diag)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!wr_job_place(jobs[i], gpu, diag)) {
            return false;
        }
    }
    return true;
}

bool wr_jobs_go(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                wr_run_result *result, wr_diag *diag)
{
    *result = (wr_run_result){.status = WR_RUN_DONE};
    if (!wr_job_play(jobs, count, gpu, options, result, diag)) {
        return false;
    }
    result->cycles = wr_gpu_before(gpu) + wr_gpu_cycle(gpu);
    for (size_t i = 0; result->status != WR_RUN_SAVED && i < count; i++) {
        if (!options->window && !wr_job_read_back(jobs[i], gpu, diag)) {
            return false;
        }
        jobs[i]->unwritten = !wr_outputs_write(jobs[i], diag);
        if (jobs[i]->unwritten) {
            return false;
        }
    }
    return true;
}

bool wr_jobs_run(wr_job *const *jobs, size_t count, wr_gpu *gpu, const wr_job_options *options,
                 wr_run_result *result, wr_diag *diag)
{
    *result = (wr_run_result){.status = WR_RUN_DONE};
    return wr_jobs_begin(jobs, count, gpu, options, diag) &&
           wr_jobs_go(jobs, count, gpu, options, result, diag);
}

bool wr_job_run(wr_job *job, wr_gpu *gpu, const wr_job_options *options, wr_run_result *result,
                wr_diag *diag)
{
    return wr_jobs_run(&job, 1, gpu, options, result, diag);
}
