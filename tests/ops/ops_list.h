/* Which PTX the tests of this folder execute, for the table of docs/ptx.md. With WARPREF_OPS_LIST
 * set to a file the rigs append each PTX text to it, ended by a form feed, in place of running
 * it.
 */
#ifndef WR_TESTS_OPS_OPS_LIST_H
#define WR_TESTS_OPS_OPS_LIST_H

#include <stdbool.h>

/* True: the text was listed and must not run. */
bool ops_list(const char *text);

#endif
