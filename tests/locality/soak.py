#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the library at random under locality, owl and mascar, until so many runs have gone right.

A run draws a kernel of the library, or under owl and mascar up to three that arrive one after the other, a machine, the system
and its options, threads; and beside it duplicates, swl or monitor, or nothing. It must end with exit status 0 and every
check held. Now and then it is made again: locality in lockstep or with RTL, any with another number of threads, or with
its mechanism off, which must have the cycles of the run without the system: cycles and buffers must be the same.

    tests/locality/soak.py                       # 1,000 runs
    tests/locality/soak.py --runs 60 --jobs 2    # the short form

Run n draws from the seed and n alone. A run that fails is printed with the command that repeats it.
"""
import collections
import itertools
import pathlib
import random
import shlex
import sys

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(1, str(TESTS / "soak"))
import runs
import soaks

MOST_CYCLES = 20_000_000
LOCKSTEP = 60_000  # cycles: the longest run that is made again with RTL
ENOUGH = 60  # runs in which everything that is counted must have come up
CONFIGS = ["k20x"] * 4 + ["gtx480", "gtx980", "maxwell"]
SETS = {
    "sm.policy": ["lrr", "gto", "two_level"],
    "l1.bytes": [8192, 16384, 65536],
    "l1.mshrs": [4, 16, 32],
    "l1.miss_queue": [2, 8],
    "sm.max_warps": [8, 24, 32],
    "sm.issue_width": [1, 2],
}
BESIDE = [[], [], ["duplicates"], ["duplicates:window=300"], ["swl:warps=12"], ["monitor"]]
OFF = {"locality": "locality:hint=none", "owl": "owl:warps=64", "mascar": "mascar:high=101"}


class Run:
    """What run n of a seed does."""

    def __init__(self, args, names, number):
        r = self.r = random.Random(f"{args.seed}:{number}")
        self.args, self.number = args, number
        self.system = r.choice(["locality", "locality", "owl", "mascar"])
        count = 1 if self.system == "locality" else r.choice([1, 1, 2, 3])
        files = []
        for i, name in enumerate(r.sample(names, count)):
            files += ["--with"] * (i != 0) + [f"kernels/{name}.yaml"]
            if i != 0:
                files += ["--arrive", str(soaks.log_uniform(r, 1, 20_000))]
        sets = {"sms": r.choice([1, 2, 3, 5, 9])}
        sets |= {name: r.choice(values) for name, values in SETS.items() if r.random() < 0.2}
        self.base = [args.program, "run", *files, "--json", "--config", r.choice(CONFIGS), *soaks.words(sets),
                     *(["--no-points"] if r.random() < 0.3 else []), "--max-cycles", str(MOST_CYCLES)]
        if self.system == "locality":
            given = {"hint": r.choice(["launch", "none", "lines", "borders", "some", "some"]),
                     "tbs": r.choice(["chunk", "wave", "order"]), "warps": r.choice([0, 1, 1, 1]),
                     "groups": r.choice([0, 0, 1, 3, 32])}
        elif self.system == "owl":
            given = {"warps": soaks.log_uniform(r, 1, 64), "spread": r.randint(0, 1)}
        else:
            given = {"high": r.choice([1, 10, 30, 60, 80, 80, 100]), "hits": r.randint(0, 1)}
        beside = [w for spec in r.choice(BESIDE) for w in ("--system", spec)]
        spec = ["--system", f"{self.system}:" + ",".join(f"{k}={v}" for k, v in given.items()), *beside]
        blocks = ["--blocks", "model"] if self.system == "locality" or beside[1:] == ["monitor"] else []
        threads = r.choice([1, 1, 2, 3])
        self.first = [*spec, *blocks, "--threads", str(threads)]
        self.others = []
        again = r.random()
        if again < 0.2 and self.system == "locality":
            self.others = [[*spec, "--blocks", r.choice(["rtl", "lockstep"]), "--threads", str(threads)]]
        elif again < 0.35:
            self.others = [[*spec, *blocks, "--threads", str(threads % 3 + 1)]]
        self.off = ["--system", OFF[self.system], *beside] if again > 0.85 else None
        self.bare = beside

    def play(self):
        """(report, None), or (None, why it fails and how to repeat it)."""
        command = self.base + self.first
        pairs = []
        try:
            try:
                first = runs.run(command)
            except runs.NoRoom:
                return {"measured": {}, "checks": [], "again": 0, "no room": 1}, None
            pairs += [(command, first, self.base + other) for other in self.others
                      if "model" in other or "--blocks" not in other or first["cycles"] < LOCKSTEP]
            if self.off:
                off = self.base + self.off
                pairs.append((off, runs.run(off), self.base + self.bare))
            for one, report, other in pairs:
                if what := runs.same(report, runs.run(other)):
                    return None, f"{what} differ:\n  {shlex.join(one)}\n  {shlex.join(other)}"
        except runs.Failure as failure:
            return None, f"{failure}\n  {shlex.join(command)}"
        return first | {"again": len(pairs), "no room": 0}, None


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done = self.checked = 0
        self.counts = collections.Counter({"grants": 0, "switches": 0, "first": 0, "others": 0, "saturated": 0, "owners": 0,
                                           "kept": 0, "made again": 0, "lockstep or RTL": 0, "off": 0})

    def add(self, run, report):
        measured = {name.split(".")[-1]: row["value"] for name, row in report["measured"].items()}
        self.done += 1
        self.checked += len(report["checks"])
        for name in ("grants", "switches", "first", "others", "saturated", "owners", "kept"):
            self.counts[name] += measured.get(name, 0)
        self.counts["made again"] += report["again"]
        self.counts["off"] += run.off is not None and not report["no room"]
        self.counts["lockstep or RTL"] += report["again"] != 0 and any({"rtl", "lockstep"} & set(o) for o in run.others)

    def show(self):
        print(f"{self.done} runs, {self.checked} checks")
        print(", ".join(f"{name} {n:,}" for name, n in self.counts.items()))


def main():
    args = soaks.parse(soaks.parser_of(__doc__, "--runs", 1000, "runs"))
    names = [k for k in soaks.small_kernels() if k not in soaks.LONG]
    sums = Sums()
    failed = soaks.soak(args, (Run(args, names, n) for n in itertools.count(args.first)), sums)
    sums.show()
    if args.enough >= ENOUGH and failed < args.failures:
        for what in [f"none of {name}" for name, n in sums.counts.items() if not n]:
            failed += 1
            print(f"FAIL {what} in {sums.done} runs")
    print(f"{sums.done} passed, {failed} failed")
    return 1 if failed or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
