#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --fast-forward`: what is executed without time gives the outputs of a timed run, instruction for instruction; what
is timed behind it is right, with systems too; clocks, barriers of a grid and locks get on; faults, deadlocks and loops
without end are told; the L2 is warm, and nothing else.

    tests/host/forward.py --program build/release/bin/warpref
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Whose number of instructions does not depend on the order in which TBs run.
KERNELS = ["reduction", "scan", "matrixmul", "bfs_kernel1", "dct8x8", "histogram256", "floyd_warshall", "spmv_csr",
           "binomial_options", "inline_math", "lavamd"]
SYSTEMS = ["preemption:period=3000", "preemption:period=3000,scheme=drain", "duet", "virtual_thread", "smk", "spart",
           "drf", "ccbp", "haws", "locality", "owl", "preexecution"]
# A name, and what its kernel does with p; grid 4, block 64, as many TBs on the machine as it takes.
SOURCE = """#include "cuda.h"
// Each TB waits for all others: only TBs that are there together get on.
extern "C" __global__ void meet(int *p)
{
    if (threadIdx.x == 0) {
        atomicAdd(p, 1);
        while (*(volatile int *)p < (int)gridDim.x)
            ;
    }
    __syncthreads();
    p[1 + blockIdx.x * 64 + threadIdx.x] = *(volatile int *)p;
}
// Lanes of other warps hold the lock.
extern "C" __global__ void locked(int *p)
{
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(p, 0, 1) != 0)
            ;
        int v = *(volatile int *)(p + 1);
        for (int i = 0; i < 100; i++)
            v = v * 5 + 1;
        *(volatile int *)(p + 1) = v;
        __threadfence();
        atomicExch(p, 0);
    }
}
// Ends when the clock has moved.
extern "C" __global__ void waits(int *p)
{
    long long from = clock64();
    while (clock64() - from < 5000)
        ;
    p[blockIdx.x * 64 + threadIdx.x] = 7;
}
extern "C" __global__ void never(int *p)
{
    while (*(volatile int *)p == 0)
        ;
}
extern "C" __global__ void apart(int *p)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, 64;");
    else
        asm volatile("bar.sync 2, 64;");
    p[0] = 1;
}
extern "C" __global__ void outside(int *p)
{
    p[(threadIdx.x == 37 && blockIdx.x == 2) * 100000000] = 3;
}
extern "C" __global__ void says(int *p)
{
    if (threadIdx.x == 5)
        printf("block %d\\n", blockIdx.x);
    p[0] = 0;
}
extern "C" __global__ void sum(int *p)
{
    int v = 0;
    for (int i = threadIdx.x; i < 4096; i += 64)
        v += p[i];
    p[4096 + blockIdx.x * 64 + threadIdx.x] = v;
}
"""


