/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one module: blocks are handed out and never given back one by one.
 *
 * A syntax tree is thousands of small nodes with one lifetime, so freeing them at once is both
 * the fastest and the safest. All memory comes zeroed and aligned for any type. A growing
 * array is copied into a block of twice the size; the old block stays, so that the whole is
 * at most twice what the arrays need.
 */
#ifndef WR_SHELL_PTX_ARENA_H
#define WR_SHELL_PTX_ARENA_H

#include <stddef.h>

typedef struct wr_ptx_arena wr_ptx_arena;

wr_ptx_arena *wr_ptx_arena_new(void);
void wr_ptx_arena_free(wr_ptx_arena *arena);

/* Never returns NULL: where the machine has no memory left, the program says so and ends
 * with status 2. */
void *wr_ptx_arena_alloc(wr_ptx_arena *arena, size_t size);

/* A NUL-terminated copy of `len` bytes. */
char *wr_ptx_arena_text(wr_ptx_arena *arena, const char *text, size_t len);

/* Room for one more element in array `items` of `count`: returns the array, perhaps moved.
 * `*capacity` is kept by this function and begins at 0. */
void *wr_ptx_arena_grow(wr_ptx_arena *arena, void *items, size_t count, size_t *capacity,
                        size_t item_size);

#endif
