/* SPDX-License-Identifier: Apache-2.0 */
/* Stimulus of duet_unit: the player of unit_play.h; moves are done after a while, and now and then
 * somebody looks for a warp. */
#include "testbench/duet/unit_bins.h"

static const char *const fault_names[] = {
    [FAULT_START] = "start while the SM is not native",
    [FAULT_BOOK] = "book without extra",
    [FAULT_PLACED] = "TB placed where there is none, or not by the dispatcher",
    [FAULT_PLACED_MANY] = "33rd TB placed that ME does not know of",
    [FAULT_ENDED_MANY] = "64th TB ended that ME does not know of",
    [FAULT_VERDICT_3] = "verdict 3",
    [FAULT_VERDICT_EARLY] = "verdict before the first launch",
    [FAULT_WARPS_0] = "TBs of 0 warps",
    [FAULT_WARPS_ABOVE] = "TBs of more warps than TbWarps",
    [FAULT_LINES_0] = "level TB, and no lines move",
    [FAULT_FULL_LESS] = "registers of a warp that are less than what moves of them",
    [FAULT_NO_TB] = "not one TB fits",
    [FAULT_REDUCED] = "registers that grow by compression",
    [FAULT_TOO_MANY] = "more TBs placed than fit",
    [FAULT_ENDED_PAST] = "end of a TB with warps past the last",
    [FAULT_ENDED_NONE] = "end of a TB that has no entry",
    [FAULT_ENDED_AWAY] = "end of a TB with a warp that is switched out",
    [FAULT_ASK_SLOT] = "booking of a slot that is taken, or past the last",
    [FAULT_BOOK_ROOM] = "booking without room",
    [FAULT_BOOK_WARPS] = "0 warps at the hand-over",
    [FAULT_MOVE_ACK] = "a move_ack that nobody asked for",
    [FAULT_PINS] = "pins at random",
};
_Static_assert(sizeof fault_names / sizeof fault_names[0] == FAULT_KINDS + 1, "one name per kind");

static void init(void *state_, const void *cfg, uint64_t seed, bool with_directed)
{
    state *s = state_;

    memset(s, 0, sizeof *s);
    play_init(&s->play, cfg, seed, wr_faults_of(seed, FAULT_KINDS), with_directed);
}

static void play_find(state *s, wr_duet_unit_in *in)
{
    wr_rng *r = &s->play.rng;

    if (!s->find && wr_gate_open(&s->finds, r) && wr_rng_chance(r, 10)) {
        s->find = true;
        s->find_id =
            (uint8_t)wr_rng_below(r, wr_rng_chance(r, 90) ? s->play.m.cfg.warps : WARP_IDS);
    }
    in->find = s->find;
    in->find_id = s->find ? s->find_id : (uint8_t)wr_rng_below(r, WARP_IDS);
}

/* The mover: at once, some cycles later, many; or, while a native launch is under way, when that is
 * about to claim its slots, as who comes in is. */
static void answer_move(state *s, wr_duet_unit_in *in)
{
    static const uint8_t most[] = {1, 1, 4, 12, 90};
    const wr_duet_unit *u = &s->play.model;
    const bool early = u->launcher.job_q == WR_LAUNCHER_NATIVE &&
                       u->launcher.state_q < WR_LAUNCHER_LOOK && u->csl.op_q == WR_CSL_IN;

    if (!s->play.wires.csl.move) {
        s->move_in = wr_rng_below(&s->play.rng, most[wr_rng_below(&s->play.rng, 5)]);
        s->meets = wr_rng_chance(&s->play.rng, 50);
    } else if (!s->meets || !early) {
        in->move_ack = s->move_in == 0 || (s->meets && u->launcher.job_q == WR_LAUNCHER_NATIVE);
        s->move_in -= s->move_in > 0;
    }
}

static void next(void *state_, uint64_t cycle, const void *last_out, void *in_)
{
    state *s = state_;
    player *p = &s->play;
    wr_duet_unit_in *in = in_;
    wr_duet_unit_out out;

    (void)cycle;
    (void)last_out; /* the copy of the model says as much */
    play_begin(p, in);
    play_find(s, in);
    break_protocol(p, in);
    wr_unit_settle(&p->model, in, &p->wires);
    answer_place(p, in);
    answer_move(s, in);
    answer_book(p, in);
    play_end(p, in, &out);
    s->find = s->find && !out.find_ack;
}

extern const wr_stim wr_duet_unit_stim;
const wr_stim wr_duet_unit_stim = {
    .block = "duet_unit",
    .state_size = sizeof(state),
    .init = init,
    .next = next,
    .bin_names = unit_bin_names,
    .bins = BIN_COUNT,
    .cover = unit_cover,
    .fault_names = fault_names,
    .faults = FAULT_KINDS,
    .faults_at = offsetof(state, play.faults),
};
