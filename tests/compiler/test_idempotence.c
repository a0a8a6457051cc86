/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions forbid that a TB runs again: tiny kernels, each with what is to be found. Each
 * is compiled for 32-bit and 64-bit addresses, with all clean-ups and with none; the answer is the
 * same, but where the page says that one is less sure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shell/isa/idempotence.h"
#include "text.h"

enum { MAX_TEXT = 4096, MAX_WORDS = 16 };

/* In a body, A<n> is an address register, W the bits of an address, B its bytes. %r<n> are words.
 * Parameters are a, b, c: pointers; n: a word; s: a struct of a word and two pointers, from 64 on.
 */
static const char head[] = ".version 6.0\n.target sm_50\n.address_size W\n"
                           ".global .align 4 .b8 table[64];\n"
                           ".extern .func (.param .b32 x) vprintf(.param .bW f, .param .bW p);\n"
                           ".extern .func (.param .bW x) malloc(.param .bW n);\n"
                           ".extern .func free(.param .bW p);\n"
                           ".visible .entry k(.param .uW a, .param .uW b, .param .uW c,\n"
                           ".param .u32 n, .param .align 8 .b8 s[24])\n{\n"
                           ".reg .pred %p<9>;\n.reg .b32 %r<30>;\n.reg .bW %A<40>;\n"
                           ".reg .f32 %f<9>;\n"
                           ".shared .align 8 .b8 tile[256];\n.local .align 8 .b8 mine[64];\n"
                           "ld.param.uW %A1, [a];\nld.param.uW %A2, [b];\nld.param.uW %A3, [c];\n"
                           "ld.param.u32 %r3, [n];\nmov.u32 %r2, %tid.x;\n"
                           "mul.wide.u32 %D4, %r2, 4;\n";

/* Fills in W, B and the widths of mul.wide (which for 32 bits is mul.lo) and cvt. */
static void fill_in(char *out, size_t size, const char *body, unsigned bits)
{
    size_t at = 0;

    for (const char *from = head; from != NULL; from = from == head ? body : NULL) {
        for (const char *c = from; *c != '\0'; c++) {
            const char *put = NULL;
            char one[2] = {*c, '\0'};

            if (strncmp(c, "mul.wide.u32 %D", 15) == 0) {
                put = bits == 64 ? "mul.wide.u32 %A" : "mul.lo.u32 %A";
                c += 14;
            } else if (c[0] == 'W' && (c == from || c[-1] != '_')) {
                put = bits == 64 ? "64" : "32";
            } else {
                put = one;
            }
            assert_true(at + strlen(put) < size);
            at += (size_t)snprintf(out + at, size - at, "%s", put);
        }
    }
    assert_true(at + 10 < size);
    (void)snprintf(out + at, size - at, "ret;\n}\n");
}

/* Two pointers are to one buffer where `buffer` has the same number for their places. */
typedef struct launch {
    uint64_t buffer[MAX_WORDS]; /* by word of the parameter block; 0: no pointer */
    bool all_apart;
} launch;

static uint64_t buffer_of(void *arg, uint32_t at)
{
    const launch *l = arg;

    assert_true(at / 4 < MAX_WORDS);
    return l->all_apart ? at + 1 : l->buffer[at / 4];
}

/* The kinds of harm that the kernel's instructions have, as a set, and how many there are. */
typedef struct found {
    size_t count;
    unsigned kinds; /* bit per wr_harm_kind */
} found;

static found look(const wr_kernel *k, const launch *l)
{
    wr_harm *harms = calloc(k->insn_count, sizeof *harms);
    found f = {0};
    launch copy = *l;

    assert_non_null(harms);
    f.count = wr_idempotence(k, buffer_of, &copy, harms);
    assert_int_not_equal(f.count, SIZE_MAX);
    for (size_t i = 0; i < k->insn_count; i++) {
        f.kinds |= harms[i].kind != WR_HARM_NONE ? 1u << harms[i].kind : 0;
    }
    free(harms);
    return f;
}

typedef struct want {
    const char *name, *body;
    size_t count;
    unsigned kinds;
    bool cleaned_only; /* the answer without clean-ups is less sure */
} want;

