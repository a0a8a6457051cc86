/* SPDX-License-Identifier: Apache-2.0 */
/* See input.h. */
#include "tests/fuzz/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILE_FD = 100 };

void wr_fuzz_fail(const char *what)
{
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

const char *wr_fuzz_file(const uint8_t *data, size_t size)
{
    if (lseek(FILE_FD, 0, SEEK_SET) != 0) {
        char name[32];
        (void)snprintf(name, sizeof name, "/warpref-fuzz-%ld", (long)getpid());
        int fd = shm_open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, FILE_FD) < 0) {
            wr_fuzz_fail("no file in memory can be made");
        }
        close(fd);
        shm_unlink(name);
    }
    if (ftruncate(FILE_FD, 0) != 0 || write(FILE_FD, data, size) != (ssize_t)size) {
        wr_fuzz_fail("the file in memory cannot be written");
    }
    return "/proc/self/fd/100";
}

/* A message without its place, the line that it names, and all that is printed. */
static void check_message(const char *message, unsigned long line, const char *printed,
                          const uint8_t *data, size_t size)
{
    unsigned long lines = 2; /* the end of the text may be the place */

    for (size_t i = 0; i < size; i++) {
        lines += data[i] == '\n' || data[i] == '\r';
    }
    if (message[0] == '\0') {
        wr_fuzz_fail("refused without a message");
    }
    for (const char *c = printed; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            wr_fuzz_fail("a control character in the message");
        }
    }
    if (line > lines) {
        (void)fprintf(stderr, "%s\n", printed);
        wr_fuzz_fail("the message names a line that the text does not have");
    }
}

void wr_fuzz_want_message(const wr_diag *diag, const uint8_t *data, size_t size)
{
    char line[WR_DIAG_FILE_MAX + WR_DIAG_MESSAGE_MAX + 64];

    wr_diag_format(diag, line, sizeof line);
    check_message(diag->message, diag->line, line, data, size);
}

void wr_fuzz_want_text(const char *text, const char *path, const uint8_t *data, size_t size)
{
    const size_t n = strlen(path);
    const char *message = text;
    unsigned long line = 0;

    if (strncmp(text, path, n) == 0 && text[n] == ':') {
        char *end;
        line = strtoul(text + n + 1, &end, 10);
        message = end + strspn(end, ": ");
    }
    check_message(message, line, text, data, size);
}
