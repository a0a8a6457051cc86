#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in hints and in the systems haws and preexecution: each must make its test fail.

    tests/fail/hints.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

HINTS, HAWS, UNIT, AHEAD = "shell/isa/hints.c", "systems/haws/haws.c", "systems/haws/unit.c", "shell/core/sm/ahead.c"
WARP, ISSUE, CURSOR = "shell/core/seam/warp.c", "shell/core/sm/issue.c", "shell/core/sm/cursor.c"
PATH, PRE = "systems/preexecution/path.c", "systems/preexecution/preexecution.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "what is left out may be overwritten": (HINTS, "    w->read |= wr_insn_reads(i) | (i->guard", "    w->read |= (i->guard",
                                            "test_hints"),
    "what is left out writes nothing": (HINTS, "    w->written |= wr_insn_writes(i);\n", "", "test_hints"),
    "what is left out is there": (HINTS, "    w->late |= wr_insn_writes(i);\n", "", "test_hints"),
    "predicates are never late": (HINTS, "    w->late_preds |= wr_insn_writes_preds(i);\n", "", "test_hints"),
    "predicates that are read may be overwritten": (HINTS, "    w->read_preds |= wr_insn_reads_preds(i) | (i->guard",
                                                    "    w->read_preds |= (i->guard", "test_hints"),
    "predicates that are written may be, too": (HINTS, "(w->read_preds | w->written_preds)", "w->read_preds",
                                                "test_hints"),
    "a guarded result is renamed": (HINTS, "return i->guard == WR_ISA_PT && w->spare < limit;",
                                    "return w->spare < limit;", "test_hints"),
    "loads pass stores": (HINTS, "    w->no_loads |= is_access ||", "    w->no_loads |=", "test_hints"),
    "loads pass barriers": (HINTS, "i->op == WR_OP_BAR ||\n                   i->op == WR_OP_BAR_PP",
                            "i->op == WR_OP_BAR_PP", "test_hints"),
    "a load under way is late for nobody": (HINTS, "{.late = m->owed[base], .base", "{.base", "test_hints"),
    "wide sources come from anywhere": (HINTS, "comes_late(w, i) || !is_apart(w, i) ||", "comes_late(w, i) ||",
                                        "test_hints"),
    "a spare register serves twice": (HINTS, "            w.spare += it.to != it.code;\n", "", "test_hints"),
    "one spare register too many": (HINTS, "w->spare < limit;", "w->spare <= limit;", "test_hints"),
    "a chain goes through points": (HINTS, "    case WR_OP_PP:\n    case WR_OP_EXIT:", "    case WR_OP_EXIT:",
                                    "test_hints"),
    "a branch's predicate may be overwritten": (HINTS, "            w.read_preds |= wr_insn_reads_preds(i); /* it is executed "
                                                "again in its turn */\n", "", "test_hints"),
    "an instruction twice in a chain": (HINTS, " || holds(list, count, at)", "", "test_hints"),
    "an instruction in two chains": (HINTS, "        m->taken[list[n].at] = 1;\n", "", "test_hints"),
    "the reach is one more": (HINTS, "distance < REACH &&", "distance <= REACH &&", "test_hints"),
    "a long wait that nobody sees": (HINTS, "    return is_long(i) ? owed | wr_insn_writes(i) : owed;", "    return owed;",
                                     "test_hints"),
    "every wait is a stall point": (HAWS, "(word & WR_HINT_VALID) != 0 && (word & WR_HINT_STALL) != 0 &&",
                                    "(word & WR_HINT_VALID) != 0 &&", "programs"),
    "a warp that goes on is not looked at": (HAWS, "    if ((s->holds >> warp & 1) != 0) {\n        look_again",
                                             "    if (false) {\n        look_again", "test_haws"),
    "a barrier is none": (HAWS, "(moves || (s->go & bit) == 0)", "(s->go & bit) == 0", "programs"),
    "woken unseen": (HAWS, "        s->woke |= bit;\n", "", "run_134"),
    "what has left stays": (HAWS, "    s->left |= warps;\n", "", "library"),
    "stopped with instructions ahead": (HAWS, "    wr_sm_keep_going(sm, owner, s->holds | s->copies | UINT64_C(1) << warp);\n",
                                        "    (void)s, (void)sm, (void)owner, (void)warp;\n", "library"),
    "stopped before all is passed": (UNIT, "    wr_sm_keep_going(sm, h->owner, s->holds | s->copies);\n",
                                     "    wr_sm_keep_going(sm, h->owner, 0);\n", "library"),
    "keep going is for ever": (WARP, "        sm->control.keep[owner] = warps & ~sm->stopped;",
                               "        sm->control.keep[owner] |= warps & ~sm->stopped;", "library"),
    "what is discarded goes on first": (WARP, "| join(sm, sm->control.drop);", "| (join(sm, sm->control.drop) & ~kept_going(sm));",
                                        "library"),
    "a copy lets the warp go": (UNIT, "(s->holds & ~(s->go | s->stalled)) | s->copies);",
                                "s->holds & ~(s->go | s->stalled));", "test_haws"),
    "skipped and executed": (UNIT, "        wr_sm_pass(sm, warp);\n", "", "test_haws"),
    "an end that comes too early": (UNIT, "        if (!wr_sm_awaits(sm, f.warp, f.row, f.pred)) {", "        {",
                                    "test_haws"),
    "sources are not renamed": (HAWS, ".src = {o->issue_src[0], o->issue_src[1], o->issue_src[2]}",
                                ".src = {i->src[0], i->src[1], i->src[2]}", "test_haws"),
    "all lanes go ahead": (HAWS, ".lanes = (uint32_t)o->issue_lanes,", ".lanes = UINT32_MAX,", "programs"),
    "branches are decided for all lanes": (UNIT, "    in->mask = taken;", "    in->mask = UINT32_MAX;", "programs"),
    "lanes meet nowhere": (UNIT, "        in->rpc = index_of(k, at.reconv);", "        in->rpc = NOWHERE;", "programs"),
    "ahead is not counted": (AHEAD, "    sm->stats.insns[u->cls]++;\n", "", "test_haws"),
    "a load ahead is not awaited": (ISSUE, "    sm->warps[warp].pending_data |= e->regs;\n    return true;",
                                    "    sm->warps[warp].pending_regs &= ~e->regs;\n    return true;", "test_haws"),
    "ahead without leave": (AHEAD, "!wr_sm_may_go_ahead(sm, warp) || !ready", "!ready", "test_core_seam_ahead"),
    "loads ahead without leave": (AHEAD, " || wr_memory_held(sm, warp, u)", "", "test_core_seam_ahead"),
    "a copy of all lanes": (AHEAD, "    const uint32_t lanes = sm->warps[warp].stack[sm->warps[warp].depth - 1].mask;",
                            "    const uint32_t lanes = UINT32_MAX;", "programs"),
    "registers without end": ("shell/core/gpu/occupancy.c", "        if (wr_gpu_occupancy(cfg, &with).tbs == tbs) {",
                              "        {", "test_haws"),
    "a unit's warp is the SM's": (HAWS, "    const uint32_t warp = p->out.issue_warp * h->units + p->index;",
                                  "    const uint32_t warp = p->out.issue_warp;", "test_haws"),
    "flags of a scheduler's warps at the SM's numbers": (UNIT, "        mask |= (uint64_t)flags[w / h->units] << w;",
                                                         "        mask |= (uint64_t)flags[w] << w;", "test_haws"),
    "a load ahead that faults": (AHEAD, "    if (!wr_exec_load_is_sound(", "    if (false && !wr_exec_load_is_sound(",
                                 "test_core_seam_ahead"),
    # pre-execution
    "what was left out is there": (PATH, "    set_late(p, insn, true);\n    p->cursor.pc", "    p->cursor.pc",
                                   "test_preexecution"),
    "lanes keep what is late": (PATH, "wr_insn_needs(insn, p->late_regs, p->late_preds)",
                                "((wr_insn_reads(insn) & p->late_regs) != 0 ||"
                                " (wr_insn_reads_preds(insn) & p->late_preds) != 0)", "test_preexecution"),
    "a row holds two results": (PATH, "        if ((p->rows & wr_regs_set((uint8_t)row, (uint8_t)count)) == 0) {",
                                "        {", "test_preexecution"),
    "a row is never free again": (PATH, "        p->rows &= ~rows_of(p, &step);\n", "", "test_preexecution"),
    "half of a warp goes on": (PATH, " || (taken != 0 && taken != c->lanes)", "", "programs"),
    "lanes that meet go on": (PATH, " || p->cursor.pc == p->reconv", "", "programs"),
    "a result before is not known": (PATH, "        p->cursor.row[insn->dst + i] = (uint8_t)(r->row + i);\n",
                                     "        (void)r;\n", "test_preexecution"),
    "a predicate before is not known": (PATH, "            p->cursor.preds[preds[i]] = r->preds[i];\n",
                                        "            (void)r;\n", "test_preexecution"),
    "twice to the same line": (PATH, " && !step->loaded) {", ") {", "test_preexecution"),
    "what issues stays on the path": (PRE, "        s->again += wr_path_pop(&s->path[warp], p->reach).done;\n", "",
                                      "test_preexecution"),
    "a result is not waited for": (PRE, "    if (has != ((s->result & bit) != 0)) {", "    if (false) {",
                                   "test_preexecution"),
    "a result that comes late is lost": (PRE, "        *path = before;\n", "", "programs"),
    "nothing is forgotten": (PATH, "    p->first = p->count = p->done = 0;\n    p->rows = 0;\n", "    (void)p;\n",
                             "library"),
    "a preload gives a register": (CURSOR, "    insn.dst = WR_ISA_RZ;\n", "", "programs"),
    "a cursor without leave": (CURSOR, " ||\n           !wr_sm_may_go_ahead(sm, warp);", ";", "test_core_seam_ahead"),
    "preloads without leave": (CURSOR, " ||\n        wr_memory_held(sm, warp, &u)", "", "test_core_seam_ahead"),
    "the second predicate is lost": (AHEAD, "    set_pred(sm, warp, insn->pd2, r->preds[1], mask);\n", "",
                                     "test_preexecution"),
    "reused in a slot": (AHEAD, "    sm->stats.reused++;\n", "", "test_preexecution"),
}
TWO = ["--systems", "haws,preexecution"]
SCRIPTS = {
    "programs": ["tests/hints/programs.py", *TWO, "--kernels", "16", "--lockstep", "0", "--failures", "1", "--jobs", "1"],
    "run_134": ["tests/hints/programs.py", *TWO, "--first", "134", "--kernels", "1", "--failures", "1", "--jobs", "1"],
    "library": ["tests/hints/library.py", *TWO, "--only", "gemm,mm2,bfs_kernel1,prefix_sum", "--jobs", "1", "--no-lockstep"],
}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
