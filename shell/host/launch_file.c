/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of launch files: libcyaml's schema, then everything that the file alone can tell.
 *
 * Checks stop at the first fault: one bad input, one message, with the line of the value.
 */
#include "shell/host/launch_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shell/compiler/compiler.h"
#include "shell/config/yaml.h"
#include "shell/core/gpu.h"
#include "shell/host/launch_check.h"

#define OPT                      CYAML_FLAG_OPTIONAL
#define OPT_PTR                  (CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER)
#define SHARED_MAX               (1u << 20) /* bytes */
#define CYCLES_MAX               (UINT64_C(1) << 48)
#define TEXT(type, field, flags) CYAML_FIELD_STRING_PTR(#field, flags, type, field, 1, 4096)

static const cyaml_strval_t contents_names[] = {
    {"zeros", WR_CONTENTS_ZEROS},   {"iota", WR_CONTENTS_IOTA}, {"constant", WR_CONTENTS_CONSTANT},
    {"random", WR_CONTENTS_RANDOM}, {"file", WR_CONTENTS_FILE}, {"list", WR_CONTENTS_LIST},
    {"near", WR_CONTENTS_NEAR}};

static const cyaml_schema_value_t word_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, 4096)};

static const cyaml_schema_field_t buffer_fields[] = {
    TEXT(wr_launch_buffer, name, CYAML_FLAG_POINTER),
    TEXT(wr_launch_buffer, type, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("count", OPT, wr_launch_buffer, count),
    CYAML_FIELD_UINT("bytes", OPT, wr_launch_buffer, bytes),
    CYAML_FIELD_ENUM("contents", CYAML_FLAG_STRICT | OPT, wr_launch_buffer, contents,
                     contents_names, sizeof contents_names / sizeof contents_names[0]),
    TEXT(wr_launch_buffer, value, OPT_PTR),
    CYAML_FIELD_UINT("seed", OPT, wr_launch_buffer, seed),
    TEXT(wr_launch_buffer, low, OPT_PTR),
    TEXT(wr_launch_buffer, high, OPT_PTR),
    CYAML_FIELD_UINT("of", OPT, wr_launch_buffer, of),
    TEXT(wr_launch_buffer, file, OPT_PTR),
    CYAML_FIELD_SEQUENCE_COUNT("values", OPT_PTR, wr_launch_buffer, values, value_count,
                               &word_schema, 1, 65536),
    TEXT(wr_launch_buffer, variable, OPT_PTR),
    CYAML_FIELD_END};
static const cyaml_schema_value_t buffer_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_buffer, buffer_fields)};

#define VALUE_FIELDS                                                                               \
    TEXT(wr_launch_arg, buffer, OPT_PTR), CYAML_FIELD_UINT("offset", OPT, wr_launch_arg, offset),  \
        TEXT(wr_launch_arg, type, OPT_PTR), TEXT(wr_launch_arg, value, OPT_PTR)
static const cyaml_schema_field_t field_fields[] = {VALUE_FIELDS, CYAML_FIELD_END};
static const cyaml_schema_value_t field_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_arg, field_fields)};

static const cyaml_schema_field_t arg_fields[] = {
    VALUE_FIELDS, CYAML_FIELD_UINT_PTR("shared", OPT_PTR, wr_launch_arg, shared),
    CYAML_FIELD_SEQUENCE_COUNT("fields", OPT_PTR, wr_launch_arg, fields, field_count, &field_schema,
                               1, 1024),
    CYAML_FIELD_END};
static const cyaml_schema_value_t arg_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_arg, arg_fields)};

