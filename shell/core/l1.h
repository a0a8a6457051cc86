/* Tags and MSHRs of an SM's L1 data cache.
 *
 * Loads allocate on a miss: the victim's way is reserved at once and belongs to an MSHR until
 * the fill. Stores write through and do not allocate; a hit is evicted. Lines carry time only,
 * the bytes are in simulated memory. LRU.
 */
#ifndef WR_SHELL_CORE_L1_H
#define WR_SHELL_CORE_L1_H

#include "shell/config/config.h"

typedef enum wr_l1_state { WR_L1_INVALID, WR_L1_VALID, WR_L1_RESERVED } wr_l1_state;

typedef struct wr_l1_line {
    uint64_t line; /* line number */
    uint64_t used_at;
    uint32_t mshr; /* RESERVED: who fills it */
    uint8_t state;
} wr_l1_line;

typedef struct wr_mshr {
    uint32_t line;  /* index in lines */
    uint32_t count; /* merged requests */
} wr_mshr;

typedef struct wr_l1 {
    wr_l1_line *lines; /* [set][way] */
    wr_mshr *mshrs;
    uint16_t *merged; /* [mshr][merge]: memory operation that waits */
    uint32_t *free_mshrs;
    uint32_t free_count;
    uint32_t sets, ways, line_bytes, mshr_count, merges;
    wr_set_index index;
    uint64_t clock; /* accesses, for LRU */
} wr_l1;

typedef enum wr_l1_result {
    WR_L1_HIT,
    WR_L1_MERGED,  /* already on its way: the request waits for the same fill */
    WR_L1_MISS,    /* *mshr is to be fetched */
    WR_L1_BLOCKED, /* no MSHR, no merge, no way or no room to send: try again later */
} wr_l1_result;

bool wr_l1_init(wr_l1 *l1, const wr_l1_config *cfg);
void wr_l1_free(wr_l1 *l1);
/* A load's access by memory operation `op`. Changes nothing where it is BLOCKED. */
wr_l1_result wr_l1_load(wr_l1 *l1, uint64_t addr, uint16_t op, bool can_send, uint32_t *mshr);
/* A store or atomic passes by. True: it hit, and the line is gone. */
bool wr_l1_store(wr_l1 *l1, uint64_t addr);
/* The line of an MSHR is there: returns the operations that wait for it, frees the MSHR. */
const uint16_t *wr_l1_fill(wr_l1 *l1, uint32_t mshr, uint32_t *count);

#endif
