/* SPDX-License-Identifier: Apache-2.0 */
/* Tiled matrix multiplication on pitched memory, with 2D copies. */
#include <vector>

#include "check.h"

enum { TILE = 16 };

__global__ void matmul(const float *a, const float *b, float *c, size_t pitch, int n)
{
    __shared__ float of_a[TILE][TILE], of_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;

    for (int t = 0; t < n; t += TILE) {
        of_a[threadIdx.y][threadIdx.x] = a[row * pitch + t + threadIdx.x];
        of_b[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * pitch + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += of_a[threadIdx.y][k] * of_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * pitch + column] = sum;
}

int main()
{
    const int n = 80;
    const size_t width = n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    float *d[3];
    size_t pitch = 0;
    bool good = true;

    for (int i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5) - 2;
    }
    for (float *&m : d) {
        CHECK(cudaMallocPitch(&m, &pitch, width, n));
    }
    CHECK(cudaMemcpy2D(d[0], pitch, a.data(), width, width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(d[1], pitch, b.data(), width, width, n, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(d[2], pitch, 0xff, width, n));
    matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(d[0], d[1], d[2], pitch / sizeof(float),
                                                           n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy2D(c.data(), width, d[2], pitch, width, n, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            float want = 0;
            for (int j = 0; j < n; j++) {
                want += a[i * n + j] * b[j * n + k];
            }
            good = good && c[i * n + k] == want;
        }
    }
    printf("pitch %zu bytes of %zu\n", pitch, width);
    return verdict(good);
}
