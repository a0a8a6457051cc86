/* SPDX-License-Identifier: Apache-2.0 */
/* The files of one command: none that it writes is one that it reads, the program itself, or
 * another that it writes, by whatever name or link. Looked at before any is opened.
 */
#ifndef WR_TOOLS_PATHS_H
#define WR_TOOLS_PATHS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct wr_paths {
    struct wr_path_of {
        char what[96]; /* "--stats", "the launch file" */
        char *path;    /* as given */
        char *real;    /* where it is, or will be */
        bool is_written;
    } * of;
    size_t count, room;
    char *view;  /* of what is named for a waveform; NULL: none is */
    bool failed; /* out of memory */
} wr_paths;

/* path NULL: it is not given. What has the same name and is written to the same path twice is one
 * output, which several write together. */
void wr_paths_read(wr_paths *p, const char *what, const char *path);
void wr_paths_write(wr_paths *p, const char *what, const char *path);
/* What clang read for a .cu file, as wr_cuda_options has it. */
void wr_paths_sources(wr_paths *p, const char *sources);
/* A waveform and the saved view beside it. */
void wr_paths_wave(wr_paths *p, const char *what, const char *path);
/* False: two are the same file, or a waveform has the name of its view, which is said on standard
 * error behind `command`; frees them. */
bool wr_paths_apart(wr_paths *p, const char *command);

#endif
