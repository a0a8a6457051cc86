#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A waveform as VCD has the signals, values and times of the one as FST, wherever one is written; GTKWave's reader of VCD
takes it as it is meant; its saved view names signals that are there; and nothing else of the run changes.

    tests/waveforms/same.py --program build/release/bin/warpref --pair build/release/tests/wave_pair
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from wave import Wave

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNEL = ["run", str(ROOT / "kernels" / "vecadd.yaml"), "--set", "sms=2", "--for", "4000"]
# By name: the command, where {} is the waveform, its exit status, and whether a saved view comes with it.
RUNS = {
    "pins of a block": (["cosim", "alloc_table", "--config", "tiny", "--cycles", "3000", "--wave", "{}"], 0, True),
    "arrays": (["cosim", "reg_compressor", "--config", "odd", "--cycles", "500", "--wave", "{}"], 0, True),
    "pins of 64 bits": (["cosim", "context_saver", "--config", "tiny", "--cycles", "2000", "--wave", "{}"], 0, True),
    "a mismatch": (["cosim", "reg_compressor", "--config", "tiny", "--rtl", "wrong.sv", "--no-shrink",
                    "--mismatch-wave", "{}"], 1, False),
    "a GPU": ([*KERNEL, "--wave", "{}"], 0, True),
    "blocks of a system": ([*KERNEL, "--system", "preemption:period=1000,wave={}"], 0, True),
    "two systems": ([*KERNEL, "--config", "maxwell", "--system", "duet", "--system", "monitor", "--wave", "{}"], 0, True),
    "a mismatch in a run": ([*KERNEL, "--system", "preemption:period=1000,dump={}", "--blocks", "lockstep", "--rtl",
                             "reg_compressor=wrong.sv"], 1, False),
}


class Check:
    def __init__(self):
        self.passed = self.failed = 0

    def __call__(self, name, right, why=""):
        right = bool(right)
        self.passed += right
        self.failed += not right
        print(f"ok    {name}" if right else f"FAIL  {name}: {why}")


def difference(one, other):
    """The first one in words; "": none."""
    if one.widths != other.widths:
        return f"signals: {sorted(one.widths.items() ^ other.widths.items())[:3]}"
    if one.times != other.times:
        return f"times: {one.times} and {other.times}"
    for name, changes in one.changes.items():
        if changes != other.changes[name]:
            time = min(t for t, _ in changes.items() ^ other.changes[name].items())
            return f"{name} at {time}: {changes.get(time)} and {other.changes[name].get(time)}"
    return ""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    options.add_argument("--pair", required=True, help="pair.c")
    args = options.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    check = Check()
    with tempfile.TemporaryDirectory() as folder:
        def run(*command):
            return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

        folder = pathlib.Path(folder)
        sound = (ROOT / "rtl" / "context" / "reg_compressor.sv").read_text()
        (folder / "wrong.sv").write_text(sound.replace("Strided = 2'b11", "Strided = 2'b10"))
        for name, (command, status, has_view) in RUNS.items():
            said, read = {}, {}
            for end in ("fst", "vcd"):
                out = run(program, *(word.replace("{}", f"w.{end}") for word in command))
                said[end] = re.sub(r"\b(w\.)(fst|vcd)\b", r"\1END", out.stdout + out.stderr)
                check(f"{name}, {end}: exit status", out.returncode == status, f"{out.returncode}: {out.stderr[-200:]}")
                check(f"{name}, {end}: how to look at it", not has_view or "gtkwave w.gtkw" in out.stdout, out.stdout[-300:])
                read[end] = Wave(folder / f"w.{end}")
            check(f"{name}: nothing else changes", said["fst"] == said["vcd"], said["vcd"][-300:])
            why = difference(read["fst"], read["vcd"])
            check(f"{name}: {len(read['vcd'].widths)} signals", not why and read["vcd"].widths, why)
            changes = sum(len(c) for c in read["vcd"].changes.values())
            check(f"{name}: changes change something", read["fst"].repeats == 0, f"{read['fst'].repeats} do not")
            check(f"{name}: they change", changes > len(read["vcd"].widths), f"{changes} changes")
            run("vcd2fst", "w.vcd", "back.fst")
            why = difference(read["vcd"], Wave(folder / "back.fst"))
            check(f"{name}: as GTKWave reads it", not why, why)
            if has_view:
                view = (folder / "w.gtkw").read_text()
                listed = re.findall(r"^(?![\[@*-])(.+?)(?:\[\d+:0\])?$", view, re.M)
                missing = [signal for signal in listed if signal not in read["vcd"].widths]
                check(f"{name}: its view", '[dumpfile] "w.vcd"' in view and listed and not missing, f"not there: {missing[:3]}")
        for end in ("fst", "vcd"):
            check(f"random values, {end}", run(str(pathlib.Path(args.pair).resolve()), f"w.{end}").returncode == 0, "not written")
        fst = Wave(folder / "w.fst")
        why = difference(fst, Wave(folder / "w.vcd"))
        check("random values", not why, why)
        check("random values: changes change something", fst.repeats == 0, f"{fst.repeats} do not")
        out = run(program, "cosim", "hint_decoder", "--config", "tiny", "--cycles", "100", "--rtl-wave", "r.vcd")
        check("--rtl-wave", out.returncode == 2 and "r.vcd: --rtl-wave writes FST" in out.stderr, out.stderr)
        run(program, *KERNEL, "--config", "maxwell", "--system", "duet", "--wave", "w.vcd")
        out = run(sys.executable, str(ROOT / "tools" / "duet_timeline.py"), "w.vcd")
        check("a timeline of it", out.returncode == 2 and "has no names of states, as VCD never has" in out.stderr, out.stderr)
        (folder / "directory.vcd").mkdir()
        for place in ("directory.vcd", "none/w.vcd"):
            out = run(program, *KERNEL, "--wave", place)
            check(f"{place} cannot be written", out.returncode == 2 and f"{place}: " in out.stderr, out.stderr)
    print(f"{check.passed} passed, {check.failed} failed")
    return check.failed != 0 or check.passed == 0


if __name__ == "__main__":
    sys.exit(main())
