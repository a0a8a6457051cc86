/* SPDX-License-Identifier: Apache-2.0 */
/* Counts spread over cycles: see spread.h. */
#include "systems/monitor/spread.h"

#include <stdbool.h>

wr_spread wr_spread_over(uint64_t count, uint64_t clocks, uint64_t n)
{
    uint64_t longer = clocks % n;
    uint64_t of_longer = clocks != 0 ? count * (longer * (clocks / n + 1)) / clocks : 0;
    wr_spread s = {.longer = longer};

    if (longer != 0) {
        s.base[0] = of_longer / longer;
        s.more[0] = of_longer % longer;
    }
    s.base[1] = (count - of_longer) / (n - longer);
    s.more[1] = (count - of_longer) % (n - longer);
    return s;
}

uint64_t wr_spread_at(const wr_spread *s, uint64_t t)
{
    bool late = t >= s->longer;
    uint64_t at = late ? t - s->longer : t;

    return s->base[late] + (at < s->more[late] ? 1 : 0);
}

uint64_t wr_spread_change(const wr_spread *all, size_t number, uint64_t t, uint64_t n)
{
    uint64_t next = n;

    for (size_t i = 0; i < number; i++) {
        const uint64_t at[] = {all[i].more[0], all[i].longer, all[i].longer + all[i].more[1]};

        for (size_t k = 0; k < 3; k++) {
            next = at[k] > t && at[k] < next ? at[k] : next;
        }
    }
    return next;
}
