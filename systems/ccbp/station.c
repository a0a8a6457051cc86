/* SPDX-License-Identifier: Apache-2.0 */
/* The miss queue of an SM's L1: the block issue_rate_controller behind the L1's pipeline. Seam:
 * memory.
 *
 * A request is pushed with the cycle in which it may leave; it enters the block in the one before,
 * one request a cycle. So that it finds its sub-queue open, it is let in only where there will be
 * room when all in front of it have entered, by the block's rule for room: of DEPTH entries RESERVE
 * are kept for each kernel. In FIFO mode none are kept, and all wait in one line. So it waits in
 * front of the block for a cycle at most, where its room is that of a request that leaves in it.
 *
 * The block runs freely. It is clocked when somebody looks: up to the cycle in front of that one,
 * idle stretches in one step. What enters and leaves in a cycle is known by then.
 */
#include "systems/ccbp/state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESERVE = 8 };

static bool is_fifo(const wr_ccbp *p)
{
    return p->queue == WR_CCBP_FIFO;
}

static uint32_t room(void *self, wr_sm *sm, uint32_t stream)
{
    const wr_ccbp_station *s = self;
    const uint32_t k = s->system->kernel_of[stream];
    uint32_t kept = 0;
    (void)sm;
    for (uint32_t j = 0; j < WR_CCBP_MOST && !is_fifo(s->system); j++) {
        kept += j != k && s->held[j] < RESERVE ? RESERVE - s->held[j] : 0;
    }
    return s->free_count > kept ? s->free_count - kept : 0;
}

static void push(void *self, wr_sm *sm, uint64_t at, const wr_packet *packet)
{
    wr_ccbp_station *s = self;
    const uint8_t tag = s->free[--s->free_count];
    const uint32_t k = s->system->kernel_of[packet->stream];
    (void)sm;
    assert(k != WR_CCBP_NONE && s->pipe_count < WR_CCBP_DEPTH);
    s->packet[tag] = *packet;
    s->kernel[tag] = (uint8_t)k;
    s->held[k]++;
    s->pipe[(s->pipe_head + s->pipe_count++) % WR_CCBP_DEPTH] = (wr_ccbp_entry){at - 1, tag};
}

/* Cycle s->cycle of the block. */
static void clock_once(wr_ccbp_station *s, const wr_issue_rate_controller_in *pins)
{
    wr_issue_rate_controller_in in = *pins;

    in.fifo = is_fifo(s->system);
    in.out_ready = s->popped_at == s->cycle;
    if (s->pipe_count != 0 && s->pipe[s->pipe_head].at <= s->cycle) {
        const uint8_t tag = s->pipe[s->pipe_head].tag;

        in.valid = true;
        in.kernel = s->kernel[tag];
        in.store = s->packet[tag].kind == WR_PACKET_WRITE;
        in.tag = tag;
    }
    (void)wr_bay_begin(s->system->bay, s->unit, s->cycle);
    wr_issue_rate_controller_port_eval(&s->port, &in, &s->out);
    if (in.valid && s->out.room[in.kernel]) {
        s->pipe_head = (s->pipe_head + 1) % WR_CCBP_DEPTH;
        s->pipe_count--;
    }
    wr_issue_rate_controller_port_tick(&s->port, &in);
    (void)wr_bay_end(s->system->bay, s->unit);
    s->cycle++;
}

/* Up to the cycle in front of `now`. */
static void settle(wr_ccbp_station *s, uint64_t now)
{
    const wr_issue_rate_controller_in none = {0};
    wr_issue_rate_controller_in idle = {.fifo = is_fifo(s->system)};

    while (s->cycle < now) {
        uint64_t entry = s->pipe_count != 0 ? s->pipe[s->pipe_head].at : now;

        if (entry <= s->cycle || s->popped_at == s->cycle) {
            clock_once(s, &none);
            continue;
        }
        entry = entry < now ? entry : now;
        (void)wr_bay_begin(s->system->bay, s->unit, s->cycle);
        wr_issue_rate_controller_port_skip(&s->port, &idle, entry - s->cycle);
        (void)wr_bay_end(s->system->bay, s->unit);
        s->cycle = entry;
    }
}

/* The outputs in cycle `now`. */
static const wr_issue_rate_controller_out *look(wr_ccbp_station *s, uint64_t now)
{
    const wr_issue_rate_controller_in idle = {.fifo = is_fifo(s->system)};

    settle(s, now);
    wr_issue_rate_controller_port_eval(&s->port, &idle, &s->out);
    return &s->out;
}

