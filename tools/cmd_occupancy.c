/* SPDX-License-Identifier: Apache-2.0 */
/* warpref occupancy: how many TBs share an SM, and what limits them, by the function that decides
 * it for a run (wr_gpu_occupancy). Nothing is run. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "shell/core/gpu.h"
#include "tools/cmd_block.h"
#include "tools/config_option.h"
#include "tools/demands.h"
#include "tools/once.h"

enum { KEY_WARPS = 256, KEY_REGISTERS, KEY_SHARED, KEY_TABLE, KEY_JSON };

typedef struct options {
    wr_config_option config;
    const char *file, *table;
    uint64_t warps, registers, shared; /* UINT64_MAX: not given */
    bool json;
} options;

static const struct argp_option option_table[] = {
    {"warps", KEY_WARPS, "N", 0, "of a TB, 1 to 1024; with a .cu or .ptx file, of every kernel's",
     0},
    {"registers", KEY_REGISTERS, "R", 0, "of a thread, 0 to 255", 0},
    {"shared", KEY_SHARED, "BYTES", 0, "shared memory of a TB (default 0)", 0},
    {"table", KEY_TABLE, "FILE.csv", 0,
     "rows of name, warps, registers, shared, by the names in its first line; with columns tbs and "
     "limit these are compared",
     0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {0}};

static error_t usage(const char *what)
{
    (void)fprintf(stderr, "%s; `warpref occupancy --help` has examples\n", what);
    return EINVAL;
}

static bool ends_in(const char *text, const char *ending)
{
    size_t n = strlen(text), e = strlen(ending);
    return n > e && strcmp(text + n - e, ending) == 0;
}

/* One source of demands, with what it needs and nothing that it has itself. */
static error_t finish(const options *o)
{
    bool warps = o->warps != UINT64_MAX,
         demands = o->registers != UINT64_MAX || o->shared != UINT64_MAX;
    if (o->file != NULL && o->table != NULL) {
        return usage("a file of kernels or --table, not both");
    }
    if (o->file == NULL && o->table == NULL) {
        return warps && o->registers != UINT64_MAX
                   ? 0
                   : usage("give --warps and --registers, or --table FILE.csv, or a .cu, .ptx or "
                           ".yaml file");
    }
    if (demands) {
        return usage("--registers and --shared are what the file says");
    }
    if (o->table != NULL || ends_in(o->file, ".yaml")) {
        return warps ? usage("--warps is what the file says") : 0;
    }
    if (!ends_in(o->file, ".cu") && !ends_in(o->file, ".ptx")) {
        return usage("the file must be a .cu, .ptx or launch .yaml");
    }
    return warps ? 0 : usage("a .cu or .ptx file does not say how many warps a TB has: --warps N");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->config;
        return 0;
    case KEY_WARPS:
        return wr_cmd_number("--warps", arg, 1, WR_DEMAND_WARPS, &o->warps) ? 0 : EINVAL;
    case KEY_REGISTERS:
        return wr_cmd_number("--registers", arg, 0, WR_DEMAND_REGISTERS, &o->registers) ? 0
                                                                                        : EINVAL;
    case KEY_SHARED:
        return wr_cmd_number("--shared", arg, 0, WR_DEMAND_SHARED, &o->shared) ? 0 : EINVAL;
    case KEY_TABLE:
        o->table = arg;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file != NULL) {
            argp_error(state, "one file at a time");
        }
        o->file = arg;
        return 0;
    case ARGP_KEY_END:
        return finish(o);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool collect(const options *o, wr_demands *d, wr_diag *diag)
{
    if (o->table != NULL) {
        return wr_demands_from_table(o->table, d, diag);
    }
    if (o->file != NULL) {
        return ends_in(o->file, ".yaml")
                   ? wr_demands_from_launches(o->file, d, diag)
                   : wr_demands_from_module(o->file, (uint32_t)o->warps, d, diag);
    }
    wr_demand *row = wr_demands_add(d, diag);
    if (row == NULL) {
        return false;
    }
    *row = (wr_demand){.name = "demand",
                       .warps = (uint32_t)o->warps,
                       .registers = (uint32_t)o->registers,
                       .shared = o->shared != UINT64_MAX ? (uint32_t)o->shared : 0};
    return true;
}

/* A row's answer. Shares are of what TBs use, not of what rounding gives them (P36). */
typedef struct answer {
    uint32_t tbs;
    const char *limit;
    double warps, slots, registers, shared; /* shares of an SM's */
    uint64_t tb_bytes, sm_bytes;            /* registers and shared memory: the context */
    double store_us;                        /* of all SMs, at the DRAM's peak */
    bool same_tbs, same_limit, named_limit; /* of the table: equal; its limits are among ours */
} answer;

static double share(uint64_t used, uint64_t of)
{
    return of != 0 ? (double)used / (double)of : 0;
}

static answer answer_of(const wr_gpu_config *c, const wr_demand *d)
{
    const wr_kernel kernel = {.name = d->name, .regs = d->registers, .shared_bytes = d->shared};
    const wr_launch launch = {
        .kernel = &kernel, .grid = {1, 1, 1}, .block = {d->warps * c->sm.warp_size, 1, 1}};
    wr_occupancy got = wr_gpu_occupancy(c, &launch);
    uint64_t registers = (uint64_t)d->registers * d->warps * c->sm.warp_size;
    double peak = (double)c->dram.channels * c->dram.burst_bytes / c->dram.burst_clocks *
                  c->clock.dram_mhz; /* bytes a us */
    answer a = {.tbs = got.tbs,
                .limit = got.limit,
                .warps = share((uint64_t)got.tbs * d->warps, c->sm.max_warps),
                .slots = share(got.tbs, c->sm.max_tbs),
                .registers = share(got.tbs * registers, c->sm.registers),
                .shared = share((uint64_t)got.tbs * d->shared, c->sm.shared_bytes),
                .tb_bytes = registers * 4 + d->shared,
                .sm_bytes = got.tbs * (registers * 4 + d->shared),
                .same_tbs = got.tbs == d->tbs};
    unsigned limit = 0;
    (void)wr_limit_parse(got.limit, &limit);
    a.store_us = (double)a.sm_bytes * c->sms / peak;
    a.same_limit = limit == d->limit;
    a.named_limit = (limit | d->limit) == limit;
    return a;
}

/* Rows that are as the table says. */
typedef struct tally {
    size_t tbs, limit, named, fit;
} tally;

static void print_json(const wr_gpu_config *c, const wr_demands *d, const tally *t, cJSON *root)
{
    cJSON_AddStringToObject(root, "configuration", c->name);
    cJSON_AddNumberToObject(root, "sms", c->sms);
    cJSON_AddNumberToObject(root, "sm_warps", c->sm.max_warps);
    cJSON_AddNumberToObject(root, "sm_tbs", c->sm.max_tbs);
    cJSON_AddNumberToObject(root, "sm_registers", c->sm.registers);
    cJSON_AddNumberToObject(root, "sm_shared", c->sm.shared_bytes);
    cJSON *rows = cJSON_AddArrayToObject(root, "rows");
    for (size_t i = 0; i < d->count; i++) {
        const wr_demand *r = &d->rows[i];
        answer a = answer_of(c, r);
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, row);
        cJSON_AddStringToObject(row, "name", r->name);
        cJSON_AddStringToObject(row, "label", r->label);
        cJSON_AddNumberToObject(row, "warps", r->warps);
        cJSON_AddNumberToObject(row, "registers", r->registers);
        cJSON_AddNumberToObject(row, "shared", r->shared);
        cJSON_AddNumberToObject(row, "tbs", a.tbs);
        cJSON_AddStringToObject(row, "limit", a.limit);
        cJSON_AddNumberToObject(row, "warps_share", a.warps);
        cJSON_AddNumberToObject(row, "tbs_share", a.slots);
        cJSON_AddNumberToObject(row, "registers_share", a.registers);
        cJSON_AddNumberToObject(row, "shared_share", a.shared);
        wr_cmd_json_u64(row, "context_tb_bytes", a.tb_bytes);
        wr_cmd_json_u64(row, "context_sm_bytes", a.sm_bytes);
        cJSON_AddNumberToObject(row, "store_us", a.store_us);
        if (d->has_tbs) {
            cJSON_AddNumberToObject(row, "agree_tbs", a.same_tbs);
        }
        if (d->has_limit) {
            cJSON_AddNumberToObject(row, "agree_limit", a.same_limit);
            cJSON_AddNumberToObject(row, "agree_limit_named", a.named_limit);
        }
    }
    cJSON *agree = d->has_tbs || d->has_limit ? cJSON_AddObjectToObject(root, "agree") : NULL;
    if (agree != NULL) {
        cJSON_AddNumberToObject(agree, "rows", (double)d->count);
    }
    if (d->has_tbs) {
        cJSON_AddNumberToObject(agree, "tbs", (double)t->tbs);
    }
    if (d->has_limit) {
        cJSON_AddNumberToObject(agree, "limit", (double)t->limit);
        cJSON_AddNumberToObject(agree, "limit_named", (double)t->named);
    }
}

