/* SPDX-License-Identifier: Apache-2.0 */
/* Subcommands that are Python programs of the source tree: they drive other people's tools. */
#ifndef WR_TOOLS_SCRIPT_H
#define WR_TOOLS_SCRIPT_H

#define WR_STATE_SCRIPT "state/state.py" /* warpref state, warpref blocks --state */

/* Becomes python3 PATH with the arguments behind argv[0], which is what the program calls itself in
 * its messages. PATH counts from the source tree; the program finds the tree in WARPREF_ROOT and
 * this very warpref in WARPREF_PROGRAM. Returns only where that cannot be: 2, with a message. */
int wr_script_run(const char *path, int argc, char **argv);

#endif
