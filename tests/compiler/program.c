/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs: control flow.
 *
 * A statement knows who is together where it stands: all threads that live (`all`: barriers may
 * stand there), the lanes that a mask register names (`mask`: instructions across lanes may), or
 * that is open. Branches on values that differ end the first and make a new mask, or leave it open;
 * jumps between places (break, continue, tangles) need it open. All loops end: each counts down.
 * Registers and predicates are all set at the start and stored at the end. */
#include "program.h"

#include <string.h>

#include "program_gen.h"

const char *const wr_program_kind_names[WR_KIND_COUNT] = {
    [WR_KIND_IF] = "if",
    [WR_KIND_IF_ELSE] = "if else",
    [WR_KIND_UNIFORM_IF] = "uniform if",
    [WR_KIND_LOOP] = "loop",
    [WR_KIND_UNIFORM_LOOP] = "uniform loop",
    [WR_KIND_LANES_LOOP] = "loop of known lanes",
    [WR_KIND_NEST] = "loop in a loop",
    [WR_KIND_BREAK] = "break",
    [WR_KIND_CONTINUE] = "continue",
    [WR_KIND_BREAK_OUTER] = "break of an outer loop",
    [WR_KIND_CONTINUE_OUTER] = "continue of an outer loop",
    [WR_KIND_RETURN_IN_BRANCH] = "return in a branch",
    [WR_KIND_GUARDED_EXIT] = "guarded exit",
    [WR_KIND_TANGLE] = "irreducible",
    [WR_KIND_WRITTEN_APART] = "branch on what some lanes wrote",
    [WR_KIND_TABLE] = "brx.idx",
    [WR_KIND_CALL] = "call",
    [WR_KIND_CALL_APART] = "call of some lanes",
    [WR_KIND_RECURSION] = "recursion",
    [WR_KIND_INDIRECT_CALL] = "indirect call",
    [WR_KIND_EXIT_IN_CALL] = "exit in a call",
    [WR_KIND_BARRIER] = "barrier",
    [WR_KIND_BARRIER_IN_BRANCH] = "barrier in a uniform branch",
    [WR_KIND_BARRIER_IN_LOOP] = "barrier in a uniform loop",
    [WR_KIND_BARRIER_WITH_COUNT] = "barrier with a count",
    [WR_KIND_ARRIVE] = "bar.arrive",
    [WR_KIND_BARRIER_REDUCTION] = "bar.red",
    [WR_KIND_EXCHANGE] = "exchange through shared memory",
    [WR_KIND_SHARED_ATOMIC] = "shared atomic",
    [WR_KIND_GLOBAL_ATOMIC] = "global atomic",
    [WR_KIND_OWN_ATOMIC] = "atomic whose old value counts",
    [WR_KIND_SHUFFLE] = "shfl",
    [WR_KIND_VOTE] = "vote",
    [WR_KIND_MATCH] = "match",
    [WR_KIND_REDUX] = "redux",
    [WR_KIND_SOME_LANES] = "across some lanes",
    [WR_KIND_GUARDED_LANES] = "across lanes under a guard",
    [WR_KIND_F32] = "f32",
    [WR_KIND_F64] = "f64",
    [WR_KIND_PAIR] = "64-bit integers",
    [WR_KIND_LOCAL_ARRAY] = "local array",
    [WR_KIND_GENERIC] = "generic address",
    [WR_KIND_VECTOR] = "vector access",
    [WR_KIND_GUARDS_EVERYWHERE] = "guards everywhere",
};

static void say_body(gen *g, unsigned count);

/* What holds around a statement, to be put back behind it. */
typedef struct around {
    bool all;
    int mask;
    unsigned branches;
} around;

static around enter(gen *g)
{
    around a = {g->all, g->mask, g->branches};

    g->depth++;
    return a;
}

static void leave(gen *g, around a)
{
    g->depth--;
    g->all = a.all;
    g->mask = a.mask;
    g->branches = a.branches;
}

