/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction set: every encoding that decodes is encoded back to itself, every operation
 * and type that the tables allow survives the round trip, and what is undefined is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/isa/isa.h"
#include "shell/isa/table.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t start_seed(void)
{
    const char *text = getenv("WARPREF_SEED");
    uint64_t seed = text != NULL ? strtoull(text, NULL, 10) : 1;

    print_message("seed %llu\n", (unsigned long long)seed);
    return seed * 2 + 1;
}

static uint8_t pick_reg(uint64_t *state, unsigned regs)
{
    if (regs == 0 || next(state) % 8 == 0) {
        return WR_ISA_RZ;
    }
    return (uint8_t)(next(state) % (63 / regs) * regs);
}

static wr_insn blank(wr_op op, wr_type type)
{
    return (wr_insn){.op = (uint16_t)op,
                     .type = (uint8_t)type,
                     .vec = 1,
                     .dst = WR_ISA_RZ,
                     .src = {WR_ISA_RZ, WR_ISA_RZ, WR_ISA_RZ},
                     .guard = WR_ISA_PT,
                     .pd = WR_ISA_PT,
                     .pd2 = WR_ISA_PT,
                     .ps = WR_ISA_PT,
                     .ps2 = WR_ISA_PT};
}

/* Barriers and operations across lanes: the modes and what goes with each. */
static void fill_warp(wr_insn *i, uint64_t *s)
{
    bool reads = false, pred = false;

    switch (i->op) {
    case WR_OP_BAR:
        i->mode = (uint8_t)(next(s) % 5);
        i->barrier = next(s) & 15;
        reads = i->mode >= WR_BAR_POPC;
        pred = i->mode >= WR_BAR_AND;
        break;
    case WR_OP_SHFL:
        i->mode = next(s) & 3;
        pred = true;
        break;
    case WR_OP_VOTE:
        i->mode = next(s) & 3;
        reads = true;
        pred = i->mode != WR_VOTE_BALLOT;
        break;
    case WR_OP_MATCH:
        i->mode = next(s) & 1;
        pred = i->mode == WR_MATCH_ALL;
        break;
    case WR_OP_REDUX:
        i->mode = (uint8_t)((i->type == WR_B32 ? WR_ATOM_AND : WR_ATOM_ADD) + next(s) % 3);
        break;
    default:
        break;
    }
    if (reads) {
        i->ps = next(s) & 7;
        i->ps_neg = next(s) & 1;
    }
    if (pred) {
        i->pd = next(s) & 7;
    }
}

static void fill_class(wr_insn *i, wr_isa_class cls, uint64_t *s)
{
    if (cls == WR_CLASS_ARITH && i->type == WR_PRED) {
        i->pd = next(s) & 7;
        i->ps = next(s) & 7;
        i->ps2 = next(s) & 7;
        i->ps_neg = next(s) & 1;
        i->ps2_neg = next(s) & 1;
    } else if (cls == WR_CLASS_ARITH) {
        i->rnd = (uint8_t)(next(s) % 10);
        i->ftz = next(s) & 1;
        i->sat = next(s) & 1;
        if (i->op == WR_OP_SELP) {
            i->ps = next(s) & 7;
            i->ps_neg = next(s) & 1;
        }
        if (i->op == WR_OP_S2R) {
            i->sreg = (uint8_t)(next(s) % WR_SREG_COUNT);
        }
        if (i->op == WR_OP_CVT) {
            i->type2 = (uint8_t)(next(s) % 5 == 0 ? (uint64_t)WR_BF16 : next(s) % 11);
        }
        if (i->op == WR_OP_DP4A || i->op == WR_OP_DP2A) {
            i->type2 = next(s) & 1 ? WR_S32 : WR_U32;
        }
        if (wr_isa_carries((wr_op)i->op)) {
            i->ps = next(s) & 7;
            i->ps_neg = next(s) & 1;
            i->pd = next(s) & 7;
        }
        if (wr_isa_variants[i->op] != 0) {
            i->variant =
                (uint8_t)(next(s) % (i->op == WR_OP_PRMT ? 7u : 256u) & wr_isa_variants[i->op]);
        }
        if (i->op == WR_OP_MADC) {
            i->mode = next(s) & 1;
        }
        if (i->op == WR_OP_MUL || i->op == WR_OP_MAD) {
            i->mode = (uint8_t)(next(s) % (wr_isa_type_regs((wr_type)i->type) == 2 ? 2 : 3));
        }
    } else if (cls == WR_CLASS_SETP) {
        i->cmp = (uint8_t)(next(s) % 18);
        i->boolop = next(s) & 3;
        i->ftz = next(s) & 1;
        if (i->boolop != WR_BOOL_NONE) {
            i->ps = next(s) & 7;
            i->ps_neg = next(s) & 1;
        }
        if (i->op == WR_OP_SETP) {
            i->pd = next(s) & 7;
            i->pd2 = next(s) & 7;
        } else {
            i->type2 = next(s) & 1 ? WR_F64 : WR_S32;
        }
    } else if (cls == WR_CLASS_MEM) {
        bool atomic = i->op == WR_OP_ATOM || i->op == WR_OP_RED;

        i->space = (uint8_t)(next(s) % 6);
        i->is_volatile = next(s) & 1;
        if (atomic) {
            i->atom = (uint8_t)(next(s) % (i->op == WR_OP_RED ? WR_ATOM_CAS : 10));
        } else {
            i->vec = (uint8_t)(1u << next(s) % (wr_isa_type_regs((wr_type)i->type) == 2 ? 2 : 3));
        }
    } else if (cls == WR_CLASS_BRANCH) {
        i->target = (uint32_t)(next(s) & 0xfffff) * 8;
        i->reconv = next(s) & 1 ? UINT32_MAX : (uint32_t)(next(s) & 0xfffff) * 8;
        i->uniform = next(s) & 1;
    } else if (cls == WR_CLASS_TRAP) {
        i->mode = (uint8_t)(next(s) % 3);
    } else if (cls == WR_CLASS_BAR || cls == WR_CLASS_WARP) {
        fill_warp(i, s);
    }
}

