#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the library under HAWS, pre-execution and the schedulers by locality: right outputs, hints on, in models and
in lockstep, and with preemption on top.

Of each kernel with its small data: without a system; under each of these, with as many instructions issued and, under
haws, where it has no chain, in the same cycles, and those with blocks in lockstep in those of the models; then under each
and preemption at random cycles, each way in which thread blocks leave.

    tests/hints/library.py                # all kernels
    tests/hints/library.py --every 9      # the short form: every ninth
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs
import soaks

MOST_CYCLES = 20_000_000
CONFIG = "hd7970"  # the build has its RTL
# Kernels whose threads race, by design: how many instructions they take depends on who comes first.
RACES = {"mst", "sssp", "survey_propagation", "bfs_kernel1", "page_view_count", "inverted_index", "histo"}
WAYS = ["period=900,random_cycles=1", "period=150,random_cycles=1,context=all", "period=400,random_cycles=1,context=tb",
        "period=500,random_cycles=1,scheme=flush", "period=700,random_cycles=1,scheme=chimera"]
COUNTED = {"haws": ["chains", "ahead", "skipped", "copied", "again", "waits", "cleared"],
           "preexecution": ["ahead", "preloads", "branches", "known", "reused", "lost"],
           "locality": ["grants", "switches"], "owl": ["first", "others"], "mascar": ["saturated", "owners"]}
RTL = ["haws", "locality"]  # those with blocks


def run(command):
    try:
        return runs.run(command)
    except runs.Failure as failure:
        raise runs.Failure(f"{failure}\n  {shlex.join(command)}") from None


def counts(report, system):
    return {f"{system}.{name}": runs.count(report, name if name in report["measured"] else f"{system}.{name}")
            for name in COUNTED[system]}


def alone(args, name, system):
    base = [args.program, "run", f"kernels/{name}.yaml", "--json", "--config", CONFIG, "--no-points", "--max-cycles",
            str(MOST_CYCLES)]
    command = [*base, "--system", system]
    plain, under = run(base), run(command)
    found = counts(under, system)
    if name not in RACES and plain["counters"]["sm.issued"] != under["counters"]["sm.issued"]:
        raise runs.Failure(f"another number of instructions\n  {shlex.join(command)}")
    if found.get("haws.chains") == 0 and plain["cycles"] != under["cycles"]:
        raise runs.Failure(f"without a chain, in other cycles\n  {shlex.join(command)}")
    if system in RTL and args.lockstep and (what := runs.same(under, run([*command, "--blocks", "lockstep"]))):
        raise runs.Failure(f"{what} differ in lockstep\n  {shlex.join(command)}")
    return found


def preempted(args, name, system, way):
    command = [args.program, "run", f"kernels/{name}.yaml", "--json", "--config", "gtx480", "--set", "sms=4",
               "--max-cycles", str(MOST_CYCLES), "--system", f"preemption:{way}", "--system", system]
    report = run(command)
    found = counts(report, system)
    if found.get("haws.cleared") and "flush" not in way and "chimera" not in way:
        raise runs.Failure(f"{found['haws.cleared']} left with instructions ahead\n  {shlex.join(command)}")
    return found | {"evicted": report["counters"]["sm.tbs_evicted"]}


def play(args, name):
    """(what came up, None), or (None, why it fails)."""
    came = collections.Counter()
    try:
        for system in args.systems:
            for found in [alone(args, name, system), *(preempted(args, name, system, way) for way in WAYS)]:
                came.update(found)
    except runs.Failure as failure:
        return None, str(failure)
    return came, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th kernel alone (1)")
    parser.add_argument("--only", default="", metavar="NAME,...", help="these kernels")
    parser.add_argument("--systems", default=",".join(COUNTED), metavar="NAME,...", help="under these alone")
    parser.add_argument("--no-lockstep", dest="lockstep", action="store_false", help="in models alone")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2), help="at a time ($JOBS, else 2)")
    args = parser.parse_args()
    if min(args.every, args.jobs) < 1:
        parser.error("--every and --jobs are at least 1")
    args.systems = args.systems.split(",")
    if not set(args.systems) <= set(COUNTED):
        parser.error(f"--systems are of {', '.join(COUNTED)}")
    names = args.only.split(",") if args.only else soaks.small_kernels()[::args.every]
    passed, failed, sums = 0, 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for name, (came, why) in zip(names, pool.map(lambda n: play(args, n), names)):
            passed, failed = passed + (why is None), failed + (why is not None)
            print(f"FAIL  {name}: {why}" if why else f"ok    {name}: {came['haws.ahead']:,} ahead on hints, "
                  f"{came['preexecution.ahead']:,} without", flush=True)
            sums.update(came or {})
    print(", ".join(f"{what} {n:,}" for what, n in sums.items()))
    for what in [what for what, n in sums.items() if not n and failed == 0 and not args.only]:
        failed += 1
        print(f"FAIL  never: {what}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
