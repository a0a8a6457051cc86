/* SPDX-License-Identifier: Apache-2.0 */
/* RTL that is not ours behind some blocks of a run: which, from what, and the objects made of it.
 *
 * A system opens a port of a block; where the user has given RTL for the block, that is Verilated
 * in the port's parameters, once for each, and stands behind the port. RTL of a block that is a
 * part of others (reg_compressor in context_saver, me_controller in a module of duet_unit in
 * gpuduet) takes its place inside them: the whole is then ours but for that part, and checked at
 * the pins of the whole.
 */
#ifndef WR_DPI_OWN_RTL_H
#define WR_DPI_OWN_RTL_H

#include "dpi/port.h"
#include "dpi/pulse.h"

typedef struct wr_own_rtl wr_own_rtl;

/* folder: for temporary files, which the caller deletes. pulse: see dpi/pulse.h; or NULL. NULL: out
 * of memory. */
wr_own_rtl *wr_own_rtl_new(const char *folder, wr_pulse *pulse);
void wr_own_rtl_free(wr_own_rtl *o); /* NULL is fine */

/* BLOCK=PART,PART,... A part is a file, or top=, dir=, include=, define=, param=, filelist= with
 * what follows. More of the same block adds to it. False with one line in err. */
bool wr_own_rtl_add(wr_own_rtl *o, const char *spec, char *err, size_t err_size);

/* What stands behind a port of this block; own->lib stays NULL where that is ours. Builds, with a
 * line on stderr. False with text in err. */
bool wr_own_rtl_find(wr_own_rtl *o, const wr_block_desc *block, const void *cfg, bool lockstep,
                     wr_port_own *own, char *err, size_t err_size);

/* Once all ports are open: each block that was given stands behind one, or inside. False with a
 * line that says which do. */
bool wr_own_rtl_all_used(const wr_own_rtl *o, char *err, size_t err_size);

#endif
