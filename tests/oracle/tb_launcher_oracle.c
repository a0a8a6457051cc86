/* SPDX-License-Identifier: Apache-2.0 */
/* Naive oracle of tb_launcher: see the header. */
#include "tests/oracle/tb_launcher_oracle.h"

#include <string.h>

enum { REGISTERS, SHARED, L1 };

void wr_oracle_launcher_reset(wr_oracle_launcher *o)
{
    const wr_tb_launcher_cfg cfg = o->cfg;

    memset(o, 0, sizeof *o);
    o->cfg = cfg;
}

static wr_oracle_launcher_task top(const wr_oracle_launcher *o)
{
    return o->height == 0 ? (wr_oracle_launcher_task){WR_OL_IDLE, 0} : o->pile[o->height - 1];
}

static void lay(wr_oracle_launcher *o, int step, unsigned of)
{
    o->pile[o->height++] = (wr_oracle_launcher_task){step, of};
}

static bool level_tb(const wr_oracle_launcher *o)
{
    return o->figures.level == 2;
}

static bool moves(const wr_oracle_launcher *o)
{
    return o->figures.level == 1 && o->figures.registers_move;
}

/* What a unit takes that is switched out. */
static unsigned unit_away(const wr_oracle_launcher *o)
{
    if (level_tb(o)) {
        return o->figures.lines + o->figures.warps * o->cfg.st_lines;
    }
    return moves(o) ? o->figures.lines + o->cfg.st_lines : o->cfg.st_lines;
}

static bool fits(const wr_oracle_launcher *o)
{
    return o->tb < o->cfg.tbs && (o->tb + 1) * o->figures.warps <= o->cfg.warps;
}

/* The lines of the step on top. */
typedef struct lines {
    bool any, back, twice;
    unsigned region, count, from;
} lines;

static lines wanted(const wr_oracle_launcher *o, unsigned region, unsigned count, bool twice)
{
    return (lines){.any = true,
                   .twice = twice,
                   .region = twice && o->figures.use_l1 && !o->again ? L1 : region,
                   .count = count};
}

static lines given(unsigned count, unsigned from)
{
    return (lines){.any = true, .back = true, .count = count, .from = from};
}

static lines lines_of(const wr_oracle_launcher *o)
{
    const unsigned away = unit_away(o);

    switch (top(o).step) {
    case WR_OL_SMEM:
        return level_tb(o) && o->job == WR_OL_EXTRA ? wanted(o, REGISTERS, away, true)
                                                    : wanted(o, SHARED, o->figures.smem, false);
    case WR_OL_REGS:
        return wanted(o, REGISTERS, o->job == WR_OL_BOOK ? o->figures.tb_regs : o->figures.regs,
                      false);
    case WR_OL_AWAY:
        return wanted(o, SHARED, away, true);
    case WR_OL_FREE_REGS:
        return given(moves(o) && o->meta < 0xc00 ? away : o->figures.regs, o->row);
    case WR_OL_FREE_AWAY:
        return given(away, o->meta);
    case WR_OL_FREE_SMEM:
        return given(level_tb(o) && o->spilled ? away : o->figures.smem, o->smem);
    default:
        return (lines){.any = false};
    }
}

static bool asks_tables(const wr_oracle_launcher *o)
{
    const int step = top(o).step;
    const bool others = step == WR_OL_IDLE || step == WR_OL_SETUP || step == WR_OL_PLACE ||
                        step == WR_OL_LEAVE || step == WR_OL_LAUNCH || lines_of(o).any;

    return !others && !(step == WR_OL_TELL && o->job != WR_OL_NATIVE);
}

static bool warp_of_the_sm(const wr_oracle_launcher *o)
{
    return top(o).step == WR_OL_ADD_WARP && o->job == WR_OL_BOOK && o->here;
}

static unsigned ended_mask(const wr_oracle_launcher *o)
{
    unsigned mask = 0;

    for (unsigned t = 0; t < 32; t++) {
        mask |= (unsigned)o->ended[t] << t;
    }
    return mask;
}

static unsigned meta_of_extra(const wr_oracle_launcher *o)
{
    if (level_tb(o)) {
        return o->smem + o->figures.lines + top(o).of * o->cfg.st_lines;
    }
    return moves(o) ? o->row + o->figures.lines : o->meta;
}

