/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a user names are regular ones: a pipe may block for ever, a device has no end. */
#ifndef WR_SHELL_CONFIG_REGULAR_H
#define WR_SHELL_CONFIG_REGULAR_H

#include <stdint.h>

/* Size of a regular file that can be read; NULL, or why it cannot be. bytes may be NULL. */
const char *wr_regular_file(const char *path, uint64_t *bytes);

#endif
