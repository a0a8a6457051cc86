/* SPDX-License-Identifier: Apache-2.0 */
/* See shares.h. */
#include "systems/frame/shares.h"

#include <inttypes.h>
#include <stdio.h>

bool wr_shares_read(const wr_system_setup *setup, const char *system, const wr_option_value *shares,
                    uint32_t share[WR_MAX_STREAMS], char *err, size_t err_size)
{
    if (shares->given && setup->streams != 0 && shares->count != setup->streams) {
        (void)snprintf(err, err_size,
                       "system %s: shares=%s are %" PRIu32 ", one of each stream; the run has "
                       "%" PRIu32 " streams",
                       system, shares->text, shares->count, setup->streams);
        return false;
    }
    for (uint32_t i = 0; i < WR_MAX_STREAMS; i++) {
        share[i] = i < shares->count ? (uint32_t)shares->list[i] : 1;
    }
    return true;
}
