/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that host and GPU both address: each kind by its pointers, what the runtime says of them,
 * and the order of copies between it and the GPU's.
 *
 *   both [taken | stack | unregistered | beyond | low]
 *
 * taken: the GPU's addresses are the program's own, so that pinned memory has two pointers.
 * The others: a kernel gets a pointer that is none of the GPU's, of that kind.
 */
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <thread>

static int wrong, checks;
static bool taken;

static void want(const char *what, bool good)
{
    checks++;
    if (!good) {
        wrong++;
        printf("wrong: %s\n", what);
    }
}
#define IS(call, error) want(#call, (call) == (error))
#define OK(call)        IS(call, cudaSuccess)

__global__ void adds(int *p, int by)
{
    p[threadIdx.x] += by;
}

/* Kernels reach it, both sides see what the other has written, and its attributes are true. */
static void use(const char *what, int *host, bool same, unsigned flags)
{
    int *device = nullptr;
    unsigned got = 0;
    cudaPointerAttributes a = {};
    printf("%s\n", what);
    OK(cudaHostGetDevicePointer(&device, host, 0));
    want("the device pointer is the host's", (device == host) == same);
    for (int i = 0; i < 32; i++) {
        host[i] = i;
    }
    adds<<<1, 32>>>(device, 100);
    OK(cudaDeviceSynchronize());
    want("what the kernel wrote", host[0] == 100 && host[31] == 131);
    host[5] = 7; /* beside what the kernel writes next */
    adds<<<1, 4>>>(device, 1);
    OK(cudaStreamSynchronize(0));
    want("what both wrote", host[3] == 104 && host[4] == 104 && host[5] == 7);

    OK(cudaPointerGetAttributes(&a, host + 3));
    want("host memory", a.type == cudaMemoryTypeHost && a.device == 0);
    want("its pointers", a.devicePointer == device + 3 && a.hostPointer == host + 3);
    OK(cudaPointerGetAttributes(&a, device + 3));
    want("by the device pointer", a.type == cudaMemoryTypeHost && a.hostPointer == host + 3);
    OK(cudaHostGetFlags(&got, host));
    want("its flags", (got & flags) == flags && (got & cudaHostAllocMapped) != 0);
}

/* Copies in a stream see what kernels before them wrote. */
static void order(const char *what, int *host)
{
    int *device = nullptr, *other = nullptr, out[32];
    cudaStream_t stream;
    printf("%s in a stream\n", what);
    OK(cudaHostGetDevicePointer(&device, host, 0));
    OK(cudaMalloc(&other, 128));
    OK(cudaStreamCreate(&stream));
    memset(host, 0, 128);
    adds<<<1, 32, 0, stream>>>(device, 3);
    OK(cudaMemcpyAsync(other, host, 128, cudaMemcpyHostToDevice, stream));
    adds<<<1, 32, 0, stream>>>(other, 4);
    OK(cudaMemcpyAsync(host, other, 128, cudaMemcpyDeviceToHost, stream));
    adds<<<1, 32, 0, stream>>>(device, 10);
    OK(cudaStreamSynchronize(stream));
    want("in the order of the stream", host[0] == 17 && host[31] == 17);
    OK(cudaMemcpy(out, host, 128, cudaMemcpyHostToHost));
    want("copied on the host", out[31] == 17);
    OK(cudaMemcpy(out, device, 128, cudaMemcpyDefault));
    want("copied from its device pointer", out[31] == 17);
    OK(cudaMemset(host, 0, 64));
    OK(cudaDeviceSynchronize());
    want("filled", host[15] == 0 && host[16] == 17);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(other));
}

static void pinned()
{
    static const unsigned kinds[] = {cudaHostAllocDefault, cudaHostAllocPortable,
                                     cudaHostAllocMapped, cudaHostAllocWriteCombined, 7};
    int *p, *q;
    for (unsigned flags : kinds) {
        OK(cudaHostAlloc(&p, 5000, flags));
        use("cudaHostAlloc", p, !taken, flags);
        OK(cudaFreeHost(p));
        IS(cudaFreeHost(p), cudaErrorInvalidValue);
    }
    OK(cudaMallocHost(&p, 128));
    OK(cudaMallocHost(&q, 128));
    use("cudaMallocHost", p, !taken, 0);
    use("another one", q, !taken, 0);
    order("cudaMallocHost", p);
    IS(cudaFree(p), cudaErrorInvalidValue);
    OK(cudaFreeHost(p));
    q[0] = 1; /* the page of the other one stays */
    OK(cudaFreeHost(q));
    OK(cudaMallocHost(&p, 0));
    want("none", p == nullptr);
}

static int area[1024];