static void say_store(gen *g)
{
    gen_say(g, "st.global.u32 [%%a0+%u], %%r%u;\n", 4 * gen_word(g), gen_word(g));
}

/* Ends the thread, or the call. Not where lanes know each other: those that end would have to be
 * gone before the others meet, and what they do first may name them all. */
static void say_return(gen *g)
{
    gen_count(g, WR_KIND_RETURN_IN_BRANCH);
    if (g->inside) {
        gen_say(g, "st.param.b32 [res], %%r%u;\n", gen_word(g));
    } else {
        say_store(g);
    }
    gen_say(g, gen_pick(g, 3) == 0 && !g->inside ? "exit;\n" : "ret;\n");
}

static void say_if(gen *g)
{
    unsigned label = g->label++, p = gen_pred(g);
    bool other = gen_pick(g, 2) != 0, neg = gen_pick(g, 2) != 0;
    bool uniform = g->all && gen_pick(g, 2) != 0;
    around a = enter(g);
    bool known = g->mask >= 0 && g->mask + 1 < GEN_MASKS && gen_pick(g, 3) != 0;

    gen_count(g, uniform ? WR_KIND_UNIFORM_IF : other ? WR_KIND_IF_ELSE : WR_KIND_IF);
    if (uniform) {
        g->branches++;
        gen_uniform_pred(g, label);
        gen_say(g, "@%s%%q%u bra L%ua;\n", neg ? "!" : "", label, label);
    } else {
        g->all = false;
        if (known) {
            gen_say(g, "vote.sync.ballot.b32 %%m%d, %s%%p%u, %%m%d;\n", g->mask + 1, neg ? "" : "!",
                    p, g->mask);
        }
        g->mask = known ? g->mask + 1 : -1;
        gen_say(g, "@%s%%p%u bra L%ua;\n", neg ? "!" : "", p, label);
        if (!other && gen_pick(g, 3) == 0) { /* the form that clang likes: a branch around one */
            gen_say(g, "bra.uni L%uc;\nL%ua:\n", label, label);
            if (known) { /* the others */
                gen_say(g, "not.b32 %%m%d, %%m%d;\nand.b32 %%m%d, %%m%d, %%m%d;\n", g->mask,
                        g->mask, g->mask, g->mask, g->mask - 1);
            }
            say_body(g, 1 + gen_pick(g, 4));
            gen_say(g, "L%uc:\n", label);
            leave(g, a);
            return;
        }
    }
    say_body(g, 1 + gen_pick(g, 4));
    if (!uniform && !known && g->exits && gen_pick(g, 4) == 0) {
        say_return(g);
    } else if (other) {
        gen_say(g, "bra.uni L%ub;\n", label);
    }
    gen_say(g, "L%ua:\n", label);
    if (other) {
        if (known && !uniform) {
            gen_say(g, "not.b32 %%m%d, %%m%d;\nand.b32 %%m%d, %%m%d, %%m%d;\n", g->mask, g->mask,
                    g->mask, g->mask, g->mask - 1);
        }
        say_body(g, 1 + gen_pick(g, 4));
        gen_say(g, "L%ub:\n", label);
    }
    leave(g, a);
}

/* A jump out of, or to the end of, an open loop around. */
static void say_jump(gen *g)
{
    unsigned open = 0, which;
    bool out = gen_pick(g, 2) != 0;

    while (open < g->loop_count && g->loops[g->loop_count - 1 - open].open) {
        open++;
    }
    if (open == 0) {
        return;
    }
    which = gen_pick(g, open);
    gen_count(g, which == 0 ? (out ? WR_KIND_BREAK : WR_KIND_CONTINUE)
                            : (out ? WR_KIND_BREAK_OUTER : WR_KIND_CONTINUE_OUTER));
    gen_say(g, "@%s%%p%u bra L%u%c;\n", gen_pick(g, 2) ? "!" : "", gen_pred(g),
            g->loops[g->loop_count - 1 - which].label, out ? 'b' : 'd');
}

