/* SPDX-License-Identifier: Apache-2.0 */
/* Saved views for GTKWave: see save.h. The format is GTKWave's own, lines of text; a line that
 * starts with @ gives the flags of the signals behind it. GTKWave works out the waveform's folder
 * from the names of both files and the path of the view that it was given. */
#include "waveforms/save.h"
#include "files/replace.h"
#include "waveforms/vcd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLAG_HEX = 0x22, FLAG_BIT = 0x28, FLAG_COMMENT = 0x200 };
#define FLAG_ENUM "100000028" /* names stand for the binary digits of a value */

struct wr_save {
    wr_replace to;
    FILE *file; /* its own */
    bool vcd;   /* which has no names of values */
};

bool wr_save_view_path(const char *fst, char *path, size_t size)
{
    const char *slash = strrchr(fst, '/');
    const char *dot = strrchr(slash != NULL ? slash : fst, '.');
    size_t stem = dot != NULL ? (size_t)(dot - fst) : strlen(fst);

    if (stem + sizeof(".gtkw") > size) {
        return false;
    }
    memcpy(path, fst, stem);
    memcpy(path + stem, ".gtkw", sizeof(".gtkw"));
    return strcmp(path, fst) != 0;
}

wr_save *wr_save_open(const char *path, const char *fst)
{
    const char *slash = strrchr(path, '/');
    wr_save *s = malloc(sizeof(*s));

    if (s == NULL) {
        return NULL;
    }
    if (!wr_replace_open(&s->to, path)) {
        free(s);
        return NULL;
    }
    s->file = s->to.file;
    s->vcd = wr_vcd_is_named(fst);
    (void)fprintf(s->file, "[*]\n[dumpfile] \"%s\"\n[savefile] \"%s\"\n", fst,
                  slash != NULL ? slash + 1 : path);
    return s;
}

bool wr_save_close(wr_save *s)
{
    const bool good = wr_replace_close(&s->to, true);

    free(s);
    return good;
}

void wr_save_place(wr_save *s, uint64_t start, uint32_t zoom)
{
    (void)fprintf(s->file, "[timestart] %" PRIu64 "\n*-%" PRIu32 ".0 %" PRIu64 "\n", start, zoom,
                  start);
}

void wr_save_enum(wr_save *s, const char *name, uint32_t width)
{
    if (s->vcd) {
        wr_save_signal(s, name, width);
        return;
    }
    (void)fprintf(s->file, "@" FLAG_ENUM "\n%s[%" PRIu32 ":0]\n", name, width - 1);
}

void wr_save_comment(wr_save *s, const char *text)
{
    (void)fprintf(s->file, "@%x\n-%s\n", (unsigned)FLAG_COMMENT, text);
}

void wr_save_signal(wr_save *s, const char *name, uint32_t width)
{
    if (width == 1) {
        (void)fprintf(s->file, "@%x\n%s\n", (unsigned)FLAG_BIT, name);
    } else {
        (void)fprintf(s->file, "@%x\n%s[%" PRIu32 ":0]\n", (unsigned)FLAG_HEX, name, width - 1);
    }
}
