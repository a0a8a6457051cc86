/* SPDX-License-Identifier: Apache-2.0 */
/* warpref compile: what the compiler makes of a module's kernels. */
#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/replace.h"
#include "kernels/reference.h"
#include "shell/host/clang.h"
#include "shell/host/job.h"
#include "shell/host/module.h"
#include "shell/isa/hints.h"
#include "shell/isa/idempotence.h"
#include "tools/commands.h"
#include "tools/no_pass.h"
#include "tools/once.h"
#include "tools/paths.h"
#include "tools/source_json.h"
#include "tools/switched.h"

enum {
    KEY_JSON = 256,
    KEY_DISASM,
    KEY_EMIT,
    KEY_ADDRESS,
    KEY_STACK,
    KEY_NO_PASS,
    KEY_BLOCK,
    KEY_HINTS,
    KEY_NO_POINTS,
    KEY_FLAGS
};

typedef struct options {
    const char *file;
    const char *emit_ptx;
    uint32_t max_regs, interval, address_size, stack, without;
    uint32_t block[3]; /* zeros: not given */
    uint32_t flags_of; /* clang's major version whose options are printed; 0: none */
    bool json, disasm, hints, no_points;
} options;

/* What was compiled: of a launch file the job's module. */
typedef struct source {
    wr_module *module;
    wr_job job;
    bool is_job;
} source;

static const struct argp_option option_table[] = {
    {"max-regs", 'r', "N", 0,
     "registers per thread, 8 to 63 (default 63); beyond them values are spilled", 0},
    {"pp-interval", 'k', "K", 0,
     "instructions between preemption points outside loops (default 1000)", 0},
    {"no-points", KEY_NO_POINTS, NULL, 0,
     "compile without preemption points, as run --no-points does", 0},
    {"address-size", KEY_ADDRESS, "32|64", 0, "of CUDA C (default 32); PTX says its own", 0},
    {"stack", KEY_STACK, "BYTES", 0,
     "of each thread, for recursive calls (default 4096 or 64 calls, whichever is more)", 0},
    {"no-pass", KEY_NO_PASS, "NAME", 0,
     "leave out a clean-up of the compiler, or all; may be repeated (docs/isa.md names them)", 0},
    {"block", KEY_BLOCK, "X[,Y[,Z]]", 0,
     "threads of a TB, on which the registers that are saved at switch points depend (default: "
     "that of .reqntid, or 32,2,2); a launch file says its own",
     0},
    {"hints", KEY_HINTS, NULL, 0,
     "list what warps may run ahead of waits for memory (docs/hints.md), with all registers up to "
     "--max-regs for renaming",
     0},
    {"disasm", KEY_DISASM, NULL, 0, "print the machine code", 0},
    {"emit-ptx", KEY_EMIT, "FILE", 0, "write the PTX text that clang made of CUDA C", 0},
    {"device-flags", KEY_FLAGS, "VERSION", OPTION_ARG_OPTIONAL,
     "print the options, one a line, with which clang of that major version (default 14) compiles "
     "device code, and end",
     0},
    {"json", KEY_JSON, NULL, 0, "print JSON", 0},
    {0}};

static uint32_t number(struct argp_state *state, const char *what, const char *text, uint32_t low,
                       uint32_t high)
{
    char *end = NULL;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value < low || value > high) {
        argp_error(state, "%s takes a number from %" PRIu32 " to %" PRIu32 ", not '%s'", what, low,
                   high, text);
    }
    return (uint32_t)value;
}

