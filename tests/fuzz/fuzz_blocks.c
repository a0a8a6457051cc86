/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzz target: a block's model against its RTL, every output and named register in every cycle.
 *
 * libFuzzer is led by the branches of model and stimulus, which it counts itself, and by what is
 * put into its extra counters: the lines and toggled bits of the Verilated block, the stimulus's
 * coverage bins, and the values of the model's narrow registers (states, counts, pointers).
 *
 * Which block: play.h. At the end, the sum of the RTL's counters goes to $WARPREF_FUZZ_COVERAGE,
 * for verilator_coverage.
 */
#include "tests/fuzz/play.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 1 << 15,
    VALUES = 256,
    REGISTERS = 64,
};

static struct {
    uint8_t points[POINTS]; /* a block with more folds */
    uint8_t bins[WR_COSIM_BINS_MAX];
    uint8_t values[REGISTERS][VALUES];
} counters __attribute__((section("__libfuzzer_extra_counters")));

static wr_play play;
static uint32_t *sums[WR_POINTS_KINDS]; /* of the RTL's counters over all inputs */
static uint64_t inputs;

static uint8_t byte_of(uint64_t count)
{
    return count < UINT8_MAX ? (uint8_t)count : UINT8_MAX;
}

static void watch(const wr_play *p, const void *model)
{
    const size_t most = p->block->states_count < REGISTERS ? p->block->states_count : REGISTERS;

    for (size_t i = 0; i < most; i++) {
        const wr_state_desc *s = &p->block->states[i];
        if (!s->is_array && s->width <= 8) {
            counters.values[i][*((const uint8_t *)model + s->offset)] = 1;
        }
    }
}

/* Behind an input that was played: what the RTL and the bins have counted. Whether a bit toggled
 * says enough: told apart by how often, thousands of them would drown the rare ones. */
static void count(void)
{
    uint32_t before = 0;

    for (wr_rtl_points of = 0; of < WR_POINTS_KINDS; of++) {
        uint32_t *counts = NULL;
        const uint32_t points = wr_port_coverage(&play.port, of, &counts);
        for (uint32_t i = 0; i < points; i++) {
            const uint64_t sum = (uint64_t)sums[of][i] + counts[i];
            counters.points[(before + i) % POINTS] |= counts[i] > 0;
            sums[of][i] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
            counts[i] = 0;
        }
        before += points;
    }
    for (size_t i = 0; i < WR_COSIM_BINS_MAX; i++) {
        counters.bins[i] = byte_of(play.hits[i]);
    }
    inputs++;
}

static void at_end(void)
{
    const wr_port_stats stats = wr_port_get_stats(&play.port);
    const char *path = getenv("WARPREF_FUZZ_COVERAGE");
    uint32_t all = 0;
    uint32_t hit = 0;

    for (wr_rtl_points of = 0; of < WR_POINTS_KINDS; of++) {
        uint32_t *counts = NULL;
        const uint32_t points = wr_port_coverage(&play.port, of, &counts);
        for (uint32_t i = 0; i < points; i++) {
            counts[i] = sums[of][i];
            hit += sums[of][i] > 0;
        }
        all += points;
    }
    (void)fprintf(stderr,
                  "fuzz: inputs %" PRIu64 " cycles %" PRIu64 " checks %" PRIu64 " points %" PRIu32
                  " of %" PRIu32 "\n",
                  inputs, stats.cycles, stats.comparisons, hit, all);
    if (path != NULL && !wr_port_write_coverage(&play.port, path)) {
        (void)fprintf(stderr, "fuzz: %s: cannot be written\n", path);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    uint32_t all = 0;
    bool good = true;

    (void)argc;
    (void)argv;
    wr_play_open(&play);
    play.watch = watch;
    for (wr_rtl_points of = 0; of < WR_POINTS_KINDS; of++) {
        uint32_t *counts = NULL;
        const uint32_t points = wr_port_coverage(&play.port, of, &counts);
        sums[of] = calloc(points + 1, sizeof *sums[of]);
        good = good && sums[of] != NULL;
        all += points;
    }
    if (all == 0 || !good || atexit(at_end) != 0) {
        (void)fprintf(stderr, "fuzz: no counters in %s, or out of memory\n", play.lib);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *wrong = wr_play_input(&play, data, size);

    count();
    if (wrong != NULL) {
        (void)fprintf(stderr, "fuzz: cycle %" PRIu64 "%s: %s\n", play.cycles - 1,
                      play.faulty ? ", behind a fault" : "", wrong);
        abort();
    }
    return 0;
}
