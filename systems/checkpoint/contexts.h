/* SPDX-License-Identifier: Apache-2.0 */
/* Part CTXS of a checkpoint: which TBs lie in simulated memory, and where.
 *
 * What is in their contexts is in the part of memory. On a machine that holds more TBs than the
 * area of a stream has entries for, the contexts move to a new area.
 */
#ifndef WR_SYSTEMS_CHECKPOINT_CONTEXTS_H
#define WR_SYSTEMS_CHECKPOINT_CONTEXTS_H

#include "shell/checkpoint/bytes.h"
#include "systems/context/engine.h"

/* Of the TBs of a stream's launch that were saved for this checkpoint. */
typedef struct wr_saved_kernel {
    uint32_t stream;
    char name[256];
    uint64_t tbs, warps;
    uint64_t occupied, live, compressed; /* bytes of registers */
} wr_saved_kernel;

/* A TB in memory, before its launch is known. */
typedef struct wr_saved_place {
    uint32_t stream, linear, frame, entry;
    uint32_t sm; /* where it ran */
    bool spoilt; /* as wr_tb_info says */
    uint64_t issued;
} wr_saved_place;

typedef struct wr_saved_area {
    uint32_t entries; /* 0: the stream has none */
    uint64_t ccb, base, bytes;
} wr_saved_area;

typedef struct wr_saved_contexts {
    wr_saved_area area[WR_MAX_STREAMS];
    uint32_t kernels;
    wr_saved_kernel kernel[WR_MAX_STREAMS];
    uint32_t tbs;
    wr_saved_place *tb;
} wr_saved_contexts;

void wr_contexts_put(const wr_saved_contexts *contexts, wr_bytes *out);

/* False: the bytes are no such part, and there is nothing to free. */
bool wr_contexts_read(wr_bytes_in in, wr_saved_contexts *contexts);
void wr_contexts_free(wr_saved_contexts *contexts);

/* The stream's launch, which was in flight when it was saved, begins: its area is prepared, as
 * large as `entries` asks for, and `tbs` holds its TBs. False with a reason. */
bool wr_contexts_move_in(const wr_saved_contexts *contexts, wr_gpu *gpu, uint32_t stream,
                         uint32_t entries, wr_context_area *area, wr_saved_tb *tbs, uint32_t *sms,
                         uint32_t *count, char *why, size_t size);

#endif
