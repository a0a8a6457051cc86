/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of functions, direct and by value, recursion, and branches through a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/ops/warp_rig.h"

#define LOAD "ld.global.u32 %r1, [%in];\n"
#define SAVE "st.global.u32 [%out], %r2;\n"

/* ---- direct calls ---- */

#define MIX                                                                                        \
    ".func (.param .b32 res) mix(.param .b32 x, .param .b32 y)\n{\n.reg .b32 %r<9>;\n"             \
    ".reg .pred %p<2>;\nld.param.u32 %r1, [x];\nld.param.u32 %r2, [y];\n"                          \
    "setp.gt.u32 %p1, %r1, %r2;\n@%p1 bra BIG;\nmad.lo.u32 %r3, %r1, 3, %r2;\n"                    \
    "st.param.b32 [res], %r3;\nret;\nBIG:\nxor.b32 %r3, %r1, %r2;\nst.param.b32 [res], %r3;\n"     \
    "ret;\n}\n"

static uint32_t mix(uint32_t x, uint32_t y)
{
    return x > y ? x ^ y : x * 3 + y;
}

static void direct(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = mix(mix(in[t], 100), in[t]);
    }
}

#define STRUCTS                                                                                    \
    ".func (.param .align 4 .b8 res[12]) rotate(.param .align 4 .b8 a[12], .param .b8 by, "        \
    ".param .b64 wide)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<3>;\n"                                   \
    "ld.param.u32 %r1, [a];\nld.param.u32 %r2, [a+4];\nld.param.u32 %r3, [a+8];\n"                 \
    "ld.param.s8 %r4, [by];\nld.param.u64 %d1, [wide];\nshr.u64 %d1, %d1, 32;\n"                   \
    "cvt.u32.u64 %r5, %d1;\nadd.u32 %r1, %r1, %r4;\nadd.u32 %r1, %r1, %r5;\n"                      \
    "st.param.b32 [res], %r2;\nst.param.b32 [res+4], %r3;\nst.param.b32 [res+8], %r1;\nret;\n}\n"

static void structs(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t by = (in[3 * t] & 0x80) != 0 ? in[3 * t] | 0xffffff00u : in[3 * t] & 0xffu;

        out[3 * t] = in[3 * t + 1];
        out[3 * t + 1] = in[3 * t + 2];
        out[3 * t + 2] = in[3 * t] + by + in[3 * t + 1];
    }
}

static void guarded(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = (in[t] & 1) != 0 ? mix(in[t], 100) : in[t];
    }
}

/* The function's own array, and a pointer to the caller's. */
#define ARRAY                                                                                      \
    ".func gather(.param .@B ptr, .param .b32 n)\n{\n.reg .b32 %r<9>;\n.reg .@B %a<5>;\n"          \
    ".reg .pred %p<2>;\n.local .align 4 .b8 own[32];\nld.param.@P %a1, [ptr];\n"                   \
    "ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\nmov.@P %a2, own;\ncvta.local.@P %a2, %a2;\n"         \
    "FILL:\nshl.b32 %r3, %r2, 2;\ncvt.@P.u32 %a3, %r3;\nadd.@P %a4, %a2, %a3;\n"                   \
    "mul.lo.u32 %r4, %r1, %r2;\nst.u32 [%a4], %r4;\nadd.u32 %r2, %r2, 1;\n"                        \
    "setp.lt.u32 %p1, %r2, 8;\n@%p1 bra FILL;\n"                                                   \
    "and.b32 %r3, %r1, 7;\nshl.b32 %r3, %r3, 2;\ncvt.@P.u32 %a3, %r3;\nadd.@P %a4, %a2, %a3;\n"    \
    "ld.u32 %r5, [%a4];\nst.u32 [%a1], %r5;\nld.u32 %r6, [%a1+4];\nadd.u32 %r6, %r6, %r5;\n"       \
    "st.u32 [%a1+4], %r6;\nret;\n}\n"

static void arrays(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[2 * t] = in[t] * (in[t] & 7);
        out[2 * t + 1] = out[2 * t] + 5;
    }
}

/* ---- by value ---- */

#define THREE                                                                                      \
    ".func (.param .b32 r) f0(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"        \
    "add.u32 %r2, %r1, 11;\nst.param.b32 [r], %r2;\nret;\n}\n"                                     \
    ".func (.param .b32 r) f1(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"        \
    "mul.lo.u32 %r2, %r1, 7;\nst.param.b32 [r], %r2;\nret;\n}\n"                                   \
    ".func (.param .b32 r) f2(.param .b32 x) {\n.reg .b32 %r<4>;\nld.param.u32 %r1, [x];\n"        \
    "not.b32 %r2, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n"                                         \
    ".global .align 8 .@P table[3] = {f0, f1, f2};\n"

