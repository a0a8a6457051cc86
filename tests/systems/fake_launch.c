/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the fake GPU (fake_sm.h): one at most, whose TBs the test places itself; there is no
 * dispatcher, and nothing begins anew.
 */
#include "tests/systems/fake_sm.h"

#include <assert.h>

/* Launches end together, and the dispatcher is not here. */
uint32_t wr_gpu_launches(const wr_gpu *gpu)
{
    (void)gpu;
    return 0;
}

const wr_launch *wr_gpu_launch(const wr_gpu *gpu, uint32_t stream)
{
    (void)gpu;
    (void)stream;
    return NULL;
}

uint32_t wr_gpu_oldest_waiting(const wr_gpu *gpu)
{
    (void)gpu;
    return UINT32_MAX;
}

uint32_t wr_gpu_launch_stream(const wr_gpu *gpu, uint32_t i)
{
    (void)gpu;
    return i;
}

uint64_t wr_gpu_tbs_waiting(const wr_gpu *gpu, uint32_t stream)
{
    (void)gpu;
    (void)stream;
    return 0;
}

double wr_gpu_tb_instructions(const wr_gpu *gpu, uint32_t stream)
{
    (void)gpu;
    (void)stream;
    return 0;
}

bool wr_gpu_idempotent(const wr_gpu *gpu, uint32_t stream)
{
    (void)gpu;
    (void)stream;
    return false;
}

bool wr_sm_tb_room(const wr_sm *sm, uint32_t stream, uint32_t kept)
{
    (void)sm;
    (void)stream;
    (void)kept;
    return true;
}

void wr_sm_tb_start(wr_sm *sm, uint32_t tb_slot)
{
    (void)sm;
    (void)tb_slot;
    assert(!"no TB begins anew");
}

wr_tb_needs wr_gpu_tb_needs(const wr_gpu *gpu, uint32_t stream)
{
    (void)gpu;
    (void)stream;
    return (wr_tb_needs){0};
}

bool wr_gpu_tb_take(wr_gpu *gpu, uint32_t stream, wr_tb_info *tb)
{
    (void)gpu;
    (void)stream;
    (void)tb;
    return false;
}
