/* SPDX-License-Identifier: Apache-2.0 */
/* hint_decoder: three modes; a next offset in hint mode alone; nothing to issue in order. */
#include "refmodel/hints/hint_decoder.h"
#include "formal/rel/relate.h"

void relate(wr_hint_decoder *s, wr_when when)
{
    HOLDS(s->mode_q <= WR_HINT_MODE_WAIT);
    HOLDS(s->mode_q == WR_HINT_MODE_HINT || s->next_q == 0);
    HOLDS(s->mode_q != WR_HINT_MODE_IN_ORDER || !s->issue_q);
}
