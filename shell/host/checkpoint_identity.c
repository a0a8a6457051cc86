/* SPDX-License-Identifier: Apache-2.0 */
/* Part RUN: whose checkpoint it is; see checkpoint.h. */
#include "shell/host/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "shell/host/checkpoint_parts.h"
#include "shell/host/launch_file.h"

bool wr_checkpoint_hash_file(const char *path, uint64_t *hash)
{
    uint8_t data[4096];
    XXH64_state_t *state = XXH64_createState();
    FILE *f = fopen(path, "rb");
    bool ok = state && f && XXH64_reset(state, 0) == XXH_OK;
    for (size_t n = 1; ok && n != 0;) {
        n = fread(data, 1, sizeof data, f);
        ok = XXH64_update(state, data, n) == XXH_OK && !ferror(f);
    }
    *hash = ok ? XXH64_digest(state) : 0;
    if (f) {
        (void)fclose(f);
    }
    XXH64_freeState(state);
    return ok;
}

/* The first contents of all buffers, of which references make theirs. */
static uint64_t hash_contents(const wr_launch_file *file)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < file->buffer_count; i++) {
        hash = XXH64(file->buffers[i].data, (size_t)file->buffers[i].bytes, hash);
    }
    return hash;
}

/* All that the compiler says of the module's kernels and variables and that a run depends on. */
static uint64_t hash_code(const wr_module *module, bool *ok)
{
    wr_bytes b = {0};
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wr_kernel *k = &module->kernels[i];
        wr_bytes_put_text(&b, k->name);
        wr_bytes_put(&b, k->words, k->word_count * sizeof *k->words);
        wr_bytes_put32(&b, k->regs);
        wr_bytes_put32(&b, k->max_live);
        wr_bytes_put32(&b, k->shared_bytes);
        wr_bytes_put32(&b, k->local_bytes);
        wr_bytes_put32(&b, k->stack_bytes);
        wr_bytes_put32(&b, k->param_bytes);
    }
    for (size_t i = 0; i < module->var_count; i++) {
        const wr_module_var *v = &module->vars[i];
        wr_bytes_put_text(&b, v->name);
        wr_bytes_put32(&b, v->space);
        wr_bytes_put32(&b, v->offset);
        wr_bytes_put32(&b, v->size);
        wr_bytes_put(&b, v->init, v->init ? v->size : 0);
    }
    *ok = !b.failed;
    uint64_t hash = b.failed ? 0 : XXH64(b.data, b.size, 0);
    wr_bytes_free(&b);
    return hash;
}

static bool describe(const wr_job *job, wr_checkpoint_job *out)
{
    bool ok = false;
    const char *slash = strrchr(job->loaded.path, '/');
    (void)snprintf(out->file, sizeof out->file, "%s", slash ? slash + 1 : job->loaded.path);
    out->contents = hash_contents(job->loaded.file);
    out->code = hash_code(job->module, &ok);
    out->address_size = job->module->address_size;
    out->launches = job->loaded.file->launch_count;
    out->streams = job->loaded.file->stream_count;
    return wr_checkpoint_hash_file(job->loaded.path, &out->text) && ok;
}

bool wr_checkpoint_put_run(wr_job *const *jobs, size_t count, const char *config, uint64_t printed,
                           wr_bytes *out)
{
    wr_bytes_put_text(out, WR_HOST_VERSION);
    wr_bytes_put_text(out, config);
    wr_bytes_put64(out, printed);
    wr_bytes_put32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        wr_checkpoint_job job;
        if (!describe(jobs[i], &job)) {
            return false;
        }
        wr_bytes_put_text(out, job.file);
        wr_bytes_put64(out, job.text);
        wr_bytes_put64(out, job.contents);
        wr_bytes_put64(out, job.code);
        wr_bytes_put32(out, job.address_size);
        wr_bytes_put32(out, job.launches);
        wr_bytes_put32(out, job.streams);
    }
    return true;
}

bool wr_checkpoint_read_run(wr_bytes_in in, wr_checkpoint_run *run)
{
    uint32_t streams = 0;
    memset(run, 0, sizeof *run);
    wr_bytes_get_text(&in, run->program, sizeof run->program);
    wr_bytes_get_text(&in, run->config, sizeof run->config);
    run->printed = wr_bytes_get64(&in);
    run->jobs = wr_bytes_get32(&in);
    if (in.failed || run->jobs == 0 || run->jobs > WR_MAX_STREAMS) {
        return false;
    }
    for (uint32_t i = 0; i < run->jobs; i++) {
        wr_checkpoint_job *job = &run->job[i];
        wr_bytes_get_text(&in, job->file, sizeof job->file);
        job->text = wr_bytes_get64(&in);
        job->contents = wr_bytes_get64(&in);
        job->code = wr_bytes_get64(&in);
        job->address_size = wr_bytes_get32(&in);
        job->launches = wr_bytes_get32(&in);
        job->streams = wr_bytes_get32(&in);
        if (job->streams == 0 || job->streams > WR_MAX_STREAMS - streams) {
            return false;
        }
        streams += job->streams;
    }
    return wr_bytes_whole(&in);
}

bool wr_checkpoint_fits(const wr_checkpoint_run *run, wr_job *const *jobs, size_t count, char *why,
                        size_t size)
{
    if (run->jobs != count) {
        (void)snprintf(why, size, "is of %" PRIu32 " launch files, the first %s, and not of %zu",
                       run->jobs, run->job[0].file, count);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const wr_checkpoint_job *was = &run->job[i];
        wr_checkpoint_job is;
        const char *other = NULL;
        if (!describe(jobs[i], &is)) {
            (void)snprintf(why, size, "cannot be compared with %s: out of memory, or it is gone",
                           jobs[i]->loaded.path);
            return false;
        }
        if (is.address_size != was->address_size) {
            other = "another address size";
        } else if (is.text != was->text || is.launches != was->launches ||
                   is.streams != was->streams) {
            other = "another launch file, or one of another text";
        } else if (is.contents != was->contents) {
            other = "a launch file whose buffers have other contents";
        } else if (is.code != was->code) {
            other = "another program: its module, compiler options or sm.max_regs_per_thread "
                    "have changed";
        }
        if (other) {
            (void)snprintf(why, size, "is of %s: it was written for %s on %s", other, was->file,
                           run->config);
            return false;
        }
    }
    return true;
}
