/* Loading, fitting and running of jobs; checks are in check.c. */
#include "shell/host/job.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/host/image.h"
#include "shell/host/module.h"

#define BUFFER_ALIGN 256

typedef struct loader {
    wr_job *job;
    wr_diag *diag;
} loader;

static bool fault(const wr_job *job, wr_diag *diag, unsigned line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool fault(const wr_job *job, wr_diag *diag, unsigned line, const char *format, ...)
{
    char message[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
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
}

static bool is_float(unsigned type)
{
    return type == WR_F16 || type == WR_F32 || type == WR_F64;
}

static bool is_bits(unsigned type)
{
    return type == WR_B8 || type == WR_B16 || type == WR_B32 || type == WR_B64;
}

/* Does the argument suit the parameter? Its bytes go into the parameter block; a buffer's
 * address follows when it is known. */
static bool bind_arg(const loader *l, size_t launch, unsigned index)
{
    wr_job_launch *jl = &l->job->launches[launch];
    const wr_kernel_param *p = &jl->kernel->params[index];
    const wr_launch_arg *arg = &l->job->loaded.file->launches[launch].args[index];
    unsigned line = wr_launch_file_line(&l->job->loaded, "launches[%zu].args[%u]", launch, index);
    unsigned pointer = l->job->module->address_size / 8;
    const wr_value_type *type = wr_value_type_of(p->type);
    const char *type_name = type ? type->name : "?";
    if (arg->buffer) {
        if (p->size != pointer || is_float(p->type))
            return fault(l->job, l->diag, line,
                         "argument %u is a buffer, but parameter '%s' of '%s' is %s of %" PRIu32
                         " bytes, no address (%u bytes)",
                         index, p->name, jl->kernel->name, type_name, p->size, pointer);
        return true;
    }
    if (!type || type->size != p->size)
        return fault(l->job, l->diag, line,
                     "parameter '%s' of '%s' is a struct of %" PRIu32
                     " bytes, which a launch file cannot give yet",
                     p->name, jl->kernel->name, p->size);
    bool same_kind = is_bits(p->type) || is_bits(arg->value_type->type) ||
                     is_float(p->type) == arg->value_type->is_float;
    if (arg->value_type->size != p->size || !same_kind)
        return fault(
            l->job, l->diag, line,
            "argument %u has type %s, but parameter '%s' of '%s' is %s; change the argument's type",
            index, arg->value_type->name, p->name, jl->kernel->name, type_name);
    wr_value_store(arg->value_type, arg->parsed, jl->params + p->offset);
    return true;
}

static bool bind_launch(const loader *l, size_t index)
{
    wr_job *job = l->job;
    const wr_launch_entry *entry = &job->loaded.file->launches[index];
    wr_job_launch *jl = &job->launches[index];
    jl->kernel = wr_module_find(job->module, entry->kernel);
    if (!jl->kernel) {
        char names[200];
        list_kernels(job->module, names, sizeof names);
        return fault(job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].kernel", index),
                     "the module has no kernel '%s'; it has %s", entry->kernel,
                     *names ? names : "none (declare kernels extern \"C\" __global__)");
    }
    const wr_kernel *k = jl->kernel;
    if (entry->arg_count != k->param_count)
        return fault(job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].args", index),
                     "kernel '%s' has %zu parameters, but %u arguments are given", k->name,
                     k->param_count, entry->arg_count);
    wr_launch *launch = &jl->launch;
    *launch = (wr_launch){.kernel = k,
                          .grid = {1, 1, 1},
                          .block = {1, 1, 1},
                          .shared_dynamic = entry->shared,
                          .regs_override = entry->registers};
    for (unsigned i = 0; i < entry->grid_count; i++)
        launch->grid[i] = entry->grid[i];
    for (unsigned i = 0; i < entry->block_count; i++)
        launch->block[i] = entry->block[i];
    const uint32_t *req = k->req_tid;
    if (req[0] && memcmp(req, launch->block, sizeof k->req_tid) != 0)
        return fault(job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].block", index),
                     "kernel '%s' declares .reqntid: its block must be [%" PRIu32 ", %" PRIu32
                     ", %" PRIu32 "], not [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "]",
                     k->name, req[0], req[1], req[2], launch->block[0], launch->block[1],
                     launch->block[2]);
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    if (k->max_tid && threads > k->max_tid)
        return fault(job, l->diag, wr_launch_file_line(&job->loaded, "launches[%zu].block", index),
                     "the block has %" PRIu32 " threads, but kernel '%s' declares at most %" PRIu32,
                     threads, k->name, k->max_tid);
    if (entry->registers && entry->registers < k->regs)
        return fault(job, l->diag,
                     wr_launch_file_line(&job->loaded, "launches[%zu].registers", index),
                     "kernel '%s' needs %" PRIu32 " registers; 'registers' can only raise that",
                     k->name, k->regs);
    jl->params = calloc(k->param_bytes + 1, 1);
    if (!jl->params)
        return fault(job, l->diag, 0, "out of memory");
    launch->params = jl->params;
    for (unsigned i = 0; i < entry->arg_count; i++)
        if (!bind_arg(l, index, i))
            return false;
    return true;
}

