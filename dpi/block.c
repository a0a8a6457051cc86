/* SPDX-License-Identifier: Apache-2.0 */
/* What the registry's tables give: sizes of packed vectors, values of pins, named configurations.
 */
#include "dpi/block.h"

#include <assert.h>
#include <string.h>

const wr_block_desc *wr_block_find(const char *name)
{
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    for (size_t i = 0; i < count; i++) {
        if (strcmp(blocks[i]->name, name) == 0) {
            return blocks[i];
        }
    }
    return NULL;
}

const wr_config_desc *wr_block_config(const wr_block_desc *block, const char *name)
{
    for (size_t i = 0; i < block->configs_count; i++) {
        if (strcmp(block->configs[i].name, name) == 0) {
            return &block->configs[i];
        }
    }
    return NULL;
}

const wr_config_desc *wr_block_config_of(const wr_block_desc *block, const void *cfg)
{
    for (size_t i = 0; i < block->configs_count; i++) {
        if (memcmp(block->configs[i].value, cfg, block->cfg_size) == 0) {
            return &block->configs[i];
        }
    }
    return NULL;
}

uint32_t wr_pin_count(const wr_pin_desc *pin, const void *cfg)
{
    return pin->count_param < 0 ? pin->count_fixed : ((const uint32_t *)cfg)[pin->count_param];
}

uint32_t wr_block_bits(const wr_block_desc *block, wr_dir dir, const void *cfg)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < block->pins_count; i++) {
        const wr_pin_desc *pin = &block->pins[i];
        if (pin->dir == dir) {
            bits += pin->width * wr_pin_count(pin, cfg);
        }
    }
    return bits;
}

uint32_t wr_block_words(const wr_block_desc *block, wr_dir dir, const void *cfg)
{
    uint32_t words = (wr_block_bits(block, dir, cfg) + 31) / 32;

    assert(words <= WR_MAX_WORDS);
    return words;
}

uint64_t wr_pin_value(const wr_pin_desc *pin, const void *pins_struct, uint32_t element)
{
    const uint8_t *at =
        (const uint8_t *)pins_struct + pin->offset + (size_t)element * pin->elem_bytes;
    uint16_t half;
    uint32_t word;
    uint64_t two;

    switch (pin->elem_bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&half, at, sizeof(half));
        return half;
    case 4:
        memcpy(&word, at, sizeof(word));
        return word;
    default:
        memcpy(&two, at, sizeof(two));
        return two;
    }
}
