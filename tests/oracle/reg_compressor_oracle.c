/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of reg_compressor; see the header. */
#include "tests/oracle/reg_compressor_oracle.h"

static const uint64_t two_to_32 = UINT64_C(4294967296);

static uint64_t difference(uint32_t to, uint32_t from)
{
    return ((uint64_t)to + two_to_32 - (uint64_t)from) % two_to_32;
}

unsigned wr_oracle_group_lanes(unsigned pag)
{
    switch (pag) {
    case 0:
        return 8;
    case 1:
        return 16;
    default:
        return 32;
    }
}

unsigned wr_oracle_groups(unsigned lanes, unsigned pag)
{
    unsigned groups = 0;
    for (unsigned first = 0; first < lanes; first += wr_oracle_group_lanes(pag)) {
        groups++;
    }
    return groups;
}

unsigned wr_oracle_group_code(const uint32_t *value, unsigned n)
{
    if (n == 1) {
        return WR_ORACLE_UNIFORM;
    }
    uint64_t first = difference(value[1], value[0]);
    unsigned a = 0;
    if (first != 0) {
        a = 1;
    }
    unsigned b = 1;
    for (unsigned i = 2; i < n; i++) {
        if (difference(value[i], value[i - 1]) != first) {
            b = 0;
        }
    }
    return 2 * a + b;
}

unsigned wr_oracle_word_count(unsigned pattern, unsigned lanes, unsigned pag)
{
    switch (pattern) {
    case WR_ORACLE_UNIFORM:
        return wr_oracle_groups(lanes, pag);
    case WR_ORACLE_STRIDED:
        return 2 * wr_oracle_groups(lanes, pag);
    case WR_ORACLE_RANDOM:
        return lanes;
    default:
        return 0;
    }
}

/* The class of a register is that of its worst group: random, then strided, then uniform. */
static unsigned register_pattern(const uint32_t *lane, unsigned lanes, unsigned pag)
{
    unsigned width = wr_oracle_group_lanes(pag);
    unsigned strided = 0;
    for (unsigned first = 0; first < lanes; first += width) {
        unsigned n = width;
        if (first + n > lanes) {
            n = lanes - first;
        }
        unsigned code = wr_oracle_group_code(lane + first, n);
        if (code != WR_ORACLE_UNIFORM && code != WR_ORACLE_STRIDED) {
            return WR_ORACLE_RANDOM;
        }
        if (code == WR_ORACLE_STRIDED) {
            strided++;
        }
    }
    if (strided > 0) {
        return WR_ORACLE_STRIDED;
    }
    return WR_ORACLE_UNIFORM;
}

wr_oracle_reg wr_oracle_compress(unsigned tag, const uint32_t *lane, unsigned lanes, unsigned pag)
{
    wr_oracle_reg out = {.tag = tag};
    unsigned width = wr_oracle_group_lanes(pag);

    out.pattern = register_pattern(lane, lanes, pag);
    if (out.pattern == WR_ORACLE_RANDOM) {
        for (unsigned i = 0; i < lanes; i++) {
            out.value[out.count++] = lane[i];
        }
        return out;
    }
    for (unsigned first = 0; first < lanes; first += width) {
        out.value[out.count++] = lane[first];
        if (out.pattern == WR_ORACLE_STRIDED) {
            uint64_t stride = 0;
            if (first + 1 < lanes) {
                stride = difference(lane[first + 1], lane[first]);
            }
            out.value[out.count++] = (uint32_t)stride;
        }
    }
    return out;
}