static void output_tables(const wr_oracle_launcher *o, wr_tb_launcher_out *out)
{
    static const uint8_t ops[21] = {
        [WR_OL_TELL] = 1, [WR_OL_CHECK_TB] = 2, [WR_OL_READ_TB] = 2, [WR_OL_ADD_WARP] = 3,
        [WR_OL_DROP] = 4, [WR_OL_ADD_TB] = 5,   [WR_OL_DROP_TB] = 6}; /* the others read a warp */
    const int step = top(o).step;

    out->tab_req = true;
    out->tab_op = ops[step];
    out->tab_id = out->tab_op == 2 || out->tab_op >= 5 ? out->tb : out->warp;
    if (step == WR_OL_ADD_TB) {
        out->tab_all = o->job == WR_OL_EXTRA;
        out->tab_reg = out->smem;
    } else if (step == WR_OL_TELL || warp_of_the_sm(o)) {
        out->tab_reg = out->row;
        out->tab_meta = 0xc00 + out->slot;
    } else if (step == WR_OL_ADD_WARP) {
        out->tab_state = 3;
        out->tab_reg = out->row;
        out->tab_meta = o->job == WR_OL_EXTRA ? meta_of_extra(o) & 0xfff : 0xfff;
    }
}

static void output_bitmap(const wr_oracle_launcher *o, const wr_tb_launcher_in *in,
                          wr_tb_launcher_out *out)
{
    const lines l = lines_of(o);

    if (o->asked == 0 && in->mem_req) {
        out->map_valid = true;
        out->map_op = in->mem_free;
        out->map_region = in->mem_region;
        out->map_count = in->mem_count;
        out->map_addr = in->mem_addr;
    } else if (o->asked == 0 && l.any && l.count > 0) {
        out->map_valid = true;
        out->map_op = l.back;
        out->map_region = (uint8_t)l.region;
        out->map_count = (uint16_t)l.count;
        out->map_addr = (uint16_t)l.from;
    }
    if (o->asked == 1 && in->map_done) {
        out->mem_ack = true;
        out->mem_found = in->map_found;
        out->mem_addr = in->map_addr;
    }
}

static unsigned promised(const wr_oracle_launcher *o)
{
    unsigned left = 0;

    if (o->job == WR_OL_NATIVE) { /* one for each tell that is to come */
        for (unsigned i = 0; i < o->height; i++) {
            left += o->pile[i].step == WR_OL_TELL;
        }
    }
    return left;
}

void wr_oracle_launcher_output(const wr_oracle_launcher *o, const wr_tb_launcher_in *in,
                               wr_tb_launcher_out *out)
{
    const wr_oracle_launcher_task t = top(o);
    const bool none = t.step == WR_OL_IDLE || t.step == WR_OL_SETUP;

    memset(out, 0, sizeof *out);
    out->job = (uint8_t)o->job;
    out->state = (uint8_t)t.step;
    out->busy = o->height != 0 || ended_mask(o) != 0 || o->asked != 0;
    out->launching = t.step == WR_OL_SETUP || o->job == WR_OL_NATIVE || o->job == WR_OL_EXTRA ||
                     o->job == WR_OL_HANDED;
    out->ending = ended_mask(o);
    out->tb = o->tb & 31;
    out->index = none ? 0 : (uint8_t)t.of;
    out->warp = (uint8_t)((none ? o->number : o->number + t.of) & 127);
    out->row = (uint16_t)o->row;
    out->meta = (uint16_t)o->meta;
    out->smem = (uint16_t)o->smem;
    out->slot = o->meta & 63;
    if (warp_of_the_sm(o)) {
        out->slot = in->ask_slot;
        out->ask = true;
        out->claim = in->tab_ack;
    }
    if (t.step == WR_OL_TELL && o->job == WR_OL_NATIVE) {
        out->slot = in->slot_next;
        out->claim = in->tab_ack;
    }
    if (asks_tables(o)) {
        output_tables(o, out);
    }
    output_bitmap(o, in, out);
    out->slots_free = o->no_in ? 0 : (in->slots_free - promised(o)) & 127;
    out->place = t.step == WR_OL_PLACE;
    if (out->place && o->job != WR_OL_NATIVE) {
        out->kind = o->job == WR_OL_EXTRA ? 1 : 2;
    }
    if (t.step == WR_OL_TELL) {
        out->enter = o->job == WR_OL_HANDED || (o->job == WR_OL_NATIVE && in->tab_ack);
        out->arrive = o->job == WR_OL_EXTRA;
    }
    out->left = t.step == WR_OL_DROP && in->tab_ack && o->meta / 64 == 0xc00 / 64;
    out->gone = t.step == WR_OL_DROP_TB && in->tab_ack && o->job == WR_OL_CLEAR;
    out->me_launch = t.step == WR_OL_LAUNCH && in->me_ready;
    out->me_leave = t.step == WR_OL_LEAVE && in->me_ready;
    out->booked =
        t.step == WR_OL_SETUP && o->job == WR_OL_UNBOOK && (o->tb == o->figures.mc || !fits(o));
    out->fault = o->fault;
}

