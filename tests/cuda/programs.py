#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whole CUDA programs: those of examples/cuda/, and random ones of streams and events, built by `warpref cc` and run.

    tests/cuda/programs.py [--program WARPREF] [--cc WARPREF] [--seeds N] [--seed S] [--only NAME]

The last line is "N passed, N failed".
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HANGS = 1800  # seconds: a hundred times what the longest takes
LONG = "WARPREF_LONG" in os.environ  # else every second of the examples
WAYS = ["", "--threads 2", "--config maxwell --system preemption:period=3000 --blocks lockstep", "--config k20x --set sms=2"]


class Failure(Exception):
    pass


class Bench:
    def __init__(self, program, compiler, folder, only):
        self.compiler, self.folder, self.only = compiler, folder, only
        self.environment = {k: v for k, v in os.environ.items() if k != "WARPREF"} | {"WARPREF_PROGRAM": str(program)}
        self.passed = self.failed = 0

    def call(self, command, options=None, **more):
        environment = self.environment | ({} if options is None else {"WARPREF": options}) | more
        return subprocess.run(list(map(str, command)), cwd=self.folder, env=environment, capture_output=True, text=True, check=False,
                              timeout=HANGS)

    def cc(self, *words):
        done = self.call([self.compiler, "cc", *words])
        if done.returncode != 0:
            raise Failure(f"cc {' '.join(map(str, words))}: exit status {done.returncode}: {done.stderr[-600:]}")
        return done

    def check(self, name, function, *arguments):
        if self.only and self.only != name:
            return
        try:
            function(*arguments)
            self.passed += 1
        except (Failure, AssertionError, subprocess.SubprocessError) as failure:
            self.failed += 1
            print(f"FAIL  {name}: {failure}", flush=True)

    def want(self, command, status, texts, options=None, **more):
        """A program's run: its exit status, and what it must say."""
        done = self.call(command, options, **more)
        said = done.stdout + done.stderr
        missing = [text for text in texts if text not in said]
        if done.returncode != status or missing:
            raise Failure(f"{' '.join(map(str, command))} (WARPREF={options!r}): exit status {done.returncode}, not {status}; "
                          f"lacks {missing}: {said[-600:]}")
        return done


def example(bench, source):
    """It passes in each way; threads change nothing that it prints."""
    bench.cc(source, "-o", source.stem)
    outputs = [bench.want([f"./{source.stem}"], 0, ["PASS"], way).stdout for way in WAYS]
    if outputs[0] != outputs[1]:
        raise Failure(f"with --threads 2 it prints another text: {outputs[1]!r}, not {outputs[0]!r}")


def order(bench, first, count):
    bench.cc(HERE / "programs/order.cu", "-o", "order")
    beside = 0
    for seed in range(first, first + count):
        done = bench.want(["./order", seed], 0, ["PASS"], WAYS[seed % len(WAYS)])
        beside += int(done.stdout.split(" in order, ")[1].split()[0])
    if not beside:
        raise Failure("no kernels ever lay side by side")


def narrow(bench):
    bench.cc("-std=c++14", HERE / "programs/narrow.cu", "-o", "narrow")
    bench.want(["./narrow"], 0, ["__half: 0 of 98304 differ", "__nv_bfloat16: 0 of 98304 differ", "PASS"])


def portable(bench):
    """What public programs take for granted; with options as their makefiles have them."""
    bench.cc("-ccbin", "g++", "-cudart=static", "-ftz=false", "-std", "c++17", "-default-stream", "legacy", "-Xcudafe", "--diag",
             "-rdc=false", "--compiler-bindir", "g++", "-fmad=false", "-Werror", "cross-execution-space-call",
             HERE / "programs/portable.cu", "-o", "portable")
    bench.want(["./portable"], 0, ["PASS"])
    bench.cc(HERE / "programs/calls.cu", "-o", "calls")
    bench.want(["./calls"], 0, ["PASS"])


