/* SPDX-License-Identifier: Apache-2.0 */
/* Where the files of warpref stand: see places.h. */
#include "dpi/places.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Folder of what holds this code: a shared object by the name that the loader has of it, which is
 * "" for the program itself. "." where the system does not say. */
static void home(char *folder, size_t size)
{
    static const char self = 0;
    Dl_info info;
    struct link_map *map = NULL;
    const char *file = "/proc/self/exe";
    char *path;
    char *slash;

    if (dladdr1(&self, &info, (void **)&map, RTLD_DL_LINKMAP) != 0 && map != NULL &&
        map->l_name[0] != '\0') {
        file = map->l_name;
    }
    path = realpath(file, NULL);
    slash = path != NULL ? strrchr(path, '/') : NULL;
    if (slash != NULL) {
        *slash = '\0';
    }
    (void)snprintf(folder, size, "%s", slash != NULL ? path : ".");
    free(path);
}

/* The installed tree; false: there is none. */
static bool installed(const char *folder, char *path, size_t size)
{
    char share[WR_PLACE_PATH + 32];
    char *tree;
    int n = 0;

    (void)snprintf(share, sizeof(share), "%s/../share/warpref", folder);
    tree = realpath(share, NULL);
    if (tree != NULL) {
        n = snprintf(path, size, "%s", tree);
    }
    free(tree);
    return n > 0 && (size_t)n < size;
}

void wr_place_root(char *path, size_t size)
{
    const char *named = getenv("WARPREF_ROOT");
    char folder[WR_PLACE_PATH];

    home(folder, sizeof(folder));
    if (named != NULL) {
        (void)snprintf(path, size, "%s", named);
    } else if (!installed(folder, path, size)) {
        (void)snprintf(path, size, "%s", WR_SOURCE_ROOT);
    }
}

static bool is_there(const char *folder, const char *below, const char *name, char *path,
                     size_t size)
{
    int n = snprintf(path, size, "%s%s/%s", folder, below, name);

    return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

bool wr_place_object(const char *name, char *path, size_t size)
{
    const char *named = getenv("WARPREF_LIB");
    char folder[WR_PLACE_PATH];

    if (named != NULL) {
        return is_there(named, "", name, path, size);
    }
    home(folder, sizeof(folder));
    if (installed(folder, path, size)) {
        return is_there(folder, "/../lib/warpref", name, path, size);
    }
    return is_there(folder, "/../lib", name, path, size) ||
           is_there(folder, "/lib", name, path, size) ||
           is_there(WR_BUILD_LIB, "", name, path, size);
}
