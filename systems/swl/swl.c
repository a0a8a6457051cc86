/* SPDX-License-Identifier: Apache-2.0 */
/* Static warp limiting (SWL): only the n oldest warps of each SM issue (Kayiran 4; the actuator of
 * its concurrency management). Seam: warp. With n = 0 nothing is limited.
 */
#include "systems/swl/swl.h"

#include "shell/core/seam/warp.h"

enum { OPT_WARPS, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_WARPS] = {.name = "warps",
                   .kind = WR_OPTION_NUMBER,
                   .min = 0,
                   .max = WR_CONFIG_MAX_WARPS,
                   .preset = "24",
                   .unit = "warps",
                   .doc = "of an SM that may issue, the oldest ones; 0 = all"},
};

typedef struct swl {
    wr_system base;
    wr_owner owner;
    uint32_t warps;
} swl;

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    const swl *s = self;

    (void)stream;
    (void)launch;
    for (uint32_t i = 0; i < wr_gpu_sm_count(gpu); i++) {
        wr_sm_limit(wr_gpu_sm(gpu, i), s->owner, s->warps);
    }
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    swl *s = wr_system_alloc(sizeof *s, err, err_size);

    if (!s) {
        return NULL;
    }
    s->owner = setup->owner;
    s->warps = (uint32_t)setup->values[OPT_WARPS].number;
    s->base.hooks = (wr_system_hooks){.self = s, .launch_begin = on_launch_begin};
    return &s->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const swl *s = (const swl *)system;

    wr_report_section(r, "", "Static warp limit");
    (void)wr_report_count(r, "warps", "of each SM may issue", s->warps, "warps");
}

const wr_system_type wr_swl_type = {
    .name = "swl",
    .summary = "lets only the oldest warps of each SM issue",
    .paper = "Kayiran 4",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
