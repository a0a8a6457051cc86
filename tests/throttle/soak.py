#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels under throttle, beside CPU cores and without, until so many runs have gone right.

A run draws one to three kernels of the library that arrive one after the other, a machine with or without CPU cores and
their applications, the scheme, its thresholds and interval, limits of the block's or at random in each interval, threads; and
ccws beside it, or not.
It must end with exit status 0 and every check held. Now and then it is made again in lockstep or with RTL, with another
number of threads, or forced to 48 warps, which must have the cycles of the run without the system: cycles and buffers
must be the same.

    tests/throttle/soak.py                       # 1,000 runs, some 500,000 intervals with limits at random
    tests/throttle/soak.py --runs 60 --jobs 2    # the short form

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
LOCKSTEP = 100_000  # cycles: the longest run that is made again with RTL
ENOUGH = 60  # runs in which everything that is counted must have come up
INTERVALS = 10_000  # with limits at random, in so many runs
CONFIGS = ["kayiran"] * 3 + ["gtx480", "gtx480_gpgpusim4"]
CPUS = ["mcf", "omnetpp", "soplex", "milc", "lbn", "sjas", "gcc", "povray"]
SETS = {
    "sms": [1, 2, 3, 5, 9],
    "sm.policy": ["lrr", "gto", "two_level"],
    "dram.queue": [4, 8],
    "l1.globals": [0, 1],
    "l2.miss_queue": [1, 2, 8],
}


class Run:
    """What run n of a seed does."""

    def __init__(self, args, names, number):
        r = self.r = random.Random(f"{args.seed}:{number}")
        self.args, self.number = args, number
        files = []
        for i, name in enumerate(r.sample(names, r.choice([1, 1, 2, 3]))):
            files += ["--with"] * (i != 0) + [f"kernels/{name}.yaml"]
            if i != 0 and r.random() < 0.8:
                files += ["--arrive", str(soaks.log_uniform(r, 1, 20_000))]
        config = r.choice(CONFIGS)
        sets = {"sms": r.choice(SETS["sms"])}
        sets |= {name: r.choice(values) for name, values in SETS.items() if name != "sms" and r.random() < 0.3}
        if sets.get("dram.queue"):
            sets |= {"dram.write_high": 3, "dram.write_low": 1}
        cpu = [f"{name}*{r.randint(1, 6)}" for name in r.sample(CPUS, 2)] if config == "kayiran" else []
        self.base = [args.program, "run", *files, "--json", "--config", config, *soaks.words(sets),
                     *(["--cpu", ",".join(cpu)] if cpu and r.random() < 0.7 else []), "--max-cycles", str(MOST_CYCLES)]
        given = {"scheme": r.choice(["cm_cpu", "cm_bal", "cm_bal"]), "k": r.randint(1, 4),
                 "interval": r.choice([16, 64, 100, 256, 1024, 1024])}
        high = soaks.log_uniform(r, 1, 8 * given["interval"])
        given |= {"t_high": min(high, 8191), "t_low": min(r.randint(0, high), 8191)}
        self.shakes = r.random() < 0.6
        if self.shakes:
            given["shake"] = r.randint(1, 1_000_000)
        self.spec = spec_of(given)
        threads = r.choice([1, 1, 2, 3])
        self.first = [*self.spec, "--blocks", "model", "--threads", str(threads)]
        self.others = []
        again = r.random()
        if again < 0.15:
            self.others = [[*self.spec, "--blocks", r.choice(["rtl", "lockstep"]), "--threads", str(threads)]]
        elif again < 0.25:
            self.others = [[*self.spec, "--blocks", "model", "--threads", str(threads % 3 + 1)]]
        self.free = again > 0.9
        if r.random() < 0.25:  # ccws beside it
            entries, ways = r.choice([(16, 8), (8, 2), (4, 4)])
            ccws = f"ccws:entries={entries},ways={ways},k={soaks.log_uniform(r, 1, 300)},base={r.choice([10, 100])}"
            for words in [self.first, *self.others]:
                words += ["--system", ccws]

    def play(self):
        """(report, None), or (None, why it fails and how to repeat it)."""
        command = self.base + self.first
        pairs = []
        try:
            first = runs.run(command)
            pairs += [(command, first, self.base + other) for other in self.others
                      if "model" in other or first["cycles"] < LOCKSTEP]
            if self.free:
                forced = self.base + spec_of({"force": 48})
                pairs.append((forced, runs.run(forced), self.base))
            for one, report, other in pairs:
                if what := runs.same(report, runs.run(other)):
                    return None, f"{what} differ:\n  {shlex.join(one)}\n  {shlex.join(other)}"
        except runs.Failure as failure:
            return None, f"{failure}\n  {shlex.join(command)}"
        first["again"] = len(pairs)
        return first, None


def spec_of(given):
    return ["--system", "throttle:" + ",".join(f"{k}={v}" for k, v in given.items())]


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done = self.checked = self.shaken = 0
        self.counts = collections.Counter({"intervals": 0, "keep": 0, "increase": 0, "reduce": 0, "moved": 0,
                                           "made again": 0, "lockstep or RTL": 0, "without the system": 0,
                                           "loads held": 0})

    def add(self, run, report):
        measured = {name.removeprefix("throttle."): row["value"] for name, row in report["measured"].items()}
        self.done += 1
        self.checked += len(report["checks"])
        self.shaken += measured["intervals"] if run.shakes else 0
        for name in ("intervals", "keep", "increase", "reduce", "moved"):
            self.counts[name] += measured[name]
        self.counts["loads held"] += measured.get("ccws.held.cycles", 0)
        self.counts["made again"] += report["again"]
        self.counts["without the system"] += run.free
        self.counts["lockstep or RTL"] += report["again"] != 0 and any("model" not in other for other in run.others)

    def show(self):
        print(f"{self.done} runs, {self.checked} checks, {self.shaken:,} intervals with limits at random")
        print(", ".join(f"{name} {n:,}" for name, n in self.counts.items()))


def main():
    args = soaks.parse(soaks.parser_of(__doc__, "--runs", 1000, "runs"))
    names = [k for k in soaks.small_kernels() if k not in soaks.LONG]
    sums = Sums()
    failed = soaks.soak(args, (Run(args, names, n) for n in itertools.count(args.first)), sums)
    sums.show()
    if args.enough >= ENOUGH and failed < args.failures:
        missing = [f"none of {name}" for name, n in sums.counts.items() if not n]
        if sums.shaken < INTERVALS:
            missing.append(f"less than {INTERVALS:,} intervals with limits at random")
        for what in missing:
            failed += 1
            print(f"FAIL {what} in {sums.done} runs")
    print(f"{sums.done} passed, {failed} failed")
    return 1 if failed or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
