/* SPDX-License-Identifier: Apache-2.0 */
/* RTL that is not ours in a run: see own_rtl.h. */
#include "dpi/own_rtl.h"

#include "dpi/rtl_sources.h"
#include "dpi/user_rtl.h"
#include "dpi/verilate.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 32, BUILT = 64 };

typedef struct given {
    const wr_block_desc *block;
    wr_rtl_sources sources;
    bool used;
} given;

typedef struct built {
    const wr_block_desc *block;
    uint32_t params[WR_MAX_PARAMS];
    wr_user_rtl rtl;
} built;

struct wr_own_rtl {
    const char *folder;
    wr_pulse *pulse;
    given given[BLOCKS];
    size_t given_count;
    built built[BUILT];
    size_t built_count;
    const wr_block_desc *asked[BLOCKS]; /* whose ports the run opens */
    size_t asked_count;
};

wr_own_rtl *wr_own_rtl_new(const char *folder, wr_pulse *pulse)
{
    wr_own_rtl *o = calloc(1, sizeof(*o));

    if (o != NULL) {
        o->folder = folder;
        o->pulse = pulse;
    }
    return o;
}

void wr_own_rtl_free(wr_own_rtl *o)
{
    for (size_t i = 0; o != NULL && i < o->given_count; i++) {
        wr_sources_free(&o->given[i].sources);
    }
    free(o);
}

static bool add_part(wr_rtl_sources *s, const char *part, char *err, size_t err_size)
{
    static const struct {
        const char *key;
        bool (*add)(wr_rtl_sources *s, const char *value, char *err, size_t err_size);
    } keys[] = {{"top=", wr_sources_top},         {"dir=", wr_sources_dir},
                {"include=", wr_sources_include}, {"define=", wr_sources_define},
                {"param=", wr_sources_param},     {"filelist=", wr_sources_list}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const size_t n = strlen(keys[i].key);
        if (strncmp(part, keys[i].key, n) == 0) {
            return keys[i].add(s, part + n, err, err_size);
        }
    }
    return wr_sources_file(s, part, err, err_size);
}

/* The sources of this block, of which there are none yet or some. */
static given *place_of(wr_own_rtl *o, const wr_block_desc *block)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (o->given[i].block == block) {
            return &o->given[i];
        }
    }
    if (o->given_count == BLOCKS) {
        return NULL;
    }
    o->given[o->given_count].block = block;
    return &o->given[o->given_count++];
}

bool wr_own_rtl_add(wr_own_rtl *o, const char *spec, char *err, size_t err_size)
{
    const size_t n = strcspn(spec, "=");
    char name[64];
    char *parts;
    given *g;
    bool good = true;

    (void)snprintf(name, sizeof(name), "%.*s", (int)n, spec);
    if (spec[n] == '\0' || wr_block_find(name) == NULL) {
        (void)snprintf(err, err_size,
                       "--rtl '%s': must be BLOCK=FILE.sv[,...]; 'warpref blocks' lists the blocks",
                       spec);
        return false;
    }
    g = place_of(o, wr_block_find(name));
    parts = strdup(spec + n + 1);
    if (g == NULL || parts == NULL) {
        (void)snprintf(err, err_size, "--rtl: out of memory, or too many blocks");
        free(parts);
        return false;
    }
    for (char *at = parts, *next; good && at != NULL; at = next) {
        next = strchr(at, ',');
        if (next != NULL) {
            *next++ = '\0';
        }
        good = add_part(&g->sources, at, err, err_size);
    }
    free(parts);
    return good;
}

/* Whether a given block has its place in our RTL of another one: not inside a third that is given,
 * too, which has whatever its user gave it. */
static bool stands_in(const wr_own_rtl *o, const wr_block_desc *whole, const wr_block_desc *part)
{
    for (size_t i = 0; i < o->given_count; i++) {
        const wr_block_desc *other = o->given[i].block;
        if (wr_block_holds(whole, other) && wr_block_holds(other, part)) {
            return false;
        }
    }
    return wr_block_holds(whole, part);
}

/* A folder of links to our RTL of a group but for the parts that are given: nothing but the user's
 * modules can take their places. */
static bool link_others(const wr_own_rtl *o, const char *root, const wr_block_desc *whole,
                        char *folder, size_t size, char *err, size_t err_size)
{
    char pattern[WR_VERILATE_PATH];
    glob_t found = {0};
    bool good;

    (void)snprintf(folder, size, "%s/%s-XXXXXX", o->folder, whole->name);
    (void)snprintf(pattern, sizeof(pattern), "%s/rtl/%s/*.sv", root, whole->group);
    good = mkdtemp(folder) != NULL && glob(pattern, 0, NULL, &found) == 0;
    for (size_t i = 0; good && i < found.gl_pathc; i++) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        char link[2 * WR_VERILATE_PATH];
        bool is_given = false;

        for (size_t g = 0; g < o->given_count; g++) {
            const wr_block_desc *part = o->given[g].block;
            const size_t n = strlen(part->name);
            is_given = is_given || (strncmp(name, part->name, n) == 0 &&
                                    strcmp(name + n, ".sv") == 0 && stands_in(o, whole, part));
        }
        (void)snprintf(link, sizeof(link), "%s/%s", folder, name);
        good = is_given || symlink(found.gl_pathv[i], link) == 0;
    }
    globfree(&found);
    if (!good) {
        (void)snprintf(err, err_size, "%s: cannot be written", folder);
    }
    return good;
}

