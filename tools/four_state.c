/* SPDX-License-Identifier: Apache-2.0 */
/* The user's RTL in four states: see four_state.h. */
#include "tools/four_state.h"

#include "dpi/printable.h"
#include "dpi/verilate.h"
#include "vectors/vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPLAY_PASS = 0, REPLAY_FAIL = 1, REPLAY_WORDS = 16 };

/* The cycles of the run that are played: {in, out} each, and where a reset stands in front. */
typedef struct recorder {
    wr_observer observer;
    const wr_four_state_asked *asked;
    uint32_t in_words, out_words;
    uint32_t *rows;
    uint8_t *first; /* of an episode */
    uint64_t count, room;
    uint64_t in_episode;
    bool full; /* memory is out */
    volatile sig_atomic_t done;
} recorder;

static uint32_t row_words(const recorder *r)
{
    return r->in_words + r->out_words;
}

static bool grow(recorder *r)
{
    const uint64_t room = r->room > 0 ? 2 * r->room : WR_FOUR_STATE_SHORT;
    uint32_t *rows = realloc(r->rows, room * row_words(r) * sizeof(*rows));
    uint8_t *first;

    if (rows == NULL) {
        return false;
    }
    r->rows = rows;
    first = realloc(r->first, room);
    if (first == NULL) {
        return false;
    }
    r->first = first;
    r->room = room;
    return true;
}

static void record_cycle(void *ctx, const wr_port *port, const void *in, const void *out)
{
    recorder *r = ctx;
    const bool cut = r->asked->episode > 0 && r->in_episode == r->asked->episode;

    if (r->done || cut) {
        return;
    }
    if (r->count == r->room && !grow(r)) {
        r->full = true;
        r->done = 1;
        return;
    }
    uint32_t words[2][WR_MAX_WORDS] = {{0}};
    uint32_t *row = r->rows + r->count * row_words(r);
    (void)wr_pack(port->block, WR_IN, port->cfg, in, words[0]);
    (void)wr_pack(port->block, WR_OUT, port->cfg, out, words[1]);
    memcpy(row, words[0], r->in_words * sizeof(*row));
    memcpy(row + r->in_words, words[1], r->out_words * sizeof(*row));
    r->first[r->count++] = r->in_episode++ == 0;
    r->done = r->count == r->asked->cycles;
}

static void record_reset(void *ctx, const wr_port *port)
{
    recorder *r = ctx;

    (void)port;
    r->in_episode = 0;
}

/* Plays the run into the model. */
static bool record(recorder *r, const wr_four_state_asked *asked, char *err, size_t err_size)
{
    wr_cosim_options run = *asked->run;
    wr_cosim_result *result = calloc(1, sizeof(*result));
    bool good;

    *r = (recorder){.asked = asked,
                    .in_words = wr_block_words(run.block, WR_IN, run.cfg),
                    .out_words = wr_block_words(run.block, WR_OUT, run.cfg)};
    r->observer = (wr_observer){.cycle = record_cycle, .reset = record_reset, .ctx = r};
    run.backend = WR_BACKEND_MODEL;
    run.own = NULL;
    run.observer = &r->observer;
    run.stop = &r->done;
    run.wave = run.rtl_wave = run.ring = run.coverage = NULL;
    good = result != NULL && wr_cosim_run(&run, result, err, err_size);
    free(result);
    if (good && r->full) {
        good = false;
        (void)snprintf(err, err_size, "four states: out of memory");
    }
    return good;
}

/* Rows `from` to `to` as a vector file. */
static bool write_rows(const recorder *r, uint64_t from, uint64_t to, const char *path, char *err,
                       size_t err_size)
{
    const wr_cosim_options *run = r->asked->run;
    wr_vectors_writer w;

    if (!wr_vectors_create(&w, path, run->block, run->cfg, run->seed, 0, err, err_size)) {
        return false;
    }
    for (uint64_t i = from; i < to; i++) {
        const uint32_t *row = r->rows + i * row_words(r);
        if (i > from && r->first[i]) {
            wr_vectors_reset(&w);
        }
        wr_vectors_row(&w, row, row + r->in_words);
    }
    if (!wr_vectors_finish(&w)) {
        (void)snprintf(err, err_size, "%s: writing failed", path);
        return false;
    }
    return true;
}

/* Whether signals that this process is to end by (tools/stop.h) interrupt a call that waits. */
static void let_interrupt(bool interrupt)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++) {
        struct sigaction action;
        (void)sigaction(ending[i], NULL, &action);
        action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
        (void)sigaction(ending[i], &action, NULL);
    }
}

