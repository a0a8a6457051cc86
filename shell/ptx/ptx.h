/* SPDX-License-Identifier: Apache-2.0 */
/* PTX front end: text -> checked syntax tree.
 *
 * The tree says what the text says, with every name resolved: a register is a dense index
 * into its function's `regs`, a label an index into its `insns`, a variable a pointer. What
 * comes out has been checked against the tables of instruction forms (form.h): operand counts and
 * kinds, types, modifiers, register types. So a reader of the tree may rely on the operands
 * that the forms promise and needs no checks of its own; it must only refuse the operations
 * that it does not implement (`wr_ptx_refuse`).
 *
 * Module, functions, names, and all else live in one arena and are freed at once.
 *
 * Not taken: textures, surfaces, tensor-core and asynchronous-copy instructions, video
 * instructions. They are refused by name: an instruction that no form takes, or a declaration that
 * can't be read, refuses its function alone (`refused`), so that a module's other kernels can be
 * used; such an instruction is left out of the tree, and so is what stands behind such a
 * declaration. One outside functions refuses those that name the variable. What else breaks the
 * grammar refuses the module.
 */
#ifndef WR_SHELL_PTX_PTX_H
#define WR_SHELL_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/ptx/diag.h"

typedef enum wr_ptx_type {
    WR_PTX_TYPE_NONE,
    WR_PTX_U8,
    WR_PTX_U16,
    WR_PTX_U32,
    WR_PTX_U64,
    WR_PTX_S8,
    WR_PTX_S16,
    WR_PTX_S32,
    WR_PTX_S64,
    WR_PTX_B8,
    WR_PTX_B16,
    WR_PTX_B32,
    WR_PTX_B64,
    WR_PTX_B128,
    WR_PTX_F16,
    WR_PTX_F32,
    WR_PTX_F64,
    WR_PTX_F16X2,
    WR_PTX_BF16,
    WR_PTX_BF16X2,
    WR_PTX_TF32,
    WR_PTX_U16X2,
    WR_PTX_S16X2,
    /* formats that only instructions name: no register or variable has them */
    WR_PTX_E4M3X2,
    WR_PTX_E5M2X2,
    WR_PTX_U2,
    WR_PTX_S2,
    WR_PTX_U4,
    WR_PTX_S4,
    WR_PTX_PRED,
    WR_PTX_TYPE_COUNT
} wr_ptx_type;

/* One enumerator per operation; its types and modifiers are fields of the instruction. */
typedef enum wr_ptx_op {
    /* arithmetic */
    WR_PTX_ADD,
    WR_PTX_SUB,
    WR_PTX_MUL,
    WR_PTX_MAD,
    WR_PTX_MUL24,
    WR_PTX_MAD24,
    WR_PTX_FMA,
    WR_PTX_DIV,
    WR_PTX_REM,
    WR_PTX_ABS,
    WR_PTX_NEG,
    WR_PTX_MIN,
    WR_PTX_MAX,
    WR_PTX_SAD,
    WR_PTX_ADDC,
    WR_PTX_SUBC,
    WR_PTX_MADC,
    WR_PTX_DP4A,
    WR_PTX_DP2A,
    WR_PTX_RCP,
    WR_PTX_SQRT,
    WR_PTX_RSQRT,
    WR_PTX_SIN,
    WR_PTX_COS,
    WR_PTX_LG2,
    WR_PTX_EX2,
    WR_PTX_TANH,
    WR_PTX_COPYSIGN,
    WR_PTX_TESTP,
    /* bits */
    WR_PTX_AND,
    WR_PTX_OR,
    WR_PTX_XOR,
    WR_PTX_NOT,
    WR_PTX_CNOT,
    WR_PTX_LOP3,
    WR_PTX_SHL,
    WR_PTX_SHR,
    WR_PTX_SHF,
    WR_PTX_POPC,
    WR_PTX_CLZ,
    WR_PTX_BFIND,
    WR_PTX_BREV,
    WR_PTX_BFE,
    WR_PTX_BFI,
    WR_PTX_PRMT,
    WR_PTX_FNS,
    WR_PTX_BMSK,
    WR_PTX_SZEXT,
    /* comparison and selection */
    WR_PTX_SET,
    WR_PTX_SETP,
    WR_PTX_SELP,
    WR_PTX_SLCT,
    /* data movement */
    WR_PTX_MOV,
    WR_PTX_CVT,
    WR_PTX_CVTA,
    WR_PTX_CVTA_TO,
    WR_PTX_ISSPACEP,
    WR_PTX_LD,
    WR_PTX_LDU,
    WR_PTX_ST,
    WR_PTX_PREFETCH,
    WR_PTX_PREFETCHU,
    /* atomics, barriers, fences */
    WR_PTX_ATOM,
    WR_PTX_RED,
    WR_PTX_BAR_SYNC,
    WR_PTX_BAR_ARRIVE,
    WR_PTX_BAR_RED,
    WR_PTX_BAR_WARP_SYNC,
    WR_PTX_MEMBAR,
    WR_PTX_FENCE,
    /* across the warp; the forms without .sync have a mod SYNC of 0 */
    WR_PTX_SHFL,
    WR_PTX_VOTE,
    WR_PTX_MATCH,
    WR_PTX_REDUX,
    WR_PTX_ACTIVEMASK,
    /* control */
    WR_PTX_BRA,
    WR_PTX_BRX,
    WR_PTX_CALL,
    WR_PTX_RET,
    WR_PTX_EXIT,
    WR_PTX_TRAP,
    WR_PTX_NANOSLEEP,
    WR_PTX_VABSDIFF2,
    WR_PTX_VABSDIFF4,
    WR_PTX_CVT_PACK,
    WR_PTX_GRIDDEPCONTROL, /* launches run one after the other: nothing to wait for */
    WR_PTX_OP_COUNT
} wr_ptx_op;

