/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction set as a table: one row an operation.
 *
 * The order of rows does not matter: each names its operation. A row that is missing has no
 * name, and its opcode is undefined.
 */
#include "shell/isa/table.h"

#include <assert.h>

#define BIT(type) (UINT32_C(1) << (type))
#define SUB_INT   (BIT(WR_U8) | BIT(WR_S8) | BIT(WR_U16) | BIT(WR_S16))
#define INT16     (BIT(WR_U16) | BIT(WR_S16))
#define INT32     (BIT(WR_U32) | BIT(WR_S32))
#define INT64     (BIT(WR_U64) | BIT(WR_S64))
#define INTS      (INT16 | INT32 | INT64)
#define FLOATS    (BIT(WR_F16) | BIT(WR_BF16) | BIT(WR_F32) | BIT(WR_F64))
#define PACKED    (BIT(WR_F16X2) | BIT(WR_BF16X2))
#define PAIRS     (BIT(WR_U16X2) | BIT(WR_S16X2))
#define HALVES    (BIT(WR_F16) | BIT(WR_BF16) | PACKED)
#define FLOATS32  (BIT(WR_F32) | BIT(WR_F64))
#define BITS      (BIT(WR_B16) | BIT(WR_B32) | BIT(WR_B64))
#define DATA      (SUB_INT | INT32 | INT64 | BIT(WR_F16) | FLOATS32 | BIT(WR_B8) | BITS)
#define NONE      BIT(WR_U8)

#define ROW(op, name, unit, nsrc, has_dst, cls, dst, s0, s1, s2, types)                            \
    [op] = {{name, unit, nsrc, has_dst}, cls, dst, {s0, s1, s2}, types}
#define CONTROL(op, name, cls) ROW(op, name, WR_UNIT_NONE, 0, false, cls, 0, 0, 0, 0, NONE)
#define UNARY(op, name, unit, types)                                                               \
    ROW(op, name, unit, 1, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, 0, 0, types)
#define BINARY(op, name, unit, types)                                                              \
    ROW(op, name, unit, 2, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_TYPE, 0, types)
#define TERNARY(op, name, unit, types)                                                             \
    ROW(op, name, unit, 3, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_TYPE, WR_W_TYPE, types)

