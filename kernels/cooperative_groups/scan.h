/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: for each thread of a tile or of coalesced lanes what those before it come to,
 * with it (inclusive) or without. */
#ifndef WR_KERNELS_COOPERATIVE_GROUPS_SCAN_H
#define WR_KERNELS_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

namespace cooperative_groups {
template <typename Group, typename T, typename Op>
static inline __device__ T inclusive_scan(const Group &group, T value, Op op)
{
    for (unsigned by = 1; by < group.size(); by *= 2) {
        const T before = group.shfl_up(value, by);

        value = group.thread_rank() >= by ? op(before, value) : value;
    }
    return value;
}
template <typename Group, typename T>
static inline __device__ T inclusive_scan(const Group &group, T value)
{
    return inclusive_scan(group, value, plus<T>());
}
/* The first thread gets T(). */
template <typename Group, typename T, typename Op>
static inline __device__ T exclusive_scan(const Group &group, T value, Op op)
{
    const T before = group.shfl_up(inclusive_scan(group, value, op), 1);

    return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
static inline __device__ T exclusive_scan(const Group &group, T value)
{
    return exclusive_scan(group, value, plus<T>());
}
} // namespace cooperative_groups

#endif
