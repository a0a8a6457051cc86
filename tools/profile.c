/* SPDX-License-Identifier: Apache-2.0 */
/* Counting; see profile.h. What is written is profile_list.c's.
 *
 * Counts are kept for each SM apart, since SMs run on several threads; sums are made at the end.
 * The lines that an instruction touches are known behind its issue: they are what the SM's own
 * counter has grown by when it issues the next one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/replace.h"
#include "shell/core/seam/launch.h"
#include "shell/core/seam/meter.h"
#include "shell/core/seam/warp.h"
#include "systems/frame/chain.h"
#include "tools/profile_list.h"

/* A warp that waits. */
typedef struct waiter {
    wr_profile_count *count; /* of the instruction; NULL: it does not wait */
    uint64_t since;
    wr_wait why;
} waiter;

typedef struct sm_counts {
    wr_profile_count *last; /* of the instruction that was issued last; NULL: none was */
    uint64_t lines;         /* of the SM, before it */
    waiter warps[WR_CONFIG_MAX_WARPS];
} sm_counts;

struct wr_profile {
    wr_gpu *gpu;
    char *path;
    wr_replace to;
    wr_job *const *jobs;
    size_t job_count;
    uint32_t sms;
    sm_counts *of_sm;
    wr_profile_kernel *kernels;
    size_t count, room;
    bool failed; /* memory ran out */
    wr_system_hooks hooks;
    wr_chain chain;
    const wr_system_hooks *joined;
};

/* The job whose kernel it is, of several; NULL: of the only one, or of a program. */
static const char *file_of(const wr_profile *p, const wr_kernel *k)
{
    for (size_t i = 0; p->job_count > 1 && i < p->job_count; i++) {
        const wr_module *m = p->jobs[i]->module;
        if (k >= m->kernels && k < m->kernels + m->kernel_count) {
            return p->jobs[i]->name;
        }
    }
    return NULL;
}

static void on_launch(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_profile *p = self;
    const wr_kernel *k = launch->kernel;
    (void)gpu;
    (void)stream;
    for (size_t i = 0; i < p->count; i++) {
        if (p->kernels[i].kernel == k) {
            return;
        }
    }
    if (p->count == p->room) {
        size_t room = 2 * p->room + 8;
        wr_profile_kernel *grown = realloc(p->kernels, room * sizeof *grown);
        if (!grown) {
            p->failed = true;
            return;
        }
        p->kernels = grown;
        p->room = room;
    }
    wr_profile_count *counts = calloc((size_t)p->sms * k->insn_count + 1, sizeof *counts);
    p->failed = p->failed || !counts;
    if (counts) {
        p->kernels[p->count++] =
            (wr_profile_kernel){.file = file_of(p, k), .kernel = k, .counts = counts};
    }
}

/* Of the instruction at which the warp is; NULL: it is not counted. */
static wr_profile_count *count_of(const wr_profile *p, const wr_sm *sm, uint32_t warp)
{
    wr_warp_info info = wr_sm_warp(sm, warp);
    wr_tb_info tb = wr_sm_tb(sm, info.tb_slot);
    const wr_kernel *k = tb.launch->kernel;
    uint32_t word = info.pc / 8;
    if (word >= k->word_count || k->insn_at[word] >= k->insn_count) {
        return NULL;
    }
    for (size_t i = p->count; i-- > 0;) {
        if (p->kernels[i].kernel == k) {
            return &p->kernels[i].counts[(size_t)wr_sm_id(sm) * k->insn_count + k->insn_at[word]];
        }
    }
    return NULL;
}

/* Gives the lines that the SM has touched since to the instruction that it issued last. */
static uint64_t settle_lines(sm_counts *s, wr_sm *sm)
{
    uint64_t lines = wr_meter_sm(sm).sum->lines;
    if (s->last) {
        s->last->lines += lines - s->lines;
    }
    s->last = NULL;
    return lines;
}

