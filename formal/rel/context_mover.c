/* SPDX-License-Identifier: Apache-2.0 */
/* context_mover: of a warp that comes the RTL holds its registers turned round, and apart from
 * those left the one whose turn it is; how many of each kind there are, and the words of a row that
 * was read. Of a row that is to be written it holds of each slice of 8
 * lanes the first one and multiples of the step. */
#include "refmodel/duet/context_mover.h"
#include "formal/rel/relate.h"

#define IS(part) (s->state_q == WR_CONTEXT_MOVER_##part)

static uint32_t words_of(const wr_context_mover *s, uint32_t kind)
{
    const uint32_t lanes = s->cfg.lanes;
    const uint32_t groups = s->group_q == 0   ? lanes / 8
                            : s->group_q == 1 ? (lanes > 16 ? 2 : 1)
                                              : 1;

    return kind == WR_CONTEXT_MOVER_WHOLE ? lanes : kind * groups;
}

static uint32_t kind_at(const wr_context_mover *s, uint32_t r)
{
    return (uint32_t)(s->low_q >> r & 1) | (uint32_t)(s->high_q >> r & 1) << 1;
}

/* Registers that are left, of the RTL's nets in the model's order. */
static void registers(wr_context_mover *s, wr_when when)
{
    const uint32_t regs = s->cfg.regs;
    const bool turned = IS(SUM) || IS(LOAD) || IS(UNPACK);
    const bool apart = IS(LOAD) || IS(UNPACK);
    const bool live = IS(PACK) || turned;
    const bool any = RTL("any_q", 0, 0, 0, 1) != 0;
    const uint32_t turn = (uint32_t)RTL("turn_q", 0, 0, 0, 6);
    uint64_t left = 0;
    uint64_t low = 0;
    uint64_t high = 0;

    for (uint32_t r = 0; r < regs; r++) {
        const uint32_t at = regs - 1 - r;
        const bool takes = apart && any && turn == at;
        const uint64_t is_left = turned ? RTL("left_q", 0, 0, at, 1) : RTL("left_q", 0, 0, r, 1);

        left |= (is_left | takes) << r;
        low |= (turned ? RTL("low_q", 0, 0, at, 1) : RTL("low_q", 0, 0, r, 1)) << r;
        high |= (turned ? RTL("high_q", 0, 0, at, 1) : RTL("high_q", 0, 0, r, 1)) << r;
    }
    LINK_VALUE(live, s->left_q, 0, left);
    LINK_VALUE(live, s->low_q, 0, low);
    LINK_VALUE(live, s->high_q, 0, high);
    HOLDS(!live || (s->left_q & ~(s->low_q | s->high_q)) == 0);
    HOLDS(!apart || any == (s->left_q != 0));
    HOLDS(!apart || !any || turn < regs);
    for (uint32_t r = 0; r < regs; r++) {
        const uint32_t at = regs - 1 - r;

        HOLDS(!apart || !any || turn != at || s->left_q >> r == 1);
        HOLDS(!apart || !any || turn != at || RTL("turn_kind_q", 0, 0, 0, 2) == kind_at(s, r));
        HOLDS(!apart || !any || turn != at ||
              RTL("turn_words_q", 0, 0, 0, 0) == words_of(s, kind_at(s, r)));
        HOLDS(!apart || RTL("left_q", 0, 0, at, 1) == 0 || (any && turn < at));
    }
}

/* Counts and sums of words. */
static void words(wr_context_mover *s, wr_when when)
{
    uint32_t of[4] = {0};
    uint32_t left = 0;
    uint32_t count = 0;

    for (uint32_t r = 0; r < s->cfg.regs; r++) {
        of[kind_at(s, r)]++;
        count += (uint32_t)(s->left_q >> r & 1);
        left += (s->left_q >> r & 1) != 0 ? words_of(s, kind_at(s, r)) : 0;
    }
    HOLDS(!IS(SUM) || RTL("ones_q", 0, 0, 0, 6) == of[1]);
    HOLDS(!IS(SUM) || RTL("twos_q", 0, 0, 0, 6) == of[2]);
    HOLDS(!IS(SUM) || RTL("alls_q", 0, 0, 0, 6) == of[3]);
    HOLDS(!IS(SUM) || s->left_q == (s->low_q | s->high_q));
    HOLDS(!(IS(LOAD) || IS(UNPACK)) || s->pos_q == left);
    HOLDS(!IS(PACK) || s->pos_q + s->cfg.lanes * (s->read_q + count) <= s->cfg.lanes * s->cfg.regs);
    HOLDS(s->pos_q <= s->cfg.lanes * s->cfg.regs);
    HOLDS(!s->read_q || RTL("read_words_q", 0, 0, 0, 0) == words_of(s, s->read_kind_q));
    HOLDS(!s->read_q || s->read_kind_q != 0);
    HOLDS(!s->rest_q || s->pos_q % s->cfg.lanes != 0);
}

