/* SPDX-License-Identifier: Apache-2.0 */
/* What the compiler's constructors register before main: images of device code, kernels, variables.
 * An image is PTX, by `warpref cc`, or a fat binary, by nvcc, and is sent to the GPU when something
 * of it is used first.
 */
#include "cuda/runtime/registry.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/runtime/fatbin.h"
#include "cuda/runtime/managed.h"
#include "cuda/runtime/reference.h"
#include "uthash.h"

/* What the compiler puts in front of an image. With -rdc=true it is version 2: the image is what
 * the linker made, machine code, and behind it stand those of each file, up to a null pointer. */
typedef struct wrapper {
    uint32_t magic, version;
    const void *image;
    const void *const *files;
} wrapper;
#define WRAPPER_MAGIC 0x466243b1u

typedef struct entry {
    char *name;
    uint64_t number, address, size;
    wr_cuda_kernel info;
    wr_cuda_param *params;
    char *why; /* a kernel that is refused */
    wr_settings settings;
    UT_hash_handle hh;
} entry;

typedef struct module {
    uint64_t number;
    entry *kernels, *variables;
    bool refused; /* some of its kernels cannot run */
} module;

/* PTX or a fat binary. */
typedef struct binary {
    const void *at;
    bool loaded;
    cudaError_t error; /* of the loading */
    module module;
} binary;

/* What a handle stands for. */
typedef struct image {
    char machine[64]; /* targets of the machine code that it has */
    bool told;        /* that it has nothing else */
    size_t count;
    binary binaries[]; /* that with a kernel is found when the kernel is used */
} image;

typedef struct symbol {
    const void *host;
    const char *name;
    image *of;
    void **pointer; /* a __managed__ variable: the program has its place here */
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
void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name,
                              int external, size_t size, int constant, int global);
void __cudaRegisterTexture(void **handle, const struct textureReference *host, const void **device,
                           const char *name, int dimensions, int read_mode, int external);
void __cudaRegisterSurface(void **handle, const struct surfaceReference *host, const void **device,
                           const char *name, int dimensions, int external);
char __cudaInitModule(void **handle);
void __warprefRegisterBinary(void (*globals)(void **), void *fat, void *id, void (*back)(void *));
/* NOLINTEND(bugprone-reserved-identifier) */

/* Bytes from there to the end of what the loader has mapped of a program or library: 0, it lies in
 * none. */
typedef struct place {
    const void *at;
    size_t room;
} place;

static int look_at(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    place *p = arg;
    (void)bytes;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        size_t from = (size_t)(uintptr_t)p->at - (size_t)(info->dlpi_addr + h->p_vaddr);
        if (h->p_type == PT_LOAD && (h->p_flags & PF_R) != 0 && from < h->p_memsz) {
            p->room = h->p_memsz - from;
            return 1;
        }
    }
    return 0;
}

static size_t room_at(const void *at)
{
    place p = {.at = at};
    (void)dl_iterate_phdr(look_at, &p);
    return p.room;
}

WR_API void **__cudaRegisterFatBinary(void *fat)
{
    const wrapper *w = fat;
    bool ok = room_at(w) >= sizeof *w && w->magic == WRAPPER_MAGIC;
    const void *const *files = ok && w->version == 2 ? w->files : NULL;
    size_t count = ok ? 1 : 0, most = files ? room_at((const void *)files) / sizeof *files : 0;
    for (size_t i = 0; i < most && files[i]; i++) {
        count++;
    }
    image *im = calloc(1, sizeof *im + count * sizeof *im->binaries);
    for (size_t i = 0; im && i < count; i++) {
        im->binaries[i].at = i == 0 ? w->image : files[i - 1];
        im->count++;
    }
    return (void **)im;
}

WR_API void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

/* Of an object whose device code may be linked (cuda/cc.py): what nvcc's linker writes for each. */
WR_API void __warprefRegisterBinary(void (*globals)(void **), void *fat, void *id,
                                    void (*back)(void *))
{
    void **handle = __cudaRegisterFatBinary(fat);
    (void)id;
    (void)back;
    if (handle) {
        globals(handle);
        __cudaRegisterFatBinaryEnd(handle);
    }
}

WR_API void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle; /* the program ends */
}

/* How long a name is as cuda/cc.py leaves it in the PTX: clang 16 adds to that of a static variable
 * where device code may be linked. */
static size_t plain_length(const char *name)
{
    const char *more = strstr(name, "__static__");
    return more ? (size_t)(more - name) : strlen(name);
}

static void add(symbol **table, void **handle, const void *host, const char *name, void **pointer)
{
    symbol *s = NULL;
    const size_t length = plain_length(name);
    HASH_FIND_PTR(*table, &host, s);
    if (!s && (s = calloc(1, sizeof *s + length + 1)) != NULL) {
        char *own = (char *)(s + 1);
        memcpy(own, name, length);
        *s = (symbol){.host = host, .name = own, .of = (image *)handle, .pointer = pointer};
        HASH_ADD_PTR(*table, host, s);
    }
}

