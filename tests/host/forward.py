#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`run --fast-forward`: what is executed without time gives the outputs of a timed run, instruction for instruction; what
is timed behind it is right, with systems too; clocks, barriers of a grid and locks get on; faults, deadlocks and loops
without end are told; the L2 is warm, and nothing else.

    tests/host/forward.py --program build/release/bin/warpref

Every third of the kernels and systems is run, with WARPREF_LONG in the environment all.
"""
import json
import os
import pathlib
import sys

import bench

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EVERY = 1 if "WARPREF_LONG" in os.environ else 3
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
// Of turn after turn: the clock never goes back.
extern "C" __global__ void ticks(int *p)
{
    long long last = clock64();
    int good = 1;
    for (int i = 0; i < 3000; i++) {
        long long now = clock64();
        good &= now > last;
        last = now;
    }
    p[blockIdx.x * 64 + threadIdx.x] = good;
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
// Of which launch it is: p[p[0]] = n, in the order in which they run.
extern "C" __global__ void order(int *p, int n)
{
    p[++p[0]] = n;
}
extern "C" __global__ void spins(int *p, int n)
{
    while (*(volatile int *)p == 0 && clock64() < n)
        ;
}
template <int N> __global__ void plain(int *p, int n)
{
    p[++p[0]] = n + N;
}
template __global__ void plain<0>(int *p, int n);
template __global__ void plain<100>(int *p, int n);
extern "C" __global__ void other(int *p, int n)
{
    p[++p[0]] = n;
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
extern "C" __global__ void fill(int *p)
{
    for (int i = threadIdx.x; i < 4096; i += 64)
        p[4096 + i] = i;
}
"""


def job(kernel, more="", grid=4):
    entry = f"  - {{kernel: {kernel}, grid: [{grid}], block: [64], args: [buffer: p]{more}}}\n"
    return ("module: forward.cu\nbuffers:\n  - {name: p, type: s32, count: 8192, contents: zeros}\nlaunches:\n" + entry)


class Machine(bench.Bench):
    def __init__(self, program, folder):
        super().__init__(program, folder)
        (self.folder / "forward.cu").write_text(SOURCE, encoding="utf-8")

    def run(self, *words):
        """Exit status, the report (None: there is none) and standard error."""
        status, out, errors = self.call("run", *words, "--json")
        return status, json.loads(out) if out else None, errors

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


