/* SPDX-License-Identifier: Apache-2.0 */
/* A second, plain machine for the compiler's tests: one warp of a few lanes that runs wr_insn
 * with a reconvergence stack. It shares no code with shell/core.
 *
 * At every preemption point it does what a preemption does to registers: all that the point's
 * vector calls dead are overwritten. So a liveness bit that is missing changes results.
 */
#ifndef WR_TESTS_COMPILER_MACHINE_H
#define WR_TESTS_COMPILER_MACHINE_H

#include "shell/isa/kernel.h"

#define WR_TEST_LANES 8
#define WR_TEST_MEM   65536

typedef struct wr_test_machine {
    const wr_kernel *kernel;
    const uint8_t *params;
    uint8_t *memory; /* WR_TEST_MEM bytes, global addresses 0.. */
    bool poison;     /* at preemption points */
    uint64_t drop;   /* bits that are cleared in every vector first: a planted fault */
    uint64_t points, diverged_points; /* passed */
    uint64_t steps;
    const char *error;
} wr_test_machine;

/* Runs the kernel to its end; false and `error` on what it can't do. */
bool wr_test_machine_run(wr_test_machine *m);

#endif
