/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a shared object from a user's own RTL behind a block's pins, at run time. */
#ifndef WR_DPI_USER_RTL_H
#define WR_DPI_USER_RTL_H

#include "dpi/block.h"
#include "dpi/rtl_sources.h"

typedef struct wr_user_rtl {
    char folder[1024]; /* temporary; wr_user_rtl_remove deletes it */
    char so[1100];
} wr_user_rtl;

typedef enum wr_user_mode {
    WR_USER_LOCKSTEP, /* with the checker; registers that bear the names of the block's, too */
    WR_USER_PINS,     /* with the checker, for pins alone */
    WR_USER_RTL,      /* without */
} wr_user_mode;

typedef struct wr_user_build {
    const wr_block_desc *block;
    const void *cfg;
    const wr_rtl_sources *sources; /* hold the module behind the pins, or one of its parts */
    const char *whole;             /* our file that holds the module; NULL: the sources do */
    wr_user_mode mode;
    bool coverage;      /* with counters of lines and toggles, and no waveform inside */
    const char *folder; /* for the temporary one; NULL: $TMPDIR, else /tmp */
} wr_user_build;

/* The module has the block's parameters and ports by name (and rst_ni, clk_i); modules that no file
 * holds are looked for in files of their name beside the first, then where the sources say. Needs
 * Verilator and a C++ compiler. False with text in err: what was wrong, one line a fault. Warnings
 * of nets that nothing or several drive go to standard error. */
bool wr_user_rtl_build(wr_user_rtl *u, const wr_user_build *what, char *err, size_t err_size);
void wr_user_rtl_remove(const wr_user_rtl *u);

#endif
