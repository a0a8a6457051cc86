#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random runs of the library's kernels under the preemption system, until so many preemptions have gone right.

A run draws one to four launch files with priorities and arrival cycles, a machine, options of the system, threads
and what stands behind the blocks. It must end with exit status 0 and every check of every file held, and the TBs
that left must be those that came back. Now and then a run is made a second time, with another number of threads, or
with models instead of RTL: cycles and buffers must be the same.

    tests/preempt/soak.py                                    # 10,000 preemptions
    tests/preempt/soak.py --preemptions 100000 --seed 2      # the long form

Run n draws from the seed and n alone. Runs are counted in order, so the same seed ends behind the same run whatever
--jobs is. A run that fails is printed with the command that repeats it. The options and their words are those that
`warpref systems preemption` lists: a new one that takes words is drawn from them.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
import runs

MOST_CYCLES = 20_000_000
ENOUGH = 10_000      # preemptions in which every scheme and both causes must have come up
# Kernels that take seconds: drawn rarely, alone, on a whole machine.
LONG = {"backprop_layerforward", "backprop_adjust_weights", "pathfinder_dynproc", "vecadd"}

CONFIGS = ["gtx480"] * 6 + ["gtx480_gpgpusim4", "maxwell", "ccbp", "gtx980", "k20x"]
MANY_TBS = {"maxwell", "ccbp", "gtx980"}  # more to an SM than in_place takes
SETS = {
    "sm.policy": ["lrr", "gto", "two_level"],
    "sm.warp_limit": [0, 2, 5, 20],
    "sm.issue_width": [1, 2],
    "l1.write": ["through", "back", "local_back"],
    "l1.mshrs": [2, 8, 32],
    "context.aging_cycles": [1, 50, 1000],
}
PRESETS = {"scheme": "switch", "context": "warp"}  # where an option is not in the command


def offered(program):
    """The system's own options: {name: its words, or None where it takes a number}."""
    text = subprocess.run([program, "systems", "preemption"], check=True, capture_output=True, text=True).stdout
    own = text.split("\nOptions\n")[1].split("\nOptions of every system")[0]
    options = {}
    for name, values in re.findall(r"^  (\w+)=(.*?)(?: \(default [^)]*\))?$", own, re.M):
        words = values.split("|")
        options[name] = words if all(re.fullmatch(r"[a-z0-9_]+", w) for w in words) else None
    return options


def log_uniform(r, low, high):
    return round(low * (high / low) ** r.random())


def draw_numbers(r, sms, most_tbs, rivals):
    """Options that take numbers; None: not given."""
    tbs = r.randrange(1, most_tbs + 1)
    return {
        "period": 0 if rivals and r.random() < 0.4 else log_uniform(r, 50, 5000),
        "sm": r.choice(["rotate", "random", "random", r.randrange(sms)]),
        "first": r.choice([None, None, 0, r.randrange(10_000)]),
        "count": r.choice([None, None, None, r.randrange(1, 200)]),
        "random_cycles": 1,
        "seed": r.randrange(1 << 32),
        "pipelines": r.choice([None, 2, 3, 4]),
        "constraint": r.choice([None, 1, log_uniform(r, 10, 100_000)]),
        "sms": r.choice([None, None, 1, r.randrange(1, sms + 1)]),
        "demand": r.choice([None, f"{r.randrange(1, 1025 // tbs)}:{r.randrange(16384 // tbs)}:{tbs}"]),
    }