WR_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int threads, void *tid, void *bid, void *block, void *grid,
                                   int *warp)
{
    (void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
    add(&functions, handle, host, name, NULL);
}

WR_API void __cudaRegisterVar(void **handle, char *host, char *address, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)address, (void)external, (void)size, (void)constant, (void)global;
    add(&variables, handle, host, name, NULL);
}

WR_API void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name,
                                     int external, size_t size, int constant, int global)
{
    (void)address, (void)external, (void)size, (void)constant, (void)global;
    add(&variables, handle, (const void *)host, name, host);
}

WR_API void __cudaRegisterTexture(void **handle, const struct textureReference *host,
                                  const void **device, const char *name, int dimensions,
                                  int read_mode, int external)
{
    (void)device, (void)dimensions, (void)external;
    add(&variables, handle, host, name, NULL);
    wr_reference_add(host, false, read_mode);
}

WR_API void __cudaRegisterSurface(void **handle, const struct surfaceReference *host,
                                  const void **device, const char *name, int dimensions,
                                  int external)
{
    (void)device, (void)dimensions, (void)external;
    add(&variables, handle, host, name, NULL);
    wr_reference_add(host, true, 0);
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

static bool take_kernel(module *m, uint64_t number, const char **at, const char *end)
{
    entry *e = calloc(1, sizeof *e);
    if (!e || !take(at, end, &e->info, sizeof e->info)) {
        free(e);
        return false;
    }
    size_t bytes = e->info.params * sizeof *e->params;
    e->number = number;
    e->settings.carveout = cudaSharedmemCarveoutDefault;
    e->params = malloc(bytes + 1);
    if (!e->params || !take(at, end, e->params, bytes) ||
        !(e->name = take_name(at, end, e->info.name_bytes))) {
        free(e->params);
        free(e);
        return false;
    }
    e->why = e->info.refused ? e->name + strlen(e->name) + 1 : NULL;
    m->refused |= e->info.refused != 0;
    HASH_ADD_KEYPTR(hh, m->kernels, e->name, strlen(e->name), e);
    return true;
}

static bool take_variable(module *m, const char **at, const char *end)
{
    wr_cuda_variable row;
    entry *e = calloc(1, sizeof *e);
    if (!e || !take(at, end, &row, sizeof row) || !(e->name = take_name(at, end, row.name_bytes))) {
        free(e);
        return false;
    }
    e->address = row.address;
    e->size = row.size;
    HASH_ADD_KEYPTR(hh, m->variables, e->name, strlen(e->name), e);
    return true;
}

static void drop(entry *table)
{
    entry *e, *next;
    HASH_ITER(hh, table, e, next)
    {
        HASH_DEL(table, e);
        free(e->name);
        free(e->params);
        free(e);
    }
}

static void drop_module(module *m)
{
    drop(m->kernels);
    drop(m->variables);
    *m = (module){0};
}

/* Compiles the text, whose `bytes` end with it, to a module of the GPU's. */
static cudaError_t send(const char *ptx, size_t bytes, module *m)
{
    char *text = NULL;
    uint64_t said = 0;
    wr_cuda_request request = {.what = WR_CUDA_MODULE, .bytes = bytes};
    cudaError_t error = wr_client_ask(&request, ptx, &m->number, &text, &said);
    if (error == cudaSuccess) {
        const char *at = text, *end = text + said;
        uint32_t counts[2] = {0};
        bool ok = take(&at, end, counts, sizeof counts);
        for (uint32_t i = 0; ok && i < counts[0]; i++) {
            ok = take_kernel(m, i, &at, end);
        }
        for (uint32_t i = 0; ok && i < counts[1]; i++) {
            ok = take_variable(m, &at, end);
        }
        error = ok ? cudaSuccess : cudaErrorMemoryAllocation;
    }
    free(text);
    return error;
}

/* Sends the PTX with the highest target whose kernels can all run; where there is none, that with
 * the highest target that compiles. */
static cudaError_t choose(const wr_fatbin *fat, module *best)
{
    char why[WR_FATBIN_WHY];
    cudaError_t error = cudaErrorNoKernelImageForDevice;
    bool have = false;
    for (size_t i = 0; i < fat->count; i++) {
        module m = {0};
        char *text = wr_fatbin_text(&fat->ptx[i], why);
        if (!text) {
            wr_client_refuse("a fat binary of the program cannot be read: %s", why);
            drop_module(best);
            return cudaErrorInvalidKernelImage;
        }
        cudaError_t of = send(text, strlen(text), &m);
        free(text);
        if (of == cudaSuccess && (!have || !m.refused)) {
            drop_module(best);
            *best = m;
            have = true;
        } else {
            drop_module(&m);
        }
        error = have ? cudaSuccess : of;
        if (have && !best->refused) {
            break;
        }
    }
    return error;
}

static cudaError_t load(image *im, binary *b)
{
    char why[WR_FATBIN_WHY];
    size_t room = room_at(b->at);
    uint32_t magic = 0;
    wr_fatbin fat;
    memcpy(&magic, b->at, room < sizeof magic ? 0 : sizeof magic);
    if (magic != WR_FATBIN_MAGIC && room > 0) {
        return send(b->at, strnlen(b->at, room), &b->module);
    }
    if (!wr_fatbin_read(b->at, room, &fat, why)) {
        wr_client_refuse("a fat binary of the program cannot be read: %s", why);
        return cudaErrorInvalidKernelImage;
    }
    if (fat.machine[0]) {
        memcpy(im->machine, fat.machine, sizeof im->machine);
    }
    cudaError_t error = choose(&fat, &b->module);
    wr_fatbin_free(&fat);
    return error;
}

/* The kernel or variable, in the first binary that has it. An error of one goes before that there
 * is none, that it has no PTX behind others. */
static cudaError_t find(image *im, const char *name, bool kernel, cudaError_t none, entry **e,
                        uint64_t *number)
{
    cudaError_t failed = cudaSuccess;
    bool some = false;
    if (!im || im->count == 0) {
        return cudaErrorInvalidKernelImage;
    }
    if (!wr_client_device()) {
        return cudaErrorNoDevice;
    }
    for (size_t i = 0; i < im->count; i++) {
        binary *b = &im->binaries[i];
        entry *found = NULL;
        b->error = b->loaded ? b->error : load(im, b);
        b->loaded = true;
        some |= b->error != cudaErrorNoKernelImageForDevice;
        if (b->error) {
            failed = b->error != cudaErrorNoKernelImageForDevice ? b->error : failed;
            continue;
        }
        HASH_FIND_STR(kernel ? b->module.kernels : b->module.variables, name, found);
        if (found) {
            *e = found;
            *number = b->module.number;
            return cudaSuccess;
        }
    }
    if (!some && !im->told) {
        im->told = true;
        wr_client_refuse("the program has only machine code of GPUs (%s), which the simulated one "
                         "does not run; compile it with PTX in it, for example with nvcc -cudart "
                         "shared -gencode arch=compute_75,code=compute_75",
                         im->machine[0] ? im->machine : "of a kind that is not known");
    }
    return !some ? cudaErrorNoKernelImageForDevice : failed ? failed : none;
}

/* What the host's address stands for; `none`: the error where it stands for nothing. */
static cudaError_t look_up(symbol *table, const void *host, bool kernel, cudaError_t none,
                           entry **found, uint64_t *number)
{
    symbol *s = NULL;
    HASH_FIND_PTR(table, &host, s);
    return s ? find(s->of, s->name, kernel, none, found, number) : none;
}

cudaError_t wr_registry_function(const void *host, wr_function *function)
{
    entry *e;
    uint64_t module_number;
    cudaError_t error =
        look_up(functions, host, true, cudaErrorInvalidDeviceFunction, &e, &module_number);
    if (error) {
        return error;
    }
    if (e->why) {
        (void)fflush(stdout);
        (void)fprintf(stderr, "warpref: kernel %s cannot run: %s\n", e->name, e->why);
        return cudaErrorInvalidDeviceFunction;
    }
    *function = (wr_function){module_number, e->number, e->info, e->params, &e->settings};
    return cudaSuccess;
}

cudaError_t wr_registry_variable(const void *host, uint64_t *address, uint64_t *bytes)
{
    entry *e;
    uint64_t module_number;
    cudaError_t error = look_up(variables, host, false, cudaErrorInvalidSymbol, &e, &module_number);
    if (!error) {
        *address = e->address;
        *bytes = e->size;
    }
    return error;
}

/* Before the host's first look at a __managed__ variable of the image. */
WR_API char __cudaInitModule(void **handle)
{
    bool all = true;
    wr_client_lock();
    for (symbol *s = variables; s; s = s->hh.next) {
        uint64_t address = 0, bytes = 0;
        if (s->of != (image *)handle || !s->pointer || *s->pointer) {
            continue;
        }
        cudaError_t error = wr_registry_variable(s->host, &address, &bytes);
        error = error ? error : wr_managed_variable(address, bytes);
        if (error) {
            wr_client_refuse("the __managed__ variable %s has no memory", s->name);
            all = false;
        } else {
            *s->pointer = wr_client_pointer(address);
        }
    }
    (void)wr_client_unlock(cudaSuccess);
    if (!all) { /* the host would read through a null pointer next */
        exit(1);
    }
    return 1;
}
