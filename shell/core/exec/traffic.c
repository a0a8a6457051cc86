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
#include <string.h>

enum { HALF = WR_LANES / 2 };

static uint64_t ones(uint32_t count)
{
    return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

/* Bytes of a line from `at` on. */
static void mark(wr_lsu_line *line, uint32_t at, uint32_t count)
{
    for (uint32_t end = at + count; at < end;) {
        uint32_t here = 64 - at % 64 < end - at ? 64 - at % 64 : end - at;
        line->bytes[at / 64] |= ones(here) << at % 64;
        at += here;
    }
}

static wr_lsu_line *line_of(wr_lsu_entry *e, uint64_t addr)
{
    for (uint32_t i = e->count; i-- > 0;) { /* neighbours last: the usual hit */
        if (e->lines[i].addr == addr) {
            return &e->lines[i];
        }
    }
    assert(e->count < WR_LSU_LINES);
    e->lines[e->count] = (wr_lsu_line){.addr = addr, .serial = 1};
    return &e->lines[e->count++];
}

/* Bytes from the first lane of a half on that the half touches, without a gap; 0: more than that.
 */
static uint32_t half_span(const wr_addresses *at, uint32_t first, uint32_t bytes)
{
    switch (at->form[first / HALF]) {
    case WR_HALF_ROW:
        return bytes == 4 ? HALF * 4 : 0;
    case WR_HALF_WORD:
        return bytes;
    default:
        return 0;
    }
}

void wr_traffic_lines(wr_lsu_entry *e, const wr_addresses *at, uint32_t mask, uint32_t bytes,
                      uint32_t line_bytes)
{
    const uint64_t in_line = line_bytes - 1;
    const uint64_t addr = at->low & ~in_line;
    const bool one_line = e->count == 0 && at->high - addr + bytes <= line_bytes;
    if (one_line && ((at->is_row && bytes == 4) || at->low == at->high)) {
        mark(line_of(e, addr), (uint32_t)(at->low - addr), (uint32_t)(at->high - at->low) + bytes);
        return;
    }
    wr_lsu_line *line = NULL;
    for (uint32_t first = 0; first < WR_LANES; first += HALF) {
        uint32_t left = mask & UINT32_C(0xffff) << first;
        uint32_t span = half_span(at, first, bytes);
        if (span != 0 && (at->lane[first] & in_line) + span <= line_bytes) {
            mark(line_of(e, at->lane[first] & ~in_line), (uint32_t)(at->lane[first] & in_line),
                 span);
            continue;
        }
        for (; left != 0; left &= left - 1) {
            uint64_t a = at->lane[__builtin_ctz(left)];
            if (line == NULL || line->addr != (a & ~in_line)) {
                line = line_of(e, a & ~in_line);
            }
            /* Aligned, so it does not reach into the mask's next word. */
            line->bytes[(a & in_line) / 64] |= ones(bytes) << a % 64;
        }
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
    uint8_t depth[MAX_BANKS];
    uint32_t count = 0;
    uint32_t most = 1;
    assert(banks != 0 && banks <= MAX_BANKS);
    if (!atomic && (at->high + bytes - 1) / 4 - at->low / 4 < banks) {
        return 1; /* words so near each other are in different banks */
    }
    memset(head, NIL, banks);
    memset(depth, 0, banks);
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
