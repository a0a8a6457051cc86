/* SPDX-License-Identifier: Apache-2.0 */
/* Making the systems of a GPU, and what they share: see group.h. */
#include "systems/frame/group.h"

#include "dpi/block_wave.h"
#include "systems/frame/chain.h"
#include "vectors/folder.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES = 512, VIEW_ZOOM = 13 /* the view opens on the first session */ };

typedef struct member {
    const wr_system_type *type;
    wr_option_value *values; /* of the type's options */
    wr_option_value common[WR_BAY_OPTIONS];
    char *texts; /* of the values */
    wr_bay *bay;
    wr_system *system;
} member;

struct wr_system_group {
    member members[WR_MAX_OWNERS];
    uint32_t count;
    wr_chain chain;
    const wr_system_hooks *hooks;
    wr_backend backend;
    const char *wave_path; /* NULL: none */
    char view_path[WR_OPTION_PATH_SIZE + 8];
    wr_fst *fst;
    wr_vectors_folder records[WR_MAX_OWNERS]; /* by member; of several the first has it */
    bool cut;                                 /* the run was stopped before its end */
};

static bool set_type(member *m, const char *spec, char *err, size_t err_size)
{
    size_t name_size = strcspn(spec, ":");
    char names[NAMES] = "";
    size_t count;

    m->type = wr_system_find(spec, name_size);
    if (m->type) {
        return true;
    }
    const wr_system_type *const *all = wr_system_types(&count);

    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(names);

        (void)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", all[i]->name);
    }
    (void)snprintf(err, err_size, "unknown system \"%.*s\"; systems are %s", (int)name_size, spec,
                   names);
    return false;
}

/* The type says that it can't run beside the system of this name. */
static bool is_not_with(const wr_system_type *type, const char *name)
{
    size_t length = strlen(name);
    const char *at = type->not_with;

    while (at != NULL && !(strncmp(at, name, length) == 0 && strchr(", ", at[length]) != NULL)) {
        at = strchr(at, ' ');
        at = at != NULL ? at + 1 : NULL;
    }
    return at != NULL;
}

/* The system of the group beside which this one can't run; NULL: there is none. */
static const wr_system_type *rival(const wr_system_group *g, const wr_system_type *type)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const wr_system_type *other = g->members[i].type;

        if (is_not_with(type, other->name) || is_not_with(other, type->name)) {
            return other;
        }
    }
    return NULL;
}

static bool check_needs(const wr_system_type *type, const wr_gpu_config *cfg, char *err,
                        size_t err_size)
{
    for (size_t i = 0; i < type->need_count; i++) {
        const wr_system_need *need = &type->needs[i];
        uint32_t value = wr_config_field_of(need->field, cfg);
        char range[64];

        if (value >= need->min && value <= need->max) {
            continue;
        }
        (void)snprintf(range, sizeof range, "from %" PRIu32 " to %" PRIu32, need->min, need->max);
        if (need->min == need->max) {
            (void)snprintf(range, sizeof range, "%" PRIu32, need->min);
        }
        (void)snprintf(err, err_size,
                       "system %s needs a configuration with %s %s; it is %" PRIu32 " in %s",
                       type->name, need->field.name, range, value, cfg->name);
        return false;
    }
    return true;
}

static bool read_member(member *m, const char *spec, const wr_system_given *given,
                        const wr_gpu_config *cfg, char *err, size_t err_size)
{
    const wr_system_type *type = m->type;
    const wr_option_text texts[] = {
        {"blocks", given->blocks}, {"wave", given->wave}, {"record", given->record}};
    const char *options = spec + strlen(type->name);

    m->values = calloc(type->option_count + 1, sizeof *m->values);
    if (!m->values) {
        (void)snprintf(err, err_size, "out of memory");
        return false;
    }
    const wr_option_part parts[] = {{type->options, type->option_count, m->values},
                                    {wr_bay_options, WR_BAY_OPTIONS, m->common}};
    size_t common = type->blocks ? 1 : 0;

    return wr_options_read(type->name, parts, 1 + common, texts, 3 * common,
                           *options ? options + 1 : "", cfg, &m->texts, err, err_size);
}

/* One backend and one waveform for all that have blocks. */
static bool agree(wr_system_group *g, char *err, size_t err_size)
{
    const member *first = NULL;

    for (uint32_t i = 0; i < g->count; i++) {
        const member *m = &g->members[i];
        const wr_option_value *wave = &m->common[WR_BAY_WAVE];

        if (!m->type->blocks) {
            continue;
        }
        first = first ? first : m;
        if (m->common[WR_BAY_BLOCKS].word != first->common[WR_BAY_BLOCKS].word) {
            (void)snprintf(err, err_size,
                           "system %s: blocks=%s, but system %s has blocks=%s; one run has one",
                           m->type->name, m->common[WR_BAY_BLOCKS].text, first->type->name,
                           first->common[WR_BAY_BLOCKS].text);
            return false;
        }
        g->backend = (wr_backend)m->common[WR_BAY_BLOCKS].word;
        if (wave->given && g->wave_path && strcmp(wave->text, g->wave_path) != 0) {
            (void)snprintf(err, err_size,
                           "system %s: wave=%s, but the waveform of this run goes to %s",
                           m->type->name, wave->text, g->wave_path);
            return false;
        }
        g->wave_path = wave->given ? wave->text : g->wave_path;
    }
    return true;
}

