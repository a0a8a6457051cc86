/* SPDX-License-Identifier: Apache-2.0 */
/* Hints of a kernel: what a warp that waits for memory may run ahead (Gong 5.2, 5.3).
 *
 * A stall point is an instruction that may have to wait for a load. Behind it lies its hint group,
 * up to the next stall point: there a chain of instructions is looked for, at most as many as there
 * are entries to record them, that need nothing that comes late, neither the loads that are under
 * way nor what is left out. One way is followed: backward branches are taken, forward ones are not.
 * A result goes to the register itself, or, where something left out still reads or writes that
 * register, to a spare one.
 *
 *   what is left out:  its results come late; its sources must keep their values, and so must those
 *                      of a branch in the chain, which is executed again in its turn
 *   never in a chain:  stores, atomics, barriers, exits, services, wide results; a load behind a
 *                      store, fence or barrier that is left out; a load whose register is renamed
 *                      by part; what has a guard and must be renamed
 *   a chain ends at:   a preemption point (also bar.pp, unless barriers may be crossed), an exit, a
 *                      service, a branch that comes late, another chain, the reach of offsets
 *
 * A side word has 24 bits, in the places of docs/blocks/hint_decoder.md; offsets count instructions
 * from the stall point. Bit 22 of a word in format 1 marks a stall point. A word of 0 is none.
 */
#ifndef WR_SHELL_ISA_HINTS_H
#define WR_SHELL_ISA_HINTS_H

#include <stdio.h>

#include "shell/isa/kernel.h"

enum {
    WR_HINT_VALID = 1 << 23,
    WR_HINT_STALL = 1 << 22,  /* format 1 */
    WR_HINT_DIRECT = 1 << 22, /* format 2 */
    WR_HINT_RENAME = 1 << 8,  /* format 1 */
    WR_HINT_SPECIAL = 0xf0,   /* destination codes from here up are no registers: predicates */
};

typedef struct wr_hint_rules {
    uint32_t entries;   /* of a chain, at most */
    uint32_t registers; /* a thread may have so many: those from kernel->regs on are spare */
    bool across_barriers;
} wr_hint_rules;

typedef struct wr_hints {
    uint32_t *words;    /* by instruction of the kernel; the caller frees it */
    uint32_t registers; /* a thread needs, with those that serve for renaming */
    uint32_t stall_points, chains;
    uint32_t members, branches, loads, renamed; /* of all chains; branches and loads among them */
} wr_hints;

/* False: out of memory. */
bool wr_hints_make(const wr_kernel *kernel, const wr_hint_rules *rules, wr_hints *out);

/* A chain begins at this stall point. */
bool wr_hints_begins(const wr_kernel *kernel, const wr_hints *hints, uint32_t at);
/* The instruction behind this one in the chain of a stall point, which comes first itself. */
#define WR_HINTS_END UINT32_MAX
uint32_t wr_hints_next(const wr_kernel *kernel, const wr_hints *hints, uint32_t base, uint32_t at);
/* The spare register that the result of a chain's instruction goes to; WR_ISA_RZ: to its own. */
uint32_t wr_hints_renamed(const wr_kernel *kernel, const wr_hints *hints, uint32_t at);

/* Lists the chains of a kernel. */
void wr_hints_print(FILE *out, const wr_kernel *kernel, const wr_hints *hints);

#endif
