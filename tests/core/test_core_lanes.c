/* SPDX-License-Identifier: Apache-2.0 */
/* What the lane loops compute must not depend on the processor: the clones that this machine runs
 * (exec.h) against the same sources compiled without clones, for random instructions of every
 * operation and type, on random and edge values, bit by bit. */
#include "tests/core/exec_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The plain ones, renamed by the build. */
wr_lane_fn plain_exec_lookup(const wr_insn *insn, uint32_t *passes);
void plain_exec_alu(const wr_uop *uop, uint32_t *rows, uint32_t *predicates, uint32_t mask);
void plain_addresses_of(wr_addresses *a, const uint32_t *row, bool wide, uint32_t offset,
                        uint64_t base, uint32_t mask);

enum { TRIES = 200000 };

static bool has_clones(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

/* Most fields are 0 most of the time: what an operation has no use for does not encode. */
static wr_insn random_insn(void)
{
    uint64_t r = kit_random(&seed);
    wr_op op = (wr_op)(r % WR_OP_COUNT);
    wr_insn insn = kit_op(op, (wr_type)((r >> 8) % WR_TYPE_COUNT), D, A,
                          (r >> 16 & 7) != 0 ? B : RZ, (r >> 20 & 1) != 0 ? C : RZ);
    bool compares = op == WR_OP_SETP || op == WR_OP_SET;
    r = kit_random(&seed);
    insn.type2 = compares || op == WR_OP_CVT ? (uint8_t)(r % WR_TYPE_COUNT) : 0;
    insn.type2 = op == WR_OP_SETP ? 0 : insn.type2;
    insn.cmp = compares ? (uint8_t)((r >> 8) % 18) : 0;
    insn.rnd = (r >> 12 & 3) == 0 ? (uint8_t)((r >> 16) % 8) : 0;
    insn.mode = (r >> 20 & 1) != 0 ? (uint8_t)((r >> 24) % 3) : 0;
    insn.ftz = (r >> 32 & 3) == 0;
    insn.sat = (r >> 34 & 7) == 0;
    insn.pd = op == WR_OP_SETP ? (uint8_t)((r >> 40) % 4) : PT;
    insn.dst = op == WR_OP_SETP ? RZ : D;
    insn.ps = op == WR_OP_SELP ? (uint8_t)((r >> 44) % 7) : PT;
    return insn;
}

static void fill_any(unsigned round)
{
    if (round % 3 == 0) {
        fill_ints();
    } else if (round % 3 == 1) {
        fill_f32();
    } else {
        fill_f64();
    }
}

static void test_arithmetic(void **state)
{
    (void)state;
    static uint32_t before[64][32], mine[64][32];
    uint32_t before_preds[8], mine_preds[8];
    wr_gpu_config cfg = kit_config();
    unsigned tested = 0;
    unsigned by_op[WR_OP_COUNT] = {0};
    if (!has_clones()) {
        skip();
    }
    for (unsigned i = 0; i < TRIES; i++) {
        wr_insn insn = random_insn();
        wr_insn decoded;
        uint64_t words[2];
        uint32_t passes;
        wr_uop u;
        unsigned n = wr_isa_encode(&insn, words);
        if (n == 0 || wr_isa_decode(words, n, 0, &decoded) != n ||
            !wr_program_uop(&cfg, &decoded, NULL, &u) || u.kind != WR_KIND_ALU || u.fn == NULL) {
            continue;
        }
        fill_any(i);
        memcpy(before, regs, sizeof before);
        memcpy(before_preds, preds, sizeof before_preds);
        uint32_t mask = random_mask();
        wr_exec_alu(&u, regs[0], preds, mask);
        memcpy(mine, regs, sizeof mine);
        memcpy(mine_preds, preds, sizeof mine_preds);
        memcpy(regs, before, sizeof before);
        memcpy(preds, before_preds, sizeof before_preds);
        u.fn = plain_exec_lookup(&decoded, &passes);
        assert_non_null(u.fn);
        assert_int_equal(passes, u.passes);
        plain_exec_alu(&u, regs[0], preds, mask);
        if (memcmp(regs, mine, sizeof mine) != 0 ||
            memcmp(preds, mine_preds, sizeof mine_preds) != 0) {
            fail_msg("%s of type %u: the clones differ", wr_isa_op_info((wr_op)insn.op)->name,
                     insn.type);
        }
        tested++;
        by_op[insn.op]++;
    }
    print_message("%u instructions\n", tested);
    static const wr_op wanted[] = {WR_OP_ADD, WR_OP_SUB, WR_OP_MUL, WR_OP_FMA,
                                   WR_OP_MAD, WR_OP_MIN, WR_OP_MAX, WR_OP_SETP,
                                   WR_OP_AND, WR_OP_SHL, WR_OP_CVT, WR_OP_SELP};
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        assert_true(by_op[wanted[i]] >= 20);
    }
}

/* Address of a lane, as the header says. */
static uint64_t address(const uint32_t *row, bool is_wide, uint32_t offset, uint64_t base,
                        unsigned lane)
{
    uint64_t low = row != NULL ? row[lane] : 0;
    if (is_wide && row != NULL) {
        return (low | (uint64_t)row[lane + 32] << 32) + (uint64_t)(int64_t)(int32_t)offset + base;
    }
    return (uint32_t)(low + offset) + base;
}

