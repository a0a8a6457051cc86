/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of context_mover; see the header. */
#include "tests/oracle/context_mover_oracle.h"

#include <assert.h>
#include <string.h>

enum { ADDRESSES = 4096, UNIFORM = 1, STRIDED = 2, WHOLE = 3 };

typedef wr_oracle_mover oracle;
typedef wr_oracle_mover_pins pins;
typedef wr_oracle_mover_shown shown;
typedef wr_oracle_mover_write line_write;

/* Registers and words. */

static unsigned lanes_of_group(const oracle *o)
{
    unsigned lanes = 32;
    if (o->group == 0) {
        lanes = 8;
    }
    if (o->group == 1) {
        lanes = 16;
    }
    return lanes > o->lanes ? o->lanes : lanes;
}

static unsigned words_of(const oracle *o, unsigned r)
{
    const unsigned groups = o->lanes / lanes_of_group(o);
    switch (o->kind[r]) {
    case UNIFORM:
        return groups;
    case STRIDED:
        return 2 * groups;
    case WHOLE:
        return o->lanes;
    default:
        return 0;
    }
}

/* The number of words of the registers below r. */
static unsigned words_below(const oracle *o, unsigned r)
{
    unsigned words = 0;
    for (unsigned i = 0; i < r; i++) {
        words += words_of(o, i);
    }
    return words;
}

static unsigned kept(const oracle *o)
{
    unsigned n = 0;
    for (unsigned r = 0; r < o->regs; r++) {
        n += o->kind[r] != 0;
    }
    return n;
}

/* The register that n kept ones are below. */
static unsigned kept_upward(const oracle *o, unsigned n)
{
    unsigned r = 0;
    for (; o->kind[r] == 0 || n > 0; r++) {
        n -= o->kind[r] != 0;
    }
    return r;
}

/* The register that n kept ones are above. */
static unsigned kept_downward(const oracle *o, unsigned n)
{
    return kept_upward(o, kept(o) - 1 - n);
}

/* Puts the words of r behind those before. */
static void put_words(oracle *o, unsigned r, const uint32_t *lane)
{
    const unsigned group = lanes_of_group(o);
    for (unsigned l = 0; l < o->lanes; l++) {
        if (o->kind[r] == WHOLE || l % group == 0) {
            o->gone[o->gone_count++] = lane[l];
        }
        if (o->kind[r] == STRIDED && l % group == 0) {
            o->gone[o->gone_count++] = lane[l + 1] - lane[l];
        }
    }
}

static uint32_t lane_of(const oracle *o, unsigned r, unsigned l)
{
    const uint32_t *word = &o->come[words_below(o, r)];
    const unsigned group = lanes_of_group(o);
    const uint32_t in_group = l % group;
    switch (o->kind[r]) {
    case UNIFORM:
        return word[l / group];
    case STRIDED:
        return word[2 * (l / group)] + in_group * word[2 * (l / group) + 1];
    default:
        return word[l];
    }
}

/* The job. */

static bool has_part(const oracle *o, wr_oracle_mover_part part)
{
    const bool leaves = o->out && o->point != 0;
    const bool comes = o->in && o->head >> 8 != 0;
    switch (part) {
    case WR_ORACLE_MOVER_HEAD:
        return o->in;
    case WR_ORACLE_MOVER_KINDS_OUT:
    case WR_ORACLE_MOVER_PACK:
        return leaves;
    case WR_ORACLE_MOVER_POINT:
        return o->in && !leaves;
    case WR_ORACLE_MOVER_KINDS_IN:
    case WR_ORACLE_MOVER_SUM:
    case WR_ORACLE_MOVER_LOAD:
    case WR_ORACLE_MOVER_UNPACK:
        return comes;
    case WR_ORACLE_MOVER_DRAIN:
        return true;
    default:
        return false;
    }
}

/* The next part that the job has. */
static void next_part(oracle *o)
{
    do {
        o->part++;
    } while (!has_part(o, o->part));
    o->at = 0;
}

