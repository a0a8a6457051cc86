/* SPDX-License-Identifier: Apache-2.0 */
/* Fetches of textures as standard input asks for them (tests/cuda/texture.py says how, and knows
 * what each must give): a texture object of memory or of an array, and for some types a texture
 * reference bound to the same; the results' bytes go to standard output, a line of a fetch.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        const cudaError_t error = call;                                                            \
        if (error != cudaSuccess) {                                                                \
            printf("%s: %s\n", #call, cudaGetErrorName(error));                                    \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum function { FETCH, ONE, TWO, THREE, LAYERED_ONE, LAYERED_TWO, CUBE };
struct point {
    float x, y, z;
    int layer;
};

template <typename T, int function>
__global__ void fetch(cudaTextureObject_t t, const point *at, T *to, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i >= count) {
        return;
    }
    const point p = at[i];

    switch (function) {
    case FETCH:
        to[i] = tex1Dfetch<T>(t, p.layer);
        break;
    case ONE:
        to[i] = tex1D<T>(t, p.x);
        break;
    case TWO:
        to[i] = tex2D<T>(t, p.x, p.y);
        break;
    case THREE:
        to[i] = tex3D<T>(t, p.x, p.y, p.z);
        break;
    case LAYERED_ONE:
        to[i] = tex1DLayered<T>(t, p.x, p.layer);
        break;
    case LAYERED_TWO:
        to[i] = tex2DLayered<T>(t, p.x, p.y, p.layer);
        break;
    default:
        to[i] = texCubemap<T>(t, p.x, p.y, p.z);
    }
}

texture<float> of_memory;
static texture<float, cudaTextureType1D> one;
texture<float, 2> two;
texture<float, 3> three;
texture<float, cudaTextureType1DLayered> layered_one;
texture<float, cudaTextureType2DLayered> layered_two;
texture<float, cudaTextureTypeCubemap> cube;
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;

__global__ void by_reference(int function, const point *at, float *to, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < count) {
        const point p = at[i];

        to[i] = function == FETCH         ? tex1Dfetch(of_memory, p.layer)
                : function == ONE         ? tex1D(one, p.x)
                : function == TWO         ? tex2D(two, p.x, p.y)
                : function == THREE       ? tex3D(three, p.x, p.y, p.z)
                : function == LAYERED_ONE ? tex1DLayered(layered_one, p.x, p.layer)
                : function == LAYERED_TWO ? tex2DLayered(layered_two, p.x, p.y, p.layer)
                                          : texCubemap(cube, p.x, p.y, p.z);
    }
}
__global__ void colours_by_reference(const point *at, float4 *to, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    if (i < count) {
        to[i] = tex2D(colours, at[i].x, at[i].y);
    }
}

struct request {
    int function, bits, channels, kind, width, height, depth, filter, address[3], normalized, read;
    int reference, bytes, count;
    float border[4];
};

static bool read_request(request *r)
{
    int *const numbers[] = {&r->function,   &r->reference,  &r->bits,       &r->channels,
                            &r->kind,       &r->width,      &r->height,     &r->depth,
                            &r->filter,     &r->address[0], &r->address[1], &r->address[2],
                            &r->normalized, &r->read,       &r->bytes,      &r->count};

    for (int *number : numbers) {
        if (scanf("%d", number) != 1) {
            return false;
        }
    }
    return scanf("%f %f %f %f", &r->border[0], &r->border[1], &r->border[2], &r->border[3]) == 4;
}

template <typename T> static std::vector<T> read_words(int count)
{
    std::vector<T> words((size_t)count);

    for (T &word : words) {
        unsigned bits = 0;
        if (scanf("%x", &bits) != 1) {
            exit(2);
        }
        memcpy(&word, &bits, sizeof word);
    }
    return words;
}

/* The texture's memory: an array, rows with a pitch, or bytes. */
static cudaResourceDesc resource_of(const request &r, const std::vector<unsigned char> &data)
{
    const bool is[4] = {true, r.channels > 1, r.channels > 2, r.channels > 3};
    const cudaChannelFormatDesc desc = {r.bits * is[0], r.bits * is[1], r.bits * is[2],
                                        r.bits * is[3], (cudaChannelFormatKind)r.kind};
    const bool layered = r.function == LAYERED_ONE || r.function == LAYERED_TWO;
    const size_t row = (size_t)(r.width * r.channels * r.bits / 8);
    cudaResourceDesc resource = {};

    if (r.function == FETCH) {
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.desc = desc;
        resource.res.linear.sizeInBytes = data.size();
        CHECK(cudaMalloc(&resource.res.linear.devPtr, data.size()));
        CHECK(cudaMemcpy(resource.res.linear.devPtr, data.data(), data.size(),
                         cudaMemcpyHostToDevice));
    } else if (r.function == TWO && r.depth < 0) {
        resource.resType = cudaResourceTypePitch2D;
        resource.res.pitch2D.desc = desc;
        resource.res.pitch2D.width = (size_t)r.width;
        resource.res.pitch2D.height = (size_t)r.height;
        CHECK(cudaMallocPitch(&resource.res.pitch2D.devPtr, &resource.res.pitch2D.pitchInBytes, row,
                              (size_t)r.height));
        CHECK(cudaMemcpy2D(resource.res.pitch2D.devPtr, resource.res.pitch2D.pitchInBytes,
                           data.data(), row, row, (size_t)r.height, cudaMemcpyHostToDevice));
    } else {
        cudaMemcpy3DParms copy = {};
        cudaArray_t array;

        CHECK(cudaMalloc3DArray(&array, &desc,
                                make_cudaExtent((size_t)r.width, (size_t)r.height, (size_t)r.depth),
                                layered              ? cudaArrayLayered
                                : r.function == CUBE ? cudaArrayCubemap
                                                     : cudaArrayDefault));
        const size_t rows = r.height ? (size_t)r.height : 1;
        copy.srcPtr = make_cudaPitchedPtr((void *)data.data(), row, (size_t)r.width, rows);
        copy.dstArray = array;
        copy.extent = make_cudaExtent((size_t)r.width, rows, r.depth ? (size_t)r.depth : 1);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
    }
    return resource;
}

