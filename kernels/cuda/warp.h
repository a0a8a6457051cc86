/* SPDX-License-Identifier: Apache-2.0 */
/* Warp shuffles, votes, matches, reductions: of the lanes that `mask` names, which all execute the
 * same call with the same mask. What a lane reads of one that is not there: docs/isa.md.
 *
 * Forms without `_sync` are of the lanes that execute the call, as on GPUs before Volta.
 */
#ifndef WR_KERNELS_CUDA_WARP_H
#define WR_KERNELS_CUDA_WARP_H

#include "qualifiers.h"

#define WR_FULL_WARP 0xffffffffu

/* Of what depends on which lanes execute it: of two that begin both sides of a branch clang would
 * make one, in front of it. */
#define WR_HERE  [[clang::nomerge]]
#define WR_LANES WR_DEVICE __attribute__((always_inline))

WR_DEVICE void __syncwarp(unsigned mask = WR_FULL_WARP)
{
    __asm__ volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
WR_LANES unsigned __activemask()
{
    unsigned mask;

    WR_HERE
    {
        __asm__ volatile("activemask.b32 %0;" : "=r"(mask));
    }
    return mask;
}

/* One register, as PTX has it: `from` is a lane, or how far; `clamp` is PTX's operand c. */
#define WR_SHUFFLE_BITS(name, mode)                                                                \
    WR_DEVICE unsigned wr_shuffle_##name(unsigned mask, unsigned bits, unsigned from,              \
                                         unsigned clamp)                                           \
    {                                                                                              \
        unsigned got;                                                                              \
                                                                                                   \
        __asm__ volatile("shfl.sync." mode ".b32 %0, %1, %2, %3, %4;"                              \
                         : "=r"(got)                                                               \
                         : "r"(bits), "r"(from), "r"(clamp), "r"(mask));                           \
        return got;                                                                                \
    }                                                                                              \
    WR_LANES unsigned wr_old_shuffle_##name(unsigned, unsigned bits, unsigned from,                \
                                            unsigned clamp)                                        \
    {                                                                                              \
        unsigned got;                                                                              \
                                                                                                   \
        WR_HERE                                                                                    \
        {                                                                                          \
            __asm__ volatile("shfl." mode ".b32 %0, %1, %2, %3;"                                   \
                             : "=r"(got)                                                           \
                             : "r"(bits), "r"(from), "r"(clamp));                                  \
        }                                                                                          \
        return got;                                                                                \
    }
WR_SHUFFLE_BITS(idx, "idx")
WR_SHUFFLE_BITS(up, "up")
WR_SHUFFLE_BITS(down, "down")
WR_SHUFFLE_BITS(bfly, "bfly")

/* Values of one register and of two. */
#define WR_SHUFFLE_VALUE(name)                                                                     \
    template <typename T>                                                                          \
    WR_LANES T name##_value(unsigned mask, T value, unsigned from, unsigned clamp)                 \
    {                                                                                              \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a value of 32 or 64 bits");               \
        unsigned bits[sizeof(T) / 4];                                                              \
        T got;                                                                                     \
                                                                                                   \
        __builtin_memcpy(bits, &value, sizeof value);                                              \
        for (unsigned i = 0; i < sizeof(T) / 4; i++) {                                             \
            bits[i] = name(mask, bits[i], from, clamp);                                            \
        }                                                                                          \
        __builtin_memcpy(&got, bits, sizeof got);                                                  \
        return got;                                                                                \
    }
WR_SHUFFLE_VALUE(wr_shuffle_idx)
WR_SHUFFLE_VALUE(wr_shuffle_up)
WR_SHUFFLE_VALUE(wr_shuffle_down)
WR_SHUFFLE_VALUE(wr_shuffle_bfly)
WR_SHUFFLE_VALUE(wr_old_shuffle_idx)
WR_SHUFFLE_VALUE(wr_old_shuffle_up)
WR_SHUFFLE_VALUE(wr_old_shuffle_down)
WR_SHUFFLE_VALUE(wr_old_shuffle_bfly)

/* Lanes are in parts of `width`, a power of two: lanes of another part are out of reach. */
#define WR_CLAMP(width, last) ((unsigned)(32 - (width)) << 8 | (last))
#define WR_SHUFFLE(T, name, number, mode, last)                                                    \
    WR_DEVICE T name##_sync(unsigned mask, T value, number from, int width = warpSize)             \
    {                                                                                              \
        return wr_shuffle_##mode##_value(mask, value, (unsigned)from, WR_CLAMP(width, last));      \
    }                                                                                              \
    WR_LANES T name(T value, number from, int width = warpSize)                                    \
    {                                                                                              \
        return wr_old_shuffle_##mode##_value(0, value, (unsigned)from, WR_CLAMP(width, last));     \
    }
#define WR_SHUFFLES(T)                                                                             \
    WR_SHUFFLE(T, __shfl, int, idx, 31)                                                            \
    WR_SHUFFLE(T, __shfl_up, unsigned, up, 0)                                                      \
    WR_SHUFFLE(T, __shfl_down, unsigned, down, 31)                                                 \
    WR_SHUFFLE(T, __shfl_xor, int, bfly, 31)
WR_SHUFFLES(int)
WR_SHUFFLES(unsigned)
WR_SHUFFLES(long)
WR_SHUFFLES(unsigned long)
WR_SHUFFLES(long long)
WR_SHUFFLES(unsigned long long)
WR_SHUFFLES(float)
WR_SHUFFLES(double)

#define WR_VOTE(name, op)                                                                          \
    WR_DEVICE int name##_sync(unsigned mask, int predicate)                                        \
    {                                                                                              \
        int holds;                                                                                 \
                                                                                                   \
        __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync." op                  \
                         ".pred q, p, %2; selp.s32 %0, 1, 0, q; }"                                 \
                         : "=r"(holds)                                                             \
                         : "r"(predicate), "r"(mask));                                             \
        return holds;                                                                              \
    }                                                                                              \
    WR_LANES int name(int predicate)                                                               \
    {                                                                                              \
        int holds;                                                                                 \
                                                                                                   \
        WR_HERE                                                                                    \
        {                                                                                          \
            __asm__ volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote." op                   \
                             ".pred q, p; selp.s32 %0, 1, 0, q; }"                                 \
                             : "=r"(holds)                                                         \
                             : "r"(predicate));                                                    \
        }                                                                                          \
        return holds;                                                                              \
    }
