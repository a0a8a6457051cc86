/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing a launch; see program.h. */
#include "shell/core/gpu/program.h"

#include "shell/core/sm/fetch.h"
#include "shell/core/sm/units.h"
#include "shell/isa/uses.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Column of wr_class_timing that an operation takes; what is not named takes `add`. */
typedef enum timing_column { T_ADD, T_MAX, T_MUL, T_MAD, T_DIV } timing_column;
static const uint8_t column_of[WR_OP_COUNT] = {
    [WR_OP_MIN] = T_MAX,  [WR_OP_MAX] = T_MAX,   [WR_OP_MUL] = T_MUL,    [WR_OP_MAD] = T_MAD,
    [WR_OP_FMA] = T_MAD,  [WR_OP_DIV] = T_DIV,   [WR_OP_REM] = T_DIV,    [WR_OP_RCP] = T_DIV,
    [WR_OP_SQRT] = T_DIV, [WR_OP_RSQRT] = T_DIV, [WR_OP_MADC] = T_MAD,   [WR_OP_SAD] = T_MAD,
    [WR_OP_DP4A] = T_MAD, [WR_OP_DP2A] = T_MAD,  [WR_OP_PRINTF] = T_DIV, [WR_OP_MALLOC] = T_DIV,
};

/* A latency that holds whatever the type; 0: the class says it. */
static uint32_t flat_latency(const wr_timing_config *t, const wr_insn *insn)
{
    switch (insn->op) {
    case WR_OP_SHFL:
        return t->shuffle_latency;
    case WR_OP_REM:
        return t->rem_latency;
    case WR_OP_ADD:
    case WR_OP_SUB:
    case WR_OP_ADDC:
    case WR_OP_SUBC:
        return 0;
    default:
        return column_of[insn->op] == T_ADD && insn->unit != WR_UNIT_SFU ? t->other_latency : 0;
    }
}

wr_op_timing wr_program_timing(const wr_gpu_config *cfg, const wr_insn *insn)
{
    const wr_class_timing *c = &cfg->timing.integer;
    uint32_t flat = flat_latency(&cfg->timing, insn);
    if (flat != 0) {
        uint32_t interval = insn->op == WR_OP_SHFL ? cfg->timing.shuffle_interval : 1;
        return (wr_op_timing){.latency = flat, .interval = interval, .unit = WR_ON_SP};
    }
    bool single = insn->type == WR_F32 || insn->type == WR_F16 || insn->type == WR_BF16 ||
                  insn->type == WR_F16X2 || insn->type == WR_BF16X2;
    if (insn->unit == WR_UNIT_DP) {
        c = &cfg->timing.fp64;
    } else if (insn->unit == WR_UNIT_SFU && single && insn->op != WR_OP_DIV) {
        return cfg->timing.sfu;
    } else if (insn->unit == WR_UNIT_FP || single) {
        c = &cfg->timing.fp32;
    }
    switch ((timing_column)column_of[insn->op]) {
    case T_MAX:
        return c->max;
    case T_MUL:
        return c->mul;
    case T_MAD:
        return c->mad;
    case T_DIV:
        return c->div;
    default:
        return c->add;
    }
}

static wr_kind kind_of(const wr_insn *insn)
{
    switch (insn->op) {
    case WR_OP_NOP:
        return WR_KIND_NOP;
    case WR_OP_PP:
    case WR_OP_BAR_PP:
        return insn->op == WR_OP_PP ? WR_KIND_PP : WR_KIND_BAR;
    case WR_OP_EXIT:
        return WR_KIND_EXIT;
    case WR_OP_TRAP:
        return WR_KIND_TRAP;
    case WR_OP_BRA:
        return WR_KIND_BRA;
    case WR_OP_BAR:
        return WR_KIND_BAR;
    case WR_OP_MEMBAR:
        return WR_KIND_MEMBAR;
    case WR_OP_S2R:
        return WR_KIND_S2R;
    case WR_OP_SHFL:
    case WR_OP_VOTE:
    case WR_OP_MATCH:
    case WR_OP_REDUX:
    case WR_OP_WARPSYNC:
        return WR_KIND_WARP;
    case WR_OP_PRINTF:
    case WR_OP_MALLOC:
    case WR_OP_FREE:
    case WR_OP_ASSERT:
        return WR_KIND_SERVICE;
    case WR_OP_LD:
    case WR_OP_ST:
    case WR_OP_ATOM:
    case WR_OP_RED:
        return WR_KIND_MEM;
    default:
        return insn->type == WR_PRED ? WR_KIND_PRED : WR_KIND_ALU;
    }
}

