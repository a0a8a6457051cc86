/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of result_collection_unit: hint mode, then in order, again and again.
 *
 * Directed: the two instructions of Gong Fig. 5.7 and the loop of Fig. 5.1 as far as the entries
 * go. Then random phases: allocations on a few registers (so that sources meet none, one and
 * several entries), completions in any order, fetch at the head's PC, beside it and 512
 * instructions away from it, phases that end with entries left. The stimulus keeps the queue as a
 * list, so that it can aim and keep the protocol where no fault is wanted.
 */
#include <string.h>

#include "refmodel/gen/result_collection_unit_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { MAX_DEPTH = 16, SPECIAL_P0 = 0xf0 };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_ALLOC_FULL,
    FAULT_ALLOC_IN_ORDER,
    FAULT_ALLOC_DEP,
    FAULT_DONE_ID,
    FAULT_DONE_INVALID,
    FAULT_DONE_READY,
    FAULT_FETCH_HINT,
    FAULT_KINDS = FAULT_FETCH_HINT,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_ALLOC_FULL] = "alloc when full",
    [FAULT_ALLOC_IN_ORDER] = "alloc in order",
    [FAULT_ALLOC_DEP] = "alloc with a dependency",
    [FAULT_DONE_ID] = "done of a number that is no entry",
    [FAULT_DONE_INVALID] = "done of an entry that is not valid",
    [FAULT_DONE_READY] = "done of a ready entry",
    [FAULT_FETCH_HINT] = "fetch in hint mode",
};

typedef struct entry {
    uint8_t id;
    uint16_t offset;
    uint8_t dst;
    uint8_t renamed;
    bool control;
    bool ready;
} entry;

typedef struct state {
    wr_result_collection_unit_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed; /* the directed cases come first */
    wr_gate alloc;
    wr_gate done;
    wr_gate fetch;

    entry list[MAX_DEPTH]; /* oldest first */
    uint32_t held;
    uint8_t next_id;
    uint32_t base;
    bool hint;
    uint32_t phase_left;
    wr_result_collection_unit_in last;
    bool popped;  /* the cycle before freed the head */
    bool entered; /* hint mode begins in this cycle */
} state;

/* One directed cycle: in hint mode an allocation, in order a fetch. */
typedef struct step {
    int16_t pc; /* of the instruction; 0: none */
    bool hint;
    uint8_t dst;
    uint8_t renamed;
    bool control;
    uint8_t src;
    int8_t done; /* entry, or -1 */
} step;

enum { BASE_1 = 3, STEPS_1 = 11, BASE_2 = 17 };

static const step steps[] = {
    /* Fig. 5.7: I4 and I6 behind the stall at I3. */
    {4, true, 4, 4, false, 1, -1},
    {0, true, 0, 0, false, 4, -1}, /* I6 waits for r4 */
    {0, true, 0, 0, false, 4, 0},
    {6, true, 5, 5, false, 4, -1},
    {3, false, 0, 0, false, 0, -1},
    {4, false, 0, 0, false, 0, -1},
    {5, false, 0, 0, false, 0, -1},
    {6, false, 0, 0, false, 0, -1}, /* not ready yet */
    {6, false, 0, 0, false, 0, 1},
    {6, false, 0, 0, false, 0, -1},
    {7, false, 0, 0, false, 0, -1},
    /* Fig. 5.1: I19, I20 and over the back edge to I1. */
    {19, true, 7, 7, false, 7, -1},
    {20, true, 0, 0, true, 9, -1},
    {1, true, SPECIAL_P0, SPECIAL_P0, false, 4, -1},
    {2, true, 0, 0, true, 0, -1},
    {3, true, 9, 40, false, 5, -1},
    {0, true, 0, 0, false, 9, -1},
    {4, true, 9, 41, false, 5, -1}, /* r9 a second time */
    {0, true, 0, 0, false, 9, 7},
    {0, true, 0, 0, false, 9, -1}, /* the younger is ready, the older runs */
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_result_collection_unit_cfg *)cfg, .base = BASE_1};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

static bool source_waits(const state *s, uint8_t reg)
{
    for (uint32_t i = 0; i < s->held; i++) {
        if (!s->list[i].control && s->list[i].dst == reg && !s->list[i].ready) {
            return true;
        }
    }
    return false;
}

