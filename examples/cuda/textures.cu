/* SPDX-License-Identifier: Apache-2.0 */
/* An image is turned: read by a texture, between texels by its linear filter, and written to a
 * surface. The host does the same with weights of 8 bits of fraction, as CUDA's texture units have
 * them. */
#include <cmath>
#include <vector>

#include "check.h"

enum { SIZE = 64 };

/* Where a texel of the result lies in the source. */
__host__ __device__ static void turned(int x, int y, float *from_x, float *from_y)
{
    const float cosine = 0.8125f, sine = 0.5625f, middle = SIZE / 2;
    const float dx = (float)x + 0.5f - middle, dy = (float)y + 0.5f - middle;

    *from_x = dx * cosine - dy * sine + middle;
    *from_y = dx * sine + dy * cosine + middle;
}

__global__ void turn(cudaTextureObject_t source, cudaSurfaceObject_t to)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    float from_x, from_y;

    turned(x, y, &from_x, &from_y);
    surf2Dwrite(tex2D<float>(source, from_x, from_y), to, x * (int)sizeof(float), y);
}

static float texel(const std::vector<float> &image, int x, int y)
{
    return x < 0 || x >= SIZE || y < 0 || y >= SIZE ? 0 : image[(size_t)(y * SIZE + x)];
}

static float filtered(const std::vector<float> &image, float x, float y)
{
    const float left = floorf(x - 0.5f), top = floorf(y - 0.5f);
    const float a = roundf((x - 0.5f - left) * 256) / 256, b = roundf((y - 0.5f - top) * 256) / 256;
    const int i = (int)left, j = (int)top;

    return (1 - a) * (1 - b) * texel(image, i, j) + a * (1 - b) * texel(image, i + 1, j) +
           (1 - a) * b * texel(image, i, j + 1) + a * b * texel(image, i + 1, j + 1);
}

int main()
{
    std::vector<float> image(SIZE * SIZE), got(SIZE * SIZE);
    const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    const size_t row = SIZE * sizeof(float);
    cudaResourceDesc from = {}, to = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t source;
    cudaSurfaceObject_t target;
    cudaArray_t a, b;
    bool good = true;

    for (int i = 0; i < SIZE * SIZE; i++) {
        image[(size_t)i] = (float)((i % SIZE / 8 + i / SIZE / 8) % 2 * 128 + i % 7);
    }
    CHECK(cudaMallocArray(&a, &desc, SIZE, SIZE));
    CHECK(cudaMallocArray(&b, &desc, SIZE, SIZE, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(a, 0, 0, image.data(), row, row, SIZE, cudaMemcpyHostToDevice));
    from.resType = to.resType = cudaResourceTypeArray;
    from.res.array.array = a;
    to.res.array.array = b;
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    CHECK(cudaCreateTextureObject(&source, &from, &how, nullptr));
    CHECK(cudaCreateSurfaceObject(&target, &to));

    turn<<<dim3(SIZE / 16, SIZE / 16), dim3(16, 16)>>>(source, target);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2DFromArray(got.data(), row, b, 0, 0, row, SIZE, cudaMemcpyDeviceToHost));
    for (int y = 0; y < SIZE; y++) {
        for (int x = 0; x < SIZE; x++) {
            float from_x, from_y;
            turned(x, y, &from_x, &from_y);
            const float want = filtered(image, from_x, from_y);
            good &= fabsf(got[(size_t)(y * SIZE + x)] - want) <= 1e-4f;
        }
    }
    CHECK(cudaDestroySurfaceObject(target));
    CHECK(cudaDestroyTextureObject(source));
    CHECK(cudaFreeArray(a));
    CHECK(cudaFreeArray(b));
    return verdict(good);
}
