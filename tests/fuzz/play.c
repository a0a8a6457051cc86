/* SPDX-License-Identifier: Apache-2.0 */
/* From bytes to pins: see play.h. */
#ifndef WR_RNG_INPUT /* the whole build has it; clang-tidy reads this file alone */
#define WR_RNG_INPUT
#endif
#include "tests/fuzz/play.h"

#include "dpi/checker.h"
#include "dpi/rtl_cache.h"
#include "dpi/user_rtl.h"
#include "testbench/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 3, SAME = 64, ONE_PIN = 224, SEED = 1 };

wr_rng_bytes wr_rng_input;

static void refuse(const char *what)
{
    (void)fprintf(stderr, "%s\n", what);
    exit(2);
}

/* The user's RTL with counters, in a temporary folder. */
static bool build(wr_play *p, const char *list, wr_user_rtl *user, char *err, size_t err_size)
{
    wr_rtl_sources sources = {0};
    const wr_user_build what = {.block = p->block,
                                .cfg = p->cfg,
                                .sources = &sources,
                                .mode = WR_USER_LOCKSTEP,
                                .coverage = true};
    const bool good = wr_sources_list(&sources, list, err, err_size) &&
                      wr_user_rtl_build(user, &what, err, err_size);

    (void)snprintf(p->lib, sizeof p->lib, "%s", user->so);
    wr_sources_free(&sources);
    return good;
}

void wr_play_open(wr_play *p)
{
    const char *name = getenv("WARPREF_FUZZ_BLOCK");
    const char *config_name = getenv("WARPREF_FUZZ_CONFIG");
    const wr_config_desc *config;
    const char *list = getenv("WARPREF_FUZZ_RTL");
    const wr_port_own own = {.lib = p->lib};
    wr_user_rtl user = {.folder = ""};
    char err[4096];

    memset(p, 0, sizeof *p);
    p->block = name != NULL ? wr_block_find(name) : NULL;
    if (p->block == NULL) {
        refuse("WARPREF_FUZZ_BLOCK must name a block; 'warpref blocks' lists them");
    }
    config = wr_block_config(p->block, config_name != NULL ? config_name : "tiny");
    if (config == NULL) {
        refuse("WARPREF_FUZZ_CONFIG must name one of the block's configurations: 'warpref blocks "
               "BLOCK' lists them");
    }
    p->cfg = config->value;
    p->stim = wr_stim_find(p->block->name);
    p->fault = wr_block_pin(p->block, WR_OUT, "fault");
    p->model = calloc(1, p->block->state_size);
    p->state = calloc(1, p->stim->state_size);
    if (p->model == NULL || p->state == NULL) {
        refuse("out of memory");
    }
    const bool open = (list != NULL ? build(p, list, &user, err, sizeof err)
                                    : wr_rtl_cached(p->block, p->cfg, "coverage", p->lib,
                                                    sizeof p->lib, err, sizeof err)) &&
                      wr_port_open(&p->port, p->block, WR_BACKEND_LOCKSTEP, p->cfg, p->model, &own,
                                   SEED, err, sizeof err);

    wr_user_rtl_remove(&user); /* it is loaded */
    if (!open) {
        refuse(err);
    }
}

/* New values of one pin. */
static void draw_pin(const wr_play *p, const wr_pin_desc *pin, uint8_t *in)
{
    const uint32_t count = wr_pin_count(pin, p->cfg);
    const uint64_t mask = pin->width >= 64 ? UINT64_MAX : (UINT64_C(1) << pin->width) - 1;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t value;
        (void)wr_rng_take((pin->width + 7u) / 8u, &value);
        value &= mask;
        memcpy(in + pin->offset + (size_t)i * pin->elem_bytes, &value, pin->elem_bytes);
    }
}

static void draw_raw(const wr_play *p, uint8_t *in)
{
    const uint32_t pins = (uint32_t)p->block->ins_count;
    uint64_t what;

    (void)wr_rng_take(1, &what);
    for (uint32_t i = 0; i < pins; i++) {
        if (what >= ONE_PIN || (what >= SAME && i == (what - SAME) % pins)) {
            draw_pin(p, &p->block->pins[i], in);
        }
    }
}

/* One cycle; false: block and model differ, or the RTL stopped. */
static bool play_cycle(wr_play *p, const void *in, void *out, bool raw)
{
    if (p->rows != NULL) {
        const uint32_t words = wr_block_words(p->block, WR_IN, p->cfg);
        (void)wr_pack(p->block, WR_IN, p->cfg, in, p->rows + p->cycles * words);
        *p->rows_count = p->cycles + 1;
    }
    wr_port_eval(&p->port, in, out);
    if (!raw) {
        p->stim->cover(p->state, in, out, p->hits);
    }
    wr_port_tick(&p->port, in);
    p->cycles++;
    p->faulty = p->faulty || (p->fault != NULL && wr_pin_value(p->fault, out, 0) != 0);
    if (p->watch != NULL) {
        p->watch(p, wr_checker_model(p->port.checker));
    }
    return !wr_port_stopped(&p->port) && wr_port_mismatch(&p->port) == NULL;
}

const char *wr_play_input(wr_play *p, const uint8_t *data, size_t size)
{
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES] = {0};
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES] = {0};
    uint8_t head[HEAD] = {1};
    bool good = true;

    memcpy(head, data, size < HEAD ? size : HEAD);
    const bool raw = head[0] % 4 == 0;
    const uint64_t seed = head[1] + 256u * head[2];

    wr_rng_input.at = data + (size < HEAD ? size : HEAD);
    wr_rng_input.end = data + size;
    p->cycles = 0;
    p->faulty = false;
    memset(p->hits, 0, sizeof p->hits);
    memset(p->state, 0, p->stim->state_size);
    p->stim->init(p->state, p->cfg, seed, head[0] >= 128);
    wr_port_forget(&p->port);
    wr_port_reset(&p->port);
    while (good && wr_rng_input.at != wr_rng_input.end && p->cycles < WR_PLAY_CYCLES) {
        if (raw) {
            draw_raw(p, in);
        } else {
            memset(in, 0, p->block->in_size);
            p->stim->next(p->state, p->cycles, out, in);
        }
        good = play_cycle(p, in, out, raw);
    }
    return good                                 ? NULL
           : wr_port_mismatch(&p->port) != NULL ? wr_port_mismatch(&p->port)
                                                : "the RTL ended the simulation itself";
}
