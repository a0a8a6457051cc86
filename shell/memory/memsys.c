/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks and wiring of the memory system; see memsys.h. */
#include "shell/memory/memsys_state.h"

#include <assert.h>
#include <stdlib.h>

static inline void sooner(uint64_t *next, uint64_t at)
{
    *next = at < *next ? at : *next;
}

static wr_gddr5_config channel_config(const wr_gpu_config *cfg)
{
    const wr_dram_config *d = &cfg->dram;
    return (wr_gddr5_config){.t = d->timing,
                             .banks = d->banks,
                             .groups = d->groups,
                             .burst_bytes = d->burst_bytes,
                             .burst_clocks = d->burst_clocks,
                             .queue = d->queue,
                             .write_high = d->write_high,
                             .write_low = d->write_low,
                             .aging = cfg->context.aging_cycles};
}

/* Virtual channels and wires are dealt out alike. */
static bool init_networks(wr_memsys *ms, const wr_gpu_config *cfg)
{
    const uint32_t vcs = cfg->noc.mesh.vcs;
    const uint32_t of_cpu = cfg->noc.mesh.cpu_vcs;
    bool ok = true;
    ms->networks = of_cpu != 0 ? 2 : 1;
    for (uint32_t port = cfg->sms; port < cfg->sms + cfg->cpu.cores; port++) {
        ms->network_of[port] = (uint8_t)(ms->networks - 1);
    }
    for (uint32_t i = 0; ok && i < ms->networks; i++) {
        wr_gpu_config part = *cfg;
        part.noc.mesh.vcs = i == 1 ? of_cpu : vcs - of_cpu;
        uint32_t wide =
            ms->networks == 2 ? cfg->noc.flit_bytes * part.noc.mesh.vcs / vcs : cfg->noc.flit_bytes;
        for (uint32_t bytes = 0; bytes <= WR_PACKET_BYTES; bytes++) {
            uint32_t n = (cfg->noc.header_bytes + bytes + wide - 1) / wide;
            ms->flits[i][bytes] = (uint16_t)(n != 0 ? n : 1);
        }
        ok = wr_network_init(&ms->request[i], &part, WR_NETWORK_REQUEST) &&
             wr_network_init(&ms->reply[i], &part, WR_NETWORK_REPLY);
    }
    return ok;
}

/* The bank's state has changed; or the channel's. */
static inline void look_at_bank(wr_memsys *ms, uint32_t bank)
{
    if (ms->fronts[bank].next != WR_NEVER) {
        wr_calendar_add(&ms->l2_due, ms->fronts[bank].next, UINT64_C(1) << bank);
    }
}

/* The bank's oldest reply is another. */
static inline void look_at_reply(wr_memsys *ms, uint32_t bank)
{
    uint64_t at = ms->fronts[bank].reply_at;
    uint64_t bit = UINT64_C(1) << bank;
    ms->wait_reply &= ~bit;
    if (at != WR_NEVER) {
        ms->wait_reply |= bit;
        wr_calendar_add(&ms->noc_due, noc_behind(ms, at), bit);
    }
}

static inline void look_at_dram(wr_memsys *ms, uint32_t i)
{
    const channel *c = &ms->channels[i];
    uint32_t bit = 1u << i;
    uint64_t at = wr_gddr5_next(&c->dram);
    sooner(&at, wr_gddr5_take_at(&c->dram));
    ms->dram_at[i] = at;
    ms->dram_room =
        wr_gddr5_has_room(&c->dram) ? ms->dram_room | c->banks : ms->dram_room & ~c->banks;
    if (wr_gddr5_idle(&c->dram)) {
        ms->dram_busy &= ~bit;
        sooner(&ms->dram_idle_at, at);
    } else {
        ms->dram_busy |= bit;
    }
    sooner(&ms->dram_next, at);
}

