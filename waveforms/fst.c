/* SPDX-License-Identifier: Apache-2.0 */
/* The FST writer: a thin cover of fstapi. See fst.h. */
#include "waveforms/fst.h"
#include "files/replace.h"
#include "waveforms/vcd.h"

#include "fstapi.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variable's value in the file; fstapi numbers variables from 1 on. */
typedef struct last {
    uint64_t value;
    bool known;
} last;

struct wr_fst {
    void *ctx;     /* fstapi's */
    wr_replace to; /* what it writes */
    wr_vcd *vcd;   /* or this one */
    uint64_t time; /* as set last */
    bool timed;
    last *last;      /* by variable: fstapi writes every value that it is given */
    uint32_t counts; /* variables that it has room for */
};

static void *open_fst(const char *path)
{
    void *ctx = fstWriterCreate(path, 1);

    if (ctx != NULL) {
        fstWriterSetTimescale(ctx, -9);
        fstWriterSetPackType(ctx, FST_WR_PT_LZ4);
        fstWriterSetDate(ctx, "");
        fstWriterSetVersion(ctx, "warpref");
    }
    return ctx;
}

wr_fst *wr_fst_open(const char *path)
{
    wr_fst *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        return NULL;
    }
    if (wr_vcd_is_named(path)) {
        w->vcd = wr_vcd_open(path);
    } else if (wr_replace_open_name(&w->to, path)) { /* fstapi writes late and reports nothing */
        w->ctx = open_fst(w->to.beside);
    }
    if (w->ctx == NULL && w->vcd == NULL) {
        const int error = errno;

        (void)wr_replace_close(&w->to, false);
        free(w);
        errno = error;
        return NULL;
    }
    return w;
}

static bool end(wr_fst *w, bool keep)
{
    bool whole;

    if (w->vcd != NULL) {
        whole = wr_vcd_close(w->vcd, keep);
    } else {
        fstWriterClose(w->ctx);
        whole = wr_fst_is_whole(w->to.beside);
        whole = wr_replace_close(&w->to, keep && whole) && whole;
    }
    free(w->last);
    free(w);
    return whole;
}

bool wr_fst_close(wr_fst *w)
{
    return w == NULL || end(w, true);
}

void wr_fst_drop(wr_fst *w)
{
    if (w != NULL) {
        (void)end(w, false);
    }
}

void wr_fst_cut(wr_fst *w)
{
    if (w->vcd != NULL) {
        wr_vcd_cut(w->vcd);
    } else {
        fstWriterSetVersion(w->ctx, "warpref, " WR_CUT); /* readers refuse a late comment */
    }
}

/* A section is a byte that says what it is and its length in eight, which counts these; the header
 * comes first, and fstapi writes geometry and hierarchy when it closes the file. A section that it
 * has not ended is marked as one to be skipped. */
bool wr_fst_is_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t head[9];
    bool has[256] = {false};
    bool whole = file != NULL;
    uint64_t at = 0;

    while (whole && fread(head, 1, sizeof(head), file) == sizeof(head)) {
        uint64_t length = 0;

        for (uint32_t i = 1; i < sizeof(head); i++) {
            length = length << 8 | head[i];
        }
        whole = head[0] != FST_BL_SKIP && (at != 0 || head[0] == FST_BL_HDR) && length >= 8 &&
                length < UINT64_MAX / 4;
        at += whole ? 1 + length : 0;
        whole = whole && fseeko(file, (off_t)at, SEEK_SET) == 0;
        has[head[0]] = true;
    }
    if (file != NULL) {
        whole = whole && fseeko(file, 0, SEEK_END) == 0 && (uint64_t)ftello(file) == at;
        (void)fclose(file);
    }
    return whole && has[FST_BL_GEOM] &&
           (has[FST_BL_HIER] || has[FST_BL_HIER_LZ4] || has[FST_BL_HIER_LZ4DUO]);
}

void wr_fst_scope(wr_fst *w, const char *name)
{
    if (w->vcd != NULL) {
        wr_vcd_scope(w->vcd, name);
    } else {
        fstWriterSetScope(w->ctx, FST_ST_VCD_MODULE, name, NULL);
    }
}

void wr_fst_upscope(wr_fst *w)
{
    if (w->vcd != NULL) {
        wr_vcd_upscope(w->vcd);
    } else {
        fstWriterSetUpscope(w->ctx);
    }
}

enum { ENUM_MAX = 64, ENUM_BITS = 16 };

wr_fst_enum wr_fst_enum_table(wr_fst *w, const char *name, uint32_t width, const char *const *names,
                              uint32_t count)
{
    char text[ENUM_MAX][ENUM_BITS + 1];
    const char *values[ENUM_MAX];
    const char *literals[ENUM_MAX];

    if (w->vcd != NULL || count > ENUM_MAX || width > ENUM_BITS) {
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

/* Room for the last value of a variable. Where memory lacks, all that it is set to is written. */
static void remember(wr_fst *w, wr_fst_var var)
{
    if (var < w->counts) {
        return;
    }
    const uint32_t counts = 2 * var + 64;
    last *grown = realloc(w->last, counts * sizeof(*grown));

    if (grown != NULL) {
        memset(grown + w->counts, 0, (counts - w->counts) * sizeof(*grown));
        w->last = grown;
        w->counts = counts;
    }
}

wr_fst_var wr_fst_add(wr_fst *w, const char *name, uint32_t width, wr_fst_enum names)
{
    if (w->vcd != NULL) {
        return wr_vcd_add(w->vcd, name, width);
    }
    if (names != 0) {
        fstWriterEmitEnumTableRef(w->ctx, names);
    }
    const wr_fst_var var =
        fstWriterCreateVar(w->ctx, FST_VT_VCD_WIRE, FST_VD_IMPLICIT, width, name, 0);

    remember(w, var);
    return var;
}

void wr_fst_time(wr_fst *w, uint64_t time)
{
    if (w->timed && time <= w->time) {
        return; /* another writer of the file has been there */
    }
    w->time = time;
    w->timed = true;
    if (w->vcd != NULL) {
        wr_vcd_time(w->vcd, time);
    } else {
        fstWriterEmitTimeChange(w->ctx, time);
    }
}

void wr_fst_set(wr_fst *w, wr_fst_var var, uint32_t width, uint64_t value)
{
    if (w->vcd != NULL) {
        wr_vcd_set(w->vcd, var, value);
        return;
    }
    last *in_file = var < w->counts ? &w->last[var] : NULL;

    if (in_file == NULL || !in_file->known || in_file->value != value) {
        fstWriterEmitValueChange64(w->ctx, var, width, value);
        if (in_file != NULL) {
            *in_file = (last){.value = value, .known = true};
        }
    }
}
