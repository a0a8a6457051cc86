/* SPDX-License-Identifier: Apache-2.0 */
/* context_mover, part by part: see the header.
 *
 * What a cycle asks of the storage is found in eval, and what comes of it in tick; both take the
 * words of a register from `packed` or `words_of_row`.
 */
#include "refmodel/duet/context_mover.h"

#include <string.h>

enum { POINT_AT = 8, POINT_MASK = (1 << 24) - 1, SLOT_PART = 3 };

wr_status wr_context_mover_init(wr_context_mover *s, const wr_context_mover_cfg *cfg)
{
    if (!wr_context_mover_cfg_ok(cfg) ||
        (cfg->lanes != 8u && cfg->lanes != 16u && cfg->lanes != 32u)) {
        return WR_ERR_CONFIG;
    }
    s->cfg = *cfg;
    wr_context_mover_reset(s);
    return WR_OK;
}

void wr_context_mover_reset(wr_context_mover *s)
{
    const wr_context_mover_cfg cfg = s->cfg;

    memset(s, 0, sizeof *s);
    s->cfg = cfg;
}

static uint32_t stands_at(const wr_context_mover_in *in)
{
    return in->point & POINT_MASK;
}

static uint16_t address(uint32_t base, uint32_t offset)
{
    return (uint16_t)((base + offset) % WR_CONTEXT_MOVER_ADDRESSES);
}

/* Lanes that are reduced together. */
static uint32_t group(const wr_context_mover *s)
{
    const uint32_t lanes = 8u << s->group_q;

    return lanes < s->cfg.lanes ? lanes : s->cfg.lanes;
}

static uint32_t word_count(const wr_context_mover *s, uint8_t kind)
{
    const uint32_t groups = s->cfg.lanes / group(s);

    return kind == WR_CONTEXT_MOVER_WHOLE ? s->cfg.lanes : kind * groups;
}

static uint8_t kind_of(const wr_context_mover *s, uint32_t reg)
{
    return (uint8_t)((s->low_q >> reg & 1u) | (s->high_q >> reg & 1u) << 1);
}

static uint32_t lowest(uint64_t regs)
{
    uint32_t reg = 0;

    while ((regs >> reg & 1u) == 0) {
        reg++;
    }
    return reg;
}

static uint32_t highest(uint64_t regs)
{
    uint32_t reg = 63;

    while ((regs >> reg & 1u) == 0) {
        reg--;
    }
    return reg;
}

/* The words that are kept of a row. */
static void words_of_row(const wr_context_mover *s, uint8_t kind, const uint32_t *lane,
                         uint32_t *word)
{
    const uint32_t g = group(s);

    memset(word, 0, WR_CONTEXT_MOVER_LANES * sizeof *word);
    for (uint32_t l = 0; l < s->cfg.lanes; l++) {
        const uint32_t first = l / g * g;

        if (kind == WR_CONTEXT_MOVER_WHOLE) {
            word[l] = lane[l];
        } else if (kind == WR_CONTEXT_MOVER_UNIFORM && l == first) {
            word[l / g] = lane[l];
        } else if (kind == WR_CONTEXT_MOVER_STRIDED && l == first) {
            word[2 * (l / g)] = lane[l];
            word[2 * (l / g) + 1] = lane[l + 1] - lane[l];
        }
    }
}

static void row_of_words(const wr_context_mover *s, uint32_t *lane)
{
    const uint32_t g = group(s);

    for (uint32_t l = 0; l < s->cfg.lanes; l++) {
        lane[l] = s->out_kind_q == WR_CONTEXT_MOVER_WHOLE ? s->out_words_q[l]
                  : s->out_kind_q == WR_CONTEXT_MOVER_UNIFORM
                      ? s->out_words_q[l / g]
                      : s->out_words_q[2 * (l / g)] + l % g * s->out_words_q[2 * (l / g) + 1];
    }
}

/* The row that was read, behind the words in the window: two lines. Whether the first one is full.
 */
