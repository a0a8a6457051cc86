/* SPDX-License-Identifier: Apache-2.0 */
/* The machine's instruction set: 64-bit words with a 10-bit opcode on top.
 *
 *   63      54 53                                             0
 *  +----------+------------------------------------------------+
 *  | opcode   | operands, or the 54-bit liveness vector        |
 *  +----------+------------------------------------------------+
 *
 * An instruction is one word, or two where it carries a 32-bit immediate or a constant-bank
 * operand: the second word then has opcode EXT. `pp` is always followed by its dummy word,
 * which decode swallows (P24), so it too is two words and one issue slot. Program counters
 * are byte addresses from the kernel's first word, so they step by 8 or 16.
 *
 * Registers are 32 bits a thread, R0..R62; R63 reads 0 and drops writes (RZ). A 64-bit value
 * lives in an even-aligned pair {R2n low, R2n+1 high}; a .v2/.v4 access uses consecutive
 * registers aligned to the vector's size in registers. Predicates are P0..P6; P7 is true (PT).
 *
 * Decoding is done once per kernel (`wr_isa_decode`), so the cycle loop reads wr_insn only.
 */
#ifndef WR_SHELL_ISA_ISA_H
#define WR_SHELL_ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WR_ISA_OPCODE_SHIFT 54
#define WR_ISA_LIVE_MASK    ((UINT64_C(1) << WR_ISA_OPCODE_SHIFT) - 1)
#define WR_ISA_MAX_REGS     63 /* R0..R62 */
#define WR_ISA_RZ           63
#define WR_ISA_PREDS        7 /* P0..P6 */
#define WR_ISA_PT           7

/* The numbers of PP, BAR_PP and PP_DUMMY are the block liveness_decoder's default
 * parameters OpPp, OpBarPp and OpDummy. */
typedef enum wr_op {
    WR_OP_NOP = 0,
    WR_OP_EXT = 1,
    WR_OP_PP = 2,
    WR_OP_BAR_PP = 3,
    WR_OP_PP_DUMMY = 4,
    WR_OP_EXIT,
    WR_OP_TRAP,
    WR_OP_BRA,
    WR_OP_BAR, /* any other barrier than bar.sync of barrier 0 for the whole TB; see wr_bar */
    WR_OP_MEMBAR,
    WR_OP_MOV,
    WR_OP_S2R, /* special register `sreg` -> dst */
    WR_OP_SELP,
    WR_OP_SETP,
    WR_OP_SET,
    WR_OP_CVT,
    WR_OP_ADD,
    WR_OP_SUB,
    WR_OP_MUL, /* mode lo, hi, wide (integers); float by type */
    WR_OP_MAD,
    WR_OP_FMA,
    WR_OP_DIV,
    WR_OP_REM,
    WR_OP_MIN,
    WR_OP_MAX,
    WR_OP_ABS,
    WR_OP_NEG,
    WR_OP_AND, /* type PRED: on predicates, ps and ps2 -> pd */
    WR_OP_OR,
    WR_OP_XOR,
    WR_OP_NOT,
    WR_OP_CNOT,
    WR_OP_SHL,
    WR_OP_SHR,
    WR_OP_POPC,
    WR_OP_CLZ,
    WR_OP_BREV,
    WR_OP_BFE,
    WR_OP_BFI,
    WR_OP_RCP,
    WR_OP_SQRT,
    WR_OP_RSQRT,
    WR_OP_EX2,
    WR_OP_LG2,
    WR_OP_SIN,
    WR_OP_COS,
    WR_OP_LD,
    WR_OP_ST,
    WR_OP_ATOM,
    WR_OP_RED,
    WR_OP_SHFL,  /* across lanes; mode is wr_shfl, wr_vote, wr_match, wr_atom up to XOR */
    WR_OP_VOTE,  /* of ps; ballot -> dst, others -> pd */
    WR_OP_MATCH, /* -> dst; all: -> pd too */
    WR_OP_REDUX,
    WR_OP_WARPSYNC, /* faults unless the lanes that it names are together */
    /* sums of many words: the carry or borrow comes from ps and goes to pd */
    WR_OP_ADDC, /* a + b + ps */
    WR_OP_SUBC, /* a - b - ps */
    WR_OP_MADC, /* a * b + c + ps */
    WR_OP_SAD,  /* c + |a - b| */
    WR_OP_DP4A,
    WR_OP_DP2A,
    WR_OP_LOP3,
    WR_OP_SHF,
    WR_OP_PRMT,
    WR_OP_BFIND,
    WR_OP_FNS,
    WR_OP_BMSK,
    WR_OP_SZEXT,
    WR_OP_TANH,
    /* services of the machine, done at issue for one lane after the other */
    WR_OP_PRINTF, /* format, arguments -> how many, or -1 */
    WR_OP_MALLOC, /* bytes -> address, or 0 */
    WR_OP_FREE,   /* address */
    WR_OP_ASSERT, /* address of a wr_assert_block: the run ends */
    WR_OP_COUNT
} wr_op;

