/* SPDX-License-Identifier: Apache-2.0 */
/* rename_table: linear search, one port after the other. */
#include "refmodel/hints/rename_table.h"

#include <assert.h>
#include <string.h>

static uint8_t reg_of(uint16_t entry)
{
    return (uint8_t)(entry >> 8);
}

static uint8_t to_of(uint16_t entry)
{
    return (uint8_t)(entry & 0xffu);
}

static uint16_t entry_of(uint8_t reg, uint8_t to)
{
    return (uint16_t)((uint32_t)reg << 8 | to);
}

static bool is_empty(uint16_t entry)
{
    return reg_of(entry) == to_of(entry);
}

/* The entry that maps this register, or `entries` where none does. */
static uint32_t find(const uint16_t *table, uint32_t entries, uint8_t reg)
{
    uint32_t at = entries;
    for (uint32_t i = 0; i < entries; i++) {
        if (!is_empty(table[i]) && reg_of(table[i]) == reg) {
            assert(at == entries);
            at = i;
        }
    }
    return at;
}

/* The lowest-numbered empty entry, or `entries` where all hold a mapping. */
static uint32_t find_empty(const uint16_t *table, uint32_t entries)
{
    uint32_t at = 0;
    while (at < entries && !is_empty(table[at])) {
        at++;
    }
    return at;
}

static uint8_t count(const uint16_t *table, uint32_t entries)
{
    uint8_t n = 0;
    for (uint32_t i = 0; i < entries; i++) {
        n = (uint8_t)(n + !is_empty(table[i]));
    }
    return n;
}

wr_status wr_rename_table_init(wr_rename_table *s, const wr_rename_table_cfg *cfg)
{
    if (!wr_rename_table_cfg_ok(cfg)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_rename_table_reset(s);
    return WR_OK;
}

void wr_rename_table_reset(wr_rename_table *s)
{
    const wr_rename_table_cfg cfg = s->cfg;
    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

void wr_rename_table_eval(const wr_rename_table *s, const wr_rename_table_in *in,
                          wr_rename_table_out *out)
{
    const uint32_t n = s->cfg.entries;
    *out = (wr_rename_table_out){
        .scalar_count = count(s->scalar_q, n),
        .vector_count = count(s->vector_q, n),
        .fault = s->fault_q,
    };
    for (uint32_t i = 0; i < s->cfg.reads; i++) {
        const uint16_t *table = in->read_vec[i] ? s->vector_q : s->scalar_q;
        const uint32_t at = find(table, n, in->read_reg[i]);
        out->renamed[i] = at < n;
        out->mapped[i] = at < n ? to_of(table[at]) : in->read_reg[i];
    }
}

void wr_rename_table_tick(wr_rename_table *s, const wr_rename_table_in *in)
{
    const uint32_t n = s->cfg.entries;
    uint16_t *freed = in->drop_vec ? s->vector_q : s->scalar_q;
    uint16_t *changed = in->update_vec ? s->vector_q : s->scalar_q;

    if (in->clear) {
        const bool fault = s->fault_q;
        wr_rename_table_reset(s);
        s->fault_q = fault;
        return;
    }
    /* Both look before either writes. */
    const uint32_t gone = find(freed, n, in->drop_reg);
    const uint32_t mapping = find(changed, n, in->update_reg);
    const uint32_t room = find_empty(changed, n);

    if (in->drop && gone < n && to_of(freed[gone]) == in->drop_from) {
        freed[gone] = entry_of(in->drop_reg, in->drop_reg);
    }
    if (in->update && mapping < n) {
        changed[mapping] = entry_of(in->update_reg, in->update_to);
    } else if (in->update && in->update_to != in->update_reg) {
        if (room < n) {
            changed[room] = entry_of(in->update_reg, in->update_to);
        } else {
            s->fault_q = true;
        }
    }
}
