/* SPDX-License-Identifier: Apache-2.0 */
/* Findings, and accesses to simulated memory; see memcheck.h. What is known of a byte stands in a
 * table as long as simulated memory, which is zeros, defined, where nobody said otherwise. */
#include "shell/core/exec/memcheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shell/core/gpu/state.h"

#define MOST_FINDINGS 1000 /* those behind are not told apart from the last one */

struct wr_memcheck {
    uint8_t *bytes; /* WR_BYTE_*, from WR_MEM_BASE on */
    size_t size;
    wr_race *race;
    wr_finding *findings;
    size_t count;
};

bool wr_gpu_check_memory(wr_gpu *gpu)
{
    const wr_forward_to all = {.insns = UINT64_MAX};
    wr_memcheck *c = calloc(1, sizeof *c);
    gpu->forward.check = c;
    if (c == NULL) {
        return false;
    }
    c->race = wr_race_new(&gpu->cfg);
    c->findings = calloc(MOST_FINDINGS, sizeof *c->findings);
    return c->race != NULL && c->findings != NULL && wr_gpu_forward(gpu, &all);
}

bool wr_gpu_checks_memory(const wr_gpu *gpu)
{
    return gpu->forward.check != NULL;
}

void wr_memcheck_free(wr_memcheck *c)
{
    if (c != NULL) {
        wr_race_free(c->race);
        free(c->findings);
        free(c->bytes);
        free(c);
    }
}

/* The table reaches as far as memory does. False: out of memory; then what is beyond counts as
 * defined. */
static bool cover(wr_memcheck *c, const wr_memory *memory)
{
    if (c->size >= memory->used) {
        return true;
    }
    size_t size = 2 * memory->used < memory->capacity ? 2 * memory->used : memory->capacity;
    uint8_t *longer = calloc(size, 1);
    if (longer == NULL) {
        return false;
    }
    if (c->size != 0) {
        memcpy(longer, c->bytes, c->size);
    }
    free(c->bytes);
    c->bytes = longer;
    c->size = size;
    return true;
}

void wr_memcheck_mark(wr_memcheck *c, const wr_memory *memory, uint64_t address, uint64_t bytes,
                      uint8_t what)
{
    if (cover(c, memory)) {
        memset(c->bytes + (address - memory->base), what, bytes);
    }
}

void wr_gpu_memory_released(wr_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->forward.check != NULL) {
        wr_memcheck_mark(gpu->forward.check, &gpu->memory, address, bytes, WR_BYTE_UNUSED);
    }
}

void wr_gpu_memory_undefined(wr_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->forward.check != NULL) {
        wr_memcheck_mark(gpu->forward.check, &gpu->memory, address, bytes, WR_BYTE_UNDEFINED);
    }
}

void wr_gpu_memory_defined(wr_gpu *gpu, uint64_t address, uint64_t bytes)
{
    if (gpu->forward.check != NULL) {
        wr_memcheck_mark(gpu->forward.check, &gpu->memory, address, bytes, WR_BYTE_DEFINED);
    }
}

void wr_memcheck_found(wr_memcheck *c, const wr_sm *sm, uint32_t warp, uint32_t lane,
                       const wr_finding *f)
{
    const wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    const uint32_t *tid = tb->program->tid + (size_t)sm->warps[warp].index * 3 * WR_LANES + lane;
    for (size_t i = 0; i < c->count; i++) {
        wr_finding *old = &c->findings[i];
        if (old->kind == f->kind && old->kernel == tb->program->kernel &&
            old->at == sm->warps[warp].next && old->other_at == f->other_at) {
            old->count++;
            return;
        }
    }
    if (c->count == MOST_FINDINGS) {
        c->findings[MOST_FINDINGS - 1].count++;
        return;
    }
    wr_finding *new = &c->findings[c->count++];
    *new = *f;
    new->kernel = tb->program->kernel;
    new->at = sm->warps[warp].next;
    new->count = 1;
    for (uint32_t i = 0; i < 3; i++) {
        new->ctaid[i] = tb->ctaid[i];
        new->tid[i] = tid[(size_t)i * WR_LANES];
    }
}

/* The buffers that an access may be in, by the pointers that it goes through. */
typedef struct reach {
    const wr_memory_range *of[WR_ROOTS];
    uint32_t count; /* 0: any */
} reach;

static reach buffers_of(const wr_sm *sm, uint32_t warp)
{
    const wr_program *p = sm->tbs[sm->warps[warp].tb].program;
    const wr_roots *roots =
        p->kernel->roots != NULL ? &p->kernel->roots[sm->warps[warp].next] : NULL;
    reach r = {.count = 0};
    for (uint32_t i = 0; roots != NULL && i < roots->count; i++) {
        uint32_t pointer; /* simulated memory lies below 4 GiB */
        memcpy(&pointer, p->param_bytes + roots->at[i], sizeof pointer);
        const wr_memory_range *at = wr_memory_reach(sm->memory, pointer, 1);
        if (at == NULL) { /* a pointer to a buffer's end */
            at = wr_memory_reach(sm->memory, (uint64_t)pointer - 1, 1);
        }
        if (at != NULL) {
            r.of[r.count++] = at;
        }
    }
    return r;
}

static bool is_in(const reach *r, uint64_t address, uint32_t bytes)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (address >= r->of[i]->begin && address + bytes <= r->of[i]->end) {
            return true;
        }
    }
    return r->count == 0;
}

/* The worst that a lane's bytes are, and where. */
static uint8_t worst(const wr_memcheck *c, uint64_t offset, uint32_t bytes)
{
    uint8_t what = WR_BYTE_DEFINED;
    for (uint64_t i = offset; i < offset + bytes && i < c->size; i++) {
        what = c->bytes[i] > what ? c->bytes[i] : what;
    }
    return what;
}

