/* SPDX-License-Identifier: Apache-2.0 */
/* Launches and their TBs: who comes next, and where it may go.
 *
 * The dispatcher gives an SM its next TB (dispatch.c). A system closes SMs to streams, chooses
 * among launches (choose_launch), or takes TBs out of the dispatcher's hands: as an identity that
 * holds no resource, and that it places when and where it likes. Such a TB counts as in flight.
 */
#ifndef WR_SHELL_CORE_SEAM_LAUNCH_H
#define WR_SHELL_CORE_SEAM_LAUNCH_H

#include "shell/core/seam/hooks.h"

/* Identity of a TB, all that placing it needs besides its context. */
typedef struct wr_tb_info {
    bool valid;
    bool fresh; /* taken from the dispatcher, has not run yet */
    /* It has executed an instruction behind which it can't be discarded and run again: the relaxed
     * idempotent condition, which says nothing of what it has read and spoilt TBs change since
     * (docs/isa.md). Kept by wr_sm_tb_place where it is not fresh. */
    bool spoilt;
    const wr_launch *launch;
    uint32_t stream; /* of the launch */
    uint32_t ctaid[3];
    uint32_t linear;    /* TB number in its grid */
    uint32_t warp_base; /* first of the consecutive warp slots into which it was placed */
    uint32_t warps;
    uint32_t threads;
    uint32_t regs;         /* allocated registers per thread (the kernel's, unrounded) */
    uint32_t shared_bytes; /* static and dynamic */
    uint32_t local_frame;  /* the TB's part of local memory, which stays its own */
    uint64_t issued;       /* warp instructions so far */
} wr_tb_info;

/* In launch_begin only: the launch does not suit the system, and ends as WR_RUN_REFUSED before
 * its first cycle. */
void wr_gpu_refuse(wr_gpu *gpu, const char *message);
uint32_t wr_gpu_launches(const wr_gpu *gpu); /* in flight */
/* The stream's launch in flight; NULL: none. */
const wr_launch *wr_gpu_launch(const wr_gpu *gpu, uint32_t stream);
/* Streams of the launches in flight, i below wr_gpu_launches: by priority, then by age. */
uint32_t wr_gpu_launch_stream(const wr_gpu *gpu, uint32_t i);
/* TBs of the stream's launch in flight that are not placed or taken. */
uint64_t wr_gpu_tbs_waiting(const wr_gpu *gpu, uint32_t stream);
/* Warp instructions of its TBs that have ended, their mean; 0: none has. */
double wr_gpu_tb_instructions(const wr_gpu *gpu, uint32_t stream);
/* The stream of the first of these launches with TBs left to place; UINT32_MAX: none has. */
uint32_t wr_gpu_oldest_waiting(const wr_gpu *gpu);

/* [serial] The dispatcher places no TB of these streams, a bit each, on the SM; replaces what the
 * owner said before. A stream is closed while any owner says so. */
#define WR_ALL_STREAMS UINT32_MAX
void wr_sm_close(wr_sm *sm, wr_owner owner, uint32_t streams);

/* What a TB of the stream's launch in flight takes of an SM, as it is charged: rounded as the
 * configuration says. */
typedef struct wr_tb_needs {
    uint32_t registers; /* of 32 bits, all threads */
    uint32_t threads;   /* whole warps */
    uint32_t shared_bytes;
} wr_tb_needs;
wr_tb_needs wr_gpu_tb_needs(const wr_gpu *gpu, uint32_t stream);

/* Every TB of the stream's launch in flight may be discarded at any time and run again from its
 * first instruction, and leaves what it would have left (Lin-P II.B: the idempotent condition). */
bool wr_gpu_idempotent(const wr_gpu *gpu, uint32_t stream);

uint32_t wr_sm_tb_slots(const wr_sm *sm);
wr_tb_info wr_sm_tb(const wr_sm *sm, uint32_t tb_slot);
/* Where the warp of this number in its TB is now: its slot, or UINT32_MAX while it is away
 * (identity.h). It stays in its slot when it has finished, unless it is retired. */
uint32_t wr_sm_tb_warp(const wr_sm *sm, uint32_t tb_slot, uint32_t index);
/* TBs of these streams, a bit each, that wr_sm_tb shows in the SM's slots. */
uint32_t wr_sm_tb_count(const wr_sm *sm, uint32_t streams);

/* [serial] Takes the next TB of the stream's launch: the dispatcher will not place it. False:
 * there is none left, or no frame of local memory is free. */
bool wr_gpu_tb_take(wr_gpu *gpu, uint32_t stream, wr_tb_info *tb);
/* The identity of a TB of the stream's launch in flight that has run before and lies in memory; not
 * valid where none of this number, with this frame, can. */
wr_tb_info wr_gpu_tb_again(const wr_gpu *gpu, uint32_t stream, uint32_t linear, uint32_t frame);
/* TBs of the stream's launch in flight that have begun and not ended. */
uint64_t wr_gpu_tbs_begun(const wr_gpu *gpu, uint32_t stream);
/* Where a TB's registers and shared memory lie: its warps' registers, wr_tb_needs.registers in all,
 * from a row of the register file on (32 lanes, 128 B), warp behind warp; and from a byte of shared
 * memory on. Who says so for one TB of an SM says it for all of them, and answers for it that none
 * overlap. */
enum { WR_KEEPS_REGISTERS = 1, WR_KEEPS_SHARED = 2 };
typedef struct wr_tb_where {
    uint32_t row, shared;
    uint32_t kept; /* of these, what is there already, since it stayed (wr_sm_tb_park) */
} wr_tb_where;

/* One more TB of the stream's launch in flight would fit now, with that much of it kept. */
bool wr_sm_tb_room(const wr_sm *sm, uint32_t stream, uint32_t kept);

/* [serial] Places a TB by identity: slots and storage are allocated (registers, predicates,
 * shared memory poisoned, but for what is kept), its warps are stopped with empty stacks. where:
 * NULL for storage that the SM finds. Returns the TB slot or UINT32_MAX where it does not fit now.
 * Then either its context is written and its warps resumed (context.h), or wr_sm_tb_start runs it
 * from its first instruction. */
uint32_t wr_sm_tb_place(wr_sm *sm, const wr_tb_info *tb, const wr_tb_where *where, uint32_t poison);
void wr_sm_tb_start(wr_sm *sm, uint32_t tb_slot);

#endif
