/* SPDX-License-Identifier: Apache-2.0 */
/* Services: what kernels call and no module defines. printf, malloc, free and the end of a failed
 * assertion are done at issue, whole, for one lane after the other; the result is there after the
 * latency of an integer division. The memory that they read makes no traffic.
 *
 * A warp stops for preemption only in front of a preemption point, never inside a service, so none
 * is done twice or lost.
 */
#include "shell/core/exec/memcheck.h"
#include "shell/core/gpu/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A lane of a warp, as whom memory is read. */
typedef struct reader {
    const wr_sm *sm;
    uint32_t warp, lane;
} reader;

static const wr_program *program_of(const reader *r)
{
    return r->sm->tbs[r->sm->warps[r->warp].tb].program;
}

static wr_heap *heap_of(const reader *r)
{
    return &r->sm->gpu->heaps.heap[program_of(r)->launch->heap];
}

static bool read_local(const reader *r, uint64_t offset, uint8_t *out, uint32_t bytes)
{
    const wr_program *p = program_of(r);
    const wr_tb *tb = &r->sm->tbs[r->sm->warps[r->warp].tb];
    uint64_t limit = (uint64_t)p->local_words * 4;
    uint64_t base = p->local_base + tb->frame * p->frame_bytes +
                    (uint64_t)r->sm->warps[r->warp].index * p->local_words * WR_ROW_BYTES;
    if (offset > limit || bytes > limit - offset) {
        return false;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        uint64_t at = offset + i;
        out[i] = *wr_memory_at(r->sm->memory, base + (at / 4 * WR_LANES + r->lane) * 4 + at % 4);
    }
    return true;
}

static bool read_bytes(const uint8_t *base, uint64_t limit, uint64_t offset, void *out,
                       uint32_t bytes)
{
    if (offset > limit || bytes > limit - offset) {
        return false;
    }
    memcpy(out, base + offset, bytes);
    return true;
}

/* Generic addresses, as in exec_mem.c. */
static bool read_generic(void *arg, uint64_t addr, void *out, uint32_t bytes)
{
    const reader *r = arg;
    const wr_program *p = program_of(r);
    const wr_sm *sm = r->sm;
    if (addr - WR_WINDOW_SHARED < WR_WINDOW_BYTES) {
        return read_bytes(sm->tbs[sm->warps[r->warp].tb].shared, p->shared, addr - WR_WINDOW_SHARED,
                          out, bytes);
    }
    if (addr - WR_WINDOW_PARAM < WR_WINDOW_BYTES) {
        return read_bytes(p->param_bytes, p->kernel->param_bytes, addr - WR_WINDOW_PARAM, out,
                          bytes);
    }
    if (addr - WR_WINDOW_LOCAL < WR_WINDOW_BYTES) {
        return read_local(r, addr - WR_WINDOW_LOCAL, out, bytes);
    }
    if (wr_memory_reach(sm->memory, addr, bytes) == NULL) {
        return false;
    }
    memcpy(out, wr_memory_at(sm->memory, addr), bytes);
    return true;
}

static uint64_t operand(const reader *r, const wr_uop *u, unsigned slot)
{
    const wr_insn *insn = u->insn;
    bool wide = insn->type == WR_B64;
    const uint32_t *row = wr_warp_row(r->sm, r->warp, insn->src[slot]);
    if (u->ext != NULL && insn->ext_slot == slot) {
        row = u->ext;
    } else if (insn->src[slot] == WR_ISA_RZ) {
        return 0;
    }
    return wide ? wr_lane64(row, r->lane) : row[r->lane];
}

static void put_result(wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t lane, uint64_t value)
{
    uint32_t *row = wr_warp_row(sm, warp, insn->dst);
    if (insn->dst == WR_ISA_RZ) {
        return;
    }
    row[lane] = (uint32_t)value;
    if (insn->dst_regs == 2) {
        row[lane + WR_LANES] = (uint32_t)(value >> 32);
    }
}

static void drop_text(void *arg, const char *text, uint32_t bytes)
{
    (void)arg;
    (void)text;
    (void)bytes;
}

/* The writer's argument is the machine's own, the reader's a lane. */
typedef struct printer {
    reader lane;
    wr_print_fn write;
    void *arg;
} printer;

static void print_text(void *arg, const char *text, uint32_t bytes)
{
    const printer *p = arg;
    p->write(p->arg, text, bytes);
}

