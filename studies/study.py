#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Studies: what is varied, what is measured, what the paper says; a table, a plot, findings of each.

A study is a file, studies/<group>/NAME.toml (plan.py). Its runs are commands of `warpref` (runs.py); its table
follows from their figures, its findings, plot and page from the table (table.py, plot.py). Nothing here knows a
block, a figure or a paper.
"""
import argparse
import fcntl
import os
import pathlib
import re
import signal
import subprocess
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import plan
import plot
import table
from plan import ROOT
from runs import Runner
from trouble import Trouble

PAGE = ROOT / "docs/studies.md"
EPILOG = """\
Of each study --out gets NAME.csv (the table in full precision), NAME.txt (table and findings), NAME.png,
NAME.svg and the gnuplot script NAME.gp; with --quick below quick/. Below runs/ stands a folder for each
command with its log and figures: an interrupted study goes on where it was, and what is there is used again
while RTL, kernels, program and options are the same. One run at a time works in a folder.

A run that fails is told with its command and leaves a gap in the table; the others go on.

How to write a study: docs/studies.md.

Exit status: 0 all ran, and every finding with a band is as its study says; 1 a run failed or a finding is
not; 2 bad usage, a study file that is wrong, a tool that is missing.

Example: warpref study list
Example: warpref study lanes --quick
Example: warpref study all --jobs 2 --out results && warpref study all --out results --save
Example: warpref study mine.toml
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref study", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Runs studies: tables, plots and findings beside the papers'.",
                                epilog=EPILOG)
    p.add_argument("names", nargs="*", metavar="list | all | NAME",
                   help="list: name the studies; all; some of them; or FILE.toml, one of your own")
    p.add_argument("--quick", action="store_true", help="the few smallest points of each, without findings")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at the same time (2)")
    p.add_argument("-o", "--out", default="out/study", metavar="DIR", help="folder of results (out/study)")
    p.add_argument("--save", action="store_true",
                   help="record the tables in results/ beside the studies, and in docs/studies.md")
    p.add_argument("--check", action="store_true",
                   help="run nothing: all study files can be read, and docs/studies.md is what was recorded")
    options = p.parse_args()
    if options.check and (options.names or options.save or options.quick):
        p.error("--check goes alone")
    if not options.check and not options.names:
        p.error("name studies, or `all`; `warpref study list` lists them")
    if options.save and options.quick:
        p.error("--save goes with the full form, not with --quick")
    if options.save and any(n.endswith(".toml") for n in options.names):
        p.error("--save is for the studies of the tree")
    if options.jobs < 1:
        p.error("--jobs wants 1 or more")
    return options


def chosen(names):
    known = plan.names()
    if "list" in names or "all" in names:
        if len(names) > 1:
            raise Trouble("`list` and `all` go alone")
        return [plan.read(path) for path in known.values()]
    out = {}
    for name in names:
        if not name.endswith(".toml") and name not in known:
            raise Trouble(f"there is no study '{name}'; `warpref study list` lists them")
        out[name] = plan.read(pathlib.Path(name).resolve() if name.endswith(".toml") else known[name])
    return list(out.values())


def run(study, runner, options, folder):
    """One study, from its runs to its plot. The exit status that it deserves."""
    status, points = 0, study.quick if options.quick else study.points
    wanted = table.commands(study, points)
    runner.all(wanted)
    for command in dict.fromkeys(wanted):
        if command in runner.failed:
            print(f"warpref study: {study.name}: {runner.failed[command]}", file=sys.stderr)
            status = max(status, runner.failed[command].status)
    rows = table.make(study, points, runner)
    (folder / f"{study.name}.csv").write_text(table.to_csv(study, rows))
    said = f"{study.name}: {study.question}\n\n" + table.text(*table.lines_of(study, rows))
    if not options.quick and study.findings:
        judged = table.findings(study, rows)
        said += "\n" + table.text(*table.finding_lines(judged))
        for line in table.unexpected(study, judged):
            print(f"warpref study: {line}", file=sys.stderr)
            status = max(status, 1)
        if status == 0 and any(value is None for _, value, _ in judged):
            raise Trouble(f"{study.name}: a finding has no value: no row of the table is what it asks for")
    (folder / f"{study.name}.txt").write_text(said)
    drawn = plot.draw(study, rows, folder)
    print(said + (f"\nPlot: {folder / study.name}.png, .svg\n" if drawn else ""), flush=True)
    if options.save and status == 0:
        recorded(study).parent.mkdir(exist_ok=True)
        recorded(study).write_text(f"# measured at {commit()}\n" + table.to_csv(study, rows))
    return status


