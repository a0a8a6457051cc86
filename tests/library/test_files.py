#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several launch files on one GPU (`warpref run A.yaml --with B.yaml`), once and for a number of
cycles (`--for`): each leaves what it leaves alone, and what its launches are told to have done adds
up to what the GPU did.

Usage: test_files.py WARPREF ROOT [unittest's arguments]
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

WARPREF, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])

PAIRS = (  # kernels of the library, and what they share the GPU by
    ("reduction scan", ""),
    ("transpose matrixmul", "sharing:policy=within_sm"),
    ("dct8x8 walsh_transform", "sharing:policy=in_order"),
    ("jacobi stencil7", "sharing:policy=within_sm,shares=2:1"),
    ("fft haar_dwt", "spart:shares=1:2"),
    ("histo mriq", "spart"),
    ("conv2d scalar_product", "drf"),
    ("scan mriq", "drf"),
    ("reduction bfs_kernel1", "drain"),
    ("spmv_csr lud_diagonal", "preemption:period=2000"),
    ("hotspot sad", "preemption:period=3000,random_cycles=1,sm=random,seed=3"),
    ("transpose scan histo fft", "spart"),
    ("matrixmul matrixmul", "sharing:policy=within_sm"),
)

# Each thread of a block of 32 multiplies its element by a factor that the module says.
SCALE = """.version 4.0
.target sm_50
.address_size 32
.const .f32 factor = {factor};
.visible .entry scale(.param .u32 a)
{{
    .reg .b32 %r<5>;
    .reg .f32 %f<4>;
    ld.param.u32 %r1, [a];
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 2;
    add.s32 %r4, %r1, %r3;
    ld.global.f32 %f1, [%r4];
    ld.const.f32 %f2, [factor];
    mul.rn.f32 %f3, %f1, %f2;
    st.global.f32 [%r4], %f3;
    ret;
}}
"""

# What a pass must not leave to the next one: a variable that counts, and a heap that is kept.
COUNTER = """#include "cuda.h"
__device__ int count = 5;
extern "C" __global__ void step(int *out)
{
    if (threadIdx.x == 0)
        out[0] = count++;
}
extern "C" __global__ void keep(int *out)
{
    void *volatile block = malloc(1000);
    out[threadIdx.x] = block != 0;
}
extern "C" __global__ void number(int *out) /* of the launch, the GPU's first is 1 */
{
    unsigned long long id;
    asm volatile("mov.u64 %0, %%gridid;" : "=l"(id));
    out[0] = (int)id;
}
extern "C" __global__ void spin(int *out, int trips)
{
    int sum = 0;
    for (int i = 0; i < trips; i++)
        sum = sum * 3 + (sum ^ i);
    out[0] = trips;
    if (sum == 1234567)
        out[0] = 0;
}
extern "C" __global__ void outside(int *out)
{
    out[0x10000000] = 1;
}
"""


def run(*arguments):
    return subprocess.run([WARPREF, "run", *map(str, arguments)], capture_output=True, text=True)


def library(name):
    return ROOT / "kernels" / f"{name}.yaml"


def beside(files):
    """The files as arguments: the first, the others behind --with."""
    return [files[0]] + [part for file in files[1:] for part in ("--with", file)]


