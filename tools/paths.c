/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is there is known by device and inode; one that is not by its folder's real path and
 * its name, behind links that lead nowhere yet. */
#include "tools/paths.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/replace.h"
#include "waveforms/save.h"

static bool is_there(const wr_paths *p, const char *what, const char *path)
{
    for (size_t i = 0; i < p->count; i++) {
        if (strcmp(p->of[i].what, what) == 0 && strcmp(p->of[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

static void add(wr_paths *p, const char *what, const char *path, bool is_written)
{
    if (!path || !path[0] || p->failed || is_there(p, what, path)) {
        return;
    }
    if (p->count == p->room) {
        const size_t room = p->room ? 2 * p->room : 16;
        struct wr_path_of *more = realloc(p->of, room * sizeof *more);

        if (!more) {
            p->failed = true;
            return;
        }
        p->of = more;
        p->room = room;
    }
    struct wr_path_of *of = &p->of[p->count++];

    (void)snprintf(of->what, sizeof of->what, "%s", what);
    of->path = strdup(path);
    of->real = wr_replace_target(path);
    of->is_written = is_written;
    p->failed = !of->path;
}

void wr_paths_read(wr_paths *p, const char *what, const char *path)
{
    add(p, what, path, false);
}

void wr_paths_write(wr_paths *p, const char *what, const char *path)
{
    add(p, what, path, true);
}

void wr_paths_sources(wr_paths *p, const char *sources)
{
    for (const char *at = sources; at && *at; at += strlen(at) + 1) {
        wr_paths_read(p, "a file that the module includes", at);
    }
}

void wr_paths_wave(wr_paths *p, const char *what, const char *path)
{
    char view[PATH_MAX];
    char of_view[96];

    wr_paths_write(p, what, path);
    (void)snprintf(of_view, sizeof of_view, "the saved view of %s", what);
    if (path && wr_save_view_path(path, view, sizeof view)) {
        wr_paths_write(p, of_view, view);
    } else if (path && !p->view) {
        p->view = strdup(path);
        p->failed = p->failed || !p->view;
    }
}

/* What has no place of its own, a device or a pipe, may be named often. */
static bool is_same(const struct wr_path_of *a, const struct wr_path_of *b)
{
    struct stat of_a;
    struct stat of_b;

    if (!a->real || !b->real) {
        return false;
    }
    if (stat(a->real, &of_a) == 0 && stat(b->real, &of_b) == 0) {
        return (S_ISREG(of_a.st_mode) || S_ISDIR(of_a.st_mode)) && of_a.st_dev == of_b.st_dev &&
               of_a.st_ino == of_b.st_ino;
    }
    return strcmp(a->real, b->real) == 0;
}

bool wr_paths_apart(wr_paths *p, const char *command)
{
    wr_paths_read(p, "warpref itself", "/proc/self/exe");
    bool apart = !p->failed && !p->view;

    if (p->failed) {
        (void)fprintf(stderr, "%s: out of memory\n", command);
    } else if (p->view) {
        (void)fprintf(stderr, "%s: %s: the saved view goes there; name the wave .fst\n", command,
                      p->view);
    }
    for (size_t i = 0; apart && i < p->count; i++) {
        for (size_t k = i + 1; apart && k < p->count; k++) {
            const struct wr_path_of *a = &p->of[i];
            const struct wr_path_of *b = &p->of[k];

            apart = (!a->is_written && !b->is_written) || !is_same(a, b);
            if (!apart) {
                (void)fprintf(stderr, "%s: %s and %s are one file, %s; it would be lost\n", command,
                              a->what, b->what, b->is_written ? b->path : a->path);
            }
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        free(p->of[i].path);
        free(p->of[i].real);
    }
    free(p->view);
    free(p->of);
    *p = (wr_paths){0};
    return apart;
}
