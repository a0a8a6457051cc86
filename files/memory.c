/* SPDX-License-Identifier: Apache-2.0 */
/* See memory.h. */
#include "files/memory.h"

#include "files/replace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Noreturn void wr_out_of_memory(void)
{
    static const char text[] = "warpref: out of memory\n";

    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    wr_replace_abandon();
    _exit(2);
}

static void *need(void *got, size_t size)
{
    if (got == NULL && size != 0) {
        wr_out_of_memory();
    }
    return got;
}

void *wr_need_malloc(size_t size)
{
    return need(malloc(size), size);
}

void *wr_need_calloc(size_t count, size_t size)
{
    return need(calloc(count, size), count != 0 ? size : 0);
}

void *wr_need_realloc(void *old, size_t size)
{
    return need(realloc(old, size), size);
}

char *wr_need_strdup(const char *text)
{
    return need(strdup(text), 1);
}
