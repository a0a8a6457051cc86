/* SPDX-License-Identifier: Apache-2.0 */
/* Vector files: golden ones hold for model and RTL, files survive a round trip, and each kind of
 * bad file gets its message with file and line. */
#include "vectors/vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define FILE_A WR_BINARY_DIR "/tests/vectors_a.hex"
#define FILE_B WR_BINARY_DIR "/tests/vectors_b.hex"

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t room = 0;

    if (f == NULL) {
        fail_msg("%s: cannot be read", path);
    }
    assert_true(getdelim(&text, &room, '\0', f) > 0);
    assert_int_equal(fclose(f), 0);
    return text;
}

static void spill(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static wr_replay_result replay(const wr_vectors *v, wr_backend backend)
{
    wr_replay_result result;
    wr_port port;
    char err[512];
    void *model = calloc(1, v->block->state_size);

    assert_non_null(model);
    if (!wr_port_open(&port, v->block, backend, v->cfg, model, NULL, 1, err, sizeof(err))) {
        fail_msg("%s", err);
    }
    wr_vectors_replay(v, &port, &result);
    wr_port_close(&port);
    free(model);
    return result;
}

/* The build makes the bare RTL of two configurations, that with a checker inside of all. */
static wr_backend rtl_of(const char *config)
{
    const bool bare = strcmp(config, "tiny") == 0 || strcmp(config, "default") == 0;

    return bare ? WR_BACKEND_RTL : WR_BACKEND_LOCKSTEP;
}

static void golden_files_hold(void **state)
{
    size_t count;
    const wr_block_desc *const *blocks = wr_blocks(&count);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < blocks[i]->configs_count; c++) {
            wr_vectors v;
            char path[1024];
            char err[512];
            (void)snprintf(path, sizeof(path), "%s/vectors/golden/%s.%s.hex", WR_SOURCE_DIR,
                           blocks[i]->name, blocks[i]->configs[c].name);
            if (!wr_vectors_load(&v, path, err, sizeof(err))) {
                fail_msg("%s", err);
            }
            assert_ptr_equal(v.block, blocks[i]);
            assert_string_equal(v.config, blocks[i]->configs[c].name);
            const wr_backend backends[] = {WR_BACKEND_MODEL, rtl_of(v.config)};
            for (size_t b = 0; b < sizeof backends / sizeof backends[0]; b++) {
                wr_replay_result r = replay(&v, backends[b]);
                if (r.mismatches > 0) {
                    fail_msg("%s", r.first);
                }
                assert_int_equal(r.cycles, v.count);
                assert_true(r.checks >= v.count);
            }
            wr_vectors_free(&v);
        }
    }
}

