# SPDX-License-Identifier: Apache-2.0
"""The module itself: pins and their widths, what is said of wrong names and values, snapshots, skip,
and which libraries it takes."""

import os
import pydoc
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import warpref
from warpref.gen import blocks as generated

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = os.environ["WARPREF_LIBRARY"]


def inputs(block):
    return [p for p in vars(type(block)).values() if type(p).__name__.startswith("Input")]


def drive_randomly(block, rng):
    for pin in inputs(block):
        value = [rng.randrange(pin.most + 1) for _ in getattr(block, pin.name)] if pin.is_array else rng.randrange(pin.most + 1)
        setattr(block, pin.name, value)


class Pins(unittest.TestCase):
    def says(self, text, call, *args, error=warpref.Error, **named):
        with self.assertRaisesRegex(error, text):
            call(*args, **named)

    def test_widths_of_every_input(self):
        """The largest value goes in and comes back; the one above and -1 do not, and change nothing."""
        seen = 0
        for name in warpref.blocks():
            block = warpref.block(name)
            for pin in inputs(block):
                last = len(getattr(block, pin.name)) - 1 if pin.is_array else None
                for value in (pin.most + 1, -1, 0.5, None):
                    text = f"{pin.name} has {pin.width} bit"
                    if pin.is_array:
                        self.says(text, getattr(block, pin.name).__setitem__, last, value)
                    else:
                        self.says(text, setattr, block, pin.name, value)
                if pin.is_array:
                    getattr(block, pin.name)[last] = pin.most
                    self.assertEqual(getattr(block, pin.name), [0] * last + [pin.most])
                else:
                    setattr(block, pin.name, pin.most)
                    self.assertEqual(getattr(block, pin.name), pin.most)
                seen += 1
        self.assertGreater(seen, 200)

    def test_arrays(self):
        block = warpref.block("reg_compressor", "tiny")
        block.lane_i = range(8)
        self.assertEqual(block.lane_i[2:4], [2, 3])
        block.lane_i[1:3] = [7, 8]
        self.assertEqual(list(block.lane_i), [0, 7, 8, 3, 4, 5, 6, 7])
        self.assertIsInstance(block.word_o, tuple)
        self.says("8 elements to set, 2 given", setattr, block, "lane_i", [1, 2])
        self.says("it takes a list, not 3", setattr, block, "lane_i", 3)
        with self.assertRaises(IndexError):
            block.lane_i[8] = 1
        self.assertEqual(list(block.lane_i), [0, 7, 8, 3, 4, 5, 6, 7])

    def test_codes(self):
        block = warpref.block("reg_compressor")
        codes = type(block).pag_i.codes
        for value, name in enumerate(codes):
            block.pag_i = name
            self.assertEqual(block.pag_i, value)
        self.says(f"or {codes[0]}, ", setattr, block, "pag_i", "nothing")

    def test_names(self):
        self.says("no block 'drf_partition' .is it drf_partitioner.*concurrency_manager", warpref.block, "drf_partition")
        self.says("no configuration 'huge'; there are tiny, default, odd, max", warpref.block, "drf_partitioner", "huge")
        self.says("no parameter 'Kernel'.*Kernels .1 to 8.", warpref.block, "drf_partitioner", Kernel=2)
        for value in (0, 9, 2.0, "2"):
            self.says("Kernels .*is a whole number from 1 to 8", warpref.block, "drf_partitioner", Kernels=value)
        self.says("Depth = 4 .*not with the others", warpref.block, "issue_rate_controller", Depth=4)
        block = warpref.block("drf_partitioner")
        self.says("no pin 'lod_i' .is it load_i.*fault_o", getattr, block, "lod_i", error=AttributeError)
        self.says("no attribute 'lod_i'", setattr, block, "lod_i", 1, error=AttributeError)
        self.says("no pin 'lod_i'", block.step, lod_i=1, error=AttributeError)
        self.says("tbs_o is an output", setattr, block, "tbs_o", 1)
        self.says("in_q is a register: it is read only", setattr, block.state, "in_q", 1)
        self.says("not free-running", block.skip, 3)
        self.says("not free-running", block.quiet)

    def test_wrong_arguments(self):
        """Every function of the module with values of every wrong kind: the module's own errors, which say what was wrong."""
        values = (None, b"", b"x", "", "x\0", -1, 1 << 70, 0.5, float("nan"), (), (1, 2, 3), [None], {}, {1: 2}, object(), {1}, print)
        kept = warpref.block("warp_quota", "tiny").snapshot()
        spoiled = bytearray(kept)
        spoiled[-1] ^= 1
        block, arrays = warpref.block("warp_quota", "tiny"), warpref.block("reg_compressor", "tiny")
        calls = {
            "block": (lambda v: warpref.block(v), ()),
            "config": (lambda v: warpref.block("warp_quota", v), ()),
            "parameter": (lambda v: warpref.block("warp_quota", Kernels=v), ()),
            "pin": (lambda v: setattr(block, "view_i", v), ()),
            "array": (lambda v: setattr(arrays, "lane_i", v), ()),
            "element": (lambda v: arrays.lane_i.__setitem__(0, v), ()),
            "index": (lambda v: arrays.lane_i[v], (-1,)),
            "place": (lambda v: arrays.lane_i.__setitem__(v, 0), (-1,)),
            "step": (lambda v: block.step(view_i=v), ()),
            "drive": (lambda v: block.drive(view_i=v), ()),
            "skip": (lambda v: block.skip(v), ()),
            "restore": (lambda v: block.restore(v), ()),
            **{name: (lambda v, name=name: warpref.run(**{"file": "kernels/vecadd.yaml", name: v}), allowed)
               for name, allowed in {"file": (), "config": (None,), "systems": ((), {}), "set": ({},), "blocks": (None,),
                                     "sample": (None,), "sample_of": ((), {}), "cpu": (None,), "threads": (None,),
                                     "max_cycles": (None,), "options": ((), {})}.items()},
        }
        for name, (call, allowed) in calls.items():
            for value in (*values, *((kept[:-1], kept + b"x", spoiled, kept[50:]) if name == "restore" else ())):
                if any(value is a or type(value) is type(a) and value == a for a in allowed):
                    continue
                with self.subTest(argument=name, value=value), self.assertRaises(warpref.Error) as caught:
                    call(value)
                self.assertGreater(len(str(caught.exception)), 10)
        self.assertEqual(block.snapshot(), kept)
        block.restore(bytearray(kept))

    def test_help(self):
        text = pydoc.render_doc(generated.DrfPartitioner, renderer=pydoc.plaintext)
        self.assertIn("RegLimit (1 to 4096): units of registers of the SM", text)
        self.assertIn(" |  tbs_o\n |      7 bits: TBs of kernel read_i", text)

    def test_tables(self):
        """A class whose pin is of another width than the library's is refused."""
        class Other(generated.DrfPartitioner):
            pass
        for name, value in vars(generated.DrfPartitioner).items():
            if not name.startswith("__"):
                setattr(Other, name, value)
        from warpref import model
        ffi, lib = model.library()
        self.assertIsNotNone(model.described(Other, ffi, lib, {}))
        Other.kernel_i = type(generated.DrfPartitioner.kernel_i)(1, 4, "")
        self.says("with other pins, parameters or registers", model.described, Other, ffi, lib, {}, error=warpref.LibraryError)


