/* SPDX-License-Identifier: Apache-2.0 */
/* A folder into which a run records vectors: one run at a time, and with a mark in it until that
 * run has come to its end.
 *
 * The mark is the file `unfinished`. A run that is stopped, killed, or ends with its machine leaves
 * it: each file of vectors may be whole then, but not the set. The lock is the system's (flock), so
 * it ends with the process whatever becomes of it.
 */
#ifndef WR_VECTORS_FOLDER_H
#define WR_VECTORS_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wr_vectors_folder {
    char *path; /* NULL: it is not held */
    int lock;
    bool marked;
} wr_vectors_folder;

/* Makes the folder where it is missing, and keeps other runs out. False with one line in err. */
bool wr_vectors_folder_take(wr_vectors_folder *f, const char *path, char *err, size_t err_size);
/* It is the folder that this path names. */
bool wr_vectors_folder_is(const wr_vectors_folder *f, const char *path);
/* From now on files come. False with one line in err. */
bool wr_vectors_folder_mark(wr_vectors_folder *f, char *err, size_t err_size);
/* `whole`: the run has come to its end. One that is not held is fine. */
void wr_vectors_folder_leave(wr_vectors_folder *f, bool whole);

/* For who reads: the run that recorded here has not come to its end. */
bool wr_vectors_folder_cut(const char *path);
/* Says on stderr that this file or folder is a part; NULL: nothing to say. */
void wr_vectors_tell_cut(const char *path);

#endif
