/* SPDX-License-Identifier: Apache-2.0 */
/* The commands on single blocks as a user runs them: bad usage and RTL that does not fit give
 * exit status 2 and a message that says what is wrong; JSON says what the text says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dpi/block.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WARPREF WR_BINARY_DIR "/bin/warpref"
#define GOLDEN  WR_SOURCE_DIR "/vectors/golden/"
#define DECODER WR_SOURCE_DIR "/rtl/context/liveness_decoder.sv"

typedef struct outcome {
    int status;
    char out[1 << 20], err[4096];
} outcome;

static void slurp(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    text[fread(text, 1, size - 1, f)] = '\0';
    assert_true(fgetc(f) == EOF); /* all of it */
    assert_int_equal(fclose(f), 0);
}

/* Runs warpref with these arguments through the shell, in a folder of its own. */
static void run(outcome *o, const char *arguments)
{
    char folder[] = "/tmp/warpref-cli-XXXXXX";
    char command[2048];
    char path[64];
    int status;

    assert_non_null(mkdtemp(folder));
    (void)snprintf(command, sizeof(command), "cd %s && " WARPREF " %s >out 2>err </dev/null",
                   folder, arguments);
    status = system(command);
    assert_true(WIFEXITED(status));
    o->status = WEXITSTATUS(status);
    (void)snprintf(path, sizeof(path), "%s/out", folder);
    slurp(path, o->out, sizeof(o->out));
    (void)snprintf(path, sizeof(path), "%s/err", folder);
    slurp(path, o->err, sizeof(o->err));
    (void)snprintf(command, sizeof(command), "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void expect_bad(const char *arguments, const char *message)
{
    outcome o;

    run(&o, arguments);
    if (o.status != 2 || o.out[0] != '\0' || strstr(o.err, message) == NULL) {
        fail_msg("warpref %s: status %d, stdout '%s', stderr '%s', expected '%s'", arguments,
                 o.status, o.out, o.err, message);
    }
}

static void bad_usage_is_2(void **state)
{
    static const struct {
        const char *arguments;
        const char *message;
    } bad[] = {
        {"cosim", "name a block; the blocks are\n  context: "},
        {"vectors", "name a block; the blocks are\n  context: "},
        {"replay",
         "name a block and a vector file, or a folder of vectors; the blocks are\n  context: "},
        {"replay reg_compressor", "name a block and a vector file"},
        {"blocks nothing", "no block 'nothing'; there are\n  context: "},
        {"cosim nothing", "no block 'nothing'; there are\n  context: "},
        {"vectors nothing", "no block 'nothing'; there are\n  context: "},
        {"replay nothing v.hex", "no block 'nothing'; there are\n  context: "},
        {"cosim reg_compressor reg_compressor", "one block only"},
        {"cosim reg_compressor --config big",
         "reg_compressor has no configuration 'big'; there are tiny, default, odd"},
        {"cosim reg_compressor --cycles 0", "--cycles '0': must be a whole number, 1 to "},
        {"cosim reg_compressor --cycles abc", "--cycles 'abc': must be a whole number"},
        {"cosim reg_compressor --cycles 99999999999999999999999", "must be a whole number"},
        {"cosim reg_compressor --seed -1", "--seed '-1': must be a whole number"},
        {"cosim reg_compressor --param Lane=9",
         "--param 'Lane=9': must be NAME=VALUE, NAME one of Lanes\n"},
        {"cosim reg_compressor --param Lanes", "--param 'Lanes': must be NAME=VALUE"},
        {"cosim reg_compressor --param Lanes=x", "--param Lanes 'x': must be a whole number"},
        {"vectors reg_compressor --param Lanes=65",
         "reg_compressor: bad configuration: Lanes = 65 (8 to 64)"},
        {"vectors reg_compressor --cycles 0", "--cycles '0': must be a whole number"},
        {"cosim reg_compressor --top other", "--top goes with --rtl or --filelist"},
        {"cosim reg_compressor --no-such-option", "unrecognized option"},
        {"cosim reg_compressor --rtl no-such-file.sv", "no-such-file.sv: cannot be read"},
        {"cosim reg_compressor --rtl /", "/: cannot be read"},
        {"cosim reg_compressor --filelist no-such-list.f", "no-such-list.f: cannot be read"},
        {"cosim reg_compressor --rtl-dir /no/such", "--rtl-dir: /no/such: cannot be read"},
        {"cosim reg_compressor --define 4", "--define: define '4': must be NAME or NAME=VALUE"},
        {"cosim reg_compressor --rtl-param N", "parameter 'N': must be NAME=VALUE"},
        {"cosim reg_compressor --rtl " DECODER " --rtl-param Lanes=3",
         "Lanes: is a parameter of reg_compressor itself, and set with it"},
        {"cosim reg_compressor --latency 2", "--latency goes with --rtl or --filelist"},
        {"cosim reg_compressor --latency 257 --rtl " DECODER, "--latency '257': must be a whole"},
        {"cosim reg_compressor --latency 2 --transfers", "are two ways to compare; give one"},
        {"cosim switch_queues --transfers --rtl " DECODER, "switch_queues is no stream from"},
        {"cosim reg_compressor --watchdog 0 --rtl " DECODER, "--watchdog '0': must be a whole"},
        {"vectors reg_compressor -o no-such-folder/v.hex", "no-such-folder/v.hex: cannot be"},
        {"replay reg_compressor no-such-file.hex", "no-such-file.hex: cannot be read"},
        {"replay reg_compressor /", "/: cannot be read"},
        {"replay reg_compressor " DECODER, "liveness_decoder.sv:1: not a vector file"},
        {"replay reg_compressor " GOLDEN "context_packer.tiny.hex",
         "vectors of block context_packer, not of reg_compressor"},
        {"replay reg_compressor " GOLDEN "reg_compressor.tiny.hex --against nothing",
         "--against 'nothing': must be model, rtl or lockstep"},
        {"replay reg_compressor " GOLDEN "reg_compressor.tiny.hex --file /", "/: cannot be read"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        expect_bad(bad[i].arguments, bad[i].message);
    }
}

/* The decoder's RTL with the first `from` turned into `to`, as module liveness_decoder. */
static void planted(const char *path, const char *from, const char *to)
{
    static char text[65536];
    FILE *f = fopen(path, "w");
    char *at;

    slurp(DECODER, text, sizeof(text));
    at = strstr(text, from);
    assert_non_null(at);
    assert_non_null(f);
    assert_true(fprintf(f, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    assert_int_equal(fclose(f), 0);
}

static void rtl_that_does_not_fit_is_2(void **state)
{
    static const struct {
        const char *from, *to;
        const char *message;
    } bad[] = {
        {"endmodule", "assgn x = y;\nendmodule", ": syntax error, unexpected '='"},
        {"  input  logic        diverged_i,\n", "", "\n  no port 'diverged_i'\n"},
        {"[6:0]  alloc_i", "[7:0]  alloc_i",
         "\n  port 'alloc_i' is 8 bits wide, the block's is 7\n"},
        {"parameter int unsigned OpDummy", "localparam int unsigned Dummy = 4, parameter int Op",
         "\n  no parameter 'OpDummy'\n"},
        {"module liveness_decoder", "module other", "\n  no module 'liveness_decoder', in the"},
        {"endmodule", "  missing u_missing ();\nendmodule", "\n  no module 'missing', in the file"},
    };
    char folder[] = "/tmp/warpref-rtl-XXXXXX";
    char path[64];
    char arguments[256];

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/dut.sv", folder);
    (void)snprintf(arguments, sizeof(arguments), "cosim liveness_decoder --cycles 100 --rtl %s",
                   path);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        planted(path, bad[i].from, bad[i].to);
        expect_bad(arguments, bad[i].message);
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    expect_bad("cosim liveness_decoder --rtl " DECODER " --top wrong", "\n  no module 'wrong', in");
}

static cJSON *json(const char *arguments, int status)
{
    static outcome o;
    cJSON *root;

    run(&o, arguments);
    root = cJSON_Parse(o.out);
    if (o.status != status || o.err[0] != '\0' || root == NULL) {
        fail_msg("warpref %s: status %d, stdout '%s', stderr '%s'", arguments, o.status, o.out,
                 o.err);
    }
    return root;
}

static double number(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);

    if (!cJSON_IsNumber(item)) {
        fail_msg("no number '%s'", name);
    }
    return item->valuedouble;
}

static void cosim_json(void **state)
{
    cJSON *root = json("cosim liveness_decoder --config tiny --cycles 8000 --seed 8 --json", 0);
    const cJSON *coverage = cJSON_GetObjectItemCaseSensitive(root, "coverage");

    (void)state;
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "pass")));
    assert_true(number(root, "cycles") == 8000);
    assert_true(number(root, "seed") == 8);
    /* 9 output pins and 6 compared registers a cycle */
    assert_true(number(root, "registers") == 6);
    assert_true(number(root, "checks") == 8000 * (9 + 6));
    assert_true(number(root, "episodes") > 4);
    assert_true(number(coverage, "first fault: start while busy") > 0);
    assert_true(number(coverage, "bar.pp") > 0);
    assert_true(number(coverage, "walk held back") > 0);
    assert_true(number(cJSON_GetObjectItemCaseSensitive(root, "parameters"), "Regs") == 16);
    assert_null(cJSON_GetObjectItemCaseSensitive(root, "mismatch"));
    cJSON_Delete(root);
}

/* A copy of a golden file with pin fault_o, the topmost, set in row `row`. */
static void faulty_copy(const char *golden, const char *path, int row)
{
    char line[256];
    FILE *in = fopen(golden, "r");
    FILE *out = fopen(path, "w");

    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (line[0] != '/' && row-- == 0) {
            assert_true(line[0] >= '0' && line[0] < '4'); /* 215 bits: fault_o is worth 4 */
            line[0] = (char)(line[0] + 4);
        }
        assert_true(fputs(line, out) >= 0);
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

static void replay_json(void **state)
{
    static const char golden[] = GOLDEN "liveness_decoder.tiny.hex";
    char copy[] = "/tmp/warpref-hex-XXXXXX";
    int file = mkstemp(copy);
    char arguments[256];
    cJSON *root = json("replay liveness_decoder --json " GOLDEN "liveness_decoder.tiny.hex", 0);

    (void)state;
    assert_true(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "pass")));
    assert_true(number(root, "cycles") == 100);
    assert_true(number(root, "checks") == 100 * 9);
    assert_true(number(root, "mismatches") == 0);
    cJSON_Delete(root);

    assert_true(file >= 0 && close(file) == 0);
    faulty_copy(golden, copy, 50);
    (void)snprintf(arguments, sizeof(arguments), "replay liveness_decoder --json %s", copy);
    root = json(arguments, 1);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(root, "pass")));
    assert_true(number(root, "mismatches") == 1);
    assert_non_null(
        strstr(cJSON_GetObjectItemCaseSensitive(root, "mismatch")->valuestring, "pin fault"));
    cJSON_Delete(root);
    assert_int_equal(unlink(copy), 0);
}

