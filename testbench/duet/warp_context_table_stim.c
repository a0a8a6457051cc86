/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of warp_context_table: its own copy of the valid bits and states, so that most commands
 * are allowed ones.
 *
 * Directed: the first ten entries go once round the states of Fig. 3.9. Then random phases
 * that fill, empty or mix; the ports look mostly at the entry that has just changed, at the first
 * and the last one and past the end. Addresses sit on the borders of what counts as present.
 */
#include "refmodel/gen/warp_context_table_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    OP_NONE,
    OP_INSERT,
    OP_UPDATE,
    OP_REMOVE,

    RUNNING = 0,
    STALLED,
    ABSENT,
    READY,
    STATES,

    WARPS_MAX = 128,
    SLOT_0 = 0xc00,
    ALL_FIELDS = 15,
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_ID,
    FAULT_INSERT_VALID,
    FAULT_INSERT_STATE,
    FAULT_UPDATE_INVALID,
    FAULT_UPDATE_STATE,
    FAULT_REMOVE_INVALID,
    FAULT_KINDS = FAULT_REMOVE_INVALID,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_ID] = "id past the last entry",
    [FAULT_INSERT_VALID] = "insert of a valid entry",
    [FAULT_INSERT_STATE] = "insert in a state that cannot be",
    [FAULT_UPDATE_INVALID] = "update of an invalid entry",
    [FAULT_UPDATE_STATE] = "update to a state that cannot be",
    [FAULT_REMOVE_INVALID] = "remove of an invalid entry",
};

typedef struct state {
    wr_warp_context_table_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed;         /* the directed cases come first */
    bool valid[WARPS_MAX]; /* after the commands so far */
    uint8_t warp_state[WARPS_MAX];
    uint32_t valids;
    bool before_valid; /* the commanded entry before this cycle's command */
    uint8_t before;
    uint32_t last_id;
    uint32_t phase_left;
    uint32_t insert_percent; /* of the commands on an invalid entry that insert */
    uint32_t remove_percent;
    uint8_t aim; /* all warps go to this state in this phase; STATES: none */
} state;

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_warp_context_table_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
    if (s->faults.first == FAULT_ID && s->cfg.warps == WARPS_MAX) {
        s->faults.first = FAULT_INSERT_VALID; /* no id is past the end */
    }
}

static bool arrow(uint32_t from, uint32_t to)
{
    static const bool arrows[STATES][STATES] = {
        [RUNNING] = {[RUNNING] = true, [STALLED] = true},
        [STALLED] = {[STALLED] = true, [RUNNING] = true, [ABSENT] = true},
        [ABSENT] = {[ABSENT] = true, [READY] = true},
        [READY] = {[READY] = true, [RUNNING] = true},
    };
    return arrows[from][to];
}

static uint16_t pick_reg(state *s)
{
    const uint32_t edge = s->cfg.reg_units;
    switch (wr_rng_below(&s->rng, 4)) {
    case 0:
        return (uint16_t)(edge - 1 + wr_rng_below(&s->rng, 2));
    case 1:
        return (uint16_t)wr_rng_below(&s->rng, 4096);
    default:
        return (uint16_t)wr_rng_below(&s->rng, edge);
    }
}

static uint16_t pick_meta(state *s)
{
    const uint32_t end = SLOT_0 + s->cfg.slots;
    switch (wr_rng_below(&s->rng, 8)) {
    case 0:
        return 0xfff;
    case 1:
        return (uint16_t)(SLOT_0 - 1 + wr_rng_below(&s->rng, 2));
    case 2:
        return (uint16_t)(end - 1 + wr_rng_below(&s->rng, 2));
    case 3:
        return (uint16_t)wr_rng_below(&s->rng, 4096);
    default:
        return (uint16_t)(SLOT_0 + wr_rng_below(&s->rng, s->cfg.slots));
    }
}

/* A random entry that is valid, or one that is not; false where there is none. */
static bool pick_entry(state *s, bool valid, uint32_t *id)
{
    const uint32_t start = wr_rng_below(&s->rng, s->cfg.warps);
    for (uint32_t i = 0; i < s->cfg.warps; i++) {
        *id = (start + i) % s->cfg.warps;
        if (s->valid[*id] == valid) {
            return true;
        }
    }
    return false;
}

