/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of systems and the reading of their option texts.
 *
 * Options are a table of each system; here they become one value per table row, so that a
 * system sees complete, known options only and a message can list what is valid.
 */
#include "systems/frame/system.h"

#include "systems/preemption/preemption.h"
#include "systems/sharing/sharing.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 32, MAX_NAMES = 512 };

const wr_system_type *const *wr_systems(size_t *count)
{
    static const wr_system_type *const all[] = {&wr_preemption_type, &wr_sharing_type};

    *count = sizeof all / sizeof all[0];
    return all;
}

const wr_system_type *wr_system_find(const char *name, size_t name_size)
{
    size_t count;
    const wr_system_type *const *all = wr_systems(&count);

    for (size_t i = 0; i < count; i++) {
        if (strlen(all[i]->name) == name_size && memcmp(all[i]->name, name, name_size) == 0) {
            return all[i];
        }
    }
    return NULL;
}

static void append(char *list, const char *name)
{
    size_t used = strlen(list);

    (void)snprintf(list + used, MAX_NAMES - used, "%s%s", used ? ", " : "", name);
}

/* Takes one "option=value" of size bytes; the value is copied behind *store. */
static bool take(const wr_system_type *type, const char *text, size_t size, const char **values,
                 char **store, char *err, size_t err_size)
{
    const char *equals = memchr(text, '=', size);
    char names[MAX_NAMES] = "";

    if (equals) {
        size_t name_size = (size_t)(equals - text);

        for (size_t i = 0; i < type->option_count; i++) {
            const char *name = type->options[i].name;

            if (strlen(name) != name_size || memcmp(name, text, name_size) != 0) {
                continue;
            }
            size_t value_size = size - name_size - 1;

            memcpy(*store, equals + 1, value_size);
            (*store)[value_size] = '\0';
            values[i] = *store;
            *store += value_size + 1;
            return true;
        }
    }
    for (size_t i = 0; i < type->option_count; i++) {
        append(names, type->options[i].name);
    }
    if (!equals) {
        (void)snprintf(err, err_size, "system %s: \"%.*s\" is not option=value; options are %s",
                       type->name, (int)size, text, names);
    } else {
        (void)snprintf(err, err_size, "system %s: unknown option \"%.*s\"; options are %s",
                       type->name, (int)(equals - text), text, names);
    }
    return false;
}

wr_system *wr_system_create(const char *spec, const char *const *extra, size_t extra_count,
                            const wr_gpu_config *cfg, char *err, size_t err_size)
{
    size_t name_size = strcspn(spec, ":");
    const wr_system_type *type = wr_system_find(spec, name_size);
    const char *values[MAX_OPTIONS];
    size_t room = strlen(spec) + 1;

    if (!type) {
        char names[MAX_NAMES] = "";
        size_t count;
        const wr_system_type *const *all = wr_systems(&count);

        for (size_t i = 0; i < count; i++) {
            append(names, all[i]->name);
        }
        (void)snprintf(err, err_size, "unknown system \"%.*s\"; systems are %s", (int)name_size,
                       spec, names);
        return NULL;
    }
    for (size_t i = 0; i < extra_count; i++) {
        room += strlen(extra[i]) + 1;
    }
    char *store = malloc(room);

    if (!store) {
        (void)snprintf(err, err_size, "out of memory");
        return NULL;
    }
    char *end = store;
    bool ok = true;

    for (size_t i = 0; i < type->option_count; i++) {
        values[i] = type->options[i].preset;
    }
    for (size_t i = 0; ok && i < extra_count; i++) {
        ok = take(type, extra[i], strlen(extra[i]), values, &end, err, err_size);
    }
    const char *at = spec + name_size;

    while (ok && *at) {
        at++;
        size_t size = strcspn(at, ",");

        if (size > 0 || *at == ',') {
            ok = take(type, at, size, values, &end, err, err_size);
        }
        at += size;
    }
    wr_system *system = ok ? type->create(cfg, values, err, err_size) : NULL;

    free(store);
    return system;
}

const wr_system_hooks *wr_system_get_hooks(const wr_system *system)
{
    return &system->hooks;
}

bool wr_system_finish(wr_system *system, char *err, size_t err_size)
{
    return system->type->finish(system, err, err_size);
}

wr_fst *wr_system_wave(const wr_system *system)
{
    return system->type->wave(system);
}

void wr_system_print(const wr_system *system, FILE *out)
{
    system->type->print(system, out);
}

void wr_system_rows(const wr_system *system, wr_system_row_fn fn, void *arg)
{
    system->type->rows(system, fn, arg);
}

void wr_system_destroy(wr_system *system)
{
    if (system) {
        system->type->destroy(system);
    }
}
