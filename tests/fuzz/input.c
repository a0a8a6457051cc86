/* SPDX-License-Identifier: Apache-2.0 */
/* The check of messages that both fuzz targets share. */
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>

void wr_fuzz_fail(const char *what)
{
    (void)fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void wr_fuzz_want_message(const wr_diag *diag, const uint8_t *data, size_t size)
{
    char line[WR_DIAG_FILE_MAX + WR_DIAG_MESSAGE_MAX + 64];
    unsigned lines = 2; /* the end of the text may be the place */

    for (size_t i = 0; i < size; i++) {
        lines += data[i] == '\n' || data[i] == '\r';
    }
    wr_diag_format(diag, line, sizeof line);
    if (diag->message[0] == '\0') {
        wr_fuzz_fail("refused without a message");
    }
    for (const char *c = line; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f) {
            wr_fuzz_fail("a control character in the message");
        }
    }
    if (diag->line > lines) {
        (void)fprintf(stderr, "%s\n", line);
        wr_fuzz_fail("the message names a line that the text does not have");
    }
}
