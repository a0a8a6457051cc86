#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One page of results: what studies, runs and block states in a folder say, as HTML that needs nothing else.

found.py reads the folder, render.py fills page.html, plots.py and timeline.py draw.
The same files give the same bytes: no time, no name of a machine.
"""
import argparse
import pathlib
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

from found import Found

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
import need
import replace

EPILOG = """\
DIR is searched with all folders in it. Known are

  studies      NAME.json with its plot NAME.svg: what `warpref study --out DIR` writes
  claims       NAME.json of `warpref claims --json`
  runs         NAME.json of `warpref run FILE.yaml --stats NAME.json`; with it what lies beside it under the same
               stem: NAME.csv or NAME.WHAT.csv of --samples and --timeline, NAME.fst of --wave
  block states NAME.json of `warpref state --json`

The page has no scripts but one that sorts tables, fetches nothing, and may be sent or printed. Waveforms stay
where they are; the page links to them.

Exit status: 0 the page is written; 1 likewise, but files are damaged: they are named, here and in the page, and
left out; 2 bad usage, or DIR holds no results.

Example: warpref study all --quick --out results && warpref report results
Example: warpref run kernels/vecadd.yaml --stats r/vecadd.json --samples r/vecadd.samples.csv \\
             --timeline r/vecadd.timeline.csv,sm=0,to=20000 && warpref report r -o vecadd.html
"""


def arguments():
    p = argparse.ArgumentParser(prog="warpref report", formatter_class=argparse.RawDescriptionHelpFormatter,
                                description="Makes one HTML page of results: of studies, runs and block states.",
                                epilog=EPILOG)
    p.add_argument("dir", metavar="DIR", help="folder with results")
    p.add_argument("-o", "--out", metavar="FILE.html", help="the page (default: DIR/report.html)")
    p.add_argument("--title", metavar="TEXT", help="of the page (default: the folder's name)")
    p.add_argument("--sm", type=int, metavar="N", help="whose timeline is drawn (default: the lowest of the file)")
    need.option(p)
    args = p.parse_args()
    if args.sm is not None and args.sm < 0:
        p.error("--sm takes the number of an SM, from 0 on")
    if args.out is not None and pathlib.Path(args.out).suffix.lower() not in (".html", ".htm"):
        p.error(f"--out {args.out}: what is written is HTML; name it .html")
    return args


def main():
    args = arguments()
    folder = pathlib.Path(args.dir)
    if not folder.is_dir():
        print(f"warpref report: {folder}: is no folder; `warpref study` and `warpref run --stats` make results",
              file=sys.stderr)
        return 2
    try:
        need.modules("jinja2", install=args.install)
    except need.Missing as missing:
        print(f"warpref report: {missing}", file=sys.stderr)
        return 2
    import render  # it is made with what has been asked for just now

    found = Found(folder, args.sm)
    for path, what in found.damaged:
        print(f"warpref report: {path}: {what}", file=sys.stderr)
    if found.empty():
        print(f"warpref report: {folder}: holds no results that can be shown; `warpref report --help` names the files",
              file=sys.stderr)
        return 2
    told = len(found.damaged)
    render.draw_studies(found)
    render.draw_runs(found)
    for path, what in found.damaged[told:]:
        print(f"warpref report: {path}: {what}", file=sys.stderr)
    out = pathlib.Path(args.out) if args.out else folder / "report.html"
    text = render.page(found, out.resolve().parent / out.name, args.title or f"Results: {folder.resolve().name}")
    replace.text(out, text)
    print(f"{out}: studies: {len(found.studies)}, claims: {len(found.claims)}, runs: {len(found.runs)}, blocks: "
          f"{sum(len(s['blocks']) for s in found.states)}, damaged files: {len(found.damaged)}")
    return 1 if found.damaged else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as problem:
        print(f"warpref report: {problem}", file=sys.stderr)
        sys.exit(2)
