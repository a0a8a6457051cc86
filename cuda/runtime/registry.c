/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler's constructors register before main: images of device code, kernels, variables.
 * An image is PTX, and is sent to the GPU when something of it is used first.
 */
#include "cuda/runtime/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uthash.h"

/* What the compiler puts in front of an image. */
typedef struct wrapper {
    uint32_t magic, version;
    const void *image;
    void *unused;
} wrapper;
#define WRAPPER_MAGIC 0x466243b1u
#define FAT_MAGIC     0xba55ed50u

typedef struct entry {
    char *name;
    uint64_t number, address, size;
    wr_cuda_kernel info;
    wr_cuda_param *params;
    char *why; /* a kernel that is refused */
    UT_hash_handle hh;
} entry;

typedef struct image {
    const char *ptx;
    bool loaded;
    cudaError_t error; /* of the loading */
    uint64_t module;
    entry *kernels, *variables;
} image;

typedef struct symbol {
    const void *host;
    const char *name;
    image *of;
    UT_hash_handle hh;
} symbol;
static symbol *functions, *variables;

/* Names that the compiler calls. NOLINTBEGIN(bugprone-reserved-identifier) */
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                       size_t size, int constant, int global);
/* NOLINTEND(bugprone-reserved-identifier) */

WR_API void **__cudaRegisterFatBinary(void *fat)
{
    const wrapper *w = fat;
    image *im = calloc(1, sizeof *im);
    if (im && w->magic == WRAPPER_MAGIC && *(const uint32_t *)w->image != FAT_MAGIC) {
        im->ptx = w->image;
    }
    return (void **)im;
}

WR_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

WR_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* the program ends */
}

static void add(symbol **table, void **handle, const void *host, const char *name)
{
    symbol *s = NULL;
    HASH_FIND_PTR(*table, &host, s);
    if (!s && (s = calloc(1, sizeof *s)) != NULL) {
        *s = (symbol){.host = host, .name = name, .of = (image *)handle};
        HASH_ADD_PTR(*table, host, s);
    }
}

WR_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid,
                                   int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(&functions, handle, host, name);
}

WR_API void __cudaRegisterVar(void **handle, char *host, char *address, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)address, (void)external, (void)size, (void)constant, (void)global;
    add(&variables, handle, host, name);
}

/* Takes `bytes` of what the GPU said. */
static bool take(const char **at, const char *end, void *to, size_t bytes)
{
    if ((size_t)(end - *at) < bytes) {
        return false;
    }
    memcpy(to, *at, bytes);
    *at += bytes;
    return true;
}

static char *take_name(const char **at, const char *end, uint32_t bytes)
{
    char *name = malloc((size_t)bytes + 1);
    if (!name || !take(at, end, name, bytes)) {
        free(name);
        return NULL;
    }
    name[bytes] = '\0';
    return name;
}

static bool take_kernel(image *im, uint64_t number, const char **at, const char *end)
{
    entry *e = calloc(1, sizeof *e);
    if (!e || !take(at, end, &e->info, sizeof e->info)) {
        free(e);
        return false;
    }
    size_t bytes = e->info.params * sizeof *e->params;
    e->number = number;
    e->params = malloc(bytes + 1);
    if (!e->params || !take(at, end, e->params, bytes) ||
        !(e->name = take_name(at, end, e->info.name_bytes))) {
        free(e->params);
        free(e);
        return false;
    }
    e->why = e->info.refused ? e->name + strlen(e->name) + 1 : NULL;
    HASH_ADD_KEYPTR(hh, im->kernels, e->name, strlen(e->name), e);
    return true;
}

static bool take_variable(image *im, const char **at, const char *end)
{
    wr_cuda_variable row;
    entry *e = calloc(1, sizeof *e);
    if (!e || !take(at, end, &row, sizeof row) || !(e->name = take_name(at, end, row.name_bytes))) {
        free(e);
        return false;
    }
    e->address = row.address;
    e->size = row.size;
    HASH_ADD_KEYPTR(hh, im->variables, e->name, strlen(e->name), e);
    return true;
}

static cudaError_t load(image *im)
{
    char *text = NULL;
    uint64_t bytes = 0;
    if (!im || !im->ptx) {
        return cudaErrorInvalidKernelImage;
    }
    if (im->loaded) {
        return im->error;
    }
    if (!wr_client_device()) {
        return cudaErrorNoDevice;
    }
    wr_cuda_request request = {.what = WR_CUDA_MODULE, .bytes = strlen(im->ptx)};
    im->loaded = true;
    im->error = wr_client_ask(&request, im->ptx, &im->module, &text, &bytes);
    if (im->error == cudaSuccess) {
        const char *at = text, *end = text + bytes;
        uint32_t counts[2] = {0};
        bool ok = take(&at, end, counts, sizeof counts);
        for (uint32_t i = 0; ok && i < counts[0]; i++) {
            ok = take_kernel(im, i, &at, end);
        }
        for (uint32_t i = 0; ok && i < counts[1]; i++) {
            ok = take_variable(im, &at, end);
        }
        im->error = ok ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    free(text);
    return im->error;
}

/* What the host's address stands for; `none`: the error where it stands for nothing. */
static cudaError_t look_up(symbol *table, const void *host, bool kernel, cudaError_t none,
                           const symbol **symbol_of, const entry **found)
{
    symbol *s = NULL;
    entry *e = NULL;
    HASH_FIND_PTR(table, &host, s);
    if (!s) {
        return none;
    }
    cudaError_t error = load(s->of);
    if (error) {
        return error;
    }
    HASH_FIND_STR(kernel ? s->of->kernels : s->of->variables, s->name, e);
    if (!e) {
        return none;
    }
    *symbol_of = s;
    *found = e;
    return cudaSuccess;
}

cudaError_t wr_registry_function(const void *host, wr_function *function)
{
    const symbol *s;
    const entry *e;
    cudaError_t error = look_up(functions, host, true, cudaErrorInvalidDeviceFunction, &s, &e);
    if (error) {
        return error;
    }
    if (e->why) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "warpref: kernel %s cannot run: %s\n", e->name, e->why);
        return cudaErrorInvalidDeviceFunction;
    }
    *function = (wr_function){s->of->module, e->number, e->info, e->params};
    return cudaSuccess;
}

cudaError_t wr_registry_variable(const void *host, uint64_t *address, uint64_t *bytes)
{
    const symbol *s;
    const entry *e;
    cudaError_t error = look_up(variables, host, false, cudaErrorInvalidSymbol, &s, &e);
    if (!error) {
        *address = e->address;
        *bytes = e->size;
    }
    return error;
}
