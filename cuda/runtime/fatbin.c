/* SPDX-License-Identifier: Apache-2.0 */
/* Fat binaries; see fatbin.h. The libraries that decompress are looked for when they are needed:
 * programs by `warpref cc` need none, and Debian's dpkg and apt have brought both. */
#include "cuda/runtime/fatbin.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 16, IMAGE_HEAD = 64, KIND_PTX = 1, KIND_MACHINE = 2 };

static uint64_t number(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes); /* both ends are x86-64 */
    return value;
}

static __attribute__((format(printf, 2, 3))) bool refuse(char why[WR_FATBIN_WHY],
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    /* va_start is right above; the analyzer loses it.
     * NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized) */
    (void)vsnprintf(why, WR_FATBIN_WHY, format, args);
    va_end(args);
    return false;
}

/* Keeps them in order. */
static bool add(wr_fatbin *fat, wr_fatbin_ptx ptx)
{
    wr_fatbin_ptx *longer = realloc(fat->ptx, (fat->count + 1) * sizeof *longer);
    if (!longer) {
        return false;
    }
    size_t at = fat->count++;
    fat->ptx = longer;
    for (; at > 0 && longer[at - 1].target < ptx.target; at--) {
        longer[at] = longer[at - 1];
    }
    longer[at] = ptx;
    return true;
}

static bool read_image(wr_fatbin *fat, const uint8_t *at, size_t left, size_t *taken,
                       char why[WR_FATBIN_WHY])
{
    uint64_t head = left < IMAGE_HEAD ? 0 : number(at + 4, 4);
    if (head < IMAGE_HEAD || head > left) {
        return refuse(why, "the head of an image is cut off");
    }
    uint64_t bytes = number(at + 8, 8);
    if (bytes > left - head) {
        return refuse(why, "an image of %llu bytes where %llu are left", (unsigned long long)bytes,
                      (unsigned long long)(left - head));
    }
    *taken = (size_t)(head + bytes);
    uint64_t kind = number(at, 2);
    uint32_t target = (uint32_t)number(at + 28, 4);
    if (kind == KIND_MACHINE) {
        size_t used = strlen(fat->machine);
        (void)snprintf(fat->machine + used, sizeof fat->machine - used, "%ssm_%u", used ? ", " : "",
                       target);
    }
    wr_fatbin_ptx ptx = {.target = target,
                         .flags = number(at + 40, 8),
                         .data = at + head,
                         .bytes = bytes,
                         .packed = number(at + 16, 4),
                         .text_bytes = number(at + 56, 8)};
    return kind != KIND_PTX || add(fat, ptx) || refuse(why, "out of memory");
}

bool wr_fatbin_read(const void *at, size_t room, wr_fatbin *fat, char why[WR_FATBIN_WHY])
{
    const uint8_t *bytes = at;
    *fat = (wr_fatbin){0};
    if (room < HEAD || number(bytes, 4) != WR_FATBIN_MAGIC) {
        return refuse(why, "it does not begin as one");
    }
    uint64_t offset = number(bytes + 6, 2), size = number(bytes + 8, 8);
    if (offset < HEAD || offset > room || size > room - offset) {
        return refuse(why, "it is cut off");
    }
    for (uint64_t end = offset + size; offset < end;) {
        size_t taken = 0;
        if (!read_image(fat, bytes + offset, (size_t)(end - offset), &taken, why)) {
            wr_fatbin_free(fat);
            return false;
        }
        offset += taken;
    }
    return true;
}

void wr_fatbin_free(wr_fatbin *fat)
{
    free(fat->ptx);
    *fat = (wr_fatbin){0};
}

/* --- Compressed text ---------------------------------------------------------------------------
 */

static bool lz4(void *function, char *to, size_t room, const uint8_t *from, size_t bytes)
{
    int (*decompress)(const char *, char *, int, int);
    memcpy(&decompress, &function, sizeof function);
    return decompress((const char *)from, to, (int)bytes, (int)room) == (int)room;
}

static bool zstd(void *function, char *to, size_t room, const uint8_t *from, size_t bytes)
{
    size_t (*decompress)(void *, size_t, const void *, size_t);
    memcpy(&decompress, &function, sizeof function);
    return decompress(to, room, from, bytes) == room;
}

static const struct packing {
    uint64_t flag;
    const char *name, *library, *function, *package;
    bool (*unpack)(void *function, char *to, size_t room, const uint8_t *from, size_t bytes);
} packings[] = {{0x2000, "LZ4", "liblz4.so.1", "LZ4_decompress_safe", "liblz4-1", lz4},
                {0x8000, "zstd", "libzstd.so.1", "ZSTD_decompress", "libzstd1", zstd}};

static bool unpack(const wr_fatbin_ptx *ptx, const struct packing *p, char *to,
                   char why[WR_FATBIN_WHY])
{
    void *library = dlopen(p->library, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, p->function) : NULL;
    bool ok = function ? p->unpack(function, to, (size_t)ptx->text_bytes, ptx->data,
                                   (size_t)ptx->packed) ||
                             refuse(why, "what %s has compressed is corrupt", p->name)
                       : refuse(why,
                                "its PTX is compressed by %s: install Debian's %s, or compile "
                                "with nvcc -no-compress",
                                p->name, p->package);
    if (library) {
        (void)dlclose(library);
    }
    return ok;
}

char *wr_fatbin_text(const wr_fatbin_ptx *ptx, char why[WR_FATBIN_WHY])
{
    const struct packing *p = NULL;
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        p = ptx->flags & packings[i].flag ? &packings[i] : p;
    }
    uint64_t bytes = p ? ptx->text_bytes : ptx->bytes;
    if (bytes == 0 || bytes > WR_FATBIN_TEXT ||
        (p && (ptx->packed > ptx->bytes || ptx->packed > WR_FATBIN_TEXT))) {
        (void)refuse(why, "an image of PTX has impossible sizes");
        return NULL;
    }
    if (!p && ptx->packed != 0) {
        (void)refuse(why, "its PTX is compressed in a way that is not known: compile with nvcc "
                          "--compress-mode=none or -no-compress");
        return NULL;
    }
    char *text = calloc((size_t)bytes + 1, 1);
    if (!text) {
        (void)refuse(why, "out of memory");
    } else if (!p) {
        memcpy(text, ptx->data, (size_t)bytes);
    } else if (!unpack(ptx, p, text, why)) {
        free(text);
        text = NULL;
    }
    return text;
}
