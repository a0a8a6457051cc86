/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: one libcyaml schema drives loading, `--set` and printing.
 *
 * The schema names every field once. libcyaml loads strictly by it (an unknown or a missing
 * key is an error); `set` and `print` walk the same tables, so they cannot disagree with it.
 * Ranges stand in a second table by path (range.h), since libcyaml's schema has no place for them;
 * a self-check when a file is loaded asserts that every number has one.
 */
#include "shell/config/config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/config/fields.h"
#include "shell/config/locate.h"
#include "shell/config/range.h"
#include "shell/config/yaml.h"

#define MAX_BASES 8 /* behind one another */

static const cyaml_schema_value_t gpu_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, wr_gpu_config, wr_config_fields)};

static void set_range_error(wr_diag *diag, const char *file, unsigned line, const char *path,
                            const wr_range *r, unsigned long long value)
{
    wr_diag_set(diag, file, line, 0, "%s is %llu; it must be %s%" PRIu32 " to %" PRIu32, path,
                value, r->power_of_two ? "a power of two from " : "", r->min, r->max);
}

typedef struct range_check {
    const wr_yaml_lines *lines; /* NULL: no file, the command line */
    const char *file;
    wr_diag *diag;
} range_check;

static bool check_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                        void *data)
{
    (void)depth;
    range_check *check = arg;
    if (field->value.type != CYAML_UINT) {
        return true;
    }
    const wr_range *r = wr_range_of(path);
    assert(r && "every number of the schema has a range");
    uint32_t value = *(uint32_t *)data;
    if (wr_range_has(r, value)) {
        return true;
    }
    set_range_error(check->diag, check->file, wr_yaml_line(check->lines, path), path, r, value);
    return false;
}

static bool load_whole(const char *file, wr_gpu_config *out, wr_diag *diag)
{
    void *data = NULL;
    wr_yaml_lines *lines = NULL;
    if (!wr_yaml_load(file, &gpu_schema, &data, &lines, diag)) {
        return false;
    }
    wr_gpu_config *loaded = data;
    range_check check = {lines, file, diag};
    bool ok = wr_config_visit(loaded, check_field, &check);
    if (ok) {
        *out = *loaded;
        ok = wr_config_check(out, diag);
    }
    wr_yaml_lines_free(lines);
    wr_yaml_free(&gpu_schema, data);
    return ok;
}

static bool is_path(const char *name)
{
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && strcmp(name + n - 5, ".yaml") == 0);
}

/* A file with `base:` says only what differs. It is loaded by a schema of the same fields, all of
 * which may be left out, and those that stand in the file go over those of the base. */
typedef struct derived {
    wr_gpu_config config; /* first: the fields' places are the same */
    char base[256];
} derived;

static const cyaml_schema_field_t base_field =
    CYAML_FIELD_STRING("base", CYAML_FLAG_OPTIONAL, derived, base, 1);

static size_t count_fields(const cyaml_schema_field_t *fields)
{
    size_t n = 1; /* the end */
    for (; fields->key; fields++) {
        n += 1 +
             (fields->value.type == CYAML_MAPPING ? count_fields(fields->value.mapping.fields) : 0);
    }
    return n;
}

/* Copies a table and those below it to `to`, each field optional; returns what lies behind. The
 * table is at `to` itself, `extra` at its end where there is one. */
static cyaml_schema_field_t *copy_optional(const cyaml_schema_field_t *fields,
                                           const cyaml_schema_field_t *extra,
                                           cyaml_schema_field_t *to)
{
    cyaml_schema_field_t *at = to;
    for (; fields->key; fields++) {
        *at = *fields;
        at++->value.flags |= CYAML_FLAG_OPTIONAL;
    }
    if (extra) {
        *at++ = *extra;
    }
    *at++ = (cyaml_schema_field_t){.key = NULL};
    for (cyaml_schema_field_t *f = to; f->key; f++) {
        if (f->value.type == CYAML_MAPPING) {
            const cyaml_schema_field_t *inner = f->value.mapping.fields;
            f->value.mapping.fields = at;
            at = copy_optional(inner, NULL, at);
        }
    }
    return at;
}

typedef struct overlay {
    const wr_yaml_lines *lines;
    wr_gpu_config *from, *to;
} overlay;

static bool lay_over(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                     void *data)
{
    const overlay *o = arg;
    (void)depth;
    if (field->value.type == CYAML_MAPPING || !wr_yaml_has(o->lines, path)) {
        return true;
    }
    size_t at = (size_t)((char *)data - (char *)o->from);
    memcpy((char *)o->to + at, data, field->value.data_size);
    return true;
}

