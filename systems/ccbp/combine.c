/* SPDX-License-Identifier: Apache-2.0 */
/* How many CTAs of each kernel an SM holds.
 *
 * - SMK: dominant resource fairness over an SM's resources, by the block drf_partitioner.
 * - Warped-Slicer: water filling over the instructions that so many CTAs have issued in the sample.
 *   The kernel that is worst off against an SM of its own gets its next point, until nothing fits;
 *   points are those that were sampled and are above all with fewer.
 * - By option: what was asked for.
 * - CCBP: what ccbp_allocator came to.
 */
#include "systems/ccbp/state.h"

static void by_fairness(wr_ccbp *p)
{
    wr_tb_needs needs[WR_CCBP_MOST];
    uint32_t ctas[WR_CCBP_MOST];

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        needs[k] = p->kernel[k].needs;
    }
    if (wr_drf_deal(&p->dealer, p->gpu, p->decided, needs, ctas)) {
        for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
            p->kernel[k].ctas = ctas[k];
        }
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
