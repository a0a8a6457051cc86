/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks utilisation_adder and, behind it, throughput_monitor, fed with what the machine has
 * counted (Lin-D 3.6.4, Table 3.3): utilisation of schedulers, L1, interconnect, L2 and DRAM,
 * window by window. Seams: meter, time.
 *
 *   SMs, partitions --> utilisation_adder --sums, a cycle later--> throughput_monitor
 *
 * The blocks are moved on at the end of the warm-up and of each window, over all of its cycles, on
 * which what each SM and each partition has counted is spread (spread.h). What one has counted
 * beyond what it can do in these cycles, as a packet whose flits are counted when its head leaves,
 * is of the cycles behind. Where a partition has several L2 slices they count as one port, each for
 * its part: this is the one sum that is no block's.
 *
 * A verdict shows in the third cycle of the next window, one for the adder and two for the monitor;
 * the blocks are moved there at once.
 *
 * It is [serial]; a system that has one says reads_memory, and asks for the cycles of
 * wr_watch_next.
 */
#ifndef WR_SYSTEMS_MONITOR_WATCH_H
#define WR_SYSTEMS_MONITOR_WATCH_H

#include "dpi/gen/throughput_monitor_port.h"
#include "dpi/gen/utilisation_adder_port.h"
#include "systems/frame/system.h"

/* What is fed, of each SM or of each partition, each of a clock domain. */
enum {
    WR_WATCH_ISSUED,
    WR_WATCH_L1,
    WR_WATCH_UP,
    WR_WATCH_DOWN,
    WR_WATCH_L2,
    WR_WATCH_DRAM,
    WR_WATCH_QUANTITIES
};
enum { WR_WATCH_CORE, WR_WATCH_NOC, WR_WATCH_L2_CLOCK, WR_WATCH_DRAM_CLOCK, WR_WATCH_DOMAINS };
enum { WR_WATCH_PLACES = 32 /* SMs or partitions, most */ };

/* Counted since the machine began. */
typedef struct wr_watch_counts {
    uint64_t used[WR_WATCH_QUANTITIES][WR_WATCH_PLACES], clocks[WR_WATCH_DOMAINS];
} wr_watch_counts;

typedef struct wr_watch {
    wr_utilisation_adder_out sums; /* of the last cycle that was fed */
    wr_throughput_monitor_out out;
    uint64_t windows, of[3], high[5];

    wr_bay *bay;
    uint32_t unit;
    bool open, runs;
    wr_port_utilisation_adder adder;
    wr_port_throughput_monitor monitor;
    wr_gpu *gpu;
    uint32_t slices, l2_rate;
    uint32_t places[WR_WATCH_QUANTITIES], most[WR_WATCH_QUANTITIES]; /* of one of them in a clock */
    uint64_t fed;                                                    /* cycles up to this one */
    uint64_t window_ends, next; /* the latter: when it is to be fed; UINT64_MAX */
    wr_watch_counts told;       /* of what was counted, to the blocks */
} wr_watch;

/* Options of a system that has one. */
#define WR_WATCH_WARMUP_OPTION                                                                     \
    {                                                                                              \
        .name = "warmup", .kind = WR_OPTION_NUMBER, .max = 65535, .unit = "cycles",                \
        .preset = "10000", .doc = "behind a launch that are not counted"                           \
    }
#define WR_WATCH_WINDOW_OPTION                                                                     \
    {                                                                                              \
        .name = "window", .kind = WR_OPTION_NUMBER, .min = 4, .max = 65535, .unit = "cycles",      \
        .preset = "10000", .doc = "of a window"                                                    \
    }

/* At creation: a free unit of the bay of its own. False with one line in err. */
bool wr_watch_open(wr_watch *w, wr_bay *bay, const wr_gpu_config *cfg, uint32_t warmup,
                   uint32_t window, char *err, size_t err_size);
void wr_watch_close(wr_watch *w);

/* The next cycle that is simulated is the first of the warm-up. */
void wr_watch_start(wr_watch *w, wr_gpu *gpu);
void wr_watch_stop(wr_watch *w);
/* In gpu_cycle. True: a window's verdict is new, in `out`. */
bool wr_watch_cycle(wr_watch *w);
uint64_t wr_watch_next(const wr_watch *w, uint64_t now);

#endif