static wr_insn random_insn(wr_op op, wr_type type, uint64_t *s)
{
    wr_insn i = blank(op, type);
    wr_isa_class cls = (wr_isa_class)wr_isa_rows[op].cls;
    unsigned addr_regs = next(s) & 1 ? 2 : 1;

    if (cls == WR_CLASS_LIVE) {
        i.live = next(s) & WR_ISA_LIVE_MASK;
        if (op == WR_OP_PP) {
            i.live_div = next(s) & WR_ISA_LIVE_MASK;
        }
        return i;
    }
    i.guard = next(s) & 7;
    i.guard_neg = i.guard != WR_ISA_PT && (next(s) & 1);
    fill_class(&i, cls, s);
    i.dst = pick_reg(s, wr_isa_operand_regs(&i, -1, addr_regs));
    if ((op == WR_OP_BAR && i.mode != WR_BAR_POPC) ||
        (op == WR_OP_VOTE && i.mode != WR_VOTE_BALLOT)) {
        i.dst = WR_ISA_RZ;
    }
    for (unsigned k = 0; k < wr_isa_source_count(&i); k++) {
        i.src[k] = pick_reg(s, wr_isa_operand_regs(&i, (int)k, addr_regs));
    }
    if (cls == WR_CLASS_MEM) {
        i.src_regs[0] = i.src[0] == WR_ISA_RZ ? 0 : (uint8_t)addr_regs;
        i.ext = next(s) & 1 ? WR_EXT_IMM : WR_EXT_NONE;
    } else if (wr_isa_source_count(&i) > 0 && (next(s) & 1)) {
        i.ext = next(s) & 1 ? WR_EXT_IMM : WR_EXT_PARAM;
        i.ext_slot = (uint8_t)(next(s) % wr_isa_source_count(&i));
        i.src[i.ext_slot] = WR_ISA_RZ;
    }
    if (i.src[0] != WR_ISA_RZ || (i.ext != WR_EXT_NONE && i.ext_slot == 0)) {
        i.barrier = 0;
    }
    if (i.ext != WR_EXT_NONE) {
        i.imm = (uint32_t)next(s);
    }
    return i;
}

/* What decode derives is not part of what was encoded. */
static wr_insn stripped(wr_insn i)
{
    i.pc = 0;
    i.size = 0;
    i.unit = 0;
    i.nsrc = 0;
    i.dst_regs = 0;
    memset(i.src_regs, 0, sizeof i.src_regs);
    if (wr_isa_rows[i.op].cls != WR_CLASS_MEM) {
        i.vec = 1;
    }
    return i;
}

