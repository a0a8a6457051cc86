/* SPDX-License-Identifier: Apache-2.0 */
/* warpref schema: JSON schemas of launch files and configurations, for editors that complete and
 * check YAML by one. They are made of the tables by which the files are read, so both know the same
 * keys; what takes more than one value to see (sizes that must divide each other, names of buffers)
 * a schema cannot say. */
#include <argp.h>
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/config/fields.h"
#include "shell/config/range.h"
#include "shell/host/launch_file.h"
#include "tools/commands.h"
#include "tools/once.h"

#define DRAFT "http://json-schema.org/draft-07/schema#"

/* `strict`: keys that must be there are required; else all may be left out. */
typedef struct maker {
    bool strict, ranges;
} maker;

static cJSON *value_of(const maker *m, const cyaml_schema_value_t *value, const char *path);

static cJSON *mapping_of(const maker *m, const cyaml_schema_field_t *fields, const char *path)
{
    cJSON *item = cJSON_CreateObject();
    cJSON *required = cJSON_CreateArray();
    cJSON_AddStringToObject(item, "type", "object");
    cJSON_AddBoolToObject(item, "additionalProperties", false);
    cJSON *properties = cJSON_AddObjectToObject(item, "properties");
    for (; fields->key; fields++) {
        char inner[160];
        (void)snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "." : "", fields->key);
        cJSON_AddItemToObject(properties, fields->key, value_of(m, &fields->value, inner));
        if (m->strict && !(fields->value.flags & CYAML_FLAG_OPTIONAL)) {
            cJSON_AddItemToArray(required, cJSON_CreateString(fields->key));
        }
    }
    if (cJSON_GetArraySize(required) != 0) {
        cJSON_AddItemToObject(item, "required", required);
    } else {
        cJSON_Delete(required);
    }
    return item;
}

static cJSON *value_of(const maker *m, const cyaml_schema_value_t *value, const char *path)
{
    cJSON *item;
    switch (value->type) {
    case CYAML_MAPPING:
        return mapping_of(m, value->mapping.fields, path);
    case CYAML_SEQUENCE:
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "type", "array");
        cJSON_AddNumberToObject(item, "minItems", value->sequence.min);
        cJSON_AddNumberToObject(item, "maxItems", value->sequence.max);
        cJSON_AddItemToObject(item, "items", value_of(m, value->sequence.entry, path));
        return item;
    case CYAML_ENUM:
        item = cJSON_CreateObject();
        cJSON *names = cJSON_AddArrayToObject(item, "enum");
        for (uint32_t i = 0; i < value->enumeration.count; i++) {
            cJSON_AddItemToArray(names, cJSON_CreateString(value->enumeration.strings[i].str));
        }
        return item;
    case CYAML_UINT: {
        const wr_range *range = m->ranges ? wr_range_of(path) : NULL;
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "type", "integer");
        cJSON_AddNumberToObject(item, "minimum", range ? range->min : 0);
        if (range) {
            cJSON_AddNumberToObject(item, "maximum", range->max);
        }
        return item;
    }
    case CYAML_FLOAT:
        item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "type", "number");
        return item;
    default: /* text; a number that stands there is text as well */
        item = cJSON_CreateObject();
        if (strcmp(path, "checks.reference") == 0) {
            cJSON_AddStringToObject(
                item, "description",
                "a name of warpref's own, FILE.so:FUNCTION or FILE.py:FUNCTION");
        }
        cJSON *types = cJSON_AddArrayToObject(item, "type");
        cJSON_AddItemToArray(types, cJSON_CreateString("string"));
        cJSON_AddItemToArray(types, cJSON_CreateString("number"));
        return item;
    }
}

static cJSON *launch_schema(void)
{
    const maker strict = {.strict = true};
    cJSON *root = value_of(&strict, wr_launch_file_schema(), "");
    cJSON_AddStringToObject(root, "$schema", DRAFT);
    cJSON_AddStringToObject(root, "title", "warpref launch file");
    return root;
}

/* With `base` all else may be left out. */
static cJSON *config_schema(void)
{
    const maker strict = {.strict = true, .ranges = true}, partial = {.ranges = true};
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "$schema", DRAFT);
    cJSON_AddStringToObject(root, "title", "warpref configuration");
    cJSON_AddStringToObject(root, "type", "object");
    cJSON *condition = cJSON_AddObjectToObject(root, "if");
    cJSON *required = cJSON_AddArrayToObject(condition, "required");
    cJSON_AddItemToArray(required, cJSON_CreateString("base"));
    cJSON *derived = mapping_of(&partial, wr_config_fields, "");
    cJSON *base = cJSON_AddObjectToObject(cJSON_GetObjectItem(derived, "properties"), "base");
    cJSON_AddStringToObject(base, "type", "string");
    cJSON_AddItemToObject(root, "then", derived);
    cJSON_AddItemToObject(root, "else", mapping_of(&strict, wr_config_fields, ""));
    return root;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const char **what = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*what) {
            argp_error(state, "one schema at a time");
        }
        if (strcmp(arg, "launch") != 0 && strcmp(arg, "config") != 0) {
            argp_error(state, "schemas are launch and config, not '%s'", arg);
        }
        *what = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "say which: launch or config");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int wr_cmd_schema(int argc, char **argv)
{
    static const struct argp argp = {
        NULL,
        parse,
        "launch|config",
        "Prints the JSON schema of launch files or of configurations, by which an editor completes "
        "keys and marks what is wrong.\v"
        "Keep it in a file, say launch.schema.json, and name that in the first line of a launch "
        "file, where editors with a YAML language server look for it: "
        "# yaml-language-server: $schema=launch.schema.json\n"
        "\n"
        "Exit status: 0 it was printed, 1 it could not be written, 2 bad usage.",
        NULL,
        NULL,
        NULL};
    const char *what = NULL;
    if (wr_parse_once(&argp, argc, argv, &what) != 0) {
        return 2;
    }
    cJSON *schema = strcmp(what, "launch") == 0 ? launch_schema() : config_schema();
    char *text = cJSON_Print(schema);
    bool ok = text && puts(text) >= 0 && fflush(stdout) == 0;
    free(text);
    cJSON_Delete(schema);
    if (!ok) {
        (void)fputs("warpref schema: it cannot be written\n", stderr);
    }
    return ok ? 0 : 1;
}
