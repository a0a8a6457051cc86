/* SPDX-License-Identifier: Apache-2.0 */
/* How many CTAs of each kernel an SM holds.
 *
 *   SMK             dominant resource fairness over an SM's resources: the block drf_partitioner
 *   Warped-Slicer   water filling over the instructions that so many CTAs have issued in the
 * sample: the kernel that is worst off against an SM of its own gets its next point, until nothing
 * fits. Points are those that were sampled and are above all with fewer by option       what was
 * asked for CCBP            what ccbp_allocator came to
 */
#include "systems/ccbp/state.h"

#include <string.h>

enum { REGISTER_UNIT = 32, SHARED_UNIT = 128, MOST_CYCLES = 1000 };

bool wr_ccbp_combine_open(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_sm_config *sm = &setup->cfg->sm;
    const wr_drf_partitioner_cfg cfg = {.kernels = WR_CCBP_MOST,
                                        .reg_limit = sm->registers / REGISTER_UNIT,
                                        .thread_limit = sm->max_warps * 32,
                                        .smem_limit = sm->shared_bytes / SHARED_UNIT,
                                        .tb_limit = sm->max_tbs};

    p->drf_open =
        wr_drf_partitioner_port_open_behind(&p->drf, wr_bay_behind(p->bay), &cfg, err, err_size);
    if (!p->drf_open) {
        return false;
    }
    wr_drf_partitioner_port_reset(&p->drf);
    p->drf_unit = wr_bay_add_unit(p->bay, "driver", WR_BAY_FREE);
    wr_bay_add_port(p->bay, p->drf_unit, &p->drf.port, &p->drf_out);
    return true;
}

void wr_ccbp_combine_close(wr_ccbp *p)
{
    if (p->drf_open) {
        wr_drf_partitioner_port_close(&p->drf);
    }
}

static bool step(wr_ccbp *p, const wr_drf_partitioner_in *in)
{
    char text[512];

    (void)wr_bay_begin(p->bay, p->drf_unit, p->drf_cycles);
    wr_drf_partitioner_port_eval(&p->drf, in, &p->drf_out);
    wr_drf_partitioner_port_tick(&p->drf, in);
    (void)wr_bay_end(p->bay, p->drf_unit);
    p->drf_cycles++;
    if (wr_bay_check(p->bay, p->drf_unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, p->drf_unit, text));
        return false;
    }
    return true;
}

static void by_fairness(wr_ccbp *p)
{
    wr_drf_partitioner_in in = {0};

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const wr_tb_needs *needs = &p->kernel[k].needs;

        in = (wr_drf_partitioner_in){
            .load = true,
            .kernel = (uint8_t)k,
            .regs = (uint16_t)((needs->registers + REGISTER_UNIT - 1) / REGISTER_UNIT),
            .threads = (uint16_t)needs->threads,
            .smem = (uint16_t)((needs->shared_bytes + SHARED_UNIT - 1) / SHARED_UNIT)};
        if (wr_ccbp_has(p->decided, k) && !step(p, &in)) {
            return;
        }
    }
    in = (wr_drf_partitioner_in){.start = true, .mask = (uint8_t)p->decided};
    for (uint32_t left = MOST_CYCLES; left != 0; left--) {
        if (!step(p, &in)) {
            return;
        }
        if (p->drf_out.done && !in.start) {
            break;
        }
        in = (wr_drf_partitioner_in){0};
    }
    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        in.read = (uint8_t)k;
        if (!step(p, &in)) {
            return;
        }
        p->kernel[k].ctas = wr_ccbp_has(p->decided, k) ? p->drf_out.tbs : 0;
    }
}

bool wr_ccbp_fits(const wr_ccbp *p, const uint32_t ctas[WR_CCBP_MOST])
{
    uint64_t sum[4] = {0};

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const wr_tb_needs *needs = &p->kernel[k].needs;

        sum[0] += (uint64_t)ctas[k] * needs->registers;
        sum[1] += (uint64_t)ctas[k] * needs->threads;
        sum[2] += (uint64_t)ctas[k] * needs->shared_bytes;
        sum[3] += ctas[k];
    }
    return sum[0] <= p->limit[0] && sum[1] <= p->limit[1] && sum[2] <= p->limit[2] &&
           sum[3] <= p->limit[3];
}

/* The kernel's next point behind n CTAs; 0: there is none. */
static uint32_t next_point(const wr_ccbp_kernel *own, uint32_t n)
{
    uint64_t best = n == 0 ? 0 : own->issued[n];

    for (uint32_t i = n + 1; i <= own->alone; i++) {
        if (own->issued[i] > best) {
            return i;
        }
    }
    return 0;
}

/* What the kernel does at its point against all its CTAs, a is worse off than b. */
static bool is_worse(const wr_ccbp_kernel *a, const wr_ccbp_kernel *b)
{
    const uint64_t all_a = a->issued[a->alone];
    const uint64_t all_b = b->issued[b->alone];

    return a->issued[a->ctas] * all_b < b->issued[b->ctas] * all_a;
}

static void by_water_filling(wr_ccbp *p)
{
    uint32_t ctas[WR_CCBP_MOST] = {0};
    uint32_t left = p->decided;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        wr_ccbp_kernel *own = &p->kernel[k];

        own->ctas = 0;
        if ((left >> k & 1u) == 0) {
            continue;
        }
        ctas[k] = next_point(own, 0);
        if (ctas[k] == 0 || !wr_ccbp_fits(p, ctas)) {
            ctas[k] = 0;
            left &= ~(1u << k);
        }
        own->ctas = ctas[k];
    }
    while (left != 0) {
        uint32_t worst = (uint32_t)__builtin_ctz(left);

        for (uint32_t k = worst + 1; k < WR_CCBP_MOST; k++) {
            if ((left >> k & 1u) != 0 && is_worse(&p->kernel[k], &p->kernel[worst])) {
                worst = k;
            }
        }
        ctas[worst] = next_point(&p->kernel[worst], p->kernel[worst].ctas);
        if (ctas[worst] == 0 || !wr_ccbp_fits(p, ctas)) {
            ctas[worst] = p->kernel[worst].ctas;
            left &= ~(1u << worst);
        }
        p->kernel[worst].ctas = ctas[worst];
    }
}

void wr_ccbp_combine(wr_ccbp *p)
{
    switch (p->scheme) {
    case WR_CCBP_BY_SMK:
        by_fairness(p);
        return;
    case WR_CCBP_BY_SLICER:
        by_water_filling(p);
        return;
    default:
        break;
    }
    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        p->kernel[k].ctas = p->scheme == WR_CCBP_BY_ALGORITHM ? p->kernel[k].of_rule : p->given[k];
    }
}
