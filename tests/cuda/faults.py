#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Changes of kernels/cuda/ and kernels/libdevice/: header.py and math.py must notice each; every fourth is made, with
WARPREF_LONG in the environment all.

    tests/cuda/faults.py BIN_DIR
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
# (file, text, what stands there instead, functions that are played)
FAULTS = [
    ("integer.h", "return 32 - __clz(x & -(unsigned)x);", "return 31 - __clz(x & -(unsigned)x);", "__ffs"),
    ("integer.h", '"shf.r.clamp.b32"', '"shf.r.wrap.b32"', "__funnelshift"),
    ("integer.h", "(selector & 0x7777)", "(selector)", "__byte_perm"),
    ("integer.h", "return (int)(((long long)x + y + 1) >> 1);", "return (int)((unsigned)x + y + 1) >> 1;", "hadd"),
    ("integer.h", '"dp2a.hi.u32.u32"', '"dp2a.hi.u32.s32"', "__dp2a"),
    ("rounding.h", 'M(_ru, "rp"', 'M(_ru, "rz"', "fma"),
    ("rounding.h", "__double_as_longlong(x) >> 32", "__double_as_longlong(x) >> 31", "hiint"),
    ("warp.h", "WR_SHUFFLE(T, __shfl_up, unsigned, up, 0)", "WR_SHUFFLE(T, __shfl_up, unsigned, up, 31)", "__shfl_up"),
    ("warp.h", "(unsigned)(32 - (width)) << 8", "(unsigned)(31 - (width)) << 8", "__shfl_down"),
    ("warp.h", 'WR_REDUCE(int, min, "min.s32")', 'WR_REDUCE(int, min, "min.u32")', "__reduce_min"),
    ("warp.h", " %0|p, %2, %3; selp.s32 %1, 1, 0, p;", " %0|p, %2, %3; selp.s32 %1, 0, 1, p;", "__match_all"),
    ("atomic.h", "WR_ATOMIC(unsigned, atomicMax, __nvvm_atom_max_gen_ui(at, value))",
     "WR_ATOMIC(unsigned, atomicMax, (unsigned)__nvvm_atom_max_gen_i((int *)at, (int)value))", "atomicMax"),
    ("atomic.h", "(int)-(unsigned)value", "value", "atomicSub"),
    ("access.h", '"st.global.cs"', '"st.global.cs.v1"', "__stcs of int"),
    ("access.h", '.v2.u64 {%0, %1}, [at];")', '.v2.u64 {%1, %0}, [at];")', "of float4"),
    ("math.h", "WR_MACHINE1(double, rint, __builtin_rint(x)", "WR_MACHINE1(double, rint, __builtin_round(x)", "rint"),
    ("services.h", "return __builtin_memset(to, value, bytes);", "return __builtin_memset(to, value, bytes & ~1);", "memset"),
    ("simd.h", "(x + y + (x + y >= 0 ? 1 : 0)) >> 1", "(x + y + 1) >> 1", "__vavgs"),
    ("simd.h", "WR_SIMD_TEST(gts, WR_PART_S, x > y)", "WR_SIMD_TEST(gts, WR_PART_U, x > y)", "__vcmpgts"),
    ("simd.h", "WR_SIMD_ONE(__vabsss, WR_BOUND(x < y ? -x : x, least, most))", "WR_SIMD_ONE(__vabsss, x < y ? -x : x)", "__vabsss"),
    ("narrow.h", 'WR_FMA(_relu, "fma.rn.relu")', 'WR_FMA(_relu, "fma.rn")', "_relu of __half"),
    ("narrow.h", "WR_RELATION(!=, __hneu, __hbneu2)", "WR_RELATION(!=, __hne, __hbne2)", "!= of __half"),
    ("narrow.h", "WR_NAN_TOO(__hmax, \"max\")", "WR_NAN_TOO(__hmax, \"min\")", "__hmax_nan"),
    ("narrow.h", "return WR_N2(a.y, b.y);", "return WR_N2(b.y, a.y);", "__highs2bfloat"),
    ("narrow_bits.h", "(rest == half && (whole & 1) != 0)", "(rest == half)", "__int2half_rn"),
    ("narrow_bits.h", "how == (negative ? WR_DOWN : WR_UP)", "how == WR_UP", "__float2bfloat16_rd"),
    ("narrow_bits.h", "(how == WR_DOWN && !negative)", "(how == WR_DOWN)", "__float2half_rd"),
    ("qualifiers.h", 'WR_BARRIER_OF(__syncthreads_or, "or")', 'WR_BARRIER_OF(__syncthreads_or, "and")', "__syncthreads"),
]
# (file, text, what stands there instead, script, functions that are played)
MATH = [
    ("clc.c", "return x == 0 ? x : clc_##name(x);", "return clc_##name(x);", "math.py", "sin"),
    ("double.c", "0x1.39fe208c33457p-3", "0x1.39fe208c34457p-1", "math.py", "log"),
    ("double.c", "0.5 * ((1 - one) - of_root", "0 * ((1 - one) - of_root", "math.py",
     "rsqrt"),
    ("float.c", "p * power_of_2f(n) * part;", "p * power_of_2f(n) * (part < 1 ? 0 : part);", "math.py", "expf"),
    ("gamma.c", "other = 1, gamma;", "other = 1.000000000000002, gamma;", "math.py", "tgamma"),
    ("gamma.c", "__builtin_fma(-TWO_OVER_ROOT_PI * rest,", "__builtin_fma(0 * rest,", "math.py", "normcdf"),
    ("parts.c", "x *= 0x1p-969;", "x *= 0x1p-1022; n += 53;", "header.py", "ldexp"),
    ("parts.c", "d.quotient % 2)) {", "d.quotient % 2 == 0)) {", "header.py", "remainder"),
    ("parts.c", "scaled != x ? 54 : 0", "scaled != x ? 53 : 0", "header.py", "frexp"),
]


