/* SPDX-License-Identifier: Apache-2.0 */
/* See diag.h. */
#include "shell/ptx/diag.h"

#include <stdarg.h>
#include <string.h>

/* Names come from files of any content: a message stays one line and leaves the terminal alone. */
static void plain(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            *text = '?';
        }
    }
}

void wr_diag_set(wr_diag *diag, const char *file, unsigned line, unsigned column,
                 const char *format, ...)
{
    if (diag == NULL) {
        return;
    }
    memset(diag, 0, sizeof *diag);
    (void)snprintf(diag->file, sizeof diag->file, "%s", file != NULL ? file : "");
    diag->line = line;
    diag->column = column;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(diag->message, sizeof diag->message, format, args);
    va_end(args);
    plain(diag->file);
    plain(diag->message);
}

int wr_diag_format(const wr_diag *diag, char *buf, size_t size)
{
    char place[WR_DIAG_FILE_MAX + 32] = "";
    if (diag->file[0] != '\0') {
        if (diag->line == 0) {
            (void)snprintf(place, sizeof place, "%s: ", diag->file);
        } else if (diag->column == 0) {
            (void)snprintf(place, sizeof place, "%s:%u: ", diag->file, diag->line);
        } else {
            (void)snprintf(place, sizeof place, "%s:%u:%u: ", diag->file, diag->line, diag->column);
        }
    }
    return snprintf(buf, size, "%serror: %s", place, diag->message);
}

void wr_diag_print(const wr_diag *diag, FILE *stream)
{
    char line[WR_DIAG_FILE_MAX + WR_DIAG_MESSAGE_MAX + 64];
    wr_diag_format(diag, line, sizeof line);
    (void)fprintf(stream, "%s\n", line);
}
