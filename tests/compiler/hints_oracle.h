/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of hints: a chain is right where, whatever the values are, running it ahead and then
 * the code in order leaves what the code alone leaves. Values are names: what an instruction makes
 * of its sources is a name made of theirs, so two ways to the same name are the same value.
 */
#ifndef WR_TESTS_COMPILER_HINTS_ORACLE_H
#define WR_TESTS_COMPILER_HINTS_ORACLE_H

#include "shell/isa/hints.h"

typedef struct wr_oracle_hints_sum {
    unsigned stall_points, chains, members, branches, renamed, loads;
} wr_oracle_hints_sum;

/* Why a word of the kernel is wrong; NULL: all chains are right. `most`: entries of a chain;
 * `registers`: of a thread. */
const char *wr_oracle_hints(const wr_kernel *kernel, const uint32_t *words, unsigned most,
                            unsigned registers, wr_oracle_hints_sum *sum, size_t *where);

#endif
