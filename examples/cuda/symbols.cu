/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of the device: constant memory, a counter, a table with an initialiser. */
#include <vector>

#include "check.h"

__constant__ float taps[5];
__device__ unsigned handled;
__device__ int table[4] = {3, 1, 4, 1};

__global__ void filter(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float sum = 0;
        for (int k = -2; k <= 2; k++) {
            int at = i + k;
            sum += at >= 0 && at < n ? in[at] * taps[k + 2] : 0;
        }
        out[i] = sum + (float)table[i % 4];
        atomicAdd(&handled, 1u);
    }
}

int main()
{
    const int n = 3000;
    const float of[5] = {1, 4, 6, 4, 1};
    std::vector<float> in(n), out(n);
    float *d_in, *d_out;
    unsigned count = 0;
    size_t bytes = 0;
    void *address = nullptr;
    bool good = true;

    for (int i = 0; i < n; i++) {
        in[i] = (float)(i % 17);
    }
    CHECK(cudaMemcpyToSymbol(taps, of, sizeof of));
    CHECK(cudaGetSymbolSize(&bytes, taps));
    CHECK(cudaGetSymbolAddress(&address, handled));
    CHECK(cudaMalloc(&d_in, n * sizeof *d_in));
    CHECK(cudaMalloc(&d_out, n * sizeof *d_out));
    CHECK(cudaMemcpy(d_in, in.data(), n * sizeof *d_in, cudaMemcpyHostToDevice));
    filter<<<(n + 127) / 128, 128>>>(d_in, d_out, n);
    CHECK(cudaMemcpy(out.data(), d_out, n * sizeof *d_out, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpyFromSymbol(&count, handled, sizeof count));
    good = good && count == (unsigned)n && bytes == sizeof of && address != nullptr;
    for (int i = 0; i < n; i++) {
        const int add[4] = {3, 1, 4, 1};
        float want = (float)add[i % 4];
        for (int k = -2; k <= 2; k++) {
            want += i + k >= 0 && i + k < n ? in[i + k] * of[k + 2] : 0;
        }
        good = good && out[i] == want;
    }
    printf("%u elements\n", count);
    return verdict(good);
}