#define K(kind) (1u << WR_HARM_##kind)
#define ADD_A   "add.uW %A11, %A1, %A4;\n"
#define ADD_B   "add.uW %A12, %A2, %A4;\n"

static const want wants[] = {
    {"vector add",
     ADD_A ADD_B "add.uW %A13, %A3, %A4;\nld.global.f32 %f1, [%A11];\n"
                 "ld.global.f32 %f2, [%A12];\nadd.f32 %f3, %f1, %f2;\n"
                 "st.global.f32 [%A13], %f3;\n",
     0, 0, false},
    {"write only", ADD_A "st.global.u32 [%A11], %r2;\nst.global.u32 [%A11], %r3;\n", 0, 0, false},
    {"read only", ADD_A "ld.volatile.global.u32 %r5, [%A11];\n", 0, 0, false},
    {"in place",
     ADD_A "ld.global.u32 %r5, [%A11];\nadd.u32 %r5, %r5, 1;\n"
           "st.global.u32 [%A11], %r5;\n",
     1, K(OVERWRITES), false},
    {"in place, elsewhere in the buffer",
     ADD_A "ld.global.u32 %r5, [%A11];\nst.global.u32 [%A1+4096], %r5;\n", 1, K(OVERWRITES), false},
    {"in place, a volatile load behind the store",
     ADD_A "st.global.u32 [%A11], %r2;\nld.volatile.global.u32 %r5, [%A11];\n", 1, K(OVERWRITES),
     false},
    {"in place, generic", ADD_A "ld.u32 %r5, [%A11];\nst.u32 [%A11], %r5;\n", 1, K(OVERWRITES),
     false},
    {"in place by vectors",
     "ld.global.v2.u32 {%r5, %r6}, [%A1];\nst.global.v2.u32 [%A1+8], {%r6, %r5};\n", 1,
     K(OVERWRITES), false},
    {"the read-only path reads all the same",
     ADD_A "ld.global.nc.u32 %r5, [%A11];\nst.global.u32 [%A11], %r5;\n", 1, K(OVERWRITES), false},
    {"two stores, one of them in place",
     ADD_A ADD_B "ld.global.u32 %r5, [%A11];\nst.global.u32 [%A12], %r5;\n"
                 "st.global.u32 [%A11], %r5;\n",
     1, K(OVERWRITES), false},
    {"a loop moves both pointers",
     "mov.uW %A20, %A1;\nmov.uW %A21, %A2;\nmov.u32 %r9, 0;\nTOP:\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A21], %r5;\nadd.uW %A20, %A20, 4;\nadd.uW %A21, %A21, 4;\n"
     "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r3;\n@%p1 bra TOP;\n",
     0, 0, false},
    {"a loop changes pointers over",
     "mov.uW %A20, %A1;\nmov.uW %A21, %A2;\nmov.u32 %r9, 0;\nTOP:\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A21], %r5;\nmov.uW %A22, %A20;\nmov.uW %A20, %A21;\nmov.uW %A21, %A22;\n"
     "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, %r3;\n@%p1 bra TOP;\n",
     1, K(OVERWRITES), false},
    {"a loop brings a pointer round late",
     "mov.uW %A20, %A1;\nmov.uW %A21, %A1;\nmov.uW %A22, %A1;\nTOP:\nst.global.u32 [%A20], %r2;\n"
     "mov.uW %A20, %A21;\nmov.uW %A21, %A22;\nmov.uW %A22, %A2;\nadd.u32 %r9, %r9, 1;\n"
     "setp.lt.u32 %p1, %r9, %r3;\n@%p1 bra TOP;\nld.global.u32 %r5, [%A2];\n"
     "st.global.u32 [%A3], %r5;\n",
     1, K(OVERWRITES), false},
    {"a choice of pointers",
     "setp.lt.u32 %p1, %r2, 7;\nselp.bW %A20, %A1, %A2, %p1;\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A2], %r5;\nst.global.u32 [%A3], %r5;\n",
     1, K(OVERWRITES), false},
    {"a guarded pointer",
     "setp.lt.u32 %p1, %r2, 7;\nmov.uW %A20, %A3;\n@%p1 mov.uW %A20, %A1;\n"
     "ld.global.u32 %r5, [%A20];\nst.global.u32 [%A1], %r5;\n",
     1, K(OVERWRITES), false},
    {"the addend of a product",
     "mad.lo.uW %A20, %A4, 4, %A1;\nld.global.u32 %r5, [%A1];\nst.global.u32 [%A20], %r5;\n", 1,
     K(OVERWRITES), false},
    {"from behind",
     "sub.uW %A20, %A1, %A4;\nld.global.u32 %r5, [%A1];\n"
     "st.global.u32 [%A20], %r5;\n",
     1, K(OVERWRITES), false},
    {"another choice of pointers",
     "setp.lt.u32 %p1, %r2, 7;\nselp.bW %A20, %A2, %A1, %p1;\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A2], %r5;\n",
     1, K(OVERWRITES), false},
    {"a choice of global and shared memory",
     "mov.uW %A19, tile;\ncvta.shared.uW %A20, %A19;\nsetp.lt.u32 %p1, %r2, 7;\n"
     "selp.bW %A21, %A20, %A1, %p1;\nld.global.u32 %r5, [%A1];\nst.u32 [%A21], %r5;\n",
     1, K(OVERWRITES), false},
    {"a pointer rounded by shifts",
     "shr.uW %A20, %A1, 4;\nshl.bW %A21, %A20, 4;\nld.global.u32 %r5, [%A1];\n"
     "st.global.u32 [%A21], %r5;\n",
     1, K(OVERWRITES), false},
    {"a pointer rounded by shifts and moved",
     "shr.uW %A20, %A1, 5;\nadd.uW %A21, %A20, 3;\nshl.bW %A22, %A21, 5;\n"
     "ld.global.u32 %r5, [%A1];\nst.global.u32 [%A22], %r5;\n",
     1, K(OVERWRITES), false},
    {"a pointer rounded by a product",
     "div.uW %A20, %A1, 24;\nmul.lo.uW %A21, %A20, 16;\nld.global.u32 %r5, [%A1];\n"
     "st.global.u32 [%A21], %r5;\n",
     1, K(OVERWRITES), false},
    {"a pointer rounded by a mask",
     "and.bW %A20, %A1, -16;\nld.global.u32 %r5, [%A1];\nst.global.u32 [%A20], %r5;\n", 1,
     K(OVERWRITES), false},
    {"an index that was loaded, masked, scaled",
     "ld.global.u32 %r5, [%A1];\nshr.u32 %r6, %r5, 3;\nand.b32 %r7, %r6, 255;\n"
     "mul.wide.u32 %D20, %r7, 4;\nadd.uW %A21, %A2, %A20;\nst.global.u32 [%A21], %r2;\n",
     0, 0, false},
    {"an index that was loaded, less three, scaled",
     "ld.global.u32 %r5, [%A1];\nsub.u32 %r6, %r5, %r2;\nmul.wide.u32 %D20, %r6, 4;\n"
     "add.uW %A21, %A2, %A20;\nst.global.u32 [%A21], %r2;\n",
     0, 0, false},
    {"an index that was loaded, shifted far",
     "ld.global.u16 %r5, [%A1];\nshl.b32 %r6, %r5, 16;\ncvt.uW.u32 %A20, %r6;\n"
     "add.uW %A21, %A2, %A20;\nst.global.u32 [%A21], %r2;\n",
     1, K(ANYWHERE), false},
    {"a pointer of another lane",
     "mov.u32 %r20, 0;\nld.global.u32 %r5, [%A1];\n"
     "cvt.u32.uW %r21, %A1;\n"
     "shfl.idx.b32 %r22, %r21, 3, 31;\ncvt.uW.u32 %A20, %r22;\n"
     "st.global.u32 [%A20], %r5;\n",
     1, K(OVERWRITES), false},
    {"pointers in a struct",
     "ld.param.uW %A20, [s+8];\nld.param.uW %A21, [s+16];\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A21], %r5;\n",
     0, 0, false},
    {"a pointer in a struct, in place",
     "ld.param.uW %A20, [s+8];\nld.global.u32 %r5, [%A20+4];\nst.global.u32 [%A20], %r5;\n", 1,
     K(OVERWRITES), false},
    {"atomic", ADD_A "atom.global.add.u32 %r5, [%A11], 1;\n", 1, K(ATOMIC), false},
    {"atomic without result", ADD_A "red.global.add.u32 [%A11], 1;\n", 1, K(ATOMIC), false},
    {"an atomic reads", ADD_A "atom.global.add.u32 %r5, [%A1], 1;\nst.global.u32 [%A11], %r5;\n", 2,
     K(ATOMIC) | K(OVERWRITES), false},
    {"atomic in shared memory",
     "mov.u32 %r9, tile;\natom.shared.add.u32 %r5, [%r9], 1;\n"
     "red.shared.add.u32 [%r9+4], 1;\n" ADD_A "st.global.u32 [%A11], %r5;\n",
     0, 0, false},
    {"shared and local memory",
     "mov.u32 %r9, tile;\nmov.u32 %r10, mine;\nst.shared.u32 [%r9], %r2;\nst.local.u32 [%r10], "
     "%r2;\nld.shared.u32 %r5, [%r9];\nld.local.u32 %r6, [%r10];\nadd.u32 %r5, %r5, %r6;\n" ADD_A
     "st.global.u32 [%A11], %r5;\n",
     0, 0, false},
    {"shared memory by generic address",
     "mov.uW %A20, tile;\ncvta.shared.uW %A20, %A20;\nadd.uW %A20, %A20, %A4;\nst.u32 [%A20], "
     "%r2;\nld.u32 %r5, [%A20];\n",
     0, 0, false},
    {"printf",
     "{ .param .bW p0; .param .bW p1; .param .b32 x;\nst.param.bW [p0], %A1;\n"
     "st.param.bW [p1], %A2;\ncall.uni (x), vprintf, (p0, p1); }\n",
     1, K(SERVICE), false},
    {"malloc and free",
     "{ .param .bW p0; .param .bW x;\nst.param.bW [p0], 16;\ncall.uni (x), malloc, (p0);\n"
     "ld.param.bW %A20, [x]; }\n{ .param .bW p0;\nst.param.bW [p0], %A20;\n"
     "call.uni free, (p0); }\n",
     2, K(SERVICE), false},
    {"trap", "setp.eq.u32 %p1, %r2, %r3;\n@%p1 trap;\n" ADD_A "st.global.u32 [%A11], %r2;\n", 0, 0,
     false},
    {"a store through a pointer that was loaded",
     "ld.global.uW %A20, [%A1];\nst.global.u32 [%A20], %r2;\n", 1, K(ANYWHERE), false},
    {"the same through a chain",
     "ld.global.uW %A20, [%A1];\nadd.uW %A21, %A20, %A4;\nand.bW %A21, %A21, -16;\n"
     "st.global.u32 [%A21+16], %r2;\n",
     1, K(ANYWHERE), false},
    {"shared memory by generic address beside a store",
     "mov.uW %A20, tile;\ncvta.shared.uW %A21, %A20;\nadd.uW %A22, %A21, %A4;\n"
     "ld.u32 %r5, [%A22];\natom.add.u32 %r6, [%A22], 1;\nst.global.u32 [%A1], %r5;\n",
     0, 0, false},
    {"a load through a pointer that was loaded",
     "ld.global.uW %A20, [%A1];\nld.global.u32 %r5, [%A20];\nst.global.u32 [%A2], %r5;\n", 1,
     K(READ_BACK), false},
    {"an address that is a number",
     "st.global.u32 [3221225728], %r2;\nld.global.u32 %r5, [%A1];\n"
     "st.global.u32 [%A2], %r5;\n",
     1, K(ANYWHERE), false},
    {"an index that was loaded, scaled",
     "ld.global.u32 %r5, [%A1];\nmul.wide.u32 %D20, %r5, 4;\nadd.uW %A20, %A2, %A20;\n"
     "st.global.u32 [%A20], %r2;\n",
     0, 0, false},
    {"an index that was loaded, of bytes",
     "ld.global.uW %A20, [%A1];\nadd.uW %A20, %A2, %A20;\nst.global.u8 [%A20], %r2;\n", 1,
     K(ANYWHERE), false},
    {"a pointer put together of bytes",
     "ld.global.u8 %r5, [%A1];\nld.global.u8 %r6, [%A1+1];\nld.global.u8 %r7, [%A1+2];\n"
     "ld.global.u8 %r8, [%A1+3];\nshl.b32 %r6, %r6, 8;\nshl.b32 %r7, %r7, 16;\n"
     "shl.b32 %r8, %r8, 24;\nor.b32 %r5, %r5, %r6;\nor.b32 %r5, %r5, %r7;\n"
     "or.b32 %r5, %r5, %r8;\ncvt.uW.u32 %A20, %r5;\nadd.uW %A21, %A2, %A20;\n"
     "st.global.u32 [%A21], %r2;\n",
     1, K(ANYWHERE), false},
    {"a module variable, in place",
     "mov.uW %A20, table;\nld.global.u32 %r5, [%A20];\nst.global.u32 [table+4], %r5;\n", 1,
     K(OVERWRITES), false},
    {"a module variable to a buffer", "ld.global.u32 %r5, [table];\nst.global.u32 [%A1], %r5;\n", 0,
     0, false},
    {"a pointer through local memory",
     "st.local.uW [mine+8], %A1;\nld.local.uW %A20, [mine+8];\nld.global.u32 %r5, [%A20];\n"
     "st.global.u32 [%A2], %r5;\n",
     0, 0, true},
};

