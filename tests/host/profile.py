#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --profile` beside what else the machine tells: its sums are the counters, its waits the states of the timeline;
lines are those that issued the instruction; a run without it has the same figures, and so have more threads.

    tests/host/profile.py --program build/release/bin/warpref
"""
import argparse
import collections
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = {"reduction": [], "bfs_kernel1": ["--config", "maxwell"], "dct8x8": ["--config", "k20x"],
           "spmv_csr": ["--config", "gtx980", "--system", "preemption:period=3000"],
           "histogram256": ["--config", "hd7970"], "floyd_warshall": ["--set", "sms=2"]}
# One warp: a loop of 5 rounds of which lanes 0 to 7 do the load, each lane in a line of its own.
COUNTED = """#include "cuda.h"
extern "C" __global__ void k(int *p)
{
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 5; i++) {
        if (threadIdx.x < 8)
            sum += p[64 * threadIdx.x + i];
        __syncthreads();
    }
    p[threadIdx.x] = sum;
}
"""
COUNTED_JOB = """module: counted.cu
buffers:
  - {name: p, type: s32, count: 4096, contents: iota}
launches:
  - {kernel: k, grid: [2], block: [32], args: [buffer: p]}
"""
FIGURES = ["issued", "lanes", "lines", "wait_memory", "wait_arithmetic", "wait_barrier", "wait_stores"]


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.passed, self.failed = 0, 0

    def check(self, what, got, want):
        if got == want:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {got}, not {want}")

    def run(self, *words):
        done = subprocess.run([self.program, "run", *map(str, words)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def rows(self, name):
        with open(self.folder / name, encoding="utf-8") as file:
            return list(csv.DictReader(file))


def counters(text):
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) > 1 and re.fullmatch(r"[a-z0-9_.]+", words[0]) and words[1].isdigit():
            found.setdefault(words[0], int(words[1]))
    return found


def sums(rows):
    return {name: sum(int(row[name]) for row in rows) for name in FIGURES}


def listed(text):
    """Of the listing: the rows "all", and the sums of the other rows."""
    whole, parts = collections.Counter(), collections.Counter()
    for line in text.splitlines():
        words = line.split()
        if len(words) > 7 and all(w.replace(".", "", 1).isdigit() for w in words[:7]):
            into = whole if words[7:] == ["all"] else parts
            for name, word in zip(FIGURES, words[:7]):
                into[name] += float(word) if name == "lanes" else int(word)
    del whole["lanes"], parts["lanes"]
    return whole, parts


def library(bench, name, options):
    job, folder = ROOT / f"kernels/{name}.yaml", bench.folder
    text = bench.run(job, *options, "--counters", "--profile", folder / "a.csv", "--timeline", folder / "t.csv",
                     "--stats", folder / "with.json")
    bench.run(job, *options, "--stats", folder / "without.json")
    bench.run(job, *options, "--threads", 3, "--profile", folder / "threads.csv")
    bench.run(job, *options, "--profile", folder / "a.txt")
    rows, counted, states = bench.rows("a.csv"), counters(text), collections.Counter()
    for row in bench.rows("t.csv"):
        states[row["state"]] += int(row["to"]) - int(row["from"])
    total = sums(rows)
    bench.check(f"{name}: issued", total["issued"], counted["sm.issued"])
    bench.check(f"{name}: lanes", total["lanes"], counted["sm.thread_insns"])
    bench.check(f"{name}: lines", total["lines"], counted["lsu.lines"])
    # a warp whose data are there while arithmetic is not has another state, but still the same wait
    bench.check(f"{name}: waits", total["wait_memory"] + total["wait_arithmetic"], states["memory"] + states["arithmetic"])
    bench.check(f"{name}: barriers", total["wait_barrier"], states["barrier"])
    bench.check(f"{name}: stores", total["wait_stores"], states["membar"])
    with_it, without = (json.loads((folder / f"{f}.json").read_text(encoding="utf-8")) for f in ("with", "without"))
    bench.check(f"{name}: the same figures without", with_it, without)
    bench.check(f"{name}: threads", (folder / "threads.csv").read_bytes(), (folder / "a.csv").read_bytes())
    whole, parts = listed((folder / "a.txt").read_text(encoding="utf-8"))
    bench.check(f"{name}: the listing's lines", parts, whole)
    bench.check(f"{name}: the listing's sum", whole["issued"], total["issued"])


def by_line(bench):
    """Each line's figures as the kernel's text says."""
    (bench.folder / "counted.cu").write_text(COUNTED, encoding="utf-8")
    (bench.folder / "counted.yaml").write_text(COUNTED_JOB, encoding="utf-8")
    bench.run(bench.folder / "counted.yaml", "--profile", bench.folder / "c.csv")
    lines = collections.defaultdict(collections.Counter)
    for row in bench.rows("c.csv"):
        line = int(row["source"].rpartition(":")[2] or 0)
        name = row["instruction"].split()
        kind = next((w.split(".")[0] for w in name if not w.startswith(("@", "!"))), "")
        lines[line, kind].update({f: int(row[f]) for f in FIGURES})
    load, bar, store = lines[8, "ld"], lines[9, "bar"], lines[11, "st"]
    bench.check("load of 8 lanes in 5 rounds of 2 blocks", (load["issued"], load["lanes"], load["lines"]), (10, 80, 80))
    bench.check("barrier", (bar["issued"], bar["lanes"]), (10, 320))
    bench.check("store", (store["issued"], store["lanes"], store["lines"]), (2, 64, 2))
    waits = sum(c["wait_memory"] for (line, _), c in lines.items() if line == 8)
    bench.check("who waits for the data is line 8", (waits > 1000, waits), (True, sums(bench.rows("c.csv"))["wait_memory"]))
    bench.run(bench.folder / "counted.yaml", "--profile", bench.folder / "c.txt")
    text = (bench.folder / "c.txt").read_text(encoding="utf-8")
    row = next((l for l in text.splitlines() if l.endswith("            sum += p[64 * threadIdx.x + i];")), "")
    bench.check("the source stands beside it", row.split()[7:8], ["8"])


def without_lines(bench):
    """PTX that names no source: the machine code."""
    bench.run(bench.folder / "counted.yaml", "--profile", bench.folder / "c.csv")
    done = subprocess.run([bench.program, "compile", bench.folder / "counted.cu", f"--emit-ptx={bench.folder}/counted.ptx"],
                          capture_output=True, text=True, check=True)
    ptx = [l for l in (bench.folder / "counted.ptx").read_text(encoding="utf-8").splitlines()
           if not l.lstrip().startswith((".loc", ".file"))]
    (bench.folder / "counted.ptx").write_text("\n".join(ptx), encoding="utf-8")
    (bench.folder / "ptx.yaml").write_text(COUNTED_JOB.replace("counted.cu", "counted.ptx"), encoding="utf-8")
    bench.run(bench.folder / "ptx.yaml", "--profile", bench.folder / "p.csv")
    bench.run(bench.folder / "ptx.yaml", "--profile", bench.folder / "p.txt")
    bench.check("PTX alone: the same counts", sums(bench.rows("p.csv")), sums(bench.rows("c.csv")))
    bench.check("PTX alone: no source", {r["source"] for r in bench.rows("p.csv")}, {""})
    whole, parts = listed((bench.folder / "p.txt").read_text(encoding="utf-8"))
    bench.check("PTX alone: the listing", (done.returncode, parts), (0, whole))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(args.program, folder)
        for name, options in KERNELS.items():
            library(bench, name, options)
        by_line(bench)
        without_lines(bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 0 if bench.failed == 0 and bench.passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
