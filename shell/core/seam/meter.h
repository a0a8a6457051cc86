/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine has counted, typed, for systems that decide by it: by SM, by stream, by memory
 * partition. All count from the GPU's creation; a window is a difference of two readings. Reading
 * costs what the reader pays: nothing is kept for it in the cycle loop.
 *
 * An SM's own figures may be read in its cycle. All others are [serial]. What the memory system
 * has counted may be read only in gpu_cycle, in a cycle that next_cycle has named, by a system
 * that says so in its hooks (reads_memory): in other cycles the memory system may be one ahead.
 */
#ifndef WR_SHELL_CORE_SEAM_METER_H
#define WR_SHELL_CORE_SEAM_METER_H

#include "shell/core/counters/stats.h"
#include "shell/core/seam/hooks.h"
#include "shell/core/sm/stall.h"
#include "shell/memory/memsys.h"

typedef struct wr_sm_meter {
    uint64_t cycles;        /* that are counted */
    const wr_sm_stats *sum; /* all that the SM counts; stays as it is until its next cycle */
    uint64_t slots[WR_CONFIG_MAX_SCHEDULERS][WR_SLOT_USES]; /* issue slots by use (stall.h) */
    uint32_t warps;                                         /* in slots, now */
    uint32_t lsu, misses; /* in the LSU's queue, between L1 and port, now */
    uint32_t mshrs;       /* of the L1 in use, now */
} wr_sm_meter;
wr_sm_meter wr_meter_sm(wr_sm *sm);
/* Warp instructions that a stream has issued on the SM. */
uint64_t wr_meter_issued(const wr_sm *sm, uint32_t stream);
/* Memory instructions of a stream in the LSU's queue or with lines on their way, now. */
uint32_t wr_meter_in_flight(const wr_sm *sm, uint32_t stream);
/* Instructions of a stream that went to the L1: global, local and generic ones, issued. */
uint64_t wr_meter_l1_insns(const wr_sm *sm, uint32_t stream);
/* Streams, a bit each, whose instruction at the head of an LSU queue finds no room in the L1 or
 * behind it. */
uint32_t wr_meter_blocked(const wr_sm *sm);

typedef struct wr_stream_meter {
    uint64_t issued, thread_insns; /* warp instructions, active lanes of these */
    uint64_t launches;             /* that have ended */
    uint64_t tbs_placed, tbs_done; /* of the launch in flight; placed or taken (launch.h) */
    uint64_t tbs;                  /* of the launch in flight; 0: none is */
} wr_stream_meter;
wr_stream_meter wr_meter_stream(const wr_gpu *gpu, uint32_t stream);

/* Loads of a stream, and atomics that return, whose data are back; and core cycles from their
 * issue until then, added up. */
typedef struct wr_load_meter {
    uint64_t loads, cycles;
} wr_load_meter;
wr_load_meter wr_meter_loads(const wr_gpu *gpu, uint32_t stream);

/* Of a memory partition: a DRAM channel and its L2 banks. */
typedef struct wr_partition_meter {
    uint64_t accesses, hits, misses, merges, write_backs; /* of L2 lines */
    uint64_t fetch_refusals, reply_refusals;              /* wr_stream_traffic (memsys.h) */
    uint64_t l2_bytes, l2_clocks;                         /* moved by the data ports; of one port */
    uint64_t dram_reads, dram_writes;                     /* requests */
    uint64_t dram_busy;                                   /* command clocks of the data bus */
    uint64_t dram_clocks;
    uint64_t reply_flits; /* that it has sent, to CPU cores among them */
} wr_partition_meter;
uint32_t wr_meter_partitions(const wr_gpu *gpu);
wr_partition_meter wr_meter_partition(const wr_gpu *gpu, uint32_t partition);
/* Of one stream in a partition, WR_NO_STREAM for what belongs to none. */
wr_stream_traffic wr_meter_traffic(const wr_gpu *gpu, uint32_t partition, uint32_t stream);

/* [serial] Each lookup of the L2 banks comes to `watch` from now on, bank by bank in order; one
 * system of the GPU can have it, NULL: none. It is called while SMs are in their cycles, by one
 * thread: nothing but what the system keeps for the bank may be touched, and its blocks behind a
 * bay. Before counts of a cycle are used, reads_memory says that the memory system is at it. */
void wr_meter_watch_l2(wr_gpu *gpu, wr_l2_watch watch, void *arg);

typedef struct wr_network_meter {
    uint64_t request_flits, reply_flits;
    uint64_t clocks;                     /* of the interconnect */
    uint32_t request_links, reply_links; /* that carry a flit a clock each: into L2, into SMs */
} wr_network_meter;
wr_network_meter wr_meter_network(const wr_gpu *gpu);
/* Flits that an SM has sent to L2. */
uint64_t wr_meter_request_flits(const wr_gpu *gpu, uint32_t sm);

#endif
