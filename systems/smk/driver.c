/* SPDX-License-Identifier: Apache-2.0 */
/* The SM driver: TBs to SMs, on demand (SMK 5.3.1, Fig. 4).
 *
 * K_c is the kernel with the lowest rK that has TBs left, SM_c the SM with the lowest rSM. Where a
 * TB of K_c fits, it comes. Else SM_v is the SM with the highest rSM, K_c's own TBs not counted,
 * and K_v the kernel there with the highest rK: so many TBs of K_v leave, the youngest first, as a
 * TB of K_c needs, if this makes the range of rK smaller: the highest rK less the lowest, of all
 * kernels in flight, on the whole GPU. Where nothing can be done for K_c, the kernel with the next
 * higher rK is looked at, so that room that only another can use is used.
 *
 * An SM on which TBs leave for a kernel takes no other TB until that one has come: its claim.
 *
 * With fewer kernels on an SM at most than are in flight, a kernel's TBs go to SMs where it is
 * already or one more may be.
 */
#include "systems/smk/state.h"

#include <assert.h>

static uint32_t bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

void wr_smk_hold(wr_smk *p, uint32_t kernel, uint32_t sm, int n)
{
    wr_smk_note(p);
    p->sm[sm].held[kernel] = (uint32_t)((int)p->sm[sm].held[kernel] + n);
    p->kernel[kernel].held = (uint32_t)((int)p->kernel[kernel].held + n);
}

bool wr_smk_takes(const wr_smk *p, uint32_t kernel, uint32_t sm, uint64_t now)
{
    const wr_smk_sm *here = &p->sm[sm];

    return here->given != now + 1 && here->sent == WR_SMK_NONE &&
           wr_sm_tb_room(wr_gpu_sm(p->gpu, sm), p->kernel[kernel].stream, 0);
}

bool wr_smk_dispatch(wr_smk *p, uint32_t kernel, uint32_t id, const wr_tb_where *where)
{
    wr_smk_sm *here = &p->sm[id];
    wr_sm *sm = wr_gpu_sm(p->gpu, id);
    uint32_t stream = p->kernel[kernel].stream;
    wr_tb_info tb;

    if (wr_tb_queue_waiting(&p->queue, stream) != 0) {
        here->sent = kernel;
        here->sent_to = where != NULL ? *where : (wr_tb_where){0};
        if (!wr_tb_queue_in(&p->queue, sm, stream, where)) {
            here->sent = WR_SMK_NONE;
            return false;
        }
        here->given = wr_gpu_cycle(p->gpu) + 1;
        wr_smk_hold(p, kernel, id, 1);
        return true;
    }
    if (!wr_tb_queue_may_begin(&p->queue, stream) || !wr_gpu_tb_take(p->gpu, stream, &tb)) {
        return false;
    }
    uint32_t slot = wr_sm_tb_place(sm, &tb, where, WR_CONTEXT_POISON);

    assert(slot != UINT32_MAX); /* the caller has looked */
    here->given = wr_gpu_cycle(p->gpu) + 1;
    wr_smk_hold(p, kernel, id, 1);
    wr_smk_came(p, id, slot, kernel, where, 0);
    p->counts.placed[stream]++;
    wr_sm_tb_start(sm, slot);
    return true;
}

void wr_smk_came(wr_smk *p, uint32_t id, uint32_t slot, uint32_t kernel, const wr_tb_where *where,
                 uint64_t issued)
{
    wr_smk_sm *here = &p->sm[id];
    wr_tb_info tb = wr_sm_tb(wr_gpu_sm(p->gpu, id), slot);

    here->tb[slot] = (wr_smk_tb){.there = true,
                                 .kernel = kernel,
                                 .where = where != NULL ? *where : (wr_tb_where){0},
                                 .age = p->age++,
                                 .issued = issued};
    for (uint32_t w = 0; w < tb.warps; w++) {
        here->kernel_of_warp[tb.warp_base + w] = (uint8_t)kernel;
    }
    wr_smk_quota_changed(p, id);
}

