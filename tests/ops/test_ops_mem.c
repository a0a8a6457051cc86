/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces and generic addresses, pointers in memory, initialisers, accesses of every kind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shell/compiler/compiler.h"
#include "tests/ops/warp_rig.h"

enum { FENCES = 15 }; /* in the text of the case */

/* A generic pointer to one of four memories by the thread's number, in %a6: shared, local,
 * global and constant, each of which holds something else. */
#define FOUR_MODULE ".const .align 4 .u32 c[4] = {1000, 2000, 3000, 4000};\n"
#define FOUR                                                                                       \
    ".shared .align 4 .b8 s[4096];\n.local .align 4 .b8 l[16];\n"                                  \
    "ld.global.u32 %r1, [%in];\nshl.b32 %r2, %t, 2;\ncvt.@P.u32 %a1, %r2;\n"                       \
    "mov.@P %a2, s;\nadd.@P %a2, %a2, %a1;\nadd.u32 %r3, %r1, 1;\nst.shared.u32 [%a2], %r3;\n"     \
    "cvta.shared.@P %a3, %a2;\n"                                                                   \
    "mov.@P %a4, l;\nadd.u32 %r3, %r1, 2;\nst.local.u32 [%a4+4], %r3;\ncvta.local.@P %a4, %a4;\n"  \
    "add.@P %a4, %a4, 4;\nmov.@P %a5, c;\ncvta.const.@P %a5, %a5;\nadd.@P %a5, %a5, 8;\n"          \
    "and.b32 %r4, %t, 3;\nsetp.eq.u32 %p1, %r4, 1;\nsetp.eq.u32 %p2, %r4, 2;\n"                    \
    "setp.eq.u32 %p3, %r4, 3;\nmov.@P %a6, %a3;\n"                                                 \
    "@%p1 mov.@P %a6, %a4;\n@%p2 mov.@P %a6, %in;\n@%p3 mov.@P %a6, %a5;\n"

static uint32_t four(uint32_t in, uint32_t t)
{
    return t % 4 == 0 ? in + 1 : t % 4 == 1 ? in + 2 : t % 4 == 2 ? in : 3000;
}

static void generic_load(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[2 * t] = four(in[t], t);
        out[2 * t + 1] = four(in[t], t);
    }
}

/* Stores and atomics by the same pointers; the constant ones are left out. */
static void generic_store(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[4 * t] = t % 4 == 0 ? in[t] + 30 : in[t] + 1;
        out[4 * t + 1] = t % 4 == 1 ? in[t] + 30 : in[t] + 2;
        out[4 * t + 2] = t % 4 == 2 ? in[t] + 30 : 0;
        out[4 * t + 3] = t % 4 == 3 ? 0 : in[t] + 20;
    }
}

/* A pointer to one of five memories, %a6, chosen by the second input word; the addresses in their
 * spaces are in %a1 to %a5. */
#define PICK(space, address, number)                                                               \
    "cvta." space ".@P %a7, " address ";\nsetp.eq.u32 %p1, %r10, " number ";\n"                    \
    "selp.@B %a6, %a7, %a6, %p1;\n"
#define FIVE                                                                                       \
    ".shared .align 4 .b8 s[4096];\n.local .align 4 .b8 l[16];\n"                                  \
    "ld.global.v2.u32 {%r1, %r10}, [%in];\nrem.u32 %r10, %r10, 5;\n"                               \
    "shl.b32 %r2, %t, 2;\ncvt.@P.u32 %a1, %r2;\nmov.@P %a2, s;\nadd.@P %a1, %a2, %a1;\n"           \
    "add.u32 %r3, %r1, 1;\nst.shared.u32 [%a1], %r3;\nmov.@P %a2, l;\nadd.@P %a2, %a2, 4;\n"       \
    "add.u32 %r3, %r1, 2;\nst.local.u32 [%a2], %r3;\nmov.@P %a3, %in;\nmov.@P %a4, c;\n"           \
    "add.@P %a4, %a4, 8;\nmov.@P %a5, pdata;\nadd.@P %a5, %a5, 8;\nmov.@P %a6, 0;\n" PICK(         \
        "shared", "%a1", "0") PICK("local", "%a2", "1") PICK("global", "%a3", "2")                 \
        PICK("const", "%a4", "3") PICK("param", "%a5", "4")

