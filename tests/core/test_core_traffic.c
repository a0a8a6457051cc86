/* SPDX-License-Identifier: Apache-2.0 */
/* Coalescing: which lines a warp's access touches, in which order, and which of their bytes,
 * against a walk over every byte of every lane. */
#include "shell/core/sm/sm.h"
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed;

/* Aligned accesses of `bytes`: each half of the warp a row, one address, or anywhere near. */
static void fill(wr_addresses *a, uint32_t bytes, uint64_t r)
{
    const uint64_t base = (r & 0xffff) * 256;
    for (unsigned lane = 0; lane < WR_LANES; lane++) {
        bool joined = (r >> 41 & 3) == 0; /* the upper half goes on where the lower one ends */
        unsigned half = joined ? 0 : lane / 16;
        unsigned i = joined ? lane : lane % 16;
        unsigned form = (unsigned)(r >> (16 + half * 2) & 3);
        uint64_t first = (r >> (20 + half * 8) & 255) * bytes;
        uint64_t step = (r >> 40 & 1) != 0 || bytes > 4 ? bytes : 4;
        uint64_t at = form == 1 ? first + i * step : first;
        a->lane[lane] = base + (form == 0 ? kit_random(&seed) % 128 * bytes : at);
    }
}

/* Adds what one byte touches. */
static void touch(wr_lsu_line *lines, uint32_t *count, uint64_t byte, uint32_t line_bytes)
{
    uint32_t i = 0;
    while (i < *count && lines[i].addr != byte / line_bytes * line_bytes) {
        i++;
    }
    if (i == *count) {
        lines[i] = (wr_lsu_line){.addr = byte / line_bytes * line_bytes};
        (*count)++;
    }
    lines[i].bytes[byte % line_bytes / 64] |= UINT64_C(1) << byte % line_bytes % 64;
}

static void test_lines(void **state)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    static wr_lsu_entry e;
    static wr_lsu_line want[WR_LSU_LINES];
    unsigned lone = 0;
    (void)state;
    for (unsigned i = 0; i < 50000; i++) {
        uint64_t r = kit_random(&seed);
        uint32_t bytes = widths[r % 5];
        uint32_t line_bytes = (r >> 8 & 1) != 0 ? 128 : 64;
        uint32_t mask =
            (r >> 9 & 3) != 0 ? UINT32_MAX : (uint32_t)kit_random(&seed) | 1u << (r >> 59);
        uint32_t count = 0;
        wr_addresses a;
        memset(&a, 0, sizeof a);
        fill(&a, bytes, kit_random(&seed));
        for (unsigned lane = 0; lane < WR_LANES; lane++) {
            for (uint32_t b = 0; b < bytes && (mask >> lane & 1) != 0; b++) {
                touch(want, &count, a.lane[lane] + b, line_bytes);
            }
        }
        wr_addresses_sum(&a, mask);
        e.count = 0;
        wr_traffic_lines(&e, &a, mask, bytes, line_bytes);
        assert_int_equal(e.count, count);
        for (uint32_t k = 0; k < count; k++) {
            assert_true(e.lines[k].addr == want[k].addr);
            assert_true(e.lines[k].bytes[0] == want[k].bytes[0]);
            assert_true(e.lines[k].bytes[1] == want[k].bytes[1]);
        }
        lone += count == 1;
    }
    assert_true(lone >= 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    seed = kit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