const wr_isa_row wr_isa_rows[WR_OP_COUNT] = {
    CONTROL(WR_OP_NOP, "nop", WR_CLASS_NONE),
    CONTROL(WR_OP_EXT, "ext", WR_CLASS_EXT),
    CONTROL(WR_OP_PP, "pp", WR_CLASS_LIVE),
    CONTROL(WR_OP_BAR_PP, "bar.pp", WR_CLASS_LIVE),
    CONTROL(WR_OP_PP_DUMMY, "pp.div", WR_CLASS_EXT),
    CONTROL(WR_OP_EXIT, "exit", WR_CLASS_NONE),
    CONTROL(WR_OP_TRAP, "trap", WR_CLASS_TRAP),
    CONTROL(WR_OP_BRA, "bra", WR_CLASS_BRANCH),
    ROW(WR_OP_BAR, "bar", WR_UNIT_NONE, 2, true, WR_CLASS_BAR, WR_W_WORD, WR_W_WORD, WR_W_WORD, 0,
        NONE),
    CONTROL(WR_OP_MEMBAR, "membar", WR_CLASS_NONE),
    UNARY(WR_OP_MOV, "mov", WR_UNIT_INT, BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_S2R, "s2r", WR_UNIT_INT, 0, true, WR_CLASS_ARITH, WR_W_TYPE, 0, 0, 0,
        BIT(WR_U32) | BIT(WR_U64)),
    BINARY(WR_OP_SELP, "selp", WR_UNIT_INT, BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_SETP, "setp", WR_UNIT_INT, 2, false, WR_CLASS_SETP, 0, WR_W_TYPE, WR_W_TYPE, 0,
        INTS | FLOATS | BITS),
    ROW(WR_OP_SET, "set", WR_UNIT_INT, 2, true, WR_CLASS_SETP, WR_W_TYPE, WR_W_TYPE2, WR_W_TYPE2, 0,
        INT32 | BIT(WR_F32)),
    ROW(WR_OP_CVT, "cvt", WR_UNIT_INT, 1, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE2, 0, 0,
        SUB_INT | INT32 | INT64 | FLOATS),
    BINARY(WR_OP_ADD, "add", WR_UNIT_INT, INTS | FLOATS | PACKED | PAIRS),
    BINARY(WR_OP_SUB, "sub", WR_UNIT_INT, INTS | FLOATS | PACKED),
    ROW(WR_OP_MUL, "mul", WR_UNIT_INT, 2, true, WR_CLASS_ARITH, WR_W_WIDE, WR_W_TYPE, WR_W_TYPE, 0,
        INTS | FLOATS | PACKED),
    ROW(WR_OP_MAD, "mad", WR_UNIT_INT, 3, true, WR_CLASS_ARITH, WR_W_WIDE, WR_W_TYPE, WR_W_TYPE,
        WR_W_WIDE, INTS),
    ROW(WR_OP_FMA, "fma", WR_UNIT_INT, 3, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_TYPE,
        WR_W_TYPE, FLOATS | PACKED),
    BINARY(WR_OP_DIV, "div", WR_UNIT_SFU, INTS | FLOATS32),
    BINARY(WR_OP_REM, "rem", WR_UNIT_SFU, INTS),
    BINARY(WR_OP_MIN, "min", WR_UNIT_INT, INTS | FLOATS | PACKED | PAIRS),
    BINARY(WR_OP_MAX, "max", WR_UNIT_INT, INTS | FLOATS | PACKED | PAIRS),
    UNARY(WR_OP_ABS, "abs", WR_UNIT_INT, INTS | FLOATS | PACKED),
    UNARY(WR_OP_NEG, "neg", WR_UNIT_INT, INTS | FLOATS | PACKED),
    BINARY(WR_OP_AND, "and", WR_UNIT_INT, BITS | BIT(WR_PRED)),
    BINARY(WR_OP_OR, "or", WR_UNIT_INT, BITS | BIT(WR_PRED)),
    BINARY(WR_OP_XOR, "xor", WR_UNIT_INT, BITS | BIT(WR_PRED)),
    UNARY(WR_OP_NOT, "not", WR_UNIT_INT, BITS),
    UNARY(WR_OP_CNOT, "cnot", WR_UNIT_INT, BITS),
    ROW(WR_OP_SHL, "shl", WR_UNIT_INT, 2, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_WORD, 0,
        BITS),
    ROW(WR_OP_SHR, "shr", WR_UNIT_INT, 2, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_WORD, 0,
        INTS | BITS),
    ROW(WR_OP_POPC, "popc", WR_UNIT_INT, 1, true, WR_CLASS_ARITH, WR_W_WORD, WR_W_TYPE, 0, 0,
        BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_CLZ, "clz", WR_UNIT_INT, 1, true, WR_CLASS_ARITH, WR_W_WORD, WR_W_TYPE, 0, 0,
        BIT(WR_B32) | BIT(WR_B64)),
    UNARY(WR_OP_BREV, "brev", WR_UNIT_INT, BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_BFE, "bfe", WR_UNIT_INT, 3, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_WORD,
        WR_W_WORD, INT32 | INT64),
    ROW(WR_OP_BFI, "bfi", WR_UNIT_INT, 3, true, WR_CLASS_ARITH, WR_W_TYPE, WR_W_TYPE, WR_W_TYPE,
        WR_W_WORD, BIT(WR_B32) | BIT(WR_B64)),
    UNARY(WR_OP_RCP, "rcp", WR_UNIT_SFU, FLOATS32),
    UNARY(WR_OP_SQRT, "sqrt", WR_UNIT_SFU, FLOATS32),
    UNARY(WR_OP_RSQRT, "rsqrt", WR_UNIT_SFU, FLOATS32),
    UNARY(WR_OP_EX2, "ex2", WR_UNIT_SFU, BIT(WR_F32) | HALVES),
    UNARY(WR_OP_LG2, "lg2", WR_UNIT_SFU, BIT(WR_F32)),
    UNARY(WR_OP_SIN, "sin", WR_UNIT_SFU, BIT(WR_F32)),
    UNARY(WR_OP_COS, "cos", WR_UNIT_SFU, BIT(WR_F32)),
    ROW(WR_OP_LD, "ld", WR_UNIT_MEM, 1, true, WR_CLASS_MEM, WR_W_VEC, WR_W_ADDR, 0, 0, DATA),
    ROW(WR_OP_ST, "st", WR_UNIT_MEM, 2, false, WR_CLASS_MEM, 0, WR_W_ADDR, WR_W_VEC, 0, DATA),
    ROW(WR_OP_ATOM, "atom", WR_UNIT_MEM, 3, true, WR_CLASS_MEM, WR_W_TYPE, WR_W_ADDR, WR_W_TYPE,
        WR_W_TYPE, INT32 | INT64 | FLOATS32 | HALVES | BITS),
    ROW(WR_OP_RED, "red", WR_UNIT_MEM, 2, false, WR_CLASS_MEM, 0, WR_W_ADDR, WR_W_TYPE, 0,
        INT32 | INT64 | FLOATS32 | HALVES | BITS),
    ROW(WR_OP_SHFL, "shfl", WR_UNIT_INT, 3, true, WR_CLASS_WARP, WR_W_WORD, WR_W_WORD, WR_W_WORD,
        WR_W_WORD, BIT(WR_B32)),
    ROW(WR_OP_VOTE, "vote", WR_UNIT_INT, 1, true, WR_CLASS_WARP, WR_W_WORD, WR_W_WORD, 0, 0,
        BIT(WR_B32)),
    ROW(WR_OP_MATCH, "match", WR_UNIT_INT, 2, true, WR_CLASS_WARP, WR_W_WORD, WR_W_TYPE, WR_W_WORD,
        0, BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_REDUX, "redux", WR_UNIT_INT, 2, true, WR_CLASS_WARP, WR_W_WORD, WR_W_WORD, WR_W_WORD,
        0, INT32 | BIT(WR_B32)),
    ROW(WR_OP_WARPSYNC, "warpsync", WR_UNIT_INT, 1, false, WR_CLASS_WARP, 0, WR_W_WORD, 0, 0,
        BIT(WR_B32)),
    BINARY(WR_OP_ADDC, "addc", WR_UNIT_INT, INT32 | INT64),
    BINARY(WR_OP_SUBC, "subc", WR_UNIT_INT, INT32 | INT64),
    TERNARY(WR_OP_MADC, "madc", WR_UNIT_INT, INT32 | INT64),
    TERNARY(WR_OP_SAD, "sad", WR_UNIT_INT, INTS),
    TERNARY(WR_OP_DP4A, "dp4a", WR_UNIT_INT, INT32),
    TERNARY(WR_OP_DP2A, "dp2a", WR_UNIT_INT, INT32),
    TERNARY(WR_OP_LOP3, "lop3", WR_UNIT_INT, BIT(WR_B32)),
    TERNARY(WR_OP_SHF, "shf", WR_UNIT_INT, BIT(WR_B32)),
    TERNARY(WR_OP_PRMT, "prmt", WR_UNIT_INT, BIT(WR_B32)),
    ROW(WR_OP_BFIND, "bfind", WR_UNIT_INT, 1, true, WR_CLASS_ARITH, WR_W_WORD, WR_W_TYPE, 0, 0,
        INT32 | INT64),
    TERNARY(WR_OP_FNS, "fns", WR_UNIT_INT, BIT(WR_B32)),
    BINARY(WR_OP_BMSK, "bmsk", WR_UNIT_INT, BIT(WR_B32)),
    BINARY(WR_OP_SZEXT, "szext", WR_UNIT_INT, INT32),
    UNARY(WR_OP_TANH, "tanh", WR_UNIT_SFU, BIT(WR_F32) | HALVES),
    ROW(WR_OP_PRINTF, "printf", WR_UNIT_NONE, 2, true, WR_CLASS_WARP, WR_W_WORD, WR_W_TYPE,
        WR_W_TYPE, 0, BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_MALLOC, "malloc", WR_UNIT_NONE, 1, true, WR_CLASS_WARP, WR_W_TYPE, WR_W_TYPE, 0, 0,
        BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_FREE, "free", WR_UNIT_NONE, 1, false, WR_CLASS_WARP, 0, WR_W_TYPE, 0, 0,
        BIT(WR_B32) | BIT(WR_B64)),
    ROW(WR_OP_ASSERT, "assert", WR_UNIT_NONE, 1, false, WR_CLASS_WARP, 0, WR_W_TYPE, 0, 0,
        BIT(WR_B32) | BIT(WR_B64)),
};

