/* SPDX-License-Identifier: Apache-2.0 */
/* Lowering: one PTX function -> IR. Split by kind of instruction; what the parts share is here.
 *
 * Every PTX instruction becomes a short sequence. A guard goes on the instruction itself where
 * the sequence is one instruction, else a branch leads around the sequence: under a guard a
 * temporary's definition would not kill, and so would seem live from the kernel's start.
 */
#ifndef WR_SHELL_COMPILER_LOWER_H
#define WR_SHELL_COMPILER_LOWER_H

#include "shell/compiler/ir.h"
#include "shell/isa/kernel.h"
#include "shell/ptx/ptx.h"

/* Which functions of the module call which (lower_graph.c). */
typedef struct wr_calls wr_calls;
wr_calls *wr_calls_build(wr_pool *pool, const wr_ptx_module *module);

/* NULL: the PTX names no source. */
const wr_sources *wr_sources_build(wr_pool *pool, const wr_ptx_module *ptx);

/* Offsets of module variables in their images, by wr_ptx_var.index. */
typedef struct wr_layout {
    uint32_t *offset;
    uint32_t const_bytes;    /* of the whole .const image */
    const wr_diag **refused; /* by wr_ptx_var.index: why no kernel can name it, NULL = it can */
    uint32_t stack_bytes, stack_least; /* wr_compile_options */
    wr_calls *calls;
} wr_layout;

/* Where a variable is. Framed: in the activation, sp + offset in local memory (lower_call.c). A
 * parameter of an inlined function is the variable that was passed, else it has its own place. */
typedef struct wr_placed {
    const wr_ptx_var *var;
    uint32_t offset, own;
    bool framed, own_framed;
} wr_placed;

/* A function that is being lowered, and the call in it that is; the innermost is the present. */
typedef struct wr_scope {
    const wr_ptx_func *func;
    uint32_t *reg_map;
    const wr_ptx_insn *insn;
    uint32_t index, labels, carry;
    uint32_t ret_label; /* where `ret` goes; unused in a kernel */
    bool recursive;     /* part of a recursive function's body */
    bool root;          /* that function itself */
    const struct wr_scope *outer;
} wr_scope;

/* A function that the kernel may call. */
typedef struct wr_callee {
    const wr_ptx_func *func;
    bool recursive;
    /* recursive, in the present copy: */
    uint32_t label;  /* of its body; label + 1: its return */
    uint32_t *sites; /* labels behind its calls, by number */
    uint32_t site_count, site_cap;
    bool lowered;
} wr_callee;

typedef enum wr_patch_kind {
    WR_PATCH_OFFSET, /* offset += size of an activation */
    WR_PATCH_SIZE,   /* src[1] = that */
    WR_PATCH_LIMIT,  /* src[1] = the last place from which there is room for one more */
    WR_PATCH_BASE,   /* src[0] = the first one */
} wr_patch_kind;

typedef struct wr_patch {
    uint32_t at; /* in the stream */
    wr_patch_kind kind;
} wr_patch;

/* Where calls from a recursive function keep a register. */
typedef struct wr_save {
    const wr_ptx_func *func;
    uint32_t reg; /* of PTX */
    uint32_t offset;
} wr_save;

typedef struct wr_lower {
    wr_ir *ir;
    const wr_ptx_module *module;
    const wr_ptx_func *func;
    const wr_layout *layout;
    wr_diag *diag;
    wr_kernel *kernel; /* shared_bytes, param_bytes, ..._base_at are filled in */
    wr_ir_list out;
    uint32_t carry;    /* predicate of the carry flag; NO_REG = not yet */
    uint32_t *reg_map; /* PTX register -> virtual register or predicate; NO_REG = not yet */
    wr_placed *placed; /* shared and local variables of the kernel */
    uint32_t placed_count, placed_cap;
    uint32_t *placed_at; /* by hash of the variable: place in `placed` + 1, or 0 */
    uint32_t placed_slots;
    const wr_ptx_insn *insn; /* the one being lowered */
    uint32_t index;          /* its index */
    uint32_t labels;         /* label of the function's first instruction; one each follows */
    uint32_t *start;         /* by label: place in the stream */
    uint32_t start_count, start_cap;
    wr_scope scope;
    wr_callee *callees;
    uint32_t callee_count;
    bool has_stack;
    uint32_t sp, frame_bytes;
    wr_patch *patches;
    uint32_t patch_count, patch_cap;
    wr_save *saves;
    uint32_t save_count, save_cap;
    uint32_t assert_block; /* in local memory, see lower_service.c */
    bool has_assert_block;
    bool failed;
} wr_lower;

/* Refuses the present instruction; returns false. */
bool wr_lower_refuse(wr_lower *lo, const char *why);

wr_type wr_lower_type(wr_ptx_type type); /* WR_TYPE_COUNT: no such type */
bool wr_lower_types_known(wr_lower *lo); /* refuses types that the machine does not have */

void wr_lower_emit(wr_lower *lo, const wr_ir_insn *insn);

/* Sets the destination from operand `i`, emits, and extends where the PTX register is wider than
 * what the operation writes (ld, cvt) by the signedness of `result`. */
