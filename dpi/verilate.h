/* SPDX-License-Identifier: Apache-2.0 */
/* Runs dpi/verilate.sh: a block's RTL, or a user's own behind the same pins, becomes a shared
 * object (dpi/rtl_abi.h) at run time, as the build makes those of the named configurations.
 */
#ifndef WR_DPI_VERILATE_H
#define WR_DPI_VERILATE_H

#include "dpi/block.h"

enum { WR_VERILATE_PATH = 1200 };

typedef struct wr_verilate {
    const wr_block_desc *block;
    const void *cfg;
    const char *mode;    /* rtl, lockstep, own or pins: see the script */
    const char *rtl;     /* file that holds module `top` */
    const char *rtl_dir; /* where modules that it uses are looked for, in files of their name */
    const char *top;
    const char *flags;         /* of Verilator, beside those of the script */
    const char *const *extras; /* further arguments of the script */
    size_t extras_count;
} wr_verilate;

/* What Verilating needs and where it was found. */
typedef struct wr_verilate_tools {
    char root[WR_VERILATE_PATH / 2]; /* the source tree: $WARPREF_ROOT, else that of the build */
    char script[WR_VERILATE_PATH];
    char runtime[WR_VERILATE_PATH]; /* Verilator's runtime, beside the objects of the build */
} wr_verilate_tools;

/* The source tree and the runtime. False with one line in err. */
bool wr_verilate_find(wr_verilate_tools *tools, char *err, size_t err_size);

/* Verilator and a C++ compiler can be run. False with one line that names the package. */
bool wr_verilate_able(char *err, size_t err_size);

/* Makes the object `so`; all else that it writes stands in `folder`, which exists, and what the
 * tools print in `log`. False: they failed. */
bool wr_verilate_run(const wr_verilate *v, const wr_verilate_tools *tools, const char *folder,
                     const char *so, const char *log);

/* It failed since there is no room in `folder` or where compilers put their temporary files, as
 * their log or the file system says; one line in err says which. */
bool wr_verilate_was_full(const char *folder, const char *log, char *err, size_t err_size);

/* Deletes a folder with all that is in it. */
void wr_verilate_remove(const char *folder);

#endif
