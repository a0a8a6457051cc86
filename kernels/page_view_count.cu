/* SPDX-License-Identifier: Apache-2.0 */
/* How often each page was viewed, from a log of a web server: map and reduce, after the idea of
 * Mars' page view count.
 *
 * An index says where in the log each record lies, nearly in order. A record has RECORD words:
 * when, who, and the parts of the page's address, which end with 0 or with the record.
 * page_view_count_map hashes an address byte by byte (Fowler, Noll, Vo) and adds 1 to its counter,
 * in one of `tables` tables, so that fewer threads meet at the pages that all want. Addresses of
 * one hash count as one page. page_view_count_reduce adds up the counters of all tables and finds
 * the most. Sums and maximum don't depend on who comes when.
 *
 * Short addresses are the same in many records, long ones in few, as in real logs. Warps diverge
 * where addresses end; the log is read once, and an atomic of a warp goes to up to 32 lines.
 */
#include "cuda.h"

#define THREADS 256
#define RECORD  8
#define ADDRESS 2 /* the words before it: when, who */

typedef int quad __attribute__((vector_size(16))); /* comes by one load */

extern "C" __global__ void page_view_count_map(const int *index, const quad *log, int *counters,
                                               int records, int pages, int tables)
{
    int stride = (int)(THREADS * gridDim.x);
    int *counter = &counters[(int)blockIdx.x % tables * pages];

#pragma unroll 1
    for (int i = (int)(blockIdx.x * THREADS + threadIdx.x); i < records; i += stride) {
        unsigned hash = 2166136261u;

        int at = index[i];
        quad low = log[2 * at];
        quad high = log[2 * at + 1];
        int word[RECORD] = {low[0], low[1], low[2], low[3], high[0], high[1], high[2], high[3]};

#pragma unroll
        for (int k = ADDRESS; k < RECORD && word[k] != 0; k++)
            for (int bit = 0; bit < 32; bit += 8)
                hash = (hash ^ ((unsigned)word[k] >> bit & 255)) * 16777619u;
        int page = (int)((hash ^ hash >> 15) & (unsigned)(pages - 1));
        atomicAdd(&counter[page], 1);
    }
}

extern "C" __global__ void page_view_count_reduce(const int *counters, int *views, int *most,
                                                  int pages, int tables)
{
    int page = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (page >= pages)
        return;
    int sum = 0;
#pragma unroll 1
    for (int table = 0; table < tables; table++)
        sum += counters[table * pages + page];
    views[page] = sum;
    if (sum > *most) /* else an atomic a page */
        atomicMax(most, sum);
}
