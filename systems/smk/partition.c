/* SPDX-License-Identifier: Apache-2.0 */
/* TBs by partitions of an SM (SMK 5.3.2, Fig. 6, 7): the block drf_partitioner deals an SM out to
 * the kernels that are to share it, and says how many TBs each may have there and where their
 * registers and shared memory lie.
 *
 * Of the kernels with TBs left the one with the lowest rK comes first. Its SM is, of those where it
 * has room in its partition or no partition yet, the one with the lowest rSM. Without a partition
 * one is drawn for all kernels that may be on the SM; TBs that lie out of line of the new one leave
 * (relocation: they come back, to any SM with room). What the block has drawn last serves for every
 * SM that wants the same.
 *
 * Which kernels share an SM:
 * - all in flight, if no more than `most` are, and each gets a TB;
 * - else kernels take turns: one that is not on the SM comes in place of the one there that is on
 *   the most SMs, if it is on two fewer at least; or, if it is on none at all, of the one on the SM
 *   that has been parted so for longest, an epoch at least.
 */
#include "systems/smk/state.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static uint32_t bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

bool wr_smk_partition_open(wr_smk *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_drf_partitioner_cfg cfg = {
        .kernels = WR_SMK_KERNELS,
        .reg_limit = (uint32_t)p->limit[WR_SMK_REGISTERS] / WR_SMK_REGISTER_UNIT,
        .thread_limit = (uint32_t)p->limit[WR_SMK_THREADS],
        .smem_limit = (uint32_t)p->limit[WR_SMK_SHARED] / WR_SMK_SHARED_UNIT,
        .tb_limit = (uint32_t)p->limit[WR_SMK_TBS]};

    p->drf_open = wr_drf_partitioner_port_open_behind(&p->drf, wr_bay_behind(setup->bay), &cfg, err,
                                                      err_size);
    if (!p->drf_open) {
        return false;
    }
    wr_drf_partitioner_port_reset(&p->drf);
    p->drf_unit = wr_bay_add_unit(p->bay, "driver", WR_BAY_FREE);
    wr_bay_add_port(p->bay, p->drf_unit, &p->drf.port, &p->drf_out);
    return true;
}

void wr_smk_partition_close(wr_smk *p)
{
    if (p->drf_open) {
        wr_drf_partitioner_port_close(&p->drf);
    }
}

static uint32_t registers_of(const uint32_t needs[WR_SMK_RESOURCES])
{
    return (needs[WR_SMK_REGISTERS] + WR_SMK_REGISTER_UNIT - 1) / WR_SMK_REGISTER_UNIT;
}

static uint32_t shared_of(const uint32_t needs[WR_SMK_RESOURCES])
{
    return (needs[WR_SMK_SHARED] + WR_SMK_SHARED_UNIT - 1) / WR_SMK_SHARED_UNIT;
}

/* The conversation with the block: a load for each kernel, the start, the wait, a look at each. */
enum { STEP_START = WR_SMK_KERNELS, STEP_WAIT, STEP_READ };

static bool takes_part(const wr_smk *p, uint32_t kernel)
{
    return (p->drawn_for >> kernel & 1u) != 0;
}

static void ask(wr_smk *p)
{
    p->drf_in = (wr_drf_partitioner_in){0};
    if (p->drawn_step < STEP_START && takes_part(p, p->drawn_step)) {
        const uint32_t *needs = p->drawn[p->drawn_step].needs;

        p->drf_in.load = true;
        p->drf_in.kernel = (uint8_t)p->drawn_step;
        p->drf_in.regs = (uint16_t)registers_of(needs);
        p->drf_in.threads = (uint16_t)needs[WR_SMK_THREADS];
        p->drf_in.smem = (uint16_t)shared_of(needs);
    } else if (p->drawn_step == STEP_START) {
        p->drf_in.start = true;
        p->drf_in.mask = (uint8_t)p->drawn_for;
    } else if (p->drawn_step >= STEP_READ) {
        p->drf_in.read = (uint8_t)(p->drawn_step - STEP_READ);
    }
}

