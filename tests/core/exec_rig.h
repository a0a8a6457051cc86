/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of arithmetic: registers with random and edge values, one instruction
 * encoded, decoded, prepared and executed on them, and values read as exact numbers.
 */
#ifndef WR_TESTS_CORE_EXEC_RIG_H
#define WR_TESTS_CORE_EXEC_RIG_H

#include "tests/core/kit.h"
#include "tests/long.h"

typedef __int128 wide;
typedef unsigned __int128 uwide;

/* Register numbers: operands at 0, 2, 4, result at 6. */
enum { A = 0, B = 2, C = 4, D = 6 };

/* Times that each instruction is tried (tests/long.h). */
static inline unsigned rounds(void)
{
    return wr_test_long() ? 200 : 50;
}

extern uint64_t seed;
extern uint32_t regs[64][32];
extern uint32_t preds[8];

unsigned bits_of(wr_type t);
bool is_signed(wr_type t);
uint64_t read_lane(unsigned r, unsigned lane); /* registers r and r + 1 */
wide value(uint64_t raw, wr_type t);           /* low bits of a type as a number */
/* What a register pair holds after a result of `n` bits was written. */
uint64_t as_written(wide v, wr_type t, unsigned n);
uint64_t random_int(void);
uint32_t random_f32(void);
uint32_t random_mask(void);
void fill_ints(void);
void fill_f32(void);
void fill_f64(void);
void execute(const wr_insn *insn, uint32_t mask);
__float128 as_number(unsigned r, unsigned lane, wr_type t);

#endif
