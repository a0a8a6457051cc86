/* SPDX-License-Identifier: Apache-2.0 */
/* Work for the shell, of any size: four kernels of one character each, on the gtx480 with as many
 * SMs as wanted; DRAM channels, L2 banks and L2 bytes grow with the SMs, so that each SM has the
 * same share. For the programs that time it (shell_speed.c) and count it (cost.c).
 */
#ifndef WR_BENCH_WORK_H
#define WR_BENCH_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shell/compiler/compiler.h"
#include "shell/config/config.h"

typedef struct wr_work_kernel {
    const char *name, *what;
    uint32_t loops;  /* of a thread, in a run of length 1 */
    uint32_t blocks; /* of 256 threads, per SM */
    bool strides;    /* touches a new word in every turn */
} wr_work_kernel;

enum { WR_WORK_KERNELS = 4 };
extern const wr_work_kernel wr_work_kernels[WR_WORK_KERNELS];

typedef struct wr_work_result {
    double seconds, wall;    /* of the processor; of the clock on the wall */
    uint64_t cycles, issued; /* simulated; warp instructions */
    bool ok;                 /* else it said why */
} wr_work_result;

/* All four; NULL with a message. */
wr_module *wr_work_compile(void);

/* False with a message: no such machine. */
bool wr_work_machine(uint32_t sms, wr_gpu_config *config);

/* Runs `blocks` blocks of `loops` turns; times are those of wr_gpu_run alone. In the place of a
 * number of threads: all of it without time (wr_gpu_forward). */
#define WR_WORK_FORWARD 0
wr_work_result wr_work_run(const wr_module *module, const wr_work_kernel *kernel,
                           const wr_gpu_config *config, uint32_t blocks, uint32_t loops,
                           uint32_t threads);

/* Bytes that one SM more takes, and those of the registers and shared memory of all its slots. */
size_t wr_work_sm_bytes(const wr_gpu_config *config);
size_t wr_work_sm_storage(const wr_gpu_config *config);

#endif
