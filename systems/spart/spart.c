/* SPDX-License-Identifier: Apache-2.0 */
/* Spatial partitioning (Spart; SMK 2.3 compares with it): the SMs are parted among the streams that
 * have a launch in flight, by their shares; each SM runs TBs of one stream only. Seam: launch.
 *
 * Parts are drawn anew when a launch begins or ends; TBs that are placed stay where they are until
 * they end. With more streams than SMs some have no SM of their own and wait.
 */
#include "systems/spart/spart.h"

#include "shell/core/seam/launch.h"

#include <stdio.h>

enum { OPT_SHARES, OPT_NUMBER };

static const wr_option options[OPT_NUMBER] = {
    [OPT_SHARES] = {.name = "shares",
                    .kind = WR_OPTION_LIST,
                    .min = 1,
                    .max = 1000,
                    .most = WR_MAX_STREAMS,
                    .preset = "",
                    .doc = "of the streams in the order of the file, 1 where not given"},
};

typedef struct spart {
    wr_system base;
    wr_owner owner;
    uint32_t share[WR_MAX_STREAMS];
    uint32_t sms[WR_MAX_STREAMS]; /* in the last parts that were drawn with it */
    uint64_t placed[WR_MAX_STREAMS];
    uint64_t drawn;
} spart;

static void draw_parts(spart *s, wr_gpu *gpu)
{
    uint32_t count = wr_gpu_sm_count(gpu);
    uint32_t total = 0;
    uint32_t before = 0;

    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        total += wr_gpu_launch(gpu, i) ? s->share[i] : 0;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        if (!wr_gpu_launch(gpu, i)) {
            continue;
        }
        uint32_t first = count * before / total;

        before += s->share[i];
        s->sms[i] = count * before / total - first;
        for (uint32_t sm = first; sm < first + s->sms[i]; sm++) {
            wr_sm_close(wr_gpu_sm(gpu, sm), s->owner, WR_ALL_STREAMS & ~(1u << i));
        }
    }
    s->drawn++;
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    (void)stream;
    (void)launch;
    draw_parts(self, gpu);
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    (void)stream;
    if (wr_gpu_launches(gpu) != 0) {
        draw_parts(self, gpu);
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t tb_slot)
{
    spart *s = self;

    s->placed[wr_sm_tb(sm, tb_slot).stream]++;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_option_value *shares = &setup->values[OPT_SHARES];
    spart *s = wr_system_alloc(sizeof *s, err, err_size);

    if (!s) {
        return NULL;
    }
    s->owner = setup->owner;
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        s->share[i] = i < shares->count ? (uint32_t)shares->list[i] : 1;
    }
    s->base.hooks = (wr_system_hooks){.self = s,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_placed = on_tb_placed};
    return &s->base;
}

static void report(const wr_system *system, wr_report *r)
{
    const spart *s = (const spart *)system;

    wr_report_section(r, "", "Spatial partitioning");
    (void)wr_report_count(r, "parts.drawn", "parts drawn, times", s->drawn, "");
    wr_report_section(r, "", "Streams, in the order of the file");
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        char name[32];
        char label[32];

        if (s->placed[i] == 0) {
            continue;
        }
        (void)snprintf(label, sizeof label, "stream %u", i);
        (void)snprintf(name, sizeof name, "stream%u.share", i);
        wr_report_count(r, name, label, s->share[i], "")->column = "share";
        (void)snprintf(name, sizeof name, "stream%u.sms", i);
        wr_report_count(r, name, label, s->sms[i], "")->column = "SMs";
        (void)snprintf(name, sizeof name, "stream%u.tbs", i);
        wr_report_count(r, name, label, s->placed[i], "")->column = "placed";
    }
}

const wr_system_type wr_spart_type = {
    .name = "spart",
    .summary = "parts the SMs among the streams, each SM for one",
    .paper = "SMK 2.3",
    .options = options,
    .option_count = OPT_NUMBER,
    .create = create,
    .report = report,
};
