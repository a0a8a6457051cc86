# SPDX-License-Identifier: Apache-2.0
"""The scenes of studies/scenes: each runs, and its figures are those of the papers' examples."""

import json
import subprocess
import sys
import unittest
from pathlib import Path

SCENES = Path(__file__).resolve().parents[2] / "studies/scenes"

# Scene -> figures by path; a number in a path counts in a list. A tuple is a band.
WANT = {
    "drf_fig8": {
        "smaller_share.tbs_1": 6, "smaller_share.tbs_2": 12, "smaller_share.rSM": 100,
        "smaller_share.iterations.0.rK": 10, "smaller_share.iterations.1.rK": 6, "smaller_share.iterations.2.rK": 12,
        "smaller_share.iterations.0.rSM": 10, "smaller_share.iterations.1.rSM": 13,
        "smaller_share.iterations.2.rSM": (16.66, 16.67), "smaller_share.iterations.3.kernel": 1,
        "lowest_index.tbs_1": 7, "lowest_index.tbs_2": 10,
    },
    "ccbp_fig4_5": {
        "fifo.latency": 1, "fifo.bandwidth": 4, "priority.latency": 2, "priority.bandwidth": 3,
        "change.latency": 100, "change.bandwidth": -25,
    },
    "quota": {"quota_1": 2857, "quota_2": 7142, "issued_1": 4 * (2857 // 4), "issued_2": 4 * (7142 // 4)},
    "dwt_2_in_l1": {"extra": 2},
    "fig_5_9": {"A": 53, "B": 48, "C": 47, "D": 45},
    "table_4_2": {"in_range": 13, "types": 13, "of": 13, "kernels.0.w": (0.06, 0.07), "kernels.0.requests": (15.1, 15.2)},
    "alloc_fig4": {
        "registers.leave": [{"tb": 0, "start": 0}, {"tb": 1, "start": 300}],
        "registers.place": [{"tb": 0, "start": 0}, {"tb": 1, "start": 256}],
        "registers.table.0": {"kernel": 1, "tb": 2, "start": 600, "size": 300},
        "shared.leaving": 0, "shared.place": [{"tb": 0, "start": 192}, {"tb": 1, "start": 272}],
    },
    "monitor_table3_3": {
        **{f"{part}.not_under_from": low for part, low in
           {"scheduler": 60, "l1": 60, "interconnect_up": 60, "interconnect_down": 60, "l2": 60, "dram": 50}.items()},
        **{f"{part}.saturated_above": high for part, high in
           {"scheduler": 80, "l1": 80, "interconnect_up": 90, "interconnect_down": 90, "l2": 80, "dram": 70}.items()},
        "l1_idle_below": 3,
    },
    "kayiran_fig14": {
        "A.warps": 24, "A.part_1": "reduce", "A.then": 48, "A.diff_up": (33, 2047),
        "B.part_1": "reduce", "B.then": 48, "B.diff_low": (33, 2047),
        "C.part_1": "reduce", "C.then": 24, "C.diff_low": (33, 2047),
        "D.part_1": "reduce", "D.then": 16, "D.diff_up": (-2047, 31), "D.diff_low": (-2047, 31),
    },
    "kayiran_limits": {
        "levels": [1, 2, 3, 4, 6, 8, 16, 24, 48], "mc.high": 1, "mc.low": 0.25, "net.high": 1, "net.low": 0.25,
    },
    # by hand: 19 instructions before the loop, 18 in it, 7 behind it
    "ptx_executed": {"text": 19 + 18 + 7, "executed": 19 + 9 * 18 + 7},
    "bp1": {
        "bytes.live": 5.125, "bytes.live_bytes": 656, "bytes.bytes": (62.5, 62.7), "bytes.uniform": (47.35, 47.45),
        "patterns.ty*16+tx.class": "global_strided", "patterns.tx.class": "local_strided",
        "patterns.ty.class": "local_uniform", "patterns.i.class": "global_uniform",
    },
}


def figure(figures, path):
    for word in path.split("."):
        figures = figures[int(word)] if isinstance(figures, list) else figures[word]
    return figures


class Scenes(unittest.TestCase):
    def test_all(self):
        self.assertEqual(sorted(WANT), sorted(path.stem for path in SCENES.glob("*.py")))
        checks = 0
        for name, wanted in WANT.items():
            done = subprocess.run([sys.executable, "-B", SCENES / f"{name}.py"], capture_output=True, text=True)
            with self.subTest(scene=name):
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                figures = json.loads(done.stdout)
            for path, want in wanted.items():
                with self.subTest(scene=name, figure=path):
                    got = figure(figures, path)
                    if isinstance(want, tuple):
                        self.assertTrue(want[0] <= got <= want[1], got)
                    else:
                        self.assertEqual(got, want)
                    checks += 1
        print(f"\nscenes: {checks} figures")


if __name__ == "__main__":
    unittest.main()