wr_memsys *wr_memsys_create(const wr_gpu_config *cfg)
{
    wr_memsys *ms = calloc(1, sizeof *ms);
    if (ms == NULL) {
        return NULL;
    }
    ms->cfg = *cfg;
    const char *wrong = wr_address_init(&ms->map, cfg);
    assert(wrong == NULL);
    (void)wrong;
    ms->dram_next = ms->dram_idle_at = WR_NEVER;
    ms->noc = (domain){.mhz = cfg->clock.noc_mhz, .core = cfg->clock.core_mhz};
    ms->l2 = (domain){.mhz = cfg->clock.l2_mhz, .core = cfg->clock.core_mhz};
    ms->dram = (domain){.mhz = cfg->clock.dram_mhz, .core = cfg->clock.core_mhz};
    ms->slices = cfg->l2.banks / cfg->dram.channels;
    ms->banks = calloc(cfg->l2.banks, sizeof(wr_l2_bank *));
    ms->fronts = calloc(cfg->l2.banks, sizeof *ms->fronts);
    ms->fetches = calloc(cfg->l2.banks, sizeof *ms->fetches);
    ms->sends = calloc(cfg->l2.banks, sizeof *ms->sends);
    ms->channels = calloc(cfg->dram.channels, sizeof *ms->channels);
    ms->back_limit = cfg->l2.mshrs * cfg->l2.banks;
    ms->back = calloc(ms->back_limit, sizeof *ms->back);
    bool ok = init_networks(ms, cfg) && ms->banks != NULL && ms->fronts != NULL &&
              ms->channels != NULL && ms->back != NULL && ms->fetches != NULL && ms->sends != NULL;
    for (uint32_t i = 0; ok && i < cfg->l2.banks; i++) {
        ms->fetches[i].since = WR_NEVER;
        ms->banks[i] = wr_l2_create(cfg, &ms->fronts[i]);
        ok = ms->banks[i] != NULL;
    }
    const wr_gddr5_config dram = channel_config(cfg);
    for (uint32_t i = 0; ok && i < cfg->dram.channels; i++) {
        channel *c = &ms->channels[i];
        wr_gddr5_init(&c->dram, &dram);
        c->banks = (UINT64_MAX >> (64 - ms->slices)) << (i * ms->slices);
        look_at_dram(ms, i);
    }
    ms->next = cycle_of(&ms->dram, ms->dram_next);
    if (!ok) {
        wr_memsys_free(ms);
        return NULL;
    }
    return ms;
}

void wr_memsys_free(wr_memsys *ms)
{
    if (ms == NULL) {
        return;
    }
    for (uint32_t i = 0; ms->banks != NULL && i < ms->cfg.l2.banks; i++) {
        wr_l2_free(ms->banks[i]);
    }
    free(ms->banks);
    free(ms->fronts);
    free(ms->fetches);
    free(ms->sends);
    free(ms->channels);
    free(ms->back);
    for (uint32_t i = 0; i < ms->networks; i++) {
        wr_network_free(&ms->request[i]);
        wr_network_free(&ms->reply[i]);
    }
    free(ms);
}

static uint32_t request_flits(const wr_memsys *ms, uint32_t network, const wr_packet *p)
{
    return ms->flits[network][p->kind == WR_PACKET_READ ? 0 : p->bytes];
}

uint64_t wr_memsys_inject_at(const wr_memsys *ms, uint64_t now, const wr_packet *packet)
{
    uint32_t network = ms->network_of[packet->sm];
    uint64_t at = wr_network_room_at(&ms->request[network], clock_at(&ms->noc, now), packet->sm,
                                     request_flits(ms, network, packet));
    at = cycle_of(&ms->noc, at);
    return at > now ? at : now;
}

bool wr_memsys_inject(wr_memsys *ms, uint64_t now, const wr_packet *packet)
{
    uint32_t network = ms->network_of[packet->sm];
    wr_network *net = &ms->request[network];
    uint32_t n = request_flits(ms, network, packet);
    uint64_t clock = clock_at(&ms->noc, now);
    if (wr_network_room_at(net, clock, packet->sm, n) != clock) {
        return false;
    }
    wr_network_push(net, clock, packet->sm, wr_address_l2_bank(&ms->map, packet->addr), n, packet);
    ms->requests++;
    ms->request_flits += n;
    ms->request_bytes += packet->kind == WR_PACKET_READ ? 0 : packet->bytes;
    sooner(&ms->next, cycle_of(&ms->noc, wr_network_next(net)));
    return true;
}

