/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of liveness_decoder. Directed: pp, bar.pp and neither, with empty, full and single-bit
 * vectors at the borders of the allocated count, bit 53, and divergence; in every fifth of them the
 * consumer is held back at first. Then random walks with back-pressure, and in runs with faults
 * every kind of them. */
#include "refmodel/gen/liveness_decoder_pins.h"
#include "testbench/stim.h"
#include "testbench/traffic.h"

enum { HIGH_BIT = 53, OPCODE_BITS = 10, DIRECTED = 25 };

typedef enum fault_kind {
    FAULT_NONE,
    FAULT_BUSY,
    FAULT_ALLOC,
    FAULT_NO_DUMMY,
    FAULT_BAR,
    FAULT_BEYOND,
    FAULT_HIGH,
    FAULT_NEITHER,
    FAULT_KINDS = FAULT_NEITHER,
} fault_kind;

static const char *const fault_names[] = {
    [FAULT_BUSY] = "start while busy",
    [FAULT_ALLOC] = "alloc above the most",
    [FAULT_NO_DUMMY] = "diverged pp without its dummy",
    [FAULT_BAR] = "diverged bar.pp",
    [FAULT_BEYOND] = "live bit past the registers allocated",
    [FAULT_HIGH] = "bit 53 with 53 registers or fewer",
    [FAULT_NEITHER] = "alloc above the most with a word that is neither",
};

typedef struct state {
    wr_liveness_decoder_cfg cfg;
    wr_rng rng;
    wr_gate begin;
    wr_gate consume;
    wr_faults faults;
    uint32_t starts; /* starts given so far */
    uint32_t wait;   /* cycles until the start that was just given shows on busy */
    uint32_t hold;   /* directed: cycles for which the consumer takes nothing */
    bool was_ready;  /* in the cycle before */
} state;

static uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

static uint64_t instruction(uint32_t opcode, uint64_t vector)
{
    return (uint64_t)opcode << 54 | (vector & low_bits(54));
}

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;
    *s = (state){.cfg = *(const wr_liveness_decoder_cfg *)cfg};
    wr_rng_seed(&s->rng, seed);
    s->faults = wr_faults_of(seed, FAULT_KINDS);
    s->starts = with_directed ? 0 : DIRECTED;
}

/* The vector bits that are legal with this many allocated registers. */
static uint64_t legal_vector(uint32_t alloc)
{
    return low_bits(alloc > HIGH_BIT ? HIGH_BIT + 1 : alloc);
}

static void directed_start(const state *s, uint32_t n, wr_liveness_decoder_in *in)
{
    const uint32_t regs = s->cfg.regs;
    const uint32_t allocs[] = {regs, 0, 1, regs > 53 ? 53 : regs / 2, regs > 54 ? 54 : regs};
    in->alloc = (uint8_t)allocs[n % 5];
    const uint64_t legal = legal_vector(in->alloc);
    const uint64_t vectors[] = {legal, 0, legal & ~(legal >> 1), legal & 1u,
                                legal & UINT64_C(0x2aaaaaaaaaaaaa)};
    const uint64_t vector = vectors[n / 5 % 5];
    const uint64_t other = legal & UINT64_C(0x15555555555555);
    switch (n % 4) {
    case 0:
        in->word = instruction(s->cfg.op_pp, vector);
        in->next = instruction(s->cfg.op_dummy, other);
        break;
    case 1:
        in->word = instruction(s->cfg.op_pp, other);
        in->next = instruction(s->cfg.op_dummy, vector);
        in->diverged = true;
        break;
    case 2:
        in->word = instruction(s->cfg.op_bar_pp, vector);
        in->next = instruction(s->cfg.op_pp, other);
        break;
    default:
        in->word = instruction(s->cfg.op_dummy, vector);
        in->next = instruction(s->cfg.op_pp, other);
        in->diverged = n / 4 % 2 == 0;
        break;
    }
}

static uint64_t random_vector(state *s, uint64_t legal)
{
    switch (wr_rng_below(&s->rng, 6)) {
    case 0:
        return 0;
    case 1:
        return legal;
    case 2:
        return legal & (UINT64_C(1) << wr_rng_below(&s->rng, 54));
    case 3:
        return legal & (wr_rng_u64(&s->rng) | UINT64_C(1) << HIGH_BIT);
    case 4: /* few live registers, as the papers' kernels have */
        return legal & wr_rng_u64(&s->rng) & wr_rng_u64(&s->rng) & wr_rng_u64(&s->rng);
    default:
        return legal & wr_rng_u64(&s->rng);
    }
}

