/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a GPU that holds no TB, as bytes, and a new GPU that goes on from it.
 *
 * What is kept is what programs can see: simulated memory and where its allocations lie, heaps,
 * launches in flight and how far their TBs are, code, the number of cycles. Caches and the memory
 * system are as in a new GPU. A GPU that goes on counts cycles from 0 for itself; those before are
 * added where programs or launches see the time.
 */
#ifndef WR_SHELL_CORE_CHECKPOINT_H
#define WR_SHELL_CORE_CHECKPOINT_H

#include "shell/checkpoint/bytes.h"
#include "shell/core/gpu.h"

/* A launch in flight. */
typedef struct wr_frozen_grid {
    uint32_t stream;
    wr_launch_result result; /* so far */
    uint64_t next_tb, tbs_done, issued_done;
    uint64_t local_base, local_bytes; /* frames of local memory */
    uint32_t frames, frames_free;
    const uint8_t *free; /* frames_free numbers of 32 bits */
} wr_frozen_grid;

/* Part GPU, read. What it points to is the part's. */
typedef struct wr_frozen_gpu {
    uint64_t cycle;    /* in which it goes on */
    uint64_t launches; /* begun so far */
    uint32_t in_flight;
    wr_frozen_grid grid[WR_MAX_STREAMS]; /* oldest first */
    struct {
        uint64_t base, bytes;
    } local[WR_MAX_STREAMS]; /* by stream */
    uint32_t codes, heaps;
    wr_bytes_in rest; /* codes and heaps */
} wr_frozen_gpu;

/* Kernels by number: those of all modules of the run, in an order that is the same each time. */
typedef struct wr_kernel_list {
    const wr_kernel *const *kernel;
    uint32_t count;
} wr_kernel_list;

/* The GPU, of which nothing is under way (wr_gpu_quiet). Behind its cycle the next one comes. */
void wr_gpu_freeze(const wr_gpu *gpu, const wr_kernel_list *kernels, wr_bytes *out);
void wr_gpu_freeze_memory(const wr_gpu *gpu, wr_bytes *out);

/* False: the bytes are no such part. */
bool wr_gpu_frozen_read(wr_bytes_in in, wr_frozen_gpu *out);

/* A new GPU, in which the same buffers have been allocated, takes it over; launch: of each stream
 * that has one in flight. False with a reason: `gpu` is of no more use. */
bool wr_gpu_thaw(wr_gpu *gpu, const wr_frozen_gpu *frozen, wr_bytes_in memory,
                 const wr_kernel_list *kernels, const wr_launch *const launch[WR_MAX_STREAMS],
                 char *why, size_t size);

#endif
