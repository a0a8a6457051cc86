/* SPDX-License-Identifier: Apache-2.0 */
/* The machine that the shell models, as numbers: one plain value, filled from a YAML file.
 *
 * Invariants:
 * - no pointers and no padding-dependent meaning: a copy is the whole configuration;
 * - every field has a range (config.c) and is checked when a file or a `--set` fills it, so
 *   that readers need no checks of their own;
 * - units are in the field names or beside them; "cycle" is a core cycle (clock.core_mhz).
 *
 * Values of gtx480 and their sources are comments in gtx480.yaml (Lin-P Table I; where the
 * paper is silent, the public GTX480 configuration of GPGPU-Sim 3.2).
 */
#ifndef WR_SHELL_CONFIG_CONFIG_H
#define WR_SHELL_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct wr_diag;

/* Distances of DRAM commands in command clocks (dram_mhz). */
typedef struct wr_gddr5_timing {
    uint32_t ccd;  /* column to column, different bank groups */
    uint32_t ccdl; /* column to column, same bank group */
    uint32_t rrd;  /* activate to activate, different banks */
    uint32_t rcd;  /* activate to column */
    uint32_t ras;  /* activate to precharge */
    uint32_t rp;   /* precharge to activate */
    uint32_t rc;   /* activate to activate, same bank */
    uint32_t cl;   /* read to first data */
    uint32_t wl;   /* write to first data */
    uint32_t cdlr; /* end of write data to read */
    uint32_t wr;   /* end of write data to precharge */
    uint32_t rtp;  /* read to precharge */
    uint32_t refi; /* between refreshes; 0: none */
    uint32_t rfc;  /* refresh to activate */
} wr_gddr5_timing;

#define WR_CONFIG_WARP_SIZE      32 /* fixed by the blocks' default Lanes */
#define WR_CONFIG_MAX_SMS        64
#define WR_CONFIG_MAX_WARPS      64  /* per SM */
#define WR_CONFIG_MAX_TBS        32  /* per SM */
#define WR_CONFIG_MAX_LOADS      512 /* in flight, per SM */
#define WR_CONFIG_MAX_LSU_QUEUES 4
#define WR_CONFIG_MAX_SCHEDULERS 4
#define WR_CONFIG_MAX_UNITS      8  /* of a kind; of each scheduler where they are private */
#define WR_CONFIG_MAX_COLLECTORS 16 /* likewise */

typedef enum wr_sched_policy {
    WR_SCHED_LRR,       /* loose round robin (Lin-P Table I, P40) */
    WR_SCHED_GTO,       /* greedy then oldest */
    WR_SCHED_TWO_LEVEL, /* fetch groups of warps */
} wr_sched_policy;

/* Kinds of execution units. What a kind computes is said by the rows of wr_timing_config. */
typedef enum wr_unit_kind {
    WR_UNITS_SP,  /* int and fp32 */
    WR_UNITS_SP2, /* more of these that are owned otherwise (Gong 4.3: private and shared SPUs) */
    WR_UNITS_IMU, /* integer multiplication and bit fields, where it has units of its own */
    WR_UNITS_DP,
    WR_UNITS_SFU,
    WR_UNIT_KINDS
} wr_unit_kind;

typedef enum wr_unit_owner {
    WR_UNITS_SHARED,  /* by all schedulers of the SM */
    WR_UNITS_PRIVATE, /* `count` and `collectors` are of each scheduler */
} wr_unit_owner;

typedef struct wr_unit_config {
    uint32_t count; /* units; 0: the SM has none of this kind */
    wr_unit_owner owner;
    uint32_t lanes;      /* of a unit: below 32 a warp goes through in parts */
    uint32_t collectors; /* operand collectors in front of the units */
} wr_unit_config;

typedef struct wr_units_config {
    wr_unit_config sp, sp2, imu, dp, sfu; /* in the order of wr_unit_kind */
} wr_units_config;

/* Where an operation may execute: a bit per wr_unit_kind, the lowest that is free is taken. */
typedef enum wr_unit_set {
    WR_ON_SP = 1 << WR_UNITS_SP,
    WR_ON_SP2 = 1 << WR_UNITS_SP2,
    WR_ON_SP_SP2 = WR_ON_SP | WR_ON_SP2,
    WR_ON_IMU = 1 << WR_UNITS_IMU,
    WR_ON_SP_IMU = WR_ON_SP | WR_ON_IMU,
    WR_ON_DP = 1 << WR_UNITS_DP,
    WR_ON_SFU = 1 << WR_UNITS_SFU,
} wr_unit_set;