class Time(unittest.TestCase):
    def test_snapshot(self):
        """Of every block: from a snapshot on the same inputs give the same outputs and registers."""
        for name in warpref.blocks():
            with self.subTest(block=name):
                rng = random.Random(5)
                block, other = warpref.block(name, "odd"), warpref.block(name, "odd")
                for _ in range(20):
                    drive_randomly(block, rng)
                    block.tick()
                kept, state, out = block.snapshot(), rng.getstate(), block.out
                ways = []
                for it in (block, other, block):
                    it.restore(kept)
                    self.assertEqual(it.out, out)
                    self.assertEqual(it.snapshot(), kept)
                    rng.setstate(state)
                    way = []
                    for _ in range(20):
                        drive_randomly(it, rng)
                        way.append((it.out, repr(it.state)))
                        it.tick()
                    ways.append(way)
                self.assertEqual(ways[0], ways[1])
                self.assertEqual(ways[0], ways[2])
                self.assertNotEqual(block.snapshot(), kept)
        self.assertIsInstance(kept, bytes)
        with self.assertRaisesRegex(warpref.Error, "snapshot of concurrency_manager, .* does not fit.*Cores=28"):
            warpref.block("concurrency_manager").restore(kept)
        with self.assertRaisesRegex(warpref.Error, "is not whole"):
            block.restore(kept[:-1])

    def test_skip(self):
        seen = 0
        for name, kind in warpref.blocks().items():
            if not kind.free_running:
                continue
            slow, fast = warpref.block(name, "tiny"), warpref.block(name, "tiny")
            for _ in range(777):
                slow.tick()
            fast.skip(777)
            self.assertEqual(slow.snapshot(), fast.snapshot())
            quiet, out = fast.quiet(), fast.out
            for _ in range(min(1000 if quiet is None else quiet, 1000)):
                self.assertEqual(fast.out, out)
                fast.tick()
            seen += 1
        self.assertEqual(seen, 7)

    def test_settled(self):
        """A combinational output follows its input without eval(); reset() leaves inputs."""
        block = warpref.block("drf_partitioner", "tiny")
        self.assertEqual(block.step(load_i=1, kernel_i=0, regs_i=50, threads_i=1).fault_o, 0)
        block.step(start_i=1, mask_i=1)
        while not block.done_o:
            block.tick()
        self.assertEqual((block.tbs_o, block.out.reg_end_o), (2, 100))
        block.read_i = 1
        self.assertEqual(block.tbs_o, 0)
        block.reset()
        self.assertEqual((block.read_i, block.done_o, block.state.done_q), (1, 0, 0))
        table = warpref.block("rename_table")
        self.assertEqual(table.mapped_o[1], 0)
        table.read_reg_i[1] = 77  # an element alone
        self.assertEqual(table.mapped_o[1], 77)
        table.idle()
        self.assertEqual(table.mapped_o[1], 0)


