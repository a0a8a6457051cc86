/* SPDX-License-Identifier: Apache-2.0 */
/* A co-simulation in one configuration: see cosim_one.h. */
#include "tools/cosim_one.h"

#include "dpi/rtl_cache.h"
#include "dpi/user_rtl.h"
#include "dpi/verilate.h"
#include "tools/stop.h"
#include "tools/watch.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    TEXT_ROOM = 16384,
    KILLED = 256,  /* and the signal */
    STARTS = 4096, /* cycles from each start, or an eighth of the run */
    TOOL_SECONDS = 600,
    BITS = 256, /* of pins, in as many cycles in four states as there may be */
};

/* What runs in a process of its own where the RTL is the user's, and what it leaves in memory that
 * both see. */
typedef struct bench {
    wr_cosim_result result;
    wr_shrink_result shortest;
    bool good;
    bool by_start; /* the mismatch depends on what registers and nets start with */
    char text[TEXT_ROOM];
} bench;

typedef struct job {
    const wr_cosim_one *one;
    wr_cosim_options run;
    wr_port_own own; /* the user's RTL, which run.own then is */
    bench *bench;
} job;

/* Sends standard output, where what RTL prints goes, elsewhere; back by what it gave. */
static int turn_output(int to)
{
    (void)fflush(stdout);
    const int before = dup(STDOUT_FILENO);

    if (before >= 0 && to >= 0) {
        (void)dup2(to, STDOUT_FILENO);
        (void)close(to);
    }
    return before;
}

/* The cycle behind which the run fails from this start, if that is one of the first so many;
 * else 0. What the RTL prints is not shown: the run itself prints it. */
static uint64_t fails_from(const job *j, wr_rtl_start start, uint64_t cycles)
{
    wr_cosim_options run = j->run;
    wr_port_own own = j->own;
    wr_cosim_result *result = calloc(1, sizeof(*result));
    const int output = turn_output(open("/dev/null", O_WRONLY | O_CLOEXEC));
    char text[TEXT_ROOM];
    uint64_t at = 0;

    own.start = start;
    run.own = &own;
    run.until = cycles;
    run.wave = run.rtl_wave = run.ring = run.coverage = NULL;
    if (result != NULL && wr_cosim_run(&run, result, text, sizeof(text)) &&
        (result->first[0] != '\0' || result->stopped)) {
        at = result->stats.cycles + result->wild_cycles;
    }
    free(result);
    (void)close(turn_output(output));
    return at;
}

/* The run, once a part of it has run from other starts. What has no value starts at random, by the
 * seed; the run has to pass from all 0 and from all 1, too, of which one shows what the other
 * hides. */
static void run_from_starts(job *j)
{
    static const wr_rtl_start starts[] = {WR_START_ZEROS, WR_START_ONES};
    enum { COUNT = sizeof(starts) / sizeof(starts[0]) };
    const uint64_t part = j->run.cycles / 8 > STARTS ? j->run.cycles / 8 : STARTS;
    bench *b = j->bench;
    uint64_t fails[COUNT];

    for (size_t i = 0; i < COUNT; i++) {
        fails[i] = fails_from(j, starts[i], part);
    }
    b->good = wr_cosim_run(&j->run, &b->result, b->text, sizeof(b->text));
    const bool failed = b->result.first[0] != '\0';
    const uint64_t at = b->result.stats.cycles + b->result.wild_cycles;

    for (size_t i = 0; i < COUNT && b->good && b->result.ended[0] == '\0' && !b->by_start; i++) {
        if (failed) {
            fails[i] = at > part && fails[i] == 0 ? fails_from(j, starts[i], at) : fails[i];
            b->by_start = fails[i] == 0 || fails[i] > at;
        } else if (fails[i] > 0) { /* again, now with all that a failure leaves */
            b->by_start = true;
            j->own.start = starts[i];
            b->good = wr_cosim_run(&j->run, &b->result, b->text, sizeof(b->text));
        }
    }
}

static int simulate(void *arg, FILE *out)
{
    job *j = arg;
    bench *b = j->bench;
    const wr_cosim_options *run = &j->run;
    const char *shortest = j->one->shortest;

    (void)out;
    if (run->own == &j->own && run->until == 0) {
        run_from_starts(j);
    } else {
        b->good = wr_cosim_run(run, &b->result, b->text, sizeof(b->text));
    }
    if (b->good && b->result.first[0] != '\0' && shortest != NULL) {
        if (isatty(STDERR_FILENO)) {
            (void)fprintf(stderr, "mismatch; looking for the shortest inputs that show it\n");
        }
        if (!wr_shrink(run, &b->result, shortest, &b->shortest, b->text, sizeof(b->text))) {
            (void)fprintf(stderr, "%s\n", b->text);
        }
    }
    return b->good ? WR_EXIT_PASS : WR_EXIT_USAGE;
}

