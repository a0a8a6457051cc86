/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a launch file: read as YAML, by the schema, checked, buffers filled.
 *
 * `file: 100` in an input names the input itself, and no other file takes part. Buffers are
 * limited to WR_LAUNCH_MAX_BYTES of the fuzz build, as filling 1 GiB is slow and no hang.
 */
#include "shell/host/launch_file.h"
#include "tests/fuzz/input.h"

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

    if (wr_launch_file_load(wr_fuzz_file(data, size), &loaded, &diag)) {
        check_file(&loaded);
        wr_launch_file_free(&loaded);
    } else {
        wr_fuzz_want_message(&diag, data, size);
    }
    return 0;
}
