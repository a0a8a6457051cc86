/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of alloc_table: operations on a table that it follows through the replies.
 *
 * Directed first: Fig. 4 of Lin-P in both memories, the whole memory in one TB, holes of exactly
 * and not quite the size wanted, all entries taken, TBs of a third kernel in the way, numbers that
 * wrap. Then random operations, mostly on TBs that are there, and in runs with faults every kind of
 * them. While an operation is under way the pins carry noise, valid included: it must not be taken.
 */
#include <assert.h>
#include <string.h>

#include "refmodel/gen/alloc_table_pins.h"
#include "testbench/context/tb_list.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { OP_LOOKUP, OP_FREE, OP_ALLOC, OP_PLAN };
enum { KIND_DONE, KIND_LEAVE, KIND_PLACE };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_FREE_MISSING,
    FAULT_SIZE_0,
    FAULT_SIZE_ABOVE,
    FAULT_ALLOC_TWICE,
    FAULT_COUNT_0,
    FAULT_COUNT_ABOVE,
    FAULT_OLD_IS_NEW,
    FAULT_PLAN_FIRST,
    FAULT_PLAN_LAST,
    FAULT_KINDS = FAULT_PLAN_LAST,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_FREE_MISSING] = "free of a TB that is not there",
    [FAULT_SIZE_0] = "alloc of size 0",
    [FAULT_SIZE_ABOVE] = "alloc of a size above the most",
    [FAULT_ALLOC_TWICE] = "alloc of a TB that is there",
    [FAULT_COUNT_0] = "plan with count 0",
    [FAULT_COUNT_ABOVE] = "plan with a count above the most",
    [FAULT_OLD_IS_NEW] = "plan whose old kernel is the new",
    [FAULT_PLAN_FIRST] = "plan whose first new TB is there",
    [FAULT_PLAN_LAST] = "plan whose last new TB is there",
};

typedef struct state {
    wr_alloc_table_cfg cfg;
    wr_rng rng;
    wr_gate offer;
    wr_gate consume;
    wr_faults faults;

    uint32_t step; /* directed steps offered */
    uint32_t mood; /* random operations until the table is to fill or empty anew */
    uint32_t free_percent;
    wr_tb_list there;

    wr_alloc_table_in last; /* pins of the cycle before */
    wr_alloc_table_in op;   /* the operation under way */
    bool busy;
    uint32_t left;      /* TBs that left in it */
    uint32_t placed;    /* and that were placed */
    uint32_t used_then; /* entries in use when it was taken */
    uint32_t old_then;  /* those of the old kernel */
    uint16_t end;       /* of the TB placed last */
    bool gap;           /* a cycle without reply behind the last one */
    bool fresh;         /* an operation ended in the cycle before */
} state;

/* A directed step; its size is Units x num / den, or num where den is 0. */
typedef struct step {
    uint8_t op;
    uint8_t kernel;
    uint16_t number;
    uint16_t num;
    uint16_t den;
    uint8_t count;
    uint8_t old;
} step;

static const step directed[] = {
    /* Fig. 4, registers: two of three TBs leave (default configuration: 300 and 256 of 1,024). */
    {OP_ALLOC, 1, 0, 300, 1024, 0, 0},
    {OP_ALLOC, 1, 1, 300, 1024, 0, 0},
    {OP_ALLOC, 1, 2, 300, 1024, 0, 0},
    {OP_PLAN, 2, 0, 256, 1024, 2, 1},
    {OP_LOOKUP, 1, 2, 0, 0, 0, 0},
    {OP_FREE, 2, 0, 0, 0, 0, 0},
    {OP_FREE, 2, 1, 0, 0, 0, 0},
    {OP_FREE, 1, 2, 0, 0, 0, 0},
    /* The rest may have stayed in small configurations. */
    {OP_LOOKUP, 1, 1, 0, 0, 0, 0},
    /* Fig. 4, shared memory: nobody leaves (configuration shared: 64 and 80 of 384). */
    {OP_ALLOC, 0, 0, 64, 384, 0, 0},
    {OP_ALLOC, 0, 1, 64, 384, 0, 0},
    {OP_PLAN, 3, 0, 80, 384, 2, 0},
    {OP_LOOKUP, 3, 1, 0, 0, 0, 0},
    {OP_FREE, 0, 0, 0, 0, 0, 0},
    {OP_ALLOC, 2, 9, 64, 384, 0, 0}, /* exactly the hole at 0 */
    {OP_FREE, 2, 9, 0, 0, 0, 0},
    {OP_ALLOC, 2, 9, 65, 384, 0, 0}, /* one more: behind, or in the hole where it rounds down */
    {OP_ALLOC, 2, 10, 1, 1, 0, 0},   /* all of the memory: no room */
};
enum { DIRECTED = sizeof directed / sizeof directed[0] };

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_alloc_table_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->step = with_directed ? 0 : DIRECTED;
}

