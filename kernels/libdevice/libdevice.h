/* SPDX-License-Identifier: Apache-2.0 */
/* Device math, by the names of NVIDIA's libdevice (__nv_sinf, __nv_sin), as bitcode: build.sh.
 *
 * What Debian's libclc has within the errors that CUDA documents is libclc's; the rest is here. All
 * of it keeps subnormals and is exact about signs of zero, infinities and NaN. How far each is off:
 * docs/cuda.md, measured by tests/cuda/math.py.
 */
#ifndef WR_KERNELS_LIBDEVICE_H
#define WR_KERNELS_LIBDEVICE_H

/* A function of libclc, by its name in OpenCL's mangling: of `length` characters. */
#define WR_CLC1(length, name)                                                                      \
    float clc_##name##f(float) __asm__("_Z" #length #name "f");                                    \
    double clc_##name(double) __asm__("_Z" #length #name "d");
#define WR_CLC2(length, name)                                                                      \
    float clc_##name##f(float, float) __asm__("_Z" #length #name "ff");                            \
    double clc_##name(double, double) __asm__("_Z" #length #name "dd");

#define INF __builtin_inf()
#define NaN __builtin_nan("")

/* A product, and what its rounding has lost. */
static inline double product(double x, double y, double *lost)
{
    double p = x * y;

    *lost = __builtin_fma(x, y, -p);
    return p;
}
static inline long long bits(double x)
{
    return __builtin_bit_cast(long long, x);
}
static inline double number(long long bits)
{
    return __builtin_bit_cast(double, bits);
}
/* 2 to the power n, for n from -1022 to 1023. */
static inline double power_of_2(int n)
{
    return number((long long)(n + 1023) << 52);
}

double __nv_cosh(double x);
double __nv_erfc(double x);
double __nv_exp(double x);
double __nv_expm1(double x);
double __nv_floor(double x);
double __nv_fmod(double x, double y);
double __nv_ldexp(double x, int n);
double __nv_log(double x);
double __nv_pow(double x, double y);
double __nv_remainder(double x, double y);
double __nv_round(double x);
double __nv_sinpi(double x);

#endif