static void registered()
{
    int *heap = (int *)malloc(1 << 20), stack[64], *device, *other;
    OK(cudaHostRegister(heap + 1, 9000, cudaHostRegisterDefault));
    IS(cudaHostRegister(heap + 100, 16, 0), cudaErrorHostMemoryAlreadyRegistered);
    use("cudaHostRegister of a heap", heap + 1, false, 0);
    order("a heap", heap + 1);
    OK(cudaHostGetDevicePointer(&device, heap + 1, 0));
    OK(cudaHostGetDevicePointer(&other, heap + 11, 0));
    want("inside", other == device + 10);
    IS(cudaFree(device), cudaErrorInvalidValue);
    OK(cudaHostUnregister(heap + 1));
    IS(cudaHostUnregister(heap + 1), cudaErrorHostMemoryNotRegistered);
    IS(cudaHostGetDevicePointer(&device, heap + 1, 0), cudaErrorInvalidValue);
    free(heap);
    OK(cudaHostRegister(stack, sizeof stack, cudaHostRegisterMapped));
    use("of a stack", stack, false, 0);
    OK(cudaHostUnregister(stack));
    OK(cudaHostRegister(area, sizeof area, cudaHostRegisterPortable));
    use("of a variable", area, false, cudaHostRegisterPortable);
    OK(cudaHostUnregister(area));

    void *page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    IS(cudaHostRegister(page, 4096, 0), cudaErrorInvalidValue);
    OK(cudaHostRegister(page, 4096, cudaHostRegisterReadOnly));
    OK(cudaHostGetDevicePointer(&device, page, 0));
    adds<<<1, 1>>>(device, 1); /* on the GPU's copy: the program's stays */
    OK(cudaDeviceSynchronize());
    want("memory that is only read", *(int *)page == 0);
    OK(cudaHostUnregister(page));
    IS(cudaMemcpy(page, area, 16, cudaMemcpyHostToHost), cudaErrorInvalidValue);
}

__global__ void meets(volatile int *flags, int *p)
{
    flags[0] = 1;
    for (int i = 0; i < 1 << 20 && flags[1] == 0; i++) {
    }
    p[0] = flags[1];
}

/* Another thread writes to both kinds while this one waits for a kernel: pinned memory is one for
 * both at once, and of registered memory neither side's bytes are lost. */
static void beside()
{
    int *device;
    volatile int *flags;
    OK(cudaMallocHost((int **)&flags, 8));
    OK(cudaHostRegister(area, sizeof area, 0));
    OK(cudaHostGetDevicePointer(&device, area, 0));
    flags[0] = flags[1] = area[0] = area[1] = 0;
    std::thread other([flags] {
        while (flags[0] == 0) {
            std::this_thread::yield();
        }
        area[1] = 5;
        flags[1] = 9;
    });
    meets<<<1, 1>>>((int *)flags, device);
    OK(cudaDeviceSynchronize());
    other.join();
    want("what the kernel saw, and what both wrote", area[0] == 9 && area[1] == 5);
    OK(cudaHostUnregister(area));
    OK(cudaFreeHost((int *)flags));
}

/* Of each other kind of pointer. */
static void attributes()
{
    int *device, *managed, here = 0;
    cudaPointerAttributes a = {};
    OK(cudaMalloc(&device, 128));
    OK(cudaPointerGetAttributes(&a, device + 1));
    want("device memory", a.type == cudaMemoryTypeDevice && a.devicePointer == device + 1 &&
                              a.hostPointer == nullptr && a.device == 0);
    OK(cudaFree(device));
    OK(cudaPointerGetAttributes(&a, device));
    want("freed memory", a.type == cudaMemoryTypeUnregistered && a.devicePointer == nullptr);
    OK(cudaPointerGetAttributes(&a, &here));
    want("pageable memory", a.type == cudaMemoryTypeUnregistered && a.hostPointer == &here &&
                                a.devicePointer == nullptr);
    if (!taken) {
        OK(cudaMallocManaged(&managed, 128));
        OK(cudaPointerGetAttributes(&a, managed));
        want("managed memory", a.type == cudaMemoryTypeManaged && a.devicePointer == managed &&
                                   a.hostPointer == managed);
        IS(cudaFreeHost(managed), cudaErrorInvalidValue);
        OK(cudaFree(managed));
    } else {
        IS(cudaMallocManaged(&managed, 128), cudaErrorMemoryAllocation);
    }
}

/* The kernel's access faults, which is told with the kind of pointer. */
static int fault(const char *kind)
{
    int here[32], *p = here;
    if (strcmp(kind, "unregistered") == 0) {
        OK(cudaHostRegister(area, sizeof area, 0));
        p = area;
    } else if (strcmp(kind, "beyond") == 0) {
        OK(cudaMallocHost(&p, 128));
        p += 1 << 20;
    } else if (strcmp(kind, "low") == 0) {
        p = (int *)64;
    }
    adds<<<1, 32>>>(p, 1);
    IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return wrong;
}

int main(int argc, char **argv)
{
    taken = argc > 1 && strcmp(argv[1], "taken") == 0;
    if (argc > 1 && !taken) {
        return fault(argv[1]);
    }
    if (taken && mmap((void *)0xd0000000, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                      -1, 0) != (void *)0xd0000000) {
        return 2;
    }
    pinned();
    registered();
    attributes();
    if (!taken) {
        beside();
    }
    printf("%d checks\n%s\n", checks, wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