/* A missing file of a check is told now and not behind a long run. */
static bool bind_file(const loader *l, unsigned index)
{
    const wr_loaded_file *loaded = &l->job->loaded;
    const wr_launch_check *check = &loaded->file->checks[index];
    const wr_launch_buffer *b = &loaded->file->buffers[check->buffer_index];
    unsigned line = wr_launch_file_line(loaded, "checks[%u].file", index);
    uint64_t bytes = 0;
    char *path = wr_launch_file_path(loaded, check->file);
    const char *why = path ? wr_regular_file(path, &bytes) : "out of memory";
    if (!why && access(path, R_OK) != 0)
        why = strerror(errno);
    free(path);
    if (why)
        return fault(l->job, l->diag, line, "'%s' cannot be read: %s", check->file, why);
    if (bytes != b->bytes)
        return fault(l->job, l->diag, line,
                     "'%s' has %" PRIu64 " bytes, but buffer '%s' has %" PRIu64, check->file, bytes,
                     b->name, b->bytes);
    return true;
}

static bool bind_checks(const loader *l, wr_reference_lookup lookup)
{
    wr_job *job = l->job;
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->check_count; i++) {
        if (!file->checks[i].reference) {
            if (!bind_file(l, i))
                return false;
            continue;
        }
        job->references[i] = lookup ? lookup(file->checks[i].reference) : NULL;
        if (!job->references[i])
            return fault(job, l->diag, wr_launch_file_line(&job->loaded, "checks[%u].reference", i),
                         "there is no reference '%s'; references are in kernels/reference.c",
                         file->checks[i].reference);
    }
    return true;
}

bool wr_job_load(const char *path, const wr_compile_options *options, wr_reference_lookup lookup,
                 wr_job *job, wr_diag *diag)
{
    *job = (wr_job){0};
    if (!wr_launch_file_load(path, &job->loaded, diag))
        return false;
    const wr_launch_file *file = job->loaded.file;
    loader l = {job, diag};
    wr_cuda_options cuda = {file->compile.address_size, (const char *const *)file->compile.flags,
                            file->compile.flag_count};
    char *module_path = wr_launch_file_path(&job->loaded, file->module);
    job->buffers = calloc(file->buffer_count + 1u, sizeof *job->buffers);
    job->launches = calloc(file->launch_count + 1u, sizeof *job->launches);
    job->references = calloc(file->check_count + 1u, sizeof *job->references);
    bool ok = module_path && job->buffers && job->launches && job->references;
    if (!ok)
        fault(job, diag, 0, "out of memory");
    uint64_t bytes = 0;
    const char *why = ok ? wr_regular_file(module_path, &bytes) : NULL;
    if (ok && !why && access(module_path, R_OK) != 0)
        why = strerror(errno);
    if (why)
        ok = fault(job, diag, wr_launch_file_line(&job->loaded, "module"),
                   "module '%s' cannot be read: %s", file->module, why);
    if (ok) {
        wr_compile_options compile = options ? *options : (wr_compile_options){0};
        if (compile.pp_interval == 0)
            compile.pp_interval = file->compile.pp_interval;
        job->module = wr_module_load(module_path, &cuda, &compile, diag);
        ok = job->module != NULL;
    }
    for (unsigned i = 0; ok && i < file->launch_count; i++)
        ok = bind_launch(&l, i);
    ok = ok && bind_checks(&l, lookup);
    free(module_path);
    if (!ok)
        wr_job_free(job);
    return ok;
}

void wr_job_free(wr_job *job)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; file && job->buffers && i < file->buffer_count; i++)
        free(job->buffers[i].result);
    for (unsigned i = 0; file && job->launches && i < file->launch_count; i++)
        free(job->launches[i].params);
    free(job->buffers);
    free(job->launches);
    free(job->references);
    wr_module_free(job->module);
    wr_launch_file_free(&job->loaded);
    *job = (wr_job){0};
}

bool wr_job_fit(const wr_job *job, const wr_gpu_config *config, wr_diag *diag)
{
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++) {
        const wr_launch *launch = &job->launches[i].launch;
        wr_occupancy occupancy = wr_gpu_occupancy(config, launch);
        if (occupancy.tbs == 0)
            return fault(job, diag, wr_launch_file_line(&job->loaded, "launches[%u]", i),
                         "one TB of '%s' does not fit an SM of %s: %" PRIu32 " threads, %" PRIu32
                         " registers each, %" PRIu32 " bytes of shared memory (limited by: %s)",
                         launch->kernel->name, config->name,
                         launch->block[0] * launch->block[1] * launch->block[2],
                         launch->regs_override ? launch->regs_override : launch->kernel->regs,
                         launch->kernel->shared_bytes + launch->shared_dynamic, occupancy.limit);
    }
    return true;
}

static void store_address(uint8_t *params, uint32_t at, uint64_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        params[at + i] = (uint8_t)(address >> (8 * i));
}

