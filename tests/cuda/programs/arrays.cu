/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, copies of them, surfaces, and what bindings of references hold to: each check compares
 * with the same thing in the host's memory. The last line is PASS or FAIL.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_fp16.h>

#define CHECK(call) expect(#call, call, cudaSuccess)
static int failed;
static void expect(const char *what, cudaError_t got, cudaError_t want)
{
    if (got != want) {
        printf("%s: %s, not %s\n", what, cudaGetErrorName(got), cudaGetErrorName(want));
        failed++;
    }
}
static void same(const char *what, const void *a, const void *b, size_t bytes)
{
    if (memcmp(a, b, bytes) != 0) {
        printf("%s: other bytes\n", what);
        failed++;
    }
}

enum { W = 7, H = 5, D = 3 };

/* --- Copies -------------------------------------------------------------------------------------
 */

/* The array's rows, and the same in memory. */
struct pair {
    cudaArray_t array;
    int host[H][W];

    pair()
    {
        const cudaChannelFormatDesc desc = cudaCreateChannelDesc<int>();

        CHECK(cudaMallocArray(&array, &desc, W, H, cudaArraySurfaceLoadStore));
        for (int i = 0; i < W * H; i++) {
            host[0][i] = i * 3 + 1;
        }
        CHECK(cudaMemcpy2DToArray(array, 0, 0, host, sizeof host[0], sizeof host[0], H,
                                  cudaMemcpyHostToDevice));
    }
    ~pair()
    {
        CHECK(cudaFreeArray(array));
    }
    void check(const char *what)
    {
        int got[H][W] = {};

        CHECK(cudaMemcpy2DFromArray(got, sizeof got[0], array, 0, 0, sizeof got[0], H,
                                    cudaMemcpyDeviceToHost));
        same(what, got, host, sizeof got);
    }
};

