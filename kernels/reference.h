/* SPDX-License-Identifier: Apache-2.0 */
/* The references by name, and what they share. None shares code with the kernel it checks. */
#ifndef WR_KERNELS_REFERENCE_H
#define WR_KERNELS_REFERENCE_H

#include "shell/host/reference.h"

/* NULL where there is no reference of this name. */
wr_reference_fn wr_reference_find(const char *name);

#define WR_REFERENCE(name) const char *wr_reference_##name(const wr_reference_launch *launch);
#include "kernels/reference_list.h"
#undef WR_REFERENCE

/* The signature of a kernel as its reference expects it: one letter per argument, 'f' a buffer
 * of f32, 'i' a buffer of 32-bit integers, 'b' a buffer of bytes, 'n' a 32-bit integer value,
 * 'r' an f32 value. */
bool wr_reference_takes(const wr_reference_launch *launch, const char *signature);

/* Does buffer argument `arg` have at least `count` elements? */
bool wr_reference_holds(const wr_reference_launch *launch, size_t arg, uint64_t count);

/* Is the launch exactly of this grid and block? */
bool wr_reference_shape(const wr_reference_launch *launch, const uint32_t grid[3],
                        const uint32_t block[3]);

#endif
