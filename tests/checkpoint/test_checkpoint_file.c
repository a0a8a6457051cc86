/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a checkpoint by itself: every byte changed, every length, headers that lie with a
 * right checksum; what is written comes back; the heap's bytes, whole and wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <xxhash.h>

#include "shell/checkpoint/file.h"
#include "shell/checkpoint/layout.h"
#include "shell/core/exec/heap.h"

enum { MOST = 65536, BLOCKS = 200 };

static char folder[] = "/tmp/warpref-checkpoint-XXXXXX";
static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % below);
}

static const char *path_of(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static size_t slurp(const char *name, uint8_t data[MOST])
{
    FILE *f = fopen(path_of(name), "rb");
    assert_non_null(f);
    size_t n = fread(data, 1, MOST, f);
    (void)fclose(f);
    assert_true(n > 0 && n < MOST);
    return n;
}

static void spill(const char *name, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* Parts of random bytes; the last one is mostly zeros. */
static void make_parts(wr_bytes parts[WR_CHECKPOINT_PARTS])
{
    memset(parts, 0, WR_CHECKPOINT_PARTS * sizeof *parts);
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        for (unsigned k = 0; k < 40 + 30 * i; k++) {
            wr_bytes_put32(&parts[i],
                           i + 1 < WR_CHECKPOINT_PARTS || k % 8 == 0 ? draw(1u << 30) : 0);
        }
    }
}

static void free_parts(wr_bytes parts[WR_CHECKPOINT_PARTS])
{
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_free(&parts[i]);
    }
}

/* Refused, with one line. */
static void refuse(const uint8_t *data, size_t size, const char *what, size_t at)
{
    wr_checkpoint_file file;
    char why[256] = "";
    spill("wrong", data, size);
    if (wr_checkpoint_read(path_of("wrong"), &file, why, sizeof why)) {
        fail_msg("%s at %zu was read", what, at);
    }
    if (!*why || strchr(why, '\n') || (file.part[0].data != NULL)) {
        fail_msg("%s at %zu: '%s'", what, at, why);
    }
}

static void comes_back(void **state)
{
    wr_bytes parts[WR_CHECKPOINT_PARTS];
    wr_checkpoint_file file;
    char why[256];
    (void)state;
    make_parts(parts);
    assert_true(wr_checkpoint_write(path_of("a"), parts, why, sizeof why));
    assert_true(wr_checkpoint_read(path_of("a"), &file, why, sizeof why));
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        assert_int_equal(file.part[i].size, parts[i].size);
        assert_memory_equal(file.part[i].data, parts[i].data, parts[i].size);
    }
    wr_checkpoint_free(&file);
    /* The one before stays. */
    wr_bytes_put32(&parts[0], 7);
    assert_int_not_equal(access(path_of("a.1"), F_OK), 0);
    assert_true(wr_checkpoint_write(path_of("a"), parts, why, sizeof why));
    assert_true(wr_checkpoint_read(path_of("a.1"), &file, why, sizeof why));
    assert_int_equal(file.part[0].size, parts[0].size - 4);
    wr_checkpoint_free(&file);
    assert_true(wr_checkpoint_read(path_of("a"), &file, why, sizeof why));
    assert_int_equal(file.part[0].size, parts[0].size);
    wr_checkpoint_free(&file);
    free_parts(parts);
}

/* Processes that write to one name at a time: whoever reads it finds one that is whole. */
static void two_writers(void **state)
{
    enum { WRITERS = 3, TIMES = 40 };
    wr_bytes parts[WR_CHECKPOINT_PARTS];
    wr_checkpoint_file file;
    char why[256];
    pid_t child[WRITERS];
    (void)state;
    make_parts(parts);
    assert_true(wr_checkpoint_write(path_of("two"), parts, why, sizeof why));
    for (unsigned i = 0; i < WRITERS; i++) {
        wr_bytes_put32(&parts[0], i);
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            bool good = true;
            for (unsigned k = 0; good && k < TIMES; k++) {
                good = wr_checkpoint_write(path_of("two"), parts, why, sizeof why);
            }
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned left = WRITERS; left != 0;) {
        int status = 0;
        assert_true(wr_checkpoint_read(path_of("two"), &file, why, sizeof why));
        wr_checkpoint_free(&file);
        if (waitpid(child[left - 1], &status, WNOHANG) == child[left - 1]) {
            assert_int_equal(status, 0);
            left--;
        }
    }
    assert_true(wr_checkpoint_read(path_of("two.1"), &file, why, sizeof why));
    wr_checkpoint_free(&file);
    free_parts(parts);
}

/* Every bit of every byte, and other values. */
static void bytes_changed(void **state)
{
    static uint8_t data[MOST], wrong[MOST];
    (void)state;
    size_t size = slurp("a", data);
    for (size_t at = 0; at < size; at++) {
        for (unsigned k = 0; k < 3; k++) {
            memcpy(wrong, data, size);
            wrong[at] = (uint8_t)(wrong[at] ^ (k == 0 ? 0xffu : 1u << draw(8)));
            refuse(wrong, size, "a changed byte", at);
        }
    }
}

