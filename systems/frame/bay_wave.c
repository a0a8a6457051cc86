/* SPDX-License-Identifier: Apache-2.0 */
/* The waveform of a bay, in GPU time: see bay.h.
 *
 * Pins of a cycle stand from its start; the clock rises there and falls in the middle of the cycle,
 * when all ports of the step are through with it. Of a port that is clocked several times in one
 * step the clock falls before it rises again.
 */
#include "systems/frame/bay_parts.h"

#include <assert.h>
#include <stdio.h>

enum { HALF_CYCLE_NS = WR_WAVE_CYCLE_NS / 2 };

void wr_bay_scope(const bay *b, const bay_unit *unit, char *text, size_t size)
{
    bool own = unit->kind == WR_BAY_FREE && unit->name[0];

    (void)snprintf(text, size, "%s%s%s", b->system, own ? "." : "", own ? unit->name : "");
}

/* Has a place in the waveform: the first unit with sessions, and free ones as many as are kept. */
static bool has_scope(const bay *b, uint32_t unit)
{
    uint32_t before = 0;

    if (b->units[unit].kind == WR_BAY_SESSIONS) {
        return unit == b->leader;
    }
    for (uint32_t u = 0; u < unit; u++) {
        before += b->units[u].kind == WR_BAY_FREE;
    }
    return before < b->values[WR_BAY_KEEP].number;
}

static bool add_unit(bay *b, uint32_t unit)
{
    const bay_unit *u = &b->units[unit];
    bool own = u->kind == WR_BAY_FREE && u->name[0];

    if (own) {
        wr_fst_scope(b->fst, u->name);
    }
    for (uint32_t s = 0; s < b->signal_count; s++) {
        bay_signal *signal = &b->signals[s];

        if (signal->unit == unit) {
            wr_fst_enum names = signal->names
                                    ? wr_fst_enum_table(b->fst, signal->name, signal->width,
                                                        signal->names, signal->count)
                                    : 0;
            signal->var = wr_fst_add(b->fst, signal->name, signal->width, names);
        }
    }
    for (uint32_t i = 0; i < u->ports; i++) {
        bay_tap *t = &b->taps[u->first + i];

        t->wave = wr_block_wave_add(b->fst, t->name, t->port->block, t->port->cfg, false);
        t->owns_wave = true;
        if (!t->wave) {
            return false;
        }
    }
    if (own) {
        wr_fst_upscope(b->fst);
    }
    return true;
}

/* A unit with sessions is shown where the leader is. */
static void follow(bay *b, uint32_t unit)
{
    const bay_unit *u = &b->units[unit];
    const bay_unit *leader = &b->units[b->leader];

    assert(u->ports == leader->ports);
    for (uint32_t i = 0; i < u->ports; i++) {
        bay_tap *t = &b->taps[u->first + i];
        const bay_tap *shown = &b->taps[leader->first + i];

        assert(t->port->block == shown->port->block);
        t->wave = shown->wave;
    }
}

bool wr_bay_wave_start(bay *b)
{
    bool ok = true;

    wr_fst_scope(b->fst, b->system);
    for (uint32_t u = 0; ok && u < b->unit_count; u++) {
        ok = !has_scope(b, u) || add_unit(b, u);
        if (ok && b->units[u].kind == WR_BAY_SESSIONS && u != b->leader) {
            follow(b, u);
        }
    }
    wr_fst_upscope(b->fst);
    return ok;
}

bool wr_bay_wave_begin(bay *b, uint32_t unit)
{
    bay_unit *u = &b->units[unit];
    bool is_free = u->kind == WR_BAY_FREE;

    if (!u->shown && b->waves_left[u->kind] > 0 &&
        (is_free ? has_scope(b, unit) : b->session == WR_BAY_NONE)) {
        u->shown = true;
        b->waves_left[u->kind]--;
        b->session = is_free ? b->session : unit;
        b->first_cycle = b->first_cycle == UINT64_MAX ? b->cycle : b->first_cycle;
    }
    if (u->shown) {
        wr_fst_time(b->fst, b->cycle * WR_WAVE_CYCLE_NS);
    }
    return u->shown;
}

