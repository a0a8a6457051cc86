/* SPDX-License-Identifier: Apache-2.0 */
/* utilisation_adder and throughput_monitor wired together, as models: 16 SMs and 8 partitions with
 * random traffic, around the bounds of Table 3.3 (Lin-D). Each verdict, and the cycle in which it
 * comes, is compared with one made in the plainest way from what each SM and each partition said.
 * Then bugs are planted in the wiring that the comparison has to find.
 */
#include "dpi/gen/throughput_monitor_port.h"
#include "dpi/gen/utilisation_adder_port.h"

#include <string.h>

#include "testbench/rng.h"
#include "tests/blocks/rig.h"

enum { SMS = 16, SCHEDS = 4, PARTS = 8, WARMUP = 20, WINDOW = 50, SUSTAIN = 60, DRAM_SAT = 70 };
enum { UNDER, MODERATE, SATURATED };
enum { SCHED = 1, L1 = 2, NOC = 4, L2 = 8, DRAM = 16, ALL = 31 };
enum { CYCLES = 200000, DUE = 3 /* cycles from the last of a window to its verdict */ };

typedef enum plant {
    SOUND,
    SM_DROPPED,      /* one SM's pins lie open */
    SWAPPED,         /* up and down */
    START_AT_ONCE,   /* start goes past the adder */
    CLOCKS_AT_ONCE,  /* and the clocks */
    STOP_LOST,       /* stop lies open */
    PART_COUNTS_TWO, /* a partition at the place of another, too */
} plant;

typedef struct judged {
    unsigned low, high;
    unsigned verdict;
    bool l1_idle;
} judged;

/* What stands between two cycles: the blocks, and what the plainest way remembers. */
typedef struct machine {
    wr_rng rng;
    plant plant;
    bool spoiled; /* SMs and partitions say more than can be */
    wr_utilisation_adder adder;
    wr_throughput_monitor monitor;
    unsigned percent[6]; /* issued, l1, up, down, l2, dram: how busy */

    enum { IDLE, WARM, MEASURE } phase;
    unsigned length;                      /* cycles of the warm-up or window so far */
    wr_utilisation_adder_in said[WINDOW]; /* in this window */
    struct { /* the verdict of the next cycle, and of those behind it */
        bool comes;
        judged is;
    } to_come[DUE];

    uint64_t verdicts[3], idle, dropped, cut;
    const char *violation; /* the first */
    uint64_t cycle;
} machine;

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool below(uint64_t used, uint64_t possible, unsigned percent)
{
    return 100 * used < percent * possible;
}

static bool above(uint64_t used, uint64_t possible, unsigned percent)
{
    return 100 * used > percent * possible;
}

/* Table 3.3 of a window, from every number that was said in it. */
static judged judge(const wr_utilisation_adder_in *said, unsigned cycles)
{
    uint64_t issued = 0, l1 = 0, up = 0, down = 0, l2 = 0, dram = 0;
    uint64_t noc_cycles = 0, l2_cycles = 0, dram_cycles = 0;
    judged j = {0};

    for (unsigned c = 0; c < cycles; c++) {
        const wr_utilisation_adder_in *in = &said[c];
        for (unsigned i = 0; i < SMS; i++) {
            issued += least(in->issued[i], SCHEDS);
            l1 += in->l1[i];
            up += least(in->up[i], in->noc_cycles);
        }
        for (unsigned i = 0; i < PARTS; i++) {
            down += least(in->down[i], in->noc_cycles);
            l2 += least(in->l2[i], in->l2_cycles);
            dram += least(in->dram[i], in->dram_cycles);
        }
        noc_cycles += in->noc_cycles;
        l2_cycles += in->l2_cycles;
        dram_cycles += in->dram_cycles;
    }
    /* Of the interconnect's peak 60 % can be sustained: 36 % of it is the lower bound, 54 % the
     * upper. */
    j.low |= below(issued, (uint64_t)SMS * SCHEDS * cycles, 60) ? SCHED : 0;
    j.low |= below(l1, (uint64_t)SMS * cycles, 60) ? L1 : 0;
    j.low |= below(up, SMS * noc_cycles, 36) && below(down, PARTS * noc_cycles, 36) ? NOC : 0;
    j.low |= below(l2, PARTS * l2_cycles, 60) ? L2 : 0;
    j.low |= below(dram, PARTS * dram_cycles, 50) ? DRAM : 0;
    j.high |= above(issued, (uint64_t)SMS * SCHEDS * cycles, 80) ? SCHED : 0;
    j.high |= above(l1, (uint64_t)SMS * cycles, 80) ? L1 : 0;
    j.high |= above(up, SMS * noc_cycles, 54) || above(down, PARTS * noc_cycles, 54) ? NOC : 0;
    j.high |= above(l2, PARTS * l2_cycles, 80) ? L2 : 0;
    j.high |= above(dram, PARTS * dram_cycles, DRAM_SAT) ? DRAM : 0;
    j.l1_idle = below(l1, (uint64_t)SMS * cycles, 3);
    j.verdict = j.high != 0 ? SATURATED : j.low == ALL ? UNDER : MODERATE;
    return j;
}

