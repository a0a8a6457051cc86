/* SPDX-License-Identifier: Apache-2.0 */
/* The GPU and its SMs, for systems; see hooks.h. */
#include "shell/core/gpu/state.h"

#include <assert.h>

wr_sm *wr_gpu_sm(wr_gpu *gpu, uint32_t id)
{
    assert(id < gpu->cfg.sms);
    return &gpu->sms[id];
}

uint32_t wr_gpu_sm_count(const wr_gpu *gpu)
{
    return gpu->cfg.sms;
}

const wr_gpu_config *wr_gpu_configuration(const wr_gpu *gpu)
{
    return &gpu->cfg;
}

void wr_gpu_abort(wr_gpu *gpu, const char *message)
{
    wr_gpu_end(gpu, WR_RUN_SYSTEM, message);
}

void wr_gpu_leave(wr_gpu *gpu, const char *message)
{
    wr_gpu_end(gpu, WR_RUN_SAVED, message);
}

bool wr_gpu_quiet(const wr_gpu *gpu)
{
    if (wr_cycle_packets(gpu) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        if (!wr_sm_idle(&gpu->sms[i])) {
            return false;
        }
    }
    return true;
}

wr_gpu *wr_sm_gpu(wr_sm *sm)
{
    return sm->gpu;
}

uint32_t wr_sm_id(const wr_sm *sm)
{
    return sm->id;
}

void wr_sm_attend(wr_sm *sm, wr_owner owner, bool on)
{
    assert(owner < WR_MAX_OWNERS);
    uint32_t bit = 1u << owner;
    sm->control.attend = on ? sm->control.attend | bit : sm->control.attend & ~bit;
    bool attended = sm->control.attend != 0;
    if (sm->attended != attended) {
        sm->attended = attended;
        sm->gpu->attended += attended ? 1 : UINT32_MAX; /* wraps: one less */
        wr_gpu_wake(sm->gpu, sm, sm->gpu->cycle + 1);
    }
}
