/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling PTX text in tests, and looking at what comes out. */
#ifndef WR_TESTS_COMPILER_TEXT_H
#define WR_TESTS_COMPILER_TEXT_H

#include "shell/compiler/compiler.h"

/* Compiles kernel `k` with this body and parameters `out` and `n`, addresses and words of
 * `address_size` bits, of which %r1 and %r3 (%d1 and %d3) hold the values; %r2 is %tid.x. Declared
 * are %p<20>, %r<120>, %d<60>. What does not compile ends the program with its message. */
wr_module *wr_test_compile(const char *body, unsigned address_size,
                           const wr_compile_options *options);

/* The same of a whole module. */
wr_module *wr_test_compile_text(const char *text, const wr_compile_options *options);

/* How many instructions of the operation the first kernel has. */
unsigned wr_test_count(const wr_module *module, wr_op op);

/* The index of the n-th (from 0) instruction of the operation, or UINT32_MAX. */
unsigned wr_test_find(const wr_module *module, wr_op op, unsigned n);

#endif
