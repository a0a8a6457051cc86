#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels together under each way of sharing a GPU, until so many runs have gone right.

A run draws two to four kernels of the library that arrive one after the other, a machine, most often a small one, a
system of SYSTEMS, its options, threads, and what stands behind the blocks. It must end with exit status 0, with every
check of every file held and as many thread blocks back as have left: so none is lost, and none starves. Now and then
the kernels begin again and again for so many cycles, and whole passes are checked; now and then a run is made a second
time, with another number of threads, or with RTL or both instead of models: cycles and buffers must be the same.

    tests/sharing/soak.py                           # 10,000 runs
    tests/sharing/soak.py --runs 150 --jobs 2       # the short form

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
ENOUGH = 150  # runs in which everything that is counted must have come up
SYSTEMS = ["smk"] * 4 + ["ccbp"] * 4 + ["spart"] * 2 + ["sharing", "drf"]
CONFIGS = ["gtx980"] * 5 + ["ccbp"] * 2 + ["gtx480", "maxwell"]
SETS = {
    "sm.policy": ["lrr", "gto", "two_level"],
    "sm.issue_width": [1, 2],
    "sm.max_tbs": [1, 2, 3, 5, 8, 16],
    "l1.write": ["through", "back", "local_back"],
    "l1.mshrs": [2, 8, 32],
    "sm.lsu_queues": [1, 2, 2],  # 4 are too many for the loads of maxwell
}


def draw_numbers(r, system, streams):
    """Options that take numbers; None: not given."""
    kernels = r.choice([None, None, 1, 2, 3]) if system == "smk" else None
    shares = [str(r.randint(1, 3)) for _ in range(3)] if r.random() < 0.3 else None
    return {
        "kernels": kernels,
        "shares": ":".join((shares + ["2"])[:streams]) if shares else None,
        "warm_up": soaks.log_uniform(r, 1, 10_000) if r.random() < 0.9 else None,
        "prior": r.choice([None, None, 2, 15]),
    }


def agree(r, given):
    """Options of ccbp that do not go together are drawn anew."""
    if given.get("ctas") == "given":
        given["given"] = ":".join(str(r.randint(1, 3)) for _ in range(4))
    if given.get("mil") == "smil":
        given["limits"] = ":".join(str(r.choice([1, 2, 8, 64])) for _ in range(4))
    rules = given.get("ctas", "ccbp") == "ccbp"
    if given.get("queue") == "plain" and {given.get("mil", "none"), given.get("bmi", "none")} != {"none"}:
        given["queue"] = "fifo"
    if given.get("queue") == ("plain" if rules else "rate"):
        given["queue"] = r.choice(["fifo", "priority", "scheme"])


def spec_of(system, given):
    return ["--system", system + ":" * bool(given) + ",".join(f"{k}={v}" for k, v in given.items())]


