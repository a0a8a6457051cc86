/* SPDX-License-Identifier: Apache-2.0 */
/* Scheduling: what it gains, what must never pass what, and that values stay right where accesses
 * overlap. WARPREF_SEED=n runs the one random program n; WARPREF_PROGRAMS sets how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machine.h"
#include "random.h"
#include "text.h"

#define KEEP_ALL                                                                                   \
    "st.global.u32 [%r1+900], %r10;\nst.global.u32 [%r1+904], %r11;\n"                             \
    "st.global.u32 [%r1+908], %r12;\n"

/* A long chain, so that it pays to begin with what is behind it. */
#define WORK                                                                                       \
    "ld.global.u32 %r12, [%r3+64];\nmul.lo.s32 %r12, %r12, %r2;\nmul.lo.s32 %r12, %r12, %r2;\n"    \
    "mul.lo.s32 %r12, %r12, %r12;\n"

/* The index of the only instruction of the operation that accesses at this offset. */
static unsigned at_offset(const wr_module *m, wr_op op, uint32_t offset)
{
    unsigned found = UINT32_MAX;

    for (size_t i = 0; i < m->kernels[0].insn_count; i++) {
        const wr_insn *insn = &m->kernels[0].insns[i];

        if (insn->op != op || (insn->ext == WR_EXT_IMM ? insn->imm : 0) != offset) {
            continue;
        }
        assert_int_equal(found, UINT32_MAX);
        found = (unsigned)i;
    }
    assert_int_not_equal(found, UINT32_MAX);
    return found;
}

static void loads_go_first(void **context)
{
    wr_module *m =
        wr_test_compile("ld.global.u32 %r10, [%r3];\nmul.lo.s32 %r10, %r10, %r10;\n"
                        "ld.global.u32 %r11, [%r3+4];\nmul.lo.s32 %r11, %r11, %r11;\n"
                        "ld.global.u32 %r12, [%r3+8];\nmul.lo.s32 %r12, %r12, %r12;\n" KEEP_ALL,
                        32, NULL);

    (void)context;
    assert_int_equal(wr_test_count(m, WR_OP_LD), 3);
    assert_true(wr_test_find(m, WR_OP_LD, 2) < wr_test_find(m, WR_OP_MUL, 0));
    wr_module_free(m);
}

/* Forty loads, then their sum: in the order of the text all forty are live at once. */
static void long_lives_become_short(void **context)
{
    char body[8192] = "mov.u32 %r10, 0;\n";
    wr_module *m;

    (void)context;
    for (unsigned i = 0; i < 40; i++) {
        (void)sprintf(body + strlen(body), "ld.global.u32 %%r%u, [%%r3+%u];\n", 20 + i, 4 * i);
    }
    for (unsigned i = 0; i < 40; i++) {
        (void)sprintf(body + strlen(body), "add.s32 %%r10, %%r10, %%r%u;\n", 20 + i);
    }
    (void)sprintf(body + strlen(body), "%s", "st.global.u32 [%r1], %r10;\n");
    m = wr_test_compile(body, 32, NULL);
    assert_int_equal(wr_test_count(m, WR_OP_LD), 40);
    assert_true(m->kernels[0].regs <= 18);
    wr_module_free(m);
}

/* The load at [.. + 8] behind the store at [.. + 4]: moves in front of it, or must not. */
static void check_pair(const char *store, const char *between, const char *load, bool moves)
{
    char body[4096];
    wr_module *m;

    (void)snprintf(body, sizeof body, "%s%s%s\n%s\n%s\n%s%s",
                   "add.s32 %r4, %r1, %r2;\nld.global.u32 %r5, [%r3+128];\n",
                   WORK "mov.u32 %r10, 1;\n", store, between, load,
                   "mul.lo.s32 %r11, %r11, %r11;\n", KEEP_ALL);
    m = wr_test_compile(body, 32, NULL);
    if ((at_offset(m, WR_OP_LD, 8) < at_offset(m, WR_OP_ST, 4)) != moves) {
        print_error("store: %s, then: %s, load: %s\n", store, between, load);
    }
    assert_int_equal(at_offset(m, WR_OP_LD, 8) < at_offset(m, WR_OP_ST, 4), moves);
    wr_module_free(m);
}