static uint32_t kernels(const state *s)
{
    return 1u << s->cfg.kernel_bits;
}

static uint16_t wrap(const state *s, uint32_t number)
{
    return (uint16_t)(number & ((1u << s->cfg.tb_bits) - 1u));
}

/* Follows one reply. */
static void follow(state *s, const wr_alloc_table_out *out)
{
    const bool ok = out->rsp_kind == KIND_DONE && out->rsp_ok;
    if (out->rsp_kind == KIND_PLACE || (ok && s->op.op == OP_ALLOC)) {
        wr_tb_list_add(&s->there, (wr_tb_item){.kernel = s->op.kernel,
                                               .number = out->rsp_tb,
                                               .start = out->rsp_start,
                                               .size = out->rsp_size});
    } else if (out->rsp_kind == KIND_LEAVE) {
        wr_tb_list_remove(&s->there, s->op.old, out->rsp_tb);
    } else if (ok && s->op.op == OP_FREE) {
        wr_tb_list_remove(&s->there, s->op.kernel, out->rsp_tb);
    }
    s->left += out->rsp_kind == KIND_LEAVE;
    s->placed += out->rsp_kind == KIND_PLACE;
    s->end = (uint16_t)(out->rsp_start + out->rsp_size);
    s->busy = out->rsp_kind != KIND_DONE;
}

static uint16_t random_size(state *s)
{
    wr_rng *r = &s->rng;
    const uint32_t units = s->cfg.units;
    const uint32_t top = wr_tb_list_top(&s->there);
    const uint32_t small = units / s->cfg.entries > 0 ? units / s->cfg.entries : 1;
    switch (wr_rng_below(r, 9)) {
    case 0:
        return 1;
    case 8: /* all that is left above */
        return (uint16_t)(top < units ? units - top : 1);
    case 1:
        return (uint16_t)(wr_rng_chance(r, 30) ? units : 1 + wr_rng_below(r, units));
    case 2:
        return (uint16_t)(units / 2);
    case 3:
        return (uint16_t)((units + 3) / 4);
    case 4: /* the size of one that is there: holes fit exactly */
        return s->there.used > 0 ? s->there.tb[wr_rng_below(r, s->there.used)].size : 1;
    default:
        return (uint16_t)(1 + wr_rng_below(r, 2 * small));
    }
}

/* Whether none of `count` TBs from `number` on is there. */
static bool absent(const state *s, uint8_t kernel, uint16_t number, uint32_t count)
{
    for (uint32_t j = 0; j < count; j++) {
        if (wr_tb_list_has(&s->there, kernel, wrap(s, number + j))) {
            return false;
        }
    }
    return true;
}

/* A number such that `count` TBs from it on are new, mostly among the low ones, sometimes wrapping.
 */
static uint16_t new_number(state *s, uint8_t kernel, uint32_t count)
{
    uint16_t number =
        wrap(s, wr_rng_chance(&s->rng, 30) ? 0u - wr_rng_below(&s->rng, count + 1)
                                           : wr_rng_below(&s->rng, 2 * s->cfg.entries));
    for (uint32_t n = 0; n < 64 && !absent(s, kernel, number, count); n++) {
        number = wrap(s, number + 1u);
    }
    return number;
}

