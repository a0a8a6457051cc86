# SPDX-License-Identifier: Apache-2.0
"""Kayiran Fig. 14, events A to D: which part of CM-BAL has the last word.

Block concurrency_manager, with one core and 8 partitions, is given intervals of stalls. The figure
shows events and no counts: the counts here make the conditions hold that the text names for each,
with k = 32. diff_up and diff_low are worked out from the averages that the block shows.
"""

import json

import warpref

LEVELS = (1, 2, 3, 4, 6, 8, 16, 24, 48)
HIGH = 1024  # stall_MC of an interval: 1 a cycle

block = warpref.block("concurrency_manager", Cores=1)
PARTS, INTERVAL = block.values["Parts"], block.values["Interval"]
PART_1 = type(block).part1_o.codes


def interval(stall, mc):
    """An interval in which the core stalls and the partitions stall so often, and the decision behind it."""
    for cycle in range(INTERVAL):
        now = min(stall, 2) if cycle else 0
        busy = min(mc, PARTS) if 0 < cycle < INTERVAL - PARTS else 0
        stall, mc = stall - now, mc - busy
        block.drive(stall_core_i=[now], stall_mc_i=[1] * busy + [0] * (PARTS - busy))
        block.tick()
    assert stall == mc == 0
    block.drive(stall_core_i=[0], stall_mc_i=[0] * PARTS)
    assert block.decide_o
    part_1, before, kept = PART_1[block.part1_o], block.limit_o[0], block.snapshot()
    block.tick()
    level, behind = LEVELS.index(before), block.limit_o[0]
    averages = {}
    for name, at in (("low", level - 1), ("here", level), ("up", level + 1)):
        block.level_i = at if 0 <= at < len(LEVELS) else 15
        averages[name] = block.avg_o if block.avg_valid_o else None
    block.restore(kept)
    row = {"warps": before, "part_1": part_1, "then": behind}
    if averages["up"] is not None:
        row["diff_up"] = averages["here"] - averages["up"]
    if averages["low"] is not None:
        row["diff_low"] = averages["low"] - averages["here"]
    return row


block.step(start_i=1, balance_i="cm_bal")
for _ in range(PARTS):
    block.step()
figures = {"k": INTERVAL // 32}
interval(500, HIGH)
figures["A"] = interval(600, HIGH)
figures["B"] = interval(500, HIGH)
for _ in range(2):
    interval(500, HIGH)
figures["C"] = interval(500, HIGH)
interval(500, HIGH)
interval(540, HIGH)
interval(550, 0)
interval(540, 0)
figures["D"] = interval(520, HIGH)
assert not block.fault_o
print(json.dumps(figures, indent=1))