/* After NVIDIA's own lists of its machine code (CUDA binary utilities), which the paper's
 * classes follow; movements, which it has no class for, are of integers. */
static wr_insn_class class_of(const wr_insn *insn, wr_kind kind)
{
    const uint32_t floats = 1u << WR_F16 | 1u << WR_F32 | 1u << WR_F64 | 1u << WR_BF16 |
                            1u << WR_F16X2 | 1u << WR_BF16X2;
    switch (kind) {
    case WR_KIND_BRA:
    case WR_KIND_EXIT:
    case WR_KIND_TRAP:
        return WR_INSN_CONTROL;
    case WR_KIND_MEM:
        return WR_INSN_MEMORY;
    case WR_KIND_PRED:
        return WR_INSN_PREDICATE;
    case WR_KIND_WARP:
        return insn->op == WR_OP_SHFL ? WR_INSN_INTEGER : WR_INSN_OTHER;
    case WR_KIND_ALU:
        if (insn->op == WR_OP_CVT) {
            return WR_INSN_CONVERSION;
        }
        uint8_t type = insn->op == WR_OP_SET ? insn->type2 : insn->type;
        return (floats >> type & 1) != 0 ? WR_INSN_FLOAT : WR_INSN_INTEGER;
    default: /* S2R, BAR, MEMBAR, PP, NOP, services */
        return WR_INSN_OTHER;
    }
}

/* Memory that other SMs see, the launch's TBs, the heap, the printed text. */
static bool touches_shared_state(const wr_insn *insn, uint8_t kind)
{
    bool writes = insn->op == WR_OP_ST || insn->op == WR_OP_ATOM || insn->op == WR_OP_RED;
    bool reaches = insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC;
    return kind == WR_KIND_EXIT || kind == WR_KIND_SERVICE || (writes && reaches);
}

bool wr_program_uop(const wr_gpu_config *cfg, const wr_insn *insn, const uint32_t *ext, wr_uop *out)
{
    wr_uop u = {.insn = insn, .ext = ext, .kind = (uint8_t)kind_of(insn)};
    u.read = u.need = wr_insn_reads(insn);
    u.write = wr_insn_writes(insn);
    bool returns = insn->op == WR_OP_LD || insn->op == WR_OP_ATOM;
    if (returns && u.write == 0) {
        u.write = UINT64_C(1) << WR_ISA_RZ; /* still in flight until it is back */
    }
    u.need |= u.write;
    u.write_preds = (uint8_t)wr_insn_writes_preds(insn);
    u.need_preds = (uint8_t)(u.write_preds | wr_insn_reads_preds(insn));
    if (u.kind == WR_KIND_EXIT) { /* a warp leaves only when nothing of it is in flight */
        u.need = UINT64_MAX;
        u.need_preds = UINT8_MAX;
    }
    wr_op_timing t = wr_program_timing(cfg, insn);
    u.pool = (uint8_t)(insn->unit == WR_UNIT_NONE  ? WR_POOL_NONE
                       : insn->unit == WR_UNIT_MEM ? WR_POOL_MEM
                                                   : wr_units_pool(t.unit));
    u.cls = (uint8_t)class_of(insn, (wr_kind)u.kind);
    u.guarded = insn->guard != WR_ISA_PT || insn->guard_neg;
    u.alone = touches_shared_state(insn, u.kind);
    u.latency = t.latency;
    u.interval = t.interval;
    if (u.kind == WR_KIND_ALU) {
        u.fn = wr_exec_lookup(insn, &u.passes);
        if (u.fn == NULL) {
            return false;
        }
    }
    *out = u;
    return true;
}

