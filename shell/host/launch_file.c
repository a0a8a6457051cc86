/* Reading of launch files: libcyaml's schema, then everything that the file alone can tell.
 *
 * Checks stop at the first fault: one bad input, one message, with the line of the value.
 */
#include "shell/host/launch_file.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "shell/config/yaml.h"

#define OPT                      CYAML_FLAG_OPTIONAL
#define OPT_PTR                  (CYAML_FLAG_OPTIONAL | CYAML_FLAG_POINTER)
#define TEXT(type, field, flags) CYAML_FIELD_STRING_PTR(#field, flags, type, field, 1, 4096)

static const cyaml_strval_t contents_names[] = {{"zeros", WR_CONTENTS_ZEROS},
                                                {"iota", WR_CONTENTS_IOTA},
                                                {"constant", WR_CONTENTS_CONSTANT},
                                                {"random", WR_CONTENTS_RANDOM},
                                                {"file", WR_CONTENTS_FILE}};

static const cyaml_schema_field_t buffer_fields[] = {
    TEXT(wr_launch_buffer, name, CYAML_FLAG_POINTER),
    TEXT(wr_launch_buffer, type, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("count", OPT, wr_launch_buffer, count),
    CYAML_FIELD_UINT("bytes", OPT, wr_launch_buffer, bytes),
    CYAML_FIELD_ENUM("contents", CYAML_FLAG_STRICT, wr_launch_buffer, contents, contents_names,
                     sizeof contents_names / sizeof contents_names[0]),
    TEXT(wr_launch_buffer, value, OPT_PTR),
    CYAML_FIELD_UINT("seed", OPT, wr_launch_buffer, seed),
    TEXT(wr_launch_buffer, low, OPT_PTR),
    TEXT(wr_launch_buffer, high, OPT_PTR),
    TEXT(wr_launch_buffer, file, OPT_PTR),
    CYAML_FIELD_END};
static const cyaml_schema_value_t buffer_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_buffer, buffer_fields)};

static const cyaml_schema_field_t arg_fields[] = {
    TEXT(wr_launch_arg, buffer, OPT_PTR), TEXT(wr_launch_arg, type, OPT_PTR),
    TEXT(wr_launch_arg, value, OPT_PTR), CYAML_FIELD_END};
static const cyaml_schema_value_t arg_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_arg, arg_fields)};

static const cyaml_schema_field_t while_fields[] = {
    TEXT(wr_launch_while, buffer, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("index", CYAML_FLAG_DEFAULT, wr_launch_while, index),
    TEXT(wr_launch_while, differs_from, CYAML_FLAG_POINTER),
    CYAML_FIELD_UINT("at_most", CYAML_FLAG_DEFAULT, wr_launch_while, at_most), CYAML_FIELD_END};

static const cyaml_schema_value_t dimension_schema = {
    CYAML_VALUE_UINT(CYAML_FLAG_DEFAULT, uint32_t)};
static const cyaml_schema_value_t flag_schema = {
    CYAML_VALUE_STRING(CYAML_FLAG_POINTER, char, 1, 4096)};

static const cyaml_schema_field_t launch_fields[] = {
    TEXT(wr_launch_entry, kernel, CYAML_FLAG_POINTER),
    CYAML_FIELD_SEQUENCE("grid", CYAML_FLAG_POINTER, wr_launch_entry, grid, &dimension_schema, 1,
                         3),
    CYAML_FIELD_SEQUENCE("block", CYAML_FLAG_POINTER, wr_launch_entry, block, &dimension_schema, 1,
                         3),
    CYAML_FIELD_UINT("shared", OPT, wr_launch_entry, shared),
    CYAML_FIELD_UINT("registers", OPT, wr_launch_entry, registers),
    CYAML_FIELD_UINT_PTR("repeat", OPT_PTR, wr_launch_entry, repeat),
    CYAML_FIELD_MAPPING_PTR("while", OPT_PTR, wr_launch_entry, loop, while_fields),
    TEXT(wr_launch_entry, stream, OPT_PTR),
    CYAML_FIELD_SEQUENCE_COUNT("args", OPT_PTR, wr_launch_entry, args, arg_count, &arg_schema, 0,
                               1024),
    CYAML_FIELD_END};
static const cyaml_schema_value_t launch_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_entry, launch_fields)};

static const cyaml_schema_field_t check_fields[] = {
    TEXT(wr_launch_check, buffer, CYAML_FLAG_POINTER),
    TEXT(wr_launch_check, reference, OPT_PTR),
    TEXT(wr_launch_check, file, OPT_PTR),
    CYAML_FIELD_FLOAT("abs", OPT, wr_launch_check, abs),
    CYAML_FIELD_FLOAT("rel", OPT, wr_launch_check, rel),
    CYAML_FIELD_END};
