/* SPDX-License-Identifier: Apache-2.0 */
/* See checkpoints.h. */
#include "tools/checkpoints.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/host/checkpoint.h"
#include "systems/checkpoint/checkpoint.h"
#include "systems/frame/chain.h"

struct wr_checkpoints {
    const char *path; /* of those that are written; NULL: none are */
    const char *from; /* of the one that the run goes on from; NULL: it begins */
    wr_checkpoint_plan plan;
    wr_checkpoint *engines;
    wr_chain chain;
    const wr_system_hooks *hooks;
    wr_checkpoint_file file; /* read */
    wr_checkpoint_run run;   /* of it */
    wr_saved_contexts contexts;
    wr_job *const *jobs;
    size_t count;
    wr_printed *printed;
    bool failed;
};

bool wr_printed_open(wr_printed *p, const char *path, bool in_place, wr_diag *diag)
{
    struct stat st = {0};
    bool there = p->bytes != 0 && stat(path, &st) == 0 && st.st_size != 0;
    if (there && S_ISREG(st.st_mode) && (uint64_t)st.st_size < p->bytes) {
        wr_diag_set(diag, path, 0, 0,
                    "has %" PRIu64 " bytes, but the checkpoint comes behind the first %" PRIu64
                    " of what was printed; give that file, or a new one for the rest",
                    (uint64_t)st.st_size, p->bytes);
        return false;
    }
    p->bytes = there ? p->bytes : 0;
    if (there || in_place) {
        p->file = fopen(path, there ? "r+" : "w");
    } else {
        p->file = wr_replace_open(&p->to, path) ? p->to.file : NULL;
    }
    p->own = p->file != NULL;
    if (!p->file ||
        (there && S_ISREG(st.st_mode) &&
         (ftruncate(fileno(p->file), (off_t)p->bytes) != 0 || fseek(p->file, 0, SEEK_END) != 0))) {
        wr_diag_set(diag, path, 0, 0, "cannot be written: %s", strerror(errno));
        return false;
    }
    return true;
}

bool wr_printed_close(wr_printed *p, bool keep)
{
    bool ok;
    if (p->to.file) {
        ok = wr_replace_close(&p->to, keep);
    } else {
        ok = fflush(p->file) == 0 && ferror(p->file) == 0;
        ok = fclose(p->file) == 0 && ok;
    }
    p->file = NULL;
    p->own = false;
    return ok;
}

/* What was printed is on the disk before the checkpoint that comes behind it. */
static void flush_printed(const wr_printed *p)
{
    (void)fflush(p->file);
    if (p->own) {
        (void)fsync(fileno(p->file));
    }
}

static bool write_checkpoint(void *arg, const wr_gpu *gpu, const wr_saved_contexts *contexts)
{
    wr_checkpoints *c = arg;
    wr_bytes parts[WR_CHECKPOINT_PARTS] = {0};
    char why[512];
    flush_printed(c->printed);
    bool ok =
        wr_checkpoint_gather(c->jobs, c->count, gpu, c->printed->bytes, parts, why, sizeof why);
    if (ok) {
        wr_contexts_put(contexts, &parts[WR_CHECKPOINT_CONTEXTS]);
        ok = wr_checkpoint_write(c->path, parts, why, sizeof why);
    }
    for (unsigned i = 0; i < WR_CHECKPOINT_PARTS; i++) {
        wr_bytes_free(&parts[i]);
    }
    if (!ok) {
        c->failed = true;
        (void)fprintf(stderr, "%s: cannot be written: %s; the run goes on without it\n", c->path,
                      why);
    }
    return ok;
}

