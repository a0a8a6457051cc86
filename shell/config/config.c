/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations: one libcyaml schema drives loading, `--set` and printing.
 *
 * The schema names every field once. libcyaml loads strictly by it (an unknown or a missing
 * key is an error); `set` and `print` walk the same tables, so they cannot disagree with it.
 * Ranges stand in a second table by path (range.h), since libcyaml's schema has no place for them;
 * a self-check when a file is loaded asserts that every number has one.
 */
#include "shell/config/config.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "shell/config/locate.h"
#include "shell/config/range.h"
#include "shell/config/yaml.h"

#define UINT(type, field) CYAML_FIELD_UINT(#field, CYAML_FLAG_DEFAULT, type, field)
/* May be left out: 0. */
#define UINT_OR_0(type, field) CYAML_FIELD_UINT(#field, CYAML_FLAG_OPTIONAL, type, field)
#define MAP(type, field, fields)                                                                   \
    CYAML_FIELD_MAPPING(#field, CYAML_FLAG_DEFAULT, type, field, fields)

static const cyaml_strval_t policy_names[] = {
    {"lrr", WR_SCHED_LRR}, {"gto", WR_SCHED_GTO}, {"two_level", WR_SCHED_TWO_LEVEL}};
static const cyaml_strval_t owner_names[] = {{"shared", WR_UNITS_SHARED},
                                             {"private", WR_UNITS_PRIVATE}};
static const cyaml_strval_t unit_names[] = {
    {"sp", WR_ON_SP},         {"sp2", WR_ON_SP2}, {"sp+sp2", WR_ON_SP_SP2}, {"imu", WR_ON_IMU},
    {"sp+imu", WR_ON_SP_IMU}, {"dp", WR_ON_DP},   {"sfu", WR_ON_SFU}};
static const cyaml_strval_t write_names[] = {
    {"through", WR_L1_THROUGH}, {"back", WR_L1_BACK}, {"local_back", WR_L1_LOCAL_BACK}};
static const cyaml_strval_t noc_names[] = {{"crossbar", WR_NOC_CROSSBAR}, {"mesh", WR_NOC_MESH}};
static const cyaml_strval_t index_names[] = {{"linear", WR_SET_LINEAR}, {"fermi", WR_SET_FERMI}};
#define ENUM(type, field, names)                                                                   \
    CYAML_FIELD_ENUM(#field, CYAML_FLAG_STRICT, type, field, names,                                \
                     sizeof(names) / sizeof((names)[0]))
/* Left out, all is 0. */
#define OPTIONAL_ENUM(type, field, names)                                                          \
    CYAML_FIELD_ENUM(#field, CYAML_FLAG_STRICT | CYAML_FLAG_OPTIONAL, type, field, names,          \
                     sizeof(names) / sizeof((names)[0]))
#define OPTIONAL_MAP(type, field, fields)                                                          \
    CYAML_FIELD_MAPPING(#field, CYAML_FLAG_OPTIONAL, type, field, fields)

static const cyaml_schema_field_t clock_fields[] = {
    UINT(wr_clock_config, core_mhz), UINT(wr_clock_config, noc_mhz), UINT(wr_clock_config, l2_mhz),
    UINT(wr_clock_config, dram_mhz), CYAML_FIELD_END};

static const cyaml_schema_field_t sm_fields[] = {UINT(wr_sm_config, warp_size),
                                                 UINT(wr_sm_config, max_warps),
                                                 UINT(wr_sm_config, max_tbs),
                                                 UINT(wr_sm_config, registers),
                                                 UINT(wr_sm_config, register_granule),
                                                 UINT(wr_sm_config, max_regs_per_thread),
                                                 UINT(wr_sm_config, shared_bytes),
                                                 UINT(wr_sm_config, shared_granule),
                                                 UINT(wr_sm_config, shared_banks),
                                                 UINT(wr_sm_config, shared_latency),
                                                 UINT(wr_sm_config, schedulers),
                                                 ENUM(wr_sm_config, policy, policy_names),
                                                 UINT(wr_sm_config, fetch_group),
                                                 UINT(wr_sm_config, warp_limit),
                                                 UINT(wr_sm_config, issue_width),
                                                 UINT(wr_sm_config, fetch_width),
                                                 UINT(wr_sm_config, fetch_latency),
                                                 UINT(wr_sm_config, rf_banks),
                                                 UINT(wr_sm_config, read_latency),
                                                 UINT(wr_sm_config, dispatch_latency),
                                                 UINT(wr_sm_config, write_latency),
                                                 UINT_OR_0(wr_sm_config, insn_bytes),
                                                 UINT_OR_0(wr_sm_config, exit_waits_stores),
                                                 UINT_OR_0(wr_sm_config, shared_atomics_merge),
                                                 UINT_OR_0(wr_sm_config, loads_in_flight),
                                                 UINT_OR_0(wr_sm_config, lsu_queues),
                                                 UINT_OR_0(wr_sm_config, lowest_first),
                                                 CYAML_FIELD_END};

static const cyaml_schema_field_t unit_fields[] = {
    UINT(wr_unit_config, count), ENUM(wr_unit_config, owner, owner_names),
    UINT(wr_unit_config, lanes), UINT(wr_unit_config, collectors), CYAML_FIELD_END};

static const cyaml_schema_field_t units_fields[] = {
    MAP(wr_units_config, sp, unit_fields),  MAP(wr_units_config, sp2, unit_fields),
    MAP(wr_units_config, imu, unit_fields), MAP(wr_units_config, dp, unit_fields),
    MAP(wr_units_config, sfu, unit_fields), CYAML_FIELD_END};

static const cyaml_schema_field_t op_fields[] = {
    UINT(wr_op_timing, latency), UINT(wr_op_timing, interval), ENUM(wr_op_timing, unit, unit_names),
    CYAML_FIELD_END};

static const cyaml_schema_field_t class_fields[] = {
    MAP(wr_class_timing, add, op_fields), MAP(wr_class_timing, max, op_fields),
    MAP(wr_class_timing, mul, op_fields), MAP(wr_class_timing, mad, op_fields),
    MAP(wr_class_timing, div, op_fields), CYAML_FIELD_END};

static const cyaml_schema_field_t timing_fields[] = {MAP(wr_timing_config, integer, class_fields),
                                                     MAP(wr_timing_config, fp32, class_fields),
                                                     MAP(wr_timing_config, fp64, class_fields),
                                                     MAP(wr_timing_config, sfu, op_fields),
                                                     UINT_OR_0(wr_timing_config, other_latency),
                                                     UINT_OR_0(wr_timing_config, rem_latency),
                                                     UINT_OR_0(wr_timing_config, shuffle_latency),
                                                     UINT_OR_0(wr_timing_config, shuffle_interval),
                                                     CYAML_FIELD_END};

static const cyaml_schema_field_t l1_fields[] = {UINT(wr_l1_config, bytes),
                                                 UINT(wr_l1_config, line_bytes),
                                                 UINT(wr_l1_config, ways),
                                                 ENUM(wr_l1_config, index, index_names),
                                                 ENUM(wr_l1_config, write, write_names),
                                                 UINT(wr_l1_config, sectored),
                                                 UINT(wr_l1_config, globals),
                                                 UINT(wr_l1_config, hit_latency),
                                                 UINT(wr_l1_config, mshrs),
                                                 UINT(wr_l1_config, mshr_merges),
                                                 UINT(wr_l1_config, miss_queue),
                                                 UINT(wr_l1_config, store_buffer),
                                                 CYAML_FIELD_END};

static const cyaml_schema_field_t rocache_fields[] = {
    UINT(wr_rocache_config, bytes), UINT(wr_rocache_config, line_bytes),
    UINT(wr_rocache_config, ways), CYAML_FIELD_END};

static const cyaml_schema_field_t mesh_fields[] = {
    UINT(wr_noc_mesh_config, width),
    UINT(wr_noc_mesh_config, vcs),
    UINT_OR_0(wr_noc_mesh_config, cpu_vcs),
    UINT(wr_noc_mesh_config, vc_buffers),
    UINT(wr_noc_mesh_config, routing),
    UINT(wr_noc_mesh_config, vc_alloc),
    UINT(wr_noc_mesh_config, switch_alloc),
    UINT(wr_noc_mesh_config, traversal),
    UINT(wr_noc_mesh_config, link),
    UINT(wr_noc_mesh_config, credit),
    UINT(wr_noc_mesh_config, sms_per_node),
    CYAML_FIELD_STRING("memory_nodes", CYAML_FLAG_OPTIONAL, wr_noc_mesh_config, memory_nodes, 0),
    CYAML_FIELD_END};

static const cyaml_schema_field_t noc_fields[] = {OPTIONAL_ENUM(wr_noc_config, kind, noc_names),
                                                  UINT(wr_noc_config, flit_bytes),
                                                  UINT(wr_noc_config, header_bytes),
                                                  UINT(wr_noc_config, latency),
                                                  UINT(wr_noc_config, speedup),
                                                  UINT(wr_noc_config, input_flits),
                                                  UINT(wr_noc_config, output_packets),
                                                  OPTIONAL_MAP(wr_noc_config, mesh, mesh_fields),
                                                  CYAML_FIELD_END};

static const cyaml_schema_field_t l2_fields[] = {UINT(wr_l2_config, banks),
                                                 UINT(wr_l2_config, bytes),
                                                 UINT(wr_l2_config, line_bytes),
                                                 UINT(wr_l2_config, ways),
                                                 UINT(wr_l2_config, latency),
                                                 UINT(wr_l2_config, bytes_per_cycle),
                                                 UINT(wr_l2_config, mshrs),
                                                 UINT(wr_l2_config, mshr_merges),
                                                 UINT(wr_l2_config, miss_queue),
                                                 UINT(wr_l2_config, queue),
                                                 CYAML_FIELD_END};

#define TIME(field) UINT(wr_gddr5_timing, field)
static const cyaml_schema_field_t dram_timing_fields[] = {
    TIME(ccd), TIME(ccdl), TIME(rrd), TIME(rcd), TIME(ras),  TIME(rp),  TIME(rc),       TIME(cl),
    TIME(wl),  TIME(cdlr), TIME(wr),  TIME(rtp), TIME(refi), TIME(rfc), CYAML_FIELD_END};

static const cyaml_schema_field_t dram_fields[] = {
    UINT(wr_dram_config, channels),
    UINT_OR_0(wr_dram_config, cpu_channels),
    UINT(wr_dram_config, latency),
    UINT(wr_dram_config, interleave),
    CYAML_FIELD_STRING("address_map", CYAML_FLAG_DEFAULT, wr_dram_config, address_map, 1),
    UINT(wr_dram_config, banks),
    UINT(wr_dram_config, groups),
    UINT(wr_dram_config, burst_bytes),
    UINT(wr_dram_config, burst_clocks),
    UINT(wr_dram_config, sector_bursts),
    UINT(wr_dram_config, queue),
    UINT(wr_dram_config, write_high),
    UINT(wr_dram_config, write_low),
    MAP(wr_dram_config, timing, dram_timing_fields),
    CYAML_FIELD_END};

static const cyaml_schema_field_t context_fields[] = {
    UINT(wr_context_config, rf_bytes_per_cycle),
    UINT(wr_context_config, shared_bytes_per_cycle),
    UINT(wr_context_config, segment_bytes),
    UINT(wr_context_config, pad_bytes),
    UINT(wr_context_config, pointer_bytes),
    UINT(wr_context_config, aging_cycles),
    CYAML_FIELD_END};

static const cyaml_schema_field_t trace_fields[] = {
    UINT(wr_cpu_trace_config, accesses), UINT(wr_cpu_trace_config, stores),
    UINT(wr_cpu_trace_config, l2_hits),  UINT(wr_cpu_trace_config, row_locality),
    UINT(wr_cpu_trace_config, burst),    UINT(wr_cpu_trace_config, footprint_mb),
    UINT(wr_cpu_trace_config, seed),     CYAML_FIELD_END};

static const cyaml_schema_field_t cpu_fields[] = {UINT(wr_cpu_config, cores),
                                                  UINT(wr_cpu_config, mhz),
                                                  UINT(wr_cpu_config, issue_width),
                                                  UINT(wr_cpu_config, window),
                                                  UINT(wr_cpu_config, l1_bytes),
                                                  UINT(wr_cpu_config, l1_ways),
                                                  UINT(wr_cpu_config, l1_cycles),
                                                  UINT(wr_cpu_config, l2_bytes),
                                                  UINT(wr_cpu_config, l2_ways),
                                                  UINT(wr_cpu_config, l2_cycles),
                                                  UINT(wr_cpu_config, mshrs),
                                                  MAP(wr_cpu_config, trace, trace_fields),
                                                  CYAML_FIELD_END};

static const cyaml_schema_field_t gpu_fields[] = {
    CYAML_FIELD_STRING("name", CYAML_FLAG_DEFAULT, wr_gpu_config, name, 1),
    UINT(wr_gpu_config, sms),
    MAP(wr_gpu_config, clock, clock_fields),
    MAP(wr_gpu_config, sm, sm_fields),
    MAP(wr_gpu_config, units, units_fields),
    MAP(wr_gpu_config, timing, timing_fields),
    MAP(wr_gpu_config, l1, l1_fields),
    MAP(wr_gpu_config, icache, rocache_fields),
    MAP(wr_gpu_config, ccache, rocache_fields),
    MAP(wr_gpu_config, noc, noc_fields),
    MAP(wr_gpu_config, l2, l2_fields),
    MAP(wr_gpu_config, dram, dram_fields),
    MAP(wr_gpu_config, context, context_fields),
    OPTIONAL_MAP(wr_gpu_config, cpu, cpu_fields),
    CYAML_FIELD_END};

static const cyaml_schema_value_t gpu_schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, wr_gpu_config, gpu_fields)};

