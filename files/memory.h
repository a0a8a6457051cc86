/* SPDX-License-Identifier: Apache-2.0 */
/* What happens where memory has run out and nobody can go on: for a compiler, which has nothing
 * useful to do then, and for libraries that do not look at what they get (fstapi, cJSON, uthash).
 * Who can say what there was no memory for looks himself.
 *
 * The process ends with a message and status 2. What it has begun to write does not stay, so each
 * file is as it was.
 */
#ifndef WR_FILES_MEMORY_H
#define WR_FILES_MEMORY_H

#include <stddef.h>

_Noreturn void wr_out_of_memory(void);

/* As the functions of C without wr_need_, but NULL is only given for a size of 0. */
void *wr_need_malloc(size_t size);
void *wr_need_calloc(size_t count, size_t size);
void *wr_need_realloc(void *old, size_t size);
char *wr_need_strdup(const char *text);

#endif
