/* SPDX-License-Identifier: Apache-2.0 */
/* What the source calls a kernel or a variable.
 *
 * clang and nvcc write C++ names into PTX as the Itanium C++ ABI encodes them: `_Z3addPf`,
 * `_ZN2la3addEPf`, `_ZL3addPf`, `_Z3addILi4EEvPf`. Each of these may be named `add` (or the second
 * one `la::add`).
 */
#ifndef WR_SHELL_ISA_NAME_H
#define WR_SHELL_ISA_NAME_H

#include <stdbool.h>

/* Is `name` the C++ name, without parameters and template arguments, that `encoded` holds? */
bool wr_name_is(const char *encoded, const char *name);

#endif