static const cyaml_schema_value_t check_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_DEFAULT, wr_launch_check, check_fields)};

static const cyaml_schema_field_t compile_fields[] = {
    CYAML_FIELD_UINT("address_size", OPT, wr_launch_compile, address_size),
    CYAML_FIELD_UINT("pp_interval", OPT, wr_launch_compile, pp_interval),
    CYAML_FIELD_SEQUENCE_COUNT("flags", OPT_PTR, wr_launch_compile, flags, flag_count, &flag_schema,
                               0, 100),
    CYAML_FIELD_END};

static const cyaml_schema_field_t file_fields[] = {
    TEXT(wr_launch_file, module, CYAML_FLAG_POINTER),
    CYAML_FIELD_MAPPING("compile", OPT, wr_launch_file, compile, compile_fields),
    CYAML_FIELD_SEQUENCE_COUNT("buffers", OPT_PTR, wr_launch_file, buffers, buffer_count,
                               &buffer_schema, 0, 1024),
    CYAML_FIELD_SEQUENCE_COUNT("launches", CYAML_FLAG_POINTER, wr_launch_file, launches,
                               launch_count, &launch_schema, 1, 4096),
    CYAML_FIELD_SEQUENCE_COUNT("checks", OPT_PTR, wr_launch_file, checks, check_count,
                               &check_schema, 0, 1024),
    CYAML_FIELD_END};
static const cyaml_schema_value_t file_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, wr_launch_file, file_fields)};

/* What the checks below need: the file, and where faults are told. */
typedef struct checker {
    wr_loaded_file *loaded;
    wr_diag *diag;
    char where[64]; /* path of the item that is being checked */
} checker;

