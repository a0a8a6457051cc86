/* SPDX-License-Identifier: Apache-2.0 */
/* See no_pass.h. */
#include "tools/no_pass.h"

#include <stdio.h>
#include <string.h>

#include "shell/compiler/compiler.h"

uint32_t wr_cmd_no_pass(const struct argp_state *state, const char *name)
{
    uint32_t bit = strcmp(name, "all") == 0 ? UINT32_MAX : wr_pass_bit(name);
    char names[512] = "all";
    size_t used = 3;

    if (bit != 0) {
        return bit;
    }
    for (size_t i = 0; wr_pass_row(i) != NULL && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", wr_pass_row(i)->name);
    }
    argp_error(state, "--no-pass '%s': there is no such pass; the passes are %s", name, names);
    return 0;
}