static bool create(wr_system_group *g, uint32_t owner, const wr_system_given *given,
                   const wr_gpu_config *cfg, char *err, size_t err_size)
{
    member *m = &g->members[owner];

    if (m->type->blocks) {
        m->bay = wr_bay_new(m->type->name, m->common, given->own, given->run);
        if (!m->bay) {
            (void)snprintf(err, err_size, "out of memory");
            return false;
        }
    }
    const wr_system_setup setup = {
        .cfg = cfg, .owner = owner, .values = m->values, .bay = m->bay, .streams = given->streams};

    m->system = m->type->create(&setup, err, err_size);
    return m->system != NULL;
}

/* The order of a launch's TBs is one system's. */
static bool check_tbs(const wr_system_group *g, char *err, size_t err_size)
{
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t k = 0; k < g->count; k++) {
            if (g->members[i].system->hooks.choose_tb && g->members[k].system->hooks.takes_tbs) {
                (void)snprintf(err, err_size,
                               "system %s with these options says which TB comes next, and so does "
                               "system %s; see their options",
                               g->members[i].type->name, g->members[k].type->name);
                return false;
            }
        }
    }
    return true;
}

static bool open_wave(wr_system_group *g, char *err, size_t err_size)
{
    if (!wr_save_view_path(g->wave_path, g->view_path, sizeof g->view_path)) {
        (void)snprintf(err, err_size, "%s: the saved view goes there; name the wave .fst",
                       g->wave_path);
        return false;
    }
    g->fst = wr_fst_open(g->wave_path);
    if (!g->fst) {
        (void)snprintf(err, err_size, "%s: cannot be written", g->wave_path);
    }
    return g->fst != NULL;
}

/* Keeps other runs out of the folders that bays record into. */
static bool take_folders(wr_system_group *g, char *err, size_t err_size)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < g->count; i++) {
        const wr_option_value *record = &g->members[i].common[WR_BAY_RECORD];
        bool is_taken = !g->members[i].bay || !record->given;

        for (uint32_t k = 0; !is_taken && k < i; k++) {
            is_taken = wr_vectors_folder_is(&g->records[k], record->text);
        }
        ok = is_taken || wr_vectors_folder_take(&g->records[i], record->text, err, err_size);
    }
    return ok;
}

/* Files come now. */
static bool mark_folders(wr_system_group *g, char *err, size_t err_size)
{
    bool ok = true;

    for (uint32_t i = 0; ok && i < g->count; i++) {
        ok = !g->records[i].path || wr_vectors_folder_mark(&g->records[i], err, err_size);
    }
    return ok;
}

static bool start_bays(wr_system_group *g, char *err, size_t err_size)
{
    uint32_t bays = 0;
    bool ok = (!g->wave_path || open_wave(g, err, err_size)) && take_folders(g, err, err_size);

    for (uint32_t i = 0; i < g->count; i++) {
        bays += g->members[i].bay != NULL;
    }
    for (uint32_t i = 0; ok && i < g->count; i++) {
        const member *m = &g->members[i];
        char prefix[NAMES] = "";

        if (!m->bay) {
            continue;
        }
        if (bays > 1) {
            (void)snprintf(prefix, sizeof prefix, "%s_", m->type->name);
        }
        ok = wr_bay_start(m->bay, m->common[WR_BAY_WAVE].given ? g->fst : NULL, prefix, err,
                          err_size);
    }
    return ok && mark_folders(g, err, err_size);
}

wr_system_group *wr_system_group_open(const char *const *specs, uint32_t count,
                                      const wr_system_given *given, const wr_gpu_config *cfg,
                                      char *err, size_t err_size)
{
    static const wr_system_given nothing;
    const wr_system_hooks *hooks[WR_MAX_OWNERS];

    if (count > WR_MAX_OWNERS) {
        (void)snprintf(err, err_size, "%" PRIu32 " systems; a GPU has %d at most", count,
                       WR_MAX_OWNERS);
        return NULL;
    }
    wr_system_group *g = calloc(1, sizeof *g);

    if (!g) {
        (void)snprintf(err, err_size, "out of memory");
        return NULL;
    }
    given = given ? given : &nothing;
    wr_own_rtl *own = given->own;
    bool ok = true;

    for (uint32_t i = 0; ok && i < count; i++) {
        member *m = &g->members[i];

        ok = set_type(m, specs[i], err, err_size);
        for (uint32_t k = 0; ok && k < i; k++) {
            if (g->members[k].type == m->type) {
                (void)snprintf(err, err_size, "system %s is given twice", m->type->name);
                ok = false;
            }
        }
        const wr_system_type *other = ok ? rival(g, m->type) : NULL;

        if (other) {
            (void)snprintf(err, err_size, "system %s cannot run beside system %s", m->type->name,
                           other->name);
            ok = false;
        }
        g->count += ok;
        ok = ok && check_needs(m->type, cfg, err, err_size) &&
             read_member(m, specs[i], given, cfg, err, err_size);
    }
    ok = ok && agree(g, err, err_size);
    if (ok && own && g->backend == WR_BACKEND_MODEL) {
        (void)snprintf(err, err_size, "--rtl needs --blocks lockstep or --blocks rtl");
        ok = false;
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = create(g, i, given, cfg, err, err_size);
    }
    ok = ok && check_tbs(g, err, err_size);
    ok = ok && (!own || wr_own_rtl_all_used(own, err, err_size));
    ok = ok && start_bays(g, err, err_size);
    if (!ok) {
        wr_system_group_close(g);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        hooks[i] = &g->members[i].system->hooks;
    }
    g->hooks = wr_chain_join(&g->chain, hooks, count);
    return g;
}

