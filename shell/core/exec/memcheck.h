/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the checks of shell/core/memcheck.h: where the machine tells of what it does. All of it
 * is called in runs without time, by one thread. */
#ifndef WR_SHELL_CORE_EXEC_MEMCHECK_H
#define WR_SHELL_CORE_EXEC_MEMCHECK_H

#include "shell/core/exec/access.h"
#include "shell/core/memcheck.h"

typedef struct wr_memcheck wr_memcheck;
typedef struct wr_race wr_race; /* race.c: shared memory of the TBs that are on SMs */

/* What a byte of memory is. */
enum { WR_BYTE_DEFINED, WR_BYTE_UNDEFINED, WR_BYTE_UNUSED };

void wr_memcheck_free(wr_memcheck *check);
/* An access that is sound, before it is done. */
void wr_memcheck_access(wr_memcheck *check, wr_sm *sm, uint32_t warp, const wr_access *access);
void wr_memcheck_mark(wr_memcheck *check, const wr_memory *memory, uint64_t address, uint64_t bytes,
                      uint8_t what);
/* Counts it to the finding of its kind and instructions, or makes one. `lane` did it. */
void wr_memcheck_found(wr_memcheck *check, const wr_sm *sm, uint32_t warp, uint32_t lane,
                       const wr_finding *finding);
/* Barriers: the warp arrives there, by its number in the TB; these warps go on behind it. */
void wr_memcheck_arrive(wr_memcheck *check, const wr_sm *sm, uint32_t tb_slot, uint32_t index,
                        uint32_t barrier);
void wr_memcheck_pass(wr_memcheck *check, const wr_sm *sm, uint32_t tb_slot, uint32_t indices,
                      uint32_t barrier);

/* race.c */
wr_race *wr_race_new(const wr_gpu_config *cfg); /* NULL: out of memory */
void wr_race_free(wr_race *race);
void wr_race_access(wr_race *race, wr_memcheck *check, const wr_sm *sm, uint32_t warp,
                    const wr_access *access);
/* An atomic or volatile access, of any memory. */
void wr_race_order(wr_race *race, const wr_sm *sm, uint32_t warp);
void wr_race_arrive(wr_race *race, const wr_sm *sm, uint32_t tb_slot, uint32_t index,
                    uint32_t barrier);
void wr_race_pass(wr_race *race, const wr_sm *sm, uint32_t tb_slot, uint32_t indices,
                  uint32_t barrier);

#endif
