#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults planted in the system virtual_thread: each must make kernels of Lin-D Table 3.2 fail.

    tests/fail/virtual_thread.py BUILD_DIR

What a fault is and who must notice: planted.py. The last line is "N passed, N failed".

Not among them, since no output can tell, only cycles: what is forgotten of warps at barriers, which are looked at
again before their TB leaves.
"""
import sys

sys.dont_write_bytecode = True
import planted

MAIN, PLACES, SWAP, UNIT = (f"systems/virtual_thread/{name}.c" for name in ("virtual_thread", "places", "swap", "unit"))
# name: (file, text, what stands there instead, who must notice)
FAULTS = {
    "loads that come do not wake": (MAIN, "wr_sm_warp_pending(sm, id) == 0", "wr_sm_warp_pending(sm, id) == 99",
                                    "table"),
    "finished warps enter again": (PLACES, "    if ((u->finished[tb] >> index & 1) != 0) {\n        return;\n    }\n",
                                   "", "table"),
    "shared memory of two TBs": (PLACES, "tb * vt->smem * WR_DUET_LINE",
                                 "tb * (vt->smem - (vt->smem > 1)) * WR_DUET_LINE", "table"),
    "predicates stay behind": (SWAP, "meta.preds[p] = wr_sm_pred(u->sm, slot, p);", "meta.preds[p] = 0;", "table"),
    "a PC behind": (SWAP, "meta.depth = wr_sm_stack(u->sm, slot, meta.stack);",
                    "meta.depth = wr_sm_stack(u->sm, slot, meta.stack);\n"
                    "            meta.stack[0].pc += meta.depth > 1;", "table"),
    "one home for two": (SWAP, "    u->home_of[out] = u->home_of[in];\n", "", "table"),
    "warps leave before they may": (SWAP, "        may = wr_sm_warp_may_leave(", "        (void)wr_sm_warp_may_leave(",
                                    "table"),
    "wakes not told": (UNIT, "u->in.wake = true;", "u->in.wake = false;", "table"),
}
SCRIPTS = {"table": ["tests/duet/table.py", "--model", "--mechanism", "virtual_thread", "bfs_kernel1", "dwt2d_fdwt53",
                     "hotspot", "sad_4x4"]}

if __name__ == "__main__":
    sys.exit(planted.main(__doc__, FAULTS, SCRIPTS))
