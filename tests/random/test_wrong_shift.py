#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No random program fails by clang's own mistake with a shift by 31 (run.py): the kernel below is made as theirs are,
optimised or not, and run by `warpref run`; the answers are Python's.

    tests/random/test_wrong_shift.py BIN_DIR
"""
import pathlib
import struct
import sys
import tempfile

sys.dont_write_bytecode = True
import run

KERNEL = """#include "cuda.h"
extern "C" __global__ void shift(const int *in, long long *out)
{
    out[threadIdx.x] += (long long)(in[threadIdx.x] * 3) << 31;
}
"""
JOB = """module: k.ptx
buffers:
  - {name: in, type: s32, contents: file, file: in.bin}
  - {name: out, type: s64, count: 8, contents: zeros}
launches:
  - {kernel: shift, grid: [1, 1, 1], block: [8, 1, 1], args: [{buffer: in}, {buffer: out}]}
checks:
  - {buffer: out, file: out.bin}
"""
INPUT = [0, 1, -1, 2, -2, 1000, 0x2aaaaaaa, -0x2aaaaaaa]  # their triples are s32


def main():
    warpref, failed = str(pathlib.Path(sys.argv[1]).resolve() / "warpref"), 0
    for options in (["-O0"], ["-O1"], ["-O2"], ["-O2", "-m32"]):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "k.cu").write_text(KERNEL)
            (folder / "job.yaml").write_text(JOB)
            (folder / "in.bin").write_bytes(struct.pack("<8i", *INPUT))
            (folder / "out.bin").write_bytes(struct.pack("<8q", *(x * 3 * 2**31 for x in INPUT)))
            try:
                run.device(options, folder)
                run.call([warpref, "run", "job.yaml"], folder)
            except run.Failure as failure:
                failed += 1
                print(f"{' '.join(options)}: {failure}")
    print(f"{4 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
