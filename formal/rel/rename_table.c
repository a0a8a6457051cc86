/* SPDX-License-Identifier: Apache-2.0 */
/* rename_table: one live entry at most for a register. */
#include "refmodel/hints/rename_table.h"
#include "formal/rel/relate.h"

/* An entry is live where its two halves differ. */
static bool unique(const uint16_t *entry, uint32_t entries)
{
    bool ok = true;
    for (uint32_t i = 0; i < entries; i++) {
        for (uint32_t j = 0; j < i; j++) {
            ok &= (entry[i] >> 8) == (entry[i] & 255) || (entry[j] >> 8) == (entry[j] & 255) ||
                  (entry[i] >> 8) != (entry[j] >> 8);
        }
    }
    return ok;
}

void relate(wr_rename_table *s, wr_when when)
{
    HOLDS(unique(s->scalar_q, s->cfg.entries));
    HOLDS(unique(s->vector_q, s->cfg.entries));
}
