/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling modules, again with other stacks, and limits; see modules.h. */
#include "cuda/server/modules.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/server/store.h"

#define FIFO (UINT64_C(1) << 20) /* as in CUDA, and no less: nothing that is printed is lost */

wr_modules wr_modules_begin(const wr_compile_options *options)
{
    return (wr_modules){.compile = *options, .heap = WR_HEAP_BYTES, .fifo = FIFO};
}

void wr_modules_free(wr_modules *m)
{
    for (size_t i = 0; i < m->count; i++) {
        for (size_t k = 0; k < m->codes[i].before_count; k++) {
            wr_module_free(m->codes[i].before[k]);
        }
        wr_module_free(m->codes[i].module);
        free((void *)m->codes[i].before);
        free(m->codes[i].ptx);
    }
    free(m->codes);
    m->codes = NULL;
    m->count = 0;
}

static wr_module *compile(const wr_compile_options *options, const char *ptx, size_t bytes,
                          wr_diag *diag)
{
    wr_ptx_module *tree = wr_ptx_parse("PTX of the program", ptx, bytes, diag);
    wr_module *module = tree ? wr_compile(tree, options, diag) : NULL;
    wr_ptx_free(tree);
    return module;
}

/* A module with recursive calls can be compiled again. False: out of memory. */
static bool keep_ptx(wr_code *c, const char *ptx, size_t bytes)
{
    bool stacks = false;
    for (size_t i = 0; i < c->module->kernel_count; i++) {
        stacks |= c->module->kernels[i].stack_bytes != 0;
    }
    if (stacks && (c->ptx = malloc(bytes + 1)) != NULL) {
        memcpy(c->ptx, ptx, bytes);
        c->ptx[bytes] = '\0';
        c->ptx_bytes = bytes;
    }
    return !stacks || c->ptx;
}

/* Bytes that each stack has, or more. */
static uint32_t stack_of(const wr_modules *m)
{
    uint32_t told = m->compile.stack_bytes, least = m->compile.stack_least;
    return told ? told : least > WR_COMPILE_STACK ? least : WR_COMPILE_STACK;
}

/* Stacks of kernels that are launched from here on; no less than without this. */
static int set_stack(wr_modules *m, uint64_t bytes)
{
    wr_compile_options options = m->compile;
    if (bytes > WR_COMPILE_MAX_STACK) {
        return WR_CUDA_INVALID_VALUE;
    }
    options.stack_least = (uint32_t)bytes;
    if (options.stack_bytes != 0 && options.stack_bytes < bytes) { /* --stack */
        options.stack_bytes = (uint32_t)bytes;
    }
    if (options.stack_bytes == m->compile.stack_bytes &&
        options.stack_least == m->compile.stack_least) {
        return 0;
    }
    for (size_t i = 0; i < m->count; i++) {
        wr_code *c = &m->codes[i];
        wr_diag diag = {0};
        wr_module *made = c->ptx ? compile(&options, c->ptx, c->ptx_bytes, &diag) : NULL;
        wr_module **before =
            made ? wr_store_longer((void *)c->before, c->before_count, sizeof(void *)) : NULL;
        if (c->ptx && !before) {
            wr_module_free(made);
            return WR_CUDA_NO_MEMORY;
        }
        if (made) {
            c->before = before;
            c->before[c->before_count++] = c->module;
            c->module = made;
        }
    }
    m->compile = options;
    return 0;
}

/* CUDA's numbers. */
enum { STACK_SIZE, PRINTF_FIFO_SIZE, MALLOC_HEAP_SIZE, LIMITS = 7 };

int wr_modules_limit(wr_modules *m, wr_gpu *gpu, const wr_cuda_request *r, uint64_t *bytes)
{
    int error = r->a < LIMITS ? 0 : WR_CUDA_INVALID_VALUE;
    switch (r->a) {
    case STACK_SIZE:
        error = r->c ? set_stack(m, r->b) : 0;
        *bytes = stack_of(m);
        return error;
    case PRINTF_FIFO_SIZE:
        error = r->c && m->prints ? WR_CUDA_INVALID_VALUE : 0;
        m->fifo = error || !r->c ? m->fifo : r->b > FIFO ? r->b : FIFO;
        *bytes = m->fifo;
        return error;
    case MALLOC_HEAP_SIZE:
        error = r->c && m->allocates ? WR_CUDA_INVALID_VALUE : 0;
        m->heap = error || !r->c ? m->heap : wr_gpu_set_heap(gpu, 0, r->b);
        *bytes = m->heap;
        return error;
    default: /* of launches by kernels, of the L2 */
        return error ? error : WR_CUDA_UNSUPPORTED_LIMIT;
    }
}

int wr_modules_add(wr_modules *m, const char *ptx, size_t bytes, uint64_t *number, wr_diag *diag)
{
    wr_module *module = compile(&m->compile, ptx, bytes, diag);
    if (!module) {
        return WR_CUDA_INVALID_PTX;
    }
    wr_code *codes = wr_store_longer(m->codes, m->count, sizeof *codes);
    if (!codes) {
        wr_module_free(module);
        return WR_CUDA_NO_MEMORY;
    }
    m->codes = codes;
    *number = m->count++;
    codes[*number].module = module;
    return keep_ptx(&codes[*number], ptx, bytes) ? 0 : WR_CUDA_NO_MEMORY;
}

void wr_modules_launched(wr_modules *m, const wr_kernel *kernel)
{
    m->allocates |= kernel->uses_heap;
    m->prints |= kernel->prints;
}
