/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of switch_queues: four producers that keep an id until there is space, four consumers.
 *
 * Directed: all four queues are filled past full, kept full with a push and a pop in one cycle,
 * emptied, then fed while empty. Then random gates on all eight sides, a clear now and then, and
 * in runs with faults pops of empty queues.
 */
#include "refmodel/gen/switch_queues_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    QUEUES = 4,           /* stalled and ready warps, stalled and ready TBs */
    FAULT_KINDS = QUEUES, /* kind 1 + q: a pop of queue q while it is empty */
};

/* By kind. */
static const char *const fault_names[] = {
    NULL,
    "pop of empty queue 0",
    "pop of empty queue 1",
    "pop of empty queue 2",
    "pop of empty queue 3",
};

typedef struct state {
    wr_switch_queues_cfg cfg;
    wr_rng rng;
    wr_gate push[QUEUES];
    wr_gate pop[QUEUES];
    wr_faults faults;
    bool directed; /* the directed cases come first */

    uint32_t stretch;        /* cycles of one directed stretch */
    uint32_t count[QUEUES];  /* entries at the start of this cycle */
    uint32_t popped[QUEUES]; /* since the last clear, up to past the depth */
    uint8_t held[QUEUES];    /* the id that each producer has */
    bool refused[QUEUES];    /* and that was not taken in the cycle before */
    wr_switch_queues_in last;
} state;

static uint32_t depth_of(const wr_switch_queues_cfg *cfg, uint32_t q)
{
    return q < 2 ? cfg->warp_depth : cfg->tb_depth;
}

/* One queue's pins, warps first. */
static bool space_of(const wr_switch_queues_out *out, uint32_t q)
{
    return q < 2 ? out->warp_space[q] : out->tb_space[q - 2];
}

static bool valid_of(const wr_switch_queues_out *out, uint32_t q)
{
    return q < 2 ? out->warp_valid[q] : out->tb_valid[q - 2];
}

static bool pushes(const wr_switch_queues_in *in, uint32_t q)
{
    return q < 2 ? in->warp_push[q] : in->tb_push[q - 2];
}

static bool pops(const wr_switch_queues_in *in, uint32_t q)
{
    return q < 2 ? in->warp_pop[q] : in->tb_pop[q - 2];
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_switch_queues_cfg *)cfg};
    s->stretch = 3 + (s->cfg.warp_depth > s->cfg.tb_depth ? s->cfg.warp_depth : s->cfg.tb_depth);
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

/* What the cycle before has done to queue q. */
static void learn(state *s, const wr_switch_queues_out *last, uint32_t q)
{
    const bool taken = pushes(&s->last, q) && space_of(last, q);
    const bool left = pops(&s->last, q) && valid_of(last, q);
    s->refused[q] = false;
    if (s->last.clear) {
        s->count[q] = 0;
        s->popped[q] = 0;
        return;
    }
    s->refused[q] = pushes(&s->last, q) && !taken;
    s->count[q] += taken;
    s->count[q] -= left;
    s->popped[q] += left && s->popped[q] <= depth_of(&s->cfg, q);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_switch_queues_in *in = in_;
    /* Directed stretches: fill, push and pop when full, empty, push and pop when empty. */
    const uint64_t part = cycle / s->stretch;
    const bool directed = s->directed && part < 4;
    uint32_t fault = 0;

    if (!directed) {
        wr_faults_step(&s->faults);
        fault = wr_faults_pick(&s->faults, ((const wr_switch_queues_out *)last_out)->fault, 10,
                               &s->rng);
        in->clear = wr_rng_below(&s->rng, 300) == 0;
    }
    for (uint32_t q = 0; q < QUEUES; q++) {
        learn(s, last_out, q);
        bool push = directed ? part != 2 : wr_gate_open(&s->push[q], &s->rng);
        bool pop = directed ? part != 0 : wr_gate_open(&s->pop[q], &s->rng);
        push = push || s->refused[q];
        /* Every other time from all that are empty. */
        const bool wrong = fault == q + 1 || (fault != 0 && s->faults.round % 2 == 1);
        pop = (pop && (s->count[q] > 0 || in->clear)) || (wrong && s->count[q] == 0);
        if (!s->refused[q]) {
            s->held[q] = (uint8_t)wr_rng_below(&s->rng, q < 2 ? 128 : 32);
        }
        if (q < 2) {
            in->warp_push[q] = push;
            in->warp_push_id[q] = s->held[q];
            in->warp_pop[q] = pop;
        } else {
            in->tb_push[q - 2] = push;
            in->tb_push_id[q - 2] = s->held[q];
            in->tb_pop[q - 2] = pop;
        }
    }
    s->last = *in;
}

