/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and variables of a module by the names that their source gave them (shell/isa/name.h);
 * the name of the PTX text always goes, and goes first.
 */
#ifndef WR_SHELL_HOST_NAMES_H
#define WR_SHELL_HOST_NAMES_H

#include "shell/isa/kernel.h"
#include "shell/ptx/diag.h"

typedef struct wr_named {
    const wr_kernel *kernel; /* NULL where there is none */
    const wr_diag *refused;  /* of a kernel that can't be compiled; else NULL */
    const char *other;       /* another kernel of the same C++ name: the name is not enough */
    const char *encoded;     /* the first one's name in the PTX text, NULL where there is none */
} wr_named;

wr_named wr_find_kernel(const wr_module *module, const char *name);

/* The variable of that name, or NULL; `other` as above. */
const wr_module_var *wr_find_variable(const wr_module *module, const char *name,
                                      const char **other);

#endif
