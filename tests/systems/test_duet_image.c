/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts of system duet as bytes: what context_mover stores, told the compiler's kinds, at every
 * switch point of real kernels, word by word, beside a plain account of it; what comes back; a
 * register that comes late; metadata. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "refmodel/duet/absent_reply.h"
#include "refmodel/duet/context_mover.h"
#include "systems/duet/image.h"
#include "tests/systems/jobs.h"

enum { LANES = 32, FILL = 0x5a };

typedef struct file {
    uint32_t lane[WR_DUET_REGISTER_LINES][LANES];
} file;

static uint64_t seed;

static uint32_t draw(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 32);
}

/* A warp that stands at that point leaves or comes: between the rows and its context, the lines
 * from 0 on, behind which the metadata say the point. */
static void move(const wr_duet_shape *shape, uint32_t number, bool comes, file *f, uint8_t *bytes)
{
    const wr_context_mover_cfg cfg = {WR_DUET_REGISTER_LINES, LANES, 1};
    wr_context_mover_in in = {
        .cfg = true, .group = wr_duet_group(shape), .lines = (uint16_t)shape->lines};
    wr_context_mover_out out = {0};
    wr_context_mover block;

    assert_int_equal(wr_context_mover_init(&block, &cfg), WR_OK);
    wr_context_mover_tick(&block, &in);
    in = (wr_context_mover_in){
        .req = true, .go = true, .out = !comes, .in = comes, .point = comes ? 0 : number};
    for (uint32_t cycle = 0; !out.ack; cycle++) {
        assert_true(cycle < 200);
        wr_context_mover_eval(&block, &in, &out);
        in.kinds_ack = out.kinds;
        wr_duet_kinds(shape, out.kinds_point, &in.kind_low, &in.kind_high);
        wr_context_mover_tick(&block, &in);
        if (out.home_rd) {
            memcpy(in.home_rdata, f->lane[out.home_raddr], WR_DUET_LINE);
        }
        if (out.away_rd && out.away_addr == shape->lines) {
            in.away_rdata[0] = number << 8;
        } else if (out.away_rd) {
            memcpy(in.away_rdata, bytes + out.away_addr * WR_DUET_LINE, WR_DUET_LINE);
        }
        if (out.home_wr) {
            memcpy(f->lane[out.home_waddr], out.home_wdata, WR_DUET_LINE);
        }
        if (out.away_wr) {
            assert_true(out.away_addr < shape->lines);
            memcpy(bytes + out.away_addr * WR_DUET_LINE, out.away_wdata, WR_DUET_LINE);
        }
    }
    assert_false(out.fault);
}

/* Values that the compiler's word allows: the same in a group, strided in a group, or any. */
static void fill_register(uint32_t lanes[LANES], wr_held_kind kind, uint32_t group)
{
    uint32_t base = 0;
    uint32_t step = 0;

    for (uint32_t i = 0; i < LANES; i++) {
        if (i % group == 0 && (kind != WR_HELD_WARP || i == 0)) {
            base = draw();
            step = draw();
        }
        lanes[i] = kind == WR_HELD_RANDOM    ? draw()
                   : kind == WR_HELD_STRIDED ? base + i % group * step
                                             : base;
    }
}

/* The stored bytes, as plainly as they can be said. Returns their number. */
static uint32_t expect(const wr_switch_point *p, uint32_t group, const file *f, uint8_t *bytes)
{
    uint32_t at = 0;

    for (uint32_t reg = 0; reg < WR_DUET_REGISTER_LINES; reg++) {
        wr_held_kind kind = (wr_held_kind)p->kind[WR_HELD_ALL][reg];

        if ((p->slots >> reg & 1) == 0 || kind == WR_HELD_UNSEEN) {
            continue;
        }
        for (uint32_t i = 0; i < LANES; i++) {
            uint32_t word = f->lane[reg][i];
            bool stored = kind == WR_HELD_RANDOM || i % group == 0;

            if (kind == WR_HELD_STRIDED && i % group == 1) {
                word = f->lane[reg][i] - f->lane[reg][i - 1];
                stored = true;
            }
            for (uint32_t b = 0; stored && b < 4; b++) {
                bytes[at++] = (uint8_t)(word >> 8 * b);
            }
        }
    }
    return at;
}

static uint32_t late_ones;