static uint32_t parameter_word(void)
{
    return rig_pdata(8) | (uint32_t)rig_pdata(9) << 8 | (uint32_t)rig_pdata(10) << 16 |
           (uint32_t)rig_pdata(11) << 24;
}

/* Constants lie in global memory too. */
static void five_spaces(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, in += 2, out += 2) {
        const uint32_t bits[] = {1, 2, 4, 12, 16};
        const uint32_t words[] = {in[0] + 1, in[0] + 2, in[0], 3000, parameter_word()};

        out[0] = bits[in[1] % 5];
        out[1] = words[in[1] % 5];
    }
}

static void five_back(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, in += 2, out += 6) {
        const uint32_t words[] = {in[0] + 1, in[0] + 2, in[0], 3000, parameter_word(), 0};

        memcpy(out, words, sizeof words);
    }
}
#define BACK(space, address, at)                                                                   \
    "cvta." space ".@P %a7, " address ";\ncvta.to." space ".@P %a8, %a7;\n"                        \
    "ld." space ".u32 %r5, [%a8];\nst.global.u32 [%out+" at "], %r5;\n"

/* A word goes through memory and past a fence, again and again, one more each time. */
static void fenced(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, in += 2, out += 2) {
        out[0] = in[0] + FENCES;
        out[1] = in[0] + in[1] + FENCES;
    }
}
#define PASS(fence)                                                                                \
    "add.u32 %r1, %r1, 1;\nst.global.u32 [%out], %r1;\n" fence                                     \
    ";\nld.volatile.global.u32 %r1, [%out];\n"

/* Which spaces each of seven addresses is in: shared, local, global, constant as bits. */
static void spaces(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = (1u << t % 4) | (t % 4 == 3 ? 4 : 0);
    }
}
#define ISSPACEP(space, bit)                                                                       \
    "isspacep." space " %p4, %a6;\nselp.u32 %r6, " bit ", 0, %p4;\nor.b32 %r5, %r5, %r6;\n"

#define FIVE_BIT(space, bit)                                                                       \
    "isspacep." space " %p4, %a6;\nselp.u32 %r6, " bit ", 0, %p4;\nor.b32 %r5, %r5, %r6;\n"

/* cvta and back is the address in the space. */
static void there_and_back(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[3 * t] = in[t] + 1;
        out[3 * t + 1] = in[t] + 2;
        out[3 * t + 2] = 2000;
    }
}

/* Pointers of all kinds pass through shared memory, to the neighbour's lane and back out. */
static void stored_pointers(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t from = t ^ 4u;

        out[2 * t] = t % 4 == 1 ? four(in[t], t) : four(in[from], from);
        out[2 * t + 1] = four(in[t], t);
    }
}

static void initialised(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        out[4 * t] = 33;
        out[4 * t + 1] = 7;
        out[4 * t + 2] = 44;
        out[4 * t + 3] = 9;
    }
}

static void kinds(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[2 * t] = in[2 * t] * 5 + in[2 * t + 1] * 3;
        out[2 * t + 1] = in[2 * t] ^ 0x55;
    }
}

static void widths(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[4 * t] = (uint32_t)(int32_t)(int8_t)in[2 * t] + (in[2 * t] >> 8 & 0xff);
        out[4 * t + 1] = (uint32_t)(int32_t)(int16_t)in[2 * t + 1] + (in[2 * t + 1] >> 16);
        out[4 * t + 2] = in[2 * t + 1];
        out[4 * t + 3] = in[2 * t];
    }
}

static void parameter(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = in[t];
    }
}

/* 128 bits through every memory, halves swapped. */
static void wide128(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, in += 4, out += 12) {
        const uint32_t words[8] = {in[2], in[3], in[0], in[1], 0, 0, in[2], in[3]};

        memcpy(out, words, sizeof words);
        for (uint32_t i = 0; i < 16; i++) {
            out[8 + i / 4] |= (uint32_t)rig_pdata(16 + i) << 8 * (i % 4);
        }
    }
}

