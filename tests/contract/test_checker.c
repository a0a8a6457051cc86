/* SPDX-License-Identifier: Apache-2.0 */
/* The checker by itself: equal cycles pass, one flipped bit is found and named, and the ring
 * becomes a waveform that holds what was seen. No RTL is needed here. */
#include "dpi/block_wave.h"
#include "dpi/checker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fstapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 1500, PLANTED = 1400 };

typedef struct rig {
    const wr_block_desc *block;
    const void *cfg;
    void *model;
    wr_checker *checker;
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
} rig;

static void start(rig *r)
{
    memset(r, 0, sizeof(*r));
    r->block = wr_block_find("reg_compressor");
    assert_non_null(r->block);
    r->cfg = wr_block_config(r->block, "odd")->value;
    r->model = calloc(1, r->block->state_size);
    assert_non_null(r->model);
    assert_int_equal(r->block->init(r->model, r->cfg), WR_OK);
    r->checker = wr_checker_new(r->block, r->cfg, (wr_align){0});
    assert_non_null(r->checker);
}

static void end(rig *r)
{
    wr_checker_free(r->checker);
    free(r->model);
}

/* Hands `cycles` cycles of a second model to the checker; in cycle `planted` pin fault is flipped.
 */
static void drive(rig *r, uint32_t cycles, uint32_t planted)
{
    size_t valid = wr_block_pin(r->block, WR_IN, "valid")->offset;
    size_t ready = wr_block_pin(r->block, WR_IN, "ready")->offset;
    size_t tag = wr_block_pin(r->block, WR_IN, "tag")->offset;
    size_t fault = wr_block_pin(r->block, WR_OUT, "fault")->offset;

    for (uint32_t c = 0; c < cycles; c++) {
        uint32_t in[WR_MAX_WORDS];
        uint32_t out[WR_MAX_WORDS];
        uint32_t registers[1];
        r->in[valid] = c % 3 != 0;
        r->in[ready] = c % 5 != 0;
        r->in[tag] = (uint8_t)(c % 64);
        r->block->eval(r->model, r->in, r->out);
        (void)wr_pack(r->block, WR_IN, r->cfg, r->in, in);
        r->out[fault] ^= c == planted;
        (void)wr_pack(r->block, WR_OUT, r->cfg, r->out, out);
        wr_pack_state(r->block, r->model, registers);
        wr_checker_on_cycle(r->checker, in, out, registers);
        r->block->tick(r->model, r->in);
    }
}

static void equal_cycles_pass(void **state)
{
    rig r;

    (void)state;
    start(&r);
    assert_int_equal(wr_checker_comparisons(r.checker), 0);
    drive(&r, CYCLES, CYCLES);
    assert_int_equal(wr_checker_comparisons(r.checker), CYCLES * (7 + 3));
    assert_int_equal(wr_checker_mismatches(r.checker), 0);
    assert_null(wr_checker_first(r.checker));
    assert_int_equal(wr_checker_ring_count(r.checker), WR_RING_CYCLES);
    assert_int_equal(wr_checker_ring_at(r.checker, 0).cycle, CYCLES - WR_RING_CYCLES);
    end(&r);
}

static void a_flipped_bit_is_found_and_named(void **state)
{
    rig r;

    (void)state;
    start(&r);
    drive(&r, CYCLES, PLANTED);
    assert_int_equal(wr_checker_mismatches(r.checker), 1);
    assert_string_equal(wr_checker_first(r.checker),
                        "reg_compressor: cycle 1400: pin fault: expected 0x0, got 0x1");
    end(&r);
}

