#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are hard to take away (rich.cu), of three priorities, with each scheme and kind of context.

What they count must be right, and each line that they print must be there once: a TB that has printed is not flushed.

    tests/preempt/rich.py [--program WARPREF]
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

LINES = sorted(f"TB {i}" for i in range(30))
SPECS = [f"scheme={scheme},period={period},sm=random,random_cycles={random}"
         for scheme in ("switch", "drain", "flush", "chimera") for period, random in ((0, 0), (700, 1))]
PLACES = ["context=live", "context=all", "context=tb", "in_place=1"]  # of scheme switch


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=runs.PROGRAM)
    program = str(parser.parse_args().program.resolve())
    listed = subprocess.run([program, "systems", "preemption"], check=True, capture_output=True, text=True).stdout
    specs = SPECS + [f"{SPECS[1]},{place}" for place in PLACES
                     if re.search(rf"^  {place.split('=')[0]}=", listed, re.M)]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        printed = pathlib.Path(folder) / "printed"
        for spec in specs:
            command = [program, "run", "tests/preempt/rich.yaml", "--json", "--set", "sms=2", "--printf", str(printed),
                       "--system", f"preemption:{spec}"]
            why = ""
            try:
                report = runs.run(command)
                if sorted(printed.read_text(encoding="utf-8").splitlines()) != LINES:
                    why = "other lines are printed than one for each TB"
                elif runs.count(report, "signals.done") == 0:
                    why = "no SM gave way"
            except runs.Failure as failure:
                why = str(failure)
            passed, failed = passed + (not why), failed + bool(why)
            print(f"FAIL {spec}: {why}\n  {shlex.join(command)}" if why else
                  f"ok   {spec}: an SM gave way {runs.count(report, 'signals.done')} times", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