static bool read_for_printer(void *arg, uint64_t addr, void *out, uint32_t bytes)
{
    printer *p = arg;
    return read_generic(&p->lane, addr, out, bytes);
}

static bool print(wr_sm *sm, const reader *lane, const wr_uop *u)
{
    const wr_gpu *gpu = sm->gpu;
    printer p = {*lane, gpu->print != NULL ? gpu->print : drop_text, gpu->print_arg};
    wr_format_io io = {&p, read_for_printer, print_text, u->insn->type == WR_B64 ? 8u : 4u};
    wr_format_fault fault;
    int32_t result = 0;
    if (!wr_format(&io, operand(lane, u, 0), operand(lane, u, 1), &result, &fault)) {
        wr_sm_fault(sm, lane->warp, WR_RUN_MEMORY_FAULT, lane->lane,
                    "printf: the %s at 0x%" PRIx64 " lies outside every buffer", fault.what,
                    fault.addr);
        return false;
    }
    put_result(sm, lane->warp, u->insn, lane->lane, (uint32_t)result);
    return true;
}

/* With checks of accesses: these bytes of a block are not defined yet, or in use no more. */
static void mark(const wr_sm *sm, uint64_t addr, uint64_t bytes, uint8_t what)
{
    if (sm->gpu->forward.check != NULL && addr != 0) {
        wr_memcheck_mark(sm->gpu->forward.check, sm->memory, addr, bytes, what);
    }
}

static uint64_t take(const wr_sm *sm, const reader *lane, uint64_t bytes)
{
    uint64_t addr = wr_heap_take(heap_of(lane), bytes);
    mark(sm, addr, bytes, WR_BYTE_UNDEFINED);
    return addr;
}

static bool give_back(wr_sm *sm, const reader *lane, uint64_t addr)
{
    uint64_t bytes = wr_heap_block(heap_of(lane), addr);
    mark(sm, bytes != 0 ? addr : 0, bytes, WR_BYTE_UNUSED);
    if (addr == 0 || wr_heap_give(heap_of(lane), addr)) {
        return true;
    }
    wr_sm_fault(sm, lane->warp, WR_RUN_MEMORY_FAULT, lane->lane,
                "free of 0x%" PRIx64 ": no block of malloc that is in use begins there", addr);
    return false;
}

/* Text for a message: its end where it is long, since a path says most there. */
static void read_text(reader *lane, uint64_t addr, char *out, uint32_t size)
{
    char ring[256] = "";
    uint32_t length = 0;
    uint32_t kept;
    char letter = '\0';
    while (length < WR_FORMAT_MAX_TEXT && addr != 0 &&
           read_generic(lane, addr + length, &letter, 1) && letter != '\0') {
        ring[length++ % sizeof ring] = letter < ' ' || letter > '~' ? '?' : letter;
    }
    kept = length < size ? length : size - 1;
    for (uint32_t i = 0; i < kept; i++) {
        out[i] = ring[(length - kept + i) % sizeof ring];
    }
    out[kept] = '\0';
    if (kept < length) {
        memcpy(out, "...", 3);
    }
}

static void end_assertion(wr_sm *sm, reader *lane, uint64_t block)
{
    char message[120];
    char file[80];
    char function[80];
    uint64_t word[WR_ASSERT_WORDS] = {0};
    read_generic(lane, block, word, sizeof word);
    read_text(lane, word[WR_ASSERT_MESSAGE], message, sizeof message);
    read_text(lane, word[WR_ASSERT_FILE], file, sizeof file);
    read_text(lane, word[WR_ASSERT_FUNCTION], function, sizeof function);
    wr_sm_fault(sm, lane->warp, WR_RUN_TRAP, lane->lane,
                "assertion '%s' failed at %s:%" PRIu64 " in %s", message, file,
                word[WR_ASSERT_LINE], function);
}

bool wr_exec_service(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask)
{
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        reader lane = {sm, warp, (uint32_t)__builtin_ctz(left)};
        uint64_t a = operand(&lane, u, 0);
        switch (u->insn->op) {
        case WR_OP_PRINTF:
            if (!print(sm, &lane, u)) {
                return false;
            }
            break;
        case WR_OP_MALLOC:
            put_result(sm, warp, u->insn, lane.lane, take(sm, &lane, a));
            break;
        case WR_OP_FREE:
            if (!give_back(sm, &lane, a)) {
                return false;
            }
            break;
        default:
            end_assertion(sm, &lane, a);
            return false;
        }
    }
    return true;
}
