/* SPDX-License-Identifier: Apache-2.0 */
/* rtl/sharing/serial_divider.sv in a relation: what a division in progress will come to. Each step
 * is written as the RTL has it, bits and all, so that both are the same terms. */
#ifndef WR_FORMAL_REL_DIVIDER_H
#define WR_FORMAL_REL_DIVIDER_H

#include <stdbool.h>
#include <stdint.h>

/* The quotient, of so many bits, when the bits that are left have been found; rest has num_bits. */
static inline uint32_t wr_divided(uint64_t rest, uint64_t divisor, uint64_t found, uint32_t left,
                                  uint32_t num_bits, uint32_t quot_bits)
{
    for (uint32_t i = 0; i < left; i++) {
        const bool goes = rest >= divisor;
        rest = goes ? (rest - divisor) & (((uint64_t)1 << num_bits) - 1) : rest;
        divisor >>= 1;
        found = (found << 1 | (goes ? 1 : 0)) & (((uint64_t)1 << quot_bits) - 1);
    }
    return (uint32_t)found;
}

#endif
