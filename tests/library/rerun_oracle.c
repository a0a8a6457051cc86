/* SPDX-License-Identifier: Apache-2.0 */
/* See rerun_oracle.h. */
#include "tests/library/rerun_oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shell/core/gpu/state.h"
#include "shell/core/seam/launch.h"

enum { WRITTEN = 1, READ_BEFORE = 2 };

static unsigned bytes_of(const wr_insn *insn)
{
    static const unsigned element[WR_TYPE_COUNT] = {
        [WR_U8] = 1,  [WR_S8] = 1,  [WR_B8] = 1,  [WR_U16] = 2,   [WR_S16] = 2,  [WR_B16] = 2,
        [WR_F16] = 2, [WR_U32] = 4, [WR_S32] = 4, [WR_B32] = 4,   [WR_F32] = 4,  [WR_U64] = 8,
        [WR_S64] = 8, [WR_B64] = 8, [WR_F64] = 8, [WR_F16X2] = 4, [WR_BF16] = 2, [WR_BF16X2] = 4};

    return element[insn->type] * insn->vec;
}

static uint64_t address(const wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t lane)
{
    const uint32_t *row = sm->regs + ((size_t)warp * WR_WARP_REGS + insn->src[0]) * WR_LANES;
    uint64_t at = 0;

    if (insn->src[0] != WR_ISA_RZ) {
        at = row[lane];
        if (insn->src_regs[0] == 2) {
            at |= (uint64_t)row[WR_LANES + lane] << 32;
            return at + (uint64_t)(int64_t)(int32_t)insn->imm;
        }
    }
    return (uint32_t)(at + insn->imm);
}

static void read_byte(rerun_oracle *o, uint64_t at)
{
    o->now->reads++;
    if ((o->bytes[at] & WRITTEN) == 0) {
        o->bytes[at] |= READ_BEFORE;
    }
}

static bool write_byte(rerun_oracle *o, uint64_t at)
{
    o->now->writes++;
    o->bytes[at] |= WRITTEN;
    return (o->bytes[at] & READ_BEFORE) != 0;
}

static void miss(rerun_oracle *o, const wr_uop *u)
{
    if (o->now->missed++ == 0) {
        o->now->missed_pc = u->insn->pc;
    }
}

static void access(rerun_oracle *o, const wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t lane)
{
    const wr_insn *insn = u->insn;
    uint64_t at = address(sm, warp, insn, lane);
    bool harms = false;

    if (at < WR_GLOBAL_BASE) { /* a window, or a fault */
        return;
    }
    at -= WR_MEM_BASE;
    assert(at + bytes_of(insn) <= o->size);
    for (unsigned i = 0; i < bytes_of(insn); i++) {
        if (insn->op == WR_OP_LD) {
            read_byte(o, at + i);
        } else if (write_byte(o, at + i) && insn->op == WR_OP_ST) {
            o->now->overwrites++;
            harms = true;
        }
    }
    if (insn->op == WR_OP_ATOM || insn->op == WR_OP_RED) {
        o->now->outside++;
        harms = true;
    }
    if (harms && !u->spoils) {
        miss(o, u);
    }
}

/* Before the instruction acts: registers are what it reads. */
static void issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    rerun_oracle *o = self;
    uint32_t slot = sm->warps[warp].tb;
    const wr_uop *u = &sm->tbs[slot].program->uops[sm->warps[warp].next];
    const wr_insn *insn = u->insn;
    uint32_t mask = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;
    bool is_mem = insn->op == WR_OP_LD || insn->op == WR_OP_ST || insn->op == WR_OP_ATOM ||
                  insn->op == WR_OP_RED;

    if (insn->guard != WR_ISA_PT) {
        mask &= insn->guard_neg ? ~sm->warps[warp].preds[insn->guard]
                                : sm->warps[warp].preds[insn->guard];
    }
    assert((uint32_t)__builtin_popcount(mask) == lanes);
    o->now->spoiling += u->spoils && mask != 0 ? 1 : 0;
    for (uint32_t lane = 0; lane < WR_LANES; lane++) {
        if ((mask >> lane & 1) == 0) {
            continue;
        }
        if (is_mem && (insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC)) {
            access(o, sm, warp, u, lane);
        } else if (insn->op == WR_OP_PRINTF || insn->op == WR_OP_MALLOC || insn->op == WR_OP_FREE) {
            o->now->outside++;
            if (!u->spoils) {
                miss(o, u);
            }
        }
    }
}

static void begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    rerun_oracle *o = self;
    size_t k = 0;

    while (k < o->kernel_count && o->kernels[k].kernel != launch->kernel) {
        k++;
    }
    assert(k < RERUN_MAX_KERNELS && wr_gpu_launches(gpu) == 1);
    o->kernel_count = k == o->kernel_count ? k + 1 : o->kernel_count;
    o->now = &o->kernels[k];
    o->now->kernel = launch->kernel;
    o->now->launches++;
    o->now->idempotent += wr_gpu_idempotent(gpu, stream) ? 1 : 0;
    free(o->bytes);
    o->size = gpu->memory.used;
    o->bytes = calloc(o->size, 1);
    assert(o->bytes != NULL);
}

void rerun_oracle_init(rerun_oracle *o)
{
    memset(o, 0, sizeof *o);
    o->hooks = (wr_system_hooks){.self = o, .launch_begin = begin, .warp_issued = issued};
}

void rerun_oracle_free(rerun_oracle *o)
{
    free(o->bytes);
    o->bytes = NULL;
}
