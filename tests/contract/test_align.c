/* SPDX-License-Identifier: Apache-2.0 */
/* RTL of another timing against the model: a compressor made up here, which holds results for some
 * cycles, and each way in which it can be wrong. */
#include "dpi/align.h"
#include "dpi/checker.h"
#include "testbench/rng.h"
#include "tests/contract/seed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum {
    CYCLES = 4000,
    WAIT = 100,
    HELD = 4,
    TAKES = 7,
    AT = 30 /* from this result on it is wrong */
};

typedef enum wrong {
    NOTHING,
    LOST,       /* results do not come */
    TWICE,      /* one comes again */
    SWAPPED,    /* they come in another order */
    CHANGED,    /* a word of it is another */
    MOVED,      /* it changes while it waits */
    TAKEN_BACK, /* it stood there and is gone */
    DEAF,       /* no input is taken any more */
    NO_FAULT,   /* a protocol fault does not show */
    A_FAULT,    /* one shows that is none */
    WRONGS
} wrong;

typedef struct rig {
    const wr_block_desc *block;
    const void *cfg;
    wr_checker *checker;
    wr_rng rng;
    wrong wrong;
    void *model; /* makes the results */
    uint32_t results[HELD][WR_MAX_WORDS];
    uint32_t count, taken; /* of results: held, and taken so far */
    uint32_t wait;         /* cycles until the first of them is there */
    bool fault, stood;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} rig;

static size_t at(const rig *r, wr_dir dir, const char *pin)
{
    return wr_block_pin(r->block, dir, pin)->offset;
}

static void start(rig *r, wr_align align, wrong what, uint64_t seed)
{
    char err[256];

    memset(r, 0, sizeof(*r));
    r->block = wr_block_find("reg_compressor");
    r->cfg = wr_block_config(r->block, "tiny")->value;
    r->wrong = what;
    r->model = calloc(1, r->block->state_size);
    assert_non_null(r->model);
    assert_int_equal(r->block->init(r->model, r->cfg), WR_OK);
    assert_true(wr_align_fits(align, r->block, err, sizeof(err)));
    r->checker = wr_checker_new(r->block, r->cfg, align);
    assert_non_null(r->checker);
    assert_int_equal(wr_checker_leave_out(r->checker, ""), 0);
    wr_rng_seed(&r->rng, seed);
}

static void end(rig *r)
{
    wr_checker_free(r->checker);
    free(r->model);
}

/* What the block makes of these inputs. */
static void compress(rig *r, const uint8_t *in, uint32_t *words)
{
    uint8_t pins[WR_MAX_PINS_BYTES];

    memcpy(pins, in, sizeof(pins));
    pins[at(r, WR_IN, "valid")] = 1;
    pins[at(r, WR_IN, "ready")] = 1;
    r->block->reset(r->model);
    for (int c = 0; c < 3; c++) {
        r->block->eval(r->model, pins, r->out);
        r->block->tick(r->model, pins);
    }
    memset(words, 0, WR_MAX_WORDS * sizeof(*words));
    assert_int_equal(r->out[at(r, WR_OUT, "valid")], 1);
    (void)wr_pack(r->block, WR_OUT, r->cfg, r->out, words);
}

static void random_inputs(rig *r)
{
    memset(r->in, 0, sizeof(r->in));
    r->in[at(r, WR_IN, "valid")] = wr_rng_chance(&r->rng, 70);
    r->in[at(r, WR_IN, "ready")] = wr_rng_chance(&r->rng, 50);
    r->in[at(r, WR_IN, "tag")] = (uint8_t)wr_rng_below(&r->rng, 64);
    r->in[at(r, WR_IN, "pag")] = (uint8_t)wr_rng_below(&r->rng, r->taken > AT / 2 ? 4 : 3);
    for (size_t lane = 0; lane < 8; lane++) {
        const uint32_t value = (uint32_t)wr_rng_below(&r->rng, 2) + (uint32_t)lane * 3;
        memcpy(r->in + at(r, WR_IN, "lane") + lane * 4, &value, 4);
    }
}

