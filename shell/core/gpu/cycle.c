/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle of the GPU, up to the dispatcher, and when the next one is; see gpu.h.
 *
 * SMs in their cycles touch nothing that they share, so threads may have one each; and the memory
 * system, which has handed over its replies, may move to the next cycle meanwhile. Both happen in
 * the same way with one thread, so the number of threads never shows.
 */
#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

#define BALANCE_ROUNDS 1024  /* between two looks at who waits for whom */
#define MOST_NAPS      8     /* of these rounds, where threads are worth it */
#define LEAST_ALONE    50000 /* cycles before threads are tried again where they are not */
#define MOST_ALONE     3200000

uint64_t wr_cycle_packets(const wr_gpu *gpu)
{
    return wr_memsys_in_flight(gpu->memsys) - wr_cpus_in_flight(gpu->cpus);
}

/* Injection ports send; returns the SMs whose head has left. */
static uint64_t inject(wr_gpu *gpu)
{
    uint64_t now = gpu->cycle;
    uint64_t gone = 0;
    for (uint64_t left = gpu->sending; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint64_t bit = left & -left;
        const wr_injection_slot *slot = &gpu->injection[i];
        if ((gpu->choosing & bit) != 0) {
            wr_injection_cycle(&gpu->sms[i], now);
            gpu->touched |= bit;
            gpu->sending = gpu->sm_status[i].sends ? gpu->sending : gpu->sending & ~bit;
            gpu->choosing = gpu->sm_status[i].chooses ? gpu->choosing : gpu->choosing & ~bit;
        } else if (slot->at <= now && wr_memsys_inject(gpu->memsys, now, &slot->packet)) {
            gone |= bit;
        }
    }
    return gone;
}

/* Moves the memory system to a cycle. */
static void tick_memory(wr_gpu *gpu, uint64_t now)
{
    if (gpu->no_skip) {
        wr_memsys_wake(gpu->memsys);
    }
    wr_memsys_tick(gpu->memsys, now);
    if (gpu->cpus != NULL) {
        wr_cpus_tick(gpu->cpus, now);
    }
    gpu->memory_at = now;
}

/* Replies go to their SMs. */
static uint64_t deliver(wr_gpu *gpu)
{
    uint64_t now = gpu->cycle;
    uint64_t got = 0;
    for (uint64_t left = wr_memsys_replies(gpu->memsys, now); left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        wr_inbox *box = &gpu->inboxes[i];
        box->count += wr_memsys_collect(gpu->memsys, now, i, &box->packets[box->count],
                                        WR_INBOX - box->count);
        got |= box->count != 0 ? left & -left : 0;
    }
    return got;
}

/* Words of an order and of a report; masks are over SMs. */
enum { ORDER_CYCLE, ORDER_GONE, ORDER_GOT, ORDER_TOUCHED, ORDER_HOW };
enum { REPORT_PARKED, REPORT_FAULTED, REPORT_SENDS, REPORT_CHOOSES, REPORT_WAKE_AT };
/* Bits of ORDER_HOW. */
enum {
    HOW_ALL = 1,   /* every SM, due or not */
    HOW_ENDS = 2,  /* SMs that are parked end their cycles */
    HOW_AHEAD = 4, /* the memory system moves to the next cycle */
};

/* Looks at these SMs anew. */
static void note(const wr_gpu *gpu, wr_part *p, uint64_t sms)
{
    p->awake &= ~sms;
    p->parked &= ~sms;
    p->faulted &= ~sms;
    p->sends &= ~sms;
    p->chooses &= ~sms;
    for (uint64_t left = sms; left != 0; left &= left - 1) {
        const wr_sm_status *f = &gpu->sm_status[__builtin_ctzll(left)];
        uint64_t bit = left & -left;
        p->awake |= f->wake_at != UINT64_MAX ? bit : 0;
        p->parked |= f->parked ? bit : 0;
        p->faulted |= f->faulted ? bit : 0;
        p->sends |= f->sends ? bit : 0;
        p->chooses |= f->chooses ? bit : 0;
    }
}

