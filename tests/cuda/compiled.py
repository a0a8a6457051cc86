#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Device code does what CUDA promises where C++ promises nothing: kernels of programs/compiled.cu, optimised or not, with
addresses of 32 and 64 bits; each option for device code is needed by one of them; operations of several lanes stay where
they are; clang's warnings are shown; aggregates by value keep every byte.

    tests/cuda/compiled.py [--program WARPREF] [--cc WARPREF]

The last line is "N passed, N failed".
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LONG = "WARPREF_LONG" in os.environ  # else half of the ways to compile
WAYS = [("-O0", 32), ("-O0", 64), ("-O1", 32), ("-O1", 64), ("-O2", 32), ("-O2", 64), ("-O3", 32), ("-O3", 64)]
ENDLESS, FAULT = "has not ended", "0x0"
SEVEN = [7] * 32
# What a kernel leaves in its words: the first ones, the rest is 0; or what the message is.
WANT = {"leader": [1] * 32 + [0] * 31 + [2], "leader_in_function": [1] * 32 + [0] * 31 + [2], "leader_returned": [1] * 32 + [0] * 31 + [2],
        "no_return": list(range(1, 65)), "endless": ENDLESS, "null": FAULT, "other_type": [1] * 64, "saturates": [1] * 64,
        "beyond_width": [0] * 64, "lock_done": [64, *SEVEN], "lock_break": [64], "lock_do": [64], "lock_spin": [64],
        "lock_read_first": [64], "lock_pauses": [64], "lock_each": [16] * 4, "lock_two": [22, 43, 42, 21],
        "lock_ways": [32, 64, *SEVEN], "lock_rounds": [64] * 3, "lock_ticket": [64], "lock_shared": [992] * 64,
        "shared_types": [4] * 64, "spaces": [9, 2, 4, 8, 77, 78, 79, 80, 3]}
# With -O0 addresses are in memory: of locks, only those that are written to give back in the loop are seen.
AS_WRITTEN = ["lock_done", "lock_do"]
# Without this option that kernel fails where it is optimised.
NEEDED = {"-disable-noundef-analysis": "leader", "-fno-strict-return": "no_return", "-fno-finite-loops": "endless",
          "-fno-delete-null-pointer-checks": "null", "-fno-strict-aliasing": "other_type"}
# Operations of several lanes: a call, and what it is in PTX. Those that depend on who comes are not joined either.
LANES = [("__shfl_sync(~0u, v, 1)", r"shfl\.sync\.idx"), ("__shfl_up_sync(~0u, v, 1)", r"shfl\.sync\.up"),
         ("__shfl_down_sync(~0u, v, 1)", r"shfl\.sync\.down"), ("__shfl_xor_sync(~0u, v, 1)", r"shfl\.sync\.bfly"),
         ("__all_sync(~0u, v)", r"vote\.sync\.all"), ("__any_sync(~0u, v)", r"vote\.sync\.any"),
         ("__ballot_sync(~0u, v)", r"vote\.sync\.ballot"), ("__match_any_sync(~0u, v)", r"match\.any\.sync"),
         ("__match_all_sync(~0u, v, &all)", r"match\.all\.sync"), ("__reduce_add_sync(~0u, v)", r"redux\.sync\.add"),
         ("(__syncwarp(), v)", r"bar\.warp\.sync"), ("({ __syncthreads(); v; })", r"bar\.sync"),
         ("__syncthreads_count(v)", r"bar\.red\.popc"), ("__syncthreads_and(v)", r"bar\.red\.and"), ("__syncthreads_or(v)", r"bar\.red\.or")]
WHO_COMES = [("__activemask()", r"activemask"), ("__shfl(v, 1)", r"shfl\.idx"), ("__shfl_up(v, 1)", r"shfl\.up"),
             ("__shfl_down(v, 1)", r"shfl\.down"), ("__shfl_xor(v, 1)", r"shfl\.bfly"), ("__all(v)", r"vote\.all"),
             ("__any(v)", r"vote\.any"), ("__ballot(v)", r"vote\.ballot")]