/* The step on top is done. */
static void done(wr_oracle_launcher *o)
{
    o->height--;
}

/* Everything of the TB goes, behind what the pile is left with. */
static void lay_clear(wr_oracle_launcher *o)
{
    lay(o, WR_OL_READ_TB, 0);
    for (unsigned j = o->figures.warps; j > 0; j--) {
        lay(o, WR_OL_READ, j - 1);
    }
}

static void become(wr_oracle_launcher *o, int job)
{
    o->job = job;
    o->height = 0;
    if (job == WR_OL_CLEAR) {
        lay(o, WR_OL_LEAVE, 0);
    }
    lay_clear(o);
}

static void lay_tells(wr_oracle_launcher *o)
{
    for (unsigned j = o->figures.warps; j > 0; j--) {
        lay(o, WR_OL_TELL, j - 1);
        lay(o, WR_OL_LOOK, j - 1);
    }
    lay(o, WR_OL_LAUNCH, 0);
}

static void lay_launch(wr_oracle_launcher *o)
{
    const bool extra = o->job == WR_OL_EXTRA;

    lay_tells(o);
    lay(o, WR_OL_PLACE, 0);
    for (unsigned j = o->figures.warps; j > 0; j--) {
        lay(o, WR_OL_ADD_WARP, j - 1);
        if (extra && !level_tb(o)) {
            lay(o, WR_OL_AWAY, j - 1);
        }
        if (!(extra && moves(o))) {
            lay(o, WR_OL_REGS, j - 1);
        }
    }
    lay(o, WR_OL_ADD_TB, 0);
    lay(o, WR_OL_SMEM, 0);
}

static void lay_setup(wr_oracle_launcher *o, int job, unsigned tb)
{
    o->job = job;
    o->tb = tb;
    lay(o, WR_OL_SETUP, tb);
}

static void idle(wr_oracle_launcher *o, const wr_tb_launcher_in *in, bool no_launch)
{
    const unsigned ended = ended_mask(o);

    if (in->cfg) {
        const bool refused = in->warps == 0 || in->warps > o->cfg.tb_warps || in->level > 2;
        o->figures = *in;
        o->figures.level = refused ? 0 : in->level;
        o->fault = o->fault || refused || in->book;
        o->running = o->no_launch = o->no_native = o->no_in = false;
        memset(o->ended, 0, sizeof o->ended);
        return;
    }
    if (in->book && !o->running && o->figures.level != 0) {
        lay_setup(o, WR_OL_BOOK, 0);
        return;
    }
    o->fault = o->fault || in->book;
    if (!o->running) {
        return;
    }
    if (in->vacate) {
        o->job = WR_OL_VACATE;
        o->number = in->vacate_id;
        lay(o, WR_OL_READ, 0);
        return;
    }
    for (unsigned t = 0; t < 32; t++) {
        if ((ended & ~in->queued) >> t & 1) {
            lay_setup(o, WR_OL_CLEAR, t);
            return;
        }
    }
    if (ended == 0 && in->allow && in->waiting && in->tb_found && !no_launch) {
        lay_setup(o, WR_OL_EXTRA, in->tb_found_id);
    }
}

