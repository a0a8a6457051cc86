/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries, as nvcc puts them into programs: a head, and images of device code one behind
 * another, each with a head of its own: PTX or machine code, for a target, perhaps compressed.
 *
 *   head   u32 magic, u16 version, u16 bytes of the head, u64 bytes behind it
 *   image  0 u16 kind | 4 u32 bytes of its head | 8 u64 bytes behind it | 16 u32 of these,
 * compressed 28 u32 target, 75 = sm_75 | 40 u64 flags | 56 u64 bytes when it is not compressed
 *
 * Nothing in them is relied on: what does not lie within its bounds is refused.
 */
#ifndef WR_CUDA_RUNTIME_FATBIN_H
#define WR_CUDA_RUNTIME_FATBIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WR_FATBIN_MAGIC UINT32_C(0xba55ed50)
#define WR_FATBIN_TEXT  (UINT64_C(1) << 28) /* bytes of PTX in an image, at most */

enum { WR_FATBIN_WHY = 256 };

typedef struct wr_fatbin_ptx {
    uint32_t target;
    uint64_t flags;
    const uint8_t *data;
    uint64_t bytes, packed, text_bytes;
} wr_fatbin_ptx;

typedef struct wr_fatbin {
    wr_fatbin_ptx *ptx; /* the highest target first, of one target as they stand there */
    size_t count;
    char machine[64]; /* the targets of machine code, "sm_75, sm_90"; as many as fit */
} wr_fatbin;

/* What is in the `room` bytes. False: `why` says what is wrong, and nothing is to be freed. */
bool wr_fatbin_read(const void *at, size_t room, wr_fatbin *fat, char why[WR_FATBIN_WHY]);
void wr_fatbin_free(wr_fatbin *fat);

/* The text, with a zero behind it, to be freed. NULL: `why` says what is wrong. */
char *wr_fatbin_text(const wr_fatbin_ptx *ptx, char why[WR_FATBIN_WHY]);

#endif
