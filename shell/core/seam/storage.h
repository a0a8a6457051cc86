/* SPDX-License-Identifier: Apache-2.0 */
/* An SM's storage in the hands of a system, which says where in it warps and TBs lie: register file
 * and shared memory as lines of 128 B, and an L1 that gives its lines away.
 *
 * Addresses are those of wr_tb_where. The dispatcher's TBs lie in storage of their slots instead,
 * until wr_sm_tbs_locate moves them; who has done so closes the SM to the dispatcher until it is
 * empty. All are [serial].
 */
#ifndef WR_SHELL_CORE_SEAM_STORAGE_H
#define WR_SHELL_CORE_SEAM_STORAGE_H

#include "shell/core/seam/identity.h"

#define WR_LINE_BYTES 128
/* A row of the register file; a line of shared memory. */
uint8_t *wr_sm_register_line(wr_sm *sm, uint32_t row);
uint8_t *wr_sm_shared_line(wr_sm *sm, uint32_t line);

/* From now on registers and shared memory of the TB in slot i lie where[i], with what they hold;
 * the rest is poisoned. All its warps are in slots. False: no memory for the move. */
bool wr_sm_tbs_locate(wr_sm *sm, const wr_tb_where *where, uint32_t poison);
/* The TB's shared memory lies from this byte on, or WR_ELSEWHERE, while all its warps
 * that have not finished are away; who says so moves its bytes. */
void wr_sm_tb_share_at(wr_sm *sm, uint32_t tb_slot, uint32_t shared);

/* Loads go past the L1 from now on, or do no longer, and its lines are lost: only a write-through
 * L1 can bear that. What it was fetching before still comes: once it is empty nobody writes its
 * lines. */
void wr_sm_l1_off(wr_sm *sm, bool off);
bool wr_sm_l1_empty(const wr_sm *sm);

#endif