static const cyaml_schema_field_t while_fields[] = {
    TEXT(wr_launch_while, buffer, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("index", CYAML_FLAG_DEFAULT, wr_launch_while, index),
    TEXT(wr_launch_while, differs_from, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("at_most", CYAML_FLAG_DEFAULT, wr_launch_while, at_most), CYAML_FIELD_END};

static const cyaml_schema_value_t dimension_schema = {
    CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint32_t)};

static const cyaml_schema_field_t launch_fields[] = {
    TEXT(wr_launch_entry, kernel, CYAML_FLAG_POINTER),
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER, wr_launch_entry, grid, &dimension_schema, 1,
                         3),
    CYAML_FIELD_SEQUENCE("block", CYAML_FLAG_POINTER, wr_launch_entry, block, &dimension_schema, 1,
                         3),
    CYAML_FIELD_UINT("shared", OPT, wr_launch_entry, shared),
    CYAML_FIELD_UINT("registers", OPT, wr_launch_entry, registers),
    CYAML_FIELD_UINT_PTR("hint", OPT_PTR, wr_launch_entry, hint),
    CYAML_FIELD_UINT_PTR("repeat", OPT_PTR, wr_launch_entry, repeat),
    CYAML_FIELD_MAPPING_PTR("while", OPT_PTR, wr_launch_entry, loop, while_fields),
    CYAML_FIELD_UINT("together", OPT, wr_launch_entry, together),
    TEXT(wr_launch_entry, stream, OPT_PTR),
    CYAML_FIELD_UINT("priority", OPT, wr_launch_entry, priority),
    CYAML_FIELD_UINT("at", OPT, wr_launch_entry, at),
    CYAML_FIELD_UINT("every", OPT, wr_launch_entry, every),
    CYAML_FIELD_UINT("deadline", OPT, wr_launch_entry, deadline),
    CYAML_FIELD_SEQUENCE_COUNT("args", OPT_PTR, wr_launch_entry, args, arg_count, &arg_schema, 0,
                               1024),
    CYAML_FIELD_END};
static const cyaml_schema_value_t launch_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_entry, launch_fields)};

static const cyaml_schema_field_t check_fields[] = {
    TEXT(wr_launch_check, buffer, CYAML_FLAG_POINTER),
    TEXT(wr_launch_check, reference, OPT_PTR),
    TEXT(wr_launch_check, file, OPT_PTR),
    CYAML_FIELD_SEQUENCE_COUNT("values", OPT_PTR, wr_launch_check, values, value_count,
                               &word_schema, 1, 65536),
    CYAML_FIELD_FLOAT("abs", OPT, wr_launch_check, abs),
    CYAML_FIELD_FLOAT("rel", OPT, wr_launch_check, rel),
    TEXT(wr_launch_check, stream, OPT_PTR),
    CYAML_FIELD_END};
static const cyaml_schema_value_t check_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_check, check_fields)};

static const cyaml_schema_field_t output_fields[] = {
    TEXT(wr_launch_output, buffer, CYAML_FLAG_POINTER),
    TEXT(wr_launch_output, file, CYAML_FLAG_POINTER), CYAML_FIELD_END};
static const cyaml_schema_value_t output_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_output, output_fields)};

static const cyaml_schema_field_t compile_fields[] = {
    CYAML_FIELD_UINT("address_size", OPT, wr_launch_compile, address_size),
    CYAML_FIELD_UINT("pp_interval", OPT, wr_launch_compile, pp_interval),
    CYAML_FIELD_UINT("stack", OPT, wr_launch_compile, stack),
    CYAML_FIELD_SEQUENCE_COUNT("flags", OPT_PTR, wr_launch_compile, flags, flag_count, &word_schema,
                               0, 100),
    CYAML_FIELD_END};

