/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of Verilated blocks: see rtl_cache.h. */
#include "dpi/rtl_cache.h"

#include "dpi/cached_object.h"
#include "dpi/verilate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_ROOM = 128, PARAMS_ROOM = 512 };

/* One object: where it stands, and what it is called in messages. */
typedef struct entry {
    const wr_block_desc *block;
    const void *cfg;
    const char *mode;
    char folder[WR_VERILATE_PATH / 2];
    char name[NAME_ROOM]; /* of its files, without the ending */
    char title[PARAMS_ROOM];
} entry;

/* FNV-1a, 64 bits. Every text and file ends with its length, so that none runs into the next. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    const uint64_t size = text != NULL ? strlen(text) : UINT64_MAX;

    hash = text != NULL ? hash_bytes(hash, text, (size_t)size) : hash;
    return hash_bytes(hash, &size, sizeof(size));
}

static bool hash_file(uint64_t *hash, const char *path, char *err, size_t err_size)
{
    FILE *file = fopen(path, "rb");
    uint8_t bytes[16384];
    uint64_t size = 0;
    size_t n;
    bool good;

    while (file != NULL && (n = fread(bytes, 1, sizeof(bytes), file)) > 0) {
        *hash = hash_bytes(*hash, bytes, n);
        size += n;
    }
    *hash = hash_bytes(*hash, &size, sizeof(size));
    good = file != NULL && ferror(file) == 0;
    if (!good) {
        (void)snprintf(err, err_size, "%s: cannot be read", path);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

/* The RTL of the block's group: whatever module of it the block may pull in. glob sorts. */
static bool hash_rtl(uint64_t *hash, const char *folder, char *err, size_t err_size)
{
    char pattern[WR_VERILATE_PATH + 8];
    glob_t found;
    bool good;

    (void)snprintf(pattern, sizeof(pattern), "%s/*.sv", folder);
    good = glob(pattern, 0, NULL, &found) == 0;
    if (!good) {
        (void)snprintf(err, err_size, "%s: no RTL there; set WARPREF_ROOT to the source tree",
                       folder);
    }
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        *hash = hash_text(*hash, strrchr(found.gl_pathv[i], '/'));
        good = hash_file(hash, found.gl_pathv[i], err, err_size);
    }
    globfree(&found);
    return good;
}

/* All that decides what the object does. */
static bool hash_all(const entry *e, const wr_verilate_tools *tools, const char *rtl_dir,
                     const char *flags, uint64_t *hash, char *err, size_t err_size)
{
    static const char *const of_block[] = {"rtl/gen/%s_pkg.sv", "dpi/gen/%s_wrap.sv",
                                           "dpi/gen/%s_bind.sv"};
    static const char *const of_all[] = {"dpi/wr_checker.sv", "dpi/rtl_host.cpp", "dpi/rtl_abi.h",
                                         "dpi/verilate.sh", "dpi/verilator.vlt"};
    static const char of_coverage[] = "dpi/toggles/verilated_vcd_c.h";
    char path[WR_VERILATE_PATH];
    char name[NAME_ROOM];

    *hash = hash_text(UINT64_C(0xcbf29ce484222325), e->title);
    *hash = hash_text(*hash, flags);
    *hash = hash_text(*hash, getenv("WR_CXX_OPTIMIZE"));
    *hash = hash_text(*hash, getenv("CXX"));
    for (size_t i = 0; i < sizeof(of_block) / sizeof(of_block[0]); i++) {
        (void)snprintf(name, sizeof(name), of_block[i], e->block->name);
        (void)snprintf(path, sizeof(path), "%s/%s", tools->root, name);
        if (!hash_file(hash, path, err, err_size)) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(of_all) / sizeof(of_all[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", tools->root, of_all[i]);
        if (!hash_file(hash, path, err, err_size)) {
            return false;
        }
    }
    (void)snprintf(path, sizeof(path), "%s/%s", tools->root, of_coverage);
    if (strcmp(e->mode, "coverage") == 0 && !hash_file(hash, path, err, err_size)) {
        return false;
    }
    return hash_rtl(hash, rtl_dir, err, err_size) &&
           hash_file(hash, tools->runtime, err, err_size) &&
           hash_file(hash, WR_VERILATOR_CONFIG, err, err_size);
}

static bool is_set(const char *text)
{
    return text != NULL && text[0] != '\0';
}

static bool cache_folder(char *folder, size_t size, char *err, size_t err_size)
{
    const char *own = getenv("WARPREF_CACHE");
    const char *caches = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n;

    if (is_set(own)) {
        n = snprintf(folder, size, "%s", own);
    } else if (is_set(caches)) {
        n = snprintf(folder, size, "%s/warpref", caches);
    } else if (is_set(home)) {
        n = snprintf(folder, size, "%s/.cache/warpref", home);
    } else {
        n = snprintf(folder, size, "%s/../cache", WR_BUILD_LIB);
    }
    if (n < 0 || (size_t)n >= size) {
        (void)snprintf(err, err_size, "the path of the cache is too long; set WARPREF_CACHE");
        return false;
    }
    return true;
}

/* Makes the folder, and those above it that are missing. */
static bool make_folder(const char *folder)
{
    char path[WR_VERILATE_PATH / 2];

    (void)snprintf(path, sizeof(path), "%s", folder);
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at == '/') {
            *at = '\0';
            (void)mkdir(path, 0777); /* whether it is there shows at the last one */
            *at = '/';
        }
    }
    return mkdir(path, 0755) == 0 || errno == EEXIST; /* nobody else writes to it */
}

