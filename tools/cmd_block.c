/* What the commands on single blocks share: see cmd_block.h. */
#include "tools/cmd_block.h"

#include <inttypes.h>
#include <stdio.h>

const wr_block_desc *wr_cmd_block(const char *name)
{
    const wr_block_desc *block = wr_block_find(name);

    if (block == NULL) {
        size_t count;
        const wr_block_desc *const *all = wr_blocks(&count);
        (void)fprintf(stderr, "no block '%s'; there are", name);
        for (size_t i = 0; i < count; i++) {
            (void)fprintf(stderr, "%s %s", i > 0 ? "," : "", all[i]->name);
        }
        (void)fprintf(stderr, "\n");
    }
    return block;
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