static bool depends(const state *s, const wr_result_collection_unit_in *in)
{
    bool dep = false;
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        dep = dep || (in->src_used[i] && source_waits(s, in->src[i]));
    }
    return dep;
}

static entry *find(state *s, uint8_t id)
{
    for (uint32_t i = 0; i < s->held; i++) {
        if (s->list[i].id == id) {
            return &s->list[i];
        }
    }
    return NULL;
}

static uint32_t pc_of(const state *s, uint16_t offset)
{
    return s->base + offset - (offset >= 256u ? 512u : 0u);
}

/* What the cycle before has done to the list. */
static void follow(state *s)
{
    const wr_result_collection_unit_in *in = &s->last;
    s->popped = false;
    if (in->clear) {
        s->held = 0;
        s->next_id = 0;
        return;
    }
    const bool full = s->held == s->cfg.depth;
    const bool pops = in->fetch && !in->hint && s->held > 0 && s->list[0].ready &&
                      in->pc == pc_of(s, s->list[0].offset);
    entry *done = find(s, in->done_id);
    if (in->done && done != NULL) {
        done->ready = true;
    }
    if (in->alloc && in->hint && !full) {
        s->list[s->held++] = (entry){.id = s->next_id,
                                     .offset = in->offset,
                                     .dst = in->dst,
                                     .renamed = in->renamed,
                                     .control = in->control};
        s->next_id = (uint8_t)((s->next_id + 1u) % s->cfg.depth);
    }
    if (pops) {
        s->held--;
        memmove(s->list, s->list + 1, s->held * sizeof s->list[0]);
        s->popped = true;
    }
}

static void directed(state *s, uint64_t cycle, wr_result_collection_unit_in *in)
{
    const step *d = &steps[cycle];
    s->base = cycle < STEPS_1 ? BASE_1 : BASE_2;
    in->hint = d->hint;
    in->alloc = d->hint && d->pc != 0;
    in->fetch = !d->hint;
    in->pc = (uint32_t)d->pc;
    in->offset = (uint16_t)((uint32_t)(d->pc - (int32_t)s->base) & 511u);
    in->dst = d->dst;
    in->renamed = d->renamed;
    in->control = d->control;
    in->src_used[0] = true;
    in->src[0] = d->src;
    in->done = d->done >= 0;
    in->done_id = (uint8_t)(d->done & 15);
}

static uint16_t offset_of(state *s)
{
    static const uint16_t edges[] = {0, 1, 255, 256, 257, 511};
    return wr_rng_chance(&s->rng, 30) ? edges[wr_rng_below(&s->rng, 6)]
                                      : (uint16_t)wr_rng_below(&s->rng, 512);
}

static uint8_t reg_of(state *s)
{
    return (uint8_t)(wr_rng_chance(&s->rng, 90) ? wr_rng_below(&s->rng, 5)
                                                : 255 - wr_rng_below(&s->rng, 2));
}

static void random_alloc(state *s, wr_result_collection_unit_in *in)
{
    in->offset = offset_of(s);
    in->dst = reg_of(s);
    in->renamed = wr_rng_chance(&s->rng, 50) ? in->dst : (uint8_t)wr_rng_u32(&s->rng);
    in->control = wr_rng_chance(&s->rng, 20);
    in->alloc = wr_gate_open(&s->alloc, &s->rng);
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        const bool near = s->held > 0 && wr_rng_chance(&s->rng, 20);
        in->src_used[i] = wr_rng_chance(&s->rng, 60);
        in->src[i] =
            near ? (uint8_t)wr_near_value(s->list[wr_rng_below(&s->rng, s->held)].dst, 8, &s->rng)
                 : reg_of(s);
    }
}

