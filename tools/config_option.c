/* SPDX-License-Identifier: Apache-2.0 */
/* Options --config and --set; see config_option.h. */
#include "tools/config_option.h"

#include "shell/ptx/diag.h"

static const struct argp_option table[] = {
    {"config", 'c', "NAME|FILE", 0, "configuration (default gtx480); `warpref config` lists them",
     0},
    {"set", 's', "PATH=VALUE", 0, "change one value of it, e.g. noc.speedup=1; may be repeated", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    wr_config_option *o = state->input;
    switch (key) {
    case 'c':
        if (o->name != NULL) {
            argp_error(state, "one configuration at a time");
        }
        o->name = arg;
        return 0;
    case 's':
        if (o->set_count == sizeof o->sets / sizeof o->sets[0]) {
            argp_error(state, "more than %zu --set", o->set_count);
        }
        o->sets[o->set_count++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp wr_config_option_argp = {table, parse, NULL, NULL, NULL, NULL, NULL};

bool wr_config_option_load(const wr_config_option *o, wr_gpu_config *config)
{
    wr_diag diag = {0};
    bool ok = wr_config_load(o->name != NULL ? o->name : "gtx480", config, &diag);
    for (size_t i = 0; ok && i < o->set_count; i++) {
        ok = wr_config_set(config, o->sets[i], &diag);
    }
    ok = ok && wr_config_check(config, &diag);
    if (!ok) {
        wr_diag_print(&diag, stderr);
    }
    return ok;
}
