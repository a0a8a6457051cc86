/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++: only what stands before parameters and template arguments is read. */
#include "shell/isa/name.h"

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