static void random_plan(state *s, wr_alloc_table_in *in)
{
    wr_rng *r = &s->rng;
    in->op = OP_PLAN;
    in->kernel = (uint8_t)wr_rng_below(r, kernels(s));
    in->old = (uint8_t)((in->kernel + 1 + wr_rng_below(r, kernels(s) - 1)) % kernels(s));
    if (s->there.used > 0 && wr_rng_chance(r, 80)) {
        const uint8_t there = s->there.tb[wr_rng_below(r, s->there.used)].kernel;
        in->old = there != in->kernel ? there : in->old;
    }
    in->size = random_size(s);
    assert(in->size > 0); /* of 16 units at least */
    const uint32_t fit =
        s->cfg.units / in->size < s->cfg.entries ? s->cfg.units / in->size : s->cfg.entries;
    in->count = (uint8_t)(1 + wr_rng_below(r, wr_rng_chance(r, 90) ? fit : s->cfg.entries));
    if (wr_rng_chance(r, 5)) {
        in->count = (uint8_t)s->cfg.entries;
        in->size = (uint16_t)(1 + wr_rng_below(r, s->cfg.units / s->cfg.entries));
    }
    in->tb = new_number(s, in->kernel, in->count);
    if (!absent(s, in->kernel, in->tb, in->count)) {
        in->op = OP_LOOKUP; /* a tiny range of numbers, all taken */
    }
}

static void random_op(state *s, wr_alloc_table_in *in)
{
    wr_rng *r = &s->rng;
    if (s->mood == 0) {
        static const uint32_t percents[] = {5, 20, 20, 40, 95};
        s->free_percent = percents[wr_rng_below(r, sizeof percents / sizeof percents[0])];
        s->mood = 8 + wr_rng_below(r, 3 * s->cfg.entries);
    }
    s->mood--;
    if (s->there.used > 0 && wr_rng_chance(r, s->free_percent)) {
        const wr_tb_item *t = &s->there.tb[wr_rng_below(r, s->there.used)];
        in->op = wr_rng_chance(r, 80) ? OP_FREE : OP_LOOKUP;
        in->kernel = t->kernel;
        in->tb = t->number;
        return;
    }
    const uint32_t pick = wr_rng_below(r, 100);
    in->kernel = (uint8_t)wr_rng_below(r, kernels(s));
    in->size = random_size(s);
    if (pick < 50) {
        in->tb = new_number(s, in->kernel, 1);
        if (s->there.used > 0 && wr_rng_chance(r, 30)) { /* one bit away from one that is there */
            const wr_tb_item *t = &s->there.tb[wr_rng_below(r, s->there.used)];
            const bool other = wr_rng_chance(r, 30);
            in->kernel =
                (uint8_t)(other ? wr_near_value(t->kernel, s->cfg.kernel_bits, r) : t->kernel);
            in->tb = (uint16_t)(other ? t->number : wr_near_value(t->number, s->cfg.tb_bits, r));
        }
        in->op = absent(s, in->kernel, in->tb, 1) ? OP_ALLOC : OP_LOOKUP;
    } else if (pick < 58) {
        in->op = OP_LOOKUP;
        in->tb = wrap(s, wr_rng_below(r, 2 * s->cfg.entries));
    } else {
        random_plan(s, in);
    }
}

/* Turns the operation into one that breaks the protocol, where the table allows this kind. */
static void spoil(state *s, wr_alloc_table_in *in, fault_kind kind)
{
    wr_rng *r = &s->rng;
    const wr_tb_item *t = s->there.used > 0 ? &s->there.tb[wr_rng_below(r, s->there.used)] : NULL;
    wr_alloc_table_in bad = {.valid = true, .size = 1, .count = 2};
    bad.kernel = (uint8_t)wr_rng_below(r, kernels(s));
    bad.old = (uint8_t)((bad.kernel + 1) % kernels(s));
    bad.tb = new_number(s, bad.kernel, 2);
    const bool fresh = absent(s, bad.kernel, bad.tb, 2);
    bad.op = OP_PLAN;
    switch (kind) {
    case FAULT_FREE_MISSING:
        bad.op = OP_FREE;
        break;
    case FAULT_SIZE_0:
        bad.op = wr_rng_chance(r, 50) ? OP_ALLOC : OP_PLAN;
        bad.size = 0;
        break;
    case FAULT_SIZE_ABOVE:
        bad.op = wr_rng_chance(r, 50) ? OP_ALLOC : OP_PLAN;
        bad.size = (uint16_t)(s->cfg.units + 1 +
                              (wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 2047 - s->cfg.units)));
        break;
    case FAULT_COUNT_0:
        bad.count = 0;
        break;
    case FAULT_COUNT_ABOVE:
        bad.count = (uint8_t)(s->cfg.entries + 1 +
                              (wr_rng_chance(r, 50) ? 0 : wr_rng_below(r, 63 - s->cfg.entries)));
        break;
    case FAULT_OLD_IS_NEW:
        bad.old = bad.kernel;
        break;
    case FAULT_ALLOC_TWICE:
    case FAULT_PLAN_FIRST:
    case FAULT_PLAN_LAST:
        if (t == NULL) {
            return;
        }
        bad.op = kind == FAULT_ALLOC_TWICE ? OP_ALLOC : OP_PLAN;
        bad.kernel = t->kernel;
        bad.old = (uint8_t)((bad.kernel + 1) % kernels(s));
        bad.tb = kind == FAULT_PLAN_LAST ? wrap(s, t->number - 1u) : t->number;
        break;
    case FAULT_NONE:
        return;
    }
    if (fresh || t != NULL) {
        *in = bad;
    }
}

