/* SPDX-License-Identifier: Apache-2.0 */
/* Stories of duet_unit: see the header. */
#include "tests/blocks/unit_story.h"

#include <stdio.h>
#include <string.h>

const wr_duet_unit_cfg story_small = {.reg_units = 64,
                                      .smem_units = 32,
                                      .l1_units = 16,
                                      .warps = 8,
                                      .tbs = 4,
                                      .slots = 4,
                                      .st_lines = 1};

pins_out story_cycle(bench *b, const pins_in *in)
{
    const wr_block_desc *block = &wr_duet_unit_block;
    pins_out out;
    pins_out want;

    wr_bench_settle(&wr_duet_unit_bench, b, in, &out);
    wr_oracle_unit_output(&b->oracle, in, &want);
    for (size_t p = block->ins_count; p < block->pins_count; p++) {
        wr_rig_check(&b->rig, block->pins[p].name, wr_pin_value(&block->pins[p], &out, 0),
                     wr_pin_value(&block->pins[p], &want, 0));
    }
    b->states[out.state % 5]++;
    b->ops[out.op % 5]++;
    b->placed[out.kind % 3] += out.place && in->place_ok;
    b->returned += out.back;
    b->found += out.find_ack && out.find_valid;
    b->begun += in->start;
    wr_oracle_unit_clock(&b->oracle, in);
    wr_bench_clock(&wr_duet_unit_bench, b, in);
    return out;
}

static void say(story *s, const char *what, unsigned a, unsigned at)
{
    const size_t n = strlen(s->text);
    (void)snprintf(s->text + n, sizeof s->text - n, " %s %u@%x", what, a, at);
}

pins_out story_step(story *s)
{
    static const char *const kinds[] = {"native", "extra", "handed"};
    static const char *const ops[] = {"", "out", "in", "exchange", "back"};
    pins_in *in = &s->in;
    const uint8_t op = s->b.dut.csl.op_q;

    const bool moves = s->b.dut.csl.state_q == WR_CSL_MOVE || s->b.dut.csl.state_q == WR_CSL_META;

    in->ask_slot = s->b.dut.launcher.warp_q & 3u; /* warp w is in slot w */
    s->moved = moves ? s->moved + 1 : 0;
    in->move_ack = moves && s->moved > s->move_wait;
    s->moved = in->move_ack ? 0 : s->moved;
    const pins_out o = story_cycle(&s->b, in);
    if (o.ask && o.entry_op == 1) {
        say(s, "asked", o.warp, o.row);
    }
    if (o.place) {
        say(s, kinds[o.kind], o.tb, o.smem);
    }
    if (o.enter) {
        say(s, "enter", o.warp, o.slot);
    }
    if (o.arrive) {
        say(s, "arrive", o.warp, o.meta);
    }
    if (o.left) {
        say(s, "left", o.warp, o.slot);
    }
    if (o.gone) {
        say(s, "gone", o.tb, o.smem);
    }
    if (o.away) {
        say(s, "away", o.moved_id, o.moved_meta);
    }
    if (o.back) {
        say(s, "back", o.moved_id, o.moved_meta);
    }
    if (s->b.dut.csl.op_q != op && s->b.dut.csl.op_q != 0) {
        say(s, ops[s->b.dut.csl.op_q], 0, 0);
    }
    in->start = in->placed = in->book = in->valid = false;
    in->ended = 0;
    in->woken = 0;
    return o;
}

pins_out story_steps(story *s, unsigned n)
{
    pins_out o = {0};
    for (; n > 0; n--) {
        o = story_step(s);
    }
    return o;
}

void story_is_told(story *s, const char *want)
{
    assert_string_equal(s->text, want);
    s->text[0] = '\0';
}

void story_prepare(story *s, const wr_duet_unit_cfg *cfg)
{
    memset(s, 0, sizeof *s);
    wr_bench_init(&wr_duet_unit_bench, &s->b, 1, cfg);
    s->in = (pins_in){.limits = 2,
                      .warps = 2,
                      .regs = 4,
                      .tb_regs = 8,
                      .tb_reduced = 8,
                      .meta = 2,
                      .most = 63,
                      .waiting = true,
                      .place_ok = true,
                      .start = true};
}

void story_begin(story *s)
{
    story_prepare(s, &story_small);
    (void)story_step(s);
}

void story_place(story *s, unsigned tb)
{
    s->in.placed = true;
    s->in.placed_tb = (uint8_t)tb;
    (void)story_step(s);
}

void story_judge(story *s, unsigned verdict)
{
    s->in.valid = true;
    s->in.verdict = (uint8_t)verdict;
    (void)story_step(s);
}

void story_hand_over(story *s, uint32_t ended, uint32_t here)
{
    (void)story_steps(s, 20);
    story_place(s, 0);
    story_place(s, 1);
    story_judge(s, 0);
    assert_true(story_steps(s, 4).extra);
    s->in.here = here;
    s->in.book = true;
    s->in.ended = ended;
    (void)story_step(s);
}

void story_engage(story *s)
{
    story_begin(s);
    story_hand_over(s, 0, 3);
}

void story_extra(story *s)
{
    story_engage(s);
    s->in.most = 1;
    (void)story_steps(s, 160);
    story_is_told(s,
                  " asked 0@0 asked 1@4 asked 2@8 asked 3@c extra 2@fff arrive 4@40 arrive 5@41");
    s->in.free[4] = s->in.free[5] = true;
    (void)story_steps(s, 12);
}
