/* SPDX-License-Identifier: Apache-2.0 */
/* Memory instructions between issue and the L1 or shared memory (lsu.c).
 *
 * They wait in one queue, in the order of issue; or, where the configuration has several
 * (sm.lsu_queues), each stream's in one of them, which take turns line by line, so that a stream
 * whose head finds no room does not hold up another. Each queue then has as many loads under way
 * and as large a store buffer as the only one would have.
 */
#ifndef WR_SHELL_CORE_SM_LSU_H
#define WR_SHELL_CORE_SM_LSU_H

#include "shell/config/config.h"

#include <stdbool.h>
#include <stdint.h>

#define WR_LSU_QUEUE 6   /* memory instructions between issue and L1 or shared memory */
#define WR_LSU_LINES 128 /* most lines one instruction touches: 32 lanes x 4 words of local */

/* A head that does not wait for a way goes on after any reply. */
#define WR_LSU_ANY UINT32_MAX

/* How the LSU treats an instruction. */
typedef enum wr_lsu_path {
    WR_LSU_BANKED,
    WR_LSU_LOAD,
    WR_LSU_STORE,
    WR_LSU_ATOMIC,
    WR_LSU_CONST
} wr_lsu_path;

typedef struct wr_lsu_line {
    uint64_t addr;     /* of the line */
    uint64_t bytes[2]; /* bit per byte that is touched */
    uint8_t serial;    /* atomics: most operations on one address */
    bool local;        /* of local memory */
} wr_lsu_line;

typedef struct wr_lsu_entry {
    uint64_t regs;     /* scoreboard bits that its end releases; 0: nobody waits */
    uint64_t ready_at; /* its operands are collected */
    uint64_t issued_at;
    uint32_t cycles;  /* in the pipeline, by bank conflicts; generic accesses: before the lines */
    uint32_t latency; /* BANKED, CONST: from the last of these to the result */
    uint16_t warp;
    uint8_t stream; /* of the launch */
    uint8_t id;     /* of the warp: its stores may outlive it in its slot */
    uint8_t path;
    bool no_l1;         /* goes past it: volatile, or the L1 is for local memory only */
    uint16_t count, at; /* lines; the next one */
    uint16_t op;        /* wr_mem_op once the first line is on its way */
    bool has_op;
    wr_lsu_line lines[WR_LSU_LINES];
} wr_lsu_entry;

typedef struct wr_lsu_queue {
    wr_lsu_entry entry[WR_LSU_QUEUE]; /* a ring */
    uint32_t head, count;
    uint32_t ops, stores; /* operations in use; lines stored and not acknowledged */
    uint32_t full;        /* the set of the L1 in which its head waits for a way; WR_LSU_ANY */
} wr_lsu_queue;

#endif
