/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions of a kernel forbid that a TB runs again from its start.
 *
 * A TB that is stopped, discarded and run again leaves what it would have left at once, unless it
 * has changed what its second run, or another TB, reads: an instruction is harmful that is an
 * atomic, or a service that is seen outside (printf, malloc, free), or a store to a buffer that the
 * kernel also reads. What an access reaches is known by its roots (kernel.h); one without a root
 * that points into a buffer may reach all of them. Shared and local memory do not count, since a
 * TB begins with new ones, nor do loads of constants and parameters, nor trap and assert, behind
 * which the run ends.
 *
 * That rests on one thing: a pointer that a kernel is given, and what it makes of it by arithmetic,
 * stays inside one buffer, as the C language wants.
 */
#ifndef WR_SHELL_ISA_IDEMPOTENCE_H
#define WR_SHELL_ISA_IDEMPOTENCE_H

#include <stdio.h>

#include "shell/isa/kernel.h"

typedef enum wr_harm_kind {
    WR_HARM_NONE,
    WR_HARM_ATOMIC,
    WR_HARM_SERVICE,
    WR_HARM_OVERWRITES, /* `reader` reads the same buffer */
    WR_HARM_ANYWHERE,   /* may write to any buffer, and `reader` reads one */
    WR_HARM_READ_BACK,  /* `reader` may read any buffer */
} wr_harm_kind;

typedef struct wr_harm {
    uint8_t kind;    /* wr_harm_kind */
    uint32_t reader; /* index of a load or atomic, where the kind has one */
} wr_harm;

/* The buffer into which the pointer at this byte of the parameter block points, as a number of its
 * own; 0: into none. */
typedef uint64_t (*wr_buffer_of_fn)(void *arg, uint32_t at);

/* Fills harms[0..insn_count-1]; returns how many are harmful, or SIZE_MAX: out of memory. */
size_t wr_idempotence(const wr_kernel *kernel, wr_buffer_of_fn buffer_of, void *arg,
                      wr_harm *harms);

/* The same where every pointer is to a buffer of its own, which is all that a compiler can say. */
size_t wr_idempotence_apart(const wr_kernel *kernel, wr_harm *harms);

/* Why instruction `index` is harmful, in words; returns the length as snprintf does. */
int wr_harm_print(const wr_kernel *kernel, size_t index, const wr_harm *harm, char *buf,
                  size_t size);

#endif