static bool packed(const wr_context_mover *s, const uint32_t *row,
                   uint32_t lines[2 * WR_CONTEXT_MOVER_LANES])
{
    const uint32_t lanes = s->cfg.lanes;
    const uint32_t used = s->pos_q % lanes;
    const uint32_t count = word_count(s, s->read_kind_q);
    uint32_t word[WR_CONTEXT_MOVER_LANES];

    words_of_row(s, s->read_kind_q, row, word);
    memset(lines, 0, 2 * sizeof s->window_q);
    memcpy(lines, s->window_q, used * sizeof *lines);
    memcpy(lines + used, word, count * sizeof *lines);
    return used + count >= lanes;
}

/* Register reg, whose words end before pos_q: the word where they begin, and whether that is in
 * another line than the word at pos_q. */
static uint16_t begin_of(const wr_context_mover *s, uint32_t reg)
{
    return (uint16_t)(s->pos_q - word_count(s, kind_of(s, reg)));
}
static bool needs_line(const wr_context_mover *s, uint32_t reg)
{
    return begin_of(s, reg) / s->cfg.lanes != s->pos_q / s->cfg.lanes;
}

/* The last line is not full: its words come first. */
static bool loads(const wr_context_mover *s)
{
    return s->pos_q % s->cfg.lanes != 0;
}

static uint32_t copied_lines(const wr_context_mover *s)
{
    return s->meta_q ? s->cfg.st_lines : s->lines_q;
}

static bool both(const wr_context_mover *s)
{
    return s->out_q && s->in_q;
}

static bool copy_reads(const wr_context_mover *s)
{
    return s->index_q < copied_lines(s) && !(both(s) && s->fly_q);
}

/* All that is left to be written is written in this cycle. */
static bool drained(const wr_context_mover *s)
{
    return !(s->rest_q && s->in_q) && !s->row_valid_q;
}

static void read_home(wr_context_mover_out *out, uint16_t addr)
{
    out->home_rd = true;
    out->home_raddr = addr;
}

static void write_home(const wr_context_mover *s, wr_context_mover_out *out, uint16_t addr,
                       const uint32_t *words)
{
    out->home_wr = true;
    out->home_waddr = addr;
    memcpy(out->home_wdata, words, s->cfg.lanes * sizeof *words);
}

static void read_away(wr_context_mover_out *out, uint16_t addr)
{
    out->away_rd = true;
    out->away_addr = addr;
}

static void write_away(const wr_context_mover *s, wr_context_mover_out *out, uint16_t addr,
                       const uint32_t *words)
{
    out->away_wr = true;
    out->away_addr = addr;
    memcpy(out->away_wdata, words, s->cfg.lanes * sizeof *words);
}

static void eval_copy(const wr_context_mover *s, const wr_context_mover_in *in,
                      wr_context_mover_out *out)
{
    const bool reads = copy_reads(s);
    const uint16_t from = s->meta_q ? s->home_q : address(s->home_q, s->index_q);
    const uint16_t to = s->meta_q ? s->home_q : address(s->home_q, s->behind_q);
    uint16_t part = 0;

    if (reads && s->out_q) {
        read_home(out, from);
        part = s->index_q;
    }
    if (reads && s->in_q) {
        read_away(out, address(s->away_q, s->index_q));
    }
    if (s->fly_q && s->out_q) {
        write_away(s, out, address(s->away_q, s->behind_q), in->home_rdata);
    }
    if (s->fly_q && s->in_q) {
        write_home(s, out, to, in->away_rdata);
        part = s->behind_q;
    }
    out->home_part = (uint8_t)(s->meta_q ? part & SLOT_PART : 0);
    out->ack = s->fly_q && s->index_q == copied_lines(s);
}

/* A line of the warp that leaves; in an exchange what it held is kept. */
static void write_line(const wr_context_mover *s, wr_context_mover_out *out, const uint32_t *words)
{
    write_away(s, out, address(s->away_q, s->pos_q / s->cfg.lanes), words);
    out->away_rd = s->in_q;
}

