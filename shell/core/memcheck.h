/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of memory accesses beyond what a GPU faults at, in a run without time (wr_gpu_forward):
 * the machine is the same, and so are values; only what a program should not have done is noted.
 *
 * - An access whose pointer came from one buffer and that is in another one. The compiler says
 *   through which parameters an address is made (kernel.h, roots); where it does not know, any
 *   buffer is right. A pointer to where a buffer begins is one to that buffer, so blocks whose ends
 * a program may name lie apart (cuda/server/store.c).
 * - An access to memory that is not in use: behind the end of a block of malloc or cudaMalloc, or
 *   after its free.
 * - A read of bytes that nobody has written: of shared memory, and of blocks of malloc and
 *   cudaMalloc.
 * - A race in shared memory: two warps of a thread block access a byte, one of them writes
 *   something else than it holds, and no barrier orders them. Atomics and volatile accesses order
 * what comes before them and behind: so a lock or a flag is no race, and a race around one can go
 * unseen. Lanes of one warp do not race.
 */
#ifndef WR_SHELL_CORE_MEMCHECK_H
#define WR_SHELL_CORE_MEMCHECK_H

#include "shell/core/gpu.h"

typedef enum wr_finding_kind {
    WR_FINDING_OTHER_BUFFER,
    WR_FINDING_NOT_IN_USE,
    WR_FINDING_UNDEFINED,
    WR_FINDING_RACE,
    WR_FINDING_KINDS
} wr_finding_kind;

/* All of one kind that one instruction did (of a race: with one other instruction); places are
 * those of the first one. */
typedef struct wr_finding {
    wr_finding_kind kind;
    const wr_kernel *kernel;
    uint32_t at, other_at; /* instructions, by index; other_at: of a race */
    uint64_t count;        /* accesses of a lane */
    uint32_t ctaid[3], tid[3];
    uint32_t other_warp; /* of a race: by number in its thread block */
    uint8_t space;       /* wr_space: global or shared */
    bool writes, other_writes;
    uint32_t bytes;
    uint64_t address;
    uint64_t begin, end; /* OTHER_BUFFER: of the buffer that the pointer came from */
} wr_finding;

/* From the first run on; instead of wr_gpu_forward. False: out of memory. */
bool wr_gpu_check_memory(wr_gpu *gpu);
bool wr_gpu_checks_memory(const wr_gpu *gpu);
/* What host code does with allocations: bytes there are no more in use, or are and undefined, or
 * are and defined, as those that a host writes without a word. What wr_gpu_write has written is
 * defined, as all that wr_gpu_alloc gives at first. No checks: nothing.
 */
void wr_gpu_memory_released(wr_gpu *gpu, uint64_t address, uint64_t bytes);
void wr_gpu_memory_undefined(wr_gpu *gpu, uint64_t address, uint64_t bytes);
void wr_gpu_memory_defined(wr_gpu *gpu, uint64_t address, uint64_t bytes);

/* In the order in which they were found first. */
size_t wr_gpu_finding_count(const wr_gpu *gpu);
const wr_finding *wr_gpu_finding(const wr_gpu *gpu, size_t index);
/* A line for people, without a newline. */
void wr_finding_text(const wr_finding *finding, char *text, size_t size);
const char *wr_finding_kind_name(wr_finding_kind kind);

#endif
