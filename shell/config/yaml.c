/* SPDX-License-Identifier: Apache-2.0 */
/* Strict YAML loading: one pass over libyaml's document for syntax, duplicate keys and line
 * numbers, then libcyaml for the structure.
 *
 * Invariants: paths in the index are unique; the walk is bounded in depth and in size, because
 * a file of a few bytes can name an endless document by aliases.
 */
#include "shell/config/yaml.h"

#include "shell/config/regular.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define MAX_DEPTH  16
#define MAX_VALUES 20000
#define PATH_SIZE  512
#define MAX_BYTES  (4u << 20) /* of a file */

typedef struct line_entry {
    char *path;
    unsigned line;
} line_entry;

struct wr_yaml_lines {
    line_entry *entries;
    size_t count, capacity;
};

/* The first error that libcyaml logs, and the first place that its backtrace names. */
typedef struct log_capture {
    char message[240];
    unsigned line, column;
    bool unknown_key; /* libcyaml's place is that of the key before it */
    bool missing_key; /* libcyaml's line is that of the mapping's last key, its column no help */
    char key[100];
} log_capture;

typedef struct walk {
    yaml_document_t *document;
    wr_yaml_lines *lines;
    wr_diag *diag;
    const char *file;
} walk;

static bool fail(wr_diag *diag, const char *file, unsigned line, unsigned column,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

static bool fail(wr_diag *diag, const char *file, unsigned line, unsigned column,
                 const char *format, ...)
{
    char message[WR_DIAG_MESSAGE_MAX];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    wr_diag_set(diag, file, line, column, "%s", message);
    return false;
}

static bool add_entry(walk *w, const char *path, const yaml_node_t *node)
{
    wr_yaml_lines *lines = w->lines;
    unsigned line = (unsigned)node->start_mark.line + 1;
    unsigned column = (unsigned)node->start_mark.column + 1;
    if (lines->count == MAX_VALUES) {
        return fail(w->diag, w->file, line, column, "the file has more than %d values", MAX_VALUES);
    }
    for (size_t i = 0; i < lines->count; i++) {
        if (strcmp(lines->entries[i].path, path) == 0) {
            return fail(w->diag, w->file, line, column,
                        "'%s' is given twice (first in line %u); keep one", path,
                        lines->entries[i].line);
        }
    }
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity ? 2 * lines->capacity : 64;
        line_entry *entries = realloc(lines->entries, capacity * sizeof *entries);
        if (!entries) {
            return fail(w->diag, w->file, line, column, "out of memory");
        }
        lines->entries = entries;
        lines->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy) {
        return fail(w->diag, w->file, line, column, "out of memory");
    }
    lines->entries[lines->count++] = (line_entry){copy, line};
    return true;
}

static bool is_whole_number(const char *text)
{
    bool hex = text[0] == '0' && text[1] == 'x';
    const char *digits = hex ? text + 2 : text;
    size_t n = strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789");
    return n > 0 && digits[n] == '\0' && (hex || n == 1 || digits[0] != '0');
}

/* libcyaml takes 1.5 for 1, -1 for 2^64-1 and 010 for 8, and infinite tolerances: not so here. */
static bool check_scalar(const walk *w, const yaml_node_t *node, const cyaml_schema_value_t *schema)
{
    const char *text = (const char *)node->data.scalar.value;
    unsigned line = (unsigned)node->start_mark.line + 1;
    unsigned column = (unsigned)node->start_mark.column + 1;
    char *end = NULL;
    if (schema->type == CYAML_UINT) {
        if (!is_whole_number(text)) {
            return fail(w->diag, w->file, line, column,
                        "a whole number of 0 or more must stand here, not '%.60s'", text);
        }
        uint64_t most =
            schema->data_size < 8 ? (UINT64_C(1) << 8 * schema->data_size) - 1 : UINT64_MAX;
        errno = 0;
        unsigned long long value = strtoull(text, &end, text[1] == 'x' ? 16 : 10);
        if (errno != 0 || value > most) {
            return fail(w->diag, w->file, line, column,
                        "a whole number from 0 to %" PRIu64 " must stand here, not '%.60s'", most,
                        text);
        }
    } else if (schema->type == CYAML_FLOAT) {
        double value = strtod(text, &end);
        if (end == text || *end != '\0' || !isfinite(value)) {
            return fail(w->diag, w->file, line, column,
                        "a finite number must stand here, not '%.60s'", text);
        }
    }
    return true;
}

