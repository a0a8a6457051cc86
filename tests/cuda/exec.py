#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`warpref exec`: programs as nvcc builds them, made without it, and with --nvcc those of examples/cuda/ by nvcc.

    tests/cuda/exec.py [--nvcc] [--program WARPREF] [--only NAME]

The programs are linked with a library of NVIDIA's name all of whose functions abort, where their RUNPATH or RPATH says:
exec must find ours. The last line is "N passed, N failed"; with --nvcc and no nvcc it is skipped, exit status 77.
"""
import argparse
import ctypes
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from programs import HERE, LONG, ROOT, Bench, Failure, write

SKIPPED = 77
PTX, MACHINE = 1, 2
PLAIN, LZ4, ZSTD = 0x11, 0x2011, 0x8011
VERSIONS = {"11": "11.0", "12": "12", "13": "13"}
# More text than the kernel needs: long literals and matches, over more than 64 KiB.
KERNEL = """.version 6.0
.target sm_{target}
.address_size 64
.visible .global .attribute(.managed) .align 4 .b8 both[16];
.visible .global .align 4 .u32 alone;
.visible .global .attribute(.managed) .align 4 .b8 more[8192];
.visible .entry mark(.param .u64 out)
{{
    .reg .b64 %rd<2>;
    .reg .b32 %r<6>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, {mark};
    st.global.u32 [%rd1], %r1;
    ld.global.u32 %r2, [alone];
    ld.global.u32 %r3, [both+4];
    ld.global.u32 %r4, [more+4];
    add.s32 %r5, %r2, %r3;
    add.s32 %r5, %r5, %r4;
    st.global.u32 [%rd1+4], %r5;
    st.global.u32 [both+8], %r5;
    {last}
}}
"""
GOOD = "cudaSuccess: image {}, sum 321, both 321"


def kernel(target, mark=None, last="ret;", long=False):
    text = KERNEL.format(target=target, mark=mark or target, last=last)
    return (text + "".join(f"// {i * i % 977}\n" for i in range(9000 if long else 0))).encode()


def lz4(data):
    """A block of LZ4: the nearest match of four bytes or more, greedily."""
    out, at, start, seen = bytearray(), 0, 0, {}

    def length(value):
        return b"" if value < 15 else b"\xff" * ((value - 15) // 255) + bytes([(value - 15) % 255])

    while at < len(data) - 12:
        key = data[at:at + 4]
        match, seen[key] = seen.get(key), at
        if match is None or at - match > 0xffff:
            at += 1
            continue
        size = 4
        while at + size < len(data) - 5 and data[match + size] == data[at + size]:
            size += 1
        literals = data[start:at]
        out += bytes([min(len(literals), 15) << 4 | min(size - 4, 15)]) + length(len(literals)) + literals
        out += struct.pack("<H", at - match) + length(size - 4)
        at = start = at + size
    literals = data[start:]
    return bytes(out + bytes([min(len(literals), 15) << 4]) + length(len(literals)) + literals)


def zstd(data):
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_compress.restype = ctypes.c_size_t
    library.ZSTD_compress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
    to = ctypes.create_string_buffer(len(data) + 1024)
    size = library.ZSTD_compress(to, len(to), data, len(data), 3)
    return to.raw[:size]


def image(kind, target, data, flags=PLAIN, name=b""):
    """One of a fat binary; with a name its head is longer."""
    packed = lz4(data) if flags == LZ4 else zstd(data) if flags == ZSTD else data
    head = 64 + (len(name) + 7) // 8 * 8
    body = packed + bytes(-len(packed) % 8)
    compressed = flags != PLAIN
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, head, len(body), len(packed) if compressed else 0, 0, 0, 6, target,
                       64 if name else 0, len(name), flags, 0, len(data) if compressed else 0) + name.ljust(head - 64, b"\0") + body


def fat(*images):
    body = b"".join(images)
    return struct.pack("<IHHQ", 0xba55ed50, 1, 16, len(body)) + body


def fake(bench, soname, names, folder):
    """A library of NVIDIA's name and versions that ends whoever calls it."""
    to = bench.folder / folder
    to.mkdir(exist_ok=True)
    write(bench, f"{folder}/fake.c", "#include <stdlib.h>\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name in names))
    write(bench, f"{folder}/fake.map", f"{soname} {{ global: *; }};\n")
    system(bench, "-shared", "-fPIC", "-o", to / soname, to / "fake.c", f"-Wl,-soname,{soname}", f"-Wl,--version-script={to / 'fake.map'}")
    return to / soname


def system(bench, *words):
    done = bench.call([os.environ.get("CC") or "cc", *words])
    if done.returncode != 0:
        raise Failure(f"cc {' '.join(map(str, words))}: {done.stderr[-600:]}")


def byhand(bench, name, data, version="13", *more):
    """The program with this fat binary."""
    source = HERE / "programs/byhand.c"
    names = set(re.findall(r"\b(?:__)?cuda[A-Z]\w+(?=\()", source.read_text())) | {"cudaGetDeviceProperties_v2"}
    library = fake(bench, f"libcudart.so.{VERSIONS[version]}", sorted(names), "fake")
    (bench.folder / f"{name}.fat").write_bytes(data)
    system(bench, "-O1", "-Wall", f"-DVERSION={version}", f'-DFAT="{bench.folder / name}.fat"', source, "-o", name, library,
           f"-Wl,-rpath,{library.parent}", *more)
    return f"./{name}"


def run(bench, words, status, texts, options=None, **more):
    return bench.want([bench.compiler, "exec", *words], status, texts, options, **more)


def versions(bench):
    """Each version of the runtime's name, by RUNPATH and RPATH, and the struct of each."""
    for version in VERSIONS:
        for number, tags in enumerate(("--enable-new-dtags", "--disable-new-dtags")):
            program = byhand(bench, f"v{version}.{number}", fat(image(PTX, 75, kernel(75))), version, f"-Wl,{tags}")
            run(bench, [program], 0, [GOOD.format(75), "warpref gtx480: warp 32, major 5, SMs 15, threads 1536, blocks 8, shared 49152; "
                                      "last 0, beyond 0"])
            run(bench, ["--config", "maxwell", program], 0, [GOOD.format(75), "warpref maxwell: warp 32, major 5, SMs 16, threads 2048"])
        if bench.call([program]).returncode != -6:
            raise Failure("without exec the program does not get the library that aborts")


def compressed(bench):
    for name, flags in (("plain", PLAIN), ("lz4", LZ4), ("zstd", ZSTD)):
        for long in (False, True):
            run(bench, [byhand(bench, name, fat(image(PTX, 75, kernel(75, long=long), flags, b"a name.cu")))], 0, [GOOD.format(75)])


def chosen(bench):
    """The highest target whose kernels can all run; of PTX that does not compile the next."""
    bad = kernel(90, last="wgmma.fence.sync.aligned; ret;")
    machine = image(MACHINE, 120, b"\x7fELF")
    for name, images, mark in (("highest", [(52, kernel(52)), (90, kernel(90)), (75, kernel(75))], 90),
                               ("refused", [(52, kernel(52)), (90, bad), (75, kernel(75))], 75),
                               ("broken", [(90, b"no PTX at all"), (52, kernel(52))], 52),
                               ("same", [(75, kernel(75, 1)), (75, kernel(75, 2))], 1)):
        for flags in (PLAIN, LZ4):
            data = fat(*[image(PTX, target, text, flags) for target, text in images], machine)
            run(bench, [byhand(bench, name, data)], 0, [GOOD.format(mark)])
    run(bench, [byhand(bench, "none", fat(image(PTX, 90, bad)))], 0, ["kernel mark cannot run", "cudaErrorInvalidDeviceFunction"])


def by_file(bench):
    """-rdc=true: machine code that the linker made, and behind it the PTX of each file."""
    data = fat(image(MACHINE, 75, b"\x7fELF"))
    (bench.folder / "linked.fat").write_bytes(data)
    linked = f'-DLINKED="{bench.folder}/linked.fat"'
    run(bench, [byhand(bench, "files", fat(image(PTX, 75, kernel(75))), "13", linked)], 0, [GOOD.format(75)])
    run(bench, [byhand(bench, "no_files", data, "13", linked)], 1, ["only machine code of GPUs (sm_75)"])


def machine_only(bench):
    program = byhand(bench, "machine", fat(image(MACHINE, 75, b"\x7fELF"), image(MACHINE, 90, b"\x7fELF")))
    done = run(bench, [program], 1, ["only machine code of GPUs (sm_75, sm_90)", "nvcc -cudart shared -gencode arch=compute_75,code=compute_75",
                                     "cudaErrorNoKernelImageForDevice"])
    if done.stderr.count("machine code") != 1:
        raise Failure(f"not one message: {done.stderr}")
    run(bench, [program, "3"], 3, ["only machine code"])


def hostile(bench):
    """Cut and corrupt ones in whole programs; tests/cuda/fatbin.c has them by the thousand."""
    good = fat(image(PTX, 75, kernel(75), LZ4))
    middle = bytearray(good)
    middle[200:260] = bytes(60)
    for name, data, status, text in (("empty", b"", 0, "does not belong in PTX"), ("head", good[:12], 1, "cannot be read"),
                                     ("cut", good[:-64], 1, "cannot be read"), ("size", good[:15] + b"\x7f" + good[16:], 1, "cut off"),
                                     ("middle", bytes(middle), 1, "LZ4 has compressed is corrupt"),
                                     ("whole", good[:72] + struct.pack("<Q", 1 << 62) + good[80:], 1, "impossible sizes")):
        run(bench, [byhand(bench, f"bad_{name}", data)], status, ["warpref: ", text, "cudaError"])


def passed_on(bench):
    """Arguments, environment, the way that it is called, exit status, signals, options."""
    program = byhand(bench, "pass", fat(image(PTX, 75, kernel(75))))
    run(bench, ["--config=maxwell", "--threads", "2", program, "7", "--config", "x"], 7, ["called ./pass, 3 arguments, TOKEN none", "maxwell"])
    run(bench, ["--", program], 0, ["called ./pass, 0 arguments, TOKEN here"], TOKEN="here")
    run(bench, ["pass"], 0, ["called pass, 0 arguments"])
    run(bench, ["-c", "k20x", "--stats", "two words.json", program], 0, ["k20x"], "--set sms=2")
    if not (bench.folder / "two words.json").exists():
        raise Failure("no figures in a file of two words")
    for name, number in (("TERM", 15), ("PIPE", 13)):
        run(bench, [program, name], -number, [GOOD.format(75)])
    run(bench, [program], 2, ["there is no configuration of this name"], "--config none_of_this_name")


def values(bench):
    """What `run` takes a value for takes it as a word of its own, whatever the texts about other options begin with."""
    usage = bench.call([bench.compiler, "run", "--usage"]).stdout
    names = re.findall(r"\[--([\w-]+)=", usage)
    for name in names:
        run(bench, [f"--{name}"], 2, [f"--{name}: a value is missing"])
    if len(names) < 30:
        raise Failure(f"--usage has too few options: {names}")
    program = byhand(bench, "values", fat(image(PTX, 75, kernel(75))))
    run(bench, ["--system", "preemption:period=500", "--blocks", "model", program], 0, [GOOD.format(75)])
    run(bench, ["--blocks"], 2, ["a value is missing"], ARGP_HELP_FMT="opt-doc-col=2")


def limited(bench):
    """Where no file or process can be had there is one message."""
    program, told = byhand(bench, "limited", fat(image(PTX, 75, kernel(75)))), 0
    for descriptors in range(5, 10):
        done = bench.call(["bash", "-c", f"ulimit -n {descriptors}; exec {bench.compiler} exec --check-memory {program}"])
        told += done.returncode == 2 and len(done.stderr.splitlines()) == 1 and "warpref exec: " in done.stderr
        if "cuda/exec.py" in done.stderr:
            raise Failure(f"ulimit -n {descriptors}: {done.stderr[-600:]}")
    if not told:
        raise Failure("no limit of descriptors is told")


def interrupted(bench):
    """Ctrl-C, however early, ends it without a word of Python's."""
    ends = set()
    for wait in range(40):
        with subprocess.Popen([bench.compiler, "exec", "./nothing"], env=bench.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as child:
            time.sleep(0.005 * wait)
            child.send_signal(signal.SIGINT)
            said = child.communicate()[1]
            ends.add(child.returncode)
        if "Traceback" in said or "KeyboardInterrupt" in said or child.returncode not in (2, 130, -signal.SIGINT):
            raise Failure(f"after {0.005 * wait:.3f} s: exit status {child.returncode}: {said[-600:]}")
    if 130 not in ends:
        raise Failure(f"none was interrupted in Python: {ends}")


def refused(bench):
    """What cannot run has one message and exit status 2, and runs nothing."""
    data = fat(image(PTX, 75, kernel(75)))
    program = byhand(bench, "refused", data)
    names = {"old": "libcudart.so.10.2", "lacks": "libcudart.so.13", "plain": "libplain.so"}
    for name, soname in names.items():
        library = fake(bench, soname, ["cudaGraphLaunch", "cudaStreamBeginCapture"], f"fake_{name}")
        write(bench, f"{name}.c", "#include <stdio.h>\nvoid cudaGraphLaunch(void), cudaStreamBeginCapture(void);\n"
              "int main(int n, char **v) { puts(\"ran\"); if (n > 1) { cudaGraphLaunch(); cudaStreamBeginCapture(); } }\n")
        system(bench, f"{name}.c", "-o", name, library, f"-Wl,-rpath,{library.parent}")
    write(bench, "static.c", "static const int x[6] __attribute__((section(\".nvFatBinSegment\"), used)) = {0x466243b1};\nint main(void) { return 0; }\n")
    system(bench, "static.c", "-o", "inside")
    system(bench, "static.c", "-static", "-o", "static")
    write(bench, "script", "#!/bin/sh\necho ran\n")
    elf = (bench.folder / program).read_bytes()
    (bench.folder / "cut").write_bytes(elf[:100])
    (bench.folder / "mad").write_bytes(elf[:32] + b"\xff" * 32 + elf[64:])
    (bench.folder / "empty").write_bytes(b"")
    for name in ("script", "cut", "mad", "empty"):
        (bench.folder / name).chmod(0o755)
    system(bench, "lacks.c", "-o", "lost", "-Wl,--no-as-needed", bench.folder / "fake_lacks/libcudart.so.13",
           bench.folder / "fake_plain/libplain.so")
    for words, text in (([], "name a program"), (["./nothing"], "no such program"), (["refused.fat"], "not a program that may be run"),
                        (["./fake"], "not a program that may be run"), (["--nope", program], "--nope: neither an option of `warpref run`"),
                        (["--config"], "a value is missing"), (["./script"], "not an x86-64 program"), (["./cut"], "cut off"),
                        (["./mad"], "cut off"), (["./empty"], "not an x86-64 program"), (["./static"], "linked statically; build it with"),
                        (["./inside"], "its CUDA runtime is linked statically"), (["./plain"], "it needs no libcudart.so"),
                        (["./old"], "needs libcudart.so.10.2; here are libcudart.so.11.0, libcudart.so.12, libcudart.so.13"),
                        (["./lacks"], "has no cudaGraphLaunch, cudaStreamBeginCapture"), (["./lost"], "needs libplain.so, which is not found")):
        done = run(bench, words, 2, ["warpref exec: ", text])
        if "ran" in done.stdout or len(done.stderr.splitlines()) != 1:
            raise Failure(f"{words}: it ran, or has not one message: {done.stdout}{done.stderr}")


def by_nvcc(bench):
    """The examples by nvcc pass their own checks, in each manner of compression that this nvcc has; every fourth of them,
    and every third manner, with WARPREF_LONG all."""
    each = 1 if LONG else 4
    manners = [[], ["-Xfatbin", "-compress-all"], ["-no-compress"]]
    manners += [[f"--compress-mode={mode}"] for mode in ("none", "speed", "balance", "size")
                if f"{mode}" in bench.call(["nvcc", "--help"]).stdout]
    sources = [s for s in sorted((ROOT / "examples/cuda").glob("*.cu")) if s.stem != "textures"]  # whose instructions are not here
    for number, source in list(enumerate(sources))[::each]:
        bench.check(source.stem, example, bench, source, manners[number % len(manners)])
    source = ROOT / "examples/cuda/symbols.cu"
    for manner in manners[:: 1 if LONG else 3]:
        bench.check(f"manner {' '.join(manner)}", example, bench, source, manner)
    bench.check("managed variables", managed, bench)
    bench.check("machine code", machine_nvcc, bench)
    bench.check("several files", several, bench)


def nvcc(bench, source, name, *words):
    done = bench.call(["nvcc", "-cudart", "shared", "-o", name, source, *words])
    if done.returncode != 0:
        raise Failure(f"nvcc {source}: {done.stderr[-600:]}")


def example(bench, source, manner):
    """It passes, and prints what it prints by cc, apart from times and differences."""
    nvcc(bench, source, source.stem, *manner)
    bench.cc(source, "-o", "by_cc")
    run(bench, ["--config", "maxwell", f"./{source.stem}"], 0, ["PASS"])
    texts = [sorted(re.sub(r"\d+\.\d+(e[-+]\d+)?", "#", done.stdout).splitlines())
             for done in (run(bench, [f"./{source.stem}"], 0, ["PASS"]), bench.want(["./by_cc"], 0, ["PASS"]))]
    if texts[0] != texts[1]:
        raise Failure(f"by nvcc it prints another text: {texts[0]}, by cc {texts[1]}")


def managed(bench):
    write(bench, "m.cu", "#include <cstdio>\n__managed__ int m[4], n;\n__managed__ int wide[5000];\n"
          "__global__ void k() { m[2] = m[1] + n; wide[4999] = wide[7] + 1; }\n"
          "int main() { m[1] = 20; n = 3; wide[7] = 41; k<<<1, 1>>>(); cudaDeviceSynchronize(); printf(\"%d %d\\n\", m[2], wide[4999]); }\n")
    nvcc(bench, "m.cu", "m")
    run(bench, ["./m"], 0, ["23 42"])


def several(bench):
    """Kernels that need nothing of another file run, others are refused by name."""
    write(bench, "one.cu", "#include <cstdio>\n__device__ int twice(int);\n__global__ void calls(int *a) { *a = twice(21); }\n"
          "__global__ void own(int *a) { *a = 7; }\nint main() { int *a, h = 0; cudaMalloc(&a, 4); own<<<1, 1>>>(a);\n"
          "    cudaMemcpy(&h, a, 4, cudaMemcpyDeviceToHost); calls<<<1, 1>>>(a); printf(\"%d %s\\n\", h, cudaGetErrorName(cudaGetLastError())); }\n")
    write(bench, "two.cu", "__device__ int twice(int x) { return 2 * x; }\n")
    nvcc(bench, "one.cu", "several", "two.cu", "-rdc=true")
    run(bench, ["./several"], 0, ["7 cudaErrorInvalidDeviceFunction", "kernel _Z5callsPi cannot run", "twice"])


def machine_nvcc(bench):
    nvcc(bench, ROOT / "examples/cuda/symbols.cu", "sass", "-gencode", "arch=compute_75,code=sm_75")
    run(bench, ["./sass"], 1, ["only machine code of GPUs (sm_75)"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvcc", action="store_true", help="programs by nvcc")
    parser.add_argument("--program", default=ROOT / "build/release/bin/warpref", help="that is tried (build/release/bin/warpref)")
    parser.add_argument("--only", default="", metavar="NAME", help="this case alone")
    args = parser.parse_args()
    if args.nvcc and not shutil.which("nvcc"):
        print("SKIPPED: programs by nvcc, which is not on PATH")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        program = pathlib.Path(args.program).resolve()
        bench = Bench(program, program, pathlib.Path(scratch), args.only)
        if args.nvcc:
            by_nvcc(bench)
        else:
            for case in (versions, compressed, chosen, by_file, machine_only, hostile, passed_on, values, limited, interrupted, refused):
                bench.check(case.__name__, case, bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return 1 if bench.failed or not bench.passed else 0


if __name__ == "__main__":
    sys.exit(main())