static void of_bytes()
{
    int more[W * H], got[W * H];
    pair p, q;

    for (int i = 0; i < W * H; i++) {
        more[i] = -i;
    }
    for (int x = 0; x < W; x += 3) { /* parts of rows at both ends, or none */
        for (int count = 1; count <= W * H - W - x; count += 5) {
            CHECK(cudaMemcpyToArray(p.array, (size_t)x * 4, 1, more, (size_t)count * 4,
                                    cudaMemcpyHostToDevice));
            memcpy(&p.host[1][x], more, (size_t)count * 4);
            p.check("cudaMemcpyToArray");
            CHECK(cudaMemcpyFromArray(got, p.array, (size_t)x * 4, 1, (size_t)count * 4,
                                      cudaMemcpyDeviceToHost));
            same("cudaMemcpyFromArray", got, more, (size_t)count * 4);
            CHECK(cudaMemcpyArrayToArray(q.array, 4, 0, p.array, (size_t)x * 4, 1,
                                         (size_t)count * 4));
            memcpy(&q.host[0][1], more, (size_t)count * 4);
            q.check("cudaMemcpyArrayToArray");
        }
    }
    CHECK(cudaMemcpy2DArrayToArray(q.array, 8, 2, p.array, 4, 1, 12, 3));
    for (int y = 0; y < 3; y++) {
        memcpy(&q.host[2 + y][2], &p.host[1 + y][1], 12);
    }
    q.check("cudaMemcpy2DArrayToArray");
    expect("beyond the row",
           cudaMemcpy2DToArray(p.array, 8, 0, more, 28, 24, 1, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
    expect("beyond the rows",
           cudaMemcpyToArray(p.array, 0, 1, more, sizeof more, cudaMemcpyHostToDevice),
           cudaErrorInvalidValue);
}

/* A part of a volume, from memory to an array, to another array, to pitched memory, to memory. */
static void of_volumes()
{
    short from[D][H][W], want[D][H][W] = {}, got[D][H][W] = {};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<short>();
    const cudaExtent whole = make_cudaExtent(W, H, D), part = make_cudaExtent(4, 3, 2);
    cudaMemcpy3DParms p = {};
    cudaPitchedPtr pitched;
    cudaArray_t a, b;

    for (int i = 0; i < W * H * D; i++) {
        from[0][0][i] = (short)(i + 5);
    }
    for (int z = 0; z < 2; z++) {
        for (int y = 0; y < 3; y++) {
            memcpy(&want[1 + z][2 + y][3], &from[z][1 + y][2], 8);
        }
    }
    CHECK(cudaMalloc3DArray(&a, &desc, whole));
    CHECK(cudaMalloc3DArray(&b, &desc, whole));
    CHECK(cudaMalloc3D(&pitched, make_cudaExtent(W * 2, H, D)));
    CHECK(cudaMemset3D(pitched, 0, make_cudaExtent(W * 2, H, D)));
    p.srcPtr = make_cudaPitchedPtr(from, W * 2, W, H);
    p.dstArray = a;
    p.extent = whole;
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    p = {};
    p.srcArray = a;
    p.srcPos = make_cudaPos(2, 1, 0);
    p.dstArray = b;
    p.dstPos = make_cudaPos(1, 1, 1);
    p.extent = part;
    p.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3DAsync(&p, 0));
    p = {};
    p.srcArray = b;
    p.srcPos = make_cudaPos(1, 1, 1);
    p.dstPtr = pitched;
    p.dstPos = make_cudaPos(6, 2, 1); /* bytes */
    p.extent = part;
    p.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&p));
    p = {};
    p.srcPtr = pitched;
    p.dstPtr = make_cudaPitchedPtr(got, W * 2, W, H);
    p.extent = make_cudaExtent(W * 2, H, D);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    same("cudaMemcpy3D", got, want, sizeof want);
    p.srcArray = a;
    expect("two sources", cudaMemcpy3D(&p), cudaErrorInvalidValue);
    p.srcPtr = {};
    p.extent = make_cudaExtent(W + 1, 1, 1);
    expect("beyond the array", cudaMemcpy3D(&p), cudaErrorInvalidValue);
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
    CHECK(cudaFree(pitched.ptr));
}

/* --- Surfaces -----------------------------------------------------------------------------------
 */

surface<void, cudaSurfaceType2D> plane;

/* Each thread adds 1 to a texel, also of outside, where nothing is or the edge. */
__global__ void by_object(cudaSurfaceObject_t s, cudaSurfaceBoundaryMode mode, int *seen)
{
    const int x = (int)threadIdx.x - 1, y = (int)threadIdx.y - 1;
    const int at = (int)(threadIdx.y * blockDim.x + threadIdx.x);

    seen[at] = surf2Dread<int>(s, x * 4, y, mode);
    if (mode == cudaBoundaryModeZero) {
        surf2Dwrite(seen[at] + 1, s, x * 4, y, mode);
    }
}
__global__ void by_reference(int *seen)
{
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;

    surf2Dread(&seen[y * W + x], plane, x * 4, y);
    surf2Dwrite(seen[y * W + x] * 2, plane, x * 4, y);
}
__global__ void traps(cudaSurfaceObject_t s)
{
    surf2Dwrite(1, s, W * 4, 0);
}