void wr_bay_wave_cycle(bay_tap *t, const uint32_t *in, const uint32_t *out)
{
    bay *b = t->owner;
    uint64_t start = (b->cycle + t->clocks) * WR_WAVE_CYCLE_NS;

    if (t->clocks > 0) {
        wr_fst_time(b->fst, start - HALF_CYCLE_NS);
        wr_block_wave_clock(t->wave, false);
        wr_fst_time(b->fst, start);
    }
    wr_block_wave_cycle(t->wave, in, out, NULL);
    wr_block_wave_clock(t->wave, true);
    t->clocks++;
}

void wr_bay_wave_end(bay *b, uint32_t unit)
{
    const bay_unit *u = &b->units[unit];
    uint64_t most = 1;

    for (uint32_t i = 0; i < u->ports; i++) {
        const bay_tap *t = &b->taps[u->first + i];

        most = t->clocks > most ? t->clocks : most;
    }
    wr_fst_time(b->fst, (b->cycle + most - 1) * WR_WAVE_CYCLE_NS + HALF_CYCLE_NS);
    for (uint32_t i = 0; i < u->ports; i++) {
        bay_tap *t = &b->taps[u->first + i];

        if (t->clocks > 0) {
            wr_block_wave_clock(t->wave, false);
        }
        t->clocks = 0;
    }
}

void wr_bay_wave_stop(bay *b)
{
    b->fst = NULL;
    b->session = WR_BAY_NONE;
    for (uint32_t u = 0; u < b->unit_count; u++) {
        b->units[u].shown = false;
    }
}

void wr_bay_wave_free(bay *b)
{
    for (uint32_t t = 0; t < b->tap_count; t++) {
        if (b->taps[t].owns_wave) {
            wr_block_wave_free(b->taps[t].wave);
        }
    }
}

/* The pins of one direction, of an array the first element. */
static void view_side(wr_save *view, const char *scope, const wr_block_desc *block, wr_dir dir)
{
    const char *side = dir == WR_IN ? "in" : "out";
    char name[WR_BAY_FILE];

    (void)snprintf(name, sizeof name, "%s %s", block->name, side);
    wr_save_comment(view, name);
    for (size_t p = 0; p < block->pins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];

        if (pin->dir != dir) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s.%s.%s%s", scope, side, pin->name,
                       pin->is_array ? "[0]" : "");
        if (pin->codes && pin->width > 1) {
            wr_save_enum(view, name, pin->width);
        } else {
            wr_save_signal(view, name, pin->width);
        }
    }
}

static void view_unit(const bay *b, uint32_t unit, wr_save *view)
{
    const bay_unit *u = &b->units[unit];
    char scope[2 * WR_BAY_NAME];
    char name[WR_BAY_FILE];

    wr_bay_scope(b, u, scope, sizeof scope);
    (void)snprintf(name, sizeof name, "%s unit", scope);
    wr_save_comment(view, name);
    for (uint32_t s = 0; s < b->signal_count; s++) {
        const bay_signal *signal = &b->signals[s];

        if (signal->unit != unit) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s.%s", scope, signal->name);
        if (signal->names && signal->width > 1) {
            wr_save_enum(view, name, signal->width);
        } else {
            wr_save_signal(view, name, signal->width);
        }
    }
    for (uint32_t i = 0; i < u->ports; i++) {
        const bay_tap *t = &b->taps[u->first + i];

        wr_save_comment(view, t->name);
        (void)snprintf(name, sizeof name, "%s.%s.clk", scope, t->name);
        wr_save_signal(view, name, 1);
        (void)snprintf(name, sizeof name, "%s.%s", scope, t->name);
        view_side(view, name, t->port->block, WR_IN);
        view_side(view, name, t->port->block, WR_OUT);
    }
}

void wr_bay_view(const wr_bay *pub, wr_save *view)
{
    const bay *b = (const bay *)pub;

    for (uint32_t u = 0; u < b->unit_count; u++) {
        if (has_scope(b, u)) {
            view_unit(b, u, view);
        }
    }
}