static void check_one(const want *w, unsigned bits, bool cleaned)
{
    char text[MAX_TEXT];
    wr_compile_options options = {.no_cleanup = !cleaned};
    const launch apart = {.all_apart = true};

    fill_in(text, sizeof text, w->body, bits);
    wr_module *m = wr_test_compile_text(text, &options);
    found f = look(&m->kernels[0], &apart);
    bool same = f.count == w->count && f.kinds == w->kinds;

    /* No clean-ups: an instruction may be more, and more of them, never less. */
    if (!same && (cleaned || !w->cleaned_only || f.count < w->count)) {
        fail_msg("%s, %u bits, %s: %zu harmful instructions of kinds %x, expected %zu of %x",
                 w->name, bits, cleaned ? "cleaned" : "not cleaned", f.count, f.kinds, w->count,
                 w->kinds);
    }
    wr_module_free(m);
}

static void kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wants / sizeof wants[0]; i++) {
        for (unsigned way = 0; way < 4; way++) {
            check_one(&wants[i], (way & 1) != 0 ? 64 : 32, way < 2);
        }
    }
}

/* The launch knows which pointers are to one buffer, and which words are none. */
static found at_launch(const char *body, launch l)
{
    char text[MAX_TEXT];

    fill_in(text, sizeof text, body, 32);
    wr_module *m = wr_test_compile_text(text, NULL);
    found f = look(&m->kernels[0], &l);

    wr_module_free(m);
    return f;
}

