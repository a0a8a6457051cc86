/* SPDX-License-Identifier: Apache-2.0 */
/* context_saver: its three parts, and registers that go from one to the next in ascending order, so
 * that no part sees a fault. The size of a group, which is how long the model's loops run, is a
 * case. */
// cases: u_compressor.s1_valid_q
// cases: u_compressor.s1_pag_q
// part: decoder liveness_decoder u_decoder
// part: compressor reg_compressor u_compressor
// part: packer context_packer u_packer
#include "refmodel/context/context_saver.h"
#include "formal/rel/relate.h"

void relate(wr_context_saver *s, wr_when when)
{
    const wr_reg_compressor *const c = &s->compressor;
    const bool walking = s->state_q == WR_CONTEXT_SAVER_WALKING;
    uint32_t next = s->packer.next_tag_q; /* the lowest tag that may come behind those so far */

    HOLDS(s->state_q <= WR_CONTEXT_SAVER_FLUSHED);
    HOLDS(s->pag_q <= WR_PAG_32);
    HOLDS(s->inside_q == c->s1_valid_q + c->s2_valid_q);
    HOLDS(!c->fault_q && !s->packer.fault_q);
    HOLDS(s->packer.open_q == walking);
    HOLDS(s->packer.closed_q == (s->state_q == WR_CONTEXT_SAVER_FLUSHED));
    HOLDS(s->state_q != WR_CONTEXT_SAVER_RESET || s->packer.count_q == 0);
    HOLDS(walking || (!s->pending_q && s->inside_q == 0 && s->decoder.rest_q == 0));

    HOLDS(!c->s2_valid_q || (c->s2_count_q >= 1 && c->s2_count_q <= s->cfg.lanes));
    HOLDS(!c->s2_valid_q || c->s2_pattern_q != WR_PATTERN_DEAD);
    HOLDS(!c->s2_valid_q || c->s2_tag_q >= next);
    next = c->s2_valid_q ? c->s2_tag_q + 1u : next;
    HOLDS(!c->s1_valid_q || c->s1_tag_q >= next);
    next = c->s1_valid_q ? c->s1_tag_q + 1u : next;
    HOLDS(!s->pending_q || s->tag_q >= next);
    next = s->pending_q ? s->tag_q + 1u : next;
    HOLDS(next < 64 ? (s->decoder.rest_q & ((1ull << next) - 1)) == 0 : s->decoder.rest_q == 0);
}
