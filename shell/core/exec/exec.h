/* SPDX-License-Identifier: Apache-2.0 */
/* Functional execution of arithmetic: one warp, one instruction, 32 lanes of values.
 *
 * A launch prepares each instruction once into a wr_uop: the lane function that does it, its
 * constant operand already spread over 32 lanes, and the passes around it (flush to zero,
 * narrow types, saturation, rounding). The cycle loop then only follows pointers.
 *
 * A register is a row of 32 words, one a lane; a 64-bit value is two consecutive rows, low
 * words first. Lane functions compute all 32 lanes, of which the caller keeps the active
 * ones, so they must be total: no input may trap or be undefined. Operands may be the same
 * rows as the result but never overlap across lanes, which is what the ivdep pragmas say.
 */
#ifndef WR_SHELL_CORE_EXEC_EXEC_H
#define WR_SHELL_CORE_EXEC_EXEC_H

#include "shell/isa/isa.h"

/* Lane loops are compiled three times, and the widest that the processor has is taken when the
 * program starts. What they compute is the same to the bit: no contraction, no reassociation. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(WR_PLAIN_LANES)
#define WR_LANE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#define WR_FMA_CLONES  __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define WR_LANE_CLONES
#define WR_FMA_CLONES
#endif

#define WR_LANES     32
#define WR_ROW_BYTES (WR_LANES * sizeof(uint32_t))

#define WR_CACHE_LINE 64 /* bytes, of the machine that simulates: data are laid out for it */

/* Rows of one lane function call. */
typedef struct wr_lanes {
    uint32_t *d;
    const uint32_t *a, *b, *c;
    uint32_t bits; /* in: the predicate of SELP, a bit per lane; out: the result of SETP */
    const wr_insn *insn;
} wr_lanes;

typedef void (*wr_lane_fn)(wr_lanes *x);

/* Passes around a lane function. */
enum {
    WR_PASS_FTZ = 1,         /* fp32 operands and result: subnormals become zeros */
    WR_PASS_FTZ_IN = 2,      /* operands only (compare; cvt from fp32) */
    WR_PASS_NAN = 4,         /* fp32 result: any NaN becomes 0x7fffffff */
    WR_PASS_SAT = 8,         /* fp32 result clamped to [0, 1], NaN to 0 */
    WR_PASS_SAT64 = 16,      /* fp64 likewise */
    WR_PASS_U16 = 32,        /* operands and result are 16-bit, zero-extended */
    WR_PASS_S16 = 64,        /* likewise, sign-extended */
    WR_PASS_F16 = 128,       /* operands are fp16, compared in fp32 */
    WR_PASS_WIDE16 = 256,    /* with U16/S16: the result stays 32 bits */
    WR_PASS_SHIFT = 512,     /* with U16/S16: src[1] is a 32-bit amount */
    WR_PASS_OUT_ONLY = 1024, /* operands are of another type */
    WR_PASS_IN_ONLY = 2048,  /* with U16/S16: the result is of another type */
    WR_PASS_ROUND = 4096,    /* the rounding mode is not to nearest */
    WR_PASS_PRED_OUT = 8192, /* result is `bits`, to pd and pd2 */
    WR_PASS_CARRY = 16384,   /* `bits` is ps going in and pd coming out, besides the result */
    WR_PASS_BF16 = 32768,    /* operands are bfloat16, compared in fp32 */
};

/* How the issue stage treats an instruction. */
typedef enum wr_kind {
    WR_KIND_ALU,
    WR_KIND_PRED, /* logic on predicates */
    WR_KIND_S2R,
    WR_KIND_WARP, /* across lanes */
    WR_KIND_MEM,
    WR_KIND_BRA,
    WR_KIND_EXIT,
    WR_KIND_BAR,
    WR_KIND_PP,
    WR_KIND_NOP,
    WR_KIND_MEMBAR,
    WR_KIND_TRAP,
    WR_KIND_SERVICE,
    WR_KIND_END, /* behind the last instruction */
} wr_kind;

/* What an instruction is, for counts (Gong Fig. 4.12; what is in which class: program.c). */
typedef enum wr_insn_class {
    WR_INSN_INTEGER,
    WR_INSN_FLOAT,
    WR_INSN_CONTROL,
    WR_INSN_MEMORY,
    WR_INSN_CONVERSION,
    WR_INSN_PREDICATE,
    WR_INSN_OTHER,
    WR_INSN_CLASSES
} wr_insn_class;

/* Where an instruction waits for a place when it issues: nowhere, at the LSU, or at one of the
 * kinds of units on which it may execute (units.h). */
typedef enum wr_pool {
    WR_POOL_NONE,
    WR_POOL_MEM,
    WR_POOL_SP,
    WR_POOL_SP2,
    WR_POOL_SP_SP2,
    WR_POOL_IMU,
    WR_POOL_SP_IMU,
    WR_POOL_DP,
    WR_POOL_SFU,
    WR_POOLS
} wr_pool;

