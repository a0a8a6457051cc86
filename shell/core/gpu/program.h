/* SPDX-License-Identifier: Apache-2.0 */
/* A launch, prepared: what every SM needs of it, computed once and only read after.
 *
 * Instructions become wr_uop in program order, one more at the end (WR_KIND_END) so that the
 * successor of every instruction exists.
 */
#ifndef WR_SHELL_CORE_GPU_PROGRAM_H
#define WR_SHELL_CORE_GPU_PROGRAM_H

#include "shell/core/exec/exec.h"
#include "shell/core/gpu.h"
#include "shell/memory/memory.h"

typedef struct wr_program {
    const wr_launch *launch;
    const wr_kernel *kernel;
    uint32_t stream;        /* whose launch it is */
    wr_uop *uops;           /* kernel->insn_count + 1 */
    uint32_t *ext_rows;     /* two rows for each extended operand */
    uint32_t *tid;          /* [warp of the TB][x, y, z][lane] */
    uint8_t *param_bytes;   /* the parameter block and 8 bytes of zeros behind it */
    uint32_t threads;       /* per TB */
    uint32_t warps;         /* per TB */
    uint32_t regs;          /* per thread, counted for occupancy: rounded, overridden */
    uint32_t shared;        /* bytes per TB, static and dynamic */
    uint32_t shared_charge; /* rounded for occupancy */
    uint32_t local_words;   /* of local memory, per thread */
    uint64_t code_base;     /* address of the machine code */
    uint32_t insn_bytes;    /* sm.insn_bytes */
    uint64_t tbs;           /* in the grid */
    uint64_t local_base;    /* frames of local memory, one for each TB that can be alive */
    uint64_t frame_bytes;
    uint32_t frames;
    bool idempotent; /* no uop spoils */
} wr_program;

/* False with a message where the kernel can't run on this configuration. */
bool wr_program_prepare(wr_program *p, const wr_gpu_config *cfg, const wr_launch *launch,
                        char *message, size_t size);
void wr_program_free(wr_program *p);

/* Which uops spoil a TB, by the allocations that the launch's pointers are in (idempotence.c).
 * False: out of memory. */
bool wr_program_judge(wr_program *p, const wr_memory *memory);

/* Latency and interval of an instruction by the configuration's table. */
wr_op_timing wr_program_timing(const wr_gpu_config *cfg, const wr_insn *insn);

/* Fills everything of a uop that depends on the instruction alone; false: the machine can't
 * execute it. `ext` has the two rows for an extended operand. */
bool wr_program_uop(const wr_gpu_config *cfg, const wr_insn *insn, const uint32_t *ext,
                    wr_uop *out);

#endif
