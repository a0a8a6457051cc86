#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""References that are files of the user's, FILE.so:FUNCTION and FILE.py:FUNCTION: what they get, that what they write is
compared, and that each way to be wrong has its message, with file and line of the launch file, and exit status 2.

    tests/host/own_reference.py --program build/release/bin/warpref
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLE = ROOT / "examples" / "reference"

# Every kind of argument, and two kernels that take turns.
EVERY_CU = """#include "cuda.h"
struct pair { int a; double b; };
extern "C" __global__ void first(int *p, pair s, long long big, unsigned char small, float f, double d, unsigned long long u)
{
    p[threadIdx.x] = p[threadIdx.x] * 2 + s.a;
}
extern "C" __global__ void second(int *p)
{
    p[threadIdx.x] += 1;
}
"""
TYPES = "u8 s8 b8 u16 s16 b16 u32 s32 b32 f32 u64 s64 b64 f64".split()
EVERY_YAML = """module: every.cu
compile: {address_size: 64}
buffers:
  - {name: p, type: s32, count: 40, contents: iota}
""" + "".join(f"  - {{name: {t}, type: {t}, count: 5, contents: iota, value: 3}}\n" for t in TYPES) + """launches:
  - kernel: first
    grid: [1, 1, 1]
    block: [32, 1, 1]
    repeat: 3
    together: 2
    args:
      - {buffer: p, offset: 32}
      - fields: [{type: s32, value: -7}, {type: f64, value: 0.5}]
      - {type: s64, value: -9000000000000000000}
      - {type: u8, value: 200}
      - {type: f32, value: 0.1}
      - {type: f64, value: 0.1}
      - {type: u64, value: 18000000000000000000}
  - {kernel: second, grid: [1], block: [32], args: [{buffer: p}]}
checks:
  - {buffer: p, reference: "every.so:every"}
  - {buffer: p, reference: "every.py:every"}
"""
EVERY_PY = f"""import array, struct
turn = 0
def every(launch):
    global turn
    assert launch.kernel == ("first", "second")[turn % 2], launch.kernel
    turn += 1
    print("turn", turn)
    assert (launch.grid, launch.block) == ([1, 1, 1], [32, 1, 1])
    assert list(launch.buffers) == ["p"] + {TYPES!r}
    for name in {TYPES!r}:
        assert launch.buffers[name].tolist() == [3, 4, 5, 6, 7] and launch.buffers[name].itemsize == int(name[1:]) // 8, name
    if launch.kernel == "second":
        p, = launch.args
        for i in range(32):
            p[i] += 1
        return
    p, s, big, small, f, d, u = launch.args
    assert len(p) == 32 and struct.unpack("<i4xd", s) == (-7, 0.5), s
    assert (big, small, d, u) == (-9000000000000000000, 200, 0.1, 18000000000000000000)
    assert f == array.array("f", [0.1])[0]
    for i in range(32):
        p[i] = p[i] * 2 - 7
"""
EVERY_C = """#include <stdio.h>
#include <string.h>
#include <warpref_reference.h>
#define WANT(x) do { if (!(x)) return #x; } while (0)
static unsigned turn;
const char *every(const warpref_launch *l)
{
    static const char *const types[] = {""" + ", ".join(f'"{t}"' for t in TYPES) + """};
    WANT(strcmp(l->kernel, turn++ % 2 ? "second" : "first") == 0);
    printf("turn %u\\n", turn);
    WANT(l->grid[0] == 1 && l->block[0] == 32 && l->block[2] == 1);
    WANT(l->buffer_count == 15 && strcmp(l->buffers[0].name, "p") == 0 && l->buffers[0].bytes == 160);
    for (unsigned i = 1; i < 15; i++) {
        WANT(strcmp(l->buffers[i].name, types[i - 1]) == 0 && strcmp(l->buffers[i].type, types[i - 1]) == 0);
        WANT(l->buffers[i].count == 5 && (uintptr_t)l->buffers[i].data % 256 == 0);
    }
    WANT(((double *)l->buffers[14].data)[4] == 7 && ((int8_t *)l->buffers[2].data)[1] == 4);
    int *p = l->args[0].data;
    WANT(strcmp(l->args[0].type, "s32") == 0 && strcmp(l->args[0].buffer, "p") == 0);
    if (turn % 2 == 0) {
        WANT(l->arg_count == 1 && l->args[0].count == 40 && l->args[0].bytes == 160);
        for (int i = 0; i < 32; i++) p[i] += 1;
        return 0;
    }
    WANT(l->arg_count == 7 && l->args[0].count == 32 && p == (int *)l->buffers[0].data + 8);
    struct { int a; double b; } s;
    WANT(l->args[1].bytes == sizeof s && !l->args[1].buffer);
    memcpy(&s, l->args[1].data, sizeof s);
    WANT(s.a == -7 && s.b == 0.5);
    WANT(!l->args[2].data && l->args[2].integer == -9000000000000000000 && strcmp(l->args[2].type, "s64") == 0);
    WANT(l->args[3].integer == 200 && l->args[4].real == 0.1f && l->args[5].real == 0.1);
    WANT((uint64_t)l->args[6].integer == 18000000000000000000u);
    for (int i = 0; i < 32; i++) p[i] = p[i] * 2 - 7;
    return 0;
}
"""
# What is wrong with a reference of the example: its name, its file, the start of the message behind "reference '...' ".
GOOD_C = "#include <warpref_reference.h>\n"
BAD_C = {
    "no function": (GOOD_C, "has no function 'bins'"),
    "static": (GOOD_C + "static __attribute__((used)) const char *bins(void) { return 0; }", "has no function 'bins'"),
    "another version": ("const unsigned warpref_reference_abi = 7;\nconst char *bins(void) { return 0; }",
                        "was made with another warpref_reference.h (version 7; version 1 is wanted); include the one of"),
    "no version": ("const char *bins(void) { return 0; }", "was made with another warpref_reference.h (none at all; version 1"),
    "an unknown symbol": (GOOD_C + "void nowhere(void);\nconst char *bins(const warpref_launch *l) { (void)l; nowhere();"
                          "return 0; }", "cannot be loaded: "),
    "it says so": (GOOD_C + 'const char *bins(const warpref_launch *l) { return l->arg_count == 3 ? "three is too many" : 0; }',
                   "cannot follow this file's launches: three is too many"),
    "it writes nothing": (GOOD_C + "const char *bins(const warpref_launch *l) { (void)l; return 0; }", "left every buffer as"),
    "a bad address": (GOOD_C + "const char *bins(const warpref_launch *l) { *(volatile char *)8 = (char)l->arg_count;"
                      "return 0; }", "crashed in its call 1: Segmentation fault"),
    "abort": (GOOD_C + "#include <stdlib.h>\nconst char *bins(const warpref_launch *l) { (void)l; abort(); }",
              "crashed in its call 1: Aborted"),
    "exit": (GOOD_C + "#include <stdlib.h>\nconst char *bins(const warpref_launch *l) { (void)l; exit(0); }",
             "ended its process in its call 1, with exit status 0"),
    "a crash when it is loaded": (GOOD_C + "__attribute__((constructor)) static void f(void) { __builtin_trap(); }\n"
                                  "const char *bins(const warpref_launch *l) { (void)l; return 0; }",
                                  "crashed: Illegal instruction"),
}
BAD_PY = {
    "no function": ("def other(launch): pass\n", "has no function 'bins'"),
    "no function, but a number": ("bins = 3\n", "has no function 'bins'"),
    "syntax": ("def bins(launch):\n    return (\n", "failed: SyntaxError: '(' was never closed (bins.py:2)"),
    "while it is imported": ("import nowhere_to_be_found\n", "failed: ModuleNotFoundError: No module named"),
    "an exception": ("def part(x):\n    return x[99]\n\ndef bins(launch):\n    part(launch.args[1])\n",
                     "failed: IndexError: index out of bounds on dimension 1 (bins.py:2)"),
    "one from a library": ("import json\ndef bins(launch):\n    json.loads('{')\n", "failed: json.decoder.JSONDecodeError: "),
    "it says so": ("def bins(launch):\n    raise ValueError('three is too many')\n",
                   "failed: ValueError: three is too many (bins.py:2)"),
    "it returns so": ("def bins(launch):\n    launch.args[1][0] = 1\n    return 'three is too many'\n",
                      "cannot follow this file's launches: three is too many"),
    "a value that does not fit": ("def bins(launch):\n    launch.args[1][0] = -1\n", "failed: ValueError: "),
    "it writes nothing": ("def bins(launch):\n    pass\n", "left every buffer as it was"),
    "sys.exit": ("import sys\ndef bins(launch):\n    sys.exit(0)\n", "failed: SystemExit: 0 (bins.py:3)"),
    "os._exit": ("import os\ndef bins(launch):\n    os._exit(4)\n", "ended its process in its call 1, with exit status 4"),
    "a crash": ("import os\ndef bins(launch):\n    os.abort()\n", "crashed in its call 1: Aborted"),
}
ONE_CHECK = (EXAMPLE / "bins.yaml").read_text().split("checks:")[0] + "checks:\n  - {buffer: count, reference: %s}\n"
LINE = ONE_CHECK.count("\n")  # of the check


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.passed = self.failed = 0

    def check(self, name, right, why):
        self.passed += bool(right)
        self.failed += not right
        print(f"ok    {name}" if right else f"FAIL  {name}: {why}")

    def run(self, *words, **options):
        return subprocess.run([self.program, "run", *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              **options)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def compile(self, name, text):
        self.write(name + ".c", text)
        subprocess.run(["cc", "-shared", "-fPIC", "-fvisibility=default", "-I", ROOT / "shell" / "host", name + ".c",
                        "-o", name + ".so"], cwd=self.folder, check=True)

    def refused(self, name, reference, message, **options):
        self.write("one.yaml", ONE_CHECK % f'"{reference}"')
        out = self.run("one.yaml", **options)
        wanted = f"one.yaml:{LINE}: error: reference '{reference}' {message}"
        lines = [line for line in out.stderr.splitlines() if line.startswith("one.yaml")]
        self.check(name, out.returncode == 2 and len(lines) == 1 and lines[0].startswith(wanted) and not out.stdout,
                   f"{out.returncode}: {out.stdout[-200:]}{out.stderr[-400:]}")

    def interrupted(self, name, reference, number):
        """One that hangs ends by the signal that the run gets, with a message and no process left behind."""
        self.write("one.yaml", ONE_CHECK % f'"{reference}"')
        process = subprocess.Popen([self.program, "run", "one.yaml"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        place = self.folder / "hangs"
        while process.poll() is None and not (place.exists() and place.read_text()):
            time.sleep(0.05)
        process.send_signal(number)
        out, err = process.communicate()
        child = int(place.read_text()) if place.exists() else 0
        place.unlink(missing_ok=True)
        gone = not os.path.exists(f"/proc/{child}")
        self.check(name, process.returncode == -number and gone and f"one.yaml:{LINE}: error: reference '{reference}' was "
                   "interrupted in its call 1\n" in err, f"{process.returncode}, gone {gone}: {out[-100:]}{err}")


def sound(bench):
    out = bench.run("bins.yaml")
    bench.check("the example", out.returncode == 0 and out.stdout.count("16 elements, all equal") == 2, out.stdout + out.stderr)
    out = bench.run("../example/bins.yaml", "--with", "bins.yaml", "--for", "20000")
    bench.check("in every pass of two files", out.returncode == 0 and out.stdout.count("all equal") == 4, out.stdout + out.stderr)
    for name, text in (("every.cu", EVERY_CU), ("every.yaml", EVERY_YAML), ("every.py", EVERY_PY)):
        bench.write(name, text)
    bench.compile("every", EVERY_C)
    out = bench.run("every.yaml", "--json")
    report = json.loads(out.stdout or "{\"pass\": false}")
    bench.check("all kinds of arguments, in order", out.returncode == 0 and report["pass"], out.stderr)
    bench.check("what they print is no part of the report", out.stderr.count("turn 6") == 2, out.stderr)
    for name, change in (("every.so:every", ("every.c", "p[i] += 1", "p[i] += 1 + (i == 31)")),
                         ("every.py:every", ("every.py", "p[i] += 1", "p[i] += 1 + (i == 31)"))):
        file, old, new = change
        text = (bench.folder / file).read_text()
        assert old in text
        bench.write(file, text.replace(old, new))
        if file.endswith(".c"):
            bench.compile("every", text.replace(old, new))
        out = bench.run("every.yaml")
        bench.check(f"one wrong element, {name}", out.returncode == 1 and f"FAIL p against {name}: 1 of 40 elements differ, the "
                    "first at [31]" in out.stdout, out.stdout[-300:] + out.stderr)
        bench.write(file, text)
        if file.endswith(".c"):
            bench.compile("every", text)
    before = (bench.folder / "bins.py").read_bytes()
    out = bench.run("bins.yaml", "--stats", "bins.py")
    bench.check("it is not written over", out.returncode == 2 and "a reference's file and --stats are one file" in out.stderr and
                (bench.folder / "bins.py").read_bytes() == before, out.stderr)
    bench.check("nothing is left beside it", not (bench.folder / "__pycache__").exists(), "__pycache__")


def wrong(bench):
    for name, (text, message) in BAD_C.items():
        bench.compile("bins", text)
        bench.refused(f"C: {name}", "bins.so:bins", message)
    for name, (text, message) in BAD_PY.items():
        bench.write("bins.py", text)
        bench.refused(f"Python: {name}", "bins.py:bins", message)
    for reference, message in (("none.so:f", "cannot be read: No such file or directory"),
                               ("none.py:f", "cannot be read: No such file or directory"),
                               (".so:f", "cannot be read: "), ("folder.py:f", "cannot be read: not a regular file"),
                               ("bins.c:f", "is neither FILE.so:FUNCTION nor FILE.py:FUNCTION"),
                               ("bins.so:", "is neither FILE.so:FUNCTION nor"), (":", "is neither FILE.so:FUNCTION nor"),
                               ("text.so:f", "cannot be loaded: ")):
        bench.refused(f"'{reference}'", reference, message)
    bench.write("one.yaml", ONE_CHECK % "nothing")
    out = bench.run("one.yaml")
    bench.check("a name that there is not", out.returncode == 2 and "or of your own: FILE.so:FUNCTION" in out.stderr, out.stderr)
    bench.write("bins.py", (EXAMPLE / "bins.py").read_text())
    tools = bench.folder / "tools"
    tools.mkdir()
    (tools / "clang-14").symlink_to(shutil.which("clang-14") or shutil.which("clang"))
    bench.refused("without python3", "bins.py:bins", "cannot be run: python3: No such file or directory; install",
                  env={**os.environ, "PATH": str(tools)})


def hanging(bench):
    bench.compile("hang", GOOD_C + """#include <stdio.h>
#include <unistd.h>
const char *f(const warpref_launch *l)
{
    FILE *file = fopen("hangs", "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    for (volatile int i = 0; l; i++) {}
    return 0;
}
""")
    bench.write("hang.py", "import os\ndef f(launch):\n    with open('hangs', 'w') as file:\n        file.write(str(os.getpid()))\n"
                "    for fd in range(3, 64):\n        try:\n            os.close(fd)\n        except OSError:\n            pass\n"
                "    while True:\n        pass\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for reference in ("hang.so:f", "hang.py:f"):
            bench.interrupted(f"{reference} hangs, {number.name}", reference, number)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--program", required=True)
    program = str(pathlib.Path(options.parse_args().program).resolve())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # what runs behind may have them ignored
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder) / "example"
        shutil.copytree(EXAMPLE, folder)
        (folder / "folder.py").mkdir()
        (folder / "text.so").write_text("no object\n")
        bench = Bench(program, folder)
        bench.compile("bins", (EXAMPLE / "bins.c").read_text())
        sound(bench)
        wrong(bench)
        hanging(bench)
    print(f"{bench.passed} passed, {bench.failed} failed")
    return bench.failed != 0 or bench.passed == 0


if __name__ == "__main__":
    sys.exit(main())
