/* SPDX-License-Identifier: Apache-2.0 */
/* Where preemption points of machine code must be, and what their vectors must hold: by searching
 * paths through the decoded code. */
#ifndef WR_TESTS_COMPILER_POINTS_ORACLE_H
#define WR_TESTS_COMPILER_POINTS_ORACLE_H

#include "shell/isa/kernel.h"

const wr_insn *wr_points_at(const wr_kernel *k, uint32_t pc);

/* The vector of what is live there; nothing at UINT32_MAX. */
uint64_t wr_points_live_at(const wr_kernel *k, uint32_t pc);

/* The vectors of all points, for lanes together and apart. Asserts. */
void wr_points_check_vectors(const wr_kernel *k);

/* Every innermost loop holds a barrier or exactly one pp that every way round passes. Asserts;
 * returns how many loops there are. */
unsigned wr_points_check_loops(const wr_kernel *k);

#endif
