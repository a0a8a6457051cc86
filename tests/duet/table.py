#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of Lin-D Table 3.2 under each mechanism of mechanisms.py.

Each kernel of studies/lin_d/table_3_2.csv that the table lists runs by the library's small launch file on a machine on
which the mechanism works, with models and in lockstep: with the reference's output, the same cycles and buffers, and
some switches. A kernel without shared memory gets some that it does not use where that is to limit.

    tests/duet/table.py [KERNEL...]
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import random
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import mechanisms
import runs
import soaks

NAMES = [*mechanisms.MECHANISMS, mechanisms.BARRIERS]


def listed():
    with open(runs.ROOT / "studies/lin_d/table_3_2.csv", encoding="utf-8") as file:
        return [row["kernel"] for row in csv.DictReader(line for line in file if not line.startswith("#"))
                if row["listed"] == "1"]


def file_of(kernel):
    """The library's small launch file that has this kernel."""
    own = runs.ROOT / f"kernels/{kernel}.yaml"
    if own.exists():
        return own
    return next(file for name in soaks.small_kernels() if re.search(
        rf"^  - kernel: {kernel}$", (file := runs.ROOT / f"kernels/{name}.yaml").read_text(), re.M))


class Kernel:
    """All runs of one kernel."""

    def __init__(self, args, name):
        self.args, self.name, self.failed = args, name, []
        self.counts = {}

    def play(self):
        file = file_of(self.name)
        needs = mechanisms.needs_of(self.args.program, file)
        blocks = ["model"] if self.args.model else ["model", "lockstep"]
        with tempfile.TemporaryDirectory() as scratch:
            for name in self.args.mechanisms:
                plan = mechanisms.Plan(random.Random(f"{self.args.seed}:{self.name}:{name}"), name, needs)
                copy = pathlib.Path(scratch) / f"{self.name}.yaml"
                try:
                    if plan.sets is None:
                        raise runs.Failure(f"{name}: no machine is such that all kernels of {file} have it")
                    plan.write(file, copy)
                    counts = plan.play(self.args.program, copy, blocks)["model"]
                    for what, switches in counts.items():
                        self.counts[what] = self.counts.get(what, 0) + switches
                    if not self.counts[name]:
                        raise runs.Failure(f"{name}: no switch")
                except runs.Failure as failure:
                    self.failed.append(str(failure))
        return self


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="KERNEL", help="of the table (all)")
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    parser.add_argument("--model", action="store_true", help="with models alone")
    parser.add_argument("--mechanism", choices=list(mechanisms.MECHANISMS), help="this one alone")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1),
                        help="of the draws of machines ($WARPREF_SEED, else 1)")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2),
                        help="kernels at a time ($JOBS, else 2)")
    args = parser.parse_args()
    args.mechanisms = [args.mechanism] if args.mechanism else list(mechanisms.MECHANISMS)
    names = args.names or listed()
    passed = failed = 0

    print(f"seed {args.seed}\n{'switches':26}" + "".join(f"{name:>16}" for name in NAMES), flush=True)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for kernel in pool.map(lambda name: Kernel(args, name).play(), names):
            print(f"{kernel.name:26}" + "".join(f"{kernel.counts.get(name, '-'):>16}" for name in NAMES), flush=True)
            for why in kernel.failed:
                print(f"FAIL {kernel.name}: {why}", flush=True)
            passed += len(args.mechanisms) - len(kernel.failed)
            failed += len(kernel.failed)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
