/* SPDX-License-Identifier: Apache-2.0 */
/* Plain loops over lanes, groups and registers: see naive_context.h. */
#include "tests/systems/naive_context.h"

#include <string.h>

uint64_t naive_live(uint64_t vector, uint32_t regs)
{
    uint64_t live = 0;

    for (uint32_t r = 0; r < regs; r++) {
        uint32_t bit = r < 53 ? r : 53;

        if (vector >> bit & 1) {
            live |= UINT64_C(1) << r;
        }
    }
    return live;
}

static uint32_t put(uint8_t *to, uint32_t at, uint32_t word)
{
    for (uint32_t i = 0; i < 4; i++) {
        to[at + i] = (uint8_t)(word >> 8 * i & 0xff);
    }
    return at + 4;
}

uint32_t naive_registers(const naive_warp *warp, uint32_t block_x, uint8_t data[63 * 128],
                         uint8_t pattern[16])
{
    uint32_t group = block_x == 8 || block_x == 16 ? block_x : 32;
    uint32_t at = 0;

    memset(pattern, 0, 16);
    for (uint32_t r = 0; r < 63; r++) {
        const uint32_t *lane = warp->reg[r];
        bool uniform = true;
        bool strided = true;

        if (!(warp->live >> r & 1)) {
            continue;
        }
        for (uint32_t l = 0; l < 32; l++) {
            uint32_t start = l / group * group;
            uint32_t stride = lane[start + 1] - lane[start];

            if (lane[l] != lane[start]) {
                uniform = false;
            }
            if (lane[l] != lane[start] + (l - start) * stride) {
                strided = false;
            }
        }
        uint32_t code = uniform ? 1 : strided ? 3 : 2;

        pattern[r / 4] = (uint8_t)(pattern[r / 4] | code << r % 4 * 2);
        if (!strided) {
            for (uint32_t l = 0; l < 32; l++) {
                at = put(data, at, lane[l]);
            }
            continue;
        }
        for (uint32_t start = 0; start < 32; start += group) {
            at = put(data, at, lane[start]);
            if (!uniform) {
                at = put(data, at, lane[start + 1] - lane[start]);
            }
        }
    }
    return at;
}

uint32_t naive_stack(const naive_warp *warp, uint8_t data[32 * 12], uint8_t preds[32])
{
    uint32_t at = 0;

    memset(preds, 0, 32);
    (void)put(preds, 28, (uint32_t)warp->pledges << 16 | (warp->done ? 0 : warp->depth));
    if (warp->done) {
        return 0;
    }
    for (uint32_t e = 0; e < warp->depth; e++) {
        at = put(data, at, warp->stack[e].pc);
        at = put(data, at, warp->stack[e].mask);
        at = put(data, at, warp->stack[e].reconv);
    }
    for (uint32_t p = 0; p < 7; p++) {
        (void)put(preds, 4 * p, warp->pred[p]);
    }
    return at;
}
