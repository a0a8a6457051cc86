#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how the warps of an SM run ahead under system haws, out of a waveform that it wrote: warps against cycles.

  tools/hints_timeline.py F.fst                          text, the first SM that the file shows, all of its cycles
  tools/hints_timeline.py F.fst --from 970 --to 1066    a part of them
  tools/hints_timeline.py F.fst --out T.svg              in colour; .png, .pdf as well
  tools/hints_timeline.py --write                        runs the kernel of docs/hints.md, and draws it into the page
  tools/hints_timeline.py --check                        exit status 1 where the page has another picture

The file comes from warpref run FILE.yaml --system haws --wave F.fst; option keep of the system says how many SMs are in
it. In text a column stands for as many cycles as it takes, and shows what the warp did for most of them, or that it
issued an instruction ahead.
"""
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import timeline

KIND = timeline.Kind(
    step="hints_timeline", system="haws", row="warp", page=timeline.ROOT / "docs/hints.md",
    states={"waits": ("-", "#f2c037", "waits at a stall point"), "hint": ("h", "#a5d8ff", "in hint mode"),
            "ahead": ("A", "#1971c2", "issued an instruction ahead"),
            "back": ("b", "#2b8a3e", "in order again, holds instructions"), "none": (".", "#ffffff", "in order")},
    events=("ahead",),
    shown={"": (["kernels/gemm.yaml", "--config", "hd7970", "--set", "sms=1", "--set", "sm.max_tbs=1", "--no-points",
                 "--system", "haws"],
                (970, 1066)),
           "fig_5_1": (["studies/gong/kernels/fig_5_1.yaml", "--config", "hd7970", "--set", "sms=1", "--no-points",
                        "--no-pass=all", "--system", "haws"],
                       (3900, 4380)),
           "fig_5_9": (["studies/gong/kernels/fig_5_9_a.yaml", "--config", "hd7970", "--set", "sms=1", "--set",
                        "units.sp.lanes=4", "--set", "timing.integer.add.latency=1", "--set",
                        "timing.integer.max.latency=1", "--set", "l1.hit_latency=60", "--no-points", "--no-pass=all",
                        "--for", "21000", "--system", "haws"],
                       (20000, 20576))})

if __name__ == "__main__":
    sys.exit(timeline.main(KIND, __doc__))
