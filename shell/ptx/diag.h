/* SPDX-License-Identifier: Apache-2.0 */
/* One diagnostic: where bad input was found, what is wrong, and what to do about it.
 *
 * Every reader of user files in the shell (PTX, launch files, configurations) reports its
 * first error through this struct and stops there: one bad input, one message. The caller
 * prints it and exits with status 2.
 */
#ifndef WR_SHELL_PTX_DIAG_H
#define WR_SHELL_PTX_DIAG_H

#include <stdio.h>

#define WR_DIAG_FILE_MAX    256
#define WR_DIAG_MESSAGE_MAX 384

typedef struct wr_diag {
    char file[WR_DIAG_FILE_MAX]; /* "" where no file is involved */
    unsigned line;               /* from 1; 0 = the file as a whole */
    unsigned column;             /* from 1; 0 = the line as a whole */
    char message[WR_DIAG_MESSAGE_MAX];
} wr_diag;

/* Fills `diag`; texts that are too long are cut. `diag` and `file` may be NULL. */
void wr_diag_set(wr_diag *diag, const char *file, unsigned line, unsigned column,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Writes "file:line:column: error: message" without a newline, leaving out the parts that
 * are not known; returns the length as snprintf does. */
int wr_diag_format(const wr_diag *diag, char *buf, size_t size);

/* The same line, with a newline, to a stream. */
void wr_diag_print(const wr_diag *diag, FILE *stream);

#endif
