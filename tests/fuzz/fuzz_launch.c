/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a launch file: read as YAML, by the schema, checked, buffers filled.
 *
 * The loader takes a path, so the bytes go into a file in memory, always at descriptor FILE_FD:
 * `file: 100` in an input names the input itself, and no other file takes part. Buffers are
 * limited to WR_LAUNCH_MAX_BYTES of the fuzz build, as filling 1 GiB is slow and no hang.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell/host/launch_file.h"
#include "tests/fuzz/input.h"

#define FILE_FD 100

static const char path[] = "/proc/self/fd/100";

static void write_file(const uint8_t *data, size_t size)
{
    if (lseek(FILE_FD, 0, SEEK_SET) != 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "/warpref-fuzz-%ld", (long)getpid());
        int fd = shm_open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, FILE_FD) < 0) {
            wr_fuzz_fail("no file in memory can be made");
        }
        close(fd);
        shm_unlink(name);
    }
    if (ftruncate(FILE_FD, 0) != 0 || write(FILE_FD, data, size) != (ssize_t)size) {
        wr_fuzz_fail("the file in memory cannot be written");
    }
}

static void check_file(const wr_loaded_file *loaded)
{
    const wr_launch_file *file = loaded->file;
    uint64_t total = 0;

    for (unsigned i = 0; i < file->buffer_count; i++) {
        const wr_launch_buffer *b = &file->buffers[i];
        if (b->data == NULL || b->count == 0 || b->bytes != b->count * b->value_type->size) {
            wr_fuzz_fail("a buffer that was taken is not filled");
        }
        total += b->bytes;
    }
    if (total > WR_LAUNCH_MAX_BYTES) {
        wr_fuzz_fail("buffers are larger than the limit");
    }
    for (unsigned i = 0; i < file->launch_count; i++) {
        const wr_launch_entry *l = &file->launches[i];
        for (unsigned d = 0; d < l->grid_count; d++) {
            if (l->grid[d] == 0) {
                wr_fuzz_fail("a grid without blocks was taken");
            }
        }
        for (unsigned d = 0; d < l->block_count; d++) {
            if (l->block[d] == 0 || l->block[d] > 1024) {
                wr_fuzz_fail("a block of impossible size was taken");
            }
        }
        for (unsigned a = 0; a < l->arg_count; a++) {
            if (l->args[a].buffer != NULL && l->args[a].buffer_index >= file->buffer_count) {
                wr_fuzz_fail("an argument names no buffer");
            }
        }
        if (wr_launch_file_line(loaded, "launches[%u]", i) == 0) {
            wr_fuzz_fail("a launch has no line");
        }
    }
    for (unsigned i = 0; i < file->check_count; i++) {
        if (file->checks[i].buffer_index >= file->buffer_count) {
            wr_fuzz_fail("a check names no buffer");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wr_diag diag = {0};
    wr_loaded_file loaded;

    write_file(data, size);
    if (wr_launch_file_load(path, &loaded, &diag)) {
        check_file(&loaded);
        wr_launch_file_free(&loaded);
    } else {
        wr_fuzz_want_message(&diag, data, size);
    }
    return 0;
}
