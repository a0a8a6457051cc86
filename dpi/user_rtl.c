/* SPDX-License-Identifier: Apache-2.0 */
/* Verilating a user's RTL in a temporary folder, and saying what does not fit, or has no value. */
#include "dpi/user_rtl.h"

#include "dpi/rtl_includes.h"
#include "dpi/rtl_log.h"
#include "dpi/verilate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The end of a log in which no fault is known: errors come last. */
static void read_log(const char *path, char *text, size_t size)
{
    FILE *log = fopen(path, "r");
    size_t n = 0;

    text[0] = '\0';
    if (log == NULL) {
        return;
    }
    if (fseek(log, 0, SEEK_END) == 0) {
        long length = ftell(log);
        if (length >= 0 && (size_t)length >= size) {
            (void)fseek(log, length - (long)size + 1, SEEK_SET);
        } else {
            rewind(log);
        }
        n = fread(text, 1, size - 1, log);
    }
    text[n] = '\0';
    (void)fclose(log);
}

/* ":LINE" of a module in a file, or "". */
static void place_of_module(const char *path, const char *module, char *place, size_t size)
{
    FILE *file = fopen(path, "r");
    const size_t n = strlen(module);
    char line[1024];
    unsigned number = 0;
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        const char *at = strstr(line, "module ");
        number++;
        at = at != NULL ? at + strlen("module ") : "";
        at += strspn(at, " \t");
        found = strncmp(at, module, n) == 0 && strspn(at + n, " \t\r\n#(;") > 0;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    place[0] = '\0';
    if (found) {
        (void)snprintf(place, size, ":%u", number);
    }
}

/* The n-th SystemVerilog file of the sources; NULL behind the last. */
static const char *file_of(const wr_rtl_sources *s, size_t n)
{
    if (n == 0) {
        return s->first;
    }
    for (size_t i = 0; i < s->count; i++) {
        const char *dot = strrchr(s->args[i], '.');
        if (s->args[i][0] == '/' && dot != NULL &&
            (strcmp(dot, ".sv") == 0 || strcmp(dot, ".v") == 0) && --n == 0) {
            return s->args[i];
        }
    }
    return NULL;
}

/* A module that has the name of one of those around it. */
static bool is_name_taken(const wr_user_build *what, char *err, size_t err_size)
{
    static const char *const ours[] = {"%s_wrap", "%s_structs", "%s_pkg", "wr_checker"};
    const wr_rtl_sources *s = what->sources;

    for (size_t k = 0; k < sizeof(ours) / sizeof(ours[0]); k++) {
        char name[128];
        char place[32] = "";
        const char *file = NULL;
        (void)snprintf(name, sizeof(name), ours[k], what->block->name);
        for (size_t n = 0; place[0] == '\0' && (file = file_of(s, n)) != NULL; n++) {
            place_of_module(file, name, place, sizeof(place));
        }
        if (place[0] != '\0' || (s->top != NULL && strcmp(s->top, name) == 0)) {
            (void)snprintf(err, err_size,
                           "%s%s: module %s: what stands around the RTL has this name; give yours "
                           "another",
                           place[0] != '\0' ? file : s->title, place, name);
            return true;
        }
    }
    return false;
}

/* The top is in none of the files, and Verilator would take it from another one in the folder of
 * the first: then nothing of what was named would be looked at. */
