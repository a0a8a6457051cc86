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

uint32_t naive_raw(const naive_warp *warp, uint8_t data[63 * 128], uint8_t pattern[16])
{
    uint32_t at = 0;

    memset(pattern, 0, 16);
    for (uint32_t r = 0; r < 63; r++) {
        if (warp->live >> r & 1) {
            pattern[r / 4] = (uint8_t)(pattern[r / 4] | 2u << r % 4 * 2);
            for (uint32_t l = 0; l < 32; l++) {
                at = put(data, at, warp->reg[r][l]);
            }
        }
    }
    return at;
}

uint32_t naive_groups(uint32_t warps, uint32_t block_x)
{
    return block_x == 8 || block_x == 16 ? warps * 32 / block_x : warps;
}

/* As people would say it: of lane t of the TB, counted through its warps. */
uint32_t naive_whole(const naive_warp *warp, uint32_t warps, uint32_t block_x, uint8_t *data,
                     uint8_t classes[32])
{
    uint32_t group = block_x == 8 || block_x == 16 ? block_x : 32;
    uint32_t at = 0;

    memset(classes, 0, 32);
    for (uint32_t r = 0; r < 63; r++) {
        uint32_t lane[1024] = {0};
        bool same = true;       /* all lanes of the TB */
        bool same_group = true; /* all lanes of each group */
        bool line = true;       /* one arithmetic progression through the TB */
        bool line_group = true; /* one through each group */

        if (!(warp[0].live >> r & 1)) {
            continue;
        }
        for (uint32_t t = 0; t < 32 * warps; t++) {
            lane[t] = warp[t / 32].reg[r][t % 32];
        }
        for (uint32_t t = 0; t < 32 * warps; t++) {
            uint32_t start = t / group * group;

            same &= lane[t] == lane[0];
            same_group &= lane[t] == lane[start];
            line &= lane[t] == lane[0] + t * (lane[1] - lane[0]);
            line_group &= lane[t] == lane[start] + (t - start) * (lane[start + 1] - lane[start]);
        }
        uint32_t class = same ? 5 : same_group ? 1 : line ? 6 : line_group ? 3 : 2;
        uint32_t words = class == 5 || class == 6 ? 1
                         : class == 2             ? 32 * warps
                                                  : 32 * warps / group;
        uint32_t step = class == 2 ? 1 : group;

        classes[r / 2] = (uint8_t)(classes[r / 2] | class << r % 2 * 4);
        for (uint32_t i = 0; i < words; i++) {
            at = put(data, at, lane[i * step]);
            if (class == 3 || class == 6) {
                at = put(data, at, lane[i * step + 1] - lane[i * step]);
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