static void check_global(wr_memcheck *c, wr_sm *sm, uint32_t warp, const wr_access *a)
{
    const bool reads = a->insn->op != WR_OP_ST;
    const bool writes = a->insn->op != WR_OP_LD;
    const reach r = buffers_of(sm, warp);
    cover(c, sm->memory);
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t address = a->at.lane[lane];
        uint64_t offset = address - sm->memory->base;
        uint8_t what = worst(c, offset, a->bytes);
        wr_finding f = {.other_at = UINT32_MAX,
                        .space = WR_SPACE_GLOBAL,
                        .writes = writes,
                        .bytes = a->bytes,
                        .address = address};
        if (what == WR_BYTE_UNUSED) {
            f.kind = WR_FINDING_NOT_IN_USE;
            wr_memcheck_found(c, sm, warp, lane, &f);
            continue;
        }
        if (!is_in(&r, address, a->bytes)) {
            f.kind = WR_FINDING_OTHER_BUFFER;
            f.begin = r.of[0]->begin;
            f.end = r.of[0]->end;
            wr_memcheck_found(c, sm, warp, lane, &f);
        }
        if (reads && what == WR_BYTE_UNDEFINED) {
            f.kind = WR_FINDING_UNDEFINED;
            wr_memcheck_found(c, sm, warp, lane, &f);
        }
        if (writes && offset + a->bytes <= c->size) {
            memset(c->bytes + offset, WR_BYTE_DEFINED, a->bytes);
        }
    }
}

void wr_memcheck_access(wr_memcheck *c, wr_sm *sm, uint32_t warp, const wr_access *a)
{
    const bool orders =
        a->insn->is_volatile || a->insn->op == WR_OP_ATOM || a->insn->op == WR_OP_RED;
    if (orders && a->space != WR_SPACE_LOCAL && a->space != WR_SPACE_PARAM) {
        wr_race_order(c->race, sm, warp);
    }
    if (a->space == WR_SPACE_SHARED) {
        wr_race_access(c->race, c, sm, warp, a);
    } else if (a->space == WR_SPACE_GLOBAL) {
        check_global(c, sm, warp, a);
    }
}

void wr_memcheck_arrive(wr_memcheck *c, const wr_sm *sm, uint32_t tb_slot, uint32_t index,
                        uint32_t barrier)
{
    wr_race_arrive(c->race, sm, tb_slot, index, barrier);
}

void wr_memcheck_pass(wr_memcheck *c, const wr_sm *sm, uint32_t tb_slot, uint32_t indices,
                      uint32_t barrier)
{
    wr_race_pass(c->race, sm, tb_slot, indices, barrier);
}

size_t wr_gpu_finding_count(const wr_gpu *gpu)
{
    return gpu->forward.check != NULL ? gpu->forward.check->count : 0;
}

const wr_finding *wr_gpu_finding(const wr_gpu *gpu, size_t index)
{
    return &gpu->forward.check->findings[index];
}

const char *wr_finding_kind_name(wr_finding_kind kind)
{
    static const char *const names[WR_FINDING_KINDS] = {
        [WR_FINDING_OTHER_BUFFER] = "other buffer",
        [WR_FINDING_NOT_IN_USE] = "not in use",
        [WR_FINDING_UNDEFINED] = "undefined",
        [WR_FINDING_RACE] = "race",
    };
    return names[kind];
}

static void place_of(const wr_kernel *k, uint32_t at, char place[WR_SOURCE_TEXT])
{
    wr_source_text(k->sources, at < k->insn_count && k->lines != NULL ? k->lines[at] : 0, place,
                   WR_SOURCE_TEXT);
}

void wr_finding_text(const wr_finding *f, char *text, size_t size)
{
    char place[WR_SOURCE_TEXT];
    char other[WR_SOURCE_TEXT];
    char what[400];
    char times[40] = "";
    const char *does = f->writes ? "writes" : "reads";
    place_of(f->kernel, f->at, place);
    place_of(f->kernel, f->other_at, other);
    switch (f->kind) {
    case WR_FINDING_OTHER_BUFFER:
        (void)snprintf(what, sizeof what,
                       "%s %u bytes at 0x%" PRIx64 ", outside the buffer of its pointer (0x%" PRIx64
                       " to 0x%" PRIx64 "), in another one",
                       does, f->bytes, f->address, f->begin, f->end - 1);
        break;
    case WR_FINDING_NOT_IN_USE:
        (void)snprintf(what, sizeof what,
                       "%s %u bytes at 0x%" PRIx64
                       ", which no block has: behind the end of one, or freed",
                       does, f->bytes, f->address);
        break;
    case WR_FINDING_UNDEFINED:
        (void)snprintf(what, sizeof what,
                       "reads %u bytes at %s0x%" PRIx64 " that were not all written before",
                       f->bytes, f->space == WR_SPACE_SHARED ? "shared " : "", f->address);
        break;
    default:
        (void)snprintf(what, sizeof what,
                       "%s %u bytes at shared 0x%" PRIx64 " that warp %u %s at %s, with no barrier "
                       "between",
                       does, f->bytes, f->address, f->other_warp,
                       f->other_writes ? "has written" : "has read", other);
        break;
    }
    if (f->count > 1) {
        (void)snprintf(times, sizeof times, "; %" PRIu64 " times", f->count);
    }
    (void)snprintf(
        text, size, "kernel %.100s, pc 0x%x, %s, block (%u,%u,%u), thread (%u,%u,%u): %s%s",
        f->kernel->name, f->at < f->kernel->insn_count ? f->kernel->insns[f->at].pc : 0, place,
        f->ctaid[0], f->ctaid[1], f->ctaid[2], f->tid[0], f->tid[1], f->tid[2], what, times);
}
