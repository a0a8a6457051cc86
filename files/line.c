/* SPDX-License-Identifier: Apache-2.0 */
/* See line.h. */
#include "files/line.h"

#include "files/memory.h"

enum { ROOM = 256 };

ssize_t wr_line_read(char **text, size_t *room, FILE *file)
{
    size_t used = 0;
    int c = 0;

    flockfile(file);
    while (c != '\n' && (c = getc_unlocked(file)) != EOF) {
        if (used == WR_LINE_MOST) {
            break;
        }
        if (used + 1 >= *room) {
            *room = *room < ROOM ? ROOM : 2 * *room;
            *text = wr_need_realloc(*text, *room);
        }
        (*text)[used++] = (char)c;
    }
    funlockfile(file);
    if (used == WR_LINE_MOST) {
        return WR_LINE_LONG;
    }
    if (used == 0) {
        return -1;
    }
    (*text)[used] = '\0';
    return (ssize_t)used;
}