/* Rows, single words, and both where they wrap around at the end of 32 or 64 bits; with a lane
 * or two elsewhere. */
static void fill_addresses(uint64_t r)
{
    uint64_t first = (r & 32) != 0 ? 0 - (r >> 8 & 255) : r >> 8;
    uint32_t step = (r & 64) != 0 ? 4 : 0;
    fill_ints();
    for (unsigned lane = 0; (r & 3) == 0 && lane < 32; lane++) {
        uint64_t v = first + (uint64_t)step * lane;
        regs[A][lane] = (uint32_t)v;
        regs[A + 1][lane] = (uint32_t)(v >> 32);
    }
    for (unsigned i = 0; i < (r >> 60); i++) {
        regs[A + (r >> (50 + i) & 1)][r >> (20 + i) & 31] ^= 1u << (r >> (30 + i) & 31);
    }
}

static void test_addresses(void **state)
{
    unsigned rows = 0;
    unsigned words = 0;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        wr_addresses a;
        wr_addresses b;
        uint64_t r = kit_random(&seed);
        uint32_t mask = (r & 128) != 0 ? UINT32_MAX : random_mask();
        const uint32_t *row = (r & 24) != 0 ? regs[A] : NULL;
        bool is_wide = (r & 4) != 0 && row != NULL;
        uint32_t offset = (r & 256) != 0 ? (uint32_t)(r >> 32) : (uint32_t)(r >> 32 & 15);
        uint64_t base = (r & 512) != 0 ? r & UINT64_C(0xffffff) : 0;
        uint64_t low = UINT64_MAX;
        uint64_t high = 0;
        uint64_t bits = 0;
        memset(&a, 0, sizeof a);
        memset(&b, 0, sizeof b);
        fill_addresses(r);
        mask = mask != 0 ? mask : 1;
        wr_addresses_of(&a, row, is_wide, offset, base, mask);
        plain_addresses_of(&b, row, is_wide, offset, base, mask);
        assert_memory_equal(a.lane, b.lane, sizeof a.lane);
        assert_true(a.low == b.low && a.high == b.high && a.bits == b.bits && a.is_row == b.is_row);
        bool is_row = mask == UINT32_MAX;
        for (unsigned lane = 0; lane < 32; lane++) {
            bool on = (mask >> lane & 1) != 0;
            uint64_t v =
                address(row, is_wide, offset, base, on ? lane : (unsigned)__builtin_ctz(mask));
            assert_true(a.lane[lane] == v);
            low = v < low ? v : low;
            high = v > high ? v : high;
            bits |= v;
            is_row = is_row && v >= low && v - low == 4 * lane;
        }
        assert_true(a.low == low && a.high == high && a.bits == bits && a.is_row == is_row);
        memset(&b, 0, sizeof b);
        memcpy(b.lane, a.lane, sizeof b.lane);
        wr_addresses_sum(&b, mask);
        assert_true(a.low == b.low && a.high == b.high && a.bits == b.bits && a.is_row == b.is_row);
        rows += is_row;
        words += low == high && mask == UINT32_MAX;
    }
    assert_true(rows >= 100 && words >= 100);
}

/* Addresses of words in a small memory: anywhere, or each half a row or one word. */
static void fill_words(wr_addresses *a, uint64_t base, uint64_t r)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned form = (unsigned)(r >> (lane / 16 * 2) & 3);
        uint64_t first = r >> (8 + lane / 16 * 8) & 127;
        uint64_t word = form == 1 ? first + lane % 16 : first;
        word = form == 0 ? kit_random(&seed) % (UINT64_C(1) << (r >> 60 & 7)) : word;
        a->lane[lane] = base + 4 * word;
    }
}

static void test_move(void **state)
{
    static uint8_t memory[1024];
    static uint8_t stored[sizeof memory];
    unsigned forms[3] = {0};
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        wr_addresses a;
        uint32_t row[32];
        uint32_t before[32];
        uint32_t mask = i % 4 != 0 ? UINT32_MAX : random_mask() | 1;
        uint64_t base = kit_random(&seed) >> 1;
        memset(&a, 0, sizeof a);
        fill_words(&a, base, kit_random(&seed));
        for (unsigned k = 0; k < sizeof memory; k++) {
            memory[k] = stored[k] = (uint8_t)kit_random(&seed);
        }
        for (unsigned lane = 0; lane < 32; lane++) {
            before[lane] = row[lane] = (uint32_t)kit_random(&seed);
        }
        wr_addresses_sum(&a, mask);
        wr_addresses_load(row, memory + (a.low - base), &a, mask);
        for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t want = before[lane];
            if ((mask >> lane & 1) != 0) {
                memcpy(&want, memory + (a.lane[lane] - base), sizeof want);
            }
            assert_int_equal(row[lane], want);
        }
        wr_addresses_store(stored + (a.low - base), before, &a, mask);
        for (unsigned lane = 0; lane < 32; lane++) {
            if ((mask >> lane & 1) != 0) {
                memcpy(memory + (a.lane[lane] - base), &before[lane], sizeof before[lane]);
            }
        }
        assert_memory_equal(stored, memory, sizeof memory);
        forms[a.form[0]]++;
    }
    assert_true(forms[WR_HALF_ANY] >= 100 && forms[WR_HALF_ROW] >= 100 &&
                forms[WR_HALF_WORD] >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_move),
    };
    seed = kit_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