/* Scoreboard bits: registers in a 64-bit mask (bit 63, RZ, stands for a result that nobody
 * reads), predicates P0..P6 in bits 0..6. */

typedef struct wr_uop {
    const wr_insn *insn;
    wr_lane_fn fn;
    const uint32_t *ext;  /* two rows with the operand that `ext_slot` replaces, or NULL */
    uint64_t need, write; /* registers: read or written; written */
    uint64_t read;        /* registers */
    uint32_t passes;
    uint32_t latency, interval; /* cycles */
    uint32_t fetch_pc;          /* where the front end looks for it, from code_base on */
    uint8_t need_preds, write_preds;
    uint8_t kind;     /* wr_kind */
    uint8_t pool;     /* wr_pool */
    uint8_t cls;      /* wr_insn_class */
    uint8_t together; /* uops that one fetch from here brings: this and perhaps the next */
    bool after_pp; /* BAR: right behind a PP, to which a warp that waits here goes back to stop */
    bool point;    /* a warp may stop in front of it: PP, BAR_PP, or after_pp */
    bool guarded;  /* by a predicate */
    bool alone;    /* touches what SMs share: issues in the serial part of a cycle (gpu.h) */
    bool spoils;   /* behind it a TB can't run again from its start (isa/idempotence.h) */
} wr_uop;

/* The lane function of an arithmetic instruction and its passes; NULL where the machine has
 * none for this type. */
wr_lane_fn wr_exec_lookup(const wr_insn *insn, uint32_t *passes);

/* Lane functions by group, NULL where not theirs. */
wr_lane_fn wr_exec_int_fn(const wr_insn *insn, uint32_t *passes);
wr_lane_fn wr_exec_bits_fn(const wr_insn *insn, uint32_t *passes);
wr_lane_fn wr_exec_half_fn(const wr_insn *insn, uint32_t *passes);
wr_lane_fn wr_exec_float_fn(const wr_insn *insn, uint32_t *passes);
wr_lane_fn wr_exec_cvt_fn(const wr_insn *insn, uint32_t *passes);
wr_lane_fn wr_exec_cmp_fn(const wr_insn *insn, uint32_t *passes);
void wr_exec_fma_f32(wr_lanes *x);

/* Executes WR_KIND_ALU or WR_KIND_PRED for the lanes in `mask`. `regs`: the warp's rows,
 * `preds`: its WR_ISA_PREDS predicates. */
void wr_exec_alu(const wr_uop *uop, uint32_t *regs, uint32_t *preds, uint32_t mask);

/* Executes WR_KIND_WARP for the lanes in `mask`; `alive` are all lanes that have not exited.
 * NULL, or why `lane` may not do it. */
const char *wr_exec_warp(const wr_uop *uop, uint32_t *regs, uint32_t *preds, uint32_t mask,
                         uint32_t alive, uint32_t *lane);

/* Lanes whose guard holds. */
static inline uint32_t wr_exec_pred(const uint32_t *preds, uint8_t pred, bool negated)
{
    uint32_t bits = pred == WR_ISA_PT ? UINT32_MAX : preds[pred];
    return negated ? ~bits : bits;
}

/* Copies a row into the active lanes of another. */
void wr_exec_merge(uint32_t *dst, const uint32_t *src, uint32_t mask);

/* 16-bit floating point, fp16 or bfloat16. `round`: wr_round; what is not RZ, RM or RP rounds to
 * nearest even. */
float wr_half_to_float(uint16_t half); /* fp16 */
double wr_half_value(uint16_t bits, bool bfloat);
uint16_t wr_half_round(double value, bool bfloat, uint8_t round);
/* As the instruction says: .sat to [0, 1] with NaN to 0, or .relu to 0 and up. */
uint16_t wr_half_clamp(uint16_t bits, const wr_insn *insn, bool bfloat);

/* The operation takes and gives a carry. */
static inline bool wr_exec_carries(const wr_insn *insn)
{
    return insn->op == WR_OP_ADDC || insn->op == WR_OP_SUBC || insn->op == WR_OP_MADC;
}

/* 64-bit values in two rows */
static inline uint64_t wr_lane64(const uint32_t *row, unsigned lane)
{
    return (uint64_t)row[lane + WR_LANES] << 32 | row[lane];
}
static inline void wr_set_lane64(uint32_t *row, unsigned lane, uint64_t value)
{
    row[lane] = (uint32_t)value;
    row[lane + WR_LANES] = (uint32_t)(value >> 32);
}
static inline float wr_as_float(uint32_t bits)
{
    union {
        uint32_t u;
        float f;
    } v = {.u = bits};
    return v.f;
}
static inline uint32_t wr_float_bits(float value)
{
    union {
        float f;
        uint32_t u;
    } v = {.f = value};
    return v.u;
}
static inline double wr_as_double(uint64_t bits)
{
    union {
        uint64_t u;
        double f;
    } v = {.u = bits};
    return v.f;
}
static inline uint64_t wr_double_bits(double value)
{
    union {
        double f;
        uint64_t u;
    } v = {.f = value};
    return v.u;
}

#endif