static void generated_files_are_the_same_each_time(void **state)
{
    const wr_block_desc *b = wr_block_find("context_packer");
    const void *cfg = wr_block_config(b, "odd")->value;
    char err[512];
    char *first;
    char *second;

    (void)state;
    assert_true(wr_vectors_generate(FILE_A, b, cfg, 9, 300, NULL, NULL, err, sizeof(err)));
    assert_true(wr_vectors_generate(FILE_B, b, cfg, 9, 300, NULL, NULL, err, sizeof(err)));
    first = slurp(FILE_A);
    second = slurp(FILE_B);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* A file recorded from a port while vectors are replayed through it equals the file replayed. */
static void recording_is_the_inverse_of_replay(void **state)
{
    const wr_block_desc *b = wr_block_find("reg_decompressor");
    const void *cfg = wr_block_config(b, "default")->value;
    wr_vectors_recorder *recorder;
    wr_replay_result r;
    wr_vectors v;
    wr_vectors again;
    wr_port port;
    uint32_t rows = 0;
    char err[512];
    void *model = calloc(1, b->state_size);

    (void)state;
    assert_non_null(model);
    assert_true(wr_vectors_generate(FILE_A, b, cfg, 4, 250, NULL, NULL, err, sizeof(err)));
    assert_true(wr_vectors_load(&v, FILE_A, err, sizeof(err)));
    assert_true(wr_port_open(&port, b, WR_BACKEND_LOCKSTEP, cfg, model, NULL, 1, err, sizeof(err)));
    recorder = wr_vectors_attach(&port, FILE_B, err, sizeof(err));
    assert_non_null(recorder);
    wr_vectors_replay(&v, &port, &r);
    assert_int_equal(r.mismatches, 0);
    wr_port_reset(&port); /* ends the file */
    wr_vectors_replay(&v, &port, &r);
    assert_true(wr_vectors_detach(recorder, &rows));
    wr_port_close(&port);
    assert_int_equal(rows, 250);
    assert_true(wr_vectors_load(&again, FILE_B, err, sizeof(err)));
    assert_int_equal(again.count, v.count);
    assert_memory_equal(again.in, v.in, (size_t)v.count * v.in_words * sizeof(uint32_t));
    assert_memory_equal(again.out, v.out, (size_t)v.count * v.out_words * sizeof(uint32_t));
    wr_vectors_free(&v);
    wr_vectors_free(&again);
    free(model);
}

static void a_wrong_digit_is_found(void **state)
{
    wr_replay_result r;
    wr_vectors v;
    char err[512];
    char *text;
    char *row;

    (void)state;
    text = slurp(WR_SOURCE_DIR "/vectors/golden/reg_compressor.tiny.hex");
    row = strstr(text, "reset on\n");
    assert_non_null(row);
    row += strlen("reset on\n");
    for (int i = 0; i < 5; i++) {
        row = strchr(row, '\n') + 1;
    }
    row[0] = (char)(row[0] == '0' ? '1' : '0');
    row[10] = (char)(row[10] == '0' ? '1' : '0');
    spill(FILE_A, text);
    free(text);
    assert_true(wr_vectors_load(&v, FILE_A, err, sizeof(err)));
    r = replay(&v, WR_BACKEND_MODEL);
    wr_vectors_free(&v);
    assert_int_equal(r.mismatches, 1);
    assert_non_null(strstr(r.first, FILE_A ":14: reg_compressor: cycle 5: pin "));
}

static void recorded_outputs_are_compared(void **state)
{
    const wr_block_desc *b = wr_block_find("liveness_decoder");
    wr_replay_result r;
    wr_vectors v;
    char err[512];

    (void)state;
    assert_true(wr_vectors_generate(FILE_A, b, wr_block_config(b, "tiny")->value, 1, 20, NULL, NULL,
                                    err, sizeof(err)));
    assert_true(wr_vectors_load(&v, FILE_A, err, sizeof(err)));
    assert_int_equal(v.out_words, 3);
    for (int bad = 0; bad < 3; bad++) {
        bool good;
        FILE *f = fopen(FILE_B, "w");
        assert_non_null(f);
        (void)fprintf(f, "// outputs\n");
        for (uint32_t i = 0; i < (bad == 2 ? 19 : 20); i++) {
            const uint32_t *out = v.out + (size_t)i * 3;
            (void)fprintf(f, "%04x%08x%08x\n", out[2], out[1], out[0] ^ (bad == 1 && i == 7));
        }
        assert_int_equal(fclose(f), 0);
        good = wr_vectors_compare(&v, FILE_B, &r, err, sizeof(err));
        assert_int_equal(good, bad < 2);
        assert_int_equal(r.mismatches, bad == 1);
        if (bad == 1) {
            assert_non_null(strstr(r.first, FILE_B ":9: liveness_decoder: cycle 7: pin busy"));
        } else if (bad == 2) {
            assert_non_null(strstr(err, "19 cycles recorded, the vectors have 20"));
        }
    }
    wr_vectors_free(&v);
}

#define HEAD   "// warpref vectors 1\n// block liveness_decoder\n// config tiny\n"
#define PARAMS "// parameters Regs=16 OpPp=2 OpBarPp=3 OpDummy=4\n// seed 1\n"
#define BITS   "// bits in=138 out=77\n"
#define ROW    "000000000000000000000000000000000000000000000000000000\n"

static void bad_files_get_their_message(void **state)
{
    static const struct {
        const char *text;
        const char *message; /* behind the path */
    } cases[] = {
        {"", ":0: not a vector file"},
        {"hello\n", ":1: not a vector file"},
        {"// warpref vectors 1\n// block nix\n", ":2: no block 'nix'"},
        {"// warpref vectors 1\n// parameters Lanes=8\n",
         ":2: '// parameters' must follow '// block'"},
        {HEAD "// parameters Regs=16\n", ":4: parameter OpPp is missing"},
        {HEAD "// parameters Regs=65\n", ":4: parameter Regs = '65': must be 1 to 64"},
        {HEAD "// parameters Nix=1\n", ":4: parameter 'Nix': liveness_decoder has none"},
        {HEAD "// parameters Regs=16 Regs=16\n",
         ":4: parameter 'Regs': liveness_decoder is given it twice"},
        {HEAD "// parameters Regs\n", ":4: parameter 'Regs': write Name=value"},
        {HEAD "// config tiny\n", ":4: '// config' stands twice"},
        {HEAD "// seed x\n", ":4: seed 'x' is no number"},
        {HEAD PARAMS "// bits in=1\n", ":6: write '// bits in=N out=M'"},
        {HEAD PARAMS BITS "// count 0\n", ":7: count '0': must be 1 to"},
        {HEAD PARAMS ROW, ":6: '// bits' is missing above the first row"},
        {HEAD PARAMS "// bits in=138 out=78\n// count 1\n" ROW,
         ":8: the header says in=138 out=78 bits"},
        {HEAD PARAMS BITS "// count 1\n", ":7: no rows"},
        {HEAD PARAMS BITS "// count 2\n" ROW, ":8: 1 rows where the header's count is 2"},
        {HEAD PARAMS BITS "// count 100000000\n" ROW,
         ":8: 1 rows where the header's count is 100000000"},
        {"// warpref vectors 1\n// block a\033b\n", ":2: no block 'a?b'"},
        {HEAD PARAMS BITS "// count 1\n" ROW ROW, ":9: more rows than the header's count of 1"},
        {HEAD PARAMS BITS "// count 1\n00\n", ":8: too few digits; a row has 54"},
        {HEAD PARAMS BITS "// count 1\n0" ROW, ":8: too many digits"},
        {HEAD PARAMS BITS "// count 1\n0x" ROW, ":8: a digit is x or z"},
        {HEAD PARAMS BITS "// count 1\n0g" ROW, ":8: not a hexadecimal digit"},
        {HEAD PARAMS BITS "// count 1\n8"
                          "00000000000000000000000000000000000000000000000000000\n",
         ":8: bits above the highest pin are not 0"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        wr_vectors v;
        char err[512] = "";
        char expected[512];
        spill(FILE_A, cases[i].text);
        assert_false(wr_vectors_load(&v, FILE_A, err, sizeof(err)));
        (void)snprintf(expected, sizeof(expected), FILE_A "%s", cases[i].message);
        if (strncmp(err, expected, strlen(expected)) != 0) {
            fail_msg("case %zu: expected '%s', got '%s'", i, expected, err);
        }
    }
}

static void an_absent_file_gets_its_message(void **state)
{
    wr_vectors v;
    char err[512];

    (void)state;
    assert_false(wr_vectors_load(&v, "/no/such/file.hex", err, sizeof(err)));
    assert_string_equal(err, "/no/such/file.hex: cannot be read");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_files_hold),
        cmocka_unit_test(generated_files_are_the_same_each_time),
        cmocka_unit_test(recording_is_the_inverse_of_replay),
        cmocka_unit_test(a_wrong_digit_is_found),
        cmocka_unit_test(recorded_outputs_are_compared),
        cmocka_unit_test(bad_files_get_their_message),
        cmocka_unit_test(an_absent_file_gets_its_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
