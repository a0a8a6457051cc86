/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file list of RTL.
 *
 * Names in it lead to files, so it lies in a folder of its own in $TMPDIR, as `list`, beside a.sv,
 * dpi.c and a folder inc; it may name itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dpi/rtl_sources.h"
#include "tests/fuzz/input.h"

static char folder[256], list[300];

static void put(const char *name, const uint8_t *data, size_t size)
{
    char path[300];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) {
        wr_fuzz_fail("a file in $TMPDIR cannot be written");
    }
}

static void remove_folder(void)
{
    static const char *const names[] = {"list", "a.sv", "dpi.c", "inc", ""};
    char path[300];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        (void)remove(path);
    }
}

static void make_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    char path[300];

    (void)snprintf(folder, sizeof folder, "%s/warpref-fuzz-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(folder) == NULL || atexit(remove_folder) != 0) {
        wr_fuzz_fail("no folder in $TMPDIR can be made");
    }
    (void)snprintf(path, sizeof path, "%s/inc", folder);
    if (mkdir(path, 0700) != 0) {
        wr_fuzz_fail("no folder in $TMPDIR can be made");
    }
    (void)snprintf(list, sizeof list, "%s/list", folder);
    put("a.sv", NULL, 0);
    put("dpi.c", NULL, 0);
}

static void check_sources(const wr_rtl_sources *s)
{
    if ((s->first == NULL) != (s->title == NULL) || (s->first != NULL && s->first[0] != '/')) {
        wr_fuzz_fail("the first file has no absolute path");
    }
    for (size_t i = 0; i < s->count; i++) {
        const char *arg = s->args[i];
        if (arg[0] != '/' && strcmp(arg, "-y") != 0 && strncmp(arg, "-I/", 3) != 0 &&
            strncmp(arg, "-D", 2) != 0 && strncmp(arg, "+libext+", 8) != 0) {
            wr_fuzz_fail("an argument that is none of a list's");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wr_rtl_sources sources = {0};
    char err[1024] = "";

    if (folder[0] == '\0') {
        make_folder();
    }
    put("list", data, size);
    if (wr_sources_list(&sources, list, err, sizeof err)) {
        check_sources(&sources);
    } else {
        wr_fuzz_want_text(err, list, data, size);
    }
    wr_sources_free(&sources);
    return 0;
}
