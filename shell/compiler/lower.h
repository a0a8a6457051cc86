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

/* Offsets of module variables in their images, by wr_ptx_var.index. */
typedef struct wr_layout {
    uint32_t *offset;
    uint32_t const_bytes; /* of the whole .const image */
} wr_layout;

typedef struct wr_placed {
    const wr_ptx_var *var;
    uint32_t offset;
} wr_placed;

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
    const wr_ptx_insn *insn; /* the one being lowered */
    uint32_t index;          /* its index */
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

/* The parts; each lowers lo->insn and returns false where it refuses. */
bool wr_lower_arith(wr_lower *lo);
bool wr_lower_carry(wr_lower *lo);
bool wr_lower_mul24(wr_lower *lo);
bool wr_lower_mad_sat(wr_lower *lo);
bool wr_lower_testp(wr_lower *lo);
bool wr_lower_setp_pair(wr_lower *lo);
bool wr_lower_set_half(wr_lower *lo);
bool wr_lower_cvt_pair(wr_lower *lo, const wr_insn *modifiers);
bool wr_lower_move(wr_lower *lo);
bool wr_lower_cvta(wr_lower *lo);
bool wr_lower_isspacep(wr_lower *lo);
bool wr_lower_load(wr_lower *lo);
bool wr_lower_store(wr_lower *lo);
bool wr_lower_atomic(wr_lower *lo);
bool wr_lower_across(wr_lower *lo);
bool wr_lower_barrier(wr_lower *lo);

/* A load at a fixed byte of the parameter block -> moves from the constant bank, appended to
 * `list`. Shared with the clean-up that finds such addresses later. */
void wr_lower_param_load(wr_ir *ir, wr_ir_list *list, const wr_ir_insn *load);

/* Lowers the whole function and builds the blocks. NULL and diag where it can't. */
wr_ir *wr_lower_func(wr_pool *pool, const wr_ptx_module *module, const wr_ptx_func *func,
                     const wr_layout *layout, wr_kernel *kernel, wr_diag *diag);

#endif
