/* SPDX-License-Identifier: Apache-2.0 */
/* The preemption system over fake SMs: saved bytes against the naive format, restored state
 * against what was there, signals, and damage that must be reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fstapi.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpi/block_wave.h"
#include "systems/context/engine.h"
#include "tests/systems/bench.h"
#include "vectors/vectors.h"

static void round_trips(const char *how, uint32_t seeds, uint32_t preemptions)
{
    uint64_t seed = bench_seed(7);
    uint64_t saves = 0;

    for (uint32_t i = 0; i < seeds; i++) {
        bench *b = malloc(sizeof *b);
        char options[128];

        assert_non_null(b);
        (void)snprintf(options, sizeof options, "period=700,sm=random,random_cycles=1,count=%u,%s",
                       2 * preemptions, how);
        assert_true(bench_open(b, seed + i, options));
        bench_fill(b);
        bool in_time = bench_run(b, preemptions, 400000, true);

        if (b->gpu->aborted[0]) {
            fail_msg("seed %llu: %s", (unsigned long long)b->seed, b->gpu->aborted);
        }
        if (!in_time) {
            fail_msg("seed %llu: preemptions do not end", (unsigned long long)b->seed);
        }
        assert_int_equal(b->gpu->evictions, b->checked_saves);
        assert_true(b->gpu->placements <= b->gpu->evictions);
        assert_true(b->gpu->sm[0].most_in_a_cycle <= 1 && b->gpu->sm[1].most_in_a_cycle <= 1);
        saves += b->checked_saves;
        bench_close(b);
        free(b);
    }
    print_message("%s: %llu TBs saved, compared and restored\n", how, (unsigned long long)saves);
    assert_true(saves >= seeds * (uint64_t)preemptions / 4);
}

static void test_model(void **state)
{
    (void)state;
    round_trips("blocks=model", 40, 12);
}

static void test_lockstep(void **state)
{
    (void)state;
    round_trips("blocks=lockstep", 4, 6);
}

static void test_rtl(void **state)
{
    (void)state;
    round_trips("blocks=rtl", 4, 6);
}

/* One group a warp, whatever the TB's shape: in the bytes, both ways. */
static void test_warp_groups(void **state)
{
    (void)state;
    round_trips("pag=warp", 12, 12);
    round_trips("pag=warp,context=tb", 12, 12);
    round_trips("pag=warp,blocks=lockstep", 4, 6);
}

/* Several warps at a time, of one TB or of several; the queue takes one request a cycle. */
static void test_pipelines(void **state)
{
    (void)state;
    round_trips("pipelines=2", 12, 12);
    round_trips("pipelines=4", 12, 12);
    round_trips("pipelines=3,blocks=lockstep", 4, 6);
}

/* The same run takes the same cycles and counts with every backend. */
static void test_backends_agree(void **state)
{
    static const char *const backend[] = {"model", "rtl", "lockstep"};
    uint64_t cycle[3];
    uint64_t latency[3];
    uint64_t clocked[3];
    uint64_t seed = bench_seed(3);

    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        bench *b = malloc(sizeof *b);
        char options[128];

        assert_non_null(b);
        (void)snprintf(options, sizeof options, "period=900,blocks=%s", backend[i]);
        assert_true(bench_open(b, seed, options));
        bench_fill(b);
        assert_true(bench_run(b, 4, 200000, true));
        cycle[i] = b->gpu->cycle;
        latency[i] = bench_count(b, "latency.max");
        clocked[i] = bench_count(b, "blocks.context_restorer.cycles");
        assert_int_equal(bench_count(b, "blocks.context_saver.mismatches"), 0);
        bench_close(b);
        free(b);
    }
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(cycle[i], cycle[0]);
        assert_int_equal(latency[i], latency[0]);
        assert_int_equal(clocked[i], clocked[0]);
    }
}

/* What the report counts is what the naive format gives. */
static const char *const class_names[] = {"local_uniform", "random", "local_strided",
                                          "global_uniform", "global_strided"};

