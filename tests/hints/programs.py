#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels under HAWS, pre-execution and the schedulers by locality, until so many have run: values are real, so a
hint that is wrong, or a value executed too early, shows in a buffer.

A run draws a kernel of tests/random, compiles it and runs it on this machine's CPU, and then on the shell, under each of
these systems with options that it draws: in models; now and then in lockstep, with other threads, or without preemption
points, which must give the same cycles and buffers where they mean the same; and with preemption at random cycles by each
of its schemes. Each run must end with all buffers as the CPU has them, and execute each instruction once: as many are
issued as without the system.

    tests/hints/programs.py --kernels 40                    # the short form
    tests/hints/programs.py                                 # 10,000 kernels
    tests/hints/programs.py --systems owl --lockstep 0      # one system

Run n draws from the seed and n alone. The files of one that fails are kept in the folder --keep.
"""
import collections
import itertools
import os
import pathlib
import random
import sys

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS / "soak"), str(TESTS / "random")]
import drawn
import kernels
import runs
import soaks

ENOUGH = 30  # runs in which all that is counted must have come up
MOST_CYCLES = 300_000
CONFIGS = ["gtx480", "hd7970", "k20x", "gtx980", "maxwell"]
PREEMPTS = ["gtx480", "maxwell"]  # those on which preemption can run
SCHEMES = ["", ",context=all", ",context=tb", ",scheme=flush", ",scheme=chimera", ",scheme=drain"]
COUNTED = {"haws": ["chains", "ahead", "loads", "branches", "skipped", "copied", "again", "waits", "cleared"],
           "preexecution": ["ahead", "preloads", "branches", "left_out", "known", "reused", "lost"],
           "locality": ["grants", "switches"],
           "owl": ["first", "others"],
           "mascar": ["saturated", "owners"]}
OPTIONS = {"haws": {"entries": [2, 3, 8, 8], "renaming": [0, 1, 3, 8, 8]},
           "preexecution": {"reach": [2, 3, 8, 32, 32, 100], "preloads": [0, 1, 1], "renaming": [0, 1, 3, 8, 8]},
           "locality": {"hint": ["launch", "lines", "borders", "some", "some"], "tbs": ["chunk", "wave", "order"],
                        "warps": [0, 1, 1, 1], "groups": [0, 0, 1, 3, 32]},
           "owl": {"warps": [1, 2, 5, 8, 24], "spread": [0, 1]},
           "mascar": {"high": [10, 30, 80, 80], "hits": [0, 1]}}
RTL = ["haws", "locality"]  # those with blocks


class Run(drawn.Drawn):
    def draw(self):
        return kernels.Program(self.r.randrange(1 << 32), self.r.choice([12, 24, 40]))

    def base(self, folder, config):
        sets = [] if self.r.random() < 0.4 else ["--set", f"sms={self.r.choice([1, 2, 3])}"]
        sets += ["--set", f"sm.policy={self.r.choice(['lrr', 'gto', 'two_level'])}"] if self.r.random() < 0.4 else []
        sets += ["--set", f"l1.mshrs={self.r.choice([2, 4])}"] if self.r.random() < 0.3 else []
        return [self.args.program, "run", str(folder / "job.yaml"), "--json", "--config", config, *sets]

    def options(self, r, system):
        drawn = {name: r.choice(values) for name, values in OPTIONS[system].items()}
        return f"{system}:" + ",".join("%s=%s" % o for o in drawn.items())

    def checked(self, command, system, came):
        try:
            report = runs.run(command)
        except runs.Failure as failure:
            raise type(failure)(f"{failure}\n  {' '.join(command)}") from None
        for name in COUNTED[system]:
            key = name if name in report["measured"] else f"{system}.{name}"
            came[f"{system}.{name}"] += runs.count(report, key)
        return report

    def play_all(self, folder):
        came = collections.Counter()
        draws = {system: random.Random(f"{self.args.seed}:{self.number}:{system}") for system in self.args.systems}
        draws |= {"haws": self.r} if "haws" in draws else {}
        if self.args.preempted:
            for system, r in draws.items():
                self.preempt(folder, came, r, system)
            came["programs"] += 1
            return came
        config = self.r.choice(CONFIGS)
        points = self.r.choice([["--no-points"], ["--no-points"], ["--pp-interval", str(self.r.choice([4, 50, 1000]))]])
        base = self.base(folder, config) + points
        try:
            plain = runs.run([*base, "--max-cycles", str(MOST_CYCLES)])
        except runs.TooLong:
            return came
        for system, r in draws.items():
            options = self.options(r, system)
            if system == "haws":
                options += ",barriers=1" if points == ["--no-points"] and r.random() < 0.5 else ""
                options += ",per_scheduler=1" if self.number % 3 == 0 else ""
            self.beside(base, plain, r, options, came)
            if r.random() < 0.5:
                self.preempt(folder, came, r, system)
        came["programs"] += 1
        return came

    def beside(self, base, plain, r, options, came):
        """Under a system what the run without it gives, and the same again in other ways."""
        # what runs ahead may cost time, and waves of TBs may leave all SMs but one empty
        system, command = options.partition(":")[0], [*base, "--max-cycles", str(10 * MOST_CYCLES), "--system", options]
        report = self.checked(command, system, came)
        if report["counters"]["sm.issued"] != plain["counters"]["sm.issued"]:
            raise runs.Failure(f"{report['counters']['sm.issued']} instructions, {plain['counters']['sm.issued']} "
                               f"without {system}\n  {' '.join(command)}")
        # a unit of fewer warps is RTL of its own, which is made at its first use: a minute for each number of them
        rtl = system in RTL and ("per_scheduler" not in options or "WARPREF_LONG" in os.environ)
        other = [["--blocks", "lockstep"]] if r.random() < self.args.lockstep / 100 and rtl else []
        other += [["--threads", str(r.choice([2, 3]))]] if r.random() < 0.2 else []
        for more in other:
            again = runs.run([*command, *more])
            came[f"{system}.lockstep" if more[1] == "lockstep" else "threads"] += 1
            if what := runs.same(report, again):
                raise runs.Failure(f"{what} differ\n  {' '.join([*command, *more])}")

    def preempt(self, folder, came, r, system):
        scheme = r.choice(SCHEMES)
        preemption = (f"preemption:period={r.choice([120, 300, 1000])},random_cycles=1,sm={r.choice(['random', 'rotate'])},"
                      f"seed={self.number}{scheme}")
        command = [*self.base(folder, r.choice(PREEMPTS)), "--max-cycles", str(MOST_CYCLES), "--pp-interval", str(r.choice([4, 10, 50, 1000])), "--system",
                   preemption, "--system", self.options(r, system)]
        try:
            report = self.checked(command, system, came)
        except runs.TooLong:
            return
        came[f"{system}.preempted"] += report["counters"]["sm.tbs_evicted"]
        came[f"under {scheme[1:] or 'scheme=switch'}"] += 1


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done, self.came = 0, collections.Counter()

    def add(self, _, came):
        self.came.update(came)
        self.done = self.came["programs"]

    def missing(self, systems):
        wanted = [f"{system}.{name}" for system in systems for name in [*COUNTED[system], "preempted"]]
        wanted += [f"{system}.lockstep" for system in systems if system in RTL] + ["threads"]
        return [name for name in wanted if not self.came[name]]


def main():
    parser = soaks.parser_of(__doc__, "--kernels", 10000, "kernels")
    parser.add_argument("--lockstep", type=int, default=10, metavar="PERCENT", help="of the runs in lockstep, too (10)")
    parser.add_argument("--preempted", action="store_true", help="each with preemption, and nothing else")
    parser.add_argument("--keep", metavar="DIR", default="out/random_hints", help="of what fails (out/random_hints)")
    parser.add_argument("--systems", default=",".join(COUNTED), metavar="NAME,...", help="under these alone")
    args = soaks.parse(parser)
    args.systems = args.systems.split(",")
    if not set(args.systems) <= set(COUNTED):
        parser.error(f"--systems are of {', '.join(COUNTED)}")
    sums = Sums()
    draws = (Run(args, n) for n in itertools.count(args.first))
    failed = soaks.soak(args, draws, sums)
    print(", ".join(f"{name} {n:,}" for name, n in sums.came.items()))
    if failed < args.failures and args.enough >= ENOUGH:
        for what in sums.missing(args.systems):
            failed += 1
            print(f"FAIL never: {what}")
    print(f"{sums.done} passed, {failed} failed")
    return 1 if failed or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
