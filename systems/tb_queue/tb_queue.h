/* SPDX-License-Identifier: Apache-2.0 */
/* Preempted TBs (SMK 5.1, Fig. 3): the preemption engine of an SM takes single TBs off it while the
 * others run on, and brings them back to any SM; in between they wait in one queue, in the order in
 * which they left.
 *
 *   wr_tb_queue_out    TBs of an SM stop, are drained and saved     --> the queue
 *   wr_tb_queue_in     the first of a stream's that waits           <-- the queue
 *
 * Who leaves and who comes back, when and where, is the user's; so is it to keep the dispatcher
 * from the room of those that have left. Two manners:
 *
 *   through memory   by the context engine of the SM, whose blocks are the bay's
 *   free of cost     a TB that is to leave is drained, and then is off the SM in that cycle, as it
 *                    is back in the cycle in which it comes: what SMK 6.5 calls ideal
 *
 * Invariants:
 * - a TB that has left and not ended is in the queue or on its way in, once;
 * - a TB on its way in is not taken off again before it is whole: then it has run.
 *
 * All calls are for [serial] hooks.
 */
#ifndef WR_SYSTEMS_TB_QUEUE_TB_QUEUE_H
#define WR_SYSTEMS_TB_QUEUE_TB_QUEUE_H

#include "systems/context/engine.h"
#include "systems/frame/system.h"

/* What the user is told. */
typedef struct wr_tb_queue_user {
    void *self;
    const char *name; /* the system's */
    /* The TB has left the slot, and its room is free. */
    void (*left)(void *self, wr_sm *sm, uint32_t slot, const wr_tb_info *tb);
    /* It is in the queue; through memory that is later, when its last write is acknowledged. */
    void (*queued)(void *self, const wr_tb_info *tb);
    /* A TB that wr_tb_queue_in asked for has its place; it will run. */
    void (*placed)(void *self, wr_sm *sm, uint32_t slot, const wr_tb_info *tb);
} wr_tb_queue_user;

/* One SM. */
typedef struct wr_tb_queue_sm {
    wr_context_engine engine;
    uint64_t leaving;                  /* TBs on their way out, a bit for each slot */
    uint64_t since[WR_CONFIG_MAX_TBS]; /* cycle in which the slot's TB was told to leave */
} wr_tb_queue_sm;

typedef struct wr_tb_queue_counts {
    uint64_t out, ended; /* TBs that have left, and those that ended before they could */
    uint64_t in;
    uint64_t cycles; /* from the word to leave to the room, summed over the TBs that have left */
    uint32_t most;   /* in the queue */
    wr_context_sums sums; /* through memory */
} wr_tb_queue_counts;

typedef struct wr_tb_queue {
    wr_tb_queue_user user;
    wr_owner owner;
    wr_bay *bay;
    wr_gpu *gpu;
    wr_context_kind kind;
    bool is_free;
    uint32_t sm_count, tbs_per_sm;
    wr_context_area area[WR_MAX_STREAMS];
    wr_tb_queue_sm *sm;
    wr_saved_tb *tb; /* those that wait; room for every TB that can be alive */
    uint32_t count;
    uint32_t of_stream[WR_MAX_STREAMS];
    wr_tb_queue_counts counts;
    char refused[256];
} wr_tb_queue;

/* is_free: of cost; kind is then WR_CONTEXT_ALL. Adds a unit for each SM to the bay. False with one
 * line in err. The queue must not move. */
bool wr_tb_queue_open(wr_tb_queue *q, const wr_tb_queue_user *user, const wr_system_setup *setup,
                      wr_context_kind kind, bool is_free, char *err, size_t err_size);
void wr_tb_queue_close(wr_tb_queue *q);

/* From launch_begin. False: the launch is refused. */
bool wr_tb_queue_launch_begin(wr_tb_queue *q, wr_gpu *gpu, uint32_t stream,
                              const wr_launch *launch);
/* From launch_end. */
void wr_tb_queue_launch_end(wr_tb_queue *q);
/* From tb_done. */
void wr_tb_queue_tb_done(wr_tb_queue *q, const wr_sm *sm, uint32_t slot);
/* From sm_cycle. */
void wr_tb_queue_sm_cycle(wr_tb_queue *q, wr_sm *sm);

/* The TBs of these slots leave, which are there and not on their way in. */
void wr_tb_queue_out(wr_tb_queue *q, wr_sm *sm, uint64_t tbs);
/* TBs of the SM on their way out; slots of those on their way in, that are not whole. */
uint64_t wr_tb_queue_leaving(const wr_tb_queue *q, uint32_t sm);
uint64_t wr_tb_queue_coming(const wr_tb_queue *q, uint32_t sm);
/* Of a stream, in the queue. */
static inline uint32_t wr_tb_queue_waiting(const wr_tb_queue *q, uint32_t stream)
{
    return q->of_stream[stream];
}
/* A new TB of the stream may begin: there is room in memory for the contexts of so many that have
 * begun and not ended. The user asks before he takes one, or lets the dispatcher. */
bool wr_tb_queue_may_begin(const wr_tb_queue *q, uint32_t stream);
/* TBs that wr_tb_queue_in has sent to the SM and that have no place yet. */
static inline uint32_t wr_tb_queue_sent(const wr_tb_queue *q, uint32_t sm)
{
    return q->sm[sm].engine.in_count;
}
/* The stream's first comes to this SM, to where it is told, or (NULL) where the SM finds room. It
 * is placed once no save is under way there and it fits. False: none waits, or too many come. */
bool wr_tb_queue_in(wr_tb_queue *q, wr_sm *sm, uint32_t stream, const wr_tb_where *where);

void wr_tb_queue_report(const wr_tb_queue *q, wr_report *report);

/* ideal.c, for tb_queue.c: the state of a TB all of whose warps are still, to memory and back, in
 * no time. */
bool wr_tb_ideal_save(wr_gpu *gpu, wr_sm *sm, uint32_t slot, wr_context_area *area,
                      wr_saved_tb *tb);
void wr_tb_ideal_restore(wr_gpu *gpu, wr_sm *sm, uint32_t slot, wr_context_area *area,
                         const wr_saved_tb *tb);

#endif