/* Kernels that the block has given no TB do not all fit together. */
static void end_drawing(wr_smk *p)
{
    uint32_t served = 0;

    p->drawing = false;
    p->is_drawn = true;
    p->look = true;
    p->counts.partitions++;
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        served |= takes_part(p, k) && p->drawn[k].tbs != 0 ? 1u << k : 0;
    }
    if (served != p->drawn_for && p->fit >= bits(p->drawn_for)) {
        p->fit = bits(p->drawn_for) - 1;
    }
}

static void take_answer(wr_smk *p)
{
    uint32_t k = p->drawn_step - STEP_READ;

    if (p->drawn_step == STEP_WAIT && !p->drf_out.done) {
        return;
    }
    if (p->drawn_step >= STEP_READ) {
        p->drawn[k].tbs = p->drf_out.tbs;
        p->drawn[k].row = p->drf_out.reg_start;
        p->drawn[k].shared = p->drf_out.smem_start;
    }
    p->drawn_step++;
    if (p->drawn_step == STEP_READ + WR_SMK_KERNELS) {
        end_drawing(p);
    }
}

void wr_smk_partition_cycle(wr_smk *p)
{
    char text[512];

    if (!p->drawing) {
        return;
    }
    ask(p);
    (void)wr_bay_begin(p->bay, p->drf_unit, p->drf_cycles++);
    wr_drf_partitioner_port_eval(&p->drf, &p->drf_in, &p->drf_out);
    wr_drf_partitioner_port_tick(&p->drf, &p->drf_in);
    (void)wr_bay_end(p->bay, p->drf_unit);
    if (wr_bay_check(p->bay, p->drf_unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, p->drf_unit, text));
        return;
    }
    take_answer(p);
}

/* What the block is to draw, or has drawn, is for these kernels as they are. */
static bool is_for(const wr_smk *p, uint32_t kernels, uint32_t parted,
                   const wr_smk_range range[WR_SMK_KERNELS])
{
    bool same = kernels == parted;

    for (uint32_t k = 0; same && k < WR_SMK_KERNELS; k++) {
        same = (kernels >> k & 1u) == 0 ||
               memcmp(range[k].needs, p->kernel[k].needs, sizeof range[k].needs) == 0;
    }
    return same;
}

static void draw(wr_smk *p, uint32_t kernels)
{
    p->drawing = true;
    p->is_drawn = false;
    p->drawn_for = kernels;
    p->drawn_step = 0;
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        p->drawn[k] = (wr_smk_range){0};
        memcpy(p->drawn[k].needs, p->kernel[k].needs, sizeof p->drawn[k].needs);
    }
}

/* SMs with a range for the kernel. */
static uint32_t spread(const wr_smk *p, uint32_t kernel)
{
    uint32_t sms = 0;

    for (uint32_t i = 0; i < p->sm_count; i++) {
        sms += p->sm[i].parted >> kernel & 1u;
    }
    return sms;
}

/* The kernels that are to share the SM if this one is to be on it; without it: it is not to be. */
static uint32_t wanted(const wr_smk *p, uint32_t sm, uint32_t kernel, uint64_t now)
{
    const wr_smk_sm *here = &p->sm[sm];
    uint32_t allowed = wr_smk_allowed(p, sm);
    uint32_t most = p->most < p->fit ? p->most : p->fit;
    uint32_t is = here->parted & allowed;
    uint32_t victim = WR_SMK_NONE;
    uint32_t mine = spread(p, kernel);

    if (bits(allowed) <= most) {
        return allowed;
    }
    while (bits(is) > most) { /* more than fit together */
        is &= is - 1;
    }
    if ((allowed >> kernel & 1u) == 0 || (is >> kernel & 1u) != 0) {
        return is;
    }
    if (bits(is) < most) {
        return is | 1u << kernel;
    }
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        bool gives = (is >> k & 1u) != 0 && (spread(p, k) > mine + 1 ||
                                             (mine == 0 && now >= here->parted_at + WR_SMK_EPOCH));

        if (gives && (victim == WR_SMK_NONE || spread(p, k) > spread(p, victim))) {
            victim = k;
        }
    }
    return victim != WR_SMK_NONE ? (is & ~(1u << victim)) | 1u << kernel : is;
}

