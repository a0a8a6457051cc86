/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of a launch file: which keys go together, and their contents. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shell/host/data_file.h"
#include "shell/host/launch_check.h"

static bool read_contents(wr_launch_checker *c, wr_launch_buffer *b)
{
    char why[WR_DATA_WHY_MAX] = "cannot be read: out of memory";
    uint64_t count = 0;
    char *path = wr_launch_file_path(c->loaded, b->file);
    bool ok = path && wr_data_read(path, b->value_type, &b->data, &count, why);
    free(path);
    if (!ok) {
        return wr_launch_fault(c, "file", "'%s' %s", b->file, why);
    }
    if (count == 0 || (b->count && b->count != count)) {
        return wr_launch_fault(c, "file", "'%s' has %" PRIu64 " elements of %s, %s", b->file, count,
                               b->type, count ? "which is not 'count'" : "and a buffer needs one");
    }
    b->count = count;
    return true;
}

static bool check_keys(wr_launch_checker *c, const wr_launch_buffer *b)
{
    bool near = b->contents == WR_CONTENTS_NEAR;
    bool random = b->contents == WR_CONTENTS_RANDOM || near;
    if (b->contents == WR_CONTENTS_FILE && !b->file) {
        return wr_launch_fault(c, "contents", "contents 'file' needs the key 'file'");
    }
    if (b->contents != WR_CONTENTS_FILE && b->file) {
        return wr_launch_fault(c, "file", "the key 'file' goes with contents 'file' only");
    }
    if (random && (!b->low || !b->high)) {
        return wr_launch_fault(c, "contents", "contents '%s' needs the keys 'low' and 'high'",
                               near ? "near" : "random");
    }
    if (!random && (b->low || b->high)) {
        return wr_launch_fault(c, b->low ? "low" : "high",
                               "'low' and 'high' go with contents 'random' or 'near' only");
    }
    if (near != (b->of != 0)) {
        return wr_launch_fault(c, near ? "contents" : "of",
                               "contents 'near' and the key 'of', at least 1, go together");
    }
    if (near && b->value_type->is_float) {
        return wr_launch_fault(c, "type",
                               "contents 'near' are whole numbers: take an integer type");
    }
    if (b->contents == WR_CONTENTS_CONSTANT && !b->value) {
        return wr_launch_fault(c, "contents", "contents 'constant' needs the key 'value'");
    }
    if (b->value && b->contents != WR_CONTENTS_CONSTANT && b->contents != WR_CONTENTS_IOTA) {
        return wr_launch_fault(c, "value", "'value' goes with contents 'constant' or 'iota' only");
    }
    if (!b->values != (b->contents != WR_CONTENTS_LIST)) {
        return wr_launch_fault(c, b->values ? "values" : "contents",
                               "contents 'list' and the key 'values' go together");
    }
    if (b->values && (b->count || b->bytes)) {
        return wr_launch_fault(c, b->count ? "count" : "bytes",
                               "the size of a list is that of 'values'");
    }
    if (b->count && b->bytes) {
        return wr_launch_fault(c, "bytes", "give 'count' or 'bytes', not both");
    }
    if (b->bytes % b->value_type->size != 0) {
        return wr_launch_fault(c, "bytes", "%" PRIu64 " bytes are no whole number of %s", b->bytes,
                               b->type);
    }
    if (!b->count && !b->bytes && b->contents != WR_CONTENTS_FILE && !b->values) {
        return wr_launch_fault(c, "count",
                               "a buffer needs 'count' (elements) or 'bytes', at least 1");
    }
    return true;
}