/* Schema of a mapping's key; NULL where it has none, which libcyaml reports. */
static const cyaml_schema_value_t *schema_of_key(const cyaml_schema_value_t *schema,
                                                 const char *key)
{
    if (!schema || schema->type != CYAML_MAPPING) {
        return NULL;
    }
    for (const cyaml_schema_field_t *f = schema->mapping.fields; f->key; f++) {
        if (strcmp(f->key, key) == 0) {
            return &f->value;
        }
    }
    return NULL;
}

static bool walk_node(walk *w, int index, const char *path, int depth,
                      const cyaml_schema_value_t *schema)
{
    yaml_node_t *node = yaml_document_get_node(w->document, index);
    unsigned line = (unsigned)node->start_mark.line + 1;
    unsigned column = (unsigned)node->start_mark.column + 1;
    if (depth == MAX_DEPTH) {
        return fail(w->diag, w->file, line, column, "values are nested deeper than %d", MAX_DEPTH);
    }
    if (node->type == YAML_SCALAR_NODE && schema) {
        return check_scalar(w, node, schema);
    }
    if (node->type == YAML_SEQUENCE_NODE) {
        int i = 0;
        const cyaml_schema_value_t *entry =
            schema && schema->type == CYAML_SEQUENCE ? schema->sequence.entry : NULL;
        for (yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top; item++, i++) {
            char inner[PATH_SIZE];
            int n = snprintf(inner, sizeof inner, "%s[%d]", path, i);
            if (n < 0 || (size_t)n >= sizeof inner) {
                return fail(w->diag, w->file, line, column, "the keys here are too long");
            }
            if (!add_entry(w, inner, yaml_document_get_node(w->document, *item)) ||
                !walk_node(w, *item, inner, depth + 1, entry)) {
                return false;
            }
        }
    } else if (node->type == YAML_MAPPING_NODE) {
        for (yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top; pair++) {
            yaml_node_t *key = yaml_document_get_node(w->document, pair->key);
            if (key->type != YAML_SCALAR_NODE) {
                return fail(w->diag, w->file, line, column, "a key must be a plain word");
            }
            const char *name = (const char *)key->data.scalar.value;
            char inner[PATH_SIZE];
            int n = snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", name);
            if (n < 0 || (size_t)n >= sizeof inner) {
                return fail(w->diag, w->file, line, column, "the keys here are too long");
            }
            if (!add_entry(w, inner, key) ||
                !walk_node(w, pair->value, inner, depth + 1, schema_of_key(schema, name))) {
                return false;
            }
        }
    }
    return true;
}

static bool not_yaml(const char *file, const char *text, size_t size, const yaml_parser_t *parser,
                     wr_diag *diag)
{
    unsigned line = (unsigned)parser->problem_mark.line + 1;
    unsigned column = (unsigned)parser->problem_mark.column + 1;
    if (parser->error == YAML_READER_ERROR) { /* a byte that no text has: there is no mark yet */
        line = column = 1;
        for (size_t i = 0; i < size && i < parser->problem_offset; i++) {
            line += text[i] == '\n' ? 1 : 0;
            column = text[i] == '\n' ? 1 : column + 1;
        }
    }
    return fail(diag, file, line, column, "this is not YAML: %s",
                parser->problem ? parser->problem : "unreadable");
}

/* libcyaml takes a file's first document and is silent about what follows. */
static bool check_end(const char *file, const char *text, size_t size, yaml_parser_t *parser,
                      wr_diag *diag)
{
    yaml_document_t document;
    if (!yaml_parser_load(parser, &document)) {
        return not_yaml(file, text, size, parser, diag);
    }
    const yaml_node_t *root = yaml_document_get_root_node(&document);
    bool ok = !root || fail(diag, file, (unsigned)document.start_mark.line + 1, 0,
                            "a second document begins here; keep one, without '---'");
    yaml_document_delete(&document);
    return ok;
}