/* Words of a register, and of the one that is written: what the RTL has of slice k of those. */
static void row(wr_context_mover *s, wr_when when)
{
    FITS(s->row_kind_q, 2);
    FITS(s->out_kind_q, 2);

    const bool whole = s->row_kind_q == WR_CONTEXT_MOVER_WHOLE;
    const bool strided = s->row_kind_q == WR_CONTEXT_MOVER_STRIDED;
    const bool out_whole = s->out_kind_q == WR_CONTEXT_MOVER_WHOLE;
    const bool out_strided = s->out_kind_q == WR_CONTEXT_MOVER_STRIDED;

    HOLDS(!s->row_valid_q || whole == RTL("u_words.row_whole_q", 0, 0, 0, 1));
    HOLDS(!s->out_valid_q || out_whole == RTL("u_words.out_whole_q", 0, 0, 0, 1));
    HOLDS(!s->row_valid_q || s->row_kind_q != 0);
    HOLDS(!s->out_valid_q || s->out_kind_q != 0);
    HOLDS(!s->row_valid_q || RTL("u_words.row_skip_q", 0, 0, 0, 1) == (s->group_q != 0));
    HOLDS(!s->row_valid_q || RTL("u_words.row_skip_q", 0, 0, 1, 1) == (s->group_q == 2));
    for (uint32_t i = 0; i < s->cfg.lanes; i++) {
        LINK_WHERE(s->row_valid_q && RTL("u_words.row_whole_q", 0, 0, 0, 1), s->row_q[i],
                   "u_words.row_q", i, 0, 32 * i, 32);
        LINK_WHERE(s->out_valid_q && RTL("u_words.out_whole_q", 0, 0, 0, 1), s->out_words_q[i],
                   "u_words.out_q", i, 0, 32 * i, 32);
    }
    for (uint32_t k = 0; k < s->cfg.lanes / 8; k++) {
        const uint32_t group = k >> (s->group_q & 3u);
        const uint32_t inside = k - (group << (s->group_q & 3u));
        const uint32_t base = strided ? s->row_q[2 * group] : s->row_q[group];
        const uint32_t step = strided ? s->row_q[2 * group + 1] : 0;
        const uint32_t first = out_strided ? s->out_words_q[2 * group] : s->out_words_q[group];
        const uint32_t rise = out_strided ? s->out_words_q[2 * group + 1] : 0;
        const bool spread = s->out_valid_q && !out_whole;

        HOLDS(!s->row_valid_q || whole || RTL("u_words.row_q", 0, 0, 256 * k, 32) == base);
        HOLDS(!s->row_valid_q || whole || RTL("u_words.row_q", 0, 0, 256 * k + 32, 32) == step);
        HOLDS(!spread || RTL("u_words.out_q", 0, 0, 256 * k, 32) == first + rise * 8 * inside);
        HOLDS(!spread || RTL("u_words.out_q", 0, 0, 256 * k + 32, 32) == rise);
        HOLDS(!spread || RTL("u_words.out_q", 0, 0, 256 * k + 64, 32) == (uint32_t)(rise * 3));
        HOLDS(!spread || RTL("u_words.out_q", 0, 0, 256 * k + 96, 32) == (uint32_t)(rise * 5));
        HOLDS(!spread || RTL("u_words.out_q", 0, 0, 256 * k + 128, 32) == (uint32_t)(rise * 7));
    }
}