static void tell(const wr_gpu *gpu, const wr_part *p, uint64_t report[WR_TEAM_WORDS])
{
    uint64_t wake_at = UINT64_MAX;
    for (uint64_t left = p->awake; left != 0; left &= left - 1) {
        uint64_t at = gpu->sm_status[__builtin_ctzll(left)].wake_at;
        wake_at = at < wake_at ? at : wake_at;
    }
    report[REPORT_PARKED] = p->parked;
    report[REPORT_FAULTED] = p->faulted;
    report[REPORT_SENDS] = p->sends;
    report[REPORT_CHOOSES] = p->chooses;
    report[REPORT_WAKE_AT] = wake_at;
}

/* The cycles of those of a thread's SMs that are due; returns them. */
static uint64_t run_due(wr_gpu *gpu, const wr_part *p, uint64_t home,
                        const uint64_t order[WR_TEAM_WORDS])
{
    uint64_t now = order[ORDER_CYCLE];
    uint64_t gone = order[ORDER_GONE];
    uint64_t got = order[ORDER_GOT];
    uint64_t called = got | ((order[ORDER_HOW] & HOW_ALL) != 0 ? UINT64_MAX : 0);
    uint64_t ran = 0;
    for (uint64_t left = home & (called | gone | p->awake); left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint64_t bit = left & -left;
        if ((gone & bit) != 0) {
            wr_injection_sent(&gpu->sms[i], now);
        }
        if ((called & bit) != 0 || gpu->sm_status[i].wake_at <= now) {
            wr_sm_cycle(&gpu->sms[i], now, (got & bit) != 0);
            ran |= bit;
        } else if ((gone & bit) != 0) {
            wr_injection_offer(&gpu->sms[i]);
            ran |= bit;
        }
    }
    return ran;
}

/* A thread's part of a cycle. */
static void take_part(void *arg, uint32_t thread, const uint64_t order[WR_TEAM_WORDS],
                      uint64_t report[WR_TEAM_WORDS])
{
    wr_gpu *gpu = arg;
    wr_part *p = &gpu->balance.parts[thread];
    uint64_t home = gpu->balance.home[thread];
    uint64_t how = order[ORDER_HOW];
    note(gpu, p, order[ORDER_TOUCHED] & home);
    uint64_t ran = p->parked;
    if ((how & HOW_ENDS) == 0) {
        ran = run_due(gpu, p, home, order);
    } else {
        for (uint64_t left = ran; left != 0; left &= left - 1) {
            wr_sm_end_cycle(&gpu->sms[__builtin_ctzll(left)]);
        }
    }
    note(gpu, p, ran);
    tell(gpu, p, report);
    if (thread == 0 && (how & HOW_AHEAD) != 0) {
        tick_memory(gpu, order[ORDER_CYCLE] + 1);
    }
}

/* The memory system may move to the next cycle while SMs are in this one: it has given them what
 * it has, and takes nothing from them before. Not where somebody looks at it in between. */
static bool memory_may_go_ahead(const wr_gpu *gpu)
{
    const wr_system_hooks *h = &gpu->hooks;
    uint64_t soon = gpu->cycle + 1;
    if (h->reads_memory && h->next_cycle(h->self, gpu->cycle - 1) <= gpu->cycle) {
        return false;
    }
    return wr_memsys_next(gpu->memsys) <= soon && gpu->cpus == NULL && gpu->watchers == NULL &&
           gpu->sample_at > soon && !gpu->no_skip;
}

/* The lowest n SMs. */
static uint64_t lowest(uint32_t n)
{
    return n != 0 ? UINT64_MAX >> (64 - n) : 0;
}