static bool is_launch_file(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static void print_flags(unsigned major)
{
    const char *flags[WR_CLANG_MAX_FLAGS];
    const size_t count = wr_clang_flags(major, flags);
    for (size_t i = 0; i < count; i++) {
        puts(flags[i]);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options *o = state->input;
    switch (key) {
    case 'r':
        o->max_regs = number(state, "--max-regs", arg, 8, 63);
        return 0;
    case 'k':
        o->interval = number(state, "--pp-interval", arg, 1, 1000000);
        return 0;
    case KEY_ADDRESS:
        o->address_size = number(state, "--address-size", arg, 32, 64);
        if (o->address_size != 32 && o->address_size != 64) {
            argp_error(state, "--address-size is 32 or 64");
        }
        return 0;
    case KEY_STACK:
        o->stack = number(state, "--stack", arg, 1, WR_COMPILE_MAX_STACK);
        return 0;
    case KEY_NO_PASS:
        o->without |= wr_cmd_no_pass(state, arg);
        return 0;
    case KEY_BLOCK:
        wr_switched_parse(state, arg, o->block);
        return 0;
    case KEY_HINTS:
        o->hints = true;
        return 0;
    case KEY_NO_POINTS:
        o->no_points = true;
        return 0;
    case KEY_DISASM:
        o->disasm = true;
        return 0;
    case KEY_EMIT:
        o->emit_ptx = arg;
        return 0;
    case KEY_JSON:
        o->json = true;
        return 0;
    case KEY_FLAGS:
        o->flags_of = arg ? number(state, "--device-flags", arg, 1, 999) : WR_CLANG_MAJOR;
        return 0;
    case ARGP_KEY_ARG:
        if (o->file) {
            argp_error(state, "one file at a time");
        }
        o->file = arg;
        return 0;
    case ARGP_KEY_END:
        if (!o->file && !o->flags_of) {
            argp_error(state, "name a .ptx or .cu file, or a launch file");
        }
        if (is_launch_file(o->file) && (o->address_size || o->emit_ptx || o->block[0])) {
            argp_error(state, "a launch file says its own block and address size, and PTX is "
                              "written of a .cu file: leave out --block, --address-size and "
                              "--emit-ptx");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The exit status. */
static int emit_ptx(const options *o, const wr_cuda_options *cuda, wr_diag *diag)
{
    size_t length = 0;
    char *sources = NULL;
    wr_cuda_options with = *cuda;
    wr_paths files = {0};
    wr_replace r = {0};
    int status = 2;
    with.sources = &sources;
    with.quiet = true; /* it is compiled again */
    char *text = wr_module_ptx(o->file, &with, &length, diag);
    wr_paths_sources(&files, sources);
    wr_paths_write(&files, "--emit-ptx", o->emit_ptx);
    if (wr_paths_apart(&files, "warpref compile") && text) {
        status = 0;
        bool opened = wr_replace_open(&r, o->emit_ptx);
        if (opened) {
            (void)fwrite(text, 1, length, r.file); /* a stream keeps its error */
        }
        if (!opened || !wr_replace_close(&r, true)) {
            wr_diag_set(diag, o->emit_ptx, 0, 0, "cannot be written: %s", strerror(errno));
            status = opened ? 1 : 2;
        }
    }
    free(sources);
    free(text);
    return status;
}

static cJSON *points_json(const wr_kernel *k)
{
    cJSON *points = cJSON_CreateArray();
    for (size_t i = 0; i < k->pp_count; i++) {
        const wr_pp *pp = &k->pps[i];
        cJSON *p = cJSON_CreateObject();
        char vector[20];
        cJSON_AddNumberToObject(p, "pc", pp->pc);
        wr_source_json(p, k, pp->line);
        cJSON_AddStringToObject(p, "kind", pp->is_bar ? "bar.pp" : "pp");
        cJSON_AddBoolToObject(p, "in_loop", pp->in_loop);
        (void)snprintf(vector, sizeof vector, "%014" PRIx64, pp->live);
        cJSON_AddStringToObject(p, "live", vector);
        cJSON_AddNumberToObject(p, "live_count", pp->live_count);
        if (!pp->is_bar) {
            (void)snprintf(vector, sizeof vector, "%014" PRIx64, pp->live_div);
            cJSON_AddStringToObject(p, "live_diverged", vector);
            cJSON_AddNumberToObject(p, "live_diverged_count", pp->live_div_count);
        }
        cJSON_AddItemToArray(points, p);
    }
    return points;
}

/* The instructions for which the kernel is not idempotent. */
static cJSON *harms_json(const wr_kernel *k)
{
    wr_harm *harms = calloc(k->insn_count + 1, sizeof *harms);
    size_t count = harms ? wr_idempotence_apart(k, harms) : SIZE_MAX;
    if (count == SIZE_MAX) {
        wr_out_of_memory();
    }
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < k->insn_count; i++) {
        char text[280];
        cJSON *item = harms[i].kind != WR_HARM_NONE ? cJSON_CreateObject() : NULL;
        if (item) {
            (void)wr_harm_print(k, i, &harms[i], text, sizeof text);
            cJSON_AddNumberToObject(item, "pc", k->insns[i].pc);
            wr_source_json(item, k, k->lines[i]);
            cJSON_AddStringToObject(item, "why", text);
            cJSON_AddItemToArray(list, item);
        }
    }
    free(harms);
    return list;
}

/* Each chain: its stall point and, in order, its instructions. */
static cJSON *chains_json(const wr_kernel *k, const wr_hints *h)
{
    cJSON *chains = cJSON_CreateArray();
    for (uint32_t base = 0; base < k->insn_count; base++) {
        if (!wr_hints_begins(k, h, base)) {
            continue;
        }
        cJSON *chain = cJSON_CreateObject();
        cJSON_AddNumberToObject(chain, "pc", k->insns[base].pc);
        cJSON *members = cJSON_AddArrayToObject(chain, "instructions");
        uint32_t at = wr_hints_next(k, h, base, base);
        for (; at != WR_HINTS_END; at = wr_hints_next(k, h, base, at)) {
            const uint32_t to = wr_hints_renamed(k, h, at);
            cJSON *member = cJSON_CreateObject();
            cJSON_AddNumberToObject(member, "pc", k->insns[at].pc);
            wr_source_json(member, k, k->lines[at]);
            cJSON_AddNumberToObject(member, "renamed", to != WR_ISA_RZ);
            cJSON_AddItemToArray(members, member);
        }
        cJSON_AddItemToArray(chains, chain);
    }
    return chains;
}

static cJSON *hints_json(const options *o, const wr_kernel *k)
{
    const wr_hint_rules rules = {.entries = 8,
                                 .registers = o->max_regs != 0 ? o->max_regs : WR_ISA_MAX_REGS};
    wr_hints h;
    if (!wr_hints_make(k, &rules, &h)) {
        wr_out_of_memory();
    }
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "stall_points", h.stall_points);
    cJSON_AddNumberToObject(item, "chains", h.chains);
    cJSON_AddNumberToObject(item, "members", h.members);
    cJSON_AddNumberToObject(item, "branches", h.branches);
    cJSON_AddNumberToObject(item, "loads", h.loads);
    cJSON_AddNumberToObject(item, "renamed", h.renamed);
    cJSON_AddNumberToObject(item, "registers", h.registers);
    cJSON_AddItemToObject(item, "list", chains_json(k, &h));
    free(h.words);
    return item;
}

static int print_json(const options *o, const wr_module *module, const wr_switched *shapes)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *kernels = cJSON_AddArrayToObject(root, "kernels");
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wr_kernel *k = &module->kernels[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", k->name);
        cJSON_AddNumberToObject(item, "registers", k->regs);
        cJSON_AddNumberToObject(item, "max_live", k->max_live);
        cJSON_AddNumberToObject(item, "spill_bytes", k->spill_bytes);
        cJSON_AddNumberToObject(item, "local_bytes", k->local_bytes);
        cJSON_AddNumberToObject(item, "stack_bytes", k->stack_bytes);
        cJSON_AddNumberToObject(item, "shared_bytes", k->shared_bytes);
        cJSON_AddNumberToObject(item, "parameter_bytes", k->param_bytes);
        cJSON_AddNumberToObject(item, "instructions", (double)k->insn_count);
        cJSON_AddNumberToObject(item, "code_bytes", (double)k->word_count * 8);
        cJSON_AddNumberToObject(item, "hint", k->hint);
        cJSON_AddItemToObject(item, "preemption_points", points_json(k));
        cJSON_AddItemToObject(item, "switch", wr_switched_json(shapes, k));
        cJSON_AddItemToObject(item, "hints", hints_json(o, k));
        cJSON *harms = harms_json(k);
        cJSON_AddBoolToObject(item, "idempotent", cJSON_GetArraySize(harms) == 0);
        cJSON_AddItemToObject(item, "not_idempotent", harms);
        cJSON_AddItemToArray(kernels, item);
    }
    cJSON *refused = cJSON_AddArrayToObject(root, "refused");
    for (size_t i = 0; i < module->refused_count; i++) {
        const wr_diag *why = module->refused[i].diag;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", module->refused[i].name);
        cJSON_AddStringToObject(item, "file", why->file);
        cJSON_AddNumberToObject(item, "line", why->line);
        cJSON_AddNumberToObject(item, "column", why->column);
        cJSON_AddStringToObject(item, "message", why->message);
        cJSON_AddItemToArray(refused, item);
    }
    char *text = cJSON_Print(root);
    if (text) {
        puts(text);
    }
    cJSON_free(text);
    cJSON_Delete(root);
    return text ? 0 : 2;
}

/* False: out of memory. */
static bool print_hints(const options *o, const wr_kernel *k)
{
    const wr_hint_rules rules = {.entries = 8,
                                 .registers = o->max_regs != 0 ? o->max_regs : WR_ISA_MAX_REGS};
    wr_hints hints;
    const bool ok = wr_hints_make(k, &rules, &hints);
    if (ok) {
        wr_hints_print(stdout, k, &hints);
        free(hints.words);
    }
    return ok;
}

/* After the kernels that were compiled, on standard error. */
static void print_refused(const wr_module *module)
{
    (void)fflush(stdout);
    for (size_t i = 0; i < module->refused_count; i++) {
        (void)fprintf(stderr, "kernel %s is refused:\n", module->refused[i].name);
        wr_diag_print(module->refused[i].diag, stderr);
    }
}

static bool load(source *from, const options *o, const wr_cuda_options *cuda,
                 const wr_compile_options *compile, wr_diag *diag)
{
    if (!from->is_job) {
        from->module = wr_module_load(o->file, cuda, compile, diag);
    } else if (wr_job_load(o->file, compile, wr_reference_find, &from->job, diag)) {
        from->module = from->job.module;
    } else {
        from->is_job = false;
    }
    return from->module != NULL;
}

static void unload(source *from)
{
    if (from->is_job) {
        wr_job_free(&from->job);
    } else {
        wr_module_free(from->module);
    }
}

int wr_cmd_compile(int argc, char **argv)
{
    static const struct argp argp = {
        option_table,
        parse,
        "FILE.ptx|FILE.cu|FILE.yaml",
        "Compiles every kernel of a module and prints, for each, its registers, spills, memory, "
        "instructions, its preemption points with the number of live registers at each, whether "
        "it is idempotent (may its TBs be discarded and run again from the start?), and how small "
        "the registers of a warp can be stored at its switch points.\v"
        "Each instruction that makes a kernel not idempotent is named, with pc, line in the PTX "
        "text and why: an atomic, printf, malloc, free, or a store to a buffer that the kernel "
        "reads. Each pointer parameter is taken to be to a buffer of its own; a launch knows "
        "better (docs/isa.md).\n\n"
        "Switch points (Lin-D 3.6.6) are first uses of registers that are loaded from global "
        "memory, and barriers. Behind a register stands how it is stored: w as it is, since a load "
        "is on its way; u uniform, s strided in groups of lanes; r as it is. Counted are all lanes "
        "of a warp, and beside it (behind a stroke) those that need the register. The largest "
        "size of any point, in lines of 128 B, is what a warp is given that is away. Groups and "
        "thread numbers are those of --block, or of the launches of a launch file.\n\n"
        "A kernel that can't be compiled is refused by itself: what the machine lacks and where is "
        "printed behind the others.\n\n"
        "Exit status: 0 all kernels were compiled, 1 there was no room for --emit-ptx, 2 one was "
        "refused, or bad usage or input.",
        NULL,
        NULL,
        NULL};
    options o = {0};
    wr_diag diag = {0};
    if (wr_parse_once(&argp, argc, argv, &o)) {
        return 2;
    }
    if (o.flags_of) {
        print_flags(o.flags_of);
        return 0;
    }
    wr_cuda_options cuda = {.address_size = o.address_size};
    wr_compile_options compile = {.max_regs = o.max_regs,
                                  .pp_interval = o.interval,
                                  .no_pp = o.no_points,
                                  .stack_bytes = o.stack,
                                  .without = o.without,
                                  .keep_refused = true};
    wr_paths files = {0};
    wr_paths_read(&files, "the input", o.file);
    wr_paths_write(&files, "--emit-ptx", o.emit_ptx);
    if (!wr_paths_apart(&files, "warpref compile")) {
        return 2;
    }
    source from = {.is_job = is_launch_file(o.file)};
    int status = o.emit_ptx ? emit_ptx(&o, &cuda, &diag) : 0;
    bool ok = status == 0 && load(&from, &o, &cuda, &compile, &diag);
    const wr_module *module = from.module;
    wr_switched shapes = {.job = from.is_job ? &from.job : NULL};
    memcpy(shapes.block, o.block, sizeof shapes.block);
    if (ok && module->kernel_count + module->refused_count == 0) {
        wr_diag_set(&diag, o.file, 0, 0,
                    "there is no kernel in it; declare one extern \"C\" __global__ (PTX: .visible "
                    ".entry)");
        ok = false;
    }
    if (!ok) {
        if (diag.message[0]) {
            wr_diag_print(&diag, stderr);
        }
        status = status ? status : 2;
    } else if (o.json) {
        status = print_json(&o, module, &shapes);
    } else {
        for (size_t i = 0; i < module->kernel_count; i++) {
            const wr_kernel *k = &module->kernels[i];
            wr_kernel_print(stdout, k, WR_PRINT_SUMMARY | WR_PRINT_POINTS | WR_PRINT_HARMS);
            wr_switched_print(stdout, &shapes, k);
            if (o.hints && !print_hints(&o, k)) {
                (void)fprintf(stderr, "warpref: out of memory\n");
                status = 2;
            }
            wr_kernel_print(stdout, k, o.disasm ? WR_PRINT_DISASM : 0);
        }
    }
    if (ok && module->refused_count > 0) {
        print_refused(module);
        status = 2;
    }
    unload(&from);
    return status;
}
