/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of a launch file share: inside shell/host only. A check reports its fault with
 * the line of the key at which it found it. */
#ifndef WR_SHELL_HOST_LAUNCH_CHECK_H
#define WR_SHELL_HOST_LAUNCH_CHECK_H

#include "shell/host/launch_file.h"

typedef struct wr_launch_checker {
    wr_loaded_file *loaded;
    wr_diag *diag;
    char where[64]; /* path of the item that is being checked */
} wr_launch_checker;

/* Reports a fault of `key` in the present item; returns false. */
bool wr_launch_fault(wr_launch_checker *c, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value, or a type by its name, as the file writes them. */
bool wr_launch_parse(wr_launch_checker *c, const char *key, const wr_value_type *type,
                     const char *text, wr_value *out);
bool wr_launch_type(wr_launch_checker *c, const char *name, const wr_value_type **type);

/* Checks a buffer and fills it; adds its bytes to *total. */
bool wr_launch_check_buffer(wr_launch_checker *c, size_t index, uint64_t *total);

#endif
