#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers per thread of every kernel in kernels/, beside what ptxas needs.

  tools/registers.py                     prints the table
  tools/registers.py --aim               1 where the aim of docs/registers.md is missed
  tools/registers.py --write             puts the table into docs/registers.md
  tools/registers.py --measure PTXAS     runs that ptxas and records its counts in
                                         tests/compiler/ptxas.csv

Only --measure needs ptxas. It gets the PTX text that our compiler gets, and the same limit of 63
registers; it takes 64-bit PTX only, so that is where the two are compared.
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import replace

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "tests/compiler/ptxas.csv")
PAGE = os.path.join(ROOT, "docs/registers.md")
START, END = "<!-- registers -->\n", "<!-- /registers -->\n"
ARCH, LIMIT, AIM = "sm_75", 63, 1.15


def files():
    folder = os.path.join(ROOT, "kernels")
    return sorted(os.path.join(folder, f) for f in os.listdir(folder) if f.endswith(".cu"))


def compile_file(warpref, path, size, *more):
    out = subprocess.run([warpref, "compile", "--json", "--max-regs", str(LIMIT),
                          "--address-size", str(size), *more, path],
                         capture_output=True, text=True, check=False)
    if out.returncode != 0:
        sys.exit(f"registers: {path} does not compile: {out.stderr.strip()}")
    return json.loads(out.stdout)["kernels"]


def measure(warpref, ptxas):
    version = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True)
    release = re.search(r"V[0-9.]+", version.stdout).group(0)
    rows = []
    for path in files():
        with tempfile.TemporaryDirectory() as folder:
            ptx = os.path.join(folder, "k.ptx")
            compile_file(warpref, path, 64, "--emit-ptx", ptx)
            out = subprocess.run([ptxas, f"-arch={ARCH}", "-v", f"--maxrregcount={LIMIT}", ptx,
                                  "-o", os.path.join(folder, "k.cubin")],
                                 capture_output=True, text=True, check=False)
        if out.returncode != 0:
            sys.exit(f"registers: ptxas refuses {path}: {out.stderr.strip()}")
        for part in out.stderr.split("Compiling entry function '")[1:]:
            stores = int(re.search(r"(\d+) bytes spill stores", part).group(1))
            loads = int(re.search(r"(\d+) bytes spill loads", part).group(1))
            registers = int(re.search(r"Used (\d+) registers", part).group(1))
            rows.append((part.split("'")[0], registers, stores + loads))
    replace.text(RECORD, f"# ptxas {release} -arch={ARCH} --maxrregcount={LIMIT}, 64-bit PTX of clang 14\n"
                 "kernel,registers,spill_bytes\n" + "".join("{},{},{}\n".format(*row) for row in sorted(rows)))


def recorded():
    with open(RECORD, encoding="utf-8") as f:
        what = f.readline().lstrip("# ").strip()
        return what, {r["kernel"]: (int(r["registers"]), int(r["spill_bytes"]))
                      for r in csv.DictReader(f)}


def mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else 0.0


def table(warpref):
    """The table's text, and what of the aim is missed."""
    what, other = recorded()
    by_size = {size: {k["name"]: k for path in files() for k in compile_file(warpref, path, size)}
               for size in (32, 64)}
    ratios, missed = [], []
    lines = ["| kernel | 32-bit | spilled, B | 64-bit | spilled, B | ptxas, 64-bit | spilled, B | "
             "64-bit / ptxas |", "|---|---|---|---|---|---|---|---|"]
    for name in sorted(by_size[64]):
        small, wide = by_size[32][name], by_size[64][name]
        row = [f"`{name}`", small["registers"], small["spill_bytes"], wide["registers"],
               wide["spill_bytes"]]
        if name in other:
            registers, spilled = other[name]
            ratios.append(wide["registers"] / registers)
            row += [registers, spilled, f"{ratios[-1]:.2f}"]
            if spilled == 0 and (wide["spill_bytes"] > 0 or small["spill_bytes"] > 0):
                missed.append(f"{name} spills, with ptxas it does not")
        else:
            row += ["", "", ""]
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
    lines += ["", f"ptxas: {what}. Geometric mean of the last column over {len(ratios)} kernels: "
              f"**{mean(ratios):.3f}**."]
    if not ratios:
        missed.append("no kernel has a count to compare with")
    if mean(ratios) > AIM:
        missed.append(f"the geometric mean is {mean(ratios):.3f}, above {AIM}")
    return "\n".join(lines) + "\n", missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warpref", default=os.path.join(ROOT, "build/release/bin/warpref"))
    parser.add_argument("--aim", action="store_true", help="exit status 1 where it is missed")
    parser.add_argument("--write", action="store_true", help="into docs/registers.md")
    parser.add_argument("--measure", metavar="PTXAS", help="record the counts of this ptxas")
    options = parser.parse_args()
    if options.measure:
        measure(options.warpref, options.measure)
    text, missed = table(options.warpref)
    if options.write:
        with open(PAGE, encoding="utf-8") as f:
            page = f.read()
        head, rest = page.split(START)
        replace.text(PAGE, head + START + text + END + rest.split(END)[1])
    else:
        print(text, end="")
    for line in missed:
        print("registers:", line, file=sys.stderr)
    return 1 if options.aim and missed else 0


if __name__ == "__main__":
    sys.exit(main())
