/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a vector file of an input that fuzz_blocks has failed with, so that it plays without a
 * fuzzer.
 *
 *   fuzz_finding INPUT OUT.hex     which block: play.h
 *
 * The input is played in a child process, since it may crash there. A mismatch is shrunk to the
 * shortest inputs that still show it. Where the model crashes or the RTL stops, the file holds all
 * cycles up to that one, and its last row has outputs of 0.
 *
 * Exit status: 0 the file is written, 1 the input fails no more, 2 it cannot be written or read.
 */
#include "tests/fuzz/play.h"
#include "vectors/shrink.h"
#include "vectors/vectors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT_MAX = 1 << 20, GOOD = 0, DIFFERS = 40, STOPPED = 41 };

typedef struct shared {
    uint64_t count; /* rows */
    bool faulty;
    char text[768];
    uint32_t rows[WR_PLAY_CYCLES * WR_MAX_WORDS];
} shared;

static int fail(const char *path, const char *what)
{
    (void)fprintf(stderr, "%s: %s\n", path, what);
    return 2;
}

/* How the child ends: GOOD, DIFFERS, STOPPED, or anything else for a crash. */
static int play_apart(wr_play *p, const uint8_t *data, size_t size, shared *s)
{
    int status = 0;
    const pid_t child = fork();

    if (child == 0) {
        const char *wrong;
        p->rows = s->rows;
        p->rows_count = &s->count;
        wrong = wr_play_input(p, data, size);
        s->faulty = p->faulty;
        (void)snprintf(s->text, sizeof s->text, "%s", wrong != NULL ? wrong : "");
        _exit(wrong == NULL ? GOOD : wr_port_mismatch(&p->port) != NULL ? DIFFERS : STOPPED);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return GOOD;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* All rows, with the model's outputs but for the last. */
static bool write_all(const wr_play *p, const shared *s, const char *path, char *err,
                      size_t err_size)
{
    const uint32_t words = wr_block_words(p->block, WR_IN, p->cfg);
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
    wr_vectors_writer w;

    if (!wr_vectors_create(&w, path, p->block, p->cfg, 0, 0, err, err_size)) {
        return false;
    }
    p->block->reset(p->model);
    for (uint64_t i = 0; i < s->count; i++) {
        uint32_t packed[WR_MAX_WORDS] = {0};
        if (i + 1 < s->count) {
            wr_unpack(p->block, WR_IN, p->cfg, s->rows + i * words, in);
            p->block->eval(p->model, in, out);
            (void)wr_pack(p->block, WR_OUT, p->cfg, out, packed);
            p->block->tick(p->model, in);
        }
        wr_vectors_row(&w, s->rows + i * words, packed);
    }
    (void)snprintf(err, err_size, "%s: writing failed", path);
    return wr_vectors_finish(&w);
}

int main(int argc, char **argv)
{
    static uint8_t data[INPUT_MAX];
    wr_cosim_options o = {.backend = WR_BACKEND_LOCKSTEP, .seed = 1};
    wr_shrink_result shortest;
    char err[4096];
    static wr_play p; /* reachable to the end: nothing of it is a leak */
    const wr_port_own own = {.lib = p.lib};

    if (argc != 3) {
        return fail("usage", "fuzz_finding INPUT OUT.hex");
    }
    FILE *file = fopen(argv[1], "rb");
    const size_t size = file != NULL ? fread(data, 1, sizeof data, file) : 0;
    if (file == NULL || ferror(file) != 0 || fclose(file) != 0) {
        return fail(argv[1], "cannot be read");
    }
    wr_play_open(&p);
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) {
        return fail(argv[1], "out of memory");
    }
    const int end = play_apart(&p, data, size, s);
    if (end == GOOD) {
        (void)printf("%s: does not fail from a fresh start\n", argv[1]);
        return 1;
    }
    o.block = p.block;
    o.cfg = p.cfg;
    o.own = &own;
    if (end == DIFFERS) {
        static wr_cosim_result failed;
        o.rows = s->rows;
        o.rows_count = s->count;
        failed.episode.cycles = s->count;
        failed.episode.faults = s->faulty;
        if (!wr_shrink(&o, &failed, argv[2], &shortest, err, sizeof err)) {
            return fail(argv[2], err);
        }
        (void)printf("%s: %" PRIu64 " of %" PRIu64 " cycles: %s\n", argv[2], shortest.to,
                     shortest.from, shortest.text);
        return 0;
    }
    if (!write_all(&p, s, argv[2], err, sizeof err)) {
        return fail(argv[2], err);
    }
    (void)printf("%s: %" PRIu64 " cycles: %s\n", argv[2], s->count,
                 end == STOPPED ? s->text : "the model crashes in the last");
    return 0;
}
