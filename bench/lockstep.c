/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles per second of each block behind its three backends, as ratios within one run.
 *
 * Times on a shared machine wander; their ratios wander less. Each figure is the best of three
 * runs of the same stimulus, and includes the stimulus itself, which all three share.
 *
 *   bench_lockstep [--cycles N] [BLOCK...]
 */
#include "testbench/cosim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 3 };

static double now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Cycles per second, or 0 with a message. */
static double speed(const wr_block_desc *block, wr_backend backend, uint64_t cycles)
{
    const wr_config_desc *config = wr_block_config(block, "default");
    wr_cosim_options o = {.no_wild = true,
                          .block = block,
                          .cfg = config->value,
                          .backend = backend,
                          .seed = 1,
                          .cycles = cycles};
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        wr_cosim_result result;
        char err[512];
        double start = now();
        double rate;
        if (!wr_cosim_run(&o, &result, err, sizeof(err))) {
            (void)fprintf(stderr, "%s\n", err);
            return 0;
        }
        if (result.stats.mismatches > 0 || result.stats.cycles != cycles) {
            (void)fprintf(stderr, "%s: %s\n", wr_backend_name(backend), result.first);
            return 0;
        }
        rate = (double)cycles / (now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return count == 0;
}

int main(int argc, char **argv)
{
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);
    char *end = NULL;
    bool given = argc >= 3 && strcmp(argv[1], "--cycles") == 0;
    unsigned long long cycles = given ? strtoull(argv[2], &end, 10) : 200000;
    int first = given ? 3 : 1;
    bool good = cycles >= 8 && (end == NULL || *end == '\0');

    for (int i = first; i < argc; i++) {
        good = good && wr_block_find(argv[i]) != NULL;
    }
    if (!good) {
        (void)fprintf(stderr, "usage: bench_lockstep [--cycles N] [BLOCK...], N at least 8\n");
        return 2;
    }
    (void)printf("%llu cycles, best of %d, default configurations; million cycles per second\n",
                 cycles, ROUNDS);
    (void)printf("%-22s %8s %8s %8s %14s %16s\n", "block", "model", "rtl", "lockstep",
                 "lockstep/rtl", "lockstep/model");
    for (size_t i = 0; i < count; i++) {
        double rate[3];
        if (!wanted(blocks[i]->name, argv + first, argc - first)) {
            continue;
        }
        for (int b = 0; b < 3; b++) {
            rate[b] = speed(blocks[i], (wr_backend)b, cycles);
            if (rate[b] <= 0) {
                return 1;
            }
        }
        (void)printf("%-22s %8.2f %8.2f %8.2f %14.2f %16.3f\n", blocks[i]->name, rate[0] / 1e6,
                     rate[1] / 1e6, rate[2] / 1e6, rate[2] / rate[1], rate[2] / rate[0]);
    }
    return 0;
}
