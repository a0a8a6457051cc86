/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one compilation: taken piece by piece, given back at once.
 *
 * Pieces are zeroed and aligned to 16 bytes. Running out of memory ends the program: a
 * compiler has nothing useful to do then.
 */
#ifndef WR_SHELL_COMPILER_POOL_H
#define WR_SHELL_COMPILER_POOL_H

#include <stddef.h>
#include <stdint.h>

typedef struct wr_pool wr_pool;

wr_pool *wr_pool_new(void);
void wr_pool_free(wr_pool *pool);
void *wr_pool_alloc(wr_pool *pool, size_t count, size_t size);
char *wr_pool_text(wr_pool *pool, const char *text);

/* Makes room for one more element in a growing array of `count` elements; returns the array,
 * moved where it was full. `*cap` starts at 0. */
void *wr_pool_grow(wr_pool *pool, void *array, uint32_t count, uint32_t *cap, size_t size);

#endif
