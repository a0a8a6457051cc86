/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's warps keep that are switched out (Lin-D 3.6.6, Eq. 3.2). A context is
 *
 *   lines of registers | lines of metadata (ST)
 *
 * Registers: those that the compiler says are live, or awaited, at the switch point where the warp
 * stands (reduced.h, view `all`), in ascending order, without gaps: a base for each group of lanes
 * where it is uniform, bases and steps, group by group, where it is strided, else 32 lanes. The
 * same number of lines for every point, that of the largest.
 * Metadata: meta.h.
 *
 * A warp that has not run has no register to keep.
 */
#ifndef WR_SYSTEMS_DUET_IMAGE_H
#define WR_SYSTEMS_DUET_IMAGE_H

#include "shell/compiler/reduced.h"
#include "systems/duet/meta.h"

enum { WR_DUET_REGISTER_LINES = 63 };

/* What warps of a launch keep. */
typedef struct wr_duet_shape {
    wr_reduced *reduced;
    uint32_t *point_of; /* by machine word: 1 + its switch point, or 0 */
    uint32_t words;
    uint32_t lines; /* of registers in a context; at least 1 */
} wr_duet_shape;

/* False: no memory. Of a kernel that is not analysed every register is kept everywhere. */
bool wr_duet_shape_make(wr_duet_shape *shape, const wr_kernel *kernel, const uint32_t block[3]);
void wr_duet_shape_free(wr_duet_shape *shape);

/* The switch point at a PC; NULL: none, a warp can't be switched out there. */
const wr_switch_point *wr_duet_point(const wr_duet_shape *shape, uint32_t pc);
/* By 1 + its number; NULL: it is none's. */
const wr_switch_point *wr_duet_numbered_point(const wr_duet_shape *shape, uint32_t number);

/* What absent_reply and context_mover are told: the lanes that are reduced together, as their pin
 * group; and of the registers kept at point number - 1, as their pins kind_low and kind_high. */
uint8_t wr_duet_group(const wr_duet_shape *shape);
void wr_duet_kinds(const wr_duet_shape *shape, uint32_t number, uint64_t *low, uint64_t *high);

#endif
