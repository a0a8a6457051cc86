/* SPDX-License-Identifier: Apache-2.0 */
/* What `warpref run` was asked for, and the argp parser that reads it. */
#ifndef WR_TOOLS_RUN_OPTIONS_H
#define WR_TOOLS_RUN_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shell/host/job.h"
#include "systems/frame/group.h"
#include "tools/again.h"
#include "tools/config_option.h"
#include "tools/forward.h"
#include "tools/launch_rows.h"

enum { WR_RUN_MAX_RTL = 64 };

typedef struct wr_run_options {
    const char *files[WR_MAX_STREAMS]; /* each has a stream; those of --with behind the first */
    uint32_t file_count;
    uint32_t priority[WR_MAX_STREAMS]; /* of each file's launches without one */
    uint64_t arrival[WR_MAX_STREAMS];  /* of each file, cycles */
    const char *stats, *printf_file, *samples, *sample_of, *profile, *timeline, *cpu;
    wr_config_option config;
    wr_system_given given; /* blocks, wave, record */
    const char *systems[WR_MAX_OWNERS];
    uint32_t system_count;
    const char *rtl[WR_RUN_MAX_RTL]; /* of the user's, behind blocks */
    size_t rtl_count;
    const char *checkpoint, *resume;
    uint64_t checkpoint_at, checkpoint_every;
    uint64_t max_cycles, window, heap, sample, watchdog;
    uint32_t pp_interval, stack, without, threads;
    wr_forward_option forward;
    bool json, counters, no_points, check_memory;
    struct wr_serve *serve;       /* a program's requests instead of launch files; NULL: none */
    const char *program;          /* its file; NULL: not known */
    wr_program_launches launches; /* of the program */
    wr_again again;
    FILE *out; /* standard output */
} wr_run_options;

/* Its input is a wr_run_options whose defaults are set and whose `again` has begun. */
extern const struct argp wr_run_options_argp;

#endif