class Library(unittest.TestCase):
    def opened(self, module=ROOT / "python", **environment):
        """What a fresh Python says of opening a block."""
        code = "import warpref\ntry:\n    print(warpref.block('warp_quota').out and warpref.library.find())\n" \
               "except warpref.LibraryError as e:\n    print('refused:', e)"
        env = {k: v for k, v in os.environ.items() if k != "WARPREF_LIBRARY"} | environment | {"PYTHONPATH": str(module)}
        done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.strip()

    def made(self, folder, text):
        path = Path(folder, "libother.so")
        Path(folder, "other.c").write_text(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", path, f"{folder}/other.c"], check=True)
        return str(path)

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            older = self.made(folder, 'const char *wr_version(void) { return "0.0.9"; }')
            self.assertIn("is of warpref 0.0.9, this module of " + warpref.__version__, self.opened(WARPREF_LIBRARY=older))
            none = self.made(folder, "int wr_blocks;")
            self.assertIn("has no wr_version", self.opened(WARPREF_LIBRARY=none))
            none = Path(folder, "text.so")
            none.write_text("not a library")
            self.assertIn("cannot be loaded", self.opened(WARPREF_LIBRARY=str(none)))
            self.assertIn("there is no such file", self.opened(WARPREF_LIBRARY=folder + "/nothing.so"))

    def test_found(self):
        self.assertEqual(self.opened(WARPREF_LIBRARY=LIBRARY), str(Path(LIBRARY).resolve()))
        with tempfile.TemporaryDirectory() as folder:
            modules = Path(folder, "lib/python3/dist-packages")
            shutil.copytree(ROOT / "python/warpref", modules / "warpref")
            self.assertIn("is not found in", self.opened(modules))
            shutil.copy(LIBRARY, Path(folder, "lib/libwarpref.so.0"))
            self.assertEqual(self.opened(modules), str(Path(folder, "lib/libwarpref.so.0")))


if __name__ == "__main__":
    unittest.main()
