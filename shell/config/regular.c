/* SPDX-License-Identifier: Apache-2.0 */
/* See regular.h. */
#include "shell/config/regular.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *wr_regular_file(const char *path, uint64_t *bytes)
{
    struct stat st;
    const char *why = NULL;
    const bool is_there = stat(path, &st) == 0;

    if (is_there && !S_ISREG(st.st_mode)) {
        why = "not a regular file";
    } else if (!is_there || access(path, R_OK) != 0) {
        why = strerror(errno);
    }
    if (bytes != NULL) {
        *bytes = why == NULL ? (uint64_t)st.st_size : 0;
    }
    return why;
}