static unsigned lines_to_copy(const oracle *o)
{
    return o->meta ? o->st_lines : o->lines;
}

/* What is read in this cycle, as lines behind home and away. */
typedef struct reading {
    bool home, away;
    unsigned line;
} reading;

/* Line k of the context that comes. */
static reading of_context(const oracle *o, unsigned k)
{
    const bool exchanged = o->out && k * o->lanes < o->gone_count;
    return (reading){.home = exchanged, .away = !exchanged, .line = k};
}

/* In cycle `at` of unpack. */
static reading unpack_reads(const oracle *o, unsigned at)
{
    if (at >= kept(o)) {
        return (reading){0};
    }
    const unsigned r = kept_downward(o, at);
    const unsigned line = words_below(o, r) / o->lanes;
    const unsigned line_behind = words_below(o, r + 1) / o->lanes;
    return line != line_behind ? of_context(o, line) : (reading){0};
}

static reading load_reads(const oracle *o)
{
    const unsigned words = words_below(o, o->regs);
    return words % o->lanes != 0 ? of_context(o, words / o->lanes) : (reading){0};
}

static reading reads(const oracle *o)
{
    const bool both = o->out && o->in;
    switch (o->part) {
    case WR_ORACLE_MOVER_COPY:
        if (both) {
            const bool now = o->at % 2 == 0;
            return (reading){.home = now, .away = now, .line = o->at / 2};
        }
        if (o->at < lines_to_copy(o)) {
            return (reading){.home = o->out, .away = o->in, .line = o->at};
        }
        break;
    case WR_ORACLE_MOVER_HEAD:
        return (reading){.away = true, .line = o->lines};
    case WR_ORACLE_MOVER_PACK:
        if (o->at < kept(o)) {
            return (reading){.home = true, .line = kept_upward(o, o->at)};
        }
        break;
    case WR_ORACLE_MOVER_LOAD:
        return load_reads(o);
    case WR_ORACLE_MOVER_UNPACK:
        return unpack_reads(o, o->at);
    default:
        break;
    }
    return (reading){0};
}

/* The list of writes. */

static line_write *add_write(oracle *o, unsigned wait, bool home, unsigned line)
{
    assert(o->writes < WR_ORACLE_MOVER_WRITES);
    line_write *w = &o->write[o->writes++];
    *w = (line_write){.wait = wait, .home = home, .line = line};
    return w;
}

static void add_packed(oracle *o, unsigned wait, unsigned line)
{
    line_write *w = add_write(o, wait, false, line);
    w->packed = true;
    memcpy(w->word, &o->gone[line * o->lanes], o->lanes * sizeof w->word[0]);
}

/* A cycle is over: what it has written is off the list. */
static void pass_time(oracle *o)
{
    unsigned left = 0;
    for (unsigned i = 0; i < o->writes; i++) {
        line_write w = o->write[i];
        if (w.wait > 0) {
            w.wait--;
            o->write[left++] = w;
        }
    }
    o->writes = left;
}

/* What is exchanged in this cycle is to be written home in the next one. */
static bool exchanges(const oracle *o, const line_write *w)
{
    return w->packed && w->wait == 0 && o->in;
}

static bool goes_on(const oracle *o)
{
    for (unsigned i = 0; i < o->writes; i++) {
        if (o->write[i].wait > 0 || exchanges(o, &o->write[i])) {
            return true;
        }
    }
    return false;
}

/* What was read in the cycle before is here. */

static void take_row(oracle *o, const uint32_t *lane)
{
    const unsigned full = o->gone_count / o->lanes;
    put_words(o, kept_upward(o, o->at - 1), lane);
    if (o->gone_count / o->lanes > full) {
        add_packed(o, 0, full);
    }
}

static void take_line(oracle *o, reading was, const pins *in)
{
    if (was.home || was.away) {
        const uint32_t *from = was.home ? in->home_rdata : in->away_rdata;
        memcpy(&o->come[was.line * o->lanes], from, o->lanes * sizeof from[0]);
    }
}

