/* SPDX-License-Identifier: Apache-2.0 */
/* issue_rate_controller: a sub-queue is two registers and a list in the memory, whose slots are
 * each in one list, of a sub-queue or of the idle ones. The quota of a decision is what the two
 * dividers come to from where they are. */
// cases: u_noc.left_q
#include "refmodel/sharing/issue_rate_controller.h"
#include "formal/rel/divider.h"
#include "formal/rel/relate.h"
#include "refmodel/minmax.h"

enum { QUOTIENT = 12, NUMERATOR = 23 };

static uint32_t divided(uint64_t rest, uint64_t divisor, uint64_t found, uint32_t left)
{
    return wr_divided(rest, divisor, found, left, NUMERATOR, QUOTIENT);
}

/* A share in percent, of which a percent is unit, by 100 times what a request takes: the steps of a
 * divider give the quotient that the model asks for. The RTL limits the share in its own way. */
static bool divides(uint64_t unit, const uint64_t *x)
{
    const uint32_t share = x[0] & 127u, per = x[1] & 255u;
    const uint64_t most = share > 100 ? 100 : share, divisor = 100u * per;
    const uint32_t dividend = (uint32_t)unit * (uint32_t)wr_min(share, 100);
    const uint64_t quota = divisor == 0 ? 4095 : wr_min(dividend / (100u * per), 4095);
    return divided(unit * most, divisor << (QUOTIENT - 1), 0, QUOTIENT) == quota;
}

static bool noc_divides(const wr_issue_rate_controller *s, const uint64_t *x)
{
    return divides(256 * s->cfg.noc_flits, x);
}

static bool dram_divides(const wr_issue_rate_controller *s, const uint64_t *x)
{
    return divides(16 * s->cfg.dram_bytes, x);
}

static void decision(wr_issue_rate_controller *s, wr_when when)
{
    const uint32_t left = (uint32_t)RTL("u_noc.left_q", 0, 0, 0, 4);
    const bool busy = RTL("busy_q", 0, 0, 0, 1) != 0;
    const uint32_t noc = divided(RTL("u_noc.rem_q", 0, 0, 0, 0), RTL("u_noc.den_q", 0, 0, 0, 0),
                                 RTL("u_noc.quot_q", 0, 0, 0, 0), left);
    const uint32_t dram = divided(RTL("u_dram.rem_q", 0, 0, 0, 0), RTL("u_dram.den_q", 0, 0, 0, 0),
                                  RTL("u_dram.quot_q", 0, 0, 0, 0), left);
    const uint32_t least = noc < dram ? noc : dram;

    HOLDS(left <= QUOTIENT);
    HOLDS(left == RTL("u_dram.left_q", 0, 0, 0, 4));
    HOLDS(busy || left == 0);
    HOLDS(!busy || s->new_kernel_q < s->cfg.kernels);
    LEMMA_OF_BITS(noc_divides, s, wr_in("cfg_nbw_i", 0, 7), wr_in("cfg_n16_i", 0, 8));
    LEMMA_OF_BITS(dram_divides, s, wr_in("cfg_dbw_i", 0, 7), wr_in("cfg_dreq_i", 0, 8));
    LINK_VALUE(true, s->busy_q, 0, busy ? left + 1 : 0);
    LINK_VALUE(busy, s->new_quota_q, 0, least < 16 ? 16 : least);
}

static wr_issue_rate_request request(uint64_t data)
{
    return (wr_issue_rate_request){
        .kernel = data >> 9 & 3, .tag = data & 255, .store = (data >> 8 & 1) != 0};
}

/* An entry of the model's sub-queue, where it holds one. */
static void entry(wr_issue_rate_controller *s, uint32_t k, uint32_t i, uint64_t data, wr_when when)
{
    const bool live = i < s->held_q[k];
    const wr_issue_rate_request its = request(data);
    LINK_VALUE(live, s->queue_q[k][i].kernel, i, its.kernel);
    LINK_VALUE(live, s->queue_q[k][i].tag, i, its.tag);
    LINK_VALUE(live, s->queue_q[k][i].store, i, its.store);
    HOLDS(!live || its.kernel < s->cfg.kernels);
}

/* Slots of the memory that were met in a list. */
typedef struct memory {
    uint32_t slots;
    uint64_t data[WR_ISSUE_RATE_DEPTH_MAX];
    uint32_t next[WR_ISSUE_RATE_DEPTH_MAX];
    bool met[WR_ISSUE_RATE_DEPTH_MAX];
} memory;

