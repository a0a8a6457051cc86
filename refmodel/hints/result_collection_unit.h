/* SPDX-License-Identifier: Apache-2.0 */
/* result_collection_unit: what one warp executed in hint mode.
 *
 *                    +------------------------------------------+
 *  alloc, offset, -> | tail -> [ offset 9 | dst 8 | renamed 8 | | ---> id, full, count
 *   dst, renamed,    |           ready | control | valid      ] |
 *   control          |         [            ...               ] |
 *  done, done_id --> |                  ready := 1              |
 *  src, src_used --> |   an entry with this dst, not ready?     | ---> dep
 *  fetch, pc, base-> | head -> pc == base + offset?             | ---> action, copy_from, copy_to
 *  hint, clear ----> |                                          | ---> empty, fault
 *                    +------------------------------------------+
 *
 *   action:  other PC normal | not ready wait | branch branch | dst == renamed skip | else copy
 *
 * Entries are a queue in order of execution. The head is the only one that in-order fetch is
 * compared with: a warp back in order meets the instructions in the order in which hint mode
 * executed them.
 * Invariants: the valid entries are those from head up to tail, and wrap; an entry leaves only
 * when it is ready (or all are cleared), so its number never returns while its instruction runs.
 *
 * Not modelled: the results themselves, which lie in the register file; the scoreboard, which the
 * scheduler asks beside dep; the move of a copied register; the warp's mode and base, which are
 * hint_decoder's.
 *
 * Source: Gong 5.3.3, Fig. 5.6 (fields), 5.3.4, Fig. 5.8 (fetch logic).
 */
#ifndef WR_REFMODEL_HINTS_RESULT_COLLECTION_UNIT_H
#define WR_REFMODEL_HINTS_RESULT_COLLECTION_UNIT_H

#include "refmodel/contract.h"
#include "refmodel/gen/result_collection_unit_pins.h"

enum {
    WR_RCU_DEPTH_MAX = 16,
};

/* What in-order fetch does with its PC. */
typedef enum wr_rcu_action {
    WR_RCU_NORMAL = 0,
    WR_RCU_WAIT = 1,
    WR_RCU_SKIP = 2,
    WR_RCU_COPY = 3,
    WR_RCU_BRANCH = 4,
} wr_rcu_action;

typedef struct wr_result_collection_unit {
    wr_result_collection_unit_cfg cfg;

    uint16_t valid_q; /* bit per entry */
    uint16_t ready_q;
    uint16_t control_q;
    uint16_t offset_q[WR_RCU_DEPTH_MAX]; /* 9 bits, two's complement */
    uint8_t dst_q[WR_RCU_DEPTH_MAX];
    uint8_t renamed_q[WR_RCU_DEPTH_MAX];
    uint8_t head_q; /* oldest entry */
    uint8_t tail_q; /* next entry */
    bool fault_q;
} wr_result_collection_unit;

/* Leaves the block in reset. WR_ERR_CONFIG where a parameter is outside its range. */
wr_status wr_result_collection_unit_init(wr_result_collection_unit *s,
                                         const wr_result_collection_unit_cfg *cfg);

void wr_result_collection_unit_reset(wr_result_collection_unit *s);

/* Every output of this cycle, from state and inputs; changes nothing. */
void wr_result_collection_unit_eval(const wr_result_collection_unit *s,
                                    const wr_result_collection_unit_in *in,
                                    wr_result_collection_unit_out *out);

/* The clock edge. */
void wr_result_collection_unit_tick(wr_result_collection_unit *s,
                                    const wr_result_collection_unit_in *in);

#endif
