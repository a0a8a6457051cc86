/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of warp_context_table; see the header. */
#include "tests/oracle/warp_context_table_oracle.h"

wr_oracle_wct_entry wr_oracle_wct_look(const wr_oracle_wct *o, unsigned id)
{
    const wr_oracle_wct_entry none = {0};
    return id < o->warps && o->entry[id].valid ? o->entry[id] : none;
}

bool wr_oracle_wct_present(const wr_oracle_wct *o, unsigned id)
{
    const wr_oracle_wct_entry e = wr_oracle_wct_look(o, id);
    return e.valid && e.reg_addr < o->reg_units && e.meta_addr >= 0xc00 &&
           e.meta_addr < 0xc00 + o->slots;
}

int wr_oracle_wct_find(const wr_oracle_wct *o, wr_oracle_warp_state state, unsigned from)
{
    unsigned first = from < o->warps ? from : 0;
    for (unsigned n = 0; n < o->warps; n++) {
        unsigned id = (first + n) % o->warps;
        if (o->entry[id].valid && o->entry[id].state == state) {
            return (int)id;
        }
    }
    return -1;
}

wr_oracle_wct_group wr_oracle_wct_judge(const wr_oracle_wct *o, unsigned first, unsigned count)
{
    unsigned valid = 0;
    unsigned stalled = 0;
    unsigned ready = 0;
    for (unsigned id = first; id < first + count; id++) {
        const wr_oracle_wct_entry e = wr_oracle_wct_look(o, id);
        valid += e.valid;
        stalled += e.valid && e.state == WR_ORACLE_STALLED;
        ready +=
            e.valid && (e.state == WR_ORACLE_READY || (e.state == WR_ORACLE_ABSENT && e.barrier));
    }
    return (wr_oracle_wct_group){
        .any = valid > 0,
        .stalled = valid > 0 && stalled == valid,
        .ready = valid > 0 && ready == valid,
    };
}

/* The arrows of Fig. 3.9. */
static bool arrow(wr_oracle_warp_state from, wr_oracle_warp_state to)
{
    static const wr_oracle_warp_state arrows[][2] = {
        {WR_ORACLE_RUNNING, WR_ORACLE_STALLED}, /* a long operation */
        {WR_ORACLE_STALLED, WR_ORACLE_RUNNING}, /* not switched out */
        {WR_ORACLE_STALLED, WR_ORACLE_ABSENT},  /* switched out */
        {WR_ORACLE_ABSENT, WR_ORACLE_READY},    /* the operation has ended */
        {WR_ORACLE_READY, WR_ORACLE_RUNNING},   /* switched in */
    };
    for (unsigned i = 0; i < sizeof arrows / sizeof arrows[0]; i++) {
        if (arrows[i][0] == from && arrows[i][1] == to) {
            return true;
        }
    }
    return false;
}

static bool allowed(const wr_oracle_wct *o, const wr_oracle_wct_command *c)
{
    if (c->id >= o->warps) {
        return false;
    }
    const wr_oracle_wct_entry *e = &o->entry[c->id];
    switch (c->op) {
    case WR_ORACLE_WCT_INSERT:
        return !e->valid &&
               (c->with.state == WR_ORACLE_RUNNING || c->with.state == WR_ORACLE_READY);
    case WR_ORACLE_WCT_UPDATE:
        return e->valid &&
               (c->fields % 2 == 0 || e->state == c->with.state || arrow(e->state, c->with.state));
    case WR_ORACLE_WCT_REMOVE:
        return e->valid;
    case WR_ORACLE_WCT_NONE:
        break;
    }
    return true;
}

void wr_oracle_wct_clock(wr_oracle_wct *o, const wr_oracle_wct_command *command)
{
    if (command->op == WR_ORACLE_WCT_NONE) {
        return;
    }
    if (!allowed(o, command)) {
        o->fault = true;
        return;
    }
    wr_oracle_wct_entry *e = &o->entry[command->id];
    if (command->op == WR_ORACLE_WCT_REMOVE) {
        e->valid = false;
    } else if (command->op == WR_ORACLE_WCT_INSERT) {
        *e = command->with;
        e->valid = true;
        e->barrier = false;
    } else {
        e->state = command->fields / 1 % 2 ? command->with.state : e->state;
        e->reg_addr = command->fields / 2 % 2 ? command->with.reg_addr : e->reg_addr;
        e->meta_addr = command->fields / 4 % 2 ? command->with.meta_addr : e->meta_addr;
        e->barrier = command->fields / 8 % 2 ? command->with.barrier : e->barrier;
    }
}
