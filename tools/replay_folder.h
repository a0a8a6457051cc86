/* SPDX-License-Identifier: Apache-2.0 */
/* Vector files of a folder: all of them, and whether one run has recorded them. */
#ifndef WR_TOOLS_REPLAY_FOLDER_H
#define WR_TOOLS_REPLAY_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct wr_replay_folder {
    char **files; /* paths of all FILE.hex, in the order of their names */
    uint32_t count;
} wr_replay_folder;

/* Reads all files; those that say of which run they are (vectors/vectors.h) must say the same.
 * False with all messages on standard error; nothing to free then. */
bool wr_replay_folder_open(wr_replay_folder *f, const char *path);
void wr_replay_folder_free(wr_replay_folder *f);

#endif