/* A line of the warp that comes. */
static void read_line(const wr_context_mover *s, wr_context_mover_out *out, uint32_t line)
{
    if (line < s->exchanged_q) {
        read_home(out, address(s->home_q, line));
    } else {
        read_away(out, address(s->away_q, line));
    }
}

static void eval_part(const wr_context_mover *s, const wr_context_mover_in *in,
                      wr_context_mover_out *out)
{
    uint32_t lines[2 * WR_CONTEXT_MOVER_LANES];

    switch ((wr_context_mover_part)s->state_q) {
    case WR_CONTEXT_MOVER_COPY:
        eval_copy(s, in, out);
        break;
    case WR_CONTEXT_MOVER_HEAD:
        read_away(out, address(s->away_q, s->lines_q));
        break;
    case WR_CONTEXT_MOVER_KINDS_OUT:
        out->kinds = true;
        out->kinds_point = stands_at(in);
        break;
    case WR_CONTEXT_MOVER_KINDS_IN:
        out->kinds = true;
        out->kinds_point = s->point_q;
        break;
    case WR_CONTEXT_MOVER_PACK:
        if (s->left_q != 0) {
            read_home(out, address(s->home_q, lowest(s->left_q)));
        }
        if (s->read_q && packed(s, in->home_rdata, lines)) {
            write_line(s, out, lines);
        }
        break;
    case WR_CONTEXT_MOVER_LOAD:
        if (loads(s)) {
            read_line(s, out, s->pos_q / s->cfg.lanes);
        }
        break;
    case WR_CONTEXT_MOVER_UNPACK:
        if (s->left_q != 0 && needs_line(s, highest(s->left_q))) {
            read_line(s, out, begin_of(s, highest(s->left_q)) / s->cfg.lanes);
        }
        break;
    case WR_CONTEXT_MOVER_DRAIN:
        out->ack = drained(s);
        break;
    case WR_CONTEXT_MOVER_IDLE:
    case WR_CONTEXT_MOVER_POINT:
    case WR_CONTEXT_MOVER_SUM:
        break;
    }
}

void wr_context_mover_eval(const wr_context_mover *s, const wr_context_mover_in *in,
                           wr_context_mover_out *out)
{
    memset(out, 0, sizeof *out);
    out->state = s->state_q;
    out->fault = s->fault_q;
    if (s->state_q == WR_CONTEXT_MOVER_IDLE || !in->go) {
        return;
    }
    eval_part(s, in, out);
    if (s->rest_q) {
        write_line(s, out, s->window_q);
    }
    if (s->back_q) {
        write_home(s, out, address(s->home_q, s->back_line_q), in->away_rdata);
    }
    if (s->out_valid_q) {
        uint32_t lane[WR_CONTEXT_MOVER_LANES];

        row_of_words(s, lane);
        write_home(s, out, address(s->home_q, s->out_reg_q), lane);
    }
}

static void configure(wr_context_mover *s, const wr_context_mover_in *in)
{
    const uint8_t code = in->group & 3u;

    s->tb_q = in->tb;
    s->group_q = code == 3 ? 2 : code;
    s->lines_q = in->lines & 0x3ffu;
    s->fault_q = s->fault_q || code == 3;
}

static void begin(wr_context_mover *s, const wr_context_mover_in *in)
{
    if ((!in->out && !in->in) || (!in->meta && s->tb_q && s->lines_q == 0)) {
        s->fault_q = true;
        return;
    }
    s->meta_q = in->meta;
    s->out_q = in->out;
    s->in_q = in->in;
    s->home_q = in->home % WR_CONTEXT_MOVER_ADDRESSES;
    s->away_q = in->away % WR_CONTEXT_MOVER_ADDRESSES;
    s->index_q = 0;
    s->pos_q = 0;
    s->exchanged_q = 0;
    if (in->meta || s->tb_q) {
        s->state_q = WR_CONTEXT_MOVER_COPY;
    } else if (in->in) {
        s->state_q = WR_CONTEXT_MOVER_HEAD;
    } else {
        s->state_q = stands_at(in) != 0 ? WR_CONTEXT_MOVER_KINDS_OUT : WR_CONTEXT_MOVER_DRAIN;
    }
}

