/* SPDX-License-Identifier: Apache-2.0 */
/* See reduced_oracle.h. */
#include "tests/library/reduced_oracle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/compiler/draw.h"
#include "shell/core/gpu/state.h"
#include "shell/core/seam/launch.h"

/* Kinds as they are stored. */
enum { UNIFORM, STRIDED, RANDOM };

static const char *const kind_names[] = {"uniform", "strided", "random"};
static const char *const view_names[] = {"needed lanes", "all lanes"};

__attribute__((format(printf, 2, 3))) static void wrong(reduced_kernel *k, const char *format, ...)
{
    va_list args;

    if (k->wrong++ > 0) {
        return;
    }
    va_start(args, format);
    /* clang-tidy 14 does not see that va_start has filled it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    (void)vsnprintf(k->first_wrong, sizeof k->first_wrong, format, args);
    va_end(args);
}

static reduced_kernel *find(reduced_oracle *o, const wr_launch *launch)
{
    const wr_kernel *kernel = launch->kernel;

    for (size_t i = 0; i < o->count; i++) {
        reduced_kernel *k = &o->kernels[i];

        if (k->kernel == kernel &&
            memcmp(k->said->block, launch->block, sizeof launch->block) == 0) {
            return k;
        }
    }
    assert(o->count < REDUCED_MAX_KERNELS);
    reduced_kernel *k = &o->kernels[o->count++];

    k->kernel = kernel;
    (void)snprintf(k->name, sizeof k->name, "%s", kernel->name);
    k->said = wr_reduce(kernel, launch->block);
    k->live = calloc(kernel->insn_count + 1, sizeof *k->live);
    k->point = calloc(kernel->insn_count + 1, sizeof *k->point);
    assert(k->live != NULL && k->point != NULL);
    wr_draw_live(kernel, k->live);
    for (size_t i = 0; i < k->said->count; i++) {
        k->point[k->said->points[i].insn] = (uint32_t)i + 1;
    }
    return k;
}

/* ---- values ---- */

/* A step with which all these lanes lie on one line: where lanes are missing in between there may
 * be several that fit two of them, and one must fit all. */
static bool fits(const uint32_t *values, uint32_t lanes, unsigned first, uint32_t step)
{
    for (unsigned i = 0; i < WR_LANES; i++) {
        if ((lanes >> i & 1) != 0 && values[i] != values[first] + (i - first) * step) {
            return false;
        }
    }
    return true;
}

static bool is_line(const uint32_t *values, uint32_t lanes)
{
    unsigned first = (unsigned)__builtin_ctz(lanes);
    uint32_t rest = lanes & (lanes - 1);

    if (rest == 0) {
        return true;
    }
    unsigned gap = (unsigned)__builtin_ctz(rest) - first;
    unsigned twos = (unsigned)__builtin_ctz(gap);
    uint32_t odd = gap >> twos, inverse = 1;
    uint32_t difference = values[first + gap] - values[first];

    for (unsigned i = 0; i < 5; i++) { /* Newton: doubles the bits that are right */
        inverse *= 2 - odd * inverse;
    }
    if ((difference & ((UINT32_C(1) << twos) - 1)) != 0) {
        return false;
    }
    for (uint32_t c = 0; c < UINT32_C(1) << twos; c++) {
        uint32_t high = twos == 0 ? 0 : c << (32 - twos);

        if (fits(values, lanes, first, (difference >> twos) * inverse + high)) {
            return true;
        }
    }
    return false;
}

/* How these lanes could be stored, the worst group counting. */
static unsigned kind_of(const uint32_t *values, uint32_t lanes, uint32_t group)
{
    unsigned kind = UNIFORM;

    for (unsigned at = 0; at < WR_LANES; at += group) {
        uint32_t mask = group == 32 ? UINT32_MAX : ((UINT32_C(1) << group) - 1) << at;
        uint32_t in = lanes & mask;

        if (in == 0 || fits(values, in, (unsigned)__builtin_ctz(in), 0)) {
            continue;
        }
        kind = kind == RANDOM || !is_line(values, in) ? RANDOM : STRIDED;
    }
    return kind;
}

static unsigned said_kind(const reduced_oracle *o, const wr_switch_point *p, unsigned view,
                          unsigned reg)
{
    switch ((wr_held_kind)p->kind[view][reg]) {
    case WR_HELD_WARP:
    case WR_HELD_GROUP:
        return UNIFORM;
    case WR_HELD_STRIDED:
        return STRIDED;
    default:
        return o->bold && (p->awaited >> reg & 1) == 0 ? STRIDED : RANDOM;
    }
}

/* ---- warps ---- */

static uint64_t registers(uint8_t first, uint8_t count)
{
    return first == WR_ISA_RZ ? 0 : ((UINT64_C(1) << count) - 1) << first;
}

static uint64_t touched(const wr_insn *insn)
{
    uint64_t set = registers(insn->dst, insn->dst_regs);

    for (unsigned i = 0; i < 3; i++) {
        set |= registers(insn->src[i], insn->src_regs[i]);
    }
    return set;
}

/* Where each lane stands: the instruction, or UINT32_MAX. The entry nearest the top holds. */
static void places(const wr_sm *sm, uint32_t warp, const wr_kernel *k, uint32_t place[WR_LANES])
{
    memset(place, 0xff, WR_LANES * sizeof *place);
    for (uint32_t e = 0; e < sm->warps[warp].depth; e++) {
        const wr_simt_entry *entry = &sm->warps[warp].stack[e];
        uint32_t word = entry->pc / 8; /* where they would meet only to end it is none */
        uint32_t at = word < k->word_count ? k->insn_at[word] : UINT32_MAX;

        for (unsigned lane = 0; lane < WR_LANES; lane++) {
            if ((entry->mask >> lane & 1) != 0) {
                place[lane] = at;
            }
        }
    }
}

static uint32_t needing(const reduced_kernel *k, const uint32_t place[WR_LANES], unsigned reg)
{
    uint32_t lanes = 0;

    for (unsigned lane = 0; lane < WR_LANES; lane++) {
        if (place[lane] != UINT32_MAX && (k->live[place[lane]] >> reg & 1) != 0) {
            lanes |= UINT32_C(1) << lane;
        }
    }
    return lanes;
}

static uint64_t *loads_of(reduced_oracle *o, wr_sm *sm, uint32_t warp)
{
    size_t at = (size_t)wr_sm_id(sm) * REDUCED_MAX_SLOTS + warp;

    assert(at < o->load_count);
    return &o->loads[at];
}

static void check_room(reduced_oracle *o, reduced_kernel *k, const wr_switch_point *p, wr_sm *sm,
                       uint32_t warp)
{
    uint64_t coming = *loads_of(o, sm, warp) & sm->warps[warp].pending_data;

    if ((coming & ~p->awaited) != 0) {
        wrong(k, "pc 0x%x: a load may write R%d, which is not awaited there", p->pc,
              __builtin_ctzll(coming & ~p->awaited));
    }
}

static void look_at(reduced_oracle *o, reduced_kernel *k, unsigned view, const wr_switch_point *p,
                    unsigned reg, const uint32_t *values, uint32_t lanes, uint32_t *bytes)
{
    static const uint32_t words[] = {1, 2, 0};
    unsigned said = said_kind(o, p, view, reg), is = kind_of(values, lanes, k->said->group);

    if ((p->awaited >> reg & 1) != 0) {
        *bytes += WR_REDUCED_LINE;
        return;
    }
    *bytes += is == RANDOM ? WR_REDUCED_LINE : 4 * words[is] * WR_LANES / k->said->group;
    k->view[view].seen[said]++;
    k->view[view].careful += said == RANDOM && is != RANDOM ? 1 : 0;
    if (is > said) {
        wrong(k, "pc 0x%x: R%u is called %s in %s, and is %s in groups of %u", p->pc, reg,
              kind_names[said], view_names[view], kind_names[is], k->said->group);
    }
}

static void at_point(reduced_oracle *o, reduced_kernel *k, const wr_switch_point *p, wr_sm *sm,
                     uint32_t warp)
{
    uint32_t place[WR_LANES], bytes[WR_HELD_VIEWS] = {0};

    places(sm, warp, k->kernel, place);
    k->visits++;
    k->diverged += sm->warps[warp].depth > 1 ? 1 : 0;
    check_room(o, k, p, sm, warp);
    for (unsigned reg = 0; reg < k->kernel->regs; reg++) {
        const uint32_t *values = sm->warps[warp].rows + (size_t)reg * WR_LANES;
        uint32_t lanes = needing(k, place, reg);

        if ((p->slots >> reg & 1) == 0) {
            if (lanes != 0) {
                wrong(k, "pc 0x%x: lanes 0x%x need R%u, which has no room", p->pc, lanes, reg);
            }
            continue;
        }
        look_at(o, k, WR_HELD_NEEDED, p, reg, values, lanes, &bytes[WR_HELD_NEEDED]);
        look_at(o, k, WR_HELD_ALL, p, reg, values, UINT32_MAX, &bytes[WR_HELD_ALL]);
    }
    for (unsigned view = 0; view < WR_HELD_VIEWS; view++) {
        uint32_t *most = &k->view[view].most_bytes;

        if (bytes[view] > p->bytes[view]) {
            wrong(k, "pc 0x%x: %u B of %s, which has room for %u B", p->pc, bytes[view],
                  view_names[view], p->bytes[view]);
        }
        *most = bytes[view] > *most ? bytes[view] : *most;
    }
}

static const wr_switch_point *point_of(const reduced_kernel *k, const wr_sm *sm, uint32_t warp)
{
    uint32_t number =
        sm->warps[warp].next < k->kernel->insn_count ? k->point[sm->warps[warp].next] : 0;

    return number != 0 ? &k->said->points[number - 1] : NULL;
}

static reduced_kernel *kernel_of(reduced_oracle *o, wr_sm *sm, uint32_t warp)
{
    return find(o, sm->tbs[sm->warps[warp].tb].program->launch);
}

/* Before the instruction acts: registers are as they were while the warp stood in front of it. */
static void issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    reduced_oracle *o = self;
    reduced_kernel *k = kernel_of(o, sm, warp);
    const wr_switch_point *p = point_of(k, sm, warp);
    const wr_insn *insn = &k->kernel->insns[sm->warps[warp].next];
    uint64_t *loads = loads_of(o, sm, warp);

    if (p != NULL) {
        at_point(o, k, p, sm, warp);
    }
    *loads &= ~touched(insn);
    if (lanes > 0 && (insn->op == WR_OP_LD || insn->op == WR_OP_ATOM) &&
        (insn->space == WR_SPACE_GLOBAL || insn->space == WR_SPACE_GENERIC)) {
        *loads |= registers(insn->dst, insn->dst_regs);
    }
}

