/* SPDX-License-Identifier: Apache-2.0 */
/* The table of live handles; see handles.h. */
#include "cuda/runtime/handles.h"

#include <stdint.h>
#include <stdlib.h>

#include "uthash.h"

/* The first handle: no address of a program's, and none of CUDA's handles that are small numbers.
 */
#define FIRST UINT64_C(0x5752000000000000)

typedef struct entry {
    uint64_t handle;
    wr_handle_kind kind;
    void *what;
    UT_hash_handle hh;
} entry;
static entry *entries;
static uint64_t given;

static entry *find(const void *handle)
{
    uint64_t number = (uintptr_t)handle;
    entry *e = NULL;
    HASH_FIND(hh, entries, &number, sizeof number, e);
    return e;
}

void *wr_handle_new(wr_handle_kind kind, void *what)
{
    entry *e = calloc(1, sizeof *e);
    if (!e) {
        return NULL;
    }
    *e = (entry){.handle = FIRST + 16 * ++given, .kind = kind, .what = what};
    HASH_ADD(hh, entries, handle, sizeof e->handle, e);
    return (void *)(uintptr_t)e->handle; // NOLINT(performance-no-int-to-ptr): a number, not a place
}

void *wr_handle_find(wr_handle_kind kind, const void *handle)
{
    entry *e = find(handle);
    return e && e->kind == kind ? e->what : NULL;
}

void wr_handle_end(const void *handle)
{
    entry *e = find(handle);
    if (e) {
        HASH_DEL(entries, e);
        free(e->what);
        free(e);
    }
}
