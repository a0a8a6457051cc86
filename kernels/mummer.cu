/* SPDX-License-Identifier: Apache-2.0 */
/* Matches of reads with a reference, after the idea of MUMmerGPU: one read a thread.
 *
 * From every `step`-th character of its read a thread walks down the tree of the reference's
 * suffixes, a character a level. At a leaf it goes on in the reference itself, from the position
 * that the leaf holds, until a character differs. It notes how long the match is, and where in the
 * reference, or -1 where it is shorter than `least`.
 *
 * The tree lies in memory level by level: node n has the children children[4 n] ... [4 n + 3], all
 * behind it; those from `nodes` on are leaves. All warps share its first levels, further down each
 * lane is in a line of its own. A warp's reads are many lines too, and it comes back to them for
 * every character: those of a few warps fit into an L1, those of all do not.
 */
#include "cuda.h"

#define THREADS 256
#define LETTERS 4

extern "C" __global__ void mummer(const unsigned char *reads, const int *children,
                                  const int *positions, const unsigned char *reference,
                                  unsigned char *lengths, int *found, int read_count,
                                  int read_length, int step, int nodes, int least)
{
    int thread = (int)(blockIdx.x * THREADS + threadIdx.x);
    if (thread >= read_count)
        return;
    const unsigned char *read = &reads[thread * read_length];
    int starts = (read_length - least) / step + 1;

#pragma unroll 1
    for (int i = 0; i < starts; i++) {
        int start = i * step;
        int at = start;
        int node = 0;
        int position = -1;

#pragma unroll 1
        while (node < nodes && at < read_length) {
            node = children[node * LETTERS + read[at]];
            at++;
        }
        if (node >= nodes) {
            position = positions[node - nodes];
#pragma unroll 1
            while (at < read_length && read[at] == reference[position + at - start])
                at++;
        }
        lengths[thread * starts + i] = (unsigned char)(at - start);
        found[thread * starts + i] = at - start < least ? -1 : position;
    }
}