/* The header of our module of a block, "module" to ");", as it stands in its file: a whole may set
 * parameters that the block itself has not. */
static bool copy_header(const char *root, const wr_block_desc *block, FILE *to)
{
    char path[WR_VERILATE_PATH];
    char line[1024];
    FILE *from;
    bool inside = false;
    bool whole = false;

    (void)snprintf(path, sizeof(path), "%s/rtl/%s/%s.sv", root, block->group, block->name);
    from = fopen(path, "r");
    while (from != NULL && !whole && fgets(line, sizeof(line), from) != NULL) {
        inside = inside || strncmp(line, "module ", strlen("module ")) == 0;
        whole = inside && strncmp(line, ");", 2) == 0;
        if (inside) {
            (void)fputs(line, to);
        }
    }
    if (from != NULL) {
        (void)fclose(from);
    }
    return whole;
}

/* A module of the block's name and pins around the user's, whose name is another or which has
 * parameters of its own: the whole knows the part by its name. */
static bool write_shim(const wr_own_rtl *o, const char *root, const given *g, char *path,
                       size_t size, char *err, size_t err_size)
{
    const wr_block_desc *b = g->block;
    const char *params = g->sources.params != NULL ? g->sources.params : "";
    FILE *file;
    bool good;

    (void)snprintf(path, size, "%s/%s_shim.sv", o->folder, b->name);
    file = fopen(path, "w");
    good = file != NULL && copy_header(root, b, file);
    if (file != NULL) {
        (void)fprintf(file, "  %s #(\n", g->sources.top != NULL ? g->sources.top : b->name);
        for (size_t i = 0; i < b->params_count; i++) {
            (void)fprintf(file, "    %s.%s(%s)", i > 0 ? ", " : "", b->params[i].name,
                          b->params[i].name);
        }
        (void)fprintf(file, "%s\n  ) u_dut (.*);\nendmodule\n", params);
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        (void)snprintf(err, err_size, "%s: cannot be written, of %s/rtl/%s/%s.sv", path, root,
                       b->group, b->name);
    }
    return good;
}

/* The sources of a block of ours with the given parts inside: *parts of them, none if 0. */
static bool with_parts(wr_own_rtl *o, const char *root, const wr_block_desc *whole,
                       wr_rtl_sources *s, size_t *parts, char *err, size_t err_size)
{
    char folder[WR_VERILATE_PATH];
    char shim[WR_VERILATE_PATH];
    bool good = true;

    *parts = 0;
    for (size_t i = 0; good && i < o->given_count; i++) {
        given *g = &o->given[i];
        const wr_rtl_sources *from = &g->sources;
        bool is_named;

        if (!stands_in(o, whole, g->block)) {
            continue;
        }
        is_named = from->top == NULL || strcmp(from->top, g->block->name) == 0;
        if (is_named && from->params != NULL) {
            (void)snprintf(
                err, err_size,
                "--rtl %s: is a part of %s, which sets no param=: give its module another "
                "name than the block's, by top=",
                g->block->name, whole->name);
            return false;
        }
        if (from->first == NULL) {
            (void)snprintf(err, err_size, "--rtl %s: names no SystemVerilog file", g->block->name);
            return false;
        }
        g->used = true;
        if ((*parts)++ == 0) {
            s->first = strdup(from->first);
            s->title = strdup(from->title);
            good = s->first != NULL && s->title != NULL;
        } else {
            good = wr_sources_arg(s, from->first, err, err_size);
        }
        for (size_t a = 0; good && a < from->count; a++) {
            good = wr_sources_arg(s, from->args[a], err, err_size);
        }
        if (good && !is_named) {
            good = write_shim(o, root, g, shim, sizeof(shim), err, err_size) &&
                   wr_sources_arg(s, shim, err, err_size);
        }
    }
    if (good && *parts > 0) {
        good = link_others(o, root, whole, folder, sizeof(folder), err, err_size) &&
               wr_sources_arg(s, "-y", err, err_size) && wr_sources_arg(s, folder, err, err_size);
    }
    return good;
}

