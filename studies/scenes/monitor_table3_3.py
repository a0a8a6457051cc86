# SPDX-License-Identifier: Apache-2.0
"""Lin-D Table 3.3: from which use of a part on does a window of the GPU count as what?

Block throughput_monitor, in the paper's machine, sees windows of 10,000 cycles in which one part is
used to some degree and the others not at all. The degrees at which its verdict changes are found by
halving: the least at which a window is underutilised no more, the least at which it is saturated.
"""

import json

import warpref

block = warpref.block("throughput_monitor")
WINDOW, SMS, PARTS = (block.values[name] for name in ("Window", "Sms", "Parts"))
CLOCKS = {"noc_cycles_i": 1, "l2_cycles_i": 1, "dram_cycles_i": 1}
# The pins of a part, the most of them in a cycle, and the part of that which is its 100 %.
USES = {
    "scheduler": ("issued_i", SMS * block.values["Scheds"], 1),
    "l1": ("l1_i", SMS, 1),
    "interconnect_up": ("up_i", SMS, block.values["Sustain"] / 100),
    "interconnect_down": ("down_i", PARTS, block.values["Sustain"] / 100),
    "l2": ("l2_i", PARTS, 1),
    "dram": ("dram_i", PARTS, 1),
}
VERDICTS = type(block).verdict_o.codes


def window(pin, used):
    """The outputs behind a window in which the pin's sum is this."""
    each, more = divmod(used, WINDOW)
    block.step(start_i=1)
    block.drive(start_i=0, **CLOCKS)
    block.skip(block.values["Warmup"])
    for value, cycles in ((each + 1, more), (each, WINDOW - more)):
        if cycles:
            block.drive(**{pin: value})
            block.skip(cycles)
    block.drive(**{pin: 0})
    while not block.valid_o:
        block.tick()
    assert not block.fault_o
    return block.out


def least(most, holds):
    """The least number up to `most` for which it holds; None where it never does."""
    low, high = 0, most
    if not holds(most):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


figures = {}
for part, (pin, most, full) in USES.items():
    peak = most * WINDOW
    busy = least(peak, lambda used: VERDICTS[window(pin, used).verdict_o] != "under")
    saturated = least(peak, lambda used: VERDICTS[window(pin, used).verdict_o] == "saturated")
    figures[part] = {"not_under_from": 100 * busy / (full * peak), "saturated_above": 100 * (saturated - 1) / (full * peak)}
idle = least(SMS * WINDOW, lambda used: not window("l1_i", used).l1_idle_o)
figures["l1_idle_below"] = 100 * idle / (SMS * WINDOW)
print(json.dumps(figures, indent=1))