static void print_text(const wr_gpu_config *c, const wr_demands *d, const tally *t)
{
    int wide = 4;
    for (size_t i = 0; i < d->count; i++) {
        int length = (int)strlen(d->rows[i].name);
        wide = length > wide ? length : wide;
    }
    (void)printf("%s: %" PRIu32 " SMs of %" PRIu32 " warp slots, %" PRIu32 " TB slots, %" PRIu32
                 " registers, %" PRIu32 " B of shared memory\n\n",
                 c->name, c->sms, c->sm.max_warps, c->sm.max_tbs, c->sm.registers,
                 c->sm.shared_bytes);
    (void)printf("%*s demand of a TB            in use on an SM, %%              context\n", wide,
                 "");
    (void)printf("%-*s warps  regs  shared  TBs  warps    TBs   regs shared  of an SM, B  all, us  "
                 "limit\n",
                 wide, "name");
    for (size_t i = 0; i < d->count; i++) {
        const wr_demand *r = &d->rows[i];
        answer a = answer_of(c, r);
        (void)printf("%-*s %5" PRIu32 " %5" PRIu32 " %7" PRIu32 " %4" PRIu32
                     " %6.1f %6.1f %6.1f %6.1f %12" PRIu64 " %8.2f  %s",
                     wide, r->name, r->warps, r->registers, r->shared, a.tbs, 100 * a.warps,
                     100 * a.slots, 100 * a.registers, 100 * a.shared, a.sm_bytes, a.store_us,
                     a.limit);
        if (d->has_tbs && !a.same_tbs) {
            (void)printf("; the table has %" PRIu32 " TBs", r->tbs);
        }
        if (d->has_limit && !a.same_limit) {
            (void)printf("; the table names %s", a.named_limit ? "fewer limits" : "other limits");
        }
        (void)printf("%s\n", a.tbs == 0 ? "; no TB fits" : "");
    }
    if (d->has_tbs) {
        (void)printf("\nTBs as in the table: %zu of %zu\n", t->tbs, d->count);
    }
    if (d->has_limit) {
        (void)printf("limits as in the table: %zu of %zu; all that it names: %zu of %zu\n",
                     t->limit, d->count, t->named, d->count);
    }
}

