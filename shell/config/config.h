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
#define WR_CONFIG_MAX_WARPS      64 /* per SM */
#define WR_CONFIG_MAX_TBS        32 /* per SM */
#define WR_CONFIG_MAX_SCHEDULERS 4

typedef enum wr_sched_policy {
    WR_SCHED_LRR, /* loose round robin (Lin-P Table I, P40) */
    WR_SCHED_GTO, /* greedy then oldest */
} wr_sched_policy;

/* Latency: cycles from issue to the result's use. Interval: cycles until the unit takes the
 * next warp instruction (initiation interval). */
typedef struct wr_op_timing {
    uint32_t latency;
    uint32_t interval;
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
    uint32_t issue_width;      /* instructions per scheduler and cycle */
    uint32_t fetch_latency;    /* cycles from fetch to issue, of a hit */
    uint32_t rf_banks;         /* of the register file */
    uint32_t read_latency;     /* cycles from issue to the first operand's read */
    uint32_t dispatch_latency; /* from the cycle after the last operand's read to execution */
    uint32_t write_latency;    /* from the end of execution to the register */
    uint32_t collectors_sp;    /* operand collectors in front of the units */
    uint32_t collectors_dp;
    uint32_t collectors_sfu;
    uint32_t simt_depth; /* SIMT stack entries of a saved warp (Lin-P III: 11) */
    uint32_t units_sp;   /* warp instructions per cycle: int and fp32 */
    uint32_t units_dp;
    uint32_t units_sfu;
} wr_sm_config;

typedef struct wr_timing_config {
    wr_class_timing integer;
    wr_class_timing fp32;
    wr_class_timing fp64;
    wr_op_timing sfu; /* rcp sqrt rsqrt ex2 lg2 sin cos of fp32 */
} wr_timing_config;

/* How a cache finds the set of a line. */
typedef enum wr_set_index {
    WR_SET_LINEAR, /* line number modulo sets */
    WR_SET_FERMI,  /* hashed as in Fermi's L1 */
} wr_set_index;

typedef struct wr_l1_config {
    uint32_t bytes;
    uint32_t line_bytes;
    uint32_t ways;
    wr_set_index index;
    uint32_t hit_latency; /* cycles of its pipeline, at whose end a hit's data or a miss leaves */
    uint32_t mshrs;       /* lines in flight */
    uint32_t mshr_merges; /* requests per MSHR, the first counted */
    uint32_t miss_queue;  /* requests that wait for the interconnect */
} wr_l1_config;

/* A read-only cache of an SM. */
typedef struct wr_rocache_config {
    uint32_t bytes;
    uint32_t line_bytes;
    uint32_t ways;
} wr_rocache_config;

typedef struct wr_noc_config {
    uint32_t flit_bytes;
    uint32_t header_bytes;   /* of a packet; a request without data has nothing else */
    uint32_t latency;        /* noc cycles of a flit through the network, without contention */
    uint32_t speedup;        /* flits a switch port moves a cycle; links move one */
    uint32_t input_flits;    /* FIFO in front of the switch, per port */
    uint32_t output_packets; /* FIFO behind it, per port */
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

typedef struct wr_gpu_config {
    char name[32];
    uint32_t sms;
    wr_clock_config clock;
    wr_sm_config sm;
    wr_timing_config timing;
    wr_l1_config l1;
    wr_rocache_config icache, ccache; /* instructions; constants */
    wr_noc_config noc;
    wr_l2_config l2;
    wr_dram_config dram;
    wr_context_config context;
} wr_gpu_config;

/* Fills `out` from a file. `name_or_path` with a '/' or a ".yaml" ending is a path; anything
 * else is a name that is looked for as NAME.yaml in $WARPREF_CONFIG_PATH (colon separated),
 * beside the executable (../share/warpref/configs) and in the source tree.
 * Returns false with `diag` set (file, line, what to do) on any fault. */
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