static void release(const cudaResourceDesc &resource)
{
    CHECK(resource.resType == cudaResourceTypeArray    ? cudaFreeArray(resource.res.array.array)
          : resource.resType == cudaResourceTypeLinear ? cudaFree(resource.res.linear.devPtr)
                                                       : cudaFree(resource.res.pitch2D.devPtr));
}

template <typename T> static void bind(const request &r, const cudaResourceDesc &resource, T &t)
{
    t.filterMode = (cudaTextureFilterMode)r.filter;
    t.normalized = r.normalized;
    for (int axis = 0; axis < 3; axis++) {
        t.addressMode[axis] = (cudaTextureAddressMode)r.address[axis];
    }
    if (resource.resType == cudaResourceTypeArray) {
        CHECK(cudaBindTextureToArray(t, resource.res.array.array));
    } else if (resource.resType == cudaResourceTypeLinear) {
        CHECK(
            cudaBindTexture(NULL, t, resource.res.linear.devPtr, resource.res.linear.sizeInBytes));
    } else {
        CHECK(cudaBindTexture2D(NULL, t, resource.res.pitch2D.devPtr, resource.res.pitch2D.width,
                                resource.res.pitch2D.height, resource.res.pitch2D.pitchInBytes));
    }
}

template <typename T>
static void launch_object(const request &r, const cudaResourceDesc &resource, const point *at,
                          T *to)
{
    cudaTextureDesc desc = {};
    cudaTextureObject_t t;
    const int blocks = (r.count + 63) / 64;

    memcpy(desc.borderColor, r.border, sizeof r.border);
    desc.filterMode = (cudaTextureFilterMode)r.filter;
    desc.readMode = (cudaTextureReadMode)r.read;
    desc.normalizedCoords = r.normalized;
    for (int axis = 0; axis < 3; axis++) {
        desc.addressMode[axis] = (cudaTextureAddressMode)r.address[axis];
    }
    CHECK(cudaCreateTextureObject(&t, &resource, &desc, NULL));
    switch (r.function) {
    case FETCH:
        fetch<T, FETCH><<<blocks, 64>>>(t, at, to, r.count);
        break;
    case ONE:
        fetch<T, ONE><<<blocks, 64>>>(t, at, to, r.count);
        break;
    case TWO:
        fetch<T, TWO><<<blocks, 64>>>(t, at, to, r.count);
        break;
    case THREE:
        fetch<T, THREE><<<blocks, 64>>>(t, at, to, r.count);
        break;
    case LAYERED_ONE:
        fetch<T, LAYERED_ONE><<<blocks, 64>>>(t, at, to, r.count);
        break;
    case LAYERED_TWO:
        fetch<T, LAYERED_TWO><<<blocks, 64>>>(t, at, to, r.count);
        break;
    default:
        fetch<T, CUBE><<<blocks, 64>>>(t, at, to, r.count);
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDestroyTextureObject(t));
}

