/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics: where they go and what traffic they make; see sm.h. Values move at
 * issue (move.h).
 *
 * A lane's access is cut into units of at most 4 bytes, unit k going to or from register
 * dst+k, which covers every type and vector at once. Local memory interleaves the threads of
 * a warp by words, so a unit is also what lies together there.
 *
 * A generic access is cut by the windows of its lanes' addresses (isa.h) into one part for each
 * space; each part is checked and moved as if it were an access of that space. In the LSU they
 * are one entry: what goes through the pipeline of shared memory, then the lines.
 *
 * Constant memory goes through the constant cache, a line a cycle. Parameter memory always hits
 * and takes the pipeline of shared memory: one cycle for each distinct address.
 */
#include "shell/core/exec/access.h"
#include "shell/core/exec/memcheck.h"
#include "shell/core/exec/move.h"
#include "shell/core/gpu/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const uint8_t type_bytes[] = {
    [WR_U8] = 1,     [WR_S8] = 1,    [WR_B8] = 1,    [WR_U16] = 2,  [WR_S16] = 2,  [WR_B16] = 2,
    [WR_F16] = 2,    [WR_U32] = 4,   [WR_S32] = 4,   [WR_B32] = 4,  [WR_F32] = 4,  [WR_U64] = 8,
    [WR_S64] = 8,    [WR_B64] = 8,   [WR_F64] = 8,   [WR_PRED] = 0, [WR_BF16] = 2, [WR_F16X2] = 4,
    [WR_BF16X2] = 4, [WR_U16X2] = 4, [WR_S16X2] = 4,
};
static const char *const space_names[] = {"generic", "global", "shared", "local", "const", "param"};

static void addresses(const wr_sm *sm, uint32_t warp, wr_access *a)
{
    const wr_insn *insn = a->insn;
    const uint32_t *row = wr_warp_row(sm, warp, insn->src[0]);
    bool absolute = insn->src[0] == WR_ISA_RZ;
    bool wide = !absolute && insn->src_regs[0] == 2;
    uint64_t base =
        insn->space == WR_SPACE_CONST ? sm->tbs[sm->warps[warp].tb].program->launch->const_base : 0;
    wr_addresses_of(&a->at, absolute ? NULL : row, wide, insn->imm, base, a->mask);
}

/* First lane whose access is not inside; WR_LANES: none. */
static uint32_t outside_simulated(const wr_sm *sm, const wr_access *a)
{
    const wr_memory_range *r = wr_memory_reach(sm->memory, a->at.low, a->bytes);
    if (r != NULL && a->at.high <= r->end - a->bytes) { /* the whole warp in one allocation */
        return WR_LANES;
    }
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (wr_memory_reach(sm->memory, a->at.lane[lane], a->bytes) == NULL) {
            return lane;
        }
    }
    return WR_LANES;
}

static uint32_t outside_limit(const wr_access *a, uint64_t limit)
{
    if (a->at.high <= limit && a->bytes <= limit - a->at.high) {
        return WR_LANES;
    }
    for (uint32_t left = a->mask; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (a->at.lane[lane] > limit || a->bytes > limit - a->at.lane[lane]) {
            return lane;
        }
    }
    return WR_LANES;
}

/* The words of an access's space for messages. */
static void name_space(const wr_access *a, char name[32])
{
    bool generic = a->insn->space == WR_SPACE_GENERIC;
    (void)snprintf(name, 32, "%s%s", generic && a->window != 0 ? "generic " : "",
                   space_names[generic && a->window == 0 ? WR_SPACE_GENERIC : a->space]);
}

/* First lane whose address is no multiple of its bytes; WR_LANES: none. */
static uint32_t misaligned(const wr_access *a)
{
    uint32_t left = (a->at.bits & (a->bytes - 1)) != 0 ? a->mask : 0;
    while (left != 0 && (a->at.lane[__builtin_ctz(left)] & (a->bytes - 1)) == 0) {
        left &= left - 1;
    }
    return left != 0 ? (uint32_t)__builtin_ctz(left) : WR_LANES;
}

/* First lane that is not inside its space; WR_LANES: none. */
static uint32_t outside(const wr_sm *sm, const wr_access *a, uint64_t limit)
{
    return limit != UINT64_MAX ? outside_limit(a, limit) : outside_simulated(sm, a);
}

