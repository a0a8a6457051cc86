/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a shared object from a user's own RTL behind a block's pins, at run time. */
#ifndef WR_DPI_USER_RTL_H
#define WR_DPI_USER_RTL_H

#include "dpi/block.h"

typedef struct wr_user_rtl {
    char folder[1024]; /* temporary; wr_user_rtl_remove deletes it */
    char so[1100];
} wr_user_rtl;

/* file holds module `top`, with the block's parameters and ports by name (and rst_ni, clk_i);
 * modules that it uses are looked for in files of their name beside it. Unless pins_only, its
 * registers that bear the names of the block's are compared too. Needs Verilator and a C++
 * compiler. False with text in err: what was wrong, one line a fault. */
bool wr_user_rtl_build(wr_user_rtl *u, const wr_block_desc *block, const void *cfg,
                       const char *file, const char *top, bool pins_only, char *err,
                       size_t err_size);
void wr_user_rtl_remove(const wr_user_rtl *u);

#endif