def job(kernel, more="", grid=4):
    entry = f"  - {{kernel: {kernel}, grid: [{grid}], block: [64], args: [buffer: p]{more}}}\n"
    return ("module: forward.cu\nbuffers:\n  - {name: p, type: s32, count: 8192, contents: zeros}\nlaunches:\n" + entry)


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        self.passed, self.failed = 0, 0
        (self.folder / "forward.cu").write_text(SOURCE, encoding="utf-8")

    def check(self, what, good, why=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {what}: {why}")

    def same(self, what, got, want):
        self.check(what, got == want, f"{got}, not {want}")

    def run(self, *words):
        """Exit status, the report (None: there is none) and standard error."""
        done = subprocess.run([self.program, "run", *map(str, words), "--json"], capture_output=True, text=True,
                              check=False, cwd=self.folder)
        return done.returncode, json.loads(done.stdout) if done.stdout else None, done.stderr

    def passes(self, what, *words):
        status, report, errors = self.run(*words)
        self.same(what, (status, report["pass"] if report else errors), (0, True))
        return report

    def job(self, kernel, more="", grid=4):
        path = self.folder / f"{kernel}.yaml"
        path.write_text(job(kernel, more, grid), encoding="utf-8")
        return path


def instructions(report):
    return sum(launch["warp_instructions"] for launch in report["launches"])


def against_time(bench):
    for name in KERNELS:
        path = ROOT / f"kernels/{name}.yaml"
        _, timed, _ = bench.run(path)
        all_of_it, some = instructions(timed), max(1, instructions(timed) // 3)
        tbs = sum(launch["tbs"] for launch in timed["launches"])
        for words in (["all"], [some], [some, "--threads", "2"], [some, "--config", "maxwell"]):
            what = f"{name} --fast-forward {' '.join(map(str, words))}"
            status, report, errors = bench.run(path, "--fast-forward", *words)
            if report is None:
                bench.check(what, False, errors)
                continue
            done = report["fast_forward"]
            bench.same(f"{what}: status", (status, report["pass"]), (0, True))
            bench.same(f"{what}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
            bench.same(f"{what}: TBs", done["tbs"], sum(launch["tbs_without_time"] for launch in report["launches"]))
            bench.same(f"{what}: all TBs", sum(launch["tbs"] for launch in report["launches"]), tbs)
            if "maxwell" not in words:
                bench.same(f"{what}: instructions", done["warp_instructions"] + instructions(report), all_of_it)
            bench.same(f"{what}: counted", report["counters"]["sm.issued"], instructions(report))
            bench.same(f"{what}: counted TBs", report["counters"]["sm.tbs_done"], tbs - done["tbs"])
            if words == ["all"]:
                bench.same(f"{what}: time", (report["cycles"], done["time_began"]), (0, False))
            else:
                bench.check(f"{what}: at least that many", done["warp_instructions"] >= some, done)


def with_systems(bench):
    path = ROOT / "kernels/mm2.yaml"
    _, timed, _ = bench.run(path)
    for system in SYSTEMS:
        # The second launch is the first one's equal, and all of it is timed: so it begins as a run does.
        status, report, errors = bench.run(path, "--fast-forward", "mm2:2", "--system", system)
        if report is None:
            bench.check(system, False, errors)
            continue
        bench.same(f"{system}: status", (status, report["pass"]), (0, True))
        bench.same(f"{system}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
        bench.same(f"{system}: timed", (report["launches"][0]["cycles"], report["launches"][1]["begun"]), (0, 0))
        bench.check(f"{system}: cycles", report["cycles"] > 0, report["cycles"])
        # In the middle of a launch: the system is told of it when time begins.
        report = bench.passes(f"{system}: in the middle", ROOT / "kernels/vecadd.yaml", "--fast-forward", "400000",
                              "--system", system)
        bench.check(f"{system}: both ways", report and 0 < report["launches"][0]["tbs_without_time"] < 3907, report)
    bench.passes("lockstep", path, "--fast-forward", "mm2:2", "--system", "haws", "--blocks", "lockstep", "--set", "sms=2")


def waiting(bench):
    for kernel in ("meet", "locked", "waits", "says", "sum"):
        path = bench.job(kernel)
        _, timed, _ = bench.run(path)
        status, report, errors = bench.run(path, "--fast-forward", "all")
        if report is None:
            bench.check(kernel, False, errors)
            continue
        bench.same(f"{kernel}: status", status, 0)
        bench.same(f"{kernel}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
    # Text in the order in which it is printed.
    bench.same("says", sorted(bench.run(bench.job("says"), "--fast-forward", "all")[2].splitlines()),
               [f"block {i}" for i in range(4)])
    # Of more TBs than fit, those that come wait for those that cannot.
    status, _, errors = bench.run(bench.job("meet", grid=5000), "--fast-forward", "all", "--max-cycles", "20000")
    bench.same("meet, too many: status", status, 1)
    bench.check("meet, too many: text", "has not ended after" in errors and "fast-forward" in errors, errors)
    for kernel, text in (("never", "instructions a warp of fast-forward, 0 of 4 TBs are done"),
                         ("apart", "deadlock in kernel apart"),
                         ("outside", "kernel outside")):
        words = ["--max-cycles", "20000"]
        status, _, errors = bench.run(bench.job(kernel), "--fast-forward", "all", *words)
        bench.same(f"{kernel}: status", status, 1)
        bench.check(f"{kernel}: text", text in errors, errors)
    timed = bench.run(bench.job("outside"))[2]
    bench.same("outside: the fault of a timed run", bench.run(bench.job("outside"), "--fast-forward", "all")[2], timed)


def warmth(bench):
    path = bench.job("sum", more=", repeat: 3", grid=1)
    one = ["--set", "sms=1"]
    _, cold, _ = bench.run(bench.job("sum", grid=1), *one)
    path = bench.job("sum", more=", repeat: 3", grid=1)
    _, warm, _ = bench.run(path, "--fast-forward", "sum:3", *one)
    lines = 4096 * 4 // 128
    bench.same("lines that were read and written", warm["fast_forward"]["warm_lines"], lines + 2)
    bench.check("cold: all lines come from DRAM", cold["counters"]["dram.read_bytes"] >= lines * 128,
                cold["counters"]["dram.read_bytes"])
    bench.check("warm: none does, but code", warm["counters"]["dram.read_bytes"] < lines * 128 // 4,
                warm["counters"]["dram.read_bytes"])
    bench.check("warm: sooner", warm["cycles"] < cold["cycles"], (warm["cycles"], cold["cycles"]))
    # More lines than the L2 has: it is full.
    full = bench.passes("full", ROOT / "kernels/vecadd.yaml", "--fast-forward", "400000")
    bench.same("full: lines", full and full["fast_forward"]["warm_lines"], 768 * 1024 // 128)
    # The L1 is cold: its misses are the same.
    bench.same("L1", warm["counters"]["l1.misses"], cold["counters"]["l1.misses"])


def refused(bench):
    path = bench.job("sum")
    for words, text in ((["0"], "takes a number of warp instructions"), ([":2"], "takes a number"),
                        (["sum:0"], "takes a number"), (["12x"], "takes a number"),
                        (["nothing"], "'nothing' is no number, not 'all', and no kernel that is launched"),
                        (["sum:2"], "kernel 'sum' was not launched 2 times, so nothing was timed"),
                        (["all", "--for", "1000"], "--for counts cycles"),
                        (["5", "--resume", "x"], "leave --fast-forward out"),
                        (["5", "--fast-forward", "6"], "given twice")):
        status, _, errors = bench.run(path, "--fast-forward", *words)
        bench.same(f"{words}: status", status, 2)
        bench.check(f"{words}: text", text in errors, errors)


def parts(bench):
    """It goes with a window, and with a checkpoint behind it."""
    report = bench.passes("window", ROOT / "kernels/mm2.yaml", "--fast-forward", "50000", "--for", "40000")
    bench.same("window: cycles", report and report["cycles"], 40000)
    path = ROOT / "kernels/vecadd.yaml"
    status, _, errors = bench.run(path, "--fast-forward", "200000", "--checkpoint-at", "9000", "--checkpoint", "c.ckpt")
    bench.same("checkpoint", (status, errors), (0, ""))
    bench.passes("resumed", path, "--resume", "c.ckpt")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    program = pathlib.Path(parser.parse_args().program).resolve()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(program, folder)
        for part in (against_time, with_systems, waiting, warmth, refused, parts):
            part(bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 0 if bench.failed == 0 and bench.passed != 0 else 1


if __name__ == "__main__":
    sys.exit(main())