const uint8_t wr_isa_variants[WR_OP_COUNT] = {
    [WR_OP_FMA] = WR_VAR_RELU,
    [WR_OP_CVT] = WR_VAR_RELU,
    [WR_OP_MIN] = WR_VAR_NAN | WR_VAR_XORSIGN | WR_VAR_RELU,
    [WR_OP_MAX] = WR_VAR_NAN | WR_VAR_XORSIGN | WR_VAR_RELU,
    [WR_OP_DP2A] = WR_DP2A_HI,
    [WR_OP_LOP3] = UINT8_MAX,
    [WR_OP_SHF] = WR_SHF_RIGHT | WR_SHF_WRAP,
    [WR_OP_PRMT] = 7,
    [WR_OP_BFIND] = WR_BFIND_SHIFT,
    [WR_OP_BMSK] = WR_BITS_WRAP,
    [WR_OP_SZEXT] = WR_BITS_WRAP,
};

bool wr_isa_carries(wr_op op)
{
    return op == WR_OP_ADDC || op == WR_OP_SUBC || op == WR_OP_MADC;
}

const char *const wr_isa_type_names[WR_TYPE_COUNT] = {
    "u8", "s8",  "u16", "s16", "u32",  "s32",  "u64",   "s64",    "f16",   "f32",  "f64",
    "b8", "b16", "b32", "b64", "pred", "bf16", "f16x2", "bf16x2", "u16x2", "s16x2"};
