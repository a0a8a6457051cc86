/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions across lanes against evaluations lane by lane, written from the PTX ISA: with
 * masks that split the executing lanes into groups, and with what must be refused. */
#include "tests/core/exec_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "shell/core/exec/exec.h"

enum { MASK = C };

static const char *across(const wr_insn *insn, uint32_t mask, uint32_t alive, uint32_t *lane)
{
    wr_gpu_config cfg = kit_config();
    uint64_t words[2];
    wr_insn decoded;
    wr_uop u;
    unsigned n = wr_isa_encode(insn, words);

    assert_true(n != 0);
    assert_int_equal(wr_isa_decode(words, n, 0, &decoded), n);
    assert_true(wr_program_uop(&cfg, &decoded, NULL, &u));
    return wr_exec_warp(&u, regs[0], preds, mask, alive, lane);
}

/* Splits `mask` into up to three groups; each lane's mask register names its group, and perhaps
 * lanes that have ended. */
static void fill_groups(uint32_t mask, uint32_t ended)
{
    uint32_t split = (uint32_t)kit_random(&seed), second = (uint32_t)kit_random(&seed);

    fill_ints();
    for (unsigned i = 0; i < 32; i++) {
        uint32_t group =
            (split >> i & 1) != 0 ? split : ~split & ((second >> i & 1) != 0 ? second : ~second);

        regs[MASK][i] = (group & mask) | (ended & second);
    }
}

static bool takes_part(uint32_t mask, unsigned of, unsigned lane)
{
    return (mask >> lane & 1) != 0 && (regs[MASK][of] >> lane & 1) != 0;
}

/* PTX ISA 9.7.9.6: the pseudocode of shfl.sync. */
static unsigned shuffled(wr_shfl mode, unsigned lane, uint32_t b, uint32_t c, bool *p)
{
    uint32_t bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    uint32_t max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask;
    int64_t j = 0;

    switch (mode) {
    case WR_SHFL_UP:
        j = (int64_t)lane - bval;
        *p = j >= (int64_t)max_lane;
        break;
    case WR_SHFL_DOWN:
        j = (int64_t)lane + bval;
        *p = j <= (int64_t)max_lane;
        break;
    case WR_SHFL_BFLY:
        j = lane ^ bval;
        *p = j <= (int64_t)max_lane;
        break;
    case WR_SHFL_IDX:
        j = (int64_t)(min_lane | (bval & ~segmask & 31));
        *p = j <= (int64_t)max_lane;
        break;
    }
    return *p ? (unsigned)j : lane;
}

static void test_shuffles(void **state)
{
    uint32_t lane = 0;

    (void)state;
    for (unsigned round = 0; round < 8 * rounds(); round++) {
        uint32_t mask = random_mask(), ended = ~mask & (uint32_t)kit_random(&seed), old[32];
        wr_insn insn = kit_op(WR_OP_SHFL, WR_B32, D, A, B, MASK);
        uint32_t before;

        insn.mode = (uint8_t)(round % 4);
        insn.pd = 2;
        fill_groups(mask, ended);
        for (unsigned i = 0; i < 32; i++) { /* lane or distance, and c << 8 */
            regs[B][i] = (uint32_t)kit_random(&seed) & (round % 3 ? 0x1f1f3fu : UINT32_MAX);
        }
        memcpy(old, regs[D], sizeof old);
        before = preds[2];
        assert_null(across(&insn, mask, ~ended, &lane));
        for (unsigned i = 0; i < 32; i++) {
            bool p = (before >> i & 1) != 0;
            uint32_t expected = old[i];

            if ((mask >> i & 1) != 0) {
                unsigned from = shuffled((wr_shfl)insn.mode, i, regs[B][i], regs[B][i] >> 8, &p);

                expected = takes_part(mask, i, from) ? regs[A][from] : 0;
            }
            assert_int_equal(regs[D][i], expected);
            assert_int_equal(preds[2] >> i & 1, p);
        }
    }
}

static void test_votes(void **state)
{
    uint32_t lane = 0;

    (void)state;
    for (unsigned round = 0; round < 8 * rounds(); round++) {
        uint32_t mask = random_mask(), ended = ~mask & (uint32_t)kit_random(&seed), old[32];
        wr_insn insn = kit_op(WR_OP_VOTE, WR_B32, RZ, MASK, RZ, RZ);
        uint32_t said, before;

        insn.mode = (uint8_t)(round % 4);
        insn.ps = 1;
        insn.ps_neg = round / 4 % 2 != 0;
        insn.dst = insn.mode == WR_VOTE_BALLOT ? D : RZ;
        insn.dst_regs = insn.mode == WR_VOTE_BALLOT ? 1 : 0;
        insn.pd = insn.mode == WR_VOTE_BALLOT ? PT : 2;
        fill_groups(mask, ended);
        if (round % 3 == 0) { /* all alike, more often than by chance */
            preds[1] = round % 2 ? UINT32_MAX : 0;
        }
        said = insn.ps_neg ? ~preds[1] : preds[1];
        memcpy(old, regs[D], sizeof old);
        before = preds[2];
        assert_null(across(&insn, mask, ~ended, &lane));
        for (unsigned i = 0; i < 32; i++) {
            unsigned yes = 0, no = 0;
            uint32_t ballot = 0, expected = before >> i & 1;

            for (unsigned k = 0; k < 32; k++) {
                if (!takes_part(mask, i, k)) {
                    continue;
                }
                *((said >> k & 1) != 0 ? &yes : &no) += 1;
                ballot |= (said >> k & 1) << k;
            }
            if ((mask >> i & 1) == 0) {
                assert_int_equal(regs[D][i], old[i]);
            } else if (insn.mode == WR_VOTE_BALLOT) {
                assert_int_equal(regs[D][i], ballot);
            } else {
                expected = insn.mode == WR_VOTE_ALL   ? no == 0
                           : insn.mode == WR_VOTE_ANY ? yes != 0
                                                      : yes == 0 || no == 0;
            }
            assert_int_equal(preds[2] >> i & 1, expected);
        }
    }
}

