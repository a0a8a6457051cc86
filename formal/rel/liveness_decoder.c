/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_decoder: what is left to show is part of what was decoded. */
#include "formal/rel/relate.h"
#include "refmodel/context/liveness_decoder.h"

void relate(wr_liveness_decoder *s, wr_when when)
{
    HOLDS((s->rest_q & ~s->mask_q) == 0);
}