bool wr_memsys_touch(wr_memsys *ms, uint64_t addr, uint8_t stream, bool written)
{
    wr_l2_bank *bank = ms->banks[wr_address_l2_bank(&ms->map, addr)];
    return wr_l2_touch(bank, wr_address_place(&ms->map, addr).line, addr, stream, written);
}

/* Banks for which a request has arrived. */
static uint64_t arrived(wr_memsys *ms, uint64_t noc_now)
{
    uint64_t banks = wr_network_there(&ms->request[0], noc_now);
    return ms->networks == 2 ? banks | wr_network_there(&ms->request[1], noc_now) : banks;
}

/* The network of a bank's next one. */
static uint32_t arrival_of_two(const wr_memsys *ms, uint32_t bank)
{
    uint64_t gpu = wr_network_take_at(&ms->request[0], bank);
    uint64_t cpu = wr_network_take_at(&ms->request[1], bank);
    return cpu < gpu || (cpu == gpu && (ms->cpu_first >> bank & 1) != 0) ? 1 : 0;
}

/* Data that the channel has read are on their way back. */
static void take_data(wr_memsys *ms, channel *c, uint64_t now, uint64_t l2_now)
{
    while (wr_gddr5_take_at(&c->dram) <= now) {
        uint32_t tag = wr_gddr5_take(&c->dram);
        uint32_t slot = ms->back_head + ms->back_count;
        assert(ms->back_count < ms->back_limit);
        ms->back[slot < ms->back_limit ? slot : slot - ms->back_limit] =
            (fetched){.at = l2_now + ms->cfg.dram.latency,
                      .bank = (uint16_t)(tag >> 16),
                      .mshr = (uint16_t)tag};
        ms->back_count++;
    }
}

/* One clock of DRAM: commands, and data that have come. Of the channels without a request none is
 * looked at before the first of them refreshes. */
static void tick_dram(wr_memsys *ms, uint64_t now, uint64_t l2_now)
{
    if (ms->dram_next > now) {
        return;
    }
    uint32_t left = ms->dram_busy;
    if (ms->dram_idle_at <= now) {
        left = UINT32_MAX >> (32 - ms->cfg.dram.channels);
        ms->dram_idle_at = WR_NEVER;
    }
    ms->dram_next = WR_NEVER;
    for (; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(left);
        channel *c = &ms->channels[i];
        if (ms->dram_at[i] <= now) {
            wr_gddr5_tick(&c->dram, now);
            take_data(ms, c, now, l2_now);
            look_at_dram(ms, i);
        } else {
            bool busy = (ms->dram_busy >> i & 1) != 0;
            sooner(busy ? &ms->dram_next : &ms->dram_idle_at, ms->dram_at[i]);
        }
    }
    sooner(&ms->dram_next, ms->dram_idle_at);
}

/* Data that have passed the controller fill their lines; returns the banks of these. */
static uint64_t deliver(wr_memsys *ms, uint64_t now)
{
    uint64_t banks = 0;
    while (ms->back_count != 0 && ms->back[ms->back_head].at <= now) {
        const fetched *f = &ms->back[ms->back_head];
        wr_l2_fill(ms->banks[f->bank], now, f->mshr);
        banks |= UINT64_C(1) << f->bank;
        ms->back_head = ms->back_head + 1 < ms->back_limit ? ms->back_head + 1 : 0;
        ms->back_count--;
    }
    return banks;
}

/* The bursts of a line that hold these sectors: the first of them, and how many to the last. */
static void bursts_of(const wr_memsys *ms, const wr_l2_fetch *f, wr_gddr5_request *r)
{
    uint32_t size = ms->cfg.dram.burst_bytes;
    uint32_t low = (uint32_t)__builtin_ctz(f->sectors) * WR_SECTOR_BYTES / size;
    uint32_t high = (31U - (uint32_t)__builtin_clz(f->sectors)) * WR_SECTOR_BYTES / size;
    r->column = (uint16_t)(r->column + low);
    r->bursts = (uint8_t)(high - low + 1);
    if (ms->cfg.dram.sector_bursts != 0 && !f->write) {
        r->bursts = (uint8_t)wr_sector_count(f->sectors);
    }
}

