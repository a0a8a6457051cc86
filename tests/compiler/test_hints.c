/* SPDX-License-Identifier: Apache-2.0 */
/* Hints: the chains of random kernels and of Gong's Fig. 5.1 against an oracle that plays them with
 * names for values; and words that are changed by a bit are seen by it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "shell/isa/hints.h"
#include "tests/compiler/hints_oracle.h"
#include "tests/compiler/program.h"
#include "tests/compiler/random.h"
#include "tests/long.h"

enum { TEXT_BYTES = 1 << 20 };

static const wr_hint_rules rules[] = {
    {.entries = 8, .registers = 63},
    {.entries = 2, .registers = 63},
    {.entries = 16, .registers = 63, .across_barriers = true},
    {.entries = 8, .registers = 0}, /* none is spare */
};

static void check_kernel(const wr_kernel *k, uint64_t seed, wr_oracle_hints_sum *sum)
{
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++) {
        wr_hint_rules rule = rules[r];
        rule.registers = rule.registers != 0 ? rule.registers : k->regs + (uint32_t)(seed % 3);
        wr_hints h;
        wr_oracle_hints_sum own = {0};
        size_t where = 0;
        assert_true(wr_hints_make(k, &rule, &h));
        const char *why = wr_oracle_hints(k, h.words, rule.entries, rule.registers, &own, &where);
        if (why != NULL) {
            wr_hints_print(stderr, k, &h);
            fail_msg("seed %llu, kernel %s, rule %zu, pc 0x%x: %s", (unsigned long long)seed,
                     k->name, r, k->insns[where].pc, why);
        }
        assert_int_equal(own.stall_points, h.stall_points);
        assert_int_equal(own.chains, h.chains);
        assert_int_equal(own.members, h.members);
        assert_int_equal(own.branches, h.branches);
        assert_int_equal(own.renamed, h.renamed);
        assert_int_equal(own.loads, h.loads);
        assert_true(h.registers >= k->regs && h.registers <= rule.registers);
        sum->chains += own.chains;
        sum->members += own.members;
        sum->branches += own.branches;
        sum->renamed += own.renamed;
        sum->loads += own.loads;
        free(h.words);
    }
}

/* A bit of a chain's word that is turned over is wrong, but for what changes nothing: where a side
 * that the oracle does not follow goes on, or a chain that ends earlier. How many of them are seen.
 */
static void turn_bits(const wr_kernel *k, unsigned *seen, unsigned *turned)
{
    const wr_hint_rules rule = {.entries = 8, .registers = 63};
    wr_hints h;
    assert_true(wr_hints_make(k, &rule, &h));
    for (size_t at = 0; at < k->insn_count; at++) {
        for (unsigned bit = 0; bit < 24 && h.words[at] != 0; bit++) {
            wr_oracle_hints_sum sum = {0};
            size_t where;
            h.words[at] ^= 1u << bit;
            *seen += wr_oracle_hints(k, h.words, 8, 63, &sum, &where) != NULL;
            *turned += 1;
            h.words[at] ^= 1u << bit;
        }
    }
    free(h.words);
}