typedef enum wr_type {
    WR_U8,
    WR_S8,
    WR_U16,
    WR_S16,
    WR_U32,
    WR_S32,
    WR_U64,
    WR_S64,
    WR_F16,
    WR_F32,
    WR_F64,
    WR_B8,
    WR_B16,
    WR_B32,
    WR_B64,
    WR_PRED,
    WR_BF16,
    WR_F16X2, /* two halves of a register, each by itself */
    WR_BF16X2,
    WR_U16X2,
    WR_S16X2,
    WR_TYPE_COUNT
} wr_type;

typedef enum wr_space {
    WR_SPACE_GENERIC,
    WR_SPACE_GLOBAL,
    WR_SPACE_SHARED,
    WR_SPACE_LOCAL,
    WR_SPACE_CONST,
    WR_SPACE_PARAM,
} wr_space;

/* Generic addresses of memory that is not in simulated memory: a window each, whose first byte is
 * the space's first byte. All other generic addresses are addresses of simulated memory. */
#define WR_WINDOW_SHARED UINT32_C(0x01000000)
#define WR_WINDOW_LOCAL  UINT32_C(0x02000000)
#define WR_WINDOW_PARAM  UINT32_C(0x03000000)
#define WR_WINDOW_BYTES  UINT32_C(0x01000000)
#define WR_GLOBAL_BASE   UINT32_C(0xc0000000) /* simulated memory begins here */

/* The start of a space's window; 0: it has none. */
static inline uint32_t wr_isa_window(wr_space space)
{
    return space == WR_SPACE_SHARED  ? WR_WINDOW_SHARED
           : space == WR_SPACE_LOCAL ? WR_WINDOW_LOCAL
           : space == WR_SPACE_PARAM ? WR_WINDOW_PARAM
                                     : 0;
}

typedef enum wr_cmp {
    WR_CMP_EQ,
    WR_CMP_NE,
    WR_CMP_LT,
    WR_CMP_LE,
    WR_CMP_GT,
    WR_CMP_GE,
    WR_CMP_LO,
    WR_CMP_LS,
    WR_CMP_HI,
    WR_CMP_HS, /* unsigned */
    WR_CMP_EQU,
    WR_CMP_NEU,
    WR_CMP_LTU,
    WR_CMP_LEU,
    WR_CMP_GTU,
    WR_CMP_GEU, /* true on NaN */
    WR_CMP_NUM,
    WR_CMP_NAN,
} wr_cmp;

typedef enum wr_bool { WR_BOOL_NONE, WR_BOOL_AND, WR_BOOL_OR, WR_BOOL_XOR } wr_bool;

typedef enum wr_round {
    WR_RND_NONE,
    WR_RND_RN,
    WR_RND_RZ,
    WR_RND_RM,
    WR_RND_RP,
    WR_RND_RNI,
    WR_RND_RZI,
    WR_RND_RMI,
    WR_RND_RPI,
    WR_RND_APPROX,
} wr_round;

/* `variant` of PRMT, and of SHF (bit 0 right, bit 1 amount modulo 32 rather than at most 32). */
typedef enum wr_prmt {
    WR_PRMT_INDEX,
    WR_PRMT_F4E,
    WR_PRMT_B4E,
    WR_PRMT_RC8,
    WR_PRMT_ECL,
    WR_PRMT_ECR,
    WR_PRMT_RC16,
} wr_prmt;
enum { WR_SHF_RIGHT = 1, WR_SHF_WRAP = 2 };
/* `variant` of BFIND, of DP2A, of BMSK and SZEXT */
enum { WR_BFIND_SHIFT = 1, WR_DP2A_HI = 1, WR_BITS_WRAP = 1 };
/* `variant` of MIN, MAX: bits; of FMA and CVT: RELU only */
enum { WR_VAR_NAN = 1, WR_VAR_XORSIGN = 2, WR_VAR_RELU = 4 };

