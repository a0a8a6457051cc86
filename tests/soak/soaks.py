# SPDX-License-Identifier: Apache-2.0
"""What soaks of a system have in common: draws, runs at a time and in order, how many were made and failed.

A run of a soak has a number and draws from the seed and that number alone; its play() gives (what it adds to the
sums, None), or (None, why it fails and how to repeat it). Runs are counted in order, so that the same seed ends
behind the same run whatever the number of jobs is.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re

import runs

# Kernels that take seconds: drawn rarely, alone, on a whole machine.
LONG = {"backprop_layerforward", "backprop_adjust_weights", "pathfinder_dynproc", "vecadd"}

# What makes a machine small: sizes in the order in which they are tried, from one that is drawn on, until a TB fits.
SIZES = {
    "sm.registers": [2048, 4096, 6144, 8192, 10240, 12288, 16384, 24576, 32768],
    "sm.max_warps": [1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 32],
    "sm.shared_bytes": [8192, 16384, 24576, 32768, 49152],
}


def offered(program, system):
    """A system's own options: {name: its words, or None where it takes a number}."""
    own = runs.page_of(program, system).split("\nOptions\n")[1].split("\nOptions of every system")[0]
    options = {}
    for name, values in re.findall(r"^  (\w+)=(.*?)(?: \(default [^)]*\))?$", own, re.M):
        words = re.fullmatch(r"[a-z0-9_]+(\|[a-z0-9_]+)+(?= |$)(?!.* to ).*", values)
        options[name] = values.split()[0].split("|") if words else None
    return options


def log_uniform(r, low, high):
    return round(low * (high / low) ** r.random())


def machines(r, config, sets):
    """Machines from a small one on, to be tried until a TB fits; the last one is as the configuration says."""
    small = r.choice([["sm.registers"], ["sm.max_warps"], ["sm.shared_bytes"], ["sm.shared_bytes"], list(SIZES),
                      ["sm.registers", "sm.shared_bytes"], []])
    first = [r.randrange(len(SIZES[name])) if r.random() < 0.5 else 0 for name in small]
    if r.random() < 0.3:
        sets["l1.bytes"] = r.choice([8192, 16384, 32768])
    tried = [{name: SIZES[name][min(i + more, len(SIZES[name]) - 1)] for name, i in zip(small, first)}
             for more in range(len(SIZES) * 4)]
    return [["--config", config] + words(sets | sizes) for sizes in tried] + [
        ["--config", config] + words({"sms": sets["sms"]})]


def words(sets):
    return [w for s in sets.items() for w in ("--set", "%s=%s" % s)]


def small_kernels():
    return sorted(p.stem for p in runs.ROOT.glob("kernels/*.yaml") if not p.stem.endswith("_large"))


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


def parser_of(what, option, preset, unit):
    """Options of a soak's command; `option` says how much must have been done."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(option, type=int, default=preset, metavar="N", dest="enough",
                        help=f"how many {unit} at least ({preset:,})")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1),
                        help="of all draws ($WARPREF_SEED, else 1)")
    parser.add_argument("--first", type=int, default=0, metavar="N", help="begin with run N of the seed")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2),
                        help="runs at a time ($JOBS, else 2)")
    parser.add_argument("--failures", type=int, default=10, metavar="N", help="give up after so many (10)")
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    return parser


def parse(parser):
    args = parser.parse_args()
    if min(args.enough, args.jobs, args.failures) < 1:
        parser.error("the numbers of what is done, of jobs and of failures are at least 1")
    if not os.access(args.program, os.X_OK):
        parser.error(f"{args.program}: no such program; build it, or name it with --program")
    args.program = str(pathlib.Path(args.program).resolve())
    return args


def soak(args, drawn, sums):
    """Runs until sums.done reaches args.enough; how many failed."""
    failed = 0
    print(f"seed {args.seed} (--seed or WARPREF_SEED)", flush=True)
    for number, (run, report, failure) in enumerate(in_order(drawn, args.jobs)):
        if number % 200 == 0 and number:
            print(f"{number} runs, {sums.done} of {args.enough}, {failed} failed", flush=True)
        if failure:
            failed += 1
            print(f"FAIL run {run.number}: {failure}", flush=True)
        else:
            sums.add(run, report)
        if sums.done >= args.enough or failed == args.failures:
            break
    return failed