static void say_loop(gen *g)
{
    unsigned label = g->label++, kind = gen_pick(g, 3);
    around a = enter(g);
    unsigned uniform_loops = g->uniform_loops;

    if (kind == 1 && (g->mask < 0 || g->mask + 1 >= GEN_MASKS)) {
        kind = 2;
    }
    gen_count(g, kind == 0 ? WR_KIND_UNIFORM_LOOP : kind == 1 ? WR_KIND_LANES_LOOP : WR_KIND_LOOP);
    if (g->loop_count > 0) {
        gen_count(g, WR_KIND_NEST);
    }
    if (kind == 0) { /* as many times for all */
        g->uniform_loops += g->all;
        if (gen_pick(g, 2)) {
            gen_say(g, "mov.u32 %%k%u, %u;\n", label, 1 + gen_pick(g, 3));
        } else {
            gen_say(g, "and.b32 %%k%u, %%u%u, 3;\nadd.s32 %%k%u, %%k%u, 1;\n", label,
                    gen_pick(g, 2), label, label);
        }
    } else {
        gen_say(g, "and.b32 %%k%u, %%r%u, %u;\nadd.s32 %%k%u, %%k%u, 1;\n", label, gen_word(g),
                gen_pick(g, 2) ? 3u : 1u, label, label);
        g->all = false;
        if (kind == 1) {
            gen_say(g, "mov.u32 %%m%d, %%m%d;\n", g->mask + 1, g->mask);
        }
        g->mask = kind == 1 ? g->mask + 1 : -1;
    }
    g->loops[g->loop_count++] = (gen_loop){label, kind == 2};
    gen_say(g, "L%ua:\n", label);
    say_body(g, 1 + gen_pick(g, 4));
    if (kind == 2 && gen_pick(g, 2)) {
        say_jump(g);
        say_body(g, 1 + gen_pick(g, 2));
    }
    if (kind == 1 && gen_pick(g, 3) == 0) {
        gen_count(g, WR_KIND_BREAK);
        gen_say(g, "mov.pred %%p8, %%p%u;\nvote.sync.ballot.b32 %%m%d, !%%p8, %%m%d;\n",
                gen_pred(g), g->mask, g->mask);
        gen_say(g, "@%%p8 bra L%ub;\n", label);
        say_body(g, 1 + gen_pick(g, 2));
    }
    gen_say(g, "L%ud:\nsub.s32 %%k%u, %%k%u, 1;\nsetp.gt.s32 %%q%u, %%k%u, 0;\n", label, label,
            label, label, label);
    if (kind == 1) {
        gen_say(g, "vote.sync.ballot.b32 %%m%d, %%q%u, %%m%d;\n", g->mask, label, g->mask);
    }
    gen_say(g, "@%%q%u bra L%ua;\nL%ub:\n", label, label, label);
    g->loop_count--;
    g->uniform_loops = uniform_loops;
    leave(g, a);
}

/* Places with jumps between any two of them, and an entry to each: loops with several heads. A
 * count that every place takes one off ends it. */