/* Parameters of no named configuration: the file says them, and they win over --config. */
static void vectors_in_any_parameters(void **state)
{
    outcome o;
    cJSON *root;
    char path[] = "/tmp/warpref-hex-XXXXXX";
    int file = mkstemp(path);
    char arguments[256];
    static char text[1 << 20];

    (void)state;
    assert_true(file >= 0 && close(file) == 0);
    (void)snprintf(arguments, sizeof(arguments),
                   "vectors liveness_decoder --config tiny --param Regs=23 --param OpDummy=9 "
                   "--param Regs=21 --cycles 50 -o %s",
                   path);
    run(&o, arguments);
    assert_int_equal(o.status, 0);
    assert_non_null(strstr(o.out, ": liveness_decoder config custom seed 1 50 cycles"));
    slurp(path, text, sizeof(text));
    assert_non_null(strstr(text, "// parameters Regs=21 OpPp=2 OpBarPp=3 OpDummy=9\n"));
    (void)snprintf(arguments, sizeof(arguments), "replay liveness_decoder --json %s", path);
    root = json(arguments, 0);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(root, "config")->valuestring, "custom");
    assert_true(number(root, "checks") == 50 * 9);
    cJSON_Delete(root);
    assert_int_equal(unlink(path), 0);

    /* With the values of a named one it is that one. */
    root = json("cosim liveness_decoder --param Regs=16 --cycles 100 --json", 0);
    assert_string_equal(cJSON_GetObjectItemCaseSensitive(root, "config")->valuestring, "tiny");
    cJSON_Delete(root);
}