/* Modifiers. Each falls in a slot, and an instruction has at most one value a slot: 0 where
 * it was not written, else an enumerator below. The order of slots is the order in which
 * PTX writes them. */
typedef enum wr_ptx_slot {
    WR_PTX_SLOT_UNI,       /* 1: .uni */
    WR_PTX_SLOT_SYNC,      /* 1: .sync (vote.sync, shfl.sync) */
    WR_PTX_SLOT_SEM,       /* wr_ptx_sem */
    WR_PTX_SLOT_SCOPE,     /* wr_ptx_scope */
    WR_PTX_SLOT_SPACE,     /* wr_ptx_space; 0 = generic address */
    WR_PTX_SLOT_MODE,      /* wr_ptx_mode: what selects a variant of the operation */
    WR_PTX_SLOT_CMP,       /* wr_ptx_cmp */
    WR_PTX_SLOT_BOOL,      /* wr_ptx_bool */
    WR_PTX_SLOT_RND,       /* wr_ptx_rnd, .approx and .full too */
    WR_PTX_SLOT_OOB,       /* 1: .oob (fma) */
    WR_PTX_SLOT_SATFINITE, /* 1: .satfinite (cvt to 8-bit floats) */
    WR_PTX_SLOT_NOFTZ,     /* 1: .noftz (atom, red) */
    WR_PTX_SLOT_FTZ,       /* 1: .ftz */
    WR_PTX_SLOT_SAT,       /* 1: .sat; 2: .relu */
    WR_PTX_SLOT_NAN,       /* 1: .NaN (min, max) */
    WR_PTX_SLOT_XORSIGN,   /* 1: .xorsign (min, max), always with .abs */
    WR_PTX_SLOT_ABS,       /* 1: .abs behind .xorsign */
    WR_PTX_SLOT_CC,        /* 1: .cc, writes the carry flag */
    WR_PTX_SLOT_CACHE,     /* wr_ptx_cache: a hint; no effect on values */
    WR_PTX_SLOT_NC,        /* 1: .nc */
    WR_PTX_SLOT_EVICT,     /* 1: an eviction hint; no effect on values */
    WR_PTX_SLOT_PREFETCH,  /* 1: a prefetch-size hint; no effect on values */
    WR_PTX_SLOT_HINT,      /* 1: a cache policy is the last operand, which the tree leaves out */
    WR_PTX_SLOT_MMIO,      /* 1: .mmio (ld, st): no effect on values */
    WR_PTX_SLOT_ALIGNED,   /* 1: .aligned (barrier) */
    WR_PTX_SLOT_VEC,       /* 2, 4, 8 */
    WR_PTX_SLOT_COUNT
} wr_ptx_slot;

typedef enum wr_ptx_sem {
    WR_PTX_SEM_WEAK = 1,
    WR_PTX_SEM_VOLATILE,
    WR_PTX_SEM_RELAXED,
    WR_PTX_SEM_ACQUIRE,
    WR_PTX_SEM_RELEASE,
    WR_PTX_SEM_ACQ_REL,
    WR_PTX_SEM_SC,
} wr_ptx_sem;