/* Makes the folder where it is missing. False: it is none that objects are loaded from. */
static bool open_folder(const char *folder, char *err, size_t err_size)
{
    char why[128];

    if (!make_folder(folder)) {
        (void)snprintf(err, err_size, "%s: cannot be written; set WARPREF_CACHE to another folder",
                       folder);
        return false;
    }
    if (!wr_cached_folder_safe(folder, why, sizeof(why))) {
        (void)snprintf(err, err_size,
                       "%s: %s, so that what is in it may be anybody's program; set WARPREF_CACHE "
                       "to a folder of your own, or change its owner and mode (chmod go-w)",
                       folder, why);
        return false;
    }
    return true;
}

/* Opens and locks the log: who has it may build. -1: cannot be. */
static int lock_log(const entry *e, const char *log)
{
    int file = open(log, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0) {
        return file;
    }
    if (errno == EWOULDBLOCK) {
        (void)fprintf(stderr, "Verilating %s: another program does so, waiting\n", e->title);
        while (flock(file, LOCK_EX) != 0) {
            if (errno != EINTR) {
                (void)close(file);
                return -1;
            }
        }
        return file;
    }
    (void)close(file);
    return -1;
}

static double seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The name of a folder that a build works in: its object's, a dot, and six letters of mkdtemp. */
enum { LETTERS = 6 };

/* Nobody builds this object: who does holds the lock of its log. */
static bool is_free(const entry *e, const char *name)
{
    char log[WR_VERILATE_PATH];

    (void)snprintf(log, sizeof(log), "%s/%s.log", e->folder, name);
    const int file = open(log, O_RDWR | O_CLOEXEC);
    const bool is = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;

    if (file >= 0) {
        (void)close(file);
    }
    return is;
}

/* Removes folders of builds whose process is gone. The caller holds the lock of its own. */
static void sweep(const entry *e)
{
    DIR *entries = opendir(e->folder);

    for (const struct dirent *at; entries != NULL && (at = readdir(entries)) != NULL;) {
        char name[NAME_ROOM];
        char path[WR_VERILATE_PATH];
        const char *dot = strrchr(at->d_name, '.');

        if (strncmp(at->d_name, "wr_", 3) != 0 || dot == NULL || strlen(dot + 1) != LETTERS) {
            continue;
        }
        (void)snprintf(name, sizeof(name), "%.*s", (int)(dot - at->d_name), at->d_name);
        if (strcmp(name, e->name) == 0 || is_free(e, name)) {
            (void)snprintf(path, sizeof(path), "%s/%s", e->folder, at->d_name);
            wr_verilate_remove(path);
        }
    }
    if (entries != NULL) {
        (void)closedir(entries);
    }
}

