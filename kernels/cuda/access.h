/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and stores of global memory that say how they use the caches: __ldg through the read-only
 * cache, the others with PTX's cache operator of that name. Of values of 1, 2, 4, 8 and 16 bytes on
 * a multiple of their size, as CUDA's numbers and vectors of 2 and 4 are.
 */
#ifndef WR_KERNELS_CUDA_ACCESS_H
#define WR_KERNELS_CUDA_ACCESS_H

#include "vector_types.h"

/* An instruction at `at`, the operand as an address of global memory. */
#define WR_GLOBAL(operand, instruction)                                                            \
    "{ .reg .b" WR_POINTER_BITS " at; cvta.to.global.u" WR_POINTER_BITS " at, " operand            \
    "; " instruction " }"

/* What a value of so many bytes is in registers. */
template <unsigned long bytes> struct wr_bits;
template <> struct wr_bits<1> {
    unsigned short x;
};
template <> struct wr_bits<2> {
    unsigned short x;
};
template <> struct wr_bits<4> {
    unsigned x;
};
template <> struct wr_bits<8> {
    unsigned long long x;
};
template <> struct wr_bits<16> {
    unsigned long long x, y;
};

#define WR_LOAD_OF(name, op, bytes, type, letter)                                                  \
    WR_DEVICE wr_bits<bytes> wr##name(const wr_bits<bytes> *from)                                  \
    {                                                                                              \
        wr_bits<bytes> got;                                                                        \
                                                                                                   \
        __asm__ volatile(WR_GLOBAL("%1", op type " %0, [at];")                                     \
                         : "=" letter(got.x)                                                       \
                         : WR_POINTER(from)                                                        \
                         : "memory");                                                              \
        return got;                                                                                \
    }
#define WR_LOAD(name, op)                                                                          \
    WR_LOAD_OF(name, op, 1, ".u8", "h")                                                            \
    WR_LOAD_OF(name, op, 2, ".u16", "h")                                                           \
    WR_LOAD_OF(name, op, 4, ".u32", "r")                                                           \
    WR_LOAD_OF(name, op, 8, ".u64", "l")                                                           \
    WR_DEVICE wr_bits<16> wr##name(const wr_bits<16> *from)                                        \
    {                                                                                              \
        wr_bits<16> got;                                                                           \
                                                                                                   \
        __asm__ volatile(WR_GLOBAL("%2", op ".v2.u64 {%0, %1}, [at];")                             \
                         : "=l"(got.x), "=l"(got.y)                                                \
                         : WR_POINTER(from)                                                        \
                         : "memory");                                                              \
        return got;                                                                                \
    }                                                                                              \
    template <typename T> WR_DEVICE T name(const T *from)                                          \
    {                                                                                              \
        const wr_bits<sizeof(T)> got = wr##name((const wr_bits<sizeof(T)> *)from);                 \
        T value;                                                                                   \
                                                                                                   \
        __builtin_memcpy(&value, &got, sizeof value);                                              \
        return value;                                                                              \
    }
WR_LOAD(__ldg, "ld.global.nc")
WR_LOAD(__ldca, "ld.global.ca")
WR_LOAD(__ldcg, "ld.global.cg")
WR_LOAD(__ldcs, "ld.global.cs")
WR_LOAD(__ldlu, "ld.global.lu")
WR_LOAD(__ldcv, "ld.global.cv")

#define WR_STORE_OF(name, op, bytes, type, letter)                                                 \
    WR_DEVICE void wr##name(void *to, wr_bits<bytes> value)                                        \
    {                                                                                              \
        __asm__ volatile(WR_GLOBAL("%0", op type " [at], %1;")                                     \
                         :                                                                         \
                         : WR_POINTER(to), letter(value.x)                                         \
                         : "memory");                                                              \
    }
#define WR_STORE(name, op)                                                                         \
    WR_STORE_OF(name, op, 1, ".u8", "h")                                                           \
    WR_STORE_OF(name, op, 2, ".u16", "h")                                                          \
    WR_STORE_OF(name, op, 4, ".u32", "r")                                                          \
    WR_STORE_OF(name, op, 8, ".u64", "l")                                                          \
    WR_DEVICE void wr##name(void *to, wr_bits<16> value)                                           \
    {                                                                                              \
        __asm__ volatile(WR_GLOBAL("%0", op ".v2.u64 [at], {%1, %2};")                             \
                         :                                                                         \
                         : WR_POINTER(to), "l"(value.x), "l"(value.y)                              \
                         : "memory");                                                              \
    }                                                                                              \
    template <typename T> WR_DEVICE void name(T *to, T value)                                      \
    {                                                                                              \
        wr_bits<sizeof(T)> bits = {};                                                              \
                                                                                                   \
        __builtin_memcpy(&bits, &value, sizeof value);                                             \
        wr##name(to, bits);                                                                        \
    }
WR_STORE(__stwb, "st.global.wb")
WR_STORE(__stcg, "st.global.cg")
WR_STORE(__stcs, "st.global.cs")
WR_STORE(__stwt, "st.global.wt")

#endif
