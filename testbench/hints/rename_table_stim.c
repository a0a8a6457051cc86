/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of rename_table: a list of directed steps, then random updates and drops over a pool of
 * registers that is a little larger than a table.
 *
 * Directed: both tables filled to the last entry, a mapping changed while the table is full, one
 * taken back by an update to itself, holes filled, drops of the right, of an outdated and of no
 * mapping, update and drop of one register and of two in one cycle, clear over both. Random runs
 * change between filling, mixing and emptying. The stimulus keeps a list of what is mapped, so that
 * it can aim.
 */
#include <string.h>

#include "refmodel/gen/rename_table_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { CLASSES = 2, REGS = 256 };

static const char *const fault_names[] = {
    NULL,
    "update that is lost",
};
enum { FAULT_KINDS = sizeof fault_names / sizeof fault_names[0] - 1 };

typedef struct state {
    wr_rename_table_cfg cfg;
    wr_rng rng;
    wr_faults faults;
    bool directed;             /* the directed cases come first */
    wr_rename_table_in last;   /* inputs of the cycle before */
    uint8_t to[CLASSES][REGS]; /* mapping by register; itself: none */
    uint32_t held[CLASSES];    /* mappings */
    bool hole[CLASSES];        /* one was taken out of a full table */
    uint32_t mood;             /* percent of changes that are updates */
    uint32_t mood_left;
} state;

/* Directed: {update, class, register, to} and {drop, class, register, from}; -1 is none. */
typedef struct step {
    int16_t update[3]; /* class, register, to */
    int16_t drop[3];   /* class, register, from */
    bool clear;
} step;

#define NONE                                                                                       \
    {                                                                                              \
        -1, 0, 0                                                                                   \
    }

/* Behind the filling of both tables: entry i maps register 20 + i to 120 + i (scalar), 220 + i
 * (vector). */
static const step steps[] = {
    {{0, 20, 90}, NONE, false},        /* changed while full */
    {NONE, {0, 20, 120}, false},       /* drop of the outdated mapping */
    {NONE, {1, 99, 1}, false},         /* drop of no mapping */
    {{0, 21, 21}, NONE, false},        /* back to itself while full */
    {{0, 0, 255}, NONE, false},        /* the hole is filled, by register 0 */
    {{1, 20, 90}, {0, 20, 90}, false}, /* one register, both classes */
    {{0, 20, 91}, NONE, false},        /* full again */
    {{0, 20, 92}, {0, 20, 91}, false}, /* update and drop of one mapping */
    {NONE, {0, 20, 92}, false},        /* drop */
    {{0, 255, 0}, {0, 0, 255}, false}, /* into the hole while another goes */
    {{0, 7, 7}, NONE, false},          /* itself, without a mapping */
    {{1, 21, 33}, {1, 20, 90}, true},  /* clear over both */
    {{1, 3, 4}, NONE, false},          {NONE, {1, 3, 4}, true},
};

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_rename_table_cfg *)cfg, .last = {.clear = true}};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->directed = with_directed;
}

/* What the cycle before has done to the mappings. */
static void follow(state *s)
{
    const wr_rename_table_in *in = &s->last;
    if (in->clear) {
        for (uint32_t c = 0; c < CLASSES; c++) {
            for (uint32_t r = 0; r < REGS; r++) {
                s->to[c][r] = (uint8_t)r;
            }
            s->held[c] = 0;
            s->hole[c] = false;
        }
        return;
    }
    const uint32_t full = s->cfg.entries;
    const uint32_t had[CLASSES] = {s->held[0], s->held[1]};
    uint8_t *update = &s->to[in->update_vec][in->update_reg];
    uint8_t *drop = &s->to[in->drop_vec][in->drop_reg];
    const bool is_new = *update == in->update_reg;
    if (in->drop && *drop == in->drop_from && *drop != in->drop_reg &&
        !(in->update && update == drop)) {
        *drop = in->drop_reg;
        s->held[in->drop_vec]--;
    }
    if (in->update && (!is_new || had[in->update_vec] < full)) {
        s->held[in->update_vec] += is_new && in->update_to != in->update_reg;
        s->held[in->update_vec] -= !is_new && in->update_to == in->update_reg;
        *update = in->update_to;
    }
    for (uint32_t c = 0; c < CLASSES; c++) {
        s->hole[c] = had[c] == full ? s->held[c] < full : s->hole[c] && s->held[c] < full;
    }
}

