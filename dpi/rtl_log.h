/* SPDX-License-Identifier: Apache-2.0 */
/* Says in short what Verilator's log holds against a user's RTL behind a block's pins. */
#ifndef WR_DPI_RTL_LOG_H
#define WR_DPI_RTL_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Writes one line for every fault of the log, or nothing, each once: errors, and pins of the
 * wrapper whose width is another. `folder` (temporary files) is not shown. False: there is none. */
bool wr_rtl_log_faults(const char *log_path, const char *folder, char *text, size_t size);

/* The same of what Verilator warns of and no run in two states shows: nets that nothing or several
 * drive. */
bool wr_rtl_log_warnings(const char *log_path, const char *folder, char *text, size_t size);

#endif