static void launches(void **state)
{
    static const char copy[] = ADD_A ADD_B "ld.global.u32 %r5, [%A11];\n"
                                           "st.global.u32 [%A12], %r5;\n";
    /* a byte n behind: only the launch knows which of a and n is the pointer */
    static const char bytes[] = "add.u32 %A20, %A1, %r3;\nld.global.u8 %r5, [%A2];\n"
                                "st.global.u8 [%A20], %r5;\n";
    found f;

    (void)state;
    assert_int_equal(at_launch(copy, (launch){.buffer = {1, 2}}).count, 0);
    f = at_launch(copy, (launch){.buffer = {1, 1}}); /* one buffer given twice */
    assert_int_equal(f.count, 1);
    assert_int_equal(f.kinds, K(OVERWRITES));
    f = at_launch(copy, (launch){.buffer = {1, 0}}); /* b points nowhere */
    assert_int_equal(f.kinds, K(ANYWHERE));
    f = at_launch(copy, (launch){.buffer = {0, 1}});
    assert_int_equal(f.kinds, K(READ_BACK));

    assert_int_equal(at_launch(bytes, (launch){.buffer = {1, 2, 3, 0}}).count, 0);
    /* n looks like a pointer: to a buffer that nobody reads, to the one that is read */
    assert_int_equal(at_launch(bytes, (launch){.buffer = {1, 2, 3, 4}}).count, 0);
    assert_int_equal(at_launch(bytes, (launch){.buffer = {1, 2, 3, 2}}).kinds, K(OVERWRITES));
    /* neither is one */
    assert_int_equal(at_launch(bytes, (launch){.buffer = {0, 2, 3, 0}}).kinds, K(ANYWHERE));
    /* a is the one that is read */
    assert_int_equal(at_launch(bytes, (launch){.buffer = {2, 2, 3, 0}}).kinds, K(OVERWRITES));
}

