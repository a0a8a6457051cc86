#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Some runs under the system duet that use all of its ways: each must end with its output right and its checks held.

    tests/duet/short.py [NAME...]

What a run must have come to beside that is said with it: figures of its report that are not 0, behind "ten" at
least 10, behind "no" 0: where contexts lie in the L1 from the first cycles on, no load may find or look for a line
there. For barriers=stay (Lin-D 3.6.3) it is a deadlock, with exit status 1 and a message that says so. The last line
is "N passed, N failed".
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(1, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

USED = ["tbs.placed.extra", "switches.in", "switches.exchange"]
HARD = "tests/duet/hard.yaml"
# name: (kernel of the library or launch file, machine, system's options, figures)
RUNS = {
    "registers": ("hotspot", "maxwell sms=1 sm.registers=8192 sm.shared_bytes=16384", "me=bound",
                  USED + ["tbs.placed.handed"]),
    "registers to L1": ("gemm", "maxwell sms=1 sm.registers=4096 sm.shared_bytes=8192", "me=bound,meta=4",
                        USED + ["tbs.l1", "no l1.hits", "no l1.misses"]),
    "L1 given back": ("prefix_sum", "maxwell sms=1 sm.registers=16384 sm.shared_bytes=8192", "me=bound,meta=4",
                      USED + ["tbs.l1", "l1.hits"]),
    "L1 that writes back": ("gemm", "maxwell sms=1 sm.registers=4096 sm.shared_bytes=8192 l1.write=back",
                            "me=bound,meta=4", ["no tbs.l1", "no tbs.placed.extra", "l1.misses"]),
    "room for one TB": ("scan", "maxwell sms=1 sm.registers=8192 sm.shared_bytes=16384", "me=1,meta=1", USED),
    "loads from shared memory": ("cfd_compute_flux", "ccbp sms=1 sm.registers=12288", "me=bound,port=256", USED),
    "two lines a cycle": ("btree_findrangek", "ccbp sms=1 sm.registers=10240 sm.shared_bytes=8192",
                          "me=8,meta=3,port=256", USED + ["switches.out"]),
    "slots": ("btree_findk", "maxwell sms=1 sm.max_warps=16", "me=bound,port=64", USED),
    "slots and barriers": ("bitonic_sort", "maxwell sms=1 sm.max_warps=12", "me=2", USED),
    "finished warps": ("bfs_kernel1", "gtx480_gpgpusim4 sms=1 sm.registers=8192 sm.max_tbs=32", "me=bound",
                       USED + ["tbs.placed.native"]),
    "TBs": ("transpose", "maxwell sms=1 sm.shared_bytes=16384", "me=bound,port=256", USED),
    "TBs to L1": ("transpose", "maxwell sms=1 sm.registers=4096 sm.shared_bytes=8192", "me=bound,meta=4",
                  USED + ["tbs.l1", "no l1.hits", "no l1.misses"]),
    "TBs of many warps": ("lud_internal", "maxwell sms=1 sm.registers=8192 sm.shared_bytes=8192", "me=bound", USED),
    "TBs of 32 warps to L1": ("tests/duet/wide.yaml", "maxwell sms=1", "me=bound,meta=4", ["tbs.l1"]),
    "launches": ("fdtd2d", "maxwell sms=2 sm.registers=8192", "me=3", USED),
    "dynamic": ("spmv_csr", "maxwell sms=1 sm.registers=8192", "me=dynamic,warmup=200,window=500",
                USED + ["windows.underutilised"]),
    "ME back while a TB is placed": ("dwt2d_copy_components", "gtx480 sms=1 sm.registers=16384 sm.max_warps=8",
                                     "me=dynamic,warmup=1000,window=227", USED + ["windows.saturated"]),
    "TBs that await stores": ("jacobi", "gtx480_gpgpusim4 sms=2 sm.policy=gto sm.registers=2048 sm.max_warps=32",
                              "me=dynamic,meta=4,warmup=1000,window=416", USED),
    "TBs whose warps finish": ("convolution_separable", "ccbp sms=2 sm.shared_bytes=16384", "me=bound,port=256",
                               USED + ["switches.out"]),
    "TBs with finished warps": ("tests/duet/early.yaml", "maxwell sms=1 sm.shared_bytes=8192", "me=bound",
                                ["ten switches.exchange"]),
    "hard TBs": (HARD, "maxwell sms=1 sm.shared_bytes=8192", "me=bound,meta=1", USED),
    "hard slots": (HARD, "maxwell sms=1 sm.max_warps=16", "me=bound,meta=1", USED),
    "hard registers": (HARD, "maxwell sms=1 sm.registers=8192", "me=bound,meta=1", USED),
    "late": ("bfs_kernel1", "maxwell sms=1 sm.registers=8192", "me=dynamic,warmup=3000,window=100", USED),
    "finished beside one on its way": ("btree_findk", "maxwell sms=1 sm.max_tbs=5 sm.registers=10240 sm.max_warps=8",
                                       "me=3,meta=1,port=64", USED),
    "finished before another leaves": ("btree_findk", "maxwell sms=1 sm.max_warps=8", "me=1,meta=1", USED),
    "closer than lines": ("convolution_separable", "gtx980 sms=2 sm.shared_bytes=8192", "me=bound", ["tbs.native"]),
    "TBs that end at once": ("tests/duet/brief.yaml", "maxwell sms=1", "me=bound", ["tbs.native"]),
    "TB slots": ("conv2d", "gtx480 sms=1", "me=bound", ["tbs.native"]),
}
# TBs that hold each other up where warps at barriers stay: the same must run where they leave.
STAY = {
    "slots, barriers stay": ("scan", "maxwell sms=1 sm.max_warps=12", "me=bound"),
    "registers, barriers stay": ("hotspot", "maxwell sms=1 sm.registers=8192", "me=bound"),
}


def command_of(program, kernel, machine, options):
    config, *sets = machine.split()
    file = kernel if "/" in kernel else f"kernels/{kernel}.yaml"
    return ([program, "run", file, "--json", "--max-cycles", "3000000", "--config", config] +
            [word for value in sets for word in ("--set", value)] + ["--system", f"duet:{options}"])


def play(command, figures):
    """Why it fails, or ""."""
    try:
        report = runs.run(command)
    except runs.Failure as failure:
        return str(failure)
    counts = report["counters"] | {name: runs.count(report, name) for name in report["measured"]}
    ranges = {"no": (0, 0), "": (1, float("inf")), "ten": (10, float("inf"))}
    wrong = []
    for figure in figures:
        words, _, name = figure.rpartition(" ")
        low, high = ranges[words]
        wrong += [] if low <= counts[name] <= high else [f"{figure}: it is {counts[name]}"]
    return ", ".join(wrong)


def play_stay(command):
    done = subprocess.run(command, cwd=runs.ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 1 or "deadlock" not in done.stderr:
        return f"no deadlock, but exit status {done.returncode}: {done.stderr.strip()[-300:]}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a run (all)")
    parser.add_argument("--program", default=str(runs.PROGRAM), help="the warpref that is run")
    parser.add_argument("--blocks", default="model", choices=["model", "rtl", "lockstep"])
    parser.add_argument("--failures", type=int, metavar="N", help="give up after so many")
    args = parser.parse_args()
    plays = {name: (command_of(args.program, *run), lambda c, f=figures: play(c, f))
             for name, (*run, figures) in RUNS.items()}
    for name, (kernel, machine, options) in STAY.items():
        command = command_of(args.program, kernel, machine, options)
        plays[name.replace("stay", "leave")] = (command, lambda c: play(c, USED))
        plays[name] = (command_of(args.program, kernel, machine, options + ",barriers=stay"), play_stay)
    if unknown := [name for name in args.names if name not in plays]:
        parser.error(f"no such run: {', '.join(unknown)}; there are {', '.join(plays)}")

    passed = failed = 0
    for name in args.names or plays:
        command, kind = plays[name]
        command += ["--blocks", args.blocks]
        why = kind(command)
        passed, failed = passed + (not why), failed + bool(why)
        print(f"FAIL {name}: {why}\n  {shlex.join(command)}" if why else f"ok   {name}", flush=True)
        if failed == args.failures:
            break
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
