/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel or variable that a name means: the encoded one goes first. */
#include "shell/host/names.h"

#include <string.h>

#include "shell/isa/name.h"

static void consider(wr_named *found, const char *encoded, const wr_kernel *kernel,
                     const wr_diag *refused)
{
    if (found->encoded) {
        found->other = encoded;
        return;
    }
    *found = (wr_named){.kernel = kernel, .refused = refused, .encoded = encoded};
}

wr_named wr_find_kernel(const wr_module *module, const char *name)
{
    wr_named found = {0};
    for (size_t i = 0; i < module->kernel_count; i++) {
        const wr_kernel *k = &module->kernels[i];
        if (strcmp(k->name, name) == 0) {
            return (wr_named){.kernel = k, .encoded = k->name};
        }
        if (wr_name_is(k->name, name)) {
            consider(&found, k->name, k, NULL);
        }
    }
    for (size_t i = 0; i < module->refused_count; i++) {
        const wr_refused *r = &module->refused[i];
        if (strcmp(r->name, name) == 0) {
            return (wr_named){.refused = r->diag, .encoded = r->name};
        }
        if (wr_name_is(r->name, name)) {
            consider(&found, r->name, NULL, r->diag);
        }
    }
    return found;
}

const wr_module_var *wr_find_variable(const wr_module *module, const char *name, const char **other)
{
    const wr_module_var *found = NULL;
    *other = NULL;
    for (size_t i = 0; i < module->var_count; i++) {
        const wr_module_var *v = &module->vars[i];
        if (strcmp(v->name, name) == 0) {
            *other = NULL;
            return v;
        }
        if (!wr_name_is(v->name, name)) {
            continue;
        }
        if (found) {
            *other = v->name;
        } else {
            found = v;
        }
    }
    return found;
}