static bool place(wr_job *job, wr_gpu *gpu, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    uint32_t pointer = job->module->address_size / 8;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        const wr_launch_buffer *b = &file->buffers[i];
        uint64_t address = wr_gpu_alloc(gpu, b->bytes, BUFFER_ALIGN);
        if (!address || !wr_gpu_write(gpu, address, b->data, b->bytes))
            return fault(job, diag, wr_launch_file_line(&job->loaded, "buffers[%u]", i),
                         "buffer '%s' does not fit the GPU's memory any more", b->name);
        job->buffers[i].address = address;
    }
    wr_images images;
    if (!wr_images_place(job->module, gpu, &images))
        return fault(job, diag, wr_launch_file_line(&job->loaded, "module"),
                     "the module's variables do not fit the GPU's memory");
    for (unsigned i = 0; i < file->launch_count; i++) {
        wr_job_launch *jl = &job->launches[i];
        const wr_kernel *k = jl->kernel;
        const wr_launch_entry *entry = &file->launches[i];
        for (unsigned a = 0; a < entry->arg_count; a++)
            if (entry->args[a].buffer)
                store_address(jl->params, k->params[a].offset,
                              job->buffers[entry->args[a].buffer_index].address, pointer);
        wr_images_bind(&images, job->module, k, jl->params);
        jl->launch.const_base = images.constant;
    }
    return true;
}

/* Does the host loop's element still differ? */
static bool goes_on(const wr_job *job, const wr_gpu *gpu, const wr_launch_while *loop)
{
    const wr_value_type *type = job->loaded.file->buffers[loop->buffer_index].value_type;
    uint8_t have[8] = {0}, want[8] = {0};
    bool read = wr_gpu_read(
        gpu, job->buffers[loop->buffer_index].address + loop->index * type->size, have, type->size);
    assert(read && "the index was checked against the buffer");
    (void)read;
    wr_value_store(type, loop->parsed, want);
    return memcmp(have, want, type->size) != 0;
}

static bool read_back(wr_job *job, const wr_gpu *gpu, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        uint64_t bytes = file->buffers[i].bytes;
        job->buffers[i].result = malloc((size_t)bytes);
        if (!job->buffers[i].result)
            return fault(job, diag, 0, "out of memory");
        bool read = wr_gpu_read(gpu, job->buffers[i].address, job->buffers[i].result, bytes);
        assert(read && "the buffer was allocated with this size");
        (void)read;
    }
    return true;
}

static void forget_run(wr_job *job)
{
    job->runs = 0;
    for (unsigned i = 0; i < job->loaded.file->launch_count; i++)
        job->launches[i].runs = 0;
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        free(job->buffers[i].result);
        job->buffers[i].result = NULL;
    }
}

static uint64_t grid_size(const wr_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

bool wr_job_run(wr_job *job, wr_gpu *gpu, const wr_job_options *options, wr_run_result *result,
                wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    uint64_t limit = options->max_cycles ? options->max_cycles : UINT64_MAX;
    *result = (wr_run_result){.status = WR_RUN_DONE};
    forget_run(job);
    if (!place(job, gpu, diag))
        return false;
    for (unsigned i = 0; i < file->launch_count && result->status == WR_RUN_DONE; i++) {
        const wr_launch_entry *entry = &file->launches[i];
        wr_job_launch *jl = &job->launches[i];
        uint32_t times = entry->loop ? entry->loop->at_most : entry->repeat ? *entry->repeat : 1;
        while (jl->runs < times && (!entry->loop || goes_on(job, gpu, entry->loop))) {
            uint64_t used = wr_gpu_cycle(gpu);
            if (used >= limit) {
                result->status = WR_RUN_CYCLE_LIMIT;
                snprintf(result->message, sizeof result->message,
                         "the limit of %" PRIu64 " cycles was reached before launch %u ('%s')",
                         limit, i, jl->kernel->name);
                break;
            }
            *result = wr_gpu_run(gpu, &jl->launch, limit - used, options->progress,
                                 options->progress_arg);
            if (result->status == WR_RUN_REFUSED)
                return fault(job, diag, wr_launch_file_line(&job->loaded, "launches[%u]", i), "%s",
                             result->message);
            if (result->status != WR_RUN_DONE)
                break;
            jl->runs++;
            job->runs++;
            /* A short launch never asks by itself. */
            uint64_t tbs = grid_size(&jl->launch);
            if (options->progress &&
                !options->progress(options->progress_arg, wr_gpu_cycle(gpu), tbs, tbs)) {
                result->status = WR_RUN_STOPPED;
                snprintf(result->message, sizeof result->message,
                         "stopped at cycle %" PRIu64 ", after run %" PRIu32
                         " of launch %u (kernel %s)",
                         wr_gpu_cycle(gpu), jl->runs, i, jl->kernel->name);
                break;
            }
        }
    }
    result->cycles = wr_gpu_cycle(gpu);
    return read_back(job, gpu, diag);
}