static void say_tangle(gen *g)
{
    unsigned label = g->label++, places = 2 + gen_pick(g, 4);
    around a = enter(g);

    gen_count(g, WR_KIND_TANGLE);
    g->all = false;
    g->mask = -1;
    g->loops[g->loop_count++] = (gen_loop){label, false};
    gen_say(g, "mov.u32 %%k%u, %u;\n", label, 2 + gen_pick(g, 8));
    for (unsigned k = 1; k < places; k++) {
        if (gen_pick(g, 2)) {
            gen_say(g, "@%s%%p%u bra T%ux%u;\n", gen_pick(g, 2) ? "!" : "", gen_pred(g), label, k);
        }
    }
    for (unsigned k = 0; k < places; k++) {
        gen_say(g,
                "T%ux%u:\nsub.s32 %%k%u, %%k%u, 1;\nsetp.le.s32 %%q%u, %%k%u, 0;\n@%%q%u bra "
                "L%ub;\n",
                label, k, label, label, label, label, label, label);
        say_body(g, 1 + gen_pick(g, 2));
        if (gen_pick(g, 2)) {
            gen_say(g, "@%s%%p%u bra T%ux%u;\n", gen_pick(g, 2) ? "!" : "", gen_pred(g), label,
                    gen_pick(g, places));
        }
        if (gen_pick(g, 2)) {
            gen_say(g, "@%s%%p%u bra T%ux%u;\n", gen_pick(g, 2) ? "!" : "", gen_pred(g), label,
                    gen_pick(g, places));
        }
        if (gen_pick(g, 4) == 0) {
            gen_say(g, "bra T%ux%u;\n", label, gen_pick(g, places));
        }
    }
    gen_say(g, "L%ub:\n", label);
    g->loop_count--;
    leave(g, a);
}

/* A branch on what is the same in all threads, but was perhaps written again by some of them. */
static void say_written_apart(gen *g)
{
    unsigned label = g->label++;
    around a = enter(g);

    gen_count(g, WR_KIND_WRITTEN_APART);
    g->all = false;
    g->mask = -1;
    gen_uniform_pred(g, label);
    gen_say(g, "@%%p%u bra L%ua;\n", gen_pred(g), label);
    gen_uniform_pred(g, label);
    say_body(g, gen_pick(g, 4));
    gen_say(g, "L%ua:\n@%%q%u bra L%ub;\n", label, label, label);
    say_body(g, 1 + gen_pick(g, 3));
    gen_say(g, "L%ub:\n", label);
    leave(g, a);
}

static void say_table(gen *g)
{
    unsigned label = g->label++, cases = 2 + gen_pick(g, 5);
    around a = enter(g);
    bool known = g->mask >= 0 && g->mask + 1 < GEN_MASKS && gen_pick(g, 2) != 0;

    gen_count(g, WR_KIND_TABLE);
    gen_say(g, "rem.u32 %%r14, %%r%u, %u;\n", gen_word(g), cases);
    if (known) {
        gen_say(g, "match.any.sync.b32 %%m%d, %%r14, %%m%d;\n", g->mask + 1, g->mask);
    }
    g->all = false;
    g->mask = known ? g->mask + 1 : -1;
    gen_say(g, "B%u: .branchtargets ", label);
    for (unsigned k = 0; k < cases; k++) {
        gen_say(g, "%sC%ux%u", k > 0 ? ", " : "", label,
                known || gen_pick(g, 4) ? k : gen_pick(g, cases));
    }
    gen_say(g, ";\nbrx.idx %%r14, B%u;\n", label);
    for (unsigned k = 0; k < cases; k++) {
        gen_say(g, "C%ux%u:\n", label, k);
        say_body(g, 1 + gen_pick(g, 2));
        if (known || gen_pick(g, 4)) {
            gen_say(g, "bra.uni L%ub;\n", label);
        }
    }
    gen_say(g, "L%ub:\n", label);
    leave(g, a);
}

