/* SPDX-License-Identifier: Apache-2.0 */
/* alloc_table: one function a state; each walks the entries in a loop where the RTL compares them
 * all at once.
 */
#include "refmodel/context/alloc_table.h"

#include "refmodel/minmax.h"

#include <assert.h>
#include <string.h>

enum { NONE = WR_ALLOC_ENTRIES_MAX };

/* Codes of pins op and rsp_kind. */
enum { OP_LOOKUP = 0, OP_FREE = 1, OP_ALLOC = 2, OP_PLAN = 3 };
enum { KIND_DONE = 0, KIND_LEAVE = 1, KIND_PLACE = 2 };

static bool in_use(const wr_alloc_table *s, uint32_t i)
{
    return (s->used_q >> i & 1u) != 0;
}

static bool is_gone(const wr_alloc_table *s, uint32_t i)
{
    return (s->gone_q >> i & 1u) != 0;
}

static uint8_t kernel_of(const wr_alloc_table *s, uint8_t pin)
{
    return (uint8_t)(pin & ((1u << s->cfg.kernel_bits) - 1u));
}

static uint16_t tb_of(const wr_alloc_table *s, uint32_t number)
{
    return (uint16_t)(number & ((1u << s->cfg.tb_bits) - 1u));
}

static uint32_t ones(uint32_t mask)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 32; i++) {
        n += mask >> i & 1u;
    }
    return n;
}

/* The entry of a TB, or NONE. */
static uint32_t find(const wr_alloc_table *s, uint8_t kernel, uint16_t tb)
{
    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        if (in_use(s, i) && s->entry_q[i].kernel == kernel && s->entry_q[i].tb == tb) {
            return i;
        }
    }
    return NONE;
}

/* Of the entries in `among` the one with the lowest TB, or NONE. */
static uint32_t lowest_tb(const wr_alloc_table *s, uint32_t among)
{
    uint32_t best = NONE;
    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        if ((among >> i & 1u) != 0 && (best == NONE || s->entry_q[i].tb < s->entry_q[best].tb)) {
            best = i;
        }
    }
    return best;
}

/* Highest end of the entries in the way of [cand, cand + size), 0 where there is none. */
static uint16_t blocked_to(const wr_alloc_table *s)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        const wr_alloc_entry *e = &s->entry_q[i];
        const uint32_t e_end = (uint32_t)e->start + e->size;
        if (in_use(s, i) && !is_gone(s, i) && e->start < s->cand_q + s->size_q &&
            e_end > s->cand_q) {
            end = (uint32_t)wr_max(end, e_end);
        }
    }
    return (uint16_t)end;
}

static bool past_end(const wr_alloc_table *s)
{
    return (uint32_t)s->cand_q + s->size_q > s->cfg.units;
}

/* Writes a TB of the new kernel at the candidate. */
static void enter(wr_alloc_table *s, uint16_t tb)
{
    uint32_t i = 0;
    while (in_use(s, i)) {
        i++;
    }
    assert(i < s->cfg.entries && !past_end(s));
    s->entry_q[i] =
        (wr_alloc_entry){.start = s->cand_q, .size = s->size_q, .kernel = s->kernel_q, .tb = tb};
    s->used_q |= 1u << i;
}

static void from_start(wr_alloc_table *s, wr_alloc_state state)
{
    s->state_q = (uint8_t)state;
    s->cand_q = 0;
    s->placed_q = 0;
}

static void reply(wr_alloc_table *s, bool ok, uint16_t start, uint16_t size)
{
    s->state_q = WR_ALLOC_REPLY;
    s->ok_q = ok;
    s->rsp_start_q = start;
    s->rsp_size_q = size;
}

