/* SPDX-License-Identifier: Apache-2.0 */
/* Options --config and --set of commands that look at a configuration and run nothing on it. */
#ifndef WR_TOOLS_CONFIG_OPTION_H
#define WR_TOOLS_CONFIG_OPTION_H

#include <argp.h>

#include "shell/config/config.h"

typedef struct wr_config_option {
    const char *name; /* NULL: gtx480 */
    const char *sets[64];
    size_t set_count;
} wr_config_option;

/* A child parser; its input is a wr_config_option. */
extern const struct argp wr_config_option_argp;

/* Loads what was asked for; false with a message on standard error. */
bool wr_config_option_load(const wr_config_option *o, wr_gpu_config *config);

#endif