/* Meets a slot, where live, and gives the one behind it. */
static uint32_t meet(memory *m, bool live, uint32_t slot, uint32_t fresh, uint64_t *data,
                     wr_when when)
{
    uint32_t next = 0;
    bool again = false;
    *data = 0;
    for (uint32_t i = 0; i < m->slots; i++) {
        const bool here = slot == i;
        *data = here ? m->data[i] : *data;
        next = here ? m->next[i] : next;
        again = again || (here && m->met[i]);
        m->met[i] = m->met[i] || (here && live);
    }
    HOLDS(!live || (slot < fresh && !again));
    return next;
}

static void lists(wr_issue_rate_controller *s, wr_when when)
{
    const uint32_t fresh = (uint32_t)RTL("u_queues.fresh_q", 0, 0, 0, 0);
    uint32_t bits = 0, used = 0, refills = 0;
    uint64_t data = 0;
    memory m = {.slots = s->cfg.depth - 1};

    while (1u << bits < m.slots) {
        bits++;
    }
    for (uint32_t i = 0; i < m.slots; i++) {
        m.data[i] = RTL("u_queues.data_q[%]", i, 0, 0, 0);
        m.next[i] = (uint32_t)RTL("u_queues.next_q[%]", i, 0, 0, 0);
    }
    for (uint32_t k = 0; k < s->cfg.kernels; k++) {
        const uint32_t held = s->held_q[k];
        const bool refill = RTL("u_queues.refill_q", 0, 0, k, 1) != 0;
        const uint32_t before = refill ? 1 : 2, own = held < before ? 0 : held - before;
        const uint64_t second = RTL("u_queues.gen_queue[%].gen_on.second_q", k, 0, 0, 0);
        uint32_t slot = (uint32_t)RTL("u_queues.head_q", 0, 0, k * bits, bits);
        uint32_t last = slot;
        HOLDS(!refill || held >= 2);
        HOLDS((RTL("u_queues.some_q", 0, 0, k, 1) != 0) == (held != 0));
        entry(s, k, 0, RTL("u_queues.gen_queue[%].gen_on.first_q", k, 0, 0, 0), when);
        for (uint32_t i = 1; i < s->cfg.depth; i++) {
            const bool live = i >= before && i < held;
            last = live ? slot : last;
            const uint32_t behind = meet(&m, live, slot, fresh, &data, when);
            entry(s, k, i, i < before ? second : data, when);
            slot = i < before ? slot : behind;
        }
        HOLDS(own == 0 || last == RTL("u_queues.tail_q", 0, 0, k * bits, bits));
        used += own;
        refills += refill ? 1 : 0;
    }
    HOLDS(refills <= 1);
    HOLDS(fresh <= m.slots);
    HOLDS(used <= fresh);
    uint32_t slot = (uint32_t)RTL("u_queues.idle_q", 0, 0, 0, 0);
    for (uint32_t i = 0; i < m.slots; i++) {
        slot = meet(&m, i < fresh - used, slot, fresh, &data, when);
    }
}

void relate(wr_issue_rate_controller *s, wr_when when)
{
    uint32_t total = 0, reserved = 0;

    decision(s, when);
    HOLDS(s->window_q < s->cfg.window);
    HOLDS(s->last_q < s->cfg.kernels);
    HOLDS(s->ls_q >> s->cfg.kernels == 0);
    for (uint32_t k = 0; k < WR_ISSUE_RATE_KERNELS_MAX; k++) {
        const bool there = k < s->cfg.kernels;
        const uint32_t held = s->held_q[k];
        HOLDS(there || (held == 0 && s->quota_q[k] == 0 && s->credit_q[k] == 0));
        HOLDS(there || (s->loads_q[k] == 0 && s->stores_q[k] == 0 && s->acc_q[k] == 0));
        HOLDS(there || RTL("u_queues.refill_q", 0, 0, k, 1) == 0);
        HOLDS(there || RTL("u_queues.some_q", 0, 0, k, 1) == 0);
        HOLDS((RTL("funded_q", 0, 0, k, 1) != 0) == (s->credit_q[k] != 0));
        HOLDS(!s->fifo_q || k == 0 || held == 0);
        HOLDS(held <= s->cfg.depth);
        total += held;
        reserved += !there ? 0 : held < s->cfg.reserve ? s->cfg.reserve : held;
    }
    HOLDS(total == RTL("total_q", 0, 0, 0, 8));
    HOLDS(reserved == RTL("reserved_q", 0, 0, 0, 8));
    HOLDS(total <= s->cfg.depth);
    HOLDS(s->fifo_q || reserved <= s->cfg.depth);
    lists(s, when);
}
