/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a checkpoint's file, of which nothing is believed; see file.h. */
#include "shell/checkpoint/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>
#include <zstd.h>

#include "shell/checkpoint/layout.h"

/* Simulated memory is 1 GiB; what describes it is little beside it. */
#define MOST_BYTES (UINT64_C(2) << 30)

static bool has_magic(int fd)
{
    uint8_t magic[WR_CHECKPOINT_MAGIC];
    return pread(fd, magic, sizeof magic, 0) == (ssize_t)sizeof magic &&
           memcmp(magic, wr_checkpoint_magic, sizeof magic) == 0;
}

/* The whole file. NULL with a reason. */
static uint8_t *slurp(const char *path, uint64_t *bytes, char *why, size_t size)
{
    struct stat st;
    uint8_t *data = NULL;
    uint64_t done = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not be waited for */
    if (fd < 0 || fstat(fd, &st) != 0) {
        (void)snprintf(why, size, "cannot be read: %s", strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        (void)snprintf(why, size, "cannot be read: it is no regular file");
    } else if (!has_magic(fd)) { /* before all of a large file is read */
        (void)snprintf(why, size, "is no checkpoint of warpref");
    } else if ((uint64_t)st.st_size > MOST_BYTES) {
        (void)snprintf(why, size, "is no checkpoint: it is too large for one");
    } else if ((data = malloc((size_t)st.st_size + 1)) == NULL) {
        (void)snprintf(why, size, "cannot be read: out of memory");
    } else {
        *bytes = (uint64_t)st.st_size;
        while (done < *bytes) {
            ssize_t n = read(fd, data + done, (size_t)(*bytes - done));
            if (n <= 0) {
                break;
            }
            done += (uint64_t)n;
        }
        if (done != *bytes) {
            (void)snprintf(why, size, "cannot be read to its end");
            free(data);
            data = NULL;
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return data;
}

static bool unpack(wr_checkpoint_file *file, unsigned part, const uint8_t *frame)
{
    uint64_t size = file->part[part].size;
    uint8_t *data = malloc((size_t)size + 1);
    file->part[part].data = data;
    return data != NULL &&
           ZSTD_decompress(data, (size_t)size, frame, (size_t)file->part[part].stored) == size;
}

/* The rows of the header: lengths that add up to the file's. */
static bool read_rows(wr_checkpoint_file *file, wr_bytes_in *in, uint64_t sums[])
{
    uint64_t left = file->bytes - WR_CHECKPOINT_HEADER;
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        const uint8_t *name = wr_bytes_get(in, 4);
        uint32_t zero = wr_bytes_get32(in);
        file->part[i].stored = wr_bytes_get64(in);
        file->part[i].size = wr_bytes_get64(in);
        sums[i] = wr_bytes_get64(in);
        if (name == NULL || memcmp(name, wr_checkpoint_part_name(i), 4) != 0 || zero != 0 ||
            file->part[i].stored > left || file->part[i].size > MOST_BYTES) {
            return false;
        }
        left -= file->part[i].stored;
    }
    return left == 0;
}

/* NULL, or what is wrong with these bytes. */
static const char *check(wr_checkpoint_file *file, const uint8_t *data, char *text, size_t size)
{
    wr_bytes_in in = {.at = data, .left = (size_t)file->bytes};
    uint64_t sums[WR_CHECKPOINT_PARTS];
    (void)wr_bytes_get(&in, WR_CHECKPOINT_MAGIC); /* looked at before */
    file->version = wr_bytes_get32(&in);
    if (!in.failed && file->version > WR_CHECKPOINT_VERSION) {
        (void)snprintf(text, size,
                       "has format version %" PRIu32 ", this program reads up to version %d; use "
                       "the program that wrote it",
                       file->version, WR_CHECKPOINT_VERSION);
        return text;
    }
    uint32_t parts = wr_bytes_get32(&in);
    uint64_t length = wr_bytes_get64(&in);
    if (in.failed || file->bytes < WR_CHECKPOINT_HEADER || length != file->bytes) {
        return "is damaged: it is cut, or its header is wrong";
    }
    wr_bytes_in sum = {.at = data + WR_CHECKPOINT_SUM, .left = 8};
    if (file->version != WR_CHECKPOINT_VERSION || parts != WR_CHECKPOINT_PARTS ||
        wr_bytes_get64(&sum) != XXH64(data, WR_CHECKPOINT_SUM, 0) || !read_rows(file, &in, sums)) {
        return "is damaged: its header is wrong";
    }
    const uint8_t *frame = data + WR_CHECKPOINT_HEADER;
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        bool same = XXH64(frame, (size_t)file->part[i].stored, 0) == sums[i];
        if (!same || !unpack(file, i, frame)) {
            (void)snprintf(text, size, "is damaged: part %s %s", wr_checkpoint_part_name(i),
                           !same                        ? "does not match its checksum"
                           : file->part[i].data == NULL ? "does not fit this machine's memory"
                                                        : "cannot be unpacked");
            return text;
        }
        frame += file->part[i].stored;
    }
    return NULL;
}

bool wr_checkpoint_read(const char *path, wr_checkpoint_file *file, char *why, size_t size)
{
    char text[160];
    *file = (wr_checkpoint_file){0};
    uint8_t *data = slurp(path, &file->bytes, why, size);
    if (data == NULL) {
        return false;
    }
    const char *wrong = check(file, data, text, sizeof text);
    if (wrong != NULL) {
        (void)snprintf(why, size, "%s", wrong);
        wr_checkpoint_free(file);
    }
    free(data);
    return wrong == NULL;
}

void wr_checkpoint_free(wr_checkpoint_file *file)
{
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        free(file->part[i].data);
    }
    *file = (wr_checkpoint_file){0};
}

wr_bytes_in wr_checkpoint_open(const wr_checkpoint_file *file, wr_checkpoint_part part)
{
    return (wr_bytes_in){.at = file->part[part].data, .left = (size_t)file->part[part].size};
}