static void lengths_changed(void **state)
{
    static uint8_t data[MOST];
    (void)state;
    size_t size = slurp("a", data);
    for (size_t n = 0; n < size; n++) {
        refuse(data, n, "an end", n);
    }
    data[size] = 0;
    refuse(data, size + 1, "a byte more", size);
}

static void put64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (8 * i));
    }
}

/* Lengths of a header whose checksum is right. */
static void headers_that_lie(void **state)
{
    static const uint64_t lies[] = {
        0, 1, 41, UINT64_C(1) << 31, UINT64_C(1) << 32, UINT64_MAX, UINT64_MAX - 200};
    static uint8_t data[MOST], wrong[MOST];
    (void)state;
    size_t size = slurp("a", data);
    for (unsigned part = 0; part < WR_CHECKPOINT_PARTS; part++) {
        for (unsigned field = 8; field < 32; field += 8) {
            for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
                memcpy(wrong, data, size);
                put64(wrong + WR_CHECKPOINT_START + part * WR_CHECKPOINT_ROW + field, lies[i]);
                put64(wrong + WR_CHECKPOINT_SUM, XXH64(wrong, WR_CHECKPOINT_SUM, 0));
                refuse(wrong, size, "a lie", field);
            }
        }
    }
    /* A newer version is told as such, whatever else has changed. */
    wr_checkpoint_file file;
    char why[256];
    memcpy(wrong, data, size);
    wrong[8] = WR_CHECKPOINT_VERSION + 1;
    spill("wrong", wrong, size);
    assert_false(wr_checkpoint_read(path_of("wrong"), &file, why, sizeof why));
    assert_non_null(strstr(why, "format version 2"));
}

static void not_written(void **state)
{
    wr_bytes parts[WR_CHECKPOINT_PARTS];
    char why[256];
    (void)state;
    make_parts(parts);
    assert_false(wr_checkpoint_write(path_of("none/a"), parts, why, sizeof why));
    assert_non_null(wr_checkpoint_writable(path_of("none/a")));
    assert_non_null(wr_checkpoint_writable("/dev/full"));
    assert_non_null(wr_checkpoint_writable(folder));
    assert_null(wr_checkpoint_writable(path_of("b")));
    assert_int_not_equal(access(path_of("b"), F_OK), 0);
    parts[1].failed = true;
    assert_false(wr_checkpoint_write(path_of("b"), parts, why, sizeof why));
    assert_int_not_equal(access(path_of("b"), F_OK), 0);
    free_parts(parts);
}

/* A heap with random blocks in use, and its copy: the same addresses from there on. */
static void heap_comes_back(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        uint64_t block[BLOCKS] = {0};
        wr_heap heap, copy = {0};
        wr_bytes out = {0};
        assert_true(wr_heap_init(&heap, 4096, 16 * (1 + draw(4000))));
        for (unsigned i = 0; i < 1000; i++) {
            unsigned k = draw(BLOCKS);
            if (block[k] != 0) {
                assert_true(wr_heap_give(&heap, block[k]));
            }
            block[k] = draw(3) != 0 ? wr_heap_take(&heap, 1 + draw(600)) : 0;
        }
        wr_heap_save(&heap, &out);
        wr_bytes_in in = {.at = out.data, .left = out.size};
        assert_true(wr_heap_load(&copy, &in) && wr_bytes_whole(&in));
        for (unsigned i = 0; i < 1000; i++) {
            unsigned k = draw(BLOCKS);
            if (block[k] != 0) {
                assert_true(wr_heap_give(&heap, block[k]) && wr_heap_give(&copy, block[k]));
                assert_false(wr_heap_give(&copy, block[k]));
            }
            uint32_t bytes = draw(600);
            block[k] = wr_heap_take(&heap, bytes);
            assert_int_equal(wr_heap_take(&copy, bytes), block[k]);
        }
        wr_heap_free(&copy);
        /* Wrong bytes are refused or make a heap that holds together; never a crash. */
        for (unsigned i = 0; i < 200; i++) {
            uint32_t at = draw((uint32_t)out.size);
            uint8_t was = out.data[at];
            out.data[at] ^= (uint8_t)(1 + draw(255));
            in = (wr_bytes_in){.at = out.data, .left = out.size - draw(2)};
            if (wr_heap_load(&copy, &in)) {
                (void)wr_heap_take(&copy, 1 + draw(100));
                wr_heap_free(&copy);
            }
            out.data[at] = was;
        }
        wr_bytes_free(&out);
        wr_heap_free(&heap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),      cmocka_unit_test(bytes_changed),
        cmocka_unit_test(lengths_changed), cmocka_unit_test(headers_that_lie),
        cmocka_unit_test(not_written),     cmocka_unit_test(two_writers),
        cmocka_unit_test(heap_comes_back),
    };
    const char *seed = getenv("WARPREF_SEED");
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    (void)printf("seed %llu\n", (unsigned long long)random_state);
    if (!mkdtemp(folder)) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const left[] = {"a", "a.1", "b", "wrong", "two", "two.1"};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        (void)unlink(path_of(left[i]));
    }
    (void)rmdir(folder);
    return failed;
}
