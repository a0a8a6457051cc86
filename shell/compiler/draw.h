/* SPDX-License-Identifier: Apache-2.0 */
/* Live ranges of a kernel's registers as text. */
#ifndef WR_SHELL_COMPILER_DRAW_H
#define WR_SHELL_COMPILER_DRAW_H

#include "shell/isa/kernel.h"

/* Fills `before` (insn_count entries) with the registers live before each instruction, bit i =
 * register i. */
void wr_draw_live(const wr_kernel *kernel, uint64_t *before);

/* The columns of instruction i, a character a register, blanks at the end left out; `columns` has
 * room for WR_ISA_MAX_REGS + 1. */
void wr_draw_line(const wr_kernel *kernel, const uint64_t *before, size_t i, char *columns);

#endif
