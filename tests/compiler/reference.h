/* What a PTX kernel means, for one thread at a time: an interpreter of the syntax tree that
 * knows nothing of warps, machine registers or the compiler. Only the instructions that
 * random.c writes. */
#ifndef WR_TESTS_COMPILER_REFERENCE_H
#define WR_TESTS_COMPILER_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "shell/ptx/ptx.h"

/* Runs `func` for thread `tid`; `memory` holds global addresses 0 .. size. NULL, or what
 * went wrong. */
const char *wr_test_reference(const wr_ptx_func *func, const uint8_t *params, uint8_t *memory,
                              uint32_t size, uint32_t tid);

#endif