static void test_matches(void **state)
{
    uint32_t lane = 0;

    (void)state;
    for (unsigned round = 0; round < 8 * rounds(); round++) {
        uint32_t mask = random_mask(), ended = ~mask & (uint32_t)kit_random(&seed), old[32];
        bool wide_type = round % 2 != 0, all = round / 2 % 2 != 0;
        wr_insn insn = kit_op(WR_OP_MATCH, wide_type ? WR_B64 : WR_B32, D, A, MASK, RZ);
        uint32_t before;

        insn.mode = all ? WR_MATCH_ALL : WR_MATCH_ANY;
        insn.pd = all ? 2 : PT;
        fill_groups(mask, ended);
        for (unsigned i = 0; i < 32; i++) { /* few values, so that lanes match */
            regs[A][i] = round % 5 == 0 ? 7 : regs[A][i] & 1;
            regs[A + 1][i] = round % 5 == 0 ? 9 : regs[A + 1][i] & 1;
        }
        memcpy(old, regs[D], sizeof old);
        before = preds[2];
        assert_null(across(&insn, mask, ~ended, &lane));
        for (unsigned i = 0; i < 32; i++) {
            uint32_t same = 0, group = 0, expected, holds = before >> i & 1;

            for (unsigned k = 0; k < 32; k++) {
                bool equal =
                    regs[A][k] == regs[A][i] && (!wide_type || regs[A + 1][k] == regs[A + 1][i]);

                same |= (uint32_t)(takes_part(mask, i, k) && equal) << k;
                group |= (uint32_t)takes_part(mask, i, k) << k;
            }
            expected = all && same != group ? 0 : same;
            if ((mask >> i & 1) != 0 && all) {
                holds = same == group;
            }
            assert_int_equal(regs[D][i], (mask >> i & 1) != 0 ? expected : old[i]);
            assert_int_equal(preds[2] >> i & 1, holds);
        }
    }
}

static void test_reductions(void **state)
{
    static const wr_atom modes[] = {WR_ATOM_ADD, WR_ATOM_MIN, WR_ATOM_MAX,
                                    WR_ATOM_AND, WR_ATOM_OR,  WR_ATOM_XOR};
    uint32_t lane = 0;

    (void)state;
    for (unsigned round = 0; round < 12 * rounds(); round++) {
        uint32_t mask = random_mask(), ended = ~mask & (uint32_t)kit_random(&seed), old[32];
        wr_type type = round / 6 % 2 ? WR_S32 : WR_U32;
        wr_insn insn = kit_op(WR_OP_REDUX, round % 6 > 2 ? WR_B32 : type, D, A, MASK, RZ);

        insn.mode = (uint8_t)modes[round % 6];
        fill_groups(mask, ended);
        memcpy(old, regs[D], sizeof old);
        assert_null(across(&insn, mask, ~ended, &lane));
        for (unsigned i = 0; i < 32; i++) {
            wide least = 0, most = 0, sum = 0;
            uint32_t every = UINT32_MAX, some = 0, odd = 0;
            bool first = true;

            for (unsigned k = 0; k < 32; k++) {
                wide v = value(regs[A][k], type);

                if (!takes_part(mask, i, k)) {
                    continue;
                }
                sum += v;
                least = first || v < least ? v : least;
                most = first || v > most ? v : most;
                every &= regs[A][k];
                some |= regs[A][k];
                odd ^= regs[A][k];
                first = false;
            }
            uint32_t results[] = {(uint32_t)sum, (uint32_t)least, (uint32_t)most, every, some, odd};

            assert_int_equal(regs[D][i], (mask >> i & 1) != 0 ? results[round % 6] : old[i]);
        }
    }
}

/* A lane outside of its own mask, and one that names a living lane that is elsewhere. */
static void test_refusals(void **state)
{
    static const wr_op ops[] = {WR_OP_SHFL, WR_OP_VOTE, WR_OP_MATCH, WR_OP_REDUX, WR_OP_WARPSYNC};

    (void)state;
    for (unsigned k = 0; k < 5; k++) {
        bool first = ops[k] == WR_OP_VOTE || ops[k] == WR_OP_WARPSYNC;
        wr_insn insn = kit_op(ops[k], ops[k] == WR_OP_REDUX ? WR_U32 : WR_B32,
                              ops[k] == WR_OP_WARPSYNC || first ? RZ : D, first ? MASK : A,
                              ops[k] == WR_OP_SHFL ? B
                              : first              ? RZ
                                                   : MASK,
                              ops[k] == WR_OP_SHFL ? MASK : RZ);
        uint32_t lane = 0;

        fill_ints();
        for (unsigned i = 0; i < 32; i++) {
            regs[MASK][i] = 0xff;
        }
        assert_null(across(&insn, 0xff, UINT32_MAX, &lane));
        assert_null(across(&insn, 0x0f, ~0xf0u, &lane)); /* those have ended */
        assert_non_null(across(&insn, 0x0f, UINT32_MAX, &lane));
        assert_int_equal(lane, 0);
        regs[MASK][5] = 0xdf;
        assert_non_null(across(&insn, 0xff, UINT32_MAX, &lane));
        assert_int_equal(lane, 5);
    }
}

static int start(void **state)
{
    (void)state;
    seed = kit_seed();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles), cmocka_unit_test(test_votes),
        cmocka_unit_test(test_matches),  cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
