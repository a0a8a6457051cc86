#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the preemption system and its context engine: each must make a test or the soak fail.

    tests/fail/preempt.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".
"""
import sys

sys.dont_write_bytecode = True
import planted

ADDED = "    p->absent[p->absent_count++] = *absent;\n"
# Swaps something of the newest absent TB with that of another one of its stream that was saved, too.
SWAP = ADDED + """    for (uint32_t i = 0; i + 1 < p->absent_count && !absent->tb.info.fresh; i++) {
        wr_saved_tb *a = &p->absent[i].tb;
        wr_saved_tb *b = &p->absent[p->absent_count - 1].tb;

        if (a->info.stream == b->info.stream && !a->info.fresh) {
            wr_saved_tb kept = *a;

            %s
            break;
        }
    }
"""
HOME, LEAVE = "systems/preemption/home.c", "systems/preemption/leave.c"
SYSTEM, RIVALS = "systems/preemption/preemption.c", "systems/preemption/rivals.c"
DEAL = "systems/preemption/deal.c"
IDENTITY = """memcpy(a->info.ctaid, b->info.ctaid, sizeof kept.info.ctaid);
            memcpy(b->info.ctaid, kept.info.ctaid, sizeof kept.info.ctaid);
            a->info.linear = b->info.linear;
            b->info.linear = kept.info.linear;"""
ENTRY = "a->entry = b->entry;\n            b->entry = kept.entry;"
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "identity of another TB": (HOME, ADDED, SWAP % IDENTITY, "test_rivals soak"),
    "control block entry of another TB": (HOME, ADDED, SWAP % ENTRY, "test_rivals soak"),
    "entry not freed": ("systems/context/engine_restore.c",
                        "wr_context_entry_free(area_of(engine, tb), tb->tb.entry);", "(void)area_of;", "soak"),
    "absent TB lost": (HOME, ADDED, "    if (p->absent_count != 4) {\n    " + ADDED + "    }\n", "test_rivals soak"),
    "flushed TB not halted": (LEAVE, "halt(&unit->engine, sm, unit->left[WR_LEAVE_FLUSH]);\n    attend",
                              "halt(&unit->engine, sm, 0);\n    attend", "test_manners"),
    "doors open to lower priorities": (HOME, "streams_below(p, waits, false) : 0;", "0 : 0;", "test_rivals"),
    "doors open beside absent TBs": (HOME, "closed |= streams_below(p, wr_preempt_priority(p, stream), true);",
                                     "(void)stream;", "test_rivals"),
    "spoilt TB flushed": ("systems/preemption/choice.c", "!unit->who[slot].spoilt", "true", "test_manners"),
    "flushes without end": ("systems/preemption/choice.c", "unit->who_flushes[slot] >= WR_PREEMPT_FLUSHES", "false",
                            "test_manners"),
    "flushes forgotten by a save": (LEAVE, "absent.tb.tag = unit->who_flushes[event->slot];", "absent.tb.tag = 0;",
                                    "test_manners"),
    "flushes of the slot's next TB": (LEAVE, "absent.tb.tag = unit->who_flushes[event->slot];",
                                      "absent.tb.tag = unit->flushes[event->slot];", "test_rivals"),
    "flushes of the slot's last TB": (SYSTEM, "unit->flushes[slot] = 0;", "", "test_manners"),
    "wasted instructions not counted": (LEAVE, "p->tbs.wasted += wr_sm_tb(sm, slot).issued;", "", "test_manners"),
    "signals before claims": (SYSTEM, "    bool moves = ", "    wr_preempt_signals_cycle(p, now);\n    bool moves = ",
                              "test_rivals"),
    "equals preempted": (RIVALS, "wr_preempt_priority(p, tb.stream) < priority",
                         "wr_preempt_priority(p, tb.stream) <= priority", "test_rivals soak"),
    "sms taken for no limit": (RIVALS, "wanted < p->options.most_sms ? wanted : p->options.most_sms", "wanted",
                               "test_rivals"),
    "a plan beside a TB that ends": (DEAL, "unit->here[slot].parts &= ~freed_by_plan(unit, &unit->here[slot]);",
                                     "unit->here[slot].parts &= unit->left[WR_LEAVE_SWITCH] >> slot & 1u\n"
                                     "? ~freed_by_plan(unit, &unit->here[slot]) : ALL_PARTS;", "found"),
    "TBs begin without end": (DEAL, "p->begun[stream] < p->sm_count * p->tbs_per_sm &&", "", "found"),
    "a choice before all TBs are looked at": (
        LEAVE, "    }\n    for (uint32_t slot = 0; slot < wr_sm_tb_slots(sm); slot++) { /* all of them weigh in a choice */\n", "",
        "test_manners"),
    "two pipelines write in a cycle": (
        "systems/context/save.c", "*may_write && queue_segment(path, sm)", "queue_segment(path, sm)",
        "test_preemption"),
    "two pipelines save one warp": (
        "systems/context/engine_save.c", "(tb->begun >> w & 1u) != 0 ?", "(tb->saved >> w & 1u) != 0 ?",
        "test_preemption"),
    "an entry for each pipeline": (
        "systems/context/engine_save.c", "tb->begun == 0 && !tb->by_warp", "tb->saved == 0 && !tb->by_warp",
        "test_preemption"),
    "a pipeline forgotten beside the parts": (
        "systems/context/engine_save.c", "engine->state == WR_CONTEXT_PICK && any_busy(engine)", "false",
        "test_preemption"),
    "registers asked for out of turn": (
        "systems/context/engine_restore.c", "        before_have_asked = false;\n", "", "test_coming"),
    "a later TB's parts behind all registers": (
        "systems/context/engine_restore.c", "parts->asks && parts->out.req_kind != WR_SEQUENCER_SLOT", "false",
        "test_coming"),
    "an answer before all of it is here": (
        "systems/context/engine_restore.c", "tb->awaited != 0 || !answer", "!answer", "test_coming"),
    "the block does not know what stays": (
        "systems/context/parts.c", ".keep_shared = (job->kept & WR_KEEPS_SHARED) != 0,", ".keep_shared = false,",
        "test_modes"),
    "the context area has no end": (
        "systems/context/parts.c", ".high = (area->base + area->bytes) / WR_CTX_SEGMENT - 1,", ".high = UINT32_MAX,",
        "test_context"),
    "pag=warp saved by the TB's shape": (SYSTEM, "        area->pag = WR_PAG_32;\n", "        (void)area;\n",
                                         "test_preemption test_modes"),
    "pag=warp restored by the TB's shape": (
        "systems/context/engine_restore.c", "tb->pag = area_of(engine, tb)->pag;",
        "tb->pag = wr_context_pag(next->info.launch->block[0]);", "test_preemption"),
    "a drain that is free": ("systems/preemption/choice.c", "(slowest - left) / cpi", "0.0", "test_manners"),
}
# Scripts that run warpref; the other names are test programs.
SCRIPTS = {"soak": ["tests/preempt/soak.py", "--preemptions", "1000", "--failures", "1", "--jobs", "1"],
           "found": ["tests/preempt/found.py"]}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
