/* SPDX-License-Identifier: Apache-2.0 */
/* See folder.h. */
#include "vectors/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char mark[] = "unfinished";
static const char text[] = "The run that recorded here has not come to its end: what is in this "
                           "folder is a part of it.\n";

bool wr_vectors_folder_take(wr_vectors_folder *f, const char *path, char *err, size_t err_size)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(err, err_size, "%s: cannot be made: %s", path, strerror(errno));
        return false;
    }
    *f = (wr_vectors_folder){.path = strdup(path),
                             .lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (f->path == NULL || f->lock < 0) {
        (void)snprintf(err, err_size, "%s: vectors cannot be written there: %s", path,
                       strerror(errno));
    } else if (flock(f->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) {
        return true; /* a file system without locks has none */
    } else {
        (void)snprintf(err, err_size, "%s: another run records there now; name a new folder", path);
    }
    wr_vectors_folder_leave(f, false);
    return false;
}

bool wr_vectors_folder_is(const wr_vectors_folder *f, const char *path)
{
    struct stat own;
    struct stat other;

    return f->path != NULL && fstat(f->lock, &own) == 0 && stat(path, &other) == 0 &&
           own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

bool wr_vectors_folder_mark(wr_vectors_folder *f, char *err, size_t err_size)
{
    const int file =
        openat(f->lock, mark, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    const bool good = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text);

    if (!good) {
        (void)snprintf(err, err_size, "%s: vectors cannot be written there: %s", f->path,
                       strerror(errno));
    }
    if (file >= 0) {
        (void)close(file);
    }
    f->marked = file >= 0;
    return good;
}

void wr_vectors_folder_leave(wr_vectors_folder *f, bool whole)
{
    if (f->path != NULL && f->lock >= 0) {
        if (f->marked && whole) {
            (void)unlinkat(f->lock, mark, 0);
        }
        (void)close(f->lock);
    }
    free(f->path);
    *f = (wr_vectors_folder){0};
}

bool wr_vectors_folder_cut(const char *path)
{
    char name[PATH_MAX];

    (void)snprintf(name, sizeof(name), "%s/%s", path, mark);
    return access(name, F_OK) == 0;
}

void wr_vectors_tell_cut(const char *path)
{
    if (path != NULL) {
        (void)fprintf(stderr,
                      "%s: cut: the run that recorded it was stopped before its end, and the rest "
                      "is missing; record it again\n",
                      path);
    }
}
