/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands on single blocks share: see cmd_block.h. */
#include "tools/cmd_block.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_ROOM = 2048 };

/* A line "  group: a, b, c" for each group; names that do not fit are left out. */
static void block_names(char *text, size_t size)
{
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        bool first = i == 0 || strcmp(all[i]->group, all[i - 1]->group) != 0;
        int n = snprintf(text + used, size - used, "%s%s%s%s", first ? "\n  " : ", ",
                         first ? all[i]->group : "", first ? ": " : "", all[i]->name);
        used += n > 0 ? (size_t)n : 0;
    }
}

const wr_block_desc *wr_cmd_block(const char *name)
{
    const wr_block_desc *block = wr_block_find(name);

    if (block == NULL) {
        char names[NAMES_ROOM];
        block_names(names, sizeof(names));
        (void)fprintf(stderr, "no block '%s'; there are%s\n", name, names);
    }
    return block;
}

void wr_cmd_want_block(const struct argp_state *state, const char *wanted)
{
    char names[NAMES_ROOM];

    block_names(names, sizeof(names));
    argp_error(state, "name %s; the blocks are%s", wanted, names);
}

bool wr_cmd_add_param(wr_cmd_params *params, const char *text)
{
    if (params->count == sizeof(params->text) / sizeof(params->text[0])) {
        (void)fprintf(stderr, "--param '%s': too many of them\n", text);
        return false;
    }
    params->text[params->count++] = text;
    return true;
}

/* One parameter of a configuration. */
static bool set_param(const wr_block_desc *block, const char *text, uint32_t *values)
{
    size_t length = strcspn(text, "=");
    uint64_t value;

    for (size_t i = 0; i < block->params_count && text[length] == '='; i++) {
        const char *name = block->params[i].name;
        if (strlen(name) == length && strncmp(name, text, length) == 0) {
            char what[64];
            (void)snprintf(what, sizeof(what), "--param %s", name);
            if (!wr_cmd_number(what, text + length + 1, 0, UINT32_MAX, &value)) {
                return false;
            }
            values[i] = (uint32_t)value;
            return true;
        }
    }
    (void)fprintf(stderr, "--param '%s': must be NAME=VALUE, NAME one of", text);
    for (size_t i = 0; i < block->params_count; i++) {
        (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", block->params[i].name);
    }
    (void)fprintf(stderr, "\n");
    return false;
}

bool wr_cmd_configure(const wr_block_desc *block, const char *name, const wr_cmd_params *params,
                      wr_config_desc *config)
{
    const wr_config_desc *named = wr_block_config(block, name);

    if (named == NULL) {
        (void)fprintf(stderr, "%s has no configuration '%s'; there are", block->name, name);
        for (size_t i = 0; i < block->configs_count; i++) {
            (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", block->configs[i].name);
        }
        (void)fprintf(stderr, "\n");
        return false;
    }
    *config = *named;
    for (size_t i = 0; i < params->count; i++) {
        if (!set_param(block, params->text[i], config->value)) {
            return false;
        }
    }
    named = wr_block_config_of(block, config->value);
    config->name = named != NULL ? named->name : "custom";
    return true;
}

bool wr_cmd_number(const char *what, const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    uint64_t n = 0;
    const char *at = text;

    while (*at >= '0' && *at <= '9' && n <= (UINT64_MAX - 9) / 10) {
        n = n * 10 + (uint64_t)(*at++ - '0');
    }
    if (at == text || *at != '\0' || n < min || n > max) {
        (void)fprintf(stderr, "%s '%s': must be a whole number, %" PRIu64 " to %" PRIu64 "\n", what,
                      text, min, max);
        return false;
    }
    *value = n;
    return true;
}

void wr_cmd_json_u64(cJSON *object, const char *name, uint64_t value)
{
    char text[24];

    (void)snprintf(text, sizeof(text), "%" PRIu64, value);
    (void)cJSON_AddRawToObject(object, name, text);
}

void wr_cmd_json_params(cJSON *object, const char *name, const wr_block_desc *block,
                        const uint32_t *values)
{
    cJSON *params = cJSON_AddObjectToObject(object, name);

    for (size_t i = 0; i < block->params_count; i++) {
        wr_cmd_json_u64(params, block->params[i].name, values[i]);
    }
}

bool wr_cmd_json_print(cJSON *root)
{
    char *text = cJSON_Print(root);

    cJSON_Delete(root);
    if (text == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        return false;
    }
    (void)puts(text);
    cJSON_free(text);
    return true;
}
