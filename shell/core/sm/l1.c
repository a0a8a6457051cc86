/* SPDX-License-Identifier: Apache-2.0 */
/* L1 tags and MSHRs; see l1.h. */
#include "shell/core/sm/l1.h"

#include "shell/memory/packet.h"

#include <assert.h>
#include <stdlib.h>

#define SECTOR 32 /* bytes */

bool wr_l1_init(wr_l1 *l1, const wr_l1_config *cfg)
{
    *l1 = (wr_l1){.sets = cfg->bytes / (cfg->ways * cfg->line_bytes),
                  .ways = cfg->ways,
                  .index = cfg->index,
                  .sectored = cfg->sectored != 0,
                  .all = (uint8_t)((1u << cfg->line_bytes / SECTOR) - 1),
                  .line_bytes = cfg->line_bytes,
                  .line_shift = (uint32_t)__builtin_ctz(cfg->line_bytes),
                  .mshr_count = cfg->mshrs,
                  .merges = cfg->mshr_merges,
                  .free_count = cfg->mshrs};
    l1->set_mask = (l1->sets & (l1->sets - 1)) == 0 ? l1->sets - 1 : 0;
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

/* A line's set. Fermi's hash (measured by Nugteren et al., HPCA 2014) is for lines of 128 B:
 * address bits 7 to 11 exclusive-or bits 13, 14, 15, 17 and 19; bit 12 on top of it in 64 sets. */
static uint32_t set_of(const wr_l1 *l1, uint64_t number)
{
    uint64_t set = number;
    if (l1->index == WR_SET_FERMI) {
        uint64_t upper = (number >> 6 & 7) | (number >> 7 & 8) | (number >> 8 & 16);
        set = (number & 63) ^ upper;
    }
    return (uint32_t)(l1->set_mask != 0 ? set & l1->set_mask : set % l1->sets);
}

/* The line among the ways of its set; NULL: it is not there. */
static wr_l1_line *find(wr_l1 *l1, uint32_t set, uint64_t number)
{
    wr_l1_line *way = &l1->lines[(size_t)set * l1->ways];
    for (const wr_l1_line *end = way + l1->ways; way != end; way++) {
        if (way->line == number && way->taken) {
            return way;
        }
    }
    return NULL;
}

static wr_l1_line *look_for(wr_l1 *l1, uint64_t addr)
{
    uint64_t number = addr >> l1->line_shift;
    return find(l1, set_of(l1, number), number);
}

/* A free way, else the least recently used one without a fetch under way; NULL: there is none. */
static wr_l1_line *victim(wr_l1 *l1, uint32_t set)
{
    wr_l1_line *way = &l1->lines[(size_t)set * l1->ways];
    wr_l1_line *best = NULL;
    uint64_t oldest = UINT64_MAX;
    for (const wr_l1_line *end = way + l1->ways; way != end; way++) {
        if (!way->taken) {
            return way;
        }
        if (way->used_at < oldest && way->pending == 0) {
            best = way;
            oldest = way->used_at;
        }
    }
    return best;
}

/* What the line has not written yet leaves with the access. */
static void clean(const wr_l1 *l1, wr_l1_line *line, wr_l1_access *access)
{
    access->written = line->dirty;
    access->victim = line->line * l1->line_bytes;
    line->dirty = 0;
}

/* The way becomes the line's. */
static void take(wr_l1 *l1, wr_l1_line *way, uint64_t number, wr_l1_access *access)
{
    if (way->taken) {
        clean(l1, way, access);
    }
    *way = (wr_l1_line){.line = number, .taken = true};
}

/* The MSHRs that fetch pending sectors, a bit each for the line's sector that names it. */
static uint32_t fetchers(const wr_l1_line *line, uint32_t sectors)
{
    uint32_t first = 0;
    for (uint32_t left = sectors; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        bool known = false;
        for (uint32_t rest = first; rest != 0; rest &= rest - 1) {
            known |= line->mshr[__builtin_ctz(rest)] == line->mshr[i];
        }
        first |= known ? 0 : 1u << i;
    }
    return first;
}

static void join(wr_l1 *l1, uint32_t mshr, uint16_t op)
{
    wr_mshr *m = &l1->mshrs[mshr];
    l1->merged[(size_t)mshr * l1->merges + m->count] = op;
    m->count++;
}

wr_l1_result wr_l1_load(wr_l1 *l1, uint64_t addr, uint8_t sectors, uint16_t op, uint32_t room,
                        wr_l1_access *access)
{
    uint64_t number = addr >> l1->line_shift;
    uint32_t set = set_of(l1, number);
    wr_l1_line *line = find(l1, set, number);
    uint32_t need = l1->sectored ? sectors : l1->all;
    if (line != NULL && (need & ~(uint32_t)line->valid) == 0) {
        line->used_at = ++l1->clock;
        access->waits = 0;
        return WR_L1_HIT;
    }
    uint32_t missing = line != NULL ? need & ~(uint32_t)line->valid : need;
    uint32_t coming = line != NULL ? missing & line->pending : 0;
    uint32_t joined = coming != 0 ? fetchers(line, coming) : 0;
    *access = (wr_l1_access){.waits = wr_sector_count(joined)};
    for (uint32_t left = joined; left != 0; left &= left - 1) {
        if (l1->mshrs[line->mshr[__builtin_ctz(left)]].count == l1->merges) {
            return WR_L1_BLOCKED;
        }
    }
    if (missing != coming) {
        wr_l1_line *way = line != NULL ? line : victim(l1, set);
        if (way == NULL) {
            access->set = set;
            return WR_L1_FULL;
        }
        uint32_t sends = way != line && way->dirty != 0 ? 2 : 1;
        if (room < sends || l1->free_count == 0) {
            return WR_L1_BLOCKED;
        }
        if (line == NULL) {
            access->takes = true;
            access->place = (uint32_t)(way - l1->lines);
            access->evicted = way->taken ? way->line : UINT64_MAX;
            take(l1, way, number, access);
            line = way;
        }
        access->fetch = (uint8_t)(missing & ~coming);
        access->mshr = l1->free_mshrs[--l1->free_count];
        access->waits++;
        l1->mshrs[access->mshr] =
            (wr_mshr){.line = (uint32_t)(line - l1->lines), .sectors = access->fetch};
        join(l1, access->mshr, op);
        line->pending |= access->fetch;
        line->used_at = ++l1->clock;
        for (uint32_t left = access->fetch; left != 0; left &= left - 1) {
            line->mshr[__builtin_ctz(left)] = (uint16_t)access->mshr;
        }
    }
    for (uint32_t left = joined; left != 0; left &= left - 1) {
        join(l1, line->mshr[__builtin_ctz(left)], op);
    }
    return access->fetch != 0 ? WR_L1_MISS : WR_L1_MERGED;
}

bool wr_l1_pass(wr_l1 *l1, uint64_t addr, wr_l1_access *access)
{
    wr_l1_line *line = look_for(l1, addr);
    *access = (wr_l1_access){0};
    if (line == NULL) {
        return false;
    }
    clean(l1, line, access);
    if (line->pending != 0) {
        return false;
    }
    line->taken = false;
    return true;
}

bool wr_l1_holds(wr_l1 *l1, uint64_t addr)
{
    const wr_l1_line *line = look_for(l1, addr);
    return line != NULL && line->valid == l1->all;
}

wr_l1_result wr_l1_store(wr_l1 *l1, uint64_t addr, uint8_t sectors, uint8_t covered, uint32_t room,
                         wr_l1_access *access)
{
    uint64_t number = addr >> l1->line_shift;
    uint32_t set = set_of(l1, number);
    wr_l1_line *line = find(l1, set, number);
    wr_l1_result result = WR_L1_HIT;
    *access = (wr_l1_access){0};
    if (line == NULL) {
        line = victim(l1, set);
        if (line == NULL || (line->dirty != 0 && room == 0)) {
            return WR_L1_BLOCKED;
        }
        take(l1, line, number, access);
        result = WR_L1_MISS;
    }
    line->dirty |= sectors;
    line->valid |= covered & (uint8_t)~line->pending;
    line->used_at = ++l1->clock;
    return result;
}

const uint16_t *wr_l1_fill(wr_l1 *l1, uint32_t mshr, uint32_t *count, uint32_t *set)
{
    const wr_mshr *m = &l1->mshrs[mshr];
    wr_l1_line *line = &l1->lines[m->line];
    assert(line->taken && (line->pending & m->sectors) == m->sectors);
    line->valid |= m->sectors;
    line->pending &= (uint8_t)~m->sectors;
    *count = m->count;
    *set = set_of(l1, line->line);
    l1->free_mshrs[l1->free_count++] = mshr;
    return &l1->merged[(size_t)mshr * l1->merges];
}

void wr_l1_drop(wr_l1 *l1)
{
    for (uint32_t i = 0; i < l1->sets * l1->ways; i++) {
        if (l1->lines[i].pending == 0) {
            l1->lines[i] = (wr_l1_line){0};
        }
    }
}
