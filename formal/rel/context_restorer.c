/* SPDX-License-Identifier: Apache-2.0 */
/* context_restorer: its two parts, a head that is never below next_q, and between them a register,
 * of whose words those that its pattern has count. */
// part: unpacker context_unpacker u_unpacker
// part: decompressor reg_decompressor u_decompressor
#include "refmodel/context/context_restorer.h"
#include "formal/rel/relate.h"

void relate(wr_context_restorer *s, wr_when when)
{
    const bool busy = RTL("u_unpacker.code_q", 0, 0, 0, 2) != 0;

    const uint32_t words =
        wr_pattern_words((wr_pattern)(s->turn_pattern_q & 3u), s->cfg.lanes, s->unpacker.pag_q);

    for (uint32_t i = 0; i < s->cfg.lanes; i++) {
        LINK_WHERE(s->turn_valid_q && i < words, s->turn_word_q[i], "turn_word_q", i, 0, 32 * i,
                   32);
    }
    HOLDS(s->alloc_q <= s->cfg.regs);
    HOLDS(s->next_q <= 64);
    HOLDS(!busy || s->next_q <= RTL("u_unpacker.tag_q", 0, 0, 0, 6));
    HOLDS(s->inside_q == s->turn_valid_q + s->decompressor.s1_valid_q + s->decompressor.s2_valid_q);
    HOLDS(!s->decompressor.fault_q);
}
