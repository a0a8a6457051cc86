/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing an object and looking at it: see cached_object.h. */
#include "dpi/cached_object.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* so that who links the models needs no further library */
#include <xxhash.h>

enum { CHUNK = 65536, MAGIC = 16, OTHERS = S_IWGRP | S_IWOTH };

static const char magic[MAGIC + 1] = "warpref object 1";

/* What an object ends with. */
typedef struct seal {
    char magic[MAGIC];
    XXH128_canonical_t sum;
} seal;

/* NULL, or what is wrong with whose it is. */
static const char *not_ours(const struct stat *st)
{
    if (st->st_uid != geteuid() && st->st_uid != 0) {
        return "belongs to another user";
    }
    return (st->st_mode & OTHERS) != 0 ? "can be written by others" : NULL;
}

bool wr_cached_folder_safe(const char *folder, char *why, size_t size)
{
    struct stat st;
    const char *wrong = stat(folder, &st) != 0 ? strerror(errno)
                        : !S_ISDIR(st.st_mode) ? "is no folder"
                                               : not_ours(&st);

    if (wrong != NULL) {
        (void)snprintf(why, size, "%s", wrong);
    }
    return wrong == NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* The seal of the first `bytes` of the file under this name. False: it cannot be read so far. */
static bool make_seal(int fd, uint64_t bytes, const char *name, seal *out)
{
    XXH3_state_t state;
    uint8_t chunk[CHUNK];

    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    while (bytes > 0) {
        const ssize_t n = read(fd, chunk, bytes < sizeof(chunk) ? (size_t)bytes : sizeof(chunk));

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        (void)XXH3_128bits_update(&state, chunk, (size_t)n);
        bytes -= (uint64_t)n;
    }
    (void)XXH3_128bits_update(&state, name, strlen(name));
    memcpy(out->magic, magic, MAGIC);
    XXH128_canonicalFromHash(&out->sum, XXH3_128bits_digest(&state));
    return true;
}

bool wr_cached_seal(const char *path, const char *name)
{
    struct stat st;
    seal s;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool good = fd >= 0 && fstat(fd, &st) == 0 && make_seal(fd, (uint64_t)st.st_size, name, &s);

    good = good && fchmod(fd, st.st_mode & 0777 & ~(mode_t)OTHERS) == 0;
    if (good) {
        errno = ENOSPC; /* of a write that is short */
        good = write(fd, &s, sizeof(s)) == (ssize_t)sizeof(s) && fsync(fd) == 0;
    }
    const int error = errno;

    if (fd >= 0) {
        (void)close(fd);
    }
    errno = error;
    return good;
}

/* NULL, or what is wrong with the open file. */
static const char *wrong_with(int fd, const char *name)
{
    struct stat st;
    seal is;
    seal should;

    if (fstat(fd, &st) != 0) {
        return strerror(errno);
    }
    if (!S_ISREG(st.st_mode)) {
        return "is no regular file";
    }
    const char *whose = not_ours(&st);

    if (whose != NULL) {
        return whose;
    }
    if (st.st_size <= (off_t)sizeof(seal)) {
        return "is cut";
    }
    if (!make_seal(fd, (uint64_t)st.st_size - sizeof(seal), name, &should) ||
        read(fd, &is, sizeof(is)) != (ssize_t)sizeof(is)) {
        return "cannot be read to its end";
    }
    return memcmp(&is, &should, sizeof(is)) != 0 ? "is cut or changed: its sum is another" : NULL;
}

wr_cached_state wr_cached_look(const char *path, char *why, size_t size)
{
    /* a pipe must not be waited for */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    const char *wrong;

    if (fd < 0 && errno == ENOENT) {
        return WR_CACHED_ABSENT;
    }
    if (fd < 0) {
        wrong = errno == ELOOP ? "is a link" : strerror(errno);
    } else {
        wrong = wrong_with(fd, base_name(path));
        (void)close(fd);
    }
    if (wrong != NULL) {
        (void)snprintf(why, size, "%s", wrong);
    }
    return wrong != NULL ? WR_CACHED_SPOILT : WR_CACHED_FITS;
}