static void say_call(gen *g)
{
    unsigned kind = gen_pick(g, 6), label = g->label++, result = gen_word(g);

    gen_count(g, kind == 0 ? WR_KIND_RECURSION : kind == 1 ? WR_KIND_INDIRECT_CALL : WR_KIND_CALL);
    if (g->depth > 0 && g->mask != 0) {
        gen_count(g, WR_KIND_CALL_APART);
    }
    gen_say(g, "{\n.param .b32 x%u;\n.param .b32 y%u;\n.param .b32 z%u;\n", label, label, label);
    if (kind == 0) {
        gen_say(g, "and.b32 %%r14, %%r%u, 3;\nst.param.b32 [x%u], %%r14;\n", gen_word(g), label);
    } else {
        gen_say(g, "st.param.b32 [x%u], %%r%u;\n", label, gen_word(g));
    }
    gen_say(g, "st.param.b32 [y%u], %%r%u;\n", label, gen_word(g));
    if (kind == 1) {
        gen_say(g, "mov.u%u %%a4, f0;\nmov.u%u %%a5, f1;\n", g->bits, g->bits);
        gen_say(g, "selp.b%u %%a4, %%a4, %%a5, %%p%u;\n", g->bits, gen_pred(g));
        gen_say(g, "P%u: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n",
                label);
        gen_say(g, "call (z%u), %%a4, (x%u, y%u), P%u;\n", label, label, label, label);
    } else {
        gen_say(g, "call.uni (z%u), %s%u, (x%u, y%u);\n", label, kind == 0 ? "rec" : "f",
                kind == 0 ? 0 : gen_pick(g, 2), label, label);
    }
    gen_say(g, "ld.param.b32 %%r%u, [z%u];\n}\n", result, label);
}

static void say_exit(gen *g)
{
    gen_count(g, g->inside ? WR_KIND_EXIT_IN_CALL : WR_KIND_GUARDED_EXIT);
    if (!g->inside) {
        say_store(g);
    }
    /* Few threads at a time, or none would reach the end. */
    gen_say(g,
            "xor.b32 %%r14, %%r0, %%r%u;\nand.b32 %%r14, %%r14, 31;\nsetp.eq.u32 %%p6, "
            "%%r14, %u;\n@%%p6 exit;\n",
            gen_word(g), gen_pick(g, 32));
}

static void say_statement(gen *g)
{
    unsigned kind = gen_pick(g, 40);
    bool deep = g->depth >= 5, loops = g->loop_count < GEN_LOOPS && !deep;

    if (kind < 4 && !deep) {
        say_if(g);
    } else if (kind < 8 && loops) {
        say_loop(g);
    } else if (kind == 8 && loops) {
        say_tangle(g);
    } else if (kind == 9 && !deep) {
        say_table(g);
    } else if (kind == 10 && !g->inside) {
        say_call(g);
    } else if (kind == 11 && g->exits) {
        say_exit(g);
    } else if (kind == 12 && gen_pick(g, 2)) {
        say_jump(g);
    } else if (kind == 12 && !deep) {
        say_written_apart(g);
    } else if (!(kind < 16 && !g->inside && gen_threads(g)) && !(kind < 20 && gen_lanes(g))) {
        gen_straight(g);
    }
}

static void say_body(gen *g, unsigned count)
{
    for (unsigned i = 0; i < count && g->budget > 0; i++) {
        g->budget--;
        say_statement(g);
    }
}

#define FUNCTION_REGISTERS                                                                         \
    ".reg .pred %%p<10>;\n.reg .b32 %%r<16>;\n.reg .pred %%q<600>;\n.reg .b32 %%k<600>;\n.reg "    \
    ".b32 %%m<%u>;\n.reg .b32 %%u<2>;\n"                                                           \
    ".reg .b64 %%d<10>;\n.reg .f32 %%f<5>;\n.reg .f64 %%g<4>;\n.reg .b%u %%a<8>;\n"

