/* SPDX-License-Identifier: Apache-2.0 */
/* Inverted index of links, after the idea of the one that Mars, a MapReduce for GPUs, comes with:
 * which documents have a link of this hash, and how many such links are there?
 *
 * Each thread maps one document: it reads it byte by byte and takes as a link what stands between
 * '<' and the next '>'. A row of the index has a bit for each document, which an atomic sets, so
 * it doesn't matter who finds a link first. Document d has lengths[d] bytes and lies in a cell of
 * its own of `pitch` bytes. So those of a warp lie in as many lines as it has threads, and each
 * line is read once a byte: few warps fill the L1.
 */
#include "cuda.h"

#define THREADS 256
#define ROWS    1024

extern "C" __global__ void inverted_index(const unsigned char *text, const int *lengths, int *index,
                                          int *links, int pitch, int documents)
{
    int document = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (document >= documents)
        return;
    int words = (documents + 31) / 32;
    int begin = pitch * document;
    int end = begin + lengths[document];
    bool inside = false;
    unsigned hash = 0;
#pragma unroll 1
    for (int i = begin; i < end; i++) {
        unsigned c = text[i];
        if (c == '<') {
            inside = true;
            hash = 2166136261u; /* the hash of Fowler, Noll and Vo, 1a */
        } else if (inside && c == '>') {
            inside = false;
            int row = (int)(hash % ROWS);
            atomicOr(&index[row * words + document / 32], (int)(1u << (document % 32)));
            atomicAdd(&links[row], 1);
        } else if (inside) {
            hash = (hash ^ c) * 16777619u;
        }
    }
}