static bool is_elsewhere(const wr_user_build *what, const char *top, const char *folder, char *err,
                         size_t err_size)
{
    static const char *const endings[] = {"sv", "v"};
    const char *file;

    for (size_t n = 0; (file = file_of(what->sources, n)) != NULL; n++) {
        char place[32];
        place_of_module(file, top, place, sizeof(place));
        if (place[0] != '\0') {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        char other[WR_VERILATE_PATH + 8];
        bool named = false;
        (void)snprintf(other, sizeof(other), "%s/%s.%s", folder, top, endings[i]);
        for (size_t n = 0; (file = file_of(what->sources, n)) != NULL; n++) {
            named = named || strcmp(file, other) == 0;
        }
        if (!named && access(other, R_OK) == 0) {
            (void)snprintf(err, err_size, "%s: has no module %s; name %s too, if that is meant",
                           what->sources->title, top, other);
            return true;
        }
    }
    return false;
}

/* What there is to say of what failed, or of warnings that are faults here; false: nothing. */
static bool tell_faults(const wr_user_rtl *u, const wr_user_build *what, const char *top,
                        const char *log, bool built, char *err, size_t err_size)
{
    const char *file = NULL;
    char place[32] = "";
    bool faults;
    int used;

    for (size_t n = 0; place[0] == '\0' && (file = file_of(what->sources, n)) != NULL; n++) {
        place_of_module(file, top, place, sizeof(place));
    }
    used = snprintf(err, err_size, "%s%s: module %s does not fit behind the pins of %s:",
                    place[0] != '\0' && file != what->sources->first ? file : what->sources->title,
                    place, top, what->block->name);
    if (used < 0 || (size_t)used >= err_size) {
        used = 0;
    }
    faults = wr_rtl_log_faults(log, u->folder, err + used, err_size - (size_t)used);
    if (!faults && !built) {
        read_log(log, err + used, err_size - (size_t)used);
    }
    return faults || !built;
}

/* Arguments of the script beside the first file: the sources', and parameters of the module. */
static const char **extras_of(const wr_user_build *what, char *params, size_t params_size,
                              size_t *count)
{
    const wr_rtl_sources *s = what->sources;
    const char **extras = calloc(s->count + 2, sizeof(*extras));

    *count = 0;
    if (extras == NULL) {
        return NULL;
    }
    if (s->params != NULL) {
        (void)snprintf(params, params_size, "-DWR_DUT_PARAMS=%s", s->params);
        extras[(*count)++] = params;
    }
    if (what->whole != NULL) {
        extras[(*count)++] = s->first;
    }
    for (size_t i = 0; i < s->count; i++) {
        extras[(*count)++] = s->args[i];
    }
    return extras;
}

/* A parameter of the module's own that is one of the block's. */
static bool params_clash(const wr_user_build *what, char *err, size_t err_size)
{
    for (size_t i = 0; i < what->block->params_count; i++) {
        if (wr_sources_sets(what->sources, what->block->params[i].name)) {
            (void)snprintf(err, err_size, "%s: is a parameter of %s itself, and set with it",
                           what->block->params[i].name, what->block->name);
            return true;
        }
    }
    return false;
}

bool wr_user_rtl_build(wr_user_rtl *u, const wr_user_build *what, char *err, size_t err_size)
{
    static const char *const modes[][2] = {[WR_USER_LOCKSTEP] = {"own", "own-coverage"},
                                           [WR_USER_PINS] = {"pins", "pins-coverage"},
                                           [WR_USER_RTL] = {"rtl", "rtl"}};
    const char *tmp = what->folder != NULL ? what->folder : getenv("TMPDIR");
    const wr_rtl_sources *s = what->sources;
    const char *top = s->top != NULL && what->whole == NULL ? s->top : what->block->name;
    wr_verilate_tools tools = {.root = ""};
    char log[WR_VERILATE_PATH];
    char beside[WR_VERILATE_PATH];
    char params[WR_VERILATE_PATH];
    const char **extras;
    char *slash;
    size_t count;
    bool good;

    memset(u, 0, sizeof(*u));
    if (s->first == NULL) {
        (void)snprintf(err, err_size, "no SystemVerilog file is given for %s", what->block->name);
        return false;
    }
    (void)snprintf(beside, sizeof(beside), "%s", s->first);
    slash = strrchr(beside, '/'); /* the path is absolute */
    slash[slash == beside] = '\0';
    if (params_clash(what, err, err_size) || is_name_taken(what, err, err_size) ||
        (what->whole == NULL && is_elsewhere(what, top, beside, err, err_size)) ||
        !wr_includes_sound(s, err, err_size) || !wr_verilate_find(&tools, err, err_size) ||
        !wr_verilate_able(err, err_size)) {
        return false;
    }
    (void)snprintf(u->folder, sizeof(u->folder), "%s/warpref-XXXXXX", tmp != NULL ? tmp : "/tmp");
    if (mkdtemp(u->folder) == NULL) {
        (void)snprintf(err, err_size, "%s: cannot make a temporary folder", u->folder);
        u->folder[0] = '\0';
        return false;
    }
    (void)snprintf(u->so, sizeof(u->so), "%s/dut.so", u->folder);
    (void)snprintf(log, sizeof(log), "%s/log", u->folder);
    extras = extras_of(what, params, sizeof(params), &count);
    good = extras != NULL &&
           wr_verilate_run(
               &(wr_verilate){
                   .block = what->block,
                   .cfg = what->cfg,
                   .mode = modes[what->mode][what->coverage],
                   .rtl = what->whole != NULL ? what->whole : s->first,
                   .rtl_dir = beside,
                   .top = top,
                   .flags = "-Wno-fatal -Werror-USERERROR -Werror-USERFATAL -Wno-DECLFILENAME",
                   .extras = extras,
                   .extras_count = count},
               &tools, u->folder, u->so, log);
    free(extras);
    good = (good || !wr_verilate_was_full(u->folder, log, err, err_size)) &&
           !tell_faults(u, what, top, log, good, err, err_size);
    if (!good) {
        wr_user_rtl_remove(u);
    } else if (wr_rtl_log_warnings(log, u->folder, err, err_size)) {
        (void)fprintf(stderr, "warning: %s of your own:%s\n", what->block->name, err);
    }
    return good;
}

void wr_user_rtl_remove(const wr_user_rtl *u)
{
    if (u->folder[0] != '\0') {
        wr_verilate_remove(u->folder);
    }
}
