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

typedef struct wr_compile_options {
    uint32_t max_regs;    /* registers per thread, 8..63; 0 = 63 */
    uint32_t pp_interval; /* Lin-P IV.A: K instructions outside loops; 0 = 1000 */
    bool no_pp;           /* no `pp` instructions; barriers are bar.pp all the same (P21) */
    bool no_cleanup;      /* lowering straight to allocation, for tests */
} wr_compile_options;

/* Compiles every entry of the module. `options` NULL = defaults. Returns NULL and fills `diag`
 * (file, line, column of the PTX text) at the first thing it can't compile. */
wr_module *wr_compile(const wr_ptx_module *ptx, const wr_compile_options *options, wr_diag *diag);

void wr_module_free(wr_module *module);

/* The kernel of that name, or NULL. */
const wr_kernel *wr_module_find(const wr_module *module, const char *name);

typedef enum wr_kernel_print_flags {
    WR_PRINT_SUMMARY = 1, /* registers, memory, instructions */
    WR_PRINT_DISASM = 2,  /* pc, words in hex, text */
    WR_PRINT_POINTS = 4,  /* preemption points with their live sets */
} wr_kernel_print_flags;

void wr_kernel_print(FILE *out, const wr_kernel *kernel, unsigned flags);

#endif
