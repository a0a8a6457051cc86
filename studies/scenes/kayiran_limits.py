# SPDX-License-Identifier: Apache-2.0
"""Kayiran 4.1, 4.2, 5: the limits of active warps that there are, the thresholds of congestion, and k.

Block concurrency_manager, with one core and 8 partitions, with the thresholds of its reset. In CM-BAL, whose limits are
levels, it is congested until its limit moves no more, then left alone until it is back: the limits on the way. Each threshold is the least sum of
stalls in an interval that makes a difference, searched by halving, over the cycles of an interval. k is the most that an
SM may stall longer at a level than at the one above without going back to that.
"""

import json

import warpref

block = warpref.block("concurrency_manager", Cores=1)
PARTS, INTERVAL = block.values["Parts"], block.values["Interval"]
PART_1 = type(block).part1_o.codes


def begin(scheme, stalls=0):
    """A kernel, behind an interval in which nothing is refused."""
    block.step(start_i=1, balance_i=scheme)
    for _ in range(PARTS):
        block.step()
    interval(0, 0, stalls)


def interval(mc, net, stalls=0):
    """An interval in which so many requests and replies are refused, and the core stalls so often: what congestion asks
    for, and the limit behind."""
    for cycle in range(INTERVAL):
        stall = 1 if 2 * PARTS < cycle <= 2 * PARTS + stalls else 0
        now = [min(left, PARTS) if 0 < cycle < INTERVAL - PARTS else 0 for left in (mc, net)]
        mc, net = mc - now[0], net - now[1]
        block.drive(stall_mc_i=[1] * now[0] + [0] * (PARTS - now[0]),
                    stall_net_i=[1] * now[1] + [0] * (PARTS - now[1]), stall_core_i=[stall])
        block.tick()
    assert mc == net == 0
    block.drive(stall_mc_i=[0] * PARTS, stall_net_i=[0] * PARTS, stall_core_i=[0])
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


def most(code):
    """k of CM-BAL 1 to 4: from 48 warps down to 24, where the core stalls longer by so much, and stays down."""
    def goes_back(more):
        begin("cm_bal", 100)
        block.drive(k_i=code)
        first = interval(INTERVAL, 0, 100)[1]
        assert first == 24
        return interval(INTERVAL, 0, 100 + more)[1] > first

    low, high = 0, INTERVAL // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if goes_back(middle) else (middle, high)
    return low


figures = {"levels": levels(), "interval": INTERVAL}
figures["count"] = len(figures["levels"])
for metric in ("mc", "net"):
    figures[metric] = {"high": least(("reduce",), metric), "low": least(("reduce", "keep"), metric)}
figures["k"] = [most(code) for code in range(4)]
assert not block.fault_o
print(json.dumps(figures, indent=1))