/* What one SM or partition did: each of `most` events by itself; spoiled, now and then any value.
 */
static uint8_t events(machine *m, unsigned most, unsigned percent, unsigned top)
{
    unsigned n = 0;

    for (unsigned e = 0; e < most; e++) {
        n += wr_rng_chance(&m->rng, percent);
    }
    if (m->spoiled && wr_rng_chance(&m->rng, 3)) {
        n = wr_rng_below(&m->rng, top + 1);
    }
    return (uint8_t)n;
}

static void traffic(machine *m, wr_utilisation_adder_in *in)
{
    static const unsigned levels[] = {0, 1, 3, 20, 34, 36, 38, 48, 50, 54, 60, 70, 80, 100};
    wr_rng *r = &m->rng;

    if (wr_rng_below(r, WINDOW) == 0) {
        const unsigned most = 1 + wr_rng_below(r, sizeof levels / sizeof levels[0]);
        for (unsigned k = 0; k < 6; k++) {
            m->percent[k] = levels[wr_rng_below(r, most)];
        }
    }
    in->start = m->phase == IDLE ? wr_rng_chance(r, 20) : wr_rng_below(r, 500) == 0;
    in->stop = wr_rng_below(r, 500) == 0;
    in->cut = wr_rng_below(r, 150) == 0;
    in->noc_cycles = (uint8_t)wr_rng_below(r, 4);
    in->l2_cycles = (uint8_t)wr_rng_below(r, 4);
    in->dram_cycles = (uint8_t)wr_rng_below(r, 4);
    for (unsigned i = 0; i < SMS; i++) {
        in->issued[i] = events(m, SCHEDS, m->percent[0], 7);
        in->l1[i] = wr_rng_chance(r, m->percent[1]);
        in->up[i] = events(m, in->noc_cycles, m->percent[2], 3);
    }
    for (unsigned i = 0; i < PARTS; i++) {
        in->down[i] = events(m, in->noc_cycles, m->percent[3], 3);
        in->l2[i] = events(m, in->l2_cycles, m->percent[4], 3);
        in->dram[i] = events(m, in->dram_cycles, m->percent[5], 3);
    }
}

/* Warm-up and windows as 3.6.4 has them, told by the cycles of the machine. */
static void remember(machine *m, const wr_utilisation_adder_in *in)
{
    memmove(&m->to_come[0], &m->to_come[1], sizeof m->to_come - sizeof m->to_come[0]);
    m->to_come[DUE - 1].comes = false;
    if (in->start || in->stop) {
        /* The verdict of a window that ended with the cycle before is dropped. */
        m->dropped += m->to_come[DUE - 2].comes;
        m->to_come[DUE - 2].comes = false;
        m->phase = in->start ? WARM : IDLE;
        m->length = 0;
        return;
    }
    if (m->phase == IDLE) {
        return;
    }
    if (m->phase == MEASURE) {
        m->said[m->length] = *in;
    }
    m->length++;
    if (!in->cut && m->length < (m->phase == WARM ? (unsigned)WARMUP : (unsigned)WINDOW)) {
        return;
    }
    if (m->phase == MEASURE) {
        m->to_come[DUE - 1].comes = true;
        m->to_come[DUE - 1].is = judge(m->said, m->length);
        m->cut += m->length < WINDOW;
    }
    m->phase = MEASURE;
    m->length = 0;
}

static void adder_pins(const machine *m, const wr_utilisation_adder_in *said,
                       wr_utilisation_adder_in *in)
{
    *in = *said;
    if (m->plant == SM_DROPPED) {
        in->issued[SMS - 1] = in->up[SMS - 1] = 0;
        in->l1[SMS - 1] = false;
    } else if (m->plant == PART_COUNTS_TWO) {
        in->down[1] = in->down[0];
        in->l2[1] = in->l2[0];
        in->dram[1] = in->dram[0];
    }
}

