/* SPDX-License-Identifier: Apache-2.0 */
/* Register banks of an SM.
 *
 *   issue -> collector -> (a bank read a cycle) -> unit ... -> bank write -> scoreboard
 *
 * A register of a warp is a row of one bank: (register + warp) % banks. A bank does one read
 * or write a cycle, a collector takes one operand a cycle. Instead of moving requests each
 * cycle, an instruction books its cycles when it issues: each bank has a calendar of the next
 * 64 cycles, a bit each, and the first free bit is taken. What is booked never moves, so the
 * order of service is the order of issue; a write is booked when its time is known, for a
 * load when the data are back. Beyond the calendar's end nothing conflicts. The collectors
 * themselves are in units.h.
 *
 * Invariant: a bit is set at most once.
 */
#ifndef WR_SHELL_CORE_SM_OPERANDS_H
#define WR_SHELL_CORE_SM_OPERANDS_H

#include "shell/core/exec/exec.h"

#include "shell/config/config.h"

#define WR_MAX_RF_BANKS 32

typedef struct wr_operands {
    uint32_t banks; /* a power of two */
    uint32_t read_latency, dispatch_latency, write_latency;
    uint64_t conflicts; /* cycles that accesses have waited for a bank */
    struct wr_bank {
        uint64_t base;
        uint64_t taken; /* bit k: cycle base + k */
    } bank[WR_MAX_RF_BANKS];
} wr_operands;

void wr_operands_init(wr_operands *o, const wr_sm_config *cfg);
/* Books the reads of an instruction that issues now; returns the first cycle in which it may
 * enter its unit. */
uint64_t wr_operands_read(wr_operands *o, uint64_t now, uint32_t warp, const wr_uop *uop);
/* Books the writes of results that leave their unit at `at`; returns the cycle in which the
 * last is in its register. `now` is the present cycle. */
uint64_t wr_operands_write(wr_operands *o, uint64_t now, uint64_t at, uint32_t warp, uint64_t regs);

#endif