/* Reads the file to go on from, and holds it against the jobs. */
static bool read_from(wr_checkpoints *c, const wr_run_options *o, wr_job *const *jobs,
                      wr_diag *diag)
{
    char why[512];
    wr_frozen_gpu frozen;
    bool ok = wr_checkpoint_read(o->resume, &c->file, why, sizeof why);
    if (ok &&
        (!wr_checkpoint_read_run(wr_checkpoint_open(&c->file, WR_CHECKPOINT_RUN), &c->run) ||
         !wr_contexts_read(wr_checkpoint_open(&c->file, WR_CHECKPOINT_CONTEXTS), &c->contexts) ||
         !wr_gpu_frozen_read(wr_checkpoint_open(&c->file, WR_CHECKPOINT_GPU), &frozen))) {
        (void)snprintf(why, sizeof why, "is damaged: its parts are not what they should be");
        ok = false;
    }
    ok = ok && wr_checkpoint_fits(&c->run, jobs, o->file_count, why, sizeof why);
    if (ok && o->checkpoint_at && o->checkpoint_at <= frozen.cycle) {
        (void)snprintf(why, sizeof why,
                       "goes on in cycle %" PRIu64 ": --checkpoint-at %" PRIu64 " lies before it",
                       frozen.cycle, o->checkpoint_at);
        ok = false;
    }
    if (!ok) {
        wr_diag_set(diag, o->resume, 0, 0, "%s", why);
    }
    return ok;
}

wr_checkpoints *wr_checkpoints_open(const wr_run_options *o, wr_job *const *jobs,
                                    const wr_gpu_config *config, const wr_system_group *systems,
                                    wr_diag *diag)
{
    const char *wrong = o->checkpoint ? wr_checkpoint_writable(o->checkpoint) : NULL;
    char error[512];
    wr_checkpoints *c = wrong ? NULL : calloc(1, sizeof *c);
    if (!c) {
        wr_diag_set(diag, wrong ? o->checkpoint : NULL, 0, 0,
                    wrong ? "cannot be written: %s" : "%s", wrong ? wrong : "out of memory");
        return NULL;
    }
    c->path = o->checkpoint;
    c->from = o->resume;
    c->plan = (wr_checkpoint_plan){
        .at = o->checkpoint_at, .every = o->checkpoint_every, .write = write_checkpoint, .arg = c};
    if (o->resume) {
        if (!read_from(c, o, jobs, diag)) {
            wr_checkpoints_close(c);
            return NULL;
        }
        c->plan.from = &c->contexts;
    }
    c->engines = wr_checkpoint_open_engines(config, o->system_count, &c->plan, error, sizeof error);
    if (!c->engines) {
        wr_diag_set(diag, "--checkpoint", 0, 0, "%s", error);
        wr_checkpoints_close(c);
        return NULL;
    }
    const wr_system_hooks *tables[2];
    uint32_t count = 0;
    if (systems) {
        tables[count++] = wr_system_group_hooks(systems);
    }
    tables[count++] = wr_checkpoint_hooks(c->engines);
    c->hooks = wr_chain_join(&c->chain, tables, count);
    return c;
}

bool wr_checkpoints_begin(wr_checkpoints *c, wr_job *const *jobs, size_t count, wr_gpu *gpu,
                          wr_printed *printed, wr_diag *diag)
{
    char why[512];
    c->jobs = jobs;
    c->count = count;
    c->printed = printed;
    if (!c->from) {
        return true;
    }
    printed->bytes = c->run.printed;
    bool ok = wr_checkpoint_take_over(&c->file, &c->run, jobs, count, gpu, why, sizeof why);
    if (!ok) {
        wr_diag_set(diag, c->from, 0, 0, "%s", why);
    }
    wr_checkpoint_free(&c->file); /* all of it is in the GPU now */
    return ok;
}

const wr_system_hooks *wr_checkpoints_hooks(const wr_checkpoints *c)
{
    return c->hooks;
}

bool wr_checkpoints_failed(const wr_checkpoints *c)
{
    return c->failed;
}

void wr_checkpoints_close(wr_checkpoints *c)
{
    if (c) {
        wr_checkpoint_close_engines(c->engines);
        wr_contexts_free(&c->contexts);
        wr_checkpoint_free(&c->file);
    }
    free(c);
}