static void monitor_pins(const machine *m, const wr_utilisation_adder_in *said,
                         const wr_utilisation_adder_out *sums, wr_throughput_monitor_in *in)
{
    *in = (wr_throughput_monitor_in){.start = sums->start,
                                     .stop = sums->stop,
                                     .cut = sums->cut,
                                     .issued = sums->issued,
                                     .l1 = sums->l1,
                                     .noc_cycles = sums->noc_cycles,
                                     .up = sums->up,
                                     .down = sums->down,
                                     .l2_cycles = sums->l2_cycles,
                                     .l2 = sums->l2,
                                     .dram_cycles = sums->dram_cycles,
                                     .dram = sums->dram};
    if (m->plant == SWAPPED) {
        in->up = sums->down;
        in->down = sums->up;
    } else if (m->plant == START_AT_ONCE) {
        in->start = said->start;
    } else if (m->plant == CLOCKS_AT_ONCE) {
        in->noc_cycles = said->noc_cycles;
        in->l2_cycles = said->l2_cycles;
        in->dram_cycles = said->dram_cycles;
    } else if (m->plant == STOP_LOST) {
        in->stop = false;
    }
}

static const char *compare(machine *m, const wr_throughput_monitor_out *out)
{
    const judged *want = &m->to_come[0].is;

    if (out->valid != m->to_come[0].comes) {
        return out->valid ? "a verdict of no window" : "a verdict is missing";
    }
    if (!out->valid) {
        return NULL;
    }
    m->verdicts[want->verdict]++;
    m->idle += want->l1_idle;
    if (out->verdict != want->verdict || out->low != want->low || out->high != want->high ||
        out->l1_idle != want->l1_idle) {
        return "a verdict is wrong";
    }
    return NULL;
}

/* Faults are looked at last: they are sticky, and would hide what the verdicts tell. */
static const machine *run(plant p, bool spoiled)
{
    static machine m;
    static const wr_utilisation_adder_cfg adder_cfg = {SMS, SCHEDS, PARTS};
    static const wr_throughput_monitor_cfg monitor_cfg = {.warmup = WARMUP,
                                                          .window = WINDOW,
                                                          .sms = SMS,
                                                          .scheds = SCHEDS,
                                                          .parts = PARTS,
                                                          .sustain = SUSTAIN,
                                                          .dram_sat = DRAM_SAT};
    memset(&m, 0, sizeof m);
    m.plant = p;
    m.spoiled = spoiled;
    wr_rng_seed(&m.rng, wr_rig_seed());
    assert_int_equal(wr_utilisation_adder_init(&m.adder, &adder_cfg), WR_OK);
    assert_int_equal(wr_throughput_monitor_init(&m.monitor, &monitor_cfg), WR_OK);
    for (m.cycle = 0; m.cycle < CYCLES && m.violation == NULL; m.cycle++) {
        wr_utilisation_adder_in said = {0}, adder_in;
        wr_utilisation_adder_out sums;
        wr_throughput_monitor_in monitor_in;
        wr_throughput_monitor_out out;

        traffic(&m, &said);
        adder_pins(&m, &said, &adder_in);
        wr_utilisation_adder_eval(&m.adder, &adder_in, &sums);
        monitor_pins(&m, &said, &sums, &monitor_in);
        wr_throughput_monitor_eval(&m.monitor, &monitor_in, &out);
        wr_utilisation_adder_tick(&m.adder, &adder_in);
        wr_throughput_monitor_tick(&m.monitor, &monitor_in);
        m.violation = compare(&m, &out);
        remember(&m, &said);
    }
    if (m.violation == NULL && m.monitor.fault_q) {
        m.violation = "the monitor has a fault";
    }
    if (m.violation == NULL && m.adder.fault_q != spoiled) {
        m.violation = "the adder's fault is wrong";
    }
    return &m;
}

static void check_sound(bool spoiled)
{
    const machine *m = run(SOUND, spoiled);

    if (m->violation != NULL) {
        fail_msg("cycle %llu: %s", (unsigned long long)m->cycle, m->violation);
    }
    assert_true(m->verdicts[UNDER] > 20 && m->verdicts[MODERATE] > 20 &&
                m->verdicts[SATURATED] > 20);
    assert_true(m->idle > 0 && m->dropped > 0 && m->cut > 0);
}

static void test_sound(void **state)
{
    (void)state;
    check_sound(false);
}

/* Values above their range: each counts as the most that is possible, and none reaches the
 * monitor. */
static void test_spoiled(void **state)
{
    (void)state;
    check_sound(true);
}

static void found(plant p, const char *what)
{
    const machine *m = run(p, false);

    assert_non_null(m->violation);
    assert_string_equal(m->violation, what);
}

static void test_planted(void **state)
{
    (void)state;
    found(SM_DROPPED, "a verdict is wrong");
    found(SWAPPED, "a verdict is wrong");
    found(START_AT_ONCE, "a verdict of no window");
    found(CLOCKS_AT_ONCE, "a verdict is wrong");
    found(STOP_LOST, "a verdict of no window");
    found(PART_COUNTS_TWO, "a verdict is wrong");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_spoiled),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