/* Latency: cycles from issue to the result's use. Interval: cycles until the unit takes the
 * next warp instruction (initiation interval). */
typedef struct wr_op_timing {
    uint32_t latency;
    uint32_t interval;
    wr_unit_set unit;
} wr_op_timing;

/* One row per class of operation of a type. */
typedef struct wr_class_timing {
    wr_op_timing add; /* add, sub, logic, shift, compare, select, move, convert */
    wr_op_timing max; /* min, max */
    wr_op_timing mul;
    wr_op_timing mad; /* mad, fma */
    wr_op_timing div; /* div, rem, and rcp/sqrt of fp64 */
} wr_class_timing;

typedef struct wr_clock_config {
    uint32_t core_mhz; /* SMs */
    uint32_t noc_mhz;  /* interconnect */
    uint32_t l2_mhz;
    uint32_t dram_mhz; /* command clock */
} wr_clock_config;

typedef struct wr_sm_config {
    uint32_t warp_size;        /* threads */
    uint32_t max_warps;        /* warp slots */
    uint32_t max_tbs;          /* TB slots */
    uint32_t registers;        /* 32-bit registers */
    uint32_t register_granule; /* registers per thread are rounded up to this for occupancy (P36) */
    uint32_t max_regs_per_thread;
    uint32_t shared_bytes;
    uint32_t shared_granule; /* bytes: a TB's shared memory is rounded up to this */
    uint32_t shared_banks;   /* 4-byte banks */
    uint32_t shared_latency; /* cycles, without conflicts */
    uint32_t schedulers;
    wr_sched_policy policy;
    uint32_t fetch_group;          /* two_level: warps of a scheduler in a group */
    uint32_t warp_limit;           /* oldest warps of the SM that may issue; 0: all */
    uint32_t issue_width;          /* instructions per scheduler and cycle; 2: of one warp, to
                                      different units */
    uint32_t fetch_width;          /* warps that fetch in a cycle, up to two instructions each */
    uint32_t fetch_latency;        /* cycles from fetch to issue, of a hit */
    uint32_t rf_banks;             /* of the register file */
    uint32_t read_latency;         /* cycles from issue to the first operand's read */
    uint32_t dispatch_latency;     /* from the cycle after the last operand's read to execution */
    uint32_t write_latency;        /* from the end of execution to the register */
    uint32_t insn_bytes;           /* of an instruction in fetches; 0: as it is encoded */
    uint32_t exit_waits_stores;    /* 1: a TB keeps its place until its stores are acknowledged */
    uint32_t shared_atomics_merge; /* 1: lanes of a shared atomic on one word take one cycle */
    uint32_t loads_in_flight;      /* loads and atomics that await lines from outside; 0: 64 */
    uint32_t lsu_queues;           /* in front of the L1, streams apart; 0: 1 */
    uint32_t lowest_first;         /* 1: in each cycle scheduler 0 goes first (Gong 4.4.2, SP);
                                      0: each has its turn to */
} wr_sm_config;

typedef struct wr_timing_config {
    wr_class_timing integer;
    wr_class_timing fp32;
    wr_class_timing fp64;
    wr_op_timing sfu; /* rcp sqrt rsqrt ex2 lg2 sin cos of fp32 */
    /* Where not 0, on the SP units whatever the type, one a cycle: */
    uint32_t other_latency;    /* what `add` stands for but is no addition; all of fp64, too */
    uint32_t rem_latency;      /* integer rem */
    uint32_t shuffle_latency;  /* shfl */
    uint32_t shuffle_interval; /* of shfl, where its latency is not 0 */
} wr_timing_config;

/* How a cache finds the set of a line. */
typedef enum wr_set_index {
    WR_SET_LINEAR, /* line number modulo sets */
    WR_SET_FERMI,  /* hashed as in Fermi's L1 */
} wr_set_index;

