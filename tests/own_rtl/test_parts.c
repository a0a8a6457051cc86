/* SPDX-License-Identifier: Apache-2.0 */
/* Every block that is a part of another one can be given for a run, at whatever depth it stands:
 * which those are the registry says, so that none can be forgotten.
 *
 * In the place of each stands our own RTL of it, in a wrapper of another name that can turn all of
 * its outputs over. With all parts of a block given at once it passes; with the outputs of any one
 * turned over the checker at the pins of the whole sees it.
 */
#include "dpi/own_rtl.h"
#include "dpi/places.h"
#include "dpi/verilate.h"
#include "testbench/cosim.h"
#include "tests/long.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CYCLES = 2000, ROOM = 1024 };

static const char fault_c[] = "#include <stdlib.h>\n#include <string.h>\n"
                              "int wr_is_wrong(const char *name)\n{\n"
                              "    const char *wrong = getenv(\"WR_WRONG_PART\");\n"
                              "    return wrong != NULL && strcmp(wrong, name) == 0;\n}\n";

static FILE *create(const char *folder, const char *name, const char *ending)
{
    char path[ROOM];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s%s", folder, name, ending);
    file = fopen(path, "w");
    assert_non_null(file);
    return file;
}

/* Our file of a block, its module called NAME_inside. */
static void write_inside(const char *folder, const wr_block_desc *b)
{
    char path[ROOM];
    char line[4096];
    char module[128];
    FILE *out = create(folder, b->name, "_inside.sv");
    FILE *in;
    bool renamed = false;

    wr_place_root(line, sizeof(line));
    (void)snprintf(path, sizeof(path), "%.700s/rtl/%s/%s.sv", line, b->group, b->name);
    (void)snprintf(module, sizeof(module), "module %s ", b->name);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (strncmp(line, module, strlen(module)) == 0) {
            (void)fprintf(out, "module %s_inside %s", b->name, line + strlen(module));
            renamed = true;
        } else {
            (void)fputs(line, out);
        }
    }
    assert_true(renamed);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

/* Its width as a range; empty: one bit. */
static void range_of(const wr_block_desc *b, const wr_pin_desc *pin, char *text, size_t size)
{
    text[0] = '\0';
    if (pin->count_param >= 0) {
        (void)snprintf(text, size, " [%u*%s-1:0]", pin->width, b->params[pin->count_param].name);
    } else if (pin->is_array || pin->width > 1) {
        (void)snprintf(text, size, " [%u:0]", pin->width * pin->count_fixed - 1u);
    }
}

/* Module NAME_wrapped around it. */
static void write_wrapper(const char *folder, const wr_block_desc *b)
{
    FILE *out = create(folder, b->name, "_wrapped.sv");
    char range[64];

    (void)fprintf(out, "module %s_wrapped #(\n", b->name);
    for (size_t i = 0; i < b->params_count; i++) {
        (void)fprintf(out, "%s  parameter int unsigned %s = %u", i > 0 ? ",\n" : "",
                      b->params[i].name, b->configs[0].value[i]);
    }
    (void)fprintf(out, "\n) (\n  input logic clk_i,\n  input logic rst_ni");
    for (size_t i = 0; i < b->pins_count; i++) {
        range_of(b, &b->pins[i], range, sizeof(range));
        (void)fprintf(out, ",\n  %sput logic%s %s_%c", i < b->ins_count ? "in" : "out", range,
                      b->pins[i].name, i < b->ins_count ? 'i' : 'o');
    }
    (void)fprintf(out,
                  "\n);\n  import \"DPI-C\" function int wr_is_wrong(input string name);\n"
                  "  bit wrong;\n  initial wrong = wr_is_wrong(\"%s\") != 0;\n",
                  b->name);
    for (size_t i = b->ins_count; i < b->pins_count; i++) {
        range_of(b, &b->pins[i], range, sizeof(range));
        (void)fprintf(out, "  logic%s %s;\n  assign %s_o = wrong ? ~%s : %s;\n", range,
                      b->pins[i].name, b->pins[i].name, b->pins[i].name, b->pins[i].name);
    }
    (void)fprintf(out, "  %s_inside #(", b->name);
    for (size_t i = 0; i < b->params_count; i++) {
        (void)fprintf(out, "%s.%s(%s)", i > 0 ? ", " : "", b->params[i].name, b->params[i].name);
    }
    (void)fprintf(out, ") u_inside (.clk_i, .rst_ni");
    for (size_t i = 0; i < b->pins_count; i++) {
        (void)fprintf(out, i < b->ins_count ? ", .%s_i" : ", .%s_o(%s)", b->pins[i].name,
                      b->pins[i].name);
    }
    (void)fprintf(out, ");\nendmodule\n");
    assert_int_equal(fclose(out), 0);
}

