/* SPDX-License-Identifier: Apache-2.0 */
/* `warpref run --fast-forward`: its argument, and what the report says of it. */
#ifndef WR_TOOLS_FORWARD_H
#define WR_TOOLS_FORWARD_H

#include <cjson/cJSON.h>
#include <stdio.h>

#include "shell/core/gpu.h"
#include "shell/host/job.h"

typedef struct wr_forward_option {
    const char *text; /* NULL: not asked for */
    wr_forward_to to;
    char kernel[256];
} wr_forward_option;

/* N, KERNEL, KERNEL:K or all; false: it is none of these. */
bool wr_forward_option_parse(wr_forward_option *option, const char *text);
/* A kernel that it names is launched. False with `diag` set. */
bool wr_forward_option_fits(const wr_forward_option *option, wr_job *const *jobs, size_t count,
                            wr_diag *diag);
/* Behind a run: likewise, as often as it says. */
bool wr_forward_option_met(const wr_forward_option *option, const wr_gpu *gpu, wr_diag *diag);
void wr_forward_option_print(const wr_forward_option *option, const wr_gpu *gpu, FILE *out);
void wr_forward_option_json(const wr_forward_option *option, const wr_gpu *gpu, cJSON *root);

#endif