void wr_lower_emit_to(wr_lower *lo, wr_ir_insn *insn, const wr_ptx_operand *dst, wr_type result);

/* A source; special registers and addresses of variables are computed into temporaries where
 * need be. */
wr_ir_operand wr_lower_source(wr_lower *lo, const wr_ptx_operand *operand);

/* A predicate source: NO_REG and *neg for constants. */
uint32_t wr_lower_pred(wr_lower *lo, const wr_ptx_operand *operand, bool *neg);

/* The virtual register (or predicate) of a PTX register. */
uint32_t wr_lower_reg(wr_lower *lo, uint32_t ptx_reg);

/* The address of a variable as a value. */
wr_ir_operand wr_lower_symbol(wr_lower *lo, const wr_ptx_var *var, int64_t offset);

/* A function as a value: not an address but a number that is not 0, the same in all kernels. */
uint64_t wr_lower_func_address(const wr_ptx_func *func);

/* A temporary of `words` words. */
wr_ir_operand wr_lower_temp(wr_lower *lo, unsigned words);
/* lower_call.c: the predicate `a cmp b`. */
uint32_t wr_lower_test(wr_lower *lo, wr_cmp cmp, wr_type type, wr_ir_operand a, uint64_t b);
/* An instruction of up to three operands, into a new register; returns that. */
wr_ir_operand wr_lower_three(wr_lower *lo, wr_op op, wr_type type, wr_ir_operand a, wr_ir_operand b,
                             wr_ir_operand c);

/* The parts; each lowers lo->insn and returns false where it refuses. */
bool wr_lower_arith(wr_lower *lo);
/* The present instruction where it is a slip of LLVM's; false: it is not, and nothing was done. */
bool wr_lower_llvm(wr_lower *lo);
bool wr_lower_carry(wr_lower *lo);
bool wr_lower_mul24(wr_lower *lo);
bool wr_lower_mad_sat(wr_lower *lo);
bool wr_lower_testp(wr_lower *lo);
bool wr_lower_setp_pair(wr_lower *lo);
bool wr_lower_vabsdiff(wr_lower *lo);
bool wr_lower_set_half(wr_lower *lo);
bool wr_lower_cvt_pair(wr_lower *lo, const wr_insn *modifiers);
bool wr_lower_cvt_pack(wr_lower *lo);
bool wr_lower_cvt_fp8(wr_lower *lo);
/* The present fma.oob, all but its destination in `fma`. */
bool wr_lower_oob(wr_lower *lo, wr_ir_insn *fma);
bool wr_lower_move(wr_lower *lo);
bool wr_lower_cvta(wr_lower *lo);
bool wr_lower_isspacep(wr_lower *lo);
bool wr_lower_load(wr_lower *lo);
bool wr_lower_store(wr_lower *lo);
bool wr_lower_atomic(wr_lower *lo);
bool wr_lower_across(wr_lower *lo);
bool wr_lower_barrier(wr_lower *lo);
bool wr_lower_call(wr_lower *lo);
bool wr_lower_branch_table(wr_lower *lo);
/* The present call, of a function without a body. */
bool wr_lower_service(wr_lower *lo, const wr_ptx_func *func);

/* ---- functions and labels ---- */

/* `count` new labels, the first of which is returned; branch targets are labels. */
uint32_t wr_lower_labels(wr_lower *lo, uint32_t count);
void wr_lower_bind(wr_lower *lo, uint32_t label); /* here */

/* Lowers the body of lo->func; what falls off its end comes out behind it. */
bool wr_lower_body(wr_lower *lo);

/* Finds the functions that the kernel may call. */
void wr_lower_find_calls(wr_lower *lo);
wr_callee *wr_lower_callee(wr_lower *lo, const wr_ptx_func *func); /* NULL: it may not */
/* The functions that a call may mean, one after the other; *at is 0 at first. NULL: no more. */
const wr_ptx_func *wr_lower_next_callee(const wr_calls *calls, const wr_ptx_insn *call,
                                        uint32_t *at);
/* The kernel's first instructions, and when all is lowered: the stack's place and size. */
void wr_lower_begin_stack(wr_lower *lo);
void wr_lower_end_stack(wr_lower *lo);

/* Places all variables that the kernel and its callees name. */
void wr_lower_place(wr_lower *lo);

/* The place of a shared or local variable, of a parameter of a .func or for a call; NULL: a
 * kernel's parameter. */
wr_placed *wr_lower_placed(const wr_lower *lo, const wr_ptx_var *var);

/* A virtual register or predicate for a PTX register of that type. */
uint32_t wr_lower_new_reg(wr_lower *lo, wr_ptx_type type);

/* PTX registers of `func` that are live behind its instruction `index`. */
const bool *wr_lower_live(wr_lower *lo, const wr_ptx_func *func, uint32_t index);

/* A load at a fixed byte of the parameter block -> moves from the constant bank, appended to
 * `list`. Shared with the clean-up that finds such addresses later. */
void wr_lower_param_load(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *load);

/* Lowers the whole function and builds the blocks. NULL and diag where it can't. */
wr_ir *wr_lower_func(wr_pool *pool, const wr_ptx_module *module, const wr_ptx_func *func,
                     const wr_layout *layout, wr_kernel *kernel, wr_diag *diag);

#endif