class Case(unittest.TestCase):
    alone = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.dir / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    def counter(self, name, kernel, values, more="", args=""):
        """A launch file of COUNTER: `kernel` on 32 threads; buffer out must become `values`."""
        self.file("counter.cu", COUNTER)
        return self.file(name, f"""module: counter.cu
heap: 40000
buffers: [{{name: out, type: s32, count: {len(values)}, contents: zeros}}]
launches: [{{kernel: {kernel}, grid: [1], block: [32], args: [{{buffer: out}}{args}]{more}}}]
checks: [{{buffer: out, values: {values}}}]
""")

    def report(self, *arguments, status=0):
        done = run(*arguments, "--json")
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[:2000])
        return json.loads(done.stdout)

    def by_itself(self, name):
        if name not in self.alone:
            self.alone[name] = self.report(library(name))
        return self.alone[name]

    def refused(self, *arguments):
        """Its only line of standard error."""
        done = run(*arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def add_up(self, report):
        """What launches and files are told to have done is what the GPU did."""
        for key, counter in (("warp_instructions", "sm.issued"), ("tbs", "sm.tbs_done"),
                             ("thread_instructions", "sm.thread_insns")):
            self.assertEqual(sum(one[key] for one in report["launches"]), report["counters"][counter])
        self.counters_add_up(report)
        for one in report["files"]:
            of = [launch for launch in report["launches"] if launch.get("file", one["file"]) == one["file"]]
            self.assertTrue(of)
            self.assertEqual(one["warp_instructions"], sum(launch["warp_instructions"] for launch in of))
            self.assertAlmostEqual(one["ipc"], one["warp_instructions"] / one["cycles"])
        latency = report["histograms"]["lsu.load_latency"]
        self.assertEqual(sum(one["loads"] for one in report["files"]), latency["count"])
        self.assertAlmostEqual(sum(one["loads"] * one["load_latency"] for one in report["files"]), latency["sum"],
                               delta=1e-6 * latency["sum"])


    def counters_add_up(self, report):
        """Counters of launches are the GPU's, but for requests of contexts and slots without a warp."""
        counters = report["counters"]
        contexts = counters["ctx.writes"] + counters["ctx.reads"]
        self.assertGreater(len(report["no_launch"]), 15)
        for name, rest in report["no_launch"].items():
            self.assertEqual(sum(one.get(name, 0) for one in report["launches"]) + rest, counters[name], name)
            if name == "l2.accesses" and "window" in report: # some have not come to the L2
                self.assertTrue(0 <= rest <= contexts)
            elif name == "l2.accesses":
                self.assertEqual(rest, contexts)
            elif name not in ("l2.hits", "l2.misses", "sched.stall.empty") or contexts == 0 and name[:3] == "l2.":
                self.assertEqual(rest, 0, name)
        slots = sum(value for name, value in counters.items() if name.startswith("sched.stall."))
        self.assertGreater(slots, counters["sched.stall.empty"])


class Pairs(Case):
    def test_each_leaves_what_it_leaves_alone(self):
        self.assertGreaterEqual(len(PAIRS), 10)
        for kernels, system in PAIRS:
            with self.subTest(kernels=kernels, system=system):
                names = kernels.split()
                options = ["--system", system] if system else []
                report = self.report(*beside([library(name) for name in names]), *options)
                hashes, checks, instructions, loads = {}, 0, {}, {}
                for i, name in enumerate(names):
                    file = f"{name}.yaml" + (f"#{i + 1}" if names.index(name) < i else "")
                    lone = self.by_itself(name)
                    hashes |= {f"{file}:{buffer}": value for buffer, value in lone["buffer_hashes"].items()}
                    checks += len(lone["checks"])
                    instructions[file] = sum(launch["warp_instructions"] for launch in lone["launches"])
                    loads[file] = lone["histograms"]["lsu.load_latency"]["count"]
                self.assertTrue(report["pass"] and checks)
                self.assertEqual(report["buffer_hashes"], hashes)
                self.assertEqual(len(report["checks"]), checks)
                self.assertEqual([one["wrong"] for one in report["checks"]], [0] * checks)
                self.assertEqual([one["file"] for one in report["files"]], list(instructions))
                self.assertEqual([one["passes"] for one in report["files"]], [1] * len(names))
                self.assertEqual({one["file"] for one in report["checks"]}, set(instructions))
                self.add_up(report)
                if "preemption" not in system:
                    self.assertEqual({one["file"]: one["warp_instructions"] for one in report["files"]},
                                     instructions)
                    self.assertEqual({one["file"]: one["loads"] for one in report["files"]}, loads)
                begun = {one["file"]: one["begun"] for one in reversed(report["launches"])}
                self.assertEqual(set(begun.values()), {0})

    def test_the_number_of_threads_never_shows(self):
        files = beside([library(name) for name in ("transpose", "scan")])
        for options in (["--system", "spart"], ["--for", "20000"],
                        ["--for", "20000", "--system", "preemption:period=1000"]):
            one, two = (run(*files, *options, "--json", "--threads", n) for n in (1, 2))
            self.assertEqual((one.returncode, one.stderr), (0, ""))
            self.assertEqual(one.stdout, two.stdout)

    def test_same_names_in_both(self):
        yaml = """module: m.ptx
buffers: [{{name: x, type: f32, count: 4, contents: constant, value: 3}}]
launches: [{{kernel: scale, stream: a, grid: [1], block: [4], args: [{{buffer: x}}]}}]
checks: [{{buffer: x, values: [{v}, {v}, {v}, {v}]}}]
"""
        files = []
        for folder, bits, value in (("one", "0f40000000", 6), ("two", "0f40A00000", 15)):
            self.file(f"{folder}/m.ptx", SCALE.format(factor=bits))
            files.append(self.file(f"{folder}/k.yaml", yaml.format(v=value)))
        stats = self.dir / "s.json"
        report = self.report(*beside(files), "--system", "spart:shares=1:1", "--stats", stats)
        self.assertEqual([(one["file"], one["wrong"]) for one in report["checks"]],
                         [("k.yaml", 0), ("k.yaml#2", 0)])
        self.assertEqual([(one["file"], one["kernel"], one["stream"], one["begun"])
                          for one in report["launches"]],
                         [("k.yaml", "scale", "a", 0), ("k.yaml#2", "scale", "a", 0)])
        parts = json.loads(stats.read_text())["parts"]
        self.assertEqual([name for name in parts if name.startswith("kernel.")],
                         ["kernel.scale", "kernel.scale#2"])
        text = run(*beside(files)).stdout
        self.assertIn("PASS k.yaml:x against values", text)
        self.assertIn("PASS k.yaml#2:x against values", text)
        self.assertIn("    k.yaml#2, from cycle 0 to", text)

    def test_each_has_a_heap_of_its_own(self):
        """One block of 40,000 bytes alone or beside another file: 39 threads of 32 and 7 get one."""
        alone = self.counter("a.yaml", "keep", [1] * 32)
        self.report(alone)
        self.report(*beside([alone, alone, alone]))
        done = run(*beside([alone, alone]), "--heap", 20000)
        self.assertEqual(done.returncode, 1)


class Faults(Case):
    def test_a_bad_file_is_named_with_its_line(self):
        text = library("reduction").read_text().replace("kernel: reduction", "kernel: reductoin", 1)
        bad = self.file("bad.yaml", text)
        (self.dir / "reduction.cu").symlink_to(ROOT / "kernels" / "reduction.cu")
        line = 1 + text[:text.index("reductoin")].count("\n")
        for files in ([library("scan"), bad], [bad, library("scan")]):
            error = self.refused(*beside(files))
            self.assertIn(f"{bad}:{line}: error: the module has no kernel 'reductoin'", error)
        self.assertIn("nowhere.yaml", self.refused(library("scan"), "--with", self.dir / "nowhere.yaml"))

    def test_usage(self):
        for arguments, part in (((library("scan"), library("fft")), "--with FILE.yaml"),
                                (("--with", library("scan")), "name a launch file"),
                                ((library("scan"), "--for", "0"), "--for takes a number"),
                                ((library("scan"), "--for", "-3"), "--for takes a number"),
                                ((library("scan"), "--for", "9", "--max-cycles", "9"), "leave --max-cycles out")):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(part, done.stderr)

    def test_too_many_streams(self):
        error = self.refused(*beside([ROOT / "tests/library/together.yaml"] * 11))
        self.assertIn("the files have 33 streams together; there may be 32 at most", error)

    def test_output_files_are_one_file_s(self):
        file = self.counter("a.yaml", "step", [5])
        with file.open("a") as text:
            text.write("outputs: [{buffer: out, file: o.txt}]\n")
        error = self.refused(*beside([file, file]))
        self.assertIn("a.yaml:6: error: 'o.txt' is written by a.yaml of the same run, too", error)
        self.assertFalse((self.dir / "o.txt").exists())
        self.report(*beside([file, library("scan")]))
        self.assertEqual((self.dir / "o.txt").read_text().split(), ["5"])

    def test_a_fault_names_its_file(self):
        file = self.counter("wild.yaml", "outside", [0])
        done = run(*beside([library("scan"), file]))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"outside.*wild\.yaml")

    def test_a_wrong_file_fails_the_run(self):
        report = self.report(*beside([library("scan"), self.counter("a.yaml", "step", [6])]), status=1)
        self.assertFalse(report["pass"])
        self.assertEqual([(one["file"], one["wrong"]) for one in report["checks"]],
                         [("scan.yaml", 0), ("a.yaml", 1)])


