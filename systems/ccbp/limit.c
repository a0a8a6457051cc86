/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions that kernels of an SM may issue (Dai et al., HPCA 2018), a comparison: whose
 * is next (BMI), and how many of each may be under way (MIL). Seams: warp, meter.
 *
 *   rbmi   of kernels with one ready, the one that was served longest ago
 *   qbmi   the one with the most left of its quota. Quotas are as 1 / r, r requests an instruction;
 *          each gets its own again when one is used up
 *   smil   at most the option's number of each kernel
 *   dmil   a number that each kernel finds: per 1,024 of its requests, half of what was under way
 *          where its instructions found no room in as many cycles or more, one more where in none
 *
 * Kernels are told for the next cycle what this one leaves; an instruction is one that goes to the
 * L1. Nothing of it is public but the abstract: the rules of qbmi and dmil are this project's.
 */
#include "systems/ccbp/state.h"

#include "shell/core/seam/warp.h"

enum { SAMPLE = 1024, LIMIT_MOST = 128, QUOTA_SET = 64 };

bool wr_ccbp_limits(const wr_ccbp *p)
{
    return p->bmi != WR_CCBP_NO_BMI || p->mil != WR_CCBP_NO_MIL;
}

/* What the cycle has brought of each kernel. */
static void follow(wr_ccbp *p, wr_sm *sm, wr_ccbp_memory *m, uint32_t k)
{
    wr_ccbp_instructions *own = &m->of[k];
    const uint64_t issued = wr_meter_l1_insns(sm, p->kernel[k].stream);
    const uint64_t sent = p->station[wr_sm_id(sm)].sent[k];

    if (issued != own->issued) {
        own->served_at = wr_gpu_cycle(p->gpu);
        own->quota -= (int64_t)(issued - own->issued);
        own->issued = issued;
    }
    own->under_way = wr_meter_in_flight(sm, p->kernel[k].stream);
    own->sum += own->under_way;
    own->cycles++;
    own->fails += wr_meter_blocked(sm) >> p->kernel[k].stream & 1;
    if (sent - own->sent_at < SAMPLE) {
        return;
    }
    const uint64_t insns = issued - own->issued_at;

    own->requests = insns == 0 ? 1 : (uint32_t)((sent - own->sent_at + insns / 2) / insns);
    own->requests = own->requests == 0 ? 1 : own->requests;
    if (p->mil == WR_CCBP_DYNAMIC && own->fails >= SAMPLE) {
        const uint64_t half = own->sum / own->cycles / 2;

        own->limit = half == 0 ? 1 : half > LIMIT_MOST ? LIMIT_MOST : (uint32_t)half;
        p->counts.lowered++;
    } else if (p->mil == WR_CCBP_DYNAMIC && own->fails == 0) {
        own->limit += own->limit < LIMIT_MOST ? 1 : 0;
    }
    own->sent_at = sent;
    own->issued_at = issued;
    own->sum = own->cycles = own->fails = 0;
}

/* Each gets its part of QUOTA_SET requests. */
static void refill(const wr_ccbp *p, wr_ccbp_memory *m)
{
    bool empty = false;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        empty = empty || (wr_ccbp_has(p->decided, k) && m->of[k].quota <= 0);
    }
    for (uint32_t k = 0; empty && k < WR_CCBP_MOST; k++) {
        const uint32_t part = QUOTA_SET / m->of[k].requests;

        m->of[k].quota += part == 0 ? 1 : part;
    }
}

static bool comes_first(const wr_ccbp *p, const wr_ccbp_instructions *a,
                        const wr_ccbp_instructions *b)
{
    return p->bmi == WR_CCBP_RBMI ? a->served_at < b->served_at : a->quota > b->quota;
}

/* Streams that wait in the next cycle. */
static uint32_t waiting(wr_ccbp *p, wr_sm *sm, const wr_ccbp_memory *m)
{
    const uint32_t ready = p->bmi != WR_CCBP_NO_BMI ? wr_sm_memory_ready(sm) : 0;
    uint32_t waits = 0;
    uint32_t first = WR_CCBP_NONE;
    uint32_t candidates = 0;

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        const uint32_t bit = 1u << p->kernel[k].stream;

        if (!wr_ccbp_has(p->decided, k)) {
            continue;
        }
        if (p->mil != WR_CCBP_NO_MIL && m->of[k].under_way >= m->of[k].limit) {
            waits |= bit;
        } else if ((ready & bit) != 0) {
            candidates |= bit;
            first = first == WR_CCBP_NONE || comes_first(p, &m->of[k], &m->of[first]) ? k : first;
        }
    }
    return first == WR_CCBP_NONE ? waits : waits | (candidates & ~(1u << p->kernel[first].stream));
}

void wr_ccbp_limit_cycle(wr_ccbp *p, wr_sm *sm)
{
    wr_ccbp_memory *m = &p->memory[wr_sm_id(sm)];

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        if (wr_ccbp_has(p->decided, k)) {
            follow(p, sm, m, k);
        }
    }
    refill(p, m);
    const uint32_t waits = waiting(p, sm, m);

    p->counts.waits += waits != 0;
    wr_sm_hold_memory(sm, p->owner, waits);
}

void wr_ccbp_limit_phase(wr_ccbp *p)
{
    const bool on = wr_ccbp_limits(p) && p->phase == WR_CCBP_SHARED;

    for (uint32_t i = 0; wr_ccbp_limits(p) && i < p->sm_count; i++) {
        wr_sm *sm = wr_gpu_sm(p->gpu, i);
        wr_ccbp_memory *m = &p->memory[i];

        wr_sm_attend(sm, p->owner, on);
        if (!on) {
            wr_sm_hold_memory(sm, p->owner, 0);
        }
        for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
            wr_ccbp_instructions *own = &m->of[k];

            *own = (wr_ccbp_instructions){.requests = own->requests == 0 ? 1 : own->requests,
                                          .limit = p->mil == WR_CCBP_STATIC ? p->limits[k]
                                                   : own->limit == 0        ? LIMIT_MOST
                                                                            : own->limit,
                                          .sent_at = p->station[i].sent[k],
                                          .issued = wr_meter_l1_insns(sm, p->kernel[k].stream),
                                          .issued_at = wr_meter_l1_insns(sm, p->kernel[k].stream)};
        }
    }
}
