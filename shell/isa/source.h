/* SPDX-License-Identifier: Apache-2.0 */
/* From a line of PTX to the line of the source that it was made of, as `.loc` and `.file` say.
 *
 * PTX from nvcc -lineinfo has them, and CUDA C that is compiled here. Code of the header cuda.h
 * itself is told as the line of the kernel that uses it: names of its files begin with
 * WR_SOURCE_OWN.
 */
#ifndef WR_SHELL_ISA_SOURCE_H
#define WR_SHELL_ISA_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#define WR_SOURCE_OWN  "<warpref>"
#define WR_SOURCE_TEXT 120 /* room for the text of a place */

/* From this line of PTX to the next one's. */
typedef struct wr_source_line {
    uint32_t ptx;
    uint32_t file; /* in wr_sources.files; UINT32_MAX: no line is known */
    uint32_t line;
} wr_source_line;

/* Of a module; `at` is in the order of `ptx`. */
typedef struct wr_sources {
    const char **files;
    wr_source_line *at;
    size_t count;
} wr_sources;

/* The place of a line of PTX; NULL where none is known. */
const wr_source_line *wr_source_find(const wr_sources *sources, uint32_t ptx);

/* "saxpy.cu:12", or "PTX line 34" where no more is known; a long name loses its
 * front to fit. */
void wr_source_text(const wr_sources *sources, uint32_t ptx, char *text, size_t size);

#endif