static void launch_reference(const request &r, const cudaResourceDesc &resource, const point *at,
                             float *to)
{
    const int blocks = (r.count + 63) / 64;

    switch (r.function) {
    case FETCH:
        bind(r, resource, of_memory);
        break;
    case ONE:
        bind(r, resource, one);
        break;
    case TWO:
        bind(r, resource, two);
        break;
    case THREE:
        bind(r, resource, three);
        break;
    case LAYERED_ONE:
        bind(r, resource, layered_one);
        break;
    case LAYERED_TWO:
        bind(r, resource, layered_two);
        break;
    default:
        bind(r, resource, cube);
    }
    by_reference<<<blocks, 64>>>(r.function, at, to, r.count);
    CHECK(cudaGetLastError());
}
static void launch_reference(const request &r, const cudaResourceDesc &resource, const point *at,
                             float4 *to)
{
    bind(r, resource, colours);
    colours_by_reference<<<(r.count + 63) / 64, 64>>>(at, to, r.count);
    CHECK(cudaGetLastError());
}
template <typename T>
static void launch_reference(const request &, const cudaResourceDesc &, const point *, T *)
{
    exit(2); /* there is none of this type */
}

template <typename T>
static void run(const request &r, const cudaResourceDesc &resource, const point *at)
{
    std::vector<T> got((size_t)r.count);
    T *to;

    CHECK(cudaMalloc(&to, got.size() * sizeof(T)));
    if (r.reference) {
        launch_reference(r, resource, at, to);
    } else {
        launch_object<T>(r, resource, at, to);
    }
    CHECK(cudaMemcpy(got.data(), to, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(to));
    for (const T &value : got) {
        const unsigned char *bytes = (const unsigned char *)&value;
        for (size_t i = 0; i < sizeof value; i++) {
            printf("%02x", bytes[i]);
        }
        puts("");
    }
}

/* The type that a fetch gives: floats, or what the texels are. */
static void run_type(const request &r, const cudaResourceDesc &resource, const point *at)
{
    const bool is_float = r.read || r.kind == cudaChannelFormatKindFloat;

    if (is_float) {
        r.channels == 1   ? run<float>(r, resource, at)
        : r.channels == 2 ? run<float2>(r, resource, at)
                          : run<float4>(r, resource, at);
    } else if (r.bits == 8) {
        r.channels == 1 ? run<signed char>(r, resource, at) : run<uchar4>(r, resource, at);
    } else if (r.bits == 16) {
        r.channels == 1 ? run<unsigned short>(r, resource, at) : run<short2>(r, resource, at);
    } else {
        r.channels == 1 ? run<unsigned>(r, resource, at) : run<int4>(r, resource, at);
    }
}

int main()
{
    request r;

    while (read_request(&r)) {
        const std::vector<unsigned> words = read_words<unsigned>(r.bytes);
        const std::vector<unsigned char> data(words.begin(), words.end());
        std::vector<point> points;
        point *at;

        for (int i = 0; i < r.count; i++) {
            const std::vector<float> xyz = read_words<float>(3);
            points.push_back({xyz[0], xyz[1], xyz[2], read_words<int>(1)[0]});
        }
        CHECK(cudaMalloc(&at, points.size() * sizeof *at));
        CHECK(cudaMemcpy(at, points.data(), points.size() * sizeof *at, cudaMemcpyHostToDevice));
        const cudaResourceDesc resource = resource_of(r, data);
        run_type(r, resource, at);
        release(resource);
        CHECK(cudaFree(at));
    }
    return 0;
}
