/* SPDX-License-Identifier: Apache-2.0 */
/* The two allocation tables of an SM, registers and shared memory: where a TB's parts lie, and
 * which TBs must leave which of them so that those of another kernel fit (Lin-P III.A, Fig. 4).
 *
 *   requests --> queue --> block alloc_table (rows) ----\
 *           \--> queue --> block alloc_table (bytes) ----> answers, once both have done theirs
 *
 * The blocks decide; here are only their queues. Requests are carried out in order. A unit of the
 * row table is one vector register where 1,024 units cover the register file, else as many as it
 * takes; of the other 128 B. TBs without shared memory have no entry in the second.
 *
 * A plan enters the new kernel's TBs, to which nothing belongs yet: they are freed again at once,
 * since those TBs ask for their places one by one, when the old ones are gone. Equal TBs get by
 * that the very places of the plan.
 */
#ifndef WR_SYSTEMS_PREEMPTION_PLACES_H
#define WR_SYSTEMS_PREEMPTION_PLACES_H

#include "dpi/gen/alloc_table_port.h"
#include "shell/core/seam/launch.h"

enum {
    WR_PLACES_TABLES = 2,
    WR_PLACES_KERNELS = 7,  /* told apart; one number more is the plan's */
    WR_PLACES_TBS = 1 << 16 /* of a grid: their numbers must differ in 16 bits */
};

/* Whose entry, by the table's numbers. */
typedef struct wr_places_key {
    uint8_t kernel;
    uint16_t tb;
} wr_places_key;

typedef struct wr_places_op {
    wr_alloc_table_in pins; /* op, kernel, tb, size, count, old */
    bool is_last;           /* of its request: the answer is then complete in this table */
} wr_places_op;

enum { WR_PLACES_QUEUE = 256 };
typedef struct wr_places_table {
    wr_port_alloc_table port;
    bool is_open;
    uint32_t unit; /* rows or bytes */
    wr_places_op queue[WR_PLACES_QUEUE];
    uint32_t first, count;
    bool taken; /* the first has been taken, its replies come */
    /* the answer so far */
    bool ok;
    uint32_t start;
    uint16_t leave[32]; /* TBs of the old kernel that must leave this memory */
    uint32_t leave_count;
} wr_places_table;

typedef struct wr_places {
    wr_places_table table[WR_PLACES_TABLES];
    bool asked;    /* an allocation or a plan is under way */
    uint32_t open; /* tables that have not answered it, a bit each */
    char fault[384];
} wr_places;

bool wr_places_open(wr_places *places, const wr_gpu_config *cfg, const wr_behind *behind, char *err,
                    size_t err_size);
void wr_places_close(wr_places *places);

static inline bool wr_places_idle(const wr_places *places)
{
    return places->table[0].count == 0 && places->table[1].count == 0;
}

/* Asks for a place for parts of a TB, WR_KEEPS_* of `needed`; no other question is open. */
void wr_places_ask(wr_places *places, wr_places_key key, const wr_tb_needs *needs, uint32_t parts);
/* Asks who of kernel `old` must leave so that `count` TBs of these needs fit. */
void wr_places_plan(wr_places *places, uint8_t old, const wr_tb_needs *needs, uint32_t count);
/* These parts of the TB are free. */
void wr_places_free(wr_places *places, wr_places_key key, uint32_t parts);
/* One cycle of tables that are not idle. True: the question is answered. */
bool wr_places_step(wr_places *places);

/* The answer. An allocation: whether these parts have a place, and where. */
bool wr_places_ok(const wr_places *places, uint32_t parts);
uint32_t wr_places_row(const wr_places *places);
uint32_t wr_places_shared(const wr_places *places);
/* A plan: parts that this TB must leave; all where a table has no plan that would do. */
uint32_t wr_places_leaves(const wr_places *places, uint16_t tb);

#endif
