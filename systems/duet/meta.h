/* SPDX-License-Identifier: Apache-2.0 */
/* The metadata of a warp that is in no slot, as bytes (ST of Lin-D Eq. 3.2): depth of the SIMT
 * stack and the switch point, predicates, the stack's entries, bottom first. The point is that of
 * the decision: a barrier may open behind it, and the PC go on, which changes no register. For
 * systems that switch warps or TBs out.
 */
#ifndef WR_SYSTEMS_DUET_META_H
#define WR_SYSTEMS_DUET_META_H

#include "shell/core/seam/context.h"

enum {
    WR_DUET_LINE = 128,
    WR_DUET_META_LINES = 4, /* most that a warp's metadata may take */
};

typedef struct wr_duet_meta {
    uint32_t depth;
    uint32_t point; /* 1 + its number; 0: none */
    uint32_t preds[WR_ISA_PREDS];
    wr_simt_entry stack[WR_SIMT_DEPTH];
} wr_duet_meta;
/* The deepest stack that so many lines hold. */
uint32_t wr_duet_deepest(uint32_t lines);
void wr_duet_meta_pack(const wr_duet_meta *meta, uint32_t lines, uint8_t *bytes, uint8_t fill);
/* A depth that the lines can't hold is read as 0: they are not a warp's. */
void wr_duet_meta_unpack(const uint8_t *bytes, uint32_t lines, wr_duet_meta *meta);

#endif
