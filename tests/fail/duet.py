#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the system duet and in how its monitor is fed: each must make one of its short runs fail, or
test_watch.

    tests/fail/duet.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".

Not among them, since no output can tell, only cycles: what a decision looks at a second time (points and depths when a
warp stalls, and again when it may leave; marks of warps that have gone on); the barrier bit of a single warp that
leaves; finished warps at booking, which end with their TB. Nor what no run does: a TB that comes back while loads of
its warps at barriers are on their way.
"""
import sys

sys.dont_write_bytecode = True
import planted

DUET, IMAGE, META, MOVE, ROOMS, SCAN, UNIT = (f"systems/duet/{name}.c" for name in (
    "duet", "image", "meta", "move", "rooms", "scan", "unit"))
WATCH = "systems/monitor/watch.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    # duet.c
    "a wake-up leaves the wait": (DUET, "    u->wait_memory &= ~(UINT64_C(1) << slot);\n"
                                        "    u->wait_barrier &= ~(UINT64_C(1) << slot);\n", "", "short"),
    "finished warps forgotten": (DUET, "u->ended |= u->phase != WR_DUET_NATIVE ? UINT64_C(1) << slot : 0;",
                                 "(void)slot;", "short"),
    "loads that land are not noted": (DUET, "u->landed[warp] |= regs;", "(void)regs;", "short"),
    "an open barrier does not wake": (DUET, "    wr_duet_add(&u->passed, warp);\n    wr_duet_add(&u->loaded, warp);",
                                      "    wr_duet_add(&u->passed, warp);", "short"),
    "TBs that end are not cleared": (DUET, "u->tbs_ended |= UINT64_C(1) << tb_slot;", "u->me_leaves++;", "short"),
    "barriers that reduce": (DUET, "reduces_at_barriers(launch->kernel)", "false", "short"),
    "L1 lines while the L1 is in use": (DUET, "wr_sm_l1_off(u->sm, true);", "", "short"),
    "the L1 stays off": (DUET, "wr_sm_l1_off(u->sm, false);", "", "short"),
    "shared memory a line short": (DUET, "(needs_of.shared_bytes + WR_DUET_LINE - 1) / WR_DUET_LINE",
                                   "needs_of.shared_bytes / WR_DUET_LINE", "short"),
    "lines of an L1 that writes back": (UNIT, "d->gives_l1 ? d->l1_lines : 0", "d->l1_lines", "short"),
    "a verdict while a TB is placed": (UNIT, "!u->placing.on && u->me_launches == 0;", "true;", "short"),
    "TBs closer than lines": (DUET, "d->closer = d->limits == WR_CSL_LIMIT_SHARED &&", "d->closer = false &&", "short"),
    "a launch on units of the last": (DUET, "d->next != NULL && all_native(d)", "d->next != NULL", "short"),
    "more TBs than slots": (UNIT, ".tbs = c->sm.max_tbs,", ".tbs = WR_DUET_TBS,", "short"),
    # image.c
    "a strided register's step": (IMAGE, "of[0] + at * of[1]", "of[0] + (at + 1) * of[1] - of[1] - (at == 7)", "short"),
    "uniform in the warp": (IMAGE, "const uint32_t *of = words + i / group * per_group;",
                            "const uint32_t *of = per_group == 1 ? words : words + i / group * per_group;", "short"),
    "a load lands a register early": (IMAGE, "    for (uint32_t r = 0; r < reg; r++) {\n"
                                             "        at += register_words",
                                      "    for (uint32_t r = 1; r < reg; r++) {\n        at += register_words",
                                      "short"),
    "the deepest stack": (META, "(lines * WR_DUET_LINE - STACK_AT) / ENTRY", "(lines * WR_DUET_LINE) / ENTRY",
                          "short"),
    "predicates not restored": (META, "    memcpy(meta->preds, bytes + 4, sizeof meta->preds);",
                                "    memset(meta->preds, 0, sizeof meta->preds);", "short"),
    "a stack without its top": (META, "memcpy(bytes + STACK_AT, meta->stack, (size_t)meta->depth * ENTRY);",
                                "memcpy(bytes + STACK_AT, meta->stack, (size_t)(meta->depth - 1) * ENTRY);", "short"),
    "the point forgotten": (META, "meta->point = head >> DEPTH_BITS;", "meta->point = 0;", "short"),
    # move.c
    "the point of the PC": (MOVE, "meta->point = u->held_at;",
                            "const wr_switch_point *at = meta->depth == 0 ? NULL : wr_duet_point(&u->duet->shape, "
                            "meta->stack[meta->depth - 1].pc);\n    meta->point = at == NULL ? 0 : "
                            "(uint32_t)(at - u->duet->shape.reduced->points) + 1;", "short"),
    "loads in flight not kept aside": (MOVE, "    u->flying[warp] = pending;\n", "    u->flying[warp] = 0;\n", "short"),
    "a load lands where the warp was": (MOVE, "wr_duet_line(u, u->wct_out.look_reg_addr + reg), lanes",
                                        "wr_duet_line(u, u->wct_out.look_reg_addr + reg + 1), lanes", "short"),
    "a load lands before the table knows where": (
        MOVE, "u->wct_out.look_state == WR_WARP_STALLED", "false", "short"),
    "wake of a warp that waits for nothing lost": (
        MOVE, "    if (pending == 0 && !at_barrier) {\n        wr_duet_add(&u->wake, warp);\n    }\n", "", "short"),
    "wake of loads that have landed lost": (
        MOVE, "                wr_duet_drop(&u->passed, warp);\n                wr_duet_add(&u->wake, warp);",
        "                wr_duet_drop(&u->passed, warp);", "short"),
    "a line of metadata not moved": (MOVE, "uint32_t lines = wr_duet_body(d) + d->st_lines * (tbs ? d->warps : 1);",
                                     "uint32_t lines = wr_duet_body(d) + d->st_lines * (tbs ? d->warps : 1) - "
                                     "(d->st_lines == 1);", "short"),
    "the way in reads what goes out": (
        MOVE, "    if (in) {\n        read_lines(u, away, lines, d->coming, true);\n    }\n    if (out &&",
        "    if (in && !out) {\n        read_lines(u, away, lines, d->coming, true);\n    }\n    if (out &&", "short"),
    "shared memory not written back": (MOVE, "    write_lines(u, u->csl_out.move_home, d->smem, bytes);", "", "short"),
    "shared memory stays where it was": (
        MOVE, "wr_sm_tb_share_at(u->sm, tb, (u->csl_out.move_home - d->rf_lines) * WR_DUET_LINE);",
        "wr_sm_tb_share_at(u->sm, tb, 0);", "short"),
    "predicates of the slot's last warp": (MOVE, "        wr_sm_pred_write(u->sm, slot, p, meta->preds[p]);", "",
                                           "short"),
    # rooms.c
    "registers of a TB a line further": (ROOMS, "    u->wct_in.reg_addr = (uint16_t)reg;",
                                         "    u->wct_in.reg_addr = (uint16_t)(reg + 1);", "short"),
    "metadata a line further": (ROOMS, "    u->wct_in.meta_addr = (uint16_t)meta;",
                                "    u->wct_in.meta_addr = (uint16_t)(meta + (meta < WR_CSL_META_SLOT));", "short"),
    "shared memory of a TB a line further": (ROOMS, "        u->tct_in.addr = (uint16_t)smem;",
                                             "        u->tct_in.addr = (uint16_t)(smem + 1);", "short"),
    "booked shared memory a line further": (ROOMS, "d->smem != 0 ? r->addr : WR_DUET_NONE;",
                                            "d->smem != 0 ? r->addr + 1u : WR_DUET_NONE;", "short"),
    "booked registers a line further": (ROOMS, "r[d->smem != 0].addr + j * d->regs,",
                                        "r[d->smem != 0].addr + j * d->regs + 1,", "short"),
    "room given back a line short": (ROOMS, "(wr_duet_run){.addr = (uint16_t)addr, .count = (uint16_t)count};",
                                     "(wr_duet_run){.addr = (uint16_t)addr, .count = (uint16_t)(count - (count > 1))};",
                                     "short"),
    "TBs booked that await their stores": (ROOMS, "!p->located && !none_leaves(u)", "false", "short"),
    "shared memory not given back": (ROOMS, "        wr_duet_give_room(u, u->tct_out.look_addr, d->smem);\n", "",
                                     "short"),
    "room of a launch that fails not given back": (
        ROOMS, "        wr_duet_give_room(u, p->item[i].addr, p->item[i].count);", "        (void)p;", "short"),
    "slots of a launch that fails not given back": (
        ROOMS, "        u->slots_free |= UINT64_C(1) << p->slot[i];", "        (void)i;", "short"),
    "launches blocked for ever": (ROOMS, "        u->launch_blocked = u->native_blocked = u->in_blocked = false;",
                                  "        u->native_blocked = u->in_blocked = false;", "short"),
    "switches in blocked for ever": (ROOMS, "        u->launch_blocked = u->native_blocked = u->in_blocked = false;",
                                     "        u->launch_blocked = u->native_blocked = false;", "short"),
    "a slot that a switch in takes": (ROOMS, "!u->native_blocked && op != WR_CSL_IN &&", "!u->native_blocked &&",
                                      "short"),
    "extra TBs not ready": (ROOMS, "            wr_duet_add(&u->wake, p->tb * d->warps + j);\n", "            ;\n",
                            "short"),
    "the TB's first metadata not written": (ROOMS, "        wr_duet_put_meta(u, at, &meta);\n", "", "short"),
    # scan.c
    "finished warps that are still in the pipeline": (
        SCAN, "            !wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON)) {",
        "            (!wr_sm_warp_retire(u->sm, slot, WR_KEEPS_REGISTERS, WR_DUET_POISON) &&\n"
        "             !wr_duet_whole_tbs(d))) {", "short"),
    "whole by the mask alone": (SCAN, "return !any_away(u, tb) && u->tct_out.look_mask == 0;",
                                "return u->tct_out.look_mask == 0;", "short"),
    "no warp at a barrier leaves": (SCAN, "any_away(u, warp / u->duet->warps) ? UINT64_MAX",
                                    "warp > WR_DUET_WARPS ? UINT64_MAX", "short"),
    "kept warps of a TB that is whole no more": (MOVE, "            u->ended |= left & -left;\n", "", "short"),
    "a place handed over while an entry is away": (
        ROOMS, "        return stays ? HANDS_ON : HANDS_NOT;", "        return HANDS_ON;", "short"),
    "finished warps not retired": (SCAN, "        wr_duet_vacate(u, warp);\n        return true;",
                                   "        return true;", "short"),
    "a finished warp's slot not given back": (SCAN, "    u->slots_free |= UINT64_C(1) << slot;\n", "", "short"),
    "a finished warp's room not given back": (SCAN, "    wr_duet_give_room(u, row, d->regs);\n", "", "short"),
    "a TB that woke ignored": (SCAN, "!(wr_duet_whole_tbs(d) && (u->woke >> slot & 1) != 0) &&", "", "short"),
    "wakes before the tables know lost": (
        SCAN, "        if (!wr_duet_has(&u->away, warp)) { /* it came back with its TB */\n"
              "            wr_duet_drop(&u->wake, warp);\n        }",
        "        wr_duet_drop(&u->wake, warp);", "short"),
    "ready TBs not judged again": (SCAN, "    u->tb_news |= UINT32_C(1) << warp / u->duet->warps;\n", "", "short"),
    "finished warps of a TB not marked": (SCAN, "waiting(u) | finished_slots(u); left != 0", "waiting(u); left != 0",
                                          "short"),
    "barrier bit of a marked warp not written": (
        SCAN, "(u->wait_barrier >> slot & 1) != 0 || has_finished(u, warp));", "false);", "short"),
    # unit.c
    "slot of a switch in still free": (UNIT, "        u->slots_free &= ~(UINT64_C(1) << slot);\n", "", "short"),
    "hold not taken": (UNIT, "        wr_sm_hold(u->sm, u->duet->owner, slots);\n", "", "short"),
    "hold not let go": (UNIT, "        hold(u, 0);\n", "        ;\n", "short"),
    "switched warps stay queued": (UNIT, "            wr_duet_drop(&u->queued, (uint32_t)*ids[i]);", "", "short"),
    "switched TBs stay queued": (UNIT, "            u->tb_queued &= ~(UINT32_C(1) << *ids[i]);", "            ;",
                                 "short"),
    "may always leave": (UNIT, "u->csl_in.may_leave = wr_duet_may_leave(u, u->csl_in.stalled_id);",
                         "u->csl_in.may_leave = true;", "short"),
    "metadata of 32 warps": (UNIT, "meta < 127 ? meta : 127", "meta", "short"),
    "meta depth": (UNIT, ".st_lines = d->st_lines,", ".st_lines = d->st_lines > 1 ? d->st_lines - 1 : 1,", "short"),
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