/* Visits every field in file order; the visitor stops the walk by returning false. */
typedef bool (*visit_fn)(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                         void *data);

static bool visit(const cyaml_schema_field_t *fields, void *base, const char *prefix, int depth,
                  visit_fn fn, void *arg)
{
    for (; fields->key; fields++) {
        char path[96];
        int n = snprintf(path, sizeof path, "%s%s%s", prefix, *prefix ? "." : "", fields->key);
        assert(n > 0 && (size_t)n < sizeof path && "the schema's paths are short");
        (void)n;
        void *data = (char *)base + fields->data_offset;
        if (!fn(arg, path, depth, fields, data)) {
            return false;
        }
        if (fields->value.type == CYAML_MAPPING &&
            !visit(fields->value.mapping.fields, data, path, depth + 1, fn, arg)) {
            return false;
        }
    }
    return true;
}

static void set_range_error(wr_diag *diag, const char *file, unsigned line, const char *path,
                            const wr_range *r, unsigned long long value)
{
    wr_diag_set(diag, file, line, 0, "%s is %llu; it must be %s%" PRIu32 " to %" PRIu32, path,
                value, r->power_of_two ? "a power of two from " : "", r->min, r->max);
}

typedef struct range_check {
    const wr_yaml_lines *lines; /* NULL: no file, the command line */
    const char *file;
    wr_diag *diag;
} range_check;