static const cyaml_schema_field_t file_fields[] = {
    TEXT(wr_launch_file, module, CYAML_FLAG_POINTER),
    CYAML_FIELD_MAPPING("compile", OPT, wr_launch_file, compile, compile_fields),
    CYAML_FIELD_UINT("heap", OPT, wr_launch_file, heap),
    CYAML_FIELD_SEQUENCE_COUNT("buffers", OPT_PTR, wr_launch_file, buffers, buffer_count,
                               &buffer_schema, 0, 1024),
    CYAML_FIELD_SEQUENCE_COUNT("launches", CYAML_FLAG_POINTER, wr_launch_file, launches,
                               launch_count, &launch_schema, 1, 4096),
    CYAML_FIELD_SEQUENCE_COUNT("checks", OPT_PTR, wr_launch_file, checks, check_count,
                               &check_schema, 0, 1024),
    CYAML_FIELD_SEQUENCE_COUNT("outputs", OPT_PTR, wr_launch_file, outputs, output_count,
                               &output_schema, 0, 1024),
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, wr_launch_file, file_fields)};

const struct cyaml_schema_value *wr_launch_file_schema(void)
{
    return &file_schema;
}

bool wr_launch_fault(wr_launch_checker *c, const char *key, const char *format, ...)
{
    char message[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    wr_diag_set(
        c->diag, c->loaded->path,
        wr_launch_file_line(c->loaded, "%s%s%s", c->where, *c->where && *key ? "." : "", key), 0,
        "%s", message);
    return false;
}

unsigned wr_launch_file_line(const wr_loaded_file *loaded, const char *format, ...)
{
    char path[160];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(path, sizeof path, format, args);
    va_end(args);
    return wr_yaml_line(loaded->lines, path);
}

char *wr_launch_file_path(const wr_loaded_file *loaded, const char *name)
{
    const char *slash = strrchr(loaded->path, '/');
    size_t dir = name[0] == '/' || !slash ? 0 : (size_t)(slash - loaded->path) + 1;
    char *path = malloc(dir + strlen(name) + 1);
    if (path) {
        memcpy(path, loaded->path, dir);
        memcpy(path + dir, name, strlen(name) + 1);
    }
    return path;
}

static bool find_buffer(wr_launch_checker *c, const char *key, const char *name, size_t *index)
{
    const wr_launch_file *file = c->loaded->file;
    for (size_t i = 0; i < file->buffer_count; i++) {
        if (strcmp(file->buffers[i].name, name) == 0) {
            *index = i;
            return true;
        }
    }
    return wr_launch_fault(
        c, key, "there is no buffer '%s'; name one that 'buffers' lists, or add it there", name);
}

bool wr_launch_parse(wr_launch_checker *c, const char *key, const wr_value_type *type,
                     const char *text, wr_value *out)
{
    if (wr_value_parse(type, text, out)) {
        return true;
    }
    return wr_launch_fault(c, key,
                           "'%s' is not a value of type %s (not a number, or out of its range)",
                           text, type->name);
}

bool wr_launch_type(wr_launch_checker *c, const char *name, const wr_value_type **type)
{
    *type = wr_value_type_named(name);
    return *type || wr_launch_fault(c, "type", "there is no type '%s'; types are %s", name,
                                    wr_value_type_names());
}

/* CUDA's limits: a grid of 2^31-1 x 65535 x 65535, a block of 1024 x 1024 x 64 and 1024 in all. */
static bool check_dimensions(wr_launch_checker *c, const char *key, const uint32_t *dims,
                             unsigned count, const uint64_t limits[3], uint64_t product_limit)
{
    uint64_t product = 1;
    assert(count <= 3 && "the schema takes no more");
    for (unsigned i = 0; i < count; i++) {
        if (dims[i] == 0) {
            return wr_launch_fault(c, key, "a dimension of the %s is 0; it must be 1 or more", key);
        }
        if (dims[i] > limits[i]) {
            return wr_launch_fault(
                c, key, "dimension %u of the %s is %" PRIu32 "; it may be %" PRIu64 " at most", i,
                key, dims[i], limits[i]);
        }
        product *= dims[i];
        if (product > product_limit) {
            return wr_launch_fault(c, key, "the %s has more than %" PRIu64 " in all", key,
                                   product_limit);
        }
    }
    return true;
}

#define ARG_KINDS "an argument is a 'buffer', a 'type' and a 'value', 'shared', or 'fields'"

static bool check_arg(wr_launch_checker *c, wr_launch_arg *arg)
{
    int kinds =
        (arg->buffer != NULL) + (arg->type || arg->value) + (arg->shared != NULL) + !!arg->fields;
    if (kinds != 1) {
        return wr_launch_fault(c, "", ARG_KINDS "%s", kinds ? ": one of them" : "");
    }
    if (arg->offset && !arg->buffer) {
        return wr_launch_fault(c, "offset", "'offset' goes with 'buffer' only");
    }
    if (arg->shared) {
        return (*arg->shared > 0 && *arg->shared <= SHARED_MAX) ||
               wr_launch_fault(c, "shared", "shared memory is in bytes, 1 to %u", SHARED_MAX);
    }
    for (unsigned i = 0; arg->fields && i < arg->field_count; i++) {
        if (!check_arg(c, &arg->fields[i])) {
            return false;
        }
    }
    if (arg->fields) {
        return true;
    }
    if (arg->buffer) {
        if (!find_buffer(c, "buffer", arg->buffer, &arg->buffer_index)) {
            return false;
        }
        const wr_launch_buffer *b = &c->loaded->file->buffers[arg->buffer_index];
        if (arg->offset >= b->bytes || arg->offset % b->value_type->size != 0) {
            return wr_launch_fault(
                c, "offset",
                "the offset is in bytes: a multiple of the element's size, below the "
                "buffer's %" PRIu64,
                b->bytes);
        }
        return true;
    }
    if (!arg->type || !arg->value) {
        return wr_launch_fault(c, "", ARG_KINDS ": a 'type' needs a 'value', a 'value' a 'type'");
    }
    return wr_launch_type(c, arg->type, &arg->value_type) &&
           wr_launch_parse(c, "value", arg->value_type, arg->value, &arg->parsed);
}

static bool same_stream(const wr_launch_entry *a, const wr_launch_entry *b)
{
    return a->stream && b->stream ? strcmp(a->stream, b->stream) == 0 : a->stream == b->stream;
}

/* Launches of one name are one stream; those without a name are one, too. */
static bool find_stream(wr_launch_checker *c, size_t index)
{
    wr_launch_file *file = c->loaded->file;
    wr_launch_entry *l = &file->launches[index];
    for (size_t i = 0; i < index; i++) {
        if (same_stream(&file->launches[i], l)) {
            l->stream_index = file->launches[i].stream_index;
            return true;
        }
    }
    l->stream_index = file->stream_count++;
    return file->stream_count <= WR_MAX_STREAMS ||
           wr_launch_fault(c, "stream", "there may be %d streams at most", WR_MAX_STREAMS);
}

static bool check_launch(wr_launch_checker *c, size_t index)
{
    static const uint64_t grid_limits[3] = {INT32_MAX, 65535, 65535};
    static const uint64_t block_limits[3] = {1024, 1024, 64};
    wr_launch_file *file = c->loaded->file;
    wr_launch_entry *l = &file->launches[index];
    (void)snprintf(c->where, sizeof c->where, "launches[%zu]", index);
    if (!find_stream(c, index)) {
        return false;
    }
    if (!check_dimensions(c, "grid", l->grid, l->grid_count, grid_limits, INT32_MAX) ||
        !check_dimensions(c, "block", l->block, l->block_count, block_limits, 1024)) {
        return false;
    }
    if (l->shared > SHARED_MAX) {
        return wr_launch_fault(c, "shared",
                               "dynamic shared memory is in bytes and may be 1048576 at most");
    }
    if (l->registers > 255) {
        return wr_launch_fault(c, "registers", "registers per thread may be 255 at most");
    }
    if (l->hint && *l->hint >= WR_TB_SHARINGS) {
        return wr_launch_fault(c, "hint",
                               "a hint is 0 (none), 1 (blocks share multiple lines), 2 (boundary "
                               "lines) or 3 (some data)");
    }
    if (l->at > CYCLES_MAX || l->every > CYCLES_MAX || l->deadline > CYCLES_MAX) {
        return wr_launch_fault(c,
                               l->at > CYCLES_MAX      ? "at"
                               : l->every > CYCLES_MAX ? "every"
                                                       : "deadline",
                               "cycles may be %" PRIu64 " at most", CYCLES_MAX);
    }
    if (l->every && !l->repeat && !l->loop) {
        return wr_launch_fault(c, "every", "'every' goes with 'repeat' or 'while'");
    }
    if (l->repeat && *l->repeat == 0) {
        return wr_launch_fault(c, "repeat", "'repeat' must be 1 or more");
    }
    if (l->loop) {
        if (l->repeat) {
            return wr_launch_fault(c, "while", "give 'repeat' or 'while', not both");
        }
        if (!find_buffer(c, "while.buffer", l->loop->buffer, &l->loop->buffer_index)) {
            return false;
        }
        const wr_launch_buffer *b = &file->buffers[l->loop->buffer_index];
        if (l->loop->index >= b->count) {
            return wr_launch_fault(c, "while.index",
                                   "buffer '%s' has %" PRIu64 " elements; the index is beyond them",
                                   b->name, b->count);
        }
        if (l->loop->at_most == 0) {
            return wr_launch_fault(c, "while.at_most", "'at_most' must be 1 or more");
        }
        if (!wr_launch_parse(c, "while.differs_from", b->value_type, l->loop->differs_from,
                             &l->loop->parsed)) {
            return false;
        }
    }
    for (unsigned i = 0; i < l->arg_count; i++) {
        (void)snprintf(c->where, sizeof c->where, "launches[%zu].args[%u]", index, i);
        if (!check_arg(c, &l->args[i])) {
            return false;
        }
    }
    return true;
}

/* A loop over several launches: they exist, and none of them loops by itself. */
static bool check_together(wr_launch_checker *c, size_t index)
{
    const wr_launch_file *file = c->loaded->file;
    const wr_launch_entry *l = &file->launches[index];
    (void)snprintf(c->where, sizeof c->where, "launches[%zu]", index);
    if (l->together > 1 && !l->repeat && !l->loop) {
        return wr_launch_fault(c, "together", "'together' goes with 'repeat' or 'while'");
    }
    if (l->together > file->launch_count - index) {
        return wr_launch_fault(c, "together", "only %zu launches begin here",
                               file->launch_count - index);
    }
    for (size_t i = index + 1; i < index + l->together; i++) {
        const wr_launch_entry *inner = &file->launches[i];
        (void)snprintf(c->where, sizeof c->where, "launches[%zu]", i);
        if (!same_stream(inner, l)) {
            return wr_launch_fault(
                c, "stream", "this launch is in the loop of another one and must be of its stream");
        }
        if (inner->repeat || inner->loop || inner->together) {
            return wr_launch_fault(
                c,
                inner->repeat ? "repeat"
                : inner->loop ? "while"
                              : "together",
                "this launch is in the loop of another one and can't loop itself");
        }
        if (inner->at) {
            return wr_launch_fault(c, "at",
                                   "this launch is in the loop of another one; it comes "
                                   "behind the launch before it");
        }
    }
    return true;
}

static bool find_check_stream(wr_launch_checker *c, wr_launch_check *check)
{
    const wr_launch_file *file = c->loaded->file;
    if (!check->stream) {
        return true;
    }
    if (!check->reference) {
        return wr_launch_fault(c, "stream", "'stream' goes with 'reference'");
    }
    for (unsigned i = 0; i < file->launch_count; i++) {
        const wr_launch_entry *l = &file->launches[i];
        if (l->stream && strcmp(l->stream, check->stream) == 0) {
            check->stream_index = l->stream_index;
            return true;
        }
    }
    return wr_launch_fault(c, "stream", "no launch is of stream '%s'", check->stream);
}

static bool check_check(wr_launch_checker *c, size_t index)
{
    wr_launch_check *check = &c->loaded->file->checks[index];
    (void)snprintf(c->where, sizeof c->where, "checks[%zu]", index);
    if ((check->reference != NULL) + (check->file != NULL) + (check->values != NULL) != 1) {
        return wr_launch_fault(
            c, "", "a check compares with a 'reference', a 'file' or 'values': give one of them");
    }
    if (!(check->abs >= 0) || !(check->rel >= 0)) {
        return wr_launch_fault(c, check->abs >= 0 ? "rel" : "abs", "a tolerance must be 0 or more");
    }
    if (!find_buffer(c, "buffer", check->buffer, &check->buffer_index) ||
        !find_check_stream(c, check)) {
        return false;
    }
    const wr_launch_buffer *b = &c->loaded->file->buffers[check->buffer_index];
    if (check->values && check->value_count != b->count) {
        return wr_launch_fault(c, "values",
                               "there are %u values, but buffer '%s' has %" PRIu64 " elements",
                               check->value_count, b->name, b->count);
    }
    wr_value value;
    for (unsigned i = 0; check->values && i < check->value_count; i++) {
        if (!wr_launch_parse(c, "values", b->value_type, check->values[i], &value)) {
            return false;
        }
    }
    return true;
}

static bool check_output(wr_launch_checker *c, size_t index)
{
    wr_launch_output *output = &c->loaded->file->outputs[index];
    (void)snprintf(c->where, sizeof c->where, "outputs[%zu]", index);
    return find_buffer(c, "buffer", output->buffer, &output->buffer_index);
}

static bool check_file(wr_launch_checker *c)
{
    wr_launch_file *file = c->loaded->file;
    uint64_t total = 0;
    uint32_t bits = file->compile.address_size;
    if (bits != 0 && bits != 32 && bits != 64) {
        return wr_launch_fault(c, "compile.address_size", "address_size must be 32 or 64");
    }
    if (file->compile.pp_interval > 1000000) {
        return wr_launch_fault(c, "compile.pp_interval", "pp_interval may be 1000000 at most");
    }
    if (file->compile.stack > WR_COMPILE_MAX_STACK) {
        return wr_launch_fault(c, "compile.stack", "stack may be %u bytes at most",
                               WR_COMPILE_MAX_STACK);
    }
    if (file->heap > WR_HEAP_MOST) {
        return wr_launch_fault(c, "heap", "heap may be %" PRIu64 " bytes at most", WR_HEAP_MOST);
    }
    for (size_t i = 0; i < file->buffer_count; i++) {
        if (!wr_launch_check_buffer(c, i, &total)) {
            return false;
        }
    }
    for (size_t i = 0; i < file->launch_count; i++) {
        if (!check_launch(c, i) || !check_together(c, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < file->check_count; i++) {
        if (!check_check(c, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < file->output_count; i++) {
        if (!check_output(c, i)) {
            return false;
        }
    }
    return true;
}

bool wr_launch_file_load(const char *path, wr_loaded_file *out, wr_diag *diag)
{
    void *data = NULL;
    *out = (wr_loaded_file){0};
    if (!wr_yaml_load(path, &file_schema, &data, &out->lines, diag)) {
        return false;
    }
    out->file = data;
    out->path = strdup(path);
    wr_launch_checker c = {.loaded = out, .diag = diag};
    bool ok = out->path && check_file(&c);
    if (!out->path) {
        wr_diag_set(diag, path, 0, 0, "out of memory");
    }
    if (!ok) {
        wr_launch_file_free(out);
    }
    return ok;
}

void wr_launch_file_free(wr_loaded_file *loaded)
{
    if (loaded->file) {
        for (unsigned i = 0; i < loaded->file->buffer_count; i++) {
            free(loaded->file->buffers[i].data);
        }
    }
    wr_yaml_free(&file_schema, loaded->file);
    wr_yaml_lines_free(loaded->lines);
    free(loaded->path);
    *loaded = (wr_loaded_file){0};
}
