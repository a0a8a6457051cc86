/* SPDX-License-Identifier: Apache-2.0 */
/* Waveform of the GPU; see gpu_wave.h. */
#include "tools/gpu_wave.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/block_wave.h"
#include "shell/core/counters/probe.h"
#include "shell/core/seam/hooks.h"
#include "waveforms/save.h"

enum { STATE_BITS = 4, COUNT_BITS = 16, VIEW_SMS = 1, VIEW_ZOOM = 10 };

/* A variable, and what it shows. */
typedef struct shown {
    wr_fst_var var;
    uint8_t width;
} shown;

typedef struct sm_wave {
    shown warp[WR_CONFIG_MAX_WARPS];
    shown use[WR_CONFIG_MAX_SCHEDULERS], issued[WR_CONFIG_MAX_SCHEDULERS];
    shown tbs, lsu, miss_queue, mshrs;
    wr_sm_view view;
} sm_wave;

struct wr_gpu_wave {
    wr_gpu *gpu;
    const wr_gpu_config *cfg;
    wr_watcher watcher;
    wr_fst *fst;
    bool own;
    sm_wave *sms;
    struct {
        shown requests, mshrs, fetches;
    } * banks;
    struct {
        shown reads, writes, open;
    } * channels;
    uint64_t cycle; /* that was seen last */
    bool any;
    char view_path[4096], name[256];
};

static shown add(wr_gpu_wave *w, const char *name, uint32_t width, wr_fst_enum names)
{
    return (shown){.var = wr_fst_add(w->fst, name, width, names), .width = (uint8_t)width};
}

static void show(wr_gpu_wave *w, const shown *s, uint32_t value)
{
    wr_fst_set(w->fst, s->var, s->width, value);
}

static void scope(wr_gpu_wave *w, const char *what, uint32_t number)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s%u", what, number);
    wr_fst_scope(w->fst, name);
}

static void add_sm(wr_gpu_wave *w, uint32_t number, wr_fst_enum states, wr_fst_enum uses)
{
    sm_wave *sm = &w->sms[number];
    scope(w, "sm", number);
    for (uint32_t s = 0; s < w->cfg->sm.schedulers; s++) {
        scope(w, "sched", s);
        sm->use[s] = add(w, "use", STATE_BITS, uses);
        sm->issued[s] = add(w, "warp", 8, 0);
        wr_fst_upscope(w->fst);
        sm->view.then[s] = WR_SLOT_EMPTY;
    }
    sm->tbs = add(w, "tbs", COUNT_BITS, 0);
    sm->lsu = add(w, "lsu", COUNT_BITS, 0);
    sm->miss_queue = add(w, "miss_queue", COUNT_BITS, 0);
    sm->mshrs = add(w, "l1_mshrs", COUNT_BITS, 0);
    for (uint32_t i = 0; i < w->cfg->sm.max_warps; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "warp%02u", i);
        sm->warp[i] = add(w, name, STATE_BITS, states);
    }
    wr_fst_upscope(w->fst);
}

