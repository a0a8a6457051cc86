# SPDX-License-Identifier: Apache-2.0
"""Kayiran 4.1, 4.2, 5: the limits of active warps that there are, and the thresholds of congestion.

Block concurrency_manager, with one core and 8 partitions, with the thresholds of its reset. In CM-BAL, whose limits are
levels, it is congested until its limit moves no more, then left alone until it is back: the limits on the way. Each threshold is the least sum of
stalls in an interval that makes a difference, searched by halving, over the cycles of an interval.
"""

import json

import warpref

block = warpref.block("concurrency_manager", Cores=1)
PARTS, INTERVAL = block.values["Parts"], block.values["Interval"]
PART_1 = type(block).part1_o.codes


def begin(scheme):
    """A kernel, behind the first interval, which decides nothing."""
    block.step(start_i=1, balance_i=scheme)
    for _ in range(PARTS):
        block.step()
    interval(0, 0)


def interval(mc, net):
    """An interval in which so many requests and replies are refused: what congestion asks for, and the limit behind."""
    for cycle in range(INTERVAL):
        now = [min(left, PARTS) if 0 < cycle < INTERVAL - PARTS else 0 for left in (mc, net)]
        mc, net = mc - now[0], net - now[1]
        block.drive(stall_mc_i=[1] * now[0] + [0] * (PARTS - now[0]),
                    stall_net_i=[1] * now[1] + [0] * (PARTS - now[1]))
        block.tick()
    assert mc == net == 0
    block.drive(stall_mc_i=[0] * PARTS, stall_net_i=[0] * PARTS)
    assert block.decide_o
    asked, kept = PART_1[block.part1_o], block.snapshot()
    block.tick()
    limit = block.limit_o[0]
    block.restore(kept)  # its cycle is the first of the next interval
    return asked, limit


def levels():
    begin("cm_bal")
    seen = {block.limit_o[0]}
    for stalls in (INTERVAL, 0):
        before, behind = None, block.limit_o[0]
        while before != behind:
            before, behind = behind, interval(stalls, 0)[1]
            seen.add(behind)
    return sorted(seen)


def least(answer, metric):
    """The least sum of one metric for which congestion asks for something else than with a sum of 0, or for this."""
    low, high = 0, 2 * INTERVAL
    while high - low > 1:
        middle = (low + high) // 2
        begin("cm_cpu")
        asked = interval(middle, 0)[0] if metric == "mc" else interval(0, middle)[0]
        low, high = (low, middle) if asked in answer else (middle, high)
    return high / INTERVAL


figures = {"levels": levels(), "interval": INTERVAL}
figures["count"] = len(figures["levels"])
for metric in ("mc", "net"):
    figures[metric] = {"high": least(("reduce",), metric), "low": least(("reduce", "keep"), metric)}
assert not block.fault_o
print(json.dumps(figures, indent=1))
