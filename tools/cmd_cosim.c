/* SPDX-License-Identifier: Apache-2.0 */
/* warpref cosim: RTL against model, cycle by cycle.
 *
 * In all named configurations, or in one. Of several the first that fails ends the run: it leaves
 * the files of a mismatch, which are of one configuration.
 */
#include "shell/config/regular.h"
#include "testbench/cosim.h"
#include "testbench/rows.h"
#include "tools/cosim_one.h"
#include "tools/paths.h"
#include "vectors/folder.h"
#include "vectors/vectors.h"
#include "waveforms/vcd.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CYCLES = 100000, TURNS = 3 };

/* The file that is played is not written over with what is left of it. */
static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;

    return a != NULL && b != NULL && stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* Parameters and inputs of --inputs. */
static bool take_inputs(const wr_cosim_asked *o, const wr_block_desc *block, wr_vectors *v,
                        wr_config_desc *config)
{
    char err[1024];
    const char *why = wr_regular_file(o->inputs, NULL); /* a FIFO would block for ever */
    if (why != NULL) {
        (void)fprintf(stderr, "%s: cannot be read: %s\n", o->inputs, why);
        return false;
    }
    if (!wr_vectors_load(v, o->inputs, err, sizeof(err))) {
        (void)fprintf(stderr, "%s\n", err);
        return false;
    }
    if (v->block != block) {
        (void)fprintf(stderr, "%s: vectors of block %s, not of %s\n", o->inputs, v->block->name,
                      block->name);
        return false;
    }
    wr_vectors_tell_cut(v->cut ? o->inputs : NULL);
    if (o->align.kind == WR_ALIGN_TRANSFERS) {
        const wr_rows r = wr_rows_of(block, v->cfg, o->align);
        wr_rows_from_cycles(&r, v->in, v->out, v->count);
    }
    config->name = v->config;
    memcpy(config->value, v->cfg, block->params_count * sizeof(v->cfg[0]));
    return true;
}

/* No output is an input or another output. A mismatch may leave the inputs that are played as they
 * are, so --shortest may name them. */
static bool files_are_apart(const wr_cosim_asked *o)
{
    wr_paths p = {0};

    wr_paths_read(&p, "--rtl", o->sources.first);
    for (size_t i = 0; i < o->sources.count; i++) {
        wr_paths_read(&p, "--rtl", o->sources.args[i]);
    }
    wr_paths_read(&p, "--inputs", o->inputs);
    wr_paths_wave(&p, "--wave", o->wave);
    wr_paths_write(&p, "--rtl-wave", o->rtl_wave);
    wr_paths_wave(&p, "--mismatch-wave", o->ring);
    if (o->inputs == NULL || !is_same_file(o->inputs, o->shortest)) {
        wr_paths_write(&p, "--shortest", o->shortest);
    }
    wr_paths_write(&p, "--coverage", o->coverage);
    return wr_paths_apart(&p, "warpref cosim");
}

/* Verilator's waveform takes the place of whatever has its name, so that must be a file. */
static bool wave_can_be(const char *path)
{
    struct stat there;

    if (path != NULL && wr_vcd_is_named(path)) {
        (void)fprintf(stderr,
                      "%s: --rtl-wave writes FST; name it F.fst, and fst2vcd F.fst -o F.vcd makes "
                      "VCD of it\n",
                      path);
        return false;
    }
    if (path == NULL || stat(path, &there) != 0 ||
        (S_ISREG(there.st_mode) && access(path, W_OK) == 0)) {
        return true;
    }
    (void)fprintf(stderr, "%s: --rtl-wave takes the place of what is there, and that is %s\n", path,
                  S_ISREG(there.st_mode) ? "not yours to write" : "no file");
    return false;
}

/* In one configuration. */
static int run_config(const wr_cosim_asked *o, const wr_block_desc *block,
                      const wr_config_desc *config, const wr_vectors *inputs, wr_cosim_sum *sum)
{
    char ring[256];
    char shortest[256];
    const char *left = o->shortest != NULL ? o->shortest : shortest;

    (void)snprintf(ring, sizeof(ring), "%s.%s.mismatch.fst", block->name, config->name);
    (void)snprintf(shortest, sizeof(shortest), "%s.%s.shortest.hex", block->name, config->name);
    const wr_cosim_one one = {.asked = o,
                              .run = {.block = block,
                                      .cfg = config->value,
                                      .backend = WR_BACKEND_LOCKSTEP,
                                      .seed = o->seed,
                                      .cycles = o->cycles > 0 ? o->cycles : CYCLES,
                                      .rows = inputs->in,
                                      .rows_count = inputs->count,
                                      .pins_only = o->pins_only,
                                      .no_wild = o->no_wild,
                                      .last = (uint32_t)o->last,
                                      .wave = o->wave,
                                      .rtl_wave = o->rtl_wave,
                                      .coverage = o->coverage,
                                      .ring = o->ring != NULL ? o->ring : ring},
                              .config = config->name,
                              .shortest =
                                  o->no_shrink || is_same_file(o->inputs, left) ? NULL : left,
                              .sum = sum};
    return wr_cosim_one_run(&one);
}

/* Whose turn a configuration has: first come those in which counters saturate, queues fill and wrap
 * soonest, then those whose sizes are no power of two. These also cost least. */
static size_t turn_of(const wr_config_desc *config)
{
    static const char *const first[TURNS - 1] = {"tiny", "odd"};
    size_t turn = 0;

    while (turn < TURNS - 1 && strcmp(config->name, first[turn]) != 0) {
        turn++;
    }
    return turn;
}

static int run_all(const wr_cosim_asked *o, const wr_block_desc *block)
{
    wr_cosim_sum sum = {.block = block, .rtl = o->sources.title, .seed = o->seed, .json = o->json};
    const wr_vectors none = {0};
    int status = WR_EXIT_PASS;

    for (size_t turn = 0; turn < TURNS; turn++) {
        for (size_t i = 0; i < block->configs_count && status == WR_EXIT_PASS; i++) {
            if (turn_of(&block->configs[i]) == turn) {
                status = run_config(o, block, &block->configs[i], &none, &sum);
            }
        }
    }
    if (status != WR_EXIT_USAGE) {
        return wr_cosim_sum_print(&sum);
    }
    wr_cosim_sum_free(&sum);
    return status;
}

static int run_one(const wr_cosim_asked *o, const wr_block_desc *block)
{
    wr_config_desc config;
    wr_vectors inputs = {0};
    int status = WR_EXIT_USAGE;

    if (o->inputs != NULL ? take_inputs(o, block, &inputs, &config)
                          : wr_cmd_configure(block, o->config != NULL ? o->config : "default",
                                             &o->params, &config)) {
        status = run_config(o, block, &config, &inputs, NULL);
    }
    wr_vectors_free(&inputs);
    return status;
}

int wr_cmd_cosim(int argc, char **argv)
{
    wr_cosim_asked o;
    const wr_block_desc *block = NULL;
    int status = WR_EXIT_USAGE;

    if (wr_cosim_asked_parse(&o, argc, argv) && files_are_apart(&o) && wave_can_be(o.rtl_wave)) {
        block = wr_cmd_block(o.block);
    }
    if (block != NULL) {
        status = wr_cosim_asked_all(&o) ? run_all(&o, block) : run_one(&o, block);
    }
    wr_cosim_asked_free(&o);
    return status;
}
