/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the memory system, and what must balance in them; see memsys.h. */
#include "shell/memory/memsys_state.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

wr_memsys_stats wr_memsys_totals(const wr_memsys *ms, uint64_t now)
{
    wr_memsys_stats s = {.requests = ms->requests,
                         .replies = ms->replies,
                         .request_flits = ms->request_flits,
                         .reply_flits = ms->reply_flits,
                         .request_bytes = ms->request_bytes,
                         .reply_bytes = ms->reply_bytes};
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        const wr_l2_stats *b = wr_l2_totals(ms->banks[i]);
        s.l2_accesses += b->accesses;
        s.l2_hits += b->hits;
        s.l2_misses += b->misses;
        s.l2_merges += b->merges;
        s.l2_write_backs += b->write_backs;
        s.l2_stalls += b->stalls;
        s.l2_occupancy += wr_l2_occupancy(ms->banks[i], clocks_by(&ms->l2, now - 1));
        wr_histogram_join(&s.l2_miss_latency, &b->miss_latency);
    }
    for (uint32_t i = 0; i < ms->cfg.dram.channels; i++) {
        wr_gddr5_stats d = wr_gddr5_totals(&ms->channels[i].dram, clocks_by(&ms->dram, now - 1));
        s.dram_reads += d.reads;
        s.dram_writes += d.writes;
        s.dram_read_bytes += d.read_bursts * ms->cfg.dram.burst_bytes;
        s.dram_write_bytes += d.write_bursts * ms->cfg.dram.burst_bytes;
        s.dram_activates += d.activates;
        s.dram_precharges += d.precharges;
        s.dram_refreshes += d.refreshes;
        s.dram_row_hits += d.row_hits;
        s.dram_occupancy += d.occupancy;
        wr_histogram_join(&s.dram_queue_latency, &d.queue_latency);
    }
    return s;
}

/* Clocks of the head that still waits. */
static uint64_t waits(uint64_t since, uint64_t now)
{
    return since < now ? now - since : 0;
}

wr_stream_traffic wr_memsys_traffic(const wr_memsys *ms, uint32_t bank, uint32_t stream,
                                    uint64_t now)
{
    const wr_l2_bank *b = ms->banks[bank];
    const wr_l2_stream_stats *s = wr_l2_stream_totals(b, stream);
    const wr_l2_fetch *fetch = wr_l2_fetch_head(b);
    uint64_t l2_now = clocks_by(&ms->l2, now - 1);
    uint64_t noc_now = clocks_by(&ms->noc, now - 1);
    uint64_t at;
    const wr_packet *reply = wr_l2_reply_head(b, l2_now, &at);
    wr_stream_traffic t = {.accesses = s->accesses,
                           .hits = s->hits,
                           .misses = s->misses,
                           .write_backs = s->write_backs,
                           .fetch_refusals = ms->fetches[bank].clocks[stream],
                           .reply_refusals = ms->sends[bank].clocks[stream]};
    if (fetch != NULL && fetch->stream == stream) {
        t.fetch_refusals += waits(ms->fetches[bank].since, l2_now);
    }
    if (reply != NULL && reply->stream == stream) {
        t.reply_refusals += waits(reply_ready(ms, bank, at), noc_now);
    }
    return t;
}

wr_l2_stats wr_memsys_bank(const wr_memsys *ms, uint32_t bank, uint64_t now)
{
    wr_l2_stats s = *wr_l2_totals(ms->banks[bank]);
    s.occupancy = wr_l2_occupancy(ms->banks[bank], clocks_by(&ms->l2, now - 1));
    return s;
}

wr_gddr5_stats wr_memsys_channel(const wr_memsys *ms, uint32_t number, uint64_t now)
{
    return wr_gddr5_totals(&ms->channels[number].dram, clocks_by(&ms->dram, now - 1));
}

uint64_t wr_memsys_clocks(const wr_memsys *ms, wr_clock which, uint64_t now)
{
    const domain *d = which == WR_CLOCK_NOC ? &ms->noc : which == WR_CLOCK_L2 ? &ms->l2 : &ms->dram;
    return clocks_by(d, now - 1);
}

const wr_l2_bank *wr_memsys_l2(const wr_memsys *ms, uint32_t bank)
{
    return ms->banks[bank];
}

const wr_gddr5 *wr_memsys_dram(const wr_memsys *ms, uint32_t number)
{
    return &ms->channels[number].dram;
}

uint64_t wr_memsys_port_flits(const wr_memsys *ms, bool is_reply, uint32_t output)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ms->networks; i++) {
        sum += wr_network_output_flits(is_reply ? &ms->reply[i] : &ms->request[i], output);
    }
    return sum;
}

uint64_t wr_memsys_sent_flits(const wr_memsys *ms, bool is_reply, uint32_t input)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ms->networks; i++) {
        sum += wr_network_input_flits(is_reply ? &ms->reply[i] : &ms->request[i], input);
    }
    return sum;
}

typedef struct account {
    const char *what; /* comes in, must have gone out */
    uint64_t in, out;
} account;

/* False: the first account that does not balance is told. `who` may be "". */
static bool balance(const char *who, uint32_t number, const account *accounts, size_t count,
                    char *message, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        if (accounts[i].in != accounts[i].out) {
            (void)snprintf(message, size, "%s %u: %s: %" PRIu64 " in, %" PRIu64 " out", who, number,
                           accounts[i].what, accounts[i].in, accounts[i].out);
            return false;
        }
    }
    return true;
}

