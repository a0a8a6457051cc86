#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --profile` beside what else the machine tells: its sums are the counters, its waits the states of the timeline;
lines are those that issued the instruction; a run without it has the same figures, and so have more threads.

    tests/host/profile.py --program build/release/bin/warpref
"""
import collections
import csv
import json
import os
import pathlib
import re
import subprocess
import sys

import bench

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


class Machine(bench.Bench):
    def run(self, *words):
        status, out, errors = self.call("run", *words)
        if status != 0:
            raise SystemExit(f"{' '.join(map(str, words))}: {errors}")
        return out

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


def one(machine, name, options):
    job, folder = ROOT / f"kernels/{name}.yaml", machine.folder
    text = machine.run(job, *options, "--counters", "--profile", folder / "a.csv", "--timeline", folder / "t.csv",
                     "--stats", folder / "with.json")
    machine.run(job, *options, "--stats", folder / "without.json")
    machine.run(job, *options, "--threads", 3, "--profile", folder / "threads.csv")
    machine.run(job, *options, "--profile", folder / "a.txt")
    rows, counted, states = machine.rows("a.csv"), counters(text), collections.Counter()
    for row in machine.rows("t.csv"):
        states[row["state"]] += int(row["to"]) - int(row["from"])
    total = sums(rows)
    machine.same(f"{name}: issued", total["issued"], counted["sm.issued"])
    machine.same(f"{name}: lanes", total["lanes"], counted["sm.thread_insns"])
    machine.same(f"{name}: lines", total["lines"], counted["lsu.lines"])
    # a warp whose data are there while arithmetic is not has another state, but still the same wait
    machine.same(f"{name}: waits", total["wait_memory"] + total["wait_arithmetic"], states["memory"] + states["arithmetic"])
    machine.same(f"{name}: barriers", total["wait_barrier"], states["barrier"])
    machine.same(f"{name}: stores", total["wait_stores"], states["membar"])
    with_it, without = (json.loads((folder / f"{f}.json").read_text(encoding="utf-8")) for f in ("with", "without"))
    machine.same(f"{name}: the same figures without", with_it, without)
    machine.same(f"{name}: threads", (folder / "threads.csv").read_bytes(), (folder / "a.csv").read_bytes())
    whole, parts = listed((folder / "a.txt").read_text(encoding="utf-8"))
    machine.same(f"{name}: the listing's lines", parts, whole)
    machine.same(f"{name}: the listing's sum", whole["issued"], total["issued"])


def by_line(machine):
    """Each line's figures as the kernel's text says."""
    (machine.folder / "counted.cu").write_text(COUNTED, encoding="utf-8")
    (machine.folder / "counted.yaml").write_text(COUNTED_JOB, encoding="utf-8")
    machine.run(machine.folder / "counted.yaml", "--profile", machine.folder / "c.csv")
    lines = collections.defaultdict(collections.Counter)
    for row in machine.rows("c.csv"):
        line = int(row["source"].rpartition(":")[2] or 0)
        name = row["instruction"].split()
        kind = next((w.split(".")[0] for w in name if not w.startswith(("@", "!"))), "")
        lines[line, kind].update({f: int(row[f]) for f in FIGURES})
    load, bar, store = lines[8, "ld"], lines[9, "bar"], lines[11, "st"]
    machine.same("load of 8 lanes in 5 rounds of 2 blocks", (load["issued"], load["lanes"], load["lines"]), (10, 80, 80))
    machine.same("barrier", (bar["issued"], bar["lanes"]), (10, 320))
    machine.same("store", (store["issued"], store["lanes"], store["lines"]), (2, 64, 2))
    waits = sum(c["wait_memory"] for (line, _), c in lines.items() if line == 8)
    machine.same("who waits for the data is line 8", (waits > 1000, waits), (True, sums(machine.rows("c.csv"))["wait_memory"]))
    machine.run(machine.folder / "counted.yaml", "--profile", machine.folder / "c.txt")
    text = (machine.folder / "c.txt").read_text(encoding="utf-8")
    row = next((l for l in text.splitlines() if l.endswith("            sum += p[64 * threadIdx.x + i];")), "")
    machine.same("the source stands beside it", row.split()[7:8], ["8"])


def without_lines(machine):
    """PTX that names no source: the machine code."""
    machine.run(machine.folder / "counted.yaml", "--profile", machine.folder / "c.csv")
    done = subprocess.run([machine.program, "compile", machine.folder / "counted.cu", f"--emit-ptx={machine.folder}/counted.ptx"],
                          capture_output=True, text=True, check=True)
    (machine.folder / "named.ptx").write_bytes((machine.folder / "counted.ptx").read_bytes())
    ptx = [l for l in (machine.folder / "counted.ptx").read_text(encoding="utf-8").splitlines()
           if not l.lstrip().startswith((".loc", ".file"))]
    (machine.folder / "counted.ptx").write_text("\n".join(ptx), encoding="utf-8")
    (machine.folder / "ptx.yaml").write_text(COUNTED_JOB.replace("counted.cu", "counted.ptx"), encoding="utf-8")
    machine.run(machine.folder / "ptx.yaml", "--profile", machine.folder / "p.csv")
    machine.run(machine.folder / "ptx.yaml", "--profile", machine.folder / "p.txt")
    machine.same("PTX alone: the same counts", sums(machine.rows("p.csv")), sums(machine.rows("c.csv")))
    machine.same("PTX alone: no source", {r["source"] for r in machine.rows("p.csv")}, {""})
    whole, parts = listed((machine.folder / "p.txt").read_text(encoding="utf-8"))
    machine.same("PTX alone: the listing", (done.returncode, parts), (0, whole))


def several(machine):
    """Kernels of one name in several files stay apart; each has the figures of its own."""
    (machine.folder / 'a "b", c.yaml').write_text(COUNTED_JOB.replace("grid: [2]", "grid: [3]"), encoding="utf-8")
    machine.run("counted.yaml", "--with", 'a "b", c.yaml', "--with", "counted.yaml", "--profile", "w.csv")
    by_kernel = collections.defaultdict(list)
    for row in machine.rows("w.csv"):
        by_kernel[row["kernel"]].append(row)
    machine.same("several: barriers of each", {k: sum(int(r["issued"]) for r in rows if r["instruction"].startswith("bar"))
                                                for k, rows in by_kernel.items()},
                 {"counted.yaml:k": 10, 'a "b", c.yaml:k': 15, "counted.yaml#2:k": 10})
    machine.run("counted.yaml", "--with", 'a "b", c.yaml', "--profile", "w.txt")
    text = (machine.folder / "w.txt").read_text(encoding="utf-8")
    machine.same("several: the listing", re.findall(r"^kernel (.*)$", text, flags=re.M), ["counted.yaml:k", 'a "b", c.yaml:k'])


def odd_sources(machine):
    """A source that is no file, or has no end, or is too long to be one, is told, and the figures are there."""
    text = (machine.folder / "named.ptx").read_text(encoding="utf-8")
    os.mkfifo(machine.folder / "pipe.cu")
    (machine.folder / "folder.cu").mkdir()
    with open(machine.folder / "long.cu", "wb") as file:
        file.truncate(20 << 30)
    for name, why in (("pipe.cu", "not a regular file"), ("/dev/zero", "not a regular file"), ("folder.cu", "not a regular file"),
                      ("long.cu", "more than 64 MiB"), ("gone.cu", "No such file or directory")):
        (machine.folder / "odd.ptx").write_text(re.sub(r'(\.file\s+1\s+)"[^"]*"', f'\\1"{name}"', text), encoding="utf-8")
        (machine.folder / "odd.yaml").write_text(COUNTED_JOB.replace("counted.cu", "odd.ptx"), encoding="utf-8")
        machine.run("odd.yaml", "--profile", "odd.txt")
        listing = (machine.folder / "odd.txt").read_text(encoding="utf-8")
        machine.check(f"{name}: told", f"{name} (cannot be read: {why})" in listing, listing[-800:])
        whole, parts = listed(listing)
        machine.same(f"{name}: the figures", (parts, whole["issued"] > 0), (whole, True))


def library(machine):
    for name, options in KERNELS.items():
        one(machine, name, options)


if __name__ == "__main__":
    sys.exit(bench.main(__doc__, Machine, (library, by_line, without_lines, several, odd_sources)))