/* Waits for the process to end, which such a signal ends, too. */
static bool wait_for(pid_t child, int *status)
{
    bool done = false;
    bool waits = true;

    let_interrupt(true);
    while (waits && !done) {
        done = waitpid(child, status, 0) == child;
        waits = done || errno == EINTR;
        if (!done && waits) {
            (void)kill(child, SIGTERM);
        }
    }
    let_interrupt(false);
    return done;
}

/* Runs replay.sh on the file, its output in two files. Its exit status; -1: a signal ended it. */
static int replay(const wr_four_state_asked *asked, const char *script, const char *hex,
                  const char *out, const char *log)
{
    const wr_rtl_sources *s = asked->sources;
    const char **argv = calloc(s->count + REPLAY_WORDS, sizeof(*argv));
    char beside[WR_VERILATE_PATH];
    int status = 0;
    size_t n = 0;
    pid_t child;

    if (argv == NULL) {
        return -1;
    }
    (void)snprintf(beside, sizeof(beside), "%.*s", (int)(strrchr(s->first, '/') - s->first + 1),
                   s->first); /* the path is absolute */
    argv[n++] = script;
    argv[n++] = "--binary";
    argv[n++] = "--top";
    argv[n++] = s->top != NULL ? s->top : asked->run->block->name;
    if (s->params != NULL) {
        argv[n++] = "--parameters";
        argv[n++] = s->params;
    }
    argv[n++] = hex;
    argv[n++] = "--";
    argv[n++] = s->first;
    argv[n++] = "-y"; /* where modules are looked for first */
    argv[n++] = beside;
    for (size_t i = 0; i < s->count; i++) {
        argv[n++] = s->args[i];
    }
    child = fork();
    if (child == 0) {
        const struct rlimit limit = {asked->seconds, asked->seconds};
        const int to[] = {open(out, O_WRONLY | O_CREAT | O_CLOEXEC, 0600),
                          open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)};
        (void)setrlimit(RLIMIT_CPU, &limit);
        if (to[0] >= 0 && to[1] >= 0 && dup2(to[0], STDOUT_FILENO) >= 0 &&
            dup2(to[1], STDERR_FILENO) >= 0) {
            (void)execv(argv[0], (char *const *)argv); /* changes nothing of it */
        }
        _exit(127);
    }
    free(argv);
    return child > 0 && wait_for(child, &status) && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A pin's elements where they differ, from texts of bits, the highest first. */
static void add_pin(const wr_pin_desc *pin, uint32_t count, const char *expected, const char *got,
                    char *text, size_t size)
{
    uint32_t wrong = 0;

    for (uint32_t i = 0; i < count; i++) {
        const size_t at = (size_t)(count - 1 - i) * pin->width;
        size_t used = strlen(text);
        char index[16] = "";
        if (memcmp(expected + at, got + at, pin->width) == 0 || wrong++ > 0) {
            continue;
        }
        if (pin->is_array) {
            (void)snprintf(index, sizeof(index), "[%" PRIu32 "]", i);
        }
        (void)snprintf(text + used, size - used, "%spin %s%s: expected %u'b%.*s, got %u'b%.*s",
                       used > 0 ? "; " : "", pin->name, index, pin->width, (int)pin->width,
                       expected + at, pin->width, (int)pin->width, got + at);
    }
    if (wrong > 1) {
        const size_t used = strlen(text);
        (void)snprintf(text + used, size - used, " (and %" PRIu32 " more of this pin)", wrong - 1);
    }
}

/* Pins that differ, by their names. */
static void name_pins(const wr_cosim_options *run, const char *expected, const char *got,
                      char *text, size_t size)
{
    size_t at = strlen(expected);

    text[0] = '\0';
    for (size_t p = 0; p < run->block->pins_count; p++) {
        const wr_pin_desc *pin = &run->block->pins[p];
        const uint32_t count = wr_pin_count(pin, run->cfg);
        if (pin->dir == WR_OUT) {
            at -= (size_t)pin->width * count;
            add_pin(pin, count, expected + at, got + at, text, size);
        }
    }
}

/* So many bits of a line, behind what it begins with. */
static void take_bits(const char *line, const char *begin, char *bits, size_t count)
{
    const size_t n = strlen(begin);

    if (strncmp(line, begin, n) == 0 && strlen(line) >= n + count) {
        memcpy(bits, line + n, count);
    }
}

