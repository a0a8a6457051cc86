/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the allocation tables of an SM: see places.h. */
#include "systems/preemption/places.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { ROW_BYTES = 128, SHARED_UNIT = 128, MOST_UNITS = 1024, MOST_ENTRIES = 32 };
/* Codes of the block's pins (refmodel/context/alloc_table.toml). */
enum { OP_FREE = 1, OP_ALLOC = 2, OP_PLAN = 3 };
enum { KIND_LEAVE = 1, KIND_PLACE = 2 };
static const uint32_t part_of[WR_PLACES_TABLES] = {WR_KEEPS_REGISTERS, WR_KEEPS_SHARED};

static uint32_t units(uint32_t amount, uint32_t unit)
{
    return (amount + unit - 1) / unit;
}

bool wr_places_open(wr_places *places, const wr_gpu_config *cfg, const wr_behind *behind, char *err,
                    size_t err_size)
{
    uint32_t rows = cfg->sm.registers / (ROW_BYTES / 4);
    const uint32_t amount[WR_PLACES_TABLES] = {rows, cfg->sm.shared_bytes};

    memset(places, 0, sizeof *places);
    places->table[0].unit = units(rows, MOST_UNITS);
    places->table[1].unit = SHARED_UNIT * units(cfg->sm.shared_bytes, SHARED_UNIT * MOST_UNITS);
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        wr_places_table *table = &places->table[t];
        const wr_alloc_table_cfg pins = {
            .entries = 2 * cfg->sm.max_tbs < MOST_ENTRIES ? 2 * cfg->sm.max_tbs : MOST_ENTRIES,
            .units = amount[t] / table->unit,
            .kernel_bits = 3,
            .tb_bits = 16,
        };

        table->is_open =
            wr_alloc_table_port_open_behind(&table->port, behind, &pins, err, err_size);
        if (!table->is_open) {
            return false;
        }
    }
    return true;
}

void wr_places_close(wr_places *places)
{
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        if (places->table[t].is_open) {
            wr_alloc_table_port_close(&places->table[t].port);
        }
        places->table[t].is_open = false;
    }
}

static void queue(wr_places_table *table, uint8_t op, wr_places_key key, uint32_t size,
                  uint32_t count, uint8_t old, bool is_last)
{
    assert(table->count < WR_PLACES_QUEUE);
    table->queue[(table->first + table->count++) % WR_PLACES_QUEUE] =
        (wr_places_op){.pins = {.op = op,
                                .kernel = key.kernel,
                                .tb = key.tb,
                                .size = (uint16_t)size,
                                .count = (uint8_t)count,
                                .old = old,
                                .rsp_ready = true},
                       .is_last = is_last};
}

/* What the needs are in units of a table; 0: it has no entry there. */
static uint32_t size_in(const wr_places *places, uint32_t t, const wr_tb_needs *needs)
{
    uint32_t amount = t == 0 ? needs->registers / (ROW_BYTES / 4) : needs->shared_bytes;

    return units(amount, places->table[t].unit);
}

static void begin(wr_places *places, uint32_t t)
{
    wr_places_table *table = &places->table[t];

    table->ok = false;
    table->start = 0;
    table->leave_count = 0;
    places->open |= 1u << t;
    places->asked = true;
}

void wr_places_ask(wr_places *places, wr_places_key key, const wr_tb_needs *needs, uint32_t parts)
{
    assert(!places->asked);
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        uint32_t size = size_in(places, t, needs);

        if ((parts & part_of[t]) != 0 && size != 0) {
            begin(places, t);
            queue(&places->table[t], OP_ALLOC, key, size, 0, 0, true);
        } else {
            places->table[t].ok = true;
            places->table[t].start = 0;
        }
    }
}

void wr_places_plan(wr_places *places, uint8_t old, const wr_tb_needs *needs, uint32_t count)
{
    assert(!places->asked && count >= 1);
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        uint32_t size = size_in(places, t, needs);

        places->table[t].leave_count = 0;
        places->table[t].ok = true;
        if (size != 0) {
            begin(places, t);
            queue(&places->table[t], OP_PLAN, (wr_places_key){WR_PLACES_KERNELS, 0}, size, count,
                  old, true);
        }
    }
}

void wr_places_free(wr_places *places, wr_places_key key, uint32_t parts)
{
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        if ((parts & part_of[t]) != 0) {
            queue(&places->table[t], OP_FREE, key, 0, 0, 0, false);
        }
    }
}

/* A reply to the operation at the head of the queue. True: its last. */
static bool take(wr_places_table *table, const wr_alloc_table_out *out)
{
    const wr_places_op *op = &table->queue[table->first];

    if (out->rsp_kind == KIND_LEAVE) {
        table->leave[table->leave_count++ % MOST_ENTRIES] = out->rsp_tb;
        return false;
    }
    if (out->rsp_kind == KIND_PLACE) { /* nothing belongs to it yet */
        queue(table, OP_FREE, (wr_places_key){WR_PLACES_KERNELS, out->rsp_tb}, 0, 0, 0, false);
        return false;
    }
    if (op->is_last) {
        table->ok = out->rsp_ok;
        table->start = out->rsp_start;
    }
    return true;
}

static bool step_table(wr_places *places, uint32_t t)
{
    wr_places_table *table = &places->table[t];
    wr_places_op *op = &table->queue[table->first];
    wr_alloc_table_in in = op->pins;
    wr_alloc_table_out out;
    bool answered = false;

    in.valid = !table->taken;
    wr_alloc_table_port_eval(&table->port, &in, &out);
    bool taken = in.valid && out.ready;

    wr_alloc_table_port_tick(&table->port, &in);
    if (wr_port_failed(&table->port.port, out.fault, places->fault, sizeof places->fault)) {
        return false;
    }
    table->taken = table->taken || taken;
    if (out.rsp_valid && take(table, &out)) {
        answered = op->is_last;
        table->first = (table->first + 1) % WR_PLACES_QUEUE;
        table->count--;
        table->taken = false;
    }
    if (answered) {
        places->open &= ~(1u << t);
    }
    return answered;
}

bool wr_places_step(wr_places *places)
{
    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        if (places->table[t].count != 0) {
            (void)step_table(places, t);
        }
    }
    if (!places->asked || places->open != 0) {
        return false;
    }
    places->asked = false;
    return true;
}

bool wr_places_ok(const wr_places *places, uint32_t parts)
{
    bool ok = true;

    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        ok = ok && ((parts & part_of[t]) == 0 || places->table[t].ok);
    }
    return ok;
}

uint32_t wr_places_row(const wr_places *places)
{
    return places->table[0].start * places->table[0].unit;
}

uint32_t wr_places_shared(const wr_places *places)
{
    return places->table[1].start * places->table[1].unit;
}

uint32_t wr_places_leaves(const wr_places *places, uint16_t tb)
{
    uint32_t parts = 0;

    for (uint32_t t = 0; t < WR_PLACES_TABLES; t++) {
        const wr_places_table *table = &places->table[t];

        parts |= table->ok ? 0 : part_of[t];
        for (uint32_t i = 0; i < table->leave_count; i++) {
            parts |= table->leave[i] == tb ? part_of[t] : 0;
        }
    }
    return parts;
}
