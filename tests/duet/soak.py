#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random runs under the system duet, until so many switches have gone right.

A run draws a kernel of the library, or a random program of tests/random, a small machine, so that there are more TBs
than fit and registers, warp slots or shared memory limit them, options of the system, threads and what stands behind
the blocks. It must end with exit status 0 and every check held. Now and then it is made a second time, with another
number of threads, or with RTL or both instead of models: cycles and buffers must be the same. With me=0 the cycles
must be those without the system.

    tests/duet/soak.py                                # 100,000 switches
    tests/duet/soak.py --switches 1000000 --seed 2    # the long form

A run counts for 500 switches at most, so that many different ones are made.

Run n draws from the seed and n alone. Runs are counted in order, so the same seed ends behind the same run whatever
--jobs is. A run that fails is printed with the command that repeats it; files of a random program are kept in the
folder --keep. The options and their words are those that `warpref systems duet` lists: a new one that takes words is
drawn from them.
"""
import collections
import itertools
import pathlib
import random
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS / "soak"), str(TESTS / "random")]
import kernels
import run as programs
import runs
import soaks

MOST_CYCLES = 20_000_000
MOST = 500  # switches for which a run counts
ENOUGH = 100_000  # switches in which all ways of switching and every limit must have come up
PROGRAM_CYCLES = 300_000  # of a random program without the system: longer ones are left out
LOCKSTEP = 30_000  # cycles: the longest run that is made again with RTL

CONFIGS = ["maxwell"] * 5 + ["gtx480"] * 2 + ["gtx980", "k20x", "ccbp", "gtx480_gpgpusim4"]
SETS = {
    "sm.policy": ["lrr", "gto", "two_level"],
    "sm.warp_limit": [0, 5, 12],
    "sm.issue_width": [1, 2],
    "sm.max_tbs": [3, 5, 8, 16, 32, 32, 32],
    "l1.write": ["through", "through", "back", "local_back"],
    "l1.mshrs": [2, 8, 32],
}
TBS = [9, 17, 40]  # in a row of a random program's grid


def draw_numbers(r):
    """Options that take numbers; None: not given."""
    me = r.choice(["dynamic", "bound", "bound", "number"])
    return {
        "me": me if me != "number" else r.choice([0, 1, 1, 2, 3, 5, 8]),
        "meta": r.choice([None, 1, 1, 2, 3, 4]),
        "warmup": r.choice([0, 200, 1000]) if me == "dynamic" else None,
        "window": soaks.log_uniform(r, 100, 2000) if me == "dynamic" else None,
    }


class Run:
    """What run n of a seed does."""

    def __init__(self, args, options, names, number):
        r = self.r = random.Random(f"{args.seed}:{number}")
        self.args, self.number = args, number
        is_program = r.random() < 0.08
        self.program = kernels.Program(r.randrange(1 << 32), 30, lambda _: TBS) if is_program else None
        self.file = f"kernels/{r.choice(names)}.yaml"
        self.plays = [self.draw(options) for _ in range(4 if is_program else 1)]

    def draw(self, options):
        """(machines, options of one run, its modes)."""
        r = self.r
        sets = {"sms": r.choice([1, 1, 2, 3])}
        sets |= {name: r.choice(values) for name, values in SETS.items() if r.random() < 0.12}
        config = r.choice(CONFIGS)
        machines = soaks.machines(r, config, sets)

        numbers = draw_numbers(r)
        unknown = [name for name, known in options.items() if known is None and name not in numbers]
        if unknown:
            raise SystemExit(f"soak.py: {', '.join(unknown)}: options of the system that draw_numbers does not draw")
        given = {name: value for name in options if (value := numbers.get(name)) is not None}
        given |= {name: r.choice(known) for name, known in options.items()
                  if known and name not in numbers and name != "barriers" and r.random() < 0.7}
        threads = r.choice([1, 1, 2, 3])
        modes = [["--blocks", "model", "--threads", str(threads)]]
        again = r.random()
        if again < 0.06:
            modes.append(["--blocks", r.choice(["rtl", "lockstep"]), "--threads", str(threads)])
        elif again < 0.14:
            modes.append(["--blocks", "model", "--threads", str(threads % 3 + 1)])
        return machines, given, modes

    def play(self):
        """(reports, None), or (None, why it fails and how to repeat it)."""
        if self.program is None:
            return self.play_all(self.file)
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            if self.args.keep:
                folder = pathlib.Path(self.args.keep).resolve() / str(self.number)
                folder.mkdir(parents=True, exist_ok=True)
            try:
                programs.build(self.program, self.r, folder)
            except programs.Failure as failure:
                return None, str(failure)
            done, failure = self.play_all(str(folder / "job.yaml"))
        return done, f"{failure}\n  its files: --first {self.number} --switches 1 --keep DIR" if failure else None

    def play_all(self, file):
        done = []
        for play in self.plays:
            report, failure = self.play_one(file, *play)
            if failure:
                return None, failure
            done += [report] if report else []
        return done, None

    def play_one(self, file, machines, given, modes):
        """(report, None), (None, why it fails), or twice None where it is left out."""
        base = [self.args.program, "run", file, "--json", "--max-cycles"]
        spec = ["--system", "duet:" + ",".join(f"{name}={value}" for name, value in given.items())]
        for machine in machines:
            command = base + [str(MOST_CYCLES)] + machine + spec + modes[0]
            try:
                if self.program and takes_long(base + [str(PROGRAM_CYCLES)] + machine):
                    return None, None
                first = runs.run(command)
                break
            except runs.NoRoom as failure:
                why = failure
            except runs.Failure as failure:
                return None, f"{failure}\n  {shlex.join(command)}"
        else:
            return None, f"{why}\n  {shlex.join(command)}"
        base = base + [str(MOST_CYCLES)] + machine
        others = [base + spec + mode for mode in modes[1:] if mode[1] == "model" or first["cycles"] < LOCKSTEP]
        others += [base] if given["me"] == 0 else []
        for other in others:
            try:
                what = runs.same(first, runs.run(other))
            except runs.Failure as failure:
                return None, f"{failure}\n  {shlex.join(other)}"
            if what:
                return None, f"{what} differ:\n  {shlex.join(command)}\n  {shlex.join(other)}"
        first["again"] = len(others)
        return first, None


def takes_long(command):
    try:
        runs.run(command)
    except runs.TooLong:
        return True
    return False


class Sums:
    """What came up in all runs."""

    WAYS = ("in", "exchange", "back")

    def __init__(self):
        self.runs = self.done = self.all = self.again = self.engaged = self.l1 = 0
        self.counts, self.limits = collections.Counter(), collections.Counter()

    def add(self, _, reports):
        for report in reports:
            counts = {name: row["value"] for name, row in report["measured"].items()}
            switched = sum(counts[f"switches.{way}"] for way in ("out", "in", "exchange"))
            self.runs += 1
            self.again += report["again"]
            self.done += min(switched, MOST)
            self.all += switched
            self.engaged += counts["tbs.most"] != 0
            self.limits[report["launches"][0]["limit"]] += switched
            self.l1 += counts["tbs.l1"] != 0
            for name in [f"switches.{way}" for way in self.WAYS] + ["tbs.placed.extra", "tbs.placed.native"]:
                self.counts[name] += counts[name]

    def missing(self):
        """What must have come up in a soak that is long enough, and has not."""
        return ([name for name, n in sorted(self.counts.items()) if not n] + ["contexts in L1"] * (not self.l1) +
                [f"switches where {limit} limits" for limit in ("reg", "smem", "warp") if not self.limits[limit]])

    def show(self):
        print(f"{self.all} switches, {self.done} of them counted, in {self.runs} runs, "
              f"{self.engaged} of them with extra TBs, {self.l1} with contexts in L1; {self.again} made again")
        print(", ".join(f"{name} {n}" for name, n in sorted(self.counts.items())))
        print("switches by the first launch's limit: " +
              ", ".join(f"{limit} {n}" for limit, n in sorted(self.limits.items())))


def main():
    parser = soaks.parser_of(__doc__, "--switches", 100_000, "switches")
    parser.add_argument("--keep", metavar="DIR", help="keep the files of random programs, in folders by run")
    args = soaks.parse(parser)
    options = soaks.offered(args.program, "duet")
    options["me"] = None  # a number or a word: draw_numbers
    names = [k for k in soaks.small_kernels() if k not in soaks.LONG]
    sums = Sums()

    failed = soaks.soak(args, (Run(args, options, names, n) for n in itertools.count(args.first)), sums)
    sums.show()
    if args.enough >= ENOUGH and failed < args.failures:
        for what in sums.missing():
            failed += 1
            print(f"FAIL none of {what} in {sums.done} switches")
    print(f"{sums.runs} passed, {failed} failed")
    return 1 if failed or not sums.runs or not sums.done else 0


if __name__ == "__main__":
    sys.exit(main())
