#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each way of sharing a GPU on each pair of its quick set: right outputs, in models and in lockstep; and each alone.

The quick sets are the pairs of the papers with the library's small data: the 45 of SMK 6.1 on `gtx980` under the
systems of that paper, and those of Lin-D Table 4.2 (studies/ccbp/pairs.csv) on `ccbp` under that chapter's; with few SMs,
so that kernels of few thread blocks meet. Of each pair and way three runs:

    models     to the end of both kernels: every check of both files holds
    lockstep   the same, models and RTL: the same cycles and buffers
    again      in lockstep, kernels begin again as they end, for three times as long: every whole pass is checked, one of
               the two has some, and the other has a pass or thread blocks that have ended: none starves

And each kernel of these sets alone: a way costs less than 1 % of its cycles, beside what drawing a partition at each
launch takes.

    tests/sharing/pairs.py                    # all
    tests/sharing/pairs.py --every 15         # the short form: every fifteenth pair and way
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import shlex
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

MOST_CYCLES = 20_000_000
LONGER = 3
MOST_ALONE = 1.01  # of the cycles without a system
DRAWING = 150  # cycles of a launch: the block draws a partition of 32 TBs, and TBs come one by one
SMK = ["sharing:policy=leftover", "sharing:policy=within_sm", "drf", "spart", "spart:preempt=save", "spart:preempt=ideal",
       "smk:scheme=on_demand,quotas=0", "smk:quotas=0", "smk", "smk:spare=1", "smk:kernels=2",
       "smk:ideal=1"]
CCBP = ["ccbp:ctas=smk", "ccbp:ctas=slicer,warm_up=500", "ccbp:ctas=slicer,warm_up=500,bmi=rbmi",
        "ccbp:ctas=slicer,warm_up=500,bmi=qbmi,mil=dmil", "ccbp:ctas=smk,mil=smil,limits=8:8", "ccbp:ctas=given,given=1:1",
        "ccbp:queue=fifo,warm_up=500", "ccbp:queue=priority,warm_up=500", "ccbp:warm_up=500"]
# Kernels of the studies whose small data the library has under another name.
LIBRARY = {"lavamd_stored": "lavamd", "fdtd2d_step1": "fdtd2d", "sad_larger_8": "sad", "bucket_count": "bucketsort"}


def rows(name):
    with open(runs.ROOT / "studies" / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def file_of(name):
    name = pathlib.Path(name).stem
    return f"kernels/{LIBRARY.get(name, name)}.yaml"


def plays():
    """(configuration, system, files: a pair or one) of all."""
    for table, config, systems in (("smk/pairs.csv", "gtx980", SMK), ("ccbp/pairs.csv", "ccbp", CCBP)):
        pairs = [(file_of(row["a"]), file_of(row["b"])) for row in rows(table)]
        alone = [(name,) for name in sorted({name for pair in pairs for name in pair})]
        for files in pairs + alone:
            for system in systems:
                yield config, system, files


def run(command):
    try:
        return runs.run(command)
    except runs.Failure as failure:
        raise runs.Failure(f"{failure}\n  {shlex.join(command)}") from None


def starves(report):
    """What shows that a kernel does not go on; "": nothing."""
    if not any(file["passes"] for file in report["files"]):
        return "neither has a whole pass"
    still = [file["file"] for file in report["files"]
             if not any(launch["tbs"] for launch in report["launches"] if launch["file"] == file["file"])]
    return f"no thread block of {still[0]} has ended" if still else ""


def play_alone(args, config, system, file):
    """None, or why it fails."""
    free = [args.program, "run", file, "--json", "--config", config, "--max-cycles", str(MOST_CYCLES)]
    under = [*free, "--system", system]
    try:
        without, report = run(free), run(under)
    except runs.Failure as failure:
        return str(failure)
    launches = sum(launch["runs"] for launch in report["launches"])
    if report["cycles"] > MOST_ALONE * without["cycles"] + DRAWING * launches:
        return f"{report['cycles']} cycles, {without['cycles']} without a system\n  {shlex.join(under)}"
    return None


def play(args, config, system, files):
    """None, or why it fails."""
    if len(files) == 1:
        return play_alone(args, config, system, files[0])
    base = [args.program, "run", files[0], "--with", files[1], "--json", "--config", config, "--set", "sms=4",
            "--system", system]
    whole = [*base, "--max-cycles", str(MOST_CYCLES)]
    lockstep = ["--blocks", "lockstep"] if system.partition(":")[0] not in args.blockless else []
    try:
        first = run(whole)
        other = run(whole + lockstep) if lockstep else first
        if what := runs.same(first, other):
            return f"{what} differ with lockstep\n  {shlex.join(whole + lockstep)}"
        again = [*base, "--for", str(LONGER * first["cycles"]), *lockstep]
        if what := starves(run(again)):
            return f"{what}\n  {shlex.join(again)}"
    except runs.Failure as failure:
        return str(failure)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th of pairs and ways alone (1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="those whose system or files hold this text")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2), help="at a time ($JOBS, else 2)")
    args = parser.parse_args()
    if min(args.every, args.jobs) < 1:
        parser.error("--every and --jobs are at least 1")
    args.blockless = [name for name in ("sharing", "spart") if not runs.has_blocks(args.program, name)]
    chosen = [p for p in list(plays())[::args.every] if args.only in " ".join([p[1], *p[2]])]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for number, (what, failure) in enumerate(zip(chosen, pool.map(lambda p: play(args, *p), chosen)), 1):
            passed, failed = passed + (failure is None), failed + (failure is not None)
            if failure:
                print(f"FAIL {what[1]} on {what[0]}: {failure}", flush=True)
            if number % 100 == 0:
                print(f"{number} of {len(chosen)}, {failed} failed", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
