/* SPDX-License-Identifier: Apache-2.0 */
/* How many TBs of a launch an SM holds at once (Lin-P II.A, Table II). */
#include "shell/core/gpu.h"

static uint32_t quotient(uint32_t have, uint32_t per_tb, uint32_t granule)
{
    uint32_t need = granule != 0 ? (per_tb + granule - 1) / granule * granule : per_tb;
    return need != 0 ? have / need : UINT32_MAX;
}

wr_occupancy wr_gpu_occupancy(const wr_gpu_config *cfg, const wr_launch *launch)
{
    /* by the set of resources that allow no more: bit 0 warps, 1 TBs, 2 registers, 3 shared */
    static const char *const names[16] = {
        "none",
        "warp",
        "TB",
        "warp, TB",
        "reg",
        "warp, reg",
        "TB, reg",
        "warp, TB, reg",
        "smem",
        "warp, smem",
        "TB, smem",
        "warp, TB, smem",
        "reg, smem",
        "warp, reg, smem",
        "TB, reg, smem",
        "warp, TB, reg, smem",
    };
    const wr_kernel *k = launch->kernel;
    uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint32_t warps = (threads + cfg->sm.warp_size - 1) / cfg->sm.warp_size;
    uint32_t regs = launch->regs_override != 0 ? launch->regs_override : k->regs;
    uint32_t granule = cfg->sm.register_granule;
    uint32_t rounded = granule != 0 ? (regs + granule - 1) / granule * granule : regs;
    const uint32_t allows[4] = {
        quotient(cfg->sm.max_warps, warps, 0),
        cfg->sm.max_tbs,
        quotient(cfg->sm.registers, rounded * warps * cfg->sm.warp_size, 0),
        quotient(cfg->sm.shared_bytes, k->shared_bytes + launch->shared_dynamic,
                 cfg->sm.shared_granule),
    };
    uint32_t least = UINT32_MAX;
    unsigned limit = 0;
    for (unsigned i = 0; i < 4; i++) {
        limit = allows[i] < least ? 1u << i : allows[i] == least ? limit | 1u << i : limit;
        least = allows[i] < least ? allows[i] : least;
    }
    return (wr_occupancy){.tbs = least, .limit = names[limit]};
}

uint32_t wr_gpu_registers_to_spare(const wr_gpu_config *cfg, const wr_launch *launch,
                                   uint32_t least, uint32_t more)
{
    const uint32_t most = cfg->sm.max_regs_per_thread;
    wr_launch with = *launch;
    with.regs_override = least;
    const uint32_t tbs = wr_gpu_occupancy(cfg, &with).tbs;
    uint32_t regs = least + more < most ? least + more : most;
    for (; regs > least; regs--) {
        with.regs_override = regs;
        if (wr_gpu_occupancy(cfg, &with).tbs == tbs) {
            return regs;
        }
    }
    return least;
}
