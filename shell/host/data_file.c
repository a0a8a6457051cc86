/* SPDX-License-Identifier: Apache-2.0 */
/* Files of elements. A file is read whole: a launch's buffers are 1 GiB at most. */
#include "shell/host/data_file.h"
#include "files/replace.h"
#include "shell/config/regular.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/host/launch_file.h"

static bool is_text(const char *path)
{
    const char *end = strrchr(path, '.');
    return end && strcmp(end, ".txt") == 0;
}

/* The bytes of a file and a zero behind them; NULL with `why`. */
static uint8_t *read_bytes(const char *path, uint64_t *bytes, char why[WR_DATA_WHY_MAX])
{
    const char *reason = wr_regular_file(path, bytes);
    if (!reason && *bytes > WR_LAUNCH_MAX_BYTES) {
        reason = "more than 1 GiB";
    }
    uint8_t *data = reason ? NULL : calloc((size_t)*bytes + 1, 1);
    FILE *f = data ? fopen(path, "rb") : NULL;
    if (f && fread(data, 1, (size_t)*bytes, f) == *bytes) {
        (void)fclose(f);
        return data;
    }
    if (!reason) {
        reason = !data ? "out of memory" : !f ? strerror(errno) : "it became shorter";
    }
    (void)snprintf(why, WR_DATA_WHY_MAX, "cannot be read: %s", reason);
    if (f) {
        (void)fclose(f);
    }
    free(data);
    return NULL;
}

/* Values over the text that they come from would overtake it, so they get memory of their own. */
static bool parse_text(char *text, const wr_value_type *type, uint8_t **data, uint64_t *count,
                       char why[WR_DATA_WHY_MAX])
{
    static const char space[] = " \t\r\n";
    uint8_t *out = malloc((strlen(text) / 2 + 1) * type->size); /* a digit and a space each */
    char *rest = NULL;
    wr_value value;
    *count = 0;
    *data = out;
    if (!out) {
        (void)snprintf(why, WR_DATA_WHY_MAX, "cannot be read: out of memory");
        return false;
    }
    for (char *word = strtok_r(text, space, &rest); word; word = strtok_r(NULL, space, &rest)) {
        if (!wr_value_parse(type, word, &value)) {
            (void)snprintf(why, WR_DATA_WHY_MAX,
                           "holds '%.40s' as element %" PRIu64 ", which is not a value of type %s",
                           word, *count, type->name);
            return false;
        }
        wr_value_store(type, value, out + *count * type->size);
        ++*count;
    }
    return true;
}

bool wr_data_read(const char *path, const wr_value_type *type, uint8_t **data, uint64_t *count,
                  char why[WR_DATA_WHY_MAX])
{
    uint64_t bytes = 0;
    *data = NULL;
    uint8_t *raw = read_bytes(path, &bytes, why);
    if (!raw) {
        return false;
    }
    if (is_text(path)) {
        bool ok = parse_text((char *)raw, type, data, count, why);
        free(raw);
        if (!ok) {
            free(*data);
            *data = NULL;
        }
        return ok;
    }
    if (bytes % type->size != 0) {
        (void)snprintf(why, WR_DATA_WHY_MAX,
                       "has %" PRIu64 " bytes, which is no whole number of %s", bytes, type->name);
        free(raw);
        return false;
    }
    *count = bytes / type->size;
    *data = raw;
    return true;
}

static void write_text(FILE *f, const wr_value_type *type, const uint8_t *data, uint64_t count)
{
    char text[64];
    for (uint64_t i = 0; i < count; i++) {
        wr_value_format(type, wr_value_fetch(type, data + i * type->size), text, sizeof text);
        (void)fprintf(f, "%s\n", text);
    }
}

bool wr_data_write(const char *path, const wr_value_type *type, const uint8_t *data, uint64_t count)
{
    wr_replace to;
    if (!wr_replace_open(&to, path)) {
        return false;
    }
    if (is_text(path)) {
        write_text(to.file, type, data, count);
    } else {
        (void)fwrite(data, type->size, (size_t)count, to.file); /* a stream keeps its error */
    }
    return wr_replace_close(&to, true);
}