/* The bank's oldest fetch goes to its channel's queue, which has room. */
static void ask(wr_memsys *ms, uint32_t bank, uint64_t now, uint64_t dram_now)
{
    const wr_l2_fetch *f = wr_l2_fetch_head(ms->banks[bank]);
    refusals *refused = &ms->fetches[bank];
    wr_place place = wr_address_place(&ms->map, f->addr);
    wr_gddr5_request r = {.row = place.row,
                          .tag = bank << 16 | f->mshr,
                          .column = (uint16_t)place.column,
                          .bank = (uint8_t)place.bank,
                          .write = f->write,
                          .low = f->low};
    bursts_of(ms, f, &r);
    wr_gddr5_push(&ms->channels[bank / ms->slices].dram, dram_now, &r);
    look_at_dram(ms, bank / ms->slices);
    refused->clocks[f->stream] += now - refused->since;
    refused->since = now + 1; /* the first try of the next, simulated or not */
    wr_l2_fetch_pop(ms->banks[bank], now);
    look_at_bank(ms, bank);
    if (!ms->fronts[bank].fetches) {
        refused->since = WR_NEVER;
        ms->wait_fetch &= ~(UINT64_C(1) << bank);
    }
}

/* One request a bank and clock; the banks of a channel take turns where its room is short. */
static void ask_dram(wr_memsys *ms, uint64_t now, uint64_t dram_now)
{
    for (uint64_t left = ms->wait_fetch & ms->dram_room; left != 0;) {
        uint32_t i = (uint32_t)__builtin_ctzll(left) / ms->slices;
        uint32_t first = i * ms->slices;
        channel *c = &ms->channels[i];
        uint32_t turn = c->turn;
        for (uint32_t k = 0; k < ms->slices; k++) {
            uint32_t slice = (turn + k) & (ms->slices - 1);
            uint64_t bit = UINT64_C(1) << (first + slice);
            if ((left & ms->dram_room & bit) != 0) {
                ask(ms, first + slice, now, dram_now);
                c->turn = slice + 1;
            }
            left &= ~bit;
        }
    }
}

/* Of two that have both come, one from each network in turn. */
static void take_of_two(wr_memsys *ms, uint64_t noc_now, uint32_t bank, wr_packet *p)
{
    uint64_t bit = UINT64_C(1) << bank;
    uint32_t turn = (ms->cpu_first & bit) != 0 ? 1 : 0;
    uint32_t network =
        wr_network_take_at(&ms->request[turn], bank) <= noc_now ? turn : arrival_of_two(ms, bank);
    wr_network_take(&ms->request[network], noc_now, bank, p);
    ms->cpu_first = network == 0 ? ms->cpu_first | bit : ms->cpu_first & ~bit;
}

/* One clock of the L2 banks. */
static void tick_l2(wr_memsys *ms, uint64_t now, uint64_t dram_now, uint64_t noc_now)
{
    const uint64_t come = arrived(ms, noc_now);
    const uint64_t due = deliver(ms, now) | wr_calendar_take(&ms->l2_due, now);
    for (uint64_t left = due | come; left != 0; left &= left - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(left);
        uint64_t bit = UINT64_C(1) << i;
        const wr_l2_front *front = &ms->fronts[i];
        if ((come & bit) != 0 && front->has_room) {
            wr_packet p;
            if (ms->networks == 1) {
                wr_network_take(&ms->request[0], noc_now, i, &p);
            } else {
                take_of_two(ms, noc_now, i, &p);
            }
            wr_l2_push(ms->banks[i], now, wr_address_line(&ms->map, p.addr), &p);
        }
        if (front->next <= now) {
            wr_l2_tick(ms->banks[i], now);
            if (front->fetches && (ms->wait_fetch & bit) == 0) {
                ms->wait_fetch |= bit;
                ms->fetches[i].since = now;
            }
            if (front->reply_at != WR_NEVER && (ms->wait_reply & bit) == 0) {
                look_at_reply(ms, i);
            }
        }
        look_at_bank(ms, i);
    }
    ask_dram(ms, now, dram_now);
}

