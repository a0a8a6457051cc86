/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of rename_table; see the header. */
#include "tests/oracle/rename_table_oracle.h"

#include <string.h>

void wr_oracle_rename_reset(wr_oracle_rename *t, unsigned entries)
{
    memset(t, 0, sizeof *t);
    t->entries = entries;
}

/* The mapping's place in the list, or its count where there is none. */
static unsigned find(const wr_oracle_mappings *m, unsigned reg)
{
    unsigned at = 0;
    while (at < m->count && m->list[at].reg != reg) {
        at++;
    }
    return at;
}

static void take_out(wr_oracle_mappings *m, unsigned reg)
{
    wr_oracle_mappings rest = {0};
    for (unsigned i = 0; i < m->count; i++) {
        if (m->list[i].reg != reg) {
            rest.list[rest.count++] = m->list[i];
        }
    }
    *m = rest;
}

unsigned wr_oracle_rename_read(const wr_oracle_rename *t, bool vec, unsigned reg, bool *renamed)
{
    const wr_oracle_mappings *m = &t->table[vec];
    const unsigned at = find(m, reg);
    *renamed = at < m->count;
    return *renamed ? m->list[at].to : reg;
}

void wr_oracle_rename_step(wr_oracle_rename *t, bool clear, const wr_oracle_rename_op *update,
                           const wr_oracle_rename_op *drop)
{
    if (clear) {
        memset(t->table, 0, sizeof t->table);
        return;
    }
    const wr_oracle_rename before = *t;
    if (update->valid) {
        const wr_oracle_mappings *old = &before.table[update->vec];
        wr_oracle_mappings *m = &t->table[update->vec];
        const bool had = find(old, update->reg) < old->count;
        const bool wants = update->reg != update->other;
        take_out(m, update->reg);
        if (wants && (had || old->count < t->entries)) {
            m->list[m->count++] = (wr_oracle_mapping){update->reg, update->other};
        } else if (wants) {
            t->fault = true;
        }
    }
    const bool alone = update->valid && update->vec == drop->vec && update->reg == drop->reg;
    if (drop->valid && !alone) {
        bool renamed = false;
        const unsigned to = wr_oracle_rename_read(&before, drop->vec, drop->reg, &renamed);
        if (renamed && to == drop->other) {
            take_out(&t->table[drop->vec], drop->reg);
        }
    }
}
