/* SPDX-License-Identifier: Apache-2.0 */
/* Clang takes for granted what C++ leaves undefined. A kernel that relies on CUDA there would be
 * compiled to something else without a word, so these assumptions are off. Which others stay on,
 * and why: docs/cuda.md, What clang takes for granted. Each option has a test in
 * tests/cuda/compiled.py that fails without it.
 */
#include "shell/host/clang.h"

#include <stdlib.h>
#include <string.h>

typedef struct row {
    unsigned from, before; /* of clang's major version; 0: all */
    const char *words[2];
} row;

static const row rows[] = {
    /* Calls of the device are inlined, and products and sums stay apart. */
    {0, 0, {"-ffp-contract=off", NULL}},
    {0, 0, {"-mllvm", "-inline-threshold=100000"}},
    /* Lines for messages. */
    {0, 0, {"-gline-tables-only", NULL}},
    {0, 0, {"-fdebug-compilation-dir=.", NULL}},
    /* An argument without a value, as of lanes that pass a shuffle what only its leader has set,
     * would prove that the branch around the value is taken. */
    {0, 15, {"-Xclang", "-disable-noundef-analysis"}},
    {15, 0, {"-Xclang", "-no-enable-noundef-analysis"}},
    /* The end of a function that should have returned a value would prove that nobody gets there.
     */
    {0, 0, {"-fno-strict-return", NULL}},
    /* A loop without an effect, in which lanes wait, would be taken to end. */
    {0, 0, {"-fno-finite-loops", NULL}},
    /* An access at address 0, which is a fault, would prove that nobody gets there. */
    {0, 0, {"-fno-delete-null-pointer-checks", NULL}},
    /* Words that are read as another type, as CUDA's own examples do, would keep their old value.
     */
    {0, 0, {"-fno-strict-aliasing", NULL}},
};

size_t wr_clang_flags(unsigned major, const char *flags[WR_CLANG_MAX_FLAGS])
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (major < rows[i].from || (rows[i].before != 0 && major >= rows[i].before)) {
            continue;
        }
        for (size_t k = 0; k < 2 && rows[i].words[k] != NULL; k++) {
            flags[count++] = rows[i].words[k];
        }
    }
    return count;
}

unsigned wr_clang_named_major(const char *name)
{
    const char *dash = strrchr(name, '-');
    char *end = NULL;
    unsigned long major = dash != NULL ? strtoul(dash + 1, &end, 10) : 0;

    return dash != NULL && end != dash + 1 && *end == '\0' && major < 1000 ? (unsigned)major : 0;
}
