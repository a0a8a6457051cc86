#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels on the shell and on this machine's CPU: every buffer must be equal.

A program is generated from its seed (kernels.py), compiled by clang as plain C++ and run (rig.h:
the reference), compiled by clang to PTX and run by `warpref run`: as it is; preempted at random
cycles, with many preemption points and, now and then, few registers or a small machine; and
under lockstep, which must also take the same cycles as the C models do.

    tests/random/run.py BIN_DIR [--programs N] [--seed S] [--keep DIR]

The first seed is --seed, else $WARPREF_SEED, else 1; it is printed, and so is that of a program
that fails: --seed S --programs 1 --keep DIR repeats it and keeps its files.
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import kernels

HERE = pathlib.Path(__file__).resolve().parent
# A program whose meaning C leaves open ends by a signal, and is a fault of the generator.
HOST = ["-x", "c++", "-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
        "-fsanitize=float-cast-overflow,integer-divide-by-zero,shift-exponent,bounds",
        "-fsanitize-trap=all"]
DEVICE = ["-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib", "-S", "-fdeclspec",
          "--cuda-gpu-arch=sm_50", "-ffp-contract=off", "-Wno-unknown-cuda-version", "-fwrapv",
          "-fno-strict-aliasing", "-w", "-mllvm", "-inline-threshold=100000",
          "-I", str(HERE.parent.parent / "kernels")]
SMALL = [["sms=2"], ["sm.policy=gto"], ["sm.policy=two_level", "sm.issue_width=2"],
         ["sm.warp_limit=2", "l1.write=back"], ["l1.sectored=1", "l1.store_buffer=2"], ["sm.max_tbs=2"], ["l2.bytes=49152", "l2.banks=6"],
         ["l1.bytes=2048", "l1.mshrs=2", "l1.mshr_merges=2", "l1.miss_queue=2"]]


HANG = 7200  # seconds: no program takes a minute, even where ten others run


class Failure(Exception):
    pass


def call(command, folder, want=0):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=HANG)
    if done.returncode != want:
        raise Failure(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n"
                      f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def device(options, folder):
    """Makes k.ptx of k.cu."""
    call([os.environ.get("WARPREF_CLANG") or "clang-14", *DEVICE, "-o", "k.ptx", "k.cu", *options], folder)


def build(program, r, folder):
    """Files of the program; what its launches must leave behind is there afterwards."""
    clang = os.environ.get("WARPREF_CLANG") or "clang-14"
    (folder / "in.bin").write_bytes(program.input)
    (folder / "k.cu").write_text(program.source())
    for header in ("rig.h", "ops.h"):
        (folder / header).write_text((HERE / header).read_text())
    call([clang, *HOST, "-o", "host", "k.cu", "-lm"], folder)
    call(["./host"], folder)
    size = r.choice([[], ["-m32"]])
    level = r.choice(["-O0", "-O1", "-O2", "-O2"])
    device([level, *size], folder)
    # A TB of 1,024 threads fits an SM with 32 registers a thread.
    limit = r.choice([12, 16, 24]) if r.random() < 0.3 else program.threads > 512 and 32
    if limit:
        ptx = (folder / "k.ptx").read_text()
        (folder / "k.ptx").write_text(re.sub(r"(\.entry \w+\([^)]*\)\n)",
                                             rf"\1.maxnreg {limit}\n", ptx))
    (folder / "job.yaml").write_text(program.launch_file("k.ptx"))


def run(program, r, folder, warpref, lockstep):
    """Returns how many TBs were moved."""
    base = [warpref, "run", "job.yaml", "--json"]
    for values in SMALL:
        if r.random() < 0.2:
            base += [word for value in values for word in ("--set", value)]
    preempt = ["--pp-interval", str(r.choice([4, 10, 50, 1000])), "--system",
               f"preemption:period={r.choice([120, 300, 1000])},random_cycles=1,"
               f"sm={r.choice(['random', 'rotate'])},seed={program.seed}"]
    call(base, folder)
    report = json.loads(call(base + preempt, folder))
    if lockstep:
        both = json.loads(call(base + preempt + ["--blocks", "lockstep"], folder))
        if both["cycles"] != report["cycles"]:
            raise Failure(f"{' '.join(base + preempt)}\n{report['cycles']} cycles with the C "
                          f"models, {both['cycles']} in lockstep")
    return report["counters"]["sm.tbs_evicted"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bin")
    parser.add_argument("--programs", type=int, default=16)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1))
    parser.add_argument("--size", type=int, default=40, help="most statements of a kernel")
    parser.add_argument("--keep", help="folder for the files of the last program")
    args = parser.parse_args()
    warpref = str(pathlib.Path(args.bin).resolve() / "warpref")
    passed = failed = moved = 0

    print(f"seed {args.seed} (WARPREF_SEED)")
    for seed in range(args.seed, args.seed + args.programs):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(args.keep or scratch)
            folder.mkdir(parents=True, exist_ok=True)
            r = random.Random(seed * 7 + 1)
            program = kernels.Program(seed, args.size)
            try:
                build(program, r, folder)
                moved += run(program, r, folder, warpref, seed % 4 == 0)
                passed += 1
            except (Failure, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"program of seed {seed} fails: {failure}", flush=True)
    print(f"{moved} TBs were saved and brought back")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed or (args.programs >= 16 and not moved) else 0


if __name__ == "__main__":
    sys.exit(main())