/* The outputs of this cycle, packed; *valid and *ready as they stand. */
static void outputs(rig *r, uint32_t *words, bool *valid, bool *ready)
{
    const bool now = r->taken >= AT;

    *valid = r->count > 0 && r->wait == 0;
    *ready = r->count < HELD && !(r->wrong == DEAF && r->taken >= AT);
    if (now && r->stood && r->wrong == TAKEN_BACK) {
        *valid = false;
    }
    memcpy(words, r->results[0], sizeof(r->results[0]));
    wr_unpack(r->block, WR_OUT, r->cfg, words, r->out);
    r->out[at(r, WR_OUT, "valid")] = *valid;
    r->out[at(r, WR_OUT, "ready")] = *ready;
    r->out[at(r, WR_OUT, "fault")] =
        (r->fault && r->wrong != NO_FAULT) || (r->wrong == A_FAULT && r->taken == AT / 4);
    if (now && (r->wrong == CHANGED || (r->wrong == MOVED && r->stood))) {
        r->out[at(r, WR_OUT, "word")] ^= 1;
    }
    r->stood = *valid;
    memset(words, 0, sizeof(r->results[0]));
    (void)wr_pack(r->block, WR_OUT, r->cfg, r->out, words);
}

static void take_result(rig *r)
{
    r->taken++;
    r->stood = false;
    if (r->wrong == TWICE && r->taken == AT) {
        return;
    }
    memmove(r->results, r->results + 1, sizeof(r->results) - sizeof(r->results[0]));
    r->count--;
    r->wait = TAKES;
}

static void take_input(rig *r)
{
    const uint32_t place =
        r->wrong == SWAPPED && r->taken >= AT && r->count > 1 ? r->count - 1 : r->count;

    if (r->wrong == LOST && r->taken >= AT) {
        return;
    }
    if (place < r->count) {
        memcpy(r->results[r->count], r->results[place], sizeof(r->results[0]));
    }
    compress(r, r->in, r->results[place]);
    r->fault = r->fault || r->in[at(r, WR_IN, "pag")] == 3;
    r->wait = r->count++ == 0 ? TAKES : r->wait;
}

static void cycle(rig *r)
{
    uint32_t in[WR_MAX_WORDS] = {0};
    uint32_t out[WR_MAX_WORDS] = {0};
    const uint32_t state[1] = {~0u};
    bool valid;
    bool ready;

    random_inputs(r);
    (void)wr_pack(r->block, WR_IN, r->cfg, r->in, in);
    outputs(r, out, &valid, &ready);
    wr_checker_on_cycle(r->checker, in, out, state);
    r->wait -= r->wait > 0;
    if (valid && r->in[at(r, WR_IN, "ready")]) {
        take_result(r);
    }
    if (ready && r->in[at(r, WR_IN, "valid")]) {
        take_input(r);
    }
}

/* Slow RTL that is right passes; each way to be wrong is seen, and said as what it is. */
static void transfers_in_order(void **state)
{
    static const char *const texts[WRONGS] = {
        [LOST] = "pin ",
        [TWICE] = "pin ",
        [SWAPPED] = "pin ",
        [CHANGED] = "pin word[0]: expected",
        [MOVED] = ": a result that is not taken yet must stay as it is",
        [TAKEN_BACK] = "pin valid: expected 0x1, got 0x0: a result that is not taken yet must",
        [DEAF] = "pin ready: expected 0x1, got 0x0: nothing is owed, and no input was taken",
        [NO_FAULT] = "pin fault: expected 0x1, got 0x0",
        [A_FAULT] = "pin fault: expected 0x0, got 0x1: no input raises it",
    };

    const uint64_t seed = wr_test_seed();

    (void)state;
    for (wrong w = NOTHING; w < WRONGS; w++) {
        rig r;
        const char *first;
        start(&r, (wr_align){WR_ALIGN_TRANSFERS, WAIT}, w, seed);
        for (int c = 0; c < CYCLES; c++) {
            cycle(&r);
        }
        first = wr_checker_first(r.checker);
        if (w == NOTHING) {
            assert_null(first);
            assert_true(r.taken > CYCLES / 20);
            assert_true(wr_checker_comparisons(r.checker) >= 5 * (uint64_t)r.taken);
        } else if (first == NULL || strstr(first, texts[w]) == NULL) {
            fail_msg("wrong %d: '%s'", (int)w, first != NULL ? first : "(nothing seen)");
        }
        end(&r);
    }
}