/* membar's levels are written as scopes too: .cta = CTA, .gl = GPU, .sys = SYS. */
typedef enum wr_ptx_scope {
    WR_PTX_SCOPE_CTA = 1,
    WR_PTX_SCOPE_CLUSTER,
    WR_PTX_SCOPE_GPU,
    WR_PTX_SCOPE_SYS,
} wr_ptx_scope;

typedef enum wr_ptx_space {
    WR_PTX_SPACE_GENERIC,
    WR_PTX_SPACE_GLOBAL,
    WR_PTX_SPACE_SHARED,
    WR_PTX_SPACE_LOCAL,
    WR_PTX_SPACE_CONST,
    WR_PTX_SPACE_PARAM,
} wr_ptx_space;

typedef enum wr_ptx_mode {
    WR_PTX_MODE_LO = 1,
    WR_PTX_MODE_HI,
    WR_PTX_MODE_WIDE, /* mul, mad, dp2a */
    WR_PTX_MODE_ADD,
    WR_PTX_MODE_MIN,
    WR_PTX_MODE_MAX,
    WR_PTX_MODE_AND, /* atom, red, redux */
    WR_PTX_MODE_OR,
    WR_PTX_MODE_XOR,
    WR_PTX_MODE_EXCH,
    WR_PTX_MODE_CAS,
    WR_PTX_MODE_INC,
    WR_PTX_MODE_DEC,
    WR_PTX_MODE_POPC, /* bar.red */
    WR_PTX_MODE_UP,
    WR_PTX_MODE_DOWN,
    WR_PTX_MODE_BFLY,
    WR_PTX_MODE_IDX, /* shfl */
    WR_PTX_MODE_ALL,
    WR_PTX_MODE_ANY,
    WR_PTX_MODE_VOTE_UNI,
    WR_PTX_MODE_BALLOT, /* vote, match */
    WR_PTX_MODE_L_WRAP,
    WR_PTX_MODE_L_CLAMP,
    WR_PTX_MODE_R_WRAP,
    WR_PTX_MODE_R_CLAMP, /* shf */
    WR_PTX_MODE_CLAMP,
    WR_PTX_MODE_WRAP,     /* bmsk, szext */
    WR_PTX_MODE_SHIFTAMT, /* bfind */
    WR_PTX_MODE_FINITE,
    WR_PTX_MODE_INFINITE,
    WR_PTX_MODE_NUMBER, /* testp */
    WR_PTX_MODE_NOTANUMBER,
    WR_PTX_MODE_NORMAL,
    WR_PTX_MODE_SUBNORMAL,
    WR_PTX_MODE_F4E,
    WR_PTX_MODE_B4E,
    WR_PTX_MODE_RC8,
    WR_PTX_MODE_ECL, /* prmt */
    WR_PTX_MODE_ECR,
    WR_PTX_MODE_RC16,
    WR_PTX_MODE_L1,
    WR_PTX_MODE_L2, /* prefetch */
} wr_ptx_mode;

typedef enum wr_ptx_cmp {
    WR_PTX_CMP_EQ = 1,
    WR_PTX_CMP_NE,
    WR_PTX_CMP_LT,
    WR_PTX_CMP_LE,
    WR_PTX_CMP_GT,
    WR_PTX_CMP_GE,
    WR_PTX_CMP_LO,
    WR_PTX_CMP_LS,
    WR_PTX_CMP_HI,
    WR_PTX_CMP_HS, /* unsigned */
    WR_PTX_CMP_EQU,
    WR_PTX_CMP_NEU,
    WR_PTX_CMP_LTU,
    WR_PTX_CMP_LEU,
    WR_PTX_CMP_GTU,
    WR_PTX_CMP_GEU, /* true on NaN */
    WR_PTX_CMP_NUM,
    WR_PTX_CMP_NAN,
} wr_ptx_cmp;

typedef enum wr_ptx_bool { WR_PTX_BOOL_AND = 1, WR_PTX_BOOL_OR, WR_PTX_BOOL_XOR } wr_ptx_bool;

