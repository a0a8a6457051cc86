/* SPDX-License-Identifier: Apache-2.0 */
/* warp_quota: how many instructions each kernel may issue, per warp scheduler.
 *
 *                            +-------------------------------------+
 *  we, what, kernel, value-> | x(k) s(k) t(k)                      |
 *  calc -------------------> |   multiply, divide -> quota, share  | ---> busy, managed
 *                            |                          | refill   | ---> refill[s], epoch_end
 *                            |                          v          |
 *  issue[s], issue_kernel--> |  scheduler 0   left |4|0|9|2|       | ---> allow[s]
 *                            |  scheduler 1   left |1|3|0|7|       |
 *  resident ---------------> |  epoch counter, issued per kernel   | ---> quota, share, left[s],
 *                            +-------------------------------------+      issued of kernel view
 *
 *  a scheduler   left(s, k) = share(k) --issue--> ... --issue--> 0: nothing of k
 *                all resident kernels at 0, or the epoch ends --> share(k) again
 *
 * Invariants: left(s, k) never falls below 0; the quotas add up to at most Epoch; a kernel that
 * had TBs at the last calculation has a share of at least 1.
 *
 * Not modelled: the SMs on which kernels run alone to be profiled (this block's own count of
 * issued instructions serves there); which warp of a kernel issues.
 *
 * Source: SMK 5.4, 6.7.
 */
#ifndef WR_REFMODEL_SHARING_WARP_QUOTA_H
#define WR_REFMODEL_SHARING_WARP_QUOTA_H

#include "refmodel/contract.h"
#include "refmodel/gen/warp_quota_pins.h"

enum {
    WR_WARP_QUOTA_KERNELS_MAX = 4,
    WR_WARP_QUOTA_SCHEDULERS_MAX = 4,
};

/* Codes of pin what. */
typedef enum wr_warp_quota_what {
    WR_WARP_QUOTA_ALONE,
    WR_WARP_QUOTA_RESIDENT,
    WR_WARP_QUOTA_MOST,
} wr_warp_quota_what;

/* Of kernels from Kernels on nothing is left, and nothing has a quota or is counted. */
typedef struct wr_warp_quota {
    wr_warp_quota_cfg cfg;

    uint16_t alone_q[WR_WARP_QUOTA_KERNELS_MAX];   /* x, 16 bits */
    uint8_t resident_q[WR_WARP_QUOTA_KERNELS_MAX]; /* s, 6 bits */
    uint8_t most_q[WR_WARP_QUOTA_KERNELS_MAX];     /* t, 6 bits, not 0 */

    uint16_t left_q[WR_WARP_QUOTA_SCHEDULERS_MAX * 4]; /* [4 s + k], 14 bits */
    uint16_t quota_q[WR_WARP_QUOTA_KERNELS_MAX];       /* 14 bits */
    uint16_t share_q[WR_WARP_QUOTA_KERNELS_MAX];       /* 14 bits */
    uint16_t running_q[WR_WARP_QUOTA_KERNELS_MAX];     /* issued in this epoch */
    uint16_t issued_q[WR_WARP_QUOTA_KERNELS_MAX];      /* and in the last one */
    uint16_t epoch_q;                                  /* 0..Epoch - 1 */
    uint16_t cycle_q;                                  /* of the calculation */
    bool busy_q;
    bool managed_q;
    bool fault_q;
} wr_warp_quota;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_warp_quota_init(wr_warp_quota *s, const wr_warp_quota_cfg *cfg);

void wr_warp_quota_reset(wr_warp_quota *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_warp_quota_eval(const wr_warp_quota *s, const wr_warp_quota_in *in, wr_warp_quota_out *out);

/* The clock edge. */
void wr_warp_quota_tick(wr_warp_quota *s, const wr_warp_quota_in *in);

/* n ticks with these inputs held. */
void wr_warp_quota_skip(wr_warp_quota *s, const wr_warp_quota_in *in, uint64_t n);

/* Ticks with these inputs held that leave every output as it is; UINT64_MAX: never ends. */
uint64_t wr_warp_quota_quiet(const wr_warp_quota *s, const wr_warp_quota_in *in);

#endif
