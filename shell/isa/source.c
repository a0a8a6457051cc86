/* SPDX-License-Identifier: Apache-2.0 */
#include "shell/isa/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const wr_source_line *wr_source_find(const wr_sources *sources, uint32_t ptx)
{
    size_t from = 0;
    size_t to = sources != NULL ? sources->count : 0;

    while (from < to) {
        size_t middle = from + (to - from) / 2;

        if (sources->at[middle].ptx <= ptx) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from != 0 && sources->at[from - 1].file != UINT32_MAX ? &sources->at[from - 1] : NULL;
}

void wr_source_text(const wr_sources *sources, uint32_t ptx, char *text, size_t size)
{
    const wr_source_line *at = wr_source_find(sources, ptx);

    if (at != NULL) {
        const char *file = sources->files[at->file];
        size_t length = strlen(file), most = size > 16 ? size - 16 : 0;

        (void)snprintf(text, size, "%s:%" PRIu32, length > most ? file + length - most : file,
                       at->line);
    } else {
        (void)snprintf(text, size, "PTX line %" PRIu32, ptx);
    }
}
