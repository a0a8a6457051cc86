/* SPDX-License-Identifier: Apache-2.0 */
/* See ops_list.h. */
#include "tests/ops/ops_list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/long.h"

static unsigned lines(const char *text, const char *end)
{
    unsigned n = 1;

    for (; text < end; text++) {
        n += *text == '\n' ? 1 : 0;
    }
    return n;
}

uint64_t ops_share(uint64_t sets)
{
    return wr_test_long() || ops_listing() ? sets : sets / 8;
}

bool ops_listing(void)
{
    return getenv("WARPREF_OPS_LIST") != NULL;
}

bool ops_list(const char *text, const ops_subject *subject)
{
    const char *path = getenv("WARPREF_OPS_LIST");
    const char *from = text, *to = text + strlen(text);
    FILE *f;

    if (path == NULL) {
        return false;
    }
    if (subject->part != NULL) {
        from = strstr(text, subject->part);
        assert(from != NULL);
        to = from + strlen(subject->part);
    }
    f = fopen(path, "a");
    assert(f != NULL);
    (void)fprintf(f, "// %llu %u %u %s\n%s\f", (unsigned long long)subject->sets, lines(text, from),
                  lines(text, to), subject->words != NULL ? subject->words : "*", text);
    (void)fclose(f);
    return true;
}
