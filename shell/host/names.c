/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++: only what stands before parameters and template arguments is read. */
#include "shell/host/names.h"

#include <string.h>

#define ANONYMOUS "_GLOBAL__N_" /* how an unnamed namespace is called */
#define MAX_DEPTH 16            /* namespaces and classes around a name */

/* One <length><identifier>; NULL where none stands here. */
static const char *component(const char *at, const char **identifier, size_t *length)
{
    size_t n = 0;
    if (*at == 'L') { /* static */
        at++;
    }
    if (*at < '1' || *at > '9') {
        return NULL;
    }
    for (; *at >= '0' && *at <= '9' && n < 4096; at++) {
        n = 10 * n + (size_t)(*at - '0');
    }
    if (strnlen(at, n) < n) {
        return NULL;
    }
    *identifier = at;
    *length = n;
    return at + n;
}

bool wr_name_is(const char *encoded, const char *name)
{
    const char *parts[MAX_DEPTH];
    size_t lengths[MAX_DEPTH], depth = 0;
    if (strncmp(encoded, "_Z", 2) != 0) {
        return false;
    }
    const char *at = encoded + 2;
    bool nested = *at == 'N';
    at += nested;
    do {
        const char *identifier;
        size_t length;
        at = component(at, &identifier, &length);
        if (at && strncmp(identifier, ANONYMOUS, sizeof ANONYMOUS - 1) == 0) {
            continue;
        }
        if (!at || depth == MAX_DEPTH) {
            break;
        }
        parts[depth] = identifier;
        lengths[depth++] = length;
    } while (nested);
    /* The last component first: outer ones may be left out. */
    size_t left = strlen(name);
    while (depth-- > 0) {
        if (left < lengths[depth] ||
            memcmp(name + left - lengths[depth], parts[depth], lengths[depth]) != 0) {
            return false;
        }
        left -= lengths[depth];
        if (left == 0) {
            return true;
        }
        if (left < 2 || memcmp(name + left - 2, "::", 2) != 0) {
            return false;
        }
        left -= 2;
    }
    return false;
}

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