/* What a store does in the L1. */
typedef enum wr_l1_write {
    WR_L1_THROUGH,    /* goes on to the L2; allocates nothing, a line that it hits is evicted */
    WR_L1_BACK,       /* stays: a line is allocated, and written when it is evicted */
    WR_L1_LOCAL_BACK, /* to local memory and it hits: stays; else as THROUGH */
} wr_l1_write;

typedef struct wr_l1_config {
    uint32_t bytes;
    uint32_t line_bytes;
    uint32_t ways;
    wr_set_index index;
    wr_l1_write write;
    uint32_t sectored;     /* 1: a miss fetches the 32 B sectors that it needs, 0: the line */
    uint32_t globals;      /* 1: caches global memory, 0: local memory only */
    uint32_t hit_latency;  /* cycles of its pipeline, at whose end a hit's data or a miss leaves */
    uint32_t mshrs;        /* lines in flight */
    uint32_t mshr_merges;  /* requests per MSHR, the first counted */
    uint32_t miss_queue;   /* requests that wait for the interconnect */
    uint32_t store_buffer; /* lines stored and not acknowledged; 0: no limit */
} wr_l1_config;

/* A read-only cache of an SM. */
typedef struct wr_rocache_config {
    uint32_t bytes;
    uint32_t line_bytes;
    uint32_t ways;
} wr_rocache_config;

typedef enum wr_noc_kind {
    WR_NOC_CROSSBAR, /* one switch a direction */
    WR_NOC_MESH,     /* a mesh of routers a direction */
} wr_noc_kind;

#define WR_CONFIG_MAX_NODES 192 /* characters of a list of nodes */

/* Kayiran Table I. A file may leave it out where the interconnect is a crossbar. */
typedef struct wr_noc_mesh_config {
    uint32_t width;        /* nodes of a row, rows */
    uint32_t vcs;          /* virtual channels of a port */
    uint32_t cpu_vcs;      /* of these for CPU cores alone, and as much of the wires; 0: shared */
    uint32_t vc_buffers;   /* flits of each */
    uint32_t routing;      /* noc cycles of a router's stages, here and below */
    uint32_t vc_alloc;     /* VC allocation */
    uint32_t switch_alloc; /* switch allocation */
    uint32_t traversal;    /* of the switch */
    uint32_t link;         /* to the next router */
    uint32_t credit;       /* of a credit on its way back */
    uint32_t sms_per_node;
    char memory_nodes[WR_CONFIG_MAX_NODES]; /* of the DRAM channels and their L2 banks: "3,7" */
} wr_noc_mesh_config;

typedef struct wr_noc_config {
    wr_noc_kind kind;
    uint32_t flit_bytes;
    uint32_t header_bytes;   /* of a packet; a request without data has nothing else */
    uint32_t latency;        /* noc cycles of a flit through the network, without contention */
    uint32_t speedup;        /* flits a switch port moves a cycle; links move one */
    uint32_t input_flits;    /* FIFO in front of the switch, per port */
    uint32_t output_packets; /* FIFO behind it, per port */
    wr_noc_mesh_config mesh; /* in place of latency and speedup */
} wr_noc_config;

typedef struct wr_l2_config {
    uint32_t banks;
    uint32_t bytes; /* all banks */
    uint32_t line_bytes;
    uint32_t ways;
    uint32_t latency;         /* l2 cycles of a hit inside the bank */
    uint32_t bytes_per_cycle; /* data port of a bank */
    uint32_t mshrs;           /* lines in flight, per bank */
    uint32_t mshr_merges;     /* requests per MSHR, the first counted */
    uint32_t miss_queue;      /* requests that wait for DRAM, per bank */
    uint32_t queue;           /* requests that wait for the tags, and replies, per bank */
} wr_l2_config;

#define WR_CONFIG_MAX_MAP 48

typedef struct wr_dram_config {
    uint32_t channels;
    uint32_t cpu_channels;               /* the last so many for CPU cores alone; 0: all shared */
    uint32_t latency;                    /* l2 cycles that the controller adds to a read */
    uint32_t interleave;                 /* bytes that lie in one channel */
    char address_map[WR_CONFIG_MAX_MAP]; /* of the channel's own address, see address.h */
    uint32_t banks;                      /* per channel */
    uint32_t groups;                     /* bank groups */
    uint32_t burst_bytes;
    uint32_t burst_clocks;  /* of the data bus, in command clocks */
    uint32_t sector_bursts; /* 1: each 32 B sector that is read costs a burst of its own */
    uint32_t queue;         /* requests the scheduler chooses from, per channel */
    uint32_t write_high;    /* writes that start a drain */
    uint32_t write_low;     /* writes that end it while reads wait */
    wr_gddr5_timing timing;
} wr_dram_config;