static bool command_fault(state *s, bool shown, wr_warp_context_table_in *in)
{
    uint32_t id = 0;
    wr_rng *r = &s->rng;
    wr_faults_step(&s->faults);
    const uint32_t kind = wr_faults_pick(&s->faults, shown, 5, r);
    in->state = (uint8_t)wr_rng_below(r, STATES);
    switch (kind) {
    case FAULT_ID:
        if (s->cfg.warps == WARPS_MAX) {
            return false;
        }
        in->op = (uint8_t)(1 + wr_rng_below(r, 3));
        id = wr_rng_chance(r, 50) ? s->cfg.warps
                                  : s->cfg.warps + wr_rng_below(r, WARPS_MAX - s->cfg.warps);
        break;
    case FAULT_INSERT_VALID:
    case FAULT_UPDATE_STATE:
        if (!pick_entry(s, true, &id)) {
            return false;
        }
        in->op = kind == FAULT_INSERT_VALID ? OP_INSERT : OP_UPDATE;
        in->fields |= 1;
        if (kind == FAULT_INSERT_VALID) {
            in->state = wr_rng_chance(r, 50) ? RUNNING : READY;
        } else if (arrow(s->warp_state[id], in->state) ||
                   (!shown && s->faults.round % 2 == 0 &&
                    (s->warp_state[id] != ABSENT || in->state != RUNNING))) {
            return false; /* every other time the arrow that leaves out ready */
        }
        break;
    case FAULT_INSERT_STATE:
    case FAULT_UPDATE_INVALID:
    case FAULT_REMOVE_INVALID:
        if (!pick_entry(s, false, &id)) {
            return false;
        }
        in->op = kind == FAULT_INSERT_STATE     ? OP_INSERT
                 : kind == FAULT_UPDATE_INVALID ? OP_UPDATE
                                                : OP_REMOVE;
        if (kind == FAULT_INSERT_STATE) {
            in->state = wr_rng_chance(r, 50) ? STALLED : ABSENT;
        }
        break;
    default:
        return false;
    }
    in->id = (uint8_t)id;
    return true;
}

/* A warp from this id on that is not where all shall go takes the next step there. */
static void aim(const state *s, uint32_t id, wr_warp_context_table_in *in)
{
    static const uint8_t onward[STATES] = {
        [RUNNING] = STALLED, [STALLED] = ABSENT, [ABSENT] = READY, [READY] = RUNNING};
    for (uint32_t i = 0; i < s->cfg.warps; i++, id = (id + 1) % s->cfg.warps) {
        if (!s->valid[id] || s->warp_state[id] != s->aim) {
            in->id = (uint8_t)id;
            in->op = s->valid[id] ? OP_UPDATE : OP_INSERT;
            in->fields |= 1;
            in->state = s->valid[id] ? onward[s->warp_state[id]] : RUNNING;
            return;
        }
    }
}

static void random_command(state *s, bool shown, wr_warp_context_table_in *in)
{
    wr_rng *r = &s->rng;
    if (s->phase_left == 0) {
        s->phase_left = 3 * s->cfg.warps;
        const uint32_t kind = wr_rng_below(r, 3);
        s->insert_percent = kind == 0 ? 100 : kind == 1 ? 10 : 60;
        s->remove_percent = kind == 0 ? 1 : kind == 1 ? 60 : 15;
        s->aim = STATES;
        if (wr_rng_chance(r, 40)) { /* large groups of one mind */
            s->aim = wr_rng_chance(r, 50) ? STALLED : READY;
            s->phase_left *= 2;
        }
    }
    s->phase_left--;
    if (command_fault(s, shown, in)) {
        return;
    }
    in->op = OP_NONE;
    uint32_t id = wr_rng_below(r, s->cfg.warps);
    if (s->aim != STATES) {
        aim(s, id, in);
        return;
    }
    const bool want_valid = s->insert_percent < 100;
    if (s->valids != (want_valid ? 0 : s->cfg.warps) && wr_rng_chance(r, 50)) {
        (void)pick_entry(s, want_valid, &id);
    }
    in->id = (uint8_t)id;
    if (wr_rng_chance(r, 15)) {
        return; /* an idle gap; the other pins are noise */
    }
    if (!s->valid[id]) {
        in->op = wr_rng_chance(r, s->insert_percent) ? OP_INSERT : OP_NONE;
        in->state = wr_rng_chance(r, 50) ? RUNNING : READY;
        return;
    }
    in->op = wr_rng_chance(r, s->remove_percent) ? OP_REMOVE : OP_UPDATE;
    do {
        in->state = (uint8_t)wr_rng_below(r, STATES);
    } while (!arrow(s->warp_state[id], in->state));
}

