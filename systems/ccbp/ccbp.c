/* SPDX-License-Identifier: Apache-2.0 */
/* The system ccbp: options, hooks, and what the machine's events mean to its parts (state.h). */
#include "systems/ccbp/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_CTAS,
    OPT_GIVEN,
    OPT_QUEUE,
    OPT_PRIOR,
    OPT_WARM_UP,
    OPT_BMI,
    OPT_MIL,
    OPT_LIMITS,
    OPT_NUMBER
};

static const char *const schemes[] = {[WR_CCBP_BY_ALGORITHM] = "ccbp",
                                      [WR_CCBP_BY_SMK] = "smk",
                                      [WR_CCBP_BY_SLICER] = "slicer",
                                      [WR_CCBP_BY_OPTION] = "given",
                                      NULL};
static const char *const queues[] = {
    [WR_CCBP_PLAIN] = "plain", [WR_CCBP_FIFO] = "fifo",        [WR_CCBP_PRIORITY] = "priority",
    [WR_CCBP_RATE] = "rate",   [WR_CCBP_BY_SCHEME] = "scheme", NULL};
static const char *const bmis[] = {
    [WR_CCBP_NO_BMI] = "none", [WR_CCBP_RBMI] = "rbmi", [WR_CCBP_QBMI] = "qbmi", NULL};
static const char *const mils[] = {
    [WR_CCBP_NO_MIL] = "none", [WR_CCBP_STATIC] = "smil", [WR_CCBP_DYNAMIC] = "dmil", NULL};
static const char *const kinds[] = {"LS", "NBI", "DBI"};

static const wr_option options[OPT_NUMBER] = {
    [OPT_CTAS] = {.name = "ctas",
                  .kind = WR_OPTION_CHOICE,
                  .words = schemes,
                  .preset = "ccbp",
                  .doc = "who says how many CTAs of each kernel an SM holds: Algorithm 1, SMK's "
                         "dominant resource fairness, Warped-Slicer, or option given"},
    [OPT_GIVEN] = {.name = "given",
                   .kind = WR_OPTION_LIST,
                   .most = WR_CCBP_MOST,
                   .min = 1,
                   .max = 32,
                   .preset = "",
                   .doc = "with ctas=given: those of each kernel, in the order of the files"},
    [OPT_QUEUE] = {.name = "queue",
                   .kind = WR_OPTION_CHOICE,
                   .words = queues,
                   .preset = "scheme",
                   .doc =
                       "an SM's misses leave: plain, the configuration's FIFO; fifo, the block's; "
                       "priority, latency-sensitive kernels first; rate, and the others by "
                       "quotas; scheme: rate with ctas=ccbp, fifo with bmi or mil, else plain"},
    [OPT_PRIOR] = {.name = "prior",
                   .kind = WR_OPTION_NUMBER,
                   .min = 1,
                   .max = 15,
                   .preset = "1",
                   .doc =
                       "divides the dominant share of latency-sensitive kernels (priorLSK): they "
                       "get more CTAs"},
    [OPT_WARM_UP] = {.name = "warm_up",
                     .kind = WR_OPTION_NUMBER,
                     .min = 1,
                     .max = 100000000,
                     .preset = "10000",
                     .unit = "cycles",
                     .doc = "from the groups of SMs to the window that is their sample"},
    [OPT_BMI] = {.name = "bmi",
                 .kind = WR_OPTION_CHOICE,
                 .words = bmis,
                 .preset = "none",
                 .doc = "whose memory instruction an SM issues next (Dai et al.): in turns, or by "
                        "quotas that are as 1 over its requests"},
    [OPT_MIL] = {.name = "mil",
                 .kind = WR_OPTION_CHOICE,
                 .words = mils,
                 .preset = "none",
                 .doc = "memory instructions of a kernel under way on an SM (Dai et al.): at most "
                        "those of option limits, or as many as find room"},
    [OPT_LIMITS] = {.name = "limits",
                    .kind = WR_OPTION_LIST,
                    .most = WR_CCBP_MOST,
                    .min = 1,
                    .max = 512,
                    .preset = "",
                    .doc = "with mil=smil: of each kernel, in the order of the files"},
};

/* They say which TBs go where, or have the miss stations, as this one does. */
static const char not_with[] =
    "drain, drf, duet, dyncta, miss_limit, preemption, sharing, smk, spart, virtual_thread, "
    "warp_swap";

