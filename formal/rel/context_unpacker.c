/* SPDX-License-Identifier: Apache-2.0 */
/* context_unpacker: the RTL keeps segments in a ring, of whose oldest some words have
 * left, the model the words that are left, oldest first. The RTL holds which register is the lowest
 * of those left, the model looks for it. */
#include "refmodel/context/context_unpacker.h"
#include "formal/rel/relate.h"

/* The lowest register that is left, found as the model finds it, so that the expressions are the
 * same. */
typedef struct first {
    bool live;
    uint8_t tag;
    wr_pattern pattern;
    uint32_t words;
} first;

static first first_of(const wr_context_unpacker *s)
{
    first f = {0};
    for (uint32_t w = 0; w < WR_CONTEXT_VEC_WORDS && !f.live; w++) {
        if (s->pattern_q[w] != 0) {
            const uint32_t r = 16 * w + (uint32_t)__builtin_ctz(s->pattern_q[w]) / 2;
            f.live = true;
            f.tag = (uint8_t)r;
            f.pattern = wr_pattern_get(s->pattern_q, r);
            f.words = wr_pattern_words(f.pattern, s->cfg.lanes, s->pag_q);
        }
    }
    return f;
}

/* The ring begins so many words later. */
static void turn(uint32_t *ring, uint32_t words, uint32_t by, bool turned)
{
    uint32_t was[2 * WR_CONTEXT_UNPACKER_BUF];
    memcpy(was, ring, words * sizeof ring[0]);
    for (uint32_t p = 0; p < words; p++) {
        ring[p] = turned ? was[(p + by) % words] : was[p];
    }
}

void relate(wr_context_unpacker *s, wr_when when)
{
    const uint32_t seg = s->cfg.seg_words;
    const uint32_t banks = 2 * s->cfg.lanes - 1 <= seg ? 2 : 3, whole = banks * seg;
    const uint32_t head = (uint32_t)RTL("head_q", 0, 0, 0, 2);
    const uint32_t tail = (uint32_t)RTL("tail_q", 0, 0, 0, 2);
    const uint32_t off = (uint32_t)RTL("off_q", 0, 0, 0, 0);
    const uint32_t held = off + s->count_q;
    const uint32_t tag = (uint32_t)RTL("tag_q", 0, 0, 0, 6),
                   code = (uint32_t)RTL("code_q", 0, 0, 0, 2);
    uint32_t ring[2 * WR_CONTEXT_UNPACKER_BUF];

    const first f = first_of(s);

    HOLDS(s->pag_q != 3);
    SAME(f.live, code != 0);
    SAME(f.tag, code != 0 ? tag : 0);
    SAME(f.pattern, code);
    SAME(f.words, s->pag_q == WR_PAG_8    ? wr_pattern_words(code, s->cfg.lanes, WR_PAG_8)
                  : s->pag_q == WR_PAG_16 ? wr_pattern_words(code, s->cfg.lanes, WR_PAG_16)
                                          : wr_pattern_words(code, s->cfg.lanes, WR_PAG_32));
    HOLDS(head < banks);
    HOLDS(tail < banks);
    HOLDS(off < seg);
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
    for (uint32_t by = 1; by < seg; by *= 2) {
        turn(ring, whole, by, (off & by) != 0);
    }
    turn(ring, whole, seg, head == 1);
    turn(ring, whole, 2 * seg, head == 2);
    for (uint32_t k = 0; k < whole && k < WR_CONTEXT_UNPACKER_BUF; k++) {
        LINK_VALUE(k < s->count_q, s->word_q[k], k, ring[k]);
    }
}
