/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers and variables in simulated memory; see place.h. */
#include "shell/host/place.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "shell/host/args.h"
#include "shell/host/names.h"

#define BUFFER_ALIGN 256

/* The module's variable that a buffer stands for; NULL with `diag` set where it has none. */
static const wr_module_var *variable_of(const wr_job *job, unsigned buffer, wr_diag *diag)
{
    const wr_launch_buffer *b = &job->loaded.file->buffers[buffer];
    unsigned line = wr_launch_file_line(&job->loaded, "buffers[%u].variable", buffer);
    const char *other = NULL;
    const wr_module_var *v = wr_find_variable(job->module, b->variable, &other);
    if (!v) {
        wr_job_fault(job, diag, line,
                     "the module has no .global or .const variable '%s'; one that no kernel uses "
                     "is left out by the compiler in front",
                     b->variable);
    } else if (other) {
        wr_job_fault(job, diag, line, "'%s' may be '%s' or '%s' of the module; write one of these",
                     b->variable, v->name, other);
    } else if (b->bytes > v->size) {
        wr_job_fault(job, diag, line,
                     "buffer '%s' has %" PRIu64 " bytes, but variable '%s' has %" PRIu32, b->name,
                     b->bytes, v->name, v->size);
    } else {
        return v;
    }
    return NULL;
}

bool wr_variables_bind(const wr_job *job, wr_diag *diag)
{
    for (unsigned i = 0; i < job->loaded.file->buffer_count; i++) {
        if (job->loaded.file->buffers[i].variable && !variable_of(job, i, diag)) {
            return false;
        }
    }
    return true;
}

static bool place_buffer(const wr_job *job, wr_gpu *gpu, unsigned index, wr_diag *diag)
{
    const wr_launch_buffer *b = &job->loaded.file->buffers[index];
    uint64_t address = 0;
    if (b->variable) {
        const wr_module_var *v = variable_of(job, index, diag);
        assert(v && "the load looked for it");
        address =
            v->offset + (v->space == WR_SPACE_CONST ? job->images.constant : job->images.global);
    } else {
        address = wr_gpu_alloc(gpu, b->bytes, BUFFER_ALIGN);
    }
    if (!address || !wr_gpu_write(gpu, address, b->data, b->bytes)) {
        return wr_job_fault(job, diag, wr_launch_file_line(&job->loaded, "buffers[%u]", index),
                            "buffer '%s' does not fit the GPU's memory any more", b->name);
    }
    job->buffers[index].address = address;
    return true;
}

/* Buffers first, so that their addresses don't depend on the module's variables. */
bool wr_job_place(wr_job *job, wr_gpu *gpu, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        if (!file->buffers[i].variable && !place_buffer(job, gpu, i, diag)) {
            return false;
        }
    }
    if (!wr_images_place(job->module, gpu, &job->images)) {
        return wr_job_fault(job, diag, wr_launch_file_line(&job->loaded, "module"),
                            "the module's variables do not fit the GPU's memory");
    }
    for (unsigned i = 0; i < file->buffer_count; i++) {
        if (file->buffers[i].variable && !place_buffer(job, gpu, i, diag)) {
            return false;
        }
    }
    for (unsigned i = 0; i < file->launch_count; i++) {
        wr_job_launch *jl = &job->launches[i];
        wr_args_place(job, i);
        wr_images_bind(&job->images, job->module, jl->kernel, jl->params);
        jl->launch.const_base = job->images.constant;
    }
    return true;
}

/* Buffers of variables lie in the images. */
bool wr_job_restore(const wr_job *job, wr_gpu *gpu, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    bool ok = wr_images_fill(job->module, gpu, &job->images) &&
              wr_gpu_clear_heap(gpu, job->launches[0].launch.heap);
    for (unsigned i = 0; ok && i < file->buffer_count; i++) {
        const wr_launch_buffer *b = &file->buffers[i];
        ok = wr_gpu_write(gpu, job->buffers[i].address, b->data, b->bytes);
        assert(ok && "the buffer was allocated with this size");
    }
    return ok || wr_job_fault(job, diag, 0, "out of memory");
}

bool wr_job_read_back(wr_job *job, const wr_gpu *gpu, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        uint64_t bytes = file->buffers[i].bytes;
        if (!job->buffers[i].result && !(job->buffers[i].result = malloc((size_t)bytes))) {
            return wr_job_fault(job, diag, 0, "out of memory");
        }
        bool read = wr_gpu_read(gpu, job->buffers[i].address, job->buffers[i].result, bytes);
        assert(read && "the buffer was allocated with this size");
        (void)read;
    }
    return true;
}
