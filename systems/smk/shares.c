/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels hold: the dominant share of four resources (SMK 5.2), of the GPU and of an SM. */
#include "systems/smk/state.h"

wr_smk_share wr_smk_rk(const wr_smk *p, uint32_t kernel, int n)
{
    const wr_smk_kernel *k = &p->kernel[kernel];
    uint64_t held = (uint64_t)((int64_t)k->held + n);
    wr_smk_share most = 0;

    for (uint32_t r = 0; r < WR_SMK_RESOURCES; r++) {
        wr_smk_share share = (held * k->needs[r] << 32) / (p->limit[r] * p->sm_count);

        most = share > most ? share : most;
    }
    return most;
}

wr_smk_share wr_smk_rsm(const wr_smk *p, uint32_t sm, uint32_t without)
{
    wr_smk_share most = 0;

    for (uint32_t r = 0; r < WR_SMK_RESOURCES; r++) {
        uint64_t taken = 0;

        for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
            if ((without >> k & 1u) == 0) {
                taken += (uint64_t)p->sm[sm].held[k] * p->kernel[k].needs[r];
            }
        }
        wr_smk_share share = (taken << 32) / p->limit[r];

        most = share > most ? share : most;
    }
    return most;
}

/* TBs that can be given out, those for which room is being made taken off. */
static bool has_tbs(const wr_smk *p, const wr_smk_kernel *k)
{
    uint64_t more =
        wr_tb_queue_may_begin(&p->queue, k->stream) ? wr_gpu_tbs_waiting(p->gpu, k->stream) : 0;

    return wr_tb_queue_waiting(&p->queue, k->stream) + more > k->claims;
}

uint32_t wr_smk_order(const wr_smk *p, uint32_t order[WR_SMK_KERNELS])
{
    wr_smk_share share[WR_SMK_KERNELS] = {0};
    uint32_t count = 0;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        if (!p->kernel[k].in_flight || !has_tbs(p, &p->kernel[k])) {
            continue;
        }
        uint32_t at = count++;
        wr_smk_share mine = wr_smk_rk(p, k, 0);

        for (; at != 0 && share[at - 1] > mine; at--) {
            share[at] = share[at - 1];
            order[at] = order[at - 1];
        }
        share[at] = mine;
        order[at] = k;
    }
    return count;
}

uint32_t wr_smk_in_flight(const wr_smk *p)
{
    uint32_t kernels = 0;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        kernels |= p->kernel[k].in_flight ? 1u << k : 0;
    }
    return kernels;
}

uint32_t wr_smk_present(const wr_smk *p, uint32_t sm)
{
    uint32_t kernels = 0;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        kernels |= p->sm[sm].held[k] != 0 ? 1u << k : 0;
    }
    return kernels;
}

/* The last SMs, kernel 0 has the very last; none while a kernel is alone, or where the SMs that are
 * shared could be fewer than those that are not. */
uint32_t wr_smk_profiled(const wr_smk *p, uint32_t sm)
{
    uint32_t kernels = wr_smk_in_flight(p);
    uint32_t k = p->sm_count - 1 - sm;

    if (!p->profiles || (kernels & (kernels - 1)) == 0 || p->sm_count < 2 * WR_SMK_KERNELS ||
        k >= WR_SMK_KERNELS || (kernels >> k & 1u) == 0) {
        return WR_SMK_NONE;
    }
    return k;
}

uint32_t wr_smk_allowed(const wr_smk *p, uint32_t sm)
{
    uint32_t k = wr_smk_profiled(p, sm);

    return k == WR_SMK_NONE ? wr_smk_in_flight(p) : 1u << k;
}