static bool check(wr_sm *sm, uint32_t warp, const wr_access *a, uint64_t limit)
{
    uint32_t mask = a->mask;
    uint32_t odd = misaligned(a);
    char name[32];
    if (odd < WR_LANES) {
        name_space(a, name);
        wr_sm_fault(sm, warp, WR_RUN_MEMORY_FAULT, odd,
                    "%s access of %u bytes at 0x%" PRIx64 " is misaligned", name, a->bytes,
                    a->at.lane[odd] + a->window);
        return false;
    }
    if (a->space == WR_SPACE_PARAM && a->insn->op != WR_OP_LD) {
        wr_sm_fault(sm, warp, WR_RUN_MEMORY_FAULT, (uint32_t)__builtin_ctz(mask),
                    "a kernel's parameters can't be written");
        return false;
    }
    uint32_t lane = outside(sm, a, limit);
    if (lane == WR_LANES) {
        return true;
    }
    name_space(a, name);
    if (limit != UINT64_MAX) {
        wr_sm_fault(sm, warp, WR_RUN_MEMORY_FAULT, lane,
                    "%s access of %u bytes at 0x%" PRIx64 " is outside its %" PRIu64 " bytes", name,
                    a->bytes, a->at.lane[lane] + a->window, limit);
    } else {
        sm->fault_address = sm->status->faulted ? sm->fault_address : a->at.lane[lane];
        wr_sm_fault(sm, warp, WR_RUN_MEMORY_FAULT, lane,
                    "%s access of %u bytes at 0x%llx is outside every buffer; check the index and "
                    "the buffers' sizes",
                    name, a->bytes, (unsigned long long)a->at.lane[lane]);
    }
    return false;
}

/* Cycles in the pipeline of constant and parameter memory. */
static uint32_t distinct_addresses(const wr_access *a, uint32_t mask)
{
    uint32_t count = 0;
    for (uint32_t left = mask; left != 0; count++) {
        uint64_t addr = a->at.lane[__builtin_ctz(left)];
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            left &= a->at.lane[lane] == addr ? ~(1u << lane) : UINT32_MAX;
        }
    }
    return count;
}

static void lines_of(const wr_sm *sm, const wr_access *a, uint32_t mask, wr_lsu_entry *e)
{
    uint32_t line_bytes = sm->cfg->l1.line_bytes;
    if (a->space != WR_SPACE_LOCAL) {
        wr_traffic_lines(e, &a->at, mask, a->bytes, line_bytes);
        return;
    }
    for (uint32_t k = 0; k * 4 < a->bytes; k++) {
        wr_addresses at;
        for (uint32_t i = 0; i < WR_LANES; i++) {
            at.lane[i] = wr_access_local(a, i, a->at.lane[i] + k * UINT64_C(4));
        }
        wr_addresses_sum(&at, mask);
        uint32_t before = e->count;
        wr_traffic_lines(e, &at, mask, a->unit, line_bytes);
        for (uint32_t i = before; i < e->count; i++) {
            e->lines[i].local = true;
        }
    }
}

/* Atomics on one address follow each other in the line's L2 bank. */
static void serialise(const wr_sm *sm, const wr_access *a, wr_lsu_entry *e)
{
    uint64_t in_line = sm->cfg->l1.line_bytes - 1;
    for (uint32_t i = 0; i < e->count; i++) {
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < WR_LANES; lane++) {
            lanes |= ((a->at.lane[lane] & ~in_line) == e->lines[i].addr ? 1u : 0u) << lane;
        }
        uint32_t serial = wr_traffic_serial(a->at.lane, lanes & a->mask);
        e->lines[i].serial = (uint8_t)(serial > e->lines[i].serial ? serial : e->lines[i].serial);
    }
}

/* Adds what one part takes to the entry. */
static void describe(wr_sm *sm, const wr_access *a, wr_lsu_entry *e)
{
    const wr_insn *insn = a->insn;
    bool is_atomic = insn->op == WR_OP_ATOM || insn->op == WR_OP_RED;
    if (a->space == WR_SPACE_SHARED) {
        bool serial = is_atomic && sm->cfg->sm.shared_atomics_merge == 0;
        uint32_t cycles =
            wr_traffic_conflicts(&a->at, a->mask, a->bytes, sm->cfg->sm.shared_banks, serial);
        e->cycles += cycles;
        sm->stats.shared_insns++;
        sm->stats.shared_cycles += cycles;
    } else if (a->space == WR_SPACE_CONST) {
        wr_traffic_lines(e, &a->at, a->mask, a->bytes, sm->cfg->ccache.line_bytes);
    } else if (a->space == WR_SPACE_PARAM) {
        e->cycles += distinct_addresses(a, a->mask);
    } else {
        lines_of(sm, a, a->mask, e);
        if (is_atomic) {
            serialise(sm, a, e);
        }
    }
}