/* The operation of a directed step; the numbers of a small configuration wrap. */
static void directed_op(const state *s, wr_alloc_table_in *in)
{
    const step *d = &directed[s->step];
    in->op = d->op;
    in->kernel = (uint8_t)(d->kernel % kernels(s));
    in->tb = wrap(s, d->number);
    in->size = d->num;
    if (d->den != 0) {
        const uint32_t size = s->cfg.units * d->num / d->den;
        in->size = (uint16_t)(size > 0 ? size : 1);
    }
    in->count = d->count;
    in->old = (uint8_t)(d->old % kernels(s));
    const bool there = wr_tb_list_has(&s->there, in->kernel, in->tb);
    if (in->op == OP_FREE ? !there : in->op == OP_ALLOC && there) {
        in->op = OP_LOOKUP; /* in a small configuration another one left */
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    const wr_alloc_table_out *last = last_out;
    wr_rng *r = &s->rng;

    bool ready = cycle == 0 || (last->ready && !s->last.valid);
    s->gap = s->busy && !last->rsp_valid;
    s->fresh = false;
    if (last->ready && s->last.valid) {
        s->busy = true;
        s->left = 0;
        s->placed = 0;
        s->op = s->last;
        s->used_then = s->there.used;
        s->old_then = wr_tb_list_count(&s->there, s->op.old);
    } else if (last->rsp_valid && s->last.rsp_ready) {
        follow(s, last);
        ready = !s->busy;
        s->fresh = ready;
    }

    wr_alloc_table_in *in = in_;
    *in = (wr_alloc_table_in){.op = (uint8_t)wr_rng_below(r, 4),
                              .kernel = (uint8_t)wr_rng_below(r, kernels(s)),
                              .tb = wrap(s, wr_rng_below(r, s->cfg.entries)),
                              .size = (uint16_t)wr_rng_below(r, 2048),
                              .count = (uint8_t)wr_rng_below(r, 64),
                              .old = (uint8_t)wr_rng_below(r, kernels(s))};
    in->valid = !ready && wr_rng_chance(r, 30);
    if (ready && s->step < DIRECTED) {
        in->valid = true;
        directed_op(s, in);
        s->step++;
    } else if (ready && wr_gate_open(&s->offer, r)) {
        wr_faults_step(&s->faults);
        in->valid = true;
        random_op(s, in);
        spoil(s, in, (fault_kind)wr_faults_pick(&s->faults, last->fault, 12, r));
    }
    in->rsp_ready = s->step < DIRECTED || wr_gate_open(&s->consume, r);
    s->last = *in;
    /* Bits above those of the configuration mean nothing. */
    const uint32_t noise = (uint32_t)cycle * 0x9e3779b9u;
    in->kernel |= (uint8_t)(noise >> 29 & ~(kernels(s) - 1u));
    in->old |= (uint8_t)(noise >> 26 & 7u & ~(kernels(s) - 1u));
    in->tb |= (uint16_t)(noise >> 8 & 0xffffu & ~((1u << s->cfg.tb_bits) - 1u));
}

static const char *const bin_names[] = {
    "lookup, found",
    "lookup, not found",
    "free",
    "free of the only TB",
    "alloc at 0",
    "alloc above another TB",
    "alloc in a hole below another TB",
    "alloc up to the last unit",
    "alloc of the whole memory",
    "alloc without room",
    "alloc without a free entry",
    "plan, nobody leaves",
    "plan, one leaves",
    "plan, several leave",
    "plan, all of the old kernel leave",
    "plan, some of several stay",
    "plan of one unit into the full table, one leaves",
    "plan into the empty table",
    "plan of as many TBs as entries",
    "plan past the highest TB number",
    "plan without success, old TBs there",
    "plan without success, no old TB there",
    "place at 0",
    "place up to the last unit",
    "place past a TB that stays",
    "place behind the one before",
    "lowest number not at the lowest address",
    "leave held back",
    "place held back",
    "done held back",
    "offer while busy",
    "all entries in use",
    "operation in the cycle behind a reply",
    "refused: one unit too many",
    "refused: one TB too many",
};
enum {
    BIN_LOOKUP,
    BIN_LOOKUP_NONE,
    BIN_FREE,
    BIN_FREE_ONLY,
    BIN_ALLOC_0,
    BIN_ALLOC_ABOVE,
    BIN_ALLOC_HOLE,
    BIN_ALLOC_END,
    BIN_ALLOC_ALL,
    BIN_ALLOC_NO_ROOM,
    BIN_ALLOC_NO_ENTRY,
    BIN_PLAN_0,
    BIN_PLAN_1,
    BIN_PLAN_MORE,
    BIN_PLAN_ALL,
    BIN_PLAN_SOME,
    BIN_PLAN_ENTRY,
    BIN_PLAN_EMPTY,
    BIN_PLAN_MOST,
    BIN_PLAN_WRAP,
    BIN_PLAN_FAIL,
    BIN_PLAN_FAIL_NONE,
    BIN_PLACE_0,
    BIN_PLACE_END,
    BIN_PLACE_PAST,
    BIN_PLACE_BEHIND,
    BIN_LEAVE_HIGH,
    BIN_LEAVE_HELD,
    BIN_PLACE_HELD,
    BIN_DONE_HELD,
    BIN_BUSY_OFFER,
    BIN_FULL,
    BIN_IN_A_ROW,
    BIN_BAD_SIZE_ABOVE,
    BIN_BAD_COUNT_ABOVE,
    BINS,
};

static bool above_all(const state *s, uint32_t start)
{
    for (uint32_t i = 0; i < s->there.used; i++) {
        if (s->there.tb[i].start >= start) {
            return false;
        }
    }
    return true;
}

/* Lowest address of the old kernel's TBs. */
static bool at_lowest(const state *s, uint32_t start)
{
    for (uint32_t i = 0; i < s->there.used; i++) {
        if (s->there.tb[i].kernel == s->op.old && s->there.tb[i].start < start) {
            return false;
        }
    }
    return true;
}

/* Operands that differ in one bit alone, each bit. */
static const wr_near nears[] = {
    {.name = "TB number and one of the same kernel in the table", .param = "TbBits"},
    {.name = "kernel and that of a TB of this number in the table", .param = "KernelBits"},
};
enum { NEAR_TB = BINS, NEAR_KERNEL };

static void cover_offer(const state *s, const wr_alloc_table_in *in, uint64_t *hits)
{
    const bool sized = in->op >= OP_ALLOC;
    hits[BIN_BAD_SIZE_ABOVE] += sized && in->size == s->cfg.units + 1;
    hits[BIN_BAD_COUNT_ABOVE] += in->op == OP_PLAN && in->count == s->cfg.entries + 1;
    if (!absent(s, in->kernel, in->tb, 1)) {
        return;
    }
    for (uint32_t i = 0; i < s->there.used; i++) {
        const wr_tb_item *t = &s->there.tb[i];
        hits[NEAR_TB] |= in->kernel == t->kernel ? wr_near_bit(in->tb, t->number) : 0;
        hits[NEAR_KERNEL] |= in->tb == t->number ? wr_near_bit(in->kernel, t->kernel) : 0;
    }
}

static void cover_alloc(const state *s, const wr_alloc_table_out *out, uint64_t *hits)
{
    const bool top = above_all(s, out->rsp_start);
    const bool fair =
        absent(s, s->op.kernel, s->op.tb, 1) && s->op.size > 0 && s->op.size <= s->cfg.units;
    hits[BIN_ALLOC_NO_ENTRY] += fair && !out->rsp_ok && s->there.used == s->cfg.entries;
    hits[BIN_ALLOC_NO_ROOM] += fair && !out->rsp_ok && s->there.used < s->cfg.entries;
    if (out->rsp_ok) {
        hits[BIN_ALLOC_0] += out->rsp_start == 0;
        hits[BIN_ALLOC_ABOVE] += s->there.used > 0 && top;
        hits[BIN_ALLOC_HOLE] += s->there.used > 0 && !top && out->rsp_start > 0;
        hits[BIN_ALLOC_END] += out->rsp_start > 0 && out->rsp_start + out->rsp_size == s->cfg.units;
        hits[BIN_ALLOC_ALL] += out->rsp_size == s->cfg.units;
    }
}

static void cover_plan(const state *s, const wr_alloc_table_out *out, uint64_t *hits)
{
    const wr_alloc_table_in *op = &s->op;
    if (!out->rsp_ok) {
        const bool fair = op->size > 0 && op->size <= s->cfg.units && op->count > 0 &&
                          op->count <= s->cfg.entries && op->old != op->kernel &&
                          absent(s, op->kernel, op->tb, op->count);
        hits[BIN_PLAN_FAIL] += fair && s->old_then > 0;
        hits[BIN_PLAN_FAIL_NONE] += fair && s->old_then == 0;
        return;
    }
    hits[BIN_PLAN_0] += s->left == 0;
    hits[BIN_PLAN_1] += s->left == 1;
    hits[BIN_PLAN_MORE] += s->left > 1;
    hits[BIN_PLAN_ALL] += s->left > 1 && s->left == s->old_then;
    hits[BIN_PLAN_SOME] += s->left > 0 && s->left < s->old_then;
    hits[BIN_PLAN_ENTRY] +=
        op->size == 1 && op->count == 1 && s->left == 1 && s->used_then == s->cfg.entries;
    hits[BIN_PLAN_EMPTY] += s->used_then == 0;
    hits[BIN_PLAN_MOST] += op->count == s->cfg.entries;
    hits[BIN_PLAN_WRAP] += (uint32_t)op->tb + op->count > 1u << s->cfg.tb_bits;
}

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_alloc_table_in *in = in_;
    const wr_alloc_table_out *out = out_;
    const bool held = out->rsp_valid && !in->rsp_ready;
    const bool taken = out->rsp_valid && in->rsp_ready;
    const bool done = taken && out->rsp_kind == KIND_DONE;

    if (in->valid && out->ready) {
        cover_offer(s, &s->last, hits);
    }
    hits[BIN_BUSY_OFFER] += in->valid && !out->ready;
    hits[BIN_FULL] += out->used == s->cfg.entries;
    hits[BIN_IN_A_ROW] += in->valid && out->ready && s->fresh;
    hits[BIN_LEAVE_HELD] += held && out->rsp_kind == KIND_LEAVE;
    hits[BIN_PLACE_HELD] += held && out->rsp_kind == KIND_PLACE;
    hits[BIN_DONE_HELD] += held && out->rsp_kind == KIND_DONE;
    if (taken && out->rsp_kind == KIND_LEAVE) {
        hits[BIN_LEAVE_HIGH] += !at_lowest(s, out->rsp_start);
    }
    if (taken && out->rsp_kind == KIND_PLACE) {
        hits[BIN_PLACE_0] += out->rsp_start == 0;
        hits[BIN_PLACE_END] += out->rsp_start + out->rsp_size == s->cfg.units;
        hits[BIN_PLACE_PAST] += s->placed > 0 && out->rsp_start != s->end && s->gap;
        hits[BIN_PLACE_BEHIND] += s->placed > 0 && out->rsp_start == s->end;
    }
    if (!done) {
        return;
    }
    switch (s->op.op) {
    case OP_LOOKUP:
        hits[BIN_LOOKUP] += out->rsp_ok;
        hits[BIN_LOOKUP_NONE] += !out->rsp_ok;
        break;
    case OP_FREE:
        hits[BIN_FREE] += out->rsp_ok;
        hits[BIN_FREE_ONLY] += out->rsp_ok && s->there.used == 1;
        break;
    case OP_ALLOC:
        cover_alloc(s, out, hits);
        break;
    default:
        cover_plan(s, out, hits);
        break;
    }
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_alloc_table_stim;
const wr_stim wr_alloc_table_stim = {
    .block = "alloc_table",
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
