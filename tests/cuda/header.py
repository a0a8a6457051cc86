#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each function of kernels/cuda/ on the shell, against what CUDA says of it, worked out here in the plainest way.

For each function a kernel calls it once a thread: numbers for all pairs of special values and for random ones, warp
functions for lanes of whole and of parted warps, atomics on a cell of each thread's own and on one of all threads.
Numbers must be equal to the bit; any NaN is a NaN.

    tests/cuda/header.py BIN_DIR [--seed S] [--keep DIR]

With 32 and with 64 bits of address. The last line is "N passed, N failed", in functions.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import exact
import functions
import narrow
import simd

THREADS = 128
MOST = 4096 if "WARPREF_LONG" in os.environ else 256  # threads of a function
AT_A_TIME = 100  # functions of a launch file


class Case:
    """A kernel that calls one function, what it is given and what it must leave behind."""

    def __init__(self, number, function, r):
        self.function = function
        self.name = f"k{number}"
        self.rows = function.rows(r, MOST)
        while len(self.rows) % THREADS:
            self.rows.append(self.rows[-1])

    def source(self):
        parameters = "".join(f"const {t} *p{i}, " for i, t in enumerate(self.function.takes))
        parameters += ", ".join(f"{t} *r{i}" for i, t in enumerate(self.function.gives))
        return (f"// {self.function.name}\nextern \"C\" __global__ void {self.name}({parameters})\n{{\n"
                f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    {self.function.body}\n}}\n")

    def launch(self):
        buffers = [f"{{buffer: {self.name}p{i}}}" for i in range(len(self.function.takes))]
        buffers += [f"{{buffer: {self.name}r{i}}}" for i in range(len(self.function.gives))]
        return (f"  - {{kernel: {self.name}, grid: [{len(self.rows) // THREADS}], block: [{THREADS}], "
                f"args: [{', '.join(buffers)}]}}\n")

    def buffers(self, folder):
        for i, name in enumerate(self.function.takes):
            size = functions.BYTES[name]
            path = f"{self.name}p{i}.bin"
            (folder / path).write_bytes(b"".join(row[i].to_bytes(size, "little") for row in self.rows))
            yield f"  - {{name: {self.name}p{i}, type: u8, contents: file, file: {path}}}\n"
        for i, name in enumerate(self.function.gives):
            yield f"  - {{name: {self.name}r{i}, type: u8, count: {len(self.rows) * functions.BYTES[name]}}}\n"

    def outputs(self):
        return "".join(f"  - {{buffer: {self.name}r{i}, file: {self.name}r{i}.bin}}\n" for i in range(len(self.function.gives)))

    def wrong(self, folder):
        """What is wrong of what it left behind; "": nothing."""
        got = []
        for i, name in enumerate(self.function.gives):
            size = functions.BYTES[name]
            data = (folder / f"{self.name}r{i}.bin").read_bytes()
            got.append([int.from_bytes(data[k:k + size], "little") for k in range(0, len(data), size)])
        want = self.function.expected(self.rows, THREADS)
        for at, row in enumerate(self.rows):
            for i, name in enumerate(self.function.gives):
                a, b = got[i][at], want[at][i]
                number = {"float": exact.F32, "double": exact.F64}.get(name)
                same = getattr(self.function, "same", None)
                if same and same(a, b):
                    continue
                if a != b and not (number and number.is_nan(a) and number.is_nan(b)):
                    return f"thread {at}: of {', '.join(map(hex, row))} it gives {hex(a)}, not {hex(b)}"
        return ""


def play(warpref, folder, cases, address_size, headers):
    folder_of = f"{headers}/" if headers else ""
    header = f"{folder_of}cuda.h"
    (folder / "k.cu").write_text(f'#include "{header}"\n#include "{folder_of}cuda_fp16.h"\n#include "{folder_of}cuda_bf16.h"\n\n' + "\n".join(case.source() for case in cases))
    text = f"module: k.cu\ncompile: {{address_size: {address_size}}}\nbuffers:\n"
    text += "".join(line for case in cases for line in case.buffers(folder))
    text += "launches:\n" + "".join(case.launch() for case in cases)
    text += "outputs:\n" + "".join(case.outputs() for case in cases)
    (folder / "job.yaml").write_text(text)
    done = subprocess.run([warpref, "run", str(folder / "job.yaml"), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stderr.strip()[-1000:]}"
    return "" if json.loads(done.stdout)["counters"]["sm.issued"] else "nothing was issued"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of warpref")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1), help="of all draws")
    parser.add_argument("--only", default="", metavar="NAME", help="functions whose name has this in it")
    parser.add_argument("--headers", metavar="DIR", help="with these instead of kernels/cuda.h and kernels/cuda/")
    parser.add_argument("--keep", metavar="DIR", help="folder for the files")
    args = parser.parse_args()
    warpref = str(pathlib.Path(args.bin).resolve() / "warpref")
    exact.check_itself()
    print(f"seed {args.seed} (--seed or WARPREF_SEED)")
    passed = failed = 0
    chosen = [f for f in itertools.chain(functions.all_of_them(), simd.all_of_them(), narrow.all_of_them()) if args.only in f.name]
    for address_size, first in itertools.product((32, 64), range(0, len(chosen), AT_A_TIME)):
        cases = [Case(i, f, random.Random(f"{args.seed}:{first + i}")) for i, f in enumerate(chosen[first:first + AT_A_TIME])]
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(args.keep or scratch) / f"{address_size}.{first}"
            folder.mkdir(parents=True, exist_ok=True)
            if why := play(warpref, folder, cases, address_size, args.headers):
                failed += len(cases)
                print(f"FAIL  {cases[0].function.name} and {len(cases) - 1} more, {address_size} bits: {why}")
                continue
            for case in cases:
                why = case.wrong(folder)
                passed, failed = passed + (not why), failed + bool(why)
                if why:
                    print(f"FAIL  {case.function.name}, {address_size} bits: {why}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