typedef enum wr_mul { WR_MUL_LO, WR_MUL_HI, WR_MUL_WIDE } wr_mul;

typedef enum wr_shfl { WR_SHFL_UP, WR_SHFL_DOWN, WR_SHFL_BFLY, WR_SHFL_IDX } wr_shfl;
typedef enum wr_vote { WR_VOTE_ALL, WR_VOTE_ANY, WR_VOTE_UNI, WR_VOTE_BALLOT } wr_vote;
typedef enum wr_match { WR_MATCH_ALL, WR_MATCH_ANY } wr_match;

/* BAR: waiting, or counted without waiting; waiting with a reduction of ps over the threads. */
typedef enum wr_bar {
    WR_BAR_SYNC,
    WR_BAR_ARRIVE,
    WR_BAR_POPC, /* -> dst */
    WR_BAR_AND,  /* -> pd */
    WR_BAR_OR,
} wr_bar;

typedef enum wr_atom {
    WR_ATOM_ADD,
    WR_ATOM_MIN,
    WR_ATOM_MAX,
    WR_ATOM_AND,
    WR_ATOM_OR,
    WR_ATOM_XOR,
    WR_ATOM_EXCH,
    WR_ATOM_CAS,
    WR_ATOM_INC,
    WR_ATOM_DEC,
} wr_atom;

/* `mode` of TRAP: why. */
typedef enum wr_trap {
    WR_TRAP_PTX,   /* the text's own */
    WR_TRAP_STACK, /* a call for which the stack has no room */
    WR_TRAP_CALL,  /* an indirect call of what is no function that it may mean */
} wr_trap;

/* What ASSERT reads, each 8 bytes from the one before; addresses are generic. */
enum {
    WR_ASSERT_MESSAGE,
    WR_ASSERT_FILE,
    WR_ASSERT_LINE,
    WR_ASSERT_FUNCTION,
    WR_ASSERT_WORDS,
};

typedef enum wr_sreg {
    WR_SREG_TID_X,
    WR_SREG_TID_Y,
    WR_SREG_TID_Z,
    WR_SREG_NTID_X,
    WR_SREG_NTID_Y,
    WR_SREG_NTID_Z,
    WR_SREG_CTAID_X,
    WR_SREG_CTAID_Y,
    WR_SREG_CTAID_Z,
    WR_SREG_NCTAID_X,
    WR_SREG_NCTAID_Y,
    WR_SREG_NCTAID_Z,
    WR_SREG_LANEID,
    WR_SREG_WARPID,
    WR_SREG_NWARPID,
    WR_SREG_SMID,
    WR_SREG_NSMID,
    WR_SREG_CLOCK,
    WR_SREG_LANEMASK_EQ,
    WR_SREG_LANEMASK_LE,
    WR_SREG_LANEMASK_LT,
    WR_SREG_LANEMASK_GE,
    WR_SREG_LANEMASK_GT,
    WR_SREG_GRIDID,
    WR_SREG_GLOBALTIMER, /* ns */
    WR_SREG_DYNAMIC_SMEM_SIZE,
    WR_SREG_TOTAL_SMEM_SIZE,
    WR_SREG_COUNT
} wr_sreg;

/* Execution unit of an operation; a configuration gives latency and initiation interval. */
typedef enum wr_unit {
    WR_UNIT_NONE, /* control: handled at issue */
    WR_UNIT_INT,
    WR_UNIT_FP,
    WR_UNIT_DP,
    WR_UNIT_SFU,
    WR_UNIT_MEM,
} wr_unit;

/* What the second word of an instruction replaces one source by. */
typedef enum wr_ext {
    WR_EXT_NONE,
    WR_EXT_IMM,   /* `imm` is the 32-bit value, sign-extended for 64-bit integer types, the high
                     word (low word 0) for F64; for LD, ST, ATOM, RED: the signed byte offset
                     that is added to src[0] */
    WR_EXT_PARAM, /* the 32-bit word at byte `imm` of the parameter block (64-bit types: two) */
} wr_ext;