/* Functions see nothing but their arguments, and lanes may come to them as they like. */
static void say_functions(gen *g)
{
    for (unsigned k = 0; k < 2; k++) {
        gen_say(g, ".func (.param .b32 res) f%u(.param .b32 x, .param .b32 y)\n{\n", k);
        gen_say(g, FUNCTION_REGISTERS, GEN_MASKS, g->bits);
        gen_say(g, "mov.u32 %%r0, %%tid.x;\nld.param.u32 %%r1, [x];\nld.param.u32 %%r2, [y];\n");
        gen_say(g,
                "add.u32 %%r3, %%r1, %%r2;\nxor.b32 %%r4, %%r1, 99;\nmov.u32 %%r5, %u;\n"
                "shr.u32 %%r6, %%r2, 3;\nmov.u32 %%u0, 1;\nmov.u32 %%u1, 2;\n",
                gen_pick(g, 1000));
        gen_say(g, "mov.b64 %%d1, {%%r1, %%r3};\nmov.b64 %%d2, {%%r2, %%r4};\n");
        for (unsigned p = 0; p < GEN_PREDS; p++) {
            gen_say(g, "setp.gt.s32 %%p%u, %%r%u, %u;\n", p, gen_word(g), gen_pick(g, 5000));
        }
        g->budget = 8;
        say_body(g, 2 + gen_pick(g, 5));
        gen_say(g, "st.param.b32 [res], %%r%u;\nret;\n}\n", gen_word(g));
    }
    gen_say(g,
            ".func (.param .b32 res) rec0(.param .b32 n, .param .b32 x)\n{\n.reg .pred %%p<2>;\n"
            ".reg .b32 %%r<9>;\nld.param.u32 %%r1, [n];\nld.param.u32 %%r2, [x];\n"
            "setp.eq.u32 %%p1, %%r1, 0;\n@%%p1 bra END;\nsub.u32 %%r3, %%r1, 1;\n"
            "mad.lo.u32 %%r4, %%r2, 5, %%r1;\n{\n.param .b32 a;\n.param .b32 b;\n.param .b32 c;\n"
            "st.param.b32 [a], %%r3;\nst.param.b32 [b], %%r4;\ncall.uni (c), rec0, (a, b);\n"
            "ld.param.b32 %%r5, [c];\n}\nadd.u32 %%r2, %%r2, %%r5;\nEND:\n"
            "st.param.b32 [res], %%r2;\nret;\n}\n");
}

static void say_start(gen *g)
{
    const char *wide = g->bits == 64 ? "u64" : "u32";

    gen_say(g, FUNCTION_REGISTERS ".local .align 4 .b8 la[64];\n", GEN_MASKS, g->bits);
    gen_say(g, "mov.u32 %%r0, %%tid.x;\nld.param.%s %%a2, [out];\n", wide);
    if (g->bits == 64) {
        gen_say(g, "mul.wide.u32 %%a3, %%r0, %u;\nmul.wide.u32 %%a1, %%r0, 4;\n", WR_PROGRAM_BYTES);
    } else {
        gen_say(g, "mul.lo.u32 %%a3, %%r0, %u;\nshl.b32 %%a1, %%r0, 2;\n", WR_PROGRAM_BYTES);
    }
    gen_say(g, "add.%s %%a0, %%a2, %%a3;\nsub.%s %%a2, %%a2, %u;\n", wide, wide,
            WR_PROGRAM_SHARED_BYTES);
    gen_say(g, "mov.%s %%a3, sh;\nadd.%s %%a1, %%a1, %%a3;\n", wide, wide);
    gen_say(g, "ld.param.u32 %%u0, [a];\nld.param.u32 %%u1, [b];\nmov.u32 %%m0, -1;\n");
    for (unsigned i = 1; i <= GEN_WORDS; i++) {
        gen_say(g, "mad.lo.s32 %%r%u, %%r0, %u, %u;\n", i, gen_pick(g, 1000), gen_pick(g, 100000));
    }
    for (unsigned i = 1; i <= GEN_PAIRS; i++) {
        gen_say(g, "ld.param.u64 %%d%u, [c];\nadd.s64 %%d%u, %%d%u, %u;\n", i, i, i,
                gen_pick(g, 99));
    }
    for (unsigned i = 1; i <= GEN_F32; i++) {
        gen_say(g, "cvt.rn.f32.s32 %%f%u, %%r%u;\n", i, gen_word(g));
    }
    for (unsigned i = 1; i <= GEN_F64; i++) {
        gen_say(g, "cvt.rn.f64.s32 %%g%u, %%r%u;\n", i, gen_word(g));
    }
    for (unsigned i = 0; i < GEN_PREDS; i++) {
        gen_say(g, "setp.%s.s32 %%p%u, %%r0, %u;\n", gen_pick(g, 2) ? "lt" : "ge", i,
                gen_pick(g, 40));
    }
    for (unsigned i = 0; i < 16; i++) {
        gen_say(g, "st.local.u32 [la+%u], %%r%u;\n", 4 * i, gen_word(g));
    }
    /* The words of all are set by all alike. */
    gen_say(g, "mov.u32 %%r14, 77;\nst.shared.u32 [%%a1], %%r0;\n");
    for (unsigned i = 0; i < 4; i++) {
        gen_say(g, "st.shared.u32 [sh+%u], %%r14;\n", 4 * g->program->threads + GEN_CELLS + 4 * i);
    }
    gen_say(g, "bar.sync 0;\n");
}

