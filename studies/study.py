#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies: what is varied, what is measured, what the paper says; a table, a plot, findings of each.

A study is a file, studies/<group>/NAME.toml (plan.py). Its runs are commands of `warpref` (commands.py), run by
Ninja or Slurm (runs.py, ninja.py, cluster.py). Its table follows from their figures, its findings, plot and page
from the table (table.py, plot.py, page.py). Nothing here knows a block, a figure or a paper.
"""
import argparse
import contextlib
import fcntl
import json
import os
import pathlib
import shlex
import signal
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))

import claims
import cluster
import commands
import need
import ninja
import one
import page
import plan
import plot
import replace
import table
from runs import Runs
from trouble import Trouble

EPILOG = """\
Of each study --out gets, in a folder of its group, NAME.csv (the table in full precision), NAME.txt (table and
findings), NAME.json (both, for `warpref report`), NAME.png and NAME.svg, and beside them claims.json, how the papers'
claims stand by these tables; with --quick below quick/, without findings. Below runs/
stands a folder for each command with its log and figures: an interrupted study goes on where it was, and what is
there is used again while program, configuration, kernel, RTL and options are the same. One at a time works in a
folder. build.ninja in it runs all of the last start's commands.

With --slurm the runs become a job array, and a job behind it gathers the results; --out must be a folder that all
nodes see. The command waits, may be stopped, and waits again when it is given again. sbatch reads SBATCH_PARTITION,
SBATCH_ACCOUNT, SBATCH_TIMELIMIT and the like.

A run that fails is told with its command and leaves a gap in the table; the others go on.

How to write a study: docs/studies.md. What the papers claim, and how it stands: `warpref claims`. A page of all
results: `warpref report DIR`.

Exit status: 0 all ran, and every finding with a band is as its study says; 1 a run failed or a finding is
not; 2 bad usage, a study file that is wrong, a tool that is missing.

Example: warpref study list
Example: warpref study lin_p/fig_6 --quick
Example: warpref study lin_p lin_d --jobs 4 --out results && warpref report results
Example: warpref study all --slurm --out /shared/results
Example: warpref study mine.toml
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref study", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Runs studies: tables, plots and findings beside the papers'.",
                                epilog=EPILOG)
    p.add_argument("names", nargs="*", metavar="list | all | NAME",
                   help="list: name the studies; all; some of them, by GROUP/NAME, or by GROUP or NAME alone; or "
                        "FILE.toml, one of your own")
    p.add_argument("--quick", action="store_true", help="the few smallest points of each, without findings")
    p.add_argument("--jobs", type=int, metavar="N",
                   help="runs at the same time (as many as processors; with --slurm no limit)")
    p.add_argument("--slurm", action="store_true", help="run them on a cluster, by Slurm")
    p.add_argument("-o", "--out", default="out/study", metavar="DIR", help="folder of results (out/study)")
    p.add_argument("--save", action="store_true",
                   help="record the tables in results/ beside the studies, and in docs/studies/")
    p.add_argument("--page", action="store_true", help="run nothing: write docs/studies/ and docs/claims.md anew")
    p.add_argument("--check", action="store_true",
                   help="run nothing: all study files can be read, and these pages are what was recorded")
    need.option(p)
    p.add_argument("--gather", action="store_true", help=argparse.SUPPRESS)  # what is there, running nothing
    options = p.parse_args()
    by_itself = options.check or options.page
    if by_itself and (options.names or options.save or options.quick or options.check and options.page):
        p.error("--check and --page go alone")
    if not by_itself and not options.names:
        p.error("name studies, or `all`; `warpref study list` lists them")
    if options.save and options.quick:
        p.error("--save goes with the full form, not with --quick")
    if options.save and any(n.endswith(".toml") for n in options.names):
        p.error("--save is for the studies of the tree")
    if options.jobs is not None and options.jobs < 1:
        p.error("--jobs wants 1 or more")
    if options.slurm and options.save:
        p.error("--save goes without --slurm: give the command again without it when all has run")
    return options


def chosen(words):
    """The studies that are named, each once."""
    if "list" in words or "all" in words:
        if len(words) > 1:
            raise Trouble("`list` and `all` go alone")
        return [plan.read(path) for path in plan.names().values()]
    paths = dict.fromkeys(path for word in words for path in plan.chosen(word))
    return [plan.read(path) for path in paths]


def named(study):
    """As a command line has it: a file that is not of the tree by its path."""
    return str(study.path) if study.name == study.path.stem else study.name


def points_of(study, options):
    return study.quick if options.quick else study.points


