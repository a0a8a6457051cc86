/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of launches.
 *
 * A struct's fields lie as C lays them out: each on a multiple of its size, the whole padded to
 * a multiple of the largest. clang for 32-bit addresses holds 8-byte members to a multiple of 4, as
 * on its 32-bit host; the parameter's size tells which it is. A `shared` argument is the address of
 * its own piece of the launch's dynamic shared memory, behind the static part and the launch's
 * `shared` bytes.
 */
#include "shell/host/args.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_ALIGN 16

static bool is_float(unsigned type)
{
    return type == WR_F16 || type == WR_F32 || type == WR_F64;
}

static bool is_bits(unsigned type)
{
    return type == WR_B8 || type == WR_B16 || type == WR_B32 || type == WR_B64;
}

static uint32_t align_up(uint32_t at, uint32_t align)
{
    assert(align > 0);
    return (at + align - 1) / align * align;
}

static void store(uint8_t *to, uint64_t value, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

/* What one argument is bound to. */
typedef struct target {
    const wr_job *job;
    wr_job_launch *launch;
    const wr_kernel_param *param;
    wr_diag *diag;
    unsigned index, line;
} target;

static bool bind_address(const target *t, const char *what)
{
    const wr_kernel_param *p = t->param;
    uint32_t pointer = t->job->module->address_size / 8;
    const wr_value_type *type = wr_value_type_of(p->type);
    if (p->size == pointer && !is_float(p->type)) {
        return true;
    }
    return wr_job_fault(t->job, t->diag, t->line,
                        "argument %u is %s, but parameter '%s' of '%s' is %s of %" PRIu32
                        " bytes, no address (%" PRIu32 " bytes)",
                        t->index, what, p->name, t->launch->kernel->name, type ? type->name : "?",
                        p->size, pointer);
}

static bool bind_shared(const target *t, uint32_t bytes)
{
    wr_launch *launch = &t->launch->launch;
    uint32_t at = align_up(t->launch->kernel->shared_bytes + launch->shared_dynamic, SHARED_ALIGN);
    if (!bind_address(t, "shared memory")) {
        return false;
    }
    store(t->launch->params + t->param->offset, at, t->param->size);
    launch->shared_dynamic = at + bytes - t->launch->kernel->shared_bytes;
    return true;
}

/* Bytes of a field: a buffer's address, or a value. */
static uint32_t field_size(const wr_job *job, const wr_launch_arg *field)
{
    return field->buffer ? job->module->address_size / 8 : field->value_type->size;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Size of the struct where no member is aligned to more than `most`. */
static uint32_t struct_size(const wr_job *job, const wr_launch_arg *arg, uint32_t most)
{
    uint32_t at = 0, largest = 1;
    for (unsigned i = 0; i < arg->field_count; i++) {
        uint32_t size = field_size(job, &arg->fields[i]);
        at = align_up(at, smaller(size, most)) + size;
        largest = size > largest ? size : largest;
    }
    return align_up(at, smaller(largest, most));
}

/* The alignment that gives the parameter's size; 0 where none does. */
static uint32_t struct_align(const wr_job *job, const wr_launch_arg *arg, uint32_t size)
{
    if (struct_size(job, arg, 8) == size) {
        return 8;
    }
    return job->module->address_size == 32 && struct_size(job, arg, 4) == size ? 4 : 0;
}

static bool bind_fields(const target *t, const wr_launch_arg *arg)
{
    uint32_t most = struct_align(t->job, arg, t->param->size), at = 0;
    if (most == 0) {
        return wr_job_fault(t->job, t->diag, t->line,
                            "the fields of argument %u take %" PRIu32
                            " bytes, but parameter '%s' of '%s' has %" PRIu32
                            "; give all members of the struct in order, arrays element by element",
                            t->index, struct_size(t->job, arg, 8), t->param->name,
                            t->launch->kernel->name, t->param->size);
    }
    for (unsigned i = 0; i < arg->field_count; i++) {
        const wr_launch_arg *field = &arg->fields[i];
        uint32_t size = field_size(t->job, field);
        at = align_up(at, smaller(size, most));
        if (!field->buffer) {
            wr_value_store(field->value_type, field->parsed,
                           t->launch->params + t->param->offset + at);
        }
        at += size;
    }
    return true;
}

static bool bind_value(const target *t, const wr_launch_arg *arg)
{
    const wr_kernel_param *p = t->param;
    const wr_value_type *type = wr_value_type_of(p->type);
    if (!type || type->size != p->size) {
        return wr_job_fault(t->job, t->diag, t->line,
                            "parameter '%s' of '%s' is a struct of %" PRIu32
                            " bytes; give its members: {fields: [{type: f32, value: 1}, ...]}",
                            p->name, t->launch->kernel->name, p->size);
    }
    bool same_kind = is_bits(p->type) || is_bits(arg->value_type->type) ||
                     is_float(p->type) == arg->value_type->is_float;
    if (arg->value_type->size != p->size || !same_kind) {
        return wr_job_fault(
            t->job, t->diag, t->line,
            "argument %u has type %s, but parameter '%s' of '%s' is %s; change the argument's type",
            t->index, arg->value_type->name, p->name, t->launch->kernel->name, type->name);
    }
    wr_value_store(arg->value_type, arg->parsed, t->launch->params + p->offset);
    return true;
}

bool wr_args_bind(wr_job *job, size_t launch, wr_diag *diag)
{
    wr_job_launch *jl = &job->launches[launch];
    const wr_launch_entry *entry = &job->loaded.file->launches[launch];
    for (unsigned i = 0; i < entry->arg_count; i++) {
        const wr_launch_arg *arg = &entry->args[i];
        target t = {.job = job,
                    .launch = jl,
                    .param = &jl->kernel->params[i],
                    .diag = diag,
                    .index = i,
                    .line = wr_launch_file_line(&job->loaded, "launches[%zu].args[%u]", launch, i)};
        bool ok = arg->buffer        ? bind_address(&t, "a buffer")
                  : arg->shared      ? bind_shared(&t, *arg->shared)
                  : arg->field_count ? bind_fields(&t, arg)
                                     : bind_value(&t, arg);
        if (!ok) {
            return false;
        }
    }
    return true;
}

static uint64_t buffer_address(const wr_job *job, const wr_launch_arg *arg)
{
    return job->buffers[arg->buffer_index].address + arg->offset;
}

void wr_args_place(const wr_job *job, size_t launch)
{
    const wr_job_launch *jl = &job->launches[launch];
    const wr_launch_entry *entry = &job->loaded.file->launches[launch];
    uint32_t pointer = job->module->address_size / 8;
    for (unsigned i = 0; i < entry->arg_count; i++) {
        const wr_launch_arg *arg = &entry->args[i];
        uint8_t *to = jl->params + jl->kernel->params[i].offset;
        uint32_t at = 0, most = struct_align(job, arg, jl->kernel->params[i].size);
        if (arg->buffer) {
            store(to, buffer_address(job, arg), pointer);
        }
        for (unsigned f = 0; most && f < arg->field_count; f++) {
            const wr_launch_arg *field = &arg->fields[f];
            uint32_t size = field_size(job, field);
            at = align_up(at, smaller(size, most));
            if (field->buffer) {
                store(to + at, buffer_address(job, field), pointer);
            }
            at += size;
        }
    }
}
