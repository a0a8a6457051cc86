/* SPDX-License-Identifier: Apache-2.0 */
/* What both paths need of their blocks: see blocks.h. */
#include "systems/context/blocks.h"

#include <stdio.h>

wr_path_status wr_context_wrong_pin(const wr_port *port, const char *pin, const char *expected,
                                    uint32_t value, uint32_t got, char *text, size_t text_size)
{
    (void)snprintf(text, text_size, "%s: cycle %llu: pin %s: expected %s%u, got %u",
                   port->block->name, (unsigned long long)wr_port_get_stats(port).cycles, pin,
                   expected, value, got);
    return WR_PATH_FAULT;
}

wr_pattern_count wr_context_count(const uint32_t pattern[4], wr_pag pag, uint32_t lanes)
{
    uint32_t groups = lanes >> (3 + pag);
    wr_pattern_count n = {0};

    for (uint32_t r = 0; r < WR_CONTEXT_PATTERN_REGS; r++) {
        uint32_t code = pattern[r / 16] >> (r % 16 * 2) & 3u;

        n.uniform += code == WR_PATTERN_UNIFORM;
        n.strided += code == WR_PATTERN_STRIDED;
        n.random += code == WR_PATTERN_RANDOM;
        n.top = code == WR_PATTERN_DEAD ? n.top : r + 1;
    }
    n.live = n.uniform + n.strided + n.random;
    n.words = groups * (n.uniform + 2 * n.strided) + lanes * n.random;
    return n;
}

bool wr_context_class_ok(uint32_t class)
{
    return class < WR_TB_CLASSES && class != WR_TB_BYPASS;
}

uint32_t wr_context_class_words(uint32_t class, uint32_t warps, wr_pag pag, uint32_t lanes)
{
    uint32_t groups = warps * (lanes >> (3 + pag));

    switch (class) {
    case WR_TB_GLOBAL_UNIFORM:
        return 1;
    case WR_TB_GLOBAL_STRIDED:
        return 2;
    case WR_TB_LOCAL_UNIFORM:
        return groups;
    case WR_TB_LOCAL_STRIDED:
        return 2 * groups;
    case WR_TB_RANDOM:
        return warps * lanes;
    default:
        return 0;
    }
}
