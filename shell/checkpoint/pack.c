/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a checkpoint's file; see file.h. */
#include "shell/checkpoint/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "files/replace.h"
#include "shell/checkpoint/layout.h"

enum { LEVEL = 3, PATH = 4096 };

const uint8_t wr_checkpoint_magic[WR_CHECKPOINT_MAGIC] = {0x89, 'W',  'R',  'C',
                                                          'K',  '\r', '\n', 0x1a};

const char *wr_checkpoint_part_name(wr_checkpoint_part part)
{
    static const char *const names[WR_CHECKPOINT_PARTS] = {
        [WR_CHECKPOINT_RUN] = "RUN.",    [WR_CHECKPOINT_JOBS] = "JOBS",
        [WR_CHECKPOINT_GPU] = "GPU.",    [WR_CHECKPOINT_CONTEXTS] = "CTXS",
        [WR_CHECKPOINT_MEMORY] = "MEMO",
    };
    return names[part];
}

/* The name under which the file grows, or that of the one before. */
static bool beside(const char *path, const char *ending, char out[PATH])
{
    int n = snprintf(out, PATH, "%s%s", path, ending);
    return n > 0 && n < PATH;
}

const char *wr_checkpoint_writable(const char *path)
{
    char grows[PATH];
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        return "it is there and no regular file";
    }
    char *target = wr_replace_target(path);
    if (!target) {
        return strerror(errno);
    }
    bool fits = beside(target, ".new", grows);
    free(target);
    if (!fits) {
        return "its name is too long";
    }
    int fd = open(grows, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return strerror(errno);
    }
    (void)close(fd);
    (void)unlink(grows);
    return NULL;
}

/* One part as a zstd frame. False: out of memory. */
static bool pack(const wr_bytes *part, wr_bytes *out)
{
    size_t room = ZSTD_compressBound(part->size);
    out->data = malloc(room);
    if (out->data == NULL) {
        return false;
    }
    out->size = ZSTD_compress(out->data, room, part->data, part->size, LEVEL);
    return ZSTD_isError(out->size) == 0;
}

static void make_header(const wr_bytes *parts, const wr_bytes *packed, wr_bytes *out)
{
    uint64_t length = WR_CHECKPOINT_HEADER;
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        length += packed[i].size;
    }
    wr_bytes_put(out, wr_checkpoint_magic, WR_CHECKPOINT_MAGIC);
    wr_bytes_put32(out, WR_CHECKPOINT_VERSION);
    wr_bytes_put32(out, WR_CHECKPOINT_PARTS);
    wr_bytes_put64(out, length);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_put(out, wr_checkpoint_part_name(i), 4);
        wr_bytes_put32(out, 0);
        wr_bytes_put64(out, packed[i].size);
        wr_bytes_put64(out, parts[i].size);
        wr_bytes_put64(out, XXH64(packed[i].data, packed[i].size, 0));
    }
    wr_bytes_put64(out, out->failed ? 0 : XXH64(out->data, out->size, 0));
}

static bool write_all(int fd, const wr_bytes *b)
{
    for (size_t done = 0; done < b->size;) {
        ssize_t n = write(fd, b->data + done, b->size - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

/* So that the new name is on the disk too. */
static void sync_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH] = ".";
    if (slash != NULL) {
        (void)snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path),
                       path);
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
}

/* The file of this name stays, under its second name too, until the new one takes its place. */
static bool take_place(const char *grows, const char *path)
{
    char before[PATH];
    if (beside(path, ".1", before) && access(path, F_OK) == 0) {
        (void)unlink(before);
        if (link(path, before) != 0) {
            (void)rename(path, before);
        }
    }
    return rename(grows, path) == 0;
}

static bool write_file(const char *path, const wr_bytes *header, const wr_bytes *packed)
{
    char grows[PATH];
    if (!beside(path, ".new", grows)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = open(grows, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) {
        return false;
    }
    bool ok = write_all(fd, header);
    for (unsigned i = 0; ok && i < WR_CHECKPOINT_PARTS; i++) {
        ok = write_all(fd, &packed[i]);
    }
    ok = ok && fsync(fd) == 0;
    int error = errno;
    ok = close(fd) == 0 && ok;
    if (ok) {
        ok = take_place(grows, path);
        error = errno;
    }
    if (!ok) {
        (void)unlink(grows);
        errno = error;
        return false;
    }
    sync_folder(path);
    return true;
}

bool wr_checkpoint_write(const char *name, const wr_bytes parts[WR_CHECKPOINT_PARTS], char *why,
                         size_t size)
{
    wr_bytes header = {0};
    wr_bytes packed[WR_CHECKPOINT_PARTS] = {0};
    char *path = wr_replace_target(name); /* behind a link, which stays */
    bool ok = true;
    for (unsigned i = 0; ok && i < WR_CHECKPOINT_PARTS; i++) {
        ok = !parts[i].failed && pack(&parts[i], &packed[i]);
    }
    if (ok) {
        make_header(parts, packed, &header);
        ok = !header.failed;
    }
    if (!ok) {
        (void)snprintf(why, size, "out of memory");
    } else if (!path || !write_file(path, &header, packed)) {
        (void)snprintf(why, size, "%s", strerror(errno));
        ok = false;
    }
    free(path);
    wr_bytes_free(&header);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_free(&packed[i]);
    }
    return ok;
}
