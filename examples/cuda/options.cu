/* SPDX-License-Identifier: Apache-2.0 */
/* Device math against the host's: option prices by Black and Scholes. */
#include <cmath>
#include <vector>

#include "check.h"

__host__ __device__ static double normal(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752);
}
__host__ __device__ static double call_price(double s, double k, double t, double r, double v)
{
    double d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);

    return s * normal(d1) - k * exp(-r * t) * normal(d2);
}

__global__ void prices(const double *s, double *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        c[i] = call_price(s[i], 100, 0.25 + i % 8 * 0.25, 0.02, 0.3);
    }
}

int main()
{
    const int n = 1000;
    std::vector<double> s(n), c(n);
    double *d_s, *d_c, worst = 0;

    for (int i = 0; i < n; i++) {
        s[i] = 60 + 0.1 * i;
    }
    CHECK(cudaMalloc(&d_s, n * sizeof *d_s));
    CHECK(cudaMalloc(&d_c, n * sizeof *d_c));
    CHECK(cudaMemcpy(d_s, s.data(), n * sizeof *d_s, cudaMemcpyHostToDevice));
    prices<<<(n + 63) / 64, 64>>>(d_s, d_c, n);
    CHECK(cudaMemcpy(c.data(), d_c, n * sizeof *d_c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        double want = call_price(s[i], 100, 0.25 + i % 8 * 0.25, 0.02, 0.3);
        worst = std::fmax(worst, std::fabs(c[i] - want) / (1 + want));
    }
    printf("largest difference %.1e\n", worst);
    return verdict(worst < 1e-13);
}
