#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near the math functions of kernels/cuda/math.h are, on the shell, beside the errors that CUDA documents.

Arguments are special values, numbers of all exponents, and such as lie where a function does most; the truth is
libquadmath's, in math_reference.c. An error larger than CUDA's is a failure.

    tests/cuda/math.py BIN_DIR [--samples N] [--only NAME] [--seed S] [--table] [--keep DIR]

--table prints a table for docs/cuda.md. The last line is "N passed, N failed", in functions.
"""
import argparse
import math
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
THREADS = 128
AT_A_TIME = 30  # functions of a launch file
# The largest error in ulp that CUDA's programming guide gives, of float and of double; None: the function is not of that
# type. lgamma: outside of where it is near its zeros; of double CUDA's interval reaches down to -23.
LIMITS = {
    "acos": (2, 2), "acosh": (4, 3), "asin": (2, 2), "asinh": (3, 3), "atan": (2, 2), "atan2": (3, 2), "atanh": (3, 2),
    "cbrt": (1, 1), "cos": (2, 2), "cosh": (2, 1), "cospi": (1, 2), "erf": (2, 2), "erfc": (4, 5), "erfcinv": (4, 6),
    "erfcx": (4, 4), "erfinv": (2, 5), "exp": (2, 1), "exp10": (2, 1), "exp2": (2, 1), "expm1": (1, 1), "hypot": (3, 2),
    "lgamma": (6, 4), "log": (1, 1), "log10": (2, 1), "log1p": (1, 1), "log2": (1, 1), "norm3d": (3, 2), "norm4d": (3, 2),
    "normcdf": (5, 5), "normcdfinv": (5, 8), "pow": (4, 2), "rcbrt": (1, 1), "rhypot": (2, 1), "rnorm3d": (2, 1),
    "rnorm4d": (2, 1), "rsqrt": (2, 1), "sin": (2, 2), "sinh": (3, 2), "sinpi": (1, 2), "tan": (4, 2), "tanh": (2, 1),
    "tgamma": (5, 10), "__fdividef": (2, None)}
ARGUMENTS = {"atan2": 2, "hypot": 2, "pow": 2, "rhypot": 2, "norm3d": 3, "norm4d": 4, "rnorm3d": 3, "rnorm4d": 4, "__fdividef": 2}
RANGE = {"acos": (-1, 1), "asin": (-1, 1), "atanh": (-1, 1), "erf": (-6, 6), "erfc": (-6, 28), "erfcinv": (0, 2), "erfcx": (-26, 60),
         "erfinv": (-1, 1), "lgamma": (-2.2, 200), "normcdf": (-38, 10), "normcdfinv": (0, 1), "tgamma": (-50, 180)}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 3.0, 10.0, math.inf, -math.inf, math.nan]
EDGES = {"float": [1e-45, -1e-45, 1e-40, 1.17549435e-38, 3.4028234663852886e38, -3.4028234663852886e38, 88.72284, -103.97208, 128.0],
         "double": [5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1.7976931348623157e308, -1.7976931348623157e308, 709.782712893384,
                    -745.1332191019411, 1024.0]}
LETTER = {"float": "f", "double": "d"}


def draw(r, name, kind):
    how, bits = r.random(), 32 if kind == "float" else 64
    if how < 0.05:
        return r.choice(SPECIAL + EDGES[kind])
    if how < 0.4:
        return struct.unpack("<" + LETTER[kind], r.getrandbits(bits).to_bytes(bits // 8, "little"))[0]
    if how < 0.6:
        x = math.ldexp(r.uniform(1, 2), r.randint(-30, 30)) * r.choice([1, -1])
    elif how < 0.85:
        x = r.uniform(*RANGE.get(name, (-20, 20)))
    else:
        x = r.uniform(*((-100, 100) if kind == "float" else (-750, 750)) if how < 0.95 else (0.9, 1.1))
    return struct.unpack("<f", struct.pack("<f", x))[0] if kind == "float" else x


def allowed(name, kind, numbers):
    """Where CUDA's bound holds."""
    if name == "lgamma":
        return not (-10.002 if kind == "float" else -11.0002) < numbers[0] < -2.2636
    if name == "__fdividef":
        return 2.0 ** -126 <= abs(numbers[1]) <= 2.0 ** 126 and math.isfinite(numbers[0])
    return True


