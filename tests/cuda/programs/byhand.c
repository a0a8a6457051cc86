/* SPDX-License-Identifier: Apache-2.0 */
/* What nvcc makes of a program, by hand and without nvcc: a fat binary (FAT, a file), kernels and
 * variables that are registered before main, launches as CUDA before (VERSION 11, 12) and since 13
 * has them; with LINKED, another file, as -rdc=true has it. The kernel writes which image it is of,
 * and uses variables of each kind.
 *
 *   byhand [EXIT_STATUS | SIGNAL_NAME]
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if VERSION == 12
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#endif

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *address, const char *name,
                              int external, size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
int __cudaGetKernel(void **kernel, const void *function);
int __cudaLaunchKernel(void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                       void *stream);
int cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, size_t shared,
                     void *stream);
int cudaMalloc(void **at, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind);
int cudaDeviceSynchronize(void);
int cudaGetLastError(void);
const char *cudaGetErrorName(int error);
int cudaGetDeviceProperties(void *prop, int device);
#if VERSION >= 13 /* the first device */
typedef struct location {
    int type, id;
} location;
int cudaMemPrefetchAsync(const void *at, size_t bytes, location to, unsigned flags, void *stream);
int cudaMemAdvise(const void *at, size_t bytes, int advice, location of);
#define PREFETCH(at) cudaMemPrefetchAsync(at, sizeof *(at), (location){1, 0}, 0, NULL)
#define ADVISE(at)   cudaMemAdvise(at, sizeof *(at), 3, (location){1, 0})
#else
int cudaMemPrefetchAsync(const void *at, size_t bytes, int device, void *stream);
int cudaMemAdvise(const void *at, size_t bytes, int advice, int device);
#define PREFETCH(at) cudaMemPrefetchAsync(at, sizeof *(at), 0, NULL)
#define ADVISE(at)   cudaMemAdvise(at, sizeof *(at), 3, 0)
#endif

__asm__(".pushsection .nv_fatbin,\"a\"\n.balign 8\nfat_binary:\n.incbin \"" FAT "\"\n.popsection");
extern const char fat_binary[] __attribute__((visibility("hidden")));
#ifdef LINKED /* as with -rdc=true: what the linker made, and behind it that of each file */
__asm__(".pushsection .nv_fatbin,\"a\"\n.balign 8\nlinked:\n.incbin \"" LINKED "\"\n.popsection");
extern const char linked[] __attribute__((visibility("hidden")));
static const void *files[] = {fat_binary, NULL};
#define WRAPPER                                                                                    \
    {                                                                                              \
        0x466243b1, 2, linked, files                                                               \
    }
#else
#define WRAPPER                                                                                    \
    {                                                                                              \
        0x466243b1, 1, fat_binary, NULL                                                            \
    }
#endif
static struct {
    unsigned magic, version;
    const void *image, **files;
} wrapper __attribute__((section(".nvFatBinSegment"))) = WRAPPER;
static void **handle;
static char alone;                    /* stands for a variable */
static int (*both)[4], (*more)[2048]; /* __managed__ ones */

static void mark(int *out) /* the host's side of the kernel */
{
    void *arguments[] = {&out};
    void *kernel = (void *)(size_t)mark;
    dim3 grid, block;
    size_t shared;
    void *stream;
#if VERSION >= 13
    if (__cudaGetKernel(&kernel, (const void *)(size_t)mark) != 0) {
        return;
    }
#endif
    if (__cudaPopCallConfiguration(&grid, &block, &shared, (void *)&stream) != 0) {
        return;
    }
#if VERSION >= 13
    (void)__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
#else
    (void)cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
#endif
}

static void leave(void)
{
    __cudaUnregisterFatBinary(handle);
}

static __attribute__((constructor)) void enter(void)
{
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)(size_t)mark, (char *)"mark", "mark", -1, NULL,
                           NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &alone, (char *)"alone", "alone", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&both, (char *)"both", "both", 0, sizeof *both, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&more, (char *)"more", "more", 0, sizeof *more, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    (void)atexit(leave);
}

/* Fields of the struct by their places, and whether anything beyond it was written. */
static void properties(void)
{
    static unsigned char p[4096];
    unsigned size = VERSION == 11 ? 728 : VERSION == 12 ? 1032 : 1008;
    const unsigned at[] = {308, 360, VERSION < 13 ? 388 : 384, VERSION < 13 ? 624 : 604,
                           VERSION < 13 ? 712 : 688};
    size_t optin;
    unsigned beyond = 0;
    memset(p, 0xa5, sizeof p);
    if (cudaGetDeviceProperties(p, 0) != 0) {
        printf("no properties\n");
        return;
    }
    for (unsigned i = size; i < sizeof p; i++) {
        beyond += p[i] != 0xa5;
    }
    memcpy(&optin, p + (VERSION < 13 ? 696 : 672), sizeof optin);
    printf("%s: warp %d, major %d, SMs %d, threads %d, blocks %d, shared %zu; last %d, beyond %u\n",
           (char *)p, *(int *)(p + at[0]), *(int *)(p + at[1]), *(int *)(p + at[2]),
           *(int *)(p + at[3]), *(int *)(p + at[4]), optin, p[size - 1], beyond);
}

int main(int argc, char **argv)
{
    int one = 1, out[3] = {0, 0, 0}, error;
    void *at = NULL;
    const char *token = getenv("TOKEN");
    printf("called %s, %d arguments, TOKEN %s\n", argv[0], argc - 1, token ? token : "none");
    properties();
    error = cudaMalloc(&at, sizeof out);
    error = error ? error : cudaMemcpyToSymbol(&alone, &one, sizeof one, 0, 1);
    if (error == 0) {
        (void)__cudaInitModule(handle);
        (*both)[1] = 20;
        (*more)[1] = 300;
        error = PREFETCH(both);
        error = error ? error : ADVISE(more);
    }
    if (__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){32, 1, 1}, 0, NULL) == 0) {
        mark(at);
    }
    error = error ? error : cudaGetLastError();
    error = error ? error : cudaDeviceSynchronize();
    error = error ? error : cudaMemcpy(out, at, sizeof out, 2);
    printf("%s: image %d, sum %d, both %d\n", cudaGetErrorName(error), out[0], out[1],
           error ? 0 : (*both)[2]);
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "TERM") == 0) {
        (void)raise(SIGTERM);
    }
    if (argc > 1 && strcmp(argv[1], "PIPE") == 0) {
        (void)raise(SIGPIPE);
    }
    return argc > 1 ? atoi(argv[1]) : 0;
}
