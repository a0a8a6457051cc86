/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of random programs at which lanes or threads meet.
 *
 * Others' words of shared memory are read between two barriers only, and cells of all threads are
 * changed between two barriers and read behind them. */
#include "program_gen.h"

void gen_uniform_pred(gen *g, unsigned label)
{
    gen_say(g, "and.b32 %%k%u, %%u%u, %u;\nsetp.%s.u32 %%q%u, %%k%u, %u;\n", label, gen_pick(g, 2),
            1 + gen_pick(g, 7), gen_pick(g, 2) ? "gt" : "le", label, label, gen_pick(g, 3));
}

static void say_shuffle(gen *g, const char *guard, int mask)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    unsigned mode = gen_pick(g, 4), width = 32u >> gen_pick(g, 4);
    unsigned c = (32 - width) << 8 | (mode == 0 ? 0 : 31);
    unsigned by = gen_pick(g, 3) != 0 ? gen_word(g) : 0;

    gen_count(g, WR_KIND_SHUFFLE);
    if (by != 0) {
        gen_say(g, "and.b32 %%r14, %%r%u, 31;\n", by);
    } else {
        gen_say(g, "mov.u32 %%r14, %u;\n", gen_pick(g, 32));
    }
    if (gen_pick(g, 2)) {
        gen_say(g, "%sshfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %%r14, %u, %%m%d;\n", guard, modes[mode],
                gen_word(g), gen_pred(g), gen_word(g), c, mask);
    } else {
        gen_say(g, "%sshfl.sync.%s.b32 %%r%u, %%r%u, %%r14, %u, %%m%d;\n", guard, modes[mode],
                gen_word(g), gen_word(g), c, mask);
    }
}

bool gen_lanes(gen *g)
{
    static const char *const votes[] = {"all", "any", "uni"};
    static const char *const sums[] = {"add.u32", "min.s32", "max.u32", "and.b32", "xor.b32"};
    const char *guard = "";
    int mask = g->mask;

    if (mask < 0) {
        return false;
    }
    if (mask + 1 < GEN_MASKS && gen_pick(g, 5) == 0) {
        gen_count(g, WR_KIND_GUARDED_LANES);
        gen_say(g, "mov.pred %%p7, %%p%u;\nvote.sync.ballot.b32 %%m%d, %%p7, %%m%d;\n", gen_pred(g),
                mask + 1, mask);
        guard = "@%p7 ";
        mask++;
    }
    if (mask > 0) {
        gen_count(g, WR_KIND_SOME_LANES);
    }
    switch (gen_pick(g, 5)) {
    case 0:
        gen_count(g, WR_KIND_VOTE);
        gen_say(g, "%svote.sync.ballot.b32 %%r%u, %s%%p%u, %%m%d;\n", guard, gen_word(g),
                gen_pick(g, 2) ? "!" : "", gen_pred(g), mask);
        break;
    case 1:
        gen_count(g, WR_KIND_VOTE);
        gen_say(g, "%svote.sync.%s.pred %%p%u, %%p%u, %%m%d;\n", guard, votes[gen_pick(g, 3)],
                gen_pred(g), gen_pred(g), mask);
        break;
    case 2:
        gen_count(g, WR_KIND_MATCH);
        gen_say(g, "and.b32 %%r14, %%r%u, 3;\n%smatch.any.sync.b32 %%r%u, %%r14, %%m%d;\n",
                gen_word(g), guard, gen_word(g), mask);
        break;
    case 3:
        gen_count(g, WR_KIND_REDUX);
        gen_say(g, "%sredux.sync.%s %%r%u, %%r%u, %%m%d;\n", guard, sums[gen_pick(g, 5)],
                gen_word(g), gen_word(g), mask);
        break;
    default:
        say_shuffle(g, guard, mask);
        break;
    }
    return true;
}

/* %a4 = the place of the word of thread `%r14 % count + first`. */
static void say_other(gen *g, unsigned count, unsigned first)
{
    gen_say(g, "rem.u32 %%r14, %%r%u, %u;\nshl.b32 %%r14, %%r14, 2;\n", gen_word(g), count);
    gen_say(g, "%s %%a4, %%r14;\nmov.u%u %%a5, sh;\nadd.u%u %%a4, %%a4, %%a5;\n",
            g->bits == 64 ? "cvt.u64.u32" : "mov.b32", g->bits, g->bits);
    gen_say(g, "ld.shared.u32 %%r%u, [%%a4+%u];\n", gen_word(g), 4 * first);
}

