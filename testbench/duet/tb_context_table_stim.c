/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of tb_context_table: its own copy of the valid bits and masks, so that most commands
 * are allowed ones.
 *
 * Directed: in the first eight entries warps leave and come back, the shared memory moves away
 * and back, every other one is removed. Then random phases that fill, empty or mix; the ports look
 * mostly at the entry that has just changed. Addresses sit on the borders of shared memory.
 */
#include "refmodel/gen/tb_context_table_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum {
    OP_NONE,
    OP_INSERT,
    OP_REMOVE,
    OP_SET,
    OP_CLEAR,
    OP_MOVE,

    FREE = 0,
    WHOLE,
    PARTIAL,
    SPILLED,
    KINDS,

    TBS_MAX = 32,
    NO_SMEM = 0xfff,
    STEPS = 8, /* directed commands of one entry */
};

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_OP,
    FAULT_ID,
    FAULT_MASK,
    FAULT_INSERT_VALID,
    FAULT_INVALID,
    FAULT_KINDS = FAULT_INVALID,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_OP] = "op that is none",
    [FAULT_ID] = "id past the last entry",
    [FAULT_MASK] = "mask past the last warp",
    [FAULT_INSERT_VALID] = "insert of a valid entry",
    [FAULT_INVALID] = "other op on an invalid entry",
};

typedef struct state {
    wr_tb_context_table_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed;       /* the directed cases come first */
    bool valid[TBS_MAX]; /* after the commands so far */
    uint32_t mask[TBS_MAX];
    uint32_t valids;
    bool before_valid; /* the commanded entry before this cycle's command */
    uint32_t before;
    uint32_t last_id;
    uint32_t phase_left;
    uint32_t insert_percent; /* of the commands on an invalid entry that insert */
    uint32_t remove_percent;
} state;

static uint32_t all_warps(const state *s)
{
    return UINT32_MAX >> (32 - s->cfg.tb_warps);
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_tb_context_table_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
    /* Where no id or mask bit is past the end, the next kind comes first. */
    if (s->faults.first == FAULT_ID && s->cfg.tbs == TBS_MAX) {
        s->faults.first = FAULT_MASK;
    }
    if (s->faults.first == FAULT_MASK && s->cfg.tb_warps == 32) {
        s->faults.first = FAULT_INSERT_VALID;
    }
}

static uint16_t pick_addr(state *s)
{
    const uint32_t base = s->cfg.smem_base;
    const uint32_t end = base + s->cfg.smem_units;
    switch (wr_rng_below(&s->rng, 8)) {
    case 0:
        return NO_SMEM;
    case 1:
        return (uint16_t)(base - 1 + wr_rng_below(&s->rng, 2));
    case 2:
        return (uint16_t)(end - 1 + wr_rng_below(&s->rng, 2));
    case 3:
        return (uint16_t)wr_rng_below(&s->rng, 4096);
    default:
        return (uint16_t)(base + wr_rng_below(&s->rng, s->cfg.smem_units));
    }
}

static uint32_t pick_mask(state *s)
{
    wr_rng *r = &s->rng;
    switch (wr_rng_below(r, 4)) {
    case 0:
        return all_warps(s);
    case 1:
        return wr_rng_u32(r) & all_warps(s);
    case 2:
        return 0;
    default:
        return 1u << wr_rng_below(r, s->cfg.tb_warps);
    }
}

/* A random entry that is valid, or one that is not; false where there is none. */
static bool pick_entry(state *s, bool valid, uint32_t *id)
{
    const uint32_t start = wr_rng_below(&s->rng, s->cfg.tbs);
    for (uint32_t i = 0; i < s->cfg.tbs; i++) {
        *id = (start + i) % s->cfg.tbs;
        if (s->valid[*id] == valid) {
            return true;
        }
    }
    return false;
}