static bool fault(checker *c, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fault(checker *c, const char *key, const char *format, ...)
{
    char message[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
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
    vsnprintf(path, sizeof path, format, args);
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

const char *wr_regular_file(const char *path, uint64_t *bytes)
{
    struct stat st;
    *bytes = 0;
    if (stat(path, &st) != 0)
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "not a regular file";
    *bytes = (uint64_t)st.st_size;
    return NULL;
}

static bool find_buffer(checker *c, const char *key, const char *name, size_t *index)
{
    const wr_launch_file *file = c->loaded->file;
    for (size_t i = 0; i < file->buffer_count; i++) {
        if (strcmp(file->buffers[i].name, name) == 0) {
            *index = i;
            return true;
        }
    }
    return fault(c, key, "there is no buffer '%s'; name one that 'buffers' lists, or add it there",
                 name);
}

static bool parse_value(checker *c, const char *key, const wr_value_type *type, const char *text,
                        wr_value *out)
{
    if (wr_value_parse(type, text, out))
        return true;
    return fault(c, key, "'%s' is not a value of type %s (not a number, or out of its range)", text,
                 type->name);
}

static bool find_type(checker *c, const char *name, const wr_value_type **type)
{
    *type = wr_value_type_named(name);
    return *type ||
           fault(c, "type", "there is no type '%s'; types are %s", name, wr_value_type_names());
}

static bool read_contents(checker *c, wr_launch_buffer *b)
{
    char *path = wr_launch_file_path(c->loaded, b->file);
    uint64_t file_bytes = 0;
    const char *why = path ? wr_regular_file(path, &file_bytes) : "out of memory";
    FILE *f = why ? NULL : fopen(path, "rb");
    bool ok =
        f || fault(c, "file", "'%s' cannot be read: %s", b->file, why ? why : strerror(errno));
    if (ok && b->count == 0)
        b->count = file_bytes / b->value_type->size;
    if (ok && (file_bytes == 0 || file_bytes > WR_LAUNCH_MAX_BYTES ||
               b->count * b->value_type->size != file_bytes))
        ok = fault(c, "file", "'%s' has %" PRIu64 " bytes, which is not 'count' elements of %s",
                   b->file, file_bytes, b->type);
    if (ok && !(b->data = malloc((size_t)file_bytes)))
        ok = fault(c, "", "out of memory");
    if (ok && fread(b->data, 1, (size_t)file_bytes, f) != file_bytes)
        ok = fault(c, "file", "'%s' cannot be read: %s", b->file, strerror(errno));
    if (f)
        fclose(f);
    free(path);
    return ok;
}

static bool check_keys(checker *c, const wr_launch_buffer *b)
{
    bool random = b->contents == WR_CONTENTS_RANDOM;
    if (b->contents == WR_CONTENTS_FILE && !b->file)
        return fault(c, "contents", "contents 'file' needs the key 'file'");
    if (b->contents != WR_CONTENTS_FILE && b->file)
        return fault(c, "file", "the key 'file' goes with contents 'file' only");
    if (random && (!b->low || !b->high))
        return fault(c, "contents", "contents 'random' needs the keys 'low' and 'high'");
    if (!random && (b->low || b->high))
        return fault(c, b->low ? "low" : "high", "'low' and 'high' go with contents 'random' only");
    if (b->contents == WR_CONTENTS_CONSTANT && !b->value)
        return fault(c, "contents", "contents 'constant' needs the key 'value'");
    if (b->value && b->contents != WR_CONTENTS_CONSTANT && b->contents != WR_CONTENTS_IOTA)
        return fault(c, "value", "'value' goes with contents 'constant' or 'iota' only");
    if (b->count && b->bytes)
        return fault(c, "bytes", "give 'count' or 'bytes', not both");
    if (b->bytes % b->value_type->size != 0)
        return fault(c, "bytes", "%" PRIu64 " bytes are no whole number of %s", b->bytes, b->type);
    if (!b->count && !b->bytes && b->contents != WR_CONTENTS_FILE)
        return fault(c, "count", "a buffer needs 'count' (elements) or 'bytes', at least 1");
    return true;
}

static bool check_buffer(checker *c, size_t index, uint64_t *total)
{
    wr_launch_file *file = c->loaded->file;
    wr_launch_buffer *b = &file->buffers[index];
    snprintf(c->where, sizeof c->where, "buffers[%zu]", index);
    for (size_t i = 0; i < index; i++)
        if (strcmp(file->buffers[i].name, b->name) == 0)
            return fault(c, "name", "there are two buffers named '%s'; rename one", b->name);
    if (!find_type(c, b->type, &b->value_type) || !check_keys(c, b))
        return false;
    const wr_value_type *type = b->value_type;
    if (b->bytes)
        b->count = b->bytes / type->size;
    wr_value value = {0}, low = {0}, high = {0};
    if ((b->value && !parse_value(c, "value", type, b->value, &value)) ||
        (b->low && !parse_value(c, "low", type, b->low, &low)) ||
        (b->high && !parse_value(c, "high", type, b->high, &high)))
        return false;
    /* The difference, too: elements are low + fraction * (high - low). */
    if (type->is_float && !isfinite(high.real - low.real))
        return fault(c, "low", "'low' and 'high' must be finite, and so must their difference");
    bool ordered = type->is_float    ? low.real <= high.real
                   : type->is_signed ? low.integer <= high.integer
                                     : (uint64_t)low.integer <= (uint64_t)high.integer;
    if (!ordered)
        return fault(c, "low", "'low' is above 'high'");
    if (b->count > WR_LAUNCH_MAX_BYTES / type->size)
        return fault(c, b->bytes ? "bytes" : "count", "buffers may have 1 GiB in all");
    if (b->contents == WR_CONTENTS_FILE) {
        if (!read_contents(c, b))
            return false;
    } else if (!(b->data = calloc((size_t)b->count, type->size))) {
        return fault(c, "", "out of memory");
    }
    b->bytes = b->count * type->size;
    *total += b->bytes;
    if (*total > WR_LAUNCH_MAX_BYTES)
        return fault(c, "", "buffers may have 1 GiB in all");
    if (b->contents == WR_CONTENTS_IOTA)
        wr_fill_iota(type, b->data, b->count, value);
    else if (b->contents == WR_CONTENTS_CONSTANT)
        wr_fill_constant(type, b->data, b->count, value);
    else if (b->contents == WR_CONTENTS_RANDOM)
        wr_fill_random(type, b->data, b->count, b->seed, low, high);
    return true;
}

/* CUDA's limits: a grid of 2^31-1 x 65535 x 65535, a block of 1024 x 1024 x 64 and 1024 in all. */
static bool check_dimensions(checker *c, const char *key, const uint32_t *dims, unsigned count,
                             const uint64_t limits[3], uint64_t product_limit)
{
    uint64_t product = 1;
    assert(count <= 3 && "the schema takes no more");
    for (unsigned i = 0; i < count; i++) {
        if (dims[i] == 0)
            return fault(c, key, "a dimension of the %s is 0; it must be 1 or more", key);
        if (dims[i] > limits[i])
            return fault(c, key,
                         "dimension %u of the %s is %" PRIu32 "; it may be %" PRIu64 " at most", i,
                         key, dims[i], limits[i]);
        product *= dims[i];
        if (product > product_limit)
            return fault(c, key, "the %s has more than %" PRIu64 " in all", key, product_limit);
    }
    return true;
}

static bool check_arg(checker *c, wr_launch_arg *arg)
{
    if (arg->buffer) {
        if (arg->type || arg->value)
            return fault(c, "", "an argument is a 'buffer', or a 'type' and a 'value', not both");
        return find_buffer(c, "buffer", arg->buffer, &arg->buffer_index);
    }
    if (!arg->type || !arg->value)
        return fault(c, "", "an argument is a 'buffer', or a 'type' and a 'value'");
    return find_type(c, arg->type, &arg->value_type) &&
           parse_value(c, "value", arg->value_type, arg->value, &arg->parsed);
}

static bool check_launch(checker *c, size_t index)
{
    static const uint64_t grid_limits[3] = {INT32_MAX, 65535, 65535};
    static const uint64_t block_limits[3] = {1024, 1024, 64};
    wr_launch_file *file = c->loaded->file;
    wr_launch_entry *l = &file->launches[index];
    snprintf(c->where, sizeof c->where, "launches[%zu]", index);
    if (l->stream)
        return fault(c, "stream",
                     "streams are not supported: launches run one after another; remove 'stream'");
    if (!check_dimensions(c, "grid", l->grid, l->grid_count, grid_limits, INT32_MAX) ||
        !check_dimensions(c, "block", l->block, l->block_count, block_limits, 1024))
        return false;
    if (l->shared > 1u << 20)
        return fault(c, "shared", "dynamic shared memory is in bytes and may be 1048576 at most");
    if (l->registers > 255)
        return fault(c, "registers", "registers per thread may be 255 at most");
    if (l->repeat && *l->repeat == 0)
        return fault(c, "repeat", "'repeat' must be 1 or more");
    if (l->loop) {
        if (l->repeat)
            return fault(c, "while", "give 'repeat' or 'while', not both");
        if (!find_buffer(c, "while.buffer", l->loop->buffer, &l->loop->buffer_index))
            return false;
        const wr_launch_buffer *b = &file->buffers[l->loop->buffer_index];
        if (l->loop->index >= b->count)
            return fault(c, "while.index",
                         "buffer '%s' has %" PRIu64 " elements; the index is beyond them", b->name,
                         b->count);
        if (l->loop->at_most == 0)
            return fault(c, "while.at_most", "'at_most' must be 1 or more");
        if (!parse_value(c, "while.differs_from", b->value_type, l->loop->differs_from,
                         &l->loop->parsed))
            return false;
    }
    for (unsigned i = 0; i < l->arg_count; i++) {
        snprintf(c->where, sizeof c->where, "launches[%zu].args[%u]", index, i);
        if (!check_arg(c, &l->args[i]))
            return false;
    }
    return true;
}

static bool check_check(checker *c, size_t index)
{
    wr_launch_check *check = &c->loaded->file->checks[index];
    snprintf(c->where, sizeof c->where, "checks[%zu]", index);
    if (!check->reference == !check->file)
        return fault(c, "",
                     "a check compares with a 'reference' or with a 'file': give one of them");
    if (!(check->abs >= 0) || !(check->rel >= 0))
        return fault(c, check->abs >= 0 ? "rel" : "abs", "a tolerance must be 0 or more");
    return find_buffer(c, "buffer", check->buffer, &check->buffer_index);
}

static bool check_file(checker *c)
{
    wr_launch_file *file = c->loaded->file;
    uint64_t total = 0;
    uint32_t bits = file->compile.address_size;
    if (bits != 0 && bits != 32 && bits != 64)
        return fault(c, "compile.address_size", "address_size must be 32 or 64");
    if (file->compile.pp_interval > 1000000)
        return fault(c, "compile.pp_interval", "pp_interval may be 1000000 at most");
    for (size_t i = 0; i < file->buffer_count; i++)
        if (!check_buffer(c, i, &total))
            return false;
    for (size_t i = 0; i < file->launch_count; i++)
        if (!check_launch(c, i))
            return false;
    for (size_t i = 0; i < file->check_count; i++)
        if (!check_check(c, i))
            return false;
    return true;
}

bool wr_launch_file_load(const char *path, wr_loaded_file *out, wr_diag *diag)
{
    void *data = NULL;
    *out = (wr_loaded_file){0};
    if (!wr_yaml_load(path, &file_schema, &data, &out->lines, diag))
        return false;
    out->file = data;
    out->path = strdup(path);
    checker c = {.loaded = out, .diag = diag};
    bool ok = out->path && check_file(&c);
    if (!out->path)
        wr_diag_set(diag, path, 0, 0, "out of memory");
    if (!ok)
        wr_launch_file_free(out);
    return ok;
}

void wr_launch_file_free(wr_loaded_file *loaded)
{
    if (loaded->file)
        for (unsigned i = 0; i < loaded->file->buffer_count; i++)
            free(loaded->file->buffers[i].data);
    wr_yaml_free(&file_schema, loaded->file);
    wr_yaml_lines_free(loaded->lines);
    free(loaded->path);
    *loaded = (wr_loaded_file){0};
}
