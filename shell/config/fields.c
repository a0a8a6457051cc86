/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/config/fields.h"

#include <assert.h>
#include <stdio.h>

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

const cyaml_schema_field_t wr_config_fields[] = {
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

static bool visit(const cyaml_schema_field_t *fields, void *base, const char *prefix, int depth,
                  wr_config_visit_fn fn, void *arg)
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

bool wr_config_visit(wr_gpu_config *config, wr_config_visit_fn fn, void *arg)
{
    return visit(wr_config_fields, config, "", 0, fn, arg);
}
