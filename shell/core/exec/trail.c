/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that were accessed last without time: what the L2 has of them when time begins. */
#include "shell/core/exec/access.h"
#include "shell/core/gpu/state.h"

#include <stdlib.h>

bool wr_trail_init(wr_trail *t, const wr_gpu_config *cfg)
{
    uint32_t lines = cfg->l2.bytes / cfg->l2.line_bytes;
    t->size = 1;
    while (t->size < 4 * lines) { /* a line may stand there more than once */
        t->size *= 2;
    }
    t->entries = calloc(t->size, sizeof *t->entries);
    t->line_mask = ~(uint64_t)(cfg->l2.line_bytes - 1);
    return t->entries != NULL;
}

static inline void note(wr_trail *t, uint64_t line, uint64_t tags)
{
    t->entries[t->count++ & (t->size - 1)] = line | tags;
}

void wr_trail_note(wr_trail *t, uint32_t stream, const wr_access *a)
{
    uint64_t tags = (uint64_t)stream << 1 | (a->insn->op != WR_OP_LD ? 1 : 0);
    uint64_t last = UINT64_MAX;
    if (a->space == WR_SPACE_LOCAL) { /* a row for each word */
        for (uint32_t k = 0; k < a->bytes; k += 4) {
            uint32_t lane = (uint32_t)__builtin_ctz(a->mask);
            note(t, wr_access_local(a, lane, a->at.lane[lane] + k) & t->line_mask, tags);
        }
        return;
    }
    if (((a->at.low ^ (a->at.high + a->bytes - 1)) & t->line_mask) == 0) {
        note(t, a->at.low & t->line_mask, tags);
        return;
    }
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        uint64_t line = a->at.lane[__builtin_ctz(left)] & t->line_mask;
        if (line != last) {
            note(t, line, tags);
            last = line;
        }
    }
}

uint32_t wr_trail_warm(wr_trail *t, wr_memsys *ms)
{
    uint32_t lines = 0;
    for (uint64_t i = t->count > t->size ? t->count - t->size : 0; i < t->count; i++) {
        uint64_t e = t->entries[i & (t->size - 1)];
        uint8_t stream = (uint8_t)(e >> 1 & (WR_MAX_STREAMS - 1));
        lines += wr_memsys_touch(ms, e & t->line_mask, stream, (e & 1) != 0) ? 1 : 0;
    }
    free(t->entries);
    *t = (wr_trail){0};
    return lines;
}