wr_status wr_alloc_table_init(wr_alloc_table *s, const wr_alloc_table_cfg *cfg)
{
    if (!wr_alloc_table_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_alloc_table_reset(s);
    return WR_OK;
}

void wr_alloc_table_reset(wr_alloc_table *s)
{
    wr_alloc_table_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_alloc_table_eval(const wr_alloc_table *s, const wr_alloc_table_in *in,
                         wr_alloc_table_out *out)
{
    (void)in; /* no output of this block is combinational */
    memset(out, 0, sizeof *out);
    out->ready = s->state_q == WR_ALLOC_IDLE;
    out->used = (uint8_t)ones(s->used_q);
    out->fault = s->fault_q;
    if (s->state_q == WR_ALLOC_LEAVE) {
        const uint32_t i = lowest_tb(s, s->gone_q);
        assert(i != NONE);
        const wr_alloc_entry *e = &s->entry_q[i];
        out->rsp_valid = true;
        out->rsp_kind = KIND_LEAVE;
        out->rsp_ok = true;
        out->rsp_tb = e->tb;
        out->rsp_start = e->start;
        out->rsp_size = e->size;
    } else if (s->state_q == WR_ALLOC_PLACE && blocked_to(s) == 0) {
        out->rsp_valid = true;
        out->rsp_kind = KIND_PLACE;
        out->rsp_ok = true;
        out->rsp_tb = tb_of(s, (uint32_t)s->tb_q + s->placed_q);
        out->rsp_start = s->cand_q;
        out->rsp_size = s->size_q;
    } else if (s->state_q == WR_ALLOC_REPLY) {
        out->rsp_valid = true;
        out->rsp_kind = KIND_DONE;
        out->rsp_ok = s->ok_q;
        out->rsp_tb = s->tb_q;
        out->rsp_start = s->rsp_start_q;
        out->rsp_size = s->rsp_size_q;
    }
}

/* Whether the latched operation breaks the protocol. */
static bool is_bad(const wr_alloc_table *s, uint8_t op)
{
    if (op == OP_LOOKUP) {
        return false;
    }
    if (op == OP_FREE) {
        return find(s, s->kernel_q, s->tb_q) == NONE;
    }
    if (s->size_q == 0 || s->size_q > s->cfg.units) {
        return true;
    }
    if (op == OP_ALLOC) {
        return find(s, s->kernel_q, s->tb_q) != NONE;
    }
    if (s->count_q == 0 || s->count_q > s->cfg.entries || s->old_q == s->kernel_q) {
        return true;
    }
    for (uint32_t j = 0; j < s->count_q; j++) {
        if (find(s, s->kernel_q, tb_of(s, s->tb_q + j)) != NONE) {
            return true;
        }
    }
    return false;
}

static void tick_idle(wr_alloc_table *s, const wr_alloc_table_in *in)
{
    if (!in->valid) {
        return;
    }
    const uint8_t op = in->op & 3u;
    s->kernel_q = kernel_of(s, in->kernel);
    s->tb_q = tb_of(s, in->tb);
    s->size_q = in->size & 0x7ffu;
    s->count_q = in->count & 0x3fu;
    s->old_q = kernel_of(s, in->old);
    if (is_bad(s, op)) {
        s->fault_q = true;
        reply(s, false, 0, 0);
    } else if (op == OP_PLAN) {
        from_start(s, WR_ALLOC_TRIAL);
    } else if (op == OP_ALLOC) {
        if (ones(s->used_q) == s->cfg.entries) {
            reply(s, false, 0, 0);
        } else {
            from_start(s, WR_ALLOC_SEARCH);
        }
    } else {
        const uint32_t i = find(s, s->kernel_q, s->tb_q);
        if (i == NONE) {
            reply(s, false, 0, 0);
            return;
        }
        reply(s, true, s->entry_q[i].start, s->entry_q[i].size);
        if (op == OP_FREE) {
            s->used_q &= ~(1u << i);
        }
    }
}

static void tick_search(wr_alloc_table *s)
{
    const uint16_t next = blocked_to(s);
    if (past_end(s)) {
        reply(s, false, 0, 0);
    } else if (next != 0) {
        s->cand_q = next;
    } else {
        enter(s, s->tb_q);
        reply(s, true, s->cand_q, s->size_q);
    }
}

static void tick_trial(wr_alloc_table *s)
{
    const uint16_t next = blocked_to(s);
    const uint32_t room = s->cfg.entries - ones(s->used_q) + ones(s->gone_q);
    if (room < s->count_q || past_end(s)) {
        s->state_q = WR_ALLOC_PICK;
    } else if (next != 0) {
        s->cand_q = next;
    } else if (s->placed_q + 1u == s->count_q) {
        from_start(s, s->gone_q == 0 ? WR_ALLOC_PLACE : WR_ALLOC_LEAVE);
    } else {
        s->placed_q++;
        s->cand_q = (uint16_t)(s->cand_q + s->size_q);
    }
}

static void tick_pick(wr_alloc_table *s)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->cfg.entries; i++) {
        if (in_use(s, i) && !is_gone(s, i) && s->entry_q[i].kernel == s->old_q) {
            left |= 1u << i;
        }
    }
    if (left == 0) {
        s->gone_q = 0;
        reply(s, false, 0, 0);
        return;
    }
    s->gone_q |= 1u << lowest_tb(s, left);
    from_start(s, WR_ALLOC_TRIAL);
}

static void tick_leave(wr_alloc_table *s)
{
    const uint32_t i = lowest_tb(s, s->gone_q);
    assert(i != NONE);
    const uint32_t bit = 1u << i;
    s->used_q &= ~bit;
    s->gone_q &= ~bit;
    if (s->gone_q == 0) {
        from_start(s, WR_ALLOC_PLACE);
    }
}

static void tick_place(wr_alloc_table *s, bool taken)
{
    const uint16_t next = blocked_to(s);
    if (next != 0) {
        s->cand_q = next;
    } else if (taken) {
        enter(s, tb_of(s, (uint32_t)s->tb_q + s->placed_q));
        s->placed_q++;
        s->cand_q = (uint16_t)(s->cand_q + s->size_q);
        if (s->placed_q == s->count_q) {
            reply(s, true, 0, 0);
        }
    }
}

void wr_alloc_table_tick(wr_alloc_table *s, const wr_alloc_table_in *in)
{
    switch ((wr_alloc_state)s->state_q) {
    case WR_ALLOC_IDLE:
        tick_idle(s, in);
        break;
    case WR_ALLOC_SEARCH:
        tick_search(s);
        break;
    case WR_ALLOC_TRIAL:
        tick_trial(s);
        break;
    case WR_ALLOC_PICK:
        tick_pick(s);
        break;
    case WR_ALLOC_LEAVE:
        if (in->rsp_ready) {
            tick_leave(s);
        }
        break;
    case WR_ALLOC_PLACE:
        tick_place(s, in->rsp_ready);
        break;
    case WR_ALLOC_REPLY:
        if (in->rsp_ready) {
            s->state_q = WR_ALLOC_IDLE;
        }
        break;
    }
}