static void of_surfaces()
{
    const int width = W + 2, height = H + 2;
    int got[H + 2][W + 2], want[H + 2][W + 2], *seen;
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t s;
    pair p;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = p.array;
    CHECK(cudaMalloc(&seen, sizeof got));
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    for (int mode = cudaBoundaryModeZero; mode <= cudaBoundaryModeClamp; mode++) {
        for (int i = 0; i < width * height; i++) {
            const int x = i % width - 1, y = i / width - 1;
            const bool inside = x >= 0 && x < W && y >= 0 && y < H;
            const int in_x = x < 0 ? 0 : x >= W ? W - 1 : x, in_y = y < 0 ? 0 : y >= H ? H - 1 : y;
            want[0][i] = inside || mode == cudaBoundaryModeClamp ? p.host[in_y][in_x] : 0;
        }
        by_object<<<1, dim3(W + 2, H + 2)>>>(s, (cudaSurfaceBoundaryMode)mode, seen);
        CHECK(cudaMemcpy(got, seen, sizeof got, cudaMemcpyDeviceToHost));
        same("surf2Dread", got, want, sizeof got);
        for (int i = 0; i < W * H && mode == cudaBoundaryModeZero; i++) {
            p.host[0][i]++;
        }
        p.check("surf2Dwrite");
    }
    CHECK(cudaBindSurfaceToArray(plane, p.array));
    by_reference<<<1, dim3(W, H)>>>(seen);
    CHECK(cudaMemcpy(got, seen, sizeof p.host, cudaMemcpyDeviceToHost));
    same("a surface reference", got, p.host, sizeof p.host);
    for (int i = 0; i < W * H; i++) {
        p.host[0][i] *= 2;
    }
    p.check("a surface reference's write");
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFree(seen));
}

/* --- Bindings -----------------------------------------------------------------------------------
 */

texture<float> line;
texture<float, 2> image;
__global__ void read_line(float *to)
{
    *to = tex1Dfetch(line, 1);
}
__global__ void read_image(float *to, float x)
{
    *to = tex2D(image, x, 0.5f);
}