static bool check_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                        void *data)
{
    (void)depth;
    range_check *check = arg;
    if (field->value.type != CYAML_UINT) {
        return true;
    }
    const wr_range *r = wr_range_of(path);
    assert(r && "every number of the schema has a range");
    uint32_t value = *(uint32_t *)data;
    if (wr_range_has(r, value)) {
        return true;
    }
    set_range_error(check->diag, check->file, wr_yaml_line(check->lines, path), path, r, value);
    return false;
}

static bool load_file(const char *file, wr_gpu_config *out, wr_diag *diag)
{
    void *data = NULL;
    wr_yaml_lines *lines = NULL;
    if (!wr_yaml_load(file, &gpu_schema, &data, &lines, diag)) {
        return false;
    }
    wr_gpu_config *loaded = data;
    range_check check = {lines, file, diag};
    bool ok = visit(gpu_fields, loaded, "", 0, check_field, &check);
    if (ok) {
        *out = *loaded;
        ok = wr_config_check(out, diag);
    }
    wr_yaml_lines_free(lines);
    wr_yaml_free(&gpu_schema, data);
    return ok;
}

bool wr_config_load(const char *name_or_path, wr_gpu_config *out, wr_diag *diag)
{
    size_t n = strlen(name_or_path);
    bool is_path =
        strchr(name_or_path, '/') || (n > 5 && strcmp(name_or_path + n - 5, ".yaml") == 0);
    if (is_path) {
        return load_file(name_or_path, out, diag);
    }
    char *file = wr_locate_config(name_or_path);
    if (!file) {
        wr_diag_set(diag, name_or_path, 0, 0,
                    "there is no configuration of this name; `warpref config` lists them");
        return false;
    }
    bool ok = load_file(file, out, diag);
    free(file);
    return ok;
}

