/* SPDX-License-Identifier: Apache-2.0 */
/* Counters for systems; see meter.h. */
#include "shell/core/seam/meter.h"

#include "shell/core/gpu/state.h"

#include <assert.h>
#include <string.h>

wr_sm_meter wr_meter_sm(wr_sm *sm)
{
    wr_sm_settle(sm, sm->gpu->elapsed);
    wr_sm_meter m = {.cycles = sm->counted,
                     .sum = &sm->stats,
                     .warps = sm->resident,
                     .lsu = sm->lsu_count,
                     .misses = sm->miss_count,
                     .mshrs = sm->cfg->l1.mshrs - sm->l1.free_count};
    memcpy(m.slots, sm->slots, sizeof m.slots);
    return m;
}

uint64_t wr_meter_issued(const wr_sm *sm, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    uint64_t issued = sm->issued_of[stream];
    for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
        const wr_tb *tb = &sm->tbs[__builtin_ctzll(left)];
        issued += tb->program->stream == stream ? tb->issued : 0;
    }
    return issued;
}

uint32_t wr_meter_in_flight(const wr_sm *sm, uint32_t stream)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sm->lsu_count; i++) {
        const wr_lsu_entry *e = wr_lsu_entry_at(sm, i);
        count += e->stream == stream && !e->has_op ? 1 : 0;
    }
    count += sm->ops_of[stream];
    return count;
}

uint64_t wr_meter_l1_insns(const wr_sm *sm, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    return sm->l1_insns[stream];
}

uint32_t wr_meter_blocked(const wr_sm *sm)
{
    uint32_t streams = 0;
    for (uint32_t left = sm->lsu_blocked; left != 0; left &= left - 1) {
        const wr_lsu_queue *q = &sm->lsu[__builtin_ctz(left)];
        streams |= q->count != 0 ? 1u << q->entry[q->head].stream : 0;
    }
    return streams;
}

wr_load_meter wr_meter_loads(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    wr_load_meter m = {0};
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        m.loads += gpu->sms[i].loads_of[stream];
        m.cycles += gpu->sms[i].load_cycles_of[stream];
    }
    return m;
}

wr_stream_meter wr_meter_stream(const wr_gpu *gpu, uint32_t stream)
{
    assert(stream < WR_MAX_STREAMS);
    const wr_grid *g = &gpu->grids[stream];
    wr_stream_meter m = {.issued = g->issued_before,
                         .thread_insns = g->thread_insns_before,
                         .launches = g->launches};
    if (!g->in_flight) {
        return m;
    }
    m.issued += g->result.issued;
    m.thread_insns += g->result.thread_insns;
    m.tbs_placed = g->next_tb;
    m.tbs_done = g->tbs_done;
    m.tbs = g->program.tbs;
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        const wr_sm *sm = &gpu->sms[i];
        for (uint64_t left = sm->tb_valid; left != 0; left &= left - 1) {
            const wr_tb *tb = &sm->tbs[__builtin_ctzll(left)];
            bool of = tb->program->stream == stream;
            m.issued += of ? tb->issued : 0;
            m.thread_insns += of ? tb->thread_insns : 0;
        }
    }
    return m;
}

/* The memory system has counted this cycle and no further. */
static uint64_t memory_to(const wr_gpu *gpu)
{
    assert(gpu->memory_at == UINT64_MAX || gpu->memory_at <= gpu->cycle);
    return gpu->elapsed;
}

uint32_t wr_meter_partitions(const wr_gpu *gpu)
{
    return gpu->cfg.dram.channels;
}

wr_stream_traffic wr_meter_traffic(const wr_gpu *gpu, uint32_t partition, uint32_t stream)
{
    uint32_t slices = gpu->cfg.l2.banks / gpu->cfg.dram.channels;
    wr_stream_traffic sum = {0};
    for (uint32_t i = 0; i < slices; i++) {
        wr_stream_traffic t =
            wr_memsys_traffic(gpu->memsys, partition * slices + i, stream, memory_to(gpu));
        sum.accesses += t.accesses;
        sum.hits += t.hits;
        sum.misses += t.misses;
        sum.write_backs += t.write_backs;
        sum.fetch_refusals += t.fetch_refusals;
        sum.reply_refusals += t.reply_refusals;
    }
    return sum;
}

void wr_meter_watch_l2(wr_gpu *gpu, wr_l2_watch watch, void *arg)
{
    wr_memsys_watch_l2(gpu->memsys, watch, arg);
}

wr_partition_meter wr_meter_partition(const wr_gpu *gpu, uint32_t partition)
{
    uint64_t now = memory_to(gpu);
    uint32_t slices = gpu->cfg.l2.banks / gpu->cfg.dram.channels;
    assert(partition < gpu->cfg.dram.channels);
    const wr_gddr5_stats d = wr_memsys_channel(gpu->memsys, partition, now);
    wr_partition_meter m = {.dram_reads = d.reads,
                            .dram_writes = d.writes,
                            .l2_clocks = wr_memsys_clocks(gpu->memsys, WR_CLOCK_L2, now),
                            .dram_busy =
                                (d.read_bursts + d.write_bursts) * gpu->cfg.dram.burst_clocks,
                            .dram_clocks = wr_memsys_clocks(gpu->memsys, WR_CLOCK_DRAM, now)};
    for (uint32_t i = 0; i < slices; i++) {
        const wr_l2_stats b = wr_memsys_bank(gpu->memsys, partition * slices + i, now);
        m.accesses += b.accesses;
        m.hits += b.hits;
        m.misses += b.misses;
        m.merges += b.merges;
        m.write_backs += b.write_backs;
        m.l2_bytes += b.request_bytes + b.reply_bytes;
        m.reply_flits += wr_memsys_sent_flits(gpu->memsys, true, partition * slices + i);
    }
    for (uint32_t s = 0; s < WR_PACKET_STREAMS; s++) {
        wr_stream_traffic t = wr_meter_traffic(gpu, partition, s);
        m.fetch_refusals += t.fetch_refusals;
        m.reply_refusals += t.reply_refusals;
    }
    return m;
}

wr_network_meter wr_meter_network(const wr_gpu *gpu)
{
    uint64_t now = memory_to(gpu);
    wr_network_meter m = {.clocks = wr_memsys_clocks(gpu->memsys, WR_CLOCK_NOC, now),
                          .request_links = gpu->cfg.l2.banks,
                          .reply_links = gpu->cfg.sms};
    for (uint32_t i = 0; i < gpu->cfg.l2.banks; i++) {
        m.request_flits += wr_memsys_port_flits(gpu->memsys, false, i);
    }
    for (uint32_t i = 0; i < gpu->cfg.sms; i++) {
        m.reply_flits += wr_memsys_port_flits(gpu->memsys, true, i);
    }
    return m;
}

uint64_t wr_meter_request_flits(const wr_gpu *gpu, uint32_t sm)
{
    assert(sm < gpu->cfg.sms);
    (void)memory_to(gpu);
    return wr_memsys_sent_flits(gpu->memsys, false, sm);
}