static void by_value(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t k = in[t] % 3;

        out[t] = k == 0 ? in[t] + 11 : k == 1 ? in[t] * 7 : ~in[t];
    }
}

/* ---- recursion ---- */

#define FIB                                                                                        \
    ".func (.param .b32 r) fib(.param .b32 n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"           \
    "ld.param.u32 %r1, [n];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra SMALL;\nadd.u32 %r2, %r1, -1;\n"   \
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r2;\ncall (b), fib, (a);\n"             \
    "ld.param.b32 %r3, [b];\n}\nadd.u32 %r4, %r1, -2;\n"                                           \
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r4;\ncall (b), fib, (a);\n"             \
    "ld.param.b32 %r5, [b];\n}\nadd.u32 %r6, %r3, %r5;\nst.param.b32 [r], %r6;\nret;\n"            \
    "SMALL:\nst.param.b32 [r], %r1;\nret;\n}\n"

static uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void recursive(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = fib(in[t] & 7) * 16 + fib(t & 3);
    }
}

/* A set of operands is a call. */
static uint32_t fib_calls(uint32_t n)
{
    return n < 2 ? 1 : 1 + fib_calls(n - 1) + fib_calls(n - 2);
}

static uint64_t recursive_calls(const uint32_t *in, uint32_t threads)
{
    uint64_t n = 0;

    for (uint32_t t = 0; t < threads; t++) {
        n += fib_calls(in[t] & 7) + fib_calls(t & 3);
    }
    return n;
}

static uint64_t barrier_calls(const uint32_t *in, uint32_t threads)
{
    uint64_t n = 0;

    for (uint32_t t = 0; t < threads; t++) {
        n += fib_calls(in[t] & 7) + fib_calls(fib(in[(t + 33) % threads] & 7) % 6);
    }
    return n;
}

static uint64_t mutual_calls(const uint32_t *in, uint32_t threads)
{
    uint64_t n = 0;

    for (uint32_t t = 0; t < threads; t++) {
        n += 1 + in[t] % 13;
    }
    return n;
}

/* is_even and is_odd call each other, with a 64-bit and a predicate register to keep. */
#define EVEN_ODD                                                                                   \
    ".func (.param .b32 r) odd(.param .b32 n);\n"                                                  \
    ".func (.param .b32 r) even(.param .b32 n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n"          \
    ".reg .b64 %d<3>;\nld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r3, 1;\n"        \
    "@%p1 bra DONE;\nmul.wide.u32 %d1, %r1, %r1;\nand.b32 %r4, %r1, 4;\nsetp.ne.u32 %p2, %r4, "    \
    "0;\n"                                                                                         \
    "add.u32 %r2, %r1, -1;\ncall (%r3), odd, (%r2);\ncvt.u32.u64 %r5, %d1;\n"                      \
    "@%p2 add.u32 %r3, %r3, %r5;\nDONE:\nst.param.b32 [r], %r3;\nret;\n}\n"                        \
    ".func (.param .b32 r) odd(.param .b32 n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"           \
    "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r3, 0;\n"                          \
    "@!%p1 add.u32 %r2, %r1, -1;\n@!%p1 call (%r3), even, (%r2);\nst.param.b32 [r], %r3;\n"        \
    "ret;\n}\n"

static uint32_t odd(uint32_t n);
static uint32_t even(uint32_t n)
{
    return n == 0 ? 1 : odd(n - 1) + ((n & 4) != 0 ? n * n : 0);
}
static uint32_t odd(uint32_t n)
{
    return n == 0 ? 0 : even(n - 1);
}
static void mutual(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = even(in[t] % 13);
    }
}

/* A function that gets itself as a value. */
#define SELF                                                                                       \
    ".func (.param .b32 r) down(.param .@B f, .param .b32 n)\n{\n.reg .b32 %r<9>;\n"               \
    ".reg .pred %p<2>;\n.reg .@B %a<3>;\nld.param.@P %a1, [f];\nld.param.u32 %r1, [n];\n"          \
    "mov.u32 %r3, 3;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nadd.u32 %r2, %r1, -1;\n"            \
    "proto: .callprototype (.param .b32 _) _ (.param .@B _, .param .b32 _);\n"                     \
    "call (%r3), %a1, (%a1, %r2), proto;\nmad.lo.u32 %r3, %r3, 5, %r1;\nEND:\n"                    \
    "st.param.b32 [r], %r3;\nret;\n}\n"