/* A variable of the thread's own is one, however deep the calls. */
static void own_local(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t n = in[t] & 7;

        out[3 * t] = n + n * (n + 1) / 2;
        out[3 * t + 1] = in[t];
        out[3 * t + 2] = n;
    }
}

/* Vector registers: whole in accesses and moves, element by element elsewhere. */
static void vector_registers(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    for (uint32_t t = 0; t < threads; t++, in += 4, out += 8) {
        const uint32_t words[8] = {in[0],         in[1] + in[3], in[2],         in[3],
                                   in[3] ^ in[1], in[2],         in[0] + in[2], in[1]};

        memcpy(out, words, sizeof words);
    }
}

/* Each expression by C's rules of 64 bits. */
static void constants(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    const float third = (float)(1.0 / 3.0);
    const double sum = 1.0 / 3.0 + 2.5 * 4.0 - 1.0;

    (void)in;
    for (uint32_t t = 0; t < threads; t++, out += 16) {
        const uint32_t words[14] = {66, UINT32_MAX, 2, 1, 0, UINT32_MAX - 2, 1, 15, 3,
                                    1,  1,          2, 0, 7};

        memcpy(out, words, sizeof words);
        memcpy(out + 12, &third, sizeof third);
        memcpy(out + 14, &sum, sizeof sum);
    }
}

/* Bytes of an address that masks leave, put together again. */
static void masked(const uint32_t *in, uint32_t *out, uint32_t threads)
{
    (void)in;
    for (uint32_t t = 0; t < threads; t++) {
        out[t] = 33;
    }
}

#define OWN_LOCAL                                                                                  \
    ".local .align 4 .b8 pad[12];\n.local .align 4 .u32 own[2];\n.local .u32 calls;\n"             \
    ".func clear()\n{\nst.local.u32 [calls], 0;\nret;\n}\n"                                        \
    ".func add(.param .b32 n)\n{\n.reg .b32 %x<3>;\nld.param.b32 %x1, [n];\n"                      \
    "ld.local.u32 %x2, [calls];\nadd.u32 %x2, %x2, %x1;\nst.local.u32 [calls], %x2;\nret;\n}\n"    \
    ".func (.param .b32 r) get()\n{\n.reg .b32 %x;\nld.local.u32 %x, [calls];\n"                   \
    "st.param.b32 [r], %x;\nret;\n}\n.func deep(.param .b32 n)\n{\n"                               \
    ".reg .b32 %x<4>;\n.reg .pred %q;\nld.param.b32 %x1, [n];\nld.local.u32 %x2, [own+4];\n"       \
    "add.u32 %x2, %x2, %x1;\nst.local.u32 [own+4], %x2;\nsetp.eq.u32 %q, %x1, 0;\n@%q ret;\n"      \
    "{\n.param .b32 p;\nst.param.b32 [p], 1;\ncall add, (p);\n}\n"                                 \
    "sub.u32 %x1, %x1, 1;\n{\n.param .b32 p;\nst.param.b32 [p], %x1;\ncall deep, (p);\n}\n"        \
    "ret;\n}\n"

