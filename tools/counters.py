#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/counters.md, from the counters that a run has.

  tools/counters.py            prints them
  tools/counters.py --check    exit status 1 where docs/counters.md has others
  tools/counters.py --write    puts them into docs/counters.md
"""
import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile

import replace

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs/counters.md")
START, END = "<!-- counters -->\n", "<!-- /counters -->\n"
# A kernel that has work for every part.
LAUNCH = os.path.join(ROOT, "kernels/matrixmul.yaml")
NUMBERED = re.compile(r"\b(sm|sched|tb|out|bank|ch)\d+\b")


def rows(warpref):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "stats.csv")
        out = subprocess.run([warpref, "run", LAUNCH, "--stats", path], capture_output=True,
                             text=True, check=False)
        if out.returncode != 0:
            sys.exit(f"counters: the run failed: {out.stdout}{out.stderr}")
        with open(path, encoding="utf-8") as f:
            return list(csv.DictReader(f))


def tables(warpref):
    sums, derived, bins, parts = {}, {}, {}, {}
    for row in rows(warpref):
        name = NUMBERED.sub(r"\1N", row["name"])
        name = re.sub(r"^kernel\.[^.]+", "kernel.NAME", name)
        if ".from_" in name:
            bins[name.split(".from_")[0] + ".from_T"] = row["doc"]
        elif row["unit"]:
            derived[name] = f"{row['unit']} | {row['doc']}"
        elif name != row["name"]:
            parts[name] = row["doc"]
        else:
            sums[name] = row["doc"]
    if not (sums and derived and bins and parts):
        sys.exit("counters: the run has too few of them")
    text = ""
    for title, head, table in (
            ("Sums over the GPU", "counter | what", sums),
            ("Ratios and means", "name | unit | what", derived),
            ("Histograms", "name | what", bins),
            ("Parts", "counter | what", parts)):
        text += f"### {title}\n\n| {head} |\n|{'---|' * (head.count('|') + 1)}\n"
        text += "".join(f"| `{name}` | {what} |\n" for name, what in table.items()) + "\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpref", default=os.path.join(ROOT, "build/release/bin/warpref"))
    parser.add_argument("--check", action="store_true", help="exit status 1 where the page differs")
    parser.add_argument("--write", action="store_true", help="into docs/counters.md")
    options = parser.parse_args()
    text = tables(options.warpref)
    with open(PAGE, encoding="utf-8") as f:
        head, rest = f.read().split(START)
    old, tail = rest.split(END)
    if options.write:
        replace.text(PAGE, head + START + text + END + tail)
    elif not options.check:
        print(text, end="")
    elif old != text:
        print("counters: docs/counters.md is not what the program counts; "
              "run tools/counters.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