static void self(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t n = in[t] & 15;

        out[t] = 3;
        for (uint32_t i = 1; i <= n; i++) {
            out[t] = out[t] * 5 + i;
        }
    }
}

/* ---- parameters that are registers ---- */

#define REG_MIX                                                                                    \
    ".func (.reg .b32 %res) mix(.reg .b32 %x, .reg .b32 %r1)\n{\n.reg .pred %p<2>;\n"              \
    "setp.gt.u32 %p1, %x, %r1;\nxor.b32 %res, %x, %r1;\n@%p1 ret;\n"                               \
    "mad.lo.u32 %res, %x, 3, %r1;\nret;\n}\n"

#define REG_FIB                                                                                    \
    ".func (.reg .b32 %res) fib(.reg .b32 %n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"           \
    "setp.lt.u32 %p1, %n, 2;\nmov.b32 %res, %n;\n@%p1 ret;\nadd.u32 %r2, %n, -1;\n"                \
    "call (%res), fib, (%r2);\nadd.u32 %n, %n, -2;\ncall (%r2), fib, (%n);\n"                      \
    "add.u32 %res, %res, %r2;\nret;\n}\n"

/* What it returns it knows before its call, of which it wants nothing. */
#define REG_KEPT                                                                                   \
    ".func (.reg .b32 %res) kept(.reg .b32 %n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\n"          \
    "setp.eq.u32 %p1, %n, 0;\nmov.b32 %res, 3;\n@%p1 ret;\nmad.lo.u32 %res, %n, 7, 2;\n"           \
    "add.u32 %r1, %n, -1;\ncall (%r2), kept, (%r1);\n}\n"

static void kept(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = (in[t] & 15) == 0 ? 3 : (in[t] & 15) * 7 + 2;
    }
}

/* ---- tables ---- */

static void table(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = in[t] % 4 == 1 ? in[t] * 3 : in[t] % 4 == 3 ? ~in[t] : in[t] + 1;
    }
}

#define CALL1(to, res, arg)                                                                        \
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], " arg ";\ncall.uni (b), " to             \
    ", (a);\nld.param.b32 " res ", [b];\n}\n"

static void looped(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t left = in[t] & 15; left-- > 0;) {
            out[t] = left % 2 == 0 ? out[t] ^ in[t] : out[t] * 3 + left;
        }
    }
}

static void left(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = (in[t] & 1) != 0 ? 1 : (in[t] & 6) != 0 ? 2 : 3;
    }
}

/* Lanes come back from different depths and must be together at the barriers. */
static void with_barriers(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t from = (t + 33) % threads, then = (from + 33) % threads;

        out[t] = fib(fib(in[from] & 7) % 6) + fib(in[then] & 7) % 6;
    }
}
#define EXCHANGE "st.shared.u32 [%a2], %r2;\nbar.sync 0;\nld.shared.u32 %r2, [%a3];\nbar.sync 0;\n"

