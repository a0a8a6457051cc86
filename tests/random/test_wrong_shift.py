#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No random program fails by clang's own mistakes with shifts (run.py): the kernel below is made as theirs are,
optimised or not, and run by `warpref run`; the answers are Python's.

    tests/random/test_wrong_shift.py BIN_DIR
"""
import pathlib
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import run

KERNELS = {"shift": "(long long)(in[threadIdx.x] * 3) << 31",
           "field": "0xffffffffll & (long long)(signed char)in[threadIdx.x] >> 56"}
KERNEL = """#include "cuda.h"
extern "C" __global__ void %s(const int *in, long long *out)
{
    out[threadIdx.x] += %s;
}
"""
JOB = """module: k.ptx
buffers:
  - {name: in, type: s32, contents: file, file: in.bin}
  - {name: out, type: s64, count: 8, contents: zeros}
launches:
  - {kernel: NAME, grid: [1, 1, 1], block: [8, 1, 1], args: [{buffer: in}, {buffer: out}]}
checks:
  - {buffer: out, file: out.bin}
"""
INPUT = [0, 1, -1, 2, -2, 1000, 0x2aaaaaaa, -0x2aaaaaaa]  # their triples are s32


ANSWERS = {"shift": [x * 3 * 2**31 for x in INPUT], "field": [0xffffffff if x & 0x80 else 0 for x in INPUT]}


def play(warpref, name, options):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "k.cu").write_text(KERNEL % (name, KERNELS[name]))
        (folder / "job.yaml").write_text(JOB.replace("NAME", name))
        (folder / "in.bin").write_bytes(struct.pack("<8i", *INPUT))
        (folder / "out.bin").write_bytes(struct.pack("<8q", *ANSWERS[name]))
        run.device(options, folder)
        run.call([warpref, "run", "job.yaml"], folder)


def main():
    warpref, passed, failed = str(pathlib.Path(sys.argv[1]).resolve() / "warpref"), 0, 0
    for name in KERNELS:
        for options in (["-O0"], ["-O1"], ["-O2"], ["-O2", "-m32"]):
            try:
                play(warpref, name, options)
                passed += 1
            except run.Failure as failure:
                failed += 1
                print(f"{name}, {' '.join(options)}: {failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