class Run:
    """What run n of a seed does."""

    def __init__(self, program, options, kernels, seed, number):
        r = random.Random(f"{seed}:{number}")
        self.number = number
        kernel = r.choice(kernels)
        is_long = kernel in LONG
        others = [] if is_long else r.choices([k for k in kernels if k not in LONG], k=r.choice([0, 1, 1, 2, 3]))
        config = "gtx480" if is_long else r.choice(CONFIGS)
        sms = 15 if is_long else r.choice([None, 1, 2, 3, r.randrange(1, 16)])
        sets = {} if sms is None else {"sms": sms}
        if r.random() < 0.3:
            sets["sm.max_tbs"] = r.randrange(1, 9)
        sets |= {name: r.choice(values) for name, values in SETS.items() if r.random() < 0.1}

        numbers = draw_numbers(r, sms or 14, sets.get("sm.max_tbs", 8), bool(others))
        if is_long:
            numbers["period"] = max(numbers["period"], 1000)
        unknown = [name for name, words in options.items() if words is None and name not in numbers]
        if unknown:
            raise SystemExit(f"soak.py: {', '.join(unknown)}: options of the system that draw_numbers does not draw")
        self.options = {name: value for name in options if (value := numbers.get(name)) is not None}
        self.options |= {name: r.choice(words) for name, words in options.items()
                         if words and name not in numbers and r.random() < 0.9}
        if (self.options.get("scheme", PRESETS["scheme"]) != "switch" or
                (config in MANY_TBS and "sm.max_tbs" not in sets)):
            self.options.pop("in_place", None)
        if self.options.get("context", PRESETS["context"]) != "warp":
            self.options.pop("pipelines", None)
        if self.options.get("in_place") != "1":
            self.options.pop("demand", None)
        self.scheme = self.options.get("scheme", PRESETS["scheme"])
        spec = "preemption:" + ",".join(f"{name}={value}" for name, value in self.options.items())

        rising = r.random() < 0.5  # each file above those before it
        self.command = [program, "run", f"kernels/{kernel}.yaml"]
        for i in range(len(others) + 1):
            if i > 0:
                self.command += ["--with", f"kernels/{others[i - 1]}.yaml"]
            if others and (priority := i if rising else r.randrange(4)):
                self.command += ["--priority", str(priority)]
            if i > 0 and (cycle := 0 if r.random() < 0.2 else log_uniform(r, 100, 20_000)):
                self.command += ["--arrive", str(cycle)]
        self.command += ["--config", config] + [w for s in sets.items() for w in ("--set", "%s=%s" % s)]
        self.command += ["--pp-interval", str(r.choice([4, 10, 50, 1000]))] if r.random() < 0.5 else []
        self.command += ["--system", spec, "--max-cycles", str(MOST_CYCLES), "--json"]
        blocks = r.choice(["rtl", "lockstep"]) if r.random() < 0.06 and not is_long else "model"
        threads = r.choice([1, 2])
        self.modes = [["--blocks", blocks, "--threads", str(threads)]]
        if blocks != "model":
            self.modes.append(["--blocks", "model", "--threads", str(threads)])
        elif r.random() < 0.06:
            self.modes.append(["--blocks", "model", "--threads", str(3 - threads)])

    def shown(self, mode):
        return shlex.join(self.command + self.modes[mode])

    def play(self):
        """(its report, None), or (None, why it fails and how to repeat it)."""
        first = None
        for mode in range(len(self.modes)):
            try:
                report = runs.run(self.command + self.modes[mode])
            except runs.Failure as failure:
                return None, f"{failure}\n  {self.shown(mode)}"
            if first and (what := runs.same(first, report)):
                return None, f"{what} differ:\n  {self.shown(0)}\n  {self.shown(mode)}"
            first = first or report
        return first, None


