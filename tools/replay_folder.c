/* SPDX-License-Identifier: Apache-2.0 */
/* See replay_folder.h. */
#include "tools/replay_folder.h"

#include "shell/config/regular.h"
#include "vectors/vectors.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_vectors(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);

    return length > 4 && strcmp(entry->d_name + length - 4, ".hex") == 0;
}

/* The run of a file, 0 where it does not say. False with a message: it is no whole vector file. */
static bool read_run(const char *path, uint64_t *run)
{
    char err[1024];
    wr_vectors v;
    const char *why = wr_regular_file(path, NULL);

    if (why != NULL) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", path, why);
        return false;
    }
    if (!wr_vectors_load(&v, path, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        return false;
    }
    *run = v.run;
    wr_vectors_free(&v);
    return true;
}

static uint32_t how_many(const uint64_t *runs, uint32_t count, uint64_t run)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < count; i++) {
        n += runs[i] == run ? 1 : 0;
    }
    return n;
}

/* Names the files that are not of the run that most are of, the first such. */
static bool are_of_one_run(const wr_replay_folder *f, const uint64_t *runs)
{
    uint64_t most = 0;
    bool good = true;

    for (uint32_t i = 0; i < f->count; i++) {
        if (runs[i] != 0 &&
            (most == 0 || how_many(runs, f->count, runs[i]) > how_many(runs, f->count, most))) {
            most = runs[i];
        }
    }
    for (uint32_t i = 0; i < f->count; i++) {
        if (runs[i] != 0 && runs[i] != most) {
            (void)fprintf(stderr,
                          "%s: of run %016" PRIx64 ", where %" PRIu32
                          " of the folder's files are of run %016" PRIx64
                          "; keep the files of each run in a folder of their own\n",
                          f->files[i], runs[i], how_many(runs, f->count, most), most);
            good = false;
        }
    }
    return good;
}

static bool read_all(const wr_replay_folder *f)
{
    uint64_t *runs = calloc(f->count, sizeof(*runs));
    bool good = runs != NULL;

    for (uint32_t i = 0; runs != NULL && i < f->count; i++) {
        good = read_run(f->files[i], &runs[i]) && good;
    }
    good = runs != NULL && are_of_one_run(f, runs) && good;
    free(runs);
    return good;
}

bool wr_replay_folder_open(wr_replay_folder *f, const char *path)
{
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_vectors, alphasort);
    bool good = count > 0;

    if (!good) {
        (void)fprintf(stderr, "%s: %s\n", path,
                      count == 0 ? "has no vectors, files whose names end in .hex"
                                 : strerror(errno));
    }
    *f = (wr_replay_folder){.files = good ? calloc((size_t)count, sizeof(*f->files)) : NULL};
    for (int i = 0; i < count; i++) {
        if (f->files != NULL &&
            asprintf(&f->files[f->count], "%s/%s", path, entries[i]->d_name) > 0) {
            f->count++;
        }
        free(entries[i]);
    }
    free(entries);
    if (good && f->count < (uint32_t)count) {
        (void)fprintf(stderr, "out of memory\n");
        good = false;
    }
    good = good && read_all(f);
    if (!good) {
        wr_replay_folder_free(f);
    }
    return good;
}

void wr_replay_folder_free(wr_replay_folder *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        free(f->files[i]);
    }
    free(f->files);
    *f = (wr_replay_folder){0};
}