def alone(lock, folder):
    """Holds the folder until this program ends: two at the same time would write the same files."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Trouble(f"{folder}: another run works there; give this one a folder of its own with --out") from None


def run_all(studies, runner, options, folder):
    status, folder = 0, folder / "quick" if options.quick else folder
    folder.mkdir(exist_ok=True)
    for study in studies:
        try:
            status = max(status, run(study, runner, options, folder))
        except Trouble as trouble:
            print(f"warpref study: {trouble}", file=sys.stderr)
            status = max(status, trouble.status)
    if options.save:
        PAGE.write_text(page(PAGE.read_text()))
    return status


def recorded(study):
    return study.path.parent / "results" / f"{study.name}.csv"


def commit():
    """The commit that is measured, with + where the tree differs from it in what is measured."""
    def git(*words):
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!studies/*/results", ":!docs")
    return (git("rev-parse", "--short", "HEAD") or "no commit") + ("+" if changed else "")


def section(study):
    """Of the page: question, rule, table and findings, out of the recorded table alone."""
    out = f"{study.question} Source: {study.source}.\n\n"
    if study.rule:
        out += " ".join(study.rule.split()) + "\n\n"
    if not recorded(study).is_file():
        return out + f"Not run yet: `warpref study {study.name} --save`.\n"
    measured, rows = table.from_csv(study, recorded(study))
    out += f"Measured at {measured}.\n\n"
    if study.findings:
        out += table.markdown(*table.finding_lines(table.findings(study, rows))) + "\n"
    return out + table.markdown(*table.lines_of(study, rows))


def page(text):
    """docs/studies.md with the sections as they should be, in the order of their names."""
    mark = re.compile(r"(<!-- studies -->\n).*?(<!-- /studies -->\n)", re.S)
    if not mark.search(text):
        raise Trouble(f"{PAGE}: has no place for the studies", 1)
    made = "".join(f"\n## {name}\n\n{section(plan.read(path))}" for name, path in plan.names().items())
    return mark.sub(lambda m: f"{m[1]}{made}\n{m[2]}", text)


def check():
    wrong, studies = 0, [plan.read(path) for path in plan.names().values()]
    for study in studies:
        if recorded(study).is_file():
            for line in table.unexpected(study, table.findings(study, table.from_csv(study, recorded(study))[1])):
                print(line)
                wrong += 1
    if PAGE.read_text() != page(PAGE.read_text()):
        print("docs/studies.md: is not what was recorded; `warpref study NAME --save` writes it")
        wrong += 1
    print(f"{len(studies) + 1 - wrong if studies else 0} passed, {wrong} failed")
    return 1 if wrong or not studies else 0


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
        return check()
    studies = chosen(options.names)
    if options.names == ["list"]:
        width = max(len(s.name) for s in studies)
        for study in studies:
            runs = [len(set(table.commands(study, points))) for points in (study.points, study.quick)]
            print(f"{study.name:{width}}  {study.question} ({runs[0]} runs, {runs[1]} with --quick)")
        return 0
    plot.need()
    folder = pathlib.Path(options.out).resolve()
    runner = Runner(folder, options.jobs)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        alone(lock, folder)
        return run_all(studies, runner, options, folder)


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