static void stores_and_loads(void **context)
{
    static const char store[] = "st.global.u32 [%r4+4], %r12;";

    (void)context;
    /* apart: other offsets of one base, other spaces */
    check_pair(store, "", "ld.global.u32 %r11, [%r4+8];", true);
    check_pair(store, "", "ld.shared.u32 %r11, [%r5+8];", true);
    check_pair(store, "", "ld.local.u32 %r11, [%r5+8];", true);
    /* perhaps the same: other bases, generic, wider than the distance, a base that changes */
    check_pair(store, "", "ld.global.u32 %r11, [%r5+8];", false);
    check_pair(store, "", "ld.u32 %r11, [%r4+8];", false);
    check_pair("st.u32 [%r4+4], %r12;", "", "ld.shared.u32 %r11, [%r5+8];", false);
    check_pair("st.global.v2.u32 [%r4+4], {%r12, %r12};", "", "ld.global.u32 %r11, [%r4+8];",
               false);
    check_pair("st.global.u64 [%r4+4], %d5;", "", "ld.global.u32 %r11, [%r4+8];", false);
    check_pair(store, "sub.s32 %r4, %r4, 4;", "ld.global.u32 %r11, [%r4+8];", false);
}

static void fences(void **context)
{
    static const char *const fence[] = {
        "bar.sync 0;",
        "bar.arrive 1, 64;",
        "membar.gl;",
        "bar.warp.sync -1;",
        "setp.eq.u32 %p1, %r2, 3;\n@%p1 exit;",
        "mov.u32 %r13, %clock;\nst.global.u32 [%r1+912], %r13;",
    };

    (void)context;
    for (size_t i = 0; i < sizeof fence / sizeof fence[0]; i++) {
        check_pair("st.global.u32 [%r4+4], %r12;", fence[i], "ld.global.u32 %r11, [%r4+8];", false);
    }
}

/* Accesses that others are told of by, or that tell others. */
static void volatile_and_atomic(void **context)
{
    static const char plain_store[] = "st.global.u32 [%r4+4], %r12;",
                      plain_load[] = "ld.global.u32 %r11, [%r4+8];",
                      volatile_load[] = "ld.volatile.global.u32 %r11, [%r4+8];",
                      add[] = "red.global.add.u32 [%r5+32], 1;",
                      swap[] = "atom.global.exch.b32 %r13, [%r5+32], 1;\n"
                               "st.global.u32 [%r1+912], %r13;";

    (void)context;
    check_pair(plain_store, "", volatile_load, false);
    check_pair("st.volatile.global.u32 [%r4+4], %r12;", "", plain_load, false);
    check_pair("st.volatile.global.u32 [%r4+4], %r12;", "", "ld.volatile.shared.u32 %r11, [%r5+8];",
               false);
    check_pair("st.volatile.global.u32 [%r4+4], %r12;", "", "ld.volatile.local.u32 %r11, [%r5+8];",
               false);
    check_pair(plain_store, add, plain_load, false);
    check_pair(plain_store, swap, plain_load, false);
    /* a thread's own memory tells nobody */
    check_pair(plain_store, add, "ld.local.u32 %r11, [%r5+8];", true);
}

static void atomics_stay_in_order(void **context)
{
    wr_module *m = wr_test_compile(WORK "atom.global.add.u32 %r10, [%r3+4], %r12;\n"
                                        "atom.shared.add.u32 %r11, [%r2+8], 1;\n" KEEP_ALL,
                                   32, NULL);

    (void)context;
    assert_true(at_offset(m, WR_OP_ATOM, 4) < at_offset(m, WR_OP_ATOM, 8));
    wr_module_free(m);
}

/* What is between two reads of the clock stays there. */
static void clocks_measure(void **context)
{
    wr_module *m = wr_test_compile("ld.global.u32 %r12, [%r3];\nmov.u32 %r10, %clock;\n"
                                   "mul.lo.s32 %r12, %r12, %r12;\nmov.u32 %r11, %clock;\n"
                                   "sub.s32 %r11, %r11, %r10;\n" KEEP_ALL,
                                   32, NULL);
    unsigned first = wr_test_find(m, WR_OP_S2R, 0), second;

    (void)context;
    while (m->kernels[0].insns[first].sreg != WR_SREG_CLOCK) {
        first++;
    }
    second = first + 1;
    while (m->kernels[0].insns[second].op != WR_OP_S2R) {
        second++;
    }
    assert_true(first < wr_test_find(m, WR_OP_MUL, 0));
    assert_true(wr_test_find(m, WR_OP_MUL, 0) < second);
    wr_module_free(m);
}

