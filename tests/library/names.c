/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/library/names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <dirent.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static size_t all_names(library_name names[LIBRARY_MAX_KERNELS])
{
    size_t count = 0;
    DIR *dir = opendir(WR_SOURCE_DIR "/kernels");

    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        const char *end = strstr(e->d_name, ".yaml");
        if (end && !strstr(e->d_name, "_large.yaml")) {
            assert_true(count < LIBRARY_MAX_KERNELS && end - e->d_name < LIBRARY_MAX_NAME);
            memcpy(names[count], e->d_name, (size_t)(end - e->d_name));
            names[count++][end - e->d_name] = '\0';
        }
    }
    (void)closedir(dir);
    qsort(names, count, sizeof names[0], by_name);
    return count;
}

size_t library_names(char **wanted, library_name names[LIBRARY_MAX_KERNELS])
{
    size_t count = 0;

    if (strcmp(wanted[0], "all") == 0) {
        return all_names(names);
    }
    for (; wanted[count]; count++) {
        assert_true(count < LIBRARY_MAX_KERNELS && strlen(wanted[count]) < LIBRARY_MAX_NAME);
        memcpy(names[count], wanted[count], strlen(wanted[count]) + 1);
    }
    return count;
}