class Case:
    def __init__(self, name, kind, args):
        self.name, self.kind = name, kind
        self.call = name + "f" * (kind == "float" and not name.startswith("__"))
        self.limit = LIMITS[name][kind == "double"]
        self.count = ARGUMENTS.get(name, 1)
        r = random.Random(f"{args.seed}:{self.call}")
        self.rows = []
        while len(self.rows) < args.samples:
            row = tuple(draw(r, name, kind) for _ in range(self.count))
            if allowed(name, kind, row):
                self.rows.append(row)

    def file(self, folder, part):
        return folder / f"{self.call}.{part}.bin"

    def source(self):
        takes = "".join(f"const {self.kind} *a{i}, " for i in range(self.count))
        of = ", ".join(f"a{i}[i]" for i in range(self.count))
        return (f'extern "C" __global__ void k_{self.call}({takes}{self.kind} *r)\n{{\n'
                f"    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    r[i] = {self.call}({of});\n}}\n")

    def parts(self, folder):
        """Its lines of buffers, launches and outputs."""
        kind = "f32" if self.kind == "float" else "f64"
        names = [f"{self.call}_{i}" for i in range(self.count)]
        buffers = ""
        for i, name in enumerate(names):
            path = self.file(folder, i)
            path.write_bytes(struct.pack(f"<{len(self.rows)}{LETTER[self.kind]}", *(row[i] for row in self.rows)))
            buffers += f"  - {{name: {name}, type: {kind}, contents: file, file: {path.name}}}\n"
        buffers += f"  - {{name: {self.call}_r, type: {kind}, count: {len(self.rows)}}}\n"
        given = ", ".join(f"{{buffer: {name}}}" for name in [*names, f"{self.call}_r"])
        launch = f"  - {{kernel: k_{self.call}, grid: [{len(self.rows) // THREADS}], block: [{THREADS}], args: [{given}]}}\n"
        return buffers, launch, f"  - {{buffer: {self.call}_r, file: {self.file(folder, 'r').name}}}\n"

    def error(self, reference, folder):
        """(its largest error, where)."""
        name = "divide" if self.name == "__fdividef" else self.name
        said = subprocess.run([reference, name, self.kind, self.file(folder, "r"), *(self.file(folder, i) for i in range(self.count))],
                              capture_output=True, text=True, check=True).stdout.split()
        assert int(said[1]) == len(self.rows)
        return float(said[0]), ", ".join(said[2:])


def play(warpref, folder, cases, address_size):
    """Why it cannot; "": it has."""
    (folder / "k.cu").write_text('#include "cuda.h"\n\n' + "\n".join(case.source() for case in cases))
    parts = [case.parts(folder) for case in cases]
    heads = ("buffers", "launches", "outputs")
    (folder / "job.yaml").write_text(f"module: k.cu\ncompile: {{address_size: {address_size}}}\n" +
                                     "".join(f"{head}:\n" + "".join(part[i] for part in parts) for i, head in enumerate(heads)))
    done = subprocess.run([warpref, "run", str(folder / "job.yaml"), "--json"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"exit status {done.returncode}: {done.stderr.strip()[-1000:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", help="the folder of warpref")
    parser.add_argument("--samples", type=int, default=32768 if "WARPREF_LONG" in os.environ else 2048, help="of a function")
    parser.add_argument("--only", default="", metavar="NAME", help="functions whose name has this in it")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("WARPREF_SEED") or 1), help="of all draws")
    parser.add_argument("--table", action="store_true", help="prints a table in Markdown")
    parser.add_argument("--keep", metavar="DIR", help="folder for the files")
    args = parser.parse_args()
    args.samples = max(args.samples // THREADS, 1) * THREADS
    warpref = str(pathlib.Path(args.bin).resolve() / "warpref")
    print(f"seed {args.seed} (--seed or WARPREF_SEED)")
    passed, failed, errors = 0, 0, {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(args.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        reference = folder / "math_reference"
        subprocess.run([os.environ.get("CC") or "cc", "-O2", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", reference,
                        HERE / "math_reference.c", "-lquadmath", "-lm"], check=True)
        chosen = [(name, kind) for name, limits in LIMITS.items() for kind, limit in zip(("float", "double"), limits)
                  if limit is not None and args.only in name + "f" * (kind == "float")]
        for first in range(0, len(chosen), AT_A_TIME):
            cases = [Case(*one, args) for one in chosen[first:first + AT_A_TIME]]
            if why := play(warpref, folder, cases, 64 if first // AT_A_TIME % 2 else 32):
                failed += len(cases)
                print(f"FAIL  {cases[0].call} and {len(cases) - 1} more: {why}")
                continue
            for case in cases:
                error, where = case.error(reference, folder)
                errors[case.name, case.kind] = error
                passed, failed = passed + (error <= case.limit), failed + (error > case.limit)
                if error > case.limit:
                    print(f"FAIL  {case.call}({where}): {error} ulp, more than {case.limit}")
    if args.table:
        print("| function | float | CUDA | double | CUDA |\n|---|---|---|---|---|")
        for name, limits in LIMITS.items():
            row = [f"{errors[name, kind]:.2f} | {limit}" if limit is not None and (name, kind) in errors else " | "
                   for kind, limit in zip(("float", "double"), limits)]
            print(f"| `{name}` | {row[0]} | {row[1]} |")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