static void copy(wr_context_mover *s)
{
    const bool reads = copy_reads(s);

    if (s->fly_q && s->index_q == copied_lines(s)) {
        s->state_q = WR_CONTEXT_MOVER_IDLE;
    }
    s->fly_q = reads;
    if (reads) {
        s->behind_q = s->index_q++;
    }
}

static void know_kinds(wr_context_mover *s, const wr_context_mover_in *in, uint8_t next)
{
    const uint64_t all = UINT64_MAX >> (64u - s->cfg.regs);

    if (in->kinds_ack) {
        s->low_q = in->kind_low & all;
        s->high_q = in->kind_high & all;
        s->left_q = s->low_q | s->high_q;
        s->state_q = next;
    }
}

/* A line has been written: it must be one of the context's. */
static void wrote_line(wr_context_mover *s)
{
    const uint32_t line = s->pos_q / s->cfg.lanes;

    s->fault_q = s->fault_q || line >= s->lines_q;
    s->back_q = s->in_q;
    s->back_line_q = (uint8_t)(line & 63u);
    s->exchanged_q += s->in_q;
}

static void pack(wr_context_mover *s, const wr_context_mover_in *in)
{
    const uint32_t lanes = s->cfg.lanes;

    if (s->read_q) {
        uint32_t lines[2 * WR_CONTEXT_MOVER_LANES];
        const bool full = packed(s, in->home_rdata, lines);

        if (full) {
            wrote_line(s);
        }
        memcpy(s->window_q, lines + (full ? lanes : 0), lanes * sizeof *lines);
        s->pos_q = (uint16_t)(s->pos_q + word_count(s, s->read_kind_q));
    }
    s->read_q = s->left_q != 0;
    if (s->read_q) {
        s->read_kind_q = kind_of(s, lowest(s->left_q));
        s->left_q &= s->left_q - 1;
    } else {
        s->rest_q = s->pos_q % lanes != 0;
        s->state_q =
            s->in_q && s->point_q != 0 ? WR_CONTEXT_MOVER_KINDS_IN : WR_CONTEXT_MOVER_DRAIN;
    }
}

static void sum(wr_context_mover *s)
{
    uint32_t words = 0;

    for (uint32_t reg = 0; reg < s->cfg.regs; reg++) {
        words += word_count(s, kind_of(s, reg));
    }
    s->pos_q = (uint16_t)words;
    s->state_q = WR_CONTEXT_MOVER_LOAD;
}

/* A line that was asked for is there: for the window, and where a register's words begin in it for
 * its row. */
static void take(wr_context_mover *s, const wr_context_mover_in *in)
{
    const uint32_t lanes = s->cfg.lanes;
    const uint32_t *data = s->from_home_q ? in->home_rdata : in->away_rdata;
    uint32_t lines[2 * WR_CONTEXT_MOVER_LANES] = {0};

    if (s->load_q || (s->take_q && s->new_q)) {
        memcpy(lines + lanes, s->window_q, lanes * sizeof *lines);
        memcpy(lines, data, lanes * sizeof *lines);
    } else {
        memcpy(lines, s->window_q, lanes * sizeof *lines);
    }
    if (s->take_q) {
        s->row_reg_q = s->take_reg_q;
        s->row_kind_q = s->take_kind_q;
        memcpy(s->row_q, lines + s->take_word_q, lanes * sizeof *lines);
    }
    memcpy(s->window_q, lines, lanes * sizeof *lines);
    s->row_valid_q = s->take_q;
}

static void ask_line(wr_context_mover *s, uint32_t line)
{
    s->from_home_q = line < s->exchanged_q;
}