static bool command_fault(state *s, bool shown, wr_tb_context_table_in *in)
{
    static const uint8_t masked[] = {OP_INSERT, OP_SET, OP_CLEAR};
    wr_rng *r = &s->rng;
    uint32_t id = wr_rng_below(r, s->cfg.tbs);
    wr_faults_step(&s->faults);
    switch (wr_faults_pick(&s->faults, shown, 5, r)) {
    case FAULT_OP:
        in->op = (uint8_t)(6 + wr_rng_below(r, 2));
        break;
    case FAULT_ID:
        if (s->cfg.tbs == TBS_MAX) {
            return false;
        }
        in->op = (uint8_t)(1 + wr_rng_below(r, 5));
        id = wr_rng_chance(r, 50) ? s->cfg.tbs : s->cfg.tbs + wr_rng_below(r, TBS_MAX - s->cfg.tbs);
        break;
    case FAULT_MASK:
        in->op = masked[wr_rng_below(r, 3)];
        if (s->cfg.tb_warps == 32 || !pick_entry(s, in->op != OP_INSERT, &id)) {
            return false;
        }
        in->mask |=
            1u << (wr_rng_chance(r, 50) ? s->cfg.tb_warps
                                        : s->cfg.tb_warps + wr_rng_below(r, 32 - s->cfg.tb_warps));
        break;
    case FAULT_INSERT_VALID:
        if (!pick_entry(s, true, &id)) {
            return false;
        }
        in->op = OP_INSERT;
        break;
    case FAULT_INVALID:
        if (!pick_entry(s, false, &id)) {
            return false;
        }
        in->op = (uint8_t)(OP_REMOVE + wr_rng_below(r, 4));
        break;
    default:
        return false;
    }
    in->id = (uint8_t)id;
    return true;
}

static void random_command(state *s, bool shown, wr_tb_context_table_in *in)
{
    wr_rng *r = &s->rng;
    if (s->phase_left == 0) {
        s->phase_left = 4 * s->cfg.tbs;
        const uint32_t kind = wr_rng_below(r, 3);
        s->insert_percent = kind == 0 ? 100 : kind == 1 ? 10 : 60;
        s->remove_percent = kind == 0 ? 1 : kind == 1 ? 60 : 10;
    }
    s->phase_left--;
    if (command_fault(s, shown, in)) {
        return;
    }
    uint32_t id = wr_rng_below(r, s->cfg.tbs);
    const bool want_valid = s->insert_percent < 100;
    if (s->valids != (want_valid ? 0 : s->cfg.tbs) && wr_rng_chance(r, 50)) {
        (void)pick_entry(s, want_valid, &id);
    }
    in->id = (uint8_t)id;
    in->op = OP_NONE;
    if (wr_rng_chance(r, 15)) {
        return; /* an idle gap; the other pins are noise */
    }
    if (!s->valid[id]) {
        in->op = wr_rng_chance(r, s->insert_percent) ? OP_INSERT : OP_NONE;
        return;
    }
    in->op =
        wr_rng_chance(r, s->remove_percent) ? OP_REMOVE : (uint8_t)(OP_SET + wr_rng_below(r, 3));
}

/* In and out: warp 0, the last warp, all of them; shared memory away and back. */
static void directed_command(const state *s, uint64_t cycle, wr_tb_context_table_in *in)
{
    static const uint8_t op[STEPS] = {OP_INSERT, OP_SET,   OP_SET,  OP_MOVE,
                                      OP_CLEAR,  OP_CLEAR, OP_MOVE, OP_REMOVE};
    const uint32_t id = (uint32_t)(cycle / STEPS);
    const uint32_t step = (uint32_t)(cycle % STEPS);
    in->id = (uint8_t)id;
    in->op = step == STEPS - 1 && id % 2 != 0 ? OP_NONE : op[step];
    in->mask = step == 1   ? 1
               : step == 2 ? 1u << (s->cfg.tb_warps - 1)
               : step == 5 ? all_warps(s)
                           : step == 4;
    in->addr = (uint16_t)(step == 3 ? s->cfg.smem_base + s->cfg.smem_units : s->cfg.smem_base);
}

