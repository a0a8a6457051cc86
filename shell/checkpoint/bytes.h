/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and texts as bytes, little endian: a buffer that grows, and a reader that never leaves
 * what it was given.
 *
 * Both note a failure and go on, so that a caller asks once at the end: a writer that ran out of
 * memory drops what follows, a reader that is past its end gives zeros.
 */
#ifndef WR_SHELL_CHECKPOINT_BYTES_H
#define WR_SHELL_CHECKPOINT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wr_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed; /* out of memory */
} wr_bytes;

void wr_bytes_put(wr_bytes *b, const void *data, size_t size);
void wr_bytes_put32(wr_bytes *b, uint32_t value);
void wr_bytes_put64(wr_bytes *b, uint64_t value);
void wr_bytes_put_text(wr_bytes *b, const char *text); /* its length in 32 bits, then it */
void wr_bytes_free(wr_bytes *b);

typedef struct wr_bytes_in {
    const uint8_t *at;
    size_t left;
    bool failed; /* more was asked for than there is, or a text did not fit */
} wr_bytes_in;

/* NULL: so many are not left. */
const uint8_t *wr_bytes_get(wr_bytes_in *in, size_t size);
uint32_t wr_bytes_get32(wr_bytes_in *in);
uint64_t wr_bytes_get64(wr_bytes_in *in);
/* Ends in a NUL; texts are for people: what is no character that can be shown is a ?. */
void wr_bytes_get_text(wr_bytes_in *in, char *text, size_t size);
/* Everything was there and nothing is left. */
bool wr_bytes_whole(const wr_bytes_in *in);

#endif