static void the_same_each_time(void **context)
{
    char body[8192] = "";
    wr_module *m[2];

    (void)context;
    for (unsigned i = 0; i < 60; i++) {
        (void)sprintf(body + strlen(body),
                      "ld.global.u32 %%r%u, [%%r3+%u];\nmul.lo.s32 %%r%u, %%r%u, %%r%u;\n", 20 + i,
                      4 * i, 20 + i, 20 + i, i < 7 ? 2 : 13 + i);
    }
    (void)sprintf(body + strlen(body), "%s", "st.global.u32 [%r1], %r79;\n");
    for (unsigned i = 0; i < 2; i++) {
        m[i] = wr_test_compile(body, 32, NULL);
    }
    assert_int_equal(m[0]->kernels[0].word_count, m[1]->kernels[0].word_count);
    assert_memory_equal(m[0]->kernels[0].words, m[1]->kernels[0].words,
                        m[0]->kernels[0].word_count * sizeof(uint64_t));
    wr_module_free(m[0]);
    wr_module_free(m[1]);
}

/* ---- random accesses that overlap ---- */

enum {
    AREA = 256,     /* bytes of a thread */
    ACCESSED = 192, /* of which the program accesses these */
    VALUES = 8,     /* %r30.. */
    STEPS = 120,
    FIRST_CONSTANT = 50, /* %r50.. */
    CONSTANTS = 60,
    SHIFT = 8, /* parameter n: distance of a base that the compiler can't know */
};

/* A thread of the program as the generator goes along. */
typedef struct thread {
    uint8_t area[AREA];
    uint32_t value[VALUES];
    uint32_t moving; /* the base that changes */
} thread;

typedef struct program {
    char *text;
    size_t length, size;
    thread threads[WR_TEST_LANES];
    uint32_t constants;
    uint64_t state;
} program;

static uint32_t pick(program *p, uint32_t below)
{
    return wr_random_next(&p->state) % below;
}

static void say(program *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    p->length += (size_t)vsnprintf(p->text + p->length, p->size - p->length, format, args);
    va_end(args);
    assert_true(p->length < p->size);
}

static void add_access(program *p)
{
    static const char *const base[] = {"%r1", "%r5", "%r6"};
    uint32_t which = pick(p, 3), value = pick(p, VALUES), bytes = 1u << pick(p, 3);
    uint32_t offset = pick(p, 120) & ~(bytes - 1);
    bool load = pick(p, 2) == 0;

    if (load) {
        say(p, "ld.global.u%u %%r%u, [%s+%u];\n", 8 * bytes, 30 + value, base[which], offset);
    } else {
        say(p, "st.global.u%u [%s+%u], %%r%u;\n", 8 * bytes, base[which], offset, 30 + value);
    }
    for (unsigned t = 0; t < WR_TEST_LANES; t++) {
        thread *own = &p->threads[t];
        uint32_t at = offset + (which == 1 ? SHIFT : which == 2 ? own->moving : 0);

        assert_true(at + bytes <= ACCESSED);
        if (load) {
            own->value[value] = 0;
            memcpy(&own->value[value], &own->area[at], bytes);
        } else {
            memcpy(&own->area[at], &own->value[value], bytes);
        }
    }
}

/* A pair of words, of which one is a constant, in a register that nothing else writes. */
static void add_pair(program *p)
{
    uint32_t which = pick(p, 2), value = pick(p, VALUES), offset = pick(p, 15) * 8;
    uint32_t constant = pick(p, 3), first = pick(p, 2), reg = FIRST_CONSTANT + p->constants++;

    say(p, "mov.u32 %%r%u, %u;\nst.global.v2.u32 [%s+%u], {%%r%u, %%r%u};\n", reg, constant,
        which == 0 ? "%r1" : "%r5", offset, first == 0 ? reg : 30 + value,
        first == 0 ? 30 + value : reg);
    for (unsigned t = 0; t < WR_TEST_LANES; t++) {
        uint8_t *at = &p->threads[t].area[offset + (which == 0 ? 0 : SHIFT)];

        memcpy(at + (first == 0 ? 0 : 4), &constant, 4);
        memcpy(at + (first == 0 ? 4 : 0), &p->threads[t].value[value], 4);
    }
}