static void on_issued(void *self, wr_sm *sm, uint32_t warp, uint32_t lanes)
{
    wr_profile *p = self;
    sm_counts *s = &p->of_sm[wr_sm_id(sm)];
    wr_profile_count *count = count_of(p, sm, warp);
    uint64_t lines = settle_lines(s, sm);
    if (count) {
        count->issued++;
        count->lanes += lanes;
        s->last = count;
        s->lines = lines;
    }
}

static void on_stalled(void *self, wr_sm *sm, uint32_t warp, wr_wait why)
{
    wr_profile *p = self;
    p->of_sm[wr_sm_id(sm)].warps[warp] =
        (waiter){.count = count_of(p, sm, warp), .since = wr_gpu_cycle(p->gpu), .why = why};
}

static void on_woken(void *self, wr_sm *sm, uint32_t warp)
{
    wr_profile *p = self;
    waiter *w = &p->of_sm[wr_sm_id(sm)].warps[warp];
    if (w->count) {
        w->count->waits[w->why] += wr_gpu_cycle(p->gpu) - w->since;
    }
    w->count = NULL;
}

wr_profile *wr_profile_open(const char *path, wr_gpu *gpu, const wr_system_hooks *beside,
                            wr_job *const *jobs, size_t job_count, wr_diag *diag)
{
    wr_profile *p = calloc(1, sizeof *p);
    sm_counts *of_sm = p ? calloc(wr_gpu_sm_count(gpu), sizeof *of_sm) : NULL;
    char *name = of_sm ? strdup(path) : NULL;
    wr_replace to = {0};
    if (!name || !wr_replace_open(&to, path)) {
        wr_diag_set(diag, name ? path : NULL, 0, 0, name ? "cannot be written: %s" : "%s",
                    name ? strerror(errno) : "out of memory");
        free(name);
        free(of_sm);
        free(p);
        return NULL;
    }
    p->gpu = gpu;
    p->jobs = jobs;
    p->job_count = job_count;
    p->path = name;
    p->to = to;
    p->sms = wr_gpu_sm_count(gpu);
    p->of_sm = of_sm;
    p->hooks = (wr_system_hooks){.self = p,
                                 .launch_begin = on_launch,
                                 .warp_issued = on_issued,
                                 .warp_stalled = on_stalled,
                                 .warp_woken = on_woken};
    const wr_system_hooks *tables[] = {&p->hooks, beside};
    p->joined = wr_chain_join(&p->chain, tables, beside ? 2 : 1);
    return p;
}

const wr_system_hooks *wr_profile_hooks(const wr_profile *p)
{
    return p->joined;
}

/* All SMs' counts into those of the first. */
static void add_up(wr_profile *p)
{
    for (uint32_t i = 0; i < p->sms; i++) {
        (void)settle_lines(&p->of_sm[i], wr_gpu_sm(p->gpu, i));
    }
    for (size_t k = 0; k < p->count; k++) {
        size_t insns = p->kernels[k].kernel->insn_count;
        wr_profile_count *sum = p->kernels[k].counts;
        for (size_t i = insns; i < p->sms * insns; i++) {
            wr_profile_count_add(&sum[i % insns], &sum[i]);
        }
    }
}

bool wr_profile_close(wr_profile *p, bool keep, bool cut, wr_diag *diag)
{
    if (!p) {
        return true;
    }
    errno = 0;
    bool ok = !p->failed;
    if (ok && keep) {
        add_up(p);
        size_t n = strlen(p->path);
        bool is_csv = n > 4 && strcmp(p->path + n - 4, ".csv") == 0;
        ok = is_csv ? wr_profile_csv(p->to.file, p->kernels, p->count)
                    : wr_profile_text(p->to.file, p->kernels, p->count);
        ok = ok && (!cut || fputs("# " WR_CUT "\n", p->to.file) >= 0);
    }
    ok = wr_replace_close(&p->to, ok && keep) && ok;
    if (!ok) {
        wr_diag_set(diag, p->path, 0, 0, "cannot be written: %s",
                    p->failed ? "out of memory" : strerror(errno));
    }
    for (size_t k = 0; k < p->count; k++) {
        free(p->kernels[k].counts);
    }
    free(p->kernels);
    free(p->of_sm);
    free(p->path);
    free(p);
    return ok;
}