static void give_row(oracle *o, unsigned r)
{
    line_write *w = add_write(o, 2, true, r);
    for (unsigned l = 0; l < o->lanes; l++) {
        w->word[l] = lane_of(o, r, l);
    }
}

static void arrive(oracle *o, const pins *in)
{
    const bool behind_head =
        o->at == 0 && (o->part == WR_ORACLE_MOVER_KINDS_OUT || o->part == WR_ORACLE_MOVER_POINT);
    if (behind_head && o->in) {
        o->head = in->away_rdata[0];
    }
    if (o->part == WR_ORACLE_MOVER_PACK && o->at > 0) {
        take_row(o, in->home_rdata);
    }
    if (o->part == WR_ORACLE_MOVER_UNPACK && o->at > 0) {
        take_line(o, unpack_reads(o, o->at - 1), in);
        give_row(o, kept_downward(o, o->at - 1));
    } else if (o->part == WR_ORACLE_MOVER_UNPACK) {
        take_line(o, load_reads(o), in);
    }
}

/* Outputs. */

static unsigned home_address(const oracle *o, unsigned line)
{
    return (o->meta ? o->home : o->home + line) % ADDRESSES;
}

static unsigned away_address(const oracle *o, unsigned line)
{
    return (o->away + line) % ADDRESSES;
}

static void show_reads(const oracle *o, shown *s)
{
    const reading now = reads(o);
    if (now.home) {
        s->home_rd = true;
        s->home_raddr = home_address(o, now.line);
        s->home_part = o->meta ? now.line : 0;
    }
    if (now.away) {
        s->away_rd = true;
        s->away_addr = away_address(o, now.line);
    }
}

static void show_write(const oracle *o, const line_write *w, const pins *in, shown *s)
{
    const size_t bytes = o->lanes * sizeof w->word[0];
    if (w->home) {
        s->home_wr = true;
        s->home_waddr = home_address(o, w->line);
        s->home_part = o->meta ? w->line : 0;
        memcpy(s->home_wdata, w->passed ? in->away_rdata : w->word, bytes);
    } else {
        s->away_wr = true;
        s->away_rd = s->away_rd || exchanges(o, w);
        s->away_addr = away_address(o, w->line);
        memcpy(s->away_wdata, w->passed ? in->home_rdata : w->word, bytes);
    }
}

static bool copy_ends(const oracle *o)
{
    const unsigned n = lines_to_copy(o);
    return o->at + 1 == (o->out && o->in ? 2 * n : n + 1);
}

wr_oracle_mover_shown wr_oracle_mover_shows(const wr_oracle_mover *o,
                                            const wr_oracle_mover_pins *in)
{
    shown s = {.state = (unsigned)o->part, .fault = o->fault};
    oracle now = *o;

    if (o->part == WR_ORACLE_MOVER_IDLE || !in->go) {
        return s;
    }
    arrive(&now, in);
    if (o->part == WR_ORACLE_MOVER_KINDS_OUT) {
        s.kinds = true;
        s.kinds_point = in->point;
    }
    if (o->part == WR_ORACLE_MOVER_KINDS_IN) {
        s.kinds = true;
        s.kinds_point = now.head >> 8;
    }
    show_reads(&now, &s);
    for (unsigned i = 0; i < now.writes; i++) {
        if (now.write[i].wait == 0) {
            show_write(&now, &now.write[i], in, &s);
        }
    }
    s.ack = (o->part == WR_ORACLE_MOVER_COPY && copy_ends(&now)) ||
            (o->part == WR_ORACLE_MOVER_DRAIN && !goes_on(&now));
    return s;
}

/* The clock edge. */

static void take_launch(oracle *o, const pins *in)
{
    o->tb = in->tb;
    o->group = in->group;
    o->lines = in->lines;
    o->fault = o->fault || in->group == 3;
}

