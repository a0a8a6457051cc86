/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of warpref stand, found from the program, or from libwarpref.so in a program that
 * is not ours:
 *
 *   installed      <prefix>/bin/warpref, <prefix>/lib/libwarpref.so
 *                  <prefix>/share/warpref        the tree, as far as commands read it
 *                  <prefix>/lib/warpref          Verilated blocks, Verilator's runtime
 *   in a build     build/<preset>/{bin,lib,tests,...}, the source tree, build/<preset>/lib
 *
 * $WARPREF_ROOT and $WARPREF_LIB name other folders. An installed program looks nowhere else, so it
 * does not mix with the tree that it was built from.
 */
#ifndef WR_DPI_PLACES_H
#define WR_DPI_PLACES_H

#include <stdbool.h>
#include <stddef.h>

enum { WR_PLACE_PATH = 1024 };

/* The tree: below it dpi/, rtl/, kernels/ and so on. It may lack a file, or be none. */
void wr_place_root(char *path, size_t size);

/* A file among the Verilated blocks. False: it is nowhere; path is then where it was looked for
 * last. */
bool wr_place_object(const char *name, char *path, size_t size);

#endif
