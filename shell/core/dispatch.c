/* TB dispatcher: the next TB of the grid goes to the lowest SM that has room, one TB per SM
 * and cycle. An SM whose preemption signal is up gets none. */
#include "shell/core/state.h"

bool wr_dispatch(wr_gpu *gpu)
{
    const wr_program *p = &gpu->program;
    const wr_system_hooks *h = &gpu->hooks;
    bool placed = false;
    for (uint32_t i = 0; i < gpu->cfg.sms && gpu->next_tb < p->tbs; i++) {
        wr_sm *sm = &gpu->sms[i];
        uint32_t base;
        uint32_t slot;
        bool framed = p->frame_bytes != 0;
        if (sm->signalled || !wr_tb_fits(sm, p, &base, &slot) ||
            (framed && gpu->frames_free == 0)) {
            continue;
        }
        if (h->tb_may_launch != NULL && !h->tb_may_launch(h->self, sm)) {
            continue;
        }
        uint32_t frame = framed ? gpu->frames[--gpu->frames_free] : 0;
        slot = wr_tb_place(sm, p, (uint32_t)gpu->next_tb, frame, WR_LAUNCH_POISON);
        wr_tb_start(sm, slot);
        gpu->next_tb++;
        placed = true;
    }
    return placed;
}
