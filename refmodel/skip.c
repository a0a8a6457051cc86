/* SPDX-License-Identifier: Apache-2.0 */
/* Skipping: see skip.h. Repeats are found as Brent does: the state is held against one that was
 * kept, and the next is kept after twice the time. */
#include "refmodel/skip.h"

#include <string.h>

static void walk(const wr_skip *how, void *s, const void *in, uint64_t n)
{
    while (n > 0) {
        how->tick(s, in);
        n--;
        n -= how->coast(s, in, n);
    }
}

void wr_skip_run(const wr_skip *how, void *s, void *mark, const void *in, uint64_t period,
                 uint64_t n)
{
    uint64_t kept = 0; /* cycles ago */
    uint64_t keep = period;

    if (n > period) {
        memcpy(mark, s, how->state_size);
    }
    while (n > period) {
        walk(how, s, in, period);
        n -= period;
        kept += period;
        if (memcmp(mark, s, how->state_size) == 0) {
            n %= kept;
            break;
        }
        if (kept == keep) {
            memcpy(mark, s, how->state_size);
            kept = 0;
            keep *= 2;
        }
    }
    walk(how, s, in, n);
}

uint64_t wr_skip_quiet(const wr_skip *how, void *s, void *mark, const void *in, void *out)
{
    uint8_t *now = out;
    uint8_t *later = now + how->out_size;
    uint64_t quiet = 0;
    uint64_t kept = 0; /* steps ago */
    uint64_t keep = 1;

    memset(out, 0, 2 * how->out_size);
    how->eval(s, in, now);
    memcpy(mark, s, how->state_size);
    for (;;) {
        how->tick(s, in);
        how->eval(s, in, later);
        if (memcmp(now, later, how->out_size) != 0) {
            return quiet;
        }
        quiet++;
        const uint64_t coasted = how->coast(s, in, UINT64_MAX - quiet);
        how->eval(s, in, later);
        if (memcmp(now, later, how->out_size) != 0) {
            return quiet;
        }
        quiet += coasted;
        kept++;
        if (quiet == UINT64_MAX || memcmp(mark, s, how->state_size) == 0) {
            return UINT64_MAX;
        }
        if (kept == keep) {
            memcpy(mark, s, how->state_size);
            kept = 0;
            keep *= 2;
        }
    }
}
