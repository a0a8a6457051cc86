/* SPDX-License-Identifier: Apache-2.0 */
/* Verifying with vectors: against a port, or against recorded outputs. See vectors.h. */
#include "dpi/checker.h"
#include "files/line.h"
#include "vectors/vectors.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint32_t out_pins(const wr_block_desc *block)
{
    uint32_t n = 0;

    for (size_t i = 0; i < block->pins_count; i++) {
        n += block->pins[i].dir == WR_OUT;
    }
    return n;
}

/* Compares one row; `at` and `line` name the place in the first message. */
static void compare_row(const wr_vectors *v, uint32_t row, const uint32_t *got, const char *at,
                        uint32_t line, wr_replay_result *result)
{
    const uint32_t *expected = v->out + (size_t)row * v->out_words;

    result->cycles++;
    result->checks += out_pins(v->block);
    if (memcmp(expected, got, v->out_words * sizeof(*got)) == 0) {
        return;
    }
    if (result->mismatches++ == 0) {
        int used =
            snprintf(result->first, sizeof(result->first),
                     "%s:%" PRIu32 ": %s: cycle %" PRIu32 ": ", at, line, v->block->name, row);
        if (used > 0 && (size_t)used < sizeof(result->first)) {
            wr_describe_difference(v->block, v->cfg, expected, got, result->first + used,
                                   sizeof(result->first) - (size_t)used);
        }
    }
}

void wr_vectors_replay(const wr_vectors *v, wr_port *port, wr_replay_result *result)
{
    _Alignas(8) uint8_t in[WR_MAX_PINS_BYTES];
    _Alignas(8) uint8_t out[WR_MAX_PINS_BYTES];
    uint32_t got[WR_MAX_WORDS];

    memset(result, 0, sizeof(*result));
    memset(out, 0, sizeof(out));
    for (uint32_t row = 0; row < v->count; row++) {
        wr_unpack(v->block, WR_IN, v->cfg, v->in + (size_t)row * v->in_words, in);
        wr_port_eval(port, in, out);
        (void)wr_pack(v->block, WR_OUT, v->cfg, out, got);
        compare_row(v, row, got, v->path, v->line[row], result);
        wr_port_tick(port, in);
    }
}

bool wr_vectors_compare(const wr_vectors *v, const char *outputs_path, wr_replay_result *result,
                        char *err, size_t err_size)
{
    FILE *file = fopen(outputs_path, "r");
    uint32_t got[WR_MAX_WORDS];
    char *text = NULL;
    size_t room = 0;
    uint32_t line = 0;
    uint32_t row = 0;
    bool good = true;

    memset(result, 0, sizeof(*result));
    if (file == NULL) {
        (void)snprintf(err, err_size, "%s: cannot be read", outputs_path);
        return false;
    }
    for (ssize_t n; good && (n = wr_line_read(&text, &room, file)) != -1;) {
        const char *wrong = NULL;
        line++;
        if (n == WR_LINE_LONG) {
            (void)snprintf(err, err_size, "%s:%" PRIu32 ": " WR_LINE_LONG_TEXT, outputs_path, line);
            good = false;
            break;
        }
        while (n > 0 && isspace((unsigned char)text[n - 1])) {
            text[--n] = '\0';
        }
        if (n == 0 || strncmp(text, "//", 2) == 0) {
            continue;
        }
        wrong = row == v->count ? "more lines than the vectors have cycles"
                                : wr_hex_read(text, wr_block_bits(v->block, WR_OUT, v->cfg), got);
        if (wrong != NULL) {
            (void)snprintf(err, err_size,
                           "%s:%" PRIu32 ": %s; an output line has %" PRIu32 " hexadecimal digits",
                           outputs_path, line, wrong,
                           (wr_block_bits(v->block, WR_OUT, v->cfg) + 3) / 4);
            good = false;
        } else {
            compare_row(v, row++, got, outputs_path, line, result);
        }
    }
    if (good && ferror(file) != 0) { /* a folder, for one */
        (void)snprintf(err, err_size, "%s: cannot be read", outputs_path);
        good = false;
    }
    if (good && row != v->count) {
        (void)snprintf(err, err_size,
                       "%s:%" PRIu32 ": %" PRIu32 " cycles recorded, the vectors have %" PRIu32,
                       outputs_path, line, row, v->count);
        good = false;
    }
    (void)fclose(file);
    free(text);
    return good;
}
