/* SPDX-License-Identifier: Apache-2.0 */
/* The saved context of a TB, worked out the plain way from the description of the format
 * (Lin-P III.C, IV.B; docs/blocks): nothing of systems/ or of the blocks is used. */
#ifndef WR_TESTS_SYSTEMS_NAIVE_CONTEXT_H
#define WR_TESTS_SYSTEMS_NAIVE_CONTEXT_H

#include "shell/core/seam/context.h"

/* What a warp holds. */
typedef struct naive_warp {
    bool done;
    uint32_t depth;
    uint16_t pledges; /* barriers at which it has arrived without waiting */
    wr_simt_entry stack[WR_SIMT_DEPTH];
    uint32_t reg[63][32];
    uint32_t pred[7];
    uint64_t live; /* registers that the format must keep */
} naive_warp;

/* Which registers are live for a 54-bit vector on a machine of `regs` registers. */
uint64_t naive_live(uint64_t vector, uint32_t regs);

/* Register data of one warp: its bytes (not padded) and pattern vector. Returns bytes. */
uint32_t naive_registers(const naive_warp *warp, uint32_t block_x, uint8_t data[63 * 128],
                         uint8_t pattern[16]);

/* The same of registers that are stored as they are. */
uint32_t naive_raw(const naive_warp *warp, uint8_t data[63 * 128], uint8_t pattern[16]);

/* Register data of a whole TB, all of whose warps have the same live registers: 4 bits of class a
 * register, and the stream, of which the bytes are returned. */
uint32_t naive_whole(const naive_warp *warp, uint32_t warps, uint32_t block_x, uint8_t *data,
                     uint8_t classes[32]);
/* Its groups. */
uint32_t naive_groups(uint32_t warps, uint32_t block_x);

/* Stack entries and the record of predicates, depth and arrivals. */
uint32_t naive_stack(const naive_warp *warp, uint8_t data[32 * 12], uint8_t preds[32]);

#endif
