/* SPDX-License-Identifier: Apache-2.0 */
/* The rig of the tests of arithmetic; see exec_rig.h. */
#include "tests/core/exec_rig.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

uint64_t seed;
uint32_t regs[64][32];
uint32_t preds[8];

unsigned bits_of(wr_type t)
{
    static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 64, 64, 16, 32, 64, 8, 16, 32, 64, 1};
    return bits[t];
}
bool is_signed(wr_type t)
{
    return t == WR_S8 || t == WR_S16 || t == WR_S32 || t == WR_S64;
}

uint64_t read_lane(unsigned r, unsigned lane)
{
    return (uint64_t)regs[r + 1][lane] << 32 | regs[r][lane];
}

/* The low bits of a type, extended by its sign, as a 128-bit number. */
wide value(uint64_t raw, wr_type t)
{
    unsigned n = bits_of(t);
    uint64_t low = n == 64 ? raw : raw & ((UINT64_C(1) << n) - 1);
    if (is_signed(t) && (low >> (n - 1) & 1) != 0) {
        return (wide)low - ((wide)1 << n);
    }
    return (wide)low;
}

/* What a register pair holds after a result of `n` bits was written. */
uint64_t as_written(wide v, wr_type t, unsigned n)
{
    uint64_t low = (uint64_t)v;
    if (n == 64) {
        return low;
    }
    low &= (UINT64_C(1) << n) - 1;
    if (is_signed(t) && n < 32 && (low >> (n - 1) & 1) != 0) {
        low |= UINT32_MAX & ~((UINT64_C(1) << n) - 1);
    }
    return low;
}

uint64_t random_int(void)
{
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     UINT64_MAX,
                                     INT64_MAX,
                                     UINT64_C(1) << 63,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     31,
                                     32,
                                     63,
                                     64,
                                     UINT64_C(0x8000000080000000),
                                     0xff,
                                     0x80,
                                     33};
    uint64_t r = kit_random(&seed);
    if ((r & 7) < 3) {
        return edges[(r >> 8) % (sizeof edges / sizeof edges[0])];
    }
    return (r & 7) == 3 ? kit_random(&seed) & 0xff : kit_random(&seed);
}

void fill_ints(void)
{
    for (unsigned r = 0; r < 8; r += 2) {
        for (unsigned i = 0; i < 32; i++) {
            uint64_t v = random_int();
            regs[r][i] = (uint32_t)v;
            regs[r + 1][i] = (uint32_t)(v >> 32);
        }
    }
    for (unsigned p = 0; p < WR_ISA_PREDS; p++) {
        preds[p] = (uint32_t)kit_random(&seed);
    }
}

/* Encodes, decodes, prepares and executes. */
void execute(const wr_insn *insn, uint32_t mask)
{
    wr_gpu_config cfg = kit_config();
    uint64_t words[2];
    wr_insn decoded;
    wr_uop u;
    unsigned n = wr_isa_encode(insn, words);
    assert_true(n != 0);
    assert_int_equal(wr_isa_decode(words, n, 0, &decoded), n);
    uint32_t ext[2][32];
    for (unsigned i = 0; i < 32; i++) {
        ext[0][i] = decoded.imm;
        ext[1][i] = (decoded.imm >> 31) != 0 ? UINT32_MAX : 0;
    }
    assert_true(wr_program_uop(&cfg, &decoded, decoded.ext != WR_EXT_NONE ? ext[0] : NULL, &u));
    wr_exec_alu(&u, regs[0], preds, mask);
}

uint32_t random_mask(void)
{
    return (kit_random(&seed) & 3) == 0 ? UINT32_MAX : (uint32_t)kit_random(&seed);
}

uint32_t random_f32(void)
{
    static const uint32_t edges[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0xffc01234, 0x7f800001, 1,
                                     0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x4f000000,
                                     0xcf000000, 0x4f800000, 0x3f000000, 0x3fc00000, 0x40200000,
                                     0x5f000000, 0xc3000000};
    uint64_t r = kit_random(&seed);
    if ((r & 3) == 0) {
        return edges[(r >> 8) % (sizeof edges / sizeof edges[0])];
    }
    uint32_t bits = (uint32_t)kit_random(&seed);
    if ((r & 3) == 1) { /* near 1, so that sums meet */
        bits = (bits & 0x807fffffu) | (uint32_t)(110 + (r >> 16) % 40) << 23;
    }
    return bits;
}

void fill_f32(void)
{
    fill_ints();
    for (unsigned r = 0; r < 6; r++) {
        for (unsigned i = 0; i < 32; i++) {
            regs[r][i] = random_f32();
        }
    }
}

void fill_f64(void)
{
    fill_ints();
    for (unsigned r = 0; r < 6; r += 2) {
        for (unsigned i = 0; i < 32; i++) {
            double v = (double)wr_as_float(random_f32());
            uint64_t bits = wr_double_bits(v);
            bits ^= (kit_random(&seed) & 1) != 0 && isfinite(v) ? kit_random(&seed) >> 36 : 0;
            regs[r][i] = (uint32_t)bits;
            regs[r + 1][i] = (uint32_t)(bits >> 32);
        }
    }
}

__float128 as_number(unsigned r, unsigned lane, wr_type t)
{
    if (t == WR_F32) {
        return (__float128)wr_as_float(regs[r][lane]);
    }
    if (t == WR_F64) {
        return (__float128)wr_as_double(read_lane(r, lane));
    }
    return (__float128)value(read_lane(r, lane), t);
}
