/* SPDX-License-Identifier: Apache-2.0 */
/* The rank of each page by its views, after the idea of Mars' page view rank.
 *
 * Views are grouped by page, as behind the shuffle of map and reduce: page i has the first
 * lengths[i] of those from slot slots[i] on, of SLOT views each. A view is a number in order of
 * time, by which worth[] has what it counts. page_view_rank_score scans each group: views before
 * `since` don't count, later ones the more the later. page_view_rank_count has how many pages are
 * in each class of scores, page_view_rank_place gives each page how many are in higher classes.
 *
 * Groups lie nearly in the order of their pages and are read once, views of all ages lie anywhere.
 * Warps diverge where groups end, and at each view: some lanes load, each from a line of its own.
 */
#include "cuda.h"

#define THREADS 256
#define CLASSES 256
#define SLOT    8 /* views */

typedef int quad __attribute__((vector_size(16))); /* comes by one load */

extern "C" __global__ void page_view_rank_score(const int *slots, const int *lengths,
                                                const quad *views, const int *worth, int *scores,
                                                int pages, int since)
{
    int stride = (int)(THREADS * gridDim.x);

#pragma unroll 1
    for (int page = (int)(blockIdx.x * THREADS + threadIdx.x); page < pages; page += stride) {
        const quad *group = &views[slots[page] * (SLOT / 4)];
        int length = lengths[page];
        int score = 0;

#pragma unroll 1
        for (int i = 0; i < length; i += 4) {
            quad four = group[i / 4];

#pragma unroll
            for (int k = 0; k < 4; k++) {
                if (i + k < length && four[k] >= since)
                    score += worth[four[k]] * (four[k] - since);
            }
        }
        scores[page] = score;
    }
}

static __device__ int class_of(int score, int shift)
{
    return min(score >> shift, CLASSES - 1);
}

extern "C" __global__ void page_view_rank_count(const int *scores, int *counts, int pages,
                                                int shift)
{
    __shared__ int counter[CLASSES];

    int tx = (int)threadIdx.x;
    int stride = (int)(THREADS * gridDim.x);

    counter[tx] = 0;
    __syncthreads();
#pragma unroll 1
    for (int page = (int)blockIdx.x * THREADS + tx; page < pages; page += stride)
        atomicAdd(&counter[class_of(scores[page], shift)], 1);
    __syncthreads();
    if (counter[tx] > 0)
        atomicAdd(&counts[tx], counter[tx]);
}

extern "C" __global__ void page_view_rank_place(const int *scores, const int *counts, int *places,
                                                int pages, int shift)
{
    __shared__ int ahead[CLASSES]; /* pages of this class and all higher ones, then of those only */

    int tx = (int)threadIdx.x;
    int stride = (int)(THREADS * gridDim.x);

    ahead[tx] = counts[tx];
    __syncthreads();
#pragma unroll 1
    for (int reach = 1; reach < CLASSES; reach *= 2) {
        int more = tx + reach < CLASSES ? ahead[tx + reach] : 0;
        __syncthreads();
        ahead[tx] += more;
        __syncthreads();
    }
    ahead[tx] -= counts[tx];
    __syncthreads();
#pragma unroll 1
    for (int page = (int)blockIdx.x * THREADS + tx; page < pages; page += stride)
        places[page] = ahead[class_of(scores[page], shift)];
}