static void random_kernels(void **state)
{
    (void)state;
    const uint64_t programs = wr_test_long() ? 3000 : 150;
    char *text = malloc(TEXT_BYTES);
    wr_oracle_hints_sum sum = {0};
    unsigned seen = 0;
    unsigned turned = 0;
    for (uint64_t seed = 1; seed <= programs; seed++) {
        wr_diag diag = {0};
        wr_program program;
        const unsigned size = seed % 2 != 0 ? 32 : 64;
        const wr_compile_options options = {.max_regs = seed % 3 == 0 ? 16 : 0,
                                            .pp_interval = seed % 5 == 0 ? 10 : 0,
                                            .no_pp = seed % 2 == 0};
        if (seed % 4 == 0) {
            wr_random_ptx(seed, size, text, TEXT_BYTES);
        } else {
            wr_program_write(seed, size, text, TEXT_BYTES, &program);
        }
        wr_ptx_module *ptx = wr_ptx_parse("random.ptx", text, strlen(text), &diag);
        assert_non_null(ptx);
        wr_module *module = wr_compile(ptx, &options, &diag);
        assert_non_null(module);
        for (size_t i = 0; i < module->kernel_count; i++) {
            check_kernel(&module->kernels[i], seed, &sum);
            if (seed % 50 == 1) {
                turn_bits(&module->kernels[i], &seen, &turned);
            }
        }
        wr_module_free(module);
        wr_ptx_free(ptx);
    }
    free(text);
    print_message("%llu programs: %u chains, %u members, %u branches, %u loads, %u renamed; of %u "
                  "bits turned over %u are seen\n",
                  (unsigned long long)programs, sum.chains, sum.members, sum.branches, sum.loads,
                  sum.renamed, turned, seen);
    assert_true(sum.chains > 1000 && sum.branches > 20 && sum.loads > 100 && sum.renamed > 500);
    assert_true(turned > 1000 && seen * 10 > turned * 8);
}

/* The loop of Fig. 5.1, as PTX; the compiler moves nothing where it is written so, but allocates
 * registers of its own. */
static const char fig_5_1[] =
    ".version 6.0\n.target sm_50\n.address_size 32\n"
    ".visible .entry k(.param .u32 md, .param .u32 nd, .param .u32 pd, .param .u32 width) {\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<20>;\n.reg .f32 %f<4>;\n"
    "ld.param.u32 %r0, [md];\nld.param.u32 %r2, [nd];\nld.param.u32 %r4, [width];\n"
    "mov.u32 %r5, %ctaid.x;\nmov.u32 %r6, %tid.x;\nmov.u32 %r7, 0;\nmov.f32 %f0, 0f00000000;\n"
    "LOOP:\nsetp.ge.s32 %p0, %r7, %r4;\n@%p0 bra DONE;\n"
    "mul.lo.u32 %r9, %r5, %r4;\nadd.u32 %r9, %r9, %r7;\nshl.b32 %r9, %r9, 2;\n"
    "add.u32 %r9, %r0, %r9;\nld.global.f32 %f1, [%r9];\n"
    "mul.lo.u32 %r10, %r7, %r4;\nadd.u32 %r10, %r10, %r6;\nshl.b32 %r10, %r10, 2;\n"
    "add.u32 %r10, %r2, %r10;\nld.global.f32 %f2, [%r10];\n"
    "mul.f32 %f3, %f1, %f2;\nadd.f32 %f0, %f0, %f3;\nadd.u32 %r7, %r7, 1;\nbra LOOP;\n"
    "DONE:\nld.param.u32 %r11, [pd];\nst.global.f32 [%r11], %f0;\nret;\n}\n";

static void paper_loop(void **state)
{
    (void)state;
    wr_diag diag = {0};
    wr_ptx_module *ptx = wr_ptx_parse("fig_5_1.ptx", fig_5_1, strlen(fig_5_1), &diag);
    assert_non_null(ptx);
    const wr_compile_options options = {.no_pp = true, .without = UINT32_MAX};
    wr_module *module = wr_compile(ptx, &options, &diag);
    assert_non_null(module);
    const wr_kernel *k = &module->kernels[0];
    const wr_hint_rules rule = {.entries = 8, .registers = 63};
    wr_oracle_hints_sum sum = {0};
    wr_hints h;
    check_kernel(k, 1, &sum);
    assert_true(wr_hints_make(k, &rule, &h));
    wr_hints_print(stdout, k, &h);
    /* One stall point, the product; the chain goes round the back edge and fills eight entries. */
    size_t stall = SIZE_MAX;
    for (size_t at = 0; at < k->insn_count; at++) {
        if (k->insns[at].op == WR_OP_MUL && k->insns[at].type == WR_F32) {
            stall = at;
        }
    }
    assert_true(stall != SIZE_MAX && (h.words[stall] & WR_HINT_STALL) != 0);
    assert_int_equal(h.members, 8);
    assert_true(h.branches >= 1);
    free(h.words);
    wr_module_free(module);
    wr_ptx_free(ptx);
}

