/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that one part of the machine bounds each; see bounds. Grids fill every SM. */
#include "kernels/cuda.h"

#define ID     (blockIdx.x * blockDim.x + threadIdx.x)
#define KERNEL extern "C" __global__ void

KERNEL fma(float *c, int n)
{
    float x = c[ID], y = c[ID + 1];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 32; k++) {
            __asm__ volatile("fma.rn.f32 %0, %0, %1, %0;" : "+f"(x) : "f"(y));
        }
    }
    c[ID] = x;
}

KERNEL imul(int *c, int n)
{
    int x = c[ID], y = c[ID + 1];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 16; k++) {
            __asm__ volatile("mul.lo.s32 %0, %0, %1;" : "+r"(x) : "r"(y));
        }
    }
    c[ID] = x;
}

KERNEL idiv(int *c, int n)
{
    int x = c[ID] + 1000000, y = c[ID + 1] + 1;
    for (int i = 0; i < n; i++) {
        __asm__ volatile("div.s32 %0, %0, %1;" : "+r"(x) : "r"(y));
    }
    c[ID] = x;
}

KERNEL sfu(float *c, int n)
{
    float x = c[ID];
    for (int i = 0; i < n; i++) {
        __asm__ volatile("sin.approx.f32 %0, %0;" : "+f"(x));
        __asm__ volatile("ex2.approx.f32 %0, %0;" : "+f"(x));
    }
    c[ID] = x;
}

KERNEL dadd(double *c, int n)
{
    double x = c[ID], y = c[ID + 1];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 4; k++) {
            __asm__ volatile("add.rn.f64 %0, %0, %1;" : "+d"(x) : "d"(y));
        }
    }
    c[ID] = x;
}

/* Shared memory, lanes `stride` words apart. */
KERNEL banks(int *c, int n, int stride)
{
    __shared__ volatile int s[2048];
    int x = 0;
    s[threadIdx.x] = 0;
    for (int i = 0; i < n; i++) {
        x += s[threadIdx.x * stride & 2047];
    }
    c[ID] = x;
}

KERNEL shared_atomic(int *c, int n)
{
    __shared__ int s[1];
    s[0] = 0;
    __syncthreads();
    for (int i = 0; i < n; i++) {
        atomicAdd(&s[0], 1);
    }
    c[ID] = s[0];
}

KERNEL global_atomic(int *c, int n)
{
    for (int i = 0; i < n; i++) {
        atomicAdd(&c[0], 1);
    }
}

/* Every warp reads 256 KB over and over, past the L1. */
KERNEL sweep(const volatile int *a, int *c, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        x += a[(ID + i * 1056) & 65535];
    }
    c[ID] = x;
}

/* All of a buffer once, past the L1, whose MSHRs would bound it. */
KERNEL stream(const volatile int *a, int *c, int n)
{
    int x = 0, y, z, w;
    for (int i = 0; i < n; i++) {
        const volatile int *at = &a[4 * (ID + i * gridDim.x * blockDim.x)];
        __asm__ volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                         : "r"(at));
    }
    c[ID] = x + y + z + w;
}

__constant__ int table[1024];

/* Each lane in a line of the constant cache of its own. */
KERNEL constants(int *c, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        x += table[(threadIdx.x * 16 + i) & 511];
    }
    c[ID] = x;
}

/* Each lane in a line of global memory of its own, all in the L1. */
KERNEL gather(const int *a, int *c, int n)
{
    int x = 0;
    for (int i = 0; i < n; i++) {
        x += a[(threadIdx.x * 32 + i) & 1023];
    }
    c[ID] = x;
}