static const wr_packet *head(void *self, wr_sm *sm, uint64_t now)
{
    wr_ccbp_station *s = self;
    (void)sm;
    if (s->popped_at == now || !look(s, now)->out_valid) {
        return NULL;
    }
    return &s->packet[s->out.out_tag];
}

static void pop(void *self, wr_sm *sm, uint64_t now)
{
    wr_ccbp_station *s = self;
    const uint8_t tag = look(s, now)->out_tag;
    (void)sm;
    assert(s->out.out_valid && s->cycle == now);
    s->popped_at = now;
    s->held[s->kernel[tag]]--;
    s->sent[s->kernel[tag]]++;
    s->free[s->free_count++] = tag;
}

static uint64_t next(void *self, wr_sm *sm, uint64_t from)
{
    wr_ccbp_station *s = self;
    const wr_issue_rate_controller_in idle = {.fifo = is_fifo(s->system)};
    (void)sm;
    if (look(s, from)->out_valid) {
        return from;
    }
    const uint64_t quiet = wr_issue_rate_controller_port_quiet(&s->port, &idle);
    uint64_t at = quiet < UINT64_MAX - from ? from + quiet + 1 : UINT64_MAX;
    if (s->pipe_count != 0) {
        const uint64_t entry = s->pipe[s->pipe_head].at;
        const uint64_t shown = (entry > from ? entry : from) + 1;
        at = shown < at ? shown : at;
    }
    return at;
}

void wr_ccbp_station_clock(wr_ccbp *p, uint32_t sm, uint64_t now,
                           const wr_issue_rate_controller_in *pins)
{
    wr_ccbp_station *s = &p->station[sm];
    char text[512];

    settle(s, now);
    clock_once(s, pins);
    if (wr_bay_check(p->bay, s->unit, text, sizeof text)) {
        wr_gpu_abort(p->gpu, wr_bay_fail(p->bay, s->unit, text));
    }
}

void wr_ccbp_station_take(wr_ccbp *p, uint32_t sm, uint64_t now, wr_ccbp_sm_counts *counts)
{
    wr_ccbp_station *s = &p->station[sm];
    wr_issue_rate_controller_in in = {.fifo = is_fifo(p), .clear = true};

    settle(s, now);
    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        in.view = (uint8_t)k;
        wr_issue_rate_controller_port_eval(&s->port, &in, &s->out);
        counts->loads[k] = s->out.loads;
        counts->stores[k] = s->out.stores;
    }
    wr_ccbp_station_clock(p, sm, now, &in);
}

void wr_ccbp_station_attach(wr_ccbp *p)
{
    for (uint32_t i = 0; i < p->sm_count; i++) {
        wr_sm_set_station(wr_gpu_sm(p->gpu, i), &p->station[i].ops);
    }
}

bool wr_ccbp_station_open(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_gpu_config *c = setup->cfg;
    const wr_issue_rate_controller_cfg cfg = {.kernels = WR_CCBP_MOST,
                                              .depth = WR_CCBP_DEPTH,
                                              .reserve = RESERVE,
                                              .window = WR_CCBP_UNIT,
                                              .noc_flits = wr_ccbp_noc_flits(c),
                                              .dram_bytes = wr_ccbp_dram_bytes(c)};

    p->station = calloc(p->sm_count, sizeof *p->station);
    if (!p->station) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < p->sm_count; i++) {
        wr_ccbp_station *s = &p->station[i];
        char name[24];

        s->ops = (wr_miss_station){s, room, push, head, pop, next};
        s->system = p;
        s->popped_at = UINT64_MAX;
        for (uint32_t tag = 0; tag < WR_CCBP_DEPTH; tag++) {
            s->free[s->free_count++] = (uint8_t)(WR_CCBP_DEPTH - 1 - tag);
        }
        s->open = wr_issue_rate_controller_port_open_behind(&s->port, wr_bay_behind(p->bay), &cfg,
                                                            err, err_size);
        if (!s->open) {
            return false;
        }
        wr_issue_rate_controller_port_reset(&s->port);
        (void)snprintf(name, sizeof name, "sm%u", i);
        s->unit = wr_bay_add_unit(p->bay, name, WR_BAY_FREE);
        wr_bay_add_port(p->bay, s->unit, &s->port.port, &s->out);
    }
    return true;
}

void wr_ccbp_station_close(wr_ccbp *p)
{
    for (uint32_t i = 0; p->station && i < p->sm_count; i++) {
        if (p->station[i].open) {
            wr_issue_rate_controller_port_close(&p->station[i].port);
        }
    }
    free(p->station);
}