static void unpack(wr_context_mover *s, const wr_context_mover_in *in)
{
    take(s, in);
    s->load_q = false;
    s->take_q = s->left_q != 0;
    if (!s->take_q) {
        s->state_q = WR_CONTEXT_MOVER_DRAIN;
        return;
    }
    const uint32_t reg = highest(s->left_q);
    const uint16_t begins = begin_of(s, reg);

    s->new_q = needs_line(s, reg);
    ask_line(s, begins / s->cfg.lanes);
    s->take_reg_q = (uint8_t)reg;
    s->take_kind_q = kind_of(s, reg);
    s->take_word_q = (uint8_t)(begins % s->cfg.lanes);
    s->left_q &= ~(UINT64_C(1) << reg);
    s->pos_q = begins;
}

static void go_on(wr_context_mover *s, const wr_context_mover_in *in)
{
    const bool ends = drained(s);

    s->back_q = false;
    s->out_valid_q = s->row_valid_q;
    s->out_reg_q = s->row_reg_q;
    s->out_kind_q = s->row_kind_q;
    memcpy(s->out_words_q, s->row_q, sizeof s->row_q);
    s->row_valid_q = false;
    if (s->head_q) {
        s->point_q = in->away_rdata[0] >> POINT_AT;
        s->head_q = false;
    }
    if (s->rest_q) {
        wrote_line(s);
        s->rest_q = false;
    }
    switch ((wr_context_mover_part)s->state_q) {
    case WR_CONTEXT_MOVER_COPY:
        copy(s);
        break;
    case WR_CONTEXT_MOVER_HEAD:
        s->head_q = true;
        s->state_q =
            s->out_q && stands_at(in) != 0 ? WR_CONTEXT_MOVER_KINDS_OUT : WR_CONTEXT_MOVER_POINT;
        break;
    case WR_CONTEXT_MOVER_KINDS_OUT:
        know_kinds(s, in, WR_CONTEXT_MOVER_PACK);
        break;
    case WR_CONTEXT_MOVER_PACK:
        pack(s, in);
        break;
    case WR_CONTEXT_MOVER_POINT:
        s->state_q = s->point_q != 0 ? WR_CONTEXT_MOVER_KINDS_IN : WR_CONTEXT_MOVER_DRAIN;
        break;
    case WR_CONTEXT_MOVER_KINDS_IN:
        know_kinds(s, in, WR_CONTEXT_MOVER_SUM);
        break;
    case WR_CONTEXT_MOVER_SUM:
        sum(s);
        break;
    case WR_CONTEXT_MOVER_LOAD:
        s->load_q = loads(s);
        ask_line(s, s->pos_q / s->cfg.lanes);
        s->fault_q = s->fault_q || s->pos_q > s->lines_q * s->cfg.lanes;
        s->state_q = WR_CONTEXT_MOVER_UNPACK;
        break;
    case WR_CONTEXT_MOVER_UNPACK:
        unpack(s, in);
        break;
    case WR_CONTEXT_MOVER_DRAIN:
        s->state_q = ends ? WR_CONTEXT_MOVER_IDLE : WR_CONTEXT_MOVER_DRAIN;
        break;
    case WR_CONTEXT_MOVER_IDLE:
        break;
    }
}

void wr_context_mover_tick(wr_context_mover *s, const wr_context_mover_in *in)
{
    const bool idle = s->state_q == WR_CONTEXT_MOVER_IDLE;
    const bool asks =
        s->state_q == WR_CONTEXT_MOVER_KINDS_OUT || s->state_q == WR_CONTEXT_MOVER_KINDS_IN;

    s->fault_q = s->fault_q || (in->cfg && !idle) || (in->kinds_ack && !(asks && in->go));
    if (idle && in->cfg) {
        configure(s, in);
    } else if (idle && in->req) {
        begin(s, in);
    } else if (!idle && in->go) {
        go_on(s, in);
    }
}
