/* SPDX-License-Identifier: Apache-2.0 */
/* Options --config and --set; see config_option.h. */
#include "tools/config_option.h"

static const struct argp_option table[] = {
    {"config", 'c', "NAME|FILE", 0, "configuration (default gtx480); `warpref config` lists them",
     0},
    {"set", 's', "PATH=VALUE", 0, "change one value of it, e.g. noc.speedup=1; may be repeated", 0},
    {0}};

void wr_config_option_set(wr_config_option *o, const struct argp_state *state, const char *set)
{
    if (o->set_count == sizeof o->sets / sizeof o->sets[0]) {
        argp_error(state, "more than %zu --set", o->set_count);
    } else {
        o->sets[o->set_count++] = set;
    }
}

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
        wr_config_option_set(o, state, arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp wr_config_option_argp = {table, parse, NULL, NULL, NULL, NULL, NULL};

bool wr_config_option_load(const wr_config_option *o, wr_gpu_config *config, wr_diag *diag)
{
    bool ok = wr_config_load(o->name != NULL ? o->name : "gtx480", config, diag);
    for (size_t i = 0; ok && i < o->set_count; i++) {
        ok = wr_config_set(config, o->sets[i], diag);
    }
    return ok && wr_config_check(config, diag);
}
