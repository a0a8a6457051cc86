/* SPDX-License-Identifier: Apache-2.0 */
/* Messages quote files of any content: one stays one line, and leaves the terminal alone. */
#ifndef WR_DPI_PRINTABLE_H
#define WR_DPI_PRINTABLE_H

static inline void wr_printable(char *message)
{
    for (; *message != '\0'; message++) {
        if ((unsigned char)*message < ' ' || *message == 0x7f) {
            *message = '?';
        }
    }
}

#endif
