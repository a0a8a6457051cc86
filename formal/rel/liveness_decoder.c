/* SPDX-License-Identifier: Apache-2.0 */
/* liveness_decoder: what is left to show is part of what was decoded. */
#include "refmodel/context/liveness_decoder.h"
#include "formal/rel/relate.h"

void relate(wr_liveness_decoder *s, wr_when when)
{
    HOLDS((s->rest_q & ~s->mask_q) == 0);
}
