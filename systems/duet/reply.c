/* SPDX-License-Identifier: Apache-2.0 */
/* Data of loads that come for absent warps (D8): one register at a time; the block finds out where
 * it is to be written.
 */
#include "systems/duet/state.h"

#include <string.h>

enum { LINE_WORDS = WR_DUET_LINE / 4 };

/* The register whose data are next; false: there is none. */
static bool pick(wr_duet_sm *u)
{
    for (uint32_t half = 0; half < 2; half++) {
        for (uint64_t left = u->loaded.bits[half]; left != 0; left &= left - 1) {
            const uint32_t warp = half * 64 + (uint32_t)__builtin_ctzll(left);
            const uint64_t regs = u->landed[warp] & u->flying[warp];

            if (wr_duet_leaving(u, warp)) {
                continue;
            }
            if (wr_duet_has(&u->away, warp) && regs != 0) {
                u->in.reply_warp = (uint8_t)warp;
                u->in.reply_reg = (uint8_t)__builtin_ctzll(regs);
                return true;
            }
            wr_duet_drop(&u->loaded, warp); /* it came back with its TB */
        }
    }
    return false;
}

/* One that its warp has come back from falls for a cycle. */
void wr_duet_reply_offer(wr_duet_sm *u)
{
    if (u->in.reply && !u->out.last) {
        u->in.reply = wr_duet_has(&u->away, u->in.reply_warp);
    } else {
        u->in.reply = pick(u);
    }
}

/* The words of the register that belong into this line. */
static void write_words(wr_duet_sm *u)
{
    const wr_gpuduet_out *o = &u->out;
    const uint32_t *lanes = u->values[u->in.reply_warp][u->in.reply_reg];
    const uint32_t fit = LINE_WORDS - o->write_word;
    uint8_t *line = wr_duet_line(u, o->write_line);

    if (o->reply_state == WR_ABSENT_REPLY_REST) {
        memcpy(line, lanes + fit, (size_t)4 * o->write_word);
    } else {
        memcpy(line + (size_t)4 * o->write_word, lanes, (size_t)4 * fit);
    }
}

static void ended(wr_duet_sm *u)
{
    const uint32_t warp = u->in.reply_warp;
    const uint64_t reg = UINT64_C(1) << u->in.reply_reg;

    u->flying[warp] &= ~reg;
    u->landed[warp] &= ~reg;
    if ((u->landed[warp] & u->flying[warp]) == 0) {
        u->landed[warp] = 0;
        wr_duet_drop(&u->loaded, warp);
    }
    wr_duet_set_free(u, warp);
    u->counts.replies++;
}

void wr_duet_reply_write(wr_duet_sm *u)
{
    if (u->out.write) {
        write_words(u);
    }
    if (u->out.last) {
        ended(u);
    }
}
