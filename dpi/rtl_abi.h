/* SPDX-License-Identifier: Apache-2.0 */
/* The C interface of a Verilated block in a shared object, and of the checker inside it.
 *
 * One shared object holds one block in one configuration, with the checker bound in (lockstep)
 * or without it (rtl). It needs nothing of the program that loads it: the C model is reached
 * through the hook that the loader hands in, so the same object serves every build of it.
 *
 * Invariant: an instance shares nothing with another one; each has a simulation context of its own.
 */
#ifndef WR_DPI_RTL_ABI_H
#define WR_DPI_RTL_ABI_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WR_RTL_ABI = 5 };

/* What registers and nets without a value hold at the start, and what an X becomes. */
typedef enum wr_rtl_start {
    WR_START_RANDOM, /* by the seed */
    WR_START_ZEROS,
    WR_START_ONES,
} wr_rtl_start;

/* Called from the checker's DPI import. in and out are packed words, valid during the call. */
typedef struct wr_checker_hook {
    /* Once a rising clock edge. Registers that the object does not show are 0 in state. */
    void (*cycle)(void *ctx, const uint32_t *in, const uint32_t *out, const uint32_t *state);
    void (*reset)(void *ctx); /* while rst_ni is low */
    void *ctx;
    /* The RTL ended the simulation: where, and by what. Once; it is not evaluated again. */
    void (*ended)(void *ended_ctx, const char *text);
    void *ended_ctx;
} wr_checker_hook;

typedef struct wr_rtl_ops {
    uint32_t abi; /* WR_RTL_ABI of the build that made the object */
    uint32_t in_bits;
    uint32_t out_bits;
    bool has_checker;
    const char *absent; /* registers that it does not show, commas between */
    /* NULL: out of memory */
    void *(*create)(uint64_t seed, wr_rtl_start start, const wr_checker_hook *hook);
    void (*destroy)(void *dut); /* with finish in front, where that was not called */
    void (*set)(void *dut, bool clk, bool rst_n);
    void (*put)(void *dut, const uint32_t *in_words);
    void (*eval)(void *dut); /* half a clock cycle goes by behind it, 5 ns */
    void (*get)(void *dut, uint32_t *out_words);
    bool (*stopped)(void *dut);                     /* $finish, $stop or $fatal was called */
    bool (*trace)(void *dut, const char *fst_path); /* false: built without, or cannot open */
    void (*finish)(void *dut);                      /* its final blocks: once, the end of it */
} wr_rtl_ops;

/* The symbol that every shared object exports. */
const wr_rtl_ops *wr_rtl_get_ops(void);

typedef enum wr_rtl_points { WR_POINTS_LINES, WR_POINTS_TOGGLES, WR_POINTS_KINDS } wr_rtl_points;

/* Counters of lines and of toggled bits, of an object that was made with them. */
typedef struct wr_rtl_coverage {
    /* How many, and where they stand: the caller may set them to 0. */
    uint32_t (*points)(void *dut, wr_rtl_points of, uint32_t **counts);
    /* After the first reset: before it signals and what they are compared with are random, so that
     * toggles are counted which never were. Sets those to 0. */
    void (*settled)(void *dut);
    void (*write)(void *dut, const char *path); /* for verilator_coverage */
} wr_rtl_coverage;

/* The symbol that such an object exports beside the other one. */
const wr_rtl_coverage *wr_rtl_get_coverage(void);

#ifdef __cplusplus
}
#endif

#endif