/* Given as a user would. */
static void give(wr_own_rtl *own, const char *folder, const wr_block_desc *b, bool first)
{
    char spec[4 * ROOM];
    char err[ROOM];

    write_inside(folder, b);
    write_wrapper(folder, b);
    (void)snprintf(spec, sizeof(spec), "%s=%s/%s_wrapped.sv,%s/%s_inside.sv,top=%s_wrapped",
                   b->name, folder, b->name, folder, b->name, b->name);
    if (first) {
        FILE *out = create(folder, "fault", ".c");
        (void)fputs(fault_c, out);
        assert_int_equal(fclose(out), 0);
        (void)snprintf(spec + strlen(spec), sizeof(spec) - strlen(spec), ",%s/fault.c", folder);
    }
    if (!wr_own_rtl_add(own, spec, err, sizeof(err))) {
        fail_msg("%s", err);
    }
}

/* The first difference at the pins of the whole, or how the RTL ended; "": it passes. */
static const char *run(const wr_block_desc *whole, const wr_port_own *lib)
{
    static wr_cosim_result result;
    const wr_cosim_options o = {.block = whole,
                                .cfg = wr_block_config(whole, "tiny")->value,
                                .own = lib,
                                .backend = WR_BACKEND_LOCKSTEP,
                                .seed = 1,
                                .cycles = CYCLES};
    char err[ROOM];

    if (!wr_cosim_run(&o, &result, err, sizeof(err))) {
        fail_msg("%s: %s", whole->name, err);
    }
    assert_true(result.stats.comparisons > 0);
    return result.first[0] != '\0' ? result.first : result.ended;
}

/* All parts of a block that hold no others, or one. */
static size_t substitute(const wr_block_desc *whole, const wr_block_desc *only)
{
    char folder[] = "/tmp/warpref-parts-XXXXXX";
    char err[4 * ROOM];
    wr_port_own lib = {0};
    wr_own_rtl *own;
    size_t parts = 0;
    const char *found;

    assert_non_null(mkdtemp(folder));
    own = wr_own_rtl_new(folder, NULL);
    assert_non_null(own);
    for (size_t i = 0; i < whole->inside_count; i++) {
        const wr_block_desc *part = wr_block_find(whole->inside[i]);
        assert_non_null(part);
        if (only != NULL ? part == only : part->inside_count == 0) {
            give(own, folder, part, parts++ == 0);
        }
    }
    if (!wr_own_rtl_find(own, whole, wr_block_config(whole, "tiny")->value, true, &lib, err,
                         sizeof(err)) ||
        !wr_own_rtl_all_used(own, err, sizeof(err))) {
        fail_msg("%s: %s", whole->name, err);
    }
    assert_non_null(lib.lib);
    found = run(whole, &lib);
    if (found[0] != '\0') {
        fail_msg("%s with its own parts: %s", whole->name, found);
    }
    for (size_t i = 0; i < whole->inside_count; i++) {
        const wr_block_desc *part = wr_block_find(whole->inside[i]);
        if (only != NULL ? part == only : part->inside_count == 0) {
            assert_int_equal(setenv("WR_WRONG_PART", part->name, 1), 0);
            found = run(whole, &lib);
            assert_int_equal(unsetenv("WR_WRONG_PART"), 0);
            print_message("%s in %s, turned over: %s\n", part->name, whole->name, found);
            if (found[0] == '\0') {
                fail_msg("%s in %s: nothing sees its outputs turned over", part->name, whole->name);
            }
        }
    }
    wr_own_rtl_free(own);
    wr_verilate_remove(folder);
    return parts;
}

static bool stands_inside_another(const wr_block_desc *b)
{
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);

    for (size_t i = 0; i < count; i++) {
        if (wr_block_holds(all[i], b)) {
            return true;
        }
    }
    return false;
}

/* Parts that hold others are given alone, in the long form. */
static void every_part_takes_its_place(void **state)
{
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);
    size_t parts = 0;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        if (all[i]->inside_count == 0 || stands_inside_another(all[i])) {
            continue;
        }
        parts += substitute(all[i], NULL);
        for (size_t k = 0; wr_test_long() && k < all[i]->inside_count; k++) {
            const wr_block_desc *part = wr_block_find(all[i]->inside[k]);
            if (part->inside_count > 0) {
                parts += substitute(all[i], part);
            }
        }
    }
    assert_true(parts > 0);
}

/* What stands inside RTL of the user's is given with that. */
static void a_part_of_what_is_given_is_refused(void **state)
{
    wr_own_rtl *own = wr_own_rtl_new("/nowhere", NULL);
    char err[ROOM] = "";

    (void)state;
    assert_non_null(own);
    assert_true(wr_own_rtl_add(own, "me_controller=" __FILE__, err, sizeof(err)));
    assert_false(wr_own_rtl_all_used(own, err, sizeof(err)));
    assert_string_equal(err, "--rtl me_controller: the systems of this run use no blocks");
    assert_true(wr_own_rtl_add(own, "duet_unit=" __FILE__, err, sizeof(err)));
    assert_false(wr_own_rtl_all_used(own, err, sizeof(err)));
    assert_non_null(
        strstr(err, "--rtl me_controller: is a part of duet_unit, which is yours, too"));
    wr_own_rtl_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_part_takes_its_place),
                                       cmocka_unit_test(a_part_of_what_is_given_is_refused)};

    (void)setenv("WR_CXX_OPTIMIZE", "-O0", 1); /* runs are too short to pay for more */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