/* One decoded instruction. Sources: src[0..2]; a memory access has its address in src[0]
 * (RZ: absolute), the value stored or the operand of an atomic in src[1], of cas in src[2]
 * (src[1] compare, src[2] swap). The address is src_regs[0] registers wide: 2 = 64 bits, 1 or 0
 * (RZ) = 32 bits, where offset and sum wrap at 32 bits.
 *
 * Sub-word values (8, 16 bits) lie in the low bits of one register. An operation of such a type
 * reads only those bits and ignores what is above; it writes the result extended to 32 bits by
 * the type's signedness. SHL and SHR take a 32-bit amount in src[1] at every type; BFE has
 * 32-bit position and length in src[1] and src[2]; BFI inserts src[0] into src[1], with
 * position | length << 8 in src[2]. MUL and MAD wide: src[0], src[1] of `type`, src[2] and dst
 * twice as wide. CVT reads type2 and writes type; SET compares type2 and writes type. POPC and
 * CLZ write 32 bits, and so do BFIND and the dot products, whose type is that of src[0] and type2
 * that of src[1]. S2R in U64 reads clock, global timer and grid number whole. An operation of
 * type PRED (AND, OR, XOR) takes ps and ps2 to pd.
 *
 * Operations across lanes end with a mask of the lanes that take part (RZ: those that execute
 * it): src[2] of SHFL, src[1] of MATCH and REDUX, src[0] of VOTE and WARPSYNC. SHFL has in src[1]
 * the lane or distance, and the PTX operand c << 8. BAR has its number in src[0] or, where that
 * is RZ, in `barrier`, and a count of threads, a multiple of 32, in src[1] (RZ: the whole TB). */
typedef struct wr_insn {
    uint64_t live;     /* PP, BAR_PP: 54-bit liveness vector */
    uint64_t live_div; /* PP: the dummy's vector, for a diverged warp */
    uint32_t pc;       /* byte address of the first word */
    uint32_t imm;      /* see wr_ext */
    uint32_t target;   /* BRA: byte address of the target */
    uint32_t reconv;   /* BRA: reconvergence PC (immediate post-dominator); UINT32_MAX = exit */
    uint16_t op;       /* wr_op */
    uint8_t size;      /* 8 or 16 bytes */
    uint8_t unit;      /* wr_unit */
    uint8_t type;      /* wr_type of the operation (cvt: of the destination) */
    uint8_t type2;     /* cvt, set: type of the sources */
    uint8_t guard;     /* predicate P0..P6, or PT */
    bool guard_neg;
    uint8_t dst;      /* register or RZ */
    uint8_t dst_regs; /* registers written from dst on: 0 (none or RZ), 1, 2, 4 */
    uint8_t src[3];
    uint8_t src_regs[3]; /* registers read from src[i] on: 0 where unused, RZ or replaced */
    uint8_t nsrc;        /* operands in use, the extended one counted */
    uint8_t ext;         /* wr_ext */
    uint8_t ext_slot;    /* source index 0..2 that ext replaces (arithmetic) */
    uint8_t pd, pd2;     /* predicates written, PT = none */
    uint8_t ps, ps2;     /* predicates read besides the guard, PT = none/true */
    bool ps_neg, ps2_neg;
    uint8_t cmp, boolop, rnd, mode; /* wr_cmp, wr_bool, wr_round, wr_mul (wr_shfl, wr_trap ...) */
    uint8_t space, vec, atom, sreg; /* wr_space, 1/2/4, wr_atom, wr_sreg */
    uint8_t variant;                /* of the operation, see wr_prmt; LOP3: the truth table */
    bool ftz, sat, uniform, is_volatile;
    uint8_t barrier; /* BAR: number 0..15 */
} wr_insn;

/* Static facts of an opcode; one table row each. */
typedef struct wr_op_info {
    const char *name; /* as the disassembly prints it */
    uint8_t unit;     /* wr_unit, for integer types */
    uint8_t nsrc;
    bool has_dst;
} wr_op_info;

const wr_op_info *wr_isa_op_info(wr_op op);

/* Encodes one instruction into out[0..1]; returns the number of words (1 or 2), or 0 where a
 * field does not fit. */
unsigned wr_isa_encode(const wr_insn *insn, uint64_t out[2]);

/* Decodes the instruction at words[index]; returns words used, 0 on an undefined encoding.
 * Also fills the derived fields (unit, dst_regs, src_regs, nsrc, size, pc). */
unsigned wr_isa_decode(const uint64_t *words, size_t count, size_t index, wr_insn *out);

/* Writes one line of disassembly; returns its length as snprintf does. */
int wr_isa_print(const wr_insn *insn, char *buf, size_t size);

#endif