static void add_all(wr_gpu_wave *w)
{
    const char *uses[WR_SLOT_USES];
    _Static_assert(WR_SLOT_USES <= 1 << STATE_BITS, "uses fit");
    _Static_assert(WR_WARP_STATES <= 1 << STATE_BITS, "states fit");
    for (uint32_t u = 0; u < WR_SLOT_USES; u++) {
        uses[u] = wr_slot_names[u].name;
    }
    wr_fst_scope(w->fst, "gpu");
    wr_fst_enum states =
        wr_fst_enum_table(w->fst, "warp_state", STATE_BITS, wr_warp_state_names, WR_WARP_STATES);
    wr_fst_enum use = wr_fst_enum_table(w->fst, "slot_use", STATE_BITS, uses, WR_SLOT_USES);
    for (uint32_t i = 0; i < w->cfg->sms; i++) {
        add_sm(w, i, states, use);
    }
    wr_fst_scope(w->fst, "l2");
    for (uint32_t i = 0; i < w->cfg->l2.banks; i++) {
        scope(w, "bank", i);
        w->banks[i].requests = add(w, "requests", COUNT_BITS, 0);
        w->banks[i].mshrs = add(w, "mshrs", COUNT_BITS, 0);
        w->banks[i].fetches = add(w, "fetches", COUNT_BITS, 0);
        wr_fst_upscope(w->fst);
    }
    wr_fst_upscope(w->fst);
    wr_fst_scope(w->fst, "dram");
    for (uint32_t i = 0; i < w->cfg->dram.channels; i++) {
        scope(w, "ch", i);
        w->channels[i].reads = add(w, "reads", COUNT_BITS, 0);
        w->channels[i].writes = add(w, "writes", COUNT_BITS, 0);
        w->channels[i].open = add(w, "open_banks", 32, 0);
        wr_fst_upscope(w->fst);
    }
    wr_fst_upscope(w->fst);
    wr_fst_upscope(w->fst);
}

/* What the schedulers do in the cycles that were skipped. */
static void show_sleep(wr_gpu_wave *w)
{
    wr_fst_time(w->fst, (w->cycle + 1) * WR_WAVE_CYCLE_NS);
    for (uint32_t i = 0; i < w->cfg->sms; i++) {
        for (uint32_t s = 0; s < w->cfg->sm.schedulers; s++) {
            show(w, &w->sms[i].use[s], w->sms[i].view.then[s]);
        }
    }
}

static void show_sm(wr_gpu_wave *w, uint32_t number)
{
    sm_wave *sm = &w->sms[number];
    wr_gpu_look_sm(w->gpu, number, &sm->view);
    for (uint32_t s = 0; s < w->cfg->sm.schedulers; s++) {
        show(w, &sm->use[s], sm->view.use[s]);
        show(w, &sm->issued[s], sm->view.issued[s]);
    }
    for (uint32_t i = 0; i < w->cfg->sm.max_warps; i++) {
        show(w, &sm->warp[i], sm->view.warp[i]);
    }
    show(w, &sm->tbs, sm->view.tbs);
    show(w, &sm->lsu, sm->view.lsu);
    show(w, &sm->miss_queue, sm->view.miss_queue);
    show(w, &sm->mshrs, sm->view.l1_mshrs);
}

static void on_cycle(void *arg)
{
    wr_gpu_wave *w = arg;
    uint64_t now = wr_gpu_cycle(w->gpu);
    if (w->any && now > w->cycle + 1) {
        show_sleep(w);
    }
    w->any = true;
    w->cycle = now;
    wr_fst_time(w->fst, now * WR_WAVE_CYCLE_NS);
    for (uint32_t i = 0; i < w->cfg->sms; i++) {
        show_sm(w, i);
    }
    for (uint32_t i = 0; i < w->cfg->l2.banks; i++) {
        wr_bank_view v = wr_gpu_look_bank(w->gpu, i);
        show(w, &w->banks[i].requests, v.requests);
        show(w, &w->banks[i].mshrs, v.mshrs);
        show(w, &w->banks[i].fetches, v.fetches);
    }
    for (uint32_t i = 0; i < w->cfg->dram.channels; i++) {
        wr_channel_view v = wr_gpu_look_channel(w->gpu, i);
        show(w, &w->channels[i].reads, v.reads);
        show(w, &w->channels[i].writes, v.writes);
        show(w, &w->channels[i].open, v.open);
    }
}