/* Kernels see what was bound when they were launched, and the fields of then. */
static void of_bindings()
{
    const float values[128] = {1, 2, 3, 4};
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const float want[6] = {2, 3, 4, 4, 4, 0.5f * (4 + 0)};
    float *from, *to, got[6];
    size_t offset = 9;
    cudaArray_t array;
    cudaStream_t stream;

    CHECK(cudaMalloc(&from, sizeof values));
    CHECK(cudaMalloc(&to, sizeof got));
    CHECK(cudaMemcpy(from, values, sizeof values, cudaMemcpyHostToDevice));
    CHECK(cudaMallocArray(&array, &desc, 4));
    CHECK(cudaMemcpyToArray(array, 0, 0, values, 16, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

    CHECK(cudaBindTexture(&offset, line, from, 16));
    read_line<<<1, 1, 0, stream>>>(to);
    expect("an odd start", cudaBindTexture(NULL, line, from + 1, 16), cudaErrorInvalidValue);
    CHECK(cudaBindTexture(&offset, line, from + 1, 16));
    if (offset != 4) {
        printf("offset %zu\n", offset);
        failed++;
    }
    CHECK(cudaBindTexture2D(NULL, image, from, 4, 1, 256));
    read_image<<<1, 1, 0, stream>>>(to + 1, 2.5f);
    CHECK(cudaBindTextureToArray(image, array, desc));
    read_image<<<1, 1>>>(to + 2, 9);
    image.normalized = 1; /* behind the binding */
    read_image<<<1, 1>>>(to + 3, 0.99f);
    image.addressMode[0] = cudaAddressModeWrap;
    read_image<<<1, 1>>>(to + 4, -0.01f);
    image.filterMode = cudaFilterModeLinear;
    image.addressMode[0] = cudaAddressModeBorder;
    read_image<<<1, 1>>>(to + 5, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, to, sizeof got, cudaMemcpyDeviceToHost));
    same("bindings", got, want, sizeof got);
    CHECK(cudaUnbindTexture(line));
    expect("the offset of none", cudaGetTextureAlignmentOffset(&offset, line),
           cudaErrorInvalidTextureBinding);
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    CHECK(cudaStreamDestroy(stream));
}

/* --- Errors -------------------------------------------------------------------------------------
 */

static void of_errors()
{
    const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
    const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>(), none = {};
    cudaResourceDesc resource = {};
    cudaTextureDesc desc = {};
    cudaTextureObject_t t = 77;
    cudaArray_t a, stranger = (cudaArray_t)&resource;
    textureReference reference = {};
    cudaMemcpy3DParms p = {};

#define FAILS(error, call) expect(#call, call, cudaErrorInvalid##error)
    FAILS(ChannelDescriptor, cudaMallocArray(&a, &three, 4, 4));
    FAILS(ChannelDescriptor, cudaMallocArray(&a, &none, 4, 4));
    FAILS(Value, cudaMallocArray(NULL, &one, 4, 4));
    FAILS(Value, cudaMallocArray(&a, NULL, 4, 4));
    FAILS(Value, cudaMallocArray(&a, &one, 0, 4));
    FAILS(Value, cudaMallocArray(&a, &one, 65537, 1));
    FAILS(Value, cudaMalloc3DArray(&a, &one, make_cudaExtent(4, 0, 4)));
    FAILS(Value, cudaFreeArray(stranger));
    FAILS(Value, cudaMemcpyToArray(stranger, 0, 0, &p, 4, cudaMemcpyHostToDevice));
    FAILS(Value, cudaMemcpy3D(NULL));
    FAILS(Value, cudaMemcpy3D(&p));
    CHECK(cudaMallocArray(&a, &one, 4, 4));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = a;
    FAILS(Value, cudaCreateTextureObject(NULL, &resource, &desc, NULL));
    FAILS(Value, cudaCreateTextureObject(&t, NULL, &desc, NULL));
    FAILS(Value, cudaCreateTextureObject(&t, &resource, NULL, NULL));
    FAILS(Value, cudaCreateSurfaceObject(&t, &resource)); /* not made for it */
    desc.filterMode = cudaFilterModeLinear;
    FAILS(FilterSetting, cudaCreateTextureObject(&t, &resource, &desc, NULL));
    desc.filterMode = cudaFilterModePoint;
    desc.readMode = cudaReadModeNormalizedFloat;
    FAILS(NormSetting, cudaCreateTextureObject(&t, &resource, &desc, NULL));
    desc.readMode = cudaReadModeElementType;
    FAILS(Value, cudaDestroyTextureObject(t));
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, NULL));
    FAILS(Value, cudaDestroySurfaceObject(t));
    CHECK(cudaGetTextureObjectResourceDesc(&resource, t));
    CHECK(cudaDestroyTextureObject(t));
    FAILS(Value, cudaDestroyTextureObject(t));
    FAILS(Value, cudaGetTextureObjectTextureDesc(&desc, t));
    FAILS(Texture, cudaBindTextureToArray(&reference, a, &one));
    FAILS(Texture, cudaUnbindTexture(&reference));
    FAILS(FilterSetting, cudaBindTextureToArray(image, a)); /* of integers */
    CHECK(cudaFreeArray(a));
    FAILS(Value, cudaFreeArray(a));
    FAILS(Value, cudaGetChannelDesc(&(cudaChannelFormatDesc &)one, a));
    FAILS(Value, cudaCreateTextureObject(&t, &resource, &desc, NULL));
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {&resource, cudaCreateChannelDesc<int>(), 4, 4, 32};
    FAILS(Value, cudaCreateTextureObject(&t, &resource, &desc, NULL)); /* the host's memory */
    expect("the last of them", cudaGetLastError(), cudaErrorInvalidValue);
    expect("then", cudaGetLastError(), cudaSuccess);
}

static void of_traps()
{
    cudaResourceDesc resource = {};
    cudaSurfaceObject_t s;
    pair *p = new pair;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = p->array;
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    traps<<<1, 1>>>(s);
    expect("a write outside", cudaDeviceSynchronize(), cudaErrorLaunchFailure);
}

int main()
{
    of_bytes();
    of_volumes();
    of_surfaces();
    of_bindings();
    of_errors();
    of_traps();
    puts(failed ? "FAIL" : "PASS");
    return failed != 0;
}
