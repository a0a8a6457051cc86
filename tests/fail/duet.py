#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the system duet and in how its monitor is fed: each must make one of its short runs fail, or
test_watch.

    tests/fail/duet.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".

Not among them, since no output can tell, only cycles: that a warp at a barrier is not yet free; that one which enters a
slot is not held for the one that left it; finished warps at the hand-over, which end with their TB; an L1 that still
fetches. Nor what no run does: a TB that comes back while loads of its warps at barriers are on their way, so also a
reply that is withdrawn.
"""
import sys

sys.dont_write_bytecode = True
import planted

DUET, IMAGE, META, MOVE, REPLY, SM, TBS = (
    f"systems/duet/{name}.c" for name in ("duet", "image", "meta", "move", "reply", "sm", "tbs"))
WATCH = "systems/monitor/watch.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    # duet.c
    "a wake-up leaves the wait": (DUET, "    u->wait_memory &= ~(UINT64_C(1) << slot);\n"
                                        "    u->wait_barrier &= ~(UINT64_C(1) << slot);\n", "", "short"),
    "a wake-up leaves it clear": (DUET, "    u->clear &= ~(UINT64_C(1) << slot); /* it may wait again in this very "
                                        "cycle */\n", "", "short"),
    "finished warps forgotten": (DUET, "u->ended |= u->owner[slot] != WR_DUET_NONE ? UINT64_C(1) << slot : 0;",
                                 "(void)slot;", "short"),
    "warps of a TB that ends still to be retired": (DUET, "        u->ended &= ~slot; /* the shell's slots are free */\n",
                                                    "", "short"),
    "loads that land are not noted": (DUET, "u->landed[warp] |= regs;", "(void)regs;", "short"),
    "an open barrier does not free": (DUET, "    wr_duet_drop(&u->at_barrier, warp);\n    wr_duet_set_free(u, warp);",
                                      "    wr_duet_drop(&u->at_barrier, warp);", "short"),
    "TBs that end are not told": (DUET, "u->tbs_ended |= d->closer ? 0 : UINT32_C(1) << tb_slot;", "(void)tb_slot;",
                                  "short"),
    "TBs that are placed are not told": (DUET, "        u->placed[u->placed_count++] = (uint8_t)tb_slot;", "        (void)u;",
                                         "short"),
    "barriers that reduce": (DUET, "reduces_at_barriers(launch->kernel)", "false", "short"),
    "shared memory a line short": (DUET, "(needs_of.shared_bytes + WR_DUET_LINE - 1) / WR_DUET_LINE",
                                   "needs_of.shared_bytes / WR_DUET_LINE", "short"),
    "TBs closer than lines": (DUET, "d->closer = d->limits == WR_CSL_LIMIT_SHARED &&", "d->closer = false &&", "short"),
    "a launch on units of the last": (DUET, "d->next != NULL && all_native(d)", "d->next != NULL", "short"),
    # sm.c
    "L1 lines while the L1 is in use": (SM, "wr_sm_l1_off(u->sm, true);", "", "short"),
    "the L1 stays off": (SM, "wr_sm_l1_off(u->sm, false);", "", "short"),
    "lines of an L1 that writes back": (SM, "u->in.l1_idle = d->gives_l1 && (", "u->in.l1_idle = (", "short"),
    "more TBs than slots": (SM, ".tbs = c->sm.max_tbs,", ".tbs = WR_DUET_TBS,", "short"),
    "TBs handed over that await their stores": (SM, "return tbs == u->out.tbs &&", "return", "short"),
    "finished warps that are still in the pipeline": (
        SM, "} else if (wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON)) {",
        "} else if (wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON) || true) {", "short"),
    "finished warps not told": (SM, "            u->done |= left & -left;\n", "", "short"),
    "warps that are not clear": (SM, "return wr_sm_warp_clear(u->sm, slot) && point != NULL &&",
                                 "return point != NULL &&", "short"),
    "warps that await a load from shared memory": (SM, "(wr_sm_warp_pending(u->sm, id) & ~point->awaited) == 0;",
                                                   "wr_sm_warp_pending(u->sm, id) + 1 != 0;", "short"),
    "warps that go on not told": (SM, "in->woken = u->woken;", "in->woken = 0;", "short"),
    "hold not taken": (SM, "        wr_sm_hold(u->sm, d->owner, slots);\n", "", "short"),
    "the wrong slot is booked": (SM, "in->ask_slot = u->slot[u->out.warp];", "in->ask_slot = u->slot[u->out.warp] ^ 1;",
                                 "short"),
    "metadata of 32 warps": (SM, "meta < 127 ? meta : 127", "meta", "short"),
    "meta depth": (SM, ".st_lines = d->st_lines,", ".st_lines = d->st_lines > 1 ? d->st_lines - 1 : 1,", "short"),
    "placed TBs told with the start": (SM, "!u->starts && u->behind_start >= BEHIND_START;", "!u->starts;", "short"),
    "kinds of another point": (SM, "wr_duet_kinds(&u->duet->shape, u->out.kinds_point,",
                               "wr_duet_kinds(&u->duet->shape, u->out.kinds_point + 1,", "short"),
    "a warp that leaves stands nowhere": (SM, "    u->in.point = u->held_at;", "    u->in.point = 0;", "short"),
    "the line before the metadata": (SM, "wr_duet_line(u, u->out.read_line)", "wr_duet_line(u, u->out.read_line - 1)",
                                     "short"),
    # image.c
    "a strided register told as uniform": (IMAGE, "*high |= kind >> 1 << reg;", "*high |= kind / 3 << reg;", "test_duet_image"),
    "groups of 8 lanes told as 16": (IMAGE, "shape->reduced->group == 8 ? 0", "shape->reduced->group == 8 ? 1",
                                    "test_duet_image"),
    "the deepest stack": (META, "(lines * WR_DUET_LINE - STACK_AT) / ENTRY", "(lines * WR_DUET_LINE) / ENTRY",
                          "short"),
    "predicates not restored": (META, "    memcpy(meta->preds, bytes + 4, sizeof meta->preds);",
                                "    memset(meta->preds, 0, sizeof meta->preds);", "short"),
    "a stack without its top": (META, "memcpy(bytes + STACK_AT, meta->stack, (size_t)meta->depth * ENTRY);",
                                "memcpy(bytes + STACK_AT, meta->stack, (size_t)(meta->depth - 1) * ENTRY);", "short"),
    "the point forgotten": (META, "meta->depth | meta->point << DEPTH_BITS;", "meta->depth;", "short"),
    # move.c
    "the point of the PC": (MOVE, "    meta.point = u->held_at;",
                            "    const wr_switch_point *at = meta.depth == 0 ? NULL : wr_duet_point(&u->duet->shape, "
                            "meta.stack[meta.depth - 1].pc);\n    meta.point = at == NULL ? 0 : "
                            "(uint32_t)(at - u->duet->shape.reduced->points) + 1;", "short"),
    "loads in flight not kept aside": (MOVE, "    u->flying[warp] = pending;\n", "    u->flying[warp] = 0;\n", "short"),
    "a warp that waits for nothing is not free": (
        MOVE, "        wr_duet_set_free(u, w);\n", "        (void)w;\n", "short"),
    "a finished warp leaves with its TB": (MOVE, "} else if (wr_duet_has(&u->finished, warp)) {",
                                           "} else if (warp > WR_DUET_WARPS) {", "short"),
    "loads that land while their warp leaves": (
        MOVE, "return warp / unit_warps(u->duet) == u->leaving;", "return warp > WR_DUET_WARPS + unit_warps(u->duet);",
        "short"),
    "a TB is away with its first warp": (MOVE, " || warp % warps != warps - 1) {", ") {", "short"),
    "who leaves is asked too early": (MOVE, "    } else if (o->move_out && !wr_duet_whole_tbs(u->duet) &&",
                                      "    }\n    if (o->move_out && !wr_duet_whole_tbs(u->duet) &&", "short"),
    "an exchange does not read": (MOVE, "    if (o->away_rd) {", "    if (o->away_rd && !o->away_wr) {", "short"),
    "shared memory not written back": (MOVE, "    if (o->home_wr) {",
                                       "    if (o->home_wr && o->mover_state != WR_CONTEXT_MOVER_COPY) {", "short"),
    "registers of who comes not written": (MOVE, "    if (o->home_wr) {",
                                           "    if (o->home_wr && o->mover_state == WR_CONTEXT_MOVER_COPY) {", "short"),
    "contexts not written": (MOVE, "    if (o->away_wr) {",
                             "    if (o->away_wr && o->mover_state == WR_CONTEXT_MOVER_COPY) {", "short"),
    "shared memory stays where it was": (
        MOVE, "wr_sm_tb_share_at(u->sm, o->in_id, (o->move_home - d->rf_lines) * WR_DUET_LINE);",
        "wr_sm_tb_share_at(u->sm, o->in_id, 0);", "short"),
    "what was read is not shown": (MOVE, "        memcpy(u->in.away_rdata, u->away_read, sizeof u->in.away_rdata);",
                                   "        (void)u->away_read;", "short"),
    "no register of who comes is kept": (MOVE, "u->kept = u->in.kind_low | u->in.kind_high;", "u->kept = 0;", "short"),
    "rows of who has come poisoned": (MOVE, "(u->kept >> r & 1) == 0", "(u->kept >> r & 1) != 0", "short"),
    "metadata that left poisoned": (MOVE, "    if (!o->move_out) {", "    if (o->move_out) {", "short"),
    # reply.c
    "a warp whose loads have come is not free": (
        REPLY, "    wr_duet_set_free(u, warp);\n    u->counts.replies++;", "    u->counts.replies++;", "short"),
    "a register lands in the line before": (REPLY, "wr_duet_line(u, o->write_line);", "wr_duet_line(u, o->write_line - 1);",
                                            "short"),
    "the rest of a register not written": (REPLY, "memcpy(line, lanes + fit, (size_t)4 * o->write_word);", "(void)line;",
                                           "short"),
    "words not turned": (REPLY, "memcpy(line + (size_t)4 * o->write_word, lanes,", "memcpy(line, lanes,", "short"),
    "a warp for another": (REPLY, "u->in.reply_warp = (uint8_t)warp;", "u->in.reply_warp = (uint8_t)(warp ^ 1);", "short"),
    "a register's data for another's": (REPLY, "u->values[u->in.reply_warp][u->in.reply_reg];",
                                        "u->values[u->in.reply_warp][u->in.reply_reg ^ 1];", "short"),
    "one register of those that have come": (
        REPLY, "if ((u->landed[warp] & u->flying[warp]) == 0) {", "if (warp < WR_DUET_WARPS) {", "short"),
    # tbs.c
    "registers of the hand-over a line further": (TBS, "where[i].row = i * d->warps * d->regs;",
                                                  "where[i].row = i * d->warps * d->regs + 1;", "short"),
    "shared memory of the hand-over a line further": (TBS, "where[i].shared = i * d->smem * WR_DUET_LINE;",
                                                      "where[i].shared = (i * d->smem + (i != 0)) * WR_DUET_LINE;",
                                                      "short"),
    "TBs not handed over": (TBS, "here ? UINT32_C(1) << i : 0;", "here && i != 1 ? UINT32_C(1) << i : 0;", "short"),
    "shared memory of a TB that lies switched out": (TBS, "elsewhere ? WR_ELSEWHERE : at", "at", "short"),
    "a new TB's warps have finished": (TBS, "    wr_duet_drop(&u->finished, warp);\n", "", "short"),
    "the first metadata not written": (TBS, "    wr_duet_put_meta(u, u->out.meta, &meta);\n", "    (void)meta;\n",
                                       "short"),
    "extra TBs not free": (TBS, "    wr_duet_set_free(u, u->out.warp);\n", "", "short"),
    "predicates of the slot's last warp": (TBS, "        wr_sm_pred_write(u->sm, slot, p, meta->preds[p]);", "", "short"),
    "metadata of another slot": (TBS, "wr_duet_slot_meta(u, slot, &meta);", "wr_duet_slot_meta(u, slot ^ 1, &meta);",
                                 "short"),
    "a slot that was left stays whose it was": (TBS, "        wr_duet_forget_slot(u, o->slot);\n", "", "short"),
    # watch.c
    "an SM counts for its neighbour": (WATCH, "wr_meter_sm(wr_gpu_sm(w->gpu, i));",
                                       "wr_meter_sm(wr_gpu_sm(w->gpu, i == 2 ? 3 : i));", "test_watch"),
    "flits of an SM not counted": (WATCH, "wr_meter_request_flits(w->gpu, i);",
                                   "i == 2 ? 0 : wr_meter_request_flits(w->gpu, i);", "test_watch"),
    "two partitions swapped": (WATCH, "wr_meter_partition(w->gpu, i);", "wr_meter_partition(w->gpu, i < 2 ? 1 - i : i);",
                               "test_watch"),
    "flits of all slices": (WATCH, "p.reply_flits / w->slices;", "p.reply_flits;", "test_watch"),
    "up and down swapped": (WATCH, ".up = s.up,", ".up = s.down,", "test_watch"),
    "start goes past the adder": (WATCH, ".start = s.start,", ".start = in->start,", "test_watch"),
    "stop does not come to the monitor": (WATCH, "            (void)move(w, &(wr_utilisation_adder_in){0}, 1);",
                                          "            ;", "test_watch"),
    "sums of the cycles before, held": (WATCH, "each || left == n ? 1 : left", "each ? 1 : left", "test_watch"),
    "more than can be": (WATCH, "            used = used < able ? used : able;\n", "", "test_watch"),
    "what cannot be yet is lost": (WATCH, "w->told.used[q][i] += used;", "w->told.used[q][i] = now.used[q][i];",
                                   "test_watch"),
    "the warm-up counts": (WATCH, "warmup != 0 ? now + warmup : w->window_ends;", "w->window_ends;", "test_watch"),
    "windows a cycle late": (WATCH, "w->window_ends = now + warmup +", "w->window_ends = now + 1 + warmup +",
                             "test_watch"),
    "verdicts looked for a cycle late": (WATCH, "VERDICT = 2 ", "VERDICT = 3 ", "test_watch"),
    "verdicts looked for a cycle early": (WATCH, "VERDICT = 2 ", "VERDICT = 1 ", "test_watch"),
}
SCRIPTS = {"short": ["tests/duet/short.py", "--failures", "1"]}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
