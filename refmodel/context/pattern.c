/* SPDX-License-Identifier: Apache-2.0 */
/* Classification and expansion as the paper words them: lane by lane, group by group.
 *
 * The RTL shares its subtractors between the PAG settings; this does not, so that the two can
 * disagree.
 */
#include "refmodel/context/pattern.h"

#include <assert.h>
#include <string.h>

static uint32_t group_size(wr_pag pag)
{
    return 8u << pag;
}

static uint32_t group_end(uint32_t first, uint32_t lanes, wr_pag pag)
{
    uint32_t end = first + group_size(pag);
    return end < lanes ? end : lanes;
}

wr_pag wr_pag_of_code(uint32_t code)
{
    return code >= WR_PAG_32 ? WR_PAG_32 : (wr_pag)code;
}

uint32_t wr_pag_groups(uint32_t lanes, wr_pag pag)
{
    return (lanes + group_size(pag) - 1) >> (3u + pag);
}

uint32_t wr_pattern_words(wr_pattern pattern, uint32_t lanes, wr_pag pag)
{
    switch (pattern) {
    case WR_PATTERN_UNIFORM:
        return wr_pag_groups(lanes, pag);
    case WR_PATTERN_STRIDED:
        return 2 * wr_pag_groups(lanes, pag);
    case WR_PATTERN_RANDOM:
        return lanes;
    case WR_PATTERN_DEAD:
        break;
    }
    return 0;
}

/* One group: a is "first difference not 0", b "all differences equal" (Lin-P Fig. 10). */
static wr_pattern classify_group(const uint32_t *lane, uint32_t count)
{
    uint32_t stride = count > 1 ? lane[1] - lane[0] : 0;
    for (uint32_t i = 2; i < count; i++) {
        if (lane[i] - lane[i - 1] != stride) {
            return WR_PATTERN_RANDOM;
        }
    }
    return stride != 0 ? WR_PATTERN_STRIDED : WR_PATTERN_UNIFORM;
}

wr_pattern wr_pattern_compress(uint32_t lanes, wr_pag pag, const uint32_t *lane, uint32_t *word)
{
    assert(lanes >= 1 && lanes <= WR_CONTEXT_LANES_MAX);
    wr_pattern pattern = WR_PATTERN_UNIFORM;
    for (uint32_t first = 0; first < lanes; first += group_size(pag)) {
        wr_pattern group = classify_group(lane + first, group_end(first, lanes, pag) - first);
        if (group == WR_PATTERN_RANDOM) {
            pattern = WR_PATTERN_RANDOM;
            break;
        }
        if (group == WR_PATTERN_STRIDED) {
            pattern = WR_PATTERN_STRIDED;
        }
    }

    memset(word, 0, WR_CONTEXT_LANES_MAX * sizeof *word);
    if (pattern == WR_PATTERN_RANDOM) {
        memcpy(word, lane, lanes * sizeof *word);
        return pattern;
    }
    uint32_t n = 0;
    for (uint32_t first = 0; first < lanes; first += group_size(pag)) {
        word[n++] = lane[first];
        if (pattern == WR_PATTERN_STRIDED) {
            word[n++] =
                group_end(first, lanes, pag) - first > 1 ? lane[first + 1] - lane[first] : 0;
        }
    }
    assert(n == wr_pattern_words(pattern, lanes, pag));
    return pattern;
}

void wr_pattern_expand(wr_pattern pattern, uint32_t lanes, wr_pag pag, uint32_t poison,
                       const uint32_t *word, uint32_t *lane)
{
    assert(lanes >= 1 && lanes <= WR_CONTEXT_LANES_MAX);
    for (uint32_t i = 0; i < lanes; i++) {
        uint32_t group = i >> (3u + pag);
        uint32_t step = i & (group_size(pag) - 1);
        switch (pattern) {
        case WR_PATTERN_DEAD:
            lane[i] = poison;
            break;
        case WR_PATTERN_UNIFORM:
            lane[i] = word[group];
            break;
        case WR_PATTERN_RANDOM:
            lane[i] = word[i];
            break;
        case WR_PATTERN_STRIDED:
            lane[i] = word[2 * group] + step * word[2 * group + 1];
            break;
        }
    }
}

wr_pattern wr_pattern_get(const uint32_t vec[WR_CONTEXT_VEC_WORDS], uint32_t reg)
{
    assert(reg < WR_CONTEXT_REGS);
    return (wr_pattern)((vec[reg / 16] >> (2 * (reg % 16))) & 3u);
}

void wr_pattern_set(uint32_t vec[WR_CONTEXT_VEC_WORDS], uint32_t reg, wr_pattern pattern)
{
    assert(reg < WR_CONTEXT_REGS);
    uint32_t shift = 2 * (reg % 16);
    vec[reg / 16] = (vec[reg / 16] & ~(3u << shift)) | ((uint32_t)pattern << shift);
}
