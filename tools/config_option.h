/* SPDX-License-Identifier: Apache-2.0 */
/* A configuration as commands are given it, by name or file, with values changed by --set; and
 * options --config and --set for commands that need no more of them. */
#ifndef WR_TOOLS_CONFIG_OPTION_H
#define WR_TOOLS_CONFIG_OPTION_H

#include <argp.h>

#include "shell/config/config.h"
#include "shell/ptx/diag.h"

typedef struct wr_config_option {
    const char *name; /* NULL: gtx480 */
    const char *sets[64];
    size_t set_count;
} wr_config_option;

/* A child parser; its input is a wr_config_option. */
extern const struct argp wr_config_option_argp;

/* Notes a --set; ends the program where there are too many. */
void wr_config_option_set(wr_config_option *o, const struct argp_state *state, const char *set);

/* Loads what was asked for; false with `diag` set. */
bool wr_config_option_load(const wr_config_option *o, wr_gpu_config *config, wr_diag *diag);

#endif