def both(bench):
    """Memory of both sides, also where the GPU's addresses are the program's own; faults name the kind of a pointer."""
    bench.cc(HERE / "programs/both.cu", "-o", "both")
    for options in ("", "--check-memory"):
        done = bench.want(["./both"], 0, ["PASS"], options)
        if "not all written" in done.stderr or "not in use" in done.stderr:
            raise Failure(f"--check-memory takes what the host wrote for undefined: {done.stderr[-600:]}")
    bench.want(["./both", "taken"], 0, ["PASS"], "--check-memory")
    for kind, text in (("stack", "is pageable memory of the program"), ("unregistered", "take that of cudaHostGetDevicePointer"),
                       ("beyond", "in no allocation that is there now"), ("low", "0x40 is a null pointer, or close to one")):
        bench.want(["./both", kind], 0, ["is outside every buffer", text])


def limits(bench):
    bench.cc(HERE / "programs/limits.cu", "-o", "limits")
    bench.want(["./limits"], 0, ["a line of a kernel", "PASS"])


def parts(bench):
    """A program of several files, with options as nvcc has them."""
    write(bench, "kernel.cu", "#include \"kernel.h\"\n__global__ void twice(int *a) { a[threadIdx.x] *= FACTOR; }\n"
          "void run_twice(int *a) { twice<<<1, 32>>>(a); }\n")
    write(bench, "kernel.h", "void run_twice(int *a);\n")
    write(bench, "main.cpp", "#include <cuda_runtime.h>\n#include <cstdio>\n#include \"kernel.h\"\nint main()\n{\n    int *a, h[32];\n"
          "    for (int i = 0; i < 32; i++) h[i] = i;\n    dim3 d(2, 3);\n    cudaMalloc(&a, sizeof h);\n"
          "    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);\n    run_twice(a);\n"
          "    cudaMemcpy(h, a, sizeof h, cudaMemcpyDeviceToHost);\n    printf(\"%d %u\\n\", h[31], d.x * d.y * d.z);\n}\n")
    bench.cc("-c", "-O2", "-arch=sm_70", "-gencode", "arch=compute_80,code=sm_80", "-DFACTOR=2", "-Xcompiler", "-Wall,-fno-strict-aliasing",
             "-lineinfo", "--std=c++14", "kernel.cu", "-o", "kernel.o", "--keep", "kept")
    if "_Z5twicePi" not in (bench.folder / "kept/kernel.ptx").read_text():
        raise Failure("--keep has no PTX")
    write(bench, "old.c", "int twice_of(new) int new; { int *class = 0; return class ? 0 : 2 * new; }\n")
    bench.cc("-c", "-std=c++14", "old.c")
    bench.cc("-c", "main.cpp")
    bench.cc("-o", "parts", "main.o", "kernel.o", "old.o", "-lm")
    bench.want(["./parts"], 0, ["62 6"])


