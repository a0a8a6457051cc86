/* SPDX-License-Identifier: Apache-2.0 */
/* Reading of option texts: see options.h. */
#include "systems/frame/options.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 512 };

/* Adds to a text that holds LINE bytes. */
static void append(char *line, const char *text)
{
    size_t used = strlen(line);

    (void)snprintf(line + used, LINE - used, "%s", text);
}

static void append_number(char *line, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    append(line, text);
}

static uint64_t max_of(const wr_option *row, const wr_gpu_config *cfg)
{
    return row->below.name ? wr_config_field_of(row->below, cfg) - UINT64_C(1) : row->max;
}

/* "from 1 to 1000", of this machine. */
static void append_range(char *line, const wr_option *row, const wr_gpu_config *cfg)
{
    append(line, "from ");
    append_number(line, row->min);
    append(line, " to ");
    append_number(line, max_of(row, cfg));
}

static bool has_words(const wr_option *row)
{
    return row->kind == WR_OPTION_CHOICE || row->kind == WR_OPTION_NUMBER_OR_WORD;
}

/* "a, b or c"; `more` where something follows them. */
static void append_words(char *line, const wr_option *row, bool more)
{
    for (uint32_t i = 0; row->words[i]; i++) {
        bool last = !row->words[i + 1] && !more;

        append(line, i == 0 ? "" : last ? " or " : ", ");
        append(line, row->words[i]);
    }
    append(line, more ? " or " : "");
}

static void say_wrong(const char *system, const wr_option *row, const char *text,
                      const wr_gpu_config *cfg, char *err, size_t err_size)
{
    char line[LINE] = "";

    if (has_words(row)) {
        append_words(line, row, row->kind == WR_OPTION_NUMBER_OR_WORD);
    }
    switch (row->kind) {
    case WR_OPTION_NUMBER:
    case WR_OPTION_NUMBER_OR_WORD:
        append(line, "a whole number ");
        append_range(line, row, cfg);
        break;
    case WR_OPTION_FLAG:
        append(line, "0 or 1");
        break;
    case WR_OPTION_LIST:
        append_number(line, row->most);
        append(line, " or fewer whole numbers ");
        append_range(line, row, cfg);
        append(line, " with : between them, as in 2:1");
        break;
    case WR_OPTION_PATH:
        append(line, "a path of 1 to ");
        append_number(line, WR_OPTION_PATH_SIZE - 1);
        append(line, " characters");
        break;
    case WR_OPTION_TEXT:
        append(line, "a name");
        break;
    default:
        break;
    }
    (void)snprintf(err, err_size, "system %s: %s=%s is not %s", system, row->name, text, line);
}

/* A whole number at the start of text; *end is behind it. */
static bool read_number(const char *text, uint64_t min, uint64_t max, uint64_t *value, char **end)
{
    errno = 0;
    *value = strtoull(text, end, 10);
    return text[0] >= '0' && text[0] <= '9' && errno == 0 && *value >= min && *value <= max;
}

static bool read_list(const wr_option *row, uint64_t max, wr_option_value *value)
{
    const char *at = value->text;
    char *end;

    assert(row->most <= WR_OPTION_LIST_MOST);
    do {
        if (value->count == row->most ||
            !read_number(at, row->min, max, &value->list[value->count], &end) ||
            (*end != ':' && *end != '\0')) {
            return false;
        }
        value->count++;
        at = end + 1;
    } while (*end == ':');
    return true;
}

static bool read_value(const wr_option *row, const wr_gpu_config *cfg, wr_option_value *value)
{
    uint64_t max = max_of(row, cfg);
    char *end;

    if (has_words(row)) {
        for (uint32_t i = 0; row->words[i]; i++) {
            if (strcmp(row->words[i], value->text) == 0) {
                value->is_word = true;
                value->word = i;
                return true;
            }
        }
    }
    switch (row->kind) {
    case WR_OPTION_NUMBER:
    case WR_OPTION_NUMBER_OR_WORD:
        return read_number(value->text, row->min, max, &value->number, &end) && *end == '\0';
    case WR_OPTION_FLAG:
        return read_number(value->text, 0, 1, &value->number, &end) && *end == '\0';
    case WR_OPTION_LIST:
        return read_list(row, max, value);
    case WR_OPTION_TEXT:
        return value->text[0] != '\0';
    case WR_OPTION_PATH:
        return value->text[0] != '\0' && strlen(value->text) < WR_OPTION_PATH_SIZE;
    default:
        return false;
    }
}

/* The value of this name, or NULL. */
static wr_option_value *find(const wr_option_part *parts, size_t part_count, const char *name,
                             size_t name_size)
{
    for (size_t p = 0; p < part_count; p++) {
        for (size_t i = 0; i < parts[p].count; i++) {
            const char *row = parts[p].rows[i].name;

            if (strlen(row) == name_size && memcmp(row, name, name_size) == 0) {
                return &parts[p].values[i];
            }
        }
    }
    return NULL;
}