static void begin_entry(const wr_sm *sm, uint32_t warp, const wr_uop *u, wr_lsu_entry *e)
{
    e->warp = (uint16_t)warp;
    e->stream = (uint8_t)sm->tbs[sm->warps[warp].tb].program->stream;
    e->id = sm->warps[warp].id;
    e->regs = u->write;
    e->latency = sm->cfg->sm.shared_latency;
    e->no_l1 = wr_exec_goes_past_l1(sm, u->insn);
    e->cycles = 0;
    e->count = e->at = 0;
    e->has_op = false;
    e->path = WR_LSU_BANKED;
}

/* All parts are described. */
static void end_entry(wr_sm *sm, const wr_insn *insn, wr_lsu_entry *e)
{
    if (e->count == 0) {
        return;
    }
    if (insn->space == WR_SPACE_CONST) {
        e->path = WR_LSU_CONST;
        return;
    }
    sm->stats.lines += e->count;
    if (insn->op == WR_OP_ATOM || insn->op == WR_OP_RED) {
        e->path = WR_LSU_ATOMIC;
        sm->stats.atomics++;
    } else if (insn->op == WR_OP_LD) {
        e->path = WR_LSU_LOAD;
        sm->stats.loads++;
    } else {
        e->path = WR_LSU_STORE;
        sm->stats.stores++;
    }
    if (insn->op == WR_OP_ST || insn->op == WR_OP_RED) {
        sm->stores[e->id] += e->count;
        sm->stores_of[e->stream] += e->count;
    }
}

static bool in_window(uint64_t addr, uint32_t window)
{
    return addr - window < WR_WINDOW_BYTES;
}

/* Lanes of the access that are in a window. */
static uint32_t lanes_in(const wr_access *a, uint32_t window)
{
    uint32_t lanes = 0;
    if (in_window(a->at.low, window) && in_window(a->at.high, window)) {
        return a->mask;
    }
    if (a->at.high < window || a->at.low >= (uint64_t)window + WR_WINDOW_BYTES) {
        return 0;
    }
    for (uint32_t lane = 0; lane < WR_LANES; lane++) {
        lanes |= in_window(a->at.lane[lane], window) ? 1u << lane : 0;
    }
    return lanes & a->mask;
}

enum { PARTS = 4 }; /* shared, local, param; simulated memory */

/* Cuts a generic access; returns the number of parts. */
static unsigned cut(const wr_access *whole, wr_access part[PARTS])
{
    static const uint8_t spaces[PARTS] = {WR_SPACE_SHARED, WR_SPACE_LOCAL, WR_SPACE_PARAM,
                                          WR_SPACE_GLOBAL};
    uint32_t left = whole->mask;
    unsigned count = 0;
    for (unsigned k = 0; k < PARTS && left != 0; k++) {
        uint32_t window = wr_isa_window((wr_space)spaces[k]);
        uint32_t mask = window == 0 ? left : lanes_in(whole, window) & left;
        if (mask == 0) {
            continue;
        }
        part[count] = *whole;
        part[count].space = spaces[k];
        part[count].mask = mask;
        part[count].window = window;
        if (mask != whole->mask || window != 0) {
            for (uint32_t lane = 0; lane < WR_LANES; lane++) {
                part[count].at.lane[lane] -= window;
            }
            wr_addresses_sum(&part[count].at, mask);
        }
        left &= ~mask;
        count++;
    }
    return count;
}

/* Finds where the access's space lies, and returns where it ends; UINT64_MAX: in simulated memory,
 * by allocations. */
