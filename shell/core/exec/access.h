/* SPDX-License-Identifier: Apache-2.0 */
/* An access of a warp to one space: what exec_mem.c makes of a memory instruction. */
#ifndef WR_SHELL_CORE_EXEC_ACCESS_H
#define WR_SHELL_CORE_EXEC_ACCESS_H

#include "shell/core/exec/addresses.h"
#include "shell/core/exec/trail.h"
#include "shell/core/sm/sm.h"

typedef struct wr_access {
    const wr_insn *insn;
    uint8_t space;        /* wr_space; generic only until it is cut */
    uint32_t mask;        /* lanes */
    uint64_t window;      /* that was taken off the generic address */
    wr_addresses at;      /* in its space; const: in simulated memory */
    uint32_t bytes;       /* per lane */
    uint32_t unit, units; /* bytes of a unit; units per lane */
    bool sign;            /* sub-word loads extend the sign */
    uint8_t *base;        /* shared, param: byte 0; else NULL */
    uint64_t local;       /* local: address of the warp's area */
} wr_access;

/* Where a byte of a lane's local memory lies in simulated memory. */
static inline uint64_t wr_access_local(const wr_access *a, uint32_t lane, uint64_t offset)
{
    return a->local + (offset / 4 * WR_LANES + lane) * 4 + offset % 4;
}

/* trail.c: its lines are those that were accessed last. */
void wr_trail_note(wr_trail *trail, uint32_t stream, const wr_access *access);

#endif