static bool banks_conserved(const wr_memsys *ms, char *message, size_t size)
{
    uint64_t request_bytes = 0;
    uint64_t reply_bytes = 0;
    uint64_t accesses = 0;
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        const wr_l2_stats *b = wr_l2_totals(ms->banks[i]);
        wr_l2_stream_stats s = {0};
        for (uint32_t k = 0; k < WR_PACKET_STREAMS; k++) {
            s.accesses += wr_l2_stream_totals(ms->banks[i], k)->accesses;
            s.misses += wr_l2_stream_totals(ms->banks[i], k)->misses;
            s.write_backs += wr_l2_stream_totals(ms->banks[i], k)->write_backs;
        }
        const account accounts[] = {
            {"requests by stream", b->accesses, s.accesses},
            {"misses by stream", b->misses, s.misses},
            {"write-backs by stream", b->write_backs, s.write_backs},
            {"requests by result", b->accesses, b->hits + b->misses + b->merges},
            {"requests by kind", b->accesses, b->reads + b->writes + b->atomics},
            {"MSHRs in use", wr_l2_mshrs_in_use(ms->banks[i]), 0},
            {"replies that wait", ms->fronts[i].reply_at != WR_NEVER, 0},
        };
        if (!balance("L2 bank", i, accounts, sizeof accounts / sizeof accounts[0], message, size)) {
            return false;
        }
        request_bytes += b->request_bytes;
        reply_bytes += b->reply_bytes;
        accesses += b->accesses;
    }
    const account accounts[] = {
        {"requests to L2 and banks", ms->requests, accesses},
        {"replies of banks and to SMs", accesses, ms->replies},
        {"bytes to L2", ms->request_bytes, request_bytes},
        {"bytes from L2", reply_bytes, ms->reply_bytes},
    };
    return balance("L2, all banks of", ms->cfg.l2.banks, accounts,
                   sizeof accounts / sizeof accounts[0], message, size);
}

static wr_network_stats totals(const wr_memsys *ms, const wr_network *networks)
{
    wr_network_stats sum = wr_network_totals(&networks[0]);
    if (ms->networks == 2) {
        wr_network_stats cpu = wr_network_totals(&networks[1]);
        sum.packets_in += cpu.packets_in;
        sum.packets_out += cpu.packets_out;
        sum.flits_in += cpu.flits_in;
        sum.flits_out += cpu.flits_out;
        sum.hops += cpu.hops;
    }
    return sum;
}

static bool networks_conserved(const wr_memsys *ms, char *message, size_t size)
{
    const wr_network_stats n[2] = {totals(ms, ms->request), totals(ms, ms->reply)};
    const uint64_t sent[2] = {ms->request_flits, ms->reply_flits};
    for (uint32_t i = 0; i < 2; i++) {
        const account accounts[] = {
            {"packets", n[i].packets_in, n[i].packets_out},
            {"flits", n[i].flits_in, n[i].flits_out},
            {"flits sent", sent[i], n[i].flits_in},
        };
        if (!balance("network", i, accounts, sizeof accounts / sizeof accounts[0], message, size)) {
            return false;
        }
    }
    return true;
}

/* Write-backs may wait or be under way when the last reply is. */
static bool channels_conserved(const wr_memsys *ms, char *message, size_t size)
{
    const account back = {"reads on their way back", ms->back_count, 0};
    if (!balance("DRAM, all channels of", ms->cfg.dram.channels, &back, 1, message, size)) {
        return false;
    }
    for (uint32_t i = 0; i < ms->cfg.dram.channels; i++) {
        const wr_gddr5 *d = &ms->channels[i].dram;
        uint64_t asked = 0;
        uint64_t waiting = 0;
        uint64_t bursts = 0;
        for (uint32_t b = i * ms->slices; b < (i + 1) * ms->slices; b++) {
            asked += wr_l2_totals(ms->banks[b])->fetches;
            waiting += wr_l2_fetches_waiting(ms->banks[b]);
        }
        for (uint32_t k = 0; k < d->count; k++) {
            bursts += d->queue[k].bursts;
        }
        const account accounts[] = {
            {"requests", asked, d->stats.reads + d->stats.writes + waiting},
            {"requests served", d->stats.reads + d->stats.writes,
             d->stats.queue_latency.count + d->count},
            {"bursts", d->stats.asked_bursts,
             d->stats.read_bursts + d->stats.write_bursts + bursts},
            {"reads that wait", d->count - d->writes + d->done_count, 0},
        };
        if (!balance("DRAM channel", i, accounts, sizeof accounts / sizeof accounts[0], message,
                     size)) {
            return false;
        }
    }
    return true;
}

bool wr_memsys_conserved(const wr_memsys *ms, char *message, size_t size)
{
    assert(wr_memsys_in_flight(ms) == 0);
    return banks_conserved(ms, message, size) && networks_conserved(ms, message, size) &&
           channels_conserved(ms, message, size);
}

uint64_t wr_memsys_held(const wr_memsys *ms)
{
    uint64_t held = ms->back_count;
    for (uint32_t i = 0; i < ms->cfg.l2.banks; i++) {
        held += wr_l2_mshrs_in_use(ms->banks[i]);
        held += wr_l2_fetch_head(ms->banks[i]) != NULL ? 1 : 0;
        held += ms->fronts[i].reply_at != WR_NEVER ? 1 : 0;
    }
    for (uint32_t i = 0; i < ms->cfg.dram.channels; i++) {
        held += ms->channels[i].dram.count;
    }
    return held;
}
