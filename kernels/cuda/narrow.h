/* SPDX-License-Identifier: Apache-2.0 */
/* A floating point type of 16 bits, and two of it in a word: included once for each, with
 *   WR_N, WR_N2    the types: __half, __half2
 *   WR_NAME        what functions call it: half
 *   WR_PTX         what PTX calls it: "f16"
 *   WR_MANTISSA    bits of it, without the hidden one
 *
 * Conversions and comparisons are of both sides, device and host; arithmetic is the device's, one
 * instruction each. Division and mathematical functions are those of float, rounded: division, and
 * the square root, to the nearest.
 */
#define WR_JOIN4_(a, b, c, d) a##b##c##d
#define WR_JOIN4(a, b, c, d)  WR_JOIN4_(a, b, c, d)
#define WR_EITHER             static inline __host__ __device__

struct __attribute__((aligned(2))) WR_JOIN4(, WR_N, _raw, ) {
    unsigned short x;
};
struct __attribute__((aligned(4))) WR_JOIN4(, WR_N2, _raw, ) {
    unsigned short x, y;
};

struct __attribute__((aligned(2))) WR_N {
    unsigned short __x;

    WR_N() = default;
    __host__ __device__ WR_N(WR_JOIN4(, WR_N, _raw, ) raw) : __x(raw.x) {}
#define WR_FROM(type, wide)                                                                        \
    __host__ __device__ WR_N(type value)                                                           \
        : __x(wr_narrow_##wide<WR_MANTISSA>(value, WR_NEAREST)) {}                                 \
    __host__ __device__ WR_N &operator=(type value)                                                \
    {                                                                                              \
        return *this = WR_N(value);                                                                \
    }
    WR_FROM(float, of_real)
    WR_FROM(double, of_real)
    WR_FROM(short, of_whole)
    WR_FROM(unsigned short, of_whole)
    WR_FROM(int, of_whole)
    WR_FROM(unsigned, of_whole)
    WR_FROM(long, of_whole)
    WR_FROM(unsigned long, of_whole)
    WR_FROM(long long, of_whole)
    WR_FROM(unsigned long long, of_whole)
#undef WR_FROM
    __host__ __device__ operator WR_JOIN4(, WR_N, _raw, )() const
    {
        return {__x};
    }
    __host__ __device__ operator float() const
    {
        return wr_narrow_value<WR_MANTISSA>(__x);
    }
#define WR_TO(type)                                                                                \
    __host__ __device__ operator type() const                                                      \
    {                                                                                              \
        return (type)wr_narrow_value<WR_MANTISSA>(__x);                                            \
    }
    WR_TO(short)
    WR_TO(unsigned short)
    WR_TO(int)
    WR_TO(unsigned)
    WR_TO(long long)
    WR_TO(unsigned long long)
#undef WR_TO
    __host__ __device__ operator bool() const
    {
        return (__x & 0x7fff) != 0;
    }
};

struct __attribute__((aligned(4))) WR_N2 {
    WR_N x, y;