static void say_end(gen *g)
{
    for (unsigned i = 1; i <= GEN_WORDS; i++) {
        gen_say(g, "st.global.u32 [%%a0+%u], %%r%u;\n", 4 * i, i);
    }
    for (unsigned i = 1; i <= GEN_PAIRS; i++) {
        gen_say(g, "st.global.u64 [%%a0+%u], %%d%u;\n", 64 + 8 * i, i);
    }
    for (unsigned i = 1; i <= GEN_F32; i++) {
        gen_say(g, "st.global.f32 [%%a0+%u], %%f%u;\n", 112 + 4 * i, i);
    }
    for (unsigned i = 1; i <= GEN_F64; i++) {
        gen_say(g, "cvt.rn.f32.f64 %%f1, %%g%u;\nst.global.f32 [%%a0+%u], %%f1;\n", i, 128 + 4 * i);
    }
    for (unsigned i = 0; i < GEN_PREDS; i++) {
        gen_say(g, "selp.b32 %%r1, 1, 0, %%p%u;\nst.global.u32 [%%a0+%u], %%r1;\n", i, 160 + 4 * i);
    }
    for (unsigned i = 0; i < 4; i++) {
        gen_say(g, "ld.local.u32 %%r1, [la+%u];\nst.global.u32 [%%a0+%u], %%r1;\n", 16 * i,
                192 + 4 * i);
    }
    gen_say(g, "ld.shared.u32 %%r1, [%%a1];\nst.global.u32 [%%a0+208], %%r1;\nret;\n}\n");
}

void wr_program_write(uint64_t seed, unsigned address_size, char *buf, size_t size,
                      wr_program *program)
{
    static const uint32_t threads[] = {96, 64, 80, 33, 32, 96, 64, 96};
    gen g = {.state = seed * 2 + 1,
             .buf = buf,
             .size = size,
             .program = program,
             .bits = address_size,
             .words = 6,
             .pairs = 2,
             .mask = -1,
             .inside = true};

    memset(program, 0, sizeof *program);
    buf[0] = '\0';
    for (unsigned i = 0; i < 4; i++) { /* near seeds are alike at first */
        (void)gen_pick(&g, 2);
    }
    program->threads = threads[gen_pick(&g, 8)];
    g.exits = gen_pick(&g, 2) != 0;
    g.guards = gen_pick(&g, 6) == 0;
    if (g.guards) {
        gen_count(&g, WR_KIND_GUARDS_EVERYWHERE);
    }
    gen_say(&g, ".version 7.0\n.target sm_80\n.address_size %u\n", address_size);
    gen_say(&g, ".shared .align 4 .b8 sh[%u];\n", 4 * program->threads + GEN_CELLS + 16);
    say_functions(&g);
    g.words = GEN_WORDS;
    g.pairs = GEN_PAIRS;
    g.inside = false;
    gen_say(&g,
            ".visible .entry k(.param .%s out, .param .u32 a, .param .u32 b, .param .u64 c)\n{\n",
            address_size == 64 ? "u64" : "u32");
    say_start(&g);
    g.all = true;
    g.mask = 0;
    g.budget = 90;
    say_body(&g, 8 + gen_pick(&g, 20));
    say_end(&g);
}
