/* L2 tags; see l2.h. */
#include "shell/memory/l2.h"

#include <stdlib.h>

bool wr_l2_init(wr_l2 *l2, const wr_gpu_config *cfg)
{
    const wr_l2_config *c = &cfg->l2;
    uint32_t sets = c->bytes / (c->banks * c->ways * c->line_bytes);
    *l2 = (wr_l2){.banks = c->banks, .sets = sets, .ways = c->ways, .line_bytes = c->line_bytes};
    l2->lines = calloc((size_t)c->banks * sets * c->ways, sizeof *l2->lines);
    return l2->lines != NULL;
}

void wr_l2_free(wr_l2 *l2)
{
    free(l2->lines);
    l2->lines = NULL;
}

uint32_t wr_l2_bank(const wr_l2 *l2, uint64_t addr)
{
    return (uint32_t)(addr / (2 * (uint64_t)l2->line_bytes) % l2->banks);
}

wr_l2_result wr_l2_access(wr_l2 *l2, uint64_t addr, uint64_t now, bool write, wr_l2_line **line,
                          bool *evicted)
{
    uint64_t number = addr / l2->line_bytes;
    /* The line's number inside its bank, so that all sets are in use. */
    uint64_t local = number / 2 / l2->banks * 2 + number % 2;
    size_t set = (size_t)wr_l2_bank(l2, addr) * l2->sets + (size_t)(local % l2->sets);
    wr_l2_line *ways = &l2->lines[set * l2->ways];
    wr_l2_line *victim = &ways[0];
    l2->accesses++;
    *evicted = false;
    for (uint32_t i = 0; i < l2->ways; i++) {
        wr_l2_line *way = &ways[i];
        if (way->valid && way->line == number) {
            way->used_at = l2->accesses;
            way->dirty = way->dirty || write;
            *line = way;
            bool pending = way->ready_at > now;
            if (pending) {
                l2->merges++;
            } else {
                l2->hits++;
            }
            return pending ? WR_L2_PENDING : WR_L2_HIT;
        }
        if (victim->valid && (!way->valid || way->used_at < victim->used_at)) {
            victim = way;
        }
    }
    l2->misses++;
    *evicted = victim->valid && victim->dirty;
    if (*evicted) {
        l2->write_backs++;
    }
    *victim = (wr_l2_line){
        .line = number, .ready_at = now, .used_at = l2->accesses, .valid = true, .dirty = write};
    *line = victim;
    return WR_L2_MISS;
}