/* The last result, which never comes, is missed too; and one that nobody asked for is seen. */
static void results_owed(void **state)
{
    uint32_t in[WR_MAX_WORDS] = {0};
    uint32_t out[WR_MAX_WORDS] = {0};
    const uint32_t registers[1] = {0};
    rig r;

    (void)state;
    start(&r, (wr_align){WR_ALIGN_TRANSFERS, WAIT}, NOTHING, 1);
    r.in[at(&r, WR_IN, "valid")] = 1;
    r.in[at(&r, WR_IN, "ready")] = 1;
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    r.out[at(&r, WR_OUT, "ready")] = 1;
    (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
    wr_checker_on_cycle(r.checker, in, out, registers);
    memset(r.in, 0, sizeof(r.in));
    r.in[at(&r, WR_IN, "ready")] = 1;
    memset(in, 0, sizeof(in));
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    for (int c = 0; c < WAIT; c++) {
        wr_checker_on_cycle(r.checker, in, out, registers);
        assert_null(wr_checker_first(r.checker));
    }
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_non_null(strstr(wr_checker_first(r.checker),
                           "pin valid: expected 0x1, got 0x0: a result is owed, and nothing"));

    wr_checker_on_reset(r.checker);
    wr_checker_forget(r.checker);
    r.out[at(&r, WR_OUT, "valid")] = 1;
    memset(out, 0, sizeof(out));
    (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_non_null(
        strstr(wr_checker_first(r.checker), "pin valid: expected 0x0, got 0x1: no input is left"));
    end(&r);
}

/* The model's own outputs, some cycles late: right by that number alone. */
static void outputs_some_cycles_late(void **state)
{
    enum { LATE = 3 };
    const uint64_t seed = wr_test_seed();

    (void)state;
    for (uint32_t said = LATE - 1; said <= LATE + 1; said++) {
        uint32_t history[LATE + 1][WR_MAX_WORDS];
        const uint32_t registers[1] = {0};
        rig r;
        start(&r, (wr_align){WR_ALIGN_LATENCY, said}, NOTHING, seed);
        memset(history, 0, sizeof(history));
        for (int c = 0; c < CYCLES; c++) {
            uint32_t in[WR_MAX_WORDS] = {0};
            uint32_t *now = history[c % (LATE + 1)];
            random_inputs(&r);
            (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
            r.block->eval(r.model, r.in, r.out);
            r.block->tick(r.model, r.in);
            memset(now, 0, sizeof(history[0]));
            (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, now);
            wr_checker_on_cycle(r.checker, in, history[(c + 1) % (LATE + 1)], registers);
        }
        assert_int_equal(wr_checker_first(r.checker) == NULL, said == LATE);
        assert_int_equal(wr_checker_comparisons(r.checker), (CYCLES - said) * 7);
        end(&r);
    }
}

static void only_streams_have_transfers(void **state)
{
    const wr_align align = {WR_ALIGN_TRANSFERS, WAIT};
    char err[256];

    (void)state;
    assert_false(wr_align_fits(align, wr_block_find("switch_queues"), err, sizeof(err)));
    assert_non_null(strstr(err, "streams are reg_compressor, reg_decompressor, tb_compressor"));
    assert_true(wr_align_fits((wr_align){WR_ALIGN_LATENCY, 2}, wr_block_find("switch_queues"), err,
                              sizeof(err)));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(transfers_in_order),
        cmocka_unit_test(results_owed),
        cmocka_unit_test(outputs_some_cycles_late),
        cmocka_unit_test(only_streams_have_transfers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