/* Traffic of saved contexts (Lin-P IV.B, IV.C). */
typedef struct wr_context_config {
    uint32_t rf_bytes_per_cycle;     /* read or written at the register file by save/restore */
    uint32_t shared_bytes_per_cycle; /* likewise at shared memory */
    uint32_t segment_bytes;          /* size of a memory transaction of the packer */
    uint32_t pad_bytes;              /* the last segment of a warp is padded to this (P26) */
    uint32_t pointer_bytes;          /* of a TB's entry in the context control block (P28) */
    uint32_t aging_cycles;           /* low priority of context traffic ends after this (P29) */
} wr_context_config;

/* What a CPU core's instruction stream is like beside its L2 misses (shell/cpu/stream.h). */
typedef struct wr_cpu_trace_config {
    uint32_t accesses;     /* memory instructions of 1000 instructions */
    uint32_t stores;       /* of 100 of these */
    uint32_t l2_hits;      /* of 1000 instructions: accesses that miss the L1 alone */
    uint32_t row_locality; /* of 100 L2 misses: to the line behind the one before */
    uint32_t burst;        /* L2 misses in a row, without other accesses between */
    uint32_t footprint_mb; /* of a core, at least 128 times its L2 */
    uint32_t seed;
} wr_cpu_trace_config;

#define WR_CONFIG_CPU_BASE       (UINT64_C(1) << 32) /* addresses of CPU cores, the GPU's below */
#define WR_CONFIG_CPU_NEAR_LINES 65536               /* of a core, below its footprint */

/* Trace-driven CPU cores that share interconnect, L2 and DRAM with the GPU (Kayiran Table I). A
 * file may leave it out: no cores. */
typedef struct wr_cpu_config {
    uint32_t cores;
    uint32_t mhz;
    uint32_t issue_width; /* instructions that enter and leave the window in a cycle */
    uint32_t window;      /* instructions */
    uint32_t l1_bytes, l1_ways;
    uint32_t l1_cycles; /* CPU cycles of a hit */
    uint32_t l2_bytes, l2_ways;
    uint32_t l2_cycles; /* likewise */
    uint32_t mshrs;     /* lines in flight */
    wr_cpu_trace_config trace;
} wr_cpu_config;

typedef struct wr_gpu_config {
    char name[32];
    uint32_t sms;
    wr_clock_config clock;
    wr_sm_config sm;
    wr_units_config units;
    wr_timing_config timing;
    wr_l1_config l1;
    wr_rocache_config icache, ccache; /* instructions; constants */
    wr_noc_config noc;
    wr_l2_config l2;
    wr_dram_config dram;
    wr_context_config context;
    wr_cpu_config cpu;
} wr_gpu_config;

/* Fills `out` from a file; one with `base:`, a name or a path from its own folder, says only what
 * differs from that configuration. `name_or_path` with a '/' or a ".yaml" ending is a path;
 * anything else is a name that is looked for as NAME.yaml in $WARPREF_CONFIG_PATH (colon
 * separated), beside the program (../share/warpref/shell/config) or, in a build, in the source
 * tree. Returns false with `diag` set (file, line, what to do) on any fault. */
bool wr_config_load(const char *name_or_path, wr_gpu_config *out, struct wr_diag *diag);

/* Applies one "path=value", for example "l1.mshrs=64" or "timing.fp32.div.latency=40". */
bool wr_config_set(wr_gpu_config *config, const char *assignment, struct wr_diag *diag);

/* Checks what no single field's range can: sizes that must divide each other. Called by
 * wr_config_load; to be called again after the last wr_config_set. */
bool wr_config_check(const wr_gpu_config *config, struct wr_diag *diag);

/* Prints as YAML that wr_config_load takes back. Returns false where writing failed. */
bool wr_config_print(const wr_gpu_config *config, FILE *out);

/* Names that wr_config_load finds, sorted; free with wr_config_names_free. */
char **wr_config_names(size_t *count);
void wr_config_names_free(char **names, size_t count);

#endif