class Run:
    """What run n of a seed does."""

    def __init__(self, args, offered, names, number):
        r = self.r = random.Random(f"{args.seed}:{number}")
        self.args, self.number = args, number
        self.system = r.choice(SYSTEMS)
        self.files = []
        streams = r.choice([2, 2, 3, 3, 4])
        for i, name in enumerate(r.sample(names, streams)):
            self.files += ["--with"] * (i != 0) + [f"kernels/{name}.yaml"]
            if i != 0 and r.random() < 0.8:
                self.files += ["--arrive", str(soaks.log_uniform(r, 1, 20_000))]
        options = offered[self.system]
        given = {name: value for name, value in draw_numbers(r, self.system, streams).items() if name in options and value}
        given |= {name: r.choice(known) for name, known in options.items() if known and r.random() < 0.7}
        if self.system == "ccbp":
            agree(r, given)
        sets = {"sms": r.choice([1, 1, 2, 3, 4, 9])}
        sets |= {name: r.choice(values) for name, values in SETS.items() if r.random() < 0.12}
        machines = soaks.machines(r, r.choice(CONFIGS), sets)
        self.tries = [machine + spec_of(self.system, given) for machine in machines]
        if "given" in given:  # a combination that no machine has room for
            self.tries.append(machines[-1] + spec_of(self.system, given | {"given": "1:1:1:1"}))
        self.again_and_again = ["--for", str(r.randint(20_000, 100_000))] if r.random() < 0.1 else []
        threads = r.choice([1, 1, 2, 3])
        self.modes = [["--blocks", "model", "--threads", str(threads)]]
        again = r.random()
        if again < 0.1:
            self.modes.append(["--blocks", r.choice(["rtl", "lockstep"]), "--threads", str(threads)])
        elif again < 0.2:
            self.modes.append(["--blocks", "model", "--threads", str(threads % 3 + 1)])
        if not runs.has_blocks(args.program, self.system):
            self.modes = [mode[2:] for mode in self.modes]

    def play(self):
        """(report, None), or (None, why it fails and how to repeat it)."""
        base = [self.args.program, "run", *self.files, "--json", *(self.again_and_again or
                                                                   ["--max-cycles", str(MOST_CYCLES)])]
        for words in self.tries:
            command = base + words + self.modes[0]
            try:
                first = self.run(command)
                break
            except runs.NoRoom as failure:
                why = failure
            except runs.Failure as failure:
                return None, f"{failure}\n  {shlex.join(command)}"
        else:
            return None, f"{why}\n  {shlex.join(command)}"
        others = [base + words + mode for mode in self.modes[1:]
                  if not {"rtl", "lockstep"} & set(mode) or first["cycles"] < LOCKSTEP]
        for other in others:
            try:
                what = runs.same(first, self.run(other))
            except runs.Failure as failure:
                return None, f"{failure}\n  {shlex.join(other)}"
            if what:
                return None, f"{what} differ:\n  {shlex.join(command)}\n  {shlex.join(other)}"
        first["again"] = len(others)
        return first, None

    def run(self, command):
        report = runs.run(command, may_check_nothing=bool(self.again_and_again))
        if "preempted.out" in report.get("measured", {}):
            out, back = runs.count(report, "preempted.out"), runs.count(report, "preempted.in")
            if out < back or (out != back and not self.again_and_again):
                raise runs.Failure(f"{out} TBs have left, {back} have come back")
        return report


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done = self.again = self.checked = 0
        self.counts = collections.Counter({"left": 0, "ended before": 0, "claims": 0, "partitions": 0, "quotas": 0,
                                           "samplings": 0, "decisions": 0})
        self.systems = collections.Counter(dict.fromkeys(SYSTEMS, 0))

    def add(self, run, report):
        measured = {name: row["value"] for name, row in report.get("measured", {}).items()}
        self.done += 1
        self.again += report["again"]
        self.checked += len(report["checks"])
        self.systems[run.system] += 1
        for what, name in (("left", "preempted.out"), ("ended before", "preempted.ended"), ("claims", "claims"),
                           ("partitions", "partitions"), ("quotas", "quotas"), ("samplings", "samplings"),
                           ("decisions", "decisions")):
            value = measured.get(name, 0)
            self.counts[what] += value if isinstance(value, int) else 0

    def missing(self):
        return [name for name, n in [*self.counts.items(), *self.systems.items()] if not n]

    def show(self):
        print(f"{self.done} runs, {self.checked} checks, {self.again} made again")
        print(", ".join(f"{name} {n:,}" for name, n in self.counts.items()))
        print("runs by system: " + ", ".join(f"{name} {n}" for name, n in self.systems.items()))


def main():
    parser = soaks.parser_of(__doc__, "--runs", 10_000, "runs")
    args = soaks.parse(parser)
    offered = {system: soaks.offered(args.program, system) for system in sorted(set(SYSTEMS))}
    names = [k for k in soaks.small_kernels() if k not in soaks.LONG]
    sums = Sums()

    failed = soaks.soak(args, (Run(args, offered, names, n) for n in itertools.count(args.first)), sums)
    sums.show()
    if args.enough >= ENOUGH and failed < args.failures:
        for what in sums.missing():
            failed += 1
            print(f"FAIL none of {what} in {sums.done} runs")
    print(f"{sums.done} passed, {failed} failed")
    return 1 if failed or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