    WR_N2() = default;
    __host__ __device__ WR_N2(WR_N low, WR_N high) : x(low), y(high) {}
    __host__ __device__ WR_N2(WR_JOIN4(, WR_N2, _raw, ) raw)
    {
        x.__x = raw.x;
        y.__x = raw.y;
    }
};

/* ---- conversions ---- */

WR_EITHER WR_N WR_JOIN4(wr_, WR_NAME, _of, )(unsigned short bits)
{
    WR_N n;

    n.__x = bits;
    return n;
}
#define WR_OF_BITS(bits) WR_JOIN4(wr_, WR_NAME, _of, )(bits)

#define WR_CONVERT(name, type, wide)                                                               \
    WR_EITHER WR_N WR_JOIN4(__##name##2, WR_NAME, _rn, )(type v)                                   \
    {                                                                                              \
        return WR_OF_BITS(wr_narrow_##wide<WR_MANTISSA>(v, WR_NEAREST));                           \
    }                                                                                              \
    WR_EITHER WR_N WR_JOIN4(__##name##2, WR_NAME, _rz, )(type v)                                   \
    {                                                                                              \
        return WR_OF_BITS(wr_narrow_##wide<WR_MANTISSA>(v, WR_TO_ZERO));                           \
    }                                                                                              \
    WR_EITHER WR_N WR_JOIN4(__##name##2, WR_NAME, _rd, )(type v)                                   \
    {                                                                                              \
        return WR_OF_BITS(wr_narrow_##wide<WR_MANTISSA>(v, WR_DOWN));                              \
    }                                                                                              \
    WR_EITHER WR_N WR_JOIN4(__##name##2, WR_NAME, _ru, )(type v)                                   \
    {                                                                                              \
        return WR_OF_BITS(wr_narrow_##wide<WR_MANTISSA>(v, WR_UP));                                \
    }
WR_CONVERT(float, float, of_real)
WR_CONVERT(int, int, of_whole)
WR_CONVERT(uint, unsigned, of_whole)
WR_CONVERT(short, short, of_whole)
WR_CONVERT(ushort, unsigned short, of_whole)
WR_CONVERT(ll, long long, of_whole)
WR_CONVERT(ull, unsigned long long, of_whole)

WR_EITHER WR_N WR_JOIN4(__float2, WR_NAME, , )(float v)
{
    return WR_N(v);
}
WR_EITHER WR_N WR_JOIN4(__double2, WR_NAME, , )(double v)
{
    return WR_N(v);
}
WR_EITHER float WR_JOIN4(__, WR_NAME, 2float, )(WR_N v)
{
    return (float)v;
}

/* Integers: out of range the nearest one, NaN 0, of 64 bits the highest bit alone. */
#define WR_INTEGER(name, type, low, high, nan)                                                     \
    WR_EITHER type WR_JOIN4(__, WR_NAME, 2##name##_rn, )(WR_N v)                                   \
    {                                                                                              \
        return wr_narrow_whole<type>(__builtin_rintf((float)v), (float)v, low, high, nan);         \
    }                                                                                              \
    WR_EITHER type WR_JOIN4(__, WR_NAME, 2##name##_rz, )(WR_N v)                                   \
    {                                                                                              \
        return wr_narrow_whole<type>(__builtin_truncf((float)v), (float)v, low, high, nan);        \
    }                                                                                              \
    WR_EITHER type WR_JOIN4(__, WR_NAME, 2##name##_rd, )(WR_N v)                                   \
    {                                                                                              \
        return wr_narrow_whole<type>(__builtin_floorf((float)v), (float)v, low, high, nan);        \
    }                                                                                              \
    WR_EITHER type WR_JOIN4(__, WR_NAME, 2##name##_ru, )(WR_N v)                                   \
    {                                                                                              \
        return wr_narrow_whole<type>(__builtin_ceilf((float)v), (float)v, low, high, nan);         \
    }
WR_INTEGER(int, int, -0x7fffffff - 1, 0x7fffffff, 0)
WR_INTEGER(uint, unsigned, 0, 0xffffffff, 0)
WR_INTEGER(short, short, -0x8000, 0x7fff, 0)
WR_INTEGER(ushort, unsigned short, 0, 0xffff, 0)
WR_INTEGER(ll, long long, -0x7fffffffffffffff - 1, 0x7fffffffffffffff, -0x7fffffffffffffff - 1)
WR_INTEGER(ull, unsigned long long, 0, 0xffffffffffffffff, 0x8000000000000000)

WR_EITHER short WR_JOIN4(__, WR_NAME, _as_short, )(WR_N v)
{
    return (short)v.__x;
}
WR_EITHER unsigned short WR_JOIN4(__, WR_NAME, _as_ushort, )(WR_N v)
{
    return v.__x;
}
WR_EITHER WR_N WR_JOIN4(__short_as_, WR_NAME, , )(short v)
{
    return WR_OF_BITS((unsigned short)v);
}
WR_EITHER WR_N WR_JOIN4(__ushort_as_, WR_NAME, , )(unsigned short v)
{
    return WR_OF_BITS(v);
}

/* Pairs. */
WR_EITHER WR_N2 WR_JOIN4(make_, WR_NAME, 2, )(WR_N low, WR_N high)
{
    return WR_N2(low, high);
}
WR_EITHER WR_N2 WR_JOIN4(__halves2, WR_NAME, 2, )(WR_N low, WR_N high)
{
    return WR_N2(low, high);
}
WR_EITHER WR_N2 WR_JOIN4(__, WR_NAME, 2, WR_JOIN4(WR_NAME, 2, , ))(WR_N v)
{
    return WR_N2(v, v);
}
WR_EITHER WR_N2 WR_JOIN4(__float2, WR_NAME, 2_rn, )(float v)
{
    return WR_N2(WR_N(v), WR_N(v));
}
WR_EITHER WR_N2 WR_JOIN4(__floats2, WR_NAME, 2_rn, )(float low, float high)
{
    return WR_N2(WR_N(low), WR_N(high));
}
WR_EITHER WR_N2 WR_JOIN4(__float22, WR_NAME, 2_rn, )(float2 v)
{
    return WR_N2(WR_N(v.x), WR_N(v.y));
}
WR_EITHER float2 WR_JOIN4(__, WR_NAME, 22float2, )(WR_N2 v)
{
    return {(float)v.x, (float)v.y};
}
WR_EITHER float __low2float(WR_N2 v)
{
    return (float)v.x;
}
WR_EITHER float __high2float(WR_N2 v)
{
    return (float)v.y;
}
WR_EITHER WR_N WR_JOIN4(__low2, WR_NAME, , )(WR_N2 v)
{
    return v.x;
}
WR_EITHER WR_N WR_JOIN4(__high2, WR_NAME, , )(WR_N2 v)
{
    return v.y;
}
WR_EITHER WR_N2 WR_JOIN4(__low2, WR_NAME, 2, )(WR_N2 v)
{
    return WR_N2(v.x, v.x);
}
WR_EITHER WR_N2 WR_JOIN4(__high2, WR_NAME, 2, )(WR_N2 v)
{
    return WR_N2(v.y, v.y);
}
WR_EITHER WR_N2 WR_JOIN4(__lows2, WR_NAME, 2, )(WR_N2 a, WR_N2 b)
{
    return WR_N2(a.x, b.x);
}
WR_EITHER WR_N2 WR_JOIN4(__highs2, WR_NAME, 2, )(WR_N2 a, WR_N2 b)
{
    return WR_N2(a.y, b.y);
}
WR_EITHER WR_N2 __lowhigh2highlow(WR_N2 v)
{
    return WR_N2(v.y, v.x);
}

/* ---- comparisons: ordered ones do not hold where an operand is NaN, those with u do ---- */

#define WR_TEST(name, op)                                                                          \
    WR_EITHER bool __h##name(WR_N a, WR_N b)                                                       \
    {                                                                                              \
        return (float)a op(float) b && (float)a == (float)a && (float)b == (float)b;               \
    }                                                                                              \
    WR_EITHER bool __h##name##u(WR_N a, WR_N b)                                                    \
    {                                                                                              \
        return !((float)a == (float)a && (float)b == (float)b) || (float)a op(float) b;            \
    }                                                                                              \
    WR_EITHER WR_N2 __h##name##2(WR_N2 a, WR_N2 b)                                                 \
    {                                                                                              \
        return WR_N2(WR_N((float)__h##name(a.x, b.x)), WR_N((float)__h##name(a.y, b.y)));          \
    }                                                                                              \
    WR_EITHER WR_N2 __h##name##u2(WR_N2 a, WR_N2 b)                                                \
    {                                                                                              \
        return WR_N2(WR_N((float)__h##name##u(a.x, b.x)), WR_N((float)__h##name##u(a.y, b.y)));    \
    }                                                                                              \
    WR_EITHER bool __hb##name##2(WR_N2 a, WR_N2 b)                                                 \
    {                                                                                              \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                         \
    }                                                                                              \
    WR_EITHER bool __hb##name##u2(WR_N2 a, WR_N2 b)                                                \
    {                                                                                              \
        return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                   \
    }                                                                                              \
    WR_EITHER unsigned __h##name##2_mask(WR_N2 a, WR_N2 b)                                         \
    {                                                                                              \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) | (__h##name(a.y, b.y) ? 0xffff0000u : 0);      \
    }                                                                                              \
    WR_EITHER unsigned __h##name##u2_mask(WR_N2 a, WR_N2 b)                                        \
    {                                                                                              \
        return (__h##name##u(a.x, b.x) ? 0xffffu : 0) |                                            \
               (__h##name##u(a.y, b.y) ? 0xffff0000u : 0);                                         \
    }
WR_TEST(eq, ==)
WR_TEST(ne, !=)
WR_TEST(lt, <)
WR_TEST(le, <=)
WR_TEST(gt, >)
WR_TEST(ge, >=)

WR_EITHER bool __hisnan(WR_N v)
{
    return (float)v != (float)v;
}
WR_EITHER int __hisinf(WR_N v)
{
    return (float)v == __builtin_inff() ? 1 : (float)v == -__builtin_inff() ? -1 : 0;
}
WR_EITHER WR_N2 __hisnan2(WR_N2 v)
{
    return WR_N2(WR_N((float)__hisnan(v.x)), WR_N((float)__hisnan(v.y)));
}

#ifdef __CUDA__

/* ---- arithmetic ---- */

WR_DEVICE unsigned wr_pair_bits(WR_N2 v)
{
    return (unsigned)v.x.__x | (unsigned)v.y.__x << 16;
}
WR_DEVICE WR_N2 WR_JOIN4(wr_, WR_NAME, 2_of, )(unsigned bits)
{
    return WR_N2(WR_OF_BITS((unsigned short)bits), WR_OF_BITS((unsigned short)(bits >> 16)));
}
#define WR_PAIR_OF(bits) WR_JOIN4(wr_, WR_NAME, 2_of, )(bits)

#define WR_BINARY(name, op)                                                                        \
    WR_DEVICE WR_N __h##name(WR_N a, WR_N b)                                                       \
    {                                                                                              \
        unsigned short got;                                                                        \
                                                                                                   \
        __asm__(op "." WR_PTX " %0, %1, %2;" : "=h"(got) : "h"(a.__x), "h"(b.__x));                \
        return WR_OF_BITS(got);                                                                    \
    }                                                                                              \
    WR_DEVICE WR_N2 __h##name##2(WR_N2 a, WR_N2 b)                                                 \
    {                                                                                              \
        unsigned got;                                                                              \
                                                                                                   \
        __asm__(op "." WR_PTX "x2 %0, %1, %2;"                                                     \
                : "=r"(got)                                                                        \
                : "r"(wr_pair_bits(a)), "r"(wr_pair_bits(b)));                                     \
        return WR_PAIR_OF(got);                                                                    \
    }
WR_BINARY(add, "add.rn")
WR_BINARY(sub, "sub.rn")
WR_BINARY(mul, "mul.rn")
WR_BINARY(min, "min")
WR_BINARY(max, "max")

/* The same by other names: `_rn` is not joined to an fma, which is never done here. */
#define WR_ALSO(name, what, form)                                                                  \
    WR_DEVICE WR_N __h##name##form(WR_N a, WR_N b)                                                 \
    {                                                                                              \
        return what(__h##name(a, b));                                                              \
    }                                                                                              \
    WR_DEVICE WR_N2 __h##name##2##form(WR_N2 a, WR_N2 b)                                           \
    {                                                                                              \
        const WR_N2 v = __h##name##2(a, b);                                                        \
                                                                                                   \
        return WR_N2(what(v.x), what(v.y));                                                        \
    }
WR_DEVICE WR_N wr_saturate(WR_N v)
{
    return __hmin(__hmax(v, WR_OF_BITS(0)), WR_N(1.0f));
}
WR_ALSO(add, , _rn)
WR_ALSO(sub, , _rn)
WR_ALSO(mul, , _rn)
WR_ALSO(add, wr_saturate, _sat)
WR_ALSO(sub, wr_saturate, _sat)
WR_ALSO(mul, wr_saturate, _sat)

#define WR_NAN_TOO(name, op)                                                                       \
    WR_DEVICE WR_N name##_nan(WR_N a, WR_N b)                                                      \
    {                                                                                              \
        unsigned short got;                                                                        \
                                                                                                   \
        __asm__(op ".NaN." WR_PTX " %0, %1, %2;" : "=h"(got) : "h"(a.__x), "h"(b.__x));            \
        return WR_OF_BITS(got);                                                                    \
    }                                                                                              \
    WR_DEVICE WR_N2 name##2_nan(WR_N2 a, WR_N2 b)                                                  \
    {                                                                                              \
        return WR_N2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));                                  \
    }
WR_NAN_TOO(__hmin, "min")
WR_NAN_TOO(__hmax, "max")

#define WR_FMA(form, op)                                                                           \
    WR_DEVICE WR_N __hfma##form(WR_N a, WR_N b, WR_N c)                                            \
    {                                                                                              \
        unsigned short got;                                                                        \
                                                                                                   \
        __asm__(op "." WR_PTX " %0, %1, %2, %3;"                                                   \
                : "=h"(got)                                                                        \
                : "h"(a.__x), "h"(b.__x), "h"(c.__x));                                             \
        return WR_OF_BITS(got);                                                                    \
    }                                                                                              \
    WR_DEVICE WR_N2 __hfma2##form(WR_N2 a, WR_N2 b, WR_N2 c)                                       \
    {                                                                                              \
        unsigned got;                                                                              \
                                                                                                   \
        __asm__(op "." WR_PTX "x2 %0, %1, %2, %3;"                                                 \
                : "=r"(got)                                                                        \
                : "r"(wr_pair_bits(a)), "r"(wr_pair_bits(b)), "r"(wr_pair_bits(c)));               \
        return WR_PAIR_OF(got);                                                                    \
    }
WR_FMA(, "fma.rn")
WR_FMA(_relu, "fma.rn.relu")
WR_DEVICE WR_N __hfma_sat(WR_N a, WR_N b, WR_N c)
{
    return wr_saturate(__hfma(a, b, c));
}
WR_DEVICE WR_N2 __hfma2_sat(WR_N2 a, WR_N2 b, WR_N2 c)
{
    return WR_N2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y));
}
/* Complex numbers, real part below: c + a b. */
WR_DEVICE WR_N2 __hcmadd(WR_N2 a, WR_N2 b, WR_N2 c)
{
    const WR_N minus = WR_OF_BITS((unsigned short)(a.y.__x ^ 0x8000));

    return WR_N2(__hfma(minus, b.y, __hfma(a.x, b.x, c.x)),
                 __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

WR_DEVICE WR_N __hneg(WR_N v)
{
    return WR_OF_BITS((unsigned short)(v.__x ^ 0x8000));
}
WR_DEVICE WR_N __habs(WR_N v)
{
    return WR_OF_BITS((unsigned short)(v.__x & 0x7fff));
}
WR_DEVICE WR_N __hdiv(WR_N a, WR_N b)
{
    return WR_N(__fdiv_rn((float)a, (float)b));
}

/* A function of one number, for it and for two. */
#define WR_UNARY(name, pair, expression)                                                           \
    WR_DEVICE WR_N name(WR_N v)                                                                    \
    {                                                                                              \
        const float x = (float)v;                                                                  \
                                                                                                   \
        return WR_N(expression);                                                                   \
    }                                                                                              \
    WR_DEVICE WR_N2 pair(WR_N2 v)                                                                  \
    {                                                                                              \
        return WR_N2(name(v.x), name(v.y));                                                        \
    }
WR_UNARY(hceil, h2ceil, ceilf(x))
WR_UNARY(hfloor, h2floor, floorf(x))
WR_UNARY(hrint, h2rint, rintf(x))
WR_UNARY(htrunc, h2trunc, truncf(x))
WR_UNARY(hsqrt, h2sqrt, __fsqrt_rn(x))
WR_UNARY(hrsqrt, h2rsqrt, rsqrtf(x))
WR_UNARY(hrcp, h2rcp, __frcp_rn(x))
WR_UNARY(hexp, h2exp, expf(x))
WR_UNARY(hexp2, h2exp2, exp2f(x))
WR_UNARY(hexp10, h2exp10, exp10f(x))
WR_UNARY(hlog, h2log, logf(x))
WR_UNARY(hlog2, h2log2, log2f(x))
WR_UNARY(hlog10, h2log10, log10f(x))
WR_UNARY(hsin, h2sin, sinf(x))
WR_UNARY(hcos, h2cos, cosf(x))
WR_UNARY(htanh, h2tanh, tanhf(x))
WR_DEVICE WR_N2 __hneg2(WR_N2 v)
{
    return WR_N2(__hneg(v.x), __hneg(v.y));
}
WR_DEVICE WR_N2 __habs2(WR_N2 v)
{
    return WR_N2(__habs(v.x), __habs(v.y));
}
WR_DEVICE WR_N2 __h2div(WR_N2 a, WR_N2 b)
{
    return WR_N2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}

#define WR_OPERATOR(op, one, two)                                                                  \
    WR_DEVICE WR_N operator op(const WR_N &a, const WR_N &b)                                       \
    {                                                                                              \
        return one(a, b);                                                                          \
    }                                                                                              \
    WR_DEVICE WR_N2 operator op(const WR_N2 &a, const WR_N2 &b)                                    \
    {                                                                                              \
        return two(a, b);                                                                          \
    }                                                                                              \
    WR_DEVICE WR_N &operator op##=(WR_N &a, const WR_N &b)                                         \
    {                                                                                              \
        return a = one(a, b);                                                                      \
    }                                                                                              \
    WR_DEVICE WR_N2 &operator op##=(WR_N2 &a, const WR_N2 &b)                                      \
    {                                                                                              \
        return a = two(a, b);                                                                      \
    }
WR_OPERATOR(+, __hadd, __hadd2)
WR_OPERATOR(-, __hsub, __hsub2)
WR_OPERATOR(*, __hmul, __hmul2)
WR_OPERATOR(/, __hdiv, __h2div)

#define WR_SIGN(type, negative, one, add, sub)                                                     \
    WR_DEVICE type operator+(const type &v)                                                        \
    {                                                                                              \
        return v;                                                                                  \
    }                                                                                              \
    WR_DEVICE type operator-(const type &v)                                                        \
    {                                                                                              \
        return negative(v);                                                                        \
    }                                                                                              \
    WR_DEVICE type &operator++(type &v)                                                            \
    {                                                                                              \
        return v = add(v, one);                                                                    \
    }                                                                                              \
    WR_DEVICE type &operator--(type &v)                                                            \
    {                                                                                              \
        return v = sub(v, one);                                                                    \
    }                                                                                              \
    WR_DEVICE type operator++(type &v, int)                                                        \
    {                                                                                              \
        const type was = v;                                                                        \
                                                                                                   \
        v = add(v, one);                                                                           \
        return was;                                                                                \
    }                                                                                              \
    WR_DEVICE type operator--(type &v, int)                                                        \
    {                                                                                              \
        const type was = v;                                                                        \
                                                                                                   \
        v = sub(v, one);                                                                           \
        return was;                                                                                \
    }
WR_SIGN(WR_N, __hneg, WR_N(1.0f), __hadd, __hsub)
WR_SIGN(WR_N2, __hneg2, WR_N2(WR_N(1.0f), WR_N(1.0f)), __hadd2, __hsub2)

#define WR_RELATION(op, one, two)                                                                  \
    WR_DEVICE bool operator op(const WR_N &a, const WR_N &b)                                       \
    {                                                                                              \
        return one(a, b);                                                                          \
    }                                                                                              \
    WR_DEVICE bool operator op(const WR_N2 &a, const WR_N2 &b)                                     \
    {                                                                                              \
        return two(a, b);                                                                          \
    }
WR_RELATION(==, __heq, __hbeq2)
WR_RELATION(!=, __hneu, __hbneu2)
WR_RELATION(<, __hlt, __hblt2)
WR_RELATION(<=, __hle, __hble2)
WR_RELATION(>, __hgt, __hbgt2)
WR_RELATION(>=, __hge, __hbge2)

/* ---- between lanes, in memory ---- */

#define WR_LANES_OF(name, number)                                                                  \
    WR_DEVICE WR_N2 name(unsigned mask, WR_N2 v, number from, int width = warpSize)                \
    {                                                                                              \
        return WR_PAIR_OF(name(mask, wr_pair_bits(v), from, width));                               \
    }                                                                                              \
    WR_DEVICE WR_N name(unsigned mask, WR_N v, number from, int width = warpSize)                  \
    {                                                                                              \
        return WR_OF_BITS((unsigned short)name(mask, (unsigned)v.__x, from, width));               \
    }
WR_LANES_OF(__shfl_sync, int)
WR_LANES_OF(__shfl_up_sync, unsigned)
WR_LANES_OF(__shfl_down_sync, unsigned)
WR_LANES_OF(__shfl_xor_sync, int)

WR_DEVICE WR_N atomicAdd(WR_N *at, WR_N v)
{
    unsigned short was;

    __asm__ volatile("atom.add.noftz." WR_PTX " %0, [%1], %2;"
                     : "=h"(was)
                     : WR_POINTER(at), "h"(v.__x)
                     : "memory");
    return WR_OF_BITS(was);
}
WR_DEVICE WR_N2 atomicAdd(WR_N2 *at, WR_N2 v)
{
    unsigned was;

    __asm__ volatile("atom.add.noftz." WR_PTX "x2 %0, [%1], %2;"
                     : "=r"(was)
                     : WR_POINTER(at), "r"(wr_pair_bits(v))
                     : "memory");
    return WR_PAIR_OF(was);
}

#endif

#undef WR_JOIN4_
#undef WR_JOIN4
#undef WR_EITHER
#undef WR_OF_BITS
#undef WR_CONVERT
#undef WR_INTEGER
#undef WR_TEST
#undef WR_PAIR_OF
#undef WR_BINARY
#undef WR_ALSO
#undef WR_NAN_TOO
#undef WR_FMA
#undef WR_UNARY
#undef WR_OPERATOR
#undef WR_SIGN
#undef WR_RELATION
#undef WR_LANES_OF
#undef WR_N
#undef WR_N2
#undef WR_NAME
#undef WR_PTX
#undef WR_MANTISSA
