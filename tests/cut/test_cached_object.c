/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of the cache of Verilated blocks: which ones are taken, which ones are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "dpi/cached_object.h"

enum { BYTES = 5000, SEALED = BYTES + 32, OTHER = 12345 /* a user */ };

static char folder[] = "/tmp/warpref-cached-XXXXXX";

static const char *path_of(const char *name)
{
    static char path[2][128];
    static unsigned next;

    next = 1 - next;
    (void)snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static void spill(const char *name, const uint8_t *data, size_t size)
{
    (void)unlink(path_of(name)); /* an older one that is cut is brought to the disk at once */
    FILE *f = fopen(path_of(name), "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

/* A sealed object of this name, as bytes. */
static void make(const char *name, uint8_t data[SEALED])
{
    for (size_t i = 0; i < BYTES; i++) {
        data[i] = (uint8_t)(i * i >> 3);
    }
    spill(name, data, BYTES);
    assert_true(wr_cached_seal(path_of(name), name));
    FILE *f = fopen(path_of(name), "rb");

    assert_non_null(f);
    assert_int_equal(fread(data, 1, SEALED, f), SEALED);
    assert_int_equal(fgetc(f), EOF);
    (void)fclose(f);
}

/* Fits, or is spoilt with this word in the reason. */
static void looks(const char *name, const char *word)
{
    char why[128] = "";
    const wr_cached_state is = wr_cached_look(path_of(name), why, sizeof why);

    if ((is == WR_CACHED_FITS) != (word == NULL) || (word != NULL && strstr(why, word) == NULL)) {
        fail_msg("%s: state %d, %s; expected %s", name, (int)is, why, word ? word : "fits");
    }
}

static void bytes(void **state)
{
    uint8_t data[SEALED];
    uint8_t wrong[SEALED + 1];
    char why[128];

    (void)state;
    make("a.so", data);
    looks("a.so", NULL);
    assert_int_equal(wr_cached_look(path_of("none.so"), why, sizeof why), WR_CACHED_ABSENT);
    for (size_t at = 0; at < SEALED; at += at < BYTES ? 61 : 1) { /* each bit of the seal */
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(wrong, data, SEALED);
            wrong[at] ^= (uint8_t)(1u << bit);
            spill("a.so", wrong, SEALED);
            looks("a.so", "cut or changed");
        }
    }
    for (size_t size = 0; size < SEALED; size += size < 64 || size > BYTES - 8 ? 1 : 331) {
        spill("a.so", data, size);
        looks("a.so", "cut");
    }
    memcpy(wrong, data, SEALED);
    wrong[SEALED] = 0;
    spill("a.so", wrong, SEALED + 1);
    looks("a.so", "cut or changed");
    spill("a.so", data, SEALED);
    looks("a.so", NULL);
    assert_int_equal(rename(path_of("a.so"), path_of("b.so")), 0);
    looks("b.so", "cut or changed"); /* of other parameters */
    (void)unlink(path_of("b.so"));
}

static void whose(void **state)
{
    static const struct {
        mode_t mode;
        const char *word;
    } modes[] = {{0600, NULL},
                 {0755, NULL},
                 {0444, NULL},
                 {0775, "written by others"},
                 {0757, "written by others"},
                 {0602, "written by others"}};
    uint8_t data[SEALED];

    (void)state;
    (void)umask(0);
    make("a.so", data); /* sealing takes the right to write from others */
    looks("a.so", NULL);
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path_of("a.so"), modes[i].mode), 0);
        looks("a.so", modes[i].word);
    }
    (void)chmod(path_of("a.so"), 0644);
    assert_int_equal(rename(path_of("a.so"), path_of("real.so")), 0);
    assert_int_equal(symlink("real.so", path_of("a.so")), 0);
    looks("a.so", "is a link");
    (void)unlink(path_of("a.so"));
    assert_int_equal(mkdir(path_of("a.so"), 0700), 0);
    looks("a.so", "no regular file");
    (void)rmdir(path_of("a.so"));
    assert_int_equal(mkfifo(path_of("a.so"), 0600), 0);
    looks("a.so", "no regular file");
    (void)unlink(path_of("a.so"));
    (void)rename(path_of("real.so"), path_of("a.so"));
    if (geteuid() == 0) { /* a file can be given away, and the user be another one */
        assert_int_equal(chown(path_of("a.so"), OTHER, OTHER), 0);
        looks("a.so", "another user");
        assert_int_equal(chmod(folder, 0755), 0);
        assert_int_equal(seteuid(OTHER), 0);
        looks("a.so", NULL);
        assert_int_equal(seteuid(0), 0);
        assert_int_equal(chown(path_of("a.so"), 0, 0), 0);
        assert_int_equal(seteuid(OTHER), 0);
        looks("a.so", NULL); /* root's: it can do what it likes */
        assert_int_equal(seteuid(0), 0);
    }
    (void)unlink(path_of("a.so"));
}

static void folders(void **state)
{
    static const struct {
        mode_t mode;
        bool safe;
    } modes[] = {{0700, true},  {0755, true},  {0555, true},
                 {0775, false}, {0777, false}, {01777, false}};
    char why[128] = "";

    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(folder, modes[i].mode), 0);
        if (wr_cached_folder_safe(folder, why, sizeof why) != modes[i].safe) {
            fail_msg("mode %o: %s", (unsigned)modes[i].mode, why);
        }
    }
    assert_non_null(strstr(why, "written by others"));
    (void)chmod(folder, 0700);
    assert_false(wr_cached_folder_safe(path_of("none"), why, sizeof why));
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, OTHER, OTHER), 0);
        assert_false(wr_cached_folder_safe(folder, why, sizeof why));
        assert_non_null(strstr(why, "another user"));
        assert_int_equal(chown(folder, 0, 0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bytes), cmocka_unit_test(whose),
                                       cmocka_unit_test(folders)};

    if (!mkdtemp(folder)) {
        return 1;
    }
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);

    (void)rmdir(folder);
    return failed;
}
