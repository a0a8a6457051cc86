#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the systems locality, owl, mascar and duplicates, and in the compiler's hints: each must make its
test fail.

    tests/fail/locality.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

MAIN, GROUP, SPREAD = (f"systems/locality/{name}.c" for name in ("locality", "group", "spread"))
OWL, MASCAR, DUPLICATES = (f"systems/{name}/{name}.c" for name in ("owl", "mascar", "duplicates"))
GROUP_OF_SYSTEMS = "systems/frame/group.c"
HINT, DISPATCH, EXEC = "shell/compiler/locality.c", "shell/core/gpu/dispatch.c", "shell/core/exec/exec_mem.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "loads that stay are rows": (HINT, "cfg->loop_head[b] != WR_IR_NO_BLOCK && (on & ON_ROUND) != 0",
                                 "cfg->loop_head[b] != WR_IR_NO_BLOCK", "test_locality_hint"),
    "a warp away is a border": (HINT, "distance / stride < WARP", "distance / stride <= WARP", "test_locality_hint"),
    "neighbours in the block alone": (HINT, "stride != 0 && (a->on & ON_CTA) != 0 && ", "stride != 0 && ", "test_locality_hint"),
    "addresses that were loaded": (HINT, "           (source(t, insn, 0).on & ON_DATA) == 0;", "           true;", "test_locality_hint"),
    "any distance": (HINT, "           distance % stride == 0 && ", "           ", "test_locality_hint"),
    "nobody chooses TBs": (DISPATCH, "chosen != UINT64_MAX ? chosen : g->next_tb", "g->next_tb + 0 * chosen",
                           "test_core_seam_launch"),
    # locality
    "one SM has them all": (SPREAD, "p->tbs * (i + 1) / p->sms : 0", "p->tbs : 0", "test_locality"),
    "waves of one": (SPREAD, "p->part = p->part != 0 ? p->part : 1;", "p->part = 1;", "test_locality"),
    "a hint is not off": (MAIN, "    if (hint == WR_TB_SHARES_NONE) {\n        return;\n    }\n", "", "test_locality"),
    "several hints": (MAIN, "if ((p->spreads || p->groups_warps) ||", "if (hint > WR_TB_SHARES_SOME &&", "test_locality"),
    "groups of whole TBs": (MAIN, "const uint32_t own = (warps + p->schedulers - 1) / p->schedulers;",
                            "const uint32_t own = warps;", "test_locality"),
    "columns for rows": (GROUP, ".x = (uint8_t)tb.ctaid[0],", ".x = (uint8_t)tb.ctaid[1],", "test_locality"),
    "warps by slot": (GROUP, ".warp = (uint8_t)warp.index,", ".warp = (uint8_t)(w % 32),", "test_locality"),
    "a slot's next warp is the old one": (GROUP, "here->told & (here->gone | ~live)", "here->told & ~live", "test_locality"),
    "comes before it goes": (GROUP, "!(in->finish && in->finish_slot == n->slot)", "!(in->finish && in->finish_slot == 255)",
                             "test_locality"),
    "a grant that nobody takes": (GROUP, "    g->in.issue = true;\n", "    g->in.issue = scheduler != 0;\n", "test_locality"),
    "all that it knows": (GROUP, "for (uint64_t left = candidates; left != 0;", "for (uint64_t left = g->has; left != 0;",
                          "test_locality"),
    "evicted warps stay": (MAIN, "        p->base.hooks.warps_left = on_warps_left;\n", "", "test_locality"),
    "taken and chosen": (GROUP_OF_SYSTEMS, "ok = ok && check_tbs(g, err, err_size);", "", "test_seams"),
    # duplicates
    "a cycle sees itself": (DUPLICATES, "            d->duplicated += is_duplicate(d, i, d->notes[i].line, now);\n",
                            "            d->duplicated += is_duplicate(d, i, d->notes[i].line, now);\n"
                            "            keep(d, i, d->notes[i].line, now);\n", "test_duplicates"),
    "a cycle less": (DUPLICATES, "? e->last_at + d->window >= now", "? e->last_at + d->window > now", "test_duplicates"),
    "nobody before the last": (DUPLICATES, ": e->other != NOBODY && ", ": e->other > NOBODY && ", "test_duplicates"),
    "forgotten early": (DUPLICATES, "if (d->entries[e->entry].last_at == e->at)", "if (d->entries[e->entry].last_at >= e->at)",
                        "test_duplicates"),
    # owl
    "groups of one TB more": (OWL, "< o->warps) {", "<= o->warps) {", "test_owl"),
    "one order on all SMs": (OWL, "(i + wr_sm_id(sm)) % count", "(i + 1) % count", "test_owl"),
    "a place is not closed up": (OWL, "kept += (here->tb[i] & warps) == 0;", "kept += (here->tb[i] & warps) == 0 || i == 0;", "test_owl"),
    "the last one's place": (OWL, "        here->tb[kept] = here->tb[i];\n", "        here->tb[kept] = here->tb[here->tbs - 1 - i];\n",
                             "test_owl"),
    "who comes back is first": (OWL, "    here->tb[here->tbs++] = warps_of(sm, slot);\n",
                                "    here->tb[here->tbs++] = here->tb[0];\n    here->tb[0] = warps_of(sm, slot);\n", "test_owl"),
    "the group goes on": (OWL, "    uint32_t i = 0;\n\n    for (uint64_t back;",
                          "    uint32_t i = here->firsts % 2;\n\n    for (uint64_t back;", "test_owl"),
    # mascar
    "arithmetic ends it": (MASCAR, "here->owner == warp && why != WR_WAIT_ARITHMETIC", "here->owner == warp", "test_mascar"),
    "an owner that has finished": (MASCAR, "here->owner = here->owner == warp ? NOBODY : here->owner;", "(void)warp;", "test_mascar"),
    "an owner that stops": (MASCAR, "                                      .warp_stopped = on_warp_ended,\n", "", "test_mascar"),
    "memory first": (MASCAR, "if (candidates != accesses) {", "if (accesses == 0) {", "test_mascar"),
    "the lowest slot": (MASCAR, "last < 63 ? warps & UINT64_MAX << (last + 1) : 0", "0 * last", "test_mascar"),
    "the queue does not count": (MASCAR, "meter.misses * 100 >= m->high", "meter.misses * 0 >= m->high", "test_mascar"),
    "its own loads are held": (MASCAR, "(here->hits | (here->owner != NOBODY ? UINT64_C(1) << here->owner : 0))", "here->hits",
                               "test_mascar"),
    "hits are not held back": (MASCAR, "hits |= warp != owner && wr_sm_load_hits(sm, warp)", "hits |= warp != owner", "test_mascar"),
    "the first lane hits": (EXEC, "    for (uint32_t left = mask; left != 0; left &= left - 1) {\n        uint64_t first",
                            "    for (uint32_t left = mask & -mask; left != 0; left &= left - 1) {\n        uint64_t first", "test_mascar"),
}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, {}))