static void stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    reduced_oracle *o = self;
    reduced_kernel *k = kernel_of(o, sm, warp);
    const wr_switch_point *p = point_of(k, sm, warp);
    uint64_t lacks =
        *loads_of(o, sm, warp) & sm->warps[warp].pending_data & sm->warps[warp].need_regs;
    bool for_load = why == WR_WAIT_MEMORY && lacks != 0;

    k->stalls += for_load ? 1 : 0;
    k->elsewhere += for_load && p == NULL ? 1 : 0;
    if (p != NULL) {
        check_room(o, k, p, sm, warp);
    }
}

static void placed(void *self, wr_sm *sm, uint32_t slot)
{
    wr_tb_info tb = wr_sm_tb(sm, slot);

    for (uint32_t w = 0; w < tb.warps; w++) {
        *loads_of(self, sm, wr_sm_tb_warp(sm, slot, w)) = 0;
    }
}

static void begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    reduced_oracle *o = self;

    (void)stream;
    (void)find(o, launch);
    if (o->loads == NULL) {
        o->load_count = (size_t)wr_gpu_sm_count(gpu) * REDUCED_MAX_SLOTS;
        o->loads = calloc(o->load_count, sizeof *o->loads);
        assert(o->loads != NULL);
    }
}

void reduced_oracle_init(reduced_oracle *o, bool bold)
{
    memset(o, 0, sizeof *o);
    o->bold = bold;
    o->hooks = (wr_system_hooks){.self = o,
                                 .launch_begin = begin,
                                 .tb_placed = placed,
                                 .warp_issued = issued,
                                 .warp_stalled = stalled};
}

void reduced_oracle_free(reduced_oracle *o)
{
    for (size_t i = 0; i < o->count; i++) {
        wr_reduced_free(o->kernels[i].said);
        free(o->kernels[i].live);
        free(o->kernels[i].point);
    }
    free(o->loads);
    memset(o, 0, sizeof *o);
}