static void random_fetch(state *s, wr_result_collection_unit_in *in)
{
    const uint32_t pick = wr_rng_below(&s->rng, 20);
    /* Where nothing is held: also what an entry of offset 0 would hold. */
    in->pc = pick < 10 ? s->base : wr_rng_u32(&s->rng);
    if (s->held > 0) {
        const uint32_t head = pc_of(s, s->list[0].offset);
        const uint32_t other = pc_of(s, s->list[wr_rng_below(&s->rng, s->held)].offset);
        in->pc = pick < 12    ? head
                 : pick == 12 ? head + 512
                 : pick == 13 ? head - 512
                 : pick == 14 ? head + 1
                 : pick == 15 ? head ^ (1u << wr_rng_below(&s->rng, 32))
                 : pick < 19  ? other
                              : s->base;
    }
    in->fetch = wr_gate_open(&s->fetch, &s->rng);
}

static void random_done(state *s, wr_result_collection_unit_in *in)
{
    uint8_t running[MAX_DEPTH];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->held; i++) {
        if (!s->list[i].ready) {
            running[n++] = s->list[i].id;
        }
    }
    in->done_id = (uint8_t)wr_rng_below(&s->rng, 16);
    if (n > 0 && wr_gate_open(&s->done, &s->rng)) {
        in->done = true;
        in->done_id = running[wr_rng_chance(&s->rng, 40) ? 0 : wr_rng_below(&s->rng, n)];
    }
}

static void phase(state *s)
{
    if (s->phase_left > 0) {
        s->phase_left--;
        return;
    }
    s->hint = !s->hint;
    s->phase_left = wr_rng_chance(&s->rng, 20) ? wr_rng_below(&s->rng, 4)
                                               : 2 * s->cfg.depth + wr_rng_below(&s->rng, 30);
    if (s->hint && s->held == 0) {
        s->base = wr_edge_value(&s->rng);
    }
}

static void keep_protocol(const state *s, wr_result_collection_unit_in *in)
{
    in->alloc = in->alloc && in->hint && s->held < s->cfg.depth && !depends(s, in);
    in->fetch = in->fetch && !in->hint;
}

