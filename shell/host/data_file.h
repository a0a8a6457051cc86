/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of a buffer in a file: raw little-endian, or text where its name ends in .txt, numbers
 * between white space. */
#ifndef WR_SHELL_HOST_DATA_FILE_H
#define WR_SHELL_HOST_DATA_FILE_H

#include <stdio.h>

#include "shell/host/values.h"

#define WR_DATA_WHY_MAX 160

/* Reads all elements; the caller frees *data. False with `why` in words otherwise. */
bool wr_data_read(const char *path, const wr_value_type *type, uint8_t **data, uint64_t *count,
                  char why[WR_DATA_WHY_MAX]);

/* One element a line in text. False: errno says why. */
bool wr_data_write(const char *path, const wr_value_type *type, const uint8_t *data,
                   uint64_t count);

#endif
