/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets of readers share: an input as a file, and what they want of a refused one:
 * one message, at a place that the input has. */
#ifndef WR_TESTS_FUZZ_INPUT_H
#define WR_TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "shell/ptx/diag.h"

/* The entry of libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts, so that libFuzzer keeps the input, where `diag` says nothing, names a line that the
 * text does not have, or holds more than one line or an unprintable character. */
void wr_fuzz_want_message(const wr_diag *diag, const uint8_t *data, size_t size);

/* The same of a text, "path:line: message" where it is about the file at `path`. */
void wr_fuzz_want_text(const char *text, const char *path, const uint8_t *data, size_t size);

/* The path of a file in memory with these bytes, always at descriptor 100. */
const char *wr_fuzz_file(const uint8_t *data, size_t size);

/* Aborts with this text. */
_Noreturn void wr_fuzz_fail(const char *what);

#endif