/* Parts the SMs among the threads: `own` of them to thread 0, the others evenly. */
static void part_sms(wr_gpu *gpu, uint32_t own)
{
    wr_load_balance *c = &gpu->balance;
    uint32_t sms = gpu->cfg.sms;
    uint32_t others = c->team != NULL ? wr_team_size(c->team) - 1 : 0;
    uint32_t from = own;
    c->own = own;
    c->home[0] = lowest(own);
    for (uint32_t i = 1; i <= others; i++) {
        uint32_t to = own + (sms - own) * i / others;
        c->home[i] = lowest(to) & ~lowest(from);
        from = to;
    }
    memset(c->parts, 0, sizeof c->parts);
    gpu->touched = lowest(sms);
}

/* Where processors are taken by others, a round takes as long as they please: thread 0 does
 * without threads for a while, and for twice as long when they are no better then. */
static void go_alone(wr_gpu *gpu)
{
    wr_load_balance *c = &gpu->balance;
    c->patience = c->patience == 0 ? LEAST_ALONE : c->patience * 2;
    c->patience = c->patience < MOST_ALONE ? c->patience : MOST_ALONE;
    c->alone = c->patience;
    part_sms(gpu, gpu->cfg.sms);
}

/* Gives thread 0 an SM less or more where it is mostly the last, or the first. */
static void balance(wr_gpu *gpu, bool late)
{
    wr_load_balance *c = &gpu->balance;
    uint32_t others = wr_team_size(c->team) - 1;
    bool hindered = wr_team_naps(c->team) - c->naps > MOST_NAPS && !c->stubborn;
    c->late += late ? 1 : 0;
    if (++c->rounds < BALANCE_ROUNDS && !hindered) {
        return;
    }
    if (hindered) {
        go_alone(gpu);
    } else if (c->late > BALANCE_ROUNDS * 3 / 4 && c->own != 0) {
        part_sms(gpu, c->own - 1);
    } else if (c->late < BALANCE_ROUNDS / 4 && c->own < gpu->cfg.sms - others) {
        part_sms(gpu, c->own + 1);
    }
    c->patience = hindered ? c->patience : 0;
    c->rounds = c->late = 0;
    c->naps = wr_team_naps(c->team);
}

/* One round, without the team where thread 0 has all SMs. */
static void play(wr_gpu *gpu, const uint64_t order[WR_TEAM_WORDS], uint64_t all[WR_TEAM_WORDS])
{
    wr_load_balance *c = &gpu->balance;
    bool ends = (order[ORDER_HOW] & HOW_ENDS) != 0;
    if (c->team == NULL || c->alone != 0) {
        take_part(gpu, 0, order, all);
        return;
    }
    bool late = false;
    if (ends) {
        wr_team_run_in_order(c->team, order);
    } else {
        late = wr_team_run(c->team, order);
    }
    memcpy(all, wr_team_report(c->team, 0), WR_TEAM_WORDS * sizeof all[0]);
    for (uint32_t k = 1; k < wr_team_size(c->team); k++) {
        const uint64_t *r = wr_team_report(c->team, k);
        for (uint32_t w = 0; w < REPORT_WAKE_AT; w++) {
            all[w] |= r[w];
        }
        all[REPORT_WAKE_AT] =
            r[REPORT_WAKE_AT] < all[REPORT_WAKE_AT] ? r[REPORT_WAKE_AT] : all[REPORT_WAKE_AT];
    }
    if (!ends) {
        balance(gpu, late);
    }
}