static void break_protocol(state *s, uint32_t kind, wr_result_collection_unit_in *in)
{
    switch (kind) {
    case FAULT_ALLOC_FULL:
        in->alloc = in->alloc || (in->hint && s->held == s->cfg.depth);
        break;
    case FAULT_ALLOC_IN_ORDER:
        in->alloc = in->alloc || !in->hint;
        break;
    case FAULT_ALLOC_DEP:
        in->alloc = in->alloc || (in->hint && s->held < s->cfg.depth && depends(s, in));
        break;
    case FAULT_DONE_ID:
        in->done = true;
        in->done_id = (uint8_t)(s->cfg.depth + wr_rng_below(&s->rng, 17 - s->cfg.depth)) & 15u;
        break;
    case FAULT_DONE_INVALID:
        if (s->held < s->cfg.depth) {
            in->done = true;
            in->done_id = s->next_id;
        }
        break;
    case FAULT_DONE_READY:
        if (s->held > 0 && s->list[0].ready) {
            in->done = true;
            in->done_id = s->list[0].id;
        }
        break;
    case FAULT_FETCH_HINT:
        in->fetch = in->fetch || in->hint;
        break;
    default:
        break;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_result_collection_unit_out *last = last_out;
    wr_result_collection_unit_in *in = in_;

    follow(s);
    if (s->directed && cycle < sizeof steps / sizeof steps[0]) {
        directed(s, cycle, in);
        keep_protocol(s, in);
        const entry *e = find(s, in->done_id);
        in->done = in->done && e != NULL && !e->ready;
    } else {
        wr_faults_step(&s->faults);
        phase(s);
        in->hint = s->hint;
        random_alloc(s, in);
        random_fetch(s, in);
        random_done(s, in);
        keep_protocol(s, in);
        break_protocol(s, wr_faults_pick(&s->faults, last->fault, 15, &s->rng), in);
        in->clear = wr_rng_chance(&s->rng, 1);
    }
    in->base = s->base;
    s->entered = in->hint && !s->last.hint;
    s->last = *in;
}

static const char *const bin_names[] = {
    "allocation",
    "allocation takes the last entry",
    "allocation into the highest entry",
    "allocation of a branch",
    "allocation in a cycle with a completion",
    "allocation without a used source",
    "allocation when full",
    "allocation in order",
    "allocation with a dependency",
    "no dependency: no entry writes the source",
    "no dependency: entries of this dst are ready",
    "no dependency: a branch with this dst",
    "no dependency: the source is not in use",
    "dependency: the youngest is not ready, an older is",
    "dependency: an older is not ready, the youngest is",
    "dependency across the wrap of the entries",
    "completion of the head",
    "completion of another entry",
    "completion while in order",
    "completion of a number that is no entry",
    "completion of an entry that is not valid",
    "completion of a ready entry",
    "fetch of another PC",
    "fetch waits",
    "fetch waits in the cycle of the completion",
    "fetch skips",
    "fetch copies",
    "fetch of a branch",
    "fetch behind a freed head",
    "fetch 512 instructions away from the head",
    "fetch at the PC of an entry that is not the head",
    "fetch at the smallest offset",
    "fetch at the largest offset",
    "match without fetch",
    "fetch in hint mode",
    "hint mode with entries left",
    "the last entry leaves",
    "clear of a full unit",
    "clear over an allocation",
    "fault",
};
enum {
    BIN_ALLOC,
    BIN_ALLOC_LAST,
    BIN_ALLOC_HIGH,
    BIN_ALLOC_CONTROL,
    BIN_ALLOC_DONE,
    BIN_ALLOC_NO_SRC,
    BIN_ALLOC_FULL,
    BIN_ALLOC_ORDER,
    BIN_ALLOC_DEP,
    BIN_FREE_NONE,
    BIN_FREE_READY,
    BIN_FREE_CONTROL,
    BIN_FREE_UNUSED,
    BIN_DEP_YOUNGEST,
    BIN_DEP_OLDER,
    BIN_DEP_WRAP,
    BIN_DONE_HEAD,
    BIN_DONE_OTHER,
    BIN_DONE_ORDER,
    BIN_DONE_ID,
    BIN_DONE_INVALID,
    BIN_DONE_READY,
    BIN_NORMAL,
    BIN_WAIT,
    BIN_WAIT_DONE,
    BIN_SKIP,
    BIN_COPY,
    BIN_BRANCH,
    BIN_POPS,
    BIN_AWAY,
    BIN_NOT_HEAD,
    BIN_SMALLEST,
    BIN_LARGEST,
    BIN_NO_FETCH,
    BIN_FETCH_HINT,
    BIN_LEFT,
    BIN_LAST_OUT,
    BIN_CLEAR_FULL,
    BIN_CLEAR_ALLOC,
    BIN_FAULT,
    BINS,
};

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "PC of fetch and of the head", .width = 32},
    {.name = "source and dst of a running entry", .width = 8},
};
enum {
    NEAR_PC = BINS,
    NEAR_SRC,
};

enum { NORMAL, WAIT, SKIP, COPY, BRANCH };

/* One source of a cycle in hint mode. */
static void cover_source(const state *s, bool used, uint8_t reg, uint64_t *hits)
{
    const entry *youngest = NULL;
    uint32_t ready = 0;
    uint32_t running = 0;
    bool branch = false;
    bool wrapped = false;
    for (uint32_t i = 0; i < s->held; i++) {
        const entry *e = &s->list[i];
        branch = branch || (e->control && e->dst == reg && !e->ready);
        hits[NEAR_SRC] |= used && !e->control && !e->ready ? wr_near_bit(reg, e->dst) : 0;
        if (!e->control && e->dst == reg) {
            ready += e->ready;
            running += !e->ready;
            wrapped = wrapped || (!e->ready && e->id < s->list[0].id);
            youngest = e;
        }
    }
    hits[BIN_FREE_NONE] += used && !youngest && s->held > 0;
    hits[BIN_FREE_READY] += used && ready > 1 && running == 0;
    hits[BIN_FREE_CONTROL] += used && !youngest && branch;
    hits[BIN_FREE_UNUSED] += !used && running > 0;
    hits[BIN_DEP_YOUNGEST] += used && ready > 0 && running == 1 && !youngest->ready;
    hits[BIN_DEP_OLDER] += used && running > 0 && youngest->ready;
    hits[BIN_DEP_WRAP] += used && running == 1 && wrapped;
}

