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

const wr_config_desc *wr_cmd_config_of(const wr_block_desc *block, const char *name)
{
    const wr_config_desc *config = wr_block_config(block, name);

    if (config == NULL) {
        (void)fprintf(stderr, "%s has no configuration '%s'; there are", block->name, name);
        for (size_t i = 0; i < block->configs_count; i++) {
            (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", block->configs[i].name);
        }
        (void)fprintf(stderr, "\n");
    }
    return config;
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
