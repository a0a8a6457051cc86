/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of form.h. Checked against what ptxas takes; see the letters there. Forms that
 * ptxas takes only for newer targets stand here too: the target is not checked. */
#include "shell/ptx/form.h"

#define T(name)  (1U << WR_PTX_##name)
#define S(name)  (1U << WR_PTX_SLOT_##name)
#define R(name)  (1U << WR_PTX_RND_##name)
#define SP(name) (1U << WR_PTX_SPACE_##name)
#define M(name)  (UINT64_C(1) << WR_PTX_MODE_##name)
#define C(name)  (1U << WR_PTX_CMP_##name)

/* Types */
#define T_U        (T(U16) | T(U32) | T(U64))
#define T_S        (T(S16) | T(S32) | T(S64))
#define T_INT      (T_U | T_S)
#define T_INT32    (T(U32) | T(S32))
#define T_INT64    (T(U64) | T(S64))
#define T_INT16_32 (T_INT32 | T(U16) | T(S16))
#define T_INT8_64  (T_INT | T(U8) | T(S8))
#define T_BITS     (T(B16) | T(B32) | T(B64))
#define T_B32_64   (T(B32) | T(B64))
#define T_FLOAT    (T(F32) | T(F64))
#define T_HALF     (T(F16) | T(F16X2))
#define T_BF       (T(BF16) | T(BF16X2))
#define T_PAIR     (T(F16X2) | T(BF16X2))
#define T_MEM      (T_INT8_64 | T_BITS | T(B8) | T(B128) | T_FLOAT | T(F16) | T(F16X2) | T(BF16))
#define T_ADDRESS  (T(U32) | T(U64))

#define T_FP8   (T(E4M3X2) | T(E5M2X2))
#define T_SMALL (T(U2) | T(S2) | T(U4) | T(S4) | T(U8) | T(S8))

/* Roundings */
#define R_FLOAT (R(RN) | R(RZ) | R(RM) | R(RP))
#define R_INT   (R(RNI) | R(RZI) | R(RMI) | R(RPI))

/* Comparisons */
#define C_EQ       (C(EQ) | C(NE))
#define C_SIGNED   (C_EQ | C(LT) | C(LE) | C(GT) | C(GE))
#define C_UNSIGNED (C_SIGNED | C(LO) | C(LS) | C(HI) | C(HS))
#define C_FLOAT    (C_SIGNED | C(EQU) | C(NEU) | C(LTU) | C(LEU) | C(GTU) | C(GEU) | C(NUM) | C(NAN))

/* Slots of memory accesses */
#define S_HINTS (S(CACHE) | S(EVICT) | S(PREFETCH) | S(HINT))
#define S_ORDER (S(SEM) | S(SCOPE))
#define S_PLAIN (S_ORDER | S(MMIO))
#define SP_RW   (SP(GLOBAL) | SP(SHARED) | SP(LOCAL) | SP(PARAM))
#define SP_ATOM (SP(GLOBAL) | SP(SHARED))
#define S_ATOM  (S_ORDER | S(SPACE) | S(EVICT) | S(HINT))

#define M_MINMAX (M(MIN) | M(MAX))
#define M_LOGIC  (M(AND) | M(OR) | M(XOR))
#define M_SHFL   (M(UP) | M(DOWN) | M(BFLY) | M(IDX))
#define M_VOTE   (M(ALL) | M(ANY) | M(VOTE_UNI))