class Sums:
    """What came up in all runs."""

    def __init__(self):
        self.done = self.claims = self.nested = self.runs = self.twice = 0
        self.has_nested = False
        self.schemes = collections.Counter()
        self.tbs = collections.Counter()
        self.kept = {}  # figures of contexts in place
        self.blocks = collections.Counter()

    def add(self, run, report):
        counts = {name: row["value"] for name, row in report["measured"].items()}
        self.runs += 1
        self.twice += len(run.modes) > 1
        self.blocks[run.modes[0][1]] += 1
        self.done += counts["signals.done"]
        self.claims += counts["signals.claims"]
        self.schemes[run.scheme] += counts["signals.done"]
        self.has_nested |= "signals.nested" in counts
        self.nested += counts.get("signals.nested", 0)
        for name in (n for n in counts if n.startswith(("tbs.kept", "tbs.cleared"))):
            self.kept[name] = self.kept.get(name, 0) + counts[name]
        for name in ("saved", "drained", "flushed", "ended"):
            self.tbs[name] += counts[f"tbs.{name}"]

    def missing(self, schemes):
        """What must have come up in a soak that is long enough, and has not."""
        causes = {"signal": self.done - self.claims, "higher priority": self.claims}
        return ([f"scheme {s}" for s in schemes if not self.schemes[s]] +
                [f"cause {c}" for c, n in causes.items() if not n] +
                [f"TBs {t}" for t in ("saved", "drained", "flushed") if not self.tbs[t]])

    def show(self):
        print(f"{self.done} preemptions in {self.runs} runs, {self.twice} of them made twice; blocks: " +
              ", ".join(f"{name} {n}" for name, n in sorted(self.blocks.items())))
        print("by scheme: " + ", ".join(f"{name} {n}" for name, n in sorted(self.schemes.items())))
        print(f"by cause: signal {self.done - self.claims}, higher priority {self.claims}" +
              (f", nested {self.nested}" if self.has_nested else ""))
        print(f"TBs: saved {self.tbs['saved']}, drained {self.tbs['drained']}, flushed {self.tbs['flushed']}, "
              f"ended before {self.tbs['ended']}, restored {self.tbs['saved']}")
        if self.kept:
            print("in place: " + ", ".join(f"{name} {n}" for name, n in sorted(self.kept.items())))


def in_order(drawn, jobs):
    """Each run with its outcome, in order, some of them at a time."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        ahead = collections.deque()
        try:
            for run in drawn:
                ahead.append((run, pool.submit(run.play)))
                if len(ahead) > jobs:
                    first, future = ahead.popleft()
                    yield first, *future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def endless(program, options, kernels, seed, first):
    number = first
    while True:
        yield Run(program, options, kernels, seed, number)
        number += 1


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preemptions", type=int, default=10_000, metavar="N", help="how many at least (10,000)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1),
                        help="of all draws ($WARPREF_SEED, else 1)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with run N of the seed")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2),
                        help="runs at a time ($JOBS, else 2)")
    parser.add_argument("--failures", type=int, default=10, metavar="N", help="give up after so many (10)")
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    args = parser.parse_args()
    if min(args.preemptions, args.jobs, args.failures) < 1:
        parser.error("--preemptions, --jobs and --failures are at least 1")
    if not os.access(args.program, os.X_OK):
        parser.error(f"{args.program}: no such program; build it, or name it with --program")
    args.program = str(pathlib.Path(args.program).resolve())
    return args


def main():
    args = arguments()
    options = offered(args.program)
    small = sorted(p.stem for p in runs.ROOT.glob("kernels/*.yaml") if not p.stem.endswith("_large"))
    kernels = [k for k in small if k not in LONG] * 5 + sorted(LONG)
    sums, failed = Sums(), 0

    print(f"seed {args.seed} (--seed or WARPREF_SEED)", flush=True)
    for run, report, failure in in_order(endless(args.program, options, kernels, args.seed, args.first), args.jobs):
        if failure:
            failed += 1
            print(f"FAIL run {run.number}: {failure}", flush=True)
        else:
            sums.add(run, report)
        if sums.done >= args.preemptions or failed == args.failures:
            break
    sums.show()
    if args.preemptions >= ENOUGH and failed < args.failures:
        for what in sums.missing(options["scheme"]):
            failed += 1
            print(f"FAIL none of {what} in {sums.done} preemptions")
    print(f"{sums.runs} passed, {failed} failed")
    return 1 if failed or not sums.runs or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
