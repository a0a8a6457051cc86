/* SPDX-License-Identifier: Apache-2.0 */
/* Loops in which lanes wait for others that have left them: what locks.c finds and locks_part.c
 * changes. */
#ifndef WR_SHELL_COMPILER_LOCKS_H
#define WR_SHELL_COMPILER_LOCKS_H

#include "shell/compiler/ir.h"

typedef struct wr_place {
    uint32_t block, index; /* before this instruction; block_count: the exit */
} wr_place;

typedef struct wr_spin {
    uint32_t head;      /* of the loop */
    uint32_t exit, out; /* the block whose branch leaves it, and where that leads */
    uint32_t guard;     /* the branch of a first round in front of it; NO_BLOCK: there is none */
    wr_place meet;      /* where lanes meet that part in the loop */
    bool *in;           /* by block: of the loop */
    bool *parts;        /* by block: its branch parts lanes that meet there */
} wr_spin;

/* Cuts blocks at the places, says of branches where their lanes meet, and makes the way out of each
 * loop the taken one. */
void wr_locks_part(wr_ir *ir, const wr_spin *spins, uint32_t count);

#endif