WR_VOTE(__all, "all")
WR_VOTE(__any, "any")
WR_VOTE(__uni, "uni")

WR_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    unsigned lanes;

    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                     : "=r"(lanes)
                     : "r"(predicate), "r"(mask));
    return lanes;
}
WR_LANES unsigned __ballot(int predicate)
{
    unsigned lanes;

    WR_HERE
    {
        __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.ballot.b32 %0, p; }"
                         : "=r"(lanes)
                         : "r"(predicate));
    }
    return lanes;
}

/* Lanes that have this lane's value, bit by bit; the mask if all have it, else 0. */
#define WR_MATCH_BITS(type, width, letter)                                                         \
    WR_DEVICE unsigned wr_match_any(unsigned mask, type bits)                                      \
    {                                                                                              \
        unsigned lanes;                                                                            \
                                                                                                   \
        __asm__ volatile("match.any.sync.b" width " %0, %1, %2;"                                   \
                         : "=r"(lanes)                                                             \
                         : letter(bits), "r"(mask));                                               \
        return lanes;                                                                              \
    }                                                                                              \
    WR_DEVICE unsigned wr_match_all(unsigned mask, type bits, int *all)                            \
    {                                                                                              \
        unsigned lanes;                                                                            \
        int holds;                                                                                 \
                                                                                                   \
        __asm__ volatile("{ .reg .pred p; match.all.sync.b" width                                  \
                         " %0|p, %2, %3; selp.s32 %1, 1, 0, p; }"                                  \
                         : "=r"(lanes), "=r"(holds)                                                \
                         : letter(bits), "r"(mask));                                               \
        *all = holds;                                                                              \
        return lanes;                                                                              \
    }
WR_MATCH_BITS(unsigned, "32", "r")
WR_MATCH_BITS(unsigned long long, "64", "l")

template <unsigned long bytes> struct wr_word;
template <> struct wr_word<4> {
    typedef unsigned type;
};
template <> struct wr_word<8> {
    typedef unsigned long long type;
};

#define WR_MATCHES(T)                                                                              \
    WR_DEVICE unsigned __match_any_sync(unsigned mask, T value)                                    \
    {                                                                                              \
        wr_word<sizeof(T)>::type bits;                                                             \
                                                                                                   \
        __builtin_memcpy(&bits, &value, sizeof bits);                                              \
        return wr_match_any(mask, bits);                                                           \
    }                                                                                              \
    WR_DEVICE unsigned __match_all_sync(unsigned mask, T value, int *all)                          \
    {                                                                                              \
        wr_word<sizeof(T)>::type bits;                                                             \
                                                                                                   \
        __builtin_memcpy(&bits, &value, sizeof bits);                                              \
        return wr_match_all(mask, bits, all);                                                      \
    }
WR_MATCHES(int)
WR_MATCHES(unsigned)
WR_MATCHES(long)
WR_MATCHES(unsigned long)
WR_MATCHES(long long)
WR_MATCHES(unsigned long long)
WR_MATCHES(float)
WR_MATCHES(double)

#define WR_REDUCE(T, name, op)                                                                     \
    WR_DEVICE T __reduce_##name##_sync(unsigned mask, T value)                                     \
    {                                                                                              \
        T all;                                                                                     \
                                                                                                   \
        __asm__ volatile("redux.sync." op " %0, %1, %2;" : "=r"(all) : "r"(value), "r"(mask));     \
        return all;                                                                                \
    }
WR_REDUCE(unsigned, add, "add.u32")
WR_REDUCE(unsigned, min, "min.u32")
WR_REDUCE(unsigned, max, "max.u32")
WR_REDUCE(int, add, "add.s32")
WR_REDUCE(int, min, "min.s32")
WR_REDUCE(int, max, "max.s32")
WR_REDUCE(unsigned, and, "and.b32")
WR_REDUCE(unsigned, or, "or.b32")
WR_REDUCE(unsigned, xor, "xor.b32")

#endif