static const rig_case cases[] = {
    {"barriers between recursive calls", FIB,
     LOAD ".shared .align 4 .b8 s[4096];\nmov.@P %a1, s;\nshl.b32 %r3, %t, 2;\n"
          "cvt.@P.u32 %a2, %r3;\nadd.@P %a2, %a2, %a1;\nadd.u32 %r3, %t, 33;\n"
          "mov.u32 %r4, %ntid.x;\nrem.u32 %r3, %r3, %r4;\nshl.b32 %r3, %r3, 2;\n"
          "cvt.@P.u32 %a3, %r3;\nadd.@P %a3, %a3, %a1;\nand.b32 %r3, %r1, 7;\n"
          "call (%r2), fib, (%r3);\nrem.u32 %r2, %r2, 6;\n" EXCHANGE "mov.u32 %r7, %r2;\n" EXCHANGE
          "mov.u32 %r8, %r2;\ncall (%r2), fib, (%r7);\nadd.u32 %r2, %r2, %r8;\n"
          "bar.sync 0;\n" SAVE,
     1, 1, 0, with_barriers, .subject = "call ret", .sets = barrier_calls},
    {"call with variables", MIX,
     LOAD "{\n.param .b32 a;\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [a], %r1;\n"
          "st.param.b32 [b], 100;\ncall.uni (c), mix, (a, b);\nld.param.b32 %r2, [c];\n}\n"
          "{\n.param .b32 a;\n.param .b32 b;\n.param .b32 c;\nst.param.b32 [a], %r2;\n"
          "st.param.b32 [b], %r1;\ncall.uni (c), mix, (a, b);\nld.param.b32 %r2, [c];\n}\n" SAVE,
     1, 1, 0, direct, .subject = "call ret", .alone = true},
    {"call with registers and numbers", MIX,
     LOAD "call (%r3), mix, (%r1, 100);\ncall (%r2), mix, (%r3, %r1);\n" SAVE, 1, 1, 0, direct,
     .subject = "call ret"},
    {"registers for parameters", REG_MIX,
     LOAD "call (%r3), mix, (%r1, 100);\ncall (%r2), mix, (%r3, %r1);\n" SAVE, 1, 1, 0, direct,
     .subject = "call ret", .alone = true},
    {"registers for parameters of recursion", REG_FIB,
     LOAD "and.b32 %r3, %r1, 7;\ncall (%r2), fib, (%r3);\nand.b32 %r4, %t, 3;\n"
          "call (%r5), fib, (%r4);\nmad.lo.u32 %r2, %r2, 16, %r5;\n" SAVE,
     1, 1, 0, recursive, .subject = "call ret", .sets = recursive_calls},
    {"a register that is returned past a call", REG_KEPT,
     LOAD "and.b32 %r3, %r1, 15;\ncall (%r2), kept, (%r3);\n" SAVE, 1, 1, 0, kept,
     .subject = "call ret", .alone = true},
    {"structs, bytes, 64 bits", STRUCTS,
     LOAD "ld.global.u32 %r2, [%in+4];\nld.global.u32 %r3, [%in+8];\nmov.b64 %d1, {%r3, %r2};\n"
          "{\n.param .align 4 .b8 a[12];\n.param .b8 b;\n.param .b64 c;\n"
          ".param .align 4 .b8 r[12];\nst.param.b32 [a], %r1;\nst.param.b32 [a+4], %r2;\n"
          "st.param.b32 [a+8], %r3;\nst.param.b8 [b], %r1;\nst.param.b64 [c], %d1;\n"
          "call.uni (r), rotate, (a, b, c);\nld.param.b32 %r4, [r];\nld.param.b32 %r5, [r+4];\n"
          "ld.param.b32 %r6, [r+8];\n}\nst.global.u32 [%out], %r4;\nst.global.u32 [%out+4], %r5;\n"
          "st.global.u32 [%out+8], %r6;\n",
     3, 3, 0, structs, .subject = "call ret", .alone = true},
    {"guarded call", MIX,
     LOAD "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\nmov.u32 %r2, %r1;\n"
          "@%p1 call (%r2), mix, (%r1, 100);\n" SAVE,
     1, 1, 0, guarded, .subject = "call ret", .alone = true},
    {"pointers to local memory", ARRAY,
     LOAD ".local .align 4 .b8 l[8];\nmov.@P %a1, l;\ncvta.local.@P %a1, %a1;\nmov.u32 %r3, 5;\n"
          "st.u32 [%a1+4], %r3;\n{\n.param .@B p;\n.param .b32 n;\nst.param.@B [p], %a1;\n"
          "st.param.b32 [n], %r1;\ncall.uni gather, (p, n);\n}\nld.local.u32 %r2, [l];\n"
          "st.global.u32 [%out], %r2;\nld.local.u32 %r2, [l+4];\nst.global.u32 [%out+4], %r2;\n",
     1, 2, 0, arrays, .subject = "call ret", .alone = true},
    {"call by value, prototype", THREE,
     LOAD
     "rem.u32 %r3, %r1, 3;\nmul.lo.u32 %r3, %r3, @8;\ncvt.@P.u32 %a1, %r3;\nmov.@P %a2, table;\n"
     "add.@P %a2, %a2, %a1;\nld.global.@P %a3, [%a2];\n"
     "proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
     "call (%r2), %a3, (%r1), proto;\n" SAVE,
     1, 1, 0, by_value, .subject = "call ret", .alone = true},
    {"call by value, targets", THREE,
     LOAD "rem.u32 %r3, %r1, 3;\nmov.@P %a1, f0;\nmov.@P %a2, f1;\nmov.@P %a3, f2;\n"
          "setp.eq.u32 %p1, %r3, 1;\nsetp.eq.u32 %p2, %r3, 2;\n@%p1 mov.@P %a1, %a2;\n"
          "@%p2 mov.@P %a1, %a3;\nto: .calltargets f0, f1, f2;\ncall (%r2), %a1, (%r1), to;\n" SAVE,
     1, 1, 0, by_value, .subject = "call ret", .alone = true},
    {"recursion", FIB,
     LOAD "and.b32 %r3, %r1, 7;\n" CALL1("fib", "%r2", "%r3") "and.b32 %r4, %t, 3;\n" CALL1(
         "fib", "%r5", "%r4") "mad.lo.u32 %r2, %r2, 16, %r5;\n" SAVE,
     1, 1, 0, recursive, .subject = "call ret", .sets = recursive_calls},
    {"mutual recursion", EVEN_ODD, LOAD "rem.u32 %r3, %r1, 13;\ncall (%r2), even, (%r3);\n" SAVE, 1,
     1, 0, mutual, .subject = "call ret", .sets = mutual_calls},
    {"recursion by value", SELF,
     LOAD "mov.@P %a1, down;\nand.b32 %r3, %r1, 15;\n"
          "proto: .callprototype (.param .b32 _) _ (.param .@B _, .param .b32 _);\n"
          "call (%r2), %a1, (%a1, %r3), proto;\n" SAVE,
     1, 1, 0, self, .subject = "call ret", .alone = true},
    {"brx.idx", NULL,
     LOAD "and.b32 %r3, %r1, 3;\nts: .branchtargets A, B, A, C;\nbrx.idx %r3, ts;\n"
          "A:\nadd.u32 %r2, %r1, 1;\nbra END;\nB:\nmul.lo.u32 %r2, %r1, 3;\nbra END;\n"
          "C:\nnot.b32 %r2, %r1;\nEND:\n" SAVE,
     1, 1, 0, table, .subject = "brx.idx", .alone = true},
    {"bra", NULL,
     LOAD "and.b32 %r3, %r1, 15;\nmov.u32 %r2, 0;\nTOP:\nsetp.eq.u32 %p1, %r3, 0;\n"
          "@%p1 bra END;\nadd.u32 %r3, %r3, -1;\nand.b32 %r4, %r3, 1;\nsetp.eq.u32 %p2, %r4, 0;\n"
          "@%p2 bra EVEN;\nmad.lo.u32 %r2, %r2, 3, %r3;\nbra.uni TOP;\nEVEN:\n"
          "xor.b32 %r2, %r2, %r1;\n@!%p1 bra TOP;\nEND:\n" SAVE,
     1, 1, 0, looped, .subject = "bra", .alone = true},
    {"exit and ret", NULL,
     LOAD "mov.u32 %r2, 1;\n" SAVE "and.b32 %r3, %r1, 1;\nsetp.ne.u32 %p1, %r3, 0;\n"
          "@%p1 exit;\nmov.u32 %r2, 2;\n" SAVE "and.b32 %r3, %r1, 6;\nsetp.ne.u32 %p2, %r3, 0;\n"
          "@%p2 ret;\nmov.u32 %r2, 3;\n" SAVE,
     1, 1, 0, left, .subject = "exit ret", .alone = true},
};

