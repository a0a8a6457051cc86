/* SPDX-License-Identifier: Apache-2.0 */
/* The core's tests' kit; see kit.h. */
#include "tests/core/kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/counters.h"
#include "shell/ptx/diag.h"
#include "tests/memory/gddr5_checker.h"

wr_gpu_config kit_named(const char *name)
{
    wr_gpu_config c;
    wr_diag diag;
    char path[256];
    (void)snprintf(path, sizeof path, WR_SOURCE_DIR "/shell/config/%s.yaml", name);
    if (!wr_config_load(path, &c, &diag)) {
        fail_msg("%s", diag.message);
    }
    return c;
}

wr_gpu_config kit_config(void)
{
    return kit_named("gtx480");
}

void kit_begin(kit_kernel *kk, const char *name, uint32_t regs)
{
    memset(kk, 0, sizeof *kk);
    kk->k.name = name;
    kk->k.regs = regs;
}

size_t kit_add(kit_kernel *kk, wr_insn insn)
{
    assert_true(kk->count < KIT_MAX);
    kk->source[kk->count] = insn;
    return kk->count++;
}

static uint32_t words_of(const wr_insn *i)
{
    return i->op == WR_OP_PP || i->ext != WR_EXT_NONE ? 2 : 1;
}

void kit_build(kit_kernel *kk)
{
    uint32_t pc[KIT_MAX + 1];
    uint32_t at = 0;
    for (size_t i = 0; i < kk->count; i++) {
        pc[i] = at * 8;
        at += words_of(&kk->source[i]);
    }
    pc[kk->count] = at * 8;
    for (size_t i = 0; i < 2 * (size_t)KIT_MAX; i++) {
        kk->insn_at[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < kk->count; i++) {
        wr_insn insn = kk->source[i];
        if (insn.op == WR_OP_BRA) {
            insn.target = pc[insn.target];
            insn.reconv = insn.reconv == UINT32_MAX ? UINT32_MAX : pc[insn.reconv];
        }
        size_t word = pc[i] / 8;
        assert_int_equal(wr_isa_encode(&insn, &kk->words[word]), words_of(&insn));
        kk->insn_at[word] = (uint32_t)i;
        kk->lines[i] = (uint32_t)i + 1;
    }
    for (size_t i = 0; i < kk->count; i++) {
        unsigned used = wr_isa_decode(kk->words, at, pc[i] / 8, &kk->insns[i]);
        assert_int_equal(used, words_of(&kk->source[i]));
    }
    kk->k.words = kk->words;
    kk->k.word_count = at;
    kk->k.insns = kk->insns;
    kk->k.insn_count = kk->count;
    kk->k.insn_at = kk->insn_at;
    kk->k.lines = kk->lines;
}

wr_insn kit_op(wr_op op, wr_type type, unsigned dst, unsigned a, unsigned b, unsigned c)
{
    return (wr_insn){.op = (uint16_t)op,
                     .type = (uint8_t)type,
                     .guard = PT,
                     .dst = (uint8_t)dst,
                     .src = {(uint8_t)a, (uint8_t)b, (uint8_t)c},
                     .pd = PT,
                     .pd2 = PT,
                     .ps = PT,
                     .ps2 = PT};
}

wr_insn kit_imm(wr_insn insn, unsigned slot, uint32_t value)
{
    insn.ext = WR_EXT_IMM;
    insn.ext_slot = (uint8_t)slot;
    insn.imm = value;
    return insn;
}

wr_insn kit_param(wr_insn insn, unsigned slot, uint32_t offset)
{
    insn = kit_imm(insn, slot, offset);
    insn.ext = WR_EXT_PARAM;
    return insn;
}

wr_insn kit_guard(wr_insn insn, unsigned pred, bool negated)
{
    insn.guard = (uint8_t)pred;
    insn.guard_neg = negated;
    return insn;
}

wr_insn kit_mem(wr_op op, wr_type type, wr_space space, unsigned vec, unsigned data, unsigned addr,
                uint32_t offset)
{
    bool to_reg = op == WR_OP_LD || op == WR_OP_ATOM;
    wr_insn i = kit_op(op, type, to_reg ? data : RZ, addr, to_reg ? RZ : data, RZ);
    i.space = (uint8_t)space;
    i.vec = (uint8_t)vec;
    i.src_regs[0] = addr == RZ ? 0 : 1;
    return offset != 0 ? kit_imm(i, 0, offset) : i;
}

wr_insn kit_setp(wr_cmp cmp, wr_type type, unsigned pd, unsigned a, unsigned b)
{
    wr_insn i = kit_op(WR_OP_SETP, type, RZ, a, b, RZ);
    i.cmp = (uint8_t)cmp;
    i.pd = (uint8_t)pd;
    return i;
}

wr_insn kit_bra(size_t target, size_t reconv)
{
    wr_insn i = kit_op(WR_OP_BRA, WR_U8, RZ, RZ, RZ, RZ);
    i.target = (uint32_t)target;
    i.reconv = reconv == SIZE_MAX ? UINT32_MAX : (uint32_t)reconv;
    return i;
}

wr_insn kit_s2r(unsigned dst, wr_sreg sreg)
{
    wr_insn i = kit_op(WR_OP_S2R, WR_U32, dst, RZ, RZ, RZ);
    i.sreg = (uint8_t)sreg;
    return i;
}

wr_insn kit_plain(wr_op op)
{
    return kit_op(op, WR_U8, RZ, RZ, RZ, RZ);
}

wr_launch kit_launch(const kit_kernel *kk, uint32_t grid, uint32_t block, const void *params)
{
    return (wr_launch){
        .kernel = &kk->k, .grid = {grid, 1, 1}, .block = {block, 1, 1}, .params = params};
}

/* Every DRAM command of a run is held against the protocol. */
static gddr5_checker *watch_dram(wr_gpu *gpu)
{
    const wr_dram_config *d = &gpu->cfg.dram;
    const wr_gddr5_config cfg = {
        .t = d->timing, .banks = d->banks, .groups = d->groups, .burst_clocks = d->burst_clocks};
    gddr5_checker *checkers = calloc(d->channels, sizeof *checkers);
    assert_non_null(checkers);
    for (uint32_t i = 0; i < d->channels; i++) {
        gddr5_checker_init(&checkers[i], &cfg, gpu->cycle == 0);
        wr_memsys_observe(gpu->memsys, i, gddr5_checker_watch, &checkers[i]);
    }
    return checkers;
}

static void end_watch(wr_gpu *gpu, gddr5_checker *checkers)
{
    const wr_gpu_config *c = &gpu->cfg;
    for (uint32_t i = 0; i < c->dram.channels; i++) {
        wr_memsys_observe(gpu->memsys, i, NULL, NULL);
        gddr5_checker_end(&checkers[i], gpu->cycle * c->clock.dram_mhz / c->clock.core_mhz);
        if (checkers[i].findings != 0) {
            char text[256];
            gddr5_checker_describe(&checkers[i], text, sizeof text);
            fail_msg("DRAM channel %u: %s", i, text);
        }
    }
    free(checkers);
}

uint64_t kit_run(wr_gpu *gpu, const wr_launch *launch)
{
    gddr5_checker *dram = watch_dram(gpu);
    wr_run_result r = wr_gpu_run(gpu, launch, 50000000, NULL, NULL);
    end_watch(gpu, dram);
    if (r.status != WR_RUN_DONE) {
        print_error("run ended with %d: %s\n", (int)r.status, r.message);
    }
    assert_int_equal(r.status, WR_RUN_DONE);
    kit_check_conservation(gpu);
    return r.cycles;
}

typedef struct wanted_stat {
    const char *name;
    uint64_t value;
    bool found;
} wanted_stat;

static void take_stat(void *arg, const char *name, uint64_t value, const char *doc)
{
    wanted_stat *w = arg;
    assert_true(doc[0] != '\0');
    if (strcmp(name, w->name) == 0) {
        w->value = value;
        w->found = true;
    }
}

uint64_t kit_stat(const wr_gpu *gpu, const char *name)
{
    wanted_stat w = {.name = name};
    wr_gpu_stats(gpu, take_stat, &w);
    assert_true(w.found);
    return w.value;
}

void kit_check_conservation(wr_gpu *gpu)
{
    char message[256];
    if (!wr_gpu_conserved(gpu, message, sizeof message)) {
        fail_msg("%s", message);
    }
}

void kit_signal(wr_sm *sm, bool up)
{
    wr_sm_stop_tbs(sm, 0, up ? WR_ALL_TBS : 0);
    wr_sm_close(sm, 0, up ? WR_ALL_STREAMS : 0);
}

uint64_t kit_seed(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 0) : UINT64_C(0x5eed0001);
    print_message("seed %llu (set WARPREF_SEED to repeat)\n", (unsigned long long)seed);
    return seed != 0 ? seed : 1;
}

uint64_t kit_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t kit_place_away(wr_sm *sm, const wr_tb_info *tb, uint32_t shared)
{
    uint32_t slot = 0;
    while (slot < wr_sm_tb_slots(sm) && sm->tbs[slot].valid) {
        slot++;
    }
    bool placed = slot < wr_sm_tb_slots(sm) && wr_sm_tb_place_away(sm, slot, tb, shared);
    return placed ? slot : UINT32_MAX;
}