static void setup(wr_oracle_launcher *o, const wr_tb_launcher_in *in, bool no_native)
{
    const bool good = fits(o);
    const bool last = o->tb == o->figures.mc || !good;
    const bool is_here = in->here >> (o->tb & 31) & 1;

    done(o);
    o->number = o->tb * o->figures.warps & 127;
    switch (o->job) {
    case WR_OL_BOOK:
        o->fault = o->fault || (last && o->tb != o->figures.mc);
        if (last) {
            lay_setup(o, WR_OL_UNBOOK, 0);
            return;
        }
        o->here = is_here;
        lay(o, WR_OL_SETUP, o->tb + 1);
        for (unsigned j = o->figures.warps; j > 0; j--) {
            lay(o, WR_OL_ADD_WARP, j - 1);
        }
        lay(o, WR_OL_REGS, 0);
        lay(o, WR_OL_ADD_TB, 0);
        lay(o, WR_OL_SMEM, 0);
        return;
    case WR_OL_UNBOOK:
        o->fault = o->fault || (last && o->tb != o->figures.mc);
        o->running = last;
        if (!last) {
            lay(o, WR_OL_SETUP, o->tb + 1);
            if (!is_here) {
                lay_clear(o);
            }
        }
        return;
    case WR_OL_CLEAR:
        if (!good) {
            o->fault = true;
            o->ended[o->tb] = false;
        } else if (in->keep && in->waiting) {
            o->job = WR_OL_HANDED;
            lay_tells(o);
            lay(o, WR_OL_LEAVE, 0);
            lay(o, WR_OL_PLACE, 0);
            lay(o, WR_OL_CHECK_TB, 0);
            for (unsigned j = o->figures.warps; j > 0; j--) {
                lay(o, WR_OL_CHECK, j - 1);
            }
        } else {
            become(o, WR_OL_CLEAR);
        }
        return;
    default:
        if (good && in->allow && in->waiting) {
            const bool native = in->slots_free >= o->figures.warps && !in->ready_waits &&
                                !in->switch_in && !no_native;
            o->job = native ? WR_OL_NATIVE : WR_OL_EXTRA;
            lay_launch(o);
        }
        return;
    }
}

static void no_lines(wr_oracle_launcher *o)
{
    const int step = top(o).step;
    const unsigned warp = top(o).of;
    const bool metadata_alone = step == WR_OL_AWAY && !moves(o);

    if (o->job == WR_OL_BOOK) {
        o->fault = true;
        o->height = 0;
        return;
    }
    if (o->job == WR_OL_EXTRA) {
        o->no_launch = true;
    } else {
        o->no_native = true;
    }
    if (step == WR_OL_SMEM) {
        o->height = 0;
        return;
    }
    become(o, WR_OL_UNDO);
    if (metadata_alone) {
        lay(o, WR_OL_ADD_WARP, warp);
    }
}

static void step_of_lines(wr_oracle_launcher *o, const lines *l, const wr_tb_launcher_in *in)
{
    const int step = top(o).step;
    const bool had = l->count == 0 || in->map_found;
    const unsigned addr = l->count == 0 ? 0xfff : in->map_addr;

    if (l->back) {
        done(o);
        return;
    }
    if (!had && l->twice && o->figures.use_l1 && !o->again) {
        o->again = true;
        return;
    }
    o->again = false;
    if (!had) {
        no_lines(o);
        return;
    }
    if (step == WR_OL_SMEM) {
        o->smem = addr;
    } else if (step == WR_OL_REGS) {
        o->row = addr;
    } else {
        o->meta = addr;
        o->row = moves(o) ? addr : o->row;
    }
    done(o);
}

static void read_entry(wr_oracle_launcher *o, const wr_tb_launcher_in *in)
{
    const unsigned warp = top(o).of;
    const bool must = o->job == WR_OL_CLEAR || o->job == WR_OL_VACATE;

    o->row = in->tab_reg;
    o->meta = in->tab_meta;
    done(o);
    if (!in->tab_valid) {
        o->fault = o->fault || o->job == WR_OL_VACATE;
        return;
    }
    o->fault = o->fault || (must && !in->tab_present);
    if (o->meta < 0xc00 && o->figures.level == 1 && !moves(o)) {
        lay(o, WR_OL_FREE_AWAY, warp);
    }
    lay(o, WR_OL_FREE_REGS, warp);
    lay(o, WR_OL_DROP, warp);
}