def against_time(machine):
    for name in KERNELS[::EVERY]:
        path = ROOT / f"kernels/{name}.yaml"
        _, timed, _ = machine.run(path)
        all_of_it, some = instructions(timed), max(1, instructions(timed) // 3)
        tbs = sum(launch["tbs"] for launch in timed["launches"])
        for words in (["all"], [some], [some, "--threads", "2"], [some, "--config", "maxwell"]):
            what = f"{name} --fast-forward {' '.join(map(str, words))}"
            status, report, errors = machine.run(path, "--fast-forward", *words)
            if report is None:
                machine.check(what, False, errors)
                continue
            done = report["fast_forward"]
            machine.same(f"{what}: status", (status, report["pass"]), (0, True))
            machine.same(f"{what}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
            machine.same(f"{what}: TBs", done["tbs"], sum(launch["tbs_without_time"] for launch in report["launches"]))
            machine.same(f"{what}: all TBs", sum(launch["tbs"] for launch in report["launches"]), tbs)
            if "maxwell" not in words:
                machine.same(f"{what}: instructions", done["warp_instructions"] + instructions(report), all_of_it)
            machine.same(f"{what}: counted", report["counters"]["sm.issued"], instructions(report))
            machine.same(f"{what}: counted TBs", report["counters"]["sm.tbs_done"], tbs - done["tbs"])
            if words == ["all"]:
                machine.same(f"{what}: time", (report["cycles"], done["time_began"]), (0, False))
            else:
                machine.check(f"{what}: at least that many", done["warp_instructions"] >= some, done)


def with_systems(machine):
    path = ROOT / "kernels/mm2.yaml"
    _, timed, _ = machine.run(path)
    for system in SYSTEMS[EVERY - 1::EVERY]:
        # The second launch is the first one's equal, and all of it is timed: so it begins as a run does.
        status, report, errors = machine.run(path, "--fast-forward", "mm2:2", "--system", system)
        if report is None:
            machine.check(system, False, errors)
            continue
        machine.same(f"{system}: status", (status, report["pass"]), (0, True))
        machine.same(f"{system}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
        machine.same(f"{system}: timed", (report["launches"][0]["cycles"], report["launches"][1]["begun"]), (0, 0))
        machine.check(f"{system}: cycles", report["cycles"] > 0, report["cycles"])
        if system == "haws":  # it hears of warps that stall
            machine.check("haws: stalls", report["measured"]["stalls"]["value"] > 0, report["measured"])
        # In the middle of a launch: the system is told of it when time begins.
        report = machine.passes(f"{system}: in the middle", ROOT / "kernels/vecadd.yaml", "--fast-forward", "400000",
                              "--system", system)
        machine.check(f"{system}: both ways", report and 0 < report["launches"][0]["tbs_without_time"] < 3907, report)
    machine.passes("lockstep", path, "--fast-forward", "mm2:2", "--system", "haws", "--blocks", "lockstep", "--set", "sms=2")


def waiting(machine):
    for kernel in ("meet", "locked", "waits", "ticks", "says", "sum"):
        path = machine.job(kernel)
        _, timed, _ = machine.run(path)
        status, report, errors = machine.run(path, "--fast-forward", "all")
        if report is None:
            machine.check(kernel, False, errors)
            continue
        machine.same(f"{kernel}: status", status, 0)
        machine.same(f"{kernel}: outputs", report["buffer_hashes"], timed["buffer_hashes"])
    # Text in the order in which it is printed.
    machine.same("says", sorted(machine.run(machine.job("says"), "--fast-forward", "all")[2].splitlines()),
               [f"block {i}" for i in range(4)])
    # Of more TBs than fit, those that come wait for those that cannot.
    status, _, errors = machine.run(machine.job("meet", grid=5000), "--fast-forward", "all", "--max-cycles", "20000")
    machine.same("meet, too many: status", status, 1)
    machine.check("meet, too many: text", "has not ended after" in errors and "fast-forward" in errors, errors)
    for kernel, text in (("never", "instructions a warp of fast-forward, 0 of 4 TBs are done; the limit is 20000"),
                         ("apart", "deadlock in kernel apart"),
                         ("outside", "kernel outside")):
        words = ["--max-cycles", "20000"]
        status, _, errors = machine.run(machine.job(kernel), "--fast-forward", "all", *words)
        machine.same(f"{kernel}: status", status, 1)
        machine.check(f"{kernel}: text", text in errors, errors)
    timed = machine.run(machine.job("outside"))[2]
    machine.same("outside: the fault of a timed run", machine.run(machine.job("outside"), "--fast-forward", "all")[2], timed)


def arrivals(machine):
    """Launches that arrive at a cycle: in the order of their cycles, and counted in that order."""
    def file(*launches):
        rows = "".join(f"  - {{kernel: {kernel}, grid: [1], block: [1], args: [buffer: p, {{type: s32, value: {n}}}], stream: s{stream}{more}}}\n"
                       for kernel, n, stream, more in launches)
        (machine.folder / "at.yaml").write_text("module: forward.cu\nbuffers:\n  - {name: p, type: s32, count: 8, contents: zeros}\n"
                                                "outputs:\n  - {buffer: p, file: p.txt}\nlaunches:\n" + rows, encoding="utf-8")
        return machine.folder / "at.yaml"

    def ran():
        return [int(word) for word in (machine.folder / "p.txt").read_text(encoding="utf-8").split()][1:]
    path = file(("order", 1, 0, ", at: 30000"), ("order", 2, 0, ""), ("other", 3, 1, ", at: 20000"), ("order", 4, 2, ", at: 10000"),
                ("other", 5, 3, ""))
    machine.passes("in time", path)
    timed = ran()
    machine.same("in time: order", timed[:5], [5, 4, 3, 1, 2])
    for words, begun, tbs in (("all", None, 5), ("order", 10000, 1), ("order:2", 30000, 3), ("order:3", 0, 4),
                                    ("other:2", 20000, 2)):
        report = machine.passes(f"at, --fast-forward {words}", path, "--fast-forward", words)
        if report:
            begins = [launch["begun"] for launch in report["launches"] if not launch["tbs_without_time"]]
            machine.same(f"at, {words}: order", ran(), timed)
            machine.same(f"at, {words}: without time", report["fast_forward"]["tbs"], tbs)
            machine.same(f"at, {words}: time begins with", min(begins, default=None), begun)
    for words in ("order:4", "other:3"):
        status, _, errors = machine.run(path, "--fast-forward", words)
        machine.same(f"at, {words}: status", status, 2)
        machine.check(f"at, {words}: text", "times, so nothing was timed; these were launched: other (2), order (3)" in errors, errors)
    # As in the source: both instances.
    path = file(("_Z5plainILi0EEvPii", 1, 0, ""), ("_Z5plainILi100EEvPii", 2, 0, ""), ("_Z5plainILi0EEvPii", 3, 0, ""))
    for words, tbs in (("plain", 0), ("plain:2", 1), ("plain:3", 2), ("_Z5plainILi100EEvPii", 1), ("_Z5plainILi0EEvPii:2", 2)):
        report = machine.passes(f"--fast-forward {words}", path, "--fast-forward", words)
        machine.same(f"--fast-forward {words}", report and report["fast_forward"]["tbs"], tbs)
    # One that spins until a later one has come.
    path = file(("spins", 9999999, 0, ""), ("order", 2, 1, ", at: 100000"))
    machine.passes("spins until another comes", path, "--fast-forward", "all")
    # No longer than the limit, which is looked at where something is left to do.
    path = file(("order", 1, 0, ", at: 30000"))
    for words in (["--fast-forward", "all"], []):
        status, _, errors = machine.run(path, *words, "--max-cycles", "20000")
        machine.same(f"{words}, behind the limit: status", status, 1)
        machine.check(f"{words}, behind the limit: text", f"the limit of 20000 {'instructions a warp' if words else 'cycles'}" in errors and
                      "was reached before kernel order began" in errors, errors)
    path = file(("order", 1, 0, ""))
    machine.passes("it ends behind the limit", path, "--fast-forward", "all", "--max-cycles", "5")
    path = file(("order", 1, 0, ""), ("order", 2, 0, ""))
    status, _, errors = machine.run(path, "--fast-forward", "all", "--max-cycles", "5")
    machine.check("one is left", status == 1 and "the limit of 5 instructions a warp of fast-forward was reached before kernel order began" in errors,
                  (status, errors))
    # The clock has passed both before it is looked at: the earlier one begins without time, and the other one in time.
    path = file(("spins", 5000, 0, ""), ("order", 2, 1, ", at: 300"), ("order", 3, 2, ", at: 200"))
    report = machine.passes("two at once", path, "--fast-forward", "order:2")
    machine.same("two at once", report and [launch["begun"] for launch in report["launches"]], [0, 300, 0])


def warmth(machine):
    path = machine.job("sum", more=", repeat: 3", grid=1)
    one = ["--set", "sms=1"]
    _, cold, _ = machine.run(machine.job("sum", grid=1), *one)
    path = machine.job("sum", more=", repeat: 3", grid=1)
    _, warm, _ = machine.run(path, "--fast-forward", "sum:3", *one)
    lines = 4096 * 4 // 128
    machine.same("lines that were read and written", warm["fast_forward"]["warm_lines"], lines + 2)
    machine.check("cold: all lines come from DRAM", cold["counters"]["dram.read_bytes"] >= lines * 128,
                cold["counters"]["dram.read_bytes"])
    machine.check("warm: none does, but code", warm["counters"]["dram.read_bytes"] < lines * 128 // 4,
                warm["counters"]["dram.read_bytes"])
    machine.check("warm: sooner", warm["cycles"] < cold["cycles"], (warm["cycles"], cold["cycles"]))
    # What was written is dirty: where other lines take the place of 128 of 192 it goes to DRAM.
    path = machine.folder / "dirty.yaml"
    path.write_text(job("fill", grid=1) + job("sum", grid=1).splitlines()[-1] + "\n", encoding="utf-8")
    report = machine.passes("dirty", path, "--fast-forward", "sum", *one, "--set", f"l2.bytes={192 * 128}")
    machine.check("dirty: lines are written back", report and report["counters"]["l2.write_backs"] > 30,
                  report and report["counters"]["l2.write_backs"])
    # More lines than the L2 has: it is full.
    full = machine.passes("full", ROOT / "kernels/vecadd.yaml", "--fast-forward", "400000")
    machine.same("full: lines", full and full["fast_forward"]["warm_lines"], 768 * 1024 // 128)
    # The L1 is cold: its misses are the same.
    machine.same("L1", warm["counters"]["l1.misses"], cold["counters"]["l1.misses"])


def refused(machine):
    path = machine.job("sum")
    for words, text in ((["0"], "takes a number of warp instructions"), ([":2"], "takes a number"),
                        (["sum:0"], "takes a number"), (["12x"], "takes a number"),
                        (["nothing"], "'nothing' is no number, not 'all', and no kernel that is launched"),
                        (["sum:2"], "kernel 'sum' was not launched 2 times, so nothing was timed"),
                        (["all", "--for", "1000"], "--for counts cycles"),
                        (["5", "--resume", "x"], "leave --fast-forward out"),
                        (["5", "--fast-forward", "6"], "given twice")):
        status, _, errors = machine.run(path, "--fast-forward", *words)
        machine.same(f"{words}: status", status, 2)
        machine.check(f"{words}: text", text in errors, errors)


def parts(machine):
    """It goes with a window, and with a checkpoint behind it."""
    report = machine.passes("window", ROOT / "kernels/mm2.yaml", "--fast-forward", "50000", "--for", "40000")
    machine.same("window: cycles", report and report["cycles"], 40000)
    path = ROOT / "kernels/vecadd.yaml"
    status, _, errors = machine.run(path, "--fast-forward", "200000", "--checkpoint-at", "9000", "--checkpoint", "c.ckpt")
    machine.same("checkpoint", (status, errors), (0, ""))
    machine.passes("resumed", path, "--resume", "c.ckpt")


if __name__ == "__main__":
    sys.exit(bench.main(__doc__, Machine, (against_time, with_systems, waiting, arrivals, warmth, refused, parts)))