static void say_exchange(gen *g)
{
    gen_count(g, WR_KIND_EXCHANGE);
    gen_say(g, "st.shared.u32 [%%a1], %%r%u;\nbar.sync 0;\n", gen_word(g));
    say_other(g, g->program->threads, 0);
    gen_say(g, "bar.sync 0;\n");
}

static void say_cell(gen *g)
{
    static const char *const ops[] = {"add.u32", "xor.b32", "max.u32", "min.s32"};
    unsigned k = gen_pick(g, 4), at = 4 * g->program->threads + GEN_CELLS + 4 * k;

    gen_count(g, WR_KIND_SHARED_ATOMIC);
    gen_say(g, "bar.sync 0;\n@%s%%p%u red.shared.%s [sh+%u], %%r%u;\n", gen_pick(g, 2) ? "!" : "",
            gen_pred(g), ops[k], at, gen_word(g));
    gen_say(g, "bar.sync 0;\nld.shared.u32 %%r%u, [sh+%u];\n", gen_word(g), at);
}

static void say_reduction(gen *g)
{
    unsigned number = gen_pick(g, 16);

    gen_count(g, WR_KIND_BARRIER_REDUCTION);
    if (gen_pick(g, 2)) {
        gen_say(g, "bar.red.popc.u32 %%r%u, %u, %%p%u;\n", gen_word(g), number, gen_pred(g));
    } else {
        gen_say(g, "bar.red.%s.pred %%p%u, %u, %%p%u;\n", gen_pick(g, 2) ? "and" : "or",
                gen_pred(g), number, gen_pred(g));
    }
}

/* Warps below and from `half` on have barriers of their own, or the lower ones only arrive at the
 * one at which the others wait. */
static void say_halves(gen *g)
{
    unsigned threads = g->program->threads, half = 32 * (1 + gen_pick(g, threads / 32 - 1));
    unsigned one = 1 + gen_pick(g, 7), two = 8 + gen_pick(g, 8), label = g->label++;
    bool arrive = gen_pick(g, 2) != 0;

    gen_count(g, arrive ? WR_KIND_ARRIVE : WR_KIND_BARRIER_WITH_COUNT);
    gen_say(g, "st.shared.u32 [%%a1], %%r%u;\nsetp.ge.u32 %%p6, %%r0, %u;\n@%%p6 bra L%ua;\n",
            gen_word(g), half, label);
    if (arrive) {
        gen_say(g, "bar.arrive %u, %u;\n", one, threads);
    } else {
        gen_say(g, "bar.sync %u, %u;\n", one, half);
        say_other(g, half, 0);
    }
    gen_say(g, "bra.uni L%ub;\nL%ua:\n", label, label);
    gen_say(g, "bar.sync %u, %u;\n", arrive ? one : two, arrive ? threads : threads - half);
    say_other(g, arrive ? half : threads - half, arrive ? 0 : half);
    gen_say(g, "L%ub:\nbar.sync 0;\n", label);
}

bool gen_threads(gen *g)
{
    unsigned kind = gen_pick(g, 8);

    if (!g->all) {
        return false;
    }
    gen_count(g, WR_KIND_BARRIER);
    if (g->branches > 0) {
        gen_count(g, WR_KIND_BARRIER_IN_BRANCH);
    }
    if (g->uniform_loops > 0) {
        gen_count(g, WR_KIND_BARRIER_IN_LOOP);
    }
    if (kind < 2) {
        say_exchange(g);
    } else if (kind < 4) {
        say_cell(g);
    } else if (kind < 5) {
        say_reduction(g);
    } else if (kind < 7 && !g->exits && g->program->threads % 32 == 0 && g->program->threads > 32) {
        say_halves(g);
    } else {
        gen_say(g, "bar.sync %u;\n", gen_pick(g, 3));
    }
    return true;
}