/* Plays what the RTL has hung or crashed in once more, up to the cycle before, for the waves that
 * went with its process. */
static void play_again(job *j, wr_watch *watch)
{
    const uint64_t cycle = atomic_load(&watch->pulse.cycle);

    if (cycle == 0 || j->bench->result.first[0] != '\0') {
        return; /* there is nothing to see, or it was seen: the mismatch behind which it hung */
    }
    if (isatty(STDERR_FILENO)) {
        (void)fprintf(stderr, "playing the cycles before it again, for the wave\n");
    }
    j->run.until = cycle;
    watch->whole = false;
    (void)wr_watch_run(watch, simulate, j); /* where it now ends elsewhere there is no wave */
}

/* As many as are played without being asked for: of wide pins fewer, since each costs its time. */
static uint64_t short_cycles(const wr_cosim_options *run)
{
    const uint32_t bits =
        wr_block_bits(run->block, WR_IN, run->cfg) + wr_block_bits(run->block, WR_OUT, run->cfg);
    const uint64_t cycles = (uint64_t)WR_FOUR_STATE_SHORT * BITS / (bits > BITS ? bits : BITS);

    return cycles > WR_FOUR_STATE_EPISODE ? cycles : WR_FOUR_STATE_EPISODE;
}

/* Plays the beginning, or all of it where that is asked for, in four states. False: it was asked
 * for and cannot be, or a file cannot be written; that is told on standard error. */
static bool play_four_states(const wr_cosim_one *one, const wr_cosim_options *run,
                             wr_four_state *four)
{
    const wr_cosim_asked *o = one->asked;
    const wr_four_state_asked asked = {
        .run = run,
        .sources = &o->sources,
        .cycles = o->four_state ? o->four_state_cycles : short_cycles(run),
        .episode = o->four_state || run->rows != NULL ? 0 : WR_FOUR_STATE_EPISODE,
        .inputs = one->shortest,
        .seconds = TOOL_SECONDS};
    char text[TEXT_ROOM];

    if (!wr_four_state_run(&asked, four, text, sizeof(text))) {
        (void)fprintf(stderr, "%s\n", text);
        return false;
    }
    if (o->four_state && four->untried[0] != '\0') {
        (void)fprintf(stderr, "--four-state: %s\n", four->untried);
        return false;
    }
    return true;
}

/* Of several configurations the first is tried without being asked for: Yosys takes as long as the
 * run in large ones. */
static bool wants_four_states(const wr_cosim_one *one, const bench *b, const char *ended)
{
    const wr_cosim_asked *o = one->asked;
    const bool first = one->sum == NULL || one->sum->count == 0;

    return o->is_user && !o->no_four_state && o->align.kind == WR_ALIGN_CYCLES &&
           (o->four_state || first) && ended[0] == '\0' && b->result.first[0] == '\0' &&
           !b->result.stopped;
}

static int report(const wr_cosim_one *one, const wr_cosim_options *run, const bench *b,
                  const char *ended)
{
    wr_four_state four = {0};
    const bool wants = wants_four_states(one, b, ended);
    const wr_cosim_asked *o = one->asked;
    wr_cosim_report r = {.run = run,
                         .result = &b->result,
                         .shortest = &b->shortest,
                         .config = one->config,
                         .rtl = o->sources.title,
                         .inputs = o->inputs,
                         .shortest_path = one->shortest,
                         .ended = ended,
                         .four = wants ? &four : NULL,
                         .by_start = b->by_start,
                         .json = o->json,
                         .bins = o->bins};

    if (wants && !play_four_states(one, run, &four)) {
        return WR_EXIT_USAGE;
    }
    if (*run->stop != 0 && ended[0] == '\0') {
        r.ended = "by a signal";
    }
    return one->sum != NULL ? wr_cosim_report_add(one->sum, &r) : wr_cosim_report_print(&r);
}

