/* SPDX-License-Identifier: Apache-2.0 */
/* Fused multiply-add of fp32, apart from exec_float.c: compiled for any rounding mode, the loop
 * would not vectorise. Nothing in it can be folded, so it follows the rounding mode all the same.
 */
#include "shell/core/exec/exec.h"

#include <math.h>

WR_FMA_CLONES void wr_exec_fma_f32(wr_lanes *x)
{
    uint32_t *d = x->d;
    const uint32_t *pa = x->a, *pb = x->b, *pc = x->c;
    _Pragma("GCC ivdep") for (unsigned i = 0; i < WR_LANES; i++)
    {
        d[i] = wr_float_bits(fmaf(wr_as_float(pa[i]), wr_as_float(pb[i]), wr_as_float(pc[i])));
    }
}