static bool directed(const state *s, uint64_t cycle, wr_rename_table_in *in)
{
    const uint64_t fill = CLASSES * (uint64_t)s->cfg.entries;
    if (cycle < fill) {
        const uint32_t entry = (uint32_t)(cycle / CLASSES);
        in->update = true;
        in->update_vec = cycle % CLASSES != 0;
        in->update_reg = (uint8_t)(20u + entry);
        in->update_to = (uint8_t)(entry + (in->update_vec ? 220u : 120u));
        return true;
    }
    if (cycle - fill >= sizeof steps / sizeof steps[0]) {
        return false;
    }
    const step *d = &steps[cycle - fill];
    in->clear = d->clear;
    in->update = d->update[0] >= 0;
    in->update_vec = d->update[0] > 0;
    in->update_reg = (uint8_t)d->update[1];
    in->update_to = (uint8_t)d->update[2];
    in->drop = d->drop[0] >= 0;
    in->drop_vec = d->drop[0] > 0;
    in->drop_reg = (uint8_t)d->drop[1];
    in->drop_from = (uint8_t)d->drop[2];
    return true;
}

/* A register of the pool: few, so that they meet, with both ends of the numbers among them. */
static uint8_t pool(state *s)
{
    const uint32_t pick = wr_rng_below(&s->rng, s->cfg.entries + 3);
    const uint8_t reg = (uint8_t)(pick == 0 ? 0 : pick == 1 ? 255 : 18 + pick);
    return wr_rng_chance(&s->rng, 10) ? (uint8_t)wr_near_value(reg, 8, &s->rng) : reg;
}

static void random_update(state *s, bool may_fault, wr_rename_table_in *in)
{
    in->update_vec = wr_rng_chance(&s->rng, 50);
    in->update_reg = pool(s);
    in->update_to = wr_rng_chance(&s->rng, 15) ? in->update_reg
                    : wr_rng_chance(&s->rng, 10)
                        ? (uint8_t)wr_near_value(in->update_reg, 8, &s->rng)
                    : wr_rng_chance(&s->rng, 30) ? pool(s)
                                                 : (uint8_t)wr_rng_u32(&s->rng);
    const bool lost = s->held[in->update_vec] == s->cfg.entries &&
                      in->update_to != in->update_reg &&
                      s->to[in->update_vec][in->update_reg] == in->update_reg;
    in->update = !lost || may_fault;
}