/* Kernels by hand: instructions of a word each. */
typedef struct by_hand {
    wr_kernel k;
    wr_insn insns[600];
    uint32_t insn_at[600];
} by_hand;

static void add(by_hand *h, wr_insn i)
{
    i.pc = (uint32_t)h->k.insn_count * 8;
    i.size = 8;
    i.guard = i.ps = i.ps2 = WR_ISA_PT;
    i.pd = i.dst_regs == 0 && i.op == WR_OP_SETP ? 0 : WR_ISA_PT;
    i.pd2 = WR_ISA_PT;
    h->insn_at[h->k.insn_count] = (uint32_t)h->k.insn_count;
    h->insns[h->k.insn_count++] = i;
    h->k.word_count = h->k.insn_count;
}

static wr_insn alu(wr_op op, uint8_t dst, uint8_t a, uint8_t b)
{
    return (wr_insn){.op = (uint16_t)op,
                     .unit = WR_UNIT_INT,
                     .dst = dst,
                     .dst_regs = 1,
                     .src = {a, b, WR_ISA_RZ},
                     .src_regs = {1, 1, 0}};
}

static void begin(by_hand *h)
{
    memset(h, 0, sizeof *h);
    h->k.insns = h->insns;
    h->k.insn_at = h->insn_at;
    h->k.regs = 16;
    add(h, (wr_insn){.op = WR_OP_LD,
                     .unit = WR_UNIT_MEM,
                     .space = WR_SPACE_GLOBAL,
                     .dst = 0,
                     .dst_regs = 1,
                     .src = {1, WR_ISA_RZ, WR_ISA_RZ},
                     .src_regs = {1, 0, 0}});
}

static wr_hints hints_of(const by_hand *h, const char **why)
{
    const wr_hint_rules rule = {.entries = 8, .registers = 63};
    wr_oracle_hints_sum sum = {0};
    size_t where;
    wr_hints out;
    assert_true(wr_hints_make(&h->k, &rule, &out));
    *why = wr_oracle_hints(&h->k, out.words, 8, 63, &sum, &where);
    return out;
}

/* A pair is read where it is, so not where half of it has moved. */
static void pairs(void **state)
{
    (void)state;
    for (unsigned moves = 0; moves < 2; moves++) {
        static by_hand h;
        const char *why;
        begin(&h);
        add(&h, alu(WR_OP_ADD, 4, 0, moves != 0 ? 2 : 5)); /* waits; reads R2, or not */
        add(&h, alu(WR_OP_MUL, 2, 6, 6));
        add(&h, (wr_insn){.op = WR_OP_SETP,
                          .unit = WR_UNIT_INT,
                          .dst = WR_ISA_RZ,
                          .src = {2, 8, WR_ISA_RZ},
                          .src_regs = {2, 2, 0}});
        add(&h, (wr_insn){.op = WR_OP_EXIT, .dst = WR_ISA_RZ});
        wr_hints out = hints_of(&h, &why);
        assert_null(why);
        assert_int_equal(out.renamed, moves);
        assert_int_equal(out.words[3] != 0, moves == 0);
        free(out.words);
    }
}

/* Nine bits of offset reach 255 instructions forward. */
static void reach(void **state)
{
    (void)state;
    for (unsigned far = 254; far < 258; far++) {
        static by_hand h;
        const char *why;
        begin(&h);
        for (unsigned n = 0; n < far; n++) {
            add(&h, alu(WR_OP_ADD, 4, n == 0 ? 0 : 4, 5)); /* each needs the one before */
        }
        add(&h, alu(WR_OP_MUL, 7, 6, 6));
        add(&h, (wr_insn){.op = WR_OP_EXIT, .dst = WR_ISA_RZ});
        wr_hints out = hints_of(&h, &why);
        assert_null(why);
        assert_int_equal(out.members, far <= 255 ? 1 : 0);
        free(out.words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paper_loop),
        cmocka_unit_test(pairs),
        cmocka_unit_test(reach),
        cmocka_unit_test(random_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
