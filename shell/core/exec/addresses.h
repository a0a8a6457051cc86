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

/* What the 16 lanes of a half access, where all 32 are on: blocks of threads are often 16 wide. */
enum { WR_HALF_ANY, WR_HALF_ROW, WR_HALF_WORD };

typedef struct wr_addresses {
    uint64_t lane[WR_LANES];
    uint64_t low, high; /* least and greatest of the lanes that are on */
    uint64_t bits;      /* or of them all: where no low bit is set, no lane is misaligned */
    bool is_row;        /* all lanes are on, each 4 bytes behind the one before */
    uint8_t form[2];    /* WR_HALF_* of lanes 0 to 15, 16 to 31 */
} wr_addresses;

/* Of lanes that are on (`mask`, not 0): row + offset + base, where row is of 64 bits (`is_wide`)
 * and the offset signed, or of 32 bits and wraps; NULL: zeros. */
void wr_addresses_of(wr_addresses *a, const uint32_t *row, bool is_wide, uint32_t offset,
                     uint64_t base, uint32_t mask);
/* The same where `lane` is filled. */
void wr_addresses_sum(wr_addresses *a, uint32_t mask);
/* The words at these addresses into a row or out of it, of the lanes that are on, where `low`
 * points to the least of them. Where several lanes store to a word, the last one's stays. */
void wr_addresses_load(uint32_t *row, const uint8_t *low, const wr_addresses *a, uint32_t mask);
void wr_addresses_store(uint8_t *low, const uint32_t *row, const wr_addresses *a, uint32_t mask);

#endif