static void counts(const char *kind)
{
    uint64_t seed = bench_seed(11);
    uint64_t wholes = 0;

    for (uint32_t i = 0; i < 8; i++) {
        bench *b = malloc(sizeof *b);
        char options[64];

        assert_non_null(b);
        (void)snprintf(options, sizeof options, "period=2000,count=6,context=%s", kind);
        assert_true(bench_open(b, seed + i, options));
        bench_fill(b);
        assert_true(bench_run(b, 6, 200000, true));
        if (b->expect_warps != 0) {
            char name[64];

            assert_int_equal(bench_count(b, "context.points.warps"), b->expect_warps);
            assert_int_equal(bench_count(b, "context.points.tbs"), b->checked_saves);
            (void)snprintf(name, sizeof name, "context.points.written.ccb");
            assert_int_equal(bench_count(b, name), 24 * b->checked_saves);
            assert_true(bench_count(b, "context.points.written.data") >= b->expect_data_bytes);
            assert_true(bench_count(b, "context.points.written.data") <=
                        b->expect_data_bytes + 28 * b->expect_warps);
            assert_int_equal(bench_count(b, "context.points.written.shared"),
                             b->shared_bytes * b->checked_saves);
            uint64_t registers = bench_count(b, "context.points.registers.uniform") +
                                 bench_count(b, "context.points.registers.strided") +
                                 bench_count(b, "context.points.registers.random") +
                                 bench_count(b, "context.points.registers.dead");

            assert_int_equal(registers, b->expect_warps * b->regs);
            if (b->kind == WR_CONTEXT_BY_TB) {
                assert_int_equal(bench_count(b, "context.points.tb.tbs"), b->expect_wholes);
                assert_int_equal(bench_count(b, "context.points.tb.warps"),
                                 b->expect_wholes * b->warps);
                assert_int_equal(bench_count(b, "context.points.tb.by_warp"),
                                 b->checked_saves - b->expect_wholes);
                for (uint32_t c = 0; c < 5; c++) {
                    (void)snprintf(name, sizeof name, "context.points.tb.registers.%s",
                                   class_names[c]);
                    assert_int_equal(bench_count(b, name), b->expect_classes[c]);
                }
            }
        }
        wholes += b->expect_wholes;
        bench_close(b);
        free(b);
    }
    assert_true((wholes > 0) == (strcmp(kind, "tb") == 0));
}

static void test_counts(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < WR_CONTEXT_KINDS; k++) {
        counts(wr_context_kind_names[k]);
    }
    counts("warp,pag=warp");
    counts("live,pag=warp");
}

/* Signals without a pause neither stop the machine nor pile up. */
static void test_dense_signals(void **state)
{
    bench *b = malloc(sizeof *b);

    (void)state;
    assert_non_null(b);
    assert_true(bench_open(b, bench_seed(5), "period=1,sm=0"));
    bench_fill(b);
    assert_true(bench_run(b, 10, 400000, true));
    assert_string_equal(b->gpu->aborted, "");
    assert_true(bench_count(b, "signals.merged") > bench_count(b, "signals.deferred"));
    assert_true(b->gpu->resumes > 0);
    bench_close(b);
    free(b);
}