static const char *const blocks[] = {"issue_rate_controller", "l2_meter",
                                     "bandwidth_converter",   "ccbp_allocator",
                                     "drf_partitioner",       NULL};

/* What the blocks count up to. */
static const wr_system_need needs[] = {
    {{"sm.registers", offsetof(wr_gpu_config, sm.registers)}, 32, 131071},
    {{"sm.shared_bytes", offsetof(wr_gpu_config, sm.shared_bytes)}, 128, 131071},
    {{"l1.line_bytes", offsetof(wr_gpu_config, l1.line_bytes)}, 32, 255},
    {{"l2.line_bytes", offsetof(wr_gpu_config, l2.line_bytes)}, 32, 255},
};

static void on_gpu_cycle(void *self, wr_gpu *gpu)
{
    wr_ccbp_cycle(self, wr_gpu_cycle(gpu));
}

static void on_sm_cycle(void *self, wr_sm *sm)
{
    wr_ccbp_limit_cycle(self, sm);
}

static uint64_t on_next_cycle(void *self, uint64_t now)
{
    return wr_ccbp_next(self, now);
}

/* The row of a stream: its own of before, or the first that nobody has; WR_CCBP_NONE: none is. */
static uint32_t row_of(const wr_ccbp *p, uint32_t stream)
{
    uint32_t k = p->kernel_of[stream];

    for (uint32_t i = 0; k == WR_CCBP_NONE && i < WR_CCBP_MOST; i++) {
        k = p->kernel[i].code == NULL ? i : k;
    }
    for (uint32_t i = 0; k == WR_CCBP_NONE && i < WR_CCBP_MOST; i++) {
        k = p->kernel[i].in_flight ? k : i;
    }
    return k;
}

/* The first launch of all: the machine's parts are there, and nothing is under way. */
static void attach(wr_ccbp *p, wr_gpu *gpu)
{
    p->gpu = gpu;
    if (p->station != NULL) {
        wr_ccbp_station_attach(p);
    }
    if (p->has_logic) {
        wr_ccbp_counts_attach(p);
    }
}

/* Option given asks for no more than an SM has. */
static bool given_fits(const wr_ccbp *p)
{
    uint32_t ctas[WR_CCBP_MOST];

    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        ctas[k] = p->kernel[k].in_flight ? p->given[k] : 0;
    }
    return wr_ccbp_fits(p, ctas);
}

static void on_launch_begin(void *self, wr_gpu *gpu, uint32_t stream, const wr_launch *launch)
{
    wr_ccbp *p = self;
    const uint32_t k = row_of(p, stream);

    if (k == WR_CCBP_NONE) {
        wr_gpu_refuse(gpu, "system ccbp shares SMs among up to 4 kernels at once");
        return;
    }
    if (p->gpu != gpu) {
        attach(p, gpu);
    }
    wr_ccbp_kernel *own = &p->kernel[k];
    const bool same = own->code == launch->kernel && p->kernel_of[stream] == k &&
                      memcmp(own->block, launch->block, sizeof own->block) == 0;

    if (!same) {
        if (own->code != NULL) {
            p->kernel_of[own->stream] = WR_CCBP_NONE;
        }
        *own = (wr_ccbp_kernel){.stream = stream, .code = launch->kernel};
        memcpy(own->block, launch->block, sizeof own->block);
    }
    p->kernel_of[stream] = k;
    own->in_flight = true;
    own->needs = wr_gpu_tb_needs(gpu, stream);
    own->alone = wr_gpu_occupancy(wr_gpu_configuration(gpu), launch).tbs;
    if (!given_fits(p)) {
        wr_gpu_refuse(gpu, "the combination that option given of system ccbp asks for does not fit "
                           "an SM of this configuration; ask for fewer CTAs");
        return;
    }
    if (!same || !wr_ccbp_has(p->decided, k)) {
        p->stale = true;
        p->stale_at = wr_gpu_cycle(gpu);
    }
    for (uint32_t i = 0; i < p->sm_count; i++) {
        wr_ccbp_close_full(p, wr_gpu_sm(gpu, i));
    }
}

static void on_launch_end(void *self, wr_gpu *gpu, uint32_t stream)
{
    wr_ccbp *p = self;
    const uint32_t k = p->kernel_of[stream];

    if (k != WR_CCBP_NONE) {
        p->kernel[k].in_flight = false;
        p->kernel[k].ended_at = wr_gpu_cycle(gpu);
    }
}

