/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that host and GPU both address.
 *
 * The GPU's bytes are a file in memory that the program has mapped, at the GPU's addresses, without
 * rights. Managed and pinned memory are pages of it that the host may read and write: both sides
 * have the same bytes, and nothing is copied.
 *
 * Registered memory is the program's own and stays where it is. Kernels reach it by another
 * pointer, that of cudaHostGetDevicePointer: from then on the GPU has a copy, and what one side has
 * changed goes to the other before kernels run and behind each wait. A third copy, of what both had
 * last, tells what has changed. Where the GPU's addresses are taken in the program, pinned memory
 * is such memory, too, and there is no managed memory.
 */
#include "cuda/runtime/managed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

typedef struct piece {
    wr_both what;
    uint64_t device;    /* its address of the GPU's, 0: none yet */
    uint8_t *before;    /* registered, and the GPU has a copy: what both had last */
    bool own;           /* the host's memory is of malloc, and freed with it */
    struct piece *next; /* that the GPU has a copy of */
} piece;

static struct {
    piece **at; /* by ascending addresses of the host's */
    size_t count, room;
} pieces;
static piece *copied;
static struct {
    uint8_t *at; /* NULL: the program does not see the GPU's memory */
    uint64_t first, bytes;
} view;

void wr_both_open(int fd, uint64_t first, uint64_t bytes)
{
    struct stat file;
    void *want = wr_client_pointer(first);
    if (fd < 0 || fstat(fd, &file) != 0 || (uint64_t)file.st_size < bytes) {
        return; /* the GPU could not have it */
    }
    void *at =
        mmap(want, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, fd, 0);
    if (at != want) {
        at = mmap(NULL, bytes, PROT_NONE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    }
    view.at = at == MAP_FAILED ? NULL : at;
    if (view.at) { /* a forked process has no GPU, and must not write what its parent's sees */
        (void)madvise(view.at, bytes, MADV_DONTFORK);
    }
    view.first = first;
    view.bytes = bytes;
}

static bool same_addresses(void)
{
    return view.at && (uintptr_t)view.at == view.first;
}

/* The host's place of the GPU's bytes; it may be read and written from here on, or no more. */
static uint8_t *open_pages(uint64_t address, size_t bytes, bool open)
{
    uint64_t from = (address - view.first) / PAGE * PAGE;
    uint64_t to = (address - view.first + bytes + PAGE - 1) / PAGE * PAGE;
    bool ok = view.at && to <= view.bytes &&
              mprotect(view.at + from, to - from, open ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
    return ok ? view.at + (address - view.first) : NULL;
}

/* How many pieces begin there or before. */
static size_t count_to(uintptr_t at)
{
    size_t low = 0, high = pieces.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if ((uintptr_t)pieces.at[middle]->what.host <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The last piece that begins there or before, and ends behind `from`. */
static piece *last_to(uintptr_t at, uintptr_t from)
{
    size_t count = count_to(at);
    piece *p = count ? pieces.at[count - 1] : NULL;
    return p && from < (uintptr_t)p->what.host + p->what.bytes ? p : NULL;
}

static piece *find(const void *at)
{
    return last_to((uintptr_t)at, (uintptr_t)at);
}

static cudaError_t add(wr_both what, uint64_t device, bool own)
{
    piece *p = calloc(1, sizeof *p);
    if (p && pieces.count == pieces.room) {
        size_t room = pieces.room ? 2 * pieces.room : 64;
        piece **longer = realloc((void *)pieces.at, room * sizeof(piece *));
        if (longer) {
            pieces.at = longer;
            pieces.room = room;
        }
    }
    if (!p || pieces.count == pieces.room) {
        free(p);
        return cudaErrorMemoryAllocation;
    }
    *p = (piece){.what = what, .device = device, .own = own};
    piece **at = pieces.at + count_to((uintptr_t)what.host);
    memmove((void *)(at + 1), (const void *)at,
            (size_t)(pieces.at + pieces.count - at) * sizeof(piece *));
    *at = p;
    pieces.count++;
    return cudaSuccess;
}

/* Whole pages of the GPU's, and the host's place for them. */
static cudaError_t take_pages(size_t bytes, uint64_t *device, uint8_t **host)
{
    wr_cuda_request request = {.what = WR_CUDA_ALLOC, .a = bytes, .b = PAGE, .c = 1};
    cudaError_t error =
        view.at ? wr_client_ask(&request, NULL, device, NULL, NULL) : cudaErrorMemoryAllocation;
    *host = error ? NULL : open_pages(*device, bytes, true);
    if (!error && !*host) {
        (void)wr_client_tell(WR_CUDA_FREE, 0, *device, 0, 0);
        error = cudaErrorMemoryAllocation;
    }
    return error;
}

static cudaError_t give_pages(uint64_t device, size_t bytes)
{
    (void)open_pages(device, bytes, false);
    return wr_client_tell(WR_CUDA_FREE, 0, device, 0, 0);
}

cudaError_t wr_both_alloc(wr_both_kind kind, void **at, size_t bytes, unsigned flags)
{
    uint64_t device = 0;
    uint8_t *host = NULL;
    cudaError_t error = wr_client_device() ? cudaSuccess : cudaErrorNoDevice;
    bool own = kind == WR_BOTH_PINNED && !same_addresses();
    if (!error && own) {
        host = malloc(bytes);
        error = host ? cudaSuccess : cudaErrorMemoryAllocation;
    } else if (!error) {
        error = same_addresses() ? take_pages(bytes, &device, &host) : cudaErrorMemoryAllocation;
    }
    if (!error) {
        error = add((wr_both){kind, host, bytes, flags}, device, own);
        if (error && own) {
            free(host);
        } else if (error) {
            (void)give_pages(device, bytes);
        }
    }
    *at = error ? NULL : host;
    return error;
}

cudaError_t wr_managed_variable(uint64_t address, size_t bytes)
{
    if (!same_addresses() || !open_pages(address, bytes, true)) {
        return cudaErrorMemoryAllocation;
    }
    return add((wr_both){WR_BOTH_VARIABLE, wr_client_pointer(address), bytes, 0}, address, false);
}

/* The piece is no more; the GPU's work may have been on it. */
static cudaError_t drop(piece *gone)
{
    cudaError_t error = wr_client_wait(0, 0, 0);
    piece **at = pieces.at + count_to((uintptr_t)gone->what.host);
    memmove((void *)(at - 1), (const void *)at,
            (size_t)(pieces.at + pieces.count - at) * sizeof(piece *));
    pieces.count--;
    piece **link = &copied;
    while (*link && *link != gone) {
        link = &(*link)->next;
    }
    *link = *link ? gone->next : NULL;
    if (gone->device) {
        cudaError_t freed = give_pages(gone->device, gone->what.bytes);
        error = error ? error : freed;
    }
    if (gone->own) {
        free(gone->what.host);
    }
    free(gone->before);
    free(gone);
    return error;
}

cudaError_t wr_both_free(wr_both_kind kind, void *at)
{
    piece *p = find(at);
    return p && p->what.host == at && p->what.kind == kind ? drop(p) : cudaErrorInvalidValue;
}

cudaError_t wr_both_register(void *at, size_t bytes, unsigned flags)
{
    if (!wr_client_device()) {
        return cudaErrorNoDevice;
    }
    if (bytes - 1 > UINTPTR_MAX - (uintptr_t)at) {
        return cudaErrorInvalidValue;
    }
    if (last_to((uintptr_t)at + bytes - 1, (uintptr_t)at)) {
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    if (!wr_host_has(at, bytes, !(flags & cudaHostRegisterReadOnly))) {
        return cudaErrorInvalidValue;
    }
    return add((wr_both){WR_BOTH_REGISTERED, at, bytes, flags}, 0, false);
}

cudaError_t wr_both_unregister(void *at)
{
    piece *p = find(at);
    if (!p || p->what.kind != WR_BOTH_REGISTERED) {
        return cudaErrorHostMemoryNotRegistered;
    }
    return p->what.host == at ? drop(p) : cudaErrorInvalidValue;
}

wr_both wr_both_find(const void *at)
{
    const piece *p = find(at);
    return p ? p->what : (wr_both){0};
}

/* The GPU gets its copy of memory that is the program's. */
static cudaError_t give_copy(piece *p)
{
    uint8_t *seen = NULL;
    uint64_t device = 0;
    p->before = malloc(p->what.bytes);
    cudaError_t error =
        p->before ? take_pages(p->what.bytes, &device, &seen) : cudaErrorMemoryAllocation;
    if (error) {
        free(p->before);
        p->before = NULL;
        return error;
    }
    memcpy(p->before, p->what.host, p->what.bytes);
    memcpy(seen, p->what.host, p->what.bytes);
    p->device = device;
    p->next = copied;
    copied = p;
    return cudaSuccess;
}

uint64_t wr_both_address(const void *at, bool make)
{
    piece *p = find(at);
    if (!p || (!p->device && (!make || give_copy(p) != cudaSuccess))) {
        return 0;
    }
    return p->device + ((uintptr_t)at - (uintptr_t)p->what.host);
}

void *wr_both_copied(const void *device)
{
    const piece *p = copied;
    while (p && (uintptr_t)device - p->device >= p->what.bytes) {
        p = p->next;
    }
    return p ? (char *)p->what.host + ((uintptr_t)device - p->device) : NULL;
}

/* --- Registered memory: changes of one side for the other --------------------------------------
 */

/* Bytes that are not what both had last. */
static void carry(uint8_t *to, const uint8_t *from, uint8_t *before, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += PAGE) {
        size_t end = bytes - i < PAGE ? bytes : i + PAGE;
        if (memcmp(from + i, before + i, end - i) == 0) {
            continue;
        }
        for (size_t k = i; k < end; k++) {
            if (from[k] != before[k]) {
                to[k] = before[k] = from[k];
            }
        }
    }
}

static void carry_all(bool to_gpu)
{
    for (const piece *p = copied; p; p = p->next) {
        bool read_only = (p->what.flags & cudaHostRegisterReadOnly) != 0 && !p->own;
        uint8_t *seen = view.at + (p->device - view.first);
        if (to_gpu) {
            carry(seen, p->what.host, p->before, p->what.bytes);
        } else if (!read_only) {
            carry(p->what.host, seen, p->before, p->what.bytes);
        }
    }
}

cudaError_t wr_managed_push(void)
{
    carry_all(true);
    return cudaSuccess;
}

cudaError_t wr_managed_pull(void)
{
    carry_all(false);
    return cudaSuccess;
}

/* --- Memory of the host --------------------------------------------------------------------------
 */

bool wr_host_has(const void *at, size_t bytes, bool to_write)
{
    uintptr_t from = (uintptr_t)at / PAGE * PAGE;
    if (bytes == 0 || bytes > UINTPTR_MAX - PAGE - (uintptr_t)at) {
        return bytes == 0;
    }
    size_t size = ((uintptr_t)at + bytes - from + PAGE - 1) / PAGE * PAGE;
    if (madvise(wr_client_pointer(from), size,
                to_write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0) {
        return true;
    }
    /* an old kernel does not know these; it tells where there is memory, not of rights */
    uintptr_t stack = (uintptr_t)&size / PAGE * PAGE;
    return errno == EINVAL && madvise(wr_client_pointer(stack), PAGE, MADV_POPULATE_READ) != 0 &&
           msync(wr_client_pointer(from), size, MS_ASYNC) == 0;
}

const char *wr_both_explain(uint64_t address)
{
    const piece *p = find(wr_client_pointer(address));
    if (address < PAGE) {
        return "is a null pointer, or close to one";
    }
    if (p && (p->what.kind == WR_BOTH_REGISTERED || p->own)) {
        return "is pinned memory of the program that kernels reach by another pointer; take "
               "that of cudaHostGetDevicePointer";
    }
    if (address - view.first < view.bytes) {
        return "is an address of the GPU's memory, in no allocation that is there now";
    }
    if (wr_host_has(wr_client_pointer(address), 1, false)) {
        return "is pageable memory of the program, which kernels do not reach; take memory of "
               "cudaMalloc, cudaMallocManaged or cudaMallocHost";
    }
    return "is no address of the GPU's, and none of the program's";
}