def suites(bench):
    """What sources and makefiles of public suites have, and nvcc takes."""
    write(bench, "suite.cu", "#include <cooperative_groups.h>\n#include <cuda.h>\n#include <cuda_gl_interop.h>\n#include <cstdio>\n#include <vector>\n"
          "#if CUDA_VERSION != 11050\n#error \"of the driver API's header\"\n#endif\nstd::vector<std::vector<int> > nested;\n"
          "#define SAY(text) puts(\"-\"text)\n"
          "__global__ void k(unsigned short *a)\n{\n    uchar2 narrow = {a[0], a[1]};\n"
          "    a[threadIdx.x] = narrow.x + 2 * narrow.y + cooperative_groups::thread_rank(cooperative_groups::this_thread_block());\n}\n"
          "int main()\n{\n    const int n = 1 << 1;\n    unsigned short *a, h[2] = {3, 4};\n    cudaMalloc(&a, 4);\n"
          "    cudaMemcpy(a, h, 4, cudaMemcpyHostToDevice);\n    k << < 1, n >> >\n        (a);\n"
          "    cudaMemcpy(h, a, 4, cudaMemcpyDeviceToHost);\n    SAY(\" said\");\n    return h[0] != 11 || h[1] != 12;\n}\n")
    bench.cc("-std=c++11", "-arch", "sm_13", "-use_fast_math", "suite.cu", "-o", "suite", "-lcudadevrt", "-lcuda", "-lcudart")
    bench.want(["./suite"], 0, ["- said"])
    bench.cc("--toolkit", "tk")
    write(bench, "beside.cpp", "#include <cuda_runtime.h>\ntexture<float, 2> t;\nint channels() { return cudaCreateChannelDesc<float4>().w; }\n")
    write(bench, "host.c", "#include <cuda_runtime.h>\nint main(void) { int n = 0; return cudaGetDeviceCount(&n) || n != 1; }\n")
    for command in (["tk/bin/nvcc", "-o", "suite", "suite.cu"], ["tk/bin/nvcc", "-c", "beside.cpp"],
                    ["g++", "-Itk/include", "-Wall", "-Werror", "-c", "beside.cpp"], ["gcc", "-Itk/include", "host.c", "-o", "host", "-Ltk/lib64", "-lcudart", "-lcuda"],
                    ["./suite"], ["env", "LD_LIBRARY_PATH=tk/lib", "./host"]):
        bench.want(command, 0, [])
    bench.want([bench.compiler, "cc", "--toolkit", "tk"], 2, ["tk/bin: File exists"])
    bench.cc("-cuda", "suite.cu")
    if "k << < 1" in (text := (bench.folder / "suite.cu.cpp.ii").read_text()) or "int main()" not in text:
        raise Failure("-cuda does not give the text that is compiled")


def refused(bench):
    """What cc cannot do has one message and exit status 2, what clang cannot 1."""
    for words, status, text in ((["none.cu"], 2, "none.cu: no such file"), ([], 2, "name a program's source"),
                                (["-rdc=true", "x.cu"], 2, "dynamic parallelism"),
                                (["managed.cu"], 1, "managed.cu:1:1: error: clang has no __managed__ variables: use cudaMallocManaged"),
                                (["nested.cu"], 1, "nested.cu:2:23: error: reference to __global__ function 'child' in __global__ function"), (["x.cu", "-lcublas"], 2, "cuBLAS is not here"),
                                (["-ptx", "x.cu"], 2, "--keep DIR has it"), (["-default-stream", "per-thread", "x.cu"], 2, "for each thread"),
                                (["broken.cu"], 1, "broken.cu:1")):
        write(bench, "x.cu", "int main() {}\n")
        write(bench, "managed.cu", "__managed__ int x;\nint main() {}\n")
        write(bench, "nested.cu", "__global__ void child() {}\n__global__ void k() { child<<<1, 1>>>(); }\nint main() {}\n")
        write(bench, "broken.cu", "__global__ void k( {}\n")
        done = bench.call([bench.compiler, "cc", *words])
        if done.returncode != status or text not in done.stderr:
            raise Failure(f"cc {words}: exit status {done.returncode}: {done.stderr[-300:]}")


def options(bench):
    """WARPREF: options as those of run; what it cannot have ends the program's GPU with a message."""
    bench.cc(ROOT / "examples/cuda/symbols.cu", "-o", "symbols")
    bench.want(["./symbols"], 0, ["PASS"], "--stats s.json --samples s.csv --wave w.fst")
    stats = json.loads((bench.folder / "s.json").read_text())
    if stats["status"] != "done" or not stats["counters"]["sm.issued"] or (bench.folder / "w.fst").stat().st_size < 1000:
        raise Failure("no figures in s.json, or no waveform")
    bench.want(["./symbols"], 0, ["PASS", '"status":\t"done"'], "--json")
    for wrong, said in (("--nope", "unrecognized option '--nope'"), ("--max-cycles many", "takes a number from 1 to"),
                        ("--stats", "option '--stats' requires an argument"), ("--stats a --stats b", "--stats is given twice"),
                        ("x.yaml", "takes the options of `warpref run`, but no launch file"),
                        ("--config none_of_this_name", "no configuration of this name"), ("--system none", "unknown system"),
                        ("--set l1.mshrs=much", "l1.mshrs"), ("--printf /none/here", "/none/here: error: cannot be written"),
                        ("'", "not words as a shell has them")):
        done = bench.want(["./symbols"], 2, [said, "WARPREF", "the program ends with exit status 2"], wrong)
        if done.stdout or "Try `WARPREF" in done.stderr:
            raise Failure(f"WARPREF={wrong}: the program went on, or is told of a command that is none: {done.stdout}{done.stderr}")
    bench.want(["./symbols"], 1, ["no CUDA-capable device"], WARPREF_PROGRAM="/no/such/program")
    bench.want(["./symbols"], 1, ["the launch timed out"], "--max-cycles 100")