/* The words of a register, written where absent_reply says; the context begins at line 0. */
static void comes_late(const wr_duet_shape *shape, const wr_switch_point *p, uint32_t reg,
                       const uint32_t lanes[LANES], uint8_t *bytes)
{
    const wr_absent_reply_cfg cfg = {.regs = WR_DUET_REGISTER_LINES};
    const uint32_t number = (uint32_t)(p - shape->reduced->points) + 1;
    wr_absent_reply_in in = {.cfg = true, .move = true, .group = wr_duet_group(shape)};
    wr_absent_reply_out out;
    wr_absent_reply block;
    uint32_t next = 0;

    assert_int_equal(wr_absent_reply_init(&block, &cfg), WR_OK);
    wr_absent_reply_tick(&block, &in);
    for (uint32_t cycle = 0; next < LANES; cycle++) {
        assert_true(cycle < 10);
        wr_absent_reply_eval(&block, &in, &out);
        in = (wr_absent_reply_in){.valid = true,
                                  .regno = (uint8_t)reg,
                                  .find_ack = out.find,
                                  .find_valid = true,
                                  .find_state = WR_ABSENT_REPLY_ABSENT,
                                  .read_ack = out.read,
                                  .head = number << 8,
                                  .kinds_ack = out.kinds,
                                  .write_ack = out.write};
        wr_duet_kinds(shape, out.point, &in.kind_low, &in.kind_high);
        for (uint32_t at = next == 0 ? out.write_word : 0; out.write && at < LANES && next < LANES;
             at++) {
            memcpy(bytes + (out.write_line * LANES + at) * 4, &lanes[next++], 4);
        }
        wr_absent_reply_tick(&block, &in);
        assert_int_equal(out.last, next == LANES);
    }
    wr_absent_reply_eval(&block, &in, &out);
    assert_int_equal(out.state, WR_ABSENT_REPLY_IDLE);
    assert_false(out.fault);
}

static void look_at_point(const wr_duet_shape *shape, const wr_switch_point *p, uint32_t regs)
{
    const uint32_t number = (uint32_t)(p - shape->reduced->points) + 1;
    uint32_t bytes = shape->lines * WR_DUET_LINE;
    uint8_t *stored = malloc(bytes);
    uint8_t *wanted = malloc(bytes);
    file in = {{{0}}};
    file out;

    assert_true(stored != NULL && wanted != NULL);
    for (uint32_t r = 0; r < WR_DUET_REGISTER_LINES; r++) {
        fill_register(in.lane[r], r < regs ? (wr_held_kind)p->kind[WR_HELD_ALL][r] : WR_HELD_RANDOM,
                      shape->reduced->group);
    }
    memset(wanted, FILL, bytes);
    uint32_t used = expect(p, shape->reduced->group, &in, wanted);
    assert_int_equal(used, p->bytes[WR_HELD_ALL]);
    assert_true(used <= bytes);
    while (used % WR_DUET_LINE != 0) { /* the rest of a line holds 0 */
        wanted[used++] = 0;
    }
    memset(stored, FILL, bytes);
    move(shape, number, false, &in, stored);
    assert_memory_equal(stored, wanted, bytes);

    memset(&out, 0xee, sizeof out);
    move(shape, number, true, &out, stored);
    for (uint32_t r = 0; r < WR_DUET_REGISTER_LINES; r++) {
        bool kept = (p->slots >> r & 1) != 0 && p->kind[WR_HELD_ALL][r] != WR_HELD_UNSEEN;

        for (uint32_t i = 0; i < LANES; i++) {
            assert_int_equal(out.lane[r][i], kept ? in.lane[r][i] : 0xeeeeeeee);
        }
    }
    for (uint32_t r = 0; r < regs; r++) { /* each that is kept whole comes late once */
        file late = in;

        if ((p->slots >> r & 1) != 0 && p->kind[WR_HELD_ALL][r] == WR_HELD_RANDOM) {
            fill_register(late.lane[r], WR_HELD_RANDOM, shape->reduced->group);
            move(shape, number, false, &late, wanted);
            comes_late(shape, p, r, late.lane[r], stored);
            assert_memory_equal(stored, wanted, bytes);
            in = late;
            late_ones++;
        }
    }
    free(stored);
    free(wanted);
}