# A use on one way alone; a branch that was decided before; both ways; a loop whose length is not known.
PLACES = """#include "cuda.h"
extern "C" __global__ void one_way(const int *in, int *out, int c)
{ int v = in[c], all; int got = OP; if (in[threadIdx.x] > 3) { out[threadIdx.x] = got; __threadfence(); out[0] = 1; } }
extern "C" __global__ void decided(const int *in, int *out, int c)
{ int v = in[c], all, way; if (in[threadIdx.x] > 3) { way = 1; atomicAdd(out, 1); } else { way = 2; atomicAdd(out + 1, 1); }
  int got = OP; if (way == 1) atomicAdd(out + 2, got); else atomicAdd(out + 3, got); }
extern "C" __global__ void rounds(const int *in, int *out, int c)
{ int v = in[c], all; for (int i = 0; i < c; i++) v += OP; out[threadIdx.x] = v; }
extern "C" __global__ void both(const int *in, int *out, int c)
{ int v = in[c], all; if (in[threadIdx.x] > 3) out[threadIdx.x] = OP; else out[threadIdx.x + 64] = OP; }
"""


class Failure(Exception):
    pass


class Bench:
    def __init__(self, program, compiler, folder):
        self.program, self.compiler, self.folder, self.passed, self.failed = program, compiler, folder, 0, 0

    def call(self, *command, **environment):
        return subprocess.run(list(map(str, command)), cwd=self.folder, env=os.environ | environment, capture_output=True, text=True,
                              check=False, timeout=1800)

    def check(self, name, function, *arguments):
        try:
            function(self, *arguments)
            self.passed += 1
        except Failure as failure:
            self.failed += 1
            print(f"FAIL  {name}: {failure}", flush=True)

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name


def job(kernels, level, size):
    """A launch file that runs the kernels in order and checks the words of each."""
    buffers = "".join(f"  - {{name: {k}, type: s32, count: 64, contents: zeros}}\n" for k in kernels)
    launches = "".join(f"  - {{kernel: {k}, grid: [1], block: [64], shared: 128, args: [{{buffer: in}}, {{buffer: {k}}}]}}\n" for k in kernels)
    checks = "".join(f"  - {{buffer: {k}, values: {(WANT[k] + [0] * 64)[:64]}}}\n" for k in kernels if not isinstance(WANT[k], str))
    return (f"module: {HERE / 'programs/compiled.cu'}\ncompile: {{flags: [{level}, -w], address_size: {size}}}\nbuffers:\n"
            f"  - {{name: in, type: s32, count: 64, contents: iota}}\n{buffers}launches:\n{launches}"
            + (f"checks:\n{checks}" if checks else ""))


def play(bench, kernels, level, size, **environment):
    bench.write("job.yaml", job(kernels, level, size))
    return bench.call(bench.program, "run", "job.yaml", "--max-cycles", 3000000 if len(kernels) > 1 else 100000, **environment)


def right(done, kernel):
    want = WANT[kernel]
    return want in done.stderr + done.stdout and done.returncode == 1 if isinstance(want, str) else done.returncode == 0


def kernels(bench, level, size):
    """Those that end are one run, the others one each."""
    ends = [k for k, want in WANT.items() if not isinstance(want, str) and
            (level != "-O0" or not k.startswith("lock_") or k in AS_WRITTEN)]
    done = play(bench, ends, level, size)
    if done.returncode != 0:
        wrong = re.findall(r"FAIL (.*)", done.stdout)
        raise Failure(f"{wrong}: {done.stderr[-500:]}")
    for kernel in (k for k, want in WANT.items() if isinstance(want, str)):
        done = play(bench, [kernel], level, size)
        if not right(done, kernel):
            raise Failure(f"{kernel}: exit status {done.returncode}: {done.stderr[-500:]}{done.stdout[-300:]}")


def needed(bench, flag, kernel):
    """Without the option, in whose place stands another that changes nothing, the kernel is not right."""
    clang = bench.write("without-14", '#!/bin/bash\nwords=()\nfor word in "$@"; do [ "$word" = "$DROP" ] && word=-fno-rtti; words+=("$word")\n'
                        'done\nexec clang-14 "${words[@]}"\n')
    clang.chmod(0o755)
    if not right(play(bench, [kernel], "-O2", 64, WARPREF_CLANG=str(clang), DROP=""), kernel):
        raise Failure(f"{kernel} fails with it")
    if right(play(bench, [kernel], "-O2", 64, WARPREF_CLANG=str(clang), DROP=flag), kernel):
        raise Failure(f"{kernel} is right without it")


