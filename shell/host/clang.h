/* SPDX-License-Identifier: Apache-2.0 */
/* The options with which clang compiles device code, for launch files, `warpref compile` and
 * `warpref cc` alike (which asks for them by `warpref compile --device-flags`).
 */
#ifndef WR_SHELL_HOST_CLANG_H
#define WR_SHELL_HOST_CLANG_H

#include <stddef.h>

#define WR_CLANG_MAJOR     14 /* Debian 12's, which everything is tried with */
#define WR_CLANG_MAX_FLAGS 24

/* Writes the options for clang's major version to `flags`, and returns how many. */
size_t wr_clang_flags(unsigned major, const char *flags[WR_CLANG_MAX_FLAGS]);

/* The version at the end of a program's name, as in clang++-16; 0 where it has none. */
unsigned wr_clang_named_major(const char *name);

#endif