/* Takes its place in the cache, so that it is whole there whatever happens to the machine. */
static bool keep(const entry *e, const char *made, const char *so)
{
    const int folder = open(e->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = wr_cached_seal(made, strrchr(so, '/') + 1) && rename(made, so) == 0;
    const int error = errno;

    if (folder >= 0) {
        (void)fsync(folder);
        (void)close(folder);
    }
    errno = error;
    return good;
}

/* Builds the object at `so`; the caller holds the lock. */
static bool build(const entry *e, const wr_verilate *v, const wr_verilate_tools *tools,
                  const char *so, const char *log, char *err, size_t err_size)
{
    char folder[WR_VERILATE_PATH];
    char made[WR_VERILATE_PATH + 8];
    const double start = seconds();

    if (!wr_verilate_able(err, err_size)) {
        return false;
    }
    sweep(e);
    (void)snprintf(folder, sizeof(folder), "%s/%s.XXXXXX", e->folder, e->name);
    if (mkdtemp(folder) == NULL) {
        (void)snprintf(err, err_size, "%s: cannot be written; set WARPREF_CACHE to another folder",
                       e->folder);
        return false;
    }
    (void)fprintf(stderr, "Verilating %s: once for this machine, kept in %s\n", e->title,
                  e->folder);
    (void)snprintf(made, sizeof(made), "%s/dut.so", folder);
    const bool ran = wr_verilate_run(v, tools, folder, made, log);
    const bool good = ran && keep(e, made, so);
    const int error = errno;
    const bool full = !good && wr_verilate_was_full(folder, log, err, err_size);

    wr_verilate_remove(folder);
    if (good) {
        (void)fprintf(stderr, "Verilating %s: %.1f s\n", e->title, seconds() - start);
    } else if (!full && ran) {
        (void)snprintf(err, err_size, "%s: cannot be written: %s", so, strerror(error));
    } else if (!full) {
        (void)snprintf(err, err_size, "%s: Verilating failed, see %s", e->title, log);
    }
    return good;
}

bool wr_rtl_cached(const wr_block_desc *block, const void *cfg, const char *mode, char *path,
                   size_t path_size, char *err, size_t err_size)
{
    entry e = {.block = block, .cfg = cfg, .mode = mode};
    char params[PARAMS_ROOM / 2];
    char rtl_dir[WR_VERILATE_PATH];
    char rtl[WR_VERILATE_PATH + NAME_ROOM];
    char log[WR_VERILATE_PATH];
    char why[128];
    wr_verilate_tools tools = {.root = ""};
    wr_verilate v = {.block = block,
                     .cfg = cfg,
                     .mode = e.mode,
                     .rtl = rtl,
                     .rtl_dir = rtl_dir,
                     .top = block->name,
                     /* Warnings depend on parameters, and none is an error: lint is for them. */
                     .flags = "-Wno-fatal -Werror-USERERROR -Werror-USERFATAL"};
    uint64_t key;
    bool good;
    int lock;

    if (!wr_verilate_find(&tools, err, err_size)) {
        return false;
    }
    wr_block_params_text(block, cfg, params, sizeof(params));
    (void)snprintf(e.title, sizeof(e.title), "%s (%s, %s)", block->name, params, e.mode);
    (void)snprintf(rtl_dir, sizeof(rtl_dir), "%s/rtl/%s", tools.root, block->group);
    (void)snprintf(rtl, sizeof(rtl), "%s/%s.sv", rtl_dir, block->name);
    if (!hash_all(&e, &tools, rtl_dir, v.flags, &key, err, err_size) ||
        !cache_folder(e.folder, sizeof(e.folder), err, err_size)) {
        return false;
    }
    (void)snprintf(e.name, sizeof(e.name), "wr_%s_%s_%016" PRIx64, block->name, e.mode, key);
    (void)snprintf(path, path_size, "%s/%s.so", e.folder, e.name);
    if (!open_folder(e.folder, err, err_size)) {
        return false;
    }
    const wr_cached_state state = wr_cached_look(path, why, sizeof(why));

    if (state == WR_CACHED_FITS) {
        return true;
    }
    if (state == WR_CACHED_SPOILT) {
        (void)fprintf(stderr, "%s: %s; it is not loaded, but built anew\n", path, why);
    }
    (void)snprintf(log, sizeof(log), "%s/%s.log", e.folder, e.name);
    lock = lock_log(&e, log);
    if (lock < 0) {
        (void)snprintf(err, err_size, "%s: cannot be written; set WARPREF_CACHE to another folder",
                       e.folder);
        return false;
    }
    good = wr_cached_look(path, why, sizeof(why)) == WR_CACHED_FITS ||
           build(&e, &v, &tools, path, log, err, err_size);
    (void)close(lock);
    return good;
}
