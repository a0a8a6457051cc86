/* SPDX-License-Identifier: Apache-2.0 */
/* Structs and unions by value as arguments of kernels: each byte comes to the device as it was on
 * the host, by a copy, byte by byte, and of one member behind the other.
 */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct bits {
    unsigned a : 3, b : 17;
    unsigned char c;
    unsigned long long d : 41;
    short e : 5;
};
struct padded {
    char c;
    double d;
    short s;
    char tail[3];
};
struct nested {
    char m[3][5];
    padded p[2];
    struct {
        char q;
        long long r;
    } in[2][2];
};
struct alignas(16) wide {
    char c;
    float4 f;
    short s;
};
union some {
    struct {
        char c;
        int i;
    } s;
    unsigned char bytes[8];
};
union others {
    padded p;
    float4 f[3];
    unsigned char bytes[48];
};
struct odd {
    char c[13];
};
struct big {
    int a[257];
    char z;
};
enum class small : unsigned char { one = 1 };
struct mixed {
    small s;
    bool b;
    const void *p;
    some u[3];
    char3 c3;
    double2 d2;
};

template <typename V> __global__ void copy(V v, V *out, char)
{
    memcpy(out, &v, sizeof v);
}
/* Between other arguments, and by an index that is not known. */
template <typename V> __global__ void by_byte(char before, V v, short after, unsigned char *out)
{
    const unsigned char *from = (const unsigned char *)&v;

    for (unsigned i = threadIdx.x; i < sizeof v; i += blockDim.x) {
        out[i] = from[i];
    }
    if (threadIdx.x == 0) {
        out[sizeof v] = (unsigned char)(before + after);
    }
}
template <typename V> __global__ void two(V v, char c, V w, V *out)
{
    memcpy(out + (c - 'a'), &v, sizeof v);
    memcpy(out + 1 - (c - 'a'), &w, sizeof w);
}

static int differ(const char *type, const char *how, const void *want, const void *got,
                  size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const unsigned w = ((const unsigned char *)want)[i], g = ((const unsigned char *)got)[i];
        if (w != g) {
            printf("%s, %s: byte %zu is %u, not %u\n", type, how, i, g, w);
            return 1;
        }
    }
    return 0;
}

template <typename V> static int try_one(const char *type, bool is_full, unsigned seed)
{
    static unsigned char *device, got[8192];
    unsigned char bytes[2][sizeof(V)];
    V v, w;
    int wrong = 0;

    if (!device) {
        cudaMalloc(&device, sizeof got);
    }
    for (unsigned char &byte : bytes[0]) {
        byte = (unsigned char)((seed = seed * 1664525 + 1013904223) >> 24);
    }
    for (unsigned i = 0; i < sizeof(V); i++) {
        bytes[1][i] = (unsigned char)~bytes[0][i];
    }
    memcpy((void *)&v, bytes[0], sizeof v);
    memcpy((void *)&w, bytes[1], sizeof w);
    by_byte<<<1, 32>>>(3, v, 4, device);
    cudaMemcpy(got, device, sizeof v + 1, cudaMemcpyDeviceToHost);
    wrong += differ(type, "byte by byte", bytes[0], got, sizeof v) + (got[sizeof v] != 7);
    if (!is_full) {
        return wrong;
    }
    copy<<<1, 1>>>(v, (V *)device, 'x');
    cudaMemcpy(got, device, sizeof v, cudaMemcpyDeviceToHost);
    wrong += differ(type, "copied", bytes[0], got, sizeof v);
    two<<<1, 1>>>(v, 'a', w, (V *)device);
    cudaMemcpy(got, device, 2 * sizeof v, cudaMemcpyDeviceToHost);
    wrong += differ(type, "two of them", bytes, got, 2 * sizeof v);
    return wrong;
}

int main()
{
    int wrong = 0;

#define TRY(type, is_full) wrong += try_one<type>(#type, is_full, (unsigned)sizeof(type) + 7)
    TRY(bits, false);
    TRY(padded, false);
    TRY(nested, false);
    TRY(wide, false);
    TRY(some, true);
    TRY(others, false);
    TRY(odd, true);
    TRY(big, false);
    TRY(mixed, false);
    TRY(float3, true);
    TRY(double4, true);
    printf("%s: %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong != 0;
}
