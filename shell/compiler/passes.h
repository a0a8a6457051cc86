/* SPDX-License-Identifier: Apache-2.0 */
/* The passes over the IR between lowering and emission, in the order in which they run. Each is
 * correct on its own and may be left out, but for wr_pass_legalise and wr_pass_allocate. */
#ifndef WR_SHELL_COMPILER_PASSES_H
#define WR_SHELL_COMPILER_PASSES_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"
#include "shell/isa/kernel.h"

/* Where each register and predicate is defined and how often it is used. A register has a
 * `def` where a single unguarded instruction writes all of it and nothing else writes it. */
typedef struct wr_defs {
    wr_ir_insn **def; /* by register; NULL = none or several */
    uint32_t *block, *index;
    uint32_t *uses, *addr_uses; /* operands that read it; as an address */
} wr_defs;

wr_defs *wr_defs_build(const wr_ir *ir);
wr_defs *wr_defs_build_in(const wr_ir *ir, wr_pool *pool);

/* The one definition of `reg` comes before the instruction at (block, index) on every path. */
bool wr_defs_reach(const wr_defs *defs, const wr_cfg *cfg, uint32_t reg, uint32_t block,
                   uint32_t index);

/* The same of predicates: `def` where a single unguarded instruction writes it. */
typedef struct wr_pred_defs {
    wr_ir_insn **def; /* by predicate; NULL = none or several */
    uint32_t *block, *index, *uses;
} wr_pred_defs;

wr_pred_defs *wr_pred_defs_build(const wr_ir *ir);
bool wr_pred_defs_reach(const wr_pred_defs *defs, const wr_cfg *cfg, uint32_t pred, uint32_t block,
                        uint32_t index);

/* Runs the clean-ups of a stage that `without` does not leave out (bits of wr_pass_bit). Returns
 * the graph as it is then; in the first stage there is none. */
typedef enum wr_pass_stage {
    WR_STAGE_GRAPHLESS,
    WR_STAGE_SCALAR,
    WR_STAGE_GUARDS, /* behind wr_pass_locks */
    WR_STAGE_LEGAL
} wr_pass_stage;
wr_cfg *wr_optimise(wr_ir *ir, wr_cfg *cfg, wr_pass_stage stage, uint32_t without);

/* Turns branches around branches; before the control-flow graph is built. */
void wr_pass_branches(wr_ir *ir);

/* Lets lanes that hold a lock go on before those that wait for it; true where blocks are new, and
 * the graph with them. */
bool wr_pass_locks(wr_ir *ir, const wr_cfg *cfg);

/* Removes instructions whose results nobody needs; returns how many. */
uint32_t wr_pass_dead_code(wr_ir *ir);

/* Places of local memory that are only loaded and stored become registers; returns whether there
 * was any. */
bool wr_pass_promote(wr_ir *ir);

/* Gives generic accesses whose address is certainly one of shared, local or parameter memory
 * their space. */
void wr_pass_spaces(wr_ir *ir);

/* Copies, constants and parameters to their uses, constant folding, addresses into
 * [register + offset], loads from fixed places of the parameter block to constant operands.
 * Repeats until nothing changes. */
void wr_pass_clean(wr_ir *ir, const wr_cfg *cfg);

/* Cheaper operations, and such as need fewer registers, for the same results. */
bool wr_pass_strength(wr_ir *ir);

/* Pairs of which only the low word is needed become words; returns whether there was any. */
bool wr_pass_narrow(wr_ir *ir, const wr_cfg *cfg);

/* Makes copies of what is computed again; returns whether there was any. */
bool wr_pass_cse(wr_ir *ir, const wr_cfg *cfg);

/* Copies and constants of predicates to their uses, and into comparisons what these are combined
 * with; returns whether it changed anything. */
bool wr_pass_predicates(wr_ir *ir, const wr_cfg *cfg);

/* Products that only an addition needs become part of it. */
bool wr_pass_fuse(wr_ir *ir, const wr_cfg *cfg);

/* Short sides of branches become guarded instructions. Returns the graph as it is then. */
wr_cfg *wr_pass_ifconv(wr_ir *ir, wr_cfg *cfg);

/* Marks the branches that keep lanes together for certain (m.uniform), and no others. */
void wr_pass_uniform(wr_ir *ir, const wr_cfg *cfg);

/* Simplifies one instruction in place; true where it changed. Part of wr_pass_clean. */
bool wr_fold_insn(wr_ir_insn *insn);
bool wr_fold_address(const wr_ir *ir, const wr_cfg *cfg, const wr_defs *defs, uint32_t block,
                     uint32_t index);

/* Says of every access where its address comes from (roots); while constants still stand where
 * they are used. None of the passes behind changes what an address is. */
void wr_pass_roots(wr_ir *ir);

/* The kernel's locality hint, a wr_tb_sharing: likewise, and behind wr_pass_roots. */
uint8_t wr_pass_locality(const wr_ir *ir, const wr_cfg *cfg);

/* Brings every instruction to a form that can be encoded: at most one constant operand, of 32
 * bits, where the operation takes one; others are loaded into a register right before. */
void wr_pass_legalise(wr_ir *ir);

/* Orders the instructions inside blocks for fewer registers, and for latency where there are
 * enough. */
void wr_pass_schedule(wr_ir *ir, const wr_cfg *cfg);

/* Assigns machine registers and predicates (at most max_regs, WR_ISA_PREDS), spilling to local
 * memory where they don't suffice; drops moves that became empty. Returns the number of
 * registers used, or 0 where even spilling can't make it fit. */
uint32_t wr_pass_allocate(wr_ir *ir, wr_cfg *cfg, uint32_t max_regs);

/* Places preemption points (after allocation) and fills in the vectors of all of them. `regs`
 * is the number of registers of a thread. */
typedef struct wr_points_options {
    uint32_t interval, regs;
    bool no_pp;
} wr_points_options;
void wr_pass_points(wr_ir *ir, const wr_cfg *cfg, const wr_points_options *options);

/* Machine code, into the kernel. False where a word can't be encoded: a broken invariant of
 * the passes before, or a kernel that is too long. */
bool wr_emit(wr_ir *ir, const wr_cfg *cfg, wr_pool *pool, wr_kernel *kernel);

#endif
