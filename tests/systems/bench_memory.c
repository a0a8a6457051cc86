/* SPDX-License-Identifier: Apache-2.0 */
/* What simulated memory must hold of a saved TB, byte by byte: see bench.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/systems/bench.h"

static uint32_t get32(const uint8_t *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
           (uint32_t)from[3] << 24;
}

static uint64_t get64(const uint8_t *from)
{
    return get32(from) | (uint64_t)get32(from + 4) << 32;
}

void bench_pointers(const bench *b, const bench_tb *tb, uint64_t *regs, uint64_t *shared,
                    uint64_t *stack)
{
    const uint8_t *entry = fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb]);

    *regs = get64(entry);
    *shared = get64(entry + 8);
    *stack = get64(entry + 16);
}

/* The bytes at addr are these. */
static void same_bytes(const bench *b, uint64_t addr, const uint8_t *bytes, uint32_t size,
                       const char *what, uint32_t tb, uint32_t warp)
{
    const uint8_t *got = fake_memory(b->gpu, addr);

    for (uint32_t i = 0; i < size; i++) {
        if (got[i] != bytes[i]) {
            fail_msg("seed %llu, TB %u, warp %u: byte %u of %s is %02x, expected %02x",
                     (unsigned long long)b->seed, tb, warp, i, what, got[i], bytes[i]);
        }
    }
}

static uint32_t up(uint32_t bytes, uint32_t to)
{
    return (bytes + to - 1) / to * to;
}

/* Its warps stand at one barrier and none has finished, and the groups of its
 * registers, if there are any, fit (Lin-P III.C). */
static bool is_whole(const bench *b, const bench_tb *tb)
{
    uint32_t threads = b->launch.block[0] * b->launch.block[1] * b->launch.block[2];

    if (b->kind != WR_CONTEXT_BY_TB || threads % 32 != 0 ||
        (tb->warp[0].live != 0 && naive_groups(b->warps, b->group_x) > 32)) {
        return false;
    }
    for (uint32_t w = 0; w < b->warps; w++) {
        uint32_t pc = tb->warp[w].stack[0].pc;

        if (tb->warp[w].done || tb->warp[w].depth != 1 || pc != tb->warp[0].stack[0].pc ||
            pc / 16 % 2 == 0) {
            return false;
        }
    }
    return true;
}

static void check_whole(bench *b, uint32_t t, uint64_t regs)
{
    static uint8_t data[63 * 32 * 128 + 32];
    uint8_t table[128] = {0};
    uint32_t bytes = naive_whole(b->tb[t].warp, b->warps, b->group_x, data, table);

    for (uint32_t r = 0; r < 63; r++) {
        uint32_t class = table[r / 2] >> r % 2 * 4 & 15;

        if (class != 0) {
            b->expect_classes[class > 3 ? class - 2 : class - 1] += b->warps;
        }
    }
    memset(data + bytes, 0, 32);
    table[32] = (uint8_t)(bytes / 4);
    table[33] = (uint8_t)(bytes / 4 >> 8);
    same_bytes(b, regs, table, 128, "the class table", t, 0);
    same_bytes(b, regs + 128, data, up(bytes, 32), "the stream", t, 0);
    b->expect_warps += b->warps;
    b->expect_data_bytes += bytes;
    b->expect_wholes++;
}

void bench_check_memory(bench *b, uint32_t t)
{
    const bench_tb *tb = &b->tb[t];
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;
    uint8_t zeros[128] = {0};
    uint32_t room = b->kind == WR_CONTEXT_ALL ? b->regs : b->kernel.max_live;

    bench_pointers(b, tb, &regs, &shared, &stack);
    bool whole = is_whole(b, tb);

    assert_int_equal(regs % 128, whole ? 1 : 0);
    regs -= whole;
    assert_int_equal(shared % 128, 0);
    assert_int_equal(stack % 128, 0);
    if (b->shared_bytes == 0) {
        assert_int_equal(shared, 0);
    } else {
        same_bytes(b, shared, tb->shared, b->shared_bytes, "shared memory", t, 0);
    }
    if (whole) {
        check_whole(b, t, regs);
    }
    for (uint32_t w = 0; w < b->warps; w++) {
        uint8_t data[64 * 128] = {0};
        uint8_t pattern[16] = {0};
        uint8_t entries[32 * 12] = {0};
        uint8_t preds[32];
        uint32_t bytes = 0;

        if (!whole && !tb->warp[w].done) {
            bytes = b->kind == WR_CONTEXT_LIVE || b->kind == WR_CONTEXT_ALL
                        ? naive_raw(&tb->warp[w], data, pattern)
                        : naive_registers(&tb->warp[w], b->group_x, data, pattern);
            b->expect_warps++;
            b->expect_data_bytes += bytes;
        }
        uint64_t slot = regs + up(16 * b->warps, 128) + (uint64_t)w * room * 128;

        if (!whole) {
            same_bytes(b, regs + 16 * (uint64_t)w, pattern, 16, "the pattern vector", t, w);
            same_bytes(b, slot, data, up(bytes, 32), "the register data", t, w);
        }
        bytes = naive_stack(&tb->warp[w], entries, preds);
        same_bytes(b, stack + 32 * (uint64_t)w, preds, 32, "the predicates", t, w);
        same_bytes(b, stack + up(32 * b->warps, 128) + (uint64_t)w * 384, entries, up(bytes, 32),
                   "the stack", t, w);
    }
    if (whole) {
        return;
    }
    same_bytes(b, regs + 16 * (uint64_t)b->warps, zeros, up(16 * b->warps, 128) - 16 * b->warps,
               "the patterns' padding", t, b->warps);
}
