#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A quick set of CPU mixes beside GPU applications, held to the signs of the long one (study kayiran/workloads).

The set are 14 of the study's 36 workloads, with all six mixes and all nine kinds of a type of GPU application beside a
type of CPU mix, for a quarter of its cycles or what --for says. It was chosen among those whose signs are then those of
the whole. Others are not: so early BFS, MST and MM are another application than later, and PVC and BLK beside H1 do not
yet congest. Of each the speed-ups of CPUs (weighted, by runs of each CPU application alone) and GPU under CM-CPU,
CM-BAL1 and CM-BAL4 over 48 warps: where the long form's differs from 1 by 3 % or more, the quick one's must differ in
the same direction; and CM-CPU must raise the CPUs' beside all mixes of types H and M.

    tests/throttle/signs.py                   # all
    tests/throttle/signs.py --every 3         # a short form: every third
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

CLEAR = 0.03  # how far from 1 a speed-up of the long form is, that is held
CYCLES = 75_000
QUICK = ["HOT+L1", "PVR+L1", "IIX+L1", "HOT+L2", "MUM+L2", "BP+M1", "SSSP+M1", "HOT+M2", "PVR+M2", "BP+H1", "SSSP+H1",
         "HOT+H2", "BLK+H2", "IIX+H2"]
CORES = 14
SCHEMES = {"cpu": "scheme=cm_cpu", "bal1": "k=1", "bal4": "k=4"}  # as the study's columns are called
LATER = ["--arrive", "1000000000"]  # no launch comes: CPU cores alone


def rows(name):
    with open(runs.ROOT / "studies/kayiran" / name, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def quick_set():
    """Workloads, each with the row of the long form."""
    long = {row["label"]: row for row in rows("results/workloads.csv")}
    return [(row, long[row["label"]]) for row in rows("workloads.csv") if row["label"] in QUICK]


def run(args, kernel, cpus, *more):
    command = [args.program, "run", f"kernels/{kernel}.yaml", "--config", "kayiran", "--cpu", cpus, "--for",
               str(args.cycles), "--no-points", "--json", *more]
    return runs.run(command, may_check_nothing=True)


def ipc(report, core):
    return report["derived"][f"cpu{core}.ipc"]


def speeds(args, workload, alone, system):
    """(CPUs, weighted; GPU) of one run."""
    apps = [workload[f"app{i}"] for i in range(CORES)]
    report = run(args, f"{workload['kernel']}_large", ",".join(apps), "--system", f"throttle:{system}")
    return sum(ipc(report, i) / alone[app] for i, app in enumerate(apps)), report["files"][0]["ipc"]


def judged(workload, long, scheme, ups):
    """(ok, what is said) of each speed-up that is held."""
    for (column, who), up in zip((("c", "CPUs"), ("g", "GPU")), ups):
        wanted = float(long[f"{column}_{scheme}"]) - 1
        raised = column == "c" and scheme == "cpu" and workload["cpus"] in "HM"
        if abs(wanted) >= CLEAR or raised:
            yield up > 1 if raised else (up - 1) * wanted > 0, (f"{workload['label']}, {SCHEMES[scheme]}: {who} {100 * (up - 1):+.1f} %, "
                                          f"in the long form {100 * wanted:+.1f} %")


def play(args, pool, workloads):
    """(ok, what is said) of all, in order."""
    apps = sorted({w[f"app{i}"] for w, _ in workloads for i in range(CORES)})
    found = pool.map(lambda app: ipc(run(args, "vecadd", app, *LATER), 0), apps)
    alone = dict(zip(apps, found))
    asked = [(w, long, scheme) for w, long in workloads for scheme in ("", *SCHEMES)]
    found = pool.map(lambda a: speeds(args, a[0], alone, SCHEMES.get(a[2], "force=48")), asked)
    base = None
    for (workload, long, scheme), speed in zip(asked, found):
        if scheme:
            yield from judged(workload, long, scheme, [of / by for of, by in zip(speed, base)])
        else:
            base = speed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every N-th workload alone (1)")
    parser.add_argument("--for", type=int, default=CYCLES, metavar="CYCLES", dest="cycles", help=f"of each run ({CYCLES})")
    parser.add_argument("--jobs", type=int, default=int(os.environ.get("JOBS") or 2), help="at a time ($JOBS, else 2)")
    args = parser.parse_args()
    if min(args.every, args.cycles, args.jobs) < 1:
        parser.error("--every, --for and --jobs are at least 1")
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for ok, said in play(args, pool, quick_set()[::args.every]):
            print(f"{'ok  ' if ok else 'FAIL'}  {said}", flush=True)
            passed, failed = passed + ok, failed + (not ok)
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or passed == 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except runs.Failure as failure:
        sys.exit(f"FAIL  {failure}")
