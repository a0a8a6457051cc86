/* SPDX-License-Identifier: Apache-2.0 */
/* References against launches that they cannot follow. Every launch of every launch file of the
 * library at its small size, in order, is first offered with arguments missing, with a value where
 * a buffer belongs and the other way round, and with each buffer in turn empty: all must be
 * refused, and touch nothing beyond a buffer's end, which the sanitizers watch. Then the launch as
 * it is must be followed, since what comes after depends on it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <glob.h>

#include "kernels/reference.h"
#include "shell/host/launch_file.h"

enum { MAX_ARGS = 32 };

typedef struct offer {
    const char *path, *what;
    wr_reference_fn reference;
    wr_reference_launch launch;
    wr_reference_arg args[MAX_ARGS];
    unsigned *offers, *followed;
} offer;

static void refuses(const offer *o, size_t arg)
{
    (*o->offers)++;
    if (o->reference(&o->launch)) {
        return;
    }
    print_error("%s: the reference follows kernel %s with argument %zu %s\n", o->path,
                o->launch.kernel, arg, o->what);
    (*o->followed)++;
}

static void offer_too_few(offer o)
{
    o.launch.args = o.args;
    o.what = "and later ones missing";
    for (size_t n = o.launch.arg_count; n-- > 0;) {
        o.launch.arg_count--;
        refuses(&o, n);
    }
}

static void offer_wrong_args(offer o)
{
    o.launch.args = o.args;
    for (size_t i = 0; i < o.launch.arg_count; i++) {
        wr_reference_arg right = o.args[i];
        uint8_t *empty = malloc(1);

        assert_non_null(empty);
        o.what = right.data ? "a value" : "a buffer";
        o.args[i].data = right.data ? NULL : empty;
        refuses(&o, i);
        o.args[i] = right;
        if (right.data) {
            o.what = "an empty buffer";
            o.args[i].data = empty + 1; /* its end: any access is one too far */
            o.args[i].count = 0;
            refuses(&o, i);
            o.args[i] = right;
        }
        free(empty);
    }
}

static void take_args(offer *o, const wr_launch_file *file, const wr_launch_entry *entry)
{
    assert_true(entry->arg_count <= MAX_ARGS);
    o->launch = (wr_reference_launch){.kernel = entry->kernel,
                                      .grid = {1, 1, 1},
                                      .block = {1, 1, 1},
                                      .arg_count = entry->arg_count};
    memcpy(o->launch.grid, entry->grid, entry->grid_count * sizeof *entry->grid);
    memcpy(o->launch.block, entry->block, entry->block_count * sizeof *entry->block);
    for (unsigned i = 0; i < entry->arg_count; i++) {
        const wr_launch_arg *arg = &entry->args[i];

        o->args[i] = (wr_reference_arg){.type = arg->value_type ? arg->value_type->type : 0,
                                        .integer = arg->parsed.integer,
                                        .real = arg->parsed.real};
        if (arg->buffer) {
            const wr_launch_buffer *b = &file->buffers[arg->buffer_index];

            o->args[i] =
                (wr_reference_arg){.type = b->value_type->type, .data = b->data, .count = b->count};
        }
    }
}

static void try_file(const char *path, unsigned *offers, unsigned *followed)
{
    wr_loaded_file loaded;
    wr_diag diag = {0};

    if (!wr_launch_file_load(path, &loaded, &diag)) {
        fail_msg("%s:%u: %s", diag.file, diag.line, diag.message);
    }
    const wr_launch_file *file = loaded.file;
    offer o = {.path = path, .offers = offers, .followed = followed};

    assert_true(file->check_count > 0 && file->checks[0].reference);
    o.reference = wr_reference_find(file->checks[0].reference);
    assert_non_null(o.reference);
    for (unsigned i = 0; i < file->launch_count; i++) {
        take_args(&o, file, &file->launches[i]);
        o.launch.args = o.args;
        offer_too_few(o);
        offer_wrong_args(o);
        const char *why = o.reference(&o.launch);

        if (why) {
            fail_msg("%s: launch %u: %s", path, i, why);
        }
    }
    wr_launch_file_free(&loaded);
}

static void wrong_launches_are_refused(void **state)
{
    glob_t files;
    unsigned offers = 0;
    unsigned followed = 0;

    (void)state;
    assert_int_equal(glob(WR_SOURCE_DIR "/kernels/*.yaml", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        if (strstr(files.gl_pathv[i], "_large.yaml")) {
            continue;
        }
        try_file(files.gl_pathv[i], &offers, &followed);
    }
    globfree(&files);
    print_message("%u wrong launches\n", offers);
    assert_true(offers > 0);
    assert_int_equal(followed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_launches_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
