#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels under each mechanism of mechanisms.py, until each has switched in so many of them, in lockstep too.

A run draws a kernel of tests/random with more TBs than fit. It is compiled and run on this machine's CPU, and then
under each mechanism that it can have: with models, and in lockstep with the same cycles and buffers. Each run must end
with all buffers as the CPU has them; one that waits for itself ends by itself, with exit status 1.

    tests/duet/programs.py --kernels 25 --built    # the short form: lockstep only where the build has the RTL
    tests/duet/programs.py                         # 1,000 kernels under each mechanism

Run n draws from the seed and n alone. The files of one that fails are kept in the folder --keep.
"""
import collections
import pathlib
import re
import sys

sys.dont_write_bytecode = True
TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[1:1] = [str(TESTS / "soak"), str(TESTS / "random")]
import drawn
import kernels
import mechanisms
import runs
import soaks

GIVE_UP = 20  # programs for each kernel that is asked for
REDUCES = re.compile(r"\bbar_(popc|and|or)\b")
MOST_CYCLES = 120_000  # of a program without a system: longer ones are left out


def rows_of(threads):
    """TBs in a row of a grid."""
    return [4, 6] if threads > 512 else [6, 10] if threads > 64 else [10, 20]


def draw(r):
    """Mostly a kernel that can switch under every mechanism: with shared memory, and without barriers that reduce."""
    while True:
        program = kernels.Program(r.randrange(1 << 32), 24, rows_of, most=1)
        kernel = program.kernels[0]
        if (kernel.shared != "none" and not REDUCES.search(kernel.text)) or r.random() < 0.1:
            return program


class Run(drawn.Drawn):
    def draw(self):
        return draw(self.r)

    def play_all(self, folder):
        counts = collections.defaultdict(dict)
        try:
            runs.run([self.args.program, "run", str(folder / "job.yaml"), "--json", *mechanisms.SM, "--max-cycles",
                      str(MOST_CYCLES)])
        except runs.TooLong:
            return counts
        needs = mechanisms.needs_of(self.args.program, folder / "job.yaml")
        for name in mechanisms.MECHANISMS:
            plan = mechanisms.Plan(self.r, name, needs, only_built=self.args.built and self.r.random() < 0.5)
            if plan.sets is None:
                continue
            file = folder / f"{name.replace(' ', '_')}.yaml"
            plan.write(folder / "job.yaml", file)
            blocks = ["model", "lockstep"] if plan.is_built or not self.args.built else ["model"]
            for mode, of in plan.play(self.args.program, file, blocks).items():
                for what, switches in of.items():
                    counts[mode][what] = counts[mode].get(what, 0) + switches
        return counts


class Sums:
    """What came up in all runs."""

    def __init__(self):
        names = [*mechanisms.MECHANISMS, mechanisms.BARRIERS]
        self.programs = self.done = 0
        self.runs, self.switched, self.switches = (
            {mode: dict.fromkeys(names, 0) for mode in ("model", "lockstep")} for _ in range(3))

    def add(self, _, counts):
        self.programs += bool(counts)
        for mode, of in counts.items():
            for name, switches in of.items():
                self.runs[mode][name] += 1
                self.switched[mode][name] += switches != 0
                self.switches[mode][name] += switches
        self.done = min(self.switched["model"].values()) if not self.missing() else 0

    def show(self):
        print(f"{self.programs} programs; kernels that ran under a mechanism, those that switched, switches")
        print(f"{'':16}{'model':^30}{'lockstep':^30}")
        for name in self.switches["model"]:
            print(f"{name:16}" + "".join(f"{part[mode][name]:10,}" for mode in self.runs
                                         for part in (self.runs, self.switched, self.switches)))

    def missing(self):
        return [f"{name} in {mode}" for mode, of in self.switches.items() for name, n in of.items() if not n]


def main():
    parser = soaks.parser_of(__doc__, "--kernels", 1000, "kernels that switch under each mechanism")
    parser.add_argument("--built", action="store_true", help="lockstep only with RTL that the build has made")
    parser.add_argument("--keep", metavar="DIR", default="out/random_duet", help="of what fails (out/random_duet)")
    args = soaks.parse(parser)
    sums = Sums()

    drawn = (Run(args, n) for n in range(args.first, args.first + GIVE_UP * args.enough))
    failed = soaks.soak(args, drawn, sums)
    sums.show()
    if failed < args.failures:
        for what in sums.missing():
            failed += 1
            print(f"FAIL no switch: {what}")
        if sums.done < args.enough:
            failed += 1
            print(f"FAIL {sums.done} kernels under some mechanism, not {args.enough}")
    print(f"{sums.programs} passed, {failed} failed")
    return 1 if failed or not sums.programs else 0


if __name__ == "__main__":
    sys.exit(main())