static void a_wrong_register_is_found_and_named(void **state)
{
    uint32_t in[WR_MAX_WORDS];
    uint32_t out[WR_MAX_WORDS];
    uint32_t registers[1] = {0}; /* s1_valid_q, s2_valid_q, fault_q */
    rig r;

    (void)state;
    start(&r);
    r.block->eval(r.model, r.in, r.out);
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_int_equal(wr_checker_mismatches(r.checker), 0);
    assert_int_equal(wr_checker_comparisons(r.checker), 7 + 3);
    registers[0] = 1u << 1;
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_string_equal(wr_checker_first(r.checker),
                        "reg_compressor: cycle 1: register s2_valid_q: expected 0x0, got 0x1");
    end(&r);
}

/* RTL that is not ours may lack registers: what it shows in their place means nothing. */
static void registers_are_left_out(void **state)
{
    const uint32_t registers[1] = {1u << 1 | 1u << 2}; /* s2_valid_q, fault_q */
    uint32_t in[WR_MAX_WORDS];
    uint32_t out[WR_MAX_WORDS];
    rig r;

    (void)state;
    start(&r);
    assert_int_equal(wr_checker_leave_out(r.checker, ""), 3);
    assert_int_equal(wr_checker_leave_out(r.checker, "valid_q,s2_valid,_q"), 3);
    assert_int_equal(wr_checker_leave_out(r.checker, "s2_valid_q"), 2);
    r.block->eval(r.model, r.in, r.out);
    (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
    (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_int_equal(wr_checker_comparisons(r.checker), 7 + 2);
    assert_string_equal(wr_checker_first(r.checker),
                        "reg_compressor: cycle 0: register fault_q: expected 0x0, got 0x1");
    assert_int_equal(wr_checker_leave_out(r.checker, "x,fault_q,y"), 1);
    wr_checker_on_cycle(r.checker, in, out, registers);
    assert_int_equal(wr_checker_mismatches(r.checker), 1);
    end(&r);
}

/* Pins that differ between port and block, in either direction, are a mismatch of that cycle. */
static void swapped_pins_are_found_and_named(void **state)
{
    for (uint32_t side = 0; side < 3; side++) {
        uint32_t in[WR_MAX_WORDS];
        uint32_t out[WR_MAX_WORDS];
        rig r;

        start(&r);
        (void)wr_pack(r.block, WR_IN, r.cfg, r.in, in);
        r.block->eval(r.model, r.in, r.out);
        (void)wr_pack(r.block, WR_OUT, r.cfg, r.out, out);
        wr_checker_on_cycle(r.checker, in, out, (const uint32_t[1]){0});
        wr_checker_on_port(r.checker, in, out);
        assert_int_equal(wr_checker_mismatches(r.checker), 0);
        wr_checker_on_cycle(r.checker, in, out, (const uint32_t[1]){0});
        in[0] ^= side == 1;
        out[0] ^= side == 2;
        wr_checker_on_port(r.checker, in, out);
        assert_int_equal(wr_checker_mismatches(r.checker), side > 0);
        if (side == 0) {
            assert_null(wr_checker_first(r.checker));
        } else {
            assert_string_equal(wr_checker_first(r.checker),
                                side == 1 ? "reg_compressor: cycle 1: packing of pin valid: "
                                            "expected 0x1, got 0x0"
                                          : "reg_compressor: cycle 1: packing of pin ready: "
                                            "expected 0x1, got 0x0");
        }
        end(&r);
    }
    (void)state;
}

static void differences_name_pin_and_element(void **state)
{
    const wr_block_desc *b = wr_block_find("reg_compressor");
    const void *cfg = wr_block_config(b, "tiny")->value;
    uint32_t expected[WR_MAX_WORDS] = {0};
    uint32_t got[WR_MAX_WORDS] = {0};
    char text[256];
    char small[24];

    (void)state;
    got[0] = 1u << 1;             /* valid */
    got[1] = 1u << 17;            /* word[1]: words start at bit 17 */
    got[2] = 1u << 17 | 1u << 31; /* word[2] */
    wr_describe_difference(b, cfg, expected, got, text, sizeof(text));
    assert_string_equal(text,
                        "pin valid: expected 0x0, got 0x1; pin word[1]: expected 0x0, got 0x1 "
                        "(and 1 more of this pin)");
    wr_describe_difference(b, cfg, expected, got, small, sizeof(small));
    assert_int_equal(strlen(small), sizeof(small) - 1);
}

/* What the waveform says, gathered from its value changes. */
typedef struct reading {
    fstHandle mismatch;
    fstHandle expected_fault;
    fstHandle out_fault;
    uint64_t mismatch_rise;
    uint64_t changes;
    int expected_rises;
    int out_rises;
} reading;

static void on_change(void *ctx, uint64_t time, fstHandle handle, const unsigned char *value)
{
    reading *r = ctx;

    r->changes++;
    if (handle == r->mismatch && value[0] == '1') {
        r->mismatch_rise = time;
    }
    r->expected_rises += handle == r->expected_fault && value[0] == '1';
    r->out_rises += handle == r->out_fault && value[0] == '1';
}

static void the_ring_becomes_a_waveform(void **state)
{
    const char *path = WR_BINARY_DIR "/tests/ring.fst";
    rig r;
    char err[256];
    char scope[64] = "";
    reading seen = {0};
    void *fst;
    struct fstHier *h;

    (void)state;
    start(&r);
    assert_false(wr_wave_from_ring(r.checker, path, err, sizeof(err))); /* nothing seen yet */
    drive(&r, CYCLES, PLANTED);
    assert_false(
        wr_wave_from_ring(r.checker, WR_BINARY_DIR "/no/such/folder/x.fst", err, sizeof(err)));
    assert_true(wr_wave_from_ring(r.checker, path, err, sizeof(err)));
    end(&r);

    fst = fstReaderOpen(path);
    assert_non_null(fst);
    /* clk, mismatch, 5 inputs with 24 lanes, and twice 7 outputs with 24 words */
    assert_int_equal(fstReaderGetVarCount(fst), 2 + 4 + 24 + 2 * (6 + 24));
    assert_int_equal(fstReaderGetStartTime(fst),
                     (uint64_t)(CYCLES - WR_RING_CYCLES) * WR_WAVE_CYCLE_NS);
    assert_int_equal(fstReaderGetEndTime(fst), (uint64_t)CYCLES * WR_WAVE_CYCLE_NS);
    while ((h = fstReaderIterateHier(fst)) != NULL) {
        if (h->htyp == FST_HT_SCOPE) {
            (void)snprintf(scope, sizeof(scope), "%s", h->u.scope.name);
        } else if (h->htyp == FST_HT_VAR && strcmp(h->u.var.name, "mismatch") == 0) {
            seen.mismatch = h->u.var.handle;
        } else if (h->htyp == FST_HT_VAR && strcmp(h->u.var.name, "fault") == 0) {
            *(strcmp(scope, "expected") == 0 ? &seen.expected_fault : &seen.out_fault) =
                h->u.var.handle;
        }
    }
    assert_true(seen.mismatch != 0 && seen.expected_fault != 0 && seen.out_fault != 0);
    fstReaderSetFacProcessMaskAll(fst);
    assert_int_equal(fstReaderIterBlocks(fst, on_change, &seen, NULL), 1);
    fstReaderClose(fst);
    assert_true(seen.changes > WR_RING_CYCLES);
    assert_int_equal(seen.mismatch_rise, (uint64_t)PLANTED * WR_WAVE_CYCLE_NS);
    assert_int_equal(seen.out_rises, 1);
    assert_int_equal(seen.expected_rises, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_cycles_pass),
        cmocka_unit_test(a_flipped_bit_is_found_and_named),
        cmocka_unit_test(a_wrong_register_is_found_and_named),
        cmocka_unit_test(registers_are_left_out),
        cmocka_unit_test(swapped_pins_are_found_and_named),
        cmocka_unit_test(differences_name_pin_and_element),
        cmocka_unit_test(the_ring_becomes_a_waveform),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
