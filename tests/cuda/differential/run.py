#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA programs by every compiler: the host's gcc and clang, and `warpref cc` at -O0 to -O3, agree in each bit.

    tests/cuda/differential/run.py [--program WARPREF] [--cc WARPREF] [--seed N] [--count M] [--only KIND[,KIND]]
                                   [--levels 023[,01]...] [--cc-flag=FLAG]... [--keep DIR] [--reduce N] [--until N]

A seed is one program: csmith's (of_csmith.py) or one of our own (kernel.py, whose KINDS --only chooses from; csmith is one
of them). Many programs are compiled as one; where --levels has several sets, a batch is played at those of one, in turn.
Of a program that differs, level, thread and value are named, and it is made smaller as long as it differs. Files of what fails are in DIR (differential/).

The first seed is --seed, else $WARPREF_SEED, else 1. The last line is "N passed, N failed".
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True
import build
import known
import reduce

LONG = "WARPREF_LONG" in os.environ


class Tally:
    """What came of the programs. `aside`: {why one does not count: seeds}; `kept`: checksums that are csmith's own."""

    def __init__(self):
        self.passed = self.failed = self.kept = 0
        self.aside = {}

    def set_aside(self, why, seed):
        self.aside.setdefault(why, []).append(seed)


def on_device(bench, programs, level):
    """({seed: words}, {seed: why there are none}): all at once. They run one after another, so that the first without a
    result ended the run; where the compiler failed, it may be any, which halves tell."""
    got, message = bench.device(programs, level)
    rest = [p for p in programs if p.seed not in got]
    if len(programs) == 1 or not rest:
        return got, {p.seed: message for p in rest}
    messages, parts = {}, [rest[:(len(rest) + 1) // 2], rest[(len(rest) + 1) // 2:]]
    if bench.compiled:
        messages, parts = {rest[0].seed: message}, [rest[1:]]
    for part in filter(None, parts):
        more, said = on_device(bench, part, level)
        got.update(more)
        messages.update(said)
    return got, messages


def device_level(bench, programs, reference, level):
    """[(program, what is wrong)] of one level."""
    got, messages = on_device(bench, programs, level)
    wrong = []
    for p in programs:
        if p.seed not in got:
            wrong.append((p, messages[p.seed]))
        elif got[p.seed] != reference[p.seed]:
            wrong.append((p, build.difference(p, reference[p.seed], got[p.seed])))
    return wrong


def play(args, tally, seeds, levels):
    """One batch. Returns its failures: {program: {level: what}}."""
    failures, known_ones = {}, set()
    with tempfile.TemporaryDirectory() as scratch:
        bench = build.Bench(args, pathlib.Path(scratch))
        programs = bench.make_all(seeds, tally)
        programs, reference = bench.references(programs, tally)
        for level in levels:
            for p, what in device_level(bench, programs, reference, level):
                why = known.reason(p, what)
                if why:
                    tally.set_aside(f"-O{level}: {why}", p.seed)
                    known_ones.add(p)
                else:
                    failures.setdefault(p, {})[level] = what
    tally.passed += len(programs) - len(known_ones | failures.keys())
    return failures


def report(args, tally, failures):
    for p, levels in failures.items():
        tally.failed += 1
        folder = pathlib.Path(args.keep) / str(p.seed)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.cu").write_text(build.file_of([p]))
        text = "\n".join(f"  -O{level}: {what}" for level, what in levels.items())
        if tally.failed <= args.reduce and p.kernel:
            level = min(levels)
            reduce.smaller(args, p, level, folder / "small.cu")
            text += f"\n  made smaller for -O{level}: {folder / 'small.cu'}"
        print(f"FAIL  seed {p.seed} ({', '.join(p.kinds)}), {folder / 'program.cu'}\n{text}", flush=True)


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    built = build.ROOT / "build/release/bin/warpref"
    parser.add_argument("--program", type=pathlib.Path, default=built, help="whose GPU it is (build/release/bin/warpref)")
    parser.add_argument("--cc", type=pathlib.Path, default=built, help="that compiles (the same)")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1))
    parser.add_argument("--count", type=int, default=20000 if LONG else 200)
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], metavar="KIND", help=f"csmith, {', '.join(build.KINDS)}")
    parser.add_argument("--levels", type=lambda text: text.split(","), default=["0123"] if LONG else ["02", "13"], metavar="SET[,SET]",
                        help="-O of `warpref cc` (0123; without WARPREF_LONG half of them for each batch)")
    parser.add_argument("--cc-flag", action="append", default=[], help="given to `warpref cc`")
    parser.add_argument("--keep", default="differential")
    parser.add_argument("--reduce", type=int, default=1, help="how many of those that fail are made smaller")
    parser.add_argument("--until", type=int, default=0, help="end behind the batch in which so many have failed")
    parser.add_argument("--batch", type=int, default=25)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    unknown = set(args.only) - {"csmith", *build.KINDS}
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are csmith, {', '.join(build.KINDS)}")
    args.program, args.cc = args.program.resolve(), args.cc.resolve()
    return args


def main():
    args, tally, last = options(), Tally(), 0
    print(f"seed {args.seed} (WARPREF_SEED)")
    for kind, why in known.NOT_DRAWN.items():
        print(f"not drawn, {kind}: {why}")
    batches = [range(at, min(at + args.batch, args.seed + args.count)) for at in range(args.seed, args.seed + args.count, args.batch)]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        try:
            for seeds, failures in zip(batches, pool.map(lambda seeds, levels: play(args, tally, seeds, levels), batches, itertools.cycle(args.levels))):
                report(args, tally, failures)
                last = seeds[-1]
                if 0 < args.until <= tally.failed:
                    break
        except build.Wrong as wrong:
            tally.failed += 1
            print(f"FAIL  the test itself: {wrong}")
        pool.shutdown(cancel_futures=True)
    for why, seeds in sorted(tally.aside.items()):
        print(f"set aside, {why}: {len(seeds)} ({', '.join(map(str, seeds[:10]))}{', ...' if len(seeds) > 10 else ''})")
    print(f"{tally.kept} checksums are those of csmith's own program; the last seed was {last}")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed or tally.passed < args.count / 2 else 0


if __name__ == "__main__":
    sys.exit(main())