def misses(done):
    """What a script said that has not failed as it should have."""
    return "" if done.returncode == 1 and "FAIL" in done.stdout else done.stdout[-300:] + done.stderr[-300:] or "it says nothing"


def changed(path, text, instead):
    """Why the change cannot be made."""
    source = path.read_text()
    if source.count(text) != 1:
        return f"this stands there {source.count(text)} times"
    path.write_text(source.replace(text, instead))
    return ""


def notices_math(bin_folder, fault):
    """The same with device math: a copy of the program finds the bitcode beside it."""
    file, text, instead, script, only = fault
    with tempfile.TemporaryDirectory() as scratch:
        home = pathlib.Path(scratch)
        shutil.copytree(KERNELS / "libdevice", home / "libdevice")
        for name in ("bin", "lib"):
            (home / name).mkdir()
        shutil.copy(pathlib.Path(bin_folder) / "warpref", home / "bin")
        if why := changed(home / "libdevice" / file, text, instead):
            return why
        for bits in ("32", "64"):
            subprocess.run([home / "libdevice/build.sh", bits, home / f"lib/libdevice.{bits}.bc"], check=True, capture_output=True)
        return misses(subprocess.run([sys.executable, str(HERE / script), str(home / "bin"), "--only", only], capture_output=True,
                                     text=True, check=False))


def notices(bin_folder, fault):
    """The last lines of header.py, where it does not fail."""
    file, text, instead, only = fault
    with tempfile.TemporaryDirectory() as scratch:
        headers = pathlib.Path(scratch)
        for name in ("cuda.h", "cuda_fp16.h", "cuda_bf16.h"):
            shutil.copy(KERNELS / name, headers)
        shutil.copytree(KERNELS / "cuda", headers / "cuda")
        if why := changed(headers / "cuda" / file, text, instead):
            return why
        return misses(subprocess.run([sys.executable, str(HERE / "header.py"), bin_folder, "--only", only, "--headers", str(headers)],
                                     capture_output=True, text=True, check=False))


def main():
    failed = 0
    faults = [*FAULTS, *MATH][::1 if "WARPREF_LONG" in os.environ else 4]
    for fault in faults:
        why = (notices if len(fault) == 4 else notices_math)(sys.argv[1], fault)
        failed += bool(why)
        print(f"{'FAIL ' if why else 'ok   '} {fault[0]}: {fault[1][:60]} {why}")
    print(f"{len(faults) - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