static int report(const options *o, const wr_gpu_config *c, const wr_demands *d)
{
    tally t = {0};
    for (size_t i = 0; i < d->count; i++) {
        answer a = answer_of(c, &d->rows[i]);
        t.tbs += a.same_tbs;
        t.limit += a.same_limit;
        t.named += a.named_limit;
        t.fit += a.tbs != 0;
    }
    if (o->json) {
        cJSON *root = cJSON_CreateObject();
        print_json(c, d, &t, root);
        if (!wr_cmd_json_print(root)) {
            return WR_EXIT_USAGE;
        }
    } else {
        print_text(c, d, &t);
    }
    bool held = t.fit == d->count && (!d->has_tbs || t.tbs == d->count) &&
                (!d->has_limit || t.named == d->count);
    return held ? WR_EXIT_PASS : WR_EXIT_FAIL;
}

int wr_cmd_occupancy(int argc, char **argv)
{
    static const struct argp_child children[] = {{&wr_config_option_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        option_table,
        parse,
        "[FILE.cu|FILE.ptx|FILE.yaml]",
        "How many thread blocks (TBs) of given demands share an SM, which resources limit them, "
        "and "
        "how much of each is in use: for one demand, for each row of a table, or for each kernel "
        "of "
        "a file. The same function decides as in a run."
        "\v"
        "Registers of a thread are rounded up to sm.register_granule for the TBs, not for the "
        "shares in use. The context is the registers and shared memory of an SM's TBs; `all` is "
        "the time in which the DRAM takes that of all SMs at its peak. A limit of the table need "
        "not name all that limit (docs/kernels.md).\n\n"
        "Exit status: 0 each fits, and is as the table says; 1 one does not fit, or the table has "
        "other TBs or a limit that is none; 2 bad usage or bad input.\n\n"
        "Example: warpref occupancy --warps 8 --registers 24 --shared 8192\n"
        "Example: warpref occupancy --table studies/lin_p/table_2.csv\n"
        "Example: warpref occupancy kernels/hotspot.yaml --config maxwell\n"
        "Example: warpref occupancy kernels/hotspot.cu --warps 8",
        children,
        NULL,
        NULL};
    options o = {.warps = UINT64_MAX, .registers = UINT64_MAX, .shared = UINT64_MAX};
    wr_gpu_config config;
    wr_demands demands = {0};
    wr_diag diag = {0};
    if (wr_parse_once(&argp, argc, argv, &o) != 0) {
        return WR_EXIT_USAGE;
    }
    if (!wr_config_option_load(&o.config, &config, &diag)) {
        wr_diag_print(&diag, stderr);
        return WR_EXIT_USAGE;
    }
    int status = WR_EXIT_USAGE;
    if (collect(&o, &demands, &diag)) {
        status = report(&o, &config, &demands);
    } else {
        wr_diag_print(&diag, stderr);
    }
    wr_demands_free(&demands);
    return status;
}
