/* SPDX-License-Identifier: Apache-2.0 */
/* warpref config: lists configurations, or prints one. */
#include <argp.h>
#include <stdio.h>

#include "shell/config/config.h"
#include "shell/ptx/diag.h"
#include "tools/commands.h"
#include "tools/config_option.h"
#include "tools/once.h"

static const struct argp_option option_table[] = {
    {"set", 's', "PATH=VALUE", 0,
     "change a value before printing, e.g. l1.mshrs=64; may be repeated", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    wr_config_option *o = state->input;
    switch (key) {
    case 's':
        wr_config_option_set(o, state, arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->name) {
            argp_error(state, "one configuration at a time");
        }
        o->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int list_names(void)
{
    size_t count = 0;
    char **names = wr_config_names(&count);
    for (size_t i = 0; i < count; i++) {
        puts(names[i]);
    }
    wr_config_names_free(names, count);
    if (count == 0) {
        (void)fputs("warpref config: no configuration was found; set WARPREF_CONFIG_PATH\n",
                    stderr);
    }
    return count ? 0 : 2;
}

int wr_cmd_config(int argc, char **argv)
{
    static const struct argp argp = {
        option_table,
        parse,
        "[NAME|FILE.yaml]",
        "Without an argument: the names of the configurations. With one: all of its values, as a "
        "file that --config takes back.\v"
        "A configuration is looked for in $WARPREF_CONFIG_PATH (colon separated), beside the "
        "program and in its source tree. Names with a '/' or ending in .yaml are files.",
        NULL,
        NULL,
        NULL};
    wr_config_option o = {0};
    wr_gpu_config config;
    wr_diag diag = {0};
    if (wr_parse_once(&argp, argc, argv, &o)) {
        return 2;
    }
    if (!o.name && o.set_count == 0) {
        return list_names();
    }
    if (!wr_config_option_load(&o, &config, &diag)) {
        wr_diag_print(&diag, stderr);
        return 2;
    }
    return wr_config_print(&config, stdout) ? 0 : 2;
}
