/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a waveform of random values of every width, for same.py: `pair FILE`. Some changes are of
 * one bit, some are none, and some times have none; there are more variables than one character can
 * stand for. */
#include "waveforms/fst.h"

#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES = 10000, TIMES = 300, CHANGES = 40 };

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int main(int argc, char **argv)
{
    static wr_fst_var var[VARIABLES];
    static uint64_t value[VARIABLES];
    uint64_t state = 1;
    uint64_t time = 5;
    wr_fst *w = argc == 2 ? wr_fst_open(argv[1]) : NULL;

    if (w == NULL) {
        return 2;
    }
    for (uint32_t i = 0; i < VARIABLES; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), i % 3 == 0 ? "v[%u]" : "v%u", i);
        if (i % 1000 == 0) {
            if (i > 0) {
                wr_fst_upscope(w);
            }
            wr_fst_scope(w, i % 2000 == 0 ? "even" : "odd");
        }
        var[i] = wr_fst_add(w, name, i % 64 + 1, 0);
    }
    wr_fst_upscope(w);
    for (uint32_t t = 0; t < TIMES; t++, time += 1 + next(&state) % 9) {
        wr_fst_time(w, time);
        wr_fst_time(w, time - 1); /* which does not count */
        for (uint32_t n = 0; n < CHANGES && t % 7 != 3; n++) {
            const uint32_t i = (uint32_t)(next(&state) % 64) * (n % 2 == 0 ? 1 : 156);
            const uint32_t width = i % 64 + 1;
            value[i] ^=
                n % 3 == 0 ? UINT64_C(1) << next(&state) % width : next(&state) * (n % 5 != 0);
            wr_fst_set(w, var[i], width, value[i] & UINT64_MAX >> (64 - width));
        }
    }
    wr_fst_time(w, time);
    return wr_fst_close(w) ? 0 : 1;
}
