/* SPDX-License-Identifier: Apache-2.0 */
/* Walk over `include directives; see rtl_includes.h. */
#include "dpi/rtl_includes.h"

#include "dpi/printable.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096, DEPTH = 16, MOST = 4096 };

typedef struct walk {
    const wr_rtl_sources *sources;
    unsigned files; /* looked at; files that include each other in circles end at MOST */
    char *err;
    size_t err_size;
} walk;

static bool look_at(walk *w, const char *path, unsigned depth);

/* The file at this place, if there is one. */
static bool look_behind(walk *w, const char *place, const char *from, unsigned line,
                        const char *name, unsigned depth)
{
    struct stat info;

    if (stat(place, &info) != 0 || S_ISDIR(info.st_mode)) {
        return true;
    }
    if (!S_ISREG(info.st_mode)) {
        (void)snprintf(w->err, w->err_size, "%s:%u: %s: cannot be included: not a regular file",
                       from, line, name);
        wr_printable(w->err);
        return false;
    }
    return depth == DEPTH || look_at(w, place, depth + 1);
}

/* The folder that an argument names, as rtl_sources.c writes them: -IDIR/., or DIR/. behind -y. */
static const char *folder_of(const char *arg)
{
    size_t length = strlen(arg);

    if (strncmp(arg, "-I", 2) == 0) {
        return arg + 2;
    }
    return arg[0] == '/' && length > 2 && strcmp(arg + length - 2, "/.") == 0 ? arg : NULL;
}

/* The name in the working folder, beside the file, and in each folder that is searched. */
static bool look_everywhere(walk *w, const char *from, unsigned line, const char *name,
                            unsigned depth)
{
    const wr_rtl_sources *s = w->sources;
    const char *slash = strrchr(from, '/');
    char place[PATH_ROOM];
    bool sound = look_behind(w, name, from, line, name, depth);

    if (name[0] == '/') {
        return sound;
    }
    if (sound && slash != NULL) {
        (void)snprintf(place, sizeof(place), "%.*s%s", (int)(slash - from + 1), from, name);
        sound = look_behind(w, place, from, line, name, depth);
    }
    for (size_t i = 0; sound && i < s->count; i++) {
        const char *folder = folder_of(s->args[i]);
        if (folder != NULL) {
            (void)snprintf(place, sizeof(place), "%s/%s", folder, name);
            sound = look_behind(w, place, from, line, name, depth);
        }
    }
    return sound;
}

static bool look_at(walk *w, const char *path, unsigned depth)
{
    FILE *file = w->files++ < MOST ? fopen(path, "r") : NULL;
    char line[1024];
    unsigned number = 0;
    bool sound = true;

    while (file != NULL && sound && fgets(line, sizeof(line), file) != NULL) {
        char name[sizeof(line)];
        const char *at = strstr(line, "`include");
        number++;
        if (at != NULL && sscanf(at, "`include \"%1023[^\"]\"", name) == 1) {
            sound = look_everywhere(w, path, number, name, depth);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return sound;
}

bool wr_includes_sound(const wr_rtl_sources *s, char *err, size_t err_size)
{
    walk w = {.sources = s, .err = err, .err_size = err_size};
    bool sound = s->first == NULL || look_at(&w, s->first, 0);

    for (size_t i = 0; sound && i < s->count; i++) {
        sound = s->args[i][0] != '/' || look_at(&w, s->args[i], 0);
    }
    return sound;
}