static inline uint64_t find_space(const wr_sm *sm, uint32_t warp, wr_access *a)
{
    const wr_tb *tb = &sm->tbs[sm->warps[warp].tb];
    const wr_program *p = tb->program;
    switch (a->space) {
    case WR_SPACE_SHARED:
        a->base = tb->shared;
        return p->shared;
    case WR_SPACE_PARAM:
        a->base = p->param_bytes;
        return p->kernel->param_bytes;
    case WR_SPACE_LOCAL:
        a->local = p->local_base + tb->frame * p->frame_bytes +
                   sm->warps[warp].index * ((uint64_t)p->local_words * WR_ROW_BYTES);
        return (uint64_t)p->local_words * 4;
    default:
        return UINT64_MAX;
    }
}

/* What the instruction accesses, in parts of one space each; returns their number. */
static unsigned parts_of(const wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t mask,
                         wr_access part[PARTS])
{
    wr_access *a = &part[0];
    a->insn = insn;
    a->space = insn->space;
    a->mask = mask;
    a->window = 0;
    a->base = NULL;
    a->local = 0;
    uint32_t element = type_bytes[insn->type];
    a->bytes = element * insn->vec;
    a->unit = element < 4 ? element : 4;
    a->units = element <= 4 ? insn->vec : a->bytes / 4;
    a->sign = insn->type == WR_S8 || insn->type == WR_S16;
    addresses(sm, warp, a);
    if (insn->space == WR_SPACE_GENERIC) {
        wr_access whole = *a;
        return cut(&whole, part);
    }
    return 1;
}

bool wr_exec_load_is_sound(const wr_sm *sm, uint32_t warp, const wr_insn *insn, uint32_t mask)
{
    wr_access part[PARTS];
    unsigned parts = mask != 0 ? parts_of(sm, warp, insn, mask, part) : 0;
    for (unsigned k = 0; k < parts; k++) {
        uint64_t limit = find_space(sm, warp, &part[k]);
        if (misaligned(&part[k]) < WR_LANES || outside(sm, &part[k], limit) < WR_LANES) {
            return false;
        }
    }
    return true;
}

/* What the L2 and the checks want to know of an access without time. */
static void tell(wr_sm *sm, uint32_t warp, const wr_access *a)
{
    wr_forward *f = &sm->gpu->forward;
    if (a->base == NULL) {
        wr_trail_note(&f->trail, sm->tbs[sm->warps[warp].tb].program->stream, a);
    }
    if (f->check != NULL) {
        wr_memcheck_access(f->check, sm, warp, a);
    }
}

bool wr_exec_memory(wr_sm *sm, uint32_t warp, const wr_uop *u, uint32_t mask, wr_lsu_entry *e)
{
    wr_access part[PARTS]; /* as many as there are are filled in */
    const unsigned parts = parts_of(sm, warp, u->insn, mask, part);
    unsigned k = 0;
    do {
        if (!check(sm, warp, &part[k], find_space(sm, warp, &part[k]))) {
            return false;
        }
    } while (++k < parts);
    if (e != NULL) {
        begin_entry(sm, warp, u, e);
        k = 0;
        do {
            describe(sm, &part[k], e);
        } while (++k < parts);
        end_entry(sm, u->insn, e);
    }
    k = 0;
    do {
        if (e == NULL) {
            tell(sm, warp, &part[k]);
        }
        wr_access_move(sm, warp, &part[k]);
    } while (++k < parts);
    return true;
}

bool wr_exec_load_hits(wr_sm *sm, uint32_t warp)
{
    const wr_insn *insn = wr_warp_uop(sm, warp)->insn;
    const uint64_t line_bytes = sm->l1.line_bytes;
    uint64_t held = UINT64_MAX; /* the line that was looked up last */
    if (insn->op != WR_OP_LD || insn->space != WR_SPACE_GLOBAL || insn->is_volatile || sm->l1_off ||
        sm->cfg->l1.globals == 0) {
        return false;
    }
    uint32_t mask = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask &
                    wr_exec_pred(sm->warps[warp].preds, insn->guard, insn->guard_neg);
    wr_access a;
    if (mask == 0) {
        return false;
    }
    a.insn = insn;
    a.mask = mask;
    addresses(sm, warp, &a);
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint64_t first = a.at.lane[__builtin_ctz(left)] / line_bytes;
        uint64_t last =
            (a.at.lane[__builtin_ctz(left)] + type_bytes[insn->type] * insn->vec - 1) / line_bytes;
        for (uint64_t line = first; line <= last; line++) {
            if (line != held && !wr_l1_holds(&sm->l1, line * line_bytes)) {
                return false;
            }
            held = line;
        }
    }
    return true;
}
