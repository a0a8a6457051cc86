#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The 23 kernels of Lin-P's Table II, preempted in each manner: their outputs must be right.

Each kernel of studies/lin_p/table_2.csv runs with each scheme of `warpref systems preemption` twice:

    every 10,000    a signal every 10,000 cycles, the first one after half of the kernel's cycles where that is earlier
    1,000 random    signals at random cycles on random SMs, until 1,000 fell or the run is over; their mean distance
                    is a thousandth of the kernel's cycles, 50 cycles at least

and with scheme switch, the only one that uses blocks, also in RTL and in lockstep, with the cycles and buffers of the
run with models. With --long the large launch files as well, with a signal every 10,000 cycles.

    tests/preempt/schemes.py [--long] [--every N]
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

SIGNALS = 1000
SHORTEST = 50  # cycles: the mean distance of random signals


def schemes_of(program):
    text = subprocess.run([program, "systems", "preemption"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^  scheme=(\S+)", text, re.M).group(1).split("|")


class Kernel:
    """All runs of one launch file."""

    def __init__(self, args, name, schemes, is_large):
        self.program, self.schemes, self.is_large = args.program, schemes, is_large
        self.name = name + ("_large" if is_large else "")
        self.lines, self.passed, self.failed = [], 0, 0

    def run(self, spec, blocks="model"):
        """None where it fails, which is told."""
        command = [self.program, "run", f"kernels/{self.name}.yaml", "--json"]
        command += ["--system", f"preemption:{spec}", "--blocks", blocks] if spec else []
        try:
            report = runs.run(command)
        except runs.Failure as failure:
            return self.fail(f"{failure}\n  {shlex.join(command)}")
        self.passed += 1
        return report

    def fail(self, why):
        self.lines.append(f"FAIL {self.name}: {why}")
        self.failed += 1

    def backends(self, spec, report):
        for blocks in ("rtl", "lockstep"):
            other = self.run(spec, blocks)
            if other and (what := runs.same(report, other)):
                self.fail(f"{spec}: {what} differ between models and {blocks}")

    def play(self):
        plain = self.run(None)
        if not plain:
            return self
        cycles = plain["cycles"]
        random = f"period={max(cycles // SIGNALS, SHORTEST)},random_cycles=1,sm=random,count={SIGNALS}"
        specs = {"every 10,000": f"period=10000,first={min(10_000, cycles // 2)}", "1,000 random": random}
        if self.is_large:
            del specs["1,000 random"]
        for title, spec in specs.items():
            fell = []
            for scheme in self.schemes:
                whole = f"{spec},scheme={scheme}"
                report = self.run(whole)
                if not report:
                    continue
                due, done = (runs.count(report, f"signals.{n}") for n in ("due", "done"))
                fell.append(f"{scheme} {due} ({done})")
                if done == 0:
                    self.fail(f"{whole}: no SM gave way")
                if scheme == "switch":
                    self.backends(whole, report)
            self.lines.append(f"{self.name}, {cycles} cycles, {title}: {', '.join(fell)}")
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--long", action="store_true", help="the large launch files, too")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th kernel alone (1)")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2),
                        help="kernels at a time ($JOBS, else 2)")
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    args = parser.parse_args()
    if not os.access(args.program, os.X_OK):
        parser.error(f"{args.program}: no such program; build it, or name it with --program")
    args.program = str(pathlib.Path(args.program).resolve())
    with open(runs.ROOT / "studies/lin_p/table_2.csv", encoding="utf-8") as file:
        names = [row["name"] for row in csv.DictReader(line for line in file if not line.startswith("#"))]
    schemes = schemes_of(args.program)
    kernels = [Kernel(args, name, schemes, large)
               for large in ([False, True] if args.long else [False]) for name in names[args.every // 2::args.every]]
    passed = failed = 0

    print("signals that fell, and in brackets how often an SM gave way", flush=True)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for kernel in pool.map(Kernel.play, kernels):
            print("\n".join(kernel.lines), flush=True)
            passed += kernel.passed
            failed += kernel.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