def own_files(bench):
    """No option puts a file in the place of the program, or of a source of its kernels; by whatever name."""
    write(bench, "own.cu", "__global__ void k(int *a) { *a = 1; }\nint main() { int *a; cudaMalloc(&a, 4); k<<<1, 1>>>(a);"
          " return cudaDeviceSynchronize(); }\n")
    bench.cc("own.cu", "-o", "own")
    (bench.folder / "link").symlink_to("own")
    os.link(bench.folder / "own.cu", bench.folder / "hard.cu")
    before = {name: (bench.folder / name).read_bytes() for name in ("own", "own.cu")}
    bench.want(["./own"], 0, [], "--stats s.json --profile p.txt")
    for to, what in (("own", "the program"), ("link", "the program"), ("own.cu", "a source that the PTX names"),
                     ("hard.cu", "a source that the PTX names")):
        for option in ("--stats", "--profile", "--samples", "--timeline", "--printf"):
            done = bench.call(["./own"], f"{option} {to}")
            if done.returncode == 0 or f"{what} and {option} are one file" not in done.stderr:
                raise Failure(f"{option} {to}: exit status {done.returncode}: {done.stderr[-300:]}")
            if before != {name: (bench.folder / name).read_bytes() for name in before} or not (bench.folder / "link").is_symlink():
                raise Failure(f"{option} {to}: a file is not as it was")


def forward(bench):
    """Kernels by their names in the source; one that never comes is told with those that there were."""
    write(bench, "twice.cu", "namespace la { __global__ void set(int *a) { *a = 3; } }\ntemplate <typename T> __global__ void add(T *a) { *a += 1; }\n"
          "int main()\n{\n    int *a, h = 0;\n    cudaMalloc(&a, 4);\n    la::set<<<1, 1>>>(a);\n    add<<<1, 1>>>(a);\n    add<<<1, 1>>>(a);\n"
          "    cudaMemcpy(&h, a, 4, cudaMemcpyDeviceToHost);\n    return h == 5 ? 0 : 9;\n}\n")
    bench.cc("twice.cu", "-o", "twice")
    for name, tbs in (("set", 0), ("la::set:1", 0), ("la::set", 0), ("add", 1), ("add:2", 2), ("_Z3addIiEvPT_:2", 2)):
        bench.want(["./twice"], 0, [f'"tbs":\t{tbs},', '"time_began":\ttrue'], f"--fast-forward {name} --json")
    bench.want(["./twice"], 1, ["kernel 'add' was not launched 3 times, so nothing was timed; these were launched: _ZN2la3setEPi (1), "
                                "_Z3addIiEvPT_ (2)"], "--fast-forward add:3")
    bench.want(["./twice"], 1, ["kernel 'ad' was not launched 1 times"], "--fast-forward ad")


