/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts as bytes; see image.h. */
#include "systems/duet/image.h"

#include <stdlib.h>

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

/* Of a register at a point; see context_mover. */
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