/* More roots than the table holds: unknown. */
static void many_roots(void **state)
{
    static const char body[] =
        "ld.param.u32 %r20, [s];\nld.param.u32 %r21, [s+4];\nld.param.u32 %r22, [s+8];\n"
        "ld.param.u32 %r23, [s+12];\nadd.u32 %A20, %A1, %r20;\nadd.u32 %A20, %A20, %r21;\n"
        "add.u32 %A20, %A20, %r22;\nld.global.u32 %r5, [%A2];\nst.global.u8 [%A20], %r5;\n";
    static const char more[] =
        "ld.param.u32 %r20, [s];\nld.param.u32 %r21, [s+4];\nld.param.u32 %r22, [s+8];\n"
        "ld.param.u32 %r23, [s+12];\nadd.u32 %A20, %A1, %r20;\nadd.u32 %A20, %A20, %r21;\n"
        "add.u32 %A20, %A20, %r22;\nadd.u32 %A20, %A20, %r23;\nld.global.u32 %r5, [%A2];\n"
        "st.global.u8 [%A20], %r5;\n";
    const launch l = {.buffer = {1, 2, 3}};

    (void)state;
    assert_int_equal(at_launch(body, l).count, 0);
    assert_int_equal(at_launch(more, l).kinds, K(ANYWHERE));
}

