/* SPDX-License-Identifier: Apache-2.0 */
/* See last_inputs.h. */
#include "dpi/last_inputs.h"

#include "dpi/bits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void wr_last_inputs_take(wr_last_inputs *last, const wr_checker *c, uint32_t cycles)
{
    const uint32_t words = wr_block_words(wr_checker_block(c), WR_IN, wr_checker_cfg(c));
    const uint32_t held = wr_checker_ring_count(c);
    const uint64_t since = wr_checker_since_reset(c);
    const uint32_t reset = since < held ? held - (uint32_t)since : 0;
    uint32_t end = held;

    memset(last, 0, sizeof(*last));
    while (wr_checker_first(c) != NULL && end > 1 &&
           wr_checker_ring_at(c, end - 1).cycle > wr_checker_first_cycle(c)) {
        end--;
    }
    const uint32_t oldest = reset < end ? reset : 0; /* or it was reset behind the mismatch */

    cycles = cycles < WR_LAST_CYCLES_MOST ? cycles : WR_LAST_CYCLES_MOST;
    last->count = cycles < end - oldest ? cycles : end - oldest;
    const uint32_t start = end - last->count;

    last->from_reset = last->count > 0 && since <= held && start == reset;
    for (uint32_t i = 0; i < last->count; i++) {
        const wr_ring_cycle r = wr_checker_ring_at(c, start + i);
        last->cycle[i] = r.cycle;
        memcpy(last->in[i + 1], r.in, words * sizeof(*r.in));
    }
    if (last->count > 0 && start > oldest) {
        memcpy(last->in[0], wr_checker_ring_at(c, start - 1).in, words * sizeof(last->in[0][0]));
    }
}

void wr_pin_text(const wr_pin_desc *pin, uint64_t value, char *text, size_t size)
{
    if (pin->codes != NULL && value < pin->codes_count) {
        (void)snprintf(text, size, "%s", pin->codes[value]);
    } else {
        (void)snprintf(text, size, "%s%" PRIx64, value > 1 ? "0x" : "", value);
    }
}

static bool all_are_0(const uint32_t *words, uint32_t bit, uint32_t width, uint32_t count)
{
    bool zero = true;

    for (uint32_t i = 0; i < count && zero; i++) {
        zero = wr_bits_get(words, bit + i * width, width) == 0;
    }
    return zero;
}

/* " name=value", of an array " name=value*3,value,...": elements in their order, and how many in a
 * row are alike. */
static void item_text(const wr_pin_desc *pin, uint32_t count, const uint32_t *words, uint32_t bit,
                      char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, " %s=", pin->name);
    const size_t bare = used;

    for (uint32_t i = 0, n = 1; i < count; i += n) {
        const uint64_t value = wr_bits_get(words, bit + i * pin->width, pin->width);
        char times[16] = "";
        char one[64];
        for (n = 1;
             i + n < count && wr_bits_get(words, bit + (i + n) * pin->width, pin->width) == value;
             n++) {
        }
        if (used > bare + WR_LAST_ARRAY) {
            (void)snprintf(text + used, size - used, ",...");
            return;
        }
        if (n > 1) {
            (void)snprintf(times, sizeof(times), "*%" PRIu32, n);
        }
        wr_pin_text(pin, value, one, sizeof(one));
        (void)snprintf(text + used, size - used, "%s%s%s", i > 0 ? "," : "", one, times);
        used += strlen(text + used);
    }
}

/* A line that is being written. */
typedef struct writer {
    char *line;
    size_t used;
    uint32_t more; /* pins that did not fit */
} writer;

static void add_item(writer *w, const char *item)
{
    enum { MORE = 20 }; /* " ... and 1000 more" */

    if (w->used + strlen(item) + MORE > WR_LAST_LINE) {
        w->more++;
        return;
    }
    memcpy(w->line + w->used, item, strlen(item) + 1);
    w->used += strlen(item);
}

void wr_last_inputs_line(const wr_last_inputs *last, uint32_t index, const wr_block_desc *block,
                         const void *cfg, char line[WR_LAST_LINE + 1])
{
    writer w = {.line = line};
    const uint32_t *now = last->in[index + 1];
    const uint32_t *before = last->in[index];
    const size_t start = (size_t)snprintf(line, WR_LAST_LINE + 1, "  %c %5" PRIu64 " ",
                                          index + 1 == last->count ? '>' : ' ', last->cycle[index]);
    uint32_t bit = 0;

    w.used = start;
    for (size_t p = 0; p < block->ins_count; p++) {
        const wr_pin_desc *pin = &block->pins[p];
        const uint32_t count = wr_pin_count(pin, cfg);
        char item[256];
        if (!all_are_0(now, bit, pin->width, count) || !all_are_0(before, bit, pin->width, count)) {
            item_text(pin, count, now, bit, item, sizeof(item));
            add_item(&w, item);
        }
        bit += count * pin->width;
    }
    if (w.more > 0) {
        (void)snprintf(line + w.used, WR_LAST_LINE + 1 - w.used, " ... and %" PRIu32 " more",
                       w.more);
    } else if (w.used == start) {
        (void)snprintf(line + w.used, WR_LAST_LINE + 1 - w.used, " all 0");
    }
}
