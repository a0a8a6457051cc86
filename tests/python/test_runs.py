# SPDX-License-Identifier: Apache-2.0
"""Runs: figures as the program writes them, frames, and what is said of a run that fails."""

import subprocess
import sys
import unittest
from pathlib import Path

import warpref
from warpref import runs

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "kernels/vecadd.yaml"


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_of = warpref.run(KERNEL, config="gtx480", systems=["preemption:period=10000"], set={"l1.mshrs": 64}, sample=5000,
                                 sample_of=["sm.issued", "l2.bank*.misses"])

    def test_figures(self):
        r = self.run_of
        self.assertTrue(r.passed)
        self.assertEqual(r.counters["gpu.cycles"], r.cycles)
        self.assertAlmostEqual(r.derived["gpu.ipc"], r.counters["sm.issued"] / r.cycles)
        self.assertEqual(r.measured["signals.due"], r.cycles // 10000)
        self.assertIn("--system preemption:period=10000 --set l1.mshrs=64", r.command)

    def test_frames(self):
        r = self.run_of
        self.assertEqual(r.launches.kernel.tolist(), ["vecadd"])
        self.assertEqual(r.launches.grid.tolist(), [r.figures["launches"][0]["grid"]])
        self.assertAlmostEqual(r.launches.ipc[0], r.launches.warp_instructions[0] / r.launches.cycles[0])
        names = [name for name in r.launches if name in r.counters]
        self.assertLess({"l1.misses", "l2.hits", "sched.stall.memory"}, set(names))
        for name in names:
            self.assertEqual(r.launches[name].sum() + r.figures["no_launch"][name], r.counters[name], name)
        self.assertGreater(r.launches["l2.misses"].sum(), 0)
        sms = r.parts[r.parts.index.str.fullmatch(r"sm\d+")]
        self.assertEqual(len(sms), 15)
        self.assertEqual(sms.issued.sum(), r.counters["sm.issued"])
        self.assertEqual(r.checks.wrong.sum(), 0)
        self.assertEqual(r.histograms["lsu.load_latency"].sum(), r.figures["histograms"]["lsu.load_latency"]["count"])
        samples = r.samples
        self.assertEqual(samples.index[-1], r.cycles)
        self.assertEqual(samples["sm.issued"].sum(), r.counters["sm.issued"])
        self.assertEqual(samples.filter(like="l2.bank").sum().sum(), r.counters["l2.misses"])

    def test_pandas_is_late(self):
        code = f"import sys, warpref\nr = warpref.run({str(KERNEL)!r})\nr.counters, r.derived\n" \
               "assert 'pandas' not in sys.modules\nr.launches\nassert 'pandas' in sys.modules"
        subprocess.run([sys.executable, "-B", "-c", code], check=True)

    def test_same_inputs_same_figures(self):
        again, threads = warpref.run(KERNEL), warpref.run(KERNEL, threads=2)
        self.assertEqual(again.figures, threads.figures)

    def test_errors(self):
        with self.assertRaises(warpref.RunError) as caught:
            warpref.run(KERNEL, set={"l1.mshrz": 3})
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("no 'l1.mshrz'", str(caught.exception))
        with self.assertRaises(warpref.RunError) as caught:
            warpref.run(KERNEL, max_cycles=100)
        self.assertEqual(caught.exception.status, 1)
        self.assertIn("has not ended after 100 cycles", caught.exception.words)
        failed = warpref.run(KERNEL, max_cycles=100, check=False)
        self.assertFalse(failed.passed)
        self.assertEqual(failed.cycles, 100)
        with self.assertRaisesRegex(warpref.Error, "was not sampled"):
            failed.samples
        with self.assertRaisesRegex(warpref.RunError, "cannot be read"):
            warpref.run("nothing.yaml", check=False)
        with self.assertRaisesRegex(warpref.Error, "is a list of words"):
            warpref.run(KERNEL, systems="preemption")

    def test_program(self):
        self.assertTrue(Path(runs.program()).is_file())


if __name__ == "__main__":
    unittest.main()
