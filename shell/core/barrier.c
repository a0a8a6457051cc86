/* Barriers of a thread block.
 *
 * A warp that arrives waits with its PC at the barrier; when every warp of the TB that has not
 * finished has arrived, all step over it. So a waiting warp that is preempted needs nothing
 * saved but its PC, and executes the barrier again (P21, P22).
 */
#include "shell/core/state.h"

static void release(wr_sm *sm, uint64_t warps)
{
    sm->barrier &= ~warps;
    for (uint64_t left = warps; left != 0; left &= left - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(left);
        wr_simt_advance(sm, warp);
        wr_sm_refresh(sm, warp);
    }
    wr_sm_wake(sm, sm->now + 1);
}

void wr_barrier_arrive(wr_sm *sm, uint32_t warp, uint32_t barrier)
{
    uint32_t slot = sm->tb_of[warp];
    uint64_t bit = UINT64_C(1) << warp;
    sm->stats.barriers++;
    sm->barrier |= bit;
    sm->step_over &= ~bit;
    sm->tbs[slot].arrived[barrier] |= bit;
    wr_barrier_check(sm, slot);
}

void wr_barrier_check(wr_sm *sm, uint32_t tb_slot)
{
    wr_tb *tb = &sm->tbs[tb_slot];
    for (uint32_t i = 0; i < WR_BARRIERS; i++) {
        uint64_t arrived = tb->arrived[i];
        if (arrived != 0 && arrived == tb->live) {
            tb->arrived[i] = 0;
            release(sm, arrived);
        }
    }
}