const char *const wr_isa_space_names[6] = {"", ".global", ".shared", ".local", ".const", ".param"};
const char *const wr_isa_cmp_names[18] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",
                                          "lo",  "ls",  "hi",  "hs",  "equ", "neu",
                                          "ltu", "leu", "gtu", "geu", "num", "nan"};
const char *const wr_isa_bool_names[4] = {"", ".and", ".or", ".xor"};
const char *const wr_isa_round_names[10] = {"",     ".rn",  ".rz",  ".rm",  ".rp",
                                            ".rni", ".rzi", ".rmi", ".rpi", ".approx"};
const char *const wr_isa_mul_names[3] = {"", ".hi", ".wide"};
const char *const wr_isa_atom_names[10] = {"add", "min",  "max", "and", "or",
                                           "xor", "exch", "cas", "inc", "dec"};
const char *const wr_isa_sreg_names[WR_SREG_COUNT] = {
    "tid.x",           "tid.y",
    "tid.z",           "ntid.x",
    "ntid.y",          "ntid.z",
    "ctaid.x",         "ctaid.y",
    "ctaid.z",         "nctaid.x",
    "nctaid.y",        "nctaid.z",
    "laneid",          "warpid",
    "nwarpid",         "smid",
    "nsmid",           "clock",
    "lanemask_eq",     "lanemask_le",
    "lanemask_lt",     "lanemask_ge",
    "lanemask_gt",     "gridid",
    "globaltimer",     "dynamic_smem_size",
    "total_smem_size",
};

const wr_op_info *wr_isa_op_info(wr_op op)
{
    assert((unsigned)op < WR_OP_COUNT);
    return &wr_isa_rows[op].info;
}

unsigned wr_isa_type_regs(wr_type type)
{
    switch (type) {
    case WR_U64:
    case WR_S64:
    case WR_F64:
    case WR_B64:
        return 2;
    case WR_PRED:
        return 0;
    default:
        return 1;
    }
}

static bool is_narrow(wr_type type)
{
    return type == WR_U8 || type == WR_S8 || type == WR_U16 || type == WR_S16;
}

unsigned wr_isa_operand_regs(const wr_insn *insn, int i, unsigned addr_regs)
{
    const wr_isa_row *row = &wr_isa_rows[insn->op];
    unsigned type_regs = wr_isa_type_regs((wr_type)insn->type);

    switch ((wr_isa_width)(i < 0 ? row->dst : row->src[i])) {
    case WR_W_TYPE:
        return type_regs;
    case WR_W_TYPE2:
        return wr_isa_type_regs((wr_type)insn->type2);
    case WR_W_WIDE:
        if (insn->mode == WR_MUL_WIDE && !is_narrow((wr_type)insn->type)) {
            return 2;
        }
        return type_regs;
    case WR_W_WORD:
        return 1;
    case WR_W_ADDR:
        return addr_regs;
    case WR_W_VEC:
        return insn->vec * type_regs;
    case WR_W_NONE:
        break;
    }
    return 0;
}

unsigned wr_isa_source_count(const wr_insn *insn)
{
    if (insn->type == WR_PRED) {
        return 0;
    }
    if (insn->op == WR_OP_ATOM && insn->atom != WR_ATOM_CAS) {
        return 2;
    }
    return wr_isa_rows[insn->op].info.nsrc;
}
