/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and variables of a module by the names that their source gave them.
 *
 * clang and nvcc write C++ names into PTX as the Itanium C++ ABI encodes them: `_Z3addPf`,
 * `_ZN2la3addEPf`, `_ZL3addPf`, `_Z3addILi4EEvPf`. A launch file may name any of these `add`
 * (or the second one `la::add`); the encoded name always goes, and goes first.
 */
#ifndef WR_SHELL_HOST_NAMES_H
#define WR_SHELL_HOST_NAMES_H

#include "shell/isa/kernel.h"
#include "shell/ptx/diag.h"

/* Is `name` the C++ name, without parameters and template arguments, that `encoded` holds? */
bool wr_name_is(const char *encoded, const char *name);

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