static void on_tb_placed(void *self, wr_sm *sm, uint32_t slot)
{
    (void)slot;
    wr_ccbp_close_full(self, sm);
}

static void on_tb_done(void *self, wr_sm *sm, uint32_t slot, uint32_t stream)
{
    (void)slot;
    (void)stream;
    wr_ccbp_close_full(self, sm);
}

static void destroy(wr_system *system)
{
    wr_ccbp *p = (wr_ccbp *)system;

    wr_ccbp_station_close(p);
    wr_ccbp_counts_close(p);
    wr_ccbp_logic_close(p);
    wr_drf_close(&p->dealer);
    free(p->memory);
    free(p);
}

static bool open_all(wr_ccbp *p, const wr_system_setup *setup, char *err, size_t err_size)
{
    p->memory = calloc(p->sm_count, sizeof *p->memory);
    if (!p->memory) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    return (p->queue == WR_CCBP_PLAIN || wr_ccbp_station_open(p, setup, err, err_size)) &&
           (!p->has_logic || (wr_ccbp_counts_open(p, err, err_size) &&
                              wr_ccbp_logic_open(p, setup, err, err_size))) &&
           (p->scheme != WR_CCBP_BY_SMK ||
            wr_drf_open(&p->dealer, setup, "driver", WR_CCBP_MOST, err, err_size));
}

/* Options that do not go together; false with one line in err. */
static bool understand(wr_ccbp *p, const wr_option_value *values, char *err, size_t err_size)
{
    const bool rules = values[OPT_CTAS].word == WR_CCBP_BY_ALGORITHM;
    const char *why = NULL;

    p->scheme = (wr_ccbp_scheme)values[OPT_CTAS].word;
    p->bmi = (wr_ccbp_bmi)values[OPT_BMI].word;
    p->mil = (wr_ccbp_mil)values[OPT_MIL].word;
    for (uint32_t i = 0; i < WR_CCBP_MOST; i++) {
        p->limits[i] = i < values[OPT_LIMITS].count ? (uint32_t)values[OPT_LIMITS].list[i] : 128;
    }
    p->queue = (wr_ccbp_queue)values[OPT_QUEUE].word;
    if (p->queue == WR_CCBP_BY_SCHEME) {
        p->queue = rules ? WR_CCBP_RATE : wr_ccbp_limits(p) ? WR_CCBP_FIFO : WR_CCBP_PLAIN;
    }
    p->has_logic = rules || p->queue >= WR_CCBP_PRIORITY;
    p->samples = p->has_logic || p->scheme == WR_CCBP_BY_SLICER;
    p->given_count = values[OPT_GIVEN].count;
    for (uint32_t i = 0; i < p->given_count; i++) {
        p->given[i] = (uint32_t)values[OPT_GIVEN].list[i];
    }
    p->prior = (uint32_t)values[OPT_PRIOR].number;
    p->warm_up = (uint32_t)values[OPT_WARM_UP].number;
    if (rules && p->queue == WR_CCBP_PLAIN) {
        why =
            "ctas=ccbp counts what the blocks' queues send: queue=plain has none, take queue=fifo";
    } else if (!rules && p->queue == WR_CCBP_RATE) {
        why = "queue=rate needs the shares of bandwidth of ctas=ccbp";
    } else if (p->scheme == WR_CCBP_BY_OPTION && p->given_count < 2) {
        why = "ctas=given wants the CTAs of two kernels or more, as in given=7:4";
    } else if (p->scheme != WR_CCBP_BY_OPTION && p->given_count != 0) {
        why = "given= wants ctas=given";
    } else if (wr_ccbp_limits(p) && p->queue == WR_CCBP_PLAIN) {
        why =
            "bmi and mil count what the blocks' queues send: queue=plain has none, take queue=fifo";
    } else if ((p->mil == WR_CCBP_STATIC) != (values[OPT_LIMITS].count != 0)) {
        why = "mil=smil and limits= go together, as in mil=smil,limits=8:64";
    }
    if (why != NULL) {
        (void)snprintf(err, err_size, "system ccbp: %s", why);
    }
    return why == NULL;
}