static void list_names(const wr_option_part *parts, size_t part_count, char *line)
{
    for (size_t p = 0; p < part_count; p++) {
        for (size_t i = 0; i < parts[p].count; i++) {
            append(line, line[0] ? ", " : "");
            append(line, parts[p].rows[i].name);
        }
    }
}

/* Takes one "option=value" of size bytes, which end with 0 from now on. */
static bool take(const char *system, const wr_option_part *parts, size_t part_count, char *text,
                 size_t size, char *err, size_t err_size)
{
    char *equals = memchr(text, '=', size);
    wr_option_value *value = equals ? find(parts, part_count, text, (size_t)(equals - text)) : NULL;

    if (value && value->in_spec) {
        (void)snprintf(err, err_size, "system %s: option %.*s is given twice", system,
                       (int)(equals - text), text);
        return false;
    }
    if (value) {
        text[size] = '\0';
        value->text = equals + 1;
        value->given = value->in_spec = true;
        return true;
    }
    char names[LINE] = "";

    list_names(parts, part_count, names);
    if (!equals) {
        (void)snprintf(err, err_size, "system %s: \"%.*s\" is not option=value; options are %s",
                       system, (int)size, text, names);
    } else {
        (void)snprintf(err, err_size, "system %s: unknown option \"%.*s\"; options are %s", system,
                       (int)(equals - text), text, names);
    }
    return false;
}

static void take_presets(const wr_option_part *part)
{
    memset(part->values, 0, part->count * sizeof *part->values);
    for (size_t i = 0; i < part->count; i++) {
        part->values[i].text = part->rows[i].preset;
        part->values[i].given = part->rows[i].preset[0] != '\0';
    }
}

bool wr_options_read(const char *system, const wr_option_part *parts, size_t part_count,
                     const wr_option_text *before, size_t before_count, const char *spec,
                     const wr_gpu_config *cfg, char **store, char *err, size_t err_size)
{
    bool ok = true;

    *store = strdup(spec);
    if (!*store) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (size_t p = 0; p < part_count; p++) {
        take_presets(&parts[p]);
    }
    for (size_t i = 0; i < before_count; i++) {
        if (before[i].text) {
            wr_option_value *value =
                find(parts, part_count, before[i].name, strlen(before[i].name));

            assert(value);
            value->text = before[i].text;
            value->given = true;
        }
    }
    for (char *at = *store; ok && *at != '\0';) {
        size_t size = strcspn(at, ",");
        bool last = at[size] == '\0';

        ok = take(system, parts, part_count, at, size, err, err_size);
        at += last ? size : size + 1;
    }
    for (size_t p = 0; ok && p < part_count; p++) {
        for (size_t i = 0; ok && i < parts[p].count; i++) {
            wr_option_value *value = &parts[p].values[i];

            ok = !value->given || read_value(&parts[p].rows[i], cfg, value);
            if (!ok) {
                say_wrong(system, &parts[p].rows[i], value->text, cfg, err, err_size);
            }
        }
    }
    return ok;
}

/* The upper end of a row's numbers, on any machine. */
static void append_max(char *line, const wr_option *row)
{
    if (row->below.name) {
        append(line, row->below.name);
        append(line, " - 1");
    } else {
        append_number(line, row->max);
    }
}

void wr_option_takes(const wr_option *row, char *text, size_t size)
{
    static const char *const plain[] = {
        [WR_OPTION_FLAG] = "0|1", [WR_OPTION_TEXT] = "NAME", [WR_OPTION_PATH] = "PATH"};
    char line[LINE] = "";

    for (uint32_t i = 0; has_words(row) && row->words[i]; i++) {
        append(line, i == 0 ? "" : "|");
        append(line, row->words[i]);
    }
    append(line, row->kind == WR_OPTION_NUMBER_OR_WORD ? "|" : "");
    switch (row->kind) {
    case WR_OPTION_NUMBER:
    case WR_OPTION_NUMBER_OR_WORD:
    case WR_OPTION_LIST:
        append_number(line, row->min);
        append(line, row->max == UINT64_MAX && !row->below.name ? " or more" : " to ");
        if (row->max != UINT64_MAX || row->below.name) {
            append_max(line, row);
        }
        break;
    case WR_OPTION_CHOICE:
        break;
    default:
        append(line, plain[row->kind]);
    }
    append(line, row->kind == WR_OPTION_LIST ? ", with : between" : "");
    append(line, row->unit ? " " : "");
    append(line, row->unit ? row->unit : "");
    (void)snprintf(text, size, "%s", line);
}