static bool write_view(const wr_gpu_wave *w)
{
    char name[64];
    wr_save *view = wr_save_open(w->view_path, w->name);
    if (!view) {
        return false;
    }
    wr_save_place(view, 0, VIEW_ZOOM);
    for (uint32_t i = 0; i < VIEW_SMS; i++) {
        (void)snprintf(name, sizeof name, "SM %u", i);
        wr_save_comment(view, name);
        for (uint32_t s = 0; s < w->cfg->sm.schedulers; s++) {
            (void)snprintf(name, sizeof name, "gpu.sm%u.sched%u.use", i, s);
            wr_save_enum(view, name, STATE_BITS);
            (void)snprintf(name, sizeof name, "gpu.sm%u.sched%u.warp", i, s);
            wr_save_signal(view, name, 8);
        }
        (void)snprintf(name, sizeof name, "gpu.sm%u.lsu", i);
        wr_save_signal(view, name, COUNT_BITS);
        (void)snprintf(name, sizeof name, "gpu.sm%u.miss_queue", i);
        wr_save_signal(view, name, COUNT_BITS);
        for (uint32_t k = 0; k < w->cfg->sm.max_warps; k++) {
            (void)snprintf(name, sizeof name, "gpu.sm%u.warp%02u", i, k);
            wr_save_enum(view, name, STATE_BITS);
        }
    }
    wr_save_comment(view, "memory");
    for (uint32_t i = 0; i < w->cfg->l2.banks; i++) {
        (void)snprintf(name, sizeof name, "gpu.l2.bank%u.requests", i);
        wr_save_signal(view, name, COUNT_BITS);
    }
    for (uint32_t i = 0; i < w->cfg->dram.channels; i++) {
        (void)snprintf(name, sizeof name, "gpu.dram.ch%u.reads", i);
        wr_save_signal(view, name, COUNT_BITS);
    }
    return wr_save_close(view);
}

/* Opens a waveform of its own. */
static bool open_own(wr_gpu_wave *w, const char *path, wr_diag *diag)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    if (strlen(path) + 8 > sizeof w->view_path || strlen(base) >= sizeof w->name) {
        wr_diag_set(diag, "--wave", 0, 0, "the path is too long");
        return false;
    }
    (void)snprintf(w->name, sizeof w->name, "%s", base);
    if (!wr_save_view_path(path, w->view_path, sizeof w->view_path)) {
        wr_diag_set(diag, path, 0, 0, "the saved view goes there; name the wave .fst");
        return false;
    }
    w->own = true;
    w->fst = wr_fst_open(path);
    if (!w->fst) {
        wr_diag_set(diag, path, 0, 0, "cannot be written");
    }
    return w->fst != NULL;
}

static void destroy(wr_gpu_wave *w)
{
    free(w->sms);
    free(w->banks);
    free(w->channels);
    free(w);
}

wr_gpu_wave *wr_gpu_wave_open(wr_gpu *gpu, wr_fst *fst, const char *path, wr_diag *diag)
{
    const wr_gpu_config *cfg = wr_gpu_configuration(gpu);
    wr_gpu_wave *w = calloc(1, sizeof *w);
    if (!w) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
        return NULL;
    }
    w->gpu = gpu;
    w->cfg = cfg;
    w->fst = fst;
    w->sms = calloc(cfg->sms, sizeof *w->sms);
    w->banks = calloc(cfg->l2.banks, sizeof *w->banks);
    w->channels = calloc(cfg->dram.channels, sizeof *w->channels);
    bool ok = w->sms && w->banks && w->channels;
    if (!ok) {
        wr_diag_set(diag, NULL, 0, 0, "out of memory");
    }
    if (!ok || (!fst && !open_own(w, path, diag))) {
        destroy(w);
        return NULL;
    }
    add_all(w);
    w->watcher = (wr_watcher){.look = on_cycle, .arg = w};
    wr_gpu_watch(gpu, &w->watcher);
    return w;
}

bool wr_gpu_wave_close(wr_gpu_wave *w, bool keep, bool cut)
{
    if (!w) {
        return true;
    }
    wr_gpu_unwatch(w->gpu, &w->watcher);
    if (w->any) {
        show_sleep(w);
    }
    bool ok = true;
    if (w->own && cut) {
        wr_fst_cut(w->fst);
    }
    if (w->own && keep) {
        ok = wr_fst_close(w->fst) && write_view(w);
    } else if (w->own) {
        wr_fst_drop(w->fst);
    }
    destroy(w);
    return ok;
}
