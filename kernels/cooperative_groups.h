/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA's cooperative groups: thread block, grid, tiles of a warp and the lanes that are there.
 *
 * A tile's lanes are named by a mask, which all its operations carry; a tile of more than a warp is
 * not here. grid.sync() counts thread blocks in memory, so all of them must be on the GPU at once
 * (cudaLaunchCooperativeKernel sees to that).
 */
#ifndef WR_KERNELS_COOPERATIVE_GROUPS_H
#define WR_KERNELS_COOPERATIVE_GROUPS_H

#include "cuda/atomic.h"
#include "cuda/integer.h"
#include "cuda/qualifiers.h"
#include "cuda/vector_types.h"
#include "cuda/warp.h"

/* At grid.sync(): blocks that have come, and rounds that are over; of a few grids at a time. */
static __device__ struct wr_grid_round {
    unsigned arrived, over;
} wr_grid_rounds[16];

namespace cooperative_groups {
static inline __device__ unsigned wr_threads()
{
    return blockDim.x * blockDim.y * blockDim.z;
}
static inline __device__ unsigned wr_thread()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
static inline __device__ unsigned wr_lane()
{
    unsigned lane;

    __asm__ volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

/* A value of any type, word by word, through a shuffle of words. */
template <typename T, typename Shuffle>
static inline __device__ T wr_by_words(const T &value, Shuffle shuffle)
{
    unsigned words[(sizeof(T) + 3) / 4] = {};
    T got;

    __builtin_memcpy(words, &value, sizeof value);
    for (unsigned i = 0; i < (sizeof(T) + 3) / 4; i++) {
        words[i] = shuffle(words[i]);
    }
    __builtin_memcpy(&got, words, sizeof got);
    return got;
}

/* Lanes of a warp by their mask; ranks count them from the lowest on. */
class wr_lanes {
  public:
    __device__ void sync() const
    {
        __syncwarp(mask);
    }
    __device__ unsigned size() const
    {
        return (unsigned)__popc((int)mask);
    }
    __device__ unsigned num_threads() const
    {
        return size();
    }
    __device__ unsigned thread_rank() const
    {
        return (unsigned)__popc((int)(mask & ((1u << wr_lane()) - 1)));
    }
    __device__ unsigned wr_mask() const
    {
        return mask;
    }
    __device__ int any(int predicate) const
    {
        return __any_sync(mask, predicate);
    }
    __device__ int all(int predicate) const
    {
        return __all_sync(mask, predicate);
    }
    /* Bit r is of the lane with rank r. */
    __device__ unsigned ballot(int predicate) const
    {
        return packed(__ballot_sync(mask, predicate));
    }
    template <typename T> __device__ unsigned match_any(T value) const
    {
        return packed(__match_any_sync(mask, value));
    }
    template <typename T> __device__ unsigned match_all(T value, int &alike) const
    {
        return packed(__match_all_sync(mask, value, &alike));
    }
    template <typename T> __device__ T shfl(T value, unsigned rank) const
    {
        return wr_by_words(
            value, [=](unsigned word) { return __shfl_sync(mask, word, (int)lane_of(rank)); });
    }
    template <typename T> __device__ T shfl_up(T value, unsigned by) const
    {
        unsigned rank = thread_rank();

        return wr_by_words(value, [=](unsigned word) {
            return __shfl_sync(mask, word, (int)lane_of(rank >= by ? rank - by : rank));
        });
    }
    template <typename T> __device__ T shfl_down(T value, unsigned by) const
    {
        unsigned rank = thread_rank();

        return wr_by_words(value, [=](unsigned word) {
            return __shfl_sync(mask, word, (int)lane_of(rank + by < size() ? rank + by : rank));
        });
    }

  protected:
    __device__ explicit wr_lanes(unsigned mask) : mask(mask) {}
    unsigned mask;

  private:
    __device__ unsigned lane_of(unsigned rank) const
    {
        unsigned left = mask;

        for (; rank > 0 && (left & (left - 1)) != 0; rank--) {
            left &= left - 1;
        }
        return (unsigned)__ffs((int)left) - 1;
    }
    __device__ unsigned packed(unsigned lanes) const
    {
        unsigned bits = 0, rank = 0;

        for (unsigned left = mask; left != 0; left &= left - 1, rank++) {
            bits |= (lanes >> (__ffs((int)left) - 1) & 1u) << rank;
        }
        return bits;
    }
};

/* The lanes that execute the call together. */
class coalesced_group : public wr_lanes {
  public:
    __device__ explicit coalesced_group(unsigned mask) : wr_lanes(mask) {}
};
static inline __device__ __attribute__((always_inline)) coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

/* `Size` threads of a block that follow each other, within a warp. */
template <unsigned Size, typename Parent = void> class thread_block_tile : public wr_lanes {
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");

  public:
    __device__ thread_block_tile()
        : wr_lanes((Size == 32 ? 0xffffffffu : (1u << Size % 32) - 1) << wr_lane() / Size * Size)
    {
    }
    /* of which group it is a part makes no difference */
    template <typename Other>
    __device__ thread_block_tile(const thread_block_tile<Size, Other> &) : thread_block_tile()
    {
    }
    static __device__ constexpr unsigned size()
    {
        return Size;
    }
    static __device__ constexpr unsigned num_threads()
    {
        return Size;
    }
    __device__ unsigned thread_rank() const
    {
        return wr_lane() % Size;
    }
    __device__ unsigned meta_group_rank() const
    {
        return wr_thread() / Size;
    }
    __device__ unsigned meta_group_size() const
    {
        return (wr_threads() + Size - 1) / Size;
    }
    template <typename T> __device__ T shfl(T value, unsigned rank) const
    {
        return wr_by_words(
            value, [=](unsigned word) { return __shfl_sync(mask, word, (int)rank, (int)Size); });
    }
    template <typename T> __device__ T shfl_up(T value, unsigned by) const
    {
        return wr_by_words(
            value, [=](unsigned word) { return __shfl_up_sync(mask, word, by, (int)Size); });
    }
    template <typename T> __device__ T shfl_down(T value, unsigned by) const
    {
        return wr_by_words(
            value, [=](unsigned word) { return __shfl_down_sync(mask, word, by, (int)Size); });
    }
    template <typename T> __device__ T shfl_xor(T value, unsigned by) const
    {
        return wr_by_words(
            value, [=](unsigned word) { return __shfl_xor_sync(mask, word, (int)by, (int)Size); });
    }
    __device__ unsigned ballot(int predicate) const
    {
        return (__ballot_sync(mask, predicate) & mask) >> wr_lane() / Size * Size;
    }
};

class thread_block {
  public:
    static __device__ void sync()
    {
        __syncthreads();
    }
    static __device__ unsigned size()
    {
        return wr_threads();
    }
    static __device__ unsigned num_threads()
    {
        return wr_threads();
    }
    static __device__ unsigned thread_rank()
    {
        return wr_thread();
    }
    static __device__ dim3 group_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ dim3 thread_index()
    {
        return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
    }
    static __device__ dim3 group_dim()
    {
        return dim3(blockDim.x, blockDim.y, blockDim.z);
    }
    static __device__ dim3 dim_threads()
    {
        return group_dim();
    }
};
static inline __device__ thread_block this_thread_block()
{
    return thread_block();
}

class grid_group {
  public:
    static __device__ unsigned long long size()
    {
        return (unsigned long long)blocks() * wr_threads();
    }
    static __device__ unsigned long long num_threads()
    {
        return size();
    }
    static __device__ unsigned long long thread_rank()
    {
        unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

        return (unsigned long long)block * wr_threads() + wr_thread();
    }
    static __device__ unsigned long long num_blocks()
    {
        return blocks();
    }
    static __device__ unsigned long long block_rank()
    {
        return thread_rank() / wr_threads();
    }
    static __device__ dim3 block_index()
    {
        return dim3(blockIdx.x, blockIdx.y, blockIdx.z);
    }
    static __device__ dim3 dim_blocks()
    {
        return dim3(gridDim.x, gridDim.y, gridDim.z);
    }
    static __device__ dim3 group_dim()
    {
        return dim_blocks();
    }
    static __device__ bool is_valid()
    {
        return true;
    }
    /* The last block that comes ends the round, for which the others wait. */
    static __device__ void sync()
    {
        __syncthreads();
        if (wr_thread() == 0) {
            unsigned long long grid;
            __asm__ volatile("mov.u64 %0, %%gridid;" : "=l"(grid));
            wr_grid_round *round = &wr_grid_rounds[grid % 16];
            volatile unsigned *over = &round->over;
            unsigned before = *over;

            __threadfence();
            if (atomicAdd(&round->arrived, 1u) == blocks() - 1) {
                atomicExch(&round->arrived, 0u);
                __threadfence();
                atomicAdd(&round->over, 1u);
            } else {
                while (*over == before) {
                }
            }
            __threadfence();
        }
        __syncthreads();
    }

  private:
    static __device__ unsigned blocks()
    {
        return gridDim.x * gridDim.y * gridDim.z;
    }
};
static inline __device__ grid_group this_grid()
{
    return grid_group();
}

template <unsigned Size, typename Parent>
static inline __device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

/* Any group, where only at run time it is known which. */
class thread_group {
  public:
    __device__ thread_group(const wr_lanes &some) : lanes(some.wr_mask()), kind(LANES) {}
    __device__ thread_group(const thread_block &) : lanes(0), kind(BLOCK) {}
    __device__ thread_group(const grid_group &) : lanes(0), kind(GRID) {}
    __device__ unsigned long long size() const
    {
        return kind == LANES   ? lanes.size()
               : kind == BLOCK ? thread_block::size()
                               : grid_group::size();
    }
    __device__ unsigned long long num_threads() const
    {
        return size();
    }
    __device__ unsigned long long thread_rank() const
    {
        return kind == LANES   ? lanes.thread_rank()
               : kind == BLOCK ? thread_block::thread_rank()
                               : grid_group::thread_rank();
    }
    __device__ void sync() const
    {
        if (kind == LANES) {
            lanes.sync();
        } else if (kind == BLOCK) {
            thread_block::sync();
        } else {
            grid_group::sync();
        }
    }

  private:
    coalesced_group lanes;
    enum { LANES, BLOCK, GRID } kind;
};

/* Tiles whose size, a power of two up to 32, is known only at run time; of a block or of lanes, by
 * their ranks. */
static inline __device__ thread_group tiled_partition(const thread_block &, unsigned size)
{
    return coalesced_group((size >= 32 ? 0xffffffffu : (1u << size) - 1)
                           << wr_lane() / size * size);
}
static inline __device__ thread_group tiled_partition(const wr_lanes &lanes, unsigned size)
{
    const unsigned tile = lanes.thread_rank() / size;
    unsigned mask = 0, rank = 0;

    for (unsigned left = lanes.wr_mask(); left != 0; left &= left - 1, rank++) {
        mask |= rank / size == tile ? left & -left : 0;
    }
    return coalesced_group(mask);
}

/* The lanes of a group with the same label, or for which a predicate is the same. */
static inline __device__ coalesced_group labeled_partition(const wr_lanes &lanes, int label)
{
    return coalesced_group(__match_any_sync(lanes.wr_mask(), label));
}
static inline __device__ coalesced_group binary_partition(const wr_lanes &lanes, bool predicate)
{
    const unsigned holds = __ballot_sync(lanes.wr_mask(), predicate) & lanes.wr_mask();

    return coalesced_group(predicate ? holds : lanes.wr_mask() & ~holds);
}

template <typename Group> static inline __device__ void sync(const Group &group)
{
    group.sync();
}
template <typename Group>
static inline __device__ auto thread_rank(const Group &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <typename Group>
static inline __device__ auto group_size(const Group &group) -> decltype(group.size())
{
    return group.size();
}
} // namespace cooperative_groups

#endif
