/* SPDX-License-Identifier: Apache-2.0 */
/* A file that takes another's place when it is whole. It grows without a name in the same folder,
 * or where the file system has no such files as FILE.PID.new, and is renamed at its end: a command
 * that is killed or meets a full disk leaves the older file as it was. Where FILE is a symbolic
 * link, the file that it leads to is replaced and the link stays.
 *
 * What is no regular file is written as it comes, as is what standard output or error go to, and a
 * file in a folder that takes no new one. A pipe that nobody reads is waited for, which is said on
 * standard error; a signal ends the wait (EINTR).
 *
 * Who writes by name is given FILE.PID.new to write, which a process that is killed leaves there.
 */
#ifndef WR_FILES_REPLACE_H
#define WR_FILES_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

/* What stands in a file of a run that a signal has stopped: it was closed in order, and is a part
 * of what it would have been. */
#define WR_CUT "cut: the run was stopped before its end"

typedef struct wr_replace {
    FILE *file;   /* NULL: it is not open, or written by name */
    char *path;   /* where it will be; NULL: it is not open */
    char *beside; /* where it grows; NULL: in its place, or nowhere yet */
    bool nameless;
    unsigned mode; /* of the file that was there; 0: there was none */
} wr_replace;

/* Where a path leads, behind symbolic links, also where there is no file yet. The caller frees it.
 * NULL: its folder is not there, or memory ran out; errno. */
char *wr_replace_target(const char *path);

/* Opens it for writing; false with errno set. */
bool wr_replace_open(wr_replace *r, const char *path);
/* The same, but never in place: what is there has to be a regular file whose folder takes a new
 * one. */
bool wr_replace_open_beside(wr_replace *r, const char *path);
/* For who opens the file himself, and closes it before wr_replace_close: `beside` is the name to
 * write to, of an empty file. What is there has to be a regular file; false with errno set. */
bool wr_replace_open_name(wr_replace *r, const char *path);
/* Removes what this process has not closed of these, and F.hier, which a writer of waveforms has
 * beside F. For who ends the process in a signal handler; and for who has forked it, which calls
 * wr_replace_watch() before. */
void wr_replace_abandon(void);
void wr_replace_watch(void);
/* Closes it, which one that is not open stands; `keep`: it takes its place. False with errno set:
 * it was to be kept, and a write failed; then the file from before is there. */
bool wr_replace_close(wr_replace *r, bool keep);

#endif