static void test_points(void **state)
{
    static const char *const files[] = {"kernels/hotspot.yaml",         "kernels/scan.yaml",
                                        "kernels/dwt2d_fdwt53.yaml",    "kernels/lavamd.yaml",
                                        "kernels/leukocyte_gicov.yaml", "kernels/dct8x8.yaml"};
    uint32_t points = 0;
    uint32_t strided = 0;

    (void)state;
    seed = jobs_seed();
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        wr_job job;
        wr_duet_shape shape;

        jobs_load(&job, files[i], 0);
        const wr_launch *l = &job.launches[0].launch;
        assert_true(wr_duet_shape_make(&shape, l->kernel, l->block));
        assert_int_equal(shape.lines, shape.reduced->lines[WR_HELD_ALL]);
        for (size_t k = 0; k < shape.reduced->count; k++) {
            const wr_switch_point *p = &shape.reduced->points[k];

            assert_ptr_equal(wr_duet_point(&shape, p->pc), p);
            look_at_point(&shape, p, l->kernel->regs);
            for (uint32_t r = 0; r < l->kernel->regs; r++) {
                strided += (p->slots >> r & 1) != 0 && p->kind[WR_HELD_ALL][r] == WR_HELD_STRIDED;
            }
        }
        points += (uint32_t)shape.reduced->count;
        assert_null(wr_duet_point(&shape, (uint32_t)l->kernel->word_count * 8));
        uint32_t no_points = 0;
        for (uint32_t w = 0; w < l->kernel->word_count; w++) {
            no_points += wr_duet_point(&shape, w * 8) == NULL;
        }
        assert_int_equal(no_points, l->kernel->word_count - shape.reduced->count);
        wr_duet_shape_free(&shape);
        wr_job_free(&job);
    }
    print_message("%u points, %u strided registers\n", points, strided);
    assert_true(points > 20 && strided > 50 && late_ones > 50);
}

/* A warp that has not run keeps nothing. */
static void test_no_point(void **state)
{
    wr_reduced reduced = {.group = 32};
    const wr_duet_shape shape = {.reduced = &reduced, .lines = 2};
    uint8_t bytes[2 * WR_DUET_LINE];
    file f;

    (void)state;
    memset(&f, 0x11, sizeof f);
    memset(bytes, FILL, sizeof bytes);
    move(&shape, 0, false, &f, bytes);
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        assert_int_equal(bytes[i], FILL);
    }
    move(&shape, 0, true, &f, bytes);
    for (uint32_t i = 0; i < LANES; i++) {
        assert_int_equal(f.lane[5][i], 0x11111111);
    }
}

static void test_meta(void **state)
{
    (void)state;
    for (uint32_t lines = 1; lines <= WR_DUET_META_LINES; lines++) {
        uint32_t deepest = wr_duet_deepest(lines);
        uint8_t bytes[WR_DUET_META_LINES * WR_DUET_LINE];

        /* depth with the point, and 7 predicates, take 32 bytes, an entry 12 */
        assert_int_equal(deepest, (lines * 128 - 32) / 12 < 32 ? (lines * 128 - 32) / 12 : 32);
        for (uint32_t depth = 1; depth <= deepest; depth++) {
            wr_duet_meta in = {.depth = depth, .point = draw() >> 8};
            wr_duet_meta out = {0};

            for (uint32_t i = 0; i < WR_ISA_PREDS; i++) {
                in.preds[i] = draw();
            }
            for (uint32_t i = 0; i < depth; i++) {
                in.stack[i] = (wr_simt_entry){draw(), draw(), draw()};
            }
            wr_duet_meta_pack(&in, lines, bytes, FILL);
            for (uint32_t i = 32 + 12 * depth; i < lines * 128; i++) {
                assert_int_equal(bytes[i], FILL);
            }
            wr_duet_meta_unpack(bytes, lines, &out);
            assert_memory_equal(&in, &out, sizeof in);
        }
        memset(bytes, FILL, sizeof bytes); /* not a warp's */
        wr_duet_meta none;
        wr_duet_meta_unpack(bytes, lines, &none);
        assert_int_equal(none.depth, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_no_point),
                                       cmocka_unit_test(test_meta)};
    return cmocka_run_group_tests_name("duet, contexts as bytes", tests, NULL, NULL);
}
