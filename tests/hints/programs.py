#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels under HAWS and pre-execution, until so many have run: values are real, so a hint that is wrong, or a
value executed too early, shows in a buffer.

A run draws a kernel of tests/random, compiles it and runs it on this machine's CPU, and then on the shell, under each of
the two with options that it draws: in models; now and then in lockstep, with other threads, or without preemption points,
which must give the same cycles and buffers where they mean the same; and with preemption at random cycles by each of its
schemes. Each run must end with all buffers as the CPU has them, and execute each instruction once: as many are issued as
without the system.

    tests/hints/programs.py --kernels 40        # the short form
    tests/hints/programs.py                     # 10,000 kernels

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
           "preexecution": ["ahead", "preloads", "branches", "left_out", "known", "reused", "lost"]}


class Run(drawn.Drawn):
    def draw(self):
        return kernels.Program(self.r.randrange(1 << 32), self.r.choice([12, 24, 40]))

    def base(self, folder, config):
        sets = [] if self.r.random() < 0.4 else ["--set", f"sms={self.r.choice([1, 2, 3])}"]
        sets += ["--set", f"sm.policy={self.r.choice(['lrr', 'gto', 'two_level'])}"] if self.r.random() < 0.4 else []
        sets += ["--set", f"l1.mshrs={self.r.choice([2, 4])}"] if self.r.random() < 0.3 else []
        return [self.args.program, "run", str(folder / "job.yaml"), "--json", "--config", config, *sets,
                "--max-cycles", str(MOST_CYCLES)]

    def options(self, r, system):
        sizes = {"entries": [2, 3, 8, 8]} if system == "haws" else {"reach": [2, 3, 8, 32, 32, 100], "preloads": [0, 1, 1]}
        drawn = {name: r.choice(values) for name, values in (sizes | {"renaming": [0, 1, 3, 8, 8]}).items()}
        return f"{system}:" + ",".join("%s=%s" % o for o in drawn.items())

    def checked(self, command, system, came):
        report = runs.run(command)
        for name in COUNTED[system]:
            key = name if name in report["measured"] else f"{system}.{name}"
            came[f"{system}.{name}"] += runs.count(report, key)
        return report

    def play_all(self, folder):
        came, r = collections.Counter(), self.r
        pre = random.Random(f"{self.args.seed}:{self.number}:preexecution")
        if self.args.preempted:
            self.preempt(folder, came, r, "haws")
            self.preempt(folder, came, pre, "preexecution")
            came["programs"] += 1
            return came
        config = r.choice(CONFIGS)
        points = r.choice([["--no-points"], ["--no-points"], ["--pp-interval", str(r.choice([4, 50, 1000]))]])
        base = self.base(folder, config) + points
        try:
            plain = runs.run(base)
        except runs.TooLong:
            return came
        haws = self.options(r, "haws") + (",barriers=1" if points == ["--no-points"] and r.random() < 0.5 else "")
        haws += ",per_scheduler=1" if pre.random() < 0.3 else ""
        self.beside(base, plain, r, haws, came)
        if r.random() < 0.5:
            self.preempt(folder, came, r, "haws")
        self.beside(base, plain, pre, self.options(pre, "preexecution"), came)
        if pre.random() < 0.5:
            self.preempt(folder, came, pre, "preexecution")
        came["programs"] += 1
        return came

    def beside(self, base, plain, r, options, came):
        """Under a system what the run without it gives, and the same again in other ways."""
        # what runs ahead may cost time: one that ends within the limit without it must end within twice that
        system, command = options.partition(":")[0], [*base, "--max-cycles", str(2 * MOST_CYCLES), "--system", options]
        report = self.checked(command, system, came)
        if report["counters"]["sm.issued"] != plain["counters"]["sm.issued"]:
            raise runs.Failure(f"{report['counters']['sm.issued']} instructions, {plain['counters']['sm.issued']} "
                               f"without {system}\n  {' '.join(command)}")
        # a unit of fewer warps is RTL of its own, which is made at its first use: a minute for each number of them
        rtl = system == "haws" and ("per_scheduler" not in options or "WARPREF_LONG" in os.environ)
        other = [["--blocks", "lockstep"]] if r.random() < self.args.lockstep / 100 and rtl else []
        other += [["--threads", str(r.choice([2, 3]))]] if r.random() < 0.2 else []
        for more in other:
            again = runs.run([*command, *more])
            came[more[1] if more[1] == "lockstep" else "threads"] += 1
            if what := runs.same(report, again):
                raise runs.Failure(f"{what} differ\n  {' '.join([*command, *more])}")

    def preempt(self, folder, came, r, system):
        scheme = r.choice(SCHEMES)
        preemption = (f"preemption:period={r.choice([120, 300, 1000])},random_cycles=1,sm={r.choice(['random', 'rotate'])},"
                      f"seed={self.number}{scheme}")
        command = [*self.base(folder, r.choice(PREEMPTS)), "--pp-interval", str(r.choice([4, 10, 50, 1000])), "--system",
                   preemption, "--system", self.options(r, system)]
        try:
            report = self.checked(command, system, came)
        except runs.TooLong:
            return
        came["preempted"] += report["counters"]["sm.tbs_evicted"]
        came[f"under {scheme[1:] or 'scheme=switch'}"] += 1


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done, self.came = 0, collections.Counter()

    def add(self, _, came):
        self.came.update(came)
        self.done = self.came["programs"]

    def missing(self):
        wanted = [f"{system}.{name}" for system, names in COUNTED.items() for name in names]
        wanted += ["preempted", "lockstep", "threads"]
        return [name for name in wanted if not self.came[name]]


def main():
    parser = soaks.parser_of(__doc__, "--kernels", 10000, "kernels")
    parser.add_argument("--lockstep", type=int, default=10, metavar="PERCENT", help="of the runs in lockstep, too (10)")
    parser.add_argument("--preempted", action="store_true", help="each with preemption, and nothing else")
    parser.add_argument("--keep", metavar="DIR", default="out/random_hints", help="of what fails (out/random_hints)")
    args = soaks.parse(parser)
    sums = Sums()
    draws = (Run(args, n) for n in itertools.count(args.first))
    failed = soaks.soak(args, draws, sums)
    print(", ".join(f"{name} {n:,}" for name, n in sums.came.items()))
    if failed < args.failures and args.enough >= ENOUGH:
        for what in sums.missing():
            failed += 1
            print(f"FAIL never: {what}")
    print(f"{sums.done} passed, {failed} failed")
    return 1 if failed or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
