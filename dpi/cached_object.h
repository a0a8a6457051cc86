/* SPDX-License-Identifier: Apache-2.0 */
/* A shared object that is kept in a folder and loaded later, by whatever program of this user's:
 * what is in it runs as the user, so it is looked at before.
 *
 * - The folder and the object are this user's or root's, and nobody else can write to them. So
 *   nobody can put another file in its place between the look and the loading; who can rename a
 *   folder above it still can, which is for the user to keep.
 * - The object is a regular file, no link, and ends with a sum of all its bytes and of its name
 *   (XXH3, 128 bits): what was cut, changed or renamed shows. A loader does not see the sum, since
 *   an ELF file says itself where its parts are.
 */
#ifndef WR_DPI_CACHED_OBJECT_H
#define WR_DPI_CACHED_OBJECT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum wr_cached_state {
    WR_CACHED_ABSENT,
    WR_CACHED_FITS,
    WR_CACHED_SPOILT, /* it is there, and must not be loaded */
} wr_cached_state;

/* False with the reason in `why`: others could put objects there. */
bool wr_cached_folder_safe(const char *folder, char *why, size_t size);

/* Of an object that is whole by another name: makes it one of the cache's that is called `name`,
 * without folder, and brings it to the disk. False with errno set. */
bool wr_cached_seal(const char *path, const char *name);

/* WR_CACHED_SPOILT: with the reason in `why`. */
wr_cached_state wr_cached_look(const char *path, char *why, size_t size);

#endif