/* What the command does to the copy. */
static void learn(state *s, const wr_tb_context_table_in *in)
{
    const uint32_t id = in->id;
    s->before_valid = id < s->cfg.tbs && s->valid[id];
    s->before = s->before_valid ? s->mask[id] : 0;
    if (in->op == OP_NONE || in->op > OP_MOVE || id >= s->cfg.tbs ||
        (in->op == OP_INSERT) == s->valid[id]) {
        return;
    }
    s->last_id = id;
    const bool fits = (in->mask & ~all_warps(s)) == 0;
    if (in->op == OP_REMOVE) {
        s->valid[id] = false;
        s->valids--;
    } else if (in->op == OP_INSERT && fits) {
        s->valid[id] = true;
        s->valids++;
        s->mask[id] = in->mask;
    } else if (in->op == OP_SET && fits) {
        s->mask[id] |= in->mask;
    } else if (in->op == OP_CLEAR && fits) {
        s->mask[id] &= ~in->mask;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rng *r = &s->rng;
    const wr_tb_context_table_out *last = last_out;
    wr_tb_context_table_in *in = in_;
    const uint32_t tbs = s->cfg.tbs;

    in->mask = pick_mask(s);
    in->addr = pick_addr(s);
    if (s->directed && cycle < (uint64_t)STEPS * tbs && cycle < 8 * STEPS) {
        directed_command(s, cycle, in);
    } else {
        random_command(s, last->fault, in);
    }
    in->look_id = (uint8_t)(wr_rng_chance(r, 60)   ? s->last_id
                            : wr_rng_chance(r, 70) ? wr_rng_below(r, tbs)
                                                   : wr_rng_below(r, TBS_MAX));
    in->find_kind = (uint8_t)wr_rng_below(r, KINDS);
    in->find_from = (uint8_t)(wr_rng_chance(r, 30)   ? 0
                              : wr_rng_chance(r, 30) ? tbs - 1
                              : wr_rng_chance(r, 80) ? wr_rng_below(r, tbs)
                                                     : wr_rng_below(r, TBS_MAX));
    learn(s, in);
}

static const char *const bin_names[] = {
    "insert with no warp absent",
    "insert with warps absent",
    "remove",
    "set of new bits",
    "set of bits that are set",
    "clear of set bits",
    "clear of the last absent warp",
    "move",
    "all warps absent",
    "bit of the last warp",
    "table full",
    "table empty",
    "first entry changed",
    "last entry changed",
    "look: the entry changed in this cycle",
    "look: invalid entry",
    "look: id past the end or 31",
    "look: present",
    "look: spilled",
    "look: first unit of shared memory",
    "look: last unit of shared memory",
    "look: the unit below shared memory",
    "look: the unit behind shared memory",
    "look: no shared memory",
    "find: free",
    "find: whole",
    "find: partial",
    "find: spilled",
    "find: none",
    "find: at the start of the search",
    "find: round the end",
    "find: start past the end or 31",
    "fault: op 6 or 7",
    "fault: insert over a valid entry",
    "fault: other op on an invalid entry",
};
enum {
    BIN_INSERT_WHOLE,
    BIN_INSERT_PARTIAL,
    BIN_REMOVE,
    BIN_SET,
    BIN_SET_AGAIN,
    BIN_CLEAR,
    BIN_CLEAR_LAST,
    BIN_MOVE,
    BIN_ALL_ABSENT,
    BIN_LAST_WARP,
    BIN_FULL,
    BIN_EMPTY,
    BIN_FIRST,
    BIN_LAST,
    BIN_LOOK_CHANGED,
    BIN_LOOK_INVALID,
    BIN_LOOK_PAST,
    BIN_LOOK_PRESENT,
    BIN_LOOK_SPILLED,
    BIN_LOOK_FIRST,
    BIN_LOOK_LAST,
    BIN_LOOK_BELOW,
    BIN_LOOK_BEHIND,
    BIN_LOOK_NONE,
    BIN_FIND_KIND,
    BIN_FIND_NONE = BIN_FIND_KIND + KINDS,
    BIN_FIND_START,
    BIN_FIND_ROUND,
    BIN_FIND_PAST,
    BIN_FAULT_OP,
    BIN_FAULT_INSERT,
    BIN_FAULT_INVALID,
    BINS,
};

static void cover_command(const state *s, const wr_tb_context_table_in *in, uint64_t *hits)
{
    hits[BIN_FAULT_OP] += in->op > OP_MOVE;
    hits[BIN_FULL] += s->valids == s->cfg.tbs;
    hits[BIN_EMPTY] += s->valids == 0;
    if (in->op == OP_NONE || in->op > OP_MOVE || in->id >= s->cfg.tbs) {
        return;
    }
    const bool valid = s->before_valid;
    const bool set = in->op == OP_SET && valid;
    const bool clear = in->op == OP_CLEAR && valid;
    hits[BIN_INSERT_WHOLE] += in->op == OP_INSERT && !valid && in->mask == 0;
    hits[BIN_INSERT_PARTIAL] += in->op == OP_INSERT && !valid && in->mask != 0;
    hits[BIN_REMOVE] += in->op == OP_REMOVE && valid;
    hits[BIN_SET] += set && (in->mask & ~s->before) != 0;
    hits[BIN_SET_AGAIN] += set && (in->mask & s->before) != 0;
    hits[BIN_CLEAR] += clear && (in->mask & s->before) != 0;
    hits[BIN_CLEAR_LAST] += clear && s->before != 0 && (s->before & ~in->mask) == 0;
    hits[BIN_MOVE] += in->op == OP_MOVE && valid;
    hits[BIN_FIRST] += in->id == 0;
    hits[BIN_LAST] += in->id == s->cfg.tbs - 1;
    hits[BIN_FAULT_INSERT] += in->op == OP_INSERT && valid;
    hits[BIN_FAULT_INVALID] += in->op != OP_INSERT && !valid;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_tb_context_table_in *in = in_;
    const wr_tb_context_table_out *out = out_;
    const uint32_t tbs = s->cfg.tbs;
    const uint32_t base = s->cfg.smem_base;
    const uint32_t end = base + s->cfg.smem_units;

    cover_command(s, in, hits);
    hits[BIN_LOOK_INVALID] += !out->look_valid && in->look_id < tbs;
    hits[BIN_LOOK_PAST] += in->look_id >= tbs || in->look_id == TBS_MAX - 1;
    if (out->look_valid) {
        hits[BIN_LOOK_CHANGED] += in->op != OP_NONE && in->id == in->look_id;
        hits[BIN_ALL_ABSENT] += out->look_mask == all_warps(s);
        hits[BIN_LAST_WARP] += out->look_mask == 1u << (s->cfg.tb_warps - 1);
        hits[BIN_LOOK_PRESENT] += out->look_present;
        hits[BIN_LOOK_SPILLED] += !out->look_present;
        hits[BIN_LOOK_FIRST] += out->look_addr == base;
        hits[BIN_LOOK_LAST] += out->look_addr == end - 1;
        hits[BIN_LOOK_BELOW] += out->look_addr == base - 1;
        hits[BIN_LOOK_BEHIND] += out->look_addr == end;
        hits[BIN_LOOK_NONE] += out->look_addr == NO_SMEM;
    }
    if (out->find_found) {
        hits[BIN_FIND_KIND + in->find_kind]++;
        hits[BIN_FIND_START] += out->find_id == in->find_from;
        hits[BIN_FIND_ROUND] += out->find_id < in->find_from && in->find_from < tbs;
    } else {
        hits[BIN_FIND_NONE]++;
    }
    hits[BIN_FIND_PAST] += in->find_from >= tbs || in->find_from == TBS_MAX - 1;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_tb_context_table_stim;
const wr_stim wr_tb_context_table_stim = {
    .block = "tb_context_table",
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
