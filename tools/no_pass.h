/* SPDX-License-Identifier: Apache-2.0 */
/* Option --no-pass of the commands that compile. */
#ifndef WR_TOOLS_NO_PASS_H
#define WR_TOOLS_NO_PASS_H

#include <argp.h>
#include <stdint.h>

/* The bit of the compiler's clean-up of that name (`all`: of every one); a usage error with all
 * names where there is none. */
uint32_t wr_cmd_no_pass(const struct argp_state *state, const char *name);

#endif
