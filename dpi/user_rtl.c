/* SPDX-License-Identifier: Apache-2.0 */
/* Verilating a user's RTL in a temporary folder, and saying what does not fit. */
#include "dpi/user_rtl.h"

#include "dpi/rtl_log.h"
#include "dpi/verilate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

bool wr_user_rtl_build(wr_user_rtl *u, const wr_block_desc *block, const void *cfg,
                       const char *file, const char *top, bool pins_only, char *err,
                       size_t err_size)
{
    const char *tmp = getenv("TMPDIR");
    wr_verilate_tools tools = {.root = ""};
    char log[WR_VERILATE_PATH];
    char beside[WR_VERILATE_PATH];
    struct stat info;
    bool built;
    int used;
    char *slash;

    memset(u, 0, sizeof(*u));
    if (access(file, R_OK) != 0 || stat(file, &info) != 0 || S_ISDIR(info.st_mode)) {
        (void)snprintf(err, err_size, "%s: cannot be read", file);
        return false;
    }
    if (!wr_verilate_find(&tools, err, err_size) || !wr_verilate_able(err, err_size)) {
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
    (void)snprintf(beside, sizeof(beside), "%s", file);
    slash = strrchr(beside, '/');
    (void)snprintf(slash != NULL ? slash : beside, 2, "%s", slash != NULL ? "" : ".");
    built = wr_verilate_run(&(wr_verilate){.block = block,
                                           .cfg = cfg,
                                           .mode = pins_only ? "pins" : "own",
                                           .rtl = file,
                                           .rtl_dir = beside[0] != '\0' ? beside : "/",
                                           .top = top,
                                           .flags = "-Wno-fatal -Wno-DECLFILENAME"},
                            &tools, u->folder, u->so, log);
    used = snprintf(err, err_size, "%s: module %s does not fit behind the pins of %s:", file, top,
                    block->name);
    if (used < 0 || (size_t)used >= err_size) {
        used = 0;
    }
    if (wr_rtl_log_faults(log, u->folder, err + used, err_size - (size_t)used)) {
        built = false;
    } else if (!built) {
        read_log(log, err + used, err_size - (size_t)used);
    }
    if (!built) {
        wr_user_rtl_remove(u);
    }
    return built;
}

void wr_user_rtl_remove(const wr_user_rtl *u)
{
    if (u->folder[0] != '\0') {
        wr_verilate_remove(u->folder);
    }
}
