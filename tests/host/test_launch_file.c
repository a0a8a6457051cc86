/* SPDX-License-Identifier: Apache-2.0 */
/* Launch files: bad ones by line and message, good ones by what they become. */
#include "tests/host/test_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell/host/launch_file.h"
#include "tests/host/bad_inputs.h"

#define BAD WR_SOURCE_DIR "/tests/host/bad/"

static void bad_files_are_told_by_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < BAD_INPUT_COUNT; i++) {
        const bad_input *b = &bad_inputs[i];
        char path[512];
        wr_loaded_file loaded;
        wr_diag diag = {0};
        (void)snprintf(path, sizeof path, BAD "%s.yaml", b->name);
        bool ok = wr_launch_file_load(path, &loaded, &diag);
        if (ok != b->needs_module) {
            fail_msg("%s: loaded %d: %s", b->name, ok, diag.message);
        }
        if (ok) {
            wr_launch_file_free(&loaded);
            continue;
        }
        assert_null(loaded.file);
        if (diag.line != b->line || !strstr(diag.message, b->part) ||
            strcmp(diag.file, path) != 0) {
            fail_msg("%s: %s:%u: '%s', expected line %u and '%s'", b->name, diag.file, diag.line,
                     diag.message, b->line, b->part);
        }
    }
}

/* Writes `text` to a file in a fresh folder, and `data` beside it as data.bin. */
static void write_files(char dir[], const char *text, const void *data, size_t size, char path[64])
{
    char bin[64];
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, 64, "%s/f.yaml", dir);
    (void)snprintf(bin, sizeof bin, "%s/data.bin", dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fputs(text, f);
    (void)fclose(f);
    f = fopen(bin, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    (void)fclose(f);
}

static void remove_files(const char *dir)
{
    char path[64];
    (void)snprintf(path, sizeof path, "%s/f.yaml", dir);
    unlink(path);
    (void)snprintf(path, sizeof path, "%s/data.bin", dir);
    unlink(path);
    rmdir(dir);
}

static void every_kind_of_contents(void **state)
{
    (void)state;
    static const char text[] =
        "module: m.ptx\n"
        "buffers:\n"
        "  - {name: z, type: u16, count: 3, contents: zeros}\n"
        "  - {name: i, type: s32, bytes: 12, contents: iota, value: -1}\n"
        "  - {name: c, type: f64, count: 2, contents: constant, value: 0.5}\n"
        "  - {name: r, type: u8, count: 5, contents: random, seed: 3, low: 7, high: 7}\n"
        "  - {name: f, type: u16, contents: file, file: data.bin}\n"
        "  - {name: n, type: u8, count: 4, contents: near, of: 3, low: -1, high: -1}\n"
        "launches:\n"
        "  - kernel: k\n"
        "    grid: [2, 3]\n"
        "    block: [4]\n"
        "    shared: 64\n"
        "    registers: 20\n"
        "    while: {buffer: i, index: 2, differs_from: -4, at_most: 9}\n"
        "    args: [{buffer: f}, {type: s16, value: -2}]\n";
    static const uint8_t data[4] = {0x34, 0x12, 0xff, 0x00};
    char dir[] = "/tmp/warpref-launch-XXXXXX";
    char path[64];
    wr_loaded_file loaded;
    wr_diag diag = {0};
    write_files(dir, text, data, sizeof data, path);
    if (!wr_launch_file_load(path, &loaded, &diag)) {
        fail_msg("%u: %s", diag.line, diag.message);
    }
    const wr_launch_buffer *b = loaded.file->buffers;
    assert_int_equal(loaded.file->buffer_count, 6);
    assert_memory_equal(b[0].data, "\0\0\0\0\0\0", 6);
    assert_memory_equal(b[1].data, ((int32_t[]){-1, 0, 1}), 12);
    assert_int_equal(b[1].count, 3);
    assert_memory_equal(b[2].data, ((double[]){0.5, 0.5}), 16);
    assert_memory_equal(b[3].data, "\7\7\7\7\7", 5);
    assert_int_equal(b[4].count, 2);
    assert_memory_equal(b[4].data, data, 4);
    assert_memory_equal(b[5].data, "\0\0\1\0", 4);
    const wr_launch_entry *l = loaded.file->launches;
    assert_int_equal(l->grid_count, 2);
    assert_int_equal(l->grid[1], 3);
    assert_int_equal(l->shared, 64);
    assert_int_equal(l->registers, 20);
    assert_int_equal(l->loop->buffer_index, 1);
    assert_int_equal(l->loop->parsed.integer, -4);
    assert_int_equal(l->args[0].buffer_index, 4);
    assert_int_equal(l->args[1].parsed.integer, -2);
    assert_int_equal(wr_launch_file_line(&loaded, "launches[%d].shared", 0), 13);
    assert_int_equal(wr_launch_file_line(&loaded, "launches[0].repeat"), 10);
    char *beside = wr_launch_file_path(&loaded, "x.bin");
    assert_true(strncmp(beside, dir, strlen(dir)) == 0);
    assert_string_equal(beside + strlen(dir), "/x.bin");
    free(beside);
    wr_launch_file_free(&loaded);
    remove_files(dir);
}

static void kernels_files_load(void **state)
{
    (void)state;
    static const char *const names[] = {"vecadd", "backprop_layerforward", "pathfinder_dynproc"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[512];
        wr_loaded_file loaded;
        wr_diag diag = {0};
        (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/kernels/%s.yaml", names[i]);
        if (!wr_launch_file_load(path, &loaded, &diag)) {
            fail_msg("%s:%u: %s", path, diag.line, diag.message);
        }
        assert_true(loaded.file->check_count > 0);
        wr_launch_file_free(&loaded);
    }
}

/* Every prefix of a good file loads or is refused with a message; never anything else. */
static void every_cut_ends(void **state)
{
    (void)state;
    char text[4096];
    FILE *f = fopen(BAD "good.yaml", "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    size_t refused = 0;
    (void)fclose(f);
    for (size_t cut = 0; cut < n; cut++) {
        char dir[] = "/tmp/warpref-launch-XXXXXX";
        char path[64];
        wr_loaded_file loaded;
        wr_diag diag = {0};
        text[n] = '\0';
        char keep = text[cut];
        text[cut] = '\0';
        write_files(dir, text, "", 0, path);
        text[cut] = keep;
        if (wr_launch_file_load(path, &loaded, &diag)) {
            wr_launch_file_free(&loaded);
        } else {
            assert_true(diag.line > 0 && diag.message[0]);
            refused++;
        }
        remove_files(dir);
    }
    assert_true(refused > n / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_files_are_told_by_line),
        cmocka_unit_test(every_kind_of_contents),
        cmocka_unit_test(kernels_files_load),
        cmocka_unit_test(every_cut_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
