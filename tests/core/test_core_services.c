/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind the calls of CUDA's own functions: the format of printf against the host's
 * printf, the heap against a list of blocks, and both against input of any kind. Whole kernels are
 * in tests/host/test_services.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/exec/format.h"
#include "shell/core/exec/heap.h"
#include "tests/core/kit.h"

/* ---- format ---- */

/* Memory from address 1000 on, and the text that came out. */
#define BASE UINT64_C(1000)
typedef struct page {
    uint8_t bytes[4096];
    char out[200000];
    uint32_t used;
} page;

static bool read_page(void *arg, uint64_t addr, void *out, uint32_t bytes)
{
    const page *p = arg;
    if (addr < BASE || addr - BASE > sizeof p->bytes ||
        bytes > sizeof p->bytes - (size_t)(addr - BASE)) {
        return false;
    }
    memcpy(out, p->bytes + (addr - BASE), bytes);
    return true;
}

static void write_page(void *arg, const char *text, uint32_t bytes)
{
    page *p = arg;
    assert_true(bytes <= sizeof p->out - p->used - 1);
    memcpy(p->out + p->used, text, bytes);
    p->used += bytes;
    p->out[p->used] = '\0';
}

#define FORMAT_AT  0    /* of the format in the page */
#define ARGS_AT    1024 /* of the arguments */
#define STRINGS_AT 2048

static bool run(page *p, uint32_t pointer, const char *format, int32_t *result,
                wr_format_fault *fault)
{
    wr_format_io io = {p, read_page, write_page, pointer};
    (void)snprintf((char *)p->bytes + FORMAT_AT, ARGS_AT, "%s", format);
    p->used = 0;
    p->out[0] = '\0';
    return wr_format(&io, BASE + FORMAT_AT, BASE + ARGS_AT, result, fault);
}

static void pack(page *p, uint32_t *at, uint64_t value, uint32_t bytes)
{
    *at = (*at + bytes - 1) / bytes * bytes;
    memcpy(p->bytes + ARGS_AT + *at, &value, bytes);
    *at += bytes;
}

static void expect(page *p, uint32_t pointer, const char *format, int32_t count, const char *text)
{
    wr_format_fault fault;
    int32_t result = 0;
    if (!run(p, pointer, format, &result, &fault)) {
        fail_msg("'%s': %s at %llx", format, fault.what, (unsigned long long)fault.addr);
    }
    assert_string_equal(p->out, text);
    assert_int_equal(result, count);
}

static void known_texts(void **state)
{
    page *p = calloc(1, sizeof *p);
    uint32_t at = 0;
    (void)state;
    assert_non_null(p);
    expect(p, 8, "", 0, "");
    expect(p, 8, "plain text\n", 0, "plain text\n");
    expect(p, 8, "100%% sure", 0, "100% sure");
    expect(p, 8, "ends in %", 0, "ends in %");
    expect(p, 8, "%y %n %-5.3", 0, "%y %n %-5.3"); /* unknown: as written */
    (void)snprintf((char *)p->bytes + STRINGS_AT, 16, "abcdef");
    pack(p, &at, 7, 4);
    pack(p, &at, 0x4004000000000000, 8); /* 2.5, at byte 8 */
    pack(p, &at, BASE + STRINGS_AT, 8);
    pack(p, &at, 'x', 4);
    pack(p, &at, (uint64_t)-5, 8);
    pack(p, &at, 0, 8);
    expect(p, 8, "%d %f %s %c %lld %p", 6, "7 2.500000 abcdef x -5 (nil)");
    at = 0; /* addresses and longs of 4 bytes */
    pack(p, &at, BASE + STRINGS_AT + 2, 4);
    pack(p, &at, 0xffffffff, 4);
    pack(p, &at, 0x4004000000000000, 8);
    pack(p, &at, 0xc0000010, 4);
    pack(p, &at, 0, 4);
    expect(p, 4, "%5s|%ld|%g|%p|%s", 5, " cdef|-1|2.5|0xc0000010|(null)");
    at = 0; /* stars; a negative width is a flag, a negative precision none */
    pack(p, &at, 6, 4);
    pack(p, &at, 42, 4);
    pack(p, &at, (uint64_t)-4, 4);
    pack(p, &at, 9, 4);
    pack(p, &at, 8, 4);
    pack(p, &at, 3, 4);
    pack(p, &at, 0x400921fb54442d18, 8);
    pack(p, &at, (uint64_t)-1, 4);
    pack(p, &at, 0x4004000000000000, 8);
    expect(p, 8, "%*d|%*d|%*.*f|%.*e", 9, "    42|9   |   3.142|2.500000e+00");
    at = 0; /* short types keep their low bits */
    pack(p, &at, 0x12345678, 4);
    pack(p, &at, 0x123480ff, 4);
    pack(p, &at, 0x1ff, 4);
    expect(p, 8, "%hx %hd %hhu", 3, "5678 -32513 255");
    free(p);
}