/* The bank's oldest reply enters the reply network, where there is one and there is room. */
static void send_reply(wr_memsys *ms, uint32_t bank, uint64_t now, uint64_t l2_now)
{
    uint64_t at;
    const wr_packet *p = wr_l2_reply_head(ms->banks[bank], l2_now, &at);
    if (p == NULL) {
        look_at_reply(ms, bank);
        return;
    }
    uint32_t network = ms->network_of[p->sm];
    uint32_t n = ms->flits[network][p->kind == WR_PACKET_WRITE ? 0 : p->bytes];
    uint64_t room = wr_network_room_at(&ms->reply[network], now, bank, n);
    if (room == WR_NEVER) {
        ms->no_room |= UINT64_C(1) << bank;
        return;
    }
    if (room != now) {
        wr_calendar_add(&ms->noc_due, room, UINT64_C(1) << bank);
        return;
    }
    wr_network_push(&ms->reply[network], now, bank, p->sm, n, p);
    ms->reply_flits += n;
    ms->sends[bank].clocks[p->stream] += now - reply_ready(ms, bank, at);
    ms->sends[bank].since = now + 1;
    wr_l2_reply_pop(ms->banks[bank], l2_now);
    look_at_bank(ms, bank);
    look_at_reply(ms, bank);
}

/* One clock of the interconnect. */
static void tick_noc(wr_memsys *ms, uint64_t now, uint64_t l2_now)
{
    uint64_t freed = 0;
    for (uint32_t i = 0; i < ms->networks; i++) {
        wr_network_tick(&ms->request[i], now);
        wr_network_tick(&ms->reply[i], now);
        freed |= wr_network_freed(&ms->reply[i]);
    }
    uint64_t due = wr_calendar_take(&ms->noc_due, now) | (ms->no_room & freed);
    ms->no_room &= ~freed;
    for (; due != 0; due &= due - 1) {
        send_reply(ms, (uint32_t)__builtin_ctzll(due), now, l2_now);
    }
}

static uint64_t l2_next(const wr_memsys *ms, uint64_t now)
{
    uint64_t next = wr_calendar_next(&ms->l2_due);
    uint64_t coming = wr_network_coming_at(&ms->request[0]);
    uint64_t there = ms->request[0].front->there;
    if (ms->networks == 2) {
        sooner(&coming, wr_network_coming_at(&ms->request[1]));
        there |= ms->request[1].front->there;
    }
    if ((ms->wait_fetch & ms->dram_room) != 0) {
        return now + 1;
    }
    for (; there != 0; there &= there - 1) {
        if (ms->fronts[__builtin_ctzll(there)].has_room) {
            return now + 1;
        }
    }
    if (ms->back_count != 0) {
        sooner(&next, ms->back[ms->back_head].at);
    }
    next = cycle_of(&ms->l2, next);
    if (coming != WR_NEVER) {
        sooner(&next, cycle_of(&ms->noc, coming) + 1);
    }
    return next;
}

static uint64_t noc_next(const wr_memsys *ms)
{
    uint64_t next = wr_calendar_next(&ms->noc_due);
    for (uint32_t i = 0; i < ms->networks; i++) {
        sooner(&next, wr_network_next(&ms->request[i]));
        sooner(&next, wr_network_next(&ms->reply[i]));
    }
    return cycle_of(&ms->noc, next);
}

/* The next core cycle in which any domain has work: the domains that are quickly asked first, and
 * none that can't be sooner any more. */
static uint64_t next_cycle(const wr_memsys *ms, uint64_t now)
{
    uint64_t next = cycle_of(&ms->dram, ms->dram_next);
    if (next > now + 1) {
        sooner(&next, noc_next(ms));
    }
    if (next > now + 1) {
        sooner(&next, l2_next(ms, now));
    }
    return next > now ? next : now + 1;
}

