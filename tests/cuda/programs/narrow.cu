/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of __half and __nv_bfloat16 give the same on the host as on the device: of all their
 * values, and of floats and integers in each rounding. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>
#include <vector>

#define TO(name, out)                                                                              \
    out[0] = __int2##name##_rn((int)bits);                                                         \
    out[1] = __int2##name##_rz((int)bits);                                                         \
    out[2] = __uint2##name##_ru(bits);                                                             \
    out[3] = __ll2##name##_rd((long long)bits * 0x10003 * (bits & 1 ? -1 : 1));                    \
    out[4] = __float2##name##_rn(real);                                                            \
    out[5] = __float2##name##_rz(real);                                                            \
    out[6] = __float2##name##_rd(real);                                                            \
    out[7] = __float2##name##_ru(real);                                                            \
    out[8] = __double2##name(real * 1.0000001);

template <typename T> struct figures {
    T of[9];
    float value;
    int near;
    unsigned down;
    long long up;
    unsigned short tests;
};

#define FILL(T, name)                                                                              \
    __host__ __device__ inline void fill(unsigned bits, float real, figures<T> *f)                 \
    {                                                                                              \
        const T v = __ushort_as_##name((unsigned short)bits);                                      \
        const T w = __ushort_as_##name((unsigned short)(bits * 40503u));                           \
                                                                                                   \
        TO(name, f->of)                                                                            \
        f->value = __##name##2float(v);                                                            \
        f->near = __##name##2int_rn(v);                                                            \
        f->down = __##name##2uint_rd(v);                                                           \
        f->up = __##name##2ll_ru(v);                                                               \
        f->tests = (unsigned short)(__hlt(v, w) | __hleu(v, w) << 1 | __heq(v, v) << 2 |           \
                                    __hisnan(v) << 3 | (__hisinf(v) + 1) << 4);                    \
    }
FILL(__half, half)
FILL(__nv_bfloat16, bfloat16)

/* A number of any exponent; the low bits of the first ones run through all values of 16 bits. */
__host__ __device__ inline unsigned bits_of(int i)
{
    return (unsigned)i < 65536 ? (unsigned)i : (unsigned)i * 2654435761u ^ (unsigned)i >> 7;
}
__host__ __device__ inline float real_of(int i)
{
    /* half of them near the range of a half, with few bits behind the last place */
    unsigned bits = bits_of(i) * 2246822519u;
    float v;

    if (i % 2 == 0) {
        bits = (bits & 0x80000000u) | ((bits >> 8) % 40 + 100) << 23 |
               (bits & 0x7fffffu & ~(bits >> 3));
    }
    memcpy(&v, &bits, sizeof v);
    return v;
}

template <typename T> __global__ void on_device(figures<T> *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    fill(bits_of(i), real_of(i), &out[i]);
}

static bool same(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

template <typename T> static bool compare(const char *name)
{
    const int n = 1024 * 96;
    std::vector<figures<T>> got(n);
    figures<T> *out;
    int wrong = 0;

    cudaMalloc(&out, n * sizeof *out);
    on_device<<<n / 128, 128>>>(out);
    if (cudaMemcpy(got.data(), out, n * sizeof *out, cudaMemcpyDeviceToHost) != cudaSuccess) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        figures<T> want;
        bool good = true;

        fill(bits_of(i), real_of(i), &want);
        for (int k = 0; k < 9; k++) {
            good = good && (got[i].of[k].__x == want.of[k].__x ||
                            (__hisnan(got[i].of[k]) && __hisnan(want.of[k])));
        }
        good = good && same(got[i].value, want.value) && got[i].near == want.near &&
               got[i].down == want.down && got[i].up == want.up && got[i].tests == want.tests;
        if (!good && wrong++ == 0) {
            printf("%s: of %08x and %a they differ\n", name, bits_of(i), (double)real_of(i));
        }
    }
    printf("%s: %d of %d differ\n", name, wrong, n);
    return wrong == 0;
}

int main()
{
    const bool half = compare<__half>("__half"), bfloat = compare<__nv_bfloat16>("__nv_bfloat16");

    printf("%s\n", half && bfloat ? "PASS" : "FAIL");
    return half && bfloat ? 0 : 1;
}