/* What is said of the first difference; false: nothing is. */
static bool read_difference(const recorder *r, const char *path, wr_four_state *result)
{
    const wr_cosim_options *run = r->asked->run;
    const uint32_t bits = wr_block_bits(run->block, WR_OUT, run->cfg);
    const size_t room = bits + 64;
    char *line = calloc(1, room);
    char *expected = calloc(1, bits + 1);
    char *got = calloc(1, bits + 1);
    const bool good = line != NULL && expected != NULL && got != NULL;
    FILE *file = fopen(path, "r");
    uint64_t cycle = 0;
    bool found = false;

    while (file != NULL && good && fgets(line, (int)room, file) != NULL) {
        found = found || sscanf(line, "mismatch: cycle %" SCNu64, &cycle) == 1;
        take_bits(line, "  expected ", expected, bits);
        take_bits(line, "  got      ", got, bits);
    }
    found = found && expected[0] != '\0' && got[0] != '\0' && cycle < r->count;
    if (found) {
        char pins[600];
        uint64_t first = cycle;
        while (first > 0 && !r->first[first]) {
            first--;
        }
        name_pins(run, expected, got, pins, sizeof(pins));
        (void)snprintf(result->mismatch, sizeof(result->mismatch),
                       "%s: in four states, cycle %" PRIu64 ": %s", run->block->name, cycle, pins);
        result->cycles = cycle + 1;
        result->rows = cycle + 1 - first;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    free(line);
    free(expected);
    free(got);
    return found;
}

/* The first line that has `mark`, or what is behind it. False: none has. */
static bool read_line(const char *path, const char *mark, bool behind, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    char line[400];
    const char *at = NULL;

    while (file != NULL && at == NULL && fgets(line, sizeof(line), file) != NULL) {
        at = strstr(line, mark);
    }
    if (at != NULL) {
        line[strcspn(line, "\n")] = '\0';
        (void)snprintf(text, size, "%s", behind ? at + strlen(mark) : line);
        wr_printable(text);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return at != NULL;
}

/* Why the tools would not. */
static void read_reason(const char *path, char *text, size_t size)
{
    if (!read_line(path, "ERROR: ", false, text, size) &&
        !read_line(path, "replay.sh: ", true, text, size)) {
        (void)snprintf(text, size, "Yosys or Icarus Verilog ended without a word");
    }
}

static bool play(const recorder *r, const char *folder, wr_four_state *result, char *err,
                 size_t err_size)
{
    wr_verilate_tools tools = {.root = ""};
    char script[WR_VERILATE_PATH];
    char hex[WR_VERILATE_PATH];
    char out[WR_VERILATE_PATH];
    char log[WR_VERILATE_PATH];
    int status;

    (void)snprintf(hex, sizeof(hex), "%s/rows.hex", folder);
    (void)snprintf(out, sizeof(out), "%s/out", folder);
    (void)snprintf(log, sizeof(log), "%s/log", folder);
    if (!wr_verilate_find(&tools, err, err_size) ||
        !write_rows(r, 0, r->count, hex, err, err_size)) {
        return false;
    }
    (void)snprintf(script, sizeof(script), "%s/testbench/replay/replay.sh", tools.root);
    status = replay(r->asked, script, hex, out, log);
    result->cycles = r->count;
    (void)read_line(log, "replay.sh: warning: ", true, result->warning, sizeof(result->warning));
    if (status == REPLAY_PASS) {
        return true;
    }
    if (status != REPLAY_FAIL || !read_difference(r, out, result)) {
        read_reason(log, result->untried, sizeof(result->untried));
        return true;
    }
    return r->asked->inputs == NULL || write_rows(r, result->cycles - result->rows, result->cycles,
                                                  r->asked->inputs, err, err_size);
}

bool wr_four_state_run(const wr_four_state_asked *asked, wr_four_state *result, char *err,
                       size_t err_size)
{
    const char *tmp = getenv("TMPDIR");
    char folder[WR_VERILATE_PATH / 2];
    recorder r;
    bool good;

    *result = (wr_four_state){0};
    (void)snprintf(folder, sizeof(folder), "%s/warpref-XXXXXX",
                   tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL) {
        (void)snprintf(err, err_size, "%s: cannot make a temporary folder", folder);
        return false;
    }
    good = record(&r, asked, err, err_size) && play(&r, folder, result, err, err_size);
    wr_verilate_remove(folder);
    free(r.rows);
    free(r.first);
    return good;
}