/* The SMs' cycles: all at once, then those that are parked, in turn. */
static void run_sms(wr_gpu *gpu, uint64_t gone, uint64_t got)
{
    wr_load_balance *c = &gpu->balance;
    uint64_t order[WR_TEAM_WORDS] = {
        [ORDER_CYCLE] = gpu->cycle, [ORDER_GONE] = gone, [ORDER_GOT] = got};
    uint64_t all[WR_TEAM_WORDS];
    order[ORDER_TOUCHED] = gpu->touched;
    gpu->touched = 0;
    order[ORDER_HOW] = (gpu->no_skip ? HOW_ALL : 0) | (memory_may_go_ahead(gpu) ? HOW_AHEAD : 0);
    gpu->parallel = true;
    play(gpu, order, all);
    gpu->parallel = false;
    if (all[REPORT_PARKED] != 0) {
        order[ORDER_HOW] = HOW_ENDS;
        order[ORDER_TOUCHED] = gpu->touched;
        gpu->touched = 0;
        play(gpu, order, all);
    }
    if (c->alone != 0 && --c->alone == 0) {
        part_sms(gpu, gpu->cfg.sms / wr_team_size(c->team));
    }
    for (uint64_t left = all[REPORT_FAULTED]; left != 0; left &= left - 1) {
        const wr_sm *sm = &gpu->sms[__builtin_ctzll(left)];
        wr_gpu_end_by_fault(gpu, sm);
    }
    gpu->sending = all[REPORT_SENDS];
    gpu->choosing = all[REPORT_CHOOSES];
    gpu->wake_at = all[REPORT_WAKE_AT];
    for (uint64_t left = gpu->touched; left != 0; left &= left - 1) { /* by hooks, meanwhile */
        const wr_sm_status *status = &gpu->sm_status[__builtin_ctzll(left)];
        gpu->sending |= status->sends ? left & -left : 0;
        gpu->choosing |= status->chooses ? left & -left : 0;
        gpu->wake_at = status->wake_at < gpu->wake_at ? status->wake_at : gpu->wake_at;
    }
}

void wr_cycle_simulate(wr_gpu *gpu)
{
    uint64_t now = gpu->cycle;
    if (gpu->memory_at != now) {
        tick_memory(gpu, now);
    }
    uint64_t gone = inject(gpu);
    run_sms(gpu, gone, deliver(gpu));
    gpu->elapsed = now + 1;
}

/* Earliest cycle from `from` on in which the SM's port may send. */
static uint64_t send_at(const wr_gpu *gpu, uint32_t i, uint64_t from)
{
    const wr_injection_slot *slot = &gpu->injection[i];
    if ((gpu->choosing >> i & 1) != 0) {
        return wr_injection_next(&gpu->sms[i], from);
    }
    return slot->at > from ? slot->at : wr_memsys_inject_at(gpu->memsys, from, &slot->packet);
}

uint64_t wr_cycle_next(const wr_gpu *gpu, bool placed)
{
    uint64_t soon = gpu->cycle + 1;
    uint64_t next = gpu->wake_at;
    if (placed || gpu->attended != 0) {
        return soon;
    }
    if (next > soon) {
        uint64_t at = wr_memsys_next_reply(gpu->memsys);
        next = at < next ? at : next;
    }
    for (uint64_t left = gpu->sending; left != 0 && next > soon; left &= left - 1) {
        uint64_t at = send_at(gpu, (uint32_t)__builtin_ctzll(left), soon);
        next = at < next ? at : next;
    }
    if (gpu->hooks.next_cycle != NULL && next > soon) {
        uint64_t at = gpu->hooks.next_cycle(gpu->hooks.self, gpu->cycle);
        next = at < next ? at : next;
    }
    const bool cpus = gpu->cpus != NULL && wr_cpus_run(gpu->cpus);
    if (next == UINT64_MAX && wr_cycle_packets(gpu) == 0 && (gpu->in_flight != 0 || !cpus)) {
        return next;
    }
    uint64_t memory = wr_memsys_next(gpu->memsys);
    next = memory < next ? memory : next;
    if (cpus && next > soon) {
        uint64_t at = wr_cpus_next(gpu->cpus, gpu->cycle);
        next = at < next ? at : next;
    }
    return next > soon ? next : soon;
}

bool wr_gpu_set_threads(wr_gpu *gpu, uint32_t threads)
{
    assert(threads <= WR_MAX_THREADS);
    wr_team_free(gpu->balance.team);
    gpu->balance.team = NULL;
    threads = threads < gpu->cfg.sms ? threads : gpu->cfg.sms;
    if (threads > 1) {
        gpu->balance.team = wr_team_create(threads, take_part, gpu);
    }
    bool ok = threads <= 1 || gpu->balance.team != NULL;
    part_sms(gpu, gpu->cfg.sms / (ok && threads > 1 ? threads : 1));
    return ok;
}