static void counts_and_limits(void **state)
{
    page *p = calloc(1, sizeof *p);
    wr_format_fault fault;
    wr_format_io io = {p, read_page, write_page, 8};
    int32_t result = 0;
    char format[256] = "";
    uint32_t at = 0;
    (void)state;
    assert_non_null(p);
    assert_true(wr_format(&io, 0, 0, &result, &fault));
    assert_int_equal(result, -1);
    for (unsigned i = 0; i < 34; i++) { /* 32 are taken, the rest is text */
        memcpy(format + (size_t)2 * i, "%d", 3);
        pack(p, &at, i % 10, 4);
    }
    expect(p, 8, format, 32, "01234567890123456789012345678901%d%d");
    at = 0;
    pack(p, &at, 1, 4);
    assert_true(run(p, 8, "%999999999999d", &result, &fault)); /* bounded */
    assert_int_equal(p->used, WR_FORMAT_MAX_FIELD);
    at = 0;
    pack(p, &at, 0x7fefffffffffffff, 8);
    assert_true(run(p, 8, "%#+999999.999999f", &result, &fault));
    assert_int_equal(p->used, 1 + 309 + 1 + WR_FORMAT_MAX_FIELD);
    /* What can't be read is told, with its place. */
    at = 0;
    pack(p, &at, 5, 8);
    assert_false(run(p, 8, "text: %s", &result, &fault));
    assert_string_equal(fault.what, "text of a %s");
    assert_int_equal(fault.addr, 5);
    assert_string_equal(p->out, "text: ");
    assert_false(wr_format(&io, BASE, 0, &result, &fault));
    assert_string_equal(fault.what, "arguments");
    assert_false(wr_format(&io, 7, BASE, &result, &fault));
    assert_string_equal(fault.what, "format");
    assert_int_equal(fault.addr, 7);
    memset(p->bytes, 'a', sizeof p->bytes); /* it never ends */
    assert_false(wr_format(&io, BASE, BASE, &result, &fault));
    assert_int_equal(fault.addr, BASE + sizeof p->bytes);
    free(p);
}

/* One conversion of random flags, width, precision and length, written by the host's printf. */
static void random_conversions(void **state)
{
    static const char flags[] = "-+ #0";
    static const char ints[] = "diuxXo";
    static const char floats[] = "fFeEgGaA";
    static const char *const lengths[] = {"hh", "h", "", "l", "ll", "z", "j", "t"};
    page *p = calloc(1, sizeof *p);
    uint64_t seed = kit_seed();
    (void)state;
    assert_non_null(p);
    for (unsigned round = 0; round < 200000; round++) {
        char format[64] = "<%";
        char want[8192];
        size_t n = 2;
        uint64_t value = kit_random(&seed) >> kit_random(&seed) % 64;
        bool is_float = kit_random(&seed) % 3 == 0;
        uint32_t at = 0;
        int32_t result = 0;
        wr_format_fault fault;
        for (unsigned i = 0; i < 5; i++) {
            if (kit_random(&seed) % 4 == 0) {
                format[n++] = flags[i];
            }
        }
        if (kit_random(&seed) % 2 == 0) {
            n += (size_t)snprintf(format + n, 8, "%u", 1 + (unsigned)(kit_random(&seed) % 40));
        }
        if (kit_random(&seed) % 2 == 0) {
            n += (size_t)snprintf(format + n, 8, ".%u", (unsigned)(kit_random(&seed) % 30));
        }
        if (is_float) {
            double number;
            memcpy(&number, &value, sizeof number);
            (void)snprintf(format + n, 4, "%c>", floats[kit_random(&seed) % 8]);
            (void)snprintf(want, sizeof want, format, number);
            pack(p, &at, value, 8);
        } else {
            unsigned length = (unsigned)(kit_random(&seed) % 8);
            (void)snprintf(format + n, 8, "%s%c>", lengths[length], ints[kit_random(&seed) % 6]);
            if (length < 3) {
                (void)snprintf(want, sizeof want, format, (int)(uint32_t)value);
            } else {
                (void)snprintf(want, sizeof want, format, (long long)value);
            }
            pack(p, &at, value, length < 3 ? 4 : 8);
        }
        if (!run(p, 8, format, &result, &fault) || strcmp(p->out, want) != 0 || result != 1) {
            fail_msg("round %u: '%s' of 0x%llx gives '%s', not '%s'", round, format,
                     (unsigned long long)value, p->out, want);
        }
    }
    free(p);
}