static bool index_lines(const char *file, const char *text, size_t size,
                        const cyaml_schema_value_t *schema, wr_yaml_lines *lines, wr_diag *diag)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (!yaml_parser_initialize(&parser)) {
        return fail(diag, file, 0, 0, "out of memory");
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    if (!yaml_parser_load(&parser, &document)) {
        not_yaml(file, text, size, &parser, diag);
        yaml_parser_delete(&parser);
        return false;
    }
    bool ok;
    yaml_node_t *root = yaml_document_get_root_node(&document);
    if (!root || root->type != YAML_MAPPING_NODE) {
        ok = fail(diag, file, 1, 1, "the file must be a list of 'key: value' lines");
    } else {
        walk w = {&document, lines, diag, file};
        ok = walk_node(&w, 1, "", 0, schema) && check_end(file, text, size, &parser, diag);
    }
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
    return ok;
}

/* libcyaml's wording and ours, which says what to do. The rest of its line, a key or a value,
 * goes between `before` and `after`. The first two rows' places are mended (log_capture). */
typedef struct wording {
    const char *prefix, *before, *after; /* after == NULL: the rest is no help */
} wording;

static const wording wordings[] = {
    {"Unexpected key: ", "there is no key '", "' here; mend its spelling or remove it"},
    {"Missing required mapping field: ", "the key '", "' is missing here; add it"},
    {"Invalid ENUM value: ", "'", "' is not among the words that this key takes"},
    {"Excessive entries (", "this list has too many values (", ""},
    {"Insufficient entries (", "this list has too few values (", ""},
    {"Expecting SEQUENCE", "a list must stand here, for example [1, 2]", NULL},
    {"Expecting MAPPING", "'key: value' pairs must stand here", NULL},
    {"Expecting STRING", "one word or text must stand here, no list and no mapping", NULL},
    {"Expecting ENUM", "one word must stand here, no list and no mapping", NULL},
    {"Expecting UINT", "one whole number must stand here, no list and no mapping", NULL},
    {"Expecting FLOAT", "one number must stand here, no list and no mapping", NULL},
    {"STRING length < ", "the value is missing here; add it", NULL},
    {"STRING length > ", "the text here is too long; shorten it", NULL},
};

static void reword(log_capture *capture, const char *text)
{
    for (size_t i = 0; i < sizeof wordings / sizeof wordings[0]; i++) {
        const wording *w = &wordings[i];
        size_t n = strlen(w->prefix);
        if (strncmp(text, w->prefix, n) == 0) {
            capture->unknown_key = i == 0;
            capture->missing_key = i == 1;
            (void)snprintf(capture->key, sizeof capture->key, "%s", text + n);
            (void)snprintf(capture->message, sizeof capture->message, "%s%.100s%s", w->before,
                           w->after ? text + n : "", w->after ? w->after : "");
            return;
        }
    }
    (void)snprintf(capture->message, sizeof capture->message, "%s", text);
}

