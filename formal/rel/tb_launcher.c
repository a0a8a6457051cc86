/* SPDX-License-Identifier: Apache-2.0 */
/* tb_launcher: registers have one name on both sides; each step belongs to some jobs only. */
#include "refmodel/duet/tb_launcher.h"
#include "formal/rel/relate.h"

#define IS(step) (s->state_q == WR_LAUNCHER_##step)
#define JOB(job) (s->job_q == WR_LAUNCHER_##job)

void relate(wr_tb_launcher *s, wr_when when)
{
    const bool on = s->level_q != WR_LAUNCHER_LEVEL_OFF;
    const bool books = JOB(BOOK) || JOB(UNBOOK);
    const bool starts = JOB(NATIVE) || JOB(EXTRA);
    const bool brings = starts || JOB(HANDED);
    const bool clears = JOB(UNBOOK) || JOB(CLEAR) || JOB(UNDO);
    const bool per_warp =
        ((IS(REGS) && !JOB(BOOK)) || IS(AWAY) || IS(ADD_WARP) || IS(LOOK) || IS(TELL) ||
         IS(CHECK) || IS(READ) || IS(DROP) || IS(FREE_REGS) || IS(FREE_AWAY)) &&
        !JOB(VACATE);

    HOLDS(s->level_q <= WR_LAUNCHER_LEVEL_TB);
    HOLDS(!on || (s->warps_q >= 1 && s->warps_q <= s->cfg.tb_warps));
    HOLDS(on || !s->run_q);
    HOLDS(s->job_q <= WR_LAUNCHER_VACATE);
    HOLDS(s->state_q <= WR_LAUNCHER_FREE_SMEM);
    HOLDS(JOB(NONE) == IS(IDLE));
    HOLDS(on || IS(IDLE));
    HOLDS(s->index_q == 0 || (on && s->index_q < s->warps_q));
    HOLDS(per_warp || s->index_q == 0);
    HOLDS(s->tb_q <= WR_LAUNCHER_TBS);
    HOLDS(!books || IS(SETUP) || s->tb_q < s->cfg.tbs);

    HOLDS(IS(IDLE) || IS(SETUP) || JOB(VACATE) ||
          (s->warp_q == (s->tb_q * s->warps_q + s->index_q) % 128u &&
           (s->tb_q + 1u) * s->warps_q <= s->cfg.warps));
    HOLDS(!IS(SETUP) || books || JOB(EXTRA) || JOB(CLEAR));
    HOLDS(!(IS(SMEM) || IS(ADD_TB) || IS(REGS)) || JOB(BOOK) || starts);
    HOLDS(!IS(AWAY) || (JOB(EXTRA) && s->level_q == WR_LAUNCHER_LEVEL_WARP));
    HOLDS(!IS(ADD_WARP) || JOB(BOOK) || JOB(UNDO) || starts);
    HOLDS(!(IS(PLACE) || IS(LAUNCH) || IS(LOOK) || IS(TELL)) || brings);
    HOLDS(!IS(LEAVE) || JOB(HANDED) || JOB(CLEAR));
    HOLDS(!(IS(CHECK) || IS(CHECK_TB)) || JOB(HANDED));
    HOLDS(!(IS(READ) || IS(DROP) || IS(FREE_REGS) || IS(FREE_AWAY)) || clears || JOB(VACATE));
    HOLDS(!(IS(READ_TB) || IS(DROP_TB) || IS(FREE_SMEM)) || clears);
    HOLDS(!(starts && s->launch_blocked_q));
    HOLDS(!(JOB(NATIVE) && s->native_blocked_q));
}