static void take_job(oracle *o, const pins *in)
{
    if ((!in->out && !in->in) || (!in->meta && o->tb && o->lines == 0)) {
        o->fault = true;
        return;
    }
    o->meta = in->meta;
    o->out = in->out;
    o->in = in->in;
    o->home = in->home;
    o->away = in->away;
    o->point = in->point;
    memset(o->gone, 0, sizeof o->gone);
    o->gone_count = 0;
    o->at = 0;
    if (o->meta || o->tb) {
        o->part = WR_ORACLE_MOVER_COPY;
    } else {
        next_part(o);
    }
}

static void take_kinds(oracle *o, const pins *in)
{
    for (unsigned r = 0; r < o->regs; r++) {
        const unsigned low = in->kind_low >> r & 1;
        const unsigned high = in->kind_high >> r & 1;
        o->kind[r] = 2 * high + low;
    }
}

/* What this cycle leads to in those behind it. */
static void plan(oracle *o)
{
    const unsigned due = o->writes;
    for (unsigned i = 0; i < due; i++) {
        const line_write w = o->write[i];
        if (exchanges(o, &w)) {
            add_write(o, 1, true, w.line)->passed = true;
        }
        if (w.packed && w.wait == 0 && w.line >= o->lines) {
            o->fault = true;
        }
    }
    if (o->part == WR_ORACLE_MOVER_COPY) {
        const reading now = reads(o);
        if (now.home) {
            add_write(o, 1, false, now.line)->passed = true;
        }
        if (now.away) {
            add_write(o, 1, true, now.line)->passed = true;
        }
    }
    if (o->part == WR_ORACLE_MOVER_PACK && o->at == kept(o) && o->gone_count % o->lanes != 0) {
        add_packed(o, 1, o->gone_count / o->lanes);
    }
    if (o->part == WR_ORACLE_MOVER_LOAD && words_below(o, o->regs) > o->lines * o->lanes) {
        o->fault = true;
    }
}

static bool part_ends(const oracle *o, const pins *in)
{
    switch (o->part) {
    case WR_ORACLE_MOVER_KINDS_OUT:
    case WR_ORACLE_MOVER_KINDS_IN:
        return in->kinds_ack;
    case WR_ORACLE_MOVER_PACK:
    case WR_ORACLE_MOVER_UNPACK:
        return o->at == kept(o);
    case WR_ORACLE_MOVER_COPY:
    case WR_ORACLE_MOVER_DRAIN:
        return false; /* these end with ack */
    default:
        return true;
    }
}

static void go_on(oracle *o, const pins *in, bool ack)
{
    const bool kinds = o->part == WR_ORACLE_MOVER_KINDS_OUT || o->part == WR_ORACLE_MOVER_KINDS_IN;

    if (o->part == WR_ORACLE_MOVER_HEAD || o->part == WR_ORACLE_MOVER_KINDS_OUT) {
        o->point = in->point;
    }
    arrive(o, in);
    plan(o);
    pass_time(o);
    if (kinds && in->kinds_ack) {
        take_kinds(o, in);
    }
    if (ack) {
        o->part = WR_ORACLE_MOVER_IDLE;
    } else if (part_ends(o, in)) {
        next_part(o);
    } else {
        o->at++;
    }
}

void wr_oracle_mover_reset(wr_oracle_mover *o, unsigned regs, unsigned lanes, unsigned st_lines)
{
    memset(o, 0, sizeof *o);
    o->regs = regs;
    o->lanes = lanes;
    o->st_lines = st_lines;
    o->part = WR_ORACLE_MOVER_IDLE;
}

void wr_oracle_mover_clock(wr_oracle_mover *o, const wr_oracle_mover_pins *in)
{
    const shown now = wr_oracle_mover_shows(o, in);

    if (in->kinds_ack && !now.kinds) {
        o->fault = true;
    }
    if (o->part != WR_ORACLE_MOVER_IDLE) {
        o->fault = o->fault || in->cfg;
        if (in->go) {
            go_on(o, in, now.ack);
        }
    } else if (in->cfg) {
        take_launch(o, in);
    } else if (in->req) {
        take_job(o, in);
    }
}
