/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts as bytes; see image.h. */
#include "systems/duet/image.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = WR_HELD_LANES };

bool wr_duet_shape_make(wr_duet_shape *shape, const wr_kernel *kernel, const uint32_t block[3])
{
    *shape = (wr_duet_shape){.reduced = wr_reduce(kernel, block),
                             .words = (uint32_t)kernel->word_count,
                             .point_of = calloc(kernel->word_count + 1, sizeof(uint32_t))};
    if (shape->reduced == NULL || shape->point_of == NULL) {
        wr_duet_shape_free(shape);
        return false;
    }
    for (size_t i = 0; i < shape->reduced->count; i++) {
        shape->point_of[shape->reduced->points[i].pc / 8] = (uint32_t)i + 1;
    }
    shape->lines = shape->reduced->lines[WR_HELD_ALL];
    shape->lines += shape->lines == 0;
    return true;
}

void wr_duet_shape_free(wr_duet_shape *shape)
{
    if (shape->reduced != NULL) {
        wr_reduced_free(shape->reduced);
    }
    free(shape->point_of);
    *shape = (wr_duet_shape){0};
}

const wr_switch_point *wr_duet_point(const wr_duet_shape *shape, uint32_t pc)
{
    return wr_duet_numbered_point(shape, pc / 8 < shape->words ? shape->point_of[pc / 8] : 0);
}

const wr_switch_point *wr_duet_numbered_point(const wr_duet_shape *shape, uint32_t number)
{
    return number != 0 && number <= shape->reduced->count ? &shape->reduced->points[number - 1]
                                                          : NULL;
}

/* Of a register at a point; see absent_reply. */
enum { KIND_NONE, KIND_UNIFORM, KIND_STRIDED, KIND_WHOLE };

static uint32_t kind_of(const wr_switch_point *point, uint32_t reg)
{
    if (point == NULL || (point->slots >> reg & 1) == 0) {
        return KIND_NONE;
    }
    switch ((wr_held_kind)point->kind[WR_HELD_ALL][reg]) {
    case WR_HELD_UNSEEN:
        return KIND_NONE;
    case WR_HELD_WARP:
    case WR_HELD_GROUP:
        return KIND_UNIFORM;
    case WR_HELD_STRIDED:
        return KIND_STRIDED;
    case WR_HELD_RANDOM:
        break;
    }
    return KIND_WHOLE;
}

void wr_duet_kinds(const wr_duet_shape *shape, uint32_t number, uint64_t *low, uint64_t *high)
{
    const wr_switch_point *point = wr_duet_numbered_point(shape, number);

    *low = *high = 0;
    for (uint32_t reg = 0; reg < WR_DUET_REGISTER_LINES; reg++) {
        const uint64_t kind = kind_of(point, reg);

        *low |= (kind & 1) << reg;
        *high |= kind >> 1 << reg;
    }
}

uint8_t wr_duet_group(const wr_duet_shape *shape)
{
    return shape->reduced->group == 8 ? 0 : shape->reduced->group == 16 ? 1 : 2;
}

/* Words of a register for each group of lanes. */
static uint32_t group_words(const wr_duet_shape *shape, const wr_switch_point *point, uint32_t reg)
{
    const uint32_t kind = kind_of(point, reg);

    return kind == KIND_WHOLE ? shape->reduced->group : kind;
}

static uint32_t register_words(const wr_duet_shape *shape, const wr_switch_point *point,
                               uint32_t reg)
{
    return group_words(shape, point, reg) * (LANES / shape->reduced->group);
}

/* A register's words from its lanes. */
static void put(uint32_t group, uint32_t per_group, const uint32_t lanes[LANES], uint32_t *words)
{
    for (uint32_t first = 0; first < LANES; first += group) {
        words[0] = lanes[first];
        if (per_group == 2) {
            words[1] = lanes[first + 1] - lanes[first];
        } else if (per_group == group) {
            memcpy(words, lanes + first, group * sizeof *words);
        }
        words += per_group;
    }
}

static void get(uint32_t group, uint32_t per_group, const uint32_t *words, uint32_t lanes[LANES])
{
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t *of = words + i / group * per_group;
        uint32_t at = i % group;

        lanes[i] = per_group == 1 ? of[0] : per_group == 2 ? of[0] + at * of[1] : of[at];
    }
}

void wr_duet_pack(const wr_duet_shape *shape, const wr_switch_point *point, wr_duet_row *row,
                  void *of, uint8_t *bytes, uint8_t fill)
{
    uint32_t at = 0;

    memset(bytes, fill, (size_t)shape->lines * WR_DUET_LINE);
    for (uint32_t reg = 0; reg < WR_DUET_REGISTER_LINES; reg++) {
        uint32_t words[LANES];
        uint32_t lanes[LANES];
        uint32_t count = register_words(shape, point, reg);

        if (count != 0) {
            memcpy(lanes, row(of, reg), sizeof lanes);
            put(shape->reduced->group, group_words(shape, point, reg), lanes, words);
            assert(at + 4 * count <= shape->lines * WR_DUET_LINE);
            memcpy(bytes + at, words, (size_t)4 * count);
            at += 4 * count;
        }
    }
}

void wr_duet_unpack(const wr_duet_shape *shape, const wr_switch_point *point, const uint8_t *bytes,
                    wr_duet_row *row, void *of)
{
    uint32_t at = 0;

    for (uint32_t reg = 0; reg < WR_DUET_REGISTER_LINES; reg++) {
        uint32_t words[LANES];
        uint32_t lanes[LANES];
        uint32_t count = register_words(shape, point, reg);

        if (count != 0) {
            memcpy(words, bytes + at, (size_t)4 * count);
            get(shape->reduced->group, group_words(shape, point, reg), words, lanes);
            memcpy(row(of, reg), lanes, sizeof lanes);
            at += 4 * count;
        }
    }
}