/* An SM without TBs is left alone; a launch that ends under a signal leaves no signal up. */
static void test_idle_and_launch_end(void **state)
{
    bench *b = malloc(sizeof *b);

    (void)state;
    assert_non_null(b);
    assert_true(bench_open(b, bench_seed(5), "period=50,sm=rotate,count=4"));
    for (uint32_t i = 0; i < 1000; i++) {
        fake_cycle(b->gpu);
    }
    assert_int_equal(bench_count(b, "signals.due"), 4);
    assert_int_equal(bench_count(b, "signals.idle"), 4);
    assert_false(b->gpu->sm[0].attend || b->gpu->sm[1].attend);
    const wr_system_hooks *hooks = b->gpu->hooks;

    assert_true(hooks->next_cycle(hooks->self, b->gpu->cycle) == UINT64_MAX);
    bench_close(b);

    assert_true(bench_open(b, bench_seed(5), "period=50,sm=0,count=1"));
    (void)fake_place(&b->gpu->sm[0], &b->launch, 0, b->regs, b->shared_bytes);
    for (uint32_t w = 0; w < FAKE_WARPS; w++) {
        b->gpu->sm[0].warp[w].delay = 1000000;
    }
    for (uint32_t i = 0; i < 100; i++) {
        fake_cycle(b->gpu);
    }
    hooks = b->gpu->hooks;
    assert_true(b->gpu->sm[0].stop != 0);
    assert_true(b->gpu->sm[0].closed);
    assert_false(b->gpu->sm[1].closed);
    hooks->launch_end(hooks->self, b->gpu, 0);
    assert_false(b->gpu->sm[0].stop || b->gpu->sm[0].closed || b->gpu->sm[0].attend);
    assert_int_equal(bench_count(b, "signals.drained"), 1);
    bench_close(b);
    free(b);
}

static void break_pointer(bench *b, const bench_tb *tb)
{
    fake_memory(b->gpu, b->gpu->entry_at[tb - b->tb])[6] ^= 0x55;
}

static void break_pattern(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    bench_pointers(b, tb, &regs, &shared, &stack);
    memset(fake_memory(b->gpu, regs), 0xff, 16);
}

static void break_depth(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    bench_pointers(b, tb, &regs, &shared, &stack);
    fake_memory(b->gpu, stack)[28] = 200;
}

/* The first warp seems to have finished, and has registers. */
static void lose_depth(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    if (tb->warp[0].done || tb->warp[0].live == 0) {
        return;
    }
    bench_pointers(b, tb, &regs, &shared, &stack);
    fake_memory(b->gpu, stack)[28] = 0;
}

static void expect_failure(void (*tamper)(bench *, const bench_tb *), const char *message)
{
    bench_expect_failure("period=500", tamper, message);
}

static void test_damaged_memory(void **state)
{
    (void)state;
    expect_failure(break_pointer, "is damaged: a pointer of its control block, to registers,");
    expect_failure(break_pattern, "is damaged: a pattern vector names more registers");
    expect_failure(break_depth, "is damaged: a SIMT stack is deeper");
    expect_failure(lose_depth, "is damaged: a warp without a SIMT stack has live registers");
}

/* Flips one bit of the first warp's register data. */
static void flip_data(bench *b, const bench_tb *tb)
{
    uint64_t regs;
    uint64_t shared;
    uint64_t stack;

    if (tb->warp[0].done || tb->warp[0].live == 0) {
        return;
    }
    bench_pointers(b, tb, &regs, &shared, &stack);
    if (regs % 2 != 0) {
        fake_memory(b->gpu, regs - 1 + 128)[0] ^= 1; /* the stream of a whole TB */
        b->wholes_flipped++;
    } else {
        fake_memory(b->gpu, regs + (b->warps * 16 + 127) / 128 * 128)[0] ^= 1;
    }
}

/* State comes back from memory and from nowhere else: a bit that flips there is seen. */
static void test_restore_reads_memory(void **state)
{
    uint64_t seed = bench_seed(31);

    (void)state;
    for (uint32_t kind = 0; kind < WR_CONTEXT_KINDS; kind++) {
        uint32_t different = 0;
        uint32_t wholes = 0;

        for (uint32_t i = 0; i < 10; i++) {
            bench *b = malloc(sizeof *b);
            char options[64];

            assert_non_null(b);
            (void)snprintf(options, sizeof options, "period=500,sm=0,count=1,context=%s",
                           wr_context_kind_names[kind]);
            assert_true(bench_open(b, seed + i, options));
            b->tamper = flip_data;
            b->expect_damage = true;
            bench_fill(b);
            (void)bench_run(b, 1, 9000, false);
            different += b->differences;
            wholes += b->wholes_flipped;
            bench_close(b);
            free(b);
        }
        assert_true(different > 0);
        assert_true((wholes > 0) == (kind == WR_CONTEXT_BY_TB));
    }
}

