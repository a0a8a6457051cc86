/* SPDX-License-Identifier: Apache-2.0 */
/* Systems that choose warps, beside a test that chooses for itself: whenever a scheduler of the
 * real shell asks, the test is asked first what it wants, and the warp that then issues must be
 * that one; where it wants none, none issues. The schedulers are round robin.
 */
#ifndef WR_TESTS_SYSTEMS_CHOICES_H
#define WR_TESTS_SYSTEMS_CHOICES_H

#include "tests/systems/jobs.h"

#include "systems/frame/report.h"

enum { CHOICES_SMS = 3, CHOICES_NONE = -1 };

typedef struct choices_test {
    /* The warp that must issue of these, or CHOICES_NONE. */
    int (*want)(wr_sm *sm, uint32_t scheduler, uint64_t candidates);
    void (*issues)(wr_sm *sm, uint32_t warp); /* in front of each instruction; NULL */
    /* Further events of the test's own; choose_warp and warp_issued are taken. */
    wr_system_hooks events;
    void (*row)(void *arg, const wr_row *row);
    void *arg;
} choices_test;

typedef struct choices_seen {
    uint64_t cycles, asked, issued, none;
} choices_seen;

/* The machine, with CHOICES_SMS SMs. */
wr_gpu_config choices_machine(const char *name);
/* Runs the launch file under the system, and beside this other one; NULL: none. Output must be
 * right. */
choices_seen choices_run(const char *file, const wr_gpu_config *cfg, const char *spec,
                         const char *beside, const choices_test *test);
/* The next of these warps behind the one that this scheduler has issued last, round about. */
int choices_round_robin(uint32_t sm, uint32_t scheduler, uint64_t warps);
/* The machine without the system has the same cycles and buffers. */
void choices_off(const char *file, const wr_gpu_config *cfg, const char *spec);

#endif