static void cover_hint(const state *s, const wr_result_collection_unit_in *in,
                       const wr_result_collection_unit_out *out, uint64_t *hits)
{
    bool any = false;
    for (uint32_t i = 0; i < s->cfg.srcs; i++) {
        cover_source(s, in->src_used[i], in->src[i], hits);
        any = any || in->src_used[i];
    }
    const bool alloc = in->alloc && !out->full;
    hits[BIN_ALLOC] += alloc;
    hits[BIN_ALLOC_LAST] += alloc && s->held + 1 == s->cfg.depth;
    hits[BIN_ALLOC_HIGH] += alloc && out->id + 1u == s->cfg.depth;
    hits[BIN_ALLOC_CONTROL] += alloc && in->control;
    hits[BIN_ALLOC_DONE] += alloc && in->done;
    hits[BIN_ALLOC_NO_SRC] += alloc && !any;
    hits[BIN_ALLOC_FULL] += in->alloc && out->full;
    hits[BIN_ALLOC_DEP] += alloc && out->dep;
    hits[BIN_FETCH_HINT] += in->fetch;
}

static void cover_order(const state *s, const wr_result_collection_unit_in *in,
                        const wr_result_collection_unit_out *out, uint64_t *hits)
{
    const entry *head = &s->list[0];
    const bool held = s->held > 0;
    const bool pops = in->fetch && out->action >= SKIP;
    bool at_other = false;
    for (uint32_t i = 1; i < s->held; i++) {
        at_other = at_other || in->pc == pc_of(s, s->list[i].offset);
    }
    hits[NEAR_PC] |= held && head->ready ? wr_near_bit(in->pc, pc_of(s, head->offset)) : 0;
    hits[BIN_ALLOC_ORDER] += in->alloc;
    hits[BIN_NORMAL] += in->fetch && held && out->action == NORMAL;
    hits[BIN_WAIT] += in->fetch && out->action == WAIT;
    hits[BIN_WAIT_DONE] += out->action == WAIT && in->done && in->done_id == head->id;
    hits[BIN_SKIP] += pops && out->action == SKIP;
    hits[BIN_COPY] += pops && out->action == COPY;
    hits[BIN_BRANCH] += pops && out->action == BRANCH;
    hits[BIN_POPS] += pops && s->popped;
    hits[BIN_AWAY] += held && (in->pc == pc_of(s, head->offset) + 512u ||
                               in->pc == pc_of(s, head->offset) - 512u);
    hits[BIN_NOT_HEAD] += in->fetch && at_other && out->action == NORMAL;
    hits[BIN_SMALLEST] += pops && head->offset == 256;
    hits[BIN_LARGEST] += pops && head->offset == 255;
    hits[BIN_NO_FETCH] += !in->fetch && out->action >= SKIP;
    hits[BIN_LAST_OUT] += pops && s->held == 1;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_result_collection_unit_in *in = in_;
    const wr_result_collection_unit_out *out = out_;

    hits[BIN_CLEAR_FULL] += in->clear && out->full;
    hits[BIN_CLEAR_ALLOC] += in->clear && in->alloc;
    hits[BIN_FAULT] += out->fault;
    if (in->clear) {
        return;
    }
    if (in->hint) {
        cover_hint(s, in, out, hits);
    } else {
        cover_order(s, in, out, hits);
    }
    hits[BIN_LEFT] += s->entered && s->held > 0;
    if (in->done) {
        uint32_t at = 0;
        while (at < s->held && s->list[at].id != in->done_id) {
            at++;
        }
        const bool valid = at < s->held;
        const bool good = valid && !s->list[at].ready;
        hits[BIN_DONE_HEAD] += good && at == 0;
        hits[BIN_DONE_OTHER] += good && at > 0;
        hits[BIN_DONE_ORDER] += good && !in->hint;
        hits[BIN_DONE_ID] += in->done_id >= s->cfg.depth;
        hits[BIN_DONE_INVALID] += in->done_id < s->cfg.depth && !valid;
        hits[BIN_DONE_READY] += valid && !good;
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_result_collection_unit_stim;
const wr_stim wr_result_collection_unit_stim = {
    .block = "result_collection_unit",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = bin_names,
    .bins = BINS,
    .cover = cover,
    .nears = nears,
    .near_count = sizeof nears / sizeof nears[0],
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, faults),
};