/* Words that are no preemption instruction, or that name registers which the kernel has not. */
static void test_wrong_instructions(void **state)
{
    static const char *const message[] = {"finds no preemption instruction",
                                          "context_saver: cycle"};
    uint64_t seed = bench_seed(41);

    (void)state;
    for (uint32_t kind = 0; kind < 2; kind++) {
        bench *b = malloc(sizeof *b);
        uint64_t s = seed;

        assert_non_null(b);
        for (;; s++) { /* a kernel of few registers leaves vector bits that must be 0 */
            assert_true(bench_open(b, s, "period=100,sm=0"));
            if (b->regs < 50) {
                break;
            }
            bench_close(b);
        }
        for (uint32_t i = 0; i < BENCH_POINTS; i++) {
            b->words[2 * i] = kind == 0 ? (uint64_t)WR_OP_NOP << 54
                                        : (uint64_t)WR_OP_BAR_PP << 54 | UINT64_C(1) << 52;
        }
        uint32_t slot = fake_place(&b->gpu->sm[0], &b->launch, 0, b->regs, b->shared_bytes);

        assert_int_not_equal(slot, UINT32_MAX);
        for (uint32_t w = 0; w < b->warps; w++) {
            b->gpu->sm[0].warp[b->gpu->sm[0].tb[slot].warp_base + w].depth = 1;
        }
        for (uint32_t c = 0; c < 2000 && !b->gpu->aborted[0]; c++) {
            fake_cycle(b->gpu);
        }
        if (!strstr(b->gpu->aborted, message[kind])) {
            fail_msg("got \"%s\", expected \"...%s...\"", b->gpu->aborted, message[kind]);
        }
        bench_close(b);
        free(b);
    }
}

/* The waveform has a variable of this name, scopes joined by dots. */
static bool has_variable(void *fst, const char *wanted)
{
    struct fstHier *h;
    bool found = false;

    assert_int_equal(fstReaderIterateHierRewind(fst), 1);
    fstReaderResetScope(fst);
    while ((h = fstReaderIterateHier(fst)) != NULL) {
        char name[512];

        if (h->htyp == FST_HT_SCOPE) {
            (void)fstReaderPushScope(fst, h->u.scope.name, NULL);
        } else if (h->htyp == FST_HT_UPSCOPE) {
            (void)fstReaderPopScope(fst);
        }
        if (h->htyp != FST_HT_VAR) {
            continue;
        }
        (void)snprintf(name, sizeof name, "%s.%s", fstReaderGetCurrentFlatScope(fst),
                       h->u.var.name);
        if (h->u.var.length > 1) {
            (void)snprintf(name + strlen(name), sizeof name - strlen(name), "[%u:0]",
                           h->u.var.length - 1);
        }
        found |= strcmp(name, wanted) == 0;
    }
    return found;
}

/* GTKWave finds the waveform beside the view, starts at the first preemption, and every signal
 * that the view names is there; the state is shown by name. */
static void check_view(const char *path, void *fst)
{
    FILE *view = fopen(path, "r");
    char line[512];
    char start[64];
    uint32_t signals = 0;
    uint32_t places = 0;
    bool by_name = false;

    assert_non_null(view);
    (void)snprintf(start, sizeof start, "[timestart] %llu",
                   (unsigned long long)fstReaderGetStartTime(fst));
    while (fgets(line, sizeof line, view) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        places += strcmp(line, "[dumpfile] \"w.fst\"") == 0;
        places += strcmp(line, "[savefile] \"w.gtkw\"") == 0;
        places += strcmp(line, start) == 0;
        if (strncmp(line, "preemption.", 11) == 0) {
            if (!has_variable(fst, line)) {
                fail_msg("the view names %s, which the waveform lacks", line);
            }
            assert_true(strcmp(line, "preemption.state[3:0]") != 0 || by_name);
            signals++;
        }
        by_name = strcmp(line, "@100000028") == 0;
    }
    assert_int_equal(fclose(view), 0);
    assert_int_equal(places, 3);
    assert_true(signals > 30);
}

