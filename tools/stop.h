/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that end a command: SIGINT, SIGTERM and SIGHUP set a flag, which long work looks at, and
 * end the process when that has reported and closed its files. One that is ignored stays so.
 */
#ifndef WR_TOOLS_STOP_H
#define WR_TOOLS_STOP_H

#include <signal.h>

/* From now on signals set the flag; its address. */
const volatile sig_atomic_t *wr_stop_begin(void);
/* As before wr_stop_begin; a signal that has come ends the process. */
void wr_stop_end(void);

#endif
