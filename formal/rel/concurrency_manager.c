/* SPDX-License-Identifier: Apache-2.0 */
/* concurrency_manager: averages are equal where they are valid; limits are those that a decision
 * gives, sums what the partitions read so far can have had. */
#include "refmodel/throttle/concurrency_manager.h"
#include "formal/rel/relate.h"

void relate(wr_concurrency_manager *s, wr_when when)
{
    HOLDS(s->cyc_q < s->cfg.interval);
    const uint32_t read = s->cyc_q == 0 || s->cyc_q > s->cfg.parts ? s->cfg.parts : s->cyc_q;
    HOLDS(s->sum_mc_q <= 1023u * read);
    HOLDS(s->sum_net_q <= 1023u * read);
    for (uint32_t c = 0; c < s->cfg.cores; c++) {
        LINK(s->limit_q[c], "gen_core[%].u_core.limit_q", c, 0, 0, 6);
        LINK(s->stall_q[c], "gen_core[%].u_core.stall_q", c, 0, 0, 11);
        LINK(s->valid_q[c], "gen_core[%].u_core.valid_q", c, 0, 0, 9);
        LINK(s->run_q[c], "gen_core[%].u_core.run_q", c, 0, 0, 2);
        const uint32_t limit = s->limit_q[c];
        HOLDS(limit >= 1 && limit <= 48);
        HOLDS(!s->balance_q || limit <= 4 || limit == 6 || limit == 8 || limit == 16 ||
              limit == 24 || limit == 48);
        const uint32_t levels[] = {1, 2, 3, 4, 6, 8, 16, 24, 48};
        const uint32_t here = (uint32_t)RTL("gen_core[%].u_core.here_q", c, 0, 0, 9);
        for (uint32_t l = 0; l < WR_THROTTLE_LEVELS; l++) {
            HOLDS(!s->balance_q || (here == 1u << l) == (limit == levels[l]));
            LINK_WHERE((s->valid_q[c] >> l & 1) != 0, s->avg_q[c][l],
                       "gen_core[%].u_core.gen_level[%].avg_q", c, l, 0, 11);
        }
    }
}
