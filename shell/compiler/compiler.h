/* SPDX-License-Identifier: Apache-2.0 */
/* Compiler: checked PTX tree -> machine code of shell/isa.
 *
 *   lower -> clean -> allocate -> preemption points -> emit
 *
 * Each stage is one file over the IR of ir.h. The result is plain data (shell/isa/kernel.h)
 * that refers to nothing of the tree, so the tree may be freed.
 */
#ifndef WR_SHELL_COMPILER_COMPILER_H
#define WR_SHELL_COMPILER_COMPILER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "shell/isa/kernel.h"
#include "shell/ptx/diag.h"
#include "shell/ptx/ptx.h"

#define WR_COMPILE_STACK     4096u /* at least, where it is not told */
#define WR_COMPILE_MAX_STACK (8u << 20)

typedef struct wr_compile_options {
    uint32_t max_regs;    /* registers per thread, 8..63; 0 = 63 */
    uint32_t pp_interval; /* Lin-P IV.A: K instructions outside loops; 0 = 1000 */
    bool no_pp;           /* no `pp` instructions; barriers are bar.pp all the same (P21) */
    bool no_cleanup;      /* lowering straight to allocation, for tests */
    uint32_t without;     /* clean-ups to leave out: bits of wr_pass_bit */
    uint32_t stack_bytes; /* a thread's stack for recursive calls, WR_COMPILE_MAX_STACK at most; it
                             has room for at least one call. 0 = 4 KiB or 64 activations, whichever
                             is more */
    uint32_t stack_least; /* with 0: these bytes at least */
    bool keep_refused;    /* a module all of whose kernels are refused is one, too */
} wr_compile_options;

/* Compiles every entry of the module. `options` NULL = defaults. An entry that can't be compiled
 * is refused by itself, with file, line and column of the PTX text; so is one that may call a
 * function that is refused. Returns NULL and fills `diag` where options or the module's variables
 * are at fault, or no entry is left: then with the first one's fault. */
wr_module *wr_compile(const wr_ptx_module *ptx, const wr_compile_options *options, wr_diag *diag);

void wr_module_free(wr_module *module);

/* The clean-ups before allocation, in the order in which they run. */
typedef struct wr_pass_info {
    const char *name, *what;
} wr_pass_info;
const wr_pass_info *wr_pass_row(size_t i); /* NULL behind the last */
uint32_t wr_pass_bit(const char *name);    /* 0: there is none of that name */

/* The kernel of that name, or NULL. */
const wr_kernel *wr_module_find(const wr_module *module, const char *name);

/* Why there is no kernel of that name; NULL: the text has none. */
const wr_diag *wr_module_refusal(const wr_module *module, const char *name);

typedef enum wr_kernel_print_flags {
    WR_PRINT_SUMMARY = 1, /* registers, memory, instructions */
    WR_PRINT_DISASM = 2,  /* pc, words in hex, text */
    WR_PRINT_POINTS = 4,  /* preemption points with their live sets */
    WR_PRINT_HARMS = 8,   /* instructions behind which a TB can't run again (isa/idempotence.h) */
} wr_kernel_print_flags;

/* What a hint says, in a few words. */
const char *wr_tb_sharing_text(wr_tb_sharing hint);

void wr_kernel_print(FILE *out, const wr_kernel *kernel, unsigned flags);

#endif