uint64_t wr_smk_victims(const wr_smk *p, uint32_t sm, uint32_t kernel)
{
    const wr_smk_sm *here = &p->sm[sm];
    uint64_t barred = wr_tb_queue_leaving(&p->queue, sm) | wr_tb_queue_coming(&p->queue, sm);
    uint64_t slots = 0;

    for (uint32_t t = 0; t < WR_CONFIG_MAX_TBS; t++) {
        if (!here->tb[t].there || here->tb[t].kernel != kernel || (barred >> t & 1u) != 0) {
            continue;
        }
        wr_tb_info tb = wr_sm_tb(wr_gpu_sm(p->gpu, sm), t);

        slots |= (uint64_t)(tb.valid && tb.issued >= here->tb[t].issued + tb.warps) << t;
    }
    return slots;
}

uint32_t wr_smk_youngest(const wr_smk *p, uint32_t sm, uint64_t slots)
{
    uint32_t best = UINT32_MAX;

    for (; slots != 0; slots &= slots - 1) {
        uint32_t t = (uint32_t)__builtin_ctzll(slots);

        best = best == UINT32_MAX || p->sm[sm].tb[t].age > p->sm[sm].tb[best].age ? t : best;
    }
    return best;
}

void wr_smk_out(wr_smk *p, uint32_t sm, uint64_t slots)
{
    wr_smk_sm *here = &p->sm[sm];

    for (uint64_t left = slots; left != 0; left &= left - 1) {
        uint32_t kernel = here->tb[__builtin_ctzll(left)].kernel;

        wr_smk_hold(p, kernel, sm, -1);
        here->leaving[kernel]++;
    }
    wr_tb_queue_out(&p->queue, wr_gpu_sm(p->gpu, sm), slots);
    wr_smk_quota_changed(p, sm);
}

/* One more kernel may be on the SM, or this one is. */
static bool may_be(const wr_smk *p, uint32_t kernel, uint32_t sm)
{
    uint32_t present = wr_smk_present(p, sm);

    return (wr_smk_allowed(p, sm) >> kernel & 1u) != 0 &&
           ((present >> kernel & 1u) != 0 || bits(present) < p->most);
}

/* The range of rK with a TB more of `gets` and n fewer of `gives`. */
static wr_smk_share range(const wr_smk *p, uint32_t gets, uint32_t gives, uint32_t n)
{
    wr_smk_share least = UINT64_MAX;
    wr_smk_share most = 0;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        if (!p->kernel[k].in_flight) {
            continue;
        }
        wr_smk_share rk = wr_smk_rk(p, k, n != 0 ? (k == gets) - (k == gives ? (int)n : 0) : 0);

        least = rk < least ? rk : least;
        most = rk > most ? rk : most;
    }
    return most - least;
}

/* A TB of `gets` would fit once n TBs of `gives` have left. */
static bool fits_without(const wr_smk *p, uint32_t sm, uint32_t gets, uint32_t gives, uint32_t n)
{
    for (uint32_t r = 0; r < WR_SMK_RESOURCES; r++) {
        uint64_t taken = p->kernel[gets].needs[r];

        for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
            taken += (uint64_t)(p->sm[sm].held[k] - (k == gives ? n : 0)) * p->kernel[k].needs[r];
        }
        if (taken > p->limit[r]) {
            return false;
        }
    }
    return true;
}

/* The kernel on this SM that gives way; WR_SMK_NONE: none can. */
static uint32_t choose_victim(const wr_smk *p, uint32_t kernel, uint32_t sm)
{
    uint32_t best = WR_SMK_NONE;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        if (k != kernel && p->sm[sm].held[k] != 0 && wr_smk_victims(p, sm, k) != 0 &&
            (best == WR_SMK_NONE || wr_smk_rk(p, k, 0) > wr_smk_rk(p, best, 0))) {
            best = k;
        }
    }
    return best;
}

