/* SPDX-License-Identifier: Apache-2.0 */
/* References against other ways to the same number, and what they refuse. */
#include "tests/host/test_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/reference.h"

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static uint32_t seed(void)
{
    const char *given = getenv("WARPREF_SEED");
    uint32_t value = given ? (uint32_t)strtoul(given, NULL, 0) : 12345u;
    print_message("WARPREF_SEED=%u\n", value);
    return value;
}

static wr_reference_arg buffer(uint8_t type, void *data, uint64_t count)
{
    return (wr_reference_arg){.type = type, .data = data, .count = count};
}

static wr_reference_arg number(int64_t value)
{
    return (wr_reference_arg){.type = WR_S32, .integer = value};
}

/* Partial sums are dot products, to rounding; row sums of the tree end in `partial`. */
static void backprop_is_a_dot_product(void **state)
{
    (void)state;
    enum { GROUPS = 5, H = 16, ROWS = GROUPS * 16 + 1 };
    float input[ROWS], weights[ROWS * (H + 1)], before[ROWS * (H + 1)], partial[GROUPS * H];
    uint32_t rng = seed();
    for (size_t i = 0; i < ROWS; i++) {
        input[i] = (float)next_random(&rng) / 16777216.0f;
    }
    for (size_t i = 0; i < ROWS * (H + 1); i++) {
        before[i] = weights[i] = (float)next_random(&rng) / 8388608.0f - 1.0f;
    }
    wr_reference_arg args[] = {buffer(WR_F32, input, ROWS), buffer(WR_F32, weights, ROWS * (H + 1)),
                               buffer(WR_F32, partial, GROUPS * H), number(H)};
    wr_reference_launch launch = {"k", {1, GROUPS, 1}, {16, 16, 1}, args, 4};
    assert_null(wr_reference_backprop_layerforward(&launch));
    for (size_t g = 0; g < GROUPS; g++) {
        for (size_t h = 0; h < H; h++) {
            double sum = 0;
            for (size_t i = 0; i < 16; i++) {
                sum += (double)input[g * 16 + i + 1] *
                       (double)before[(g * 16 + i + 1) * (H + 1) + h + 1];
            }
            assert_true(fabs(sum - (double)partial[g * H + h]) < 1e-5);
            assert_true(weights[(g * 16 + 1) * (H + 1) + h + 1] == partial[g * H + h]);
            /* Odd inputs take no part in later levels: they keep their product. */
            size_t odd = (g * 16 + 2) * (H + 1) + h + 1;
            assert_true(weights[odd] == before[odd] * input[g * 16 + 2]);
        }
    }
    for (size_t row = 0; row < ROWS; row++) { /* the bias column is not touched */
        assert_true(weights[row * (H + 1)] == before[row * (H + 1)]);
    }
    launch.grid[1] = GROUPS + 1;
    assert_non_null(wr_reference_backprop_layerforward(&launch));
    launch.grid[1] = GROUPS;
    launch.block[0] = 32;
    assert_non_null(wr_reference_backprop_layerforward(&launch));
}

/* Least cost over all paths by plain enumeration. */
static int32_t cheapest(const int32_t *wall, const int32_t *from, int cols, int row, int x)
{
    if (x < 0 || x >= cols) {
        return INT32_MAX / 2;
    }
    if (row < 0) {
        return from[x];
    }
    int32_t best = INT32_MAX / 2;
    for (int d = -1; d <= 1; d++) {
        int32_t cost = cheapest(wall, from, cols, row - 1, x + d);
        best = cost < best ? cost : best;
    }
    return best + wall[row * cols + x];
}

static void pathfinder_is_the_cheapest_path(void **state)
{
    (void)state;
    enum { COLS = 9, ROWS = 6 };
    int32_t wall[COLS * ROWS], from[COLS], to[COLS] = {0};
    uint32_t rng = seed();
    for (size_t i = 0; i < COLS * ROWS; i++) {
        wall[i] = (int32_t)(next_random(&rng) % 10);
    }
    for (size_t i = 0; i < COLS; i++) {
        from[i] = (int32_t)(next_random(&rng) % 10);
    }
    wr_reference_arg args[] = {number(ROWS),
                               buffer(WR_S32, wall, COLS * ROWS),
                               buffer(WR_S32, from, COLS),
                               buffer(WR_S32, to, COLS),
                               number(COLS),
                               number(0),
                               number(ROWS)};
    wr_reference_launch launch = {"k", {1, 1, 1}, {256, 1, 1}, args, 7};
    assert_null(wr_reference_pathfinder_dynproc(&launch));
    for (int x = 0; x < COLS; x++) {
        assert_int_equal(to[x], cheapest(wall, from, COLS, ROWS - 1, x));
    }
    args[6] = number(ROWS - 1);
    assert_non_null(wr_reference_pathfinder_dynproc(&launch));
    args[6] = number(ROWS);
    args[5] = number(1);
    assert_non_null(wr_reference_pathfinder_dynproc(&launch));
}

static void vecadd_stops_at_the_count(void **state)
{
    (void)state;
    float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, c[4] = {0};
    wr_reference_arg args[] = {buffer(WR_F32, a, 4), buffer(WR_F32, b, 4), buffer(WR_F32, c, 4),
                               number(3)};
    wr_reference_launch launch = {"k", {1, 1, 1}, {32, 1, 1}, args, 4};
    assert_null(wr_reference_vecadd(&launch));
    assert_true(c[0] == 11.0f && c[2] == 33.0f && c[3] == 0.0f);
    args[3] = number(5);
    assert_non_null(wr_reference_vecadd(&launch));
    args[3] = number(3);
    args[0].type = WR_S32;
    assert_non_null(wr_reference_vecadd(&launch));
    launch.arg_count = 3;
    assert_non_null(wr_reference_vecadd(&launch));
}

static void names(void **state)
{
    (void)state;
    assert_ptr_equal(wr_reference_find("vecadd"), wr_reference_vecadd);
    assert_null(wr_reference_find("vecad"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backprop_is_a_dot_product),
        cmocka_unit_test(pathfinder_is_the_cheapest_path),
        cmocka_unit_test(vecadd_stops_at_the_count),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
