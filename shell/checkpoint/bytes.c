/* SPDX-License-Identifier: Apache-2.0 */
/* See bytes.h. */
#include "shell/checkpoint/bytes.h"

#include <stdlib.h>
#include <string.h>

void wr_bytes_put(wr_bytes *b, const void *data, size_t size)
{
    if (b->failed || size == 0) {
        return;
    }
    if (size > b->capacity - b->size) {
        size_t capacity = b->capacity != 0 ? b->capacity : 4096;
        while (capacity - b->size < size) {
            capacity *= 2;
        }
        uint8_t *grown = realloc(b->data, capacity);
        if (grown == NULL) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = capacity;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

void wr_bytes_put32(wr_bytes *b, uint32_t value)
{
    uint8_t bytes[4];
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    wr_bytes_put(b, bytes, sizeof bytes);
}

void wr_bytes_put64(wr_bytes *b, uint64_t value)
{
    wr_bytes_put32(b, (uint32_t)value);
    wr_bytes_put32(b, (uint32_t)(value >> 32));
}

void wr_bytes_put_text(wr_bytes *b, const char *text)
{
    size_t length = strlen(text);
    wr_bytes_put32(b, (uint32_t)length);
    wr_bytes_put(b, text, length);
}

void wr_bytes_free(wr_bytes *b)
{
    free(b->data);
    *b = (wr_bytes){0};
}

const uint8_t *wr_bytes_get(wr_bytes_in *in, size_t size)
{
    if (in->failed || size > in->left) {
        in->failed = true;
        return NULL;
    }
    const uint8_t *at = in->at;
    in->at += size;
    in->left -= size;
    return at;
}

uint32_t wr_bytes_get32(wr_bytes_in *in)
{
    const uint8_t *at = wr_bytes_get(in, 4);
    uint32_t value = 0;
    for (unsigned i = 0; at != NULL && i < 4; i++) {
        value |= (uint32_t)at[i] << (8 * i);
    }
    return value;
}

uint64_t wr_bytes_get64(wr_bytes_in *in)
{
    uint64_t low = wr_bytes_get32(in);
    return low | (uint64_t)wr_bytes_get32(in) << 32;
}

/* Bytes of the UTF-8 character at `at`; 0: there is none that can be shown. */
static size_t character(const uint8_t *at, size_t left)
{
    size_t more = at[0] < 0x80 ? 0 : at[0] >= 0xf0 ? 3 : at[0] >= 0xe0 ? 2 : 1;
    if (at[0] < 0x20 || at[0] == 0x7f || (at[0] >= 0x80 && at[0] < 0xc2) || at[0] > 0xf4 ||
        more >= left) {
        return 0;
    }
    for (size_t i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return more + 1;
}

void wr_bytes_get_text(wr_bytes_in *in, char *text, size_t size)
{
    uint32_t length = wr_bytes_get32(in);
    const uint8_t *at = length < size ? wr_bytes_get(in, length) : NULL;
    text[0] = '\0';
    if (at == NULL || memchr(at, '\0', length) != NULL) {
        in->failed = true;
        return;
    }
    for (size_t i = 0; i < length;) {
        size_t bytes = character(at + i, length - i);
        memcpy(text + i, bytes != 0 ? (const void *)(at + i) : "?", bytes != 0 ? bytes : 1);
        i += bytes != 0 ? bytes : 1;
    }
    text[length] = '\0';
}

bool wr_bytes_whole(const wr_bytes_in *in)
{
    return !in->failed && in->left == 0;
}
