/* SPDX-License-Identifier: Apache-2.0 */
/* Event wheel; see wheel.h. */
#include "shell/core/sm/wheel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool wr_wheel_init(wr_wheel *w, uint32_t longest, uint32_t capacity)
{
    *w = (wr_wheel){.slots = 64, .capacity = capacity};
    while (w->slots <= longest) {
        w->slots *= 2;
    }
    w->events = calloc(capacity, sizeof *w->events);
    w->heads = calloc(w->slots, sizeof *w->heads);
    w->busy = calloc(w->slots / 64, sizeof *w->busy);
    if (w->events == NULL || w->heads == NULL || w->busy == NULL) {
        wr_wheel_free(w);
        return false;
    }
    wr_wheel_clear(w);
    return true;
}

void wr_wheel_free(wr_wheel *w)
{
    free(w->events);
    free(w->heads);
    free(w->busy);
    *w = (wr_wheel){0};
}

void wr_wheel_clear(wr_wheel *w)
{
    for (uint32_t i = 0; i < w->slots; i++) {
        w->heads[i] = WR_WHEEL_NONE;
    }
    memset(w->busy, 0, w->slots / 64 * sizeof *w->busy);
    for (uint32_t i = 0; i < w->capacity; i++) {
        w->events[i].next = i + 1 < w->capacity ? i + 1 : WR_WHEEL_NONE;
    }
    w->free_head = 0;
    w->count = 0;
}

void wr_wheel_add(wr_wheel *w, uint64_t now, uint64_t when, uint16_t warp, uint64_t regs,
                  uint8_t preds)
{
    assert(when > now && when - now < w->slots && w->free_head != WR_WHEEL_NONE);
    uint32_t slot = (uint32_t)when & (w->slots - 1);
    uint32_t index = w->free_head;
    wr_event *e = &w->events[index];
    w->free_head = e->next;
    *e = (wr_event){.regs = regs, .next = w->heads[slot], .warp = warp, .preds = preds};
    w->heads[slot] = index;
    w->busy[slot / 64] |= UINT64_C(1) << (slot % 64);
    w->count++;
}

void wr_wheel_rename(wr_wheel *w, uint16_t from, uint16_t to)
{
    for (uint32_t word = 0; word < w->slots / 64; word++) {
        for (uint64_t left = w->busy[word]; left != 0; left &= left - 1) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(left);
            for (uint32_t i = w->heads[slot]; i != WR_WHEEL_NONE; i = w->events[i].next) {
                w->events[i].warp = w->events[i].warp == from ? to : w->events[i].warp;
            }
        }
    }
}

uint64_t wr_wheel_next(const wr_wheel *w, uint64_t now)
{
    if (w->count == 0) {
        return UINT64_MAX;
    }
    uint32_t words = w->slots / 64;
    uint32_t start = (uint32_t)(now + 1) & (w->slots - 1);
    uint32_t word = start / 64;
    uint64_t bits = w->busy[word] & (UINT64_MAX << (start % 64));
    for (uint32_t i = 0; i <= words; i++) {
        if (bits != 0) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return now + 1 + ((slot - start) & (w->slots - 1));
        }
        word = (word + 1) % words;
        bits = w->busy[word];
    }
    return UINT64_MAX;
}