/* What is handed down a recursion is unknown; a kernel without a table knows nothing either. */
static void recursion(void **state)
{
    static const char text[] =
        ".version 6.0\n.target sm_50\n.address_size 32\n"
        ".func f(.param .b32 p, .param .b32 n)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n"
        "ld.param.u32 %r1, [p];\nld.param.u32 %r2, [n];\nst.global.u32 [%r1], %r2;\n"
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra END;\nsub.u32 %r2, %r2, 1;\nadd.u32 %r1, %r1, 4;\n"
        "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\nst.param.b32 [b], %r2;\n"
        "call.uni f, (a, b); }\nEND:\nret;\n}\n"
        ".visible .entry k(.param .u32 out, .param .u32 in)\n{\n.reg .b32 %r<9>;\n"
        "ld.param.u32 %r1, [out];\nld.param.u32 %r2, [in];\nld.global.u32 %r3, [%r2];\n"
        "{ .param .b32 a; .param .b32 b;\nst.param.b32 [a], %r1;\nst.param.b32 [b], %r3;\n"
        "call.uni f, (a, b); }\nret;\n}\n";
    wr_module *m = wr_test_compile_text(text, NULL);
    const launch apart = {.all_apart = true};
    found f = look(&m->kernels[0], &apart);

    (void)state;
    assert_int_equal(f.count, 1);
    assert_int_equal(f.kinds, K(ANYWHERE));
    m->kernels[0].roots = NULL;
    f = look(&m->kernels[0], &apart);
    assert_int_equal(f.kinds, K(READ_BACK));
    wr_module_free(m);
}

/* A pointer that goes from register to register, one in each turn of a loop: in the end the pass
 * has looked often enough, and knows nothing. */
