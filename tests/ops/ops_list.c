/* See ops_list.h. */
#include "tests/ops/ops_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

bool ops_list(const char *text)
{
    const char *path = getenv("WARPREF_OPS_LIST");
    FILE *f = path != NULL ? fopen(path, "a") : NULL;

    if (path == NULL)
        return false;
    assert(f != NULL);
    fprintf(f, "%s\f", text);
    fclose(f);
    return true;
}