void wr_memsys_tick(wr_memsys *ms, uint64_t now)
{
    if (now < ms->next) {
        return;
    }
    uint64_t before = now - 1; /* of cycle 0: UINT64_MAX */
    uint64_t l2_now = clock_at(&ms->l2, now);
    uint64_t dram_now = clock_at(&ms->dram, now);
    uint64_t noc_seen = now != 0 ? clock_at(&ms->noc, before) : 0;
    for (uint64_t t = clocks_by(&ms->dram, before); t <= dram_now; t++) {
        tick_dram(ms, t, l2_now);
    }
    for (uint64_t t = clocks_by(&ms->l2, before); t <= l2_now; t++) {
        tick_l2(ms, t, dram_now, noc_seen);
    }
    for (uint64_t t = clocks_by(&ms->noc, before); t <= clock_at(&ms->noc, now); t++) {
        tick_noc(ms, t, l2_now);
    }
    ms->next = next_cycle(ms, now);
}

uint64_t wr_memsys_next(const wr_memsys *ms)
{
    return ms->next;
}

uint32_t wr_memsys_collect(wr_memsys *ms, uint64_t now, uint32_t port, wr_packet *out,
                           uint32_t most)
{
    wr_network *net = &ms->reply[ms->network_of[port]];
    uint64_t clock = clock_at(&ms->noc, now);
    uint32_t n = 0;
    for (; n < most && wr_network_take_at(net, port) <= clock; n++) {
        (void)wr_network_take(net, clock, port, &out[n]);
        ms->replies++;
        ms->reply_bytes += out[n].kind == WR_PACKET_WRITE ? 0 : out[n].bytes;
    }
    sooner(&ms->next, cycle_of(&ms->noc, wr_network_next(net)));
    return n;
}

/* The SMs of a set of ports. */
static uint64_t sms_of(const wr_memsys *ms, uint64_t ports)
{
    return ports & UINT64_MAX >> (64 - ms->cfg.sms);
}

uint64_t wr_memsys_replies(wr_memsys *ms, uint64_t now)
{
    return sms_of(ms, wr_network_there(&ms->reply[0], clock_at(&ms->noc, now)));
}

uint64_t wr_memsys_next_reply(const wr_memsys *ms)
{
    uint64_t next = wr_network_coming_at(&ms->reply[0]);
    for (uint64_t left = sms_of(ms, ms->reply[0].front->there); left != 0; left &= left - 1) {
        sooner(&next, wr_network_take_at(&ms->reply[0], (uint32_t)__builtin_ctzll(left)));
    }
    return cycle_of(&ms->noc, next);
}

uint64_t wr_memsys_reply_at(const wr_memsys *ms, uint32_t sm)
{
    return cycle_of(&ms->noc, wr_network_take_at(&ms->reply[ms->network_of[sm]], sm));
}

uint64_t wr_memsys_in_flight(const wr_memsys *ms)
{
    return ms->requests - ms->replies;
}

void wr_memsys_wake(wr_memsys *ms)
{
    ms->next = 0;
    for (uint32_t i = 0; i < ms->networks; i++) {
        wr_network_wake(&ms->request[i]);
        wr_network_wake(&ms->reply[i]);
    }
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        wr_l2_wake(ms->banks[i]);
        look_at_bank(ms, i);
    }
    ms->dram_next = ms->dram_idle_at = 0;
    for (uint32_t i = 0; i < ms->cfg.dram.channels; i++) {
        ms->channels[i].dram.next = 0;
        ms->dram_at[i] = 0;
    }
}

void wr_memsys_observe(wr_memsys *ms, uint32_t channel_number, wr_gddr5_watch watch, void *arg)
{
    wr_gddr5_observe(&ms->channels[channel_number].dram, watch, arg);
}

void wr_memsys_watch_l2(wr_memsys *ms, wr_l2_watch watch, void *arg)
{
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        wr_l2_observe(ms->banks[i], i, watch, arg);
    }
}
