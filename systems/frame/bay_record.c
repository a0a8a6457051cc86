/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of a bay's blocks, one file for each block of a unit: see bay.h. A vector file starts at
 * a reset, and ports are reset when they are opened. */
#include "systems/frame/bay_parts.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Access rights do not tell (a file of that name, a full or odd file system): try it. */
static bool can_hold_files(const char *folder)
{
    char path[WR_BAY_FILE];

    (void)snprintf(path, sizeof path, "%s/.warpref-%ld", folder, (long)getpid());
    FILE *probe = fopen(path, "wb");

    if (!probe) {
        return false;
    }
    (void)fclose(probe);
    (void)unlink(path);
    return true;
}

/* A file of vectors in the folder, left by another run: beside these files it would look like one
 * of this run. "": there is none. */
static void find_vectors(const char *folder, char *name, size_t size)
{
    DIR *entries = opendir(folder);

    name[0] = '\0';
    for (const struct dirent *e; entries && !name[0] && (e = readdir(entries)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');

        if (dot && strcmp(dot, ".hex") == 0) {
            (void)snprintf(name, size, "%s", e->d_name);
        }
    }
    if (entries) {
        (void)closedir(entries);
    }
}

bool wr_bay_record_start(const bay *b, char *err, size_t err_size)
{
    const char *folder = b->values[WR_BAY_RECORD].text;
    char found[NAME_MAX + 1];

    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(err, err_size, "%s: cannot be made: %s", folder, strerror(errno));
        return false;
    }
    if (!can_hold_files(folder)) {
        (void)snprintf(err, err_size, "%s: vectors cannot be written there: %s", folder,
                       strerror(errno));
        return false;
    }
    find_vectors(folder, found, sizeof found);
    if (found[0]) {
        (void)snprintf(err, err_size,
                       "%s: has vectors of another run, %s for one; name a new folder", folder,
                       found);
    }
    return !found[0];
}

void wr_bay_record_path(const bay *b, const bay_tap *tap, char *path, size_t size)
{
    const char *unit = b->units[tap->unit].name;

    (void)snprintf(path, size, "%s/%s%s%s%s.hex", b->values[WR_BAY_RECORD].text, b->prefix, unit,
                   unit[0] ? "_" : "", tap->name);
}

void wr_bay_record_begin(bay *b, uint32_t unit)
{
    bay_unit *u = &b->units[unit];

    u->recorded = true;
    b->records_left[u->kind]--;
    for (uint32_t i = 0; i < u->ports; i++) {
        bay_tap *t = &b->taps[u->first + i];
        char path[WR_BAY_FILE];
        char err[WR_BAY_FILE];

        wr_bay_record_path(b, t, path, sizeof path);
        t->recording = wr_vectors_create(&t->vectors, path, t->port->block, t->port->cfg, 0, b->run,
                                         err, sizeof err);
        if (t->recording) {
            b->files++;
        } else if (!b->broken[0]) {
            (void)snprintf(b->broken, sizeof b->broken, "%s", err);
        }
    }
}

void wr_bay_record_end(bay *b, uint32_t unit)
{
    bay_unit *u = &b->units[unit];

    for (uint32_t i = 0; i < u->ports; i++) {
        bay_tap *t = &b->taps[u->first + i];

        if (!t->recording) {
            continue;
        }
        b->rows += t->vectors.count;
        t->recording = false;
        t->vectors.cut = b->cut;
        if (!wr_vectors_finish(&t->vectors) && !b->broken[0]) {
            (void)snprintf(b->broken, sizeof b->broken, "%s: a write failed",
                           b->values[WR_BAY_RECORD].text);
        }
        if (t->vectors.count == 0) { /* never clocked: a file without cycles is none */
            char path[WR_BAY_FILE];

            wr_bay_record_path(b, t, path, sizeof path);
            (void)unlink(path);
            b->files--;
        }
    }
}
