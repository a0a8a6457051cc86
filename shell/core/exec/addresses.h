/* SPDX-License-Identifier: Apache-2.0 */
/* The 32 addresses of a memory instruction, and what its fast paths ask of them.
 *
 * Most warps touch a row of words or one word, and nearly all of them one allocation: a few sums
 * over the lanes, without a branch in them, tell. Lanes that are off take the address of the
 * first that is on, so that they count for nothing.
 */
#ifndef WR_SHELL_CORE_EXEC_ADDRESSES_H
#define WR_SHELL_CORE_EXEC_ADDRESSES_H

#include "shell/core/exec/exec.h"

typedef struct wr_addresses {
    uint64_t lane[WR_LANES];
    uint64_t low, high; /* least and greatest of the lanes that are on */
    uint64_t bits;      /* or of them all: where no low bit is set, no lane is misaligned */
    bool is_row;        /* all lanes are on, each 4 bytes behind the one before */
} wr_addresses;

/* Of lanes that are on (`mask`, not 0): row + offset + base, where row is of 64 bits (`wide`) and
 * the offset signed, or of 32 bits and wraps; NULL: zeros. */
void wr_addresses_of(wr_addresses *a, const uint32_t *row, bool wide, uint32_t offset,
                     uint64_t base, uint32_t mask);
/* The same where `lane` is filled. */
void wr_addresses_sum(wr_addresses *a, uint32_t mask);
/* The words at these addresses, of the lanes that are on, where `low` points to the least of them.
 */
void wr_addresses_gather(uint32_t *row, const uint8_t *low, const wr_addresses *a, uint32_t mask);

#endif
