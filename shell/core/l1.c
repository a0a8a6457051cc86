/* L1 tags and MSHRs; see l1.h. */
#include "shell/core/l1.h"

#include <assert.h>
#include <stdlib.h>

bool wr_l1_init(wr_l1 *l1, const wr_l1_config *cfg)
{
    *l1 = (wr_l1){.sets = cfg->bytes / (cfg->ways * cfg->line_bytes),
                  .ways = cfg->ways,
                  .index = cfg->index,
                  .line_bytes = cfg->line_bytes,
                  .mshr_count = cfg->mshrs,
                  .merges = cfg->mshr_merges,
                  .free_count = cfg->mshrs};
    l1->lines = calloc((size_t)l1->sets * l1->ways, sizeof *l1->lines);
    l1->mshrs = calloc(cfg->mshrs, sizeof *l1->mshrs);
    l1->merged = calloc((size_t)cfg->mshrs * cfg->mshr_merges, sizeof *l1->merged);
    l1->free_mshrs = calloc(cfg->mshrs, sizeof *l1->free_mshrs);
    if (l1->lines == NULL || l1->mshrs == NULL || l1->merged == NULL || l1->free_mshrs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < cfg->mshrs; i++) {
        l1->free_mshrs[i] = cfg->mshrs - 1 - i;
    }
    return true;
}

void wr_l1_free(wr_l1 *l1)
{
    free(l1->lines);
    free(l1->mshrs);
    free(l1->merged);
    free(l1->free_mshrs);
    *l1 = (wr_l1){0};
}

/* The ways of a line's set. Fermi's hash (measured by Nugteren et al., HPCA 2014) is for lines of
 * 128 B: address bits 7 to 11 exclusive-or bits 13, 14, 15, 17 and 19; bit 12 on top of it in 64
 * sets. */
static wr_l1_line *set_of(const wr_l1 *l1, uint64_t number)
{
    uint64_t set = number;
    if (l1->index == WR_SET_FERMI) {
        uint64_t upper = (number >> 6 & 7) | (number >> 10 & 1) << 3 | (number >> 12 & 1) << 4;
        set = ((number & 31) ^ upper) | (number & 32);
    }
    return &l1->lines[(size_t)(set % l1->sets) * l1->ways];
}

static wr_l1_line *find(wr_l1 *l1, uint64_t number)
{
    wr_l1_line *set = set_of(l1, number);
    for (uint32_t i = 0; i < l1->ways; i++) {
        if (set[i].state != WR_L1_INVALID && set[i].line == number) {
            return &set[i];
        }
    }
    return NULL;
}

/* An invalid way, else the least recently used one that no MSHR owns; NULL: all are owned. */
static wr_l1_line *victim(wr_l1 *l1, uint64_t number)
{
    wr_l1_line *set = set_of(l1, number);
    wr_l1_line *best = NULL;
    for (uint32_t i = 0; i < l1->ways; i++) {
        if (set[i].state == WR_L1_INVALID) {
            return &set[i];
        }
        if (set[i].state == WR_L1_VALID && (best == NULL || set[i].used_at < best->used_at)) {
            best = &set[i];
        }
    }
    return best;
}

wr_l1_result wr_l1_load(wr_l1 *l1, uint64_t addr, uint16_t op, bool can_send, uint32_t *mshr)
{
    uint64_t number = addr / l1->line_bytes;
    wr_l1_line *line = find(l1, number);
    if (line != NULL && line->state == WR_L1_VALID) {
        line->used_at = ++l1->clock;
        return WR_L1_HIT;
    }
    if (line != NULL) {
        wr_mshr *m = &l1->mshrs[line->mshr];
        if (m->count == l1->merges) {
            return WR_L1_BLOCKED;
        }
        l1->merged[(size_t)line->mshr * l1->merges + m->count] = op;
        m->count++;
        return WR_L1_MERGED;
    }
    if (!can_send || l1->free_count == 0) {
        return WR_L1_BLOCKED;
    }
    line = victim(l1, number);
    if (line == NULL) {
        return WR_L1_BLOCKED;
    }
    *mshr = l1->free_mshrs[--l1->free_count];
    l1->mshrs[*mshr] = (wr_mshr){.line = (uint32_t)(line - l1->lines), .count = 1};
    l1->merged[(size_t)*mshr * l1->merges] = op;
    *line = (wr_l1_line){
        .line = number, .used_at = ++l1->clock, .mshr = *mshr, .state = WR_L1_RESERVED};
    return WR_L1_MISS;
}

bool wr_l1_store(wr_l1 *l1, uint64_t addr)
{
    wr_l1_line *line = find(l1, addr / l1->line_bytes);
    if (line == NULL || line->state != WR_L1_VALID) {
        return false;
    }
    line->state = WR_L1_INVALID;
    return true;
}

const uint16_t *wr_l1_fill(wr_l1 *l1, uint32_t mshr, uint32_t *count)
{
    wr_l1_line *line = &l1->lines[l1->mshrs[mshr].line];
    assert(line->state == WR_L1_RESERVED && line->mshr == mshr);
    line->state = WR_L1_VALID;
    *count = l1->mshrs[mshr].count;
    l1->free_mshrs[l1->free_count++] = mshr;
    return &l1->merged[(size_t)mshr * l1->merges];
}