static void every_operation_survives(void **context)
{
    uint64_t s = start_seed();
    unsigned forms = 0;

    (void)context;
    for (unsigned op = 0; op < WR_OP_COUNT; op++) {
        if (wr_isa_rows[op].cls == WR_CLASS_EXT) {
            continue;
        }
        for (unsigned type = 0; type < WR_TYPE_COUNT; type++) {
            if ((wr_isa_rows[op].types >> type & 1) == 0) {
                continue;
            }
            forms++;
            for (unsigned n = 0; n < 200; n++) {
                wr_insn in = random_insn((wr_op)op, (wr_type)type, &s), out = {0}, a, b;
                uint64_t words[3] = {0}, again[2];
                unsigned used = wr_isa_encode(&in, words + 1);
                char text[512];

                assert_in_range(used, 1, 2);
                assert_int_equal(wr_isa_decode(words, 1 + used, 1, &out), used);
                assert_int_equal(out.pc, 8);
                assert_int_equal(out.size, 8 * used);
                a = stripped(in);
                b = stripped(out);
                assert_int_equal(a.imm, b.imm);
                assert_int_equal(a.live, b.live);
                assert_int_equal(a.live_div, b.live_div);
                assert_int_equal(a.target, b.target);
                assert_int_equal(a.reconv, b.reconv);
                assert_memory_equal(a.src, b.src, 3);
                assert_int_equal(a.dst, b.dst);
                assert_int_equal(a.cmp, b.cmp);
                assert_int_equal(a.pd, b.pd);
                assert_int_equal(a.pd2, b.pd2);
                assert_int_equal(a.ps, b.ps);
                assert_int_equal(a.ps_neg, b.ps_neg);
                assert_int_equal(a.type, b.type);
                assert_int_equal(a.type2, b.type2);
                assert_int_equal(a.variant, b.variant);
                assert_int_equal(a.sreg, b.sreg);
                assert_int_equal(a.ps2, b.ps2);
                assert_int_equal(a.vec, b.vec);
                assert_int_equal(a.type2, b.type2);
                assert_int_equal(in.src_regs[0] == 2 && in.src[0] != WR_ISA_RZ &&
                                     wr_isa_rows[op].cls == WR_CLASS_MEM,
                                 out.src_regs[0] == 2 && wr_isa_rows[op].cls == WR_CLASS_MEM);
                assert_int_equal(wr_isa_encode(&out, again), used);
                assert_memory_equal(again, words + 1, 8 * used);
                assert_true(wr_isa_print(&out, text, sizeof text) < (int)sizeof text);
                assert_true(strlen(text) > 1);
            }
        }
    }
    print_message("%u operations and types\n", forms);
    assert_true(forms > 150);
}

static void random_words_decode_to_themselves_or_not_at_all(void **context)
{
    uint64_t s = start_seed();
    unsigned defined = 0, undefined = 0;

    (void)context;
    for (unsigned n = 0; n < 2000000; n++) {
        uint64_t words[2] = {next(&s), next(&s)}, again[2];
        wr_insn insn;
        unsigned used;

        words[0] = (words[0] & WR_ISA_LIVE_MASK) | (next(&s) % (WR_OP_COUNT + 1))
                                                       << WR_ISA_OPCODE_SHIFT;
        if (next(&s) & 1) {
            words[0] |= UINT64_C(0x3ffff) << 26; /* no registers: more words are defined */
        }
        if (next(&s) & 1) {
            words[1] = (uint64_t)WR_OP_EXT << WR_ISA_OPCODE_SHIFT | (words[1] & 0x1ffffffff);
        }
        used = wr_isa_decode(words, 2, 0, &insn);
        if (used == 0) {
            undefined++;
            continue;
        }
        defined++;
        assert_int_equal(wr_isa_encode(&insn, again), used);
        assert_memory_equal(words, again, 8 * used);
    }
    print_message("%u words defined, %u undefined\n", defined, undefined);
    assert_true(defined > 10000);
    assert_true(undefined > 10000);
}

static void undefined_is_refused(void **context)
{
    wr_insn add = blank(WR_OP_ADD, WR_U64), out;
    uint64_t words[2];

    (void)context;
    add.dst = 2;
    assert_int_equal(wr_isa_encode(&add, words), 1);
    add.dst = 3; /* an odd pair */
    assert_int_equal(wr_isa_encode(&add, words), 0);
    add.dst = 62; /* a pair that would end in RZ */
    assert_int_equal(wr_isa_encode(&add, words), 0);
    add.dst = 2;
    add.src[2] = 4; /* a third source */
    assert_int_equal(wr_isa_encode(&add, words), 0);
    add.src[2] = WR_ISA_RZ;
    add.ext = WR_EXT_IMM;
    add.src[0] = 4; /* a register under the extension */
    assert_int_equal(wr_isa_encode(&add, words), 0);
    add.src[0] = WR_ISA_RZ;
    assert_int_equal(wr_isa_encode(&add, words), 2);
    assert_int_equal(wr_isa_decode(words, 2, 1, &out), 0); /* a lone extension word */
    words[0] = (uint64_t)WR_OP_PP << WR_ISA_OPCODE_SHIFT;
    words[1] = 0;
    assert_int_equal(wr_isa_decode(words, 2, 0, &out), 0); /* pp without its dummy */
    assert_int_equal(wr_isa_decode(words, 1, 0, &out), 0);
    words[0] = UINT64_C(1023) << WR_ISA_OPCODE_SHIFT;
    assert_int_equal(wr_isa_decode(words, 1, 0, &out), 0); /* an unknown opcode */
    assert_int_equal(wr_isa_decode(words, 1, 1, &out), 0); /* behind the end */
}

/* The block liveness_decoder has these numbers as its defaults. */
static void opcodes_of_preemption_are_fixed(void **context)
{
    (void)context;
    assert_int_equal(WR_OP_PP, 2);
    assert_int_equal(WR_OP_BAR_PP, 3);
    assert_int_equal(WR_OP_PP_DUMMY, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_survives),
        cmocka_unit_test(random_words_decode_to_themselves_or_not_at_all),
        cmocka_unit_test(undefined_is_refused),
        cmocka_unit_test(opcodes_of_preemption_are_fixed),
    };

    return cmocka_run_group_tests_name("instruction set", tests, NULL, NULL);
}