const wr_system_hooks *wr_system_group_hooks(const wr_system_group *g)
{
    return g->hooks;
}

uint32_t wr_system_group_count(const wr_system_group *g)
{
    return g->count;
}

const wr_system_type *wr_system_group_type(const wr_system_group *g, uint32_t index)
{
    return g->members[index].type;
}

wr_backend wr_system_group_backend(const wr_system_group *g)
{
    return g->backend;
}

wr_fst *wr_system_group_wave(const wr_system_group *g)
{
    return g->fst;
}

static bool write_view(const wr_system_group *g)
{
    const char *slash = strrchr(g->wave_path, '/');
    wr_save *view = wr_save_open(g->view_path, slash ? slash + 1 : g->wave_path);
    uint64_t first = UINT64_MAX;

    if (!view) {
        return false;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        const wr_bay *bay = g->members[i].bay;

        if (bay && wr_bay_first_cycle(bay) < first) {
            first = wr_bay_first_cycle(bay);
        }
    }
    if (first != UINT64_MAX) {
        wr_save_place(view, first * WR_WAVE_CYCLE_NS, VIEW_ZOOM);
    }
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->members[i].bay && g->members[i].common[WR_BAY_WAVE].given) {
            wr_bay_view(g->members[i].bay, view);
        }
    }
    return wr_save_close(view);
}

static bool finish_bays(wr_system_group *g, char *err, size_t err_size)
{
    bool ok = true;

    for (uint32_t i = 0; i < g->count; i++) {
        char later[NAMES];

        if (g->members[i].bay) {
            ok = wr_bay_finish(g->members[i].bay, ok ? err : later, ok ? err_size : sizeof later) &&
                 ok;
        }
    }
    return ok;
}

/* The files are there. */
static void leave_folders(wr_system_group *g)
{
    for (uint32_t i = 0; i < g->count; i++) {
        wr_vectors_folder_leave(&g->records[i], !g->cut);
    }
}

void wr_system_group_cut(wr_system_group *g)
{
    g->cut = true;
    for (uint32_t i = 0; i < g->count; i++) {
        if (g->members[i].bay) {
            wr_bay_cut(g->members[i].bay);
        }
    }
    if (g->fst) {
        wr_fst_cut(g->fst);
    }
}

bool wr_system_group_finish(wr_system_group *g, char *err, size_t err_size)
{
    bool ok = finish_bays(g, err, err_size);

    leave_folders(g);

    if (g->fst) {
        const bool whole = wr_fst_close(g->fst);
        const bool viewed = whole && write_view(g);

        g->fst = NULL;
        if (ok && !viewed) {
            (void)snprintf(err, err_size, "%s: " WR_FST_CUT, whole ? g->view_path : g->wave_path);
        }
        ok = ok && viewed;
    }
    return ok;
}

wr_report *wr_system_group_report(const wr_system_group *g, uint32_t index)
{
    const member *m = &g->members[index];
    wr_report *r = wr_report_new();

    assert(index < g->count);
    if (r) {
        m->type->report(m->system, r);
        if (m->bay) {
            wr_bay_report(m->bay, g->view_path, r);
        }
    }
    if (r && !wr_report_whole(r)) {
        wr_report_free(r);
        r = NULL;
    }
    return r;
}

void wr_system_group_close(wr_system_group *g)
{
    char err[NAMES];

    if (!g) {
        return;
    }
    (void)finish_bays(g, err, sizeof err);
    leave_folders(g);
    wr_fst_drop(g->fst);
    for (uint32_t i = 0; i < g->count; i++) {
        member *m = &g->members[i];

        if (m->system) {
            wr_system_destroy(m->type, m->system);
        }
        wr_bay_free(m->bay);
        free(m->values);
        free(m->texts);
    }
    free(g);
}

void *wr_system_alloc(size_t size, char *err, size_t err_size)
{
    void *system = calloc(1, size);

    if (!system) {
        (void)snprintf(err, err_size, "out of memory");
    }
    return system;
}

void wr_system_destroy(const wr_system_type *type, wr_system *system)
{
    if (system && type->destroy) {
        type->destroy(system);
    } else {
        free(system);
    }
}