def gather(study, runs, options, top):
    """One study, from its runs to its plot. The exit status that it deserves."""
    status, points, name = 0, points_of(study, options), study.path.stem
    folder = (top / study.name).parent
    folder.mkdir(parents=True, exist_ok=True)
    failed = {words: runs.failed[words] for words in table.commands(study, points) if words in runs.failed}
    for trouble in failed.values():
        print(f"warpref study: {study.name}: {trouble}", file=sys.stderr)
        status = max(status, trouble.status)
    rows = table.make(study, points, runs)
    replace.text(folder / f"{name}.csv", table.to_csv(study, rows))
    said = f"{study.name}: {study.question}\n\n" + table.text(*table.lines_of(study, rows))
    judged = [] if options.quick else table.findings(study, rows)
    if judged:
        said += "\n" + table.text(*table.finding_lines(judged))
        for line in table.unexpected(study, judged):
            print(f"warpref study: {line}", file=sys.stderr)
            status = max(status, 1)
    replace.text(folder / f"{name}.txt", said)
    drawn = plot.draw(study, rows, judged, folder, name)
    result = table.to_json(study, rows, judged) | {
        "quick": options.quick, "plot": f"{name}.svg" if drawn else None,
        "commands": list(dict.fromkeys(map(one.shown_as, table.commands(study, points)))),
        "failed": [{"command": one.shown_as(w), "error": str(t), "log": str(runs.folders[w] / "log")}
                   for w, t in failed.items()],
        "again": shlex.join(["warpref", "study", named(study), *(["--quick"] if options.quick else []),
                             "--out", options.out])}
    replace.text(folder / f"{name}.json", json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    print(said + (f"\nPlot: {folder / name}.png, .svg\n" if drawn else ""), flush=True)
    if status == 0 and any(j.value is None for j in judged):
        raise Trouble(f"{study.name}: a finding has no value: no row of the table is what it asks for")
    if options.save and status == 0:
        page.record(study, rows)
    return status


@contextlib.contextmanager
def alone(folder):
    """Holds the folder until this ends: two at the same time would write the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(f"{folder}: another run works there; give this one a folder of its own with --out") \
                from None
        yield


def gathered(studies, runs, options, top):
    """Gathers those at the front of the list whose runs have ended, takes them off, and tells the status."""
    status = 0
    while studies and not runs.open.intersection(table.commands(studies[0], points_of(studies[0], options))):
        study = studies.pop(0)
        try:
            runs.collect(table.commands(study, points_of(study, options)))
            status = max(status, gather(study, runs, options, top))
        except Trouble as trouble:
            print(f"warpref study: {trouble}", file=sys.stderr)
            status = max(status, trouble.status)
    return status


def run_all(studies, options, out):
    """Runs what is missing, here; each study is gathered as soon as it and those before it have run."""
    top, status, studies = out / "quick" if options.quick else out, 0, list(studies)
    runs = Runs(out, [words for s in studies for words in table.commands(s, points_of(s, options))])
    if not options.gather:
        runs.prepare()
        for _ in ninja.run(runs, options.jobs or len(os.sched_getaffinity(0))):
            status = max(status, gathered(studies, runs, options, top))
    runs.open.clear()
    status = max(status, gathered(studies, runs, options, top))
    if not options.quick:
        replace.text(out / "claims.json", claims.to_json(claims.standings(out)))
    if options.save:
        page.write()
    return status


def run_on_cluster(studies, options, out):
    """Hands what is missing to Slurm, or finds it at work on it, and waits."""
    with alone(out):
        runs = Runs(out, [words for s in studies for words in table.commands(s, points_of(s, options))])
        missing, job = runs.missing(), cluster.jobs_of(out)
        words = [sys.executable, str(plan.ROOT / "studies/study.py"), *options.names, "--out", str(out), "--gather",
                 *(["--quick"] if options.quick else [])]
        if job:
            print(f"warpref study: jobs {' and '.join(job.values())} work in {out}", file=sys.stderr)
            job = job if "gather" in job else cluster.gather_behind(out, job, words)
        else:
            job = cluster.submit(runs, missing, options.jobs, words)
    return cluster.wait(runs, job, missing)


def interrupted(number, _):
    """The first signal ends the runs, and those behind it must not end that. Not SIG_IGN: runs inherit it."""
    for other in (signal.SIGINT, signal.SIGTERM):
        signal.signal(other, lambda *_: None)
    raise KeyboardInterrupt(number)


def main():
    options = arguments()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupted)
    if options.check:
        return page.check()
    if options.page:
        page.write()
        return 0
    studies = chosen(options.names)
    if options.names == ["list"]:
        width = max(len(s.name) for s in studies)
        for study in studies:
            count = [len(set(table.commands(study, points))) for points in (study.points, study.quick)]
            print(f"{study.name:{width}}  {study.question} ({count[0]} runs, {count[1]} with --quick)")
        return 0
    commands.program()
    try:
        need.modules("matplotlib", "pandas", "cffi", install=options.install)
    except need.Missing as missing:
        raise Trouble(str(missing)) from None
    out = pathlib.Path(options.out).resolve()
    options.names = [named(study) for study in studies]
    if options.slurm:
        return run_on_cluster(studies, options, out)
    with alone(out):
        return run_all(studies, options, out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Trouble as trouble:
        print(f"warpref study: {trouble}", file=sys.stderr)
        sys.exit(trouble.status)
    except KeyboardInterrupt as interrupt:
        print("\nwarpref study: interrupted; what is finished is kept, the same command goes on",
              file=sys.stderr)
        number = interrupt.args[0]
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    except OSError as problem:
        print(f"warpref study: {problem}", file=sys.stderr)
        sys.exit(2)