typedef enum wr_ptx_rnd {
    WR_PTX_RND_RN = 1,
    WR_PTX_RND_RZ,
    WR_PTX_RND_RM,
    WR_PTX_RND_RP,
    WR_PTX_RND_RNA,
    WR_PTX_RND_RNI,
    WR_PTX_RND_RZI,
    WR_PTX_RND_RMI,
    WR_PTX_RND_RPI,
    WR_PTX_RND_APPROX,
    WR_PTX_RND_FULL,
} wr_ptx_rnd;

typedef enum wr_ptx_cache {
    WR_PTX_CACHE_CA = 1,
    WR_PTX_CACHE_CG,
    WR_PTX_CACHE_CS,
    WR_PTX_CACHE_LU,
    WR_PTX_CACHE_CV,
    WR_PTX_CACHE_WB,
    WR_PTX_CACHE_WT,
} wr_ptx_cache;

typedef enum wr_ptx_sreg {
    WR_PTX_SREG_TID,
    WR_PTX_SREG_NTID,
    WR_PTX_SREG_CTAID,
    WR_PTX_SREG_NCTAID, /* .x .y .z */
    WR_PTX_SREG_LANEID,
    WR_PTX_SREG_WARPID,
    WR_PTX_SREG_NWARPID,
    WR_PTX_SREG_SMID,
    WR_PTX_SREG_NSMID,
    WR_PTX_SREG_GRIDID,
    WR_PTX_SREG_LANEMASK_EQ,
    WR_PTX_SREG_LANEMASK_LE,
    WR_PTX_SREG_LANEMASK_LT,
    WR_PTX_SREG_LANEMASK_GE,
    WR_PTX_SREG_LANEMASK_GT,
    WR_PTX_SREG_CLOCK,
    WR_PTX_SREG_CLOCK_HI,
    WR_PTX_SREG_CLOCK64,
    WR_PTX_SREG_GLOBALTIMER,
    WR_PTX_SREG_GLOBALTIMER_LO,
    WR_PTX_SREG_GLOBALTIMER_HI,
    WR_PTX_SREG_DYNAMIC_SMEM_SIZE,
    WR_PTX_SREG_TOTAL_SMEM_SIZE,
    WR_PTX_SREG_AGGR_SMEM_SIZE,
    WR_PTX_SREG_RESERVED_SMEM_BEGIN,
    WR_PTX_SREG_RESERVED_SMEM_END,
    WR_PTX_SREG_RESERVED_SMEM_CAP,
    WR_PTX_SREG_RESERVED_SMEM_0,
    WR_PTX_SREG_RESERVED_SMEM_1,
    WR_PTX_SREG_CLUSTERID,
    WR_PTX_SREG_NCLUSTERID,
    WR_PTX_SREG_CLUSTER_CTAID,
    WR_PTX_SREG_CLUSTER_NCTAID, /* .x .y .z */
    WR_PTX_SREG_CLUSTER_CTARANK,
    WR_PTX_SREG_CLUSTER_NCTARANK,
    WR_PTX_SREG_IS_EXPLICIT_CLUSTER,
    WR_PTX_SREG_ENVREG, /* component: its number; var: the workspace, of 1 and 2 */
    WR_PTX_SREG_WARPSZ,
    WR_PTX_SREG_COUNT
} wr_ptx_sreg;

#define WR_PTX_NO_REG UINT32_MAX

/* Names in scope at module level and in functions; `name` is the text. */
typedef struct wr_ptx_reg {
    const char *name;
    wr_ptx_type type;
    unsigned line;
} wr_ptx_reg;

struct wr_ptx_var;
struct wr_ptx_func;

/* An address in an initialiser: `size` bytes at `offset` hold symbol + addend. */
typedef struct wr_ptx_reloc {
    uint64_t offset;
    uint32_t size; /* 4 or 8; 1: one byte of it, `shift` bits up */
    uint8_t shift;
    bool generic; /* generic(symbol): the generic address rather than the one in its space */
    const struct wr_ptx_var *var;   /* either var */
    const struct wr_ptx_func *func; /* or func */
    int64_t addend;
    struct wr_ptx_reloc *next;
} wr_ptx_reloc;

typedef enum wr_ptx_linkage {
    WR_PTX_LINK_LOCAL,
    WR_PTX_LINK_VISIBLE,
    WR_PTX_LINK_EXTERN,
    WR_PTX_LINK_WEAK,
    WR_PTX_LINK_COMMON,
} wr_ptx_linkage;

