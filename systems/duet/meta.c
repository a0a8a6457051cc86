/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata as bytes; see meta.h. */
#include "systems/duet/meta.h"

#include <assert.h>
#include <string.h>

/* A head word: depth, and above it the point. */
enum { DEPTH_BITS = 8, DEPTH_MASK = (1 << DEPTH_BITS) - 1 };
enum { STACK_AT = 4 + 4 * WR_ISA_PREDS, ENTRY = 12 };

uint32_t wr_duet_deepest(uint32_t lines)
{
    uint32_t fits = (lines * WR_DUET_LINE - STACK_AT) / ENTRY;

    return fits < WR_SIMT_DEPTH ? fits : WR_SIMT_DEPTH;
}

void wr_duet_meta_pack(const wr_duet_meta *meta, uint32_t lines, uint8_t *bytes, uint8_t fill)
{
    uint32_t head = meta->depth | meta->point << DEPTH_BITS;

    assert(meta->depth <= wr_duet_deepest(lines));
    memset(bytes, fill, (size_t)lines * WR_DUET_LINE);
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + 4, meta->preds, sizeof meta->preds);
    memcpy(bytes + STACK_AT, meta->stack, (size_t)meta->depth * ENTRY);
}

void wr_duet_meta_unpack(const uint8_t *bytes, uint32_t lines, wr_duet_meta *meta)
{
    uint32_t head;

    memcpy(&head, bytes, sizeof head);
    meta->depth = (head & DEPTH_MASK) <= wr_duet_deepest(lines) ? head & DEPTH_MASK : 0;
    meta->point = head >> DEPTH_BITS;
    memcpy(meta->preds, bytes + 4, sizeof meta->preds);
    memcpy(meta->stack, bytes + STACK_AT, (size_t)meta->depth * ENTRY);
}

_Static_assert(sizeof(wr_simt_entry) == ENTRY, "an entry is 12 bytes");
_Static_assert(WR_SIMT_DEPTH <= DEPTH_MASK, "a depth fits its bits");