static void random_drop(state *s, wr_rename_table_in *in)
{
    in->drop_vec = wr_rng_chance(&s->rng, 50);
    in->drop_reg = pool(s);
    if (in->update && wr_rng_chance(&s->rng, 25)) {
        in->drop_vec = in->update_vec;
        in->drop_reg = in->update_reg;
    }
    in->drop_from = s->to[in->drop_vec][in->drop_reg];
    if (wr_rng_chance(&s->rng, 20)) {
        in->drop_from = wr_rng_chance(&s->rng, 50)
                            ? (uint8_t)wr_rng_u32(&s->rng)
                            : (uint8_t)wr_near_value(in->drop_from, 8, &s->rng);
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    wr_rename_table_in *in = in_;
    (void)last_out;

    follow(s);
    for (uint32_t i = 0; i < s->cfg.reads; i++) {
        in->read_vec[i] = wr_rng_chance(&s->rng, 50);
        in->read_reg[i] = wr_rng_chance(&s->rng, 90) ? pool(s) : (uint8_t)wr_rng_u32(&s->rng);
    }
    if (!s->directed || !directed(s, cycle, in)) {
        static const uint32_t moods[] = {95, 80, 50, 50, 20, 5};
        wr_faults_step(&s->faults);
        if (s->mood_left == 0) {
            s->mood = moods[wr_rng_below(&s->rng, sizeof moods / sizeof moods[0])];
            s->mood_left = 8 + wr_rng_below(&s->rng, 40);
        }
        s->mood_left--;
        /* The pins of an update and of a drop also stand where there is none. */
        const bool update = wr_rng_chance(&s->rng, s->mood);
        random_update(s, update && wr_faults_pick(&s->faults, false, 30, &s->rng) != 0, in);
        in->update = in->update && update;
        random_drop(s, in);
        in->drop = wr_rng_chance(&s->rng, 100 - s->mood);
        in->clear = wr_rng_chance(&s->rng, 1);
    }
    if (in->update && wr_rng_chance(&s->rng, 30)) { /* its mapping is read in the same cycle */
        in->read_vec[0] = in->update_vec;
        in->read_reg[0] = in->update_reg;
    }
    s->last = *in;
}

static const char *const bin_names[] = {
    "update takes an entry, scalar",
    "update takes an entry, vector",
    "update changes a mapping",
    "update changes a mapping of a full table",
    "update back to itself",
    "update back to itself in a full table",
    "update to itself without a mapping",
    "update fills a hole of a table that was full",
    "update takes the last entry",
    "update finds no room",
    "update finds no room while a drop makes some",
    "drop of the mapping",
    "drop of an outdated mapping",
    "drop without a mapping",
    "drop from a full table",
    "drop and update of one mapping",
    "drop and update of two registers, one class",
    "drop and update, two classes",
    "register 0 renamed",
    "register 255 renamed",
    "read of a mapping, scalar",
    "read of a mapping, vector",
    "read without a mapping",
    "read of a register that is mapped in the other class alone",
    "read of a register while its mapping changes",
    "every read port finds a mapping",
    "both tables full",
    "both tables empty",
    "clear over an update and a drop",
    "clear of full tables",
    "fault",
};
enum {
    BIN_NEW_SCALAR,
    BIN_NEW_VECTOR,
    BIN_CHANGE,
    BIN_CHANGE_FULL,
    BIN_BACK,
    BIN_BACK_FULL,
    BIN_ITSELF,
    BIN_HOLE,
    BIN_LAST_ENTRY,
    BIN_NO_ROOM,
    BIN_NO_ROOM_DROP,
    BIN_DROP,
    BIN_DROP_OLD,
    BIN_DROP_NONE,
    BIN_DROP_FULL,
    BIN_BOTH_ONE,
    BIN_BOTH_CLASS,
    BIN_BOTH,
    BIN_REG_0,
    BIN_REG_255,
    BIN_READ_SCALAR,
    BIN_READ_VECTOR,
    BIN_READ_NONE,
    BIN_READ_OTHER,
    BIN_READ_CHANGE,
    BIN_READ_ALL,
    BIN_FULL,
    BIN_EMPTY,
    BIN_CLEAR_BOTH,
    BIN_CLEAR_FULL,
    BIN_FAULT,
    BINS,
};

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "read register and a mapped one", .width = 8},
    {.name = "updated register and a mapped one", .width = 8},
    {.name = "dropped register and a mapped one", .width = 8},
    {.name = "dropped mapping and that of the register", .width = 8},
    {.name = "register and mapping of an update", .width = 8},
};
enum {
    NEAR_READ = BINS,
    NEAR_UPDATE,
    NEAR_DROP,
    NEAR_FROM,
    NEAR_SAME,
};

/* In which bits mapped registers differ from this one, each in one alone. */
static uint64_t near_mapped(const state *s, bool vec, uint8_t reg)
{
    uint64_t bits = 0;
    for (uint32_t bit = 1; bit < REGS; bit <<= 1) {
        bits |= s->to[vec][reg ^ bit] != (reg ^ bit) ? bit : 0;
    }
    return s->to[vec][reg] == reg ? bits : 0;
}