/* A variable or a parameter. */
typedef struct wr_ptx_var {
    const char *name;
    wr_ptx_space space; /* never GENERIC */
    wr_ptx_linkage linkage;
    wr_ptx_type type; /* of an element; of a vector's element for .v2, .v4 */
    uint8_t vec;      /* 1, 2, 4 */
    bool is_array;
    bool is_open;    /* `name[]`: dynamic shared memory, size 0 */
    uint32_t align;  /* bytes, a power of two */
    uint64_t size;   /* bytes in all */
    uint64_t offset; /* parameters of an entry or func: byte offset in the parameter block */
    bool is_reg;     /* a .reg parameter (PTX before 2.0): in the body a register, `reg` */
    uint32_t reg;
    bool is_pointer;            /* .ptr parameter attribute */
    wr_ptx_space pointee_space; /* .ptr .global ...; GENERIC where not given */
    uint32_t pointee_align;     /* 0 = not given */
    const uint8_t *init;        /* first init_size bytes, little-endian; the rest is zeros */
    uint64_t init_size;         /* 0..size */
    const wr_ptx_reloc *relocs; /* addresses to add into init, in order of offset */
    bool in_module;             /* declared outside functions */
    const wr_diag *refused;     /* why no function can name it: a texture, or not understood */
    unsigned line, column;
    uint32_t index;          /* place in its list (module vars, func params or func vars) */
    struct wr_ptx_var *next; /* chain in its list */
} wr_ptx_var;

/* Operand kinds. */
typedef enum wr_ptx_kind {
    WR_PTX_OPD_REG,    /* reg; reg2 in `p|q` and `d|p` destinations; `neg` for `!p` */
    WR_PTX_OPD_IMM,    /* bits, in the operand's type: integers extended to 64 bits by their
                          signedness, floats as their bit pattern */
    WR_PTX_OPD_ADDR,   /* [base + offset]: reg or var (neither: absolute) and offset */
    WR_PTX_OPD_SYMBOL, /* address of var (or func) + offset, as a value */
    WR_PTX_OPD_LABEL,  /* target: index into insns */
    WR_PTX_OPD_TABLE,  /* table: .branchtargets, .calltargets or .callprototype */
    WR_PTX_OPD_VECTOR, /* {elems[0..count)}: REG, IMM or SINK each */
    WR_PTX_OPD_SREG,   /* sreg and component */
    WR_PTX_OPD_SINK,   /* `_` */
    WR_PTX_OPD_LIST,   /* call: parenthesised arguments, elems[0..count) */
} wr_ptx_kind;

typedef struct wr_ptx_operand {
    wr_ptx_kind kind;
    wr_ptx_type type;  /* in which the instruction uses it; NONE for addresses, labels */
    bool neg;          /* !p */
    bool decimal;      /* IMM: written as 1.5, which only float types take */
    uint8_t component; /* of a special register: 0 = x, 1 = y, 2 = z, 3 = w */
    wr_ptx_sreg sreg;
    uint32_t reg;  /* index into the function's regs, or WR_PTX_NO_REG */
    uint32_t reg2; /* likewise */
    uint32_t target;
    uint32_t count; /* of elems */
    uint64_t bits;  /* IMM */
    int64_t offset; /* ADDR, SYMBOL */
    const wr_ptx_var *var;
    const struct wr_ptx_func *func;
    const struct wr_ptx_table *table;
    struct wr_ptx_operand *elems;
    unsigned line, column;
} wr_ptx_operand;

/* Operands of calls, in this order: [0] LIST of return arguments, [1] callee (SYMBOL with func,
 * or REG), [2] LIST of arguments; [3] TABLE, only for indirect calls. Every other operation has
 * its operands as PTX writes them; the first `dst_count` are destinations. */
typedef struct wr_ptx_insn {
    wr_ptx_op op;
    const char *text;    /* mnemonic with its modifiers as written: "add.rn.f32" */
    wr_ptx_type type[3]; /* as written; cvt: {destination, source}; set, slct: {d, source} */
    uint8_t mod[WR_PTX_SLOT_COUNT];
    uint32_t guard; /* predicate register, or WR_PTX_NO_REG */
    bool guard_neg;
    uint8_t dst_count;
    uint8_t operand_count;
    wr_ptx_operand *operands;
    bool by_llvm;                /* LLVM's back end has made it, not the text's inline assembly */
    unsigned line, column;       /* in the PTX text */
    unsigned src_file, src_line; /* from .loc; 0 = none */
} wr_ptx_insn;