// clang-format off
const wr_ptx_form wr_ptx_forms[] = {
    /* name, operands, op, types, slots, need, value sets */
    {.name = "add", "daa", WR_PTX_ADD, {T_INT | T(U16X2) | T(S16X2)}, 0, 0},
    {.name = "add", "daa", WR_PTX_ADD, {T(S32)}, S(SAT), S(SAT)},
    {.name = "add", "daa", WR_PTX_ADD, {T_INT32 | T_INT64}, S(CC), S(CC)},
    {.name = "add", "daa", WR_PTX_ADD, {T(F32)}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R_FLOAT},
    {.name = "add", "daa", WR_PTX_ADD, {T(F64)}, S(RND), 0, .rnds = R_FLOAT},
    {.name = "add", "daa", WR_PTX_ADD, {T_HALF}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R(RN)},
    {.name = "add", "daa", WR_PTX_ADD, {T_BF}, S(RND), 0, .rnds = R(RN)},
    {.name = "sub", "daa", WR_PTX_SUB, {T_INT}, 0, 0},
    {.name = "sub", "daa", WR_PTX_SUB, {T(S32)}, S(SAT), S(SAT)},
    {.name = "sub", "daa", WR_PTX_SUB, {T_INT32 | T_INT64}, S(CC), S(CC)},
    {.name = "sub", "daa", WR_PTX_SUB, {T(F32)}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R_FLOAT},
    {.name = "sub", "daa", WR_PTX_SUB, {T(F64)}, S(RND), 0, .rnds = R_FLOAT},
    {.name = "sub", "daa", WR_PTX_SUB, {T_HALF}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R(RN)},
    {.name = "sub", "daa", WR_PTX_SUB, {T_BF}, S(RND), 0, .rnds = R(RN)},
    {.name = "mul", "daa", WR_PTX_MUL, {T_INT}, S(MODE), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "mul", "waa", WR_PTX_MUL, {T_INT16_32}, S(MODE), S(MODE), .modes = M(WIDE)},
    {.name = "mul", "daa", WR_PTX_MUL, {T(F32)}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R_FLOAT},
    {.name = "mul", "daa", WR_PTX_MUL, {T(F64)}, S(RND), 0, .rnds = R_FLOAT},
    {.name = "mul", "daa", WR_PTX_MUL, {T_HALF}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R(RN)},
    {.name = "mul", "daa", WR_PTX_MUL, {T_BF}, S(RND), 0, .rnds = R(RN)},
    {.name = "mad", "daaa", WR_PTX_MAD, {T_INT}, S(MODE), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "mad", "daaa", WR_PTX_MAD, {T(S32)}, S(MODE) | S(SAT), S(MODE) | S(SAT), .modes = M(HI)},
    {.name = "mad", "daaa", WR_PTX_MAD, {T_INT32 | T_INT64}, S(MODE) | S(CC), S(MODE) | S(CC), .modes = M(LO) | M(HI)},
    {.name = "mad", "waaW", WR_PTX_MAD, {T_INT16_32}, S(MODE), S(MODE), .modes = M(WIDE)},
    {.name = "mad", "daaa", WR_PTX_MAD, {T(F32)}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "mad", "daaa", WR_PTX_MAD, {T(F64)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "mul24", "daa", WR_PTX_MUL24, {T_INT32}, S(MODE), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "mad24", "daaa", WR_PTX_MAD24, {T_INT32}, S(MODE), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "mad24", "daaa", WR_PTX_MAD24, {T(S32)}, S(MODE) | S(SAT), S(MODE) | S(SAT), .modes = M(HI)},
    {.name = "fma", "daaa", WR_PTX_FMA, {T(F32)}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "fma", "daaa", WR_PTX_FMA, {T(F64)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "fma", "daaa", WR_PTX_FMA, {T_HALF | T_BF}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R(RN)},
    {.name = "fma", "daaa", WR_PTX_FMA, {T_HALF | T_BF}, S(RND) | S(OOB) | S(SAT), S(RND) | S(OOB), .rnds = R(RN)},
    {.name = "div", "daa", WR_PTX_DIV, {T_INT}, 0, 0},
    {.name = "div", "daa", WR_PTX_DIV, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R_FLOAT | R(APPROX) | R(FULL)},
    {.name = "div", "daa", WR_PTX_DIV, {T(F64)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "rem", "daa", WR_PTX_REM, {T_INT}, 0, 0},
    {.name = "abs", "da", WR_PTX_ABS, {T_S | T(F64) | T_BF}, 0, 0},
    {.name = "abs", "da", WR_PTX_ABS, {T(F32) | T_HALF}, S(FTZ), 0},
    {.name = "neg", "da", WR_PTX_NEG, {T_S | T(F64) | T_BF}, 0, 0},
    {.name = "neg", "da", WR_PTX_NEG, {T(F32) | T_HALF}, S(FTZ), 0},
    {.name = "min", "daa", WR_PTX_MIN, {T_INT | T(F64) | T(U16X2) | T(S16X2)}, 0, 0},
    {.name = "min", "daa", WR_PTX_MIN, {T(F32) | T_HALF | T_BF}, S(FTZ) | S(NAN) | S(XORSIGN) | S(ABS), 0},
    {.name = "min", "daa", WR_PTX_MIN, {T(S32) | T(S16X2)}, S(SAT), S(SAT)},
    {.name = "max", "daa", WR_PTX_MAX, {T(S32) | T(S16X2)}, S(SAT), S(SAT)},
    {.name = "max", "daa", WR_PTX_MAX, {T_INT | T(F64) | T(U16X2) | T(S16X2)}, 0, 0},
    {.name = "max", "daa", WR_PTX_MAX, {T(F32) | T_HALF | T_BF}, S(FTZ) | S(NAN) | S(XORSIGN) | S(ABS), 0},
    {.name = "sad", "daaa", WR_PTX_SAD, {T_INT}, 0, 0},
    {.name = "vabsdiff2", "iuui", WR_PTX_VABSDIFF2, {T(U32), T_INT32, T_INT32}, S(MODE), 0, .modes = M(ADD)},
    {.name = "vabsdiff4", "iuui", WR_PTX_VABSDIFF4, {T(U32), T_INT32, T_INT32}, S(MODE), 0, .modes = M(ADD)},
    {.name = "addc", "daa", WR_PTX_ADDC, {T_INT32 | T_INT64}, S(CC), 0},
    {.name = "subc", "daa", WR_PTX_SUBC, {T_INT32 | T_INT64}, S(CC), 0},
    {.name = "madc", "daaa", WR_PTX_MADC, {T_INT32 | T_INT64}, S(MODE) | S(CC), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "dp4a", "iuui", WR_PTX_DP4A, {T_INT32, T_INT32}, 0, 0},
    {.name = "dp2a", "iuui", WR_PTX_DP2A, {T_INT32, T_INT32}, S(MODE), S(MODE), .modes = M(LO) | M(HI)},
    {.name = "rcp", "da", WR_PTX_RCP, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R_FLOAT | R(APPROX)},
    {.name = "rcp", "da", WR_PTX_RCP, {T(F64)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "rcp", "da", WR_PTX_RCP, {T(F64)}, S(RND) | S(FTZ), S(RND) | S(FTZ), .rnds = R(APPROX)},
    {.name = "sqrt", "da", WR_PTX_SQRT, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R_FLOAT | R(APPROX)},
    {.name = "sqrt", "da", WR_PTX_SQRT, {T(F64)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "rsqrt", "da", WR_PTX_RSQRT, {T_FLOAT}, S(RND) | S(FTZ), S(RND), .rnds = R(APPROX)},
    {.name = "sin", "da", WR_PTX_SIN, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R(APPROX)},
    {.name = "cos", "da", WR_PTX_COS, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R(APPROX)},
    {.name = "lg2", "da", WR_PTX_LG2, {T(F32)}, S(RND) | S(FTZ), S(RND), .rnds = R(APPROX)},
    {.name = "ex2", "da", WR_PTX_EX2, {T(F32) | T_HALF | T_BF}, S(RND) | S(FTZ), S(RND), .rnds = R(APPROX)},
    {.name = "tanh", "da", WR_PTX_TANH, {T(F32) | T_HALF | T_BF}, S(RND), S(RND), .rnds = R(APPROX)},
    {.name = "copysign", "daa", WR_PTX_COPYSIGN, {T_FLOAT}, 0, 0},
    {.name = "testp", "pa", WR_PTX_TESTP, {T_FLOAT}, S(MODE), S(MODE), .modes = M(FINITE) | M(INFINITE) | M(NUMBER) | M(NOTANUMBER) | M(NORMAL) | M(SUBNORMAL)},

    {.name = "and", "daa", WR_PTX_AND, {T_BITS}, 0, 0},
    {.name = "and", "pPP", WR_PTX_AND, {T(PRED)}, 0, 0},
    {.name = "or", "daa", WR_PTX_OR, {T_BITS}, 0, 0},
    {.name = "or", "pPP", WR_PTX_OR, {T(PRED)}, 0, 0},
    {.name = "xor", "daa", WR_PTX_XOR, {T_BITS}, 0, 0},
    {.name = "xor", "pPP", WR_PTX_XOR, {T(PRED)}, 0, 0},
    {.name = "not", "da", WR_PTX_NOT, {T_BITS}, 0, 0},
    {.name = "not", "pP", WR_PTX_NOT, {T(PRED)}, 0, 0},
    {.name = "cnot", "da", WR_PTX_CNOT, {T_BITS}, 0, 0},
    {.name = "lop3", "daaaU", WR_PTX_LOP3, {T(B32)}, 0, 0},
    {.name = "lop3", "raaaUP", WR_PTX_LOP3, {T(B32)}, S(BOOL), S(BOOL)},
    {.name = "shl", "dau", WR_PTX_SHL, {T_BITS}, 0, 0},
    {.name = "shr", "dau", WR_PTX_SHR, {T_BITS | T_INT}, 0, 0},
    {.name = "shf.l.wrap", "daau", WR_PTX_SHF, {T(B32)}, 0, 0, .mode = WR_PTX_MODE_L_WRAP},
    {.name = "shf.l.clamp", "daau", WR_PTX_SHF, {T(B32)}, 0, 0, .mode = WR_PTX_MODE_L_CLAMP},
    {.name = "shf.r.wrap", "daau", WR_PTX_SHF, {T(B32)}, 0, 0, .mode = WR_PTX_MODE_R_WRAP},
    {.name = "shf.r.clamp", "daau", WR_PTX_SHF, {T(B32)}, 0, 0, .mode = WR_PTX_MODE_R_CLAMP},
    {.name = "popc", "ia", WR_PTX_POPC, {T_B32_64}, 0, 0},
    {.name = "clz", "ia", WR_PTX_CLZ, {T_B32_64}, 0, 0},
    {.name = "bfind", "ia", WR_PTX_BFIND, {T_INT32 | T_INT64}, S(MODE), 0, .modes = M(SHIFTAMT)},
    {.name = "brev", "da", WR_PTX_BREV, {T_B32_64}, 0, 0},
    {.name = "bfe", "dauu", WR_PTX_BFE, {T_INT32 | T_INT64}, 0, 0},
    {.name = "bfi", "daauu", WR_PTX_BFI, {T_B32_64}, 0, 0},
    {.name = "prmt", "daau", WR_PTX_PRMT, {T(B32)}, S(MODE), 0, .modes = M(F4E) | M(B4E) | M(RC8) | M(ECL) | M(ECR) | M(RC16)},
    {.name = "fns", "iuuu", WR_PTX_FNS, {T(B32)}, 0, 0},
    {.name = "bmsk", "iuu", WR_PTX_BMSK, {T(B32)}, S(MODE), S(MODE), .modes = M(CLAMP) | M(WRAP)},
    {.name = "szext", "dau", WR_PTX_SZEXT, {T_INT32}, S(MODE), S(MODE), .modes = M(CLAMP) | M(WRAP)},

    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T(F32), T_BITS}, S(CMP), S(CMP), .cmps = C_EQ},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T(F32), T_S}, S(CMP), S(CMP), .cmps = C_SIGNED},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T(F32), T_U}, S(CMP), S(CMP), .cmps = C_UNSIGNED},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T(F32), T(F32)}, S(CMP) | S(FTZ), S(CMP), .cmps = C_FLOAT},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T(F32), T(F64)}, S(CMP), S(CMP), .cmps = C_FLOAT},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT16_32 | T(F16) | T(BF16), T(F16) | T(BF16)}, S(CMP) | S(FTZ), S(CMP), .cmps = C_FLOAT},
    {.name = "set", "dbb", WR_PTX_SET, {T_INT32 | T_PAIR, T_PAIR}, S(CMP) | S(FTZ), S(CMP), .cmps = C_FLOAT},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T(F32), T_BITS}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_EQ},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T(F32), T_S}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_SIGNED},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T(F32), T_U}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_UNSIGNED},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T(F32), T(F32)}, S(CMP) | S(BOOL) | S(FTZ), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T(F32), T(F64)}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT16_32 | T(F16) | T(BF16), T(F16) | T(BF16)}, S(CMP) | S(BOOL) | S(FTZ), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "set", "dbbP", WR_PTX_SET, {T_INT32 | T_PAIR, T_PAIR}, S(CMP) | S(BOOL) | S(FTZ), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "setp", "qaa", WR_PTX_SETP, {T_BITS}, S(CMP), S(CMP), .cmps = C_EQ},
    {.name = "setp", "qaa", WR_PTX_SETP, {T_S}, S(CMP), S(CMP), .cmps = C_SIGNED},
    {.name = "setp", "qaa", WR_PTX_SETP, {T_U}, S(CMP), S(CMP), .cmps = C_UNSIGNED},
    {.name = "setp", "qaa", WR_PTX_SETP, {T(F32) | T_HALF}, S(CMP) | S(FTZ), S(CMP), .cmps = C_FLOAT},
    {.name = "setp", "qaa", WR_PTX_SETP, {T(F64) | T_BF}, S(CMP), S(CMP), .cmps = C_FLOAT},
    {.name = "setp", "qaaP", WR_PTX_SETP, {T_BITS}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_EQ},
    {.name = "setp", "qaaP", WR_PTX_SETP, {T_S}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_SIGNED},
    {.name = "setp", "qaaP", WR_PTX_SETP, {T_U}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_UNSIGNED},
    {.name = "setp", "qaaP", WR_PTX_SETP, {T(F32) | T_HALF}, S(CMP) | S(BOOL) | S(FTZ), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "setp", "qaaP", WR_PTX_SETP, {T(F64) | T_BF}, S(CMP) | S(BOOL), S(CMP) | S(BOOL), .cmps = C_FLOAT},
    {.name = "selp", "daaP", WR_PTX_SELP, {T_INT | T_BITS | T_FLOAT}, 0, 0},
    {.name = "slct", "daab", WR_PTX_SLCT, {T_INT | T_BITS | T_FLOAT, T(S32)}, 0, 0},
    {.name = "slct", "daab", WR_PTX_SLCT, {T_INT | T_BITS | T_FLOAT, T(F32)}, S(FTZ), 0},

    {.name = "mov", "Dm", WR_PTX_MOV, {T_INT | T_BITS | T_FLOAT | T(F16) | T(F16X2) | T(BF16) | T(BF16X2) | T(B128)}, 0, 0},
    {.name = "mov", "ev", WR_PTX_MOV, {T_INT | T_BITS | T_FLOAT}, S(VEC), S(VEC)},
    {.name = "mov", "pP", WR_PTX_MOV, {T(PRED)}, 0, 0},
    {.name = "cvt", "eB", WR_PTX_CVT, {T_INT8_64, T_INT8_64}, S(SAT), 0},
    {.name = "cvt", "eB", WR_PTX_CVT, {T_INT8_64, T_FLOAT | T(F16) | T(BF16)}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R_INT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T_FLOAT | T(F16) | T(BF16), T_INT8_64}, S(RND) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F16), T_FLOAT}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(BF16), T_FLOAT | T(F16)}, S(RND) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F32), T(F64)}, S(RND) | S(FTZ) | S(SAT), S(RND), .rnds = R_FLOAT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F32), T(F16) | T(BF16)}, S(FTZ) | S(SAT), 0},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F64), T(F32) | T(F16) | T(BF16)}, S(FTZ) | S(SAT), 0},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F16), T(F16)}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R_INT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(BF16), T(BF16)}, S(RND), S(RND), .rnds = R_INT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F16), T(BF16)}, S(RND), S(RND), .rnds = R_FLOAT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F32), T(F32)}, S(RND) | S(FTZ) | S(SAT), 0, .rnds = R_INT},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(F64), T(F64)}, S(RND) | S(SAT), 0, .rnds = R_INT},
    {.name = "cvt", "dbb", WR_PTX_CVT, {T(F16X2) | T(BF16X2), T(F32)}, S(RND) | S(SAT), S(RND), .rnds = R(RN) | R(RZ)},
    {.name = "cvt", "eB", WR_PTX_CVT, {T(TF32), T(F32)}, S(RND) | S(SAT), S(RND), .rnds = R(RNA) | R(RN) | R(RZ)},
    {.name = "cvt", "dbb", WR_PTX_CVT, {T_FP8, T(F32)}, S(RND) | S(SATFINITE) | S(SAT), S(RND) | S(SATFINITE), .rnds = R(RN)},
    {.name = "cvt", "db", WR_PTX_CVT, {T_FP8, T(F16X2)}, S(RND) | S(SATFINITE) | S(SAT), S(RND) | S(SATFINITE), .rnds = R(RN)},
    {.name = "cvt", "db", WR_PTX_CVT, {T(F16X2), T_FP8}, S(RND) | S(SAT), S(RND), .rnds = R(RN)},
    {.name = "cvt.pack", "ibb", WR_PTX_CVT_PACK, {T(U16) | T(S16), T(S32)}, S(SAT), S(SAT)},
    {.name = "cvt.pack", "ibbc", WR_PTX_CVT_PACK, {T_SMALL, T(S32), T(B32)}, S(SAT), S(SAT)},
    {.name = "cvta.to", "da", WR_PTX_CVTA_TO, {T_ADDRESS}, S(SPACE), S(SPACE), .spaces = SP_RW | SP(CONST)},
    {.name = "cvta", "dy", WR_PTX_CVTA, {T_ADDRESS}, S(SPACE), S(SPACE), .spaces = SP_RW | SP(CONST)},
    {.name = "isspacep", "pg", WR_PTX_ISSPACEP, {0}, S(SPACE), S(SPACE), .spaces = SP_RW | SP(CONST)},
    {.name = "ld", "eM", WR_PTX_LD, {T_MEM}, S_PLAIN | S(SPACE) | S_HINTS | S(VEC), 0, .spaces = SP_RW | SP(CONST)},
    {.name = "ld", "eM", WR_PTX_LD, {T_MEM}, S(SPACE) | S_HINTS | S(NC) | S(VEC), S(NC) | S(SPACE), .spaces = SP(GLOBAL)},
    {.name = "ldu", "eM", WR_PTX_LDU, {T_MEM}, S(SPACE) | S(VEC), 0, .spaces = SP(GLOBAL)},
    {.name = "st", "Mv", WR_PTX_ST, {T_MEM}, S_PLAIN | S(SPACE) | S_HINTS | S(VEC), 0, .spaces = SP_RW},
    {.name = "prefetch", "M", WR_PTX_PREFETCH, {0}, S(SPACE) | S(MODE), S(MODE), .spaces = SP(GLOBAL) | SP(LOCAL), .modes = M(L1) | M(L2)},
    {.name = "prefetch", "M", WR_PTX_PREFETCH, {0}, S(SPACE) | S(EVICT), S(SPACE) | S(EVICT), .spaces = SP(GLOBAL)},
    {.name = "applypriority", "MU", WR_PTX_PREFETCH, {0}, S(SPACE) | S(EVICT), S(EVICT), .spaces = SP(GLOBAL)},
    {.name = "discard", "MU", WR_PTX_PREFETCH, {0}, S(SPACE) | S(MODE), S(MODE), .spaces = SP(GLOBAL), .modes = M(L2)},
    {.name = "prefetchu", "M", WR_PTX_PREFETCHU, {0}, S(MODE), S(MODE), .modes = M(L1)},

    {.name = "atom", "xMa", WR_PTX_ATOM, {T_INT32 | T(U64) | T_FLOAT}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M(ADD)},
    {.name = "atom", "xMa", WR_PTX_ATOM, {T_HALF | T_BF}, S_ATOM | S(MODE) | S(NOFTZ), S(MODE) | S(NOFTZ), .spaces = SP_ATOM, .modes = M(ADD)},
    {.name = "atom", "xMa", WR_PTX_ATOM, {T_INT32 | T_INT64}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M_MINMAX},
    {.name = "atom", "xMa", WR_PTX_ATOM, {T(U32)}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M(INC) | M(DEC)},
    {.name = "atom", "xMa", WR_PTX_ATOM, {T_B32_64}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M_LOGIC | M(EXCH)},
    {.name = "atom", "xMaa", WR_PTX_ATOM, {T_BITS}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M(CAS)},
    {.name = "atom", "eMv", WR_PTX_ATOM, {T(F32)}, S_ATOM | S(MODE) | S(VEC), S(MODE) | S(VEC), .spaces = SP(GLOBAL), .modes = M(ADD)},
    {.name = "atom", "eMv", WR_PTX_ATOM, {T_HALF | T_BF}, S_ATOM | S(MODE) | S(NOFTZ) | S(VEC), S(MODE) | S(NOFTZ) | S(VEC), .spaces = SP(GLOBAL), .modes = M(ADD)},
    {.name = "red", "Ma", WR_PTX_RED, {T_INT32 | T(U64) | T_FLOAT}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M(ADD)},
    {.name = "red", "Ma", WR_PTX_RED, {T_HALF | T_BF}, S_ATOM | S(MODE) | S(NOFTZ), S(MODE) | S(NOFTZ), .spaces = SP_ATOM, .modes = M(ADD)},
    {.name = "red", "Ma", WR_PTX_RED, {T_INT32 | T_INT64}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M_MINMAX},
    {.name = "red", "Ma", WR_PTX_RED, {T(U32)}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M(INC) | M(DEC)},
    {.name = "red", "Ma", WR_PTX_RED, {T_B32_64}, S_ATOM | S(MODE), S(MODE), .spaces = SP_ATOM, .modes = M_LOGIC},

    {.name = "red", "Mv", WR_PTX_RED, {T(F32)}, S_ATOM | S(MODE) | S(VEC), S(MODE) | S(VEC), .spaces = SP(GLOBAL), .modes = M(ADD)},
    {.name = "red", "Mv", WR_PTX_RED, {T_HALF | T_BF}, S_ATOM | S(MODE) | S(NOFTZ) | S(VEC), S(MODE) | S(NOFTZ) | S(VEC), .spaces = SP(GLOBAL), .modes = M(ADD)},

    {.name = "bar.sync", "n", WR_PTX_BAR_SYNC, {0}, 0, 0},
    {.name = "bar.sync", "nN", WR_PTX_BAR_SYNC, {0}, 0, 0},
    {.name = "bar.cta.sync", "n", WR_PTX_BAR_SYNC, {0}, 0, 0},
    {.name = "bar.cta.sync", "nN", WR_PTX_BAR_SYNC, {0}, 0, 0},
    {.name = "bar.arrive", "nN", WR_PTX_BAR_ARRIVE, {0}, 0, 0},
    {.name = "bar.cta.arrive", "nN", WR_PTX_BAR_ARRIVE, {0}, 0, 0},
    {.name = "bar.red", "inP", WR_PTX_BAR_RED, {T(U32)}, S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "bar.red", "inNP", WR_PTX_BAR_RED, {T(U32)}, S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "bar.red", "pnP", WR_PTX_BAR_RED, {T(PRED)}, S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "bar.red", "pnNP", WR_PTX_BAR_RED, {T(PRED)}, S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "bar.warp.sync", "u", WR_PTX_BAR_WARP_SYNC, {0}, 0, 0},
    {.name = "barrier.sync", "n", WR_PTX_BAR_SYNC, {0}, S(ALIGNED), 0},
    {.name = "barrier.sync", "nN", WR_PTX_BAR_SYNC, {0}, S(ALIGNED), 0},
    {.name = "barrier.cta.sync", "n", WR_PTX_BAR_SYNC, {0}, S(ALIGNED), 0},
    {.name = "barrier.cta.sync", "nN", WR_PTX_BAR_SYNC, {0}, S(ALIGNED), 0},
    {.name = "barrier.arrive", "nN", WR_PTX_BAR_ARRIVE, {0}, S(ALIGNED), 0},
    {.name = "barrier.cta.arrive", "nN", WR_PTX_BAR_ARRIVE, {0}, S(ALIGNED), 0},
    {.name = "barrier.red", "inP", WR_PTX_BAR_RED, {T(U32)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "barrier.red", "inNP", WR_PTX_BAR_RED, {T(U32)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "barrier.red", "pnP", WR_PTX_BAR_RED, {T(PRED)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "barrier.red", "pnNP", WR_PTX_BAR_RED, {T(PRED)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "barrier.cta.red", "inP", WR_PTX_BAR_RED, {T(U32)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "barrier.cta.red", "inNP", WR_PTX_BAR_RED, {T(U32)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(POPC)},
    {.name = "barrier.cta.red", "pnP", WR_PTX_BAR_RED, {T(PRED)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "barrier.cta.red", "pnNP", WR_PTX_BAR_RED, {T(PRED)}, S(ALIGNED) | S(MODE), S(MODE), .modes = M(AND) | M(OR)},
    {.name = "membar", "", WR_PTX_MEMBAR, {0}, S(SCOPE), S(SCOPE)},
    {.name = "fence", "", WR_PTX_FENCE, {0}, S(SEM) | S(SCOPE), S(SCOPE)},

    {.name = "shfl.sync", "sauuu", WR_PTX_SHFL, {T(B32)}, S(MODE), S(MODE), .modes = M_SHFL},
    {.name = "shfl", "sauu", WR_PTX_SHFL, {T(B32)}, S(MODE), S(MODE), .modes = M_SHFL},
    {.name = "vote.sync", "pPu", WR_PTX_VOTE, {T(PRED)}, S(MODE), S(MODE), .modes = M_VOTE},
    {.name = "vote.sync", "iPu", WR_PTX_VOTE, {T(B32)}, S(MODE), S(MODE), .modes = M(BALLOT)},
    {.name = "vote", "pP", WR_PTX_VOTE, {T(PRED)}, S(MODE), S(MODE), .modes = M_VOTE},
    {.name = "vote", "iP", WR_PTX_VOTE, {T(B32)}, S(MODE), S(MODE), .modes = M(BALLOT)},
    {.name = "match.any.sync", "iau", WR_PTX_MATCH, {T_B32_64}, 0, 0, .mode = WR_PTX_MODE_ANY},
    {.name = "match.all.sync", "tau", WR_PTX_MATCH, {T_B32_64}, 0, 0, .mode = WR_PTX_MODE_ALL},
    {.name = "redux.sync", "dau", WR_PTX_REDUX, {T_INT32}, S(MODE), S(MODE), .modes = M(ADD) | M_MINMAX},
    {.name = "redux.sync", "dau", WR_PTX_REDUX, {T(B32)}, S(MODE), S(MODE), .modes = M_LOGIC},
    {.name = "activemask", "i", WR_PTX_ACTIVEMASK, {T(B32)}, 0, 0},

    {.name = "bra", "L", WR_PTX_BRA, {0}, S(UNI), 0},
    {.name = "brx.idx", "uT", WR_PTX_BRX, {0}, S(UNI), 0},
    {.name = "call", "", WR_PTX_CALL, {0}, S(UNI), 0},
    {.name = "ret", "", WR_PTX_RET, {0}, S(UNI), 0},
    {.name = "exit", "", WR_PTX_EXIT, {0}, 0, 0},
    {.name = "trap", "", WR_PTX_TRAP, {0}, 0, 0},
    {.name = "brkpt", "", WR_PTX_TRAP, {0}, 0, 0}, /* no debugger is there */
    {.name = "griddepcontrol.wait", "", WR_PTX_GRIDDEPCONTROL, {0}, 0, 0},
    {.name = "griddepcontrol.launch_dependents", "", WR_PTX_GRIDDEPCONTROL, {0}, 0, 0},
    {.name = "nanosleep", "u", WR_PTX_NANOSLEEP, {T(U32)}, 0, 0},
};
// clang-format on
const size_t wr_ptx_form_count = sizeof wr_ptx_forms / sizeof wr_ptx_forms[0];