static found pass_round(unsigned registers)
{
    char text[MAX_TEXT] = ".version 6.0\n.target sm_50\n.address_size 32\n"
                          ".visible .entry k(.param .u32 a, .param .u32 b)\n{\n.reg .pred %p<3>;\n"
                          ".reg .b32 %r<99>;\nld.param.u32 %r1, [a];\nld.param.u32 %r2, [b];\n"
                          "ld.global.u32 %r3, [%r2];\nmov.u32 %r4, 0;\n";
    const launch apart = {.all_apart = true};
    size_t at = strlen(text);

    for (unsigned i = 0; i < registers; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "mov.u32 %%r%u, %%r1;\n", 10 + i);
    }
    at += (size_t)snprintf(text + at, sizeof text - at, "TOP:\nst.global.u32 [%%r10], %%r3;\n");
    for (unsigned i = 0; i < registers; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "mov.u32 %%r%u, %%r%u;\n", 10 + i,
                               i + 1 < registers ? 11 + i : 2u);
    }
    (void)snprintf(
        text + at, sizeof text - at,
        "add.u32 %%r4, %%r4, 1;\nsetp.lt.u32 %%p1, %%r4, 90;\n@%%p1 bra TOP;\nret;\n}\n");
    wr_module *m = wr_test_compile_text(text, NULL);
    found f = look(&m->kernels[0], &apart);

    wr_module_free(m);
    return f;
}

static void many_passes(void **state)
{
    (void)state;
    assert_int_equal(pass_round(20).kinds, K(OVERWRITES));
    assert_int_equal(pass_round(60).kinds, K(READ_BACK));
}

/* Spills keep the roots: few registers, the same answer. */
static void spills(void **state)
{
    char text[MAX_TEXT], body[2048] = "";
    wr_compile_options options = {.max_regs = 8};
    const launch apart = {.all_apart = true};
    size_t at = 0;

    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        at += (size_t)snprintf(body + at, sizeof body - at, "ld.global.u32 %%r%u, [%%A1+%u];\n",
                               10 + i, 4 * i);
    }
    for (unsigned i = 0; i < 12; i++) {
        at += (size_t)snprintf(body + at, sizeof body - at, "st.global.u32 [%%A%u+%u], %%r%u;\n",
                               i == 7 ? 1u : 2u, 4 * i, 21 - i);
    }
    fill_in(text, sizeof text, body, 64);
    wr_module *m = wr_test_compile_text(text, &options);
    found f = look(&m->kernels[0], &apart);

    assert_true(m->kernels[0].spill_bytes > 0);
    assert_int_equal(f.count, 1);
    assert_int_equal(f.kinds, K(OVERWRITES));
    wr_module_free(m);
}

/* The words for people name line and reader. */
static void words(void **state)
{
    char text[MAX_TEXT], said[160];

    (void)state;
    fill_in(text, sizeof text, "ld.global.u32 %r5, [%A1];\nst.global.u32 [%A1], %r5;\n", 32);
    wr_module *m = wr_test_compile_text(text, NULL);
    const wr_kernel *k = &m->kernels[0];
    wr_harm *harms = calloc(k->insn_count, sizeof *harms);
    unsigned st = wr_test_find(m, WR_OP_ST, 0), ld = wr_test_find(m, WR_OP_LD, 0);
    char want_text[160];

    assert_non_null(harms);
    assert_int_equal(wr_idempotence_apart(k, harms), 1);
    assert_int_equal(harms[st].kind, WR_HARM_OVERWRITES);
    assert_int_equal(harms[st].reader, ld);
    assert_int_equal(k->lines[st], k->lines[ld] + 1);
    (void)wr_harm_print(k, st, &harms[st], said, sizeof said);
    (void)snprintf(want_text, sizeof want_text, "st to the buffer that %05x (PTX line %u) reads",
                   k->insns[ld].pc, k->lines[ld]);
    assert_string_equal(said, want_text);
    free(harms);
    wr_module_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels),     cmocka_unit_test(launches),  cmocka_unit_test(many_roots),
        cmocka_unit_test(many_passes), cmocka_unit_test(recursion), cmocka_unit_test(spills),
        cmocka_unit_test(words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
