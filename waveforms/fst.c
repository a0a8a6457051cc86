/* SPDX-License-Identifier: Apache-2.0 */
/* The FST writer: a thin cover of fstapi. See fst.h. */
#include "waveforms/fst.h"

#include "fstapi.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct wr_fst {
    void *ctx;     /* fstapi's */
    uint64_t time; /* as set last */
    bool timed;
};

wr_fst *wr_fst_open(const char *path)
{
    /* fstapi opens the file late and reports nothing, so try the path first. It also removes
     * the path and makes it anew: of a device or a pipe nothing would be left. */
    struct stat st;
    bool other = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    FILE *probe = other ? NULL : fopen(path, "wb");
    wr_fst *w;
    void *ctx;

    if (probe == NULL || fclose(probe) != 0) {
        return NULL;
    }
    w = malloc(sizeof(*w));
    ctx = w != NULL ? fstWriterCreate(path, 1) : NULL;
    if (ctx == NULL) {
        free(w);
        return NULL;
    }
    w->ctx = ctx;
    w->timed = false;
    fstWriterSetTimescale(ctx, -9);
    fstWriterSetPackType(ctx, FST_WR_PT_LZ4);
    fstWriterSetDate(ctx, "");
    fstWriterSetVersion(ctx, "warpref");
    return w;
}

void wr_fst_close(wr_fst *w)
{
    if (w != NULL) {
        fstWriterClose(w->ctx);
        free(w);
    }
}

void wr_fst_scope(wr_fst *w, const char *name)
{
    fstWriterSetScope(w->ctx, FST_ST_VCD_MODULE, name, NULL);
}

void wr_fst_upscope(wr_fst *w)
{
    fstWriterSetUpscope(w->ctx);
}

enum { ENUM_MAX = 64, ENUM_BITS = 16 };

wr_fst_enum wr_fst_enum_table(wr_fst *w, const char *name, uint32_t width, const char *const *names,
                              uint32_t count)
{
    char text[ENUM_MAX][ENUM_BITS + 1];
    const char *values[ENUM_MAX];
    const char *literals[ENUM_MAX];

    if (count > ENUM_MAX || width > ENUM_BITS) {
        return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t b = 0; b < width; b++) {
            text[i][b] = (i >> (width - 1 - b) & 1) != 0 ? '1' : '0';
        }
        text[i][width] = '\0';
        values[i] = text[i];
        literals[i] = names[i];
    }
    return fstWriterCreateEnumTable(w->ctx, name, count, width, literals, values);
}

wr_fst_var wr_fst_add(wr_fst *w, const char *name, uint32_t width, wr_fst_enum names)
{
    if (names != 0) {
        fstWriterEmitEnumTableRef(w->ctx, names);
    }
    return fstWriterCreateVar(w->ctx, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, width, name, 0);
}

void wr_fst_time(wr_fst *w, uint64_t time)
{
    if (w->timed && time <= w->time) {
        return; /* another writer of the file has been there */
    }
    w->time = time;
    w->timed = true;
    fstWriterEmitTimeChange(w->ctx, time);
}

void wr_fst_set(wr_fst *w, wr_fst_var var, uint32_t width, uint64_t value)
{
    fstWriterEmitValueChange64(w->ctx, var, width, value);
}
