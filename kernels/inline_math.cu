/* SPDX-License-Identifier: Apache-2.0 */
/* PTX in the source, after the idea of NVIDIA's sample inlinePTX: each thread asks for its lane and
 * for the mask of the lanes below, counts these, and stores both in one word.
 */
#include "cuda.h"

extern "C" __global__ void inline_math(unsigned *out, int count)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    unsigned lane;
    unsigned below;
    unsigned word;

    if (i < count) {
        __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
        __asm__("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        __asm__("{\n\t"
                ".reg .u32 lower;\n\t"
                "popc.b32 lower, %1;\n\t"
                "mad.lo.u32 %0, lower, 256, %2;\n\t"
                "}"
                : "=r"(word)
                : "r"(below), "r"(lane));
        out[i] = word;
    }
}