/* A configuration without a name of its own has the file's. */
static void name_after(const char *file, wr_gpu_config *config)
{
    const char *slash = strrchr(file, '/');
    const char *stem = slash ? slash + 1 : file;
    (void)snprintf(config->name, sizeof config->name, "%.*s", (int)strcspn(stem, "."), stem);
}

static bool load_any(const char *name_or_path, unsigned depth, wr_gpu_config *out, wr_diag *diag);

/* A name, or a path from the file's own folder. */
static bool load_base(const char *file, const char *base, unsigned depth, wr_gpu_config *out,
                      wr_diag *diag)
{
    const char *slash = strrchr(file, '/');
    char path[4096];
    if (depth == MAX_BASES) {
        wr_diag_set(diag, file, 0, 0,
                    "more than %d bases lie behind one another; do they lead back "
                    "to themselves?",
                    MAX_BASES);
        return false;
    }
    bool beside = is_path(base) && base[0] != '/' && slash;
    int n = snprintf(path, sizeof path, "%.*s%s", beside ? (int)(slash - file + 1) : 0, file, base);
    if (n < 0 || (size_t)n >= sizeof path) {
        wr_diag_set(diag, file, 0, 0, "the path of its base is too long");
        return false;
    }
    return load_any(path, depth + 1, out, diag);
}

/* A file whose schema is `schema`, which is that of derived ones. */
static bool load_derived(const char *file, const cyaml_schema_value_t *schema, unsigned depth,
                         wr_gpu_config *out, bool *is_derived, wr_diag *diag)
{
    void *data = NULL;
    wr_yaml_lines *lines = NULL;
    if (!wr_yaml_load(file, schema, &data, &lines, diag)) {
        return false;
    }
    derived *loaded = data;
    bool ok = true;
    *is_derived = wr_yaml_has(lines, "base");
    if (*is_derived) {
        ok = load_base(file, loaded->base, depth, out, diag);
        if (!ok && diag->line == 0) { /* there is no such file, or no end of them */
            const wr_diag why = *diag;
            wr_diag_set(diag, file, wr_yaml_line(lines, "base"), 0, "base %s: %s", loaded->base,
                        why.message);
        }
        overlay o = {lines, &loaded->config, out};
        range_check check = {lines, file, diag};
        ok = ok && wr_config_visit(&loaded->config, lay_over, &o) &&
             wr_config_visit(out, check_field, &check);
        if (ok && !wr_yaml_has(lines, "name")) {
            name_after(file, out);
        }
    }
    wr_yaml_lines_free(lines);
    wr_yaml_free(schema, data);
    return ok;
}

/* False with `is_derived` left false: it is none, or broken. */
static bool load_if_derived(const char *file, unsigned depth, wr_gpu_config *out, bool *is_derived,
                            wr_diag *diag)
{
    size_t count = count_fields(wr_config_fields) + 1;
    cyaml_schema_field_t *fields = calloc(count, sizeof *fields);
    if (!fields) {
        wr_diag_set(diag, file, 0, 0, "out of memory");
        return false;
    }
    (void)copy_optional(wr_config_fields, &base_field, fields);
    const cyaml_schema_value_t schema = {CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, derived, fields)};
    bool ok = load_derived(file, &schema, depth, out, is_derived, diag);
    free(fields);
    return ok;
}

static bool load_file(const char *file, unsigned depth, wr_gpu_config *out, wr_diag *diag)
{
    bool is_derived = false;
    if (!load_if_derived(file, depth, out, &is_derived, diag)) {
        return false;
    }
    return is_derived ? wr_config_check(out, diag) : load_whole(file, out, diag);
}

static bool load_any(const char *name_or_path, unsigned depth, wr_gpu_config *out, wr_diag *diag)
{
    if (is_path(name_or_path)) {
        return load_file(name_or_path, depth, out, diag);
    }
    char *file = wr_locate_config(name_or_path);
    if (!file) {
        wr_diag_set(diag, name_or_path, 0, 0,
                    "there is no configuration of this name; `warpref config` lists them");
        return false;
    }
    bool ok = load_file(file, depth, out, diag);
    free(file);
    return ok;
}

bool wr_config_load(const char *name_or_path, wr_gpu_config *out, wr_diag *diag)
{
    return load_any(name_or_path, 0, out, diag);
}

typedef struct set_request {
    char path[96];
    const char *value;
    wr_diag *diag;
    bool found, ok;
} set_request;