typedef struct set_request {
    char path[96];
    const char *value;
    wr_diag *diag;
    bool found, ok;
} set_request;

/* All enumerations are ints, as libcyaml fills them. */
static void set_name(set_request *set, const char *path, const cyaml_schema_field_t *field,
                     void *data)
{
    char known[128] = "";
    for (uint32_t i = 0; i < field->value.enumeration.count; i++) {
        const cyaml_strval_t *name = &field->value.enumeration.strings[i];
        size_t used = strlen(known);
        (void)snprintf(known + used, sizeof known - used, "%s%s", i != 0 ? " or " : "", name->str);
        if (strcmp(name->str, set->value) == 0) {
            *(int *)data = (int)name->val;
            set->ok = true;
        }
    }
    if (!set->ok) {
        wr_diag_set(set->diag, "--set", 0, 0, "%s is %s, not '%s'", path, known, set->value);
    }
}

/* Lists of nodes and of address bits; the configuration's own name stays. */
static void set_text(set_request *set, const char *path, const cyaml_schema_field_t *field,
                     char *data)
{
    size_t length = strlen(set->value);
    if (length < field->value.string.min || length > field->value.string.max) {
        wr_diag_set(set->diag, "--set", 0, 0, "%s takes %" PRIu32 " to %" PRIu32 " characters",
                    path, field->value.string.min, field->value.string.max);
        return;
    }
    memcpy(data, set->value, length + 1);
    set->ok = true;
}