static bool fail(char *message, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, size, format, args);
    va_end(args);
    return false;
}

static void spread(uint32_t *rows, uint32_t low, uint32_t high)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        rows[i] = low;
        rows[i + WR_LANES] = high;
    }
}

/* The two rows of an extended operand: both words are always there, the operation takes what
 * it is wide. */
static bool fill_ext(const wr_program *p, const wr_insn *insn, uint32_t *rows)
{
    bool converts = insn->op == WR_OP_CVT || insn->op == WR_OP_SET;
    uint8_t type = converts ? insn->type2 : insn->type;
    if (insn->ext == WR_EXT_PARAM) {
        uint32_t words[2];
        if (insn->imm >= p->kernel->param_bytes) {
            return false;
        }
        memcpy(words, p->param_bytes + insn->imm, sizeof words);
        spread(rows, words[0], words[1]);
    } else if (type == WR_F64) {
        spread(rows, 0, insn->imm);
    } else {
        spread(rows, insn->imm, (insn->imm >> 31) != 0 ? UINT32_MAX : 0);
    }
    return true;
}

static uint32_t fetch_pc(const wr_program *p, size_t at)
{
    const wr_kernel *k = p->kernel;
    if (p->insn_bytes != 0) {
        return (uint32_t)at * p->insn_bytes;
    }
    return at < k->insn_count ? k->insns[at].pc : (uint32_t)k->word_count * 8;
}

/* What one fetch brings: all of 16 B that is in one line and in the buffer of two. */
static void group_fetches(wr_program *p, const wr_gpu_config *cfg)
{
    const wr_kernel *k = p->kernel;
    uint32_t line_bytes = cfg->icache.line_bytes;
    p->insn_bytes = cfg->sm.insn_bytes;
    for (size_t i = 0; i <= k->insn_count; i++) {
        p->uops[i].fetch_pc = fetch_pc(p, i);
    }
    for (size_t i = 0; i <= k->insn_count; i++) {
        p->uops[i].together = 1;
        if (i + 1 < k->insn_count) {
            uint32_t begin = p->uops[i].fetch_pc;
            uint32_t end = p->uops[i + 2].fetch_pc;
            bool near = end - begin <= WR_FETCH_BYTES;
            bool same = (end - 1) / line_bytes == begin / line_bytes;
            p->uops[i].together = near && same ? 2 : 1;
        }
    }
}

static bool prepare_uops(wr_program *p, const wr_gpu_config *cfg, char *message, size_t size)
{
    const wr_kernel *k = p->kernel;
    size_t extended = 0;
    for (size_t i = 0; i < k->insn_count; i++) {
        extended += k->insns[i].ext != WR_EXT_NONE ? 1 : 0;
    }
    p->uops = calloc(k->insn_count + 1, sizeof *p->uops);
    p->ext_rows = calloc(extended + 1, 2 * WR_ROW_BYTES);
    if (p->uops == NULL || p->ext_rows == NULL) {
        return fail(message, size, "out of memory");
    }
    uint32_t *rows = p->ext_rows;
    for (size_t i = 0; i < k->insn_count; i++) {
        const wr_insn *insn = &k->insns[i];
        const uint32_t *ext = NULL;
        if (insn->ext != WR_EXT_NONE && insn->unit != WR_UNIT_MEM) {
            if (!fill_ext(p, insn, rows)) {
                return fail(message, size,
                            "kernel %s: pc 0x%x reads byte %u of a parameter block of %u bytes",
                            k->name, insn->pc, insn->imm, k->param_bytes);
            }
            ext = rows;
            rows += 2 * WR_LANES;
        }
        if (!wr_program_uop(cfg, insn, ext, &p->uops[i])) {
            return fail(message, size, "kernel %s: pc 0x%x: the machine has no %s for this type",
                        k->name, insn->pc, wr_isa_op_info((wr_op)insn->op)->name);
        }
        wr_uop *u = &p->uops[i];
        u->after_pp = insn->op == WR_OP_BAR && i > 0 && k->insns[i - 1].op == WR_OP_PP;
        u->point = u->kind == WR_KIND_PP || u->after_pp || insn->op == WR_OP_BAR_PP;
    }
    p->uops[k->insn_count] = (wr_uop){.kind = WR_KIND_END};
    group_fetches(p, cfg);
    return true;
}