static uint64_t whole(const cJSON *object, const char *name)
{
    return (uint64_t)number(object, name);
}

/* The audit adds up: the parts of each block, and over the blocks each total of the papers. */
static void blocks_json(void **state)
{
    cJSON *root = json("blocks --json", 0);
    const cJSON *blocks = cJSON_GetObjectItemCaseSensitive(root, "blocks");
    const cJSON *totals = cJSON_GetObjectItemCaseSensitive(root, "storage_totals");
    const cJSON *total;
    size_t count;
    const wr_block_desc *const *all = wr_blocks(&count);

    (void)state;
    assert_int_equal(cJSON_GetArraySize(blocks), (int)count);
    for (size_t i = 0; i < count; i++) {
        const cJSON *b = cJSON_GetArrayItem(blocks, (int)i);
        const cJSON *storage = cJSON_GetObjectItemCaseSensitive(b, "storage");
        const cJSON *part;
        uint64_t bits = 0;
        assert_string_equal(cJSON_GetObjectItemCaseSensitive(b, "name")->valuestring, all[i]->name);
        assert_int_equal(cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(b, "free_running")),
                         all[i]->free_running);
        assert_int_equal(cJSON_GetObjectItemCaseSensitive(b, "idle") != NULL, all[i]->idle != NULL);
        cJSON_ArrayForEach(part, cJSON_GetObjectItemCaseSensitive(storage, "parts"))
        {
            bits += whole(part, "bits");
        }
        assert_true(bits > 0);
        assert_true(whole(storage, "bits") == bits);
        assert_true(whole(storage, "same_state_bits") + whole(storage, "beyond_bits") == bits);
    }
    assert_true(cJSON_GetArraySize(totals) > 0);
    cJSON_ArrayForEach(total, totals)
    {
        uint64_t paper = whole(total, "paper_bits");
        uint64_t found = whole(total, "blocks_paper_bits");
        assert_true(paper > 0 && (found == paper || found == 0));
    }
    cJSON_Delete(root);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_usage_is_2), cmocka_unit_test(rtl_that_does_not_fit_is_2),
        cmocka_unit_test(cosim_json),     cmocka_unit_test(replay_json),
        cmocka_unit_test(blocks_json),    cmocka_unit_test(vectors_in_any_parameters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