static void random_start(state *s, fault_kind fault, bool shown, wr_liveness_decoder_in *in)
{
    wr_rng *r = &s->rng;
    uint32_t alloc = wr_rng_chance(r, 30) ? s->cfg.regs : wr_rng_below(r, s->cfg.regs + 1);
    /* The live bit that should not be: each in turn, for it must be the only one to show. */
    const uint32_t beyond = fault == FAULT_HIGH ? HIGH_BIT : s->faults.round % HIGH_BIT;
    if (fault == FAULT_BEYOND || fault == FAULT_HIGH) {
        const uint32_t most = s->cfg.regs < beyond ? s->cfg.regs : beyond;
        alloc = wr_rng_chance(r, 50) ? most : wr_rng_below(r, most + 1);
    }
    const uint32_t near = wr_rng_chance(r, 50) ? s->cfg.op_pp : s->cfg.op_bar_pp;
    const uint32_t opcodes[] = {s->cfg.op_pp, s->cfg.op_bar_pp, s->cfg.op_dummy,
                                (uint32_t)wr_near_value(near, OPCODE_BITS, r)};
    uint32_t opcode = opcodes[wr_rng_below(r, 8) * 3 / 7];
    uint32_t behind = s->cfg.op_dummy;
    in->diverged = wr_rng_chance(r, 50);
    switch (fault) {
    case FAULT_NO_DUMMY:
        opcode = s->cfg.op_pp;
        behind = (uint32_t)wr_near_value(behind, OPCODE_BITS, r);
        in->diverged = true;
        break;
    case FAULT_BAR:
        opcode = s->cfg.op_bar_pp;
        in->diverged = true;
        break;
    case FAULT_BEYOND:
    case FAULT_HIGH:
        opcode = s->cfg.op_pp;
        break;
    case FAULT_ALLOC:
    case FAULT_NEITHER:
        opcode = fault == FAULT_ALLOC ? s->cfg.op_pp : s->cfg.op_dummy;
        alloc = s->cfg.regs;
        break;
    default:
        in->diverged = in->diverged && opcode != s->cfg.op_bar_pp;
        break;
    }
    uint64_t vector = random_vector(s, legal_vector(alloc));
    uint64_t other = random_vector(s, legal_vector(alloc));
    if (fault == FAULT_BEYOND || fault == FAULT_HIGH) {
        vector |= UINT64_C(1) << beyond;
        other |= UINT64_C(1) << beyond;
        if (shown) { /* fault says no more, but the mask does */
            vector |= wr_rng_u64(r);
            other |= wr_rng_u64(r);
        }
    } else if (opcode != s->cfg.op_pp && opcode != s->cfg.op_bar_pp) {
        vector = wr_rng_u64(r); /* means nothing, so anything is legal */
        behind = wr_rng_below(r, 1024);
    } else if (!in->diverged && fault == FAULT_NONE) {
        other = wr_rng_u64(r);
        behind = wr_rng_below(r, 1024);
    }
    if (fault == FAULT_ALLOC || fault == FAULT_NEITHER) {
        alloc = s->cfg.regs + 1 + wr_rng_below(r, 127 - s->cfg.regs);
    }
    in->alloc = (uint8_t)alloc;
    in->word = instruction(opcode, vector);
    in->next = instruction(behind, other);
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    (void)cycle;
    state *s = state_;
    wr_liveness_decoder_in *in = in_;
    const wr_liveness_decoder_out *last = last_out;
    const bool directed = s->starts < DIRECTED;

    in->ready = directed ? s->hold == 0 : wr_gate_open(&s->consume, &s->rng);
    s->hold -= s->hold > 0;
    if (!directed) {
        wr_faults_step(&s->faults);
    }
    if (s->wait > 0) {
        s->wait--;
    }
    const bool free = s->wait == 0 && !last->busy;
    const bool begin = free && (directed || wr_gate_open(&s->begin, &s->rng));
    /* Two registers left in the last cycle, or the last one was not taken: busy in this one. Every
     * other time the first start while busy waits for that. */
    const bool held = last->last && !s->was_ready;
    const bool waits = s->faults.first == FAULT_BUSY && s->faults.round % 2 == 0 && !last->fault;
    const bool busy = held || (last->valid && !last->last && !waits);
    fault_kind fault = FAULT_NONE;
    if (begin || busy) {
        fault =
            (fault_kind)wr_faults_pick(&s->faults, last->fault, begin || held ? 20 : 3, &s->rng);
    }
    s->was_ready = in->ready;
    if (begin || (busy && fault == FAULT_BUSY)) {
        in->start = true;
        if (directed) {
            directed_start(s, s->starts, in);
            s->hold = s->starts % 5 == 4 ? 4 : 0;
        } else {
            random_start(s, fault, last->fault, in);
        }
        s->starts++;
        /* A word that is neither starts no walk, so the next start may follow at once. */
        const uint64_t opcode = in->word >> HIGH_BIT >> 1;
        s->wait = opcode == s->cfg.op_pp || opcode == s->cfg.op_bar_pp ? 2 : 0;
    } else {
        /* Noise on pins that mean nothing without start. */
        in->word = wr_rng_u64(&s->rng);
        in->next = wr_rng_u64(&s->rng);
        in->diverged = wr_rng_chance(&s->rng, 50);
        in->alloc = (uint8_t)wr_rng_below(&s->rng, 128);
    }
}