static wr_system *create(const wr_system_setup *setup, char *err, size_t err_size)
{
    const wr_sm_config *sm = &setup->cfg->sm;
    wr_ccbp *p = wr_system_alloc(sizeof *p, err, err_size);

    if (!p) {
        return NULL;
    }
    p->owner = setup->owner;
    p->bay = setup->bay;
    p->sm_count = setup->cfg->sms;
    p->bank_count = setup->cfg->l2.banks;
    p->limit[0] = sm->registers;
    p->limit[1] = (uint64_t)sm->max_warps * 32;
    p->limit[2] = sm->shared_bytes;
    p->limit[3] = sm->max_tbs;
    p->next_end = UINT64_MAX;
    for (uint32_t s = 0; s < WR_MAX_STREAMS; s++) {
        p->kernel_of[s] = WR_CCBP_NONE;
    }
    p->base.hooks = (wr_system_hooks){.self = p,
                                      .launch_begin = on_launch_begin,
                                      .launch_end = on_launch_end,
                                      .tb_placed = on_tb_placed,
                                      .tb_done = on_tb_done,
                                      .gpu_cycle = on_gpu_cycle,
                                      .next_cycle = on_next_cycle,
                                      .reads_memory = true};
    if (!understand(p, setup->values, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    if (wr_ccbp_limits(p)) {
        p->base.hooks.sm_cycle = on_sm_cycle;
    }
    if (!open_all(p, setup, err, err_size)) {
        destroy(&p->base);
        return NULL;
    }
    return &p->base;
}

static void report_kernel(const wr_ccbp *p, const wr_ccbp_kernel *own, wr_report *r)
{
    static const struct {
        const char *name, *label, *unit;
    } rows[] = {{"ctas", "CTAs an SM", "CTAs"},
                {"nbw", "share of the NoC, of what can be sustained", "%"},
                {"dbw", "share of DRAM, of what can be sustained", "%"},
                {"n16", "flits a request", "1/16"},
                {"dreq", "bytes a request at DRAM", "B"}};
    const uint32_t values[] = {own->ctas, own->nbw, own->dbw, own->n16, own->dreq};
    char name[48];
    char label[96];

    for (size_t i = 0; i < (p->has_logic ? 5 : 1); i++) {
        (void)snprintf(name, sizeof name, "stream%u.%s", own->stream, rows[i].name);
        (void)snprintf(label, sizeof label, "stream %u, %s", own->stream, rows[i].label);
        (void)wr_report_count(r, name, label, values[i], rows[i].unit);
    }
    if (p->has_logic) {
        (void)snprintf(name, sizeof name, "stream%u.type", own->stream);
        (void)snprintf(label, sizeof label, "stream %u, type", own->stream);
        (void)wr_report_text(r, name, label, kinds[own->kind]);
    }
}

static void report(const wr_system *system, wr_report *r)
{
    const wr_ccbp *p = (const wr_ccbp *)system;

    wr_report_section(r, "", "CTAs and bandwidth");
    (void)wr_report_text(r, "ctas", "CTAs by", schemes[p->scheme]);
    (void)wr_report_text(r, "queue", "misses leave", queues[p->queue]);
    (void)wr_report_count(r, "samplings", "times that kernels were sampled", p->counts.samplings,
                          "");
    if (p->has_logic) {
        (void)wr_report_count(r, "decisions", "combinations worked out", p->counts.decisions, "");
        (void)wr_report_count(r, "steps", "steps of Algorithm 1", p->counts.steps, "");
        (void)wr_report_count(r, "windows", "windows of shared SMs", p->counts.windows, "");
    }
    if (wr_ccbp_limits(p)) {
        (void)wr_report_text(r, "bmi", "memory instructions, whose", bmis[p->bmi]);
        (void)wr_report_text(r, "mil", "memory instructions, how many", mils[p->mil]);
        (void)wr_report_count(r, "waits", "SM cycles in which those of a kernel wait",
                              p->counts.waits, "cycles");
        (void)wr_report_count(r, "lowered", "limits lowered", p->counts.lowered, "");
    }
    wr_report_section(r, "", "Streams, by the last decision");
    for (uint32_t k = 0; k < WR_CCBP_MOST; k++) {
        if (p->kernel[k].code != NULL) {
            report_kernel(p, &p->kernel[k], r);
        }
    }
}

const wr_system_type wr_ccbp_type = {
    .name = "ccbp",
    .summary =
        "several kernels in one SM: CTAs and bandwidth of NoC and DRAM, each to what it lacks",
    .paper = "Lin-D 4.5",
    .options = options,
    .option_count = OPT_NUMBER,
    .blocks = blocks,
    .needs = needs,
    .need_count = sizeof needs / sizeof needs[0],
    .not_with = not_with,
    .create = create,
    .destroy = destroy,
    .report = report,
};
