/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a text that a user names. One that is longer than any line of its kind is not read into
 * memory: a file without line ends may have gigabytes. */
#ifndef WR_FILES_LINE_H
#define WR_FILES_LINE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { WR_LINE_MOST = 1 << 20, /* bytes */ WR_LINE_LONG = -2 };
#define WR_LINE_LONG_TEXT "a line of more than 1 MiB, too long for one of its kind"

/* As getline; WR_LINE_LONG: it is longer. Memory that runs out ends the process. */
ssize_t wr_line_read(char **text, size_t *room, FILE *file);

#endif
