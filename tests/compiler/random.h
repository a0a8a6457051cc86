/* SPDX-License-Identifier: Apache-2.0 */
/* Random structured PTX kernels for the compiler's tests. */
#ifndef WR_TESTS_COMPILER_RANDOM_H
#define WR_TESTS_COMPILER_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* Parameters of every kernel `k` that is written: u64 (u32 in 32-bit modules) address of the
 * threads' output, WR_RANDOM_BYTES a thread; two u32 and one u64 of any value. */
#define WR_RANDOM_BYTES 512

/* Writes a module into buf (cut short if it does not fit); the same seed, the same text. */
void wr_random_ptx(uint64_t seed, unsigned address_size, char *buf, size_t size);

/* xorshift64*; the state must not be 0. */
uint32_t wr_random_next(uint64_t *state);

#endif
