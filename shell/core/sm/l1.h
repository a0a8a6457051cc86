/* SPDX-License-Identifier: Apache-2.0 */
/* Tags and MSHRs of an SM's L1 data cache.
 *
 * A load that misses reserves a way and fetches the line, or with `sectored` those of its 32 B
 * sectors that it needs; each fetch has an MSHR, which later loads of these sectors join. A store
 * goes by and evicts the line that it hits (write through), or stays: it takes a way without a
 * fetch, and the line is written when it is evicted (write back). Lines carry time only, the
 * bytes are in simulated memory. LRU.
 *
 * Invariants: a sector is not valid and pending at once; a pending sector belongs to one MSHR;
 * a line with a pending sector is not evicted.
 */
#ifndef WR_SHELL_CORE_SM_L1_H
#define WR_SHELL_CORE_SM_L1_H

#include "shell/config/config.h"

#define WR_L1_SECTORS 4 /* of 32 B, in the longest line */

typedef struct wr_l1_line {
    uint64_t line; /* line number */
    uint64_t used_at;
    bool taken;
    uint8_t valid, pending, dirty; /* sectors */
    uint16_t mshr[WR_L1_SECTORS];  /* of a pending sector: who fills it */
} wr_l1_line;

typedef struct wr_mshr {
    uint32_t line; /* index in lines */
    uint8_t sectors;
    uint32_t count; /* merged requests */
} wr_mshr;

typedef struct wr_l1 {
    wr_l1_line *lines; /* [set][way] */
    wr_mshr *mshrs;
    uint16_t *merged; /* [mshr][merge]: memory operation that waits */
    uint32_t *free_mshrs;
    uint32_t free_count;
    uint32_t sets, ways, line_bytes, mshr_count, merges;
    uint32_t line_shift;
    uint32_t set_mask; /* sets are a power of two; 0: they are not */
    wr_set_index index;
    bool sectored;
    uint8_t all;    /* sectors of a line */
    uint64_t clock; /* accesses, for LRU */
} wr_l1;

typedef enum wr_l1_result {
    WR_L1_HIT,
    WR_L1_MERGED,  /* all of it is on its way */
    WR_L1_MISS,    /* `fetch` of the line is to be fetched by `mshr` */
    WR_L1_BLOCKED, /* no MSHR, no merge or no room to send: try again later */
    WR_L1_FULL,    /* all ways of its set are being fetched: again when one of these fetches ends */
} wr_l1_result;

/* What an access makes the LSU send and wait for. */
typedef struct wr_l1_access {
    uint32_t waits; /* fills that the operation waits for */
    uint32_t mshr;
    uint8_t fetch;    /* sectors */
    uint8_t written;  /* sectors of a dirty line that are to be written, before the fetch */
    uint64_t victim;  /* address of that line */
    bool takes;       /* the line had no way and has taken one: */
    uint32_t place;   /* its index in lines, */
    uint64_t evicted; /* and the line number that it had; UINT64_MAX: none */
    uint32_t set;     /* FULL: which */
} wr_l1_access;

bool wr_l1_init(wr_l1 *l1, const wr_l1_config *cfg);
void wr_l1_free(wr_l1 *l1);
/* A load of these sectors by memory operation `op`; `room`: requests that can be sent. Changes
 * nothing where it is BLOCKED or FULL. */
wr_l1_result wr_l1_load(wr_l1 *l1, uint64_t addr, uint8_t sectors, uint16_t op, uint32_t room,
                        wr_l1_access *access);
/* A store or atomic passes by and takes the line with it. True: it hit; `access` then says what
 * a dirty one still has to write. */
bool wr_l1_pass(wr_l1 *l1, uint64_t addr, wr_l1_access *access);
/* All of the line is there. */
bool wr_l1_holds(wr_l1 *l1, uint64_t addr);
/* A store that stays; `covered` sectors it writes whole. HIT, or MISS where it took a way, or
 * BLOCKED. */
wr_l1_result wr_l1_store(wr_l1 *l1, uint64_t addr, uint8_t sectors, uint8_t covered, uint32_t room,
                         wr_l1_access *access);
/* All lines are lost, dirty ones too, but for those with a fetch under way. */
void wr_l1_drop(wr_l1 *l1);
/* The sectors of an MSHR are there: returns the operations that wait for it, frees the MSHR. `set`:
 * that of the line. */
const uint16_t *wr_l1_fill(wr_l1 *l1, uint32_t mshr, uint32_t *count, uint32_t *set);

#endif
