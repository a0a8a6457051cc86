/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: sums in tiles of several sizes, lanes that have met in a branch, and a grid
 * whose blocks wait for one another.
 */
#include <cooperative_groups.h>

#include <vector>

#include "check.h"

namespace cg = cooperative_groups;

template <unsigned Size>
static __device__ int tile_sum(const cg::thread_block_tile<Size, cg::thread_block> &tile, int x)
{
    for (unsigned by = Size / 2; by > 0; by /= 2) {
        x += tile.shfl_down(x, by);
    }
    return tile.shfl(x, 0);
}

/* Of each thread: sums of its tiles, its rank among the lanes with an odd number, what they have
 * counted. */
__global__ void tiles(const int *in, int *sums8, int *sums32, int *ranks, unsigned *bits,
                      int *counted)
{
    cg::thread_block block = cg::this_thread_block();
    auto eight = cg::tiled_partition<8>(block);
    auto warp = cg::tiled_partition<32>(block);
    unsigned i = block.group_index().x * block.size() + block.thread_rank();

    sums8[i] = tile_sum(eight, in[i]);
    sums32[i] = tile_sum(warp, in[i]);
    bits[i] = eight.ballot(in[i] % 3 == 0);
    ranks[i] = -1;
    if (in[i] % 2 != 0) {
        cg::coalesced_group odd = cg::coalesced_threads();
        ranks[i] = (int)odd.thread_rank();
        if (odd.thread_rank() == 0) {
            atomicAdd(counted, (int)odd.size());
        }
    }
}

/* A sum by halves over all of the grid, which waits between them. */
__global__ void sum_all(int *x, int n)
{
    cg::grid_group grid = cg::this_grid();

    for (int half = n / 2; half > 0; half /= 2) {
        for (int i = (int)grid.thread_rank(); i < half; i += (int)grid.size()) {
            x[i] += ((volatile int *)x)[i + half];
        }
        grid.sync();
    }
}

int main()
{
    enum { BLOCKS = 6, THREADS = 96, N = BLOCKS * THREADS, ALL = 4096 };
    std::vector<int> in(N), all(ALL);
    int *x, *sums8, *sums32, *ranks, *counted, *grid_x, odd = 0, want = 0, n = ALL;
    unsigned *bits;
    bool good = true;

    CHECK(cudaMallocManaged(&x, N * sizeof *x));
    CHECK(cudaMallocManaged(&sums8, N * sizeof *sums8));
    CHECK(cudaMallocManaged(&sums32, N * sizeof *sums32));
    CHECK(cudaMallocManaged(&ranks, N * sizeof *ranks));
    CHECK(cudaMallocManaged(&bits, N * sizeof *bits));
    CHECK(cudaMallocManaged(&counted, sizeof *counted));
    CHECK(cudaMallocManaged(&grid_x, ALL * sizeof *grid_x));
    *counted = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (i * 37 + i / 5) % 101;
        odd += x[i] % 2;
    }
    *counted = 0;
    tiles<<<BLOCKS, THREADS>>>(x, sums8, sums32, ranks, bits, counted);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) {
        int of8 = 0, of32 = 0, rank = x[i] % 2 ? 0 : -1;
        unsigned thirds = 0;
        for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) {
            of8 += x[k];
            thirds |= (unsigned)(x[k] % 3 == 0) << k % 8;
        }
        for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            of32 += x[k];
            rank += x[i] % 2 && x[k] % 2 && k < i;
        }
        good =
            good && sums8[i] == of8 && sums32[i] == of32 && bits[i] == thirds && ranks[i] == rank;
    }
    good = good && *counted == odd;

    for (int i = 0; i < ALL; i++) {
        grid_x[i] = i % 13 - 5;
        want += grid_x[i];
    }
    void *arguments[] = {&grid_x, &n};
    CHECK(cudaLaunchCooperativeKernel(sum_all, dim3(15), dim3(64), arguments));
    CHECK(cudaDeviceSynchronize());
    int first = grid_x[0]; /* and again, by a grid of another size */
    for (int i = 0; i < ALL; i++) {
        grid_x[i] = i % 13 - 5;
    }
    CHECK(cudaLaunchCooperativeKernel(sum_all, dim3(7), dim3(32), arguments));
    CHECK(cudaDeviceSynchronize());
    good = good && first == want;
    printf("%d odd numbers, sum %d\n", *counted, grid_x[0]);
    good = good && grid_x[0] == want;
    good = good && cudaLaunchCooperativeKernel(sum_all, dim3(10000), dim3(64), arguments) ==
                       cudaErrorCooperativeLaunchTooLarge;
    return verdict(good);
}
