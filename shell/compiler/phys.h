/* SPDX-License-Identifier: Apache-2.0 */
/* Liveness of machine registers, after allocation: one 64-bit mask a set. */
#ifndef WR_SHELL_COMPILER_PHYS_H
#define WR_SHELL_COMPILER_PHYS_H

#include "shell/compiler/cfg.h"
#include "shell/compiler/ir.h"

typedef struct wr_phys {
    uint64_t *in, *out; /* by block */
} wr_phys;

wr_phys *wr_phys_build(wr_ir *ir, const wr_cfg *cfg);

/* From behind an instruction to before it. A guarded write does not kill. */
uint64_t wr_phys_step(const wr_ir_insn *insn, uint64_t live);

/* Machine operands of an instruction that has none. */
void wr_phys_no_operands(wr_insn *m);

#endif
