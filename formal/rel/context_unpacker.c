/* SPDX-License-Identifier: Apache-2.0 */
/* context_unpacker: the RTL keeps segments in a ring, of whose oldest some words have
 * left, the model the words that are left, oldest first. The RTL holds which register is the lowest
 * of those left, the model looks for it. */
#include "refmodel/context/context_unpacker.h"
#include "formal/rel/relate.h"

void relate(wr_context_unpacker *s, wr_when when)
{
    const uint32_t seg = s->cfg.seg_words;
    const uint32_t banks = 2 * s->cfg.lanes - 1 <= seg ? 2 : 3, whole = banks * seg;
    const uint32_t head = (uint32_t)RTL("head_q", 0, 0, 0, 2);
    const uint32_t tail = (uint32_t)RTL("tail_q", 0, 0, 0, 2);
    const uint32_t off = (uint32_t)RTL("off_q", 0, 0, 0, 0);
    const uint32_t held = off + s->count_q;
    uint32_t ring[2 * WR_CONTEXT_UNPACKER_BUF], lowest = 0, code = 0;

    for (uint32_t r = 64; r > 0; r--) {
        const uint32_t its = s->pattern_q[(r - 1) / 16] >> (r - 1) % 16 * 2 & 3u;
        lowest = its != 0 ? r - 1 : lowest;
        code = its != 0 ? its : code;
    }
    HOLDS(code == RTL("code_q", 0, 0, 0, 2));
    HOLDS(code == 0 || lowest == RTL("tag_q", 0, 0, 0, 6));
    HOLDS(head < banks);
    HOLDS(tail < banks);
    HOLDS(off < seg);
    HOLDS(s->pag_q != 3);
    HOLDS(held == 0 || held == seg || held == 2 * seg || held == 3 * seg);
    HOLDS(tail == (head + (held >= 3 * seg   ? 3
                           : held >= 2 * seg ? 2
                           : held >= seg     ? 1
                                             : 0)) %
                      banks);
    HOLDS(s->count_q < 2 * s->cfg.lanes + seg);
    for (uint32_t p = 0; p < whole; p++) {
        ring[p] = (uint32_t)RTL("gen_bank[%].bank_q", p / seg, 0, p % seg * 32, 32);
    }
    for (uint32_t k = 0; k < whole && k < WR_CONTEXT_UNPACKER_BUF; k++) {
        const uint32_t up = head * seg + off + k;
        const uint32_t at = up >= whole ? up - whole : up;
        LINK_VALUE(k < s->count_q, s->word_q[k], k, at < whole ? ring[at] : 0);
    }
}
