#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the preemption system and its context engine: each must make a test or the soak fail.

    tests/fail/preempt.py BUILD_DIR

A fault is one change of a source text. The file is compiled with it as the build does, and linked in front of the
sound one into the program that must notice. Without a fault each of the programs passes. The last line is
"N passed, N failed".
"""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
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


class Build:
    """Programs with a changed file in them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.commands = {}

    def command(self, target, last):
        """The command of the build that makes this object or program."""
        if target not in self.commands:
            text = subprocess.run(["ninja", "-t", "commands", "-s", target], cwd=self.folder, check=True,
                                  capture_output=True, text=True).stdout
            self.commands[target] = text.strip().split("\n")[-1]
        assert last in self.commands[target]
        return self.commands[target]

    def run(self, command):
        done = subprocess.run(command, shell=True, cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{command}\n{done.stdout}{done.stderr}")

    def object(self, source, changed, tmp):
        target = f"systems/CMakeFiles/wr_systems.dir/{source.removeprefix('systems/')}.o"
        command = self.command(target, " -c ")
        out = tmp / "changed.o"
        command = command.replace(f"-c {ROOT / source}", f"-c {changed}").replace(f"-o {target}", f"-o {out}")
        self.run(re.sub(r" -MD -MT \S+ -MF \S+", "", command).replace("-Werror", "-w"))
        return out

    def program(self, name, changed, tmp):
        target = "bin/warpref" if name in SCRIPTS else f"tests/{name}"
        out = tmp / "bin" / pathlib.Path(target).name
        self.run(self.command(target, f"-o {target} ").replace(f"-o {target} ", f"-o {out} {changed or ''} ", 1))
        return out


def play(build, what, name, fault):
    """(does it notice what it must, how it is called, its last words)."""
    with tempfile.TemporaryDirectory() as folder:
        tmp = pathlib.Path(folder)
        (tmp / "bin").mkdir()
        linked = None
        if fault:
            source, before, after, _ = fault
            text = (ROOT / source).read_text(encoding="utf-8")
            if text.count(before) != 1:
                return False, what, f"{text.count(before)} times in {source}: {before}"
            changed = tmp / "changed.c"
            changed.write_text(text.replace(before, after), encoding="utf-8")
            linked = build.object(source, changed, tmp)
        program = build.program(name, linked, tmp)
        command = [str(program)]
        if name in SCRIPTS:
            command = [str(ROOT / SCRIPTS[name][0]), *SCRIPTS[name][1:], "--program", str(program)]
        env = {**os.environ, "WARPREF_LIB": str(build.folder / "lib"), "WARPREF_SEED": "1"}
        done = subprocess.run(command, cwd=tmp, env=env, capture_output=True, text=True, check=False)
        return (done.returncode != 0) == bool(fault), f"{what}: {name}", (done.stdout + done.stderr)[-600:]


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    build = Build(sys.argv[1])
    names = sorted({name for fault in FAULTS.values() for name in fault[3].split()})
    plays = [("no fault", name, None) for name in names]
    plays += [(what, name, fault) for what, fault in FAULTS.items() for name in fault[3].split()]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS") or 2)) as pool:
        for good, what, words in pool.map(lambda one: play(build, *one), plays):
            passed, failed = passed + good, failed + (not good)
            print(f"ok    {what}" if good else f"FAIL  {what}\n{words}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
