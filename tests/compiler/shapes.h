/* SPDX-License-Identifier: Apache-2.0 */
/* Generated modules of any size, each large in one way: what a compiler's time and memory may
 * depend on. For the tests of its growth, and for bench/compile_speed.c.
 *
 * A shape of some number of lines always gives the same text; it parses and compiles.
 */
#ifndef WR_TESTS_COMPILER_SHAPES_H
#define WR_TESTS_COMPILER_SHAPES_H

#include <stddef.h>

typedef struct wr_shape_text {
    char *at;
    size_t used, size;
    unsigned lines;
} wr_shape_text;

typedef struct wr_shape {
    const char *name, *what;
    void (*write)(wr_shape_text *text, unsigned lines);
} wr_shape;

extern const wr_shape wr_shapes[];
extern const size_t wr_shape_count;

/* About that many lines; `at` is the caller's to free. */
wr_shape_text wr_shape_make(const wr_shape *shape, unsigned lines);

#endif
