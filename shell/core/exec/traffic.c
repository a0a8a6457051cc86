/* SPDX-License-Identifier: Apache-2.0 */
/* Traffic of a memory instruction: lines for global memory, cycles for shared memory.
 *
 * Coalescing: the lanes' bytes are gathered into distinct lines, in the order of the first
 * lane that touches each. Bank conflicts: words of 4 bytes; lanes that read the same word
 * share it (broadcast), different words of a bank follow each other. Atomics on the same word
 * do not share.
 */
#include "shell/core/sm/sm.h"

#include <assert.h>

/* Bits of a mask of 128 from `at` on. */
static void mark(uint64_t mask[2], uint32_t at, uint32_t count)
{
    if (count > 64) {
        mark(mask, at, 64);
        mark(mask, at + 64, count - 64);
        return;
    }
    uint64_t ones = count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
    uint32_t end = at + count;
    mask[at / 64] |= ones << at % 64;
    if (at / 64 != (end - 1) / 64) {
        mask[1] |= ones >> (64 - at);
    }
}

static void touch(wr_lsu_entry *e, uint64_t line, uint32_t at, uint32_t count)
{
    for (uint32_t i = e->count; i-- > 0;) { /* neighbours last: the usual hit */
        if (e->lines[i].addr == line) {
            mark(e->lines[i].bytes, at, count);
            return;
        }
    }
    assert(e->count < WR_LSU_LINES);
    e->lines[e->count] = (wr_lsu_line){.addr = line, .serial = 1};
    mark(e->lines[e->count].bytes, at, count);
    e->count++;
}

void wr_traffic_lines(wr_lsu_entry *e, const wr_addresses *at, uint32_t mask, uint32_t bytes,
                      uint32_t line_bytes)
{
    uint64_t first = at->low & ~(uint64_t)(line_bytes - 1);
    bool one_line = e->count == 0 && at->high - first + bytes <= line_bytes;
    if (one_line && (at->is_row || at->low == at->high)) {
        touch(e, first, (uint32_t)(at->low - first), (uint32_t)(at->high - at->low) + bytes);
        return;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint64_t a = at->lane[__builtin_ctz(left)];
        uint64_t line = a & ~(uint64_t)(line_bytes - 1);
        touch(e, line, (uint32_t)(a - line), bytes);
    }
}

uint32_t wr_traffic_serial(const uint64_t addr[WR_LANES], uint32_t mask)
{
    uint32_t most = 0;
    for (uint32_t left = mask; left != 0;) {
        uint64_t a = addr[__builtin_ctz(left)];
        uint32_t same = 0;
        for (uint32_t rest = left; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            if (addr[lane] == a) {
                same++;
                left &= ~(1u << lane);
            }
        }
        most = same > most ? same : most;
    }
    return most;
}

uint32_t wr_traffic_conflicts(const wr_addresses *at, uint32_t mask, uint32_t bytes, uint32_t banks,
                              bool atomic)
{
    enum { MAX_BANKS = 64, NIL = 255, MAX_WORDS = WR_LANES * 4 };
    uint64_t words[MAX_WORDS];
    uint8_t next[MAX_WORDS];
    uint8_t head[MAX_BANKS];
    uint8_t depth[MAX_BANKS] = {0};
    uint32_t count = 0;
    uint32_t most = 1;
    assert(banks != 0 && banks <= MAX_BANKS);
    if (!atomic && (at->high + bytes - 1) / 4 - at->low / 4 < banks) {
        return 1; /* words so near each other are in different banks */
    }
    for (uint32_t i = 0; i < banks; i++) {
        head[i] = NIL;
    }
    for (uint32_t left = mask; left != 0; left &= left - 1) {
        uint64_t a = at->lane[__builtin_ctz(left)];
        for (uint64_t word = a / 4; word <= (a + bytes - 1) / 4; word++) {
            uint32_t bank = (uint32_t)(word % banks);
            uint8_t place = head[bank];
            while (place != NIL && words[place] != word) {
                place = next[place];
            }
            if (place != NIL && !atomic) {
                continue;
            }
            words[count] = word;
            next[count] = head[bank];
            head[bank] = (uint8_t)count++;
            depth[bank]++;
            most = depth[bank] > most ? depth[bank] : most;
        }
    }
    return most;
}
