/* SPDX-License-Identifier: Apache-2.0 */
/* A module from a file: PTX text as it is, or CUDA C through clang first.
 *
 * CUDA C is compiled for the device only, with kernels/cuda.h as its header and no CUDA
 * toolkit. Float contraction is off, so that only fma that is written is fma; a flag in the
 * launch file can turn it on.
 */
#ifndef WR_SHELL_HOST_MODULE_H
#define WR_SHELL_HOST_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/compiler/compiler.h"
#include "shell/isa/kernel.h"
#include "shell/ptx/diag.h"

typedef struct wr_cuda_options {
    uint32_t address_size;    /* 32 or 64; 0 = 32 */
    const char *const *flags; /* further flags of clang */
    size_t flag_count;
    /* Where not NULL it gets the names of the files that clang read, each with a NUL behind it and
     * an empty one behind the last, for the caller to free. As it was where there is no clang. */
    char **sources;
    bool quiet; /* clang's warnings are not shown */
} wr_cuda_options;

/* PTX text of `path`, a .cu file (compiled by $WARPREF_CLANG, else clang-14, else clang) or a
 * .ptx file (read). Ends in a NUL that is not counted; the caller frees it. NULL with `diag`
 * set; clang's first error becomes the diagnostic. Its warnings go to standard error. */
char *wr_module_ptx(const char *path, const wr_cuda_options *cuda, size_t *length, wr_diag *diag);

/* The same, compiled to machine code; free with wr_module_free. */
wr_module *wr_module_load(const char *path, const wr_cuda_options *cuda,
                          const wr_compile_options *options, wr_diag *diag);

#endif
