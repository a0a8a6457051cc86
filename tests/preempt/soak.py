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
import collections
import itertools
import pathlib
import random
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs
import soaks
from soaks import LONG, log_uniform

MOST_CYCLES = 20_000_000
ENOUGH = 10_000      # preemptions in which every scheme and both causes must have come up

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


def main():
    args = soaks.parse(soaks.parser_of(__doc__, "--preemptions", 10_000, "preemptions"))
    options = soaks.offered(args.program, "preemption")
    kernels = [k for k in soaks.small_kernels() if k not in LONG] * 5 + sorted(LONG)
    sums = Sums()

    drawn = (Run(args.program, options, kernels, args.seed, n) for n in itertools.count(args.first))
    failed = soaks.soak(args, drawn, sums)
    sums.show()
    if args.enough >= ENOUGH and failed < args.failures:
        for what in sums.missing(options["scheme"]):
            failed += 1
            print(f"FAIL none of {what} in {sums.done} preemptions")
    print(f"{sums.runs} passed, {failed} failed")
    return 1 if failed or not sums.runs or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