static void add_step(program *p)
{
    uint32_t kind = pick(p, 8), to = pick(p, VALUES), a = pick(p, VALUES), b = pick(p, VALUES);

    if (kind == 0 && p->threads[0].moving < 64) {
        say(p, "add.s32 %%r6, %%r6, 4;\n");
        for (unsigned t = 0; t < WR_TEST_LANES; t++) {
            p->threads[t].moving += 4;
        }
    } else if (kind < 3) {
        say(p, "mad.lo.s32 %%r%u, %%r%u, 77, %%r%u;\n", 30 + to, 30 + a, 30 + b);
        for (unsigned t = 0; t < WR_TEST_LANES; t++) {
            p->threads[t].value[to] = p->threads[t].value[a] * 77 + p->threads[t].value[b];
        }
    } else if (kind == 3 && p->constants < CONSTANTS) {
        add_pair(p);
    } else {
        add_access(p);
    }
}

static void make_program(program *p, uint64_t seed, const uint8_t *memory)
{
    p->length = 0;
    p->constants = 0;
    p->state = seed * 11 + 5;
    say(p, "mad.lo.s32 %%r1, %%r2, %u, %%r1;\nadd.s32 %%r5, %%r1, %%r3;\nmov.u32 %%r6, %%r1;\n",
        AREA);
    for (unsigned v = 0; v < VALUES; v++) {
        say(p, "mad.lo.s32 %%r%u, %%r2, %u, %u;\n", 30 + v, 1000 + v, 3 * v);
    }
    for (unsigned t = 0; t < WR_TEST_LANES; t++) {
        memcpy(p->threads[t].area, memory + (size_t)t * AREA, AREA);
        p->threads[t].moving = 0;
        for (unsigned v = 0; v < VALUES; v++) {
            p->threads[t].value[v] = t * (1000 + v) + 3 * v;
        }
    }
    for (unsigned i = 0; i < STEPS; i++) {
        add_step(p);
    }
    for (unsigned v = 0; v < VALUES; v++) {
        say(p, "st.global.u32 [%%r1+%u], %%r%u;\n", ACCESSED + 4 * v, 30 + v);
        for (unsigned t = 0; t < WR_TEST_LANES; t++) {
            memcpy(&p->threads[t].area[ACCESSED + 4 * v], &p->threads[t].value[v], 4);
        }
    }
}

static bool run_program(program *p, uint64_t seed)
{
    static const uint32_t params[2] = {0, SHIFT};
    uint8_t *memory = malloc(WR_TEST_MEM);
    uint64_t state = seed + 99;
    wr_compile_options options = {.max_regs = seed % 2 == 0 ? 63 : 12};
    wr_test_machine m = {.params = (const uint8_t *)params, .memory = memory, .poison = true};
    wr_module *module;
    bool same;

    assert_non_null(memory);
    for (uint32_t i = 0; i < WR_TEST_MEM; i++) {
        memory[i] = (uint8_t)wr_random_next(&state);
    }
    make_program(p, seed, memory);
    module = wr_test_compile(p->text, 32, &options);
    m.kernel = &module->kernels[0];
    same = wr_test_machine_run(&m);
    if (!same) {
        print_error("machine: %s\n", m.error);
    }
    for (unsigned t = 0; same && t < WR_TEST_LANES; t++) {
        same = memcmp(memory + (size_t)t * AREA, p->threads[t].area, AREA) == 0;
    }
    wr_module_free(module);
    free(memory);
    return same;
}

static void overlapping_accesses(void **context)
{
    const char *seed = getenv("WARPREF_SEED"), *count = getenv("WARPREF_PROGRAMS");
    uint64_t first = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    uint64_t programs = seed != NULL ? 1 : count != NULL ? strtoull(count, NULL, 10) : 1000;
    program p = {.size = 65536};

    (void)context;
    p.text = malloc(p.size);
    assert_non_null(p.text);
    for (uint64_t i = 0; i < programs; i++) {
        unsigned long long at = first + i;
        bool same = run_program(&p, at);

        if (!same) {
            print_error("program %llu is wrong; run it alone with WARPREF_SEED=%llu\n", at, at);
        }
        assert_true(same);
    }
    free(p.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_go_first),       cmocka_unit_test(long_lives_become_short),
        cmocka_unit_test(stores_and_loads),     cmocka_unit_test(fences),
        cmocka_unit_test(volatile_and_atomic),  cmocka_unit_test(atomics_stay_in_order),
        cmocka_unit_test(clocks_measure),       cmocka_unit_test(the_same_each_time),
        cmocka_unit_test(overlapping_accesses),
    };

    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