def dies(bench):
    """A GPU that dies, and a program that dies, end the other."""
    write(bench, "long.cu", "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n__global__ void k(volatile int *a) { while (*a == 0) { } }\n"
          "int main(int n, char **v)\n{\n    int *a;\n    char c[99];\n    setsid();\n    cudaMalloc(&a, 4);\n    cudaMemset(a, 0, 4);\n    k<<<1, 32>>>(a);\n"
          "    if (n > 1) { sprintf(c, \"(sleep 1; pkill -%s -s %d warpref) &\", v[1], getpid()); if (system(c)) return 3; }\n"
          "    else alarm(2);\n    cudaError_t e = cudaDeviceSynchronize();\n    printf(\"%s\\n\", cudaGetErrorName(e));\n    return 0;\n}\n")
    bench.cc("long.cu", "-o", "long")
    bench.want(["./long", "KILL"], 1, ["the simulated GPU is gone", "cudaErrorUnknown"])
    bench.want(["./long"], -14, [], "--stats left.json")
    for _ in range(100):
        if (bench.folder / "left.json").exists() and (bench.folder / "left.json").stat().st_size:
            break
        subprocess.run(["sleep", "0.1"], check=True)
    if json.loads((bench.folder / "left.json").read_text())["status"] != "interrupted":
        raise Failure("the GPU has not written its figures when the program died")


def launches(bench):
    """Each launch has its figures, which add up to the GPU's; kernels are named."""
    write(bench, "two.cu", "#include <cstdio>\n__global__ void add(int *a, int n) { for (int i = 0; i < n; i++) a[blockIdx.x * blockDim.x + threadIdx.x] += i; }\n"
          "__global__ void none(int n) { float x = n; for (int i = 0; i < n; i++) x = x * x + 1; if (x == 3) printf(\"3\"); }\n"
          "int main()\n{\n    int *a;\n    cudaStream_t s, t;\n    cudaMalloc(&a, 1 << 20);\n    cudaStreamCreate(&s);\n    cudaStreamCreate(&t);\n"
          "    for (int i = 0; i < 3; i++) {\n        add<<<dim3(5, 2), 96, 64, s>>>(a, 20);\n        none<<<40, dim3(16, 4), 0, t>>>(100);\n    }\n"
          "    return cudaDeviceSynchronize();\n}\n")
    bench.cc("two.cu", "-o", "two")
    for options in ("", "--threads 2", "--config maxwell --system preemption:period=3000", "--config gtx980 --system smk", "--config k20x --set sms=2",
                    "--set sm.lsu_queues=2"):
        bench.want(["./two"], 0, [], f"{options} --stats two.json")
        stats = json.loads((bench.folder / "two.json").read_text())
        rows, counters, rest = stats["launches"], stats["counters"], stats["no_launch"]
        got = [(row["kernel"], row["grid"], row["block"], row["in_flight"], row["runs"]) for row in rows]
        want = [("_Z3addPii", [5, 2, 1], [96, 1, 1], False, 1), ("_Z4nonei", [40, 1, 1], [16, 4, 1], False, 1)] * 3
        assert sorted(got) == sorted(want), f"{options}: {got}"
        assert [row["begun"] for row in rows] == sorted(row["begun"] for row in rows) and rows[1]["begun"] < rows[0]["ended"], f"{options}: {rows}"
        for key, name in (("warp_instructions", "sm.issued"), ("thread_instructions", "sm.thread_insns"), ("tbs", "sm.tbs_done")):
            assert sum(row[key] for row in rows) == counters[name], f"{options}: {name}"
        for name, more in rest.items():
            assert sum(row.get(name, 0) for row in rows) + more == counters[name], f"{options}: {name}"
            own = name not in ("l2.accesses", "l2.hits", "l2.misses", "sched.stall.empty") or "system" not in options and name[:3] == "l2."
            assert not (own and more), f"{options}: {more} of {name} belong to no launch"
        for row in rows:
            assert abs(row["ipc"] - row["warp_instructions"] / row["cycles"]) < 1e-9 and (row["l1.misses"] > 0) == (row["kernel"] == "_Z3addPii"), f"{options}: {row}"
    done = bench.want(["./two"], 0, ["_Z3addPii: grid 5x2x1, block 96x1x1, ran 3 times", "_Z4nonei: grid 40x1x1, block 16x4x1, ran 3 times",
                                     "a cycle, L1 hits", "of its issue slots", "stall.memory"], "--counters")
    assert done.stderr.count("ran 3 times") == 2
    bench.want(["./two"], 702 & 255, [], "--max-cycles 500 --stats two.json")
    rows = json.loads((bench.folder / "two.json").read_text())["launches"]
    assert [(row["runs"], row["in_flight"], row["ended"]) for row in rows] == [(0, True, 500)] * 2, rows