/* Numbers below `of` fit the type, and sums with them 64 bits. */
static bool check_near(wr_launch_checker *c, const wr_launch_buffer *b, int64_t low, int64_t high)
{
    const int64_t most = INT64_C(1) << 48;
    const wr_value_type *type = b->value_type;
    const unsigned bits = 8 * type->size - (type->is_signed ? 1U : 0U);
    if (b->of > (uint64_t)most || low < -most || high > most) {
        return wr_launch_fault(c, "of",
                               "'of', 'low' and 'high' of contents 'near' may be up to 2^48");
    }
    if (bits < 48 && (b->of - 1) >> bits != 0) {
        return wr_launch_fault(c, "of", "numbers below %" PRIu64 " do not fit %s", b->of, b->type);
    }
    return true;
}

bool wr_launch_check_buffer(wr_launch_checker *c, size_t index, uint64_t *total)
{
    wr_launch_file *file = c->loaded->file;
    wr_launch_buffer *b = &file->buffers[index];
    (void)snprintf(c->where, sizeof c->where, "buffers[%zu]", index);
    for (size_t i = 0; i < index; i++) {
        if (strcmp(file->buffers[i].name, b->name) == 0) {
            return wr_launch_fault(c, "name", "there are two buffers named '%s'; rename one",
                                   b->name);
        }
    }
    if (!wr_launch_type(c, b->type, &b->value_type) || !check_keys(c, b)) {
        return false;
    }
    const wr_value_type *type = b->value_type;
    if (b->bytes) {
        b->count = b->bytes / type->size;
    }
    if (b->values) {
        b->count = b->value_count;
    }
    bool near = b->contents == WR_CONTENTS_NEAR;
    const wr_value_type *bounds = near ? wr_value_type_named("s64") : type;
    wr_value value = {0}, low = {0}, high = {0};
    if ((b->value && !wr_launch_parse(c, "value", type, b->value, &value)) ||
        (b->low && !wr_launch_parse(c, "low", bounds, b->low, &low)) ||
        (b->high && !wr_launch_parse(c, "high", bounds, b->high, &high))) {
        return false;
    }
    /* The difference, too: elements are low + fraction * (high - low). */
    if (type->is_float && !isfinite(high.real - low.real)) {
        return wr_launch_fault(c, "low",
                               "'low' and 'high' must be finite, and so must their difference");
    }
    bool ordered = type->is_float      ? low.real <= high.real
                   : bounds->is_signed ? low.integer <= high.integer
                                       : (uint64_t)low.integer <= (uint64_t)high.integer;
    if (!ordered) {
        return wr_launch_fault(c, "low", "'low' is above 'high'");
    }
    if (near && !check_near(c, b, low.integer, high.integer)) {
        return false;
    }
    if (b->count > WR_LAUNCH_MAX_BYTES / type->size) {
        return wr_launch_fault(c, b->bytes ? "bytes" : "count", "buffers may have 1 GiB in all");
    }
    if (b->contents == WR_CONTENTS_FILE) {
        if (!read_contents(c, b)) {
            return false;
        }
    } else if (!(b->data = calloc((size_t)b->count, type->size))) {
        return wr_launch_fault(c, "", "out of memory");
    }
    b->bytes = b->count * type->size;
    *total += b->bytes;
    if (*total > WR_LAUNCH_MAX_BYTES) {
        return wr_launch_fault(c, "", "buffers may have 1 GiB in all");
    }
    if (b->contents == WR_CONTENTS_IOTA) {
        wr_fill_iota(type, b->data, b->count, value);
    } else if (b->contents == WR_CONTENTS_CONSTANT) {
        wr_fill_constant(type, b->data, b->count, value);
    } else if (b->contents == WR_CONTENTS_RANDOM) {
        wr_fill_random(type, b->data, b->count, b->seed, low, high);
    } else if (near) {
        wr_fill_near(type, b->data, b->count, b->seed, low.integer, high.integer, b->of);
    }
    for (unsigned i = 0; b->values && i < b->value_count; i++) {
        if (!wr_launch_parse(c, "values", type, b->values[i], &value)) {
            return false;
        }
        wr_value_store(type, value, b->data + (size_t)i * type->size);
    }
    return true;
}
