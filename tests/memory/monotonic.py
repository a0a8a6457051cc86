#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""More machine never makes a kernel slower: cycles of library kernels with twice the DRAM
bandwidth, L2 or SMs, against the machine as it is.

Usage: monotonic.py WARPREF KERNELS_DIR [KERNEL...]
Exit status 1: a kernel is slower by more than 2 %, or its output is wrong.
"""
import json
import pathlib
import subprocess
import sys

KERNELS = ["vecadd", "matrixmul", "spmv_csr", "stencil7", "reduction", "bfs_kernel1"]
ALLOWED = 1.02
DOUBLED = {
    # twice the channels, of as many banks and as large an L2 in all
    "DRAM channels": ["dram.channels", "l2.banks"],
    "DRAM clock": ["clock.dram_mhz"],
    "L2 size": ["l2.bytes"],
    "SMs": ["sms"],
}


def configuration(warpref):
    """The numbers of gtx480 by path."""
    text = subprocess.run([warpref, "config", "gtx480"], check=True, capture_output=True,
                          text=True).stdout
    numbers, path = {}, []
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        depth = (len(line) - len(line.lstrip())) // 2
        path = path[:depth] + [key.rstrip(":")]
        if value.isdigit():
            numbers[".".join(path)] = int(value)
    return numbers


def cycles(warpref, kernel, settings):
    run = subprocess.run([warpref, "run", str(kernel), "--json"] +
                         ["--set=" + s for s in settings], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{kernel.stem} {' '.join(settings)}: exit {run.returncode}\n{run.stderr}")
    return json.loads(run.stdout)["cycles"]


def main():
    warpref, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    numbers = configuration(warpref)
    slower = checked = 0
    for name in sys.argv[3:] or KERNELS:
        kernel = folder / (name + ".yaml")
        base = cycles(warpref, kernel, [])
        for what, paths in DOUBLED.items():
            now = cycles(warpref, kernel, [f"{p}={2 * numbers[p]}" for p in paths])
            bad = now > base * ALLOWED
            print(f"{name:12s} twice the {what:14s} {base:8d} -> {now:8d} cycles "
                  f"({now / base:.3f}){' SLOWER' if bad else ''}")
            slower += bad
            checked += 1
    print(f"{checked - slower} passed, {slower} failed")
    return 1 if slower or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