static void cover_update(const state *s, const wr_rename_table_in *in, uint64_t *hits)
{
    const uint32_t held = s->held[in->update_vec];
    const bool full = held == s->cfg.entries;
    const bool mapped = s->to[in->update_vec][in->update_reg] != in->update_reg;
    const bool renames = in->update_to != in->update_reg;
    const bool is_new = !mapped && renames;
    hits[NEAR_UPDATE] |= is_new ? near_mapped(s, in->update_vec, in->update_reg) : 0;
    hits[NEAR_SAME] |= wr_near_bit(in->update_reg, in->update_to);
    hits[BIN_NEW_SCALAR] += is_new && !full && !in->update_vec;
    hits[BIN_NEW_VECTOR] += is_new && !full && in->update_vec;
    hits[BIN_CHANGE] += mapped && renames;
    hits[BIN_CHANGE_FULL] += mapped && renames && full;
    hits[BIN_BACK] += mapped && !renames;
    hits[BIN_BACK_FULL] += mapped && !renames && full;
    hits[BIN_ITSELF] += !mapped && !renames;
    hits[BIN_HOLE] += is_new && !full && s->hole[in->update_vec];
    hits[BIN_LAST_ENTRY] += is_new && held + 1 == s->cfg.entries;
    hits[BIN_NO_ROOM] += is_new && full;
    hits[BIN_NO_ROOM_DROP] += is_new && full && in->drop && in->drop_vec == in->update_vec &&
                              s->to[in->drop_vec][in->drop_reg] == in->drop_from &&
                              in->drop_from != in->drop_reg;
    hits[BIN_REG_0] += is_new && !full && in->update_reg == 0;
    hits[BIN_REG_255] += is_new && !full && in->update_reg == 255;
}

static void cover_drop(const state *s, const wr_rename_table_in *in, uint64_t *hits)
{
    const uint8_t to = s->to[in->drop_vec][in->drop_reg];
    const bool mapped = to != in->drop_reg;
    const bool exact = mapped && to == in->drop_from;
    const bool same_class = in->update && in->update_vec == in->drop_vec;
    const bool same_reg = in->update_reg == in->drop_reg;
    hits[NEAR_DROP] |= near_mapped(s, in->drop_vec, in->drop_reg);
    hits[NEAR_FROM] |= mapped ? wr_near_bit(in->drop_from, to) : 0;
    hits[BIN_DROP] += exact;
    hits[BIN_DROP_OLD] += mapped && !exact;
    hits[BIN_DROP_NONE] += !mapped;
    hits[BIN_DROP_FULL] += exact && s->held[in->drop_vec] == s->cfg.entries;
    hits[BIN_BOTH_ONE] += exact && same_class && same_reg;
    hits[BIN_BOTH_CLASS] += exact && same_class && !same_reg;
    hits[BIN_BOTH] += exact && in->update && !same_class;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_rename_table_in *in = in_;
    const wr_rename_table_out *out = out_;
    const uint32_t full = s->cfg.entries;
    bool all = true;

    if (in->update && !in->clear) {
        cover_update(s, in, hits);
    }
    if (in->drop && !in->clear) {
        cover_drop(s, in, hits);
    }
    for (uint32_t i = 0; i < s->cfg.reads; i++) {
        const uint8_t reg = in->read_reg[i];
        hits[BIN_READ_SCALAR] += out->renamed[i] && !in->read_vec[i];
        hits[BIN_READ_VECTOR] += out->renamed[i] && in->read_vec[i];
        hits[NEAR_READ] |= near_mapped(s, in->read_vec[i], reg);
        hits[BIN_READ_NONE] += !out->renamed[i];
        hits[BIN_READ_OTHER] += !out->renamed[i] && s->to[!in->read_vec[i]][reg] != reg;
        hits[BIN_READ_CHANGE] += in->update && !in->clear && in->update_vec == in->read_vec[i] &&
                                 in->update_reg == reg && out->mapped[i] != in->update_to;
        all = all && out->renamed[i];
    }
    hits[BIN_READ_ALL] += all;
    hits[BIN_FULL] += out->scalar_count == full && out->vector_count == full;
    hits[BIN_EMPTY] += out->scalar_count == 0 && out->vector_count == 0;
    hits[BIN_CLEAR_BOTH] += in->clear && in->update && in->drop;
    hits[BIN_CLEAR_FULL] += in->clear && out->scalar_count == full && out->vector_count == full;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_rename_table_stim;
const wr_stim wr_rename_table_stim = {
    .block = "rename_table",
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