static const char *const bin_names[] = {
    "pp",
    "pp, diverged with its dummy",
    "bar.pp",
    "neither",
    "empty mask",
    "one live register",
    "bit 53 with registers allocated there",
    "nothing allocated",
    "all allocated",
    "walk held back",
    "last register taken",
    "start while busy",
    "start as the last register is taken",
    "alloc above Regs",
    "diverged pp without its dummy",
    "diverged bar.pp",
    "fault",
};
enum {
    BIN_PP,
    BIN_DIVERGED,
    BIN_BAR,
    BIN_NEITHER,
    BIN_EMPTY,
    BIN_ONE,
    BIN_HIGH,
    BIN_ALLOC_NONE,
    BIN_ALLOC_ALL,
    BIN_HELD,
    BIN_LAST,
    BIN_BUSY_START,
    BIN_LAST_START,
    BIN_ALLOC_ABOVE,
    BIN_NO_DUMMY,
    BIN_BAR_DIVERGED,
    BIN_FAULT,
    BINS,
};

static const wr_near nears[] = {
    {.name = "opcode and pp", .width = OPCODE_BITS},
    {.name = "opcode and bar.pp", .width = OPCODE_BITS},
    {.name = "opcode behind a diverged pp and the dummy", .width = OPCODE_BITS},
};
enum { NEAR_PP = BINS, NEAR_BAR, NEAR_DUMMY };

static void cover(const void *state_, const void *in_, const void *out_, uint64_t *hits)
{
    const state *s = state_;
    const wr_liveness_decoder_in *in = in_;
    const wr_liveness_decoder_out *out = out_;
    if (in->start && !out->busy) {
        const bool pp = in->word >> 54 == s->cfg.op_pp;
        const bool bar = in->word >> 54 == s->cfg.op_bar_pp;
        const bool dummy = in->next >> 54 == s->cfg.op_dummy;
        hits[NEAR_PP] |= wr_near_bit(in->word >> 54, s->cfg.op_pp);
        hits[NEAR_BAR] |= wr_near_bit(in->word >> 54, s->cfg.op_bar_pp);
        hits[NEAR_DUMMY] |= pp && in->diverged ? wr_near_bit(in->next >> 54, s->cfg.op_dummy) : 0;
        hits[BIN_PP] += pp && !in->diverged;
        hits[BIN_DIVERGED] += pp && in->diverged && dummy;
        hits[BIN_NO_DUMMY] += pp && in->diverged && !dummy;
        hits[BIN_BAR] += bar && !in->diverged;
        hits[BIN_BAR_DIVERGED] += bar && in->diverged;
        hits[BIN_NEITHER] += !pp && !bar;
        hits[BIN_HIGH] += (pp || bar) && (in->word >> HIGH_BIT & 1u) && in->alloc > HIGH_BIT;
        hits[BIN_ALLOC_NONE] += in->alloc == 0;
        hits[BIN_ALLOC_ALL] += in->alloc == s->cfg.regs;
        hits[BIN_ALLOC_ABOVE] += in->alloc > s->cfg.regs;
    }
    hits[BIN_EMPTY] += out->decoded && out->mask == 0;
    hits[BIN_ONE] += out->decoded && out->last;
    hits[BIN_HELD] += out->valid && !in->ready;
    hits[BIN_LAST] += out->last && in->ready;
    hits[BIN_BUSY_START] += in->start && out->busy;
    hits[BIN_LAST_START] += in->start && out->last && in->ready;
    hits[BIN_FAULT] += out->fault;
}

_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");
_Static_assert(sizeof bin_names / sizeof bin_names[0] == BINS, "one name per bin");

extern const wr_stim wr_liveness_decoder_stim;
const wr_stim wr_liveness_decoder_stim = {
    .block = "liveness_decoder",
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
