#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws whose thread blocks an SM has under system smk, out of a waveform that it wrote: TB slots against cycles.

  tools/smk_timeline.py F.fst                          text, the first SM that the file shows, all of its cycles
  tools/smk_timeline.py F.fst --from 5000 --to 9000    a part of them
  tools/smk_timeline.py F.fst --out T.svg              in colour; .png, .pdf as well
  tools/smk_timeline.py --write                        runs the kernels of docs/sharing.md, and draws them into the page
  tools/smk_timeline.py --check                        exit status 1 where the page has another picture

The file comes from warpref run A.yaml --with B.yaml --system smk:... --wave F.fst; option keep of the system says how
many of its units are in it, and the SMs come first. In text a column stands for as many cycles as it takes, and shows
what was there for most of them. Kernels are in the order in which their first launches began.
"""
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import timeline

COLOURS = [("#1971c2", "#a5d8ff"), ("#e8590c", "#ffd8a8"), ("#2b8a3e", "#b2f2bb"), ("#9c36b5", "#eebefa")]
STATES = {}
for number, (there, leaving) in enumerate(COLOURS):
    letter = "ABCD"[number]
    STATES[f"kernel{number}"] = (letter, there, f"kernel {letter}")
    STATES[f"left{number}"] = (letter.lower(), leaving, f"{letter} on its way out")
STATES["none"] = (".", "#ffffff", "nothing")

KIND = timeline.Kind(
    step="smk_timeline", system="smk", row="tb", page=timeline.ROOT / "docs/sharing.md", states=STATES,
    shown={"": (["kernels/matrixmul.yaml", "--with", "kernels/lbm.yaml", "--arrive", "3000", "--for", "15000", "--config",
                 "gtx980", "--set", "sms=1", "--system", "smk:quotas=0"],
                (0, 14400))})

if __name__ == "__main__":
    sys.exit(timeline.main(KIND, __doc__))
