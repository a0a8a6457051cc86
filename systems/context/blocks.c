/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that every block of a path shares. */
#include "systems/context/blocks.h"

#include <stdio.h>

bool wr_context_block_failed(const wr_port *port, bool fault, char *text, size_t text_size)
{
    const char *mismatch = wr_port_mismatch(port);

    if (mismatch) {
        (void)snprintf(text, text_size, "%s", mismatch);
        return true;
    }
    if (fault) {
        (void)snprintf(text, text_size, "%s: cycle %llu: pin fault: expected 0, got 1",
                       port->block->name, (unsigned long long)wr_port_get_stats(port).cycles);
        return true;
    }
    return false;
}