static bool make(wr_own_rtl *o, const wr_rtl_sources *sources, const char *whole, built *b,
                 const void *cfg, bool lockstep, char *err, size_t err_size)
{
    const wr_user_build what = {.block = b->block,
                                .cfg = cfg,
                                .sources = sources,
                                .whole = whole,
                                .mode = lockstep ? WR_USER_LOCKSTEP : WR_USER_RTL,
                                .folder = o->folder};
    char params[256];

    wr_block_params_text(b->block, cfg, params, sizeof(params));
    (void)fprintf(stderr, "Verilating %s%s %s (%s) with %s\n", whole != NULL ? "our " : "",
                  b->block->name, whole != NULL ? "for a part of it" : "of your own", params,
                  sources->title != NULL ? sources->title : "");
    return wr_user_rtl_build(&b->rtl, &what, err, err_size);
}

/* Builds for one more pair of block and parameters. *made: there was something to build. */
static bool build(wr_own_rtl *o, const wr_block_desc *block, const void *cfg, bool lockstep,
                  bool *made, char *err, size_t err_size)
{
    built *b = &o->built[o->built_count];
    wr_verilate_tools tools = {.root = ""};
    wr_rtl_sources mixed = {0};
    char whole[WR_VERILATE_PATH];
    size_t parts = 0;
    bool good;

    *made = false;
    b->block = block;
    memcpy(b->params, cfg, block->params_count * sizeof(b->params[0]));
    for (size_t i = 0; i < o->given_count; i++) {
        if (o->given[i].block == block) {
            o->given[i].used = true;
            *made = true;
            return make(o, &o->given[i].sources, NULL, b, cfg, lockstep, err, err_size);
        }
    }
    if (!wr_verilate_find(&tools, err, err_size)) {
        return false;
    }
    good = with_parts(o, tools.root, block, &mixed, &parts, err, err_size);
    if (good && parts > 0) {
        (void)snprintf(whole, sizeof(whole), "%s/rtl/%s/%s.sv", tools.root, block->group,
                       block->name);
        *made = true;
        good = make(o, &mixed, whole, b, cfg, lockstep, err, err_size);
    }
    wr_sources_free(&mixed);
    return good;
}

static void note_asked(wr_own_rtl *o, const wr_block_desc *block)
{
    for (size_t i = 0; i < o->asked_count; i++) {
        if (o->asked[i] == block) {
            return;
        }
    }
    if (o->asked_count < BLOCKS) {
        o->asked[o->asked_count++] = block;
    }
}

bool wr_own_rtl_find(wr_own_rtl *o, const wr_block_desc *block, const void *cfg, bool lockstep,
                     wr_port_own *own, char *err, size_t err_size)
{
    bool made;

    note_asked(o, block);
    for (size_t i = 0; i < o->built_count; i++) {
        built *b = &o->built[i];
        if (b->block == block &&
            memcmp(b->params, cfg, block->params_count * sizeof(b->params[0])) == 0) {
            *own = (wr_port_own){.lib = b->rtl.so, .pulse = o->pulse};
            return true;
        }
    }
    if (o->built_count == BUILT) {
        (void)snprintf(err, err_size, "--rtl: more than %d blocks and parameters in one run",
                       BUILT);
        return false;
    }
    if (!build(o, block, cfg, lockstep, &made, err, err_size)) {
        return false;
    }
    if (made) {
        *own = (wr_port_own){.lib = o->built[o->built_count].rtl.so, .pulse = o->pulse};
        o->built_count++;
    }
    return true;
}

/* "context_saver (with liveness_decoder, ...)", at the end of the text. */
static void append_block(const wr_block_desc *block, char *text, size_t size)
{
    size_t used = strlen(text);

    (void)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", block->name);
    for (size_t i = 0; i < block->inside_count; i++) {
        used = strlen(text);
        (void)snprintf(text + used, size - used, "%s%s%s", i == 0 ? " (with " : ", ",
                       block->inside[i], i + 1 == block->inside_count ? ")" : "");
    }
}

/* Why a block that is given stands nowhere. */
static void tell_unused(const wr_own_rtl *o, const wr_block_desc *part, char *err, size_t err_size)
{
    char names[1024] = "";

    for (size_t i = 0; i < o->given_count; i++) {
        const char *whole = o->given[i].block->name;
        if (wr_block_holds(o->given[i].block, part)) {
            (void)snprintf(err, err_size,
                           "--rtl %s: is a part of %s, which is yours, too: give its files to that "
                           "one, --rtl %s=FILE,...",
                           part->name, whole, whole);
            return;
        }
    }
    for (size_t i = 0; i < o->asked_count; i++) {
        append_block(o->asked[i], names, sizeof(names));
    }
    (void)snprintf(err, err_size, "--rtl %s: the systems of this run use %s", part->name,
                   names[0] != '\0' ? names : "no blocks");
}

bool wr_own_rtl_all_used(const wr_own_rtl *o, char *err, size_t err_size)
{
    for (size_t i = 0; i < o->given_count; i++) {
        if (!o->given[i].used) {
            tell_unused(o, o->given[i].block, err, err_size);
            return false;
        }
    }
    return true;
}