static bool overlaps(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b + b_size && b < a + a_size;
}

/* Vector registers, or units of shared memory, of whoever lies on the SM, sent TBs included. */
static bool is_free(const wr_smk *p, uint32_t sm, bool shared, uint32_t at, uint32_t size)
{
    const wr_smk_sm *here = &p->sm[sm];
    bool free = true;

    for (uint32_t t = 0; free && t <= WR_CONFIG_MAX_TBS; t++) {
        bool is_sent = t == WR_CONFIG_MAX_TBS;
        uint32_t kernel = is_sent ? here->sent : here->tb[t].kernel;

        if (is_sent ? kernel == WR_SMK_NONE : !here->tb[t].there) {
            continue;
        }
        const wr_tb_where *where = is_sent ? &here->sent_to : &here->tb[t].where;
        const uint32_t *needs = p->kernel[kernel].needs;

        free = !(shared ? overlaps(at, size, where->shared / WR_SMK_SHARED_UNIT, shared_of(needs))
                        : overlaps(at, size, where->row, registers_of(needs)));
    }
    return free;
}

/* The first place in the kernel's ranges; false: none is free. */
static bool find_place(const wr_smk *p, uint32_t sm, uint32_t kernel, wr_tb_where *where)
{
    const wr_smk_range *range = &p->sm[sm].range[kernel];
    uint32_t rows = registers_of(range->needs);
    uint32_t shared = shared_of(range->needs);
    uint32_t i = 0;
    uint32_t j = 0;

    while (i < range->tbs && !is_free(p, sm, false, range->row + i * rows, rows)) {
        i++;
    }
    while (shared != 0 && j < range->tbs &&
           !is_free(p, sm, true, range->shared + j * shared, shared)) {
        j++;
    }
    *where = (wr_tb_where){.row = range->row + i * rows,
                           .shared = (range->shared + j * shared) * WR_SMK_SHARED_UNIT};
    return i < range->tbs && j < range->tbs;
}

static bool in_line(uint32_t at, uint32_t start, uint32_t size, uint32_t count)
{
    return size == 0 || (at >= start && (at - start) % size == 0 && (at - start) / size < count);
}

static bool is_in_line(const wr_smk_sm *here, uint32_t slot)
{
    const wr_smk_tb *tb = &here->tb[slot];
    const wr_smk_range *range = &here->range[tb->kernel];

    return (here->parted >> tb->kernel & 1u) != 0 &&
           in_line(tb->where.row, range->row, registers_of(range->needs), range->tbs) &&
           in_line(tb->where.shared / WR_SMK_SHARED_UNIT, range->shared, shared_of(range->needs),
                   range->tbs);
}

/* TBs that do not fit the SM's partition leave, as they may. */
static void straighten(wr_smk *p, uint32_t sm)
{
    wr_smk_sm *here = &p->sm[sm];
    uint64_t leaving = wr_tb_queue_leaving(&p->queue, sm);
    uint64_t out = 0;

    here->crooked = here->sent != WR_SMK_NONE;
    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        uint64_t may = wr_smk_victims(p, sm, k);
        uint32_t stay = 0;

        for (uint32_t t = 0; t < WR_CONFIG_MAX_TBS; t++) {
            uint64_t bit = UINT64_C(1) << t;

            if (!here->tb[t].there || here->tb[t].kernel != k || (leaving & bit) != 0) {
                continue;
            }
            if (is_in_line(here, t)) {
                stay++;
            } else if ((may & bit) != 0) {
                out |= bit;
                p->counts.moved++;
            } else {
                here->crooked = true;
            }
        }
        uint32_t tbs = (here->parted >> k & 1u) != 0 ? here->range[k].tbs : 0;

        assert(stay <= tbs); /* they lie in different places */
        (void)tbs;
    }
    if (out != 0) {
        wr_smk_out(p, sm, out);
    }
}