class Window(Case):
    CYCLES = 30000

    def test_passes_are_checked_and_counted(self):
        """jacobi, lud_diagonal and scale write where they read: a pass needs the first contents."""
        for kernels, system in (("jacobi lud_diagonal", ""), ("reduction transpose jacobi", "spart"),
                                ("jacobi fft", "sharing:policy=within_sm"), ("scan", ""),
                                ("histo jacobi", "drf"), ("jacobi scan", "preemption:period=1500")):
            with self.subTest(kernels=kernels, system=system):
                names = kernels.split()
                options = ["--system", system] if system else []
                report = self.report(*beside([library(name) for name in names]), "--for", self.CYCLES, *options)
                self.assertEqual((report["cycles"], report["window"], report["status"]),
                                 (self.CYCLES, self.CYCLES, "done"))
                self.add_up(report)
                checks = 0
                for name, one in zip(names, report["files"], strict=True):
                    lone = self.by_itself(name)
                    self.assertEqual(one["cycles"], self.CYCLES)
                    # Caches are warm after the first, so that a pass may be shorter than alone.
                    self.assertLessEqual(one["passes"], 2 * self.CYCLES // lone["cycles"])
                    runs = [launch["runs"] for launch in report["launches"]
                            if launch.get("file", one["file"]) == one["file"]]
                    for got, each in zip(runs, lone["launches"], strict=True):
                        self.assertIn(got // each["runs"], (one["passes"], one["passes"] + 1))
                    checks += len(lone["checks"]) if one["passes"] else 0
                    for buffer, value in lone["buffer_hashes"].items() if one["passes"] else ():
                        key = f"{name}.yaml:{buffer}" if len(names) > 1 else buffer
                        self.assertEqual(report["buffer_hashes"][key], value)
                self.assertEqual(len(report["checks"]), checks)
                self.assertGreater(max(one["passes"] for one in report["files"]), 1)

    def test_a_pass_begins_in_the_cycle_in_which_one_ends(self):
        report = self.report(library("scan"), "--for", self.CYCLES)
        self.assertGreater(report["files"][0]["passes"], 1)
        self.assertEqual(report["launches"][0]["cycles"], self.CYCLES)

    def test_nothing_of_a_pass_is_left(self):
        """A variable that counts, and a heap from which each pass takes without giving back."""
        for kernel, values in (("step", [5]), ("keep", [1] * 32)):
            report = self.report(self.counter("a.yaml", kernel, values), "--for", self.CYCLES)
            self.assertGreater(report["files"][0]["passes"], 3)
            self.assertEqual(report["checks"][0]["wrong"], 0)

    def test_a_wrong_second_pass_is_found(self):
        file = self.counter("a.yaml", "number", [1])
        report = self.report(file, "--for", self.CYCLES, status=1)
        self.assertGreater(report["files"][0]["passes"], 2)
        self.assertEqual([(one["wrong"], one["pass"]) for one in report["checks"]], [(1, 2)])
        done = run(file, "--for", self.CYCLES)
        self.assertRegex(done.stdout, r"FAIL out against values: in pass 2 of \d+, 1 of 1 elements differ")
        self.assertRegex(done.stdout, r"expected 1, got 2")
        self.report(file, "--for", self.report(file)["cycles"] // 2)  # none has ended

    def two_streams(self):
        spin = ("{{kernel: spin, stream: {s}, grid: [1], block: [32], "
                "args: [{{buffer: {s}}}, {{type: s32, value: {n}}}]}}")
        self.file("counter.cu", COUNTER)
        file = self.file("two.yaml", f"""module: counter.cu
buffers: [{{name: a, type: s32, count: 1}}, {{name: b, type: s32, count: 1}}]
launches: [{spin.format(s='a', n=10)}, {spin.format(s='b', n=400)}]
checks: [{{buffer: a, values: [10]}}, {{buffer: b, values: [400]}}]
""")
        return file, *self.report(file)["launches"]

    def test_streams_of_a_file_wait_for_its_pass(self):
        file, short, long = self.two_streams()
        self.assertLess(2 * short["cycles"], long["cycles"])
        report = self.report(file, "--for", 5 * long["cycles"])
        self.add_up(report)
        passes = report["files"][0]["passes"]
        self.assertGreater(passes, 3)
        self.assertEqual(report["launches"][1]["runs"], passes)
        self.assertIn(report["launches"][0]["runs"], (passes, passes + 1))

    def test_without_a_whole_pass_nothing_is_checked(self):
        file = self.counter("a.yaml", "spin", [1000000], args=", {type: s32, value: 1000000}")
        with file.open("a") as text:
            text.write("outputs: [{buffer: out, file: o.txt}]\n")
        done = run(file, "--for", 3000)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("  stopped after 3000 cycles as asked\n", done.stdout)
        self.assertIn("nothing of the launch file was checked: no pass of it came to its end", done.stdout)
        self.assertTrue(done.stdout.endswith("DONE, nothing was checked\n"))
        self.assertFalse((self.dir / "o.txt").exists())
        report = self.report(*beside([file, library("transpose")]), "--for", 15000)
        self.add_up(report)
        self.assertEqual({one["file"] for one in report["checks"]}, {"transpose.yaml"})
        self.assertTrue(report["launches"][0]["in_flight"])
        self.assertGreater(report["launches"][0]["warp_instructions"], 1000)

    def test_instructions_grow_with_the_window(self):
        """A launch that never ends is cut where the window ends, to the cycle."""
        file = self.counter("a.yaml", "spin", [1000000], args=", {type: s32, value: 1000000}")
        limit = [self.report(file, "--for", cycles) for cycles in (4000, 4001, 8000)]
        issued = [one["files"][0]["warp_instructions"] for one in limit]
        self.assertEqual([one["cycles"] for one in limit], [4000, 4001, 8000])
        self.assertIn(issued[1] - issued[0], (0, 1))  # one warp
        self.assertGreater(issued[2], issued[1])

    def test_the_window_is_exact(self):
        """Issue slots are counted for its cycles and no others, also where a launch has just ended and
        its stream waits for the other one, and where nothing happens for a while."""
        file, short, _ = self.two_streams()
        for cycles in (*range(short["ended"] - 1, short["ended"] + 2), *range(100, 400, 37)):
            counters = self.report(file, "--for", cycles)["counters"]
            slots = sum(value for name, value in counters.items() if name.startswith("sched."))
            self.assertEqual(slots, 15 * 2 * cycles)  # gtx480: 15 SMs of two schedulers

    def test_samples_reach_the_end(self):
        table, file = self.dir / "s.csv", self.counter("a.yaml", "step", [5])
        for cycles in range(100, 500, 37):
            self.report(file, "--for", cycles, "--samples", table, "--sample", 10, "--sample-of", "sm.issued")
            rows = [int(line.split(",")[0]) for line in table.read_text().splitlines()[1:]]
            self.assertEqual(rows, [*range(10, cycles, 10), cycles])

    def test_a_fault_ends_it(self):
        done = run(*beside([library("scan"), self.counter("wild.yaml", "outside", [0])]), "--for", self.CYCLES)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stdout.endswith("FAIL\n"))
        self.assertNotIn("as asked", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
