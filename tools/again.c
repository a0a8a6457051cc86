/* SPDX-License-Identifier: Apache-2.0 */
/* A command to be given again; see again.h. */
#include "tools/again.h"

#include "files/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void wr_again_begin(wr_again *a, const char *command)
{
    *a = (wr_again){0};
    a->stream = open_memstream(&a->text, &a->size);
    if (!a->stream) {
        wr_out_of_memory();
    }
    (void)fputs(command, a->stream);
}

static void quote(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./_-";
    if (*word && word[strspn(word, plain)] == '\0') {
        (void)fputs(word, out);
        return;
    }
    (void)fputc('\'', out);
    for (const char *p = word; *p; p++) {
        if (*p == '\'') {
            (void)fputs("'\\''", out);
        } else {
            (void)fputc(*p, out);
        }
    }
    (void)fputc('\'', out);
}

void wr_again_add(wr_again *a, const struct argp_option *table, int key, const char *arg)
{
    if (!a->stream) {
        return;
    }
    const struct argp_option *option = table;
    while (key != ARGP_KEY_ARG && option->name && option->key != key) {
        option++;
    }
    if (key != ARGP_KEY_ARG && !option->name) {
        return;
    }
    (void)fputc(' ', a->stream);
    if (key != ARGP_KEY_ARG) {
        (void)fprintf(a->stream, "--%s%s", option->name, arg ? " " : "");
    }
    if (arg) {
        quote(arg, a->stream);
    }
}

void wr_again_end(wr_again *a)
{
    const bool failed = a->stream && ferror(a->stream);

    if (a->stream && (fclose(a->stream) != 0 || failed || !a->text)) { /* no other fault is there */
        wr_out_of_memory();
    }
    a->stream = NULL;
}

void wr_again_free(wr_again *a)
{
    wr_again_end(a);
    free(a->text);
    a->text = NULL;
}
