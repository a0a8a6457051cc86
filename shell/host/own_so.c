/* SPDX-License-Identifier: Apache-2.0 */
/* References in shared objects, inside their own process: see own_reference.h. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "shell/host/own_parts.h"
#include "shell/host/values.h"
#include "shell/host/warpref_reference.h"

typedef struct object {
    const wr_own_call *call;
    warpref_reference *function;
    warpref_buffer *buffers;
} object;

static const char *buffer_name(const wr_own_memory *m, const void *data)
{
    const uint8_t *byte = data;
    for (unsigned i = 0; i < m->file->buffer_count; i++) {
        const uint8_t *buffer = m->base + m->at[i];
        if (byte >= buffer && byte <= buffer + m->file->buffers[i].bytes) {
            return m->file->buffers[i].name;
        }
    }
    return NULL;
}

static const char *call_it(void *arg, const wr_reference_launch *launch)
{
    const object *o = arg;
    const wr_own_memory *m = o->call->memory;
    warpref_arg *args = calloc(launch->arg_count + 1, sizeof *args);
    if (!args) {
        return "out of memory";
    }
    for (size_t i = 0; i < launch->arg_count; i++) {
        const wr_reference_arg *from = &launch->args[i];
        const wr_value_type *type = wr_value_type_of(from->type);
        args[i] = (warpref_arg){.type = type->name,
                                .buffer = buffer_name(m, from->data),
                                .data = from->data,
                                .count = from->count,
                                .bytes = from->count * type->size,
                                .integer = from->integer,
                                .real = from->real};
    }
    const warpref_launch public = {.kernel = launch->kernel,
                                   .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                   .block = {launch->block[0], launch->block[1], launch->block[2]},
                                   .arg_count = (uint32_t)launch->arg_count,
                                   .buffer_count = m->file->buffer_count,
                                   .args = args,
                                   .buffers = o->buffers};
    m->control->calls++;
    const char *error = o->function(&public);
    free(args);
    /* It is the user's text. */
    // cppcheck-suppress returnDanglingLifetime
    return error;
}

static void work(const wr_own_call *call)
{
    wr_own_control *control = call->memory->control;
    const wr_launch_file *file = call->memory->file;
    void *so = dlopen(call->path, RTLD_NOW | RTLD_LOCAL);
    const uint32_t *abi = so ? dlsym(so, "warpref_reference_abi") : NULL;
    object o = {.call = call};

    if (!so) {
        (void)snprintf(control->error, sizeof control->error, "cannot be loaded: %s", dlerror());
        return;
    }
    if (!abi || *abi != WARPREF_REFERENCE_ABI) {
        char found[32] = "none at all";
        if (abi) {
            (void)snprintf(found, sizeof found, "version %u", (unsigned)*abi);
        }
        (void)snprintf(control->error, sizeof control->error,
                       "was made with another warpref_reference.h (%s; version %d is wanted); "
                       "include the one of this program and compile it anew",
                       found, WARPREF_REFERENCE_ABI);
        return;
    }
    *(void **)&o.function = dlsym(so, call->function);
    if (!o.function) {
        (void)snprintf(control->error, sizeof control->error,
                       "has no function '%s'; it must not be static, and in C++ extern \"C\"",
                       call->function);
        return;
    }
    o.buffers = calloc(file->buffer_count + 1u, sizeof *o.buffers);
    for (unsigned i = 0; o.buffers && i < file->buffer_count; i++) {
        const wr_launch_buffer *b = &file->buffers[i];
        o.buffers[i] = (warpref_buffer){.name = b->name,
                                        .type = b->value_type->name,
                                        .data = call->memory->base + call->memory->at[i],
                                        .count = b->count,
                                        .bytes = b->bytes};
    }
    const char *error = !o.buffers            ? "out of memory"
                        : call->launches.each ? call->launches.each(call->launches.of, call_it, &o)
                                              : NULL;
    if (error) {
        (void)snprintf(control->error, sizeof control->error,
                       "cannot follow this file's launches: %s", error);
    }
    free(o.buffers);
}

const wr_own_kind wr_own_so = {.ending = ".so", .work = work};
