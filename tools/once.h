/* SPDX-License-Identifier: Apache-2.0 */
/* Options that are given once. An option may be given more than once where its help says "may be
 * repeated"; of any other the second one is an error, since one of the two would be lost.
 */
#ifndef WR_TOOLS_ONCE_H
#define WR_TOOLS_ONCE_H

#include <argp.h>

/* argp_parse of a command's words, behind a look for options that are given twice: of these the
 * first is named on standard error, and the result is EINVAL. */
error_t wr_parse_once(const struct argp *argp, int argc, char **argv, void *input);

#endif
