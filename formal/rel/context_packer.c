/* SPDX-License-Identifier: Apache-2.0 */
/* context_packer: the RTL keeps words in a ring of three segments, the model the oldest first. The
 * segment being filled stands behind the full ones. */
#include "refmodel/context/context_packer.h"
#include "formal/rel/relate.h"

enum { BANKS = 3 };

void relate(wr_context_packer *s, wr_when when)
{
    const uint32_t seg = s->cfg.seg_words;
    const uint32_t first = (uint32_t)RTL("head_q", 0, 0, 0, 2);
    const uint32_t filled = (uint32_t)RTL("fill_q", 0, 0, 0, 2);
    const uint32_t full = (uint32_t)RTL("full_q", 0, 0, 0, 2);
    const uint32_t off = (uint32_t)RTL("off_q", 0, 0, 0, 0);

    HOLDS(!(s->open_q && s->closed_q));
    HOLDS(first < BANKS);
    HOLDS(full < BANKS);
    HOLDS(filled == (first + full >= BANKS ? first + full - BANKS : first + full));
    HOLDS(off < seg);
    HOLDS(full < 2 || off < s->cfg.lanes);
    LINK_VALUE(true, s->count_q, 0, full * seg + off);
    LINK(s->head_fixed_q, "fixed_q", 0, 0, 0, 1);
    for (uint32_t k = 0; k < BANKS * seg && k < WR_CONTEXT_PACKER_BUF; k++) {
        uint64_t word = 0;
        for (uint32_t bank = 0; bank < BANKS; bank++) {
            const uint64_t held = RTL("gen_bank[%].gen_word[%].word_q", bank, k % seg, 0, 32);
            word = bank == (first + k / seg) % BANKS ? held : word;
        }
        LINK_VALUE(k < s->count_q, s->word_q[k], k, word);
    }
}