static void read_tb(wr_oracle_launcher *o, const wr_tb_launcher_in *in)
{
    o->smem = in->tab_reg;
    o->spilled = !in->tab_whole;
    done(o);
    if (in->tab_valid) {
        lay(o, WR_OL_FREE_SMEM, 0);
        lay(o, WR_OL_DROP_TB, 0);
        return;
    }
    o->fault = true;
    if (o->job == WR_OL_CLEAR) {
        o->ended[o->tb & 31] = false;
    }
    while (o->height > 0 && top(o).step != WR_OL_SETUP) {
        done(o);
    }
}

static void check(wr_oracle_launcher *o, const wr_tb_launcher_in *in)
{
    const bool whole_tb = top(o).step == WR_OL_CHECK_TB;
    const bool fine = whole_tb ? in->tab_whole : in->tab_state == 0;

    o->smem = whole_tb ? in->tab_reg : o->smem;
    if (in->tab_valid && in->tab_present && fine) {
        done(o);
    } else {
        become(o, WR_OL_CLEAR);
    }
}

static void step_of_tables(wr_oracle_launcher *o, const wr_tb_launcher_in *in)
{
    const int step = top(o).step;

    if (step == WR_OL_CHECK || step == WR_OL_CHECK_TB) {
        check(o, in);
    } else if (step == WR_OL_READ) {
        read_entry(o, in);
    } else if (step == WR_OL_READ_TB) {
        read_tb(o, in);
    } else {
        if (step == WR_OL_LOOK) {
            o->row = in->tab_reg;
            o->meta = in->tab_meta;
            o->fault = o->fault || !in->tab_valid;
        } else if (step == WR_OL_ADD_WARP && o->job == WR_OL_BOOK) {
            o->row = (o->row + o->figures.regs) & 0xfff;
        } else if (step == WR_OL_DROP_TB && o->job == WR_OL_CLEAR) {
            o->ended[o->tb & 31] = false;
        }
        done(o);
    }
}

static void work(wr_oracle_launcher *o, const wr_tb_launcher_in *in, bool answered)
{
    const lines l = lines_of(o);
    const int step = top(o).step;

    if (step == WR_OL_PLACE && !in->place_ok) {
        o->no_launch = o->no_launch || o->job != WR_OL_HANDED;
        become(o, o->job == WR_OL_HANDED ? WR_OL_CLEAR : WR_OL_UNDO);
    } else if (step == WR_OL_LEAVE || step == WR_OL_LAUNCH) {
        if (in->me_ready) {
            done(o);
        }
    } else if (l.any) {
        if (l.count == 0 || answered) {
            step_of_lines(o, &l, in);
        }
    } else if (asks_tables(o)) {
        if (in->tab_ack) {
            step_of_tables(o, in);
        }
    } else {
        done(o); /* placed; tell without the tables */
    }
    if (o->height == 0 && o->job == WR_OL_HANDED) {
        o->ended[o->tb & 31] = false;
    }
}

void wr_oracle_launcher_clock(wr_oracle_launcher *o, const wr_tb_launcher_in *in)
{
    const lines l = lines_of(o);
    const bool was_idle = o->height == 0;
    const bool no_launch = o->no_launch, no_native = o->no_native;
    const int asked = o->asked;
    const bool answered = asked != 0 && in->map_done;
    const bool gives = answered && (asked == 2 ? l.back : in->mem_free);

    o->fault = o->fault || (in->tab_ack && !asks_tables(o)) || (in->map_done && asked == 0) ||
               (gives && !in->map_found) || (!was_idle && (in->cfg || in->book));
    if (gives) {
        o->no_in = false;
        if (asked == 1 || o->job != WR_OL_UNDO) {
            o->no_launch = o->no_native = false;
        }
    } else if (answered && asked == 1 && !in->map_found && in->switch_in) {
        o->no_in = true;
    }
    if (was_idle) {
        idle(o, in, no_launch);
    } else if (top(o).step == WR_OL_SETUP) {
        setup(o, in, no_native);
    } else {
        work(o, in, answered && asked == 2);
    }
    if (o->height == 0) {
        o->job = WR_OL_NONE;
    } else if (top(o).step == WR_OL_SETUP) {
        o->tb = top(o).of;
    }
    if (answered) {
        o->asked = 0;
    } else if (asked == 0) {
        o->asked = in->mem_req ? 1 : l.any && l.count > 0 ? 2 : 0;
    }
    for (unsigned t = 0; t < o->cfg.tbs; t++) {
        o->ended[t] = o->ended[t] || (in->ended >> t & 1);
    }
}
