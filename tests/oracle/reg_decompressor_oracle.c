/* SPDX-License-Identifier: Apache-2.0 */
/* Oracle of reg_decompressor; see the header. */
#include "tests/oracle/reg_decompressor_oracle.h"

wr_oracle_reg wr_oracle_decompress(unsigned tag, unsigned pattern, const uint32_t *word,
                                   unsigned lanes, unsigned pag, uint32_t poison)
{
    wr_oracle_reg out = {.tag = tag, .pattern = pattern, .count = lanes};
    unsigned width = wr_oracle_group_lanes(pag);

    for (unsigned i = 0; i < lanes; i++) {
        unsigned group = i / width;
        if (pattern == WR_ORACLE_DEAD) {
            out.value[i] = poison;
        } else if (pattern == WR_ORACLE_RANDOM) {
            out.value[i] = word[i];
        } else if (pattern == WR_ORACLE_UNIFORM) {
            out.value[i] = word[group];
        } else if (i % width == 0) {
            out.value[i] = word[2 * group];
        } else {
            uint64_t sum = (uint64_t)out.value[i - 1] + (uint64_t)word[2 * group + 1];
            out.value[i] = (uint32_t)(sum % UINT64_C(4294967296));
        }
    }
    return out;
}
