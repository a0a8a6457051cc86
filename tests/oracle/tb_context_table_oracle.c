/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of tb_context_table; see the header. */
#include "tests/oracle/tb_context_table_oracle.h"

#include <string.h>

wr_oracle_tbct_entry wr_oracle_tbct_look(const wr_oracle_tbct *o, unsigned id)
{
    const wr_oracle_tbct_entry none = {0};
    return id < o->tbs && o->entry[id].valid ? o->entry[id] : none;
}

bool wr_oracle_tbct_present(const wr_oracle_tbct *o, unsigned id)
{
    const wr_oracle_tbct_entry e = wr_oracle_tbct_look(o, id);
    bool inside = e.addr >= o->smem_base && e.addr < o->smem_base + o->smem_units;
    return e.valid && (inside || e.addr == 0xfff);
}

static bool is_kind(const wr_oracle_tbct *o, unsigned id, wr_oracle_tbct_kind kind)
{
    const wr_oracle_tbct_entry e = wr_oracle_tbct_look(o, id);
    unsigned absent = 0;
    for (unsigned w = 0; w < WR_ORACLE_TBCT_WARPS; w++) {
        absent += e.absent[w];
    }
    switch (kind) {
    case WR_ORACLE_TBCT_FREE:
        return !e.valid;
    case WR_ORACLE_TBCT_WHOLE:
        return e.valid && absent == 0 && wr_oracle_tbct_present(o, id);
    case WR_ORACLE_TBCT_PARTIAL:
        return e.valid && absent > 0;
    case WR_ORACLE_TBCT_SPILLED:
        return e.valid && !wr_oracle_tbct_present(o, id);
    }
    return false;
}

int wr_oracle_tbct_find(const wr_oracle_tbct *o, wr_oracle_tbct_kind kind, unsigned from)
{
    unsigned first = from < o->tbs ? from : 0;
    for (unsigned n = 0; n < o->tbs; n++) {
        unsigned id = (first + n) % o->tbs;
        if (is_kind(o, id, kind)) {
            return (int)id;
        }
    }
    return -1;
}

static bool allowed(const wr_oracle_tbct *o, const wr_oracle_tbct_command *c)
{
    if (c->op > WR_ORACLE_TBCT_MOVE || c->id >= o->tbs) {
        return false;
    }
    bool masked = c->op == WR_ORACLE_TBCT_INSERT || c->op == WR_ORACLE_TBCT_SET ||
                  c->op == WR_ORACLE_TBCT_CLEAR;
    for (unsigned w = o->tb_warps; w < WR_ORACLE_TBCT_WARPS; w++) {
        if (masked && c->mask[w]) {
            return false;
        }
    }
    return o->entry[c->id].valid == (c->op != WR_ORACLE_TBCT_INSERT);
}

void wr_oracle_tbct_clock(wr_oracle_tbct *o, const wr_oracle_tbct_command *command)
{
    if (command->op == WR_ORACLE_TBCT_NONE) {
        return;
    }
    if (!allowed(o, command)) {
        o->fault = true;
        return;
    }
    wr_oracle_tbct_entry *e = &o->entry[command->id];
    if (command->op == WR_ORACLE_TBCT_INSERT) {
        e->valid = true;
        e->addr = command->addr;
        memcpy(e->absent, command->mask, sizeof e->absent);
    } else if (command->op == WR_ORACLE_TBCT_REMOVE) {
        e->valid = false;
    } else if (command->op == WR_ORACLE_TBCT_MOVE) {
        e->addr = command->addr;
    } else {
        for (unsigned w = 0; w < WR_ORACLE_TBCT_WARPS; w++) {
            if (command->mask[w]) {
                e->absent[w] = command->op == WR_ORACLE_TBCT_SET;
            }
        }
    }
}