/* The same bins for each queue. */
enum {
    BIN_FILLS,      /* the push that makes it full */
    BIN_HELD_BACK,  /* a push while full */
    BIN_FULL_BOTH,  /* push and pop while full: the pop alone happens */
    BIN_BOTH,       /* push and pop, neither full nor empty */
    BIN_FEEDS,      /* a push while empty */
    BIN_EMPTIES,    /* a pop of the last entry */
    BIN_WRAPS,      /* a pop after as many as the queue is deep */
    BIN_CLEAR,      /* a clear with entries held */
    BIN_FAULT,      /* a pop while empty */
    BIN_FAULT_PUSH, /* and a push in that cycle */
    QUEUE_BINS,
    BIN_CLEAR_BOTH = QUEUES * QUEUE_BINS, /* a clear with pushes and pops */
    BIN_IDLE,
    BINS,
};

#define QUEUE_NAMES(queue)                                                                         \
    queue ": push that fills it", queue ": push held back", queue ": push and pop when full",      \
        queue ": push and pop between", queue ": push when empty", queue ": pop of the last",      \
        queue ": pop after a whole round", queue ": clear with entries", queue ": pop when empty", \
        queue ": pop when empty, with a push"

static const char *const bin_names[] = {
    QUEUE_NAMES("stalled warps"), QUEUE_NAMES("ready warps"), QUEUE_NAMES("stalled TBs"),
    QUEUE_NAMES("ready TBs"),     "clear with push and pop",  "idle cycle",
};

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_switch_queues_in *in = in_;
    const wr_switch_queues_out *out = out_;
    bool any_push = false;
    bool any_pop = false;

    for (uint32_t q = 0; q < QUEUES; q++) {
        uint64_t *hit = hits + (size_t)q * QUEUE_BINS;
        const bool push = pushes(in, q);
        const bool pop = pops(in, q);
        const bool space = space_of(out, q);
        const bool valid = valid_of(out, q);
        any_push = any_push || push;
        any_pop = any_pop || (pop && valid);
        if (in->clear) {
            hit[BIN_CLEAR] += valid;
            continue;
        }
        hit[BIN_FILLS] += push && !pop && s->count[q] + 1 == depth_of(&s->cfg, q);
        hit[BIN_HELD_BACK] += push && !space;
        hit[BIN_FULL_BOTH] += push && pop && !space;
        hit[BIN_BOTH] += push && pop && space && valid;
        hit[BIN_FEEDS] += push && !valid;
        hit[BIN_EMPTIES] += pop && !push && s->count[q] == 1;
        hit[BIN_WRAPS] += pop && valid && s->popped[q] >= depth_of(&s->cfg, q);
        hit[BIN_FAULT] += pop && !valid;
        hit[BIN_FAULT_PUSH] += pop && !valid && push;
    }
    hits[BIN_CLEAR_BOTH] += in->clear && any_push && any_pop;
    hits[BIN_IDLE] += !in->clear && !any_push && !any_pop;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_switch_queues_stim;
const wr_stim wr_switch_queues_stim = {
    .block = "switch_queues",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
