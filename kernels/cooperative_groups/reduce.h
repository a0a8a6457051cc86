/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: the reduction of a value of each thread of a tile or of coalesced lanes,
 * which each of them gets. Values are of 32 or 64 bits. */
#ifndef WR_KERNELS_COOPERATIVE_GROUPS_REDUCE_H
#define WR_KERNELS_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

namespace cooperative_groups {
#define WR_OPERATION(name, expression)                                                             \
    template <typename T = void> struct name {                                                     \
        __host__ __device__ T operator()(const T &a, const T &b) const                             \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };                                                                                             \
    template <> struct name<void> {                                                                \
        template <typename T> __host__ __device__ T operator()(const T &a, const T &b) const       \
        {                                                                                          \
            return expression;                                                                     \
        }                                                                                          \
    };
WR_OPERATION(plus, a + b)
WR_OPERATION(less, b < a ? b : a)
WR_OPERATION(greater, a < b ? b : a)
WR_OPERATION(bit_and, a &b)
WR_OPERATION(bit_or, a | b)
WR_OPERATION(bit_xor, a ^ b)

template <unsigned Size, typename Parent, typename T, typename Op>
static inline __device__ T reduce(const thread_block_tile<Size, Parent> &group, T value, Op op)
{
    for (unsigned by = Size / 2; by > 0; by /= 2) {
        value = op(value, group.shfl_xor(value, by));
    }
    return value;
}
template <typename T, typename Op>
static inline __device__ T reduce(const coalesced_group &group, T value, Op op)
{
    T all = group.shfl(value, 0);

    for (unsigned rank = 1; rank < group.size(); rank++) {
        all = op(all, group.shfl(value, rank));
    }
    return all;
}
} // namespace cooperative_groups

#endif
