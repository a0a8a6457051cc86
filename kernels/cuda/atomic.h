/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's atomic functions. Each gives what was there before. With _block and _system they are the
 * same here: the simulated machine orders them for the whole GPU, and nobody else has its memory.
 */
#ifndef WR_KERNELS_CUDA_ATOMIC_H
#define WR_KERNELS_CUDA_ATOMIC_H

#include "rounding.h"

#define WR_ATOMIC(T, name, how)                                                                    \
    WR_DEVICE T name(T *at, T value)                                                               \
    {                                                                                              \
        return how;                                                                                \
    }                                                                                              \
    WR_DEVICE T name##_block(T *at, T value)                                                       \
    {                                                                                              \
        return how;                                                                                \
    }                                                                                              \
    WR_DEVICE T name##_system(T *at, T value)                                                      \
    {                                                                                              \
        return how;                                                                                \
    }

typedef unsigned long long wr_u64;

WR_DEVICE double wr_atomic_add_double(double *at, double value)
{
    double before;

    __asm__ volatile("atom.add.f64 %0, [%1], %2;"
                     : "=d"(before)
                     : WR_POINTER(at), "d"(value)
                     : "memory");
    return before;
}

WR_ATOMIC(int, atomicAdd, __nvvm_atom_add_gen_i(at, value))
WR_ATOMIC(unsigned, atomicAdd, (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)value))
WR_ATOMIC(wr_u64, atomicAdd, (wr_u64)__nvvm_atom_add_gen_ll((long long *)at, (long long)value))
WR_ATOMIC(float, atomicAdd, __nvvm_atom_add_gen_f(at, value))
/* Templates: where the architecture is below sm_60 programs bring functions of this name along. */
#define WR_ATOMIC_DOUBLE(name)                                                                     \
    template <typename = void> WR_DEVICE double name(double *at, double value)                     \
    {                                                                                              \
        return wr_atomic_add_double(at, value);                                                    \
    }
WR_ATOMIC_DOUBLE(atomicAdd)
WR_ATOMIC_DOUBLE(atomicAdd_block)
WR_ATOMIC_DOUBLE(atomicAdd_system)
WR_ATOMIC(int, atomicSub, __nvvm_atom_add_gen_i(at, (int)-(unsigned)value))
WR_ATOMIC(unsigned, atomicSub, (unsigned)__nvvm_atom_add_gen_i((int *)at, (int)-value))

WR_ATOMIC(int, atomicExch, __nvvm_atom_xchg_gen_i(at, value))
WR_ATOMIC(unsigned, atomicExch, (unsigned)__nvvm_atom_xchg_gen_i((int *)at, (int)value))
WR_ATOMIC(wr_u64, atomicExch, (wr_u64)__nvvm_atom_xchg_gen_ll((long long *)at, (long long)value))
WR_ATOMIC(float, atomicExch,
          __int_as_float(__nvvm_atom_xchg_gen_i((int *)at, __float_as_int(value))))

WR_ATOMIC(int, atomicMin, __nvvm_atom_min_gen_i(at, value))
WR_ATOMIC(unsigned, atomicMin, __nvvm_atom_min_gen_ui(at, value))
WR_ATOMIC(long long, atomicMin, __nvvm_atom_min_gen_ll(at, value))
WR_ATOMIC(wr_u64, atomicMin, __nvvm_atom_min_gen_ull(at, value))
WR_ATOMIC(int, atomicMax, __nvvm_atom_max_gen_i(at, value))
WR_ATOMIC(unsigned, atomicMax, __nvvm_atom_max_gen_ui(at, value))
WR_ATOMIC(long long, atomicMax, __nvvm_atom_max_gen_ll(at, value))
WR_ATOMIC(wr_u64, atomicMax, __nvvm_atom_max_gen_ull(at, value))

/* Round a counter: to 0 behind `value`; below 0, or from above `value`, to it. */
WR_ATOMIC(unsigned, atomicInc, __nvvm_atom_inc_gen_ui(at, value))
WR_ATOMIC(unsigned, atomicDec, __nvvm_atom_dec_gen_ui(at, value))

#define WR_ATOMIC_BITS(name, op)                                                                   \
    WR_ATOMIC(int, name, __nvvm_atom_##op##_gen_i(at, value))                                      \
    WR_ATOMIC(unsigned, name, (unsigned)__nvvm_atom_##op##_gen_i((int *)at, (int)value))           \
    WR_ATOMIC(wr_u64, name, (wr_u64)__nvvm_atom_##op##_gen_ll((long long *)at, (long long)value))
WR_ATOMIC_BITS(atomicAnd, and)
WR_ATOMIC_BITS(atomicOr, or)
WR_ATOMIC_BITS(atomicXor, xor)

/* Where `expected` is there, `value` takes its place. */
#define WR_ATOMIC_CAS(T, end, how)                                                                 \
    WR_DEVICE T atomicCAS##end(T *at, T expected, T value)                                         \
    {                                                                                              \
        return how;                                                                                \
    }
#define WR_ATOMIC_CASES(T, how)                                                                    \
    WR_ATOMIC_CAS(T, , how) WR_ATOMIC_CAS(T, _block, how) WR_ATOMIC_CAS(T, _system, how)

WR_DEVICE unsigned short wr_atomic_cas_short(unsigned short *at, unsigned short expected,
                                             unsigned short value)
{
    unsigned short before;

    __asm__ volatile("atom.cas.b16 %0, [%1], %2, %3;"
                     : "=h"(before)
                     : WR_POINTER(at), "h"(expected), "h"(value)
                     : "memory");
    return before;
}

WR_ATOMIC_CASES(int, __nvvm_atom_cas_gen_i(at, expected, value))
WR_ATOMIC_CASES(unsigned, (unsigned)__nvvm_atom_cas_gen_i((int *)at, (int)expected, (int)value))
WR_ATOMIC_CASES(wr_u64, (wr_u64)__nvvm_atom_cas_gen_ll((long long *)at, (long long)expected,
                                                       (long long)value))
WR_ATOMIC_CASES(unsigned short, wr_atomic_cas_short(at, expected, value))

#endif