/* Runs, in a process of its own where the RTL is not ours, and reports. */
static int run_and_report(const wr_cosim_one *one, wr_cosim_options run, const char *so)
{
    wr_watch *watch = wr_watch_new(one->asked->watchdog, sizeof(bench));
    bench *b = watch != NULL ? (bench *)(void *)watch->extra : NULL;
    wr_watch_end end = {.text = ""};
    job j = {.one = one, .run = run, .own = {.lib = so, .align = one->asked->align}, .bench = b};
    int status = WR_EXIT_USAGE;

    if (watch == NULL) {
        (void)fprintf(stderr, "out of memory\n");
        return status;
    }
    if (so != NULL) {
        j.own.pulse = &watch->pulse;
        j.run.own = &j.own;
        end = wr_watch_run(watch, simulate, &j);
        if (end.asked != 0 && end.signal == 0) { /* it stopped in order: so does this process */
            (void)raise(end.asked);
        }
    } else {
        (void)simulate(&j, stdout);
    }
    if (end.signal != 0) {
        wr_watch_free(watch);
        return end.signal + KILLED;
    }
    if (end.text[0] != '\0') { /* the process is gone, with what it knew */
        const wr_port_stats stats = {.cycles = atomic_load(&watch->pulse.cycle)};
        play_again(&j, watch);
        b->good = true;
        b->result.stats = stats;
    } else {
        (void)snprintf(end.text, sizeof(end.text), "%s", b->result.ended);
    }
    if (b->good) {
        status = report(one, &run, b, end.text);
    } else {
        (void)fprintf(stderr, "%s\n", b->text);
    }
    wr_watch_free(watch);
    return status;
}

/* Builds the user's RTL. False: with what was wrong on standard error. */
static bool build(const wr_cosim_one *one, wr_user_rtl *user)
{
    const wr_cosim_asked *o = one->asked;
    const wr_cosim_options *run = &one->run;
    const wr_user_build what = {
        .block = run->block,
        .cfg = run->cfg,
        .sources = &o->sources,
        .mode = o->pins_only || o->align.kind != WR_ALIGN_CYCLES ? WR_USER_PINS : WR_USER_LOCKSTEP,
        .coverage = o->coverage != NULL};
    char text[TEXT_ROOM];
    char params[256];

    if (wr_align_fits(o->align, run->block, text, sizeof(text)) &&
        wr_user_rtl_build(user, &what, text, sizeof(text))) {
        return true;
    }
    (void)fprintf(stderr, "%s\n", text);
    if (one->sum != NULL) {
        wr_block_params_text(run->block, run->cfg, params, sizeof(params));
        (void)fprintf(stderr,
                      "This is configuration %s (%s). --config NAME or --param NAME=VALUE runs one "
                      "alone, for RTL that is not made for all of them.\n",
                      one->config, params);
    }
    return false;
}

static void print_title(const wr_cosim_one *one)
{
    const wr_cosim_asked *o = one->asked;
    char params[256];

    (void)printf("cosim %s", one->run.block->name);
    if (one->sum == NULL) {
        wr_block_params_text(one->run.block, one->run.cfg, params, sizeof(params));
        (void)printf(" config %s (%s)", one->config, params);
    }
    (void)printf(" seed %" PRIu64, o->seed);
    if (o->inputs != NULL) {
        (void)printf(" inputs %s", o->inputs);
    }
    if (o->sources.title != NULL) {
        (void)printf(" rtl %s", o->sources.title);
    }
    if (o->align.kind == WR_ALIGN_LATENCY) {
        (void)printf(" latency %" PRIu32, o->align.cycles);
    } else if (o->align.kind == WR_ALIGN_TRANSFERS) {
        (void)printf(" transfers within %" PRIu32, o->align.cycles);
    }
    (void)printf("\n");
}

int wr_cosim_one_run(const wr_cosim_one *one)
{
    const wr_cosim_asked *o = one->asked;
    wr_cosim_options run = one->run;
    char text[TEXT_ROOM];
    char counting[2 * WR_VERILATE_PATH];
    const wr_port_own counter = {.lib = counting};
    wr_user_rtl user = {.folder = ""};
    int status;

    if (o->coverage != NULL && !o->is_user) {
        if (!wr_rtl_cached(run.block, run.cfg, "coverage", counting, sizeof(counting), text,
                           sizeof(text))) {
            (void)fprintf(stderr, "%s\n", text);
            return WR_EXIT_USAGE;
        }
        run.own = &counter;
    }
    if (o->is_user && !build(one, &user)) {
        return WR_EXIT_USAGE;
    }
    if (!o->json && (one->sum == NULL || one->sum->count == 0)) {
        print_title(one);
    }
    run.stop = wr_stop_begin();
    status = run_and_report(one, run, o->is_user ? user.so : NULL);
    wr_user_rtl_remove(&user);
    wr_stop_end();         /* a signal that came ends the process here */
    if (status > KILLED) { /* so that a script that called us ends, too */
        (void)fflush(NULL);
        (void)raise(status - KILLED);
    }
    return status;
}
