/* SPDX-License-Identifier: Apache-2.0 */
/* What a PTX kernel means, for the threads of one TB: an interpreter of the syntax tree that
 * knows nothing of warps' paths, machine registers or the compiler. Only the instructions that
 * random.c and tests/random/program.c write.
 *
 * Each thread runs by itself until it ends or must meet others: at a barrier, or at an
 * instruction that takes a mask of lanes. It goes on when all that are named there have come or
 * have ended. So the order of threads is open, and programs must not depend on it. */
#ifndef WR_TESTS_COMPILER_REFERENCE_H
#define WR_TESTS_COMPILER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "shell/ptx/ptx.h"

/* Runs `func` for thread `tid` alone; `memory` holds global addresses 0 .. size. NULL, or what
 * went wrong. */
const char *wr_test_reference(const wr_ptx_func *func, const uint8_t *params, uint8_t *memory,
                              uint32_t size, uint32_t tid);

/* Runs the entry `k` of the module for threads 0 .. threads - 1 of one TB. */
const char *wr_test_reference_tb(const wr_ptx_module *module, const uint8_t *params,
                                 uint8_t *memory, uint32_t size, uint32_t threads);

#endif