/* Any bytes as a format: it ends, and all that it reads goes through read. */
static void any_format(void **state)
{
    static const char letters[] = "%%%%%%diuxXocspfFeEgGaAhljztL-+ #0*.123456789n\n ";
    page *p = calloc(1, sizeof *p);
    uint64_t seed = kit_seed();
    unsigned whole = 0, faults = 0;
    (void)state;
    assert_non_null(p);
    for (unsigned round = 0; round < 50000; round++) {
        char format[200] = "";
        size_t n = kit_random(&seed) % (sizeof format - 1);
        int32_t result = 0;
        wr_format_fault fault;
        for (size_t i = 0; i < n; i++) {
            format[i] = kit_random(&seed) % 50 == 0
                            ? (char)(1 + kit_random(&seed) % 255)
                            : letters[kit_random(&seed) % (sizeof letters - 1)];
        }
        for (unsigned i = 0; i < 256; i++) {
            p->bytes[ARGS_AT + i] = (uint8_t)kit_random(&seed);
        }
        for (unsigned i = 0; i < 256; i += 8) { /* some addresses that can be read */
            uint64_t addr = BASE + kit_random(&seed) % (sizeof p->bytes + 100);
            memcpy(p->bytes + ARGS_AT + i, &addr, kit_random(&seed) % 4 != 0 ? sizeof addr : 0);
        }
        bool ok = run(p, kit_random(&seed) % 2 == 0 ? 4 : 8, format, &result, &fault);
        whole += ok ? 1 : 0;
        faults += ok ? 0 : 1;
        assert_true(ok ? result >= 0 && result <= WR_FORMAT_MAX_ARGS : fault.what != NULL);
    }
    assert_true(whole > 1000 && faults > 1000);
    free(p);
}

/* ---- heap ---- */

enum { MOST_BLOCKS = 4096 };
typedef struct block {
    uint64_t addr, bytes; /* bytes rounded up */
} block;

static int by_address(const void *a, const void *b)
{
    const block *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The largest gap between the blocks, found by looking at all of them. */
static uint64_t largest_gap(block *blocks, size_t count, uint64_t base, uint64_t bytes)
{
    uint64_t at = base, gap = 0;
    qsort(blocks, count, sizeof *blocks, by_address);
    for (size_t i = 0; i < count; i++) {
        gap = blocks[i].addr - at > gap ? blocks[i].addr - at : gap;
        at = blocks[i].addr + blocks[i].bytes;
    }
    return base + bytes - at > gap ? base + bytes - at : gap;
}

static void heap_holds(uint64_t bytes, uint64_t largest, unsigned rounds, uint64_t *seed)
{
    static block blocks[MOST_BLOCKS];
    const uint64_t base = UINT64_C(0xc0012300);
    wr_heap heap;
    size_t count = 0;
    unsigned refused = 0;
    assert_true(wr_heap_init(&heap, base, bytes));
    bytes = bytes / 16 * 16;
    for (unsigned round = 0; round < rounds; round++) {
        if (count < MOST_BLOCKS && kit_random(seed) % 5 < 3) {
            uint64_t want = 1 + kit_random(seed) % (kit_random(seed) % 8 == 0 ? largest : 100);
            uint64_t size = (want + 15) / 16 * 16;
            uint64_t gap = largest_gap(blocks, count, base, bytes);
            uint64_t addr = wr_heap_take(&heap, want);
            if ((addr == 0) != (gap < size)) {
                fail_msg("round %u: %llu bytes are %s, the largest gap has %llu", round,
                         (unsigned long long)want, addr == 0 ? "refused" : "given",
                         (unsigned long long)gap);
            }
            refused += addr == 0 ? 1 : 0;
            if (addr == 0) {
                continue;
            }
            assert_int_equal(addr % 16, base % 16);
            assert_true(addr >= base && addr + size <= base + bytes);
            for (size_t i = 0; i < count; i++) {
                assert_true(addr + size <= blocks[i].addr ||
                            blocks[i].addr + blocks[i].bytes <= addr);
            }
            blocks[count++] = (block){addr, size};
        } else if (count > 0) {
            size_t victim = kit_random(seed) % count;
            block b = blocks[victim];
            assert_false(wr_heap_give(&heap, b.addr + 8));
            if (b.bytes > 16) {
                assert_false(wr_heap_give(&heap, b.addr + b.bytes - 16));
            }
            assert_true(wr_heap_give(&heap, b.addr));
            assert_false(wr_heap_give(&heap, b.addr)); /* twice */
            blocks[victim] = blocks[--count];
        }
    }
    assert_true(refused > 0);
    while (count > 0) {
        assert_true(wr_heap_give(&heap, blocks[--count].addr));
    }
    assert_int_equal(wr_heap_take(&heap, bytes + 1), 0);
    assert_int_equal(wr_heap_take(&heap, UINT64_MAX), 0);
    assert_int_equal(wr_heap_take(&heap, 0), 0);
    assert_int_equal(wr_heap_take(&heap, bytes), base); /* it is whole again */
    assert_false(wr_heap_give(&heap, base - 16));
    assert_false(wr_heap_give(&heap, base + bytes));
    assert_false(wr_heap_give(&heap, 0));
    wr_heap_free(&heap);
}

static void heap_of_blocks(void **state)
{
    uint64_t seed = kit_seed();
    (void)state;
    heap_holds(16, 40, 200, &seed);
    heap_holds(1000, 500, 20000, &seed);
    heap_holds(20000, 4000, 20000, &seed);
    heap_holds(32768, 32768, 5000, &seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_texts),        cmocka_unit_test(counts_and_limits),
        cmocka_unit_test(random_conversions), cmocka_unit_test(any_format),
        cmocka_unit_test(heap_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
