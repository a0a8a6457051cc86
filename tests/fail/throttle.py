#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the systems throttle and ccws: each must make its test fail.

    tests/fail/throttle.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

MAIN = "systems/throttle/throttle.c"
CCWS, VICTIMS, ISSUE, L1 = "systems/ccws/ccws.c", "systems/ccws/victims.c", "shell/core/sm/issue.c", "shell/core/sm/l1.c"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "stalls before the start count": (MAIN, "    read_counts(t, &t->told);\n    if (move(", "    if (move(", "test_throttle"),
    "refusals in clocks of L2": (MAIN, "m.fetch_refusals * t->clock.core_mhz / t->clock.l2_mhz", "m.fetch_refusals",
                                 "test_throttle"),
    "the network has L2's clock": (MAIN, "t->clock.core_mhz / t->clock.noc_mhz", "t->clock.core_mhz / t->clock.l2_mhz",
                                   "test_throttle"),
    "thresholds are not loaded": (MAIN, "in.start = in.load = true;", "in.start = true;", "test_throttle"),
    "one scheme": (MAIN, "in.balance = t->option[OPT_SCHEME].word == CM_BAL;", "in.balance = true;", "test_throttle"),
    "k is one more": (MAIN, "(uint8_t)(t->option[OPT_K].number - 1)", "(uint8_t)(t->option[OPT_K].number & 3)",
                      "test_throttle"),
    "limits of the decision before": (MAIN, "    wr_concurrency_manager_port_eval(&t->port, &none, &t->out);\n"
                                            "    set_limits", "    set_limits", "test_throttle"),
    "counters are read as one": (MAIN, "of <= t->parts ? now + 1", "of == t->parts ? now + 1", "test_throttle"),
    "the last SM has no limit": (MAIN, "        if (n != t->limit[i]) {", "        if (n != t->limit[i] && i + 1 < t->sms) {",
                                 "test_throttle"),
    "an end starts nothing": (MAIN, "    begin_anew(t, gpu);\n    if (wr_gpu_launches(gpu) == 0) {",
                              "    if (wr_gpu_launches(gpu) == 0) {", "test_throttle"),
    "one warp less": (MAIN, "n < WR_THROTTLE_MOST ? n : 0", "n < WR_THROTTLE_MOST ? n - 1 : 0", "test_throttle"),
    "limits stay where they were": (MAIN, "            wr_sm_limit(wr_gpu_sm(t->gpu, i), t->owner,",
                                    "            wr_sm_limit(wr_gpu_sm(t->gpu, 0), t->owner,", "test_throttle"),
    "one scheduler's slots": (MAIN, "        for (uint32_t s = 0; s < t->schedulers; s++) {",
                              "        for (uint32_t s = 0; s < 1; s++) {", "test_throttle"),
    "the network's refusals are DRAM's": (MAIN, "wr_spread_at(&all[t->sms + t->parts + p], at) != 0",
                                          "wr_spread_at(&all[t->sms + p], at) != 0", "test_throttle"),
    # ccws
    "the youngest victim goes": (VICTIMS, "v->used_at[i] < v->used_at[at] ? i : at", "v->used_at[i] > v->used_at[at] ? i : at",
                                 "test_ccws"),
    "victims are never found again": (VICTIMS, "            v->line[i] = 0;\n            v->used_at[i] = 0;\n", "", "test_ccws"),
    "one set": (VICTIMS, "(uint32_t)(line % (p->entries / p->ways)) * p->ways", "0 * (uint32_t)line", "test_ccws"),
    "lines are the last warp's": (CCWS, "wr_ccws_lost(p, here, here->brought_by[place], evicted);",
                                  "wr_ccws_lost(p, here, warp, evicted);", "test_ccws"),
    "warps at first": (CCWS, "__builtin_popcountll(wr_sm_live_warps(sm));", "48;", "test_ccws"),
    "scores stay": (CCWS, "const uint64_t fallen = now - here->set_at[warp];", "const uint64_t fallen = 0 * now;",
                    "test_ccws"),
    "the later of equals first": (CCWS, "of[order[at - 1]] < of[w]", "of[order[at - 1]] <= of[w]", "test_ccws"),
    "the first may not": (CCWS, "held |= i != 0 && sum > cutoff", "held |= sum > cutoff", "test_ccws"),
    "up to the cutoff": (CCWS, "sum > cutoff ?", "sum >= cutoff ?", "test_ccws"),
    "a new warp has the old one's victims": (CCWS, "    memset(&here->victims[warp], 0, sizeof here->victims[warp]);\n", "",
                                             "test_ccws"),
    "a new warp has the old one's score": (CCWS, "    here->score[warp] = 0;\n", "", "test_ccws"),
    "nobody looks when warps come": (CCWS, "!more && ", "(!more || true) && ", "test_ccws"),
    "stores are held": (ISSUE, "(sm->loads_held >> warp & 1) != 0 && u->insn->op == WR_OP_LD",
                        "(sm->loads_held >> warp & 1) != 0", "test_ccws"),
    "nothing is evicted": (L1, "access->evicted = way->taken ? way->line : UINT64_MAX;",
                           "access->evicted = UINT64_MAX;", "test_ccws"),
}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, {}))
