/* SPDX-License-Identifier: Apache-2.0 */
/* The version, and what the registry's tables give: sizes of packed vectors, values of pins, named
 * configurations.
 */
#include "dpi/block.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *wr_version(void)
{
    return WR_VERSION;
}

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

bool wr_block_holds(const wr_block_desc *whole, const wr_block_desc *part)
{
    for (size_t i = 0; i < whole->inside_count; i++) {
        if (strcmp(whole->inside[i], part->name) == 0) {
            return true;
        }
    }
    return false;
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

void wr_block_params_text(const wr_block_desc *block, const void *cfg, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < block->params_count && used < size; i++) {
        int n = snprintf(text + used, size - used, "%s%s=%" PRIu32, i > 0 ? ", " : "",
                         block->params[i].name, ((const uint32_t *)cfg)[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

void wr_block_refusal(const wr_block_desc *block, const void *cfg, char *text, size_t size)
{
    int n = snprintf(text, size, "%s: bad configuration: ", block->name);
    size_t used = n > 0 ? (size_t)n : 0;

    for (size_t i = 0; i < block->params_count && used < size; i++) {
        const wr_param_desc *p = &block->params[i];
        n = snprintf(text + used, size - used, "%s%s = %" PRIu32 " (%" PRIu32 " to %" PRIu32 ")",
                     i > 0 ? ", " : "", p->name, ((const uint32_t *)cfg)[i], p->min, p->max);
        used += n > 0 ? (size_t)n : 0;
    }
}

const wr_pin_desc *wr_block_pin(const wr_block_desc *block, wr_dir dir, const char *name)
{
    for (size_t i = 0; i < block->pins_count; i++) {
        if (block->pins[i].dir == dir && strcmp(block->pins[i].name, name) == 0) {
            return &block->pins[i];
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

void wr_pin_set(const wr_pin_desc *pin, void *pins_struct, uint32_t element, uint64_t value)
{
    uint8_t *at = (uint8_t *)pins_struct + pin->offset + (size_t)element * pin->elem_bytes;
    const uint16_t half = (uint16_t)value;
    const uint32_t word = (uint32_t)value;

    switch (pin->elem_bytes) {
    case 1:
        *at = (uint8_t)value;
        break;
    case 2:
        memcpy(at, &half, sizeof(half));
        break;
    case 4:
        memcpy(at, &word, sizeof(word));
        break;
    default:
        memcpy(at, &value, sizeof(value));
        break;
    }
}
