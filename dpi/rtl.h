/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the shared object of a Verilated block and drives one instance of it.
 *
 * A missing object, one of another build, or one whose pins have other widths than the
 * description gives is refused with one line of text, never used.
 */
#ifndef WR_DPI_RTL_H
#define WR_DPI_RTL_H

#include "dpi/block.h"
#include "dpi/checker.h"
#include "dpi/pulse.h"
#include "dpi/rtl_abi.h"

typedef struct wr_rtl {
    void *library;
    const wr_rtl_ops *ops;
    const wr_rtl_coverage *coverage; /* NULL: made without counters */
    void *dut;
    uint32_t registers; /* that the checker compares beside the pins */
    wr_pulse *pulse;    /* NULL: nobody watches */
    uint64_t cycles;    /* clocked */
    const wr_block_desc *block;
    char ended[256];      /* why the RTL ended the simulation; empty: it did not, or does not say */
    wr_checker_hook hook; /* its address is known to the instance: the struct must not move */
} wr_rtl;

/* Path of the shared object of a named configuration: in $WARPREF_LIB where that is set, else
 * in ../lib or lib beside the running program, else in the build folder. False: none there. */
bool wr_rtl_find(const wr_block_desc *block, const char *config, bool lockstep, char *path,
                 size_t path_size);

/* checker NULL: without one; else the object must have the checker bound in. pulse NULL: nobody
 * watches. Resets. */
wr_rtl *wr_rtl_open(const char *path, const wr_block_desc *block, const void *cfg,
                    wr_checker *checker, wr_pulse *pulse, uint64_t seed, wr_rtl_start start,
                    char *err, size_t err_size);
void wr_rtl_close(wr_rtl *r);
void wr_rtl_reset(wr_rtl *r);

/* Runs its final blocks, which may end the simulation as any others; it is not driven any more. */
void wr_rtl_finish(wr_rtl *r);

/* Settles with these clock and reset pins. */
void wr_rtl_settle(wr_rtl *r, bool clk, bool rst_n);

#endif
