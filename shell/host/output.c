/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs. A place is only looked at before the run: a file that is there keeps its bytes until
 * there are new ones. */
#include "shell/host/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shell/host/args.h"
#include "shell/host/data_file.h"

/* NULL, or why no file can be written at `path`, which is cut for a moment. */
static const char *why_not(char *path)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode)) {
            return "not a regular file";
        }
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    if (errno != ENOENT) {
        return strerror(errno);
    }
    char *slash = strrchr(path, '/');
    char *name = slash ? slash + 1 : path;
    char first = *name;
    *name = '\0';
    const char *why = access(slash ? path : ".", W_OK | X_OK) == 0 ? NULL : strerror(errno);
    *name = first;
    return why;
}

static bool cannot(const wr_job *job, unsigned output, const char *why, wr_diag *diag)
{
    return wr_job_fault(job, diag, wr_launch_file_line(&job->loaded, "outputs[%u].file", output),
                        "'%s' cannot be written: %s", job->loaded.file->outputs[output].file, why);
}

bool wr_outputs_bind(const wr_job *job, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->output_count; i++) {
        char *path = wr_launch_file_path(&job->loaded, file->outputs[i].file);
        const char *why = path ? why_not(path) : "out of memory";
        free(path);
        if (why) {
            return cannot(job, i, why, diag);
        }
    }
    return true;
}

/* The job of the first `count` that writes this file; NULL: none. */
static const wr_job *writer_of(wr_job *const *jobs, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        const wr_launch_file *file = jobs[i]->loaded.file;
        for (unsigned k = 0; k < file->output_count; k++) {
            char *other = wr_launch_file_path(&jobs[i]->loaded, file->outputs[k].file);
            bool same = other && strcmp(other, path) == 0;
            free(other);
            if (same) {
                return jobs[i];
            }
        }
    }
    return NULL;
}

bool wr_outputs_apart(wr_job *const *jobs, size_t count, wr_diag *diag)
{
    for (size_t i = 1; i < count; i++) {
        const wr_launch_file *file = jobs[i]->loaded.file;
        for (unsigned k = 0; k < file->output_count; k++) {
            char *path = wr_launch_file_path(&jobs[i]->loaded, file->outputs[k].file);
            const wr_job *other = path ? writer_of(jobs, i, path) : NULL;
            free(path);
            if (!path) {
                return cannot(jobs[i], k, "out of memory", diag);
            }
            if (other) {
                return wr_job_fault(
                    jobs[i], diag, wr_launch_file_line(&jobs[i]->loaded, "outputs[%u].file", k),
                    "'%s' is written by %.200s of the same run, too; give each a file of its own",
                    file->outputs[k].file, other->name);
            }
        }
    }
    return true;
}

bool wr_outputs_write(const wr_job *job, wr_diag *diag)
{
    const wr_launch_file *file = job->loaded.file;
    for (unsigned i = 0; i < file->output_count; i++) {
        const wr_launch_output *output = &file->outputs[i];
        const wr_launch_buffer *b = &file->buffers[output->buffer_index];
        const uint8_t *data = job->buffers[output->buffer_index].result;
        if (!data) {
            continue;
        }
        char *path = wr_launch_file_path(&job->loaded, output->file);
        bool ok = path && wr_data_write(path, b->value_type, data, b->count);
        if (!ok) {
            cannot(job, i, path ? strerror(errno) : "out of memory", diag);
        }
        free(path);
        if (!ok) {
            return false;
        }
    }
    return true;
}
