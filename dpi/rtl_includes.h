/* SPDX-License-Identifier: Apache-2.0 */
/* What RTL that is not ours includes. Verilator waits for ever at a pipe and reads a device without
 * an end, and says nothing meanwhile; so these are found before it begins. An include whose name a
 * macro makes is not seen. */
#ifndef WR_DPI_RTL_INCLUDES_H
#define WR_DPI_RTL_INCLUDES_H

#include "dpi/rtl_sources.h"

/* Each file that one of the sources includes, or one that these include, is a regular one, where it
 * is there at all. False with one line in err: "FILE:LINE: NAME: ...". */
bool wr_includes_sound(const wr_rtl_sources *s, char *err, size_t err_size);

#endif
