#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that once went wrong, as small as they could be made; outputs must be right, wrong options refused.

    tests/preempt/found.py [--program WARPREF]
"""
import argparse
import pathlib
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "soak"))
import runs

RIGHT = [
    # A plan frees the place of a TB that only waits for its stores, and that TB's end does.
    "kernels/mm2.yaml --config gtx480_gpgpusim4 --set sms=1 "
    "--system preemption:in_place=1,random_cycles=1,seed=609403925,demand=69:425:6",
    "kernels/mm2.yaml --config gtx480_gpgpusim4 --set sms=1 "
    "--system preemption:in_place=1,random_cycles=1,seed=1596840319,demand=146:3119:5",
    "kernels/gemm.yaml --config gtx480_gpgpusim4 --set sms=1 "
    "--system preemption:in_place=1,random_cycles=1,seed=715045388,demand=180:1629:5,period=2000",
    "kernels/conv2d.yaml --config gtx480_gpgpusim4 --set sms=1 "
    "--system preemption:in_place=1,random_cycles=1,seed=1364520799,demand=160:2384:4,period=500",
    # TBs in place on one SM, new ones on the other, until the control block is full.
    "kernels/sad.yaml --with kernels/sad.yaml --priority 2 --arrive 9065 --config gtx480_gpgpusim4 --set sms=2 "
    "--set sm.policy=lrr --system preemption:sm=random,random_cycles=1,seed=3917091114,in_place=1,context=live",
    "kernels/histo.yaml --with kernels/histo.yaml --priority 2 --arrive 1990 --config gtx480_gpgpusim4 --set sms=2 "
    "--set sm.policy=lrr --system preemption:sm=random,random_cycles=1,seed=1665004550,in_place=1,context=live,"
    "demand=54:5149:4",
]
REFUSED = {  # more TBs than the SM's tables hold
    "kernels/scan.yaml --set sm.max_tbs=1 --system preemption:period=165,demand=219:2521:3,in_place=1":
        "demand is vector registers, bytes of shared memory and number of TBs that fit",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=pathlib.Path, default=runs.PROGRAM)
    program = str(parser.parse_args().program.resolve())
    passed = failed = 0
    for line in [*RIGHT, *REFUSED]:
        command, why = [program, "run", "--json", *line.split()], ""
        if line in REFUSED:
            done = subprocess.run(command, cwd=runs.ROOT, capture_output=True, text=True, check=False)
            if done.returncode != 2 or REFUSED[line] not in done.stderr:
                why = f"exit status {done.returncode}: {done.stderr}"
        else:
            try:
                why = "" if runs.count(runs.run(command), "signals.done") else "no SM gave way"
            except runs.Failure as failure:
                why = str(failure)
        passed, failed = passed + (not why), failed + bool(why)
        print(f"FAIL {why}\n  {shlex.join(command)}" if why else f"ok   {line}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