static const rig_case cases[] = {
    {"128 bits", NULL,
     ".reg .b128 %q<5>;\n.shared .align 16 .b8 s[4096];\n.local .align 16 .b8 l[32];\n"
     "ld.global.b128 %q1, [%in];\nmov.b128 {%d1, %d2}, %q1;\nmov.b128 %q2, {%d2, %d1};\n"
     "mov.@P %a1, s;\nshl.b32 %r1, %t, 4;\ncvt.@P.u32 %a2, %r1;\nadd.@P %a1, %a1, %a2;\n"
     "st.shared.b128 [%a1], %q2;\nld.shared.b128 %q3, [%a1];\nmov.b128 %q0, %q3;\n"
     "st.local.b128 [l+16], %q0;\nld.local.b128 %q4, [l+16];\nst.global.b128 [%out], %q4;\n"
     "ld.global.nc.b128 %q3, [%in];\nldu.global.b128 %q2, [%in];\nmov.b128 {%d3, %d4}, %q3;\n"
     "mov.b128 {%d5, _}, %q2;\nxor.b64 %d3, %d3, %d5;\nmov.b128 %q1, {%d3, %d4};\n"
     "st.volatile.global.b128 [%out+16], %q1;\nld.param.b128 %q2, [pdata+16];\n"
     "st.b128 [%out+32], %q2;\n",
     4, 12, 0, wide128, .subject = "mov.b128 ld st ldu", .alone = true},
    {"local variables of the module", OWN_LOCAL,
     "ld.global.u32 %r1, [%in];\nst.local.u32 [own], %r1;\nand.b32 %r2, %r1, 7;\n"
     "st.local.u32 [own+4], %r2;\ncall clear;\n{\n.param .b32 p;\nst.param.b32 [p], %r2;\ncall "
     "deep, (p);\n}\n"
     "ld.local.u32 %r3, [own+4];\nmov.@P %a1, own;\ncvta.local.@P %a1, %a1;\nld.u32 %r4, "
     "[%a1];\n"
     "{\n.param .b32 q;\ncall (q), get;\nld.param.b32 %r5, [q];\n}\n"
     "st.global.u32 [%out], %r3;\nst.global.u32 [%out+4], %r4;\nst.global.u32 [%out+8], %r5;\n",
     1, 3, 0, own_local, .subject = "ld st", .alone = true},
    {"vector registers", NULL,
     ".reg .v4 .u32 %v, %v2;\n.reg .v2 .b32 %w<3>;\n.reg .v2 .b64 %e;\n"
     "ld.global.v4.u32 %v, [%in];\nadd.u32 %v.y, %v.g, %v.w;\nmov.v4.u32 %v2, %v;\n"
     "st.global.v4.u32 [%out], %v2;\nld.global.v2.b32 %w1, [%in];\nld.global.v2.b32 %w2, "
     "[%in+8];\n"
     "add.u32 %r1, %w1.x, %w2.r;\nxor.b32 %r2, %w2.y, %w1.g;\n"
     "mov.v2.b32 {%r3, %r4}, %w1;\nmov.b64 %d1, %w2;\nmov.b64 {%r5, _}, %d1;\n"
     "mov.b32 %w0.x, %r2;\nmov.b32 %w0.y, %r5;\nst.global.v2.b32 [%out+16], %w0;\n"
     "mov.b64 %e.x, {%r1, %r4};\nst.global.b64 [%out+24], %e.x;\n",
     4, 8, 0, vector_registers, .subject = "mov ld st", .alone = true},
    {"constant expressions", ".const .align 4 .u32 cc[(2*2)-1] = {7 % 4, (.s64)-1 < 0, 1 << 1};\n",
     "st.global.u32 [%out], (4*16)+2;\nst.global.u32 [%out+(2*2)], -1U;\n"
     "st.global.u32 [%out+(1?8:4)], 1 ? 2 : 3;\nst.global.u32 [%out+12], (.s64)-1 < 0;\n"
     "mov.u32 %r1, (.u64)-1 < 0;\nst.global.u32 [%out+16], %r1;\n"
     "mov.s32 %r1, -7 / 2;\nst.global.u32 [%out+20], %r1;\n"
     "mov.u32 %r1, 1.5 * 2.0 == 3.0 && 1.0 < 2.0 || 0;\nst.global.u32 [%out+24], %r1;\n"
     "mov.u32 %r1, -1 % 16;\nst.global.u32 [%out+28], %r1;\n"
     "ld.const.u32 %r1, [cc];\nst.global.u32 [%out+32], %r1;\n"
     "ld.const.u32 %r1, [cc+2*2];\nst.global.u32 [%out+36], %r1;\n"
     "mov.u32 %r1, ~0 > 0;\nst.global.u32 [%out+40], %r1;\n"
     "ld.const.u32 %r1, [cc+8];\nst.global.u32 [%out+44], %r1;\n"
     "mov.f32 %f1, 1.0 / 3.0;\nst.global.f32 [%out+48], %f1;\n"
     "st.global.u32 [%out+52], (0 ? 1 : 7) | !WARP_SZ;\n"
     "mov.f64 %fd1, 1.0 / 3.0 + 2.5 * 4.0 - 1.0;\nst.global.f64 [%out+56], %fd1;\n",
     1, 16, 0, constants, .subject = "st"},
    {"bytes of an address",
     ".global .align 4 .u32 aim[2] = {22, 33};\n.global .align 4 .b8 parts[4] = "
     "{0xff(generic(aim)+4), "
     "0xff00(aim+4), 0xff0000(aim+4), 0xff000000(aim+4)};\n",
     "ld.global.u32 %r1, [parts];\ncvt.@P.u32 %a1, %r1;\nld.global.u32 %r2, [%a1];\n"
     "st.global.u32 [%out], %r2;\n",
     1, 1, 0, masked, .subject = "ld st"},

    {"generic ld of mixed spaces", FOUR_MODULE,
     FOUR "ld.u32 %r5, [%a6];\nst.global.u32 [%out], %r5;\nadd.@P %a7, %a6, 4;\n"
          "ld.volatile.u32 %r6, [%a7+-4];\nst.u32 [%out+4], %r6;\n",
     1, 2, 0, generic_load, .subject = "ld st"},
    {"generic st and atom of mixed spaces", FOUR_MODULE,
     FOUR "mov.u32 %r8, 0;\nst.global.u32 [%out+8], %r8;\nst.global.u32 [%out+12], %r8;\n"
          "@%p2 add.@P %a6, %out, 8;\n@%p3 bra NONE;\nadd.u32 %r5, %r1, 20;\nst.u32 [%a6], %r5;\n"
          "atom.add.u32 %r6, [%a6], 7;\nred.add.u32 [%a6], 3;\nst.global.u32 [%out+12], %r6;\n"
          "NONE:\nld.shared.u32 %r7, [%a2];\nst.global.u32 [%out], %r7;\n"
          "ld.u32 %r7, [%a4];\nst.global.u32 [%out+4], %r7;\n",
     1, 4, 0, generic_store, .subject = "ld st"},
    {"isspacep", FOUR_MODULE,
     FOUR "mov.u32 %r5, 0;\n" ISSPACEP("shared", "1") ISSPACEP("local", "2") ISSPACEP("global", "4")
         ISSPACEP("const", "8") "st.global.u32 [%out], %r5;\n",
     1, 1, 0, spaces, .subject = "ld st"},
    {"cvta.to", FOUR_MODULE,
     FOUR "cvta.to.shared.@P %a7, %a3;\nld.shared.u32 %r5, [%a7];\nst.global.u32 [%out], %r5;\n"
          "cvta.to.local.@P %a7, %a4;\nld.local.u32 %r5, [%a7];\nst.global.u32 [%out+4], %r5;\n"
          "cvta.to.const.@P %a7, %a5;\nld.const.u32 %r5, [%a7+-4];\n"
          "cvta.to.global.@P %a8, %out;\nst.global.u32 [%a8+8], %r5;\n",
     1, 3, 0, there_and_back, .subject = "ld st"},
    {"pointers in memory", FOUR_MODULE,
     FOUR ".shared .align 8 .b8 ptrs[8192];\nmov.@P %a7, ptrs;\nshl.b32 %r2, %t, 3;\n"
          "cvt.@P.u32 %a1, %r2;\nadd.@P %a7, %a7, %a1;\nst.shared.@P [%a7], %a6;\nbar.sync 0;\n"
          "setp.eq.u32 %p4, %r4, 1;\nld.shared.@P %a8, [%a7];\nld.u32 %r6, [%a8];\n"
          "@%p4 bra OWN;\nxor.b32 %r7, %r2, 32;\nmov.@P %a7, ptrs;\ncvt.@P.u32 %a1, %r7;\n"
          "add.@P %a7, %a7, %a1;\nld.shared.@P %a8, [%a7];\nOWN:\nld.u32 %r5, [%a8];\n"
          "st.global.u32 [%out], %r5;\nst.global.u32 [%out+4], %r6;\n",
     1, 2, 0, stored_pointers, .subject = "ld st"},
    {"initialisers with addresses",
     ".global .align 4 .u32 a[4] = {11, 22, 33, 44};\n.const .align 4 .u32 kk[2] = {5, 7};\n"
     ".global .align 8 .@P pa = a+8;\n.global .align 8 .@P pk = generic(kk)+4;\n"
     ".const .align 8 .@P qa[2] = {0, a+12};\n.global .align 8 .@P plain = kk+4;\n"
     ".global .align 8 .@P table[2] = {pa, plain};\n",
     "ld.global.@P %a1, [pa];\nld.u32 %r1, [%a1];\nst.global.u32 [%out], %r1;\n"
     "ld.global.@P %a1, [pk];\nld.u32 %r1, [%a1];\nst.global.u32 [%out+4], %r1;\n"
     "ld.const.@P %a1, [qa+@8];\nld.u32 %r1, [%a1];\nst.global.u32 [%out+8], %r1;\n"
     "ld.global.@P %a1, [table+@8];\nld.global.@P %a1, [%a1];\nld.const.u32 %r1, [%a1];\n"
     "add.u32 %r1, %r1, 2;\nst.global.u32 [%out+12], %r1;\n",
     1, 4, 0, initialised, .subject = "ld st"},
    {"orders, scopes, hints", NULL,
     "ld.relaxed.gpu.global.u32 %r1, [%in];\nld.acquire.sys.u32 %r2, [%in+4];\n"
     "ld.mmio.relaxed.sys.global.u32 %r3, [%in];\nldu.global.u32 %r4, [%in];\nld.global.nc.u32 "
     "%r5, "
     "[%in];\n"
     "ld.global.cg.u32 %r6, [%in];\nld.global.cv.u32 %r7, [%in+4];\nld.weak.global.u32 %r8, "
     "[%in+4];\nprefetch.global.L1 [%in];\nprefetch.L2 [%in];\nprefetchu.L1 [%in];\n"
     "prefetch.global.L2::evict_last [%in];\napplypriority.global.L2::evict_normal [%in], "
     "128;\n"
     "applypriority.L2::evict_normal [%in], 128;\ndiscard.global.L2 [%in+4], 128;\n"
     "discard.L2 [%in], 128;\nld.global.L2::cache_hint.u32 %r7, [%in+4], 0;\n"
     "st.global.L1::no_allocate.L2::cache_hint.u32 [%out+4], %r7, 0;\n"
     "add.u32 %r1, %r1, %r3;\nadd.u32 %r1, %r1, %r4;\nadd.u32 %r1, %r1, %r5;\n"
     "add.u32 %r1, %r1, %r6;\nadd.u32 %r2, %r2, %r7;\nadd.u32 %r2, %r2, %r8;\n"
     "add.u32 %r1, %r1, %r2;\nxor.b32 %r9, %r3, 0x55;\nnanosleep.u32 20;\n"
     "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\n"
     "st.release.gpu.global.u32 [%out], %r1;\nmembar.cta;\nmembar.gl;\nmembar.sys;\n"
     "fence.sc.gpu;\nfence.acq_rel.cta;\nst.volatile.global.u32 [%out+4], %r9;\n"
     "st.mmio.relaxed.sys.global.u32 [%out+4], %r9;\nst.global.wt.u32 [%out+4], %r9;\n",
     2, 2, 0, kinds, .alone = true,
     .subject = "ld ldu st prefetch prefetchu applypriority discard membar fence nanosleep"},
    {"generic accesses of 1 to 16 bytes", NULL,
     ".shared .align 16 .b8 s[2048];\nmov.@P %a1, s;\nshl.b32 %r1, %t, 4;\ncvt.@P.u32 %a2, "
     "%r1;\n"
     "add.@P %a1, %a1, %a2;\ncvta.shared.@P %a1, %a1;\nand.b32 %r2, %t, 1;\n"
     "setp.eq.u32 %p1, %r2, 0;\nld.v2.u32 {%r3, %r4}, [%in];\n@%p1 mov.@P %a1, %out;\n"
     "st.v4.u32 [%a1], {%r3, %r4, %r4, %r3};\nld.s8 %r5, [%a1];\nld.u8 %r6, [%a1+1];\n"
     "ld.s16 %r7, [%a1+4];\nld.u16 %r8, [%a1+6];\nld.b64 %d1, [%a1+8];\nadd.u32 %r5, %r5, "
     "%r6;\n"
     "add.u32 %r7, %r7, %r8;\nst.u32 [%out], %r5;\nst.u32 [%out+4], %r7;\nst.b64 [%out+8], "
     "%d1;\n",
     2, 4, 0, widths, .subject = "ld st"},
    {"isspacep of five memories", FOUR_MODULE,
     FIVE "mov.u32 %r5, 0;\n" FIVE_BIT("shared", "1") FIVE_BIT("local", "2") FIVE_BIT("global", "4")
         FIVE_BIT("const", "8")
             FIVE_BIT("param", "16") "ld.u32 %r6, [%a6];\nst.global.v2.u32 [%out], {%r5, %r6};\n",
     2, 2, 0, five_spaces, .subject = "isspacep cvta", .alone = true, .both = true},
    {"cvta and back of five memories", FOUR_MODULE,
     FIVE BACK("shared", "%a1", "0") BACK("local", "%a2", "4") BACK("global", "%a3", "8")
         BACK("const", "%a4", "12") BACK("param", "%a5", "16"),
     2, 6, 0, five_back, .subject = "cvta", .alone = true, .both = true},
    {"fences", NULL,
     "ld.global.v2.u32 {%r1, %r2}, [%in];\n" PASS("membar.cta") PASS("membar.gl") PASS("membar.sys")
         PASS("membar.cluster") PASS("fence.cta") PASS("fence.cluster") PASS("fence.gpu")
             PASS("fence.sys") PASS("fence.sc.cta") PASS("fence.sc.cluster") PASS("fence.sc.gpu")
                 PASS("fence.sc.sys") PASS("fence.acq_rel.gpu") PASS("fence.acq_rel.cluster")
                     PASS("fence.acq_rel.sys") "add.u32 %r1, %r1, %r2;\n"
                                               "st.global.u32 [%out+4], %r1;\n",
     2, 2, 0, fenced, .subject = "membar fence", .alone = true},
    {"prefetches and sleep", NULL,
     "ld.global.u32 %r1, [%in];\nprefetch.global.L1 [%in];\nprefetch.L2 [%in];\n"
     "prefetch.L1 [%out];\nprefetch.global.L2 [%out];\nprefetchu.L1 [%in];\nand.b32 %r2, %r1, "
     "63;\n"
     "st.global.u32 [%out], %r1;\nnanosleep.u32 %r2;\ngriddepcontrol.wait;\n"
     "griddepcontrol.launch_dependents;\nld.global.u32 %r1, [%out];\n"
     "nanosleep.u32 3;\nst.global.u32 [%out], %r1;\n",
     1, 1, 0, parameter, .subject = "prefetch prefetchu nanosleep griddepcontrol", .alone = true},
    {"generic address of a parameter", NULL,
     "mov.@P %a1, pin;\ncvta.param.@P %a1, %a1;\nld.@P %a2, [%a1];\nshl.b32 %r1, %g, 2;\n"
     "cvt.@P.u32 %a3, %r1;\nadd.@P %a2, %a2, %a3;\nld.u32 %r2, [%a2];\nst.u32 [%out], %r2;\n",
     1, 1, 0, parameter, .subject = "ld st"},
};