static void part(wr_smk *p, uint32_t sm, uint64_t now)
{
    wr_smk_sm *here = &p->sm[sm];

    here->parted = p->drawn_for;
    here->parted_at = now;
    memcpy(here->range, p->drawn, sizeof here->range);
    p->counts.parted++;
    straighten(p, sm);
    wr_smk_quota_changed(p, sm);
}

/* What can be done for the kernel on this SM. */
typedef enum chance { NOTHING, ROOM, TO_PART } chance;

static chance look_at(wr_smk *p, uint32_t kernel, uint32_t sm, uint64_t now, wr_tb_where *where)
{
    const wr_smk_sm *here = &p->sm[sm];
    uint32_t kernels = wanted(p, sm, kernel, now);

    if ((kernels >> kernel & 1u) == 0) {
        return NOTHING;
    }
    if (!is_for(p, kernels, here->parted, here->range)) {
        return TO_PART;
    }
    if (here->held[kernel] >= here->range[kernel].tbs) {
        return NOTHING;
    }
    if (here->given == now + 1) {
        p->look = true; /* its next TB is the next cycle's */
        return NOTHING;
    }
    return wr_smk_takes(p, kernel, sm, now) && find_place(p, sm, kernel, where) ? ROOM : NOTHING;
}

/* One decision for the kernel. */
static bool serve(wr_smk *p, uint32_t kernel, uint64_t now)
{
    uint32_t best = UINT32_MAX;
    chance what = NOTHING;
    wr_smk_share least = UINT64_MAX;
    wr_tb_where where = {0};

    for (uint32_t i = 0; i < p->sm_count; i++) {
        wr_tb_where place = {0};
        wr_smk_share rsm = wr_smk_rsm(p, i, 0);
        chance can = rsm < least ? look_at(p, kernel, i, now, &place) : NOTHING;

        if (can == ROOM || (can == TO_PART && !p->drawing)) {
            best = i;
            what = can;
            least = rsm;
            where = place;
        }
    }
    if (what == ROOM) {
        return wr_smk_dispatch(p, kernel, best, &where);
    }
    if (what == TO_PART) {
        uint32_t kernels = wanted(p, best, kernel, now);

        if (!p->is_drawn || !is_for(p, kernels, p->drawn_for, p->drawn)) {
            draw(p, kernels);
            return true;
        }
        part(p, best, now);
        return true;
    }
    return false;
}

bool wr_smk_partition_drive(wr_smk *p, uint64_t now)
{
    uint32_t order[WR_SMK_KERNELS];
    uint32_t count = wr_smk_order(p, order);

    if (p->fit_for != wr_smk_in_flight(p)) {
        p->fit_for = wr_smk_in_flight(p);
        p->fit = WR_SMK_KERNELS;
    }
    for (uint32_t i = 0; i < p->sm_count; i++) {
        if (p->sm[i].crooked) {
            straighten(p, i);
            p->look = p->look || p->sm[i].crooked;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (serve(p, order[i], now)) {
            return true;
        }
    }
    return false;
}

uint64_t wr_smk_partition_turn(const wr_smk *p, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    bool waits = false;

    for (uint32_t k = 0; k < WR_SMK_KERNELS; k++) {
        waits = waits || (p->kernel[k].in_flight && spread(p, k) == 0);
    }
    for (uint32_t i = 0; waits && i < p->sm_count; i++) {
        uint64_t at = p->sm[i].parted_at + WR_SMK_EPOCH;

        next = at > now && at < next ? at : next;
    }
    return next;
}