static void test_calls(void **state)
{
    uint64_t saved = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        saved += rig_check(&cases[i], RIG_ANY);
    }
    assert_true(saved > 0);
}

static void test_stack_overflow(void **state)
{
    static const rig_case c = {
        "without end",
        ".func (.param .b32 r) f(.param .b32 n)\n{\n.reg .b32 %r<4>;\nld.param.u32 %r1, [n];\n"
        "call (%r2), f, (%r1);\nadd.u32 %r2, %r2, %r1;\nst.param.b32 [r], %r2;\nret;\n}\n",
        LOAD "call (%r2), f, (%r1);\n" SAVE,
        1,
        1,
        0,
        NULL,
        .subject = NULL};
    char message[512];

    (void)state;
    if (strstr(rig_fault(&c, NULL, message), "the thread's stack of 4096 bytes is full") == NULL) {
        fail_msg("'%s'", message);
    }
}

static void test_trap(void **state)
{
    static const rig_case c = {"trap",
                               NULL,
                               "setp.eq.u32 %p1, %t, 33;\n@%p1 trap;\nst.global.u32 [%out], %t;\n",
                               1,
                               1,
                               0,
                               NULL,
                               .subject = NULL};
    char message[512];

    (void)state;
    if (strstr(rig_fault(&c, NULL, message), "thread (33,0,0): trap executed") == NULL) {
        fail_msg("'%s'", message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_stack_overflow),
        cmocka_unit_test(test_trap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