static void test_memory(void **state)
{
    uint64_t saved = 0;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        saved += rig_check(&cases[i], RIG_ANY);
    }
    assert_true(saved > 0);
}

static void test_faults(void **state)
{
    static const struct {
        rig_case c;
        const char *part;
    } faults[] = {
        {{"shared window", NULL,
          ".shared .align 4 .b8 s[64];\nmov.@P %a1, s;\ncvta.shared.@P %a1, %a1;\n"
          "st.@P [%in], %a1;\nmembar.gl;\nld.@P %a2, [%in];\nld.u32 %r1, [%a2+64];\n"
          "st.u32 [%out], %r1;\n",
          2, 1, 0, NULL, .subject = NULL},
         "generic shared access of 4 bytes at 0x1000040 is outside its 64 bytes"},
        {{"null", NULL, "mov.@P %a1, 0;\nld.u32 %r1, [%a1];\nst.u32 [%out], %r1;\n", 1, 1, 0, NULL,
          .subject = NULL},
         "generic access of 4 bytes at 0x0 is outside every buffer"},
        {{"parameter", NULL,
          "mov.@P %a1, pin;\ncvta.param.@P %a1, %a1;\nst.@P [%in], %a1;\nld.@P %a2, [%in];\n"
          "st.u32 [%a2], 1;\n",
          2, 1, 0, NULL, .subject = NULL},
         "parameters can't be written"},
    };
    char message[512];

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        if (strstr(rig_fault(&faults[i].c, NULL, message), faults[i].part) == NULL) {
            fail_msg("%s: '%s'", faults[i].c.name, message);
        }
    }
}

