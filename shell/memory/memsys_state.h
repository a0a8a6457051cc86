/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the memory system. Only memsys.c and memsys_stats.c include this. */
#ifndef WR_SHELL_MEMORY_MEMSYS_STATE_H
#define WR_SHELL_MEMORY_MEMSYS_STATE_H

#include "shell/memory/memsys.h"

#include "shell/config/address.h"
#include "shell/memory/l2.h"
#include "shell/memory/network.h"

/* A clock domain beside the core's: clock n is in core cycle ceil(n * core / mhz). */
typedef struct domain {
    uint64_t mhz, core;
} domain;

/* A read in a channel or on its way back from it. */
typedef struct fetched {
    uint64_t at;
    uint16_t bank; /* of the GPU */
    uint16_t mshr;
} fetched;

/* Clocks for which the head of a bank's queue was not taken, by its stream. */
typedef struct refusals {
    uint64_t since; /* clock from which on the present head is tried; WR_NEVER: never was yet */
    uint64_t clocks[WR_PACKET_STREAMS];
} refusals;

typedef struct channel {
    wr_gddr5 dram;
    uint64_t banks; /* those of the L2 in front of it */
    uint32_t turn;  /* the L2 bank that is asked first */
} channel;

#define MAX_CHANNELS 32 /* of config.c; a bit each in dram_busy */

struct wr_memsys {
    wr_gpu_config cfg;
    wr_address_map map;
    domain noc, l2, dram;
    /* one of each for all; or, where CPU cores have a part of the wires to themselves
     * (noc.mesh.cpu_vcs), the GPU's and then theirs */
    wr_network request[2], reply[2];
    uint32_t networks;
    uint16_t flits[2][WR_PACKET_BYTES + 1]; /* of a packet with so many bytes of data */
    uint8_t network_of[WR_CONFIG_MAX_SMS];  /* by port: SMs, then CPU cores */
    uint64_t cpu_first;                     /* banks that took from the GPU's last */
    wr_l2_bank **banks;
    wr_l2_front *fronts; /* of the banks */
    refusals *fetches;   /* by bank: L2 clocks, at the channel's queue */
    refusals *sends;     /* by bank: interconnect clocks, at the reply network */
    channel *channels;
    uint32_t slices;
    uint64_t dram_at[MAX_CHANNELS]; /* by channel: its next clock with work */
    uint64_t dram_next;             /* the first of them */
    uint64_t dram_idle_at;          /* no channel without a request has work before */
    uint32_t dram_busy;             /* channels with one */
    uint64_t dram_room;             /* banks whose channel has room in its queue */
    wr_calendar l2_due;             /* banks with a next of their own */
    uint64_t wait_fetch;            /* banks with something for DRAM */
    uint64_t wait_reply;            /* banks with replies: */
    wr_calendar noc_due;            /* those that may find the reply network's port free, */
    uint64_t no_room;               /* those that found it full */
    fetched *back;                  /* a ring: data that pass the controllers, the first to be there
                                       first */
    uint32_t back_limit, back_head, back_count;
    uint64_t next; /* core cycle */
    uint64_t requests, replies, request_flits, reply_flits;
    uint64_t request_bytes, reply_bytes; /* of data */
};

/* Clocks of the domain that have begun by the end of a core cycle. */
static inline uint64_t clocks_by(const domain *d, uint64_t cycle)
{
    if (cycle == UINT64_MAX) { /* before cycle 0 */
        return 0;
    }
    return d->mhz == d->core ? cycle + 1 : cycle * d->mhz / d->core + 1;
}

/* The core cycle of a clock. */
static inline uint64_t cycle_of(const domain *d, uint64_t clock)
{
    if (clock == WR_NEVER || d->mhz == d->core) {
        return clock;
    }
    return (clock * d->core + d->mhz - 1) / d->mhz;
}

/* The domain's present clock as the core sees it. */
static inline uint64_t clock_at(const domain *d, uint64_t cycle)
{
    return clocks_by(d, cycle) - 1;
}

/* The first clock of the interconnect that follows an L2 clock. */
static inline uint64_t noc_behind(const wr_memsys *ms, uint64_t l2_clock)
{
    return clocks_by(&ms->noc, cycle_of(&ms->l2, l2_clock) - 1);
}

/* That in which the bank's oldest reply, which is ready in L2 clock `at`, could leave. */
static inline uint64_t reply_ready(const wr_memsys *ms, uint32_t bank, uint64_t at)
{
    uint64_t ready = noc_behind(ms, at);
    return ready > ms->sends[bank].since ? ready : ms->sends[bank].since;
}

#endif
