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

/* The name of the one before. False: it is too long. */
static bool name_before(const char *path, char out[PATH])
{
    int n = snprintf(out, PATH, "%s.1", path);
    return n > 0 && n < PATH;
}

const char *wr_checkpoint_writable(const char *path)
{
    wr_replace r;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        return "it is there and no regular file";
    }
    if (!wr_replace_open_beside(&r, path)) {
        return errno == EINVAL ? "standard output goes there" : strerror(errno);
    }
    char before[PATH];
    bool fits = name_before(r.path, before);
    (void)wr_replace_close(&r, false);
    return fits ? NULL : "its name is too long";
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
static void keep_before(const char *path)
{
    char before[PATH];
    if (!name_before(path, before) || access(path, F_OK) != 0) {
        return;
    }
    (void)unlink(before);
    if (link(path, before) != 0 && errno != EEXIST && errno != ENOENT) { /* these: the other run */
        (void)rename(path, before);
    }
}

static bool write_file(const char *path, const wr_bytes *header, const wr_bytes *packed)
{
    wr_replace r;
    if (!wr_replace_open_beside(&r, path)) {
        return false;
    }
    bool ok = fwrite(header->data, 1, header->size, r.file) == header->size;
    for (unsigned i = 0; ok && i < WR_CHECKPOINT_PARTS; i++) {
        ok = fwrite(packed[i].data, 1, packed[i].size, r.file) == packed[i].size;
    }
    ok = ok && fflush(r.file) == 0 && fsync(fileno(r.file)) == 0;
    int error = errno;
    if (ok) {
        keep_before(path);
    }
    if (!wr_replace_close(&r, ok)) {
        return false;
    }
    errno = error;
    if (ok) {
        sync_folder(path);
    }
    return ok;
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