def flags_tested(bench):
    """Every option that is not about something else has its row in NEEDED."""
    others = {"-ffp-contract=off", "-mllvm", "-inline-threshold=100000", "-gline-tables-only", "-fdebug-compilation-dir=.", "-Xclang"}
    missing = set(bench.call(bench.program, "compile", "--device-flags").stdout.split()) - others - set(NEEDED)
    if missing:
        raise Failure(f"no kernel needs {sorted(missing)}")


def lanes(bench, call, mnemonic, joined):
    for level in ("-O1", "-O2", "-O3") if LONG else ("-O2",):
        source = bench.write("lanes.cu", PLACES.replace("OP", call))
        made = bench.call(os.environ.get("WARPREF_CLANG") or "clang-14", "-x", "cuda", "--cuda-device-only", "-nocudainc", "-nocudalib",
                          "--cuda-gpu-arch=sm_50", "-fdeclspec", "-Wno-unknown-cuda-version", "-w", "-S", level, "-I", ROOT / "kernels",
                          *bench.call(bench.program, "compile", "--device-flags").stdout.split(), "-o", "-", source)
        for name, body in re.findall(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", made.stdout, re.S):
            count, branch = len(re.findall(rf"\b{mnemonic}", body)), re.search(r"\bbra\b", body)
            want = {"both": [1, 2] if joined else [2]}.get(name, [1])
            if count not in want or (name == "one_way" and branch and re.search(mnemonic, body).start() > branch.start()):
                raise Failure(f"{level}, {name}: {count} times {mnemonic}\n{body}")
        if made.stdout.count(".entry") != 4:
            raise Failure(made.stderr[-500:])


def warnings(bench):
    """Once each, on standard error, and the run goes on."""
    bench.write("w.cu", '#include "cuda.h"\nstatic __device__ int f(int x) { if (x) return 1; }\nextern "C" __global__ void k(int *a) { *a = f(1); }\n')
    bench.write("w.yaml", "module: w.cu\nbuffers: [{name: a, type: s32, count: 1, contents: zeros}]\n"
                "launches: [{kernel: k, grid: [1], block: [1], args: [{buffer: a}]}]\nchecks: [{buffer: a, values: [1]}]\n")
    for words in (["run", "w.yaml"], ["compile", "w.cu"], ["compile", "w.cu", "--emit-ptx", "w.ptx"], ["compile", "w.yaml"]):
        done = bench.call(bench.program, *words)
        if done.returncode != 0 or done.stderr.count("[-Wreturn-type]") != 1 or "w.cu:2:" not in done.stderr:
            raise Failure(f"{words}: exit status {done.returncode}: {done.stderr}")


def whole(bench, name):
    """A whole program, host and device."""
    made = bench.call(bench.compiler, "cc", "-w", HERE / f"programs/{name}.cu", "-o", name)
    done = bench.call(f"./{name}", WARPREF_PROGRAM=str(bench.program)) if made.returncode == 0 else made
    if done.returncode != 0 or "PASS" not in done.stdout:
        raise Failure(f"exit status {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/warpref"))
    parser.add_argument("--cc", help="the program that compiles (--program)")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(pathlib.Path(args.program).resolve(), pathlib.Path(args.cc or args.program).resolve(), pathlib.Path(scratch))
        for level, size in WAYS if LONG else WAYS[1::3] + WAYS[5:6]:
            bench.check(f"kernels {level} {size}", kernels, level, size)
        bench.check("every option has a test", flags_tested)
        for flag, kernel in NEEDED.items():
            bench.check(flag, needed, flag, kernel)
        for call, mnemonic in LANES:
            bench.check(call, lanes, call, mnemonic, True)
        for call, mnemonic in WHO_COMES:
            bench.check(call, lanes, call, mnemonic, False)
        bench.check("warnings", warnings)
        for name in ("aggregates", "overlay"):
            bench.check(name, whole, name)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed or not bench.passed else 0


if __name__ == "__main__":
    sys.exit(main())
