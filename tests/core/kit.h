/* SPDX-License-Identifier: Apache-2.0 */
/* What the core's tests share: a machine, an assembler for hand-written kernels, statistics.
 *
 * Kernels are lists of wr_insn whose branch targets are instruction numbers; kit_build lays
 * them out, encodes them and takes the decoded words, so what runs is what the ISA encodes.
 */
#ifndef WR_TESTS_CORE_KIT_H
#define WR_TESTS_CORE_KIT_H

#include "shell/core/gpu.h"
#include "shell/core/gpu/state.h"
#include "shell/core/seam/context.h"
#include "shell/core/seam/identity.h"

enum { KIT_MAX = 512 };
#define RZ WR_ISA_RZ
#define PT WR_ISA_PT

typedef struct kit_kernel {
    wr_kernel k;
    wr_insn source[KIT_MAX];
    size_t count;
    wr_insn insns[KIT_MAX];
    uint64_t words[2 * KIT_MAX];
    uint32_t insn_at[2 * KIT_MAX];
    uint32_t lines[KIT_MAX];
} kit_kernel;

/* The machine of Lin-P Table I. */
wr_gpu_config kit_config(void);
wr_gpu_config kit_named(const char *name);

void kit_begin(kit_kernel *kk, const char *name, uint32_t regs);
size_t kit_add(kit_kernel *kk, wr_insn insn); /* returns its number */
void kit_build(kit_kernel *kk);               /* asserts that all of it encodes */

wr_insn kit_op(wr_op op, wr_type type, unsigned dst, unsigned a, unsigned b, unsigned c);
wr_insn kit_imm(wr_insn insn, unsigned slot, uint32_t value);
wr_insn kit_param(wr_insn insn, unsigned slot, uint32_t offset);
wr_insn kit_guard(wr_insn insn, unsigned pred, bool negated);
wr_insn kit_mem(wr_op op, wr_type type, wr_space space, unsigned vec, unsigned data, unsigned addr,
                uint32_t offset); /* data: dst of a load, src[1] of a store */
wr_insn kit_setp(wr_cmp cmp, wr_type type, unsigned pd, unsigned a, unsigned b);
wr_insn kit_bra(size_t target, size_t reconv); /* SIZE_MAX: meets at the exit */
wr_insn kit_s2r(unsigned dst, wr_sreg sreg);
wr_insn kit_plain(wr_op op); /* EXIT, PP, BAR_PP, NOP, MEMBAR, TRAP */

wr_launch kit_launch(const kit_kernel *kk, uint32_t grid, uint32_t block, const void *params);

/* Runs and requires WR_RUN_DONE, DRAM commands that keep the protocol, and accounts that
 * balance; returns cycles. */
uint64_t kit_run(wr_gpu *gpu, const wr_launch *launch);
/* A counter by name; asserts that it is there. */
uint64_t kit_stat(const wr_gpu *gpu, const char *name);
/* All accounts balance (wr_gpu_conserved); kit_run has looked already. */
void kit_check_conservation(wr_gpu *gpu);

/* All TBs of the SM stop at their next preemption point and none is placed; or no longer. */
void kit_signal(wr_sm *sm, bool up);

/* A TB that has not run, all of whose warps are away, into the first free TB slot; UINT32_MAX: not
 * placed. */
uint32_t kit_place_away(wr_sm *sm, const wr_tb_info *tb, uint32_t shared);

/* Seed of a random test: $WARPREF_SEED or a fixed one; printed. */
uint64_t kit_seed(void);
uint64_t kit_random(uint64_t *state);

#endif