/* Insert, all the arrows, remove: warp by warp. */
static void directed_command(const state *s, uint64_t cycle, wr_warp_context_table_in *in)
{
    static const uint8_t round[] = {RUNNING, STALLED, RUNNING, STALLED, ABSENT, READY, RUNNING};
    const uint32_t steps = sizeof round;
    const uint32_t id = (uint32_t)(cycle / steps);
    const uint32_t step = (uint32_t)(cycle % steps);
    in->id = (uint8_t)id;
    in->op = step == 0 ? OP_INSERT : step == steps - 1 && id % 2 == 0 ? OP_REMOVE : OP_UPDATE;
    in->state = round[step];
    in->fields = 1;
    in->reg_addr = (uint16_t)(s->cfg.reg_units - 1 + id % 2);
    in->meta_addr = (uint16_t)(SLOT_0 + id % s->cfg.slots);
}

/* What the command does to the copy. */
static void learn(state *s, const wr_warp_context_table_in *in)
{
    const uint32_t id = in->id;
    s->before_valid = id < s->cfg.warps && s->valid[id];
    s->before = id < s->cfg.warps ? s->warp_state[id] : 0;
    if (in->op == OP_NONE || id >= s->cfg.warps) {
        return;
    }
    s->last_id = id;
    if (in->op == OP_INSERT && !s->valid[id] && (in->state == RUNNING || in->state == READY)) {
        s->valid[id] = true;
        s->valids++;
        s->warp_state[id] = in->state;
    } else if (in->op == OP_UPDATE && s->valid[id] && (in->fields & 1) != 0 &&
               arrow(s->warp_state[id], in->state)) {
        s->warp_state[id] = in->state;
    } else if (in->op == OP_REMOVE && s->valid[id]) {
        s->valid[id] = false;
        s->valids--;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    const wr_warp_context_table_out *last = last_out;
    wr_warp_context_table_in *in = in_;
    const uint32_t warps = s->cfg.warps;

    in->fields = (uint8_t)(wr_rng_chance(r, 30) ? ALL_FIELDS : wr_rng_below(r, 16));
    in->barrier = wr_rng_chance(r, 50);
    in->reg_addr = pick_reg(s);
    in->meta_addr = pick_meta(s);
    if (s->directed && cycle < 7u * warps && cycle < 70) {
        directed_command(s, cycle, in);
    } else {
        random_command(s, last->fault, in);
    }

    in->look_id = (uint8_t)(wr_rng_chance(r, 60)   ? s->last_id
                            : wr_rng_chance(r, 70) ? wr_rng_below(r, warps)
                                                   : wr_rng_below(r, WARPS_MAX));
    in->find_state = (uint8_t)wr_rng_below(r, STATES);
    in->find_from = (uint8_t)(wr_rng_chance(r, 30)   ? 0
                              : wr_rng_chance(r, 30) ? warps - 1
                              : wr_rng_chance(r, 80) ? wr_rng_below(r, warps)
                                                     : wr_rng_below(r, WARPS_MAX));
    /* Small groups are of one mind more often. */
    in->group_first =
        (uint8_t)(wr_rng_chance(r, 90) ? wr_rng_below(r, warps) : wr_rng_below(r, WARPS_MAX));
    in->group_count = (uint8_t)(wr_rng_chance(r, 70) ? wr_rng_below(r, 5) : wr_rng_below(r, 64));
    learn(s, in);
}

static const char *const bin_names[] = {
    "insert as running",
    "insert as ready",
    "running to stalled",
    "stalled to running",
    "stalled to absent",
    "absent to ready",
    "ready to running",
    "update without state",
    "update of nothing",
    "update of the barrier bit alone",
    "remove",
    "table full",
    "table empty",
    "first entry changed",
    "last entry changed",
    "look: the entry changed in this cycle",
    "look: invalid entry",
    "look: id past the end or 127",
    "look: present",
    "look: last unit of the register file, or the first behind it",
    "look: first warp slot",
    "look: last warp slot, or the address behind it",
    "look: metadata nowhere",
    "find: running",
    "find: stalled",
    "find: absent",
    "find: ready",
    "find: none",
    "find: at the start of the search",
    "find: round the end",
    "find: start past the end or 127",
    "group: empty",
    "group: cut off at the end",
    "group: all stalled, more than one",
    "group: all ready",
    "group: neither",
    "group of 32 warps, or of all: all stalled",
    "group of 32 warps, or of all: all but one stalled",
    "group of 32 warps, or of all: all ready",
    "group of 32 warps, or of all: all but one ready",
    "fault: insert over a valid entry",
    "fault: insert as stalled or absent",
    "fault: update of an invalid entry",
    "fault: update against the arrows",
    "fault: remove of an invalid entry",
};
enum {
    BIN_INSERT_RUNNING,
    BIN_INSERT_READY,
    BIN_RUNNING_STALLED,
    BIN_STALLED_RUNNING,
    BIN_STALLED_ABSENT,
    BIN_ABSENT_READY,
    BIN_READY_RUNNING,
    BIN_UPDATE_REST,
    BIN_UPDATE_NOTHING,
    BIN_UPDATE_BARRIER,
    BIN_REMOVE,
    BIN_FULL,
    BIN_EMPTY,
    BIN_FIRST,
    BIN_LAST,
    BIN_LOOK_CHANGED,
    BIN_LOOK_INVALID,
    BIN_LOOK_PAST,
    BIN_LOOK_PRESENT,
    BIN_LOOK_REG_EDGE,
    BIN_LOOK_SLOT_0,
    BIN_LOOK_SLOT_EDGE,
    BIN_LOOK_NOWHERE,
    BIN_FIND_STATE,
    BIN_FIND_NONE = BIN_FIND_STATE + STATES,
    BIN_FIND_START,
    BIN_FIND_ROUND,
    BIN_FIND_PAST,
    BIN_GROUP_EMPTY,
    BIN_GROUP_CUT,
    BIN_GROUP_STALLED,
    BIN_GROUP_READY,
    BIN_GROUP_NEITHER,
    BIN_LARGE_STALLED,
    BIN_LARGE_STALLED_1,
    BIN_LARGE_READY,
    BIN_LARGE_READY_1,
    BIN_FAULT_INSERT_VALID,
    BIN_FAULT_INSERT_STATE,
    BIN_FAULT_UPDATE_INVALID,
    BIN_FAULT_UPDATE_STATE,
    BIN_FAULT_REMOVE,
    BINS,
};

static void cover_command(const state *s, const wr_warp_context_table_in *in, uint64_t *hits)
{
    const bool moves = in->op == OP_UPDATE && s->before_valid && (in->fields & 1) != 0;
    const bool insert = in->op == OP_INSERT && !s->before_valid;
    if (in->op != OP_NONE && in->id >= s->cfg.warps) {
        return; /* a fault of every op alike */
    }
    hits[BIN_INSERT_RUNNING] += insert && in->state == RUNNING;
    hits[BIN_INSERT_READY] += insert && in->state == READY;
    hits[BIN_RUNNING_STALLED] += moves && s->before == RUNNING && in->state == STALLED;
    hits[BIN_STALLED_RUNNING] += moves && s->before == STALLED && in->state == RUNNING;
    hits[BIN_STALLED_ABSENT] += moves && s->before == STALLED && in->state == ABSENT;
    hits[BIN_ABSENT_READY] += moves && s->before == ABSENT && in->state == READY;
    hits[BIN_READY_RUNNING] += moves && s->before == READY && in->state == RUNNING;
    if (in->op == OP_UPDATE && s->before_valid) {
        hits[BIN_UPDATE_REST] += in->fields != 0 && (in->fields & 1) == 0;
        hits[BIN_UPDATE_NOTHING] += in->fields == 0;
        hits[BIN_UPDATE_BARRIER] += in->fields == 8;
    }
    hits[BIN_REMOVE] += in->op == OP_REMOVE && s->before_valid;
    hits[BIN_FIRST] += in->op != OP_NONE && in->id == 0;
    hits[BIN_LAST] += in->op != OP_NONE && in->id == s->cfg.warps - 1;
    hits[BIN_FAULT_INSERT_VALID] += in->op == OP_INSERT && s->before_valid;
    hits[BIN_FAULT_INSERT_STATE] +=
        in->op == OP_INSERT && !s->before_valid && (in->state == STALLED || in->state == ABSENT);
    hits[BIN_FAULT_UPDATE_INVALID] += in->op == OP_UPDATE && !s->before_valid;
    hits[BIN_FAULT_UPDATE_STATE] += moves && !arrow(s->before, in->state);
    hits[BIN_FAULT_REMOVE] += in->op == OP_REMOVE && !s->before_valid;
    hits[BIN_FULL] += s->valids == s->cfg.warps;
    hits[BIN_EMPTY] += s->valids == 0;
}

static void cover_large(const state *s, const wr_warp_context_table_in *in,
                        const wr_warp_context_table_out *out, uint64_t *hits)
{
    uint32_t in_state[STATES] = {0};
    uint32_t n = 0;
    for (uint32_t id = in->group_first; id < s->cfg.warps && id < in->group_first + in->group_count;
         id++) {
        n += s->valid[id];
        in_state[s->warp_state[id]] += s->valid[id];
    }
    /* The copy is that behind this cycle's command, the outputs are of before. */
    if (n < (s->cfg.warps < 32 ? s->cfg.warps : 32) || in->op != OP_NONE) {
        return;
    }
    hits[BIN_LARGE_STALLED] += out->group_stalled;
    hits[BIN_LARGE_STALLED_1] += in_state[STALLED] + 1 == n && !out->group_stalled;
    hits[BIN_LARGE_READY] += out->group_ready;
    hits[BIN_LARGE_READY_1] += in_state[READY] + 1 == n && !out->group_ready;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_warp_context_table_in *in = in_;
    const wr_warp_context_table_out *out = out_;
    const uint32_t warps = s->cfg.warps;
    const uint32_t slots_end = SLOT_0 + s->cfg.slots;

    cover_command(s, in, hits);
    hits[BIN_LOOK_CHANGED] += out->look_valid && in->op != OP_NONE && in->id == in->look_id;
    hits[BIN_LOOK_INVALID] += !out->look_valid && in->look_id < warps;
    hits[BIN_LOOK_PAST] += in->look_id >= warps || in->look_id == WARPS_MAX - 1;
    if (out->look_valid) {
        hits[BIN_LOOK_PRESENT] += out->look_present;
        hits[BIN_LOOK_REG_EDGE] +=
            out->look_reg_addr == s->cfg.reg_units - 1 || out->look_reg_addr == s->cfg.reg_units;
        hits[BIN_LOOK_SLOT_0] += out->look_meta_addr == SLOT_0;
        hits[BIN_LOOK_SLOT_EDGE] +=
            out->look_meta_addr == slots_end - 1 || out->look_meta_addr == slots_end;
        hits[BIN_LOOK_NOWHERE] += out->look_meta_addr == 0xfff;
    }
    if (out->find_found) {
        hits[BIN_FIND_STATE + in->find_state]++;
        hits[BIN_FIND_START] += out->find_id == in->find_from;
        hits[BIN_FIND_ROUND] += out->find_id < in->find_from && in->find_from < warps;
    } else {
        hits[BIN_FIND_NONE]++;
    }
    hits[BIN_FIND_PAST] += in->find_from >= warps || in->find_from == WARPS_MAX - 1;
    hits[BIN_GROUP_EMPTY] += in->group_count == 0;
    hits[BIN_GROUP_CUT] += in->group_first < warps && in->group_first + in->group_count > warps;
    hits[BIN_GROUP_STALLED] += out->group_stalled && in->group_count > 1;
    hits[BIN_GROUP_READY] += out->group_ready;
    cover_large(s, in, out, hits);
    hits[BIN_GROUP_NEITHER] += out->group_any && !out->group_stalled && !out->group_ready;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_warp_context_table_stim;
const wr_stim wr_warp_context_table_stim = {
    .block = "warp_context_table",
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