/* Recorded vectors replay on a fresh model; the waveform opens and covers the preemption. */
static void test_records(void **state)
{
    static const char *const block[] = {
        "context_saver",      "context_restorer",   "context_sequencer",  "context_sequencer2",
        "context_sequencer3", "context_sequencer4", "context_sequencer5", "context_sequencer6",
        "context_sequencer7", "context_sequencer8"};
    enum { BLOCKS = sizeof block / sizeof block[0], ALWAYS = 3 };
    uint32_t files = 0;
    bench *b = malloc(sizeof *b);
    char dir[] = "/tmp/warpref_test_XXXXXX";
    char options[256];
    char path[256];
    char err[512];

    (void)state;
    assert_non_null(b);
    assert_non_null(mkdtemp(dir));
    (void)snprintf(options, sizeof options,
                   "period=600,sm=rotate,count=8,wave=%s/w.fst,record=%s/v", dir, dir);
    assert_true(bench_open(b, bench_seed(2), options));
    bench_fill(b);
    assert_true(bench_run(b, 8, 200000, true));
    assert_true(wr_system_group_finish(b->systems, err, sizeof err));
    uint64_t rows = 0;

    for (uint32_t sm = 0; sm < 2; sm++) {
        for (uint32_t i = 0; i < BLOCKS; i++) {
            wr_vectors v;
            wr_replay_result result;
            wr_port port;
            (void)snprintf(path, sizeof path, "%s/v/sm%u_%s.hex", dir, sm, block[i]);
            if (i >= ALWAYS && access(path, F_OK) != 0) {
                continue; /* so many TBs never came in at a time */
            }
            files++;
            if (!wr_vectors_load(&v, path, err, sizeof err)) {
                fail_msg("%s", err);
            }
            assert_memory_equal(v.block->name, block[i], strlen(v.block->name));
            void *model = calloc(1, v.block->state_size);

            assert_non_null(model);
            if (!wr_port_open(&port, v.block, WR_BACKEND_MODEL, v.cfg, model, NULL, 1, err,
                              sizeof err)) {
                fail_msg("%s", err);
            }
            wr_vectors_replay(&v, &port, &result);
            assert_int_equal(result.mismatches, 0);
            assert_true(result.checks > 0);
            assert_int_equal(result.cycles, v.count);
            rows += v.count;
            wr_port_close(&port);
            free(model);
            wr_vectors_free(&v);
            assert_int_equal(unlink(path), 0);
        }
    }
    assert_int_equal(rows, bench_count(b, "files.vectors.cycles"));
    assert_int_equal(files, bench_count(b, "files.vectors.count"));
    assert_true(files >= 2 * ALWAYS);
    (void)snprintf(path, sizeof path, "%s/w.fst", dir);
    void *fst = fstReaderOpen(path);

    assert_non_null(fst);
    assert_true(fstReaderGetStartTime(fst) <=
                bench_count(b, "preemption.0.cycle") * WR_WAVE_CYCLE_NS);
    assert_true(fstReaderGetEndTime(fst) >=
                (bench_count(b, "preemption.0.cycle") + bench_count(b, "preemption.0.latency") +
                 bench_count(b, "preemption.0.restore")) *
                    WR_WAVE_CYCLE_NS);
    assert_true(fstReaderGetVarCount(fst) > 2 * 32);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/w.gtkw", dir);
    check_view(path, fst);
    fstReaderClose(fst);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/v", dir);
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(dir), 0);
    bench_close(b);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_dense_signals),
        cmocka_unit_test(test_idle_and_launch_end),
        cmocka_unit_test(test_damaged_memory),
        cmocka_unit_test(test_restore_reads_memory),
        cmocka_unit_test(test_wrong_instructions),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_lockstep),
        cmocka_unit_test(test_rtl),
        cmocka_unit_test(test_warp_groups),
        cmocka_unit_test(test_pipelines),
        cmocka_unit_test(test_backends_agree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
