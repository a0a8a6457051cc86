/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a TB that is off the pipeline: reading and writing it, taking the TB off its SM and
 * bringing it back, and the context queue that carries it to memory and from it.
 */
#ifndef WR_SHELL_CORE_SEAM_CONTEXT_H
#define WR_SHELL_CORE_SEAM_CONTEXT_H

#include "shell/core/seam/launch.h"
#include "shell/core/seam/warp.h"

/* One SIMT stack entry (Lin-P III: 12 B). The top one runs. */
typedef struct wr_simt_entry {
    uint32_t pc;     /* next PC */
    uint32_t mask;   /* active mask */
    uint32_t reconv; /* reconvergence PC; UINT32_MAX = none */
} wr_simt_entry;
#define WR_SIMT_DEPTH 32 /* entries the shell can hold; Lin-P expects at most 11 */

/* State of a stopped, drained warp; writing it is [serial]. Registers are 32 lanes x 32 bits. */
const uint32_t *wr_sm_reg(const wr_sm *sm, uint32_t warp, uint32_t reg);
void wr_sm_reg_write(wr_sm *sm, uint32_t warp, uint32_t reg, const uint32_t lanes[32]);
uint32_t wr_sm_pred(const wr_sm *sm, uint32_t warp, uint32_t pred); /* bit per lane */
void wr_sm_pred_write(wr_sm *sm, uint32_t warp, uint32_t pred, uint32_t lanes);
uint32_t wr_sm_stack(const wr_sm *sm, uint32_t warp,
                     wr_simt_entry out[WR_SIMT_DEPTH]); /* bottom first; returns depth */
void wr_sm_stack_write(wr_sm *sm, uint32_t warp, const wr_simt_entry *entries, uint32_t depth);
/* Barriers, a bit each, at which the warp has arrived without waiting (bar.arrive) and that are
 * not complete; also of a warp that has finished since. Write all warps' before any resumes. */
uint16_t wr_sm_pledges(const wr_sm *sm, uint32_t warp);
void wr_sm_pledges_write(wr_sm *sm, uint32_t warp, uint16_t barriers);
uint8_t *wr_sm_shared(wr_sm *sm, uint32_t tb_slot); /* its shared_bytes bytes */
/* The machine word at pc of the warp's kernel, as the instruction buffer holds it; 0 past the end.
 */
uint64_t wr_sm_fetch(const wr_sm *sm, uint32_t warp, uint32_t pc);

/* [serial] Takes a TB, all of whose live warps are stopped and drained, off the SM: frees its
 * slots and fills its registers, predicates and shared memory with poison. Launch bookkeeping
 * counts it as in flight; wr_sm_tb_place (launch.h) brings it back, on any SM. */
void wr_sm_tb_evict(wr_sm *sm, uint32_t tb_slot, uint32_t poison);
/* [serial] The same, but its registers or shared memory (kept: WR_KEEPS_*) stay as they are and are
 * charged until it comes back to this SM with them. The TB was placed with a wr_tb_where; where
 * registers stay, none of its warps has moved or retired since (identity.h). */
void wr_sm_tb_park(wr_sm *sm, uint32_t tb_slot, uint32_t kept, uint32_t poison);
/* [serial] Stopped -> may issue. The preemption point at which the warp stands does not stop it
 * again, even where its TB is to stop; but it does where the warp comes back alone (identity.h),
 * since the others would not follow. A warp with an empty stack counts as finished from then on. */
void wr_sm_warp_resume(wr_sm *sm, uint32_t warp);

/* [serial] The context queue: memory traffic of save and restore, through the SM's injection port
 * at lower priority than regular requests (Lin-P V.A, P29), bypassing L1. Writes take effect in
 * simulated memory when the request is injected; a read delivers the bytes when its reply
 * arrives. bytes <= 128, inside one 128 B segment. */
bool wr_sm_ctx_write(wr_sm *sm, uint64_t addr, const void *src,
                     uint32_t bytes);                                        /* false: queue full */
bool wr_sm_ctx_read(wr_sm *sm, uint64_t addr, uint32_t bytes, uint32_t tag); /* false: queue full */
bool wr_sm_ctx_reply(wr_sm *sm, uint32_t *tag,
                     uint8_t out[128]); /* oldest arrived reply, in request order; false: none */
uint32_t
wr_sm_ctx_pending(const wr_sm *sm); /* requests queued, plus reads and writes not yet answered */

#endif
