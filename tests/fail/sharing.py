#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the systems smk, spart and ccbp, in the queue of preempted TBs, in the LSU's queues, in
the order of schedulers and in counts by class: each must make a test or the soak fail.

    tests/fail/sharing.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

QUEUE, IDEAL = "systems/tb_queue/tb_queue.c", "systems/tb_queue/ideal.c"
DRIVER, PARTITION, QUOTA, SHARES, SMK = (f"systems/smk/{name}.c" for name in ("driver", "partition", "quota", "shares",
                                                                             "smk"))
LSU = "shell/core/sm/lsu.c"
SPART = "systems/spart/spart.c"
STATION, COUNTS, LOGIC, SAMPLE, COMBINE, LIMIT, CCBP = (f"systems/ccbp/{name}.c" for name in (
    "station", "counts", "logic", "sample", "combine", "limit", "ccbp"))
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    # the LSU's queues
    "the LSU takes no turns": (LSU, "            sm->lsu_turn = q + 1;\n", "", "test_core_lsu_queues"),
    "one queue blocks all": (LSU, "        sm->lsu_blocked |= 1u << q;",
                             "        sm->lsu_blocked = (1u << sm->lsu_queues) - 1;", "test_core_lsu_queues"),
    "one limit of loads": (LSU, "    if (q->ops == sm->op_limit) {", "    if (sm->op_count == sm->op_limit) {",
                           "test_core_lsu_queues"),
    "one store buffer": (LSU, "wr_lsu_queue_of(sm, e->stream)->stores >= buffer",
                         "sm->lsu[0].stores + sm->lsu[1].stores >= buffer", "test_core_lsu_queues"),
    "all in the first queue": ("shell/core/sm/issue.c", "wr_lsu_queue_of_warp(sm, warp))) {", "&sm->lsu[0])) {",
                               "test_core_lsu_queues"),
    "a reply is for the first queue": (LSU, "left = sm->lsu_blocked; left", "left = sm->lsu_blocked & 1; left",
                                       "test_core_lsu_queues"),
    # the schedulers' order
    "the lowest scheduler has turns": ("shell/core/sm/schedule.c", "cfg->lowest_first != 0 ? 1 : cfg->schedulers",
                                       "cfg->schedulers", "test_core_units"),
    "the first scheduler has no turns": ("shell/core/sm/schedule.c", "cfg->lowest_first != 0 ? 1 : cfg->schedulers",
                                         "1", "test_core_units"),
    # instructions by class
    "conversions are of integers": ("shell/core/gpu/program.c", "return WR_INSN_CONVERSION;", "return WR_INSN_INTEGER;",
                                    "test_core_classes"),
    "a set by its result": ("shell/core/gpu/program.c", "insn->op == WR_OP_SET ? insn->type2 : insn->type", "insn->type",
                            "test_core_classes"),
    "branches that split are uniform": ("shell/core/counters/derived.c", "(double)(sum.branches - sum.divergent)",
                                        "(double)sum.branches", "test_core_classes"),
    "lanes that are on count as off": ("shell/core/sm/issue.c", "__builtin_popcount(active & ~mask)",
                                       "__builtin_popcount(active & mask)", "test_core_classes"),
    "all is of one class": ("shell/core/sm/issue.c", "sm->stats.insns[u->cls]++;", "sm->stats.insns[0]++;",
                            "test_core_classes"),
    # the queue
    "a TB that has left is lost": (QUEUE, "    q->tb[q->count++] = *tb;\n",
                                   "    if (q->count == 3) {\n        return;\n    }\n    q->tb[q->count++] = *tb;\n",
                                   "test_smk"),
    "another stream's TB comes": (QUEUE, "    while (q->tb[at].info.stream != stream) {", "    while (false) {",
                                  "test_smk soak"),
    "more TBs than contexts": (QUEUE, "return wr_gpu_tbs_begun(q->gpu, stream) < (uint64_t)q->sm_count * q->tbs_per_sm;",
                               "return q->sm_count != 0 && stream != UINT32_MAX;", "test_smk"),
    "stores are not awaited at no cost": (IDEAL, "    *tb = (wr_saved_tb){.info = wr_sm_tb(sm, slot), .entry =",
                                          "    (void)wr_sm_tb_evict(sm, slot, WR_CONTEXT_POISON);\n"
                                          "    *tb = (wr_saved_tb){.info = wr_sm_tb(sm, slot), .entry =", "test_smk"),
    "a register lost at no cost": (IDEAL, "    for (uint32_t r = 0; r < tb->info.regs; r++) {",
                                   "    for (uint32_t r = 0; r + 1 < tb->info.regs; r++) {", "test_smk"),
    "shared memory lost at no cost": (IDEAL, "        must(wr_gpu_read(gpu, wr_context_area_tb(area, tb->entry).shared, "
                                             "wr_sm_shared(sm, slot),", "        must(wr_gpu_read(gpu, "
                                             "wr_context_area_tb(area, tb->entry).regs, wr_sm_shared(sm, slot),",
                                      "soak"),
    # shares
    "rK of three resources": (SHARES, "    for (uint32_t r = 0; r < WR_SMK_RESOURCES; r++) {\n"
                                      "        wr_smk_share share = (held",
                              "    for (uint32_t r = 0; r + 1 < WR_SMK_RESOURCES; r++) {\n"
                              "        wr_smk_share share = (held", "test_smk"),
    "the highest rK first": (SHARES, "at != 0 && share[at - 1] > mine; at--", "at != 0 && share[at - 1] < mine; at--",
                             "test_smk"),
    "means of what will be held": (
        DRIVER, "    wr_smk_note(p);\n    p->sm[sm].held[kernel] =",
        "    p->kernel[kernel].held += 4u;\n    wr_smk_note(p);\n    p->kernel[kernel].held -= 4u;\n"
        "    p->sm[sm].held[kernel] =", "test_smk"),
    # the driver
    "any kernels on an SM": (DRIVER, "((present >> kernel & 1u) != 0 || bits(present) < p->most);", "bits(present) < 9;",
                             "test_smk"),
    "preemption without gain": (DRIVER, "range(p, kernel, victim, n) >= range(p, kernel, victim, 0)",
                                "range(p, kernel, victim, n) >= UINT64_MAX", "test_smk"),
    "one TB leaves, whatever is needed": (DRIVER, "while (n <= can && !fits_without(p, sm, kernel, victim, n)) {",
                                          "while (false) {", "test_smk"),
    "a claim is never settled": (DRIVER, "    settle_claims(p, now);\n", "    (void)settle_claims;\n", "test_smk"),
    "a TB that leaves still counts": (DRIVER, "        wr_smk_hold(p, kernel, sm, -1);\n        here->leaving",
                                      "        here->leaving", "test_smk"),
    "new TBs before those that wait": (DRIVER, "    if (wr_tb_queue_waiting(&p->queue, stream) != 0) {",
                                       "    if (wr_gpu_tbs_waiting(p->gpu, stream) == 0) {", "test_smk"),
    # partitions
    "a place that is taken": (PARTITION, "    return i < range->tbs && j < range->tbs;", "    return true;", "test_smk"),
    "shared memory is not looked at": (PARTITION, "           !is_free(p, sm, true, range->shared + j * shared, shared)) {",
                                       "           j + 1 < 0) {", "test_smk"),
    "TBs out of line stay": (PARTITION, "            } else if ((may & bit) != 0) {", "            } else if (may == 1) {",
                             "test_smk"),
    "shared memory in half units": (PARTITION, "        p->drf_in.smem = (uint16_t)shared_of(needs);",
                                    "        p->drf_in.smem = (uint16_t)(shared_of(needs) / 2);", "test_smk"),
    "nobody's turn comes": (PARTITION, "(mine == 0 && now >= here->parted_at + WR_SMK_EPOCH)", "(mine == 0 && now == 0)",
                            "test_smk"),
    "turns in every cycle": (PARTITION, "(mine == 0 && now >= here->parted_at + WR_SMK_EPOCH)", "(mine == 0)",
                             "test_smk"),
    # quotas
    "nothing is held": (QUOTA, "            held |= (allowed >> k & 1u) == 0 ? 1u << s : 0u;",
                        "            held |= (allowed >> k & 1u) == 2 ? 1u << s : 0u;", "test_smk"),
    "an issue is not seen": (QUOTA, "    here->quota_in.issue[scheduler] = true;",
                             "    here->quota_in.issue[scheduler] = warp != 3;", "test_smk_quotas"),
    "an issue for another kernel": (QUOTA, "here->kernel_of_warp[warp];", "here->kernel_of_warp[0];", "test_smk"),
    "a spare slot is of a quota": (QUOTA, "        return; /* the slot is of no quota */\n", "", "test_smk_quotas"),
    "nobody goes first": (QUOTA, "    return first != 0 ? first : candidates;",
                          "    (void)first;\n    return candidates;", "test_smk_quotas"),
    "another scheduler's quota": (QUOTA, "first |= (here->quota_out.allow[scheduler] >>",
                                  "first |= (here->quota_out.allow[1 - scheduler % 2] >>", "test_smk_quotas"),
    "spare slots are held": (QUOTA, "    if (!p->spare) {", "    if (true) {", "test_smk_quotas"),
    "T is 1": (QUOTA, "        return known ? p->kernel[kernel].profiled : (uint16_t)p->kernel[kernel].alone;",
               "        return 1;", "test_smk_quotas"),
    "an SM without a TB counts": (QUOTA, "    if (k == WR_SMK_NONE || tbs == 0 ||", "    if (k == WR_SMK_NONE ||",
                                  "test_smk_quotas"),
    "others beside it count": (QUOTA, " || others != 0) {", ") {", "test_smk_quotas"),
    "TBs on their way out are nobody": (QUOTA, "here->away_cycles - here->away_before;", "0;", "test_smk_quotas"),
    "TBs of all epochs": (QUOTA, "        here->tb_before[s] = here->tb_cycles[s];\n", "", "test_smk_quotas"),
    "TBs that leave have no share": (QUOTA, ": here->held[kernel] + here->leaving[kernel]);", ": here->held[kernel]);",
                                     "test_smk"),
    "quotas stay when a kernel ends": (QUOTA, "        if (here->is_watched && !shared) {", "        if (false) {",
                                       "test_smk"),
    # smk.c
    "a TB that has ended still counts": (SMK, "        wr_smk_hold(p, kernel, id, -1);\n    }\n    p->look",
                                         "    }\n    p->look", "test_smk"),
    "the queue does not wake the driver": (SMK, "    (void)tb;\n    p->look = true;\n", "    (void)tb;\n    (void)p;\n",
                                           "test_smk"),
    # spart
    "TBs of others stay": (SPART, "    wr_tb_queue_out(&s->queue, sm, out &", "    wr_tb_queue_out(&s->queue, sm, 0 & out &",
                           "test_spart"),
    "SMs stay shut behind the last": (SPART, "(wr_tb_queue_waiting(&s->queue, stream) == 0 &&",
                                      "(s->queue.counts.out == 0 &&", "test_spart"),
    # ccbp: miss queues
    "an entry is not given back": (STATION, "    s->free[s->free_count++] = tag;\n",
                                   "    s->free[s->free_count] = tag;\n    s->free_count += tag != 5;\n", "test_ccbp"),
    "a request leaves twice": (STATION, "    in.out_ready = s->popped_at == s->cycle;",
                               "    in.out_ready = s->popped_at == s->cycle && s->cycle % 97 != 0;", "test_ccbp"),
    "requests of a window of their own": (STATION, ".clear = true};", ".clear = p->decided == 0};", "test_ccbp"),
    # counts
    "who evicts pays": (COUNTS, ".owner = owner & 3u};", ".owner = k & 3u};", "test_ccbp"),
    "a read that takes nothing": (COUNTS, "{.read = true,", "{.read = k != 1,", "test_ccbp"),
    # the logic
    "stores as loads": (LOGIC, "        in->b = p->kernel[k].stores[ctas];", "        in->b = p->kernel[k].loads[ctas];",
                        "test_ccbp"),
    "threads as shared memory": (LOGIC, "own->needs.registers, own->needs.shared_bytes,",
                                 "own->needs.registers, own->needs.threads,", "test_ccbp"),
    "the NoC's share for DRAM": (LOGIC, ".cfg_dbw = limits ? own->dbw : 100,", ".cfg_dbw = limits ? own->nbw : 100,",
                                 "test_ccbp"),
    "the last SM is not told": (LOGIC, "l->at % CYCLES == 0 && i < p->sm_count; i++",
                                "l->at % CYCLES == 0 && i + 1 < p->sm_count; i++", "test_ccbp"),
    "kernels that are gone have CTAs": (LOGIC, "there ? own->alone : 0,", "own->alone,", "test_ccbp"),
    # samples
    "one CTA too many": (SAMPLE, "wr_sm_tb_count(sm, bit) >= most_of", "wr_sm_tb_count(sm, bit) > most_of", "test_ccbp"),
    "groups rounded down": (SAMPLE, "p->kernel[k].alone + size - 1) / size", "p->kernel[k].alone) / size", "test_ccbp"),
    "samples beside others": (SAMPLE, "    if (!is_clear(p)) {", "    if (!is_clear(p) && p->warm_up == 0) {", "test_ccbp"),
    "samples with the warm-up": (SAMPLE, "    take_counts(p, now);\n    for", "    for", "test_ccbp"),
    "nobody's turn comes at last": (SAMPLE, "        p->turn++;", "        p->turn += 2;", "test_ccbp"),
    # combinations
    "the best off is served": (COMBINE, "p->kernel[k], &p->kernel[worst])", "p->kernel[worst], &p->kernel[k])", "test_ccbp"),
    # memory instructions
    "one more than the limit, and more": (LIMIT, "m->of[k].under_way >= m->of[k].limit", "m->of[k].under_way > 3 * m->of[k].limit",
                                          "test_ccbp"),
    "limits are never lowered": (LIMIT, "own->fails >= SAMPLE) {", "own->fails > UINT64_MAX - 1) {", "test_ccbp"),
    "a new kernel is not seen": (CCBP, "        p->stale = true;", "        p->stale = p->phase == WR_CCBP_FREE && k == 0;",
                                 "test_ccbp"),
}
# Scripts that run warpref; the other names are test programs.
SCRIPTS = {"soak": ["tests/sharing/soak.py", "--runs", "40", "--failures", "1", "--jobs", "1"]}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
