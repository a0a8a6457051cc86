#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what the warps of an SM do under system duet, out of a waveform that it wrote: warps against cycles.

  tools/duet_timeline.py F.fst                          text, the SM that the file shows, all of its cycles
  tools/duet_timeline.py F.fst --from 5000 --to 9000    a part of them
  tools/duet_timeline.py F.fst --out T.svg              in colour; .png, .pdf as well
  tools/duet_timeline.py --write                        runs the kernel of docs/duet.md, and draws it into the page
  tools/duet_timeline.py --check                        exit status 1 where the page has another picture

The file comes from warpref run FILE.yaml --system duet:... --wave F.fst; option keep of the system says how many SMs
are in it. In text a column stands for as many cycles as it takes, and shows what the warp did for most of them.
"""
import sys

sys.dont_write_bytecode = True  # before our own modules: the tree stays clean

import timeline

KIND = timeline.Kind(
    step="duet_timeline", system="duet", row="warp", page=timeline.ROOT / "docs/duet.md",
    states={"running": ("#", "#2b8a3e", "running"), "waits": ("-", "#f2c037", "waits"),
            "stalled": ("s", "#e8590c", "stalled"), "absent": (".", "#ced4da", "absent"), "ready": ("r", "#1971c2", "ready"),
            "none": (" ", "#ffffff", "nothing")},
    # Four TBs where two fit: small enough to be seen whole.
    shown={"": (["kernels/dwt2d_copy_components.yaml", "--config", "maxwell", "--set", "sms=8", "--set", "sm.registers=8192",
                 "--system", "duet:me=2"],
                (4000, 7000))})

if __name__ == "__main__":
    sys.exit(timeline.main(KIND, __doc__))