def processes(bench):
    """Forks, daemons, threads, handlers, closed descriptors: the table is the program's."""
    bench.cc(HERE / "programs/processes.cu", "-o", "processes")
    cases = [line.split(" ", 2) for line in bench.want(["./processes"], 0, []).stdout.splitlines()]
    assert len(cases) >= 20
    for name, status, said in cases:
        bench.want(["./processes", name], int(status), [said] + (["GOOD"] if status == "0" else []))


def unwaited(bench):
    """What nobody waits for runs at the program's regular end; a fault of it is told."""
    write(bench, "end.cu", "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
          "__global__ void k(int *a, int n) { a[n] = 7; if (threadIdx.x == 0) printf(\"kernel %d\\n\", n); }\n"
          "int main(int words, char **word)\n{\n    int *a, h[999], n = atoi(word[1]);\n    cudaStream_t s, t;\n    cudaMalloc(&a, 4);\n"
          "    cudaStreamCreate(&s);\n    cudaStreamCreate(&t);\n    k<<<1, 32, 0, s>>>(a, n);\n    cudaMemcpyAsync(h, a, 4, cudaMemcpyDeviceToHost, s);\n"
          "    k<<<1, 32, 0, t>>>(a, 0);\n    if (words > 3) cudaStreamSynchronize(t);\n    if (n == 1) _exit(0);\n    exit(atoi(word[2]));\n}\n")
    bench.cc("end.cu", "-o", "end")
    for words, options, status, said, tbs in ((["0", "0"], "", 0, "kernel 0", 2), (["0", "3"], "", 3, "kernel 0", 2),
                                              (["0", "0", "wait"], "", 0, "kernel 0", 2), (["-9999", "0"], "", 1, "global access of 4 bytes", None),
                                              (["-9999", "3"], "", 3, "global access of 4 bytes", None), (["1", "0"], "", 0, "", 0),
                                              (["0", "0"], "--max-cycles 50", 1, "has not ended after 50 cycles", None)):
        (bench.folder / "end.json").unlink(missing_ok=True)
        bench.want(["./end", *words], status, [said], f"--stats end.json {options}")
        if words[0] == "1":
            continue  # its GPU may still write
        stats = json.loads((bench.folder / "end.json").read_text())
        if not stats["cycles"] or (tbs is not None and stats["counters"]["sm.tbs_done"] != tbs):
            raise Failure(f"{words} {options}: {stats['cycles']} cycles, {stats['counters']['sm.tbs_done']} TBs")


def write(bench, name, text):
    (bench.folder / name).write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/bin/warpref", help="whose GPU it is (build/release/bin/warpref)")
    parser.add_argument("--cc", default=ROOT / "build/release/bin/warpref", help="that compiles (the same)")
    parser.add_argument("--seeds", type=int, default=400 if LONG else 4, help="random programs")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1), help="the first of them")
    parser.add_argument("--only", default="", metavar="NAME", help="this case alone")
    args = parser.parse_args()
    print(f"seed {args.seed} (--seed or WARPREF_SEED)")
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(pathlib.Path(args.program).resolve(), pathlib.Path(args.cc).resolve(), pathlib.Path(scratch), args.only)
        for source in sorted((ROOT / "examples/cuda").glob("*.cu"))[:: 1 if LONG or args.only else 2]:
            bench.check(source.stem, example, bench, source)
        bench.check("narrow", narrow, bench)
        bench.check("portable", portable, bench)
        bench.check("order", order, bench, args.seed, args.seeds)
        for case in (both, limits, parts, refused, options, own_files, forward, dies, processes, unwaited, launches, suites):
            bench.check(case.__name__, case, bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed or not bench.passed else 0


if __name__ == "__main__":
    sys.exit(main())
