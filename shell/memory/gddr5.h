/* SPDX-License-Identifier: Apache-2.0 */
/* One GDDR5 channel: banks with rows, bank groups, one command bus, one data bus, and an
 * FR-FCFS queue (first ready, first come first served) with write draining and refresh.
 *
 * Time is in command clocks and given by the caller; at most one command leaves in a clock.
 * Requests are whole bursts in one row. The queue is kept in order of arrival, so that a
 * request is a bit, the oldest of a set is its lowest bit, and a choice is a few mask
 * operations over the banks that have work.
 *
 * Invariants:
 * - `all[b]` has exactly the requests of bank b, `hit[b]` those of its open row, `hits` those of
 * all;
 * - banks are looked at for a row command only from row_at on: whatever lets one leave sooner
 * lowers it;
 * - bit i of each mask is queue[i], and queue[] ascends by arrival;
 * - the plan is what is given next, and when, unless a request comes before;
 * - a request leaves the queue with its last column command, reads then wait in `done`;
 * - calling wr_gddr5_tick in a clock before wr_gddr5_next changes nothing.
 *
 * Commands and their distances follow the timing rows of Kayiran Table I; what that table
 * leaves open is of the public GTX480 configuration of GPGPU-Sim.
 */
#ifndef WR_SHELL_MEMORY_GDDR5_H
#define WR_SHELL_MEMORY_GDDR5_H

#include "shell/config/config.h"
#include "shell/memory/histogram.h"

#define WR_GDDR5_MAX_BANKS  32
#define WR_GDDR5_MAX_GROUPS 8
#define WR_GDDR5_MAX_QUEUE  64

typedef enum wr_gddr5_command {
    WR_GDDR5_ACTIVATE,
    WR_GDDR5_PRECHARGE,
    WR_GDDR5_READ,
    WR_GDDR5_WRITE,
    WR_GDDR5_REFRESH, /* all banks */
} wr_gddr5_command;

typedef struct wr_gddr5_config {
    wr_gddr5_timing t;
    uint32_t banks, groups; /* powers of two; bank b is of group b % groups */
    uint32_t burst_bytes;   /* moved by one column command */
    uint32_t burst_clocks;  /* on the data bus; at most ccd */
    uint32_t queue;         /* requests */
    uint32_t write_high;    /* writes that start a drain */
    uint32_t write_low;     /* writes that end it while reads wait */
    uint32_t aging;         /* clocks after which low priority ends (P29) */
} wr_gddr5_config;

typedef struct wr_gddr5_request {
    uint64_t arrived; /* set by the channel */
    uint32_t row;
    uint32_t tag;    /* comes back with a read's data */
    uint16_t column; /* in bursts */
    uint8_t bank;
    uint8_t bursts; /* at least 1 */
    bool write;
    bool low; /* context traffic: after all others, until it has aged */
} wr_gddr5_request;

typedef struct wr_gddr5_stats {
    uint64_t reads, writes; /* requests taken */
    uint64_t read_bursts, write_bursts;
    uint64_t activates, precharges, refreshes;
    uint64_t row_hits;          /* requests that needed no row command of their own */
    uint64_t occupancy;         /* requests in the queue, summed over clocks */
    uint64_t asked_bursts;      /* by the requests taken */
    wr_histogram queue_latency; /* clocks from arrival to the last column command */
} wr_gddr5_stats;

typedef void (*wr_gddr5_watch)(void *arg, uint64_t clock, wr_gddr5_command command, uint32_t bank,
                               uint32_t row, uint32_t column);

/* A command for a request: its column command, or what its bank needs before. */
typedef struct wr_gddr5_plan {
    uint64_t at;
    uint32_t request; /* place in the queue; UINT32_MAX: none, it has to be made */
    bool column;
} wr_gddr5_plan;

typedef struct wr_gddr5 {
    wr_gddr5_config cfg;
    uint64_t next;
    wr_gddr5_plan plan;

    wr_gddr5_request queue[WR_GDDR5_MAX_QUEUE];
    uint32_t count, writes;
    uint64_t waiting;                      /* all */
    uint64_t write_mask, low_mask, missed; /* missed: a row command was given for it */
    uint64_t all[WR_GDDR5_MAX_BANKS], hit[WR_GDDR5_MAX_BANKS];
    uint64_t hits;    /* of all banks */
    uint64_t covered; /* requests of banks that have a hit */
    uint64_t row_at;  /* no row command of those that are served can leave before */
    bool draining;

    uint32_t open; /* mask over banks */
    uint32_t row[WR_GDDR5_MAX_BANKS];
    uint64_t activate_at[WR_GDDR5_MAX_BANKS], precharge_at[WR_GDDR5_MAX_BANKS];
    uint64_t column_at[WR_GDDR5_MAX_BANKS]; /* rcd */
    uint64_t group_at[WR_GDDR5_MAX_GROUPS]; /* ccdl */
    uint64_t any_activate_at;
    uint64_t bus_at[2]; /* a read's column command, a write's: ccd, and the bus turned round */
    struct {
        uint32_t precharge, other; /* clocks from a column command to its bank's precharge, to one
                                      of the other kind */
    } behind[2];                   /* a read's, a write's */
    uint64_t refresh_due;          /* UINT64_MAX: never */
    uint64_t free_at;              /* the command bus */

    struct {
        uint64_t at;
        uint32_t tag;
    } done[2 * WR_GDDR5_MAX_QUEUE]; /* reads whose data are under way or wait, a ring */
    uint32_t done_head, done_count;

    uint64_t counted_to; /* occupancy is summed up to here */
    wr_gddr5_watch watch;
    void *watch_arg;
    wr_gddr5_stats stats;
} wr_gddr5;

/* The configuration must hold together (wr_config_check sees to it). */
void wr_gddr5_init(wr_gddr5 *ch, const wr_gddr5_config *cfg);
/* Each command is reported as it leaves. */
void wr_gddr5_observe(wr_gddr5 *ch, wr_gddr5_watch watch, void *arg);

/* Reads that wait in `done` keep their place, so that the ring can't overflow. */
static inline bool wr_gddr5_has_room(const wr_gddr5 *ch)
{
    return ch->count < ch->cfg.queue && ch->count + ch->done_count < 2 * WR_GDDR5_MAX_QUEUE;
}
/* No request waits or is under way: nothing happens before the next refresh. */
static inline bool wr_gddr5_idle(const wr_gddr5 *ch)
{
    return ch->count == 0 && ch->done_count == 0;
}
/* Takes a request at `now`; there must be room. */
void wr_gddr5_push(wr_gddr5 *ch, uint64_t now, const wr_gddr5_request *request);
/* Gives at most one command. */
void wr_gddr5_tick(wr_gddr5 *ch, uint64_t now);
/* First clock in which a tick does something; UINT64_MAX: none. */
static inline uint64_t wr_gddr5_next(const wr_gddr5 *ch)
{
    return ch->next;
}
/* Clock in which the last data of the oldest read are there; UINT64_MAX: none is under way. */
static inline uint64_t wr_gddr5_take_at(const wr_gddr5 *ch)
{
    return ch->done_count != 0 ? ch->done[ch->done_head].at : UINT64_MAX;
}
/* Takes that read, which must be there; its tag. */
uint32_t wr_gddr5_take(wr_gddr5 *ch);
/* Totals; occupancy up to `now`. */
wr_gddr5_stats wr_gddr5_totals(const wr_gddr5 *ch, uint64_t now);

#endif
