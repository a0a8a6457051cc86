/* SPDX-License-Identifier: Apache-2.0 */
/* The look is a pass of getopt_long over the same tables, on a copy of the words, which it moves.
 * What it does not know is argp's to complain of. */
#include "tools/once.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128, FIRST = 256 }; /* options of a command; codes of long ones are not letters */

typedef struct tables {
    const struct argp_option *option[MOST];
    struct option longs[MOST + 1];
    char shorts[3 * MOST + 1];
    size_t count, letters;
} tables;

static bool is_end(const struct argp_option *o)
{
    return !o->key && !o->name && !o->doc && !o->group;
}

static bool gather(const struct argp *argp, tables *t)
{
    for (const struct argp_option *o = argp->options; o && !is_end(o); o++) {
        if (!o->name) {
            continue; /* a heading */
        }
        if (t->count == MOST) {
            return false;
        }
        /* as many colons behind a letter */
        const int has = !o->arg                            ? no_argument
                        : (o->flags & OPTION_ARG_OPTIONAL) ? optional_argument
                                                           : required_argument;
        t->longs[t->count] =
            (struct option){.name = o->name, .has_arg = has, .val = FIRST + (int)t->count};
        if (o->key > 0 && o->key < FIRST && isprint(o->key)) {
            t->shorts[t->letters++] = (char)o->key;
            for (int colons = has; colons != no_argument; colons--) {
                t->shorts[t->letters++] = ':';
            }
        }
        t->option[t->count++] = o;
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        if (!gather(c->argp, t)) {
            return false;
        }
    }
    return true;
}

/* Of a letter or a code of getopt_long; NULL: of none. */
static const struct argp_option *find(const tables *t, int code)
{
    for (size_t i = 0; i < t->count; i++) {
        if (code == (code < FIRST ? t->option[i]->key : FIRST + (int)i)) {
            return t->option[i];
        }
    }
    return NULL;
}

/* The first option that is given once more than it may be; NULL: there is none. */
static const struct argp_option *find_twice(const tables *t, int argc, char **words)
{
    const struct argp_option *seen[MOST];
    const struct argp_option *twice = NULL;
    size_t count = 0;
    int code;

    opterr = 0;
    optind = 0;
    while (!twice && (code = getopt_long(argc, words, t->shorts, t->longs, NULL)) != -1) {
        const struct argp_option *o = find(t, code);

        if (!o || !o->doc || strstr(o->doc, "may be repeated")) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            twice = seen[i] == o ? o : twice;
        }
        if (!twice) {
            seen[count++] = o;
        }
    }
    optind = 0;
    return twice;
}

error_t wr_parse_once(const struct argp *argp, int argc, char **argv, void *input)
{
    tables *t = calloc(1, sizeof *t);
    char **words = calloc((size_t)argc + 1, sizeof *words);
    const struct argp_option *twice = NULL;
    bool ok = t && words && gather(argp, t);

    if (ok) {
        memcpy(words, argv, (size_t)argc * sizeof *words);
        twice = find_twice(t, argc, words);
    }
    free(words);
    free(t);
    if (!ok || twice) {
        if (twice) {
            (void)fprintf(stderr, "%s: --%s is given twice\n", argv[0], twice->name);
        } else {
            (void)fprintf(stderr, "%s: out of memory\n", argv[0]);
        }
        (void)fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", argv[0],
                      argv[0]);
        return EINVAL;
    }
    const error_t wrong = argp_parse(argp, argc, argv, 0, NULL, input);

    if (wrong == ENOMEM) { /* of its own, and said by nobody */
        (void)fprintf(stderr, "%s: out of memory\n", argv[0]);
    }
    return wrong;
}