/* What can't be: the message says why. A kernel that does not name it is taken. */
#define NAMES(var) ".visible .entry k()\n{\n.reg .u32 %r;\nld.global.u32 %r, [" var "];\nret;\n}\n"
static void test_refusals(void **state)
{
    static const struct {
        const char *text, *part;
    } refused[] = {
        {".extern .global .u32 far;\n" NAMES("far"), "not linked"},
        {".shared .u32 s;\n.global .u32 p = s;\n" NAMES("p"), "elsewhere"},
        {".shared .u32 s;\n.global .u32 p = s;\n.global .u32 q[2] = {0, p};\n" NAMES("q"),
         "holds the address of 'p'"},
        {".global .frob .u32 a;\n" NAMES("a"), "expected a type such as .u32, found '.frob'"},
        {".global .u32 a = {1.5}, b[2] = {1, 2};\n" NAMES("b"), "does not fit type .u32"},
        {".global .e4m3x2 a;\n" NAMES("a"), "a variable cannot be .e4m3x2"},
        {".global .u8 a[2][0xffffffff];\n" NAMES("a"), "is too large"},
        {".global .u8 a[0x7fffffff];\n.global .u32 b;\n" NAMES("b"), "larger than 2 GiB"},
        {".extern .local .u32 a;\n.visible .entry k()\n{\n.reg .u32 %r;\nld.local.u32 %r, [a];\n"
         "ret;\n}\n",
         "is external"},
        {".param .u32 a;\n.visible .entry k()\n{\n.reg .u32 %r;\nld.param.u32 %r, [a];\nret;\n}\n",
         "outside functions must be"},
        {".visible .entry k()\n{\n.reg .frob %r;\n{ mov.u32 %r, %q; }\nret;\n}\n",
         "expected a type behind .reg"},
        {".visible .entry k()\n{\n{\n.local .u32 a[3;\n}\nbra L;\n}\n", "an array size"},
        {".func f()\n{\n.shared .u32 a = {1, {2}};\nret;\n}\n.visible .entry k()\n{\ncall f;\n}\n",
         "cannot be initialised"},
        {".visible .entry k(.param .frob p)\n{\n{\nret;\n}\n}\n", "expected a type such as .u32"},
        {".func f(.reg .v2 .u32 a)\n{\nret;\n}\n.visible .entry k()\n{\n.reg .u32 %r;\n"
         "call f, (%r);\n}\n",
         "cannot be a vector"},
        {".func f(.param .frob a)\n{\nret;\n}\n.visible .entry k()\n{\ncall f;\n}\n",
         "found '.frob'"},
        {".func g();\n.func f() { ret; }\n.alias g, f;\n.visible .entry k()\n{\ncall g;\n}\n",
         "'.alias' is not supported"},
    };
    char text[512];

    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        wr_diag diag = {0};

        (void)snprintf(text, sizeof text, ".version 7.5\n.target sm_75\n.address_size 32\n%s",
                       refused[i].text);
        wr_ptx_module *tree = wr_ptx_parse("k", text, strlen(text), &diag);

        if (tree == NULL) {
            fail_msg("%s", diag.message);
        }
        assert_null(wr_compile(tree, NULL, &diag));
        if (strstr(diag.message, refused[i].part) == NULL) {
            fail_msg("%zu: '%s'", i, diag.message);
        }
        wr_ptx_free(tree);
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, ".visible .entry other()\n{\nret;\n}\n");
        tree = wr_ptx_parse("k", text, strlen(text), &diag);
        assert_non_null(tree);
        wr_module *module = wr_compile(tree, NULL, &diag);
        assert_non_null(module);
        assert_non_null(wr_module_find(module, "other"));
        assert_non_null(wr_module_refusal(module, "k"));
        wr_module_free(module);
        wr_ptx_free(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_refusals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
