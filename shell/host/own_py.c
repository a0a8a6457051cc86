/* SPDX-License-Identifier: Apache-2.0 */
/* References in Python, by reference.py beside this file: see own_reference.h. That reads a line of
 * JSON for each launch, and one before them for the buffers, which it sees in the memory. */
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shell/config/locate.h"
#include "shell/host/own_parts.h"
#include "shell/host/values.h"

static bool write_line(FILE *list, cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    bool ok = text && fprintf(list, "%s\n", text) > 0;

    free(text);
    cJSON_Delete(item);
    return ok;
}

static void add_number(cJSON *array, uint64_t number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%" PRIu64, number);
    cJSON_AddItemToArray(array, cJSON_CreateRaw(text));
}

/* A value as text that Python reads without loss. */
static void value_text(const wr_value_type *type, const wr_reference_arg *arg, char *text,
                       size_t size)
{
    const uint64_t mask = UINT64_MAX >> (64 - 8 * type->size);
    if (type->is_float) {
        (void)snprintf(text, size, "%a", arg->real);
    } else if (type->is_signed) {
        (void)snprintf(text, size, "%" PRId64, arg->integer);
    } else {
        (void)snprintf(text, size, "%" PRIu64, (uint64_t)arg->integer & mask);
    }
}

/* ["f32", place, elements] of a buffer, ["f32", "value"] of a value, ["bytes", "hex"] of a struct
 */
static cJSON *arg_item(const wr_own_memory *m, const wr_reference_arg *arg)
{
    const wr_value_type *type = wr_value_type_of(arg->type);
    const uint8_t *bytes = arg->data;
    cJSON *item = cJSON_CreateArray();
    char text[64];

    if (!bytes) {
        value_text(type, arg, text, sizeof text);
        cJSON_AddItemToArray(item, cJSON_CreateString(type->name));
        cJSON_AddItemToArray(item, cJSON_CreateString(text));
    } else if (bytes >= m->base && bytes < m->base + m->size) {
        cJSON_AddItemToArray(item, cJSON_CreateString(type->name));
        add_number(item, (uint64_t)(bytes - m->base));
        add_number(item, arg->count);
    } else {
        char *hex = calloc(2 * arg->count + 1, 1);
        for (uint64_t i = 0; hex && i < arg->count; i++) {
            (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
        }
        cJSON_AddItemToArray(item, cJSON_CreateString("bytes"));
        cJSON_AddItemToArray(item, cJSON_CreateString(hex ? hex : ""));
        free(hex);
    }
    return item;
}

static void add_three(cJSON *item, const char *name, const uint32_t three[3])
{
    cJSON *array = cJSON_AddArrayToObject(item, name);
    for (int i = 0; i < 3; i++) {
        add_number(array, three[i]);
    }
}

static const char *write_launch(void *arg, const wr_reference_launch *launch)
{
    const wr_own_call *call = arg;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "kernel", launch->kernel);
    add_three(item, "grid", launch->grid);
    add_three(item, "block", launch->block);
    cJSON *args = cJSON_AddArrayToObject(item, "args");
    for (size_t i = 0; i < launch->arg_count; i++) {
        cJSON_AddItemToArray(args, arg_item(call->memory, &launch->args[i]));
    }
    return write_line(call->list, item) ? NULL : "";
}

static bool prepare(wr_own_call *call)
{
    const wr_own_memory *m = call->memory;
    const int fd = memfd_create("launches", 0);
    call->list = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!call->list) {
        return false;
    }
    cJSON *buffers = cJSON_CreateObject();
    for (unsigned i = 0; i < m->file->buffer_count; i++) {
        cJSON *item = cJSON_AddArrayToObject(buffers, m->file->buffers[i].name);
        cJSON_AddItemToArray(item, cJSON_CreateString(m->file->buffers[i].value_type->name));
        add_number(item, m->at[i]);
        add_number(item, m->file->buffers[i].count);
    }
    bool ok = write_line(call->list, buffers);
    ok =
        ok && (!call->launches.each || !call->launches.each(call->launches.of, write_launch, call));
    return fflush(call->list) == 0 && ok;
}

static void work(const wr_own_call *call)
{
    wr_own_control *control = call->memory->control;
    char *driver = wr_locate_reference_driver();
    char memory[16], list[16];

    (void)snprintf(memory, sizeof memory, "%d", call->memory->fd);
    (void)snprintf(list, sizeof list, "%d", fileno(call->list));
    if (!driver) {
        (void)snprintf(control->error, sizeof control->error,
                       "cannot be run: reference.py, which belongs to the program, is missing");
        return;
    }
    (void)execlp("python3", "python3", "-B", driver, call->path, call->function, memory, list,
                 (char *)NULL);
    (void)snprintf(control->error, sizeof control->error,
                   "cannot be run: python3: %s; install Debian's python3", strerror(errno));
    free(driver);
}

const wr_own_kind wr_own_py = {.ending = ".py", .prepare = prepare, .work = work};
