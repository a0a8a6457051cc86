/* SPDX-License-Identifier: Apache-2.0 */
/* Writing vectors: header, rows, the generator and the recorder. See vectors.h. */
#include "dpi/bits.h"
#include "testbench/stim.h"
#include "vectors/vectors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool wr_vectors_create(wr_vectors_writer *w, const char *path, const wr_block_desc *block,
                       const void *cfg, uint64_t seed, uint64_t run, char *err, size_t err_size)
{
    const wr_config_desc *config = wr_block_config_of(block, cfg);
    struct stat there;

    memset(w, 0, sizeof(*w));
    w->in_bits = wr_block_bits(block, WR_IN, cfg);
    w->out_bits = wr_block_bits(block, WR_OUT, cfg);
    if (stat(path, &there) == 0 && S_ISFIFO(there.st_mode)) {
        (void)snprintf(err, err_size,
                       "%s: is a pipe; name a file, since its head gets the count last", path);
        return false;
    }
    if (!wr_replace_open(&w->to, path)) {
        (void)snprintf(err, err_size, "%s: cannot be written: %s", path, strerror(errno));
        return false;
    }
    (void)fprintf(w->to.file, "// warpref vectors 1\n// block %s\n// config %s\n// parameters",
                  block->name, config != NULL ? config->name : "custom");
    for (size_t i = 0; i < block->params_count; i++) {
        (void)fprintf(w->to.file, " %s=%" PRIu32, block->params[i].name,
                      ((const uint32_t *)cfg)[i]);
    }
    (void)fprintf(w->to.file, "\n// seed %" PRIu64, seed);
    if (run != 0) {
        (void)fprintf(w->to.file, "\n// run %016" PRIx64, run);
    }
    (void)fprintf(w->to.file, "\n// bits in=%" PRIu32 " out=%" PRIu32 "\n// count ", w->in_bits,
                  w->out_bits);
    w->count_at = ftell(w->to.file);
    (void)fprintf(w->to.file, "%10u\n// {out, in} of one clocked cycle a line, from reset on\n",
                  0u);
    return true;
}

void wr_vectors_row(wr_vectors_writer *w, const uint32_t *in, const uint32_t *out)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t both[2 * WR_MAX_WORDS + 1] = {0};
    char text[2 * WR_MAX_WORDS * 8 + 2];
    uint32_t bits = w->in_bits + w->out_bits;
    uint32_t count = (bits + 3) / 4;

    memcpy(both, in, (w->in_bits + 31) / 32 * sizeof(*in));
    for (uint32_t bit = 0; bit < w->out_bits; bit += 32) {
        uint32_t width = w->out_bits - bit < 32 ? w->out_bits - bit : 32;
        wr_bits_put(both, w->in_bits + bit, width, out[bit / 32]);
    }
    for (uint32_t d = 0; d < count; d++) {
        text[count - 1 - d] = digits[both[d / 8] >> (d % 8 * 4) & 15];
    }
    text[count] = '\n';
    (void)fwrite(text, 1, count + 1, w->to.file);
    w->count++;
}

void wr_vectors_reset(wr_vectors_writer *w)
{
    (void)fputs("// warpref reset\n", w->to.file);
}

bool wr_vectors_finish(wr_vectors_writer *w)
{
    bool good = !w->cut || fputs("// " WR_CUT "\n", w->to.file) >= 0;

    good = good && fseek(w->to.file, w->count_at, SEEK_SET) == 0;
    good = good && fprintf(w->to.file, "%10" PRIu32, w->count) == 10;
    return wr_replace_close(&w->to, good) && good;
}

bool wr_vectors_generate(const char *path, const wr_block_desc *block, const void *cfg,
                         uint64_t seed, uint32_t cycles, const volatile sig_atomic_t *stop,
                         uint32_t *made, char *err, size_t err_size)
{
    const wr_stim *stim = wr_stim_find(block->name);
    uint32_t words_in[WR_MAX_WORDS];
    uint32_t words_out[WR_MAX_WORDS];
    wr_vectors_writer w;
    void *model = calloc(1, block->state_size);
    void *in = calloc(1, block->in_size);
    void *out = calloc(1, block->out_size);
    void *state = stim != NULL ? calloc(1, stim->state_size) : NULL;
    bool good = false;

    if (model == NULL || in == NULL || out == NULL || state == NULL) {
        (void)snprintf(err, err_size, "%s: %s", block->name,
                       stim == NULL ? "has no stimulus" : "out of memory");
    } else if (block->init(model, cfg) != WR_OK) {
        wr_block_refusal(block, cfg, err, err_size);
    } else if (wr_vectors_create(&w, path, block, cfg, seed, 0, err, err_size)) {
        stim->init(state, cfg, seed, true);
        for (uint32_t cycle = 0; cycle < cycles && (stop == NULL || *stop == 0); cycle++) {
            memset(in, 0, block->in_size);
            stim->next(state, cycle, out, in);
            block->eval(model, in, out);
            (void)wr_pack(block, WR_IN, cfg, in, words_in);
            (void)wr_pack(block, WR_OUT, cfg, out, words_out);
            wr_vectors_row(&w, words_in, words_out);
            block->tick(model, in);
        }
        if (made != NULL) {
            *made = w.count;
        }
        w.cut = w.count < cycles;
        good = wr_vectors_finish(&w);
        if (!good) {
            (void)snprintf(err, err_size, "%s: writing failed", path);
        }
    }
    free(model);
    free(in);
    free(out);
    free(state);
    return good;
}

struct wr_vectors_recorder {
    wr_observer observer;
    wr_vectors_writer w;
    bool ended;
    uint32_t in[WR_MAX_WORDS];
    uint32_t out[WR_MAX_WORDS];
};

static void record_cycle(void *ctx, const wr_port *port, const void *in, const void *out)
{
    wr_vectors_recorder *r = ctx;

    if (r->ended) {
        return;
    }
    (void)wr_pack(port->block, WR_IN, port->cfg, in, r->in);
    (void)wr_pack(port->block, WR_OUT, port->cfg, out, r->out);
    wr_vectors_row(&r->w, r->in, r->out);
}

static void record_reset(void *ctx, const wr_port *port)
{
    wr_vectors_recorder *r = ctx;

    (void)port;
    if (r->w.count > 0) {
        r->ended = true;
    }
}

wr_vectors_recorder *wr_vectors_attach(wr_port *port, const char *path, char *err, size_t err_size)
{
    wr_vectors_recorder *r = calloc(1, sizeof(*r));

    if (r == NULL) {
        (void)snprintf(err, err_size, "%s: out of memory", path);
        return NULL;
    }
    if (!wr_vectors_create(&r->w, path, port->block, port->cfg, 0, 0, err, err_size)) {
        free(r);
        return NULL;
    }
    r->observer = (wr_observer){.cycle = record_cycle, .reset = record_reset, .ctx = r};
    wr_port_observe(port, &r->observer);
    return r;
}

bool wr_vectors_detach(wr_vectors_recorder *r, uint32_t *rows)
{
    bool good;

    if (rows != NULL) {
        *rows = r->w.count;
    }
    good = wr_vectors_finish(&r->w);
    free(r);
    return good;
}
