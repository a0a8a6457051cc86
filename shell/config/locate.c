/* SPDX-License-Identifier: Apache-2.0 */
/* Looks for the program's own files; see locate.h for the order. */
#include "shell/config/locate.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/config/config.h"

#define MAX_DIRS 32

typedef struct dir_list {
    char *dirs[MAX_DIRS];
    size_t count;
} dir_list;

static char *join(const char *dir, const char *rest)
{
    size_t n = strlen(dir) + strlen(rest) + 2;
    char *path = malloc(n);
    if (path) {
        (void)snprintf(path, n, "%s/%s", dir, rest);
    }
    return path;
}

static void add_dir(dir_list *list, char *dir)
{
    if (dir && list->count < MAX_DIRS) {
        list->dirs[list->count++] = dir;
    } else {
        free(dir);
    }
}

static void free_dirs(dir_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->dirs[i]);
    }
}

#define EXE_SIZE 4096
/* The program's own folder. */
static void own_folder(char *exe)
{
    ssize_t n = readlink("/proc/self/exe", exe, EXE_SIZE - 1);
    char *slash;

    exe[n > 0 ? n : 0] = '\0';
    slash = strrchr(exe, '/');
    if (slash) {
        *slash = '\0';
    }
}

/* A folder of the tree: the installed one beside the program or, where there is none, the sources'.
 */
static void program_dirs(dir_list *list, const char *folder)
{
    char exe[EXE_SIZE], *share;

    own_folder(exe);
    share = join(exe, "../share/warpref");
    if (share) {
        bool installed = access(share, X_OK) == 0;
        add_dir(list, join(installed ? share : WR_CONFIG_SOURCE_DIR, folder));
    }
    free(share);
}

static void config_dirs(dir_list *list)
{
    const char *path = getenv("WARPREF_CONFIG_PATH");
    while (path && *path) {
        size_t n = strcspn(path, ":");
        if (n) {
            add_dir(list, strndup(path, n));
        }
        path += n + (path[n] == ':');
    }
    program_dirs(list, "shell/config");
}

/* LEAF in the first folder that has it; the list is freed. */
static char *find_in(dir_list *list, const char *leaf)
{
    char *found = NULL;
    for (size_t i = 0; i < list->count && !found; i++) {
        found = join(list->dirs[i], leaf);
        if (found && access(found, R_OK) != 0) {
            free(found);
            found = NULL;
        }
    }
    free_dirs(list);
    return found;
}

char *wr_locate_config(const char *name)
{
    dir_list list = {.count = 0};
    char leaf[128];
    int n = snprintf(leaf, sizeof leaf, "%s.yaml", name);
    if (n < 0 || (size_t)n >= sizeof leaf) {
        return NULL;
    }
    config_dirs(&list);
    return find_in(&list, leaf);
}

char *wr_locate_reference_driver(void)
{
    dir_list list = {.count = 0};
    program_dirs(&list, "shell/host");
    return find_in(&list, "reference.py");
}

char *wr_locate_kernel_headers(void)
{
    dir_list list = {.count = 0};
    program_dirs(&list, "kernels");
    char *found = find_in(&list, "cuda.h");
    if (found) {
        *strrchr(found, '/') = '\0';
    }
    return found;
}

char *wr_locate_libdevice(unsigned address_size)
{
    static const char *const folders[] = {"../lib/warpref", "../lib"};
    char exe[EXE_SIZE], file[64];

    own_folder(exe);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(file, sizeof file, "%s/libdevice.%u.bc", folders[i], address_size);
        char *found = join(exe, file);
        if (found && access(found, R_OK) == 0) {
            return found;
        }
        free(found);
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(char ***names, size_t *count, const char *name, size_t length)
{
    for (size_t i = 0; i < *count; i++) {
        if (strlen((*names)[i]) == length && strncmp((*names)[i], name, length) == 0) {
            return true;
        }
    }
    char **grown = realloc(*names, (*count + 1) * sizeof **names);
    if (!grown) {
        return false;
    }
    *names = grown;
    grown[*count] = strndup(name, length);
    if (!grown[*count]) {
        return false;
    }
    ++*count;
    return true;
}

char **wr_config_names(size_t *count)
{
    char **names = NULL;
    dir_list list = {.count = 0};
    *count = 0;
    config_dirs(&list);
    for (size_t i = 0; i < list.count; i++) {
        DIR *dir = opendir(list.dirs[i]);
        if (!dir) {
            continue;
        }
        for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
            size_t n = strlen(entry->d_name);
            if (n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0 &&
                !add_name(&names, count, entry->d_name, n - 5)) {
                break;
            }
        }
        closedir(dir);
    }
    free_dirs(&list);
    if (*count) {
        qsort(names, *count, sizeof *names, compare_names);
    }
    return names;
}

void wr_config_names_free(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(names[i]);
    }
    free(names);
}
