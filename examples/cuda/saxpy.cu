/* SPDX-License-Identifier: Apache-2.0 */
/* The first program: memory, copies, a launch, its time. */
#include <vector>

#include "check.h"

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

int main()
{
    const int n = 100000;
    std::vector<float> x(n), y(n, 1);
    float *dx, *dy, milliseconds = 0;
    cudaEvent_t begin, end;

    for (int i = 0; i < n; i++) {
        x[i] = (float)i;
    }
    CHECK(cudaMalloc(&dx, n * sizeof *dx));
    CHECK(cudaMalloc(&dy, n * sizeof *dy));
    CHECK(cudaMemcpy(dx, x.data(), n * sizeof *dx, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dy, y.data(), n * sizeof *dy, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    saxpy<<<(n + 255) / 256, 256>>>(n, 2, dx, dy);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CHECK(cudaMemcpy(y.data(), dy, n * sizeof *dy, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(dx));
    CHECK(cudaFree(dy));

    bool good = milliseconds > 0;
    for (int i = 0; i < n; i++) {
        good = good && y[i] == 2 * (float)i + 1;
    }
    printf("%.1f microseconds of the GPU\n", milliseconds * 1000);
    return verdict(good);
}
