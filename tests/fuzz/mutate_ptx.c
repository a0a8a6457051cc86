/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of PTX by statements and words, beside libFuzzer's own by bytes.
 *
 * Bytes alone seldom make text that parses, so that the compiler would hardly be reached. Here
 * statements are dropped, copied and moved, and words are replaced by others of the same text,
 * mostly of the same kind: a register by a register, a modifier by a modifier.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAX_PIECE 256 /* bytes that are copied at once */
#define TRIES     20

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* libFuzzer's */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

typedef struct span {
    size_t at, len;
} span;

static uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static bool ends_statement(uint8_t c)
{
    return c == ';' || c == '{' || c == '}' || c == '\n';
}

static bool in_word(uint8_t c)
{
    return isalnum(c) || c == '_' || c == '%' || c == '$';
}

/* The statement around a random byte, its end included. */
static span statement(const uint8_t *data, size_t size, uint32_t *state)
{
    size_t begin = draw(state) % size, end = begin;

    while (begin > 0 && !ends_statement(data[begin - 1])) {
        begin--;
    }
    while (end < size && !ends_statement(data[end])) {
        end++;
    }
    end += end < size;
    return (span){begin, end - begin};
}

/* A word near a random byte; a dot before it belongs to it. Empty where there is none. */
static span word(const uint8_t *data, size_t size, uint32_t *state)
{
    size_t begin = draw(state) % size, end;

    while (begin < size && !in_word(data[begin])) {
        begin++;
    }
    end = begin;
    while (begin > 0 && in_word(data[begin - 1])) {
        begin--;
    }
    while (end < size && in_word(data[end])) {
        end++;
    }
    begin -= begin > 0 && data[begin - 1] == '.';
    return (span){begin, end - begin};
}

/* Puts `piece` in the place of `old`; the size after it, or `size` where it has no room. */
static size_t put(uint8_t *data, size_t size, size_t max_size, span old, const uint8_t *piece,
                  size_t len)
{
    if (size - old.len + len > max_size) {
        return size;
    }
    memmove(data + old.at + len, data + old.at + old.len, size - old.at - old.len);
    memcpy(data + old.at, piece, len);
    return size - old.len + len;
}

static size_t replace_word(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
    uint8_t piece[MAX_PIECE];
    span old = word(data, size, state), with = old;
    bool any_kind = draw(state) % 4 == 0;

    if (old.len == 0) {
        return size;
    }
    for (int i = 0; i < TRIES; i++) {
        with = word(data, size, state);
        bool other = with.len != old.len || memcmp(data + with.at, data + old.at, old.len) != 0;
        bool kind = with.len != 0 && data[with.at] == data[old.at] &&
                    (data[old.at] != '%' || with.len == 1 || old.len == 1 ||
                     data[with.at + 1] == data[old.at + 1]);
        if (with.len != 0 && with.len <= MAX_PIECE && other && (kind || any_kind)) {
            break;
        }
    }
    if (with.len > MAX_PIECE) {
        return size;
    }
    memcpy(piece, data + with.at, with.len);
    return put(data, size, max_size, old, piece, with.len);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    uint8_t piece[MAX_PIECE];
    uint32_t state = seed | 1;
    unsigned how = draw(&state) % 8;

    if (size == 0 || how < 2) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (how < 5) {
        return replace_word(data, size, max_size, &state);
    }
    span from = statement(data, size, &state);
    if (from.len > MAX_PIECE) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(piece, data + from.at, from.len);
    if (how < 7) { /* 5 drops it, 6 moves it, 7 copies it */
        size = put(data, size, max_size, from, piece, 0);
    }
    if (how == 5 || size == 0) {
        return size;
    }
    span to = statement(data, size, &state);
    to.len = 0;
    return put(data, size, max_size, to, piece, from.len);
}