static void capture_log(cyaml_log_t level, void *context, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

static void capture_log(cyaml_log_t level, void *context, const char *format, va_list args)
{
    log_capture *capture = context;
    char text[200];
    (void)level;
    (void)vsnprintf(text, sizeof text, format, args);
    text[strcspn(text, "\n")] = '\0';
    const char *start = strncmp(text, "Load: ", 6) == 0 ? text + 6 : text;
    if (!capture->message[0]) {
        reword(capture, start);
    }
    const char *place = strstr(text, "(line: ");
    if (place && !capture->line &&
        sscanf(place, "(line: %u, column: %u)", &capture->line, &capture->column) < 1) {
        capture->line = 0;
    }
}

/* Line of the first key of this name from `line` on. */
static unsigned key_line(const wr_yaml_lines *lines, const char *key, unsigned line)
{
    unsigned best = line, n = (unsigned)strlen(key);
    bool found = false;
    for (size_t i = 0; i < lines->count; i++) {
        const line_entry *e = &lines->entries[i];
        size_t m = strlen(e->path);
        bool same =
            m >= n && strcmp(e->path + m - n, key) == 0 && (m == n || e->path[m - n - 1] == '.');
        if (same && e->line >= line && (!found || e->line < best)) {
            best = e->line;
            found = true;
        }
    }
    return best;
}

static cyaml_config_t loader_config(log_capture *capture)
{
    return (cyaml_config_t){.log_fn = capture_log,
                            .log_ctx = capture,
                            .mem_fn = cyaml_mem,
                            .log_level = CYAML_LOG_WARNING,
                            .flags = CYAML_CFG_DEFAULT};
}

static char *read_text(const char *file, size_t *size, wr_diag *diag)
{
    const char *why = wr_regular_file(file, NULL);
    FILE *f = why ? NULL : fopen(file, "rb");
    if (!f) {
        fail(diag, file, 0, 0, "cannot be read: %s", why ? why : strerror(errno));
        return NULL;
    }
    char *text = NULL;
    size_t used = 0, capacity = 0, got;
    do {
        if (used + 4096 > capacity) {
            capacity = capacity ? 2 * capacity : 8192;
            char *grown = realloc(text, capacity);
            if (!grown) {
                fail(diag, file, 0, 0, "out of memory");
                free(text);
                (void)fclose(f);
                return NULL;
            }
            text = grown;
        }
        got = fread(text + used, 1, 4096, f);
        used += got;
    } while (got > 0 && used <= MAX_BYTES);
    bool bad = ferror(f) != 0;
    int error = errno;
    (void)fclose(f);
    if (bad) {
        fail(diag, file, 0, 0, "cannot be read: %s", strerror(error));
        free(text);
        return NULL;
    }
    if (used > MAX_BYTES) {
        fail(diag, file, 0, 0, "the file is longer than %u MiB, too long for one of its kind",
             MAX_BYTES >> 20);
        free(text);
        return NULL;
    }
    *size = used;
    return text;
}

bool wr_yaml_load(const char *file, const cyaml_schema_value_t *schema, void **data,
                  wr_yaml_lines **lines, wr_diag *diag)
{
    *data = NULL;
    *lines = NULL;
    size_t size = 0;
    char *text = read_text(file, &size, diag);
    if (!text) {
        return false;
    }
    wr_yaml_lines *index = calloc(1, sizeof *index);
    if (!index) {
        free(text);
        return fail(diag, file, 0, 0, "out of memory");
    }
    bool ok = index_lines(file, text, size, schema, index, diag);
    if (ok) {
        log_capture capture = {0};
        cyaml_config_t config = loader_config(&capture);
        cyaml_err_t error =
            cyaml_load_data((const uint8_t *)text, size, &config, schema, data, NULL);
        if (capture.unknown_key) {
            capture.line = key_line(index, capture.key, capture.line);
        }
        if (capture.unknown_key || capture.missing_key) {
            capture.column = 0;
        }
        if (error != CYAML_OK) {
            ok = fail(diag, file, capture.line ? capture.line : 1, capture.column, "%s",
                      capture.message[0] ? capture.message : cyaml_strerror(error));
        }
    }
    free(text);
    if (!ok) {
        wr_yaml_lines_free(index);
        return false;
    }
    *lines = index;
    return true;
}

void wr_yaml_free(const cyaml_schema_value_t *schema, void *data)
{
    log_capture capture = {0};
    cyaml_config_t config = loader_config(&capture);
    if (data) {
        cyaml_free(&config, schema, data, 0);
    }
}

unsigned wr_yaml_line(const wr_yaml_lines *lines, const char *path)
{
    unsigned line = 1;
    size_t best = 0;
    for (size_t i = 0; i < lines->count; i++) {
        const char *candidate = lines->entries[i].path;
        size_t n = strlen(candidate);
        bool encloses = strncmp(path, candidate, n) == 0 &&
                        (path[n] == '\0' || path[n] == '.' || path[n] == '[');
        if (encloses && n > best) {
            best = n;
            line = lines->entries[i].line;
        }
    }
    return line;
}

bool wr_yaml_has(const wr_yaml_lines *lines, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < lines->count && !found; i++) {
        found = strcmp(lines->entries[i].path, path) == 0;
    }
    return found;
}

void wr_yaml_lines_free(wr_yaml_lines *lines)
{
    if (!lines) {
        return;
    }
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->entries[i].path);
    }
    free(lines->entries);
    free(lines);
}