typedef struct wr_ptx_label {
    const char *name;
    uint32_t target; /* index into insns; insn_count = the end of the body */
    unsigned line, column;
} wr_ptx_label;

typedef enum wr_ptx_table_kind {
    WR_PTX_TABLE_BRANCH,
    WR_PTX_TABLE_CALL,
    WR_PTX_TABLE_PROTO,
} wr_ptx_table_kind;

/* A labelled list: targets of brx.idx or of an indirect call, or its prototype. */
typedef struct wr_ptx_table {
    const char *name;
    wr_ptx_table_kind kind;
    uint32_t count;
    uint32_t *targets;                /* BRANCH: indices into insns */
    const struct wr_ptx_func **funcs; /* CALL */
    wr_ptx_var *rets, *params;        /* PROTO */
    unsigned line;
    struct wr_ptx_table *next;
} wr_ptx_table;

typedef struct wr_ptx_pragma {
    const char *text;
    uint32_t at; /* index of the next instruction; 0 at the head of the function too */
    struct wr_ptx_pragma *next;
} wr_ptx_pragma;

typedef struct wr_ptx_func {
    const char *name;
    bool is_entry;
    bool has_body; /* false: a declaration */
    bool noreturn;
    wr_ptx_linkage linkage;
    wr_ptx_var *rets;   /* .func only */
    wr_ptx_var *params; /* chain through `next` */
    uint32_t ret_count, param_count;
    uint64_t param_bytes; /* of the parameter block */
    wr_ptx_reg *regs;
    uint32_t reg_count;
    wr_ptx_var *vars; /* .local, .shared, .param and others declared inside, chained */
    uint32_t var_count;
    wr_ptx_insn *insns;
    uint32_t insn_count;
    wr_ptx_label *labels; /* in order of the text */
    uint32_t label_count;
    wr_ptx_table *tables;
    wr_ptx_pragma *pragmas;
    uint32_t maxntid[3], reqntid[3];              /* 0, 0, 0 = not given; else all above 0 */
    uint32_t minnctapersm, maxnctapersm, maxnreg; /* 0 = not given */
    unsigned line, column;
    const wr_diag *refused; /* the first thing in it that is not taken; NULL = all is */
    uint32_t index;
    struct wr_ptx_func *next;
} wr_ptx_func;

typedef struct wr_ptx_module {
    const char *file; /* as given to the parser */
    unsigned version_major, version_minor;
    const char *target;    /* "sm_50" */
    unsigned sm;           /* 50 */
    unsigned address_size; /* 32 or 64 */
    wr_ptx_var *vars;      /* at module level, chained, in order */
    uint32_t var_count;
    wr_ptx_func *funcs; /* declarations that have a definition are not listed */
    uint32_t func_count;
    const char **src_files; /* from .file, by number; NULL where not given */
    uint32_t src_file_count;
    struct wr_ptx_arena *arena; /* owns all of the above */
} wr_ptx_module;

/* Parses `len` bytes of PTX. `file_name` is for messages only. Returns NULL and fills `diag`
 * at the first error; a function that is refused is no error. Free with wr_ptx_free. */
wr_ptx_module *wr_ptx_parse(const char *file_name, const char *text, size_t len, wr_diag *diag);

/* The same for a file; `diag` with line 0 where it cannot be read. */
wr_ptx_module *wr_ptx_parse_file(const char *path, wr_diag *diag);

void wr_ptx_free(wr_ptx_module *module);

/* The entry or function of that name, or NULL. */
const wr_ptx_func *wr_ptx_find_func(const wr_ptx_module *module, const char *name);

/* Fills `diag` with "'tex.2d' is not supported: <why>" at the instruction's place; for what
 * later stages do not implement. */
void wr_ptx_refuse(wr_diag *diag, const wr_ptx_module *module, const wr_ptx_insn *insn,
                   const char *why);

/* Bytes of a type; 0 for PRED and NONE. */
unsigned wr_ptx_type_size(wr_ptx_type type);
/* As written, without the dot: "u32". */
const char *wr_ptx_type_name(wr_ptx_type type);
bool wr_ptx_type_is_float(wr_ptx_type type);  /* F16, F32, F64, and the packed and bf forms */
bool wr_ptx_type_is_signed(wr_ptx_type type); /* S8..S64 */
bool wr_ptx_type_is_bits(wr_ptx_type type);   /* B8..B128 */
bool wr_ptx_type_is_format(wr_ptx_type type); /* E4M3X2..S4: of instructions alone */

#endif
