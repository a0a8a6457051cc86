/* SPDX-License-Identifier: Apache-2.0 */
/* result_collection_unit: the valid entries are those from head up to tail; where these meet, all
 * or none. */
#include "refmodel/hints/result_collection_unit.h"
#include "formal/rel/relate.h"

void relate(wr_result_collection_unit *s, wr_when when)
{
    const uint32_t depth = s->cfg.depth, head = s->head_q, tail = s->tail_q;
    HOLDS(head < depth);
    HOLDS(tail < depth);
    for (uint32_t e = 0; e < depth; e++) {
        const bool valid = (s->valid_q >> e & 1) != 0;
        const bool in = head < tail ? e >= head && e < tail : e >= head || e < tail;
        HOLDS(valid == (head == tail ? (s->valid_q & 1) != 0 : in));
    }
}