/* TBs leave an SM for one of this kernel, if that is fairer. */
static bool preempt(wr_smk *p, uint32_t kernel)
{
    uint32_t sm = UINT32_MAX;
    wr_smk_share most = 0;

    for (uint32_t i = 0; i < p->sm_count; i++) {
        if (p->sm[i].claim != WR_SMK_NONE || p->sm[i].sent != WR_SMK_NONE ||
            !may_be(p, kernel, i) || choose_victim(p, kernel, i) == WR_SMK_NONE) {
            continue;
        }
        wr_smk_share rsm = wr_smk_rsm(p, i, 1u << kernel);

        if (rsm > most) {
            most = rsm;
            sm = i;
        }
    }
    if (sm == UINT32_MAX) {
        return false;
    }
    uint32_t victim = choose_victim(p, kernel, sm);
    uint64_t slots = wr_smk_victims(p, sm, victim);
    uint32_t can = (uint32_t)__builtin_popcountll(slots);
    uint32_t n = 1;
    uint64_t out = 0;

    while (n <= can && !fits_without(p, sm, kernel, victim, n)) {
        n++;
    }
    if (n > can || range(p, kernel, victim, n) >= range(p, kernel, victim, 0)) {
        return false;
    }
    for (; n != 0; n--) {
        uint64_t slot = UINT64_C(1) << wr_smk_youngest(p, sm, slots);

        out |= slot;
        slots &= ~slot;
    }
    wr_smk_out(p, sm, out);
    p->sm[sm].claim = kernel;
    p->kernel[kernel].claims++;
    wr_smk_hold(p, kernel, sm, 1);
    p->counts.claims++;
    return true;
}

/* The claim of an SM has its TB, or nobody to give it to. */
static void end_claim(wr_smk *p, uint32_t sm)
{
    uint32_t kernel = p->sm[sm].claim;

    p->sm[sm].claim = WR_SMK_NONE;
    p->kernel[kernel].claims--;
    wr_smk_hold(p, kernel, sm, -1);
}

static void settle_claims(wr_smk *p, uint64_t now)
{
    for (uint32_t i = 0; i < p->sm_count; i++) {
        uint32_t kernel = p->sm[i].claim;

        if (kernel == WR_SMK_NONE) {
            continue;
        }
        uint32_t stream = p->kernel[kernel].stream;

        bool is_vain =
            !p->kernel[kernel].in_flight || (wr_smk_allowed(p, i) >> kernel & 1u) == 0 ||
            wr_tb_queue_waiting(&p->queue, stream) + wr_gpu_tbs_waiting(p->gpu, stream) == 0;

        if (is_vain || (wr_smk_takes(p, kernel, i, now) && wr_smk_dispatch(p, kernel, i, NULL))) {
            end_claim(p, i);
        }
    }
}

/* One decision for the kernel; false: nothing can be done for it now. */
static bool serve(wr_smk *p, uint32_t kernel, uint64_t now)
{
    uint32_t sm = UINT32_MAX;
    wr_smk_share least = UINT64_MAX;

    for (uint32_t i = 0; i < p->sm_count; i++) {
        if (p->sm[i].claim != WR_SMK_NONE || !may_be(p, kernel, i)) {
            continue;
        }
        wr_smk_share rsm = wr_smk_rsm(p, i, 0);

        if (rsm < least) {
            least = rsm;
            sm = i;
        }
    }
    if (sm != UINT32_MAX && p->sm[sm].given == now + 1) {
        p->look = true; /* its next TB is the next cycle's */
        return false;
    }
    if (sm != UINT32_MAX && wr_smk_takes(p, kernel, sm, now)) {
        return wr_smk_dispatch(p, kernel, sm, NULL);
    }
    return preempt(p, kernel);
}

/* An SM that a kernel now has to itself is left by the others. */
static void clear_profiled(wr_smk *p)
{
    for (uint32_t i = 0; i < p->sm_count; i++) {
        uint32_t others = wr_smk_present(p, i) & ~wr_smk_allowed(p, i);

        for (uint32_t k = 0; others != 0 && k < WR_SMK_KERNELS; k++) {
            if ((others >> k & 1u) != 0) {
                wr_smk_out(p, i, wr_smk_victims(p, i, k));
                p->look = true; /* those that could not leave yet */
            }
        }
    }
}

static bool on_demand(wr_smk *p, uint64_t now)
{
    uint32_t order[WR_SMK_KERNELS];
    uint32_t count = wr_smk_order(p, order);

    for (uint32_t i = 0; i < count; i++) {
        if (serve(p, order[i], now)) {
            return true;
        }
    }
    return false;
}

void wr_smk_drive(wr_smk *p, uint64_t now)
{
    p->look = false;
    clear_profiled(p);
    settle_claims(p, now);
    while (p->scheme == WR_SMK_PARTITION ? wr_smk_partition_drive(p, now) : on_demand(p, now)) {
    }
    p->turn_at = p->scheme == WR_SMK_PARTITION ? wr_smk_partition_turn(p, now) : UINT64_MAX;
}