static bool set_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                      void *data)
{
    (void)depth;
    set_request *set = arg;
    if (strcmp(path, set->path) != 0) {
        return true;
    }
    set->found = true;
    if (field->value.type == CYAML_UINT) {
        const wr_range *r = wr_range_of(path);
        char *end = NULL;
        errno = 0;
        unsigned long long value = strtoull(set->value, &end, 10);
        assert(r && "every number of the schema has a range");
        if (set->value[0] < '0' || set->value[0] > '9' || *end || errno) {
            wr_diag_set(set->diag, "--set", 0, 0, "%s takes a number, not '%s'", path, set->value);
        } else if (value > UINT32_MAX || !wr_range_has(r, (uint32_t)value)) {
            set_range_error(set->diag, "--set", 0, path, r, value);
        } else {
            *(uint32_t *)data = (uint32_t)value;
            set->ok = true;
        }
    } else if (field->value.type == CYAML_ENUM) {
        set_name(set, path, field, data);
    } else if (field->value.type == CYAML_STRING && strcmp(path, "name") != 0) {
        set_text(set, path, field, data);
    } else {
        wr_diag_set(set->diag, "--set", 0, 0, "%s cannot be set; name a single number in it", path);
    }
    return false;
}

bool wr_config_set(wr_gpu_config *config, const char *assignment, wr_diag *diag)
{
    set_request set = {.diag = diag};
    const char *equals = strchr(assignment, '=');
    size_t n = equals ? (size_t)(equals - assignment) : 0;
    if (n == 0 || n >= sizeof set.path) {
        wr_diag_set(diag, "--set", 0, 0,
                    "'%s' is not of the form path=value, for example l1.mshrs=64", assignment);
        return false;
    }
    memcpy(set.path, assignment, n);
    set.value = equals + 1;
    visit(gpu_fields, config, "", 0, set_field, &set);
    if (!set.found) {
        wr_diag_set(diag, "--set", 0, 0,
                    "a configuration has no '%s'; `warpref config %s` shows its names", set.path,
                    config->name);
    }
    return set.ok;
}

static const char *name_of(const cyaml_schema_field_t *field, int value)
{
    const cyaml_strval_t *names = field->value.enumeration.strings;
    uint32_t i = 0;
    while (names[i].val != value) {
        i++; /* a value has a name: schema and --set take no other */
    }
    return names[i].str;
}

static bool print_field(void *arg, const char *path, int depth, const cyaml_schema_field_t *field,
                        void *data)
{
    (void)path;
    FILE *out = arg;
    int indent = 2 * depth;
    switch (field->value.type) {
    case CYAML_MAPPING:
        return fprintf(out, "%*s%s:\n", indent, "", field->key) > 0;
    case CYAML_ENUM:
        return fprintf(out, "%*s%s: %s\n", indent, "", field->key,
                       name_of(field, *(const int *)data)) > 0;
    case CYAML_STRING:
        if (*(const char *)data == '\0') { /* as one that was left out */
            return true;
        }
        return fprintf(out, "%*s%s: %s\n", indent, "", field->key, (const char *)data) > 0;
    default:
        return fprintf(out, "%*s%s: %" PRIu32 "\n", indent, "", field->key,
                       *(const uint32_t *)data) > 0;
    }
}

bool wr_config_print(const wr_gpu_config *config, FILE *out)
{
    wr_gpu_config copy = *config;
    return visit(gpu_fields, &copy, "", 0, print_field, out);
}
