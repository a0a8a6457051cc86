/* SPDX-License-Identifier: Apache-2.0 */
/* The command that gives a run's figures again, put together while its options are read: those that
 * only say where output goes, or how fast, are left out by the caller.
 */
#ifndef WR_TOOLS_AGAIN_H
#define WR_TOOLS_AGAIN_H

#include <argp.h>
#include <stddef.h>
#include <stdio.h>

typedef struct wr_again {
    FILE *stream;
    char *text; /* behind wr_again_end */
    size_t size;
} wr_again;

/* Begins with `command`. Where memory runs out the text is NULL at the end. */
void wr_again_begin(wr_again *again, const char *command);
/* Adds an option of `table` by its key, or a word of its own with key ARGP_KEY_ARG; each word is
 * quoted as a shell wants it. */
void wr_again_add(wr_again *again, const struct argp_option *table, int key, const char *arg);
void wr_again_end(wr_again *again);
void wr_again_free(wr_again *again);

#endif
