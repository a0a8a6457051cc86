/* SPDX-License-Identifier: Apache-2.0 */
/* context_restorer: its two parts, and a head that is never below next_q. */
// part: unpacker context_unpacker u_unpacker
// part: decompressor reg_decompressor u_decompressor
#include "refmodel/context/context_restorer.h"
#include "formal/rel/relate.h"

void relate(wr_context_restorer *s, wr_when when)
{
    const bool busy = RTL("u_unpacker.code_q", 0, 0, 0, 2) != 0;

    HOLDS(s->alloc_q <= s->cfg.regs);
    HOLDS(s->next_q <= 64);
    HOLDS(!busy || s->next_q <= RTL("u_unpacker.tag_q", 0, 0, 0, 6));
    HOLDS(s->inside_q == s->turn_valid_q + s->decompressor.s1_valid_q + s->decompressor.s2_valid_q);
    HOLDS(!s->decompressor.fault_q);
}