static bool prepare_tids(wr_program *p)
{
    const uint32_t *block = p->launch->block;
    p->tid = calloc((size_t)p->warps * 3, WR_ROW_BYTES);
    if (p->tid == NULL) {
        return false;
    }
    for (uint32_t t = 0; t < p->warps * WR_LANES; t++) {
        uint32_t *row = p->tid + (size_t)(t / WR_LANES) * 3 * WR_LANES + t % WR_LANES;
        row[0] = t % block[0];
        row[WR_LANES] = t / block[0] % block[1];
        row[2 * WR_LANES] = t / block[0] / block[1];
    }
    return true;
}

static uint32_t round_up(uint32_t value, uint32_t step)
{
    return step != 0 ? (value + step - 1) / step * step : value;
}

bool wr_program_prepare(wr_program *p, const wr_gpu_config *cfg, const wr_launch *launch,
                        char *message, size_t size)
{
    const wr_kernel *k = launch->kernel;
    *p = (wr_program){.launch = launch, .kernel = k};
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    p->tbs = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (threads == 0 || p->tbs == 0) {
        return fail(message, size, "kernel %s: grid and block must not have a dimension of 0",
                    k->name);
    }
    if (threads > (uint64_t)cfg->sm.max_warps * WR_LANES) {
        return fail(message, size,
                    "kernel %s: a thread block of %llu threads, an SM has room for %u", k->name,
                    (unsigned long long)threads, cfg->sm.max_warps * WR_LANES);
    }
    p->threads = (uint32_t)threads;
    p->warps = (p->threads + WR_LANES - 1) / WR_LANES;
    p->regs = round_up(launch->regs_override != 0 ? launch->regs_override : k->regs,
                       cfg->sm.register_granule);
    p->shared = k->shared_bytes + launch->shared_dynamic;
    p->shared_charge = round_up(p->shared, cfg->sm.shared_granule);
    p->local_words = (k->local_bytes + 3) / 4;
    p->frame_bytes = (uint64_t)p->local_words * p->warps * WR_ROW_BYTES;
    if (k->regs > WR_ISA_MAX_REGS || wr_gpu_occupancy(cfg, launch).tbs == 0) {
        return fail(message, size,
                    "kernel %s: one thread block (%u warps, %u registers per thread, %u B shared) "
                    "does not fit an SM of %s; use a smaller block or fewer registers",
                    k->name, p->warps, p->regs, p->shared, cfg->name);
    }
    p->param_bytes = calloc(1, (size_t)k->param_bytes + 8);
    if (p->param_bytes == NULL || !prepare_tids(p)) {
        return fail(message, size, "out of memory");
    }
    if (k->param_bytes != 0) {
        memcpy(p->param_bytes, launch->params, k->param_bytes);
    }
    return prepare_uops(p, cfg, message, size);
}

void wr_program_free(wr_program *p)
{
    free(p->uops);
    free(p->ext_rows);
    free(p->tid);
    free(p->param_bytes);
    *p = (wr_program){0};
}
