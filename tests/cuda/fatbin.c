/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries, also hostile ones: each lies in front of a page that cannot be read, so that a step
 * beyond its end is a crash. What a good one gives is tests/cuda/exec.py's to say, in whole
 * programs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "cuda/runtime/fatbin.h"
#include "tests/long.h"

enum { ROOM = 1 << 16, HEAD = 16, IMAGE_HEAD = 64, MOST = 4096 };
/* Where the LZ4 of the good one is: its last image. */
enum { LAST = HEAD + 80 + 72 + 80 };

typedef struct fixture {
    uint8_t *end; /* the page behind is not there */
    uint64_t state;
    unsigned refused, read, unpacked;
} fixture;

static uint32_t draw(fixture *f, uint32_t below)
{
    f->state = f->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)((f->state >> 33) % below);
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    memcpy(at, &value, bytes);
}

static size_t add_image(uint8_t *at, unsigned kind, uint32_t target, uint64_t flags,
                        const void *data, size_t bytes, uint32_t packed, uint64_t whole)
{
    size_t padded = (bytes + 7) / 8 * 8;
    memset(at, 0, IMAGE_HEAD + padded);
    put(at, kind, 2);
    put(at + 2, 0x101, 2);
    put(at + 4, IMAGE_HEAD, 4);
    put(at + 8, padded, 8);
    put(at + 16, packed, 4);
    put(at + 28, target, 4);
    put(at + 40, flags, 8);
    put(at + 56, whole, 8);
    memcpy(at + IMAGE_HEAD, data, bytes);
    return IMAGE_HEAD + padded;
}

/* LZ4: five letters, then twelve from four back, then five letters. */
static const char lz4[] = "\x58"
                          "abcde"
                          "\x04\x00"
                          "\x50"
                          "fghij";
static const char lz4_text[] = "abcdebcdebcdebcdefghij";

/* Three images of PTX and one of machine code; its bytes. */
static size_t good(uint8_t at[MOST])
{
    size_t used = HEAD;
    used += add_image(at + used, 1, 75, 0x11, "ptx of 75", 9, 0, 0);
    used += add_image(at + used, 2, 80, 0x11, "\177ELF", 4, 0, 0);
    used += add_image(at + used, 1, 52, 0x11, "ptx of 52", 9, 0, 0);
    used += add_image(at + used, 1, 90, 0x2011, lz4, sizeof lz4 - 1, sizeof lz4 - 1,
                      sizeof lz4_text - 1);
    put(at, WR_FATBIN_MAGIC, 4);
    put(at + 4, 1, 2);
    put(at + 6, HEAD, 2);
    put(at + 8, used - HEAD, 8);
    return used;
}

/* Reads it where the next byte is not there, and all of its texts. False: it was refused. */
static bool read_all(fixture *f, const uint8_t *bytes, size_t n)
{
    char why[WR_FATBIN_WHY] = "";
    wr_fatbin fat;
    uint8_t *at = f->end - n;
    memcpy(at, bytes, n);
    if (!wr_fatbin_read(at, n, &fat, why)) {
        assert_string_not_equal(why, "");
        f->refused++;
        return false;
    }
    f->read++;
    bool ok = true;
    for (size_t i = 0; i < fat.count; i++) {
        assert_true(i == 0 || fat.ptx[i].target <= fat.ptx[i - 1].target);
        why[0] = '\0';
        char *text = wr_fatbin_text(&fat.ptx[i], why);
        assert_true(text || why[0]);
        f->unpacked += text != NULL;
        ok &= text != NULL;
        free(text);
    }
    wr_fatbin_free(&fat);
    return ok;
}

static void in_order(void **state)
{
    fixture *f = *state;
    static const char *const texts[] = {lz4_text, "ptx of 75", "ptx of 52"};
    static const uint32_t targets[] = {90, 75, 52};
    char why[WR_FATBIN_WHY] = "";
    wr_fatbin fat;
    uint8_t bytes[MOST];
    size_t n = good(bytes);
    assert_true(wr_fatbin_read(memcpy(f->end - n, bytes, n), n, &fat, why));
    assert_int_equal(fat.count, 3);
    assert_string_equal(fat.machine, "sm_80");
    for (size_t i = 0; i < 3; i++) {
        char *text = wr_fatbin_text(&fat.ptx[i], why);
        assert_int_equal(fat.ptx[i].target, targets[i]);
        assert_non_null(text);
        assert_string_equal(text, texts[i]);
        free(text);
    }
    wr_fatbin_free(&fat);
}

static void cut_anywhere(void **state)
{
    uint8_t bytes[MOST];
    size_t n = good(bytes);
    assert_true(read_all(*state, bytes, n));
    for (size_t i = 0; i < n; i++) {
        assert_false(read_all(*state, bytes, i));
    }
}

/* Heads that lie: each has one message. */
static void lies(void **state)
{
    static const struct {
        size_t at, bytes;
        uint64_t value;
    } rows[] = {
        {0, 4, 0x1ee55a01},             /* an older magic */
        {6, 2, 8},                      /* images inside the head */
        {6, 2, 0xffff},                 /* behind all */
        {8, 8, UINT64_MAX},             /* with the head: around */
        {8, 8, UINT64_MAX - 15},        /* the same, to 0 */
        {HEAD + 4, 4, 0},               /* a head of nothing: no step further */
        {HEAD + 4, 4, UINT32_MAX},      /* larger than all */
        {HEAD + 8, 8, UINT64_MAX - 63}, /* head and bytes: around to 0 */
        {HEAD + 8, 8, 1 << 20},         /* beyond the end */
        {HEAD + 16, 4, 5},              /* compressed, but by nothing that is known */
        {HEAD + 40, 8, 0x2011},         /* LZ4 of what is text, to nothing */
        {HEAD + 40, 8, 0x8011},         /* zstd */
        {LAST + 56, 8, UINT64_MAX},     /* of the LZ4: a text of all memory */
        {LAST + 56, 8, 21},             /* one less, one more than there is */
        {LAST + 56, 8, 23},
        {LAST + 16, 4, 17},         /* one more than the image has */
        {LAST + 16, 4, UINT32_MAX}, /* more than the image has */
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t bytes[MOST];
        size_t n = good(bytes);
        put(bytes + rows[i].at, rows[i].value, rows[i].bytes);
        if (read_all(f, bytes, n)) {
            fail_msg("row %zu was taken", i);
        }
    }
}

static void at_random(void **state)
{
    static const uint64_t values[] = {0, 1, 7, 63, 64, 255, 4096, UINT32_MAX, UINT64_MAX};
    fixture *f = *state;
    unsigned rounds = wr_test_long() ? 2000000 : 20000;
    for (unsigned i = 0; i < rounds; i++) {
        uint8_t bytes[MOST];
        size_t n = good(bytes);
        for (uint32_t k = 1 + draw(f, 4); k > 0; k--) {
            size_t width = (size_t)1 << draw(f, 4), at = draw(f, (uint32_t)(n - 8));
            put(bytes + at, draw(f, 2) ? values[draw(f, 9)] : draw(f, UINT32_MAX), width);
        }
        (void)read_all(f, bytes, draw(f, 4) ? n : draw(f, (uint32_t)n));
    }
    assert_true(f->refused > rounds / 10 && f->read > rounds / 10 && f->unpacked > rounds / 10);
}

static int set_up(void **state)
{
    static fixture f;
    uint8_t *at = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    f = (fixture){.end = at + ROOM, .state = 1};
    *state = &f;
    return at == MAP_FAILED ? -1 : mprotect(f.end, ROOM, PROT_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(lies), cmocka_unit_test(at_random)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
