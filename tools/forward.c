/* SPDX-License-Identifier: Apache-2.0 */
/* See forward.h. */
#include "tools/forward.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const char *text, uint64_t *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value != 0;
}

bool wr_forward_option_parse(wr_forward_option *o, const char *text)
{
    o->text = text;
    o->to = (wr_forward_to){.insns = UINT64_MAX};
    if (strcmp(text, "all") == 0) {
        return true;
    }
    if (text[0] >= '0' && text[0] <= '9') {
        return read_number(text, &o->to.insns);
    }
    const char *colon = strrchr(text, ':'); /* not those of la::set */
    size_t length =
        colon && (colon == text || colon[-1] != ':') ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof o->kernel) {
        return false;
    }
    memcpy(o->kernel, text, length);
    o->to.kernel = o->kernel;
    o->to.nth = 1;
    return text[length] == '\0' || read_number(text + length + 1, &o->to.nth);
}

bool wr_forward_option_fits(const wr_forward_option *o, wr_job *const *jobs, size_t count,
                            wr_diag *diag)
{
    bool found = !o->to.kernel || count == 0; /* a program's launches are not known yet */
    for (size_t j = 0; j < count && !found; j++) {
        for (unsigned i = 0; i < jobs[j]->loaded.file->launch_count && !found; i++) {
            found = wr_forward_names(&o->to, jobs[j]->launches[i].kernel);
        }
    }
    if (!found) {
        wr_diag_set(diag, "--fast-forward", 0, 0,
                    "'%s' is no number, not 'all', and no kernel that is launched", o->text);
    }
    return found;
}

bool wr_forward_option_met(const wr_forward_option *o, const wr_gpu *gpu, wr_diag *diag)
{
    const wr_forwarded done = wr_gpu_forwarded(gpu);
    char names[WR_DIAG_MESSAGE_MAX / 2] = "";
    size_t used = 0;
    if (!o->to.kernel || !done.on) {
        return true;
    }
    for (uint32_t i = 0; i < done.kernel_count && used < sizeof names; i++) {
        int n = snprintf(names + used, sizeof names - used, "%s%s (%" PRIu64 ")", i ? ", " : "",
                         done.kernels[i].kernel->name, done.kernels[i].launches);
        used += n > 0 ? (size_t)n : 0;
    }
    wr_diag_set(diag, "--fast-forward", 0, 0,
                "kernel '%s' was not launched %" PRIu64
                " times, so nothing was timed; these were launched: %s%s",
                o->to.kernel, o->to.nth, names[0] ? names : "none",
                done.more_kernels ? ", ..." : "");
    return false;
}

void wr_forward_option_print(const wr_forward_option *o, const wr_gpu *gpu, FILE *out)
{
    if (!o->text) {
        return;
    }
    wr_forwarded done = wr_gpu_forwarded(gpu);
    (void)fprintf(out,
                  "\nFast-forward (%s)\n  %" PRIu64 " warp instructions, %" PRIu64
                  " TBs and so %" PRIu64 " whole launch%s without time%s\n",
                  o->text, done.insns, done.tbs, done.launches, done.launches == 1 ? "" : "es",
                  done.on ? "; the run ended before time began" : "");
    if (!done.on) {
        (void)fprintf(out,
                      "  time began with %u lines in the L2; all other figures are of the "
                      "time from then on\n",
                      done.warm_lines);
    }
}

void wr_forward_option_json(const wr_forward_option *o, const wr_gpu *gpu, cJSON *root)
{
    if (!o->text) {
        return;
    }
    wr_forwarded done = wr_gpu_forwarded(gpu);
    cJSON *item = cJSON_AddObjectToObject(root, "fast_forward");
    cJSON_AddStringToObject(item, "to", o->text);
    cJSON_AddNumberToObject(item, "warp_instructions", (double)done.insns);
    cJSON_AddNumberToObject(item, "thread_instructions", (double)done.thread_insns);
    cJSON_AddNumberToObject(item, "tbs", (double)done.tbs);
    cJSON_AddNumberToObject(item, "launches", (double)done.launches);
    cJSON_AddNumberToObject(item, "warm_lines", done.warm_lines);
    cJSON_AddBoolToObject(item, "time_began", !done.on);
}