void relate(wr_context_mover *s, wr_when when)
{
    const bool job = !IS(IDLE);
    const bool copies = IS(COPY);

    HOLDS(s->state_q <= WR_CONTEXT_MOVER_DRAIN);
    HOLDS(s->group_q <= 2);
    LINK_WHERE(job, s->meta_q, "meta_q", 0, 0, 0, 1);
    LINK_WHERE(job, s->out_q, "out_q", 0, 0, 0, 1);
    LINK_WHERE(job, s->in_q, "in_q", 0, 0, 0, 1);
    LINK_WHERE(job, s->home_q, "home_q", 0, 0, 0, 12);
    LINK_WHERE(job, s->away_q, "away_q", 0, 0, 0, 12);
    LINK_WHERE(job, s->index_q, "index_q", 0, 0, 0, 10);
    LINK_WHERE(s->fly_q, s->behind_q, "behind_q", 0, 0, 0, 10);
    LINK_WHERE(job, s->pos_q, "pos_q", 0, 0, 0, 0);
    LINK_WHERE(job, s->exchanged_q, "exchanged_q", 0, 0, 0, 0);

    LINK_WHERE(s->back_q, s->back_line_q, "back_line_q", 0, 0, 0, 0);
    LINK_WHERE(s->read_q, s->read_kind_q, "read_kind_q", 0, 0, 0, 2);
    LINK_WHERE(s->in_q && !s->head_q && (IS(KINDS_OUT) || IS(PACK) || IS(KINDS_IN)), s->point_q,
               "point_q", 0, 0, 0, 24);
    LINK_WHERE(s->take_q, s->new_q, "new_q", 0, 0, 0, 1);
    LINK_WHERE(s->take_q || s->load_q, s->from_home_q, "from_home_q", 0, 0, 0, 1);
    LINK_WHERE(s->take_q, s->take_reg_q, "take_reg_q", 0, 0, 0, 6);
    LINK_WHERE(s->take_q, s->take_kind_q, "take_kind_q", 0, 0, 0, 2);
    LINK_WHERE(s->take_q, s->take_word_q, "take_word_q", 0, 0, 0, 0);
    LINK_WHERE(s->row_valid_q, s->row_reg_q, "row_reg_q", 0, 0, 0, 6);
    LINK_WHERE(s->out_valid_q, s->out_reg_q, "out_reg_q", 0, 0, 0, 6);
    for (uint32_t i = 0; i < s->cfg.lanes; i++) {
        LINK(s->window_q[i], "u_words.window_q", i, 0, 32 * i, 32);
    }

    const uint32_t copied = s->meta_q ? s->cfg.st_lines : s->lines_q;
    const uint32_t line = s->in_q ? s->pos_q / s->cfg.lanes : 0;

    HOLDS(s->fly_q <= copies);
    HOLDS(!(IS(HEAD) || IS(KINDS_OUT) || IS(POINT)) || (s->pos_q == 0 && s->exchanged_q == 0));
    HOLDS(!(IS(PACK) || s->rest_q) || s->exchanged_q == line);
    HOLDS(!copies || s->index_q <= copied);
    HOLDS(!copies || copied != 0);
    HOLDS(!copies || s->out_q || s->in_q);
    HOLDS(!(IS(KINDS_OUT) || IS(PACK)) || s->out_q);
    HOLDS(!(IS(HEAD) || IS(POINT) || IS(KINDS_IN) || IS(SUM) || IS(LOAD) || IS(UNPACK)) || s->in_q);
    HOLDS(!s->read_q || IS(PACK));
    HOLDS(!s->rest_q || IS(KINDS_IN) || IS(DRAIN));
    HOLDS(!s->back_q || (s->in_q && (IS(PACK) || IS(KINDS_IN) || IS(SUM) || IS(DRAIN))));
    HOLDS(!s->head_q || IS(KINDS_OUT) || IS(POINT));
    HOLDS(!IS(POINT) || s->head_q);
    HOLDS(!(s->load_q || s->take_q) || IS(UNPACK));
    HOLDS(!(s->load_q && s->take_q));
    HOLDS(!s->row_valid_q || IS(UNPACK) || IS(DRAIN));
    HOLDS(!s->out_valid_q || IS(UNPACK) || IS(DRAIN));
    HOLDS(!((s->row_valid_q || s->out_valid_q) && (s->back_q || s->rest_q)));
    HOLDS(!s->take_q || s->take_kind_q != 0);
    HOLDS(!s->take_q || s->new_q || s->take_word_q + words_of(s, s->take_kind_q) <= s->cfg.lanes);
    registers(s, when);
    words(s, when);
    row(s, when);
}
