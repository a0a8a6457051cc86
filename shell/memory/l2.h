/* Tags of the L2, all banks in one array: set-associative, LRU, write-back, write-allocate.
 *
 * Lines only carry time and state; their bytes are in simulated memory. A line that is being
 * fetched is present with `ready_at` in the future, so a second miss to it merges by itself.
 * A store allocates without fetching.
 */
#ifndef WR_SHELL_MEMORY_L2_H
#define WR_SHELL_MEMORY_L2_H

#include "shell/config/config.h"

typedef struct wr_l2_line {
    uint64_t line;     /* line number: address / line size */
    uint64_t ready_at; /* cycle in which its data are in the bank */
    uint64_t used_at;  /* order of the last access */
    bool valid, dirty;
} wr_l2_line;

typedef struct wr_l2 {
    wr_l2_line *lines; /* [bank][set][way] */
    uint32_t banks, sets, ways, line_bytes;
    uint64_t accesses; /* all of them: also the LRU clock */
    uint64_t hits, misses, merges, write_backs;
} wr_l2;

bool wr_l2_init(wr_l2 *l2, const wr_gpu_config *cfg);
void wr_l2_free(wr_l2 *l2);

/* Banks interleave every two lines (256 B on gtx480). */
uint32_t wr_l2_bank(const wr_l2 *l2, uint64_t addr);

typedef enum wr_l2_result { WR_L2_HIT, WR_L2_PENDING, WR_L2_MISS } wr_l2_result;

/* Looks up and allocates. On MISS the caller sets (*line)->ready_at; *evicted says that a
 * dirty line leaves and must be written to DRAM. */
wr_l2_result wr_l2_access(wr_l2 *l2, uint64_t addr, uint64_t now, bool write, wr_l2_line **line,
                          bool *evicted);

#endif
