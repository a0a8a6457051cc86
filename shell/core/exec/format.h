/* SPDX-License-Identifier: Apache-2.0 */
/* printf of a kernel: a format and arguments in simulated memory, text out.
 *
 * Arguments lie one behind the other as the compilers of CUDA lay them out: each at its natural
 * alignment, 4 bytes for int, 8 for long long and double; long, size_t and pointers are as wide
 * as an address. Conversions are d i u x X o c s p f F e E g G a A %, with the flags `- + # 0` and
 * space, width, precision (both also `*`) and the lengths hh h l ll j z t L. As in CUDA at most 32
 * arguments are taken; a conversion beyond them, or one that is unknown, comes out as it is
 * written. Widths and precisions above 1,000 count as 1,000, text ends after 65,536 characters.
 */
#ifndef WR_SHELL_CORE_EXEC_FORMAT_H
#define WR_SHELL_CORE_EXEC_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#define WR_FORMAT_MAX_ARGS  32
#define WR_FORMAT_MAX_FIELD 1000
#define WR_FORMAT_MAX_TEXT  65536

typedef struct wr_format_io {
    void *arg;
    /* False: these bytes can't be read. */
    bool (*read)(void *arg, uint64_t addr, void *out, uint32_t bytes);
    void (*write)(void *arg, const char *text, uint32_t bytes);
    uint32_t pointer; /* bytes of an address: 4 or 8 */
} wr_format_io;

typedef struct wr_format_fault {
    const char *what; /* "format", "arguments", "text of a %s" */
    uint64_t addr;
} wr_format_fault;

/* Writes the text; *result is the number of arguments, or -1 where `format` is 0. False: something
 * can't be read, and what stands before it has been written. */
bool wr_format(const wr_format_io *io, uint64_t format, uint64_t args, int32_t *result,
               wr_format_fault *fault);

#endif
