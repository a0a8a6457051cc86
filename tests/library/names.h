/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels of the library a test was asked for. */
#ifndef WR_TESTS_LIBRARY_NAMES_H
#define WR_TESTS_LIBRARY_NAMES_H

#include <stddef.h>

enum { LIBRARY_MAX_KERNELS = 256, LIBRARY_MAX_NAME = 64 };

typedef char library_name[LIBRARY_MAX_NAME];

/* The names of a test's arguments, which end with NULL; where the first is "all", those of all
 * small launch files, sorted. Returns how many. */
size_t library_names(char **wanted, library_name names[LIBRARY_MAX_KERNELS]);

#endif