/* All enumerations are ints, as libcyaml fills them. */
static void set_name(set_request *set, const char *path, const cyaml_schema_field_t *field,
                     void *data)
{
    char known[128] = "";
    for (uint32_t i = 0; i < field->value.enumeration.count; i++) {
        const cyaml_strval_t *name = &field->value.enumeration.strings[i];
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i != 0 ? " or " : "", name->str);
        if (strcmp(name->str, set->value) == 0) {
            *(int *)data = (int)name->val;
            set->ok = true;
        }
    }
    if (!set->ok) {
        wr_diag_set(set->diag, "--set", 0, 0, "%s is %s, not '%s'", path, known, set->value);
    }
}

/* Lists of nodes and of address bits; the configuration's own name stays. */
static void set_text(set_request *set, const char *path, const cyaml_schema_field_t *field,
                     char *data)
{
    size_t length = strlen(set->value);
    if (length < field->value.string.min || length > field->value.string.max) {
        wr_diag_set(set->diag, "--set", 0, 0, "%s takes %" PRIu32 " to %" PRIu32 " characters",
                    path, field->value.string.min, field->value.string.max);
        return;
    }
    memcpy(data, set->value, length + 1);
    set->ok = true;
}

static bool set_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                      void *data)
{
    (void)depth;
    set_request *set = arg;
    if (strcmp(path, set->path) != 0) {
        return true;
    }
    set->found = true;
    if (field->value.type == CYAML_UINT) {
        const wr_range *r = wr_range_of(path);
        char *end = NULL;
        errno = 0;
        unsigned long long value = strtoull(set->value, &end, 10);
        assert(r && "every number of the schema has a range");
        if (set->value[0] < '0' || set->value[0] > '9' || *end || errno) {
            wr_diag_set(set->diag, "--set", 0, 0, "%s takes a number, not '%s'", path, set->value);
        } else if (value > UINT32_MAX || !wr_range_has(r, (uint32_t)value)) {
            set_range_error(set->diag, "--set", 0, path, r, value);
        } else {
            *(uint32_t *)data = (uint32_t)value;
            set->ok = true;
        }
    } else if (field->value.type == CYAML_ENUM) {
        set_name(set, path, field, data);
    } else if (field->value.type == CYAML_STRING && strcmp(path, "name") != 0) {
        set_text(set, path, field, data);
    } else {
        wr_diag_set(set->diag, "--set", 0, 0, "%s cannot be set; name a single number in it", path);
    }
    return false;
}

bool wr_config_set(wr_gpu_config *config, const char *assignment, wr_diag *diag)
{
    set_request set = {.diag = diag};
    const char *equals = strchr(assignment, '=');
    size_t n = equals ? (size_t)(equals - assignment) : 0;
    if (n == 0 || n >= sizeof set.path) {
        wr_diag_set(diag, "--set", 0, 0,
                    "'%s' is not of the form path=value, for example l1.mshrs=64", assignment);
        return false;
    }
    memcpy(set.path, assignment, n);
    set.value = equals + 1;
    wr_config_visit(config, set_field, &set);
    if (!set.found) {
        wr_diag_set(diag, "--set", 0, 0,
                    "a configuration has no '%s'; `warpref config %s` shows its names", set.path,
                    config->name);
    }
    return set.ok;
}

static const char *name_of(const cyaml_schema_field_t *field, int value)
{
    const cyaml_strval_t *names = field->value.enumeration.strings;
    uint32_t i = 0;
    while (names[i].val != value) {
        i++; /* a value has a name: schema and --set take no other */
    }
    return names[i].str;
}

static bool print_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                        void *data)
{
    (void)path;
    FILE *out = arg;
    int indent = 2 * depth;
    switch (field->value.type) {
    case CYAML_MAPPING:
        return fprintf(out, "%*s%s:\n", indent, "", field->key) > 0;
    case CYAML_ENUM:
        return fprintf(out, "%*s%s: %s\n", indent, "", field->key,
                       name_of(field, *(const int *)data)) > 0;
    case CYAML_STRING:
        if (*(const char *)data == '\0') { /* as one that was left out */
            return true;
        }
        return fprintf(out, "%*s%s: %s\n", indent, "", field->key, (const char *)data) > 0;
    default:
        return fprintf(out, "%*s%s: %" PRIu32 "\n", indent, "", field->key,
                       *(const uint32_t *)data) > 0;
    }
}

bool wr_config_print(const wr_gpu_config *config, FILE *out)
{
    wr_gpu_config copy = *config;
    return wr_config_visit(&copy, print_field, out);
}
